"""`occstats.compare`: settings, sources, frames and the JSON document."""

import dataclasses
import itertools
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import occstats
from occstats.errors import ResultsError
from occstats.report.json_document import FRAMES, SECTIONS
from tests.comparison.synthetic import compare, table

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def comparison(lenz):
    return lenz()


@pytest.mark.parametrize(
    ("options", "estimand"),
    [({}, "typical"), ({"margin": 0.02}, "mean"), ({"null": "bootstrap"}, "mean"),
     ({"margin": 0.02, "null": "flips"}, "typical"), ({"margin": 0.02, "test": "ds"}, "typical")],
)  # fmt: skip
def test_the_estimand_follows_from_other_settings(lenz, options, estimand):
    found = lenz(algorithms=("ALP", "SVM"), **options)
    assert found.settings.estimand == estimand
    scores = found.results.scores
    differences = (scores["ALP"] - scores["SVM"]).groupby("dataset").mean()
    is_mean = found.matrix("difference").loc["ALP", "SVM"] == pytest.approx(differences.mean())
    assert is_mean == (estimand == "mean")


def test_any_source_gives_the_same_answer(tmp_path):
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND"])
    path = tmp_path / "results.parquet"
    results.write(path)
    sources = (str(path), results.to_frame(),
               [results.select(["ALP", "NND"]), results.select(["SVM"])])  # fmt: skip
    for source in sources:
        pd.testing.assert_series_equal(
            compare(source).pairwise_full["statistic"],
            compare(results).pairwise_full["statistic"],
            rtol=1e-9,
        )
    alone = occstats.compare(*sources[-1], n_resamples=100)
    assert alone.results.scores.equals(compare(sources[-1]).results.scores)


def test_matrices_are_square_in_the_order_of_ranks(comparison):
    square = comparison.matrix("mean_difference")
    assert list(square.index) == list(square.columns) == comparison.algorithms
    assert square.to_numpy()[0, 1:].min() > 0
    rows = comparison.pairwise_full.set_index(["a", "b"])["p"]
    for a, b in itertools.permutations(comparison.algorithms, 2):
        assert comparison.p_values.loc[a, b] == rows[a, b] == rows[b, a]


def frames(value):
    """Return all frames of an object and of those it holds."""
    if isinstance(value, pd.DataFrame):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from frames(getattr(value, field.name))


def test_rows_are_numbered(comparison):
    parts = [getattr(comparison, name) for name in (*FRAMES, *SECTIONS)]
    tables = [frame for part in parts for frame in frames(part)]
    assert len(tables) > 10
    for frame in tables:
        assert frame.index.is_unique
        if frame.index.dtype.kind == "i":
            assert frame.index.tolist() == list(range(len(frame))), list(frame)


def test_algorithms_without_a_common_task_cannot_be_ranked():
    frame = table([2] * 8)
    half = frame["dataset"].isin(["d0", "d1", "d2", "d3"])
    apart = frame[~((frame["algorithm"] == "A0") & half | (frame["algorithm"] == "A1") & ~half)]
    with pytest.raises(ResultsError, match="no task has scores of all algorithms"):
        compare(apart, missing="pairwise")


# Regression, strata and folds.


def test_the_regression_is_corrected_over_algorithms_and_terms(lenz):
    found, paper = lenz(), lenz(preset="paper")
    frame = found.regression
    tested = frame[frame["term"] != "intercept"]
    assert len(tested) == 36
    expected = multipletests(tested["p_unadjusted"], method="holm")[1]
    np.testing.assert_allclose(tested["p"], expected, rtol=1e-12)
    assert frame.loc[frame["term"] == "intercept", "p"].isna().all()
    assert "corrected by Holm's method over all algorithms and terms" in found.methods
    assert paper.regression["p"].equals(paper.regression["p_unadjusted"])
    assert "p-values were not corrected" in paper.methods
    # By default of all algorithms, like the paper.
    np.testing.assert_allclose(frame["coefficient"], paper.regression["coefficient"])


def test_tasks_without_a_logarithm_are_left_out_of_the_regression():
    data = pd.read_csv(resources.files("occstats") / "data" / "lenz2021.csv", dtype={"class": str})
    gone = data["dataset"] == "iris"
    data.loc[gone, "n"] = 0
    keys = ["algorithm", "term"]
    found, without = compare(data), compare(data[~gone])
    pd.testing.assert_frame_equal(
        found.regression.set_index(keys).sort_index(),
        without.regression.set_index(keys).sort_index(),
    )
    assert any("3 tasks" in note for note in found.regression.attrs["notes"])


def test_folds_give_a_spread_and_a_test_per_task():
    # Nadeau and Bengio: s² (1/n + ρ/(1 − ρ)) with n = repeats × folds and ρ = 1/folds.
    rng = np.random.default_rng(0)
    rows = [
        (dataset, algorithm, fold, repeat, shift + rng.normal(scale=0.05))
        for dataset in "uvw"
        for algorithm, shift in (("A", 0.72), ("B", 0.7))
        for fold in range(5)
        for repeat in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "repeat", "auroc"])
    found = compare(frame).fold_tests
    assert found[["better", "equivalent", "worse"]].sum(axis=1).to_numpy() == pytest.approx(
        np.ones(3)
    )
    wide = frame.pivot(index=["dataset", "fold", "repeat"], columns="algorithm", values="auroc")
    first, second = found.loc[0, ["a", "b"]]
    for row in found.itertuples():
        x = (wide[first] - wide[second])[row.dataset]
        scale = x.std() * np.sqrt(1 / 20 + (1 / 5) / (4 / 5))
        expected = stats.t.sf(0.01, df=19, loc=x.mean(), scale=scale)
        assert row.better == pytest.approx(expected)
    # Seeds of its own make nothing comparable but the folds.
    own = frame.assign(repeat=frame["repeat"].astype(str) + frame["algorithm"])
    assert compare(own).fold_tests["better"].notna().all()
    assert compare(table([2] * 3)).fold_tests is None


def test_means_are_means_of_datasets_of_tasks_of_folds_of_repeats(unbalanced):
    found = compare(unbalanced).summary.set_index("algorithm").sort_index()
    levels = ["algorithm", "dataset", "class", "fold", "repeat"]
    means = unbalanced.set_index(levels)["reward"]
    for depth in range(len(levels) - 1, 0, -1):
        means = means.groupby(levels[:depth]).mean()
    pd.testing.assert_series_equal(found["mean_score"], means, check_names=False)
    levels = ["algorithm", "dataset", "class", "repeat"]
    spread = flat = unbalanced.groupby(levels)["reward"].std()
    for depth in (3, 2, 1):
        spread = spread.groupby(levels[:depth]).mean()
    pd.testing.assert_series_equal(found["cvsd"], spread, check_names=False)
    flat = flat.groupby("algorithm").mean()
    assert (found["cvsd"] - flat).abs().min() > 1e-4, "the fixture tells them apart"
