"""Null distributions by changing the sign of whole clusters: complete, or by Monte Carlo."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from occstats.errors import ArgumentError
from occstats.stats._checks import FloatArray

#: Beyond this many additions the complete distribution is not worth its time (about 2 s).
EXACT_STEP_LIMIT = 2_000_000_000

#: Flips of signs held at one time in Monte Carlo, as elements of the array of signs.
_CHUNK_ELEMENTS = 2_000_000

#: Values of Z closer than this are the same arrangement, reached by another order of additions.
_SAME_Z = 1e-10

RandomState = int | np.random.Generator | None


@dataclass(frozen=True)
class TailProbabilities:
    """P(T* ≤ T), P(T* ≥ T), and the two-sided p-value."""

    less: float
    greater: float
    two_sided: float


def exact_steps(rank_sums: FloatArray) -> int:
    """Additions that the complete distribution of the sum takes."""
    steps = _lattice_steps(rank_sums)
    return len(steps) * int(steps.sum())


def _lattice_steps(rank_sums: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """|R_i| other than zero as whole multiples of their greatest common divisor."""
    doubled = np.rint(2 * np.abs(rank_sums)).astype(np.int64)
    doubled = doubled[doubled > 0]
    if len(doubled):
        doubled //= np.gcd.reduce(doubled)
    return np.sort(doubled)


def exact_tails(rank_sums: FloatArray) -> TailProbabilities:
    r"""Tails of :math:`T = \sum_i R_i` when each :math:`R_i` keeps its size and flips its sign.

    The distribution of all :math:`2^m` equally likely sums is built cluster by cluster, by direct
    convolution of probabilities on the lattice of the :math:`2|R_i|`. No term is subtracted, so
    the smallest tail keeps its full relative precision (an FFT would lose it).

    Parameters
    ----------
    rank_sums : ndarray of shape (n_clusters,)
        Multiples of one half.
    """
    steps = _lattice_steps(rank_sums)
    if len(steps) == 0:
        return TailProbabilities(1.0, 1.0, 1.0)
    total = int(steps.sum())
    # probabilities[s] = P(the |R_i| with a positive sign sum to s)
    probabilities = np.zeros(total + 1)
    probabilities[0] = 1.0
    reach = 0
    for step in steps:
        before = 0.5 * probabilities[: reach + 1]
        probabilities[: reach + 1] = before
        probabilities[step : step + reach + 1] += before
        reach += int(step)
    doubled = np.rint(2 * rank_sums).astype(np.int64)
    divisor = np.gcd.reduce(np.abs(doubled[doubled != 0]))
    positive = int(doubled[doubled > 0].sum() // divisor)
    less = min(1.0, float(probabilities[: positive + 1].sum()))
    greater = min(1.0, float(probabilities[positive:].sum()))
    return TailProbabilities(less, greater, min(1.0, 2 * min(less, greater)))


def monte_carlo_tails(
    z_of_signs: Callable[[FloatArray], FloatArray],
    n_clusters: int,
    *,
    n_resamples: int,
    random_state: RandomState,
) -> TailProbabilities:
    """Tails (b + 1) / (B + 1) of a statistic over B random changes of the clusters' signs.

    The observed arrangement (no change) is one of the B + 1, so that no p-value is 0 and the
    test keeps its level (Phipson and Smyth 2010). Arrangements for which the statistic is not
    defined count as at least as extreme.

    Parameters
    ----------
    z_of_signs : callable
        Takes signs of shape (n_flips, n_clusters) and returns n_flips values, of a statistic that
        changes its sign when all signs change.
    """
    generator = np.random.default_rng(random_state)
    observed = float(z_of_signs(np.ones((1, n_clusters)))[0])
    less = greater = both = 1
    # Whole words of random bits, so that the size of a chunk does not show in the draws.
    chunk = 4 * max(1, _CHUNK_ELEMENTS // (4 * n_clusters))
    for start in range(0, n_resamples, chunk):
        rows = min(chunk, n_resamples - start)
        bits = generator.integers(0, 2, size=(rows, n_clusters), dtype=np.int8)
        values = z_of_signs(2.0 * bits.astype(np.float64) - 1.0)
        # "Not below" rather than "at or above": an undefined value counts.
        less += int(np.count_nonzero(~(values > observed + _SAME_Z)))
        greater += int(np.count_nonzero(~(values < observed - _SAME_Z)))
        both += int(np.count_nonzero(~(np.abs(values) < abs(observed) - _SAME_Z)))
    size = n_resamples + 1
    return TailProbabilities(less / size, greater / size, both / size)


def repeatable(random_state: RandomState) -> int:
    """A seed that gives the same stream each time it is used, drawn from ``random_state``."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not whole or random_state < 0:
        raise ArgumentError(
            "random_state must be None, a non-negative integer or a numpy Generator; "
            f"got {random_state!r}."
        )
    return int(random_state)
