"""Read files of benchmark programs, by hand and written by the programs (programs/README.md)."""

import json
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.readers import harnesses
from occstats.results.readers.frames import from_frame

MODELS = ("lab/alpha", "lab/beta")


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_automlbenchmark_with_failures_and_constraints(tmp_path):
    rows = [
        {"id": f"openml.org/t/{t}", "task": t, "framework": f, "constraint": "1h8c", "fold": fold}
        | {"type": "binary", "metric": metric, "result": sign * (0.8 + 0.01 * fold + bonus)}
        | {"auc": 0.8, "logloss": 0.4, "duration": 3600.0, "seed": fold, "info": None}
        for t, metric, sign in (("adult", "auc", 1), ("cars", "neg_logloss", -1))
        for f, bonus in (("TPOT", 0.0), ("constantpredictor", -0.3))
        for fold in range(2)
    ]
    rows[0] |= {"result": None, "info": "TimeoutError"}
    path = tmp_path / "results.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    for options in ({}, {"reader": "automlbenchmark"}):
        results = load_results(path, **options)
        assert results.algorithms == ["TPOT", "constantpredictor"]
        assert results.higher_is_better
        assert list(results.clusters) == ["adult", "cars"]
        assert results.scores.loc[("cars", "cars"), "TPOT"] == pytest.approx(-0.805)
        assert results.missing["algorithm"].tolist() == ["TPOT"]
    filled = results.resolve_missing("impute=constantpredictor")
    assert filled.scores.iloc[0, 0] == filled.scores.iloc[0, 1]
    two = pd.DataFrame(rows).assign(constraint=["1h8c", "4h8c"] * 4).to_csv(path, index=False)
    assert two is None
    assert "TPOT (4h8c)" in load_results(path).algorithms


def lm_eval_logs(tmp_path):
    for model, right in (("lab__alpha", 1.0), ("lab__beta", 0.0)):
        lines = [
            {"doc_id": i, "doc": {"question": "?" * 400, "passage": f"p{i // 2}"}, "target": "a"}
            | {"arguments": {}, "resps": [["a"]], "filtered_resps": ["a"], "filter": "none"}
            | {"metrics": ["acc"], "acc": right if i else 1.0}
            for i in range(6)
        ]
        name = "samples_boolq_2024-05-01T10-00-00.123456.jsonl"
        write(tmp_path / model / name, "\n".join(map(json.dumps, lines)))


def test_lm_evaluation_harness(tmp_path):
    lm_eval_logs(tmp_path)
    results = load_results(tmp_path, reader="lm-eval")
    assert results.algorithms == ["lab__alpha", "lab__beta"]
    assert set(results.clusters) == {"boolq"}
    assert results.n_tasks == 6
    assert results.score_name == "acc"
    assert load_results(tmp_path, reader="lm-eval", cluster="doc.passage").n_clusters == 3


def inspect_log(model, grade):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "qa", "model": model, "dataset": {"name": "qa"}},
        "results": {"scores": []},
        "samples": [
            {"id": i, "epoch": epoch, "input": "?", "target": "a"}
            | {"metadata": {"passage": f"p{i // 2}", "level": {"name": "easy"}}}
            | {"scores": {"match": {"value": grade if i else "C", "answer": "a"}}}
            for i in range(4)
            for epoch in (1, 2)
        ],
    }


@pytest.mark.parametrize(
    ("grade", "score"),
    [("C", 1), ("I", 0), ("P", 0.5), ("N", 0), (True, 1), (False, 0), (0.7, 0.7)],
)
def test_grades_of_inspect(tmp_path, grade, score):
    files = [write(tmp_path / f"{m[-4:]}.json", inspect_log(m, grade)) for m in MODELS]
    found = load_results(*files, reader="inspect").scores["lab/beta"]
    assert found.tolist() == [1, score, score, score]


