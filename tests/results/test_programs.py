"""Files that the programs themselves have written; programs/README.md says how."""

from pathlib import Path

import pytest

from occstats.errors import ResultsError
from occstats.results import load_results

FOLDER = Path(__file__).parent / "programs"
DATA_SETS = {"one", "two", "three"}


def read(*names, **options):
    return load_results(*(FOLDER / name for name in names), **options)


@pytest.mark.parametrize("options", [{}, {"format": "benchopt"}])
def test_benchopt(options):
    table = read("benchopt/written.parquet", **options)
    assert table.algorithms == ["fast[step=0.01]", "slow[step=0.001]"]
    assert (table.n_tasks, set(table.clusters)) == (6, DATA_SETS)
    assert not table.higher_is_better
    # After as many steps the longer ones are nearer to the solution.
    assert (table.scores.iloc[:, 0] < table.scores.iloc[:, 1]).all()


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_inspect(ending):
    files = [f"inspect/{model}.{ending}" for model in ("alpha", "beta")]
    with pytest.raises(ResultsError, match="2 metrics") as caught:
        read(*files, format="inspect", cluster="metadata.passage")
    assert caught.value.retry == {"metric": "match"}
    for metric, half in (("match", 0.0), ("includes", 0.5)):
        table = read(*files, format="inspect", cluster="metadata.passage", metric=metric)
        assert table.algorithms == ["mockllm/alpha", "mockllm/beta"]
        assert set(table.clusters) == DATA_SETS
        assert table.scores["mockllm/alpha"].eq(1).all()
        # The second question of each passage is answered once with the word within others.
        assert table.scores["mockllm/beta"].groupby(level=0).min().eq(half).all()


def test_a_damaged_log_of_inspect(tmp_path, refused):
    content = bytearray((FOLDER / "inspect/alpha.eval").read_bytes())
    content[3000] ^= 0xFF
    (tmp_path / "a.eval").write_bytes(content)
    refused(tmp_path / "a.eval", format="inspect", says=("is no log of Inspect", "damaged"))


def test_tsml():
    table = read("tsml/classification", format="tsml")
    assert (table.score_name, table.higher_is_better) == ("accuracy", True)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[0.5, 1.0]] * 3
    table = read("tsml/regression", format="tsml")
    assert (table.score_name, table.higher_is_better) == ("mse", False)
    assert table.scores[["bad", "good"]].to_numpy().tolist() == [[2.25, 0.25]] * 3


@pytest.mark.parametrize("options", [{}, {"format": "openml"}])
def test_openml(options):
    table = read("openml/evaluations.csv", **options)
    assert table.score_name == "predictive_accuracy"
    assert set(table.clusters) == DATA_SETS
    assert table.scores.to_numpy().tolist() == [[0.89, 0.79], [0.88, 0.78], [0.87, 0.77]]


@pytest.mark.parametrize("options", [{}, {"format": "automlbenchmark"}])
def test_automlbenchmark(options):
    table = read("automlbenchmark/results.csv", **options)
    assert table.algorithms == ["constantpredictor", "TunedForest"]
    assert table.higher_is_better
    assert (table.scores.loc["three"] < 0).all(axis=None)  # a loss, negated
    assert table.missing[["algorithm"]].to_numpy().tolist() == [["TunedForest"]]


def test_helm():
    with pytest.raises(ResultsError, match="2 metrics") as caught:
        read("helm", format="helm")
    table = read("helm", format="helm", **caught.value.retry)
    assert table.score_name == "exact_match"
    assert table.algorithms == ["lab/alpha", "lab/beta"]
    assert set(table.clusters) == {f"mmlu:subject={name}" for name in DATA_SETS}
    assert table.scores.to_numpy().tolist() == [[1.0, 0.0], [1.0, 1.0]] * 3


def test_lm_evaluation_harness():
    with pytest.raises(ResultsError, match="2 metrics") as caught:
        read("lm_eval", format="lm-eval")
    assert caught.value.retry == {"metric": "acc"}
    table = read("lm_eval", format="lm-eval", metric="acc")
    assert table.algorithms == ["lab__alpha", "lab__beta"]
    assert (set(table.clusters), table.n_tasks) == (DATA_SETS, 12)
    assert table.scores["lab__beta"].groupby(level=0).sum().eq(3).all()
    passages = read("lm_eval", format="lm-eval", metric="acc", cluster="doc.passage")
    assert passages.n_clusters == 6
