"""Several results at once."""

import numpy as np
import pandas as pd
import pytest

from occstats.errors import ResultsError
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


def test_tasks_of_one_source_only_are_listed(mine):
    extra = mine.iloc[[0]].assign(dataset="new")
    both = load_results("lenz2021", pd.concat([mine.iloc[6:], extra]))
    assert both.n_tasks == 247
    lacking = [note for note in both.notes if "lacks" in note]
    assert "'lenz2021' lacks 1 of 247 tasks" in lacking[0]
    assert "'new' / '0'" in lacking[0]
    assert "'frame 2' lacks 6 of 247 tasks" in lacking[1]
    assert "'appendicitis' / '0'" in lacking[1]
    assert "and 3 more" in lacking[1]
    with pytest.raises(ResultsError, match="'frame 2' lacks 6"):
        both.resolve_missing()
    assert both.resolve_missing("complete").n_tasks == 240


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


def test_clash_of_names(tmp_path, mine, refused):
    path = tmp_path / "my run.v2.csv"
    mine.assign(model="ALP").to_csv(path, index=False)
    refused("lenz2021", path, says=("'my run': 1 algorithm ('ALP') of the same name",))
    other = mine.assign(model="ALP", dataset="x" + mine["dataset"])
    assert load_results("lenz2021", other).scores["ALP"].notna().all()  # on other tasks


def test_folds_of_one_source(mine):
    folds = pd.concat([mine.assign(fold=f, auc=f / 4) for f in range(3)])
    both = load_results(folds, "lenz2021")
    assert set(both.fold_scores.columns.get_level_values(0)) == {"mine"}
    assert both.cvsd["SVM"].isna().all()
    assert list(both.cvsd) == both.algorithms
    assert both.select(["SVM", "NND"]).fold_scores is None
    assert both.select(["SVM", "mine"]).fold_scores.shape == (246, 3)
    assert len(both.to_frame()) == 246 * len(both.algorithms)


def test_tables_that_cannot_be_joined(mine, refused):
    refused("lenz2021", mine.assign(dataset="x" + mine["dataset"]), says=("no task in common",))
    refused("lenz2021", mine, lower_is_better=True, says=("disagree", "lenz2021: higher"))
    other = mine.rename(columns={"auc": "accuracy"})
    refused("lenz2021", other, says=("different metrics", "'auroc', 'accuracy'"))
    assert load_results("lenz2021", other, score_name="auroc").score_name == "auroc"
    generic = load_results("lenz2021", mine.rename(columns={"auc": "score"}), lower_is_better=False)
    assert "taken to be 'auroc' as well" in generic.notes[0]


def test_similar_names_across_sources_are_noted(mine):
    mine.loc[mine["dataset"] == "iris", "dataset"] = "Iris"
    both = load_results(load_results("lenz2021"), load_results(mine))
    assert any("'iris', 'Iris'" in note for note in both.notes)


def test_options_apply_to_sources_with_the_column(mine):
    odd = mine.rename(columns={"model": "who", "auc": "how_well"})
    named = {"algorithm": "who", "score": "how_well", "lower_is_better": False}
    both = load_results(mine, odd.assign(who="odd"), **named)
    assert both.algorithms == ["mine", "odd"]


def test_bundled_results_follow_conditions_and_refuse_other_roles(refused):
    part = load_results("lenz2021", where="dataset=iris")
    assert (part.n_tasks, part.n_clusters) == (3, 1)
    refused("lenz2021", where="dataset=iriss", says=("did you mean 'iris'",))
    refused("lenz2021", "mine", dataset="class", says=("dataset: bundled results",))
    refused("lenz2021", metric="f1", says=("metric: bundled results",))


def test_conditions_compare_numbers_and_several_columns_are_named_one_by_one(refused):
    frame = pd.DataFrame(
        {"dataset": list("ab") * 4, "name": list("XXYYXXYY"), "size": [1.0] * 4 + [2.0] * 4,
         "auroc": np.linspace(0.1, 0.8, 8)}
    )  # fmt: skip
    one = load_results(frame, algorithm="name", score="auroc", where="size=1")
    assert one.scores.to_numpy().tolist() == frame["auroc"][:4].to_numpy().reshape(2, 2).T.tolist()
    refused(frame, algorithm="name,size", score="auroc", says=("name several columns one by one",))


def test_a_column_of_classes_is_not_proposed_as_the_dataset():
    rows = [(p, c, a) for p in ("iris", "wine", "glass") for c in ("first", "second") for a in "AB"]
    frame = pd.DataFrame(rows, columns=["problem", "class", "method"])
    frame["accuracy"] = np.linspace(0.1, 0.9, len(frame))
    with pytest.raises(ResultsError, match=r"dataset=COLUMN \(or where='class=VALUE'\)"):
        load_results(frame)
    assert load_results(frame, dataset="problem").n_clusters == 3
