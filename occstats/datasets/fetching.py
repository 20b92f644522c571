"""Download a dataset of the catalogue, prepare it, verify it, and store it."""

import http.client
import io
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pandas as pd

from occstats._files import write_file
from occstats.datasets.catalogue import Entry, problems
from occstats.datasets.dataset import Dataset, from_frame, parse_arff
from occstats.errors import ArgumentError, DataError

ATTEMPTS = 4
TIMEOUT_SECONDS = 60
LARGEST_DOWNLOAD = 1024**3
# Archives within archives are opened up to this depth.
DEEPEST = 3
# The largest of the fifty unpacks to 90 MB.
LARGEST_MEMBER = 1024**3


def fetch_dataset(
    entry: Entry,
    folder: str | Path,
    *,
    mirror: str | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Dataset:
    """Download, prepare and verify a dataset, and write ``<name>.parquet``.

    The addresses are those published by the repositories, which may move files; a `mirror` replaces
    the host. A dataset whose shape or class sizes differ from those of the paper is not stored.
    `wait` is called with the seconds between attempts.
    """
    folder = Path(folder)
    address = _mirrored(entry.address, mirror)
    frame = prepare_table(_download(address, wait), entry)
    dataset = from_frame(frame, name=entry.name, source=f"{entry.name} ({address})")
    if wrong := problems(dataset, entry):
        raise DataError(f"{entry.name} ({address}): {'; '.join(wrong)}; not stored")
    stored = pd.DataFrame(dataset.X, columns=frame.columns[:-1].tolist())
    stored = stored.assign(**{"class": dataset.labels})
    content: bytes = stored.to_parquet(None, compression="zstd", index=False)
    write_file(folder / f"{entry.name}.parquet", content)
    return dataset


def _download(address: str, wait: Callable[[float], None]) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": "occstats"})
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            wait(2.0**attempt)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                content: bytes = answer.read(LARGEST_DOWNLOAD + 1)
                expected = int(answer.headers.get("Content-Length", 0))
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in {408, 429}:
                raise DataError(
                    f"{address}: the server responds {error.code} {error.reason}; the file may "
                    "have moved: see the page of the dataset, or copy it to the folder yourself"
                ) from error
            reason = f"the server responds {error.code} {error.reason}"
            continue
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            continue
        if len(content) > LARGEST_DOWNLOAD:
            raise DataError(f"{address}: larger than any of the datasets")
        if len(content) < expected:
            reason = "the connection ended early"
        elif not content or content[:256].lstrip().lower().startswith((b"<!doctype", b"<html")):
            what = "an HTML page" if content else "nothing"
            raise DataError(f"{address}: the server sends {what} instead of data; try again later")
        else:
            return content
    raise DataError(f"{address}: failed after {ATTEMPTS} attempts ({reason}); try again later")


def _mirrored(address: str, mirror: str | None) -> str:
    if mirror is None:
        return address
    parts, other = urlsplit(address), urlsplit(mirror)
    if other.scheme not in {"http", "https"} or not other.netloc:
        raise ArgumentError(
            f"mirror {mirror!r}: expected an address such as https://example.org/data"
        )
    path = other.path.rstrip("/") + parts.path
    return urlunsplit((other.scheme, other.netloc, path, parts.query, ""))


def find_members(content: bytes, wanted: list[str], *, source: str) -> dict[str, bytes]:
    """Return the wanted files of an archive by name, without folders and the extension ``.Z``.

    A file that is no archive is its own member.

    Examples
    --------
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("folder/wine.data", "1,2")
    >>> find_members(packed.getvalue(), ["wine.data"], source="wine.zip")
    {'wine.data': b'1,2'}
    """
    found: dict[str, bytes] = {}
    try:
        for name, member in _members(PurePosixPath(source).name, content, DEEPEST):
            if name in wanted:
                found.setdefault(name, member)
    except DataError:
        raise
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, OSError, EOFError, RuntimeError) as e:
        raise DataError(f"{source}: damaged archive ({e})") from e
    except ValueError as error:  # of unlzw3
        raise DataError(f"{source}: damaged archive ({error})") from error
    if lacking := [name for name in wanted if name not in found]:
        raise DataError(f"{source}: the archive has no file {', '.join(lacking)}")
    return {name: found[name] for name in wanted}


def _members(name: str, content: bytes, depth: int) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive and of archives within it; other content is its own member."""
    if name.endswith(".Z"):
        yield name.removesuffix(".Z"), _uncompressed(content)
    elif depth and zipfile.is_zipfile(io.BytesIO(content)) and not name.endswith((".xls", ".xlsx")):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for entry in packed.infolist():
                _check_size(entry.filename, entry.file_size)
                inner = PurePosixPath(entry.filename).name
                yield from _members(inner, packed.read(entry), depth - 1)
    elif depth and tarfile.is_tarfile(io.BytesIO(content)):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for member in tar:
                _check_size(member.name, member.size)
                if file := tar.extractfile(member):
                    yield from _members(PurePosixPath(member.name).name, file.read(), depth - 1)
    else:
        yield name, content


def _check_size(name: str, size: int) -> None:
    if size > LARGEST_MEMBER:
        raise DataError(f"{name}: unpacks to {size} bytes, more than any of the datasets")


def _uncompressed(content: bytes) -> bytes:
    try:
        from unlzw3 import unlzw
    except ImportError as error:
        raise DataError("files .Z need a package: pip install 'occstats[fetch]'") from error
    data: bytes = unlzw(content)
    return data


def prepare_table(content: bytes, entry: Entry) -> pd.DataFrame:
    """Turn a downloaded archive into attribute columns and a last column ``class``.

    Keys of the entry's preparation: ``layout`` (text by default; ``arff``, ``keel``, ``excel``,
    ``miniboone``), ``separator``, ``header``, ``encoding``, ``sheet``; ``label`` (name or position
    of the class column, the last by default), ``one_hot`` (classes of the last columns) or
    ``rows_per_class``; ``drop`` (columns), ``codes`` (column → text → number), ``keep`` (rules that
    select rows of a label), ``join`` (rows by default; ``columns``).
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
    except Exception as error:  # parsers raise many types
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
                "reading a spreadsheet needs a package: pip install 'occstats[fetch]'"
            ) from error
    text = content.decode(how.get("encoding", "utf-8"), errors="replace")
    if layout == "arff":
        return parse_arff(text)
    if layout == "keel":
        lines = [line for line in text.splitlines() if line and not line.startswith("@")]
        return _parsed("\n".join(lines), ",")
    if layout == "miniboone":
        # The first line counts signal and background rows, in this order.
        first, _, rest = text.partition("\n")
        signal, background = map(int, first.split())
        return _parsed(rest, "whitespace").assign(**{"class": ["1"] * signal + ["0"] * background})
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


def _with_label(frame: pd.DataFrame, how: dict[str, Any]) -> pd.DataFrame:
    """Move the class to the end; drop and encode columns, and select rows."""
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
    attributes = attributes.drop(columns=dropped).copy()
    for column, codes in how.get("codes", {}).items():
        name = column if column in attributes.columns else columns[int(column)]
        attributes[name] = attributes[name].astype(str).str.strip().map(codes)
    attributes.columns = pd.Index([str(column) for column in attributes.columns])
    return attributes.assign(**{"class": labels})[kept].reset_index(drop=True)


def _column(columns: list[Any], which: str | int) -> Any:
    return columns[which] if isinstance(which, int) else which
