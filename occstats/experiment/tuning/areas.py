"""The AUROC of thousands of score vectors on the same rows, by one sort each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled

__all__ = ["Areas"]

# Scores sorted at a time, so that they stay in the cache.
BLOCK = 1 << 18


class Areas:
    """AUROC of many score vectors on the rows of one test part.

    Scores are rounded to 12 significant digits, as `occstats.experiment.auroc.auroc` does. What is
    left of a double has room for more: the last bit then says whether the row is a target, so that
    one sort of plain integers orders the scores and carries the labels along.

    Parameters
    ----------
    is_target : ndarray of bool
        The labels of the rows; both kinds must be there.

    Examples
    --------
    >>> areas = Areas(np.array([True, True, False, False]))
    >>> areas(np.array([[0.9, 0.1 + 0.2, 0.3, 0.1], [0.1, 0.2, 0.3, 0.4]])).tolist()
    [0.875, 0.0]
    """

    def __init__(self, is_target: NDArray[np.bool_]) -> None:
        self._labels = is_target.astype(np.int64)
        self._positives = int(is_target.sum())
        self._negatives = len(is_target) - self._positives

    def __call__(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The AUROC of each row of a matrix of scores, which must not be negative."""
        found = np.empty(len(scores))
        step = max(1, BLOCK // len(self._labels))
        for start in range(0, len(scores), step):
            block = np.array(scores[start : start + step], dtype=np.float64, order="C")
            round_to_twelve_digits(block.reshape(-1))
            keys = block.view(np.int64)
            keys &= ~1
            keys |= self._labels
            keys.sort(axis=1)
            count_ordered_pairs(keys, found[start : start + step])
        return found / (2.0 * self._positives * self._negatives)


@compiled
def round_to_twelve_digits(values: NDArray[Any]) -> None:
    """Round to 12 significant digits in place; zero stays zero."""
    for position in range(len(values)):
        value = values[position]
        if value > 0.0:
            scale = 1e11
            while value * scale < 1e11 and scale < 1e300:
                scale *= 10.0
            values[position] = np.rint(value * scale) / scale
        else:
            values[position] = 0.0


@compiled
def count_ordered_pairs(keys: NDArray[Any], out: NDArray[Any]) -> None:
    """Twice the number of (target, other) pairs in order, a tie counting one half, per row."""
    n = keys.shape[1]
    for row in range(keys.shape[0]):
        below = 0
        pairs = 0
        position = 0
        while position < n:
            score = keys[row, position] >> 1
            targets = 0
            others = 0
            while position < n and keys[row, position] >> 1 == score:
                if keys[row, position] & 1:
                    targets += 1
                else:
                    others += 1
                position += 1
            pairs += targets * (2 * below + others)
            below += others
        out[row] = pairs
