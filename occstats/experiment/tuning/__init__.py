"""The hyperparameter sweep, the defaults found by it, and leave-one-dataset-out parameters."""

from occstats.experiment.tuning.experiment import SweepExperiment, prepare_sweep
from occstats.experiment.tuning.leave_one_out import leave_one_out_parameters
from occstats.experiment.tuning.sweep import Sweep, read_sweep, tune

__all__ = [
    "Sweep",
    "SweepExperiment",
    "leave_one_out_parameters",
    "prepare_sweep",
    "read_sweep",
    "tune",
]
