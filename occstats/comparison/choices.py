"""Names and sentences of the values of settings, for verdict, methods and captions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "ALTERNATIVES",
    "ESTIMANDS",
    "INFERENCES",
    "MISSING",
    "PRESETS",
    "TRAITS",
    "Preset",
    "Trait",
    "chosen",
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
    """Predefined settings, their source, and their consequences for error rates."""

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
        },
        "Lenz et al. (2021)",
        "one-sided tests with Holm's correction within each row, which does not control the error "
        "rate over all pairs.",
    ),
}
