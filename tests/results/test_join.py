"""Several results at once."""

import numpy as np
import pandas as pd
import pytest

from occstats.results import load_results


@pytest.fixture
def mine():
    paper = load_results("lenz2021")
    frame = paper.traits.reset_index()
    frame["model"] = "mine"
    frame["auc"] = paper.scores["ALP"].to_numpy()
    return frame


def test_own_method_against_published_results(tmp_path, mine):
    mine.sample(frac=1, random_state=0).to_csv(tmp_path / "mine.csv", index=False)
    both = load_results("lenz2021", tmp_path / "mine.csv")
    assert both.algorithms[-1] == "mine"
    # Joined by task, not by the order of the rows.
    assert both.scores["mine"].equals(both.scores["ALP"].rename("mine"))
    assert both.resolve_missing().n_tasks == 246
    assert both.sources == ("lenz2021", str(tmp_path / "mine.csv"))
    assert both.score_name == "auroc"
    assert both.notes == ()


def test_disputed_traits_count_as_unknown(mine):
    """The paper gives sparsity to two decimals; a finer value is the same."""
    mine.loc[3, "n"] += 1
    mine["sparsity"] += 0.0012
    both = load_results("lenz2021", mine)
    assert both.notes == (
        "The sources disagree on 1 traits of tasks, which count as unknown:"
        " 'avila' / 'B': 'n' (10, 11).",
    )
    assert both.traits["n"].isna().sum() == np.isnan(both.traits["n"].iloc[3]) == 1
    assert both.traits["sparsity"].iloc[0] == load_results("lenz2021").traits["sparsity"].iloc[0]
    mine["sparsity"] += 0.5
    assert load_results("lenz2021", mine).traits["sparsity"].isna().all()


def test_traits_of_one_source_are_used_for_both(mine):
    both = load_results(mine[["dataset", "class", "model", "auc"]], "lenz2021")
    assert both.traits.notna().all().all()


def test_folds_of_one_source(mine):
    folds = pd.concat([mine.assign(fold=f, auc=f / 4) for f in range(3)])
    both = load_results(folds, "lenz2021")
    assert set(both.fold_scores.columns.get_level_values(0)) == {"mine"}
    assert both.cvsd["SVM"].isna().all()
    assert list(both.cvsd) == both.algorithms
    assert both.select(["SVM", "NND"]).fold_scores is None
    assert both.select(["SVM", "mine"]).fold_scores.shape == (246, 3)
    assert len(both.to_frame()) == 246 * len(both.algorithms)
