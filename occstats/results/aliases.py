"""The closed lists of names that are read without being told: columns, measures and statuses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from occstats._format import printable


def _with_endings(words: str) -> frozenset[str]:
    """Return the words, also with ``_name`` and ``_id``."""
    return frozenset(f"{word}{end}" for word in words.split() for end in ("", "_name", "_id"))


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Names of columns by role.
NAMES: Mapping[str, frozenset[str]] = {
    "algorithm": _with_endings(
        "algorithm algo classifier detector method model learner estimator regressor forecaster"
        " solver framework agent"
    ),
    "dataset": _with_endings("dataset data data_set"),
    "task": _with_endings("task problem instance env target_class filename file"),
    "fold": _words("fold cv_fold outer_fold resample"),
    "repeat": _words("repeat repetition replicate seed random_seed random_state"),
    "metric": _words("metric measure metric_name measure_name"),
}
STATUS = _words("status state found success solved")
_SUCCEEDED = _words("ok success finished complete completed true optimal 1 1.0")
# Statuses of runs that did not take place, and of scores that do not exist.
_NOT_RUN = _words("missing skipped not_run pending running")
_UNDEFINED = _words("undefined no_auroc not_defined")
_TRAITS = {"n_samples": "n", "n_instances": "n", "n_features": "m", "n_classes": "n_classes"}
_OWN_TRAITS = {"n": "n", "m": "m", "s": "sparsity", "sparsity": "sparsity"}
_INDEX = re.compile(r"|index|level_0|row|unnamed:_0(\.\d+)*|#")
_SPREADS = _words("std sd se ci stderr stdev sem")
_TIMES = _words("time times runtime seconds duration walltime")
_SIZES = _words("params parameters param flops macs gmacs gflops size")
# Ends of the names of quantities that are not listed as measures.
_QUANTITIES = _words(
    "rate score scores loss error cost gap length latency speed throughput ratio perc percent"
    " percentage count usage memory price tokens dimensions dimension residual coverage"
    " performance year"
)
# Measures that are never algorithms, although their names do not tell enough to read them.
_UNREAD = re.compile(
    r"top_?\d+(_.*)?|roc|em|tpr|fpr|fdr|(m?(p|r|ap|ar|recall|precision)|hr|hits?|f\d|acc|accuracy|ndcg)@[\w.:]+"
)
_UNIT_OF_TIME = re.compile(r".*[\s_][(\[](ns|us|µs|ms|s|secs?|seconds|mins?|minutes|hours)\b.*")
# Ends of the names of columns that accompany a score or are one of several kinds.
_DEVIATIONS = _SPREADS | _words("deviation variance stddev")
_ENDINGS = _DEVIATIONS | _TIMES | _words("rank ranks train tra test tst val validation")
_OF_SUMMARIES = _words("overall avg average")
_SUMMARY = re.compile(
    r"(the_)?(grand_|overall_|macro_|micro_|mean_|total_)?"
    r"(average|averages|avg\.?|mean|means|median|overall|all|total|sum|rank|ranks|best|worst|oracle"
    r"|vbs|virtual_best|wins?|ties|draws?|losses|w/t/l|w/d/l|win/tie/loss|improvement"
    r"|diff|difference|p[_.-]?values?|count|#_?(wins|best))"
    r"(_?(rank|ranks|score|scores|performance|perf\.?|accuracy|error|auc|wer|overall|all))?"
    r"([_ ]?[(\[].*|_(over|on|of|across|for)_.*)?"
)
# One of these is part of every summary.
_SUMMARY_PART = (
    "average|avg|mean|median|overall|all|total|sum|rank|best|worst|oracle|vbs|wins?|ties|draw|loss"
    "|w/|improvement|diff|val|count|#|virtual"
)


@dataclass(frozen=True)
class Measure:
    """A listed measure: its name, direction and bounds; per cent if 0–100 is usual as well."""

    name: str
    lower: bool
    low: float
    high: float

    @property
    def per_cent(self) -> bool:
        """Return True if the measure is given as a fraction or in per cent."""
        return (self.low, self.high) == (0.0, 1.0)


def _list(words: str, lower: bool, low: float, high: float) -> dict[str, Measure]:
    return {word: Measure(word, lower, low, high) for word in words.split()}


_LOSSES = "rmse mse mae mape smape mase wape crps wql logloss log_loss wer cer perplexity"
_MEASURES = {
    **_list(
        "accuracy acc balanced_accuracy auroc roc_auc auc_roc aucroc auc auprc pr_auc"
        " average_precision f1 f1_macro f1_micro f1_weighted macro_f1 micro_f1 weighted_f1"
        " precision recall ndcg mrr exact_match pass@k iou dice nmi bleu",
        *(False, 0.0, 1.0),
    ),
    # As OpenML calls them.
    **_list("predictive_accuracy area_under_roc_curve", False, 0.0, 1.0),
    **_list("root_mean_squared_error mean_absolute_error", True, 0.0, inf),
    **_list("mcc kappa ari pearson spearman", False, -1.0, 1.0),
    **_list("r2", False, -inf, 1.0),
    **_list("reward return", False, -inf, inf),
    **_list(f"{_LOSSES} runtime seconds", True, 0.0, inf),
    **_list("error_rate brier ece eer", True, 0.0, 1.0),
    **_list("rank", True, 1.0, inf),
    **_list(" ".join(f"neg_{word}" for word in _LOSSES.split()), False, -inf, 0.0),
}
# Names of scores that do not tell what was measured, or in which direction.
GENERIC = _words("score result value loss error cost gap coverage map ap ce")
_AUROC = _words("auroc roc_auc auc_roc aucroc auc area_under_roc_curve")
_UNITS = {"", "pct", "percent", "(%)", "[%]"}
_CAPITALS = _words("auprc crps f1 mae mape mase mcc mrr mse ndcg r2 rmse smape wer wql")
_AT_K = re.compile(r"(ndcg|pass)@\w+")
_BY_CAPITALS = re.compile(r"(?<=[a-z]{2})(?=[A-Z])")  # sMAPE is one word
# The name of a column is looked up again for each rule.
_cached = lru_cache(10_000)


@_cached
def normalise(name: str) -> str:
    """Reduce a name to the form in which it is listed: case, blanks, ``_`` and ``-`` are alike.

    >>> normalise(" Task-ID "), normalise("#Samples")
    ('task_id', '#samples')
    """
    return re.sub(r"[\s_\-]+", "_", name.strip().casefold()).strip("_")


@_cached
def measure(name: str) -> tuple[Measure | None, str]:
    """Return the listed measure that a column is named after, and "val" or "train" if so marked.

    A unit, "score", marks and a full stop at the end make no difference.

    >>> measure("Test Accuracy (%)")[0].name, measure("val_f1")[1], measure("score")
    ('accuracy', 'val', (None, ''))
    """
    words, part = normalise(name).replace("test_dev_", "test_").rstrip(".%*†‡↑↓").split("_"), ""
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    words[-1] = words[-1].rstrip(".")
    for marks, kind in (
        (("test", "mean"), ""),
        (("clean", "robust", "adversarial", "natural", "standard"), ""),
        (("val", "valid", "validation"), "val"),
        (("train", "training"), "train"),
    ):
        for end in (0, -1):
            # "mean" alone is a summary, and mean_test_accuracy has two affixes.
            while len(words) > 1 and words[end] in marks and "_".join(words) not in _MEASURES:
                part = kind or part
                words.pop(end)
    plain = "_".join(words).removesuffix("_score")
    if _AT_K.fullmatch(plain):
        return Measure(plain, False, 0.0, 1.0), part
    return _MEASURES.get(plain), part


def is_measure(name: str) -> bool:
    """Return True for the name of a measure or a time, without that of a task or an algorithm.

    >>> [*map(is_measure, ["mR@20", "Valid MAE", "latency", "Lat. (ms)", "HumanEval pass@1"])]
    [True, True, True, True, False]
    """
    plain = normalise(re.sub(r"[(\[].*[)\]]", "", name))
    return (
        measure(name)[0] is not None
        or plain in GENERIC | _QUANTITIES
        or bool(_UNREAD.fullmatch(plain) or _UNIT_OF_TIME.fullmatch(name))
    )


@_cached
def measures_in(name: str) -> frozenset[str]:
    """Return the listed measures among the words of a name; names of AUROC count as one.

    >>> measures_in("mergedTable_AUC_ROC"), measures_in("sMAPE Daily"), measures_in("Ranker")
    (frozenset({'auroc'}), frozenset({'smape'}), frozenset())
    """
    words = [w for w in re.split(r"[^a-z0-9@]+", _BY_CAPITALS.sub("_", name).casefold()) if w]
    found: set[str] = set()
    for length in (3, 2, 1):
        for start in range(len(words) - length + 1):
            joined = "_".join(words[start : start + length])
            if joined in _MEASURES or _AT_K.fullmatch(joined):
                found.add("auroc" if joined in _AUROC else joined)
                words[start : start + length] = [" "] * length
    return frozenset(found)


def shared_measure(names: Sequence[str]) -> str | None:
    """Return the measure that all names contain, and no other; None if there is none.

    >>> shared_measure(["SVM acc", "RF acc"]), shared_measure(["acc", "f1"])
    ('acc', None)
    >>> shared_measure(["HC2_accuracy"]), shared_measure(["acc_rmse"])
    ('accuracy', None)
    """
    found = {measures_in(name) for name in names}
    (shared,) = found if len(found) == 1 else [frozenset()]
    return next(iter(shared)) if len(shared) == 1 else None


def lower_is_better(name: str) -> bool | None:
    """Return True if lower is better for a score of this name, None if the name does not tell.

    >>> lower_is_better("test_rmse"), lower_is_better("neg_rmse"), lower_is_better("score")
    (True, False, None)
    """
    listed = measure(name)[0]
    listed = listed or measure(shared_measure([name]) or "")[0]
    return None if listed is None else listed.lower


def score_word(name: str) -> str:
    """Return the name of a score as written in prose.

    >>> score_word("auroc"), score_word("rmse"), score_word("accuracy")
    ('AUROC', 'RMSE', 'accuracy')
    """
    if name.lower() in _AUROC:
        return "AUROC"
    return name.upper() if name in _CAPITALS else printable(name)


def trait_names(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that hold a listed trait, with the name of the trait.

    >>> trait_names(["n_samples", "#Samples", "n"]), trait_names(["n", "m"])
    ({'#Samples': '#Samples', 'n_samples': 'n'}, {'n': 'n', 'm': 'm'})
    """
    plain = {column: normalise(column) for column in columns}
    names = set(plain.values())
    listed = _TRAITS | (_OWN_TRAITS if "class" in names or {"n", "m"} <= names else {})
    numbers = {c: c for c, p in plain.items() if p[:1] == "#" and p != "#" and not is_summary(c)}
    return numbers | {column: listed[p] for column, p in plain.items() if p in listed}


