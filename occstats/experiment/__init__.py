"""Run data descriptors on datasets, giving a results table."""

from occstats.experiment.estimators import Recipe
from occstats.experiment.run import Experiment, prepare, run_experiment

__all__ = ["Experiment", "Recipe", "prepare", "run_experiment"]
