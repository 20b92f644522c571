"""Datasets: attributes and class labels, from Parquet, CSV and ARFF files or scikit-learn."""

import csv
import fnmatch
import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats._checks import require_descriptors
from occstats._format import did_you_mean
from occstats.errors import ArgumentError, DataError

# Larger files are not read into memory; the paper's largest has 65 MB.
LARGEST_FILE = 4 * 1024**3
# @attribute name type; a name with blanks is quoted
_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Numeric attributes and one class label per row, in the order of the file.

    The folds of an experiment depend on the order of the rows.

    Attributes
    ----------
    name : str
        The name under which results are recorded.
    X : ndarray of shape (rows, m)
        The attributes, finite.
    labels : ndarray of str
        The class of each row, as text.
    omitted_rows : int
        Number of rows omitted because of missing values.

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
        """Map each class to its number of rows, in order of first appearance."""
        names, first, counts = np.unique(self.labels, return_index=True, return_counts=True)
        return {str(names[i]): int(counts[i]) for i in np.argsort(first)}


def from_frame(
    frame: pd.DataFrame, *, name: str, label: str = "class", source: str | None = None
) -> Dataset:
    """Turn a table with a label column into a dataset.

    Rows with missing values are omitted and counted, as in the paper. Booleans become 0 and 1.
    Constant columns and duplicate rows are kept.

    Raises
    ------
    DataError
        No label column, no attributes, a text attribute, an infinite value, or no rows left.
    """
    where = source or name
    table = _converted(frame, label, where)
    present = table.notna().all(axis=1)
    kept = table[present]
    attributes = table.columns.drop(label)
    X = np.ascontiguousarray(kept[attributes].to_numpy(dtype=np.float64))
    if not len(X):
        raise DataError(f"{where}: no rows without missing values")
    if not np.isfinite(X).all():
        row, column_index = np.argwhere(~np.isfinite(X))[0]
        raise DataError(
            f"{where}: infinite value in column {attributes[column_index]!r} "
            f"(row {row + 1} of those without missing values); remove or replace it"
        )
    labels = kept[label].to_numpy(dtype=np.str_)
    return Dataset(name=name, X=X, labels=labels, omitted_rows=int((~present).sum()))


def _converted(frame: pd.DataFrame, label: str, where: str) -> pd.DataFrame:
    """Return the attributes as numbers and, in the last column, the labels as text."""
    if label not in frame.columns:
        found = ", ".join(map(str, frame.columns[:8])) + (" …" if len(frame.columns) > 8 else "")
        raise DataError(
            f"{where}: no column {label!r} with the class labels (found: {found}); "
            "pass its name as label=…"
        )
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"{where}: the column {twice!r} occurs twice; rename one of them")
    attributes = frame.drop(columns=label)
    if attributes.shape[1] == 0:
        raise DataError(f"{where}: no attributes besides the label column {label!r}")
    columns = {column: _numeric(attributes[column], column, where) for column in attributes}
    labels = frame[label].astype(object).map(_text, na_action="ignore")
    return pd.DataFrame({**columns, label: labels})


def _numeric(column: pd.Series, name: object, where: str) -> pd.Series:
    if pd.api.types.is_complex_dtype(column.dtype):
        raise DataError(f"{where}: the attribute {str(name)!r} contains complex numbers")
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64")
    as_text = column.astype("string").str.strip()
    as_text = as_text.mask(as_text.isin(["", "?", "NA", "NaN", "nan"]))
    numbers = pd.to_numeric(as_text, errors="coerce")
    wrong = numbers.isna() & as_text.notna()
    if wrong.any():
        raise DataError(
            f"{where}: the attribute {str(name)!r} contains text (for example "
            f"{str(column[wrong].iloc[0])[:40]!r}); descriptors need numbers: encode or drop it"
        )
    # Not `numbers`: pandas before 3.1 parses a third of them with a wrong last bit.
    return as_text.astype("float64")