def is_spread(name: str) -> bool:
    """Return True for the spread of a score, such as ``acc_std``."""
    words = normalise(name).split("_")
    return bool({words[0], words[-1]} & _SPREADS)


def is_time(name: str) -> bool:
    """Return True for the name of a time, such as ``fit_time``."""
    words = normalise(re.sub(r"[(\[].*[)\]]", "", name)).split("_")
    return bool({words[0], words[-1]} & _TIMES)


def ends_as_companion(name: str) -> bool:
    """Return True for a name that ends as a spread, a time or a part of the data, without unit.

    >>> [*map(ends_as_companion, ["A (standard deviation)", "A (mean ± std)", "fit time (s)"])]
    [True, False, True]
    """
    plain, *inside = re.split(r"\s*[(\[]([^)\]]*)[)\]]\s*$", name.casefold())
    words = re.split(r"[^a-z0-9]+", plain.rstrip(" )]%"))
    spread = set(re.findall(r"\w+", inside[0] if inside else ""))
    return (
        (len(words) > 1 and words[-1] in _ENDINGS)
        or (bool(spread & _DEVIATIONS) and spread <= _DEVIATIONS | {"standard"})
        or plain.endswith("±")
    )


def is_size(name: str) -> bool:
    """Return True for the size of a model, such as ``params (M)``."""
    return bool(set(re.split(r"[^a-z0-9]+", name.casefold())) & _SIZES)


