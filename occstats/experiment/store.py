"""Results store: a folder of Parquet shards, each written atomically."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
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

    def write(self, shard_id: str, rows: pd.DataFrame, description: Mapping[str, Any]) -> None:
        """Write a shard atomically."""
        write_parquet(rows, self.path_of(shard_id), {"occstats": json.dumps(description)})

    def read_shard(self, shard_id: str) -> tuple[dict[str, Any], pd.DataFrame]:
        """Return the description and the rows of a shard, with its checksums verified."""
        import pyarrow.parquet as pq

        path = self.path_of(shard_id)
        try:
            # Not as a partitioned dataset: a folder called a=b must not become a column.
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                table = file.read()
            rows: pd.DataFrame = table.to_pandas()
            if not verify_digest(rows, table.schema.metadata, str(path)):
                raise ValueError("no hash of its content")
            return json.loads(table.schema.metadata.get(b"occstats", b"{}")), rows
        except (ResultsError, FileNotFoundError):
            raise
        except Exception as error:  # a damaged file can raise anything
            raise ResultsError(
                f"{path}: damaged ({' '.join(str(error).split())[:120]}); delete the file and "
                "run the same command again, which computes only these rows"
            ) from error

    def shards(self) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Yield the description and the rows of each shard, without rows of earlier shards."""
        read: set[str] = set()
        seen: set[Any] = set()
        while lacking := sorted(self.shard_ids() - read):
            read.update(lacking)
            for shard_id in lacking:
                with suppress(FileNotFoundError):  # another process may compact it
                    description, rows = self.read_shard(shard_id)
                    yield description, _without(rows, seen)

    def read(self, columns: list[str] | None = None) -> pd.DataFrame:
        """Return the rows of all shards, each once; an empty frame where there are none."""
        parts = [rows if columns is None else rows[columns] for _, rows in self.shards()]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns or [])

    def forget(self, keys: set[tuple[str, str, str, int]]) -> int:
        """Remove the rows with these keys; return their number."""
        forgotten = 0
        for shard_id in self.shard_ids():
            description, rows = self.read_shard(shard_id)
            kept = rows[[key not in keys for key in keys_of(rows)]]
            forgotten += len(rows) - len(kept)
            self._keep(shard_id, kept, len(rows), description)
        return forgotten

    def clean(self) -> None:
        """Remove temporary files of killed processes."""
        remove_stale(self.folder, ".part-*.tmp")

    def compact(self) -> None:
        """Merge shards with the same description, each row once.

        Files are removed only after the merged file is written: a process killed in between, or
        another that merges at the same time, leaves duplicate rows, which count once.
        """
        seen: set[Any] = set()
        bundles: dict[str, dict[str, pd.DataFrame]] = {}
        for shard_id in sorted(self.shard_ids()):
            with suppress(FileNotFoundError):
                description, rows = self.read_shard(shard_id)
                kept = _without(rows, seen)
                self._keep(shard_id, kept, len(rows), description)
                bundle = bundles.setdefault(json.dumps(description), {})
                bundle[shard_id] = kept
                if sum(map(len, bundle.values())) > MOST_ROWS:
                    self._merge(bundles.pop(json.dumps(description)), description)
        for text, bundle in bundles.items():
            self._merge(bundle, json.loads(text))

    def _keep(self, shard_id: str, kept: pd.DataFrame, n: int, description: dict[str, Any]) -> None:
        """Keep some of the n rows of a shard."""
        if not len(kept):
            self.path_of(shard_id).unlink(missing_ok=True)
        elif len(kept) < n:
            self.write(shard_id, kept, description)

    def _merge(self, bundle: dict[str, pd.DataFrame], description: dict[str, Any]) -> None:
        bundle = {shard_id: rows for shard_id, rows in bundle.items() if len(rows)}
        if len(bundle) > 1:
            shard_id = hashlib.sha256("\0".join(bundle).encode()).hexdigest()[:20]
            self.write(shard_id, pd.concat(bundle.values(), ignore_index=True), description)
            for merged in bundle:
                self.path_of(merged).unlink(missing_ok=True)


def _without(rows: pd.DataFrame, seen: set[Any]) -> pd.DataFrame:
    """Drop rows whose key and configuration are in `seen`, and add those of the others to it.

    Two runs that compute the same rows write the same values; a fold of a sweep is written whole.
    """
    keys = pd.MultiIndex.from_frame(rows[[*KEY, "configuration"]])
    distinct = keys.unique()
    again = [key for key in distinct if key in seen]
    seen.update(distinct)
    return rows[~keys.isin(again)] if again else rows
