"""The hyperparameter sweep, the defaults found by it, and leave-one-dataset-out parameters."""
