"""What the cells of a column are, looked at once and only where it matters."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import column_text, quote
from occstats.results.numbers import Numbers, parse_numbers
from occstats.results.readers.raw import RawTable

__all__ = ["Facts"]

_FEW = 30
_YES_NO = frozenset(("true", "false", "yes", "no", "0", "1"))


class Facts:
    """The columns of one source by what stands in them."""

    def __init__(self, raw: RawTable, decimal: str, *, fill_down: bool = False) -> None:
        self.raw = raw
        self.decimal = decimal
        self.fill_down = fill_down
        self._numbers: dict[str, Numbers] = {}
        self._names: dict[str, npt.NDArray[np.object_]] = {}
        self._codes: dict[str, npt.NDArray[np.int64]] = {}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The whole table."""
        return self.raw.read(list(self.raw.columns))

    def numbers(self, column: str) -> Numbers:
        """The cells as numbers."""
        if column not in self._numbers:
            self._numbers[column] = parse_numbers(self._column(column), self.decimal)
        return self._numbers[column]

    def names(self, column: str) -> npt.NDArray[np.object_]:
        """The cells as names."""
        if column not in self._names:
            names = column_text(self._column(column))
            if self.fill_down and not self.is_numeric(column):
                names = pd.Series(names, dtype=object).ffill().to_numpy()
            self._names[column] = names
        return self._names[column]

    def codes(self, column: str) -> npt.NDArray[np.int64]:
        """The number of each cell's name, from 0 in the order of their coming; −1 for none."""
        if column not in self._codes:
            self._codes[column] = pd.factorize(self.names(column))[0]
        return self._codes[column]

    def require_names(self, column: str, rows: npt.NDArray[np.int64] | None = None) -> None:
        """Refuse a column in which a name is missing, in some rows or in any."""
        rows = np.arange(self.raw.n_rows) if rows is None else rows
        empty = rows[self.names(column)[rows] == None]  # noqa: E711  elementwise
        if not len(empty):
            return
        first, *others = self.names(column)  # where cells are merged each name stands once
        present = [name for name in others if name is not None]
        merged = first is not None and len({first, *present}) == 1 + len(present)
        raise ResultsError(
            f"{self.raw.row(empty[0])}, column {quote(column)}: no name there"
            f" ({len(empty):,} such rows); write the name (a name such as NA that pandas has made"
            " missing survives with read_csv(keep_default_na=False))"
            f"{', or, if it is the one above, as in merged cells, say so' if merged else ''}",
            {"fill_down": True} if merged else None,
        )

    def _column(self, column: str) -> pd.Series:
        # Picking columns one by one out of thousands takes longer than all at once.
        at_once = "frame" in self.__dict__ or len(self._numbers) > _FEW
        return self.frame[column] if at_once else self.raw.read([column])[column]

    def is_numeric(self, column: str) -> bool:
        """Whether there are numbers and nothing else."""
        return self.numbers(column).all_numbers

    def is_fractional(self, column: str) -> bool:
        """Whether there are numbers that are not whole: no name and no label looks like that."""
        numbers = self.numbers(column)
        return numbers.all_numbers and bool((numbers.known % 1 != 0).any())

    def is_text(self, column: str) -> bool:
        """Whether there is text and no number."""
        numbers = self.numbers(column)
        return not len(numbers.known) and bool(numbers.wrong.any())

    def is_flag(self, column: str) -> bool:
        """Whether every cell says yes or no."""
        return {str(name).casefold() for name in set(self.names(column))} <= _YES_NO

    def take_flags(self, column: str) -> None:
        """Take yes and no for the numbers 1 and 0."""
        yes = [str(name).casefold() in {"true", "yes", "1"} for name in self.names(column)]
        self._numbers[column] = Numbers(np.array(yes, dtype=np.float64), np.zeros(len(yes), bool))

    def is_distinct(self, *columns: str) -> bool:
        """Whether no two rows agree in these columns."""
        return not self._together(*columns).duplicated().any()

    def determines(self, column: str, other: str) -> bool:
        """Whether rows that agree in a column agree in another one, too."""
        return not self._together(column, other).drop_duplicates()[0].duplicated().any()

    def _together(self, *columns: str) -> pd.DataFrame:
        return pd.DataFrame(dict(enumerate(map(self.codes, columns))))

    def n_distinct(self, column: str) -> int:
        """The number of different names."""
        return len(np.unique(self.codes(column)))
