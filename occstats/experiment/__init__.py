"""Run data descriptors on datasets, giving a results table."""

from occstats._checks import require_descriptors

require_descriptors()

from occstats.experiment.estimators import Recipe  # noqa: E402
from occstats.experiment.run import Experiment, prepare, run_experiment  # noqa: E402

__all__ = ["Experiment", "Recipe", "prepare", "run_experiment"]
