"""The results store: a folder of Parquet shards, each written whole or not at all."""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import OutputError, ResultsError
from occstats.experiment.integrity import content_digest

__all__ = ["Store", "write_parquet"]

# A temporary file lives for milliseconds; one this old belongs to a process that was killed.
STALE_AFTER_SECONDS = 600
# The key of the metadata under which a file keeps the hash of its content.
DIGEST = b"occstats-content"


class Store:
    """A folder of shards, ``part-<id>.parquet``.

    A shard is written to a temporary file, synced and renamed, so that a process killed at any
    moment leaves either the whole shard or nothing. Pages carry checksums and the file a hash of
    its content, verified when read, so that a flipped bit is an error and not a wrong number.
    Workers write side by side without a lock: ids are deterministic, and two workers that compute
    the same shard write the same rows.

    Parameters
    ----------
    folder : path
        Where the shards are; made when the first is written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.write("a1", pd.DataFrame({"score": [0.5]}), {"version": "1"})
    ...     store.shard_ids(), store.read()["score"].tolist()
    ({'a1'}, [0.5])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path_of(self, shard_id: str) -> Path:
        """The file of a shard."""
        return self.folder / f"part-{shard_id}.parquet"

    def shard_ids(self) -> set[str]:
        """The ids of all shards that are there."""
        return {path.stem.removeprefix("part-") for path in self.folder.glob("part-*.parquet")}

    def write(self, shard_id: str, rows: pd.DataFrame, metadata: Mapping[str, str]) -> None:
        """Write a shard, whole or not at all."""
        write_parquet(rows, self.path_of(shard_id), metadata)

    def read(self, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """All rows of all shards; an empty frame where there are none."""
        wanted = list(columns) if columns is not None else None
        shards = [self.read_shard(shard_id, wanted) for shard_id in sorted(self.shard_ids())]
        if not shards:
            return pd.DataFrame(columns=wanted or [])
        return pd.concat(shards, ignore_index=True)

    def read_shard(self, shard_id: str, columns: list[str] | None = None) -> pd.DataFrame:
        """The rows of one shard, with its checksums verified."""
        import pyarrow.parquet as pq

        path = self.path_of(shard_id)
        try:
            # Not a data set of files: a folder called a=b must not become a column.
            table = pq.ParquetFile(path, page_checksum_verification=True).read()
            rows: pd.DataFrame = table.to_pandas()
            if content_digest(rows) != table.schema.metadata[DIGEST].decode():
                raise ValueError("the content is not what was written")
            rows = rows if columns is None else rows[columns]
        except Exception as error:  # a damaged file can raise anything
            raise ResultsError(
                f"{path}: damaged ({' '.join(str(error).split())[:120]}); delete the file and "
                "run the same command again, which computes just these rows anew"
            ) from error
        return rows

    def metadata(self, shard_id: str) -> dict[str, str]:
        """The metadata with which a shard was written."""
        import pyarrow.parquet as pq

        found = pq.read_schema(self.path_of(shard_id)).metadata or {}
        return {k.decode(): v.decode() for k, v in found.items() if k == b"occstats"}

    def remove(self, shard_id: str) -> None:
        """Forget a shard."""
        self.path_of(shard_id).unlink(missing_ok=True)

    def clean(self) -> None:
        """Remove what killed processes left half-written."""
        for path in self.folder.glob(".part-*.tmp"):
            try:
                if time.time() - path.stat().st_mtime > STALE_AFTER_SECONDS:
                    path.unlink()
            except FileNotFoundError:
                continue


def write_parquet(rows: pd.DataFrame, path: Path, metadata: Mapping[str, str]) -> None:
    """Write a Parquet file with page checksums and metadata, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(rows, preserve_index=False)
    merged: dict[Any, Any] = {**(table.schema.metadata or {}), **metadata}
    merged[DIGEST] = content_digest(rows)
    table = table.replace_schema_metadata(merged)
    temporary = path.parent / f".{path.stem}-{os.getpid()}-{time.monotonic_ns()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            pq.write_table(table, file, compression="zstd", write_page_checksum=True)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written ({error.strerror or error}); what was written before is "
            "safe: make room or choose another --out, and run the same command again"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system allows to."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
