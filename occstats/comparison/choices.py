"""The values of the settings, with their names in the help, the verdict and the methods.

Tests, corrections and engines are declared where they are computed. The command line reads this
module for its help, which must cost no heavy import.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from occstats.backends import ENGINES
from occstats.stats.corrections import CORRECTIONS
from occstats.stats.signed_rank.methods import TESTS as SIGNED_RANK_TESTS

__all__ = [
    "ALTERNATIVES",
    "CORRECTIONS",
    "ENGINES",
    "ESTIMANDS",
    "FAMILIES",
    "INFERENCES",
    "KENDALLS",
    "MEDIANS",
    "MISSING",
    "NULLS",
    "PRESETS",
    "STRATA",
    "TESTS",
    "TRAITS",
    "Choice",
    "Named",
    "Trait",
    "chosen",
]

Chosen = TypeVar("Chosen")


def chosen(choices: Mapping[str, Chosen], value: str) -> Chosen | None:
    """Return the choice that a value names, alone or with a value after ``=``.

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


class Named(Protocol):
    """A choice, wherever it is declared."""

    @property
    def name(self) -> str:
        """Return its name in prose."""


@dataclass(frozen=True)
class Choice:
    """One value of a setting.

    Attributes
    ----------
    name : str
        Its description in the documentation.
    phrase : str
        Its name in the verdict and in captions.
    sentence : str
        Its sentence in the methods, with citation keys in braces.
    """

    name: str
    phrase: str = ""
    sentence: str = ""


ESTIMANDS = {
    "typical": Choice(
        "one algorithm scores higher than another on a typical task (signed ranks)",
        "typical difference",
    ),
    "mean": Choice(
        "its mean score, averaged over datasets, is higher (bootstrap-t)",
        "mean difference",
    ),
}
TESTS = {key: SIGNED_RANK_TESTS[key] for key in ("rgl", "ds")}
NULLS = {
    "flips": Choice("cluster sign flips, for the estimand typical"),
    "bootstrap": Choice("resamples of whole datasets, for the estimand mean"),
    "asymptotic": Choice("the normal or Student's distribution"),
}
ALTERNATIVES = {
    "two-sided": Choice("either algorithm is better", "two-sided"),
    "greater": Choice("the row's algorithm is better than the column's", "one-sided"),
    "less": Choice("it is worse", "one-sided"),
}
FAMILIES = {
    "all": Choice("all pairs", "over all pairs"),
    "control": Choice("the comparisons with the control", "over the comparisons with {control}"),
    "row": Choice(
        "the tests of each algorithm against all others, one-sided",
        "over the tests of each algorithm against all others; this does not control the error rate "
        "over all pairs",
    ),
}
MISSING = {
    "refuse": Choice("there must be none"),
    "complete": Choice(
        "only tasks that all algorithms have",
        sentence="Tasks that some algorithm lacks were left out. ",
    ),
    "pairwise": Choice(
        "each pair uses the tasks that both have",
        sentence="A pair of algorithms was compared on the tasks that both have; ranks use the "
        "tasks that all have. ",
    ),
    "drop-algorithms": Choice(
        "only algorithms that have all tasks",
        sentence="Algorithms without a score on some task were left out. ",
    ),
    "worst": Choice(
        "a missing score is a failure, which ranks below every score",
        sentence="A missing score counted as a failure, ranked below every score. ",
    ),
    "worst=SCORE": Choice(
        "likewise, and counts as SCORE in means",
        sentence="A missing score counted as a failure, ranked below every score. ",
    ),
    "impute=NAME": Choice(
        "a missing score is that of the algorithm NAME",
        sentence="A missing score was replaced by that of a baseline. ",
    ),
}
KENDALLS = {
    "product": Choice(
        "the product of the weights of the two tasks",
        sentence="by the weighted Kendall's τ {vigna2015}; the weight of a pair of tasks is the "
        "product of their weights",
    ),
    "sum": Choice(
        "their sum",
        sentence="by the weighted Kendall's τ {vigna2015}; the weight of a pair of tasks is the "
        "sum of their weights",
    ),
    "hyperbolic": Choice(
        "more for the tasks with the highest scores",
        sentence="by the weighted Kendall's τ {vigna2015} with hyperbolic weights, which emphasise "
        "the tasks with the highest scores",
    ),
    "plain": Choice("all the same (τ-b)", sentence="by Kendall's τ-b {kendall1945}"),
}
INFERENCES = {
    "cr1": Choice(
        "robust to clustering, with a small-sample factor",
        sentence="with standard errors robust to clustering by dataset, a small-sample factor and "
        "the t distribution with one degree of freedom less than there are datasets {cameron2015}",
    ),
    "cr2": Choice(
        "bias-reduced, with Satterthwaite degrees of freedom",
        sentence="with bias-reduced standard errors robust to clustering by dataset (CR2) "
        "{bell2002} and Satterthwaite degrees of freedom {pustejovsky2018}",
    ),
    "hc3": Choice(
        "robust to unequal variances only",
        sentence="with heteroscedasticity-consistent standard errors (HC3) {mackinnon1985}",
    ),
    "classical": Choice(
        "for independent tasks",
        sentence="with classical standard errors, which assume independent tasks",
    ),
}
MEDIANS = {
    "all": Choice("of all algorithms", sentence="the median score of all algorithms"),
    "others": Choice(
        "of the other algorithms; coupled with the rank, which is worse where the others score "
        "high by chance",
        sentence="the median score of the other algorithms",
    ),
}
STRATA = {
    "width": Choice("of equal width"),
    "quantile": Choice("with equally many tasks"),
}


@dataclass(frozen=True)
class Trait:
    """A common trait of tasks: its regression term, its name in prose, whether it is logged."""

    term: str
    sentence: str
    logged: bool = False


TRAITS = {
    "n": Trait("log_n", "the logarithm of the number of records", logged=True),
    "m": Trait("log_m", "the logarithm of the number of attributes", logged=True),
    "sparsity": Trait("sparsity", "the sparsity"),
}


@dataclass(frozen=True)
class Preset:
    """Predefined settings; explicit options override them.

    Attributes
    ----------
    name : str
        Its description in the documentation.
    settings : dict
        The settings.
    source : str
        The publication that they are from.
    sentence : str
        What they mean for the error rate.
    """

    name: str
    settings: dict[str, str | float]
    source: str
    sentence: str

    def said(self, made: Mapping[str, object]) -> str:
        """Return a note on the source of the settings in force, and on those that differ.

        Examples
        --------
        >>> PRESETS["paper"].said({**PRESETS["paper"].settings, "test": "ds"})
        'Settings of Lenz et al. (2021), except for test ds.'
        """
        others = [
            f"{name} {made[name]}" for name, own in self.settings.items() if made[name] != own
        ]
        if others:
            return f"Settings of {self.source}, except for {', '.join(others)}."
        return f"Settings of {self.source}: {self.sentence}"


PRESETS = {
    "paper": Preset(
        "the settings of Lenz et al. (2021)",
        {
            "estimand": "typical",
            "test": "rgl",
            "null": "asymptotic",
            "alternative": "greater",
            "correction": "holm",
            "family": "row",
            "tie_tolerance": 1e-9,
            "rope": 0.01,
            "inference": "cr1",
            "median": "all",
            "kendall": "product",
            "strata": "width",
            "n_strata": 5,
        },
        "Lenz et al. (2021)",
        "one-sided tests, corrected by Holm within each row separately, which does not control the "
        "error rate over all pairs.",
    ),
}
