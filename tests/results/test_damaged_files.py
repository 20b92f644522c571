"""Files that were cut off or changed: refused in one line, or read as they were."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from occstats._files import write_parquet
from occstats.errors import ResultsError
from occstats.results import Results, load_results

CSV = "dataset,class,descriptor,auroc\nx,0,A,0.5\nx,0,B,0.6\n"


def test_truncated_parquet(tmp_path, refused, long_frame):
    path = tmp_path / "a.parquet"
    long_frame.to_parquet(path)
    whole = path.read_bytes()
    for keep in (4, 11, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        refused(path, says=("a.parquet", "cut off"))


def test_csv_that_ends_within_quotation_marks(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text('model,auroc,dataset\nA,0.5,"x"\nB,0.6,"x')
    refused(path, says=("a.csv: ends within a cell", "cut off?"))
    path.write_text('model,auroc,dataset\nA,0.5,"x\ny"\nB,0.6,"x\ny"')
    assert load_results(path).algorithms == ["A", "B"]


def test_feather_with_a_negative_number_in_its_header(tmp_path):
    path = tmp_path / "a.feather"
    pd.DataFrame({"dataset": list("xyz"), "A": [0.1, 0.2, 0.3], "B": [0.4, 0.5, 0.6]}).to_feather(
        path
    )
    whole = path.read_bytes()
    refused = 0
    for sign in range(15, len(whole), 8):  # of every word of 8 bytes after the magic
        path.write_bytes(whole[:sign] + b"\x80" + whole[sign + 1 :])
        try:
            load_results(path)
        except ResultsError:
            refused += 1
    assert refused > 0


def test_truncated_feather_and_gzip(tmp_path, refused, long_frame):
    path = tmp_path / "a.feather"
    long_frame.to_feather(path)
    path.write_bytes(path.read_bytes()[:-40])
    refused(path, says=("damaged Feather",))
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode())[:-9])
    refused(packed, says=("damaged or cut off",))


def attempt(path: Path) -> tuple[str, Results | None]:
    """Load, and give the message of the refusal, or the results."""
    try:
        return "", load_results(path)
    except ResultsError as error:
        return str(error), None


def test_every_flipped_byte_is_found_or_harmless(tmp_path):
    """Pages carry checksums; a flip in them must not give other numbers."""
    path = tmp_path / "a.parquet"
    load_results("lenz2021").write(path)
    whole = path.read_bytes()
    original = load_results(path)
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rng = np.random.default_rng(0)
    found = 0
    for position in rng.choice(np.arange(4, footer), size=60, replace=False):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        message, result = attempt(path)
        if result is None:
            found += 1
            assert "a.parquet" in message
        else:
            pd.testing.assert_frame_equal(result.scores, original.scores)
    assert found > 40


def test_flips_in_the_footer_never_escape_as_other_errors(tmp_path):
    path = tmp_path / "a.parquet"
    load_results("lenz2021").write(path)
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rng = np.random.default_rng(1)
    for position in rng.choice(np.arange(footer, len(whole)), size=60, replace=False):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        assert "\n" not in attempt(path)[0]


def test_damaged_shard_is_named(tmp_path, refused, long_frame):
    for i, part in enumerate((long_frame.iloc[:6], long_frame.iloc[6:])):
        pq.write_table(pa.Table.from_pandas(part), tmp_path / f"part-{i}.parquet")
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1junkPAR1")
    refused(tmp_path, says=("part-1.parquet", "damaged"))


def test_a_shard_whose_content_was_changed_is_refused(tmp_path, refused, long_frame):
    """The digest tells, even if pages and checksums are those of a sound file."""
    rows = long_frame.astype({"dataset": "string"}).assign(error=None, seed=2**60)
    path = write_parquet(rows, tmp_path / "part-0.parquet", {"occstats": "1"})
    assert load_results(tmp_path).n_tasks == 6
    table = pq.read_table(path)
    for column, value in (("auroc", 0.99), ("n", 7), ("dataset", "X"), ("error", "odd")):
        changed = table.to_pandas().assign(**{column: value})
        again = pa.Table.from_pandas(changed, preserve_index=False)
        pq.write_table(again.replace_schema_metadata(table.schema.metadata), path)
        refused(tmp_path, says=("part-0.parquet", "not what was written"))


def test_what_results_write_carries_a_digest(tmp_path, refused, long_frame):
    path = tmp_path / "a.parquet"
    load_results(long_frame).write(path)
    assert "digest" not in load_results(path).read_as[0]
    long_frame.to_parquet(tmp_path / "foreign.parquet")
    assert "no digest of its content" in load_results(tmp_path / "foreign.parquet").read_as[0]
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 11), path)
    refused(path, says=("not what was written",))
