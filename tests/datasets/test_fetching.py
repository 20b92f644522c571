"""Downloads from a local server, which misbehaves on request."""

import io
import os
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.datasets import read_dataset
from occstats.datasets.catalogue import Entry, catalogue, check_folder, entry_of
from occstats.datasets.fetching import fetch_dataset, find_members, prepare_table
from occstats.errors import DataError

# Numbers in a table; larger ones are slow or left out, and prepared like others.
FAST, MOST = 12_000, 120_000
DATA = os.environ.get("OCCSTATS_DATA")


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"inner folder/{name}", content)
    return packed.getvalue()


@pytest.fixture
def entry():
    return Entry(
        name="toy", repository="UCI", page="", address="https://example.org/a+b/toy.zip",
        files=["toy.data"], m=2, classes={"x": 2, "y": 3}, small_classes={}, omitted_rows=1,
        digest="", preparation={"drop": [0]},
    )  # fmt: skip


TOY = "1,0.5,3,x\n2,1,4,y\n3,?,0,y\n4,1.5,2,x\n5,1e2,-1,y\n6,1,1,y\n"


@pytest.fixture
def served(repository, entry):
    path = urlsplit(entry.address).path
    repository.contents[path] = zipped({"toy.data": TOY})
    return path


def fetch(entry, repository, folder, **options):
    return fetch_dataset(entry, folder, mirror=repository.address, wait=lambda _: None, **options)


def test_a_dataset_is_fetched_prepared_and_stored(entry, repository, served, tmp_path):
    dataset = fetch(entry, repository, tmp_path)
    assert dataset.omitted_rows == 1
    stored = read_dataset(tmp_path / "toy.parquet")
    assert stored.X.tolist() == [[0.5, 3], [1, 4], [1.5, 2], [100, -1], [1, 1]]
    assert stored.labels.tolist() == ["x", "y", "x", "y", "y"]
    assert [path.name for path in tmp_path.iterdir()] == ["toy.parquet"]


