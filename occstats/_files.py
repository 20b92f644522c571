"""Atomic writing of files and folders, and digests that reveal changed content.

Results, shards of a run, figures and reports are all written here.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from occstats._format import printable
from occstats.errors import OutputError, ResultsError

if TYPE_CHECKING:
    import pandas as pd

# Metadata key of a Parquet file for the digest of its content.
DIGEST = b"occstats-content"
# The list of written files, and the note that exists while they are being replaced.
MANIFEST = ".occstats-manifest.json"
LARGEST_MANIFEST = 10_000_000
UNFINISHED = "UNFINISHED.txt"
UNFINISHED_TEXT = (
    "The files of this folder are being replaced. If this note remains, they belong to two "
    "different runs: run the same command again.\n"
)
UNFINISHED_DIGEST = hashlib.sha256(UNFINISHED_TEXT.encode()).hexdigest()
# In place of the digest of a file that later calls may replace, but not remove.
KEPT = "0" * 64
MOST_SHOWN = 5
STAGING = ".occstats-"
# Temporary files are short-lived; older ones belong to a killed process.
STALE_AFTER_SECONDS = 600


def write_file(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file atomically and durably; create missing folders.

    Parameters
    ----------
    path : path
        The file; existing content stays until the new content is complete.
    content : str or bytes
        The content.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder) / "a.txt", "whole").read_text()
    'whole'
    """
    target = Path(path)
    with _readable_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder: renaming is atomic only within a file system.
        short = target.stem[:40]
        temporary = target.parent / f".{short}-{os.getpid()}-{time.monotonic_ns()}.tmp"
        try:
            _write_durably(temporary, content)
            os.replace(temporary, target)
            _sync_folder(target.parent)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    return target


def write_folder(
    folder: str | os.PathLike[str],
    files: Iterable[tuple[str, str | bytes]],
    *,
    force: bool | None = False,
    keep: bool = False,
) -> Path:
    """Write files into a folder: all of them or none.

    They are written to a temporary folder and then moved. A failure before the first move (a full
    disk, an interrupt) leaves the folder unchanged. A manifest lists the written files: files of
    an earlier call that are not written again are removed unless they were edited; other files
    stay. ``UNFINISHED.txt`` exists while files are being moved.

    Parameters
    ----------
    folder : path
        The folder; created if it does not exist.
    files : iterable of (str, str or bytes)
        The name of each file in the folder, and its content.
    force : bool, default False
        Replace files of these names that are not in the manifest; otherwise, refuse. If the caller
        has no such option: None.
    keep : bool, default False
        Add the files to those of earlier calls; later calls do not remove them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_folder(Path(place) / "out", [("a.txt", "1"), ("tables/b.txt", "2")])
    ...     folder = write_folder(folder, [("a.txt", "3")])
    ...     sorted(path.name for path in folder.iterdir()), (folder / "a.txt").read_text()
    (['.occstats-manifest.json', 'a.txt'], '3')
    """
    path = check_folder(folder)
    with _readable_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path if path.is_dir() else path.parent
        remove_stale(beside, f"{STAGING}*.tmp")
        staging = Path(tempfile.mkdtemp(prefix=STAGING, suffix=".tmp", dir=beside))
        try:
            digests: dict[str, str] = {}
            for name, content in files:
                data = _as_bytes(content)
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                _write_durably(staging / name, data)
                digests[name] = KEPT if keep else hashlib.sha256(data).hexdigest()
            path.mkdir(exist_ok=True)
            _move_over(staging, path, digests, force)
            _sync_folder(path)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return path


def check_folder(
    folder: str | os.PathLike[str], names: Iterable[str] = (), *, force: bool | None = False
) -> Path:
    """Check that files can be written into an output folder, before anything is computed.

    Examples
    --------
    >>> check_folder("")
    Traceback (most recent call last):
    ...
    occstats.errors.OutputError: the output folder has an empty name; use . for the current folder
    """
    if not isinstance(folder, str | os.PathLike):
        raise OutputError(f"the output folder must be a path; got {folder!r}")
    if not os.fspath(folder):
        raise OutputError("the output folder has an empty name; use . for the current folder")
    path = Path(folder)
    try:
        # Raises for names that the system does not allow.
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{_shown(path)} cannot be an output folder: {reason}") from error
    if path.exists() and not path.is_dir():
        raise OutputError(f"{_shown(path)} is a file, not a folder: choose another name")
    above = next(parent for parent in [path, *path.absolute().parents] if parent.exists())
    if not above.is_dir():
        raise OutputError(f"{_shown(above)} is a file, so nothing can be written below it")
    try:
        # Permissions alone do not tell: a file system may be read-only or virtual.
        os.rmdir(tempfile.mkdtemp(prefix=STAGING, suffix=".tmp", dir=above))
    except OSError as error:
        raise OutputError(
            f"{_shown(above)} is not writable: choose another output folder"
        ) from error
    _refuse_foreign(path, names, _manifest(path), force)
    return path


def _refuse_foreign(
    folder: Path, names: Iterable[str], listed: Mapping[str, str], force: bool | None
) -> None:
    """Refuse names of files that an earlier call did not write."""
    others = [name for name in names if name not in listed and os.path.lexists(folder / name)]
    if others and not force:
        shown = ", ".join(map(_shown, others[:MOST_SHOWN]))
        more = f" and {len(others) - MOST_SHOWN} more" if len(others) > MOST_SHOWN else ""
        remedy = "move them away" if force is None else "pass force=True to replace them"
        raise OutputError(
            f"{_shown(folder)} contains files of the same names that occstats did not write there: "
            f"{shown}{more}; choose another folder, or {remedy}"
        )


