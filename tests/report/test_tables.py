"""The tables of a comparison, and how their numbers are written."""

import numpy as np
import pytest

import occstats
from occstats._format import decimals, limits, p_equation, p_value
from occstats.report.bundle import contents
from occstats.report.tables import all_tables, comparison_table
from tests.report.screens import CASES, HIGHER, screen, simulated


def named(comparison):
    return {table.name: table for table in all_tables(comparison)}


@pytest.fixture(scope="module")
def tables(comparison):
    return named(comparison)


def test_names_are_unique_and_every_section_is_there(tables, comparison):
    assert len(tables) == len(all_tables(comparison))
    first = ["comparison", "p_values", "pairwise", "summary", "effect_sizes"]
    assert list(tables)[:5] == first
    expected = {"kendall", "complementary_pairs", "regression", "strata", "rank_frequencies",
                "diagnostics", "influence", "detectable", "friedman", "scores",
                "ranks"}  # fmt: skip
    assert expected <= set(tables)
    for table in tables.values():
        assert table.title
        assert table.explanation.endswith(".")


def test_columns_of_the_comparison(tables):
    table = tables["comparison"]
    assert [column.keys[0] for column in table.columns] == [
        "algorithm", "mean_rank", "mean_score", "difference", "ci_low", "p", "conclusion",
    ]  # fmt: skip
    assert table.headers[1:6] == [
        "mean rank", "mean AUROC", "typical difference, ALP − it", "95 % CI (all pairs)", "p",
    ]  # fmt: skip
    assert table.cells()[0] == ["ALP", "3.51", "0.817", "", "", "", ""]
    assert list(table.frame) == [
        "algorithm", "mean_rank", "mean_score", "difference", "ci_low", "ci_high", "p",
        "conclusion", "reversed", "wins", "ties", "losses",
    ]  # fmt: skip


def test_p_values_of_a_control_are_one_row():
    table = named(occstats.compare("lenz2021", control="SVM", n_resamples=100))["p_values"]
    assert len(table.cells()) == 1
    assert len(table.headers) == 9


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


def test_only_the_preset_of_the_paper_prints_p_values_of_one():
    found = occstats.compare("lenz2021", preset="paper", n_resamples=100)
    assert "≥ 1" in str(named(found)["p_values"].cells())


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
    assert p_equation(p, 0.05) == f"p = {p:g}"


def test_halves_are_rounded_away_from_zero_and_limits_outward():
    write = decimals(3, signed=True)
    assert [write(value) for value in (0.0095, -0.0095, 0.0004, -0.0004, 0.0)] == [
        "+0.010", "-0.010", "0.000", "0.000", "0.000",
    ]  # fmt: skip
    assert limits(3)(-0.0075, 0.0205) == "[-0.008, +0.021]"
    assert limits(3)(0.0225, -0.0075) == "[+0.022, -0.007]"
    assert limits(3)(float("-inf"), 0.1) == "[–, +0.100]"
    assert limits(3)(float("-inf"), float("inf")) == "–"
    assert write(float("inf")) == "–"


def test_one_dataset_has_neither_intervals_nor_p_values(comparison):
    single = comparison.where("dataset == 'iris'")
    tables = named(single)
    assert not {"p_values", "pairwise", "effect_sizes", "diagnostics"} & set(tables)
    assert not [name for name in tables["comparison"].headers if name == "p" or "CI" in name]
    assert "rank range" not in tables["summary"].headers
    assert "a single dataset" in screen(single)


def test_headings_have_the_level_of_the_comparison():
    comparison = occstats.compare("lenz2021", alpha=0.1, n_resamples=100)
    tables = all_tables(comparison)
    headers = [
        column.header
        for table in tables
        for column in table.columns
        if any(key.endswith("ci_low") for key in column.keys)
    ]
    assert len(headers) > 2
    assert all("90 % CI" in header for header in headers)
    detectable = next(table for table in tables if table.name == "detectable")
    assert "with 80 % power" in detectable.explanation


def test_summary_explains_its_columns(tables):
    assert tables["summary"].headers == [
        "algorithm", "mean rank", "95 % CI", "mean AUROC", "95 % CI", "rank range", "leads",
    ]  # fmt: skip
    assert "ranks consistent with the decisions" in tables["summary"].note
    assert "uncorrected" in tables["summary"].note
    # Scores have no sign, differences do.
    assert "+" not in str(tables["summary"].cells())


def test_differences_of_a_loss_are_positive_where_the_first_is_better():
    frame = simulated(3).set_index(["dataset", "task"]).rsub(1).reset_index()
    comparison = occstats.compare(frame, lower_is_better=True, score_name="loss", n_resamples=100)
    table = comparison_table(comparison)
    assert table.headers[3] == "typical difference, it − A00"
    means = table.frame.set_index("algorithm")["mean_score"]
    assert np.isclose(means["A01"] - means["A00"], table.frame["difference"][1], atol=0.02)


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


def test_p_values_at_the_edges():
    values = (0.00009999, 0.00104, 0.0204, 0.0996, 0.5, 0.9949, 1.0, float("nan"))
    expected = ["<0.001", "0.001", "0.020", "0.10", "0.50", "0.99", ">0.99", "–"]
    assert [p_value(p) for p in values] == expected
