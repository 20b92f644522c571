"""The numbers in the figures are those of the comparison, and those of the paper."""

from __future__ import annotations

import dataclasses
import io

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import occstats
from occstats import figures
from occstats.errors import OccstatsError
from occstats.figures import FIGURES
from occstats.figures._style import FigureError

from .conftest import conclusions, decided, results_frame


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_rank_frequencies_are_the_heights_of_the_bars(lenz2021):
    panels = lenz2021.plot.ranks().axes
    assert [axes.get_title() for axes in panels] == list(lenz2021.summary["algorithm"])
    last = panels[-1]
    heights = [patch.get_height() for patch in last.patches]
    assert sum(heights) == pytest.approx(1)
    # The paper: SAE is last in nearly 40 % of the problems and first in about 5 %.
    assert heights[-1] == pytest.approx(0.39, abs=0.01)
    assert heights[0] == pytest.approx(0.05, abs=0.01)


def test_no_bar_is_taller_than_its_panel(lenz2021):
    for axes in lenz2021.plot.ranks().axes:
        assert max(patch.get_height() for patch in axes.patches) <= axes.get_ylim()[1]


def test_kendall_prints_the_values_of_the_paper(lenz2021):
    # ALP–LOF 0.92, IF–EIF 0.81, ALP–IF 0.64, SVM–NND 0.84
    axes = lenz2021.plot.kendall().axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    columns = [label.get_text() for label in axes.get_xticklabels()]
    cells = {
        (rows[int(text.get_position()[1])], columns[int(text.get_position()[0])]): text.get_text()
        for text in axes.texts
    }
    assert len(cells) == 36
    assert cells["LOF", "ALP"] == ".92"
    assert cells["EIF", "IF"] == ".81"
    assert cells["IF", "ALP"] == ".64"
    assert cells["NND", "SVM"] == ".84"


def test_kendall_by_similarity_puts_kin_together(lenz2021):
    axes = lenz2021.plot.kendall(order="similarity").axes[0]
    order = [label.get_text() for label in axes.get_xticklabels()]
    order.append(axes.get_yticklabels()[-1].get_text())
    assert abs(order.index("IF") - order.index("EIF")) == 1
    assert len(order) == 9
    with pytest.raises(
        OccstatsError, match="order must be one of rank, name, similarity; got 'nam'"
    ):
        lenz2021.plot.kendall(order="nam")


def test_pairwise_prints_differences_tests_and_shares(lenz2021):
    cells = texts(lenz2021.plot.pairwise(width="page").axes[0])
    # The paper: corrected p of ALP against SVM 0.16713, against NND 0.01967.
    assert "+.002\n.17" in cells
    assert "+.007\n.020" in cells
    assert sum("\n" in cell for cell in cells) == 36
    shares = [cell for cell in cells if "/" in cell and "\n" not in cell]
    assert len(shares) == 36
    assert {sum(map(int, cell.split("/"))) for cell in shares} == {100}


def test_pairwise_leaves_out_the_ties_where_three_numbers_do_not_fit(default):
    figure = default.plot.pairwise()
    cells = [cell for cell in texts(figure.axes[0]) if ":" in cell]
    assert len(cells) == 36
    row = default.pairwise.set_index(["a", "b"]).loc[("SVM", "ALP")]
    shares = [
        100 * row[kind] / row[["wins", "ties", "losses"]].sum() for kind in ("wins", "losses")
    ]
    assert "{:.0f}:{:.0f}".format(*shares) in cells
    assert "wins:losses in % of the tasks" in figure._supxlabel.get_text().replace("\n", " ")


def marked_cells(axes):
    """The cells with a frame, and those with bold numbers, by row and column."""
    frames = {
        (int(patch.get_y()), int(patch.get_x()))
        for patch in axes.patches
        if isinstance(patch, Rectangle) and not patch.get_fill()
    }
    bold = {
        (int(text.get_position()[1]), int(text.get_position()[0]))
        for text in axes.texts
        if text.get_fontweight() == "bold"
    }
    return frames, bold


