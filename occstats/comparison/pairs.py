"""The tests of all pairs, and what is concluded from them, as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.engines import ENGINES, EngineRun
from occstats.stats.multiplicity import AdjustedP, adjust_pairs

if TYPE_CHECKING:
    from occstats.comparison.rule import Rule
    from occstats.comparison.sample import Study
    from occstats.stats.sample import Sample
    from occstats.stats.signed_rank_pairs import PairwiseTests

__all__ = [
    "BETTER",
    "EQUIVALENT",
    "UNDECIDED",
    "WORSE",
    "Conclusion",
    "Tally",
    "conclusions",
    "corrected",
    "notes_on_tests",
    "ordered_pairs",
    "pair_frame",
    "run_tests",
    "tally",
    "unordered_pairs",
]

Conclusion = Literal["better", "worse", "equivalent", "undecided"]
BETTER: Conclusion = "better"
WORSE: Conclusion = "worse"
EQUIVALENT: Conclusion = "equivalent"
UNDECIDED: Conclusion = "undecided"

Booleans = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Matrices = Mapping[str, npt.NDArray[Any]]


def conclusions(better: Booleans, tested: Booleans) -> npt.NDArray[np.object_]:
    """Words for the matrix "a is better than b".

    Examples
    --------
    >>> conclusions(np.array([[False, True], [False, False]]), ~np.eye(2, dtype=bool))
    array([[None, 'better'],
           ['worse', None]], dtype=object)
    """
    found = np.full(better.shape, None, dtype=object)
    found[tested | tested.T] = UNDECIDED
    # At a level beyond one half both directions can be significant: that decides nothing.
    found[better & ~better.T] = BETTER
    found[better.T & ~better] = WORSE
    return found


@dataclass(frozen=True)
class Tally:
    """How many unordered pairs were tested, and about how many there is a conclusion.

    Attributes
    ----------
    tested : int
        Pairs with a test.
    different : int
        Pairs of which one is better.
    naive : int
        Of the pairs with a test, those that differ by one that takes all tasks for independent.
    """

    tested: int
    different: int
    naive: int


def tally(pairwise: pd.DataFrame) -> Tally:
    """Count the unordered pairs.

    Examples
    --------
    >>> tally(pd.DataFrame({"conclusion": ["better", "worse"], "conclusion_naive": "undecided"}))
    Tally(tested=1, different=1, naive=0)
    """
    # Each pair stands there in both orders, with the opposite conclusions.
    main, naive = pairwise["conclusion"], pairwise["conclusion_naive"]
    return Tally(
        tested=int(main.notna().sum()) // 2,
        different=int((main == BETTER).sum()),
        naive=int(((naive == BETTER) & main.notna()).sum()),
    )


def ordered_pairs(algorithms: Sequence[str], matrices: Matrices) -> pd.DataFrame:
    """One row per ordered pair a ≠ b, row by row, with the element [a, b] of each matrix.

    Examples
    --------
    >>> ordered_pairs(["x", "y"], {"p": np.array([[0.0, 0.1], [0.9, 0.0]])})
       a  b    p
    0  x  y  0.1
    1  y  x  0.9
    """
    first, second = np.nonzero(~np.eye(len(algorithms), dtype=bool))
    return _frame(algorithms, first, second, matrices)


def unordered_pairs(algorithms: Sequence[str], matrices: Matrices) -> pd.DataFrame:
    """One row per pair, a before b in the order of the algorithms."""
    first, second = np.triu_indices(len(algorithms), 1)
    return _frame(algorithms, first, second, matrices)


def _frame(
    algorithms: Sequence[str],
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    matrices: Matrices,
) -> pd.DataFrame:
    names = np.array(list(algorithms), dtype=object)
    columns = {name: np.asarray(matrix)[first, second] for name, matrix in matrices.items()}
    return pd.DataFrame({"a": names[first], "b": names[second], **columns})


def run_tests(
    study: Study, *, test: str | None = None, null: str | None = None, engine: str | None = None
) -> EngineRun:
    """Every ordered pair tested as the settings say, or by another test, null or engine."""
    settings = study.settings
    return ENGINES[engine or settings.engine].run(
        study.sample,
        test=test or settings.test,
        null=null or settings.null,
        alternative=settings.alternative,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
        names=study.algorithms,
    )


def notes_on_tests(tests: PairwiseTests, names: Sequence[str]) -> tuple[str, ...]:
    """Why there is no test, and what else there is to know: once per sentence, with its pairs."""
    pairs_of: dict[str, list[str]] = {}
    for found in (tests.reasons, tests.notes):
        for (a, b), sentence in found.items():
            if a < b:
                pairs_of.setdefault(sentence, []).append(f"{names[a]} and {names[b]}")
    total = len(names) * (len(names) - 1) // 2
    notes = []
    for sentence, pairs in pairs_of.items():
        shown = "; ".join(pairs[:3]) + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")
        where = "all pairs" if len(pairs) == total else shown
        notes.append(f"{where}: {sentence.rstrip('.')}.")
    return tuple(notes)


def corrected(study: Study, p: FloatArray) -> AdjustedP:
    """The p-values of all ordered pairs, corrected as the settings say."""
    settings = study.settings
    return adjust_pairs(
        p,
        settings.family,
        settings.correction,
        study.control,
        alternative=settings.alternative,
    )


def pair_frame(study: Study, tests: PairwiseTests, rule: Rule) -> pd.DataFrame:
    """One row per ordered pair: the test, the corrected p-values and the conclusion."""
    adjusted = corrected(study, tests.p)
    n_tasks, n_clusters = _shared(study.sample)
    columns = {
        "statistic": tests.statistic,
        "z": tests.z,
        "p": tests.p,
        "p_adjusted": adjusted.clipped,
        "p_adjusted_unclipped": adjusted.unclipped,
        "p_simultaneous": rule.simultaneous.p,
        "conclusion": rule.conclusions(),
        "n_tasks": n_tasks,
        "n_clusters": n_clusters,
        "icc": tests.intraclass_correlation,
    }
    if rule.equivalence is not None:
        columns |= {
            "p_not_worse": rule.equivalence.p_not_worse,
            "p_equivalent": rule.equivalence.p_equivalent,
        }
    return ordered_pairs(study.algorithms, columns)


def _shared(sample: Sample) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Tasks on which both algorithms have a score, and data sets (or suites) that have one."""
    k, clusters = sample.n_algorithms, sample.clusters.independent
    if sample.complete.all():
        return np.full((k, k), sample.n_tasks), np.full((k, k), clusters.n_clusters)
    present = ~np.isnan(sample.scores)
    shared = [clusters.sums(present & present[:, [a]]) for a in range(k)]
    tasks = np.stack([counts.sum(axis=0) for counts in shared])
    return tasks.astype(np.int64), np.stack([(counts > 0).sum(axis=0) for counts in shared])
