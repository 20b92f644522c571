"""A data set: attributes, class labels, and what was done to get them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.errors import DataError

__all__ = ["Dataset", "from_frame"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Numeric attributes and one class label per row, in the order of the file.

    The order matters: the folds of the experiment depend on it.

    Attributes
    ----------
    name : str
        The name under which results are recorded.
    X : ndarray of shape (rows, m)
        The attributes, finite.
    labels : ndarray of str
        The class of each row, as text.
    omitted_rows : int
        Rows left out because of missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, None], "class": ["x", "y", "x"]})
    >>> dataset = from_frame(frame, name="toy")
    >>> dataset.X.shape, dataset.omitted_rows
    ((2, 1), 1)
    """

    name: str
    X: NDArray[np.float64]
    labels: NDArray[np.str_]
    omitted_rows: int = 0

    def __repr__(self) -> str:
        rows, m = self.X.shape
        classes = len(np.unique(self.labels))
        return f"Dataset({self.name!r}, {rows} rows, {m} attributes, {classes} classes)"

    @property
    def class_sizes(self) -> dict[str, int]:
        """Class → number of rows, in the order in which the classes first appear."""
        names, first, counts = np.unique(self.labels, return_index=True, return_counts=True)
        return {str(names[i]): int(counts[i]) for i in np.argsort(first)}


def from_frame(
    frame: pd.DataFrame, *, name: str, label: str = "class", source: str | None = None
) -> Dataset:
    """Turn a table with a label column into a data set.

    Rows with missing values are omitted and counted, as in the paper. Booleans become 0 and 1.
    Constant columns and duplicate rows are kept: they are part of the data.

    Raises
    ------
    DataError
        No label column, no attributes, a text attribute, an infinite value, or no rows left.
    """
    where = source or name
    if label not in frame.columns:
        found = ", ".join(map(str, frame.columns[:8])) + (" …" if len(frame.columns) > 8 else "")
        raise DataError(
            f"{where}: no column {label!r} with the class labels (found: {found}); "
            "name the right one with --label"
        )
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"{where}: the column {twice!r} occurs twice; rename one of them")
    attributes = frame.drop(columns=label)
    if attributes.shape[1] == 0:
        raise DataError(f"{where}: no attributes besides the label column {label!r}")
    numbers = pd.DataFrame(
        {column: _numeric(attributes[column], column, where) for column in attributes}
    )
    present = numbers.notna().all(axis=1) & frame[label].notna()
    X = np.ascontiguousarray(numbers.loc[present].to_numpy(dtype=np.float64))
    if not len(X):
        raise DataError(f"{where}: no rows without missing values")
    if not np.isfinite(X).all():
        row, column_index = np.argwhere(~np.isfinite(X))[0]
        raise DataError(
            f"{where}: infinite value in column {attributes.columns[column_index]!r} "
            f"(row {row + 1} of those without missing values); remove or replace it"
        )
    labels = np.array([_text(value) for value in frame.loc[present, label]], dtype=np.str_)
    return Dataset(name=name, X=X, labels=labels, omitted_rows=int((~present).sum()))


def _numeric(column: pd.Series, name: object, where: str) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return column.astype("float64")
    as_text = column.astype("string").str.strip()
    as_text = as_text.mask(as_text.isin(["", "?", "NA", "NaN", "nan"]))
    numbers = pd.to_numeric(as_text, errors="coerce")
    wrong = numbers.isna() & as_text.notna()
    if wrong.any():
        raise DataError(
            f"{where}: the attribute {str(name)!r} holds text (for example "
            f"{str(column[wrong].iloc[0])[:40]!r}); data descriptors need numbers: code or drop it"
        )
    # Not the numbers above: pandas before 3.1 reads a third of them with a wrong last bit.
    return as_text.astype("float64")


def _text(value: object) -> str:
    """A label as text for ever: 1.0 read from a file of integers is the class 1."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()
