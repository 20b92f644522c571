"""Hyperparameter sweeps: the best defaults, and leave-one-dataset-out parameters."""

from occstats._checks import require_descriptors

require_descriptors()

from occstats.tuning.grids import PAPER, default_hyperparameters  # noqa: E402
from occstats.tuning.sweep import (  # noqa: E402
    Sweep,
    SweepExperiment,
    leave_one_out_parameters,
    prepare_sweep,
    read_sweep,
    tune,
)

__all__ = [
    "PAPER",
    "Sweep",
    "SweepExperiment",
    "default_hyperparameters",
    "leave_one_out_parameters",
    "prepare_sweep",
    "read_sweep",
    "tune",
]
