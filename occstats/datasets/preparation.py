"""From the archive of a repository to the table that the paper used."""

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from occstats.datasets.catalogue import Entry
from occstats.datasets.reading import parse_arff
from occstats.errors import DataError

__all__ = ["find_members", "prepare"]

DEEPEST = 3
# The largest of the fifty unpacks to 90 MB.
LARGEST_MEMBER = 1024**3


def find_members(content: bytes, wanted: list[str], *, source: str) -> dict[str, bytes]:
    """The wanted files of an archive by base name; a file that is no archive is its own member.

    Parameters
    ----------
    content : bytes
        The downloaded file.
    wanted : list of str
        Names without folders, without the ending ``.Z`` of packed files.
    source : str
        What to call the archive in errors.

    Examples
    --------
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("folder/wine.data", "1,2")
    >>> find_members(packed.getvalue(), ["wine.data"], source="wine.zip")
    {'wine.data': b'1,2'}
    """
    found: dict[str, bytes] = {}
    for name, member in _members(PurePosixPath(source).name, content, source, DEEPEST):
        if name in wanted and name not in found:
            found[name] = member
    lacking = [name for name in wanted if name not in found]
    if lacking:
        raise DataError(f"{source}: the archive has no file {', '.join(lacking)}")
    return {name: found[name] for name in wanted}


def _members(name: str, content: bytes, source: str, depth: int) -> Iterator[tuple[str, bytes]]:
    inner = _opened(content, source) if depth else None
    if inner is None:
        if name.endswith(".Z"):
            yield name.removesuffix(".Z"), _uncompressed(content, source)
        else:
            yield name, content
        return
    for member, data in inner:
        yield from _members(PurePosixPath(member).name, data, source, depth - 1)


def _opened(content: bytes, source: str) -> Iterator[tuple[str, bytes]] | None:
    """The members of an archive, or None where the content is no archive."""
    stream = io.BytesIO(content)
    # Spreadsheets are zip files too, but not archives of data files.
    if zipfile.is_zipfile(stream) and b"xl/workbook" not in content:
        return _from_zip(stream, source)
    stream.seek(0)
    if content[257:262] == b"ustar" or content[:2] == b"\x1f\x8b":
        return _from_tar(stream, source)
    return None


def _from_zip(stream: io.BytesIO, source: str) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(stream) as archive:
            for information in archive.infolist():
                _check_size(information.file_size, information.filename, source)
                if not information.is_dir():
                    yield information.filename, archive.read(information)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise DataError(f"{source}: a broken archive ({error})") from error


def _from_tar(stream: io.BytesIO, source: str) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=stream) as archive:
            for information in archive:
                _check_size(information.size, information.name, source)
                file = archive.extractfile(information) if information.isfile() else None
                if file is not None:
                    yield information.name, file.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise DataError(f"{source}: a broken archive ({error})") from error


def _check_size(size: int, name: str, source: str) -> None:
    if size > LARGEST_MEMBER:
        raise DataError(f"{source}: {name} unpacks to {size} bytes, more than any of the data sets")


def _uncompressed(content: bytes, source: str) -> bytes:
    try:
        from unlzw3 import unlzw
    except ImportError as error:
        raise DataError(
            f"{source}: holds .Z files, which need a package: pip install 'occstats[fetch]'"
        ) from error
    data: bytes = unlzw(content)
    return data


