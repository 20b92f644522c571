"""The experiment: from data sets to a results table."""

from occstats.experiment.estimators import Recipe
from occstats.experiment.experiment import Experiment
from occstats.experiment.run import prepare, run_experiment

__all__ = ["Experiment", "Recipe", "prepare", "run_experiment"]
