"""Results store: a folder of Parquet shards, each written atomically."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._files import remove_stale, verify_digest, write_parquet
from occstats.errors import ResultsError

KEY = ["dataset", "class", "descriptor", "fold"]
# Status of a fit without scores.
FAILED = ["failed", "timeout"]
# Rows of a compacted file; a sweep has millions, and a file is held in memory.
MOST_ROWS = 100_000
# Types must not depend on the values of a particular shard.
NUMBERS = {
    "fold": "int64",
    "auroc": "float64",
    "average_precision": "float64",
    "n": "int64",
    "m": "int64",
    "sparsity": "float64",
    "omitted_rows": "int64",
    "seed": "int64",
}


def typed(rows: pd.DataFrame) -> pd.DataFrame:
    """Convert the columns to the types that they have in every shard."""
    return rows.astype(
        {
            name: "float64" if name.endswith("seconds") else NUMBERS.get(name, "string")
            for name in rows.columns
        }
    )


def keys_of(rows: pd.DataFrame) -> list[tuple[str, str, str, int]]:
    """Return the key of each row."""
    return list(zip(*(rows[column] for column in KEY), strict=True))


class Store:
    """A folder of shards, ``part-<id>.parquet``.

    A shard is written to a temporary file, synced and renamed, so that a process killed at any
    moment leaves either the whole shard or nothing. Pages carry checksums and the file a hash of
    its content, verified on reading, so that a flipped bit is an error and not a wrong number.
    Workers may write concurrently: ids are deterministic, two workers that compute the same shard
    write the same rows, and rows of the same key and configuration count once.

    Parameters
    ----------
    folder : path
        The folder; created when the first shard is written.
    """

    def __init__(self, folder: str | Path) -> None:
        # Absolute: a fit may change the working directory.
        self.folder = Path(folder).absolute()

    def path_of(self, shard_id: str) -> Path:
        """Return the file of a shard."""
        return self.folder / f"part-{shard_id}.parquet"

    def shard_ids(self) -> set[str]:
        """Return the ids of all shards in the folder."""
        return {path.stem.removeprefix("part-") for path in self.folder.glob("part-*.parquet")}

    def write(self, shard_id: str, rows: pd.DataFrame, metadata: Mapping[str, str]) -> None:
        """Write a shard atomically."""
        write_parquet(rows, self.path_of(shard_id), metadata)

    def read(self, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """Return the rows of all shards, each once; an empty frame where there are none."""
        wanted = list(columns) if columns is not None else None
        # Earlier versions recorded fewer columns.
        parts = [
            rows if wanted is None else rows.reindex(columns=wanted) for _, rows in self.shards()
        ]
        if not parts:
            return pd.DataFrame(columns=wanted or [])
        return pd.concat(parts, ignore_index=True)

    def shards(self) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Yield the description and the rows of each shard, without rows of earlier shards."""
        read: set[str] = set()
        seen: set[Any] = set()
        while lacking := sorted(self.shard_ids() - read):
            for shard_id in lacking:
                read.add(shard_id)
                # Another process may compact it.
                with suppress(FileNotFoundError), _reading(self.path_of(shard_id)):
                    rows = self.read_shard(shard_id)
                    description = json.loads(self.metadata(shard_id).get("occstats", "{}"))
                    yield description, _without(rows, seen)

    def read_shard(self, shard_id: str) -> pd.DataFrame:
        """Return the rows of one shard, with its checksums verified."""
        import pyarrow.parquet as pq

        path = self.path_of(shard_id)
        with _reading(path):
            # Not as a partitioned dataset: a folder called a=b must not become a column.
            table = pq.ParquetFile(path, page_checksum_verification=True).read()
            rows: pd.DataFrame = table.to_pandas()
            if not verify_digest(rows, table.schema.metadata, str(path)):
                raise ValueError("no hash of its content")
        return rows

    def metadata(self, shard_id: str) -> dict[str, str]:
        """Return the metadata of a shard."""
        import pyarrow.parquet as pq

        with _reading(self.path_of(shard_id)):
            found = pq.read_schema(self.path_of(shard_id)).metadata or {}
            return {k.decode(): v.decode() for k, v in found.items() if k == b"occstats"}

    def forget(self, keys: set[tuple[str, str, str, int]]) -> int:
        """Remove the rows with these keys; return their number."""
        forgotten = 0
        for shard_id in sorted(self.shard_ids()):
            rows = self.read_shard(shard_id)
            kept = rows[[key not in keys for key in keys_of(rows)]]
            forgotten += len(rows) - len(kept)
            if not len(kept):
                self.remove(shard_id)
            elif len(kept) < len(rows):
                self.write(shard_id, kept, self.metadata(shard_id))
        return forgotten

    def remove(self, shard_id: str) -> None:
        """Remove a shard."""
        self.path_of(shard_id).unlink(missing_ok=True)

    def clean(self) -> None:
        """Remove temporary files of killed processes."""
        remove_stale(self.folder, ".part-*.tmp")

    def compact(self) -> None:
        """Merge shards with the same metadata, each row once.

        Files are removed only after the merged file is written: a process killed in between, or
        another that merges at the same time, leaves duplicate rows, which count once.
        """
        descriptions: dict[str, list[str]] = {}
        for shard_id in sorted(self.shard_ids()):
            with suppress(FileNotFoundError):
                descriptions.setdefault(json.dumps(self.metadata(shard_id)), []).append(shard_id)
        seen: set[Any] = set()
        for description, shard_ids in descriptions.items():
            bundle: dict[str, pd.DataFrame] = {}
            dropped = False
            for shard_id in shard_ids:
                with suppress(FileNotFoundError):
                    rows = self.read_shard(shard_id)
                    bundle[shard_id] = _without(rows, seen)
                    dropped |= len(bundle[shard_id]) < len(rows)
                large = sum(map(len, bundle.values())) > MOST_ROWS
                if large or shard_id == shard_ids[-1]:
                    if dropped or len(bundle) > 1:
                        self._merge(bundle, json.loads(description))
                    bundle, dropped = {}, False

    def _merge(self, bundle: dict[str, pd.DataFrame], description: dict[str, str]) -> None:
        rows = pd.concat(bundle.values(), ignore_index=True)
        if len(rows):
            shard_id = hashlib.sha256("\0".join(bundle).encode()).hexdigest()[:20]
            self.write(shard_id, rows, description)
        for shard_id in bundle:
            self.remove(shard_id)


def _without(rows: pd.DataFrame, seen: set[Any]) -> pd.DataFrame:
    """Drop rows whose key and configuration are in `seen`, and add those of the others to it.

    Two runs that compute the same rows write the same values; a fold of a sweep is written whole.
    """
    identity = [*KEY, "configuration"]
    if not set(identity) <= set(rows.columns):
        return rows
    keys = pd.MultiIndex.from_frame(rows[identity])
    distinct = keys.unique()
    again = [key for key in distinct if key in seen]
    seen.update(distinct)
    return rows[~keys.isin(again)] if again else rows


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Report whatever a damaged file raises, which can be anything, with the remedy."""
    try:
        yield
    except (ResultsError, FileNotFoundError):
        raise
    except Exception as error:
        raise ResultsError(
            f"{path}: damaged ({' '.join(str(error).split())[:120]}); delete the file and "
            "run the same command again, which computes only these rows"
        ) from error