def test_a_download_is_retried(entry, repository, served, tmp_path):
    repository.answers[served] = [503, "cut", 429]
    assert fetch(entry, repository, tmp_path).omitted_rows == 1
    assert len(repository.requests) == 4


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(500, "responds 500"), ("cut", "the connection ended early"), (None, "refused")],
)
def test_attempts_are_limited(entry, repository, served, tmp_path, answer, reason):
    repository.answers[served] = [answer] * 9
    # Nothing listens to port 1.
    mirror = repository.address if answer else "http://127.0.0.1:1"
    waits = []
    with pytest.raises(DataError, match=rf"failed after 4 attempts \(.*{reason}"):
        fetch_dataset(entry, tmp_path, mirror=mirror, wait=waits.append)
    assert waits == [2, 4, 8]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<!DOCTYPE html><title>Welcome</title>", "sends an HTML page instead of data"),
        (None, "responds 404"),
        (zipped({"other.data": TOY}), "the archive has no file toy.data"),
        (zipped({"toy.data": TOY.replace("x", "y")}), "'x' .0 rows instead of 2"),
        (zipped({"toy.data": TOY.replace(",x", ",7,x").replace(",y", ",7,y")}), "3 attributes"),
        (zipped({"toy.data": TOY.replace("1.5", "much")}), "contains text"),
        (b"PK\x03\x04 broken", "the archive has no file"),
    ],
)
def test_a_wrong_download_is_not_stored(entry, repository, served, tmp_path, content, message):
    repository.contents[served] = content
    with pytest.raises(DataError, match=message):
        fetch(entry, repository, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_oversized_download_is_not_kept(entry, repository, served, tmp_path, monkeypatch):
    monkeypatch.setattr("occstats.datasets.fetching.LARGEST_DOWNLOAD", 10)
    with pytest.raises(DataError, match="larger than any of the datasets"):
        fetch(entry, repository, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_catalogue_agrees_with_the_paper():
    table = pd.read_csv(Path(__file__).parents[1] / "reference/auroc.csv", dtype={"class": str})
    assert list(catalogue()) == list(dict.fromkeys(table["dataset"]))
    for name, rows in table.groupby("dataset"):
        assert entry_of(name).m == rows["m"].iloc[0]
        assert entry_of(name).classes == dict(zip(rows["class"], rows["n"], strict=True))


def original_files(entry, frame):
    """Reconstruct the files of the repository from the prepared table."""
    how = entry.preparation
    labels = frame["class"]
    table = frame.drop(columns="class").astype(object)
    for column, codes in how.get("codes", {}).items():
        name = column if column in table else table.columns[int(column)]
        table[name] = table[name].map({number: text for text, number in codes.items()})
    if "one_hot" in how:
        flags = [[int(label == name) for name in how["one_hot"]] for label in labels]
        table = pd.concat([table, pd.DataFrame(flags)], axis=1)
    elif "rows_per_class" not in how and how.get("layout") != "miniboone":
        label = how.get("label", -1)
        dropped = how.get("drop", [])
        positions = {d: "7" for d in dropped if isinstance(d, int)}
        for rule in how.get("keep", []):
            positions[rule["column"]] = "24"
        if isinstance(label, int) and label >= 0:
            positions[label] = labels
        for position in sorted(positions):
            table.insert(position, f"extra{position}", positions[position], allow_duplicates=True)
        for name in dropped:
            if isinstance(name, str):
                table.insert(0, name, "7")
        if not isinstance(label, int):
            table[label] = labels
        elif label < 0:
            table["the label"] = labels
    layout = how.get("layout", "text")
    if layout == "excel":
        content = io.BytesIO()
        table.to_excel(
            content, sheet_name=how.get("sheet", "Sheet1"), index=False, engine="openpyxl"
        )
        return {entry.files[0]: content.getvalue()}
    if layout == "miniboone":
        counts = f"{(labels == '1').sum()} {(labels == '0').sum()}\n"
        return {entry.files[0]: counts + table.to_csv(sep=" ", header=False, index=False)}
    separator = {"whitespace": " "}.get(how.get("separator", ","), how.get("separator", ","))
    text = {"sep": separator, "index": False, "header": bool(how.get("header"))}
    if layout == "arff":
        head = "".join(f"@attribute '{name}' real\n" for name in table.columns)
        return {entry.files[0]: f"@relation r\n{head}@data\n" + table.to_csv(**text)}
    if layout == "keel":
        return {entry.files[0]: "@relation r\n@data\n" + table.to_csv(**text)}
    axis = 1 if how.get("join") == "columns" else 0
    cuts = np.array_split(np.arange(table.shape[axis]), len(entry.files))
    return {
        name: (table.iloc[:, cut] if axis else table.iloc[cut])
        .to_csv(**text)
        .encode(how.get("encoding", "utf-8"))
        for name, cut in zip(entry.files, cuts, strict=True)
    }


@pytest.mark.skipif(DATA is None, reason="OCCSTATS_DATA is not set")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if entry.rows * entry.m > FAST else ())
        for name, entry in catalogue().items()
        if entry.rows * entry.m <= MOST
    ],
)
def test_every_preparation_reproduces_the_table(name, repository, tmp_path):
    path = Path(DATA) / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name} is not in OCCSTATS_DATA")
    entry, frame = entry_of(name), pd.read_parquet(path)
    files = original_files(entry, frame)
    repository.contents[urlsplit(entry.address).path] = zipped(files)
    dataset = fetch(entry, repository, tmp_path)
    # A spreadsheet keeps 15 digits, text keeps all.
    tolerance = 1e-14 if entry.preparation.get("layout") == "excel" else 0
    expected = frame.drop(columns="class").to_numpy(float)
    np.testing.assert_allclose(dataset.X, expected, rtol=tolerance, atol=0)
    assert dataset.labels.tolist() == frame["class"].tolist()


