"""The experiment: from data sets to a results table."""

from occstats.experiment.experiment import Experiment
from occstats.experiment.run import prepare, run_experiment

__all__ = ["Experiment", "prepare", "run_experiment"]
