"""The tables of a comparison, and how their numbers are written."""

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats._format import decimals, limits, p_value
from occstats.report.bundle import contents
from occstats.report.tables import _summary, all_tables, comparison_table
from tests.report.making import compared, scores
from tests.report.screens import CASES, HIGHER, screen, simulated


def named(comparison):
    return {table.name: table for table in all_tables(comparison)}


def test_one_sided_p_values_are_a_square():
    options = {"correction": "holm", "n_resamples": 100}
    greater, less = (
        named(occstats.compare("lenz2021", alternative=alternative, **options))
        for alternative in ("greater", "less")
    )
    square = greater["p_values"]
    assert square.explanation.startswith("Row better than column: one-sided")
    assert (len(square), len(square.headers)) == (9, 10)
    # Both alternatives make the same claims about ordered pairs.
    for name in ("p_values", "pairwise", "comparison"):
        assert greater[name].cells() == less[name].cells()
    assert "≥" not in str(square.cells())


def test_two_reversed_estimates_are_marked():
    table = comparison_table(occstats.compare(CASES / "gate2.csv", lower_is_better=False))
    assert table.cells()[1][-1] == "*†"
    assert table.note.endswith("† the mean difference has the opposite sign.")
    controlled = comparison_table(
        occstats.compare(CASES / "gate2.csv", lower_is_better=False, control="BASE")
    )
    assert controlled.cells()[0][-1] == "worse †"


@pytest.mark.parametrize("p", [0.0496, 0.04996, 0.0501, 0.050004])
def test_p_values_never_round_to_the_level(p):
    assert (float(p_value(p, 0.05)) <= 0.05) == (p <= 0.05)
    assert float(p_value(p, 0.05)) != 0.05
    assert p_value(p, 0.05) == f"{p:g}"


def test_halves_are_rounded_away_from_zero_and_limits_outward():
    write = decimals(3, signed=True)
    assert [write(value) for value in (0.0095, -0.0095, 0.0004, -0.0004, 0.0)] == [
        "+0.010", "-0.010", "0.000", "0.000", "0.000",
    ]  # fmt: skip
    assert limits(3)(-0.0075, 0.0205) == "[-0.008, +0.021]"
    assert limits(3)(-0.1, -0.0004) == "[-0.100, -0.000]"
    assert limits(3)(1e-17, 0.1) == "[0.000, +0.100]"
    assert limits(3)(float("-inf"), 0.1) == "[–, +0.100]"
    assert limits(3)(float("-inf"), float("inf")) == "–"
    assert write(float("inf")) == "–"


def test_mean_ranks_have_the_decimals_of_their_intervals():
    wins = np.where(np.arange(101) < 51, 0.1, -0.1)
    frame = pd.DataFrame({"a": 0.5 + wins, "b": 0.5, "dataset": [f"d{i}" for i in range(101)]})
    found = occstats.compare(frame, algorithms=["a", "b"], lower_is_better=False, n_resamples=100)
    ranks, limits = zip(*(row[1:3] for row in _summary(found).cells()), strict=True)
    assert ranks == ("1.495", "1.505")
    assert all(len(part) == 5 for each in limits for part in each[1:-1].split(", "))


def test_percentages_keep_their_unit_in_every_medium(tmp_path, undrawn):
    frame = simulated(3).set_index(["dataset", "task"])
    text = (100 * frame).map("{:.2f}%".format).reset_index()
    text.to_csv(tmp_path / "percent.csv", index=False)
    found = occstats.compare(tmp_path / "percent.csv", margin=2, **HIGHER, n_resamples=200)
    mean = f"{found.summary['mean_score'][0]:.1f}"
    assert 84 < float(mean) < 86
    files = contents(found)
    media = {name: files[name] for name in ("report.html", "report.md", "paper/comparison.tex")}
    for shown in (screen(found), found._repr_html_(), *media.values()):
        assert mean in shown
        assert "0.84" not in shown.split("Regression")[0]
        assert f"+{found.pairwise_full['difference'][0]:.1f}" in shown
    own = occstats.load_results(tmp_path / "percent.csv", **HIGHER).scores.iloc[0, 0]
    assert f"{own}%" == text["A00"][0].replace("0%", "%")
    # Fractions of another source decide.
    other = frame.rename(columns=str.lower).reset_index()
    joined = occstats.load_results(tmp_path / "percent.csv", other, score_name="accuracy")
    assert joined.scores.to_numpy().max() < 1


def test_the_note_on_omitted_traits_is_that_of_the_regression():
    found = compared(scores("uvwxyz", "AB"))
    (note,) = (table.note for table in all_tables(found) if table.name == "regression")
    assert note == "The regression omits n, m and sparsity: no such column."
    assert not any("regression" in note for note in found.notes)
