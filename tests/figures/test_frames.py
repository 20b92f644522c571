"""Figures that tidy frames feed, the ALP example, the presets, and the command line."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats import figures
from occstats.cli import main
from occstats.figures._alp_example import EXAMPLE, QUERIES, TRAINING
from occstats.figures._style import PRESETS, FigureError, preset, series_styles


def test_times_draw_means_per_query(times_frame):
    construction, query = figures.times(times_frame).axes
    _, svm, *_ = query.lines
    assert svm.get_xdata().tolist() == [64, 256, 1024, 4096]
    assert svm.get_ydata() == pytest.approx(1e-4 * np.array([64, 256, 1024, 4096]) ** 2.0 / 1024)
    assert construction.get_xscale() == construction.get_yscale() == "log"
    words = figures.alt_text(figures.times(times_frame))
    assert "the slowest SVM (1.85 s)" in words


def test_times_leave_out_what_failed(times_frame):
    frame = times_frame.copy()
    frame.loc[(frame["descriptor"] == "SVM") & (frame["n"] > 1000), "fit_seconds"] = np.nan
    frame.loc[frame["descriptor"] == "IF", "query_seconds"] = 0.0
    construction, query = figures.times(frame).axes
    assert [len(line.get_xdata()) for line in construction.lines[:3]] == [4, 2, 4]
    # NND, SVM and the guide; IF has no time that a logarithmic axis could show.
    assert len(query.lines) == 3


def test_sweep_marks_the_maxima(sweep_frame):
    figure = figures.sweep(sweep_frame, axis_labels={"a": "a (k = a log n)"})
    words = figures.alt_text(figure)
    assert "NND: highest 0.800 at k = 1 (manhattan)." in words
    assert "ALP: highest 0.800 at a = 2 and b = 3." in words
    curves, plane, *_ = figure.axes
    assert curves.get_xlabel() == "k"
    assert plane.get_xlabel() == "a (k = a log n)"
    assert plane.lines[-1].get_xydata().tolist() == [[2, 3]]


def test_sweep_finds_no_maximum_where_the_window_is_incomplete(sweep_frame):
    frame = sweep_frame.copy()
    frame.loc[frame["k"] == 1, "smoothed"] = np.nan
    assert "NND: highest 0.790 at k = 2 (manhattan)." in figures.alt_text(figures.sweep(frame))
    raw = figures.sweep(frame.drop(columns="smoothed"))
    assert "NND: highest 0.800 at k = 1 (manhattan)." in figures.alt_text(raw)


def test_sweep_gives_each_metric_of_a_plane_a_panel(sweep_frame):
    plane = sweep_frame[sweep_frame["descriptor"] == "ALP"].dropna(axis=1, how="all")
    both = pd.concat([plane.assign(metric=metric) for metric in ("manhattan", "euclidean")])
    titles = [axes.get_title() for axes in figures.sweep(both).axes if axes.get_title()]
    assert titles == ["ALP (manhattan)", "ALP (euclidean)"]


@pytest.mark.parametrize(
    ("draw", "frame", "message"),
    [
        (figures.times, pd.DataFrame({"n": [1]}), "times lacks the column descriptor"),
        (figures.sweep, pd.DataFrame({"descriptor": ["a"]}), "sweep lacks the column score"),
        (
            figures.times,
            pd.DataFrame(columns=["descriptor", "n", "fit_seconds", "query_seconds"]),
            "has no rows",
        ),
        (
            figures.times,
            pd.DataFrame({"descriptor": ["a"], "n": [1], "fit_seconds": [0], "query_seconds": [0]}),
            "no positive fit_seconds",
        ),
        (
            figures.sweep,
            pd.DataFrame({"descriptor": ["a"], "score": [0.5]}),
            "one or two hyperparameters a descriptor; 'a' has 0",
        ),
        (
            figures.sweep,
            pd.DataFrame(
                {"descriptor": "a", "x": [1, 2], "y": [1, 2], "z": [1, 2], "score": [0.5, 0.6]}
            ),
            "'a' has 3",
        ),
    ],
)
def test_frames_that_cannot_be_drawn_are_refused(draw, frame, message):
    with pytest.raises(FigureError, match=message):
        draw(frame)


def test_the_example_reproduces_every_entry_of_the_papers_tables():
    # Table of the ALP example in Lenz et al. (2021): neighbours by number, and Manhattan distances.
    expected = {
        "y1": ([1, 2, 3], [4, 5, 6]),
        "y2": ([9, 10, 6], [7, 8, 11]),
        "x1": ([2, 3, 4], [1, 2, 3]),
        "x2": ([1, 3, 4], [1, 1, 2]),
        "x9": ([8, 10, 6], [5, 5, 6]),
        "x10": ([7, 9, 5], [5, 5, 9]),
    }
    for name, (neighbours, distances) in expected.items():
        point = (QUERIES if name[0] == "y" else TRAINING)[int(name[1:]) - 1]
        away = np.abs(TRAINING - point).sum(axis=1)
        if name[0] == "x":
            away[int(name[1:]) - 1] = np.inf
        order = np.argsort(away, kind="stable")
        assert (order[:3] + 1).tolist() == neighbours
        assert away[order[:3]].tolist() == distances
        assert away[order[3]] > distances[-1]
    assert EXAMPLE.local_distances.round(2).tolist() == [[1, 1.67, 2.67], [5, 5, 7]]
    assert EXAMPLE.localised_proximities.round(2).tolist() == [
        [0.2, 0.25, 0.31],
        [0.42, 0.38, 0.39],
    ]
    assert EXAMPLE.scores.round(2).tolist() == [0.27, 0.4]


def test_the_example_prints_what_it_computes():
    table = figures.alp_example().axes[1]
    printed = [text.get_text() for text in table.texts]
    assert printed[-1] == "0.40"
    assert {"0.27", "1.67", "2.67", "0.31", "0.42"} <= set(printed)


@pytest.mark.parametrize(
    ("width", "inches"),
    [("ieee", 3.5), ("IEEE-wide", 7.16), (5, 5.0), ("90mm", 90 / 25.4), ("12.2 cm", 122 / 25.4)],
)
def test_presets_and_lengths(width, inches):
    assert preset(width).width == pytest.approx(inches)


@pytest.mark.parametrize("width", ["", "wide", "-3", "1e9", "nan", 0, "500in"])
def test_widths_that_make_no_sense_are_refused(width):
    with pytest.raises(FigureError, match="width must be"):
        preset(width)


def test_every_venue_has_one_and_two_columns():
    for venue in ("elsevier", "ieee", "lncs", "springer", "neurips", "acm"):
        assert PRESETS[f"{venue}-wide"].width >= PRESETS[venue].width


def test_series_differ_in_colour_or_marker_and_neighbours_in_all():
    looks = list(series_styles(map(str, range(72))).values())
    assert len({(look.color, look.marker) for look in looks}) == 72
    for one, other in itertools.pairwise(looks):
        assert one.color != other.color
        assert one.marker != other.marker
        assert one.linestyle != other.linestyle


@pytest.mark.parametrize("loss", ["none", "deuteranopia", "protanopia"])
def test_colours_can_be_told_apart(loss):
    # Matrices for full deficiency: Machado, Oliveira and Fernandes (2009), table 1, severity 1.0.
    from matplotlib.colors import to_rgb

    matrix = {
        "none": np.eye(3),
        "deuteranopia": np.array(
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ]
        ),
        "protanopia": np.array(
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ]
        ),
    }[loss]
    colours = [to_rgb(look.color) for look in series_styles(map(str, range(8))).values()]
    linear = [np.power(colour, 2.2) for colour in colours]
    seen = [np.clip(matrix @ colour, 0, 1) ** (1 / 2.2) for colour in linear]
    closest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert closest > 0.18


def run(*arguments):
    return CliRunner().invoke(main, ["figures", *map(str, arguments)])


def test_command_line_writes_what_was_asked_for(tmp_path, times_frame, sweep_frame):
    times, sweep = tmp_path / "times.csv", tmp_path / "sweep.parquet"
    times_frame.to_csv(times, index=False)
    sweep_frame.to_parquet(sweep)
    out = tmp_path / "figures"
    done = run(
        "--times", times, "--sweep", sweep, "--format", "svg,pdf", "--width", "acm", "--out", out
    )
    assert done.exit_code == 0, done.output
    names = ["sweep.pdf", "sweep.svg", "times.pdf", "times.svg"]
    assert sorted(path.name for path in out.iterdir()) == names
    assert len(done.stdout.splitlines()) == 4


def test_command_line_compares_and_draws(tmp_path):
    done = run(
        "lenz2021",
        "--only",
        "critical-difference",
        "--algorithms",
        "ALP,SVM,LOF",
        "--out",
        tmp_path,
    )
    assert done.exit_code == 0, done.output
    assert [path.name for path in tmp_path.iterdir()] == ["critical_difference.pdf"]


def test_command_line_keeps_names_as_text(tmp_path, times_frame):
    path = tmp_path / "times.csv"
    times_frame.assign(descriptor="001").to_csv(path, index=False)
    done = run("--times", path, "--out", tmp_path, "--format", "svg")
    assert done.exit_code == 0, done.output
    assert ">001<" in (tmp_path / "times.svg").read_text()


def test_command_line_refuses_a_file_in_place_of_the_folder(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("old")
    done = run("--only", "alp_diagram", "--out", taken)
    assert done.exit_code == 2
    assert "is a file" in done.stderr
    assert taken.read_text() == "old"


def test_command_line_lists_the_figures():
    done = run("--list")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(figures.FIGURES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to draw"),
        (["--only", "kendal", "lenz2021"], "no figure 'kendal' (did you mean 'kendall'?)"),
        (["--only", "ranks"], "figure 'ranks' needs RESULTS"),
        (["--only", "times", "lenz2021"], "figure 'times' needs a table of times"),
        (["lenz2021", "--format", "gif"], "format must be one of"),
        (["lenz2021", "--format", ""], "no format was given"),
        (["lenz2021", "--width", "natrue"], "width must be"),
        (["--times", "nowhere.csv"], "there is no file 'nowhere.csv'"),
        (["--times", "times.pickle"], "takes a .csv or .parquet file"),
    ],
)
def test_command_line_refuses_in_one_line(tmp_path, arguments, message):
    done = run(*arguments, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_command_line_refuses_a_broken_table(tmp_path):
    broken = tmp_path / "times.parquet"
    broken.write_text("<html>not found</html>")
    done = run("--times", broken, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "cannot read" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_command_line_warns_once_about_letters_without_a_font(tmp_path, monkeypatch):
    monkeypatch.setattr("occstats.figures.saving.missing_glyphs", lambda _: ["近", "傍"])
    done = run("--only", "alp_diagram,alp_example", "--out", tmp_path, "--format", "pdf,png")
    assert done.exit_code == 0
    assert done.stderr.count("Warning: no installed font has 近 傍") == 1