def prepare(content: bytes, entry: Entry) -> pd.DataFrame:
    """Turn a downloaded archive into attribute columns and a last column ``class``.

    The entry's preparation may say: ``layout`` (text by default; ``arff``, ``keel``, ``excel``,
    ``miniboone``), ``separator``, ``header``, ``encoding``, ``sheet``; ``label`` (name or position
    of the class column, the last by default), ``one_hot`` (classes of the last columns) or
    ``rows_per_class``; ``drop`` (columns), ``codes`` (column → text → number), ``keep`` (rules by
    which rows of a label stay), ``join`` (rows by default; ``columns``).
    """
    how = entry.preparation
    members = find_members(content, entry.files, source=f"{entry.name} ({entry.address})")
    try:
        parts = [_read(member, how) for member in members.values()]
        joined = pd.concat(parts, axis=1 if how.get("join") == "columns" else 0, ignore_index=True)
        if how.get("join") != "columns":
            joined.columns = parts[0].columns
        frame = _with_label(joined, how)
    except DataError:
        raise
    except Exception as error:  # whatever a parser says, the file is not what it should be
        reason = " ".join(str(error).split())[:160]
        raise DataError(f"{entry.name}: the files cannot be prepared ({reason})") from error
    return frame


def _read(content: bytes, how: dict[str, Any]) -> pd.DataFrame:
    layout = how.get("layout", "text")
    if layout == "excel":
        try:
            sheet = how.get("sheet", 0)
            table: pd.DataFrame = pd.read_excel(io.BytesIO(content), sheet_name=sheet, dtype=object)
            return table
        except ImportError as error:
            raise DataError(
                "a spreadsheet needs a package to be read: pip install 'occstats[fetch]'"
            ) from error
    text = content.decode(how.get("encoding", "utf-8"), errors="replace")
    if layout == "arff":
        return parse_arff(text)
    if layout == "keel":
        lines = [line for line in text.splitlines() if line and not line.startswith("@")]
        return _parsed("\n".join(lines), ",")
    if layout == "miniboone":
        return _miniboone(text)
    return _parsed(text, how.get("separator", ","), header=how.get("header", False))


def _parsed(text: str, separator: str, *, header: bool = False) -> pd.DataFrame:
    return pd.read_csv(
        io.StringIO(text),
        sep=r"\s+" if separator == "whitespace" else separator,
        header=0 if header else None,
        dtype=str,
        keep_default_na=False,
        skipinitialspace=True,
    )


def _miniboone(text: str) -> pd.DataFrame:
    """The first line counts signal and background events; the rows follow in this order."""
    first, _, rest = text.partition("\n")
    signal, background = map(int, first.split())
    frame = _parsed(rest, "whitespace")
    frame["class"] = ["1"] * signal + ["0"] * background
    return frame


def _with_label(frame: pd.DataFrame, how: dict[str, Any]) -> pd.DataFrame:
    """Move the class to the end, and drop, code and keep what the preparation says."""
    columns = list(frame.columns)
    if "one_hot" in how:
        classes = how["one_hot"]
        flags = frame[columns[-len(classes) :]].astype(float)
        labels = pd.Series([classes[position] for position in flags.to_numpy().argmax(axis=1)])
        attributes = frame[columns[: -len(classes)]]
    elif "rows_per_class" in how:
        labels = pd.Series([str(row // how["rows_per_class"]) for row in range(len(frame))])
        attributes = frame
    else:
        label = _column(columns, how.get("label", -1))
        labels = frame[label].astype(str).str.strip()
        attributes = frame.drop(columns=label)
    kept = pd.Series(True, index=frame.index)
    for rule in how.get("keep", []):
        values = frame[_column(columns, rule["column"])].astype(float)
        within = values.between(rule.get("at_least", -1e300), rule.get("at_most", 1e300))
        kept &= (labels != rule["label"]) | within
    dropped = [_column(columns, column) for column in how.get("drop", [])]
    attributes = attributes.drop(columns=dropped)
    attributes = attributes.copy()
    for column, codes in how.get("codes", {}).items():
        name = column if column in attributes.columns else columns[int(column)]
        attributes[name] = attributes[name].astype(str).str.strip().map(codes)
    attributes.columns = pd.Index([str(column) for column in attributes.columns])
    return attributes.assign(**{"class": labels})[kept].reset_index(drop=True)


def _column(columns: list[Any], which: str | int) -> Any:
    return columns[which] if isinstance(which, int) else which