@pytest.mark.parametrize(("fixture", "count"), [("default", 14), ("lenz2021", 22)])
def test_pairwise_marks_exactly_what_is_decided(request, fixture, count):
    comparison = request.getfixturevalue(fixture)
    conclusion = comparison.matrix("conclusion").isin(["better", "worse"]).to_numpy()
    decided_pairs = set(map(tuple, np.argwhere(np.triu(conclusion)).tolist()))
    assert len(decided_pairs) == count
    frames, bold = marked_cells(comparison.plot.pairwise().axes[0])
    assert frames == bold == decided_pairs


def test_marks_follow_the_conclusion_and_not_the_p_value(small):
    words = conclusions(np.array([[False, True, False], [True, False, False], [False] * 3]))
    comparison = decided(small, words)
    comparison.pairwise["p"] = np.where(comparison.pairwise["conclusion"] == "undecided", 0.0, 1.0)
    frames, bold = marked_cells(comparison.plot.pairwise().axes[0])
    assert frames == bold == {(0, 2), (1, 2)}


def test_a_one_sided_p_value_is_that_of_the_claim(small):
    comparison = decided(small, np.array([[None, "worse"], ["better", None]]))
    comparison.pairwise["p"] = [1.0, 0.01]
    assert "+.010\n.010" in texts(comparison.plot.pairwise().axes[0])


def test_a_pair_without_a_difference_still_shows_its_decision(small):
    comparison = decided(small, conclusions(np.zeros((2, 2), dtype=bool)))
    comparison.pairwise["difference"] = np.nan
    comparison.pairwise["p"] = 0.02
    axes = comparison.plot.pairwise().axes[0]
    assert "–\n.020" in texts(axes)
    assert marked_cells(axes)[0] == {(0, 1)}


@pytest.mark.parametrize(("estimand", "word"), [("typical", "typical"), ("mean", "mean")])
def test_pairwise_names_the_difference(small, estimand, word):
    settings = dataclasses.replace(small.settings, estimand=estimand, null=None)
    figure = dataclasses.replace(small, settings=settings).plot.pairwise()
    assert f"Above: {word} difference in AUROC" in figure._supxlabel.get_text()


def test_mean_ranks_carry_their_intervals(lenz2021):
    axes = lenz2021.plot.mean_ranks().axes[0]
    bars = [line for line in axes.lines if len(line.get_xdata()) == 2]
    first = lenz2021.summary.iloc[0]
    assert bars[0].get_xdata() == pytest.approx(
        [first["mean_rank_ci_low"], first["mean_rank_ci_high"]]
    )
    assert texts(axes)[:2] == ["3.51", "3.86"]


def test_mean_ranks_are_sorted_by_mean_rank_whatever_the_table_is_sorted_by(lenz2021):
    by_score = dataclasses.replace(
        lenz2021, summary=lenz2021.summary.sort_values("mean_score", ascending=False)
    )
    assert by_score.algorithms != lenz2021.algorithms
    for draw in (by_score.plot.mean_ranks, by_score.plot.letters):
        labels = [label.get_text() for label in draw().axes[0].get_yticklabels()]
        assert labels == lenz2021.algorithms
    numbers = [float(number) for number in texts(by_score.plot.mean_ranks().axes[0])]
    assert numbers == sorted(numbers)


def test_mean_ranks_have_one_colour_unless_asked_for_more(lenz2021):
    def colours(**options):
        lines = lenz2021.plot.mean_ranks(**options).axes[0].lines
        return {line.get_color() for line in lines}

    assert len(colours()) == 1
    assert len(colours(palette="deep")) == 9


@pytest.mark.parametrize(("data_sets", "kind"), [(5, "Student's"), (8, "bootstrap-t")])
def test_the_kind_of_the_intervals_is_that_of_the_methods(data_sets, kind):
    frame = results_frame(["p", "q"], [f"d{place}" for place in range(data_sets)], 2)
    comparison = occstats.compare(frame, n_resamples=100)
    figure = comparison.plot.mean_ranks()
    assert kind in figure._supxlabel.get_text().replace("\n", " ")
    assert kind in figures.alt_text(figure)


