"""Several measures and slices: one decision for each pair, corrected together."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import rankdata

import occstats
from occstats.cli.main import main
from occstats.comparison.decision import BETTER, WORSE
from occstats.errors import ResultsError

NAMES = ["A", "B", "C"]


def table(n_datasets=12, tasks=2, seed=0, gain=0.05):
    """Return a long table: A is better by both measures; slices "x", "y" and an empty one."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(n_datasets):
        effect = rng.normal(scale=0.03, size=3)
        for task in range(tasks):
            for name, own in zip(NAMES, effect, strict=True):
                score = 0.6 + own + rng.normal(scale=0.03) + gain * (name == "A")
                rows.append(
                    {
                        "dataset": f"d{d}",
                        "task": f"t{task}",
                        "algorithm": name,
                        "auroc": score,
                        "accuracy": score + rng.normal(scale=0.02),
                        "part": "xy"[d % 2],
                        "mixed": "xy"[task % 2],
                    }
                )
    return pd.DataFrame(rows)


def compare(data, **options):
    return occstats.compare(data, **{"n_resamples": 500} | options)


@pytest.mark.parametrize("estimand", ["typical", "mean"])
@pytest.mark.parametrize("control", [None, "B"])
def test_a_measure_and_its_copy_are_corrected_as_one(estimand, control):
    data = table().round(2)
    data = data.assign(accuracy=data["auroc"], mae=1 - data["auroc"])
    options = {"estimand": estimand, "control": control, "tie_tolerance": 0.01}
    alone = compare(data, score="auroc", **options)
    found = compare(data, score=["auroc", "accuracy", "mae"], family="measures", **options)
    for member in found.members.values():
        for name in ("p", "difference", "ci_low", "ci_high"):
            own, other = (each.matrix(name).loc[NAMES, NAMES] for each in (alone, member))
            np.testing.assert_allclose(own.astype(float), other.astype(float), rtol=1e-9, atol=1e-9)
        assert "of 3 measures" in member.rule
        assert "of 3 measures" in member.methods
    assert found.contradictions.empty
    assert found.partial.empty


def shares(differences):
    """Return max-T p-values over all sign flips, in plain Python: the columns are tests."""
    m = len(differences)
    ranks = np.column_stack([rankdata(np.abs(x)) for x in differences.T])
    z = (np.sign(differences) * ranks).sum(axis=0) / np.sqrt((ranks**2).sum(axis=0))
    largest = [
        np.abs((np.array(signs)[:, None] * np.sign(differences) * ranks).sum(axis=0))
        / np.sqrt((ranks**2).sum(axis=0))
        for signs in product((-1, 1), repeat=m)
    ]
    return z, np.max(largest, axis=1)


def test_joint_p_values_are_those_of_all_sign_flips():
    # One task per dataset, so that Z is Wilcoxon's; raw and centred differences, the larger share.
    rng = np.random.default_rng(3)
    x = rng.normal(0.03, 0.03, size=(8, 2))
    data = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in range(8)] * 2,
            "algorithm": ["A"] * 8 + ["B"] * 8,
            "auroc": np.r_[0.5 + x[:, 0], np.full(8, 0.5)],
            "accuracy": np.r_[0.5 + x[:, 1], np.full(8, 0.5)],
        }
    )
    first, second = np.triu_indices(8)
    centred = x - np.median((x[first] + x[second]) / 2, axis=0)
    z, largest = shares(x)
    _, largest_centred = shares(centred)
    expected = [max(np.mean(some >= abs(each) - 1e-9) for some in (largest, largest_centred))
                for each in z]  # fmt: skip
    found = compare(data, score=["auroc", "accuracy"], family="measures")
    got = [member.p_values.loc["A", "B"] for member in found.members.values()]
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    single = [compare(data, score=name).p_values.loc["A", "B"] for name in ("auroc", "accuracy")]
    assert np.all(np.array(got) >= single)
    assert max(got) > max(single)


