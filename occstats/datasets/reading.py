"""Data sets from files: Parquet, CSV and ARFF."""

import csv
import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from occstats.datasets.dataset import Dataset, from_frame
from occstats.errors import DataError

__all__ = ["data_files", "parse_arff", "read_dataset"]

# @attribute name type; a name with blanks is quoted
_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))", re.IGNORECASE)


def parse_arff(text: str) -> pd.DataFrame:
    """Parse dense ARFF into a table of text; ``?`` stays as it is.

    SciPy's reader refuses quoted class names that hold a blank, and turns others into bytes.

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
        raise DataError("sparse ARFF is not read; convert it to CSV or Parquet")
    quote = '"' if any('"' in line for line in body) else "'"
    rows = list(csv.reader(body, quotechar=quote, skipinitialspace=True))
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        raise DataError(
            f"data row {wrong + 1} has {len(rows[wrong])} values for {len(names)} attributes"
        )
    return pd.DataFrame(rows, columns=names, dtype="str")


# A file of this size is not read into memory by mistake; the paper's largest holds 65 MB.
LARGEST_FILE = 4 * 1024**3


def read_dataset(path: str | Path, *, label: str = "class", name: str | None = None) -> Dataset:
    """Read one data set; its name is the file's, without the ending.

    Parameters
    ----------
    path : str or Path
        A ``.parquet``, ``.csv``, ``.tsv``, ``.csv.gz`` or ``.arff`` file.
    label : str, default "class"
        The column with the class labels.
    name : str, optional
        Another name for the data set.

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
    reader = _reader(path)
    if reader is None:
        raise DataError(f"{path}: not a data file; expected {', '.join(_READERS)}")
    if not path.exists():
        raise DataError(f"{path}: no such file")
    if not path.is_file():
        raise DataError(f"{path}: not a regular file")
    size = path.stat().st_size
    if size == 0:
        raise DataError(f"{path}: the file is empty")
    if size > LARGEST_FILE:
        raise DataError(f"{path}: {size} bytes, more than the {LARGEST_FILE} that are read at once")
    _refuse_what_is_no_table(path)
    try:
        frame = reader(path, label)
    except DataError:
        raise
    except Exception as error:  # every parser has exceptions of its own; all mean the same here
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{path}: cannot be read as {_ending(path)}: {reason}") from error
    return from_frame(frame, name=name or _stem(path), label=label, source=str(path))


def data_files(folder: str | Path) -> list[Path]:
    """The data files in a folder, by name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    files = sorted(path for path in folder.iterdir() if _reader(path) and path.is_file())
    # A manifest lies beside the data in many collections; it is no data set.
    return [path for path in files if path.stem.lower() not in {"manifest", "readme", "index"}]


def _read_parquet(path: Path, label: str) -> pd.DataFrame:
    return pd.read_parquet(path)


def _read_text(path: Path, label: str) -> pd.DataFrame:
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        separator = _separator(file.readline())
        file.seek(0)
        columns = next(csv.reader(file, delimiter=separator))
        twice = [column for column in columns if columns.count(column) > 1]
        if twice:
            raise DataError(f"{path}: the column {twice[0]!r} occurs twice; rename one of them")
        # Everything as text first: a class called NA or 001 stays so; numbers are parsed later.
        frame = pd.read_csv(
            file,
            sep=separator,
            header=None,
            names=[column.strip() for column in columns],
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
        )
    if label in frame.columns:
        frame[label] = frame[label].replace({"": None, "?": None})
    return frame


def _separator(header: str) -> str:
    return max(",;\t|", key=header.count) if header.strip() else ","


def _read_arff(path: Path, label: str) -> pd.DataFrame:
    try:
        frame = parse_arff(path.read_text(encoding="utf-8", errors="replace"))
    except DataError as error:
        raise DataError(f"{path}: cannot be read as .arff: {error}") from error
    # Names of attributes do not depend on case there.
    frame.columns = pd.Index([label if c.lower() == label.lower() else c for c in frame.columns])
    if label in frame.columns:
        frame[label] = frame[label].where(frame[label] != "?", None)
    return frame


_READERS: dict[str, Callable[[Path, str], pd.DataFrame]] = {
    ".parquet": _read_parquet,
    ".csv": _read_text,
    ".tsv": _read_text,
    ".csv.gz": _read_text,
    ".arff": _read_arff,
}


def _ending(path: Path) -> str:
    name = path.name.lower()
    return next((ending for ending in _READERS if name.endswith(ending)), path.suffix)


def _reader(path: Path) -> Callable[[Path, str], pd.DataFrame] | None:
    return _READERS.get(_ending(path))


def _stem(path: Path) -> str:
    return path.name[: -len(_ending(path))]


def _refuse_what_is_no_table(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(512)
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        raise DataError(f"{path}: an HTML page, not data; download the file itself")
    if start.startswith(b"version https://git-lfs"):
        raise DataError(f"{path}: a Git LFS pointer, not data; fetch the file with 'git lfs pull'")
    if _ending(path) in {".csv", ".tsv", ".arff"} and b"\0" in head:
        raise DataError(f"{path}: not a text file, although its name says {_ending(path)}")
