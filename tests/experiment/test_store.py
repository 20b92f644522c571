"""The results store: damaged files, full disks, concurrent writers, and other settings."""

import resource
import signal

import pandas as pd
import pytest

from occstats import load_results, run_experiment
from occstats.errors import DataError, OutputError, ResultsError
from occstats.experiment import prepare
from occstats.experiment.store import Store


def test_existing_rows_are_not_computed_again(toy_folder, tmp_path, scores):
    out = tmp_path / "r"
    first = run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1)
    again = run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1)
    pd.testing.assert_frame_equal(first, again)  # including timings
    more = run_experiment(toy_folder, descriptors=["MD", "other=MD"], out=out, jobs=1)
    kept = more[more["descriptor"] == "MD"].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, kept)
    forced = run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1, force="all")
    pd.testing.assert_frame_equal(scores(first), scores(forced))
    assert not forced.equals(first)  # timings


def test_results_of_other_settings_are_refused_on_any_dataset(toy_folder, tmp_path):
    out = tmp_path / "r"
    run_experiment(toy_folder, datasets=["toy"], descriptors=["MD"], out=out, jobs=1)
    for datasets in (["toy"], ["other"]):
        with pytest.raises(ResultsError, match="results of MD on toy made with other data, code"):
            run_experiment(
                toy_folder, datasets=datasets, descriptors=["MD"], out=out, jobs=1, seed=3
            )
    run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1, seed=3, force="all")


@pytest.mark.usefixtures("in_process")
def test_results_of_edited_code_are_refused(toy_folder, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "my_own.py"
    module.write_text("from misbehaving import Fine\nclass Mine(Fine):\n    pass\n")
    settings = {"out": tmp_path / "r", "descriptors": ["my_own:Mine"]}
    table = run_experiment(toy_folder, datasets=["toy"], jobs=1, **settings)
    assert set(table["status"]) == {"ok"}
    module.write_text(module.read_text() + "    share = 2\n")
    for datasets in (["toy"], ["other"]):
        with pytest.raises(ResultsError, match="results of Mine on toy made with other data, code"):
            prepare(toy_folder, datasets=datasets, **settings).remaining()
    # This process still has the old code, which must not compute rows of the new.
    with pytest.raises(DataError, match="my_own:Mine: this process has the code"):
        run_experiment(toy_folder, jobs=1, force="all", **settings)


def test_a_full_disk_leaves_nothing_behind(toy_folder, tmp_path):
    out = tmp_path / "r"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
        with pytest.raises(OutputError, match="cannot be written"):
            run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, previous)
    assert not list(out.glob(".part-*"))
    table = run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1)
    assert set(table["status"]) == {"ok"}


def test_a_flipped_byte_is_never_a_wrong_number(toy_folder, tmp_path):
    out = tmp_path / "r"
    before = run_experiment([toy_folder / "toy.parquet"], descriptors=["MD"], out=out, jobs=1)
    path = next(out.glob("part-*.parquet"))
    content = path.read_bytes()
    found = []
    for position in range(4, len(content), 83):
        flipped = bytearray(content)
        flipped[position] ^= 0x10
        path.write_bytes(bytes(flipped))
        try:
            rows = Store(out).read()
        except ResultsError as error:
            found.append(str(error))
        else:  # a byte of the metadata that no value depends on
            # Without it a missing text may be None instead of NA, which pandas 2 distinguishes.
            rows = rows.mask(rows.isna(), pd.NA)
            pd.testing.assert_frame_equal(rows, before, check_dtype=False)
    assert len(found) > 10
    assert all(str(path) in message and "delete the file" in message for message in found)


def test_duplicate_rows_count_once(toy_folder, tmp_path):
    out = tmp_path / "r"
    table = run_experiment(toy_folder, descriptors=["MD", "other=MD"], out=out, jobs=1)
    store = Store(out)
    (shard,) = store.shard_ids()
    description, rows = store.read_shard(shard)
    store.write("again", rows.iloc[5:30], description)
    assert len(store.read()) == len(table)
    read = load_results(out)
    pd.testing.assert_frame_equal(read.scores, load_results(table).scores, check_like=True)
    assert any("25" in note for note in read.notes)
    again = run_experiment(toy_folder, descriptors=["MD", "other=MD"], out=out, jobs=1)
    pd.testing.assert_frame_equal(again, table)
    assert len(store.shard_ids()) == 1


def test_shards_are_merged_when_all_parts_are_done(toy_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("occstats.experiment.plan.SHORTEST_SHARD", 0.0)
    experiment = prepare(toy_folder, out=tmp_path / "r", descriptors=["MD"])
    for index in (1, 3, 2):
        assert len(experiment.store.shard_ids()) != 1
        experiment.run(jobs=1, shard=(index, 3))
    assert len(experiment.store.shard_ids()) == 1
    assert len(experiment.table()) == experiment.plan.n_rows
