"""The output folder: whole, or as it was."""

import errno
import json

import pytest

import occstats
from occstats import files
from occstats.errors import OutputError


@pytest.fixture(autouse=True)
def _small_page(monkeypatch):
    """The HTML page has tests of its own, and takes longest to draw."""
    monkeypatch.setattr("occstats.report.html.render", lambda comparison, tables: "<p>page</p>")


@pytest.fixture(scope="module")
def comparison():
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND"])
    return occstats.compare(results, n_resamples=100)


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


def test_new_folder_appears_at_once_with_usual_permissions(comparison, tmp_path):
    folder = comparison.write(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b"
    assert folder.stat().st_mode & 0o500 == 0o500
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert json.loads((folder / "comparison.json").read_text())["meta"]["tasks"] == 246


def test_other_peoples_files_stay(comparison, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "comparison.json").write_text("old")
    comparison.write(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "comparison.json").read_text() != "old"
    assert not list(tmp_path.glob(".occstats-*.tmp"))


@pytest.mark.parametrize("existing", [True, False])
def test_failure_in_the_middle_leaves_what_was_there(comparison, tmp_path, monkeypatch, existing):
    folder = tmp_path / "report"
    if existing:
        comparison.write(folder)
    before = content(folder)
    write, calls = files._write_durably, []

    def fail_later(path, data):
        calls.append(path)
        if len(calls) == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data)

    monkeypatch.setattr(files, "_write_durably", fail_later)
    with pytest.raises(OutputError, match=r"the disk is full.*what was there before is untouched"):
        comparison.write(folder)
    assert content(folder) == before
    assert folder.exists() is existing
    assert not list(tmp_path.rglob(".occstats-*.tmp"))


def test_a_folder_where_a_file_belongs_is_refused_before_any_move(comparison, tmp_path):
    (tmp_path / "tables" / "summary.csv").mkdir(parents=True)
    with pytest.raises(OutputError, match="is a folder where a file belongs"):
        comparison.write(tmp_path)
    assert not (tmp_path / "comparison.json").exists()


def test_files_are_the_same_every_time(comparison, tmp_path):
    one, two = comparison.write(tmp_path / "one"), comparison.write(tmp_path / "two")
    assert content(one) == content(two)


def test_unwritable_folder_is_refused(comparison, tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="not writable"):
        comparison.write(tmp_path / "report")
