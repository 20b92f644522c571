"""Read files of benchmark programs, by hand and written by the programs (programs/README.md)."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.readers import harnesses
from occstats.results.readers.frames import from_frame

MODELS = ("lab/alpha", "lab/beta")
FOLDER = Path(__file__).parent / "programs"
DATASETS = {"one", "two", "three"}


def read(*names, **options):
    return load_results(*(FOLDER / name for name in names), **options)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_mteb_results(tmp_path):
    for model, score in zip(MODELS, (0.9, 0.8), strict=True):
        folder = tmp_path / model.replace("/", "__") / ("a" * 40)
        write(folder / "model_meta.json", {"name": model})
        for task in ("Banking77Classification", "STS12"):
            entry = {"main_score": score, "hf_subset": "default", "languages": ["eng-Latn"]}
            result = {"mteb_version": "2", "task_name": task, "scores": {"test": [entry]}}
            write(folder / f"{task}.json", result)
    results = load_results(tmp_path)
    assert results.algorithms == list(MODELS)
    assert results.scores.to_numpy().tolist() == [[0.9, 0.8]] * 2
    for meta in tmp_path.rglob("model_meta.json"):
        meta.unlink()
    assert load_results(tmp_path).algorithms == list(MODELS)
    files = sorted(tmp_path.rglob("STS12.json"))
    assert load_results(*files).scores.to_numpy().tolist() == [[0.9, 0.8]]


LOGS = ["a.eval", "samples_a.jsonl", "run_spec.json", "testResample0.csv"]


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"scores": 3, "eval": 4}'])
def test_foreign_files_are_refused_in_one_line(tmp_path, refused, name, content):
    assert "\n" not in refused(write(tmp_path / name, content))


@pytest.mark.parametrize("name", [*LOGS[1:3], "a.json"])
def test_logs_of_too_many_values(tmp_path, refused, name):
    (tmp_path / name).write_text(f'{{"eval": 1, "plan": 1, "samples": {[[]] * 30}}}')
    write(tmp_path / "per_instance_stats.json", [[]] * 30)
    refused(tmp_path / name, max_rows=10, says=("cells or more",))


def test_tables_that_no_program_wrote():
    frame = pd.DataFrame({"dataset": ["wine"] * 2, "class": ["1", "2"], "mine": [0.9, 0.8]})
    raw = from_frame(frame, "frame")
    assert harnesses.recognise(raw) is raw
    with pytest.raises(ResultsError, match="no task in common"):
        load_results("lenz2021", FOLDER / "tsml/classification", score_name="auroc")


def test_benchopt():
    table = read("benchopt/written.parquet")
    assert table.algorithms == ["fast[step=0.01]", "slow[step=0.001]"]
    assert (table.n_tasks, set(table.clusters)) == (6, DATASETS)
    assert not table.higher_is_better
    # After equally many steps, longer steps are closer to the solution.
    assert (table.scores.iloc[:, 0] < table.scores.iloc[:, 1]).all()


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_inspect(ending):
    files = [f"inspect/{model}.{ending}" for model in ("alpha", "beta")]
    with pytest.raises(ResultsError, match="names 2 measures"):
        read(*files, cluster="metadata.passage")
    for metric, half in (("match", 0.0), ("includes", 0.5)):
        table = read(*files, cluster="metadata.passage", metric=metric)
        assert table.algorithms == ["mockllm/alpha", "mockllm/beta"]
        assert set(table.clusters) == DATASETS
        assert table.scores["mockllm/alpha"].eq(1).all()
        # One answer to the second question of each passage contains the word among others.
        assert table.scores["mockllm/beta"].groupby(level=0).min().eq(half).all()


def test_a_damaged_log_of_inspect(tmp_path, refused):
    content = bytearray((FOLDER / "inspect/alpha.eval").read_bytes())
    content[3000] ^= 0xFF
    (tmp_path / "a.eval").write_bytes(content)
    refused(tmp_path / "a.eval", says=("is not a log of Inspect", "damaged"))


def test_tsml():
    table = read("tsml/classification")
    assert (table.score_name, table.higher_is_better) == ("accuracy", True)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[0.5, 1.0]] * 3
    table = read("tsml/regression")
    assert (table.score_name, table.higher_is_better) == ("mse", False)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[2.25, 0.25]] * 3


def test_openml():
    table = read("openml/evaluations.csv")
    assert table.score_name == "predictive_accuracy"
    assert set(table.clusters) == DATASETS
    assert table.scores.to_numpy().tolist() == [[0.89, 0.79], [0.88, 0.78], [0.87, 0.77]]


def test_automlbenchmark():
    table = read("automlbenchmark/results.csv")
    assert table.algorithms == ["constantpredictor", "TunedForest"]
    assert table.higher_is_better
    assert (table.scores.loc["three"] < 0).all(axis=None)  # a loss, negated
    assert table.missing["algorithm"].tolist() == ["TunedForest"]
    filled = table.resolve_missing("impute=constantpredictor").scores.loc["two"]
    assert filled.iloc[0, 0] == filled.iloc[0, 1]


def test_lm_evaluation_harness():
    with pytest.raises(ResultsError, match="names 2 measures"):
        read("lm_eval")
    table = read("lm_eval", metric="acc")
    assert (table.score_name, table.algorithms) == ("acc", ["lab__alpha", "lab__beta"])
    assert (set(table.clusters), table.n_tasks) == (DATASETS, 12)
    assert table.scores["lab__beta"].tolist() == [0.0, 1.0, 1.0, 1.0] * 3
    assert read("lm_eval", metric="acc", cluster="doc.passage").n_clusters == 6


def test_helm():
    with pytest.raises(ResultsError, match="names 2 measures"):
        read("helm")
    table = read("helm", metric="exact_match")
    assert table.score_name == "exact_match"
    assert table.algorithms == ["lab/alpha", "lab/beta"]
    assert set(table.clusters) == {f"mmlu:subject={name}" for name in DATASETS}
    assert table.scores.to_numpy().tolist() == [[1.0, 0.0], [1.0, 1.0]] * 3


def test_losses_of_automlbenchmark_need_evidence(tmp_path, refused):
    """A column of losses without a negative result does not show that losses are negated."""
    frame = pd.DataFrame(
        [(f, t, fold) for f in "AB" for t in "xy" for fold in (0, 1)],
        columns=["framework", "task", "fold"],
    ).assign(result=np.arange(8) / 10)
    path = tmp_path / "results.csv"

    def file(**columns):
        frame.assign(**columns).to_csv(path, index=False)
        return path

    for rmse in (0.9, frame["result"]):
        refused(file(rmse=rmse), says=("which column is the score?",))
    assert load_results(file(auc=frame["result"], rmse=0.9)).higher_is_better
    assert load_results(file(rmse=frame["result"], result=-frame["result"])).higher_is_better