def test_inspect_logs(tmp_path):
    files = [
        write(tmp_path / f"log{i}.json", inspect_log(model, grade))
        for i, (model, grade) in enumerate(zip(MODELS, ("C", "I"), strict=True))
    ]
    results = load_results(*files, reader="inspect", cluster="metadata.passage")
    assert results.algorithms == list(MODELS)
    assert results.n_clusters == 2
    assert results.scores["lab/beta"].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert load_results(*files, reader="inspect").n_clusters == 1
    packed = []
    for model in MODELS:
        log = inspect_log(model, "P")
        packed.append(tmp_path / f"{model[-4:]}.eval")
        with zipfile.ZipFile(packed[-1], "w", zipfile.ZIP_DEFLATED) as archive:
            for i, sample in enumerate(log.pop("samples")):
                archive.writestr(f"samples/{i}.json", json.dumps(sample))
            archive.writestr("header.json", json.dumps(log))
    results = load_results(*packed, reader="inspect")
    assert results.scores["lab/beta"].tolist() == [1.0, 0.5, 0.5, 0.5]


def test_mteb_results(tmp_path):
    for model, score in zip(MODELS, (0.9, 0.8), strict=True):
        folder = tmp_path / model.replace("/", "__") / ("a" * 40)
        write(folder / "model_meta.json", {"name": model})
        for task in ("Banking77Classification", "STS12"):
            entry = {"main_score": score, "hf_subset": "default", "languages": ["eng-Latn"]}
            write(folder / f"{task}.json", {"task_name": task, "scores": {"test": [entry]}})
    results = load_results(tmp_path, reader="mteb")
    assert results.algorithms == list(MODELS)
    assert results.scores.to_numpy().tolist() == [[0.9, 0.8]] * 2
    for meta in tmp_path.rglob("model_meta.json"):
        meta.unlink()
    assert load_results(tmp_path, reader="mteb").algorithms == list(MODELS)


@pytest.mark.parametrize("name", ["inspect", "lm-eval", "helm", "mteb", "tsml", "automlbenchmark"])
@pytest.mark.parametrize("content", ["{", "[]", "[1, 2]", '{"scores": 3, "eval": 4}', '"x"'])
def test_foreign_files_are_refused_in_one_line(tmp_path, refused, name, content):
    path = write(tmp_path / "samples_a.json", content)
    assert refused(path, reader=name)


def test_plug_ins(tmp_path, monkeypatch, refused):
    """A reader of another package, found by its entry point."""
    module = tmp_path / "their_package.py"
    module.write_text(
        "import pandas as pd\n"
        "from occstats.results.readers.harnesses import Reader\n"
        "from occstats.results.readers.frames import from_frame\n"
        "def read(paths, limits):\n"
        "    rows = [line.split() for p in paths for line in p.read_text().splitlines()]\n"
        "    frame = pd.DataFrame(rows, columns=['where', 'who', 'points'])\n"
        "    roles = {'cluster': 'where', 'algorithm': 'who', 'score': 'points'}\n"
        "    return [from_frame(frame, 'theirs', suggested=roles)]\n"
        "reader = Reader('theirs', 'lines of theirs', read)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    points = [
        EntryPoint("theirs", "their_package:reader", harnesses.GROUP),
        EntryPoint("broken", "no_such_package:reader", harnesses.GROUP),
    ]
    monkeypatch.setattr(harnesses, "entry_points", lambda group: points)
    write(tmp_path / "a.theirs", "iris A 1\niris B 2\n")
    results = load_results(tmp_path / "a.theirs", reader="theirs")
    assert results.scores.to_numpy().tolist() == [[1.0, 2.0]]
    refused(tmp_path / "a.theirs", reader="broken", says=("'broken'", "cannot be loaded"))
    refused(tmp_path / "a.theirs", reader="inspekt", says=("did you mean 'inspect'?",))


