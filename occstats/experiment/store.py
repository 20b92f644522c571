"""The results store: a folder of Parquet shards, each written whole or not at all."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from occstats.errors import ResultsError
from occstats.files import remove_stale, verify_digest, write_parquet

__all__ = ["KEY", "Store", "keys_of", "typed"]

KEY = ["dataset", "class", "descriptor", "fold"]
# The types must not depend on the values that happen to be in a shard.
NUMBERS = {
    "fold": "int64",
    "auroc": "float64",
    "n": "int64",
    "m": "int64",
    "sparsity": "float64",
    "omitted_rows": "int64",
    "seed": "int64",
}


def typed(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the types that their columns have in every shard.

    Examples
    --------
    >>> typed(pd.DataFrame({"n": [5.0], "error": [None], "fit_seconds": [None]})).dtypes.tolist()
    [dtype('int64'), string..., dtype('float64')]
    """
    return rows.astype(
        {
            name: "float64" if name.endswith("seconds") else NUMBERS.get(name, "string")
            for name in rows.columns
        }
    )


def keys_of(rows: pd.DataFrame) -> list[tuple[str, str, str, int]]:
    """The key of each row."""
    return list(zip(*(rows[column] for column in KEY), strict=True))


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
        # Absolute: a fit may change the directory.
        self.folder = Path(folder).absolute()

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
            if not verify_digest(rows, table.schema.metadata, str(path)):
                raise ValueError("it has no hash of its content")
            rows = rows if columns is None else rows[columns]
        except ResultsError:
            raise
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

    def forget(self, keys: set[tuple[str, str, str, int]]) -> int:
        """Remove the rows with these keys; return how many there were."""
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
        """Forget a shard."""
        self.path_of(shard_id).unlink(missing_ok=True)

    def clean(self) -> None:
        """Remove what killed processes left half-written."""
        remove_stale(self.folder, ".part-*.tmp")