def _text(value: object) -> str:
    """Return a label as text; 1.0, read from a file of integers, is the class 1."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def parse_arff(text: str) -> pd.DataFrame:
    """Parse dense ARFF into a table of text; ``?`` is kept.

    SciPy's reader rejects quoted class names with blanks and returns others as bytes.

    Examples
    --------
    >>> parse_arff("@attribute a real\\n@attribute 'b c' {x, 'y z'}\\n@data\\n1,'y z'")
       a  b c
    0  1  y z
    """
    names: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            break
        if match := _ATTRIBUTE.match(stripped):
            names.append(next(group for group in match.groups() if group is not None))
    else:
        raise DataError("no @data section")
    body = [line.strip() for line in lines]
    body = [line for line in body if line and not line.startswith("%")]
    if any(line.startswith("{") for line in body):
        raise DataError("sparse ARFF is not supported; convert it to CSV or Parquet")
    quote = '"' if any('"' in line for line in body) else "'"
    rows = list(csv.reader(body, quotechar=quote, escapechar="\\", skipinitialspace=True))
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        raise DataError(
            f"data row {wrong + 1} has {len(rows[wrong])} values for {len(names)} attributes"
        )
    return pd.DataFrame(rows, columns=names, dtype="str")


def read_dataset(path: str | Path, *, label: str = "class", name: str | None = None) -> Dataset:
    """Read one dataset; its name is that of the file, without the extension.

    Parameters
    ----------
    path : str or Path
        A ``.parquet``, ``.csv``, ``.tsv``, ``.csv.gz`` or ``.arff`` file.
    label : str, default "class"
        The column with the class labels.
    name : str, optional
        Another name for the dataset.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "toy.csv")
    >>> _ = path.write_text("a,b,class\\n1,2,x\\n3,4,001\\n?,5,x\\n")
    >>> dataset = read_dataset(path)
    >>> dataset, dataset.labels.tolist(), dataset.omitted_rows
    (Dataset('toy', 2 rows, 2 attributes, 2 classes), ['x', '001'], 1)
    >>> folder.cleanup()
    """
    path = Path(path)
    reader = _READERS.get(_ending(path))
    if reader is None:
        raise DataError(f"{path}: unknown type of file; expected {', '.join(_READERS)}")
    if not path.is_file():
        raise DataError(f"{path}: {'not a regular' if path.exists() else 'no such'} file")
    size = path.stat().st_size
    if size == 0:
        raise DataError(f"{path}: the file is empty")
    if size > LARGEST_FILE:
        raise DataError(f"{path}: {size} bytes exceed the limit of {LARGEST_FILE}")
    _check_content(path)
    try:
        frame = reader(path, label)
    except DataError:
        raise
    except Exception as error:  # parsers raise many types
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{path}: cannot be read as {_ending(path)}: {reason}") from error
    return from_frame(frame, name=name or stem_of(path), label=label, source=str(path))


def data_files(folder: str | Path) -> list[Path]:
    """Return the data files in a folder, sorted by name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    files = sorted(
        path for path in folder.iterdir() if _ending(path) in _READERS and path.is_file()
    )
    # Many collections contain a manifest beside the datasets.
    return [path for path in files if stem_of(path).lower() not in {"manifest", "readme", "index"}]


def _read_text(path: Path, label: str) -> pd.DataFrame:
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        # Leading blank lines are not the header.
        separator = max(",;\t|", key=next(filter(str.strip, file), "").count)
        file.seek(0)
        # As text: a class called NA or 001 keeps its name; numbers are parsed later.
        rows = pd.read_csv(
            file,
            sep=separator,
            header=None,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
        )
    frame = rows.iloc[1:].set_axis(rows.iloc[0].str.strip().tolist(), axis=1)
    if list(frame.columns).count(label) == 1:
        frame[label] = frame[label].replace({"": None, "?": None})
    return frame


def _read_arff(path: Path, label: str) -> pd.DataFrame:
    try:
        frame = parse_arff(path.read_text(encoding="utf-8", errors="replace"))
    except DataError as error:
        raise DataError(f"{path}: cannot be read as .arff: {error}") from error
    # Names of attributes are not case-sensitive in ARFF.
    frame.columns = pd.Index([label if c.lower() == label.lower() else c for c in frame.columns])
    if label in frame.columns:
        frame[label] = frame[label].where(frame[label] != "?", None)
    return frame


_READERS: dict[str, Callable[[Path, str], pd.DataFrame]] = {
    ".parquet": lambda path, label: pd.read_parquet(path),
    ".csv": _read_text,
    ".tsv": _read_text,
    ".csv.gz": _read_text,
    ".arff": _read_arff,
}


def _ending(path: Path) -> str:
    name = path.name.lower()
    return next((ending for ending in _READERS if name.endswith(ending)), path.suffix)


def stem_of(path: Path) -> str:
    """Return the name of a file without its extension, which may be ``.csv.gz``."""
    return path.name[: len(path.name) - len(_ending(path))]


def _check_content(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(512)
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        raise DataError(f"{path}: an HTML page, not data; download the data file")
    if start.startswith(b"version https://git-lfs"):
        raise DataError(
            f"{path}: a Git LFS pointer, not data; download the file with 'git lfs pull'"
        )
    if _ending(path) in {".csv", ".tsv", ".arff"} and b"\0" in head:
        raise DataError(f"{path}: not a text file despite its extension {_ending(path)}")


# name → loader of scikit-learn
BUILTIN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "wdbc": "load_breast_cancer",
    "digits": "load_digits",
}


