"""Atomic writing of files and folders."""

import os
import signal
import stat
import subprocess
import sys
import time

import pandas as pd
import pyarrow.parquet as pq
import pytest

from occstats import _files as files
from occstats.errors import OutputError, ResultsError

OLD = [("a.txt", "old a"), ("tables/b.txt", "old b"), ("tables/c.txt", "old c")]
NEW = [("a.txt", "new a"), ("tables/b.txt", "new b")]


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != files.MANIFEST
    }


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = files.write_file(tmp_path / "a.txt", "old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        files.write_file(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_files_and_folders_have_the_usual_permissions(tmp_path):
    files.write_folder(tmp_path / "out", OLD)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("")
    for name in ("", "a.txt"):
        ours, usual = tmp_path / "out" / name, tmp_path / "plain" / name
        assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_only_unedited_files_of_earlier_calls_are_removed(tmp_path):
    folder = files.write_folder(tmp_path / "out", [*OLD, ("tables/edited.txt", "ours")])
    (folder / "tables" / "mine.txt").write_text("mine")
    (folder / "tables" / "edited.txt").write_text("edited by hand")
    files.write_folder(folder, NEW)
    assert content(folder) == {
        "a.txt": "new a",
        "tables/b.txt": "new b",
        "tables/mine.txt": "mine",
        "tables/edited.txt": "edited by hand",
    }


def test_a_failure_before_the_moves_changes_nothing(tmp_path):
    folder = files.write_folder(tmp_path / "out", OLD)

    def failing():
        yield NEW[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_folder(folder, failing())
    assert content(folder) == dict(OLD)
    assert not list(folder.glob(f"{files.STAGING}*.tmp"))


def test_files_of_others_are_replaced_only_by_force(tmp_path):
    folder, victim = tmp_path / "out", tmp_path / "victim.txt"
    folder.mkdir()
    victim.write_text("mine")
    (folder / "a.txt").write_text("mine")
    (folder / files.UNFINISHED).symlink_to(victim)
    with pytest.raises(OutputError, match=r"did not write there: 'a\.txt', 'UNFINISHED\.txt'; "):
        files.write_folder(folder, NEW)
    assert content(folder) == {"a.txt": "mine", files.UNFINISHED: "mine"}
    files.write_folder(folder, NEW, force=True)
    assert content(folder) == dict(NEW)
    assert victim.read_text() == "mine"


def test_symbolic_links_are_not_followed(tmp_path):
    folder, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    files.write_folder(folder, OLD)
    (folder / "tables").rename(elsewhere)
    (folder / "tables").symlink_to(elsewhere)
    with pytest.raises(OutputError, match="symbolic link"):
        files.write_folder(folder, NEW)
    files.write_folder(folder, NEW[:1])
    assert content(elsewhere) == {"b.txt": "old b", "c.txt": "old c"}


@pytest.mark.parametrize(
    "manifest",
    ['{"a.txt": null}', '{"a\\u0000b": "' + "0" * 64 + '"}', "[" * 200_000, "[]", "FIFO"],
)
def test_a_wrong_manifest_is_refused_and_nothing_touched(tmp_path, manifest):
    folder = files.write_folder(tmp_path / "out", OLD)
    path = folder / files.MANIFEST
    if manifest == "FIFO":
        path.unlink()
        os.mkfifo(path)
    else:
        path.write_text(manifest)
    with pytest.raises(OutputError, match="is not a list of files written by occstats"):
        files.write_folder(folder, NEW)
    assert content(folder) == dict(OLD)


def test_a_manifest_cannot_name_files_outside(tmp_path):
    folder = files.write_folder(tmp_path / "out", OLD)
    (tmp_path / "precious.txt").write_text("old a")
    manifest = folder / files.MANIFEST
    manifest.write_text(manifest.read_text().replace('"a.txt"', '"../precious.txt"'))
    files.write_folder(folder, NEW[1:])
    assert (tmp_path / "precious.txt").exists()


def test_old_temporary_files_are_removed(tmp_path):
    folder = files.write_folder(tmp_path / "out", OLD)
    for name, age in ((".occstats-old.tmp", 10_000), (".occstats-new.tmp", 0)):
        (folder / name).mkdir()
        os.utime(folder / name, (time.time() - age,) * 2)
    files.write_folder(folder, NEW)
    assert [path.name for path in folder.glob(".occstats-*.tmp")] == [".occstats-new.tmp"]


REWRITE = """
import os, sys
from occstats import _files as files
count, real = 0, os.replace
def replace(*arguments):
    global count
    if count == 2 + int(sys.argv[2]):  # after the manifest and the note
        os.kill(os.getpid(), 9)
    count += 1
    return real(*arguments)
os.replace = replace
files.write_folder(sys.argv[1], [(f"{i}.txt", "new") for i in range(5)])
"""


@pytest.mark.parametrize("moves", [0, 3])
def test_a_note_remains_if_the_process_is_killed(tmp_path, moves):
    folder = files.write_folder(tmp_path / "out", [(f"{i}.txt", "old") for i in range(1, 5)])
    done = subprocess.run(
        [sys.executable, "-c", REWRITE, str(folder), str(moves)], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (folder / files.UNFINISHED).exists()
    assert [path.read_text() for path in folder.glob("?.txt")].count("new") == moves
    files.write_folder(folder, [(f"{i}.txt", "newest") for i in range(5)])
    assert {path.read_text() for path in folder.glob("*.txt")} == {"newest"}


def test_a_changed_table_is_refused(tmp_path):
    rows = pd.DataFrame({"name": ["x", None], "n": [1, 2], "score": [0.5, None]})
    path = files.write_parquet(rows, tmp_path / "a.parquet", {"version": "1"})
    table = pq.read_table(path)
    assert files.verify_digest(table.to_pandas(), table.schema.metadata, "a")
    assert not files.verify_digest(table.to_pandas(), {}, "a")
    changed = table.to_pandas().assign(n=[1, 3])
    with pytest.raises(ResultsError, match="not what was written"):
        files.verify_digest(changed, table.schema.metadata, "a")


def test_the_digest_does_not_depend_on_the_type_of_a_column():
    rows = pd.DataFrame({"name": ["x", "y", None], "n": [1, 2, 3], "f": [0.5, None, 1.0]})
    held = rows.astype({"name": "category", "n": "Int64", "f": "Float64"})
    assert files.content_digest(held) == files.content_digest(rows)
    assert files.content_digest(rows.astype({"name": "string"})) == files.content_digest(rows)


def test_files_to_keep_are_added_and_never_removed(tmp_path):
    folder = files.write_folder(tmp_path / "out", [("a.pdf", "1")], keep=True)
    files.write_folder(folder, OLD)
    files.write_folder(folder, [("b.pdf", "1")], keep=True)
    files.write_folder(folder, NEW)
    assert content(folder) == {**dict(NEW), "a.pdf": "1", "b.pdf": "1"}
    files.write_folder(folder, [("a.pdf", "2")], keep=True)
    assert content(folder) == {**dict(NEW), "a.pdf": "2", "b.pdf": "1"}


def test_a_folder_that_takes_no_files_is_refused_before_work(tmp_path, monkeypatch):
    def refuse(**_):
        raise FileNotFoundError  # as in /proc, which root may write to

    monkeypatch.setattr(files.tempfile, "mkdtemp", refuse)
    with pytest.raises(OutputError, match="is not writable"):
        files.check_folder(tmp_path / "below")