@pytest.mark.parametrize(
    "options",
    [
        {"score": ["auroc", "accuracy"], "family": "measures"},
        {"score": ["auroc", "accuracy"], "family": "measures", "estimand": "mean"},
        {"score": ["auroc", "accuracy"], "margin": 0.2},
        {"score": "auroc", "by": "part"},
        {"score": "auroc", "by": "mixed", "estimand": "mean"},
        {"score": "auroc", "by": "part", "correction": "bonferroni"},
    ],
    ids=str,
)
def test_every_output_has_the_one_decision(options):
    found = compare(table(20), **options)
    document = json.loads(found.to_json())
    for name, member in found.members.items():
        alpha = member.settings.alpha
        for row in member.pairwise_full.to_dict("records"):
            decided = row["conclusion"] in (BETTER, WORSE)
            assert decided == (row["p"] <= alpha) == (row["ci_low"] > 0 or row["ci_high"] < 0)
        shown = document["comparisons"][name]["pairwise"]
        of_family = [row for row in document["pairs"] if row[found.kind] == name]
        for row in of_family:
            (same,) = (r for r in shown if (r["a"], r["b"]) == (row["a"], row["b"]))
            assert {key: same[key] for key in row if key != found.kind} == {
                key: value for key, value in row.items() if key != found.kind
            }
        heading = next(h for h in found.cells if h.lower().startswith(name.lower()))
        for other, cell in found.cells[heading].items():
            kind = member.matrix("conclusion").loc[found.subject, other]
            assert ("*" in cell, "=" in cell) == (kind in (BETTER, WORSE), kind == "equivalent")
    assert found._repr_html_().count("<tr>") == 3


def test_the_folder_has_a_report_for_each_slice(tmp_path, monkeypatch):
    monkeypatch.setattr("occstats.report.page._draw", lambda *_: [])
    data = table(20).replace({"part": {"x": "<b>x</b>"}})
    folder = compare(data, score="auroc", by="part").write(tmp_path / "out")
    assert {"index.html", "comparisons.json", "pairs.csv"} <= {p.name for p in folder.iterdir()}
    report = folder / "slice-b-x-b" / "report.md"
    assert "corrected for all 6 pairs of 2 slices" in report.read_text()
    labels = re.findall(r"\\label\{.*?\}", "".join(p.read_text() for p in folder.rglob("*.tex")))
    assert len(labels) == len({*labels}) > 4
    page = (folder / "index.html").read_text("utf-8")
    assert "&lt;b&gt;x&lt;/b&gt; (10)" in page
    assert "<b>x</b>" not in page
    assert "--accent" in page  # the style of the report
    assert (folder / "paper" / "slices.tex").read_text().startswith("\\begin{table}")


def test_odd_slices_are_explained():
    mixed = compare(table(12), score="auroc", by="mixed")
    assert any("12 datasets have tasks in several slices" in note for note in mixed.notes)
    # A slice with a single dataset has no tests.
    alone = compare(table(2), score="auroc", by="part")
    assert alone["x"].design.detectable["minimal_detectable_corrected"].isna().all()
    # Of four slices, one is empty and one lacks an algorithm: the other two are compared.
    data = table(12, tasks=4)
    data["mixed"] = data["task"].map({"t0": "x", "t1": "y", "t2": "z"})
    data = data[(data["mixed"] != "z") | (data["algorithm"] != "C")]
    found = compare(data, score="auroc", by="mixed", missing="complete")
    assert list(found.members) == ["x", "y"]
    assert any("'z' is left out" in note for note in found.notes)


