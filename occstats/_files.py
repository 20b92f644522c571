"""Atomic writing of files and folders, and digests that reveal changed content.

Results, shards of a run, figures and reports are all written here.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from occstats._format import printable
from occstats.errors import OutputError, ResultsError

if TYPE_CHECKING:
    import pandas as pd

Content = str | bytes | Callable[[IO[bytes]], object]

# Metadata key of a Parquet file for the digest of its content.
DIGEST = b"occstats-content"
# The list of written files, and the note that exists while they are being replaced.
MANIFEST = ".occstats-manifest.json"
UNFINISHED = "UNFINISHED.txt"
STAGING = ".occstats-"
# Temporary files are short-lived; older ones belong to a killed process.
STALE_AFTER_SECONDS = 600

REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file grew beyond what the system allows",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENAMETOOLONG: "the name is too long",
}


def write_file(path: str | os.PathLike[str], content: Content) -> Path:
    """Write a file atomically and durably; create missing folders.

    Parameters
    ----------
    path : path
        The file; existing content stays until the new content is complete.
    content : str, bytes, or callable
        The content, or a function that writes it to a binary stream.

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


def write_folder(folder: str | os.PathLike[str], files: Iterable[tuple[str, str | bytes]]) -> Path:
    """Write files into a folder: all of them or none.

    They are written to a temporary folder and then moved. A failure before the first move (a full
    disk, an interrupt) leaves the folder unchanged. A manifest lists the written files: files of
    an earlier call that are not written again are removed unless they were edited; other files
    stay. ``UNFINISHED.txt`` exists while files are being moved.

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
        existed = path.is_dir()
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(path if existed else path.parent, f"{STAGING}*.tmp")
        staging = Path(
            tempfile.mkdtemp(prefix=STAGING, suffix=".tmp", dir=path if existed else path.parent)
        )
        try:
            digests: dict[str, str] = {}
            for name, content in files:
                data = _as_bytes(content)
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                _write_durably(staging / name, data)
                digests[name] = hashlib.sha256(data).hexdigest()
            _write_durably(staging / MANIFEST, json.dumps(digests, indent=1) + "\n")
            if existed:
                _move_over(staging, path, [*digests, MANIFEST])
            else:
                umask = os.umask(0)
                os.umask(umask)
                staging.chmod(0o777 & ~umask)
                staging.rename(path)
            _sync_folder(path)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return path


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Check that an output folder can be written, before anything is computed.

    Examples
    --------
    >>> check_folder("")
    Traceback (most recent call last):
    ...
    occstats.errors.OutputError: the output folder has an empty name; use . for the current folder
    """
    if not os.fspath(folder):
        raise OutputError("the output folder has an empty name; use . for the current folder")
    path = Path(folder)
    try:
        # Raises for names that the system does not allow.
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        reason = REASONS.get(getattr(error, "errno", None) or 0, str(error))
        raise OutputError(f"{_shown(path)} cannot be an output folder: {reason}") from error
    if path.exists() and not path.is_dir():
        raise OutputError(f"{_shown(path)} is a file; --out needs a folder: choose another name")
    above = next(parent for parent in [path, *path.absolute().parents] if parent.exists())
    if not above.is_dir():
        raise OutputError(f"{_shown(above)} is a file, so nothing can be written below it")
    if not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(f"{_shown(above)} is not writable: choose another output folder")
    return path


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
    table = table.replace_schema_metadata(described)
    return write_file(
        path,
        lambda stream: pq.write_table(table, stream, compression="zstd", write_page_checksum=True),
    )


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


def _write_durably(path: Path, content: Content) -> None:
    with path.open("xb") as stream:
        if callable(content):
            content(stream)
        else:
            stream.write(_as_bytes(content))
        stream.flush()
        os.fsync(stream.fileno())


def _as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def _move_over(staging: Path, folder: Path, names: list[str]) -> None:
    for name in names:
        target = folder / name
        # A symbolic link would send the files elsewhere.
        for parent in target.relative_to(folder).parents:
            if (folder / parent).is_symlink() and folder / parent != folder:
                raise OutputError(
                    f"{_shown(folder / parent)} is a symbolic link where a folder belongs: move it"
                    " away"
                )
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise OutputError(f"{_shown(target)} is a folder where a file belongs: move it away")
    old = _manifest(folder)
    unfinished = folder / UNFINISHED
    unfinished.write_text(
        "The files of this folder are being replaced. If this note remains, they belong to two "
        "different runs: run the same command again.\n",
        encoding="utf-8",
    )
    for name in names:
        os.replace(staging / name, folder / name)
    for name, digest in old.items():
        gone = folder / name
        if name not in names and _digest(gone) == digest:
            gone.unlink()
            with suppress(OSError):
                gone.parent.rmdir()  # only if nothing is left in it
    unfinished.unlink(missing_ok=True)


def _manifest(folder: Path) -> dict[str, str]:
    """Return the written names and digests, without names that lead outside the folder."""
    try:
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(listed, dict):
        return {}
    return {
        name: digest
        for name, digest in listed.items()
        if not Path(name).is_absolute() and ".." not in Path(name).parts
    }


def _digest(path: Path) -> str | None:
    try:
        return None if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = REASONS.get(error.errno or 0, error.strerror or str(error))
        raise OutputError(
            f"{_shown(path)}: cannot be written ({reason}); what was there before is untouched:"
            " make room or choose another place, and run the same command again"
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