def remove_stale(folder: Path, pattern: str) -> None:
    """Remove temporary files of killed processes."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_AFTER_SECONDS:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


def content_digest(rows: pd.DataFrame) -> str:
    """Hash the names and values of all columns.

    Parquet's checksums cover the pages but not the metadata of the file, in which a flipped bit
    can change the name, type or position of a column.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"a": [1.0, None], "b": ["x", None]})
    >>> content_digest(rows) == content_digest(rows.copy())
    True
    >>> content_digest(rows) == content_digest(rows.rename(columns={"a": "c"}))
    False
    """
    import numpy as np
    import pandas as pd

    digest = hashlib.sha256()
    for name in rows.columns:
        column = rows[name]
        digest.update(f"\0{name}\0".encode(errors="backslashreplace"))
        missing = column.isna()
        if pd.api.types.is_integer_dtype(column.dtype) and not missing.any():
            digest.update(column.to_numpy(dtype=np.int64).tobytes())
        elif pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind != "b":
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            # One bit pattern for all NaN.
            digest.update(np.where(np.isnan(values), np.nan, values).tobytes())
        else:
            text = column.astype(object).mask(missing, "")
            digest.update(np.packbits(missing.to_numpy(dtype=bool)).tobytes())
            digest.update(pd.util.hash_pandas_object(text, index=False).to_numpy().tobytes())
    return digest.hexdigest()


def write_parquet(
    rows: pd.DataFrame, path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> Path:
    """Write a Parquet file with page checksums and the digest of its content."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(rows, preserve_index=False)
    described: dict[Any, Any] = {**(table.schema.metadata or {}), **(metadata or {})}
    described[DIGEST] = content_digest(rows)
    stream = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(described),
        stream,
        compression="zstd",
        write_page_checksum=True,
    )
    return write_file(path, stream.getvalue())


def verify_digest(rows: pd.DataFrame, metadata: Mapping[bytes, bytes] | None, where: str) -> bool:
    """Raise if a table differs from what was written; return False without a digest."""
    recorded = (metadata or {}).get(DIGEST)
    if recorded is None:
        return False
    if content_digest(rows) != recorded.decode(errors="replace"):
        raise ResultsError(
            f"{where}: damaged (the content is not what was written); delete the file and run the"
            " same command again, which computes only these rows, or copy it again"
        )
    return True


def _write_durably(path: Path, content: str | bytes) -> None:
    with path.open("xb") as stream:
        stream.write(_as_bytes(content))
        stream.flush()
        os.fsync(stream.fileno())


def _as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def _move_over(staging: Path, folder: Path, digests: dict[str, str], force: bool | None) -> None:
    old = _manifest(folder)
    for name in digests:
        if link := _link_above(folder, name):
            raise OutputError(
                f"{_shown(link)} is a symbolic link where a folder belongs: move it away"
            )
        if (folder / name).is_dir():
            raise OutputError(
                f"{_shown(folder / name)} is a folder where a file belongs: move it away"
            )
    _refuse_foreign(folder, (*digests, UNFINISHED), old, force)
    # Files to keep are added to those of the folder.
    adding = KEPT in digests.values()
    kept = {name: digest for name, digest in old.items() if adding or digest == KEPT}
    _write_durably(staging / MANIFEST, json.dumps({**kept, **digests}, indent=1) + "\n")
    # What a killed process leaves is listed, so that the next call may replace and remove it.
    _write_durably(staging / UNFINISHED, UNFINISHED_TEXT)
    listed = {**old, **digests, UNFINISHED: UNFINISHED_DIGEST}
    _write_durably(staging / "listed", json.dumps(listed, indent=1) + "\n")
    os.replace(staging / "listed", folder / MANIFEST)
    os.replace(staging / UNFINISHED, folder / UNFINISHED)
    for name in digests:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / name, folder / name)
    for name, digest in old.items():
        gone = folder / name
        known = name in digests or name in kept
        if not known and not _link_above(folder, name) and _digest(gone) == digest:
            gone.unlink()
            with suppress(OSError):
                gone.parent.rmdir()  # only if nothing is left in it
    (folder / UNFINISHED).unlink(missing_ok=True)
    os.replace(staging / MANIFEST, folder / MANIFEST)


def _link_above(folder: Path, name: str) -> Path | None:
    """Return a symbolic link between the folder and a file in it, which would lead elsewhere."""
    above = Path(name).parents
    return next(
        (folder / part for part in above if part.name and (folder / part).is_symlink()), None
    )


def _manifest(folder: Path) -> dict[str, str]:
    """Return the written names and digests, without names that lead outside the folder."""
    path = folder / MANIFEST
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_MANIFEST:
            raise ValueError("not a small file")
        listed = json.loads(path.read_text(encoding="utf-8"))
        for name, digest in listed.items():
            if not re.fullmatch("[0-9a-f]{64}", digest) or "\0" in name:
                raise ValueError("not a list of files")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise OutputError(
            f"{_shown(path)} is not a list of files written by occstats: move it away or choose "
            "another folder"
        ) from error
    return {
        name: digest
        for name, digest in listed.items()
        if not Path(name).is_absolute() and ".." not in Path(name).parts
    }


def _digest(path: Path) -> str | None:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(
            f"{_shown(path)}: cannot be written ({error.strerror or error}); what was there before "
            "is untouched: make room or choose another place, and run the same command again"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself durable, where supported."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _shown(path: str | os.PathLike[str]) -> str:
    return f"'{printable(os.fspath(path))}'"