def is_quantity(name: str) -> bool:
    """Return True for a name that ends as that of a quantity, such as ``Answer Rate``."""
    plain = normalise(re.sub(r"[(\[].*[)\]]", "", name))
    return (
        plain in GENERIC
        or plain.split("_")[-1] in _QUANTITIES
        or _UNREAD.fullmatch(plain) is not None
    )


def is_index(name: str) -> bool:
    """Return True for the name of a saved row index."""
    return _INDEX.fullmatch(normalise(name)) is not None


def is_unnamed(name: str) -> bool:
    """Return True for a column without a name, as pandas reads and writes it."""
    plain = normalise(name)
    return not plain or plain.startswith("unnamed:")


def likely_summaries(names: Sequence[str]) -> list[str]:
    """Return the names with part of a word for a summary: all that other functions may find."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.array([name.encode(errors="replace") for name in names], pa.binary())
    chosen = pc.match_substring_regex(text, _SUMMARY_PART, ignore_case=True)
    return [names[i] for i in chosen.to_numpy(zero_copy_only=False).nonzero()[0]]


@_cached
def is_summary(name: str) -> bool:
    """Return True for a summary of the others, such as an average, a rank or a count of wins.

    >>> is_summary("Average (56 datasets)"), is_summary("Avg. WER"), is_summary("MeanShift")
    (True, True, False)
    """
    plain = normalise(name)
    words = {"_".join(plain.split("_")[:cut]) for cut in (1, 2)}
    return (
        _SUMMARY.fullmatch(plain) is not None
        or (plain.startswith(("average_", "avg_", "avg._", "mean_")) and bool(measures_in(name)))
        or "average_perf" in words
    )


def may_summarise(name: str, *, more: bool = False) -> bool:
    """Return True if a word of a name is that of a summary; ``more`` words in a wide table.

    >>> may_summarise("AVG_eu"), may_summarise("All_Beauty"), may_summarise("MeanShift", more=True)
    (True, False, False)
    """
    words = _OF_SUMMARIES | {"all", "mean"} if more else _OF_SUMMARIES
    return not words.isdisjoint(re.split(r"[\W_]+", name.casefold()))


def state_of(word: str) -> str:
    """Return "ok", "undefined", "not run" or "failed" for the value of a status column."""
    plain = normalise(word)
    if plain in _SUCCEEDED:
        return "ok"
    return "undefined" if plain in _UNDEFINED else "not run" if plain in _NOT_RUN else "failed"
