"""Data files of every type, valid and invalid."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

from occstats.datasets import data_files, open_source, read_dataset, select, spool
from occstats.errors import DataError

ARFF = """% comment
@relation toy
@attribute a numeric
@attribute b real
@attribute class {x, 'y\\'s z', 001}
@data
1,2,x
3,?,x
4,5.5,'y\\'s z'
0,1,001
"""


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_class_names_are_text(tmp_path, ending):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4, 5], "class": ["001", "NA", "True", "1e5", "null"]})
    path = tmp_path / f"toy.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        text = frame.to_csv(index=False, sep="\t" if ending == "tsv" else ",")
        write(path, gzip.compress(text.encode()) if ending.endswith("gz") else text)
    dataset = read_dataset(path)
    assert dataset.name == "toy"
    assert dataset.labels.tolist() == ["001", "NA", "True", "1e5", "null"]


def test_arff(tmp_path):
    dataset = read_dataset(write(tmp_path / "toy.arff", ARFF))
    assert dataset.labels.tolist() == ["x", "y's z", "001"]
    assert dataset.X.tolist() == [[1, 2], [4, 5.5], [0, 1]]
    assert dataset.omitted_rows == 1


def test_booleans_and_integer_labels_of_parquet(tmp_path):
    path = tmp_path / "d.parquet"
    pd.DataFrame({"a": [True, False], "class": [1.0, 2.0]}).to_parquet(path)
    assert read_dataset(path).labels.tolist() == ["1", "2"]
    assert read_dataset(path).X.ravel().tolist() == [1.0, 0.0]


def test_a_header_may_have_blanks_quotes_and_empty_lines_above(tmp_path):
    dataset = read_dataset(write(tmp_path / "d.csv", '\na; "b"; "class"\n1; 2; x\n'))
    assert (dataset.X.tolist(), dataset.labels.tolist()) == ([[1, 2]], ["x"])


def test_numbers_of_a_text_file_keep_every_bit(tmp_path):
    numbers = np.random.default_rng(0).normal(size=(500, 2))
    frame = pd.DataFrame(numbers, columns=["a", "b"]).assign(**{"class": "x"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(read_dataset(tmp_path / "t.csv").X, numbers)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "no column 'class' .*found: x, y.; pass its name as label=…"),
        ("a.csv", "class\nx\n", "no attributes besides"),
        ("a.csv", "colour,class\nred,x\n", "the attribute 'colour' contains text .*'red'"),
        ("a.csv", "x,class\n?,x\n,y\n", "no rows without missing values"),
        ("a.csv", "x,class\ninf,x\n", r"infinite value in column 'x' \(row 1 of"),
        ("a.csv", "x, x ,class\n1,1,a\n", "the column 'x' occurs twice"),
        ("a.csv", "", "empty"),
        ("a.csv", "<!DOCTYPE html><p>Not here", "HTML page"),
        ("a.csv", b"a,class\n\x00\x01", "not a text file"),
        ("a.parquet", b"PAR1 and nothing", "cannot be read as .parquet"),
        ("a.parquet", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        ("a.arff", "@relation r\n@attribute s string\nhi\n", "cannot be read as .arff"),
        ("a.arff", ARFF + "1,2\n", "data row 5 has 2 values for 3 attributes"),
        ("a.arff", ARFF + "{0 1}\n", "sparse ARFF"),
        ("a.exe", "MZ", "unknown type of file"),
    ],
)
def test_invalid_files_are_refused_in_one_line(tmp_path, name, content, message):
    with pytest.raises(DataError, match=message) as error:
        read_dataset(write(tmp_path / name, content))
    assert name in str(error.value) or "class" in str(error.value)
    assert "\n" not in str(error.value)


def test_frames_are_written_for_workers_whatever_their_types(tmp_path):
    frame = pd.DataFrame({0: [1, "2", None], "class": [1, "b", 1.0]}, dtype=object)
    data = {"one": frame, "other": frame}
    (source,) = spool(data, tmp_path, datasets=["on*"])
    dataset = open_source(source)
    assert (dataset.name, dataset.X.tolist(), dataset.omitted_rows) == ("one", [[1], [2]], 1)
    assert dataset.labels.tolist() == ["1", "b"]
    with pytest.raises(DataError, match="no dataset matches 'two'"):
        spool(data, tmp_path, datasets=["two"])


def test_other_than_regular_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_dataset(tmp_path / "gone.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="not a regular file"):
        read_dataset(tmp_path / "pipe.csv")
    assert data_files(tmp_path) == []
    with pytest.raises(DataError, match="no data files"):
        select(tmp_path)


def test_selection_by_name_and_glob(tmp_path):
    for name in ["sonar", "seeds", "wine"]:
        write(tmp_path / f"{name}.CSV", "a,class\n1,x\n")
    write(tmp_path / "MANIFEST.csv", "a,b\n1,2\n")
    write(tmp_path / "index.csv.gz", "a,b\n1,2\n")
    assert [s.name for s in select(tmp_path, datasets=["wine", "s*"])] == ["wine", "seeds", "sonar"]
    write(tmp_path / "w[1].csv", "a,class\n1,x\n")
    assert [s.name for s in select(tmp_path, datasets=["w[1]"])] == ["w[1]"]
    (tmp_path / "w[1].csv").unlink()
    with pytest.raises(DataError, match="no dataset matches 'x'; available: seeds, sonar, wine"):
        select(tmp_path, datasets=["x"])
    write(tmp_path / "wine.arff", ARFF)
    with pytest.raises(DataError, match="two datasets are called 'wine'"):
        select(tmp_path)


def test_a_changed_file_is_read_again(tmp_path):
    write(tmp_path / "toy.csv", "a,class\n1,x\n")
    [source] = select(tmp_path)
    assert open_source(source) is open_source(source)
    write(tmp_path / "toy.csv", "a,class\n1,x\n25,x\n")
    assert open_source(source).X.tolist() == [[1.0], [25.0]]