def test_regression_shows_the_effect_of_size_on_sae(lenz2021):
    # The paper: each unit of log n improves the rank of SAE by 0.31 places (± 0.19).
    axes = lenz2021.plot.regression(algorithms=["SAE"]).axes[0]
    assert axes.get_title() == "log n"
    interval = next(
        line.get_xdata()
        for line in axes.lines
        if line.get_color() == "#0072B2" and len(line.get_xdata()) == 2
    )
    assert np.mean(interval) == pytest.approx(-0.311, abs=0.001)
    assert np.ptp(interval) / 2 == pytest.approx(0.186, abs=0.001)
    words = figures.alt_text(lenz2021.plot.regression())
    assert "log n improves the rank of SAE" in words


def test_strata_show_what_was_chosen(lenz2021):
    chosen = ["ALP", "SVM", "LOF", "IF"]
    axes = lenz2021.plot.strata(algorithms=chosen).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == chosen
    expected = lenz2021.strata.query("algorithm == 'IF'").sort_values("low")["mean_rank"]
    assert axes.lines[3].get_ydata() == pytest.approx(expected.to_numpy())
    assert axes.yaxis.get_inverted()


def test_strata_have_intervals(lenz2021):
    found = lenz2021.plot.strata().findobj(Text)
    texts = [text.get_text().replace("\n", " ") for text in found]
    assert any("95\u00a0% confidence intervals (cluster bootstrap)" in text for text in texts)


def test_distributions_follow_the_weights(lenz2021):
    words = figures.alt_text(lenz2021.plot.distributions(algorithms=["SVM"]))
    scores = lenz2021.results.scores["SVM"].to_numpy()
    order = np.argsort(scores)
    reached = np.cumsum(lenz2021.results.weights[order])
    median = scores[order][np.searchsorted(reached, 0.5)]
    assert f"SVM {median:.3f}" in words


def test_scatter_defaults_to_the_best_two(lenz2021):
    axes = lenz2021.plot.scatter().axes[0]
    assert axes.get_ylabel() == "AUROC of ALP"
    assert axes.get_xlabel() == "AUROC of SVM"
    means = lenz2021.results.scores.groupby(level=0).mean()
    drawn = np.concatenate(
        [
            np.column_stack(line.get_data())
            for line in axes.lines
            if line.get_markeredgecolor() == "white"
        ]
    )
    assert len(drawn) == len(means) == 50
    assert np.sort(drawn[:, 1]) == pytest.approx(np.sort(means["ALP"].to_numpy()))


@pytest.mark.parametrize(("fixture", "worst"), [("default", 5), ("lenz2021", 2)])
def test_rank_sets_count_the_conclusions(request, fixture, worst):
    from occstats.figures._rank_sets import possible_ranks

    comparison = request.getfixturevalue(fixture)
    ranks = possible_ranks(comparison)
    # By default four algorithms are significantly worse than ALP, and none is better.
    assert ranks.loc["ALP"].tolist() == [1, 1, worst]
    conclusion = comparison.matrix("conclusion")
    for name in ranks.index:
        better = (conclusion[name] == "better").sum()
        worse = (conclusion.loc[name] == "better").sum()
        assert ranks.loc[name, ["best", "worst"]].tolist() == [1 + better, 9 - worse]
    note = comparison.plot.rank_sets()._supxlabel.get_text()
    assert note.startswith("Ranks consistent with the decisions")
    assert FIGURES["rank_sets"].caption == "Ranks consistent with the decisions"


def test_profiles_start_with_the_share_of_tasks_won(lenz2021):
    axes = lenz2021.plot.profiles(algorithms=["ALP", "SVM"]).axes[0]
    scores = lenz2021.results.scores
    weights = np.asarray(lenz2021.results.weights)
    for line, name in zip(axes.lines, ["ALP", "SVM"], strict=False):
        best = scores[name] >= scores.max(axis=1) - 1e-12
        assert line.get_ydata()[0] == pytest.approx(weights[best].sum() / weights.sum())
        assert (np.diff(line.get_ydata()) >= 0).all()


def test_numbers_on_any_blue_can_be_read(lenz2021):
    axes = lenz2021.plot.kendall().axes[0]
    mesh = axes.collections[0]
    for text in axes.texts:
        column, row = map(int, text.get_position())
        ground = mesh.to_rgba(np.asarray(mesh.get_array()).reshape(8, 8)[row, column])
        assert contrast(text.get_color(), ground) >= 4.5, text.get_text()


