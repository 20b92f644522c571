"""How many reasonable analyses agree: one table of tests under many defensible choices.

Each analysis is a test, the distribution of its statistic under the null hypothesis, the weight
that a cluster has, what happens to zero differences, and a correction. None of them is wrong for
clustered tasks; where they disagree, the conclusion hangs on the choice.

References
----------
.. [1] S. Steegen, F. Tuerlinckx, A. Gelman, W. Vanpaemel (2016). Increasing transparency through a
   multiverse analysis. Perspectives on Psychological Science 11(5), 702-712.
.. [2] U. Simonsohn, J. P. Simmons, L. D. Nelson (2020). Specification curve analysis. Nature Human
   Behaviour 4, 1208-1214.
.. [3] J. W. Pratt (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA
   54(287), 655-667.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.sample import Sample
from occstats.stats.specification_tests import Analysis, PairsTested, reasonable_tests

CORRECTIONS = ("holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli")

# (p, z, correction) → matrix of conclusions
Conclude = Callable[[Array, Array, str], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Specification:
    """Conclusions of all analyses.

    Attributes
    ----------
    analyses : tuple of (Analysis, correction)
        What was done.
    better : ndarray of bool, analyses × k × k
        [s, a, b]: by analysis s, a is significantly better than b.
    """

    analyses: tuple[tuple[Analysis, str], ...]
    better: NDArray[np.bool_]

    @property
    def share_better(self) -> Array:
        """[a, b]: share of the analyses by which a is significantly better than b."""
        return np.asarray(self.better.mean(axis=0))

    def agreement(self, main: NDArray[np.bool_]) -> Array:
        """[a, b]: share of the analyses with the same conclusion about a and b as `main`."""
        same = (self.better == main) & (self.better.transpose(0, 2, 1) == main.T)
        return np.asarray(same.mean(axis=0))


def specify(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None,
    conclude: Conclude,
    *,
    alternative: str = "greater",
    tie_tolerance: float = 0.0,
    n_resamples: int = 2_000,
    random_state: int | None = None,
    watch: Callable[[Iterator[PairsTested]], Iterator[PairsTested]] | None = None,
) -> Specification:
    """Test all pairs in every reasonable way.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The cluster of each task.
    conclude : callable
        From (p, z, correction) to the matrix of conclusions.
    alternative, tie_tolerance, n_resamples, random_state
        As for the tests.
    watch : callable, optional
        Wraps the iteration over the analyses, for a progress bar.

    Returns
    -------
    Specification

    Examples
    --------
    >>> from occstats.stats.decisions import conclude
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.uniform(size=(40, 1)) + [0.3, 0.0] + rng.normal(0, 0.1, (40, 2))
    >>> def decide(p, z, correction):
    ...     return conclude(p, z, correction=correction)
    >>> found = specify(scores, np.arange(40) // 2, decide, n_resamples=500)
    >>> len(found.analyses), float(found.share_better[0, 1])
    (80, 1.0)
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    found = reasonable_tests(sample, alternative, n_resamples, random_state)
    analyses: list[tuple[Analysis, str]] = []
    better: list[NDArray[np.bool_]] = []
    for tested in watch(found) if watch else found:
        for correction in CORRECTIONS:
            analyses.append((tested.analysis, correction))
            better.append(conclude(tested.p, tested.z, correction))
    return Specification(tuple(analyses), np.array(better))
