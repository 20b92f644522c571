"""Download a data set of the catalogue, prepare it, verify it, and store it."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from occstats.datasets.catalogue import Entry, problems
from occstats.datasets.dataset import Dataset, from_frame
from occstats.datasets.preparation import prepare
from occstats.errors import DataError, OutputError

__all__ = ["download", "fetch_dataset"]

ATTEMPTS = 4
TIMEOUT_SECONDS = 60
LARGEST_DOWNLOAD = 1024**3
BLOCK = 256 * 1024


def fetch_dataset(
    entry: Entry,
    folder: str | Path,
    *,
    mirror: str | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Dataset:
    """Download, prepare and verify a data set; write ``<name>.parquet`` only if it is right.

    Parameters
    ----------
    entry : Entry
        Which one.
    folder : path
        Where the file goes; a partial download stays there and is taken up the next time.
    mirror : str, optional
        Take the archive from this address in place of the repository's host.
    wait : callable
        What to do between attempts.

    Notes
    -----
    The addresses are those published by the repositories; repositories move files. A data set that
    does not have the paper's shape and class sizes is refused, never stored.
    """
    folder = Path(folder)
    address = _mirrored(entry.address, mirror)
    partial = folder / f".{entry.name}.download"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made ({error.strerror})") from error
    content = download(address, partial, wait=wait)
    try:
        frame = prepare(content, entry)
        dataset = from_frame(frame, name=entry.name, source=f"{entry.name} ({address})")
        wrong = problems(dataset, entry)
        if wrong:
            raise DataError(f"{entry.name} ({address}): {'; '.join(wrong)}; not stored")
    finally:
        # Whether right or wrong, the download was complete: it need not be taken up again.
        partial.unlink(missing_ok=True)
    _store(dataset, frame.columns[:-1].tolist(), folder / f"{entry.name}.parquet")
    return dataset


def download(address: str, partial: Path, *, wait: Callable[[float], None] = time.sleep) -> bytes:
    """Download with retries, going on where an interrupted download ended."""
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            wait(2.0**attempt)
        try:
            _download_rest(address, partial)
            return _checked(address, partial)
        except urllib.error.HTTPError as error:
            if error.code == 416:  # nothing is left: what is there does not fit the file
                partial.unlink(missing_ok=True)
            elif error.code < 500 and error.code not in {408, 429}:
                raise DataError(
                    f"{address}: the server answers {error.code} {error.reason}; the file may have "
                    "moved: look for it on the data set's page, or put it in the folder by hand"
                ) from error
            reason = f"the server answers {error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
    raise DataError(f"{address}: no luck in {ATTEMPTS} attempts ({reason}); try again later")


def _download_rest(address: str, partial: Path) -> None:
    have = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "occstats"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        resumed = have > 0 and answer.status == 206
        announced = answer.headers.get("Content-Length")
        expected = int(announced) + (have if resumed else 0) if announced else None
        with partial.open("ab" if resumed else "wb") as file:
            while block := answer.read(BLOCK):
                file.write(block)
                if file.tell() > LARGEST_DOWNLOAD:
                    raise DataError(f"{address}: larger than any of the data sets")
    if expected is not None and partial.stat().st_size < expected:
        raise ConnectionError("the connection ended early")


def _checked(address: str, partial: Path) -> bytes:
    content = partial.read_bytes()
    start = content[:256].lstrip().lower()
    if not content or start.startswith((b"<!doctype", b"<html")):
        partial.unlink()
        what = "an HTML page" if content else "nothing"
        raise DataError(f"{address}: the server sends {what} instead of data; try again later")
    return content


def _mirrored(address: str, mirror: str | None) -> str:
    if mirror is None:
        return address
    parts, other = urlsplit(address), urlsplit(mirror)
    if other.scheme not in {"http", "https"} or not other.netloc:
        raise DataError(f"mirror {mirror!r}: expected an address such as https://example.org/data")
    path = other.path.rstrip("/") + parts.path
    return urlunsplit((other.scheme, other.netloc, path, parts.query, ""))


def _store(dataset: Dataset, names: list[str], path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(dataset.X, columns=names).assign(**{"class": dataset.labels})
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        frame.to_parquet(temporary, compression="zstd", index=False)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        temporary.unlink(missing_ok=True)