def test_a_rule_selects_rows_of_one_class(entry):
    rule = {"label": "y", "column": 0, "at_most": 1}
    chosen = replace(entry, preparation={"keep": [rule]})
    rows = zipped({"toy.data": "0,1,x\n5,2,x\n0,3,y\n5,4,y\n"})
    assert prepare_table(rows, chosen)["class"].tolist() == ["x", "x", "y"]


def test_the_first_line_of_miniboone_counts_rows():
    entry = entry_of("miniboone")
    rows = "\n".join(" ".join(["0.5"] * 50) for _ in range(5))
    frame = prepare_table(zipped({"MiniBooNE_PID.txt": f" 2 3\n{rows}\n"}), entry)
    assert frame["class"].tolist() == ["1", "1", "0", "0", "0"]
    assert frame.shape == (5, 51)


@pytest.mark.skipif(DATA is None, reason="OCCSTATS_DATA is not set")
def test_the_check_covers_the_order_of_rows_and_columns(tmp_path):
    frame = pd.read_parquet(Path(DATA) / "glass.parquet")
    attributes = [name for name in frame.columns if name != "class"]
    changed = frame.copy()
    changed.loc[7, attributes[0]] += 1e-6
    expected = {
        "in order": (frame, "ok", "214 rows"),
        "rows": (frame.iloc[::-1], "differs", "same in another order"),
        "columns": (frame[[*attributes[::-1], "class"]], "differs", "same in another order"),
        "values": (changed, "differs", "other values"),
    }
    for place, (table, status, detail) in expected.items():
        folder = tmp_path / place
        folder.mkdir()
        table.to_parquet(folder / "glass.parquet", index=False)
        (finding,) = [f for f in check_folder(folder) if f.name == "glass"]
        assert (finding.status, detail in finding.detail) == (status, True), finding


def test_a_spreadsheet_in_an_archive_is_found_and_damage_is_named():
    spreadsheet, archive = io.BytesIO(), io.BytesIO()
    pd.DataFrame({"a": [1]}).to_excel(spreadsheet)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as stored:
        stored.writestr("Data.xlsx", spreadsheet.getvalue())
    found = find_members(archive.getvalue(), ["Data.xlsx"], source="c.zip")
    assert found == {"Data.xlsx": spreadsheet.getvalue()}
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("folder"), None)
        member = tarfile.TarInfo("folder/toy.data")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"1,2"))
    nested = zipped({"inner.tar.gz": inner.getvalue()})
    assert find_members(nested, ["toy.data"], source="c.zip") == {"toy.data": b"1,2"}
    packed = bytearray(zipped({"toy.data": "1,2,3\n" * 500}))
    start = packed.index(b"toy.data") + len(b"toy.data")
    packed[start : start + 8] = b"\xff" * 8
    with pytest.raises(DataError, match="damaged archive"):
        find_members(bytes(packed), ["toy.data"], source="c.zip")
    pytest.importorskip("unlzw3")
    with pytest.raises(DataError, match=r"c\.data\.Z: damaged archive"):
        find_members(b"not compressed", ["c.data"], source="c.data.Z")


@pytest.mark.parametrize(
    ("options", "fetched"), [([], ["wine"]), (["--force"], ["iris", "wine"])], ids=str
)
def test_the_command_fetches_what_is_missing(tmp_path, monkeypatch, options, fetched):
    asked = []

    def fetch(entry, *_, **__):
        asked.append(entry.name)
        raise DataError("not found")

    monkeypatch.setattr("occstats.datasets.fetching.fetch_dataset", fetch)
    (tmp_path / "iris.parquet").touch()
    arguments = ["datasets", "fetch", "iris", "wine", "--out", str(tmp_path), *options]
    done = CliRunner().invoke(main, arguments)
    assert (asked, done.exit_code) == (fetched, 1)
    assert ("iris: exists" in done.output) == ("iris" not in fetched)