def test_reader_applies_to_files_but_not_to_bundled_tables(tmp_path):
    frame = pd.DataFrame({"dataset": ["wine"] * 2, "class": ["1", "2"], "mine": [0.9, 0.8]})
    raw = from_frame(frame, "frame")
    assert harnesses.recognise(raw) is raw
    lm_eval_logs(tmp_path)
    with pytest.raises(ResultsError, match=r"no task in common|different metrics"):
        load_results("lenz2021", tmp_path, reader="lm-eval")


FOLDER = Path(__file__).parent / "programs"
DATASETS = {"one", "two", "three"}


def read(*names, **options):
    return load_results(*(FOLDER / name for name in names), **options)


@pytest.mark.parametrize("options", [{}, {"reader": "benchopt"}])
def test_benchopt(options):
    table = read("benchopt/written.parquet", **options)
    assert table.algorithms == ["fast[step=0.01]", "slow[step=0.001]"]
    assert (table.n_tasks, set(table.clusters)) == (6, DATASETS)
    assert not table.higher_is_better
    # After equally many steps, longer steps are closer to the solution.
    assert (table.scores.iloc[:, 0] < table.scores.iloc[:, 1]).all()


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_inspect(ending):
    files = [f"inspect/{model}.{ending}" for model in ("alpha", "beta")]
    with pytest.raises(ResultsError, match="2 metrics") as caught:
        read(*files, reader="inspect", cluster="metadata.passage")
    assert caught.value.retry == {"metric": "match"}
    for metric, half in (("match", 0.0), ("includes", 0.5)):
        table = read(*files, reader="inspect", cluster="metadata.passage", metric=metric)
        assert table.algorithms == ["mockllm/alpha", "mockllm/beta"]
        assert set(table.clusters) == DATASETS
        assert table.scores["mockllm/alpha"].eq(1).all()
        # One answer to the second question of each passage contains the word among others.
        assert table.scores["mockllm/beta"].groupby(level=0).min().eq(half).all()


def test_a_damaged_log_of_inspect(tmp_path, refused):
    content = bytearray((FOLDER / "inspect/alpha.eval").read_bytes())
    content[3000] ^= 0xFF
    (tmp_path / "a.eval").write_bytes(content)
    refused(tmp_path / "a.eval", reader="inspect", says=("is not a log of Inspect", "damaged"))


def test_tsml():
    table = read("tsml/classification", reader="tsml")
    assert (table.score_name, table.higher_is_better) == ("accuracy", True)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[0.5, 1.0]] * 3
    table = read("tsml/regression", reader="tsml")
    assert (table.score_name, table.higher_is_better) == ("mse", False)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[2.25, 0.25]] * 3


@pytest.mark.parametrize("options", [{}, {"reader": "openml"}])
def test_openml(options):
    table = read("openml/evaluations.csv", **options)
    assert table.score_name == "predictive_accuracy"
    assert set(table.clusters) == DATASETS
    assert table.scores.to_numpy().tolist() == [[0.89, 0.79], [0.88, 0.78], [0.87, 0.77]]


@pytest.mark.parametrize("options", [{}, {"reader": "automlbenchmark"}])
def test_automlbenchmark(options):
    table = read("automlbenchmark/results.csv", **options)
    assert table.algorithms == ["constantpredictor", "TunedForest"]
    assert table.higher_is_better
    assert (table.scores.loc["three"] < 0).all(axis=None)  # a loss, negated
    assert table.missing[["algorithm"]].to_numpy().tolist() == [["TunedForest"]]


def test_helm():
    with pytest.raises(ResultsError, match="2 metrics") as caught:
        read("helm", reader="helm")
    table = read("helm", reader="helm", **caught.value.retry)
    assert table.score_name == "exact_match"
    assert table.algorithms == ["lab/alpha", "lab/beta"]
    assert set(table.clusters) == {f"mmlu:subject={name}" for name in DATASETS}
    assert table.scores.to_numpy().tolist() == [[1.0, 0.0], [1.0, 1.0]] * 3