def contrast(one, other):
    """Contrast of two colours by WCAG 2.1."""
    from matplotlib.colors import to_rgb

    def luminance(colour):
        parts = np.array(to_rgb(colour))
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plot: plot.scatter("alp", "SVM"), "'alp' is not in this comparison .*'ALP'"),
        (lambda plot: plot.scatter("ALP", "ALP"), "two different algorithms"),
        (lambda plot: plot.strata(algorithms=["XYZ"]), "'XYZ' is not in this comparison"),
        (lambda plot: plot.strata(algorithms=[]), "at least one"),
        (lambda plot: plot.strata(algorithms="ALP"), "must be a list of names"),
        (lambda plot: plot.ranks(width="natrue"), "width must be a number of inches"),
        (lambda plot: plot.ranks(width=0.1), "between 2 and 40 inches"),
    ],
)
def test_bad_arguments_are_refused_with_a_reason(lenz2021, call, message):
    with pytest.raises(OccstatsError, match=message):
        call(lenz2021.plot)


def test_one_data_set_has_ranks_without_intervals():
    frame = pd.DataFrame(
        {
            "dataset": "only",
            "class": list("abcdabcd"),
            "descriptor": ["p"] * 4 + ["q"] * 4,
            "auroc": [0.9, 0.8, 0.7, 0.6, 0.8, 0.85, 0.6, 0.5],
        }
    )
    comparison = occstats.compare(frame, n_resamples=100)
    note = comparison.plot.mean_ranks()._supxlabel.get_text()
    assert note == "No intervals: too few datasets to resample."
    with pytest.raises(FigureError, match="no regression to draw"):
        comparison.plot.regression()
    diagram = comparison.plot.critical_difference()
    assert diagram._supxlabel.get_text() == "No pair was tested."


def test_of_many_algorithms_neighbouring_ranks_share_a_bar(many):
    figure = many.plot.ranks()
    total = len(many.algorithms)
    assert total == 31
    first = many.rank_frequencies.query("algorithm == @many.algorithms[0]")
    frequency = first.sort_values("rank")["frequency"].to_numpy()
    bars = [bar for bar in figure.axes[0].patches if bar.get_width() > 0]
    assert len(bars) == 16
    heights = [bar.get_height() for bar in bars]
    expected = [frequency[place : place + 2].sum() for place in range(0, total, 2)]
    np.testing.assert_allclose(heights, expected, rtol=0, atol=1e-12)
    assert any("Every bar is 2 ranks." in text.get_text() for text in figure.findobj(Text))


def test_names_of_a_matrix_do_not_run_into_each_other(many):
    for name in ("kendall", "pairwise"):
        for width in ("column", "page"):
            figure = getattr(many.plot, name)(width=width)
            figure.savefig(io.BytesIO())
            axes = figure.axes[0]
            height = axes.get_position().height * figure.get_figheight() * 72
            rows = len(axes.get_yticks())
            # The letters are of 7 points.
            assert height / rows >= 6.9, (name, width)


def test_a_square_keeps_its_names_on_the_paper():
    names = [f"a_name_of_some_length_{place:02d}" for place in range(14)]
    comparison = occstats.compare(results_frame(names, list("abcdef"), 1), n_resamples=100)
    figure = comparison.plot.pairwise(width="ieee")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    with matplotlib.rc_context(figure.settings):
        tops = [
            text.get_window_extent(canvas.get_renderer()).y1
            for text in figure.axes[0].get_xticklabels()
        ]
    assert max(tops) <= figure.bbox.height


def test_mean_ranks_beside_letters_do_not_touch_the_names(many):
    figure = many.plot.letters(width="column")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes, renderer = figure.axes[0], canvas.get_renderer()
    with matplotlib.rc_context(figure.settings):
        names = max(text.get_window_extent(renderer).x1 for text in axes.get_yticklabels())
        numbers = [text for text in axes.texts if "." in text.get_text()]
        assert len(numbers) == 31
        assert min(text.get_window_extent(renderer).x0 for text in numbers) > names