def test_slices_are_read_with_the_options_of_other_comparisons():
    with pytest.raises(ResultsError, match="cluster: 'task' is a synonym of dataset, which is"):
        compare(table(4), score="auroc", by="part", dataset="dataset", cluster="task")
    with pytest.raises(ResultsError, match="datasets: gives the datasets of a mapping"):
        compare(table(4), score="auroc", by="part", datasets=["x"])
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.4, 0.5]}
    with pytest.raises(ResultsError, match="pass the datasets of the rows as datasets=…"):
        compare(scores, dataset=["x", "y", "z"])


def test_other_corrections_share_the_level():
    found = compare(table(20), score=["auroc", "accuracy"], family="measures", correction="holm")
    assert {member.settings.alpha for member in found.members.values()} == {0.025}
    assert "α/2 (Bonferroni)" in str(found)
    alone = compare(table(20), score="auroc", correction="holm", alpha=0.025)
    pd.testing.assert_frame_equal(found["auroc"].pairwise_full, alone.pairwise_full)


def test_the_result_is_a_mapping_with_a_table_for_a_paper():
    found = compare(table(20), score=["auroc", "accuracy"])
    assert (list(found.keys()), len(found)) == (["auroc", "accuracy"], 2)
    assert found.get("f1") is None
    assert found.verdict.splitlines() == found.lines()
    with pytest.raises(KeyError, match=r"no measure 'acuracy' \(did you mean 'accuracy'\?\)"):
        found["acuracy"]
    with pytest.raises(KeyError, match="no measure 'zz'; there are 'auroc', 'accuracy'"):
        found["zz"]
    with pytest.raises(AttributeError, match=r"each member has one: \['auroc'\]\.p_values"):
        found.p_values  # noqa: B018
    with pytest.raises(AttributeError, match=r"'verdct' \(did you mean 'verdict'\?\)"):
        found.verdct  # noqa: B018
    assert "\\caption{Mine. " in found.to_latex(caption="Mine.")


def test_a_loss_beside_a_score_keeps_its_direction():
    data = table(20).assign(mae=lambda f: 1 - f["auroc"], gap=lambda f: 1 - f["accuracy"])
    found = compare(data, score=["auroc", "mae", "gap"], lower_is_better=True)
    assert [member.algorithms[0] for member in found.members.values()] == ["A"] * 3
    assert found["auroc"].results.higher_is_better
    assert not found["gap"].results.higher_is_better


@pytest.mark.parametrize("options", [["--score", "auroc,accuracy"], ["--by", "part"]], ids=str)
def test_an_unused_dataset_is_pointed_out(options, tmp_path):
    data = table().assign(task=lambda frame: frame["dataset"] + frame["task"])
    data = data.rename(columns={"dataset": "ds"}).drop(columns="mixed")
    data.to_csv(tmp_path / "odd.csv", index=False)
    score = [] if "--score" in options else ["--score", "auroc"]
    command = ["compare", str(tmp_path / "odd.csv"), *options, *score, "--dataset", "task"]
    found = CliRunner().invoke(main, [*command, "--n-resamples", "100"], env={"COLUMNS": "80"})
    assert found.exit_code == 0, found.output
    assert "not used: 'ds'" in " ".join(found.output.split())


def test_measures_of_one_name_and_pairs_without_a_test(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(f"d{i}", name, *rng.random(2)) for i in range(12) for name in "ABC"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "auc", "roc_auc"])
    found = occstats.compare(frame, score=["auc", "roc_auc"], n_resamples=100)
    assert found.cells.shape == (2, 2)
    found.plot()
    with pytest.raises(AttributeError, match=r"such as .*plot.mean_ranks\(\)"):
        found.plot.mean_ranks()
    # In one of the slices, C has a result on a single dataset.
    frame["kind"] = np.repeat(["x", "y"], 18)
    part = frame.drop(columns="roc_auc")[(frame["algorithm"] != "C") | (frame.index < 21)]
    slices = occstats.compare(part, by="kind", missing="pairwise", n_resamples=100)
    slices.plot()
    slices.write(tmp_path / "out")
    assert (tmp_path / "out" / "index.html").is_file()
