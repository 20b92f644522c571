"""Names and sentences of the values of settings, for verdict, methods and captions."""

from collections.abc import Mapping
from typing import TypeVar

__all__ = [
    "ALTERNATIVES",
    "ESTIMANDS",
    "INFERENCES",
    "MISSING",
    "PAPER",
    "TRAITS",
    "chosen",
    "paper_settings",
]

Chosen = TypeVar("Chosen")


def chosen(choices: Mapping[str, Chosen], value: str) -> Chosen | None:
    """Return the entry of a value, which may have a name or a score after ``=``.

    Examples
    --------
    >>> chosen({"worst": 1, "impute=NAME": 2}, "impute=CONSTANT")
    2
    """
    for name, choice in choices.items():
        stem = name.removesuffix("NAME").removesuffix("SCORE")
        if value == name or (stem != name and value.startswith(stem) and value != stem):
            return choice
    return None


ESTIMANDS = {"typical": "typical difference", "mean": "mean difference"}
ALTERNATIVES = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
_FAILURES = "Missing scores counted as failures, ranked below every score. "
MISSING = {
    "refuse": "",
    "complete": "Tasks without a score for every algorithm were excluded. ",
    "pairwise": "Each pair of algorithms was compared on the tasks with scores for both; ranks use "
    "the tasks with scores for all. ",
    "drop-algorithms": "Algorithms without a score on every task were excluded. ",
    "worst": _FAILURES,
    "worst=SCORE": _FAILURES,
    "impute=NAME": "Missing scores were replaced by those of a baseline. ",
}
INFERENCES = {
    "cr1": "with standard errors robust to clustering by dataset, a small-sample factor and "
    "the t distribution with one degree of freedom less than the number of datasets {cameron2015}",
    "cr2": "with bias-reduced standard errors robust to clustering by dataset (CR2) "
    "{bell2002} and Satterthwaite degrees of freedom {pustejovsky2018}",
    "hc3": "with heteroscedasticity-consistent standard errors (HC3) {mackinnon1985}",
    "classical": "with classical standard errors, which assume independent tasks",
}


#: Common traits of tasks: the term of the regression, and its name in prose; log_ is a logarithm.
TRAITS = {
    "n": ("log_n", "the logarithm of the number of records"),
    "m": ("log_m", "the logarithm of the number of attributes"),
    "sparsity": ("sparsity", "the sparsity"),
}

#: The settings of Lenz et al. (2021).
PAPER: dict[str, str | float] = {
    "estimand": "typical",
    "test": "rgl",
    "null": "asymptotic",
    "alternative": "greater",
    "correction": "holm",
    "family": "row",
    "tie_tolerance": 1e-9,
    "rope": 0.01,
    "inference": "cr1",
}


def paper_settings(made: Mapping[str, object]) -> str:
    """Return a note on the settings of the paper in force, and on those that differ.

    Examples
    --------
    >>> paper_settings({**PAPER, "test": "ds"})
    'Settings of Lenz et al. (2021), except for test ds.'
    """
    others = [f"{name} {made[name]}" for name, own in PAPER.items() if made[name] != own]
    if others:
        return f"Settings of Lenz et al. (2021), except for {', '.join(others)}."
    return (
        "Settings of Lenz et al. (2021): one-sided tests with Holm's correction within each row, "
        "which does not control the error rate over all pairs."
    )
