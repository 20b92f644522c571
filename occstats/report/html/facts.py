"""The few numbers at the top of the page, and where everything comes from, at its end."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from occstats.comparison.settings import OPTIONS
from occstats.report.writing import interval
from occstats.text import decimals, integer, listing, percent

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["Fact", "headline_facts", "provenance"]


@dataclass(frozen=True)
class Fact:
    """A number that is read at a glance."""

    label: str
    value: str
    detail: str


def headline_facts(comparison: Comparison) -> list[Fact]:
    """Best algorithm, its chance of being it, how many pairs differ, how large it is."""
    summary, results = comparison.summary, comparison.results
    best = summary.iloc[0]
    rank = decimals(2)
    detail = f"mean rank {rank(best['mean_rank'])}"
    limits = [_number(best.get(f"mean_rank_ci_{end}")) for end in ("low", "high")]
    if not any(map(math.isnan, limits)):
        detail += f" {interval(rank)(*limits)}"
    facts = [Fact("best mean rank", str(best["algorithm"]), detail)]
    probability = _number(best.get("prob_best"))
    if not math.isnan(probability):
        facts.append(
            Fact(
                "best mean rank in",
                percent(probability),
                f"of random weightings of the {results.unit}s; optimistic where they are few",
            )
        )
    tally = comparison.tally
    if tally.tested:
        detail = f"at α = {comparison.settings.alpha:g}"
        if comparison.settings.clustered:
            detail += f"; ignoring data sets: {tally.naive}"
        facts.append(Fact("different pairs", f"{tally.different} of {tally.tested}", detail))
    facts.append(
        Fact(
            "evidence",
            results.evidence,
            f"{integer(results.n_tasks)} tasks, {len(results.algorithms)} algorithms",
        )
    )
    return facts


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def provenance(comparison: Comparison) -> list[tuple[str, str]]:
    """Sources, a fingerprint of the scores, every setting, engine and versions."""
    meta = comparison.meta
    rows = [
        ("results", listing([str(source) for source in meta.get("sources", ())]) or "in memory"),
        ("SHA-256 of the scores", _fingerprint(comparison)),
    ]
    labels = {"score": "score", "higher_is_better": "higher is better"}
    labels |= {name: option.label for name, option in OPTIONS.items() if option.recorded}
    rows += [
        (label, _shown(meta[key])) for key, label in labels.items() if meta.get(key) is not None
    ]
    rows += [(name, _shown(value)) for name, value in meta.get("engine", {}).items()]
    rows += [(f"version of {name}", _shown(value)) for name, value in meta["versions"].items()]
    return rows


def _fingerprint(comparison: Comparison) -> str:
    """A hash of tasks, algorithms and scores, whatever order they came in."""
    scores = comparison.results.scores
    ordered = scores.sort_index()[sorted(scores.columns)]
    return hashlib.sha256(
        ordered.to_csv(lineterminator="\n").encode("utf-8", "backslashreplace")
    ).hexdigest()


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