def load_builtin(name: str) -> Dataset:
    """Load a dataset that comes with scikit-learn.

    Examples
    --------
    >>> load_builtin("wine")
    Dataset('wine', 178 rows, 13 attributes, 3 classes)
    """
    if name not in BUILTIN:
        raise DataError(f"no built-in dataset {name!r}; available: {', '.join(BUILTIN)}")
    require_descriptors()
    from sklearn import datasets

    bunch = getattr(datasets, BUILTIN[name])()
    labels = np.asarray(bunch.target_names).astype(str)[bunch.target]
    return Dataset(name=name, X=np.asarray(bunch.data, dtype=np.float64), labels=labels)


@dataclass(frozen=True)
class Source:
    """A dataset that is not loaded yet: a file, or a built-in name."""

    name: str
    path: str | None = None
    label: str = "class"


def open_source(source: Source) -> Dataset:
    """Load a dataset; the last two are cached until their files change."""
    if source.path is None:
        return _opened(source, None)
    try:
        status = Path(source.path).stat()
    except OSError:  # the reader names the problem
        return _opened.__wrapped__(source, None)
    return _opened(source, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=2)
def _opened(source: Source, version: tuple[int, int] | None) -> Dataset:
    if source.path is None:
        return load_builtin(source.name)
    return read_dataset(source.path, label=source.label, name=source.name)


def select(
    data: "str | Path | Sequence[str | Path]" = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
) -> list[Source]:
    """Find the requested datasets.

    Parameters
    ----------
    data : path or sequence of paths
        A folder with one file per dataset, single files, or ``"builtin"``.
    datasets : iterable of str, optional
        Names or globs (``"s*"``); all by default.
    label : str, default "class"
        The column with the class labels.

    Examples
    --------
    >>> [source.name for source in select("builtin", datasets=["w*"])]
    ['wine', 'wdbc']
    """
    places = [data] if isinstance(data, str | Path) else list(data)
    found: dict[str, Source] = {}
    for place in places:
        for source in _sources_of(place, label):
            if source.name in found and found[source.name] != source:
                raise DataError(
                    f"two datasets are called {source.name!r} ({found[source.name].path} and "
                    f"{source.path}); rename one file"
                )
            found[source.name] = source
    if not found:
        raise DataError(f"no data files in {', '.join(map(str, places))}")
    return _chosen(found, datasets)


def _chosen(found: Mapping[str, Source], datasets: Iterable[str] | None) -> list[Source]:
    """Return the datasets with these names or globs; all by default."""
    chosen: dict[str, Source] = {}
    patterns: object = [datasets] if isinstance(datasets, str) else datasets
    if patterns is None:
        patterns = found
    if not isinstance(patterns, Iterable) or not (names := [*map(str, patterns)]):
        raise ArgumentError(f"datasets must be names or globs, such as ['iris']; got {datasets!r}")
    for pattern in names:
        matching = [pattern] if pattern in found else fnmatch.filter(found, pattern)
        if not matching:
            raise DataError(
                f"no dataset matches {pattern!r}{did_you_mean(pattern, found)}; available: "
                f"{', '.join(sorted(found))} (for other datasets, pass their folder as data=…)"
            )
        chosen |= {name: found[name] for name in matching}
    return list(chosen.values())


def _sources_of(place: str | Path, label: str) -> list[Source]:
    if str(place) == "builtin":
        return [Source(name) for name in BUILTIN]
    path = Path(place)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder (or 'builtin' for the built-in datasets)")
    files = data_files(path) if path.is_dir() else [path]
    return [Source(stem_of(file), path=str(file.resolve()), label=label) for file in files]


def spool(
    data: Mapping[str, pd.DataFrame],
    folder: Path,
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
) -> list[Source]:
    """Write datasets in memory to files that worker processes can read."""
    for name, frame in data.items():
        if not isinstance(frame, pd.DataFrame):
            raise ArgumentError(f"data: expected a frame for {name!r}, got {type(frame).__name__}")
    folder.mkdir(parents=True, exist_ok=True)
    # Not every name of a dataset is a valid file name.
    paths = {
        name: folder.resolve() / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.parquet"
        for name in data
    }
    found = {name: Source(name, str(path), label) for name, path in paths.items()}
    chosen = _chosen(found, datasets)
    for source in chosen:
        frame = data[source.name]
        from_frame(frame, name=source.name, label=label)  # fail here rather than in a worker
        # Columns of mixed types cannot be written as they are.
        table = _converted(frame, label, source.name)
        table.set_axis(table.columns.map(str), axis=1).to_parquet(paths[source.name])
    return chosen


def fingerprint(dataset: Dataset) -> str:
    """Return a short hash of the data, to distinguish results of different data.

    Examples
    --------
    >>> len(fingerprint(load_builtin("iris")))
    16
    """
    digest = hashlib.sha256()
    digest.update(repr(dataset.X.shape).encode())
    digest.update(np.ascontiguousarray(dataset.X).tobytes())
    digest.update("\0".join(dataset.labels.tolist()).encode())
    return digest.hexdigest()[:16]
