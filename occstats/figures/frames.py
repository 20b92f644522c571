"""The frames that figures read: the decisions about all pairs, and tidy frames of the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats._format import listing
from occstats.errors import ResultsError
from occstats.figures._style import FigureError

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = [
    "PairDecisions",
    "confidence",
    "confidence_intervals",
    "pair_decisions",
    "read_frame",
    "records",
    "require_columns",
    "significance",
]


@dataclass(frozen=True, eq=False)
class PairDecisions:
    """The decision about every pair of some algorithms, as squares in their order.

    Attributes
    ----------
    names : tuple of str
        The algorithms of the rows and columns.
    conclusion : ndarray of object
        "better", "worse", "equivalent" or "undecided": the row compared with the column; None
        where the pair was not tested.
    difference : ndarray of float
        The difference of the estimand, row minus column; NaN where there is none.
    p : ndarray of float
        The p-value that decides. Where one-sided tests found the column better, it is the p-value
        of that claim.
    """

    names: tuple[str, ...]
    conclusion: NDArray[np.object_]
    difference: NDArray[np.float64]
    p: NDArray[np.float64]

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Mark the pairs that were tested."""
        return np.asarray(pd.notna(self.conclusion), dtype=bool)

    @property
    def differ(self) -> NDArray[np.bool_]:
        """Mark the pairs with a significant difference."""
        return np.isin(self.conclusion.astype(str), ["better", "worse"])

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Mark the tested pairs with no significant difference."""
        return self.tested & ~self.differ


def pair_decisions(comparison: Comparison, names: list[str]) -> PairDecisions:
    """Return the decisions of a comparison about all pairs of some of its algorithms.

    Figures read pairs from here and from nowhere else: what they draw is what was decided.
    """

    def square(column: str) -> NDArray[Any]:
        return comparison.matrix(column).loc[names, names].to_numpy()

    conclusion = square("conclusion")
    p = square("p").astype(float)
    return PairDecisions(
        names=tuple(names),
        conclusion=conclusion,
        difference=square("difference").astype(float),
        p=np.where(conclusion == "worse", p.T, p),
    )


def significance(comparison: Comparison) -> str:
    """Return the level and the test that decide, in the comparison's own words: at α = … by …."""
    return f"at α\u00a0=\u00a0{comparison.settings.alpha:g} by the {comparison.basis}"


def confidence(comparison: Comparison) -> float:
    """Return the level of the confidence intervals of a comparison."""
    return 1 - comparison.settings.alpha


def confidence_intervals(comparison: Comparison) -> str:
    """Return the name of the intervals with their level: 95 % confidence intervals."""
    return f"{100 * confidence(comparison):.4g}\u00a0% confidence intervals"


def require_columns(frame: pd.DataFrame, needed: Iterable[str], what: str) -> None:
    """Refuse a frame that lacks a column or has no rows.

    >>> import pandas as pd
    >>> require_columns(pd.DataFrame({"n": [1]}), ["n", "descriptor"], "times")
    Traceback (most recent call last):
    ...
    occstats.figures._style.FigureError: times lacks the column descriptor; found n
    """
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        raise FigureError(
            f"{what} lacks the column {listing(missing)}; "
            f"found {listing(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise FigureError(f"{what} has no rows: there is nothing to draw")


def read_frame(path: str | Path, what: str) -> pd.DataFrame:
    """Read a tidy frame from CSV or Parquet; names stay text."""
    file = Path(path)
    readers = {
        ".csv": lambda: pd.read_csv(
            file,
            dtype={"descriptor": str, "metric": str},
            keep_default_na=False,
            na_values=[""],
        ),
        ".parquet": lambda: pd.read_parquet(file),
    }
    if file.suffix.lower() not in readers:
        raise FigureError(f"--{what} takes a .csv or .parquet file; got {str(path)!r}")
    if not file.is_file():
        raise ResultsError(f"--{what}: there is no file {str(path)!r}")
    try:
        return readers[file.suffix.lower()]()
    except (ValueError, OSError, UnicodeError) as error:
        # pandas' and pyarrow's reasons run over several lines
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ResultsError(f"--{what}: cannot read {str(path)!r}: {reason}") from error


def records(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over the rows of a frame; a column is an attribute of its row."""
    return iter(frame.itertuples())
