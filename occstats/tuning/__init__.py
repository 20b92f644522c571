"""The hyperparameter sweep, the defaults found by it, and leave-one-dataset-out parameters."""

from occstats.tuning.experiment import SweepExperiment, prepare_sweep
from occstats.tuning.grids import PAPER
from occstats.tuning.optimum import OptimumInterval, optimum_interval
from occstats.tuning.recipes import default_hyperparameters
from occstats.tuning.selection import leave_one_out_parameters
from occstats.tuning.sweep import Sweep, read_sweep, tune

__all__ = [
    "PAPER",
    "OptimumInterval",
    "Sweep",
    "SweepExperiment",
    "default_hyperparameters",
    "leave_one_out_parameters",
    "optimum_interval",
    "prepare_sweep",
    "read_sweep",
    "tune",
]
