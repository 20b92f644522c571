"""Null distributions by cluster sign flips: exact, or by Monte Carlo."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray

#: Limits of the exact distribution: additions (some seconds) …
EXACT_STEP_LIMIT = 2_000_000_000
#: … and distinct sums (memory).
EXACT_SIZE_LIMIT = 50_000_000
#: Up to this many clusters all sign flips can be listed, whatever the size of the sums.
_LISTED_CLUSTERS = 20

#: Flips × signs in memory at a time.
_CHUNK_ELEMENTS = 2_000_000

#: Values of Z closer than this differ only by the order of additions.
SAME_Z = 1e-10

RandomState = int | np.random.Generator | None
#: P-values by alternative: less, P(T* ≤ T); greater, P(T* ≥ T); two-sided.
Tails = dict[str, float]
#: Rows of signs, one for each cluster.
Signs = npt.NDArray[np.int8]


def tail(z: FloatArray | np.float64, alternative: str) -> FloatArray:
    """Return the normal p-value of z, from its own tail: small ones keep all digits."""
    if alternative == "two-sided":
        return np.asarray(2 * ndtr(-np.abs(z)))
    return np.asarray(ndtr(-z if alternative == "greater" else z))


def exact_is_feasible(rank_sums: FloatArray) -> bool:
    """Return whether the exact distribution of the sum takes only seconds."""
    steps, _ = _lattice(rank_sums)
    size = int(steps.sum())
    if len(steps) <= _LISTED_CLUSTERS:
        return True
    return size <= EXACT_SIZE_LIMIT and len(steps) * size <= EXACT_STEP_LIMIT


def _lattice(rank_sums: FloatArray) -> tuple[npt.NDArray[np.int64], int]:
    """Return |R_i| in multiples of their greatest common divisor, and the positive sum."""
    doubled = np.rint(2 * rank_sums).astype(np.int64)
    doubled = doubled[doubled != 0]
    if len(doubled):
        doubled //= np.gcd.reduce(doubled)
    return np.sort(np.abs(doubled)), int(doubled[doubled > 0].sum())


def exact_tails(rank_sums: FloatArray) -> Tails:
    r"""Return tails of :math:`T = \sum_i R_i` when each :math:`R_i` may flip its sign.

    The distribution of all :math:`2^m` equally likely sums is built cluster by cluster, by direct
    convolution on the lattice of the :math:`2|R_i|`; nothing is subtracted, so that the smallest
    tail keeps its relative precision, which an FFT would lose. With few clusters and a large
    lattice the sums are listed instead.
    """
    steps, positive = _lattice(rank_sums)
    if len(steps) <= _LISTED_CLUSTERS and 2 ** len(steps) <= int(steps.sum()):
        sums = np.zeros(1, dtype=np.int64)
        for step in steps:
            sums = np.concatenate([sums, sums + step])
        less, greater = float((sums <= positive).mean()), float((sums >= positive).mean())
    else:
        # The probabilities that the steps with a positive sign sum to 0, 1, 2, …
        probabilities, reach = np.zeros(int(steps.sum()) + 1), 0
        probabilities[0] = 1.0
        for step in steps:
            before = 0.5 * probabilities[: reach + 1]
            probabilities[: reach + 1] = before
            probabilities[step : step + reach + 1] += before
            reach += int(step)
        less = min(1.0, float(probabilities[: positive + 1].sum()))
        greater = min(1.0, float(probabilities[positive:].sum()))
    return {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}


def flip_tails(
    z_of_signs: Callable[[Signs], FloatArray],
    n_signs: int,
    n_resamples: int,
    random_state: RandomState,
    *,
    list_all: bool = False,
) -> Tails:
    """Return the tails of a statistic over random flips of its signs, or over all of them.

    With B random flips the p-value is (b + 1) / (B + 1): the observed arrangement is one of them,
    so that no p-value is 0 and the test keeps its level (Phipson and Smyth 2010). Arrangements for
    which the statistic, odd in the signs, is not defined count as at least as extreme.
    """
    observed = float(z_of_signs(np.ones((1, n_signs), dtype=np.int8))[0])
    chunk = _CHUNK_ELEMENTS // n_signs
    generator = np.random.default_rng(random_state)
    random = random_signs(n_signs, n_resamples, chunk, generator)
    less = greater = both = 0 if list_all else 1
    for signs in all_signs(n_signs, chunk) if list_all else random:
        values = z_of_signs(signs)
        if list_all:
            values = np.concatenate([values, -values])
        # "Not below" rather than "at or above": an undefined value counts.
        less += int(np.count_nonzero(~(values > observed + SAME_Z)))
        greater += int(np.count_nonzero(~(values < observed - SAME_Z)))
        both += int(np.count_nonzero(~(np.abs(values) < abs(observed) - SAME_Z)))
    size = 2.0**n_signs if list_all else n_resamples + 1
    return {"less": less / size, "greater": greater / size, "two-sided": both / size}


def random_signs(
    n_signs: int, n_resamples: int, chunk: int, generator: np.random.Generator
) -> Iterator[Signs]:
    """Yield rows of random signs in chunks; the signs do not depend on the size of the chunks."""
    # Whole words of random bits.
    step = 4 * max(1, chunk // 4)
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        bits = generator.integers(0, 2, size=(rows, n_signs), dtype=np.int8)
        yield 2 * bits - 1


def can_list(n_signs: int, n_resamples: int) -> bool:
    """Return whether all flips, up to a common sign, are at most `n_resamples`."""
    return n_signs <= n_resamples.bit_length()


def all_signs(n_signs: int, chunk: int) -> Iterator[Signs]:
    """Yield every vector of signs whose last is positive; the others are their negatives."""
    total = 2 ** (n_signs - 1)
    for start in range(0, total, chunk):
        numbers = np.arange(start, min(start + chunk, total))
        bits = (numbers[:, None] >> np.arange(n_signs)) & 1
        yield 1 - 2 * bits.astype(np.int8)


def repeatable(random_state: RandomState) -> int:
    """Return a seed from ``random_state``, for the same stream each time it is used."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not whole or random_state < 0:
        raise ArgumentError(
            "random_state must be None, a non-negative integer or a numpy Generator; "
            f"got {random_state!r}."
        )
    return int(random_state)
