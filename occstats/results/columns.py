"""Which column plays which part: the roles, the names they usually go by, and how they are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from occstats.errors import ResultsError
from occstats.results.names import quote, quote_list
from occstats.results.suggest import near_names

__all__ = [
    "ALIASES",
    "GENERIC",
    "LOSSES",
    "TRAITS",
    "Roles",
    "find_roles",
    "is_bounded",
    "normalise",
]

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

# Scores that cannot leave [0, 1], and those of which less is better.
_BOUNDED = frozenset(
    "auroc roc_auc auc_roc aucroc rocauc auc area_under_roc_curve accuracy acc balanced_accuracy"
    " bacc predictive_accuracy f1 f1_score f_measure average_precision auprc pr_auc precision"
    " recall error_rate ce brier brier_score".split()
)
# Names that do not say what was measured.
GENERIC = frozenset(
    "score test_score mean_test_score mean_score result value metric_value performance".split()
)
LOSSES = frozenset(
    "rmse mse mae mape logloss log_loss error_rate ce loss brier brier_score"
    " root_mean_squared_error mean_absolute_error mean_squared_error".split()
)


def normalise(name: str) -> str:
    """Reduce a column name to the form in which aliases are written.

    >>> normalise(" Data Set-ID "), normalise("classif.auc")
    ('data_set_id', 'auc')
    """
    # mlr3 prefixes measures with the kind of task.
    plain = re.sub(r"^(classif|regr)\.", "", name.strip().casefold())
    return re.sub(r"[\s_.\-]+", "_", plain).strip("_")


def is_bounded(score_name: str) -> bool:
    """Whether a score of this name lies in [0, 1] by definition."""
    return normalise(score_name) in _BOUNDED


@dataclass(frozen=True)
class Roles:
    """The columns of one source by the part they play; ``algorithms`` are those of a wide table."""

    cluster: str | None
    task: str | None
    algorithm: str | None
    score: str | None
    fold: str | None = None
    repeat: str | None = None
    status: str | None = None
    metric: str | None = None
    traits: Mapping[str, str] = field(default_factory=dict)
    asked_traits: Sequence[str] = ()
    wide: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that say which row it is."""
        parts = (self.cluster, self.task, self.algorithm, self.fold, self.repeat)
        return [part for part in parts if part is not None]


def find_roles(
    columns: Sequence[str],
    asked: Mapping[str, str | None],
    asked_traits: Sequence[str] | None,
    where: str,
) -> Roles:
    """Find the column for each role, first as asked, then by the usual names.

    A table without a column of algorithms and without one of scores is taken as wide: tasks in
    rows, algorithms in columns.
    """
    taken = {name for name in asked.values() if name is not None}
    found: dict[str, str | None] = {}
    for role in ("algorithm", "cluster", "task", "fold", "repeat", "status", "metric", "score"):
        wanted = asked.get(role)
        if wanted is not None:
            found[role] = require(columns, wanted, role, where)
        else:
            free = [column for column in columns if column not in taken]
            found[role] = _by_alias(free, role, where)
        if found[role] is not None:
            taken.add(str(found[role]))
    if found["algorithm"] is None:
        # Without a column of algorithms the table is wide, or one algorithm's if a score is named.
        if asked.get("score") is None:
            found["score"] = found["metric"] = found["status"] = None
    elif found["score"] is None:
        raise ResultsError(_not_found(columns, "score", where))
    if found["cluster"] is None and found["task"] is None:
        first = columns[0] if columns else None
        if first is not None and re.fullmatch(r"|index|Unnamed: 0|level_0", first.strip()):
            found["task"] = first  # the index of a frame, written as a column without a name
        else:
            raise ResultsError(_not_found(columns, "cluster", where))
    taken = {name for name in found.values() if name is not None}
    traits = _find_traits([c for c in columns if c not in taken], asked_traits, columns, where)
    return Roles(
        **found,
        traits=traits,
        asked_traits=tuple(asked_traits or ()),
        wide=found["algorithm"] is found["score"] is None,
    )


def require(columns: Sequence[str], wanted: str, role: str, where: str) -> str:
    """Give the column that was asked for, or say which there are."""
    if wanted in columns:
        return wanted
    raise ResultsError(
        f"{where}: there is no column {quote(wanted)}, asked for as {role}"
        f"{near_names(wanted, columns)}; found {quote_list(columns)}"
    )


def _by_alias(columns: Sequence[str], role: str, where: str) -> str | None:
    aliases = ALIASES[role]
    matches = [column for column in columns if normalise(column) in aliases]
    if len(matches) <= 1:
        return matches[0] if matches else None
    own = [column for column in matches if column == aliases[0]] or [
        column for column in matches if normalise(column) == aliases[0]
    ]
    if len(own) == 1:
        return own[0]
    # An optional column that is not certain is left for the user to name.
    if role in {"repeat", "status", "metric"}:
        return matches[0] if role == "repeat" else None
    raise ResultsError(
        f"{where}: the column of the {role} could be {quote_list(matches)}; say which with"
        f" {role}={quote(matches[0])}"
    )


def _find_traits(
    free: Sequence[str], asked: Sequence[str] | None, columns: Sequence[str], where: str
) -> dict[str, str]:
    traits: dict[str, str] = {}
    for name, aliases in TRAITS.items():
        for column in free:
            # An algorithm may well be called N or M: one letter must be as it is written here.
            known = column if len(column) == 1 else normalise(column)
            if known in aliases and name not in traits:
                traits[name] = column
    for name in asked or ():
        column = require(columns, name, "trait", where)
        traits = {trait: used for trait, used in traits.items() if used != column}
        traits[column] = column
    return traits


def _not_found(columns: Sequence[str], role: str, where: str) -> str:
    expected = ALIASES[role]
    parts = {"cluster": "data set or task", "score": "score", "algorithm": "algorithm"}
    near = _nearest(columns, expected)
    return (
        f"{where}: no column holds the {parts[role]}{near}; found {quote_list(columns)}, expected one"
        f" called {', '.join(expected[:6])} …; say which with {role}=…"
    )


def _nearest(columns: Iterable[str], expected: Sequence[str]) -> str:
    for column in columns:
        hint = near_names(normalise(column), expected[:3])
        if hint:
            return f" (is it {quote(column)}?)"
    return ""
