"""The experiment: from data sets to a results table."""

from occstats.experiment.run import Experiment, prepare, run_experiment

__all__ = ["Experiment", "prepare", "run_experiment"]
