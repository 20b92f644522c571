"""The names that columns usually go by."""

import re
from collections.abc import Mapping

__all__ = ["ALIASES", "AUROC", "GENERIC", "TRAITS", "is_bounded", "is_loss", "normalise"]

# The first name of each role is the project's own: where it is present, no other is asked for.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "cluster": (
        *("dataset", "data_set", "dataset_name", "data_set_name", "dataset_id", "data_set_id"),
        *("data_id", "data_name", "did", "cluster", "cluster_id", "group", "group_id", "data"),
    ),
    "task": (
        *("class", "target_class", "normal_class", "positive_class", "class_name", "class_label"),
        *("task", "task_id", "task_name", "oml_task_id", "problem", "problem_id", "instance"),
        *("instance_id", "target", "subtask"),
    ),
    "algorithm": (
        *("descriptor", "algorithm", "algorithm_name", "algorithm_id", "algo", "classifier"),
        *("classifier_name", "clf", "model", "model_name", "model_id", "method", "method_name"),
        *("learner", "learner_id", "learner_name", "framework", "detector", "detector_name"),
        *("estimator", "estimator_name", "approach", "system", "flow", "flow_name", "technique"),
    ),
    "score": (
        *("auroc", "roc_auc", "auc_roc", "aucroc", "rocauc", "auc", "score", "test_score"),
        *("mean_test_score", "mean_score", "accuracy", "acc", "balanced_accuracy", "bacc"),
        *("predictive_accuracy", "area_under_roc_curve", "f1", "f1_score", "f_measure"),
        *("average_precision", "auprc", "pr_auc", "precision", "recall", "kappa", "mcc", "r2"),
        *("result", "value", "metric_value", "performance", "neg_logloss", "neg_rmse"),
        *("rmse", "mse", "mae", "mape", "logloss", "log_loss", "error_rate", "ce", "loss", "brier"),
        *("brier_score", "root_mean_squared_error", "mean_absolute_error", "mean_squared_error"),
    ),
    "fold": (
        *("fold", "fold_id", "fold_index", "fold_number", "fold_nr", "cv_fold", "outer_fold"),
        *("split", "split_id", "iteration", "iter"),
    ),
    "repeat": (
        *("repeat", "repeat_id", "repetition", "rep", "replicate", "replication", "run", "run_id"),
        *("trial", "seed", "random_seed", "random_state", "rng_seed"),
    ),
    "status": ("status", "state", "run_status", "job_status"),
    "metric": ("metric", "measure", "metric_name", "measure_name", "evaluation_measure"),
}

TRAITS: Mapping[str, tuple[str, ...]] = {
    "n": ("n", "n_instances", "n_target", "n_train", "instances", "class_size"),
    "m": ("m", "n_features", "n_attributes", "features", "attributes", "dimensions", "dim"),
    "sparsity": ("sparsity",),
}

AUROC = frozenset(
    ("auroc", "roc_auc", "auc_roc", "aucroc", "rocauc", "auc", "area_under_roc_curve")
)
# Scores that lie in [0, 1] by definition.
_BOUNDED = AUROC.union(
    ("accuracy", "acc", "balanced_accuracy", "bacc", "predictive_accuracy", "f1", "f1_score"),
    (
        "f_measure",
        "average_precision",
        "auprc",
        "pr_auc",
        "precision",
        "recall",
        "error_rate",
        "ce",
    ),
)
# Scores of which less is better.
_LOSSES = frozenset(
    ("rmse", "mse", "mae", "mape", "logloss", "log_loss", "error_rate", "ce", "loss", "brier")
).union(
    ("brier_score", "root_mean_squared_error", "mean_absolute_error", "mean_squared_error"),
)
# Names that do not say what was measured.
GENERIC = frozenset(("score", "test_score", "mean_test_score", "mean_score", "result")).union(
    ("value", "metric_value", "performance"),
)


def normalise(name: str) -> str:
    """Reduce a column name to the form in which aliases are written.

    >>> normalise(" Data Set-ID "), normalise("classif.auc")
    ('data_set_id', 'auc')
    """
    # mlr3 prefixes measures with the kind of task.
    plain = re.sub(r"^(classif|regr)\.", "", name.strip().casefold())
    return re.sub(r"[\s_.\-]+", "_", plain).strip("_")


def is_loss(score_name: str) -> bool:
    """Whether a score of this name is better the lower it is."""
    return normalise(score_name) in _LOSSES


def is_bounded(score_name: str) -> bool:
    """Whether a score of this name lies in [0, 1] by definition."""
    return normalise(score_name) in _BOUNDED
