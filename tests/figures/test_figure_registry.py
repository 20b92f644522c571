"""The list of figures, the accessor of a comparison, and the command line."""

from __future__ import annotations

import inspect

import matplotlib.pyplot as plt
import pytest
from click.testing import CliRunner

from occstats import figures
from occstats.cli import main
from occstats.figures import FIGURES


def run(*arguments):
    return CliRunner().invoke(main, ["figures", *map(str, arguments)])


def test_the_package_offers_every_figure():
    for name in FIGURES:
        assert name in figures.__all__
        assert getattr(figures, name).__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        figures.nonsense  # noqa: B018


def test_the_accessor_offers_every_figure_of_a_comparison(small):
    offered = {name for name, entry in FIGURES.items() if "comparison" in entry.needs}
    assert offered <= set(dir(small.plot))
    assert "times" not in dir(small.plot)
    for name in offered:
        plain = list(inspect.signature(getattr(figures, name)).parameters)
        assert list(inspect.signature(getattr(small.plot, name)).parameters) == plain[1:]
    with pytest.raises(AttributeError, match=r"no figure 'kendal' \(did you mean 'kendall'"):
        small.plot.kendal  # noqa: B018


def test_all_figures_of_a_comparison_are_saved_and_none_stays_open(small, tmp_path):
    written = small.plot.save_all(tmp_path, formats=["svg"], width="acm", algorithms=2)
    expected = [name for name, entry in FIGURES.items() if entry.needs == ("comparison",)]
    assert [path.stem for path in written] == expected
    assert plt.get_fignums() == []


def test_command_line_writes_what_was_asked_for(tmp_path, times_frame, sweep_frame):
    times, sweep, out = tmp_path / "times.csv", tmp_path / "sweep.parquet", tmp_path / "figures"
    # A name that looks like a number stays as it is.
    times_frame.replace({"descriptor": {"NND": "001"}}).to_csv(times, index=False)
    sweep_frame.to_parquet(sweep)
    done = run(
        "--times", times, "--sweep", sweep, "--format", "svg", "--width", "acm", "--out", out
    )
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in out.glob("[!.]*")) == ["sweep.svg", "times.svg"]
    assert len(done.stdout.splitlines()) == 2
    assert ">001<" in (out / "times.svg").read_text()


def test_command_line_passes_every_option_on(tmp_path):
    done = run(
        "lenz2021", "--algorithms", "ALP,SVM,LOF", "--n-resamples", "100", "--only", "mean-ranks",
        "--format", "svg", "--out", tmp_path, "--title", "A title", "--height", "4", "--show", "2",
        "--label", "ALP=Local", "--highlight", "ALP", "--order", "name", "--palette", "deep",
        "--no-note",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["mean_ranks.svg"]
    drawn = (tmp_path / "mean_ranks.svg").read_text(encoding="utf-8").split("</metadata>")
    assert "A title" in drawn[1]
    assert ">Local<" in drawn[1]
    assert ">LOF<" not in drawn[1]
    assert "intervals (" not in drawn[1]
    assert 'height="288pt"' in drawn[0]


def test_command_line_refuses_a_broken_file_in_one_line(tmp_path):
    (tmp_path / "broken.parquet").write_text("<html>not found</html>")
    done = run("--times", tmp_path / "broken.parquet", "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "cannot read" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_command_line_warns_once_about_letters_without_a_font(tmp_path, times_frame):
    path = tmp_path / "times.csv"
    times_frame.replace({"descriptor": {"NND": "𓀀"}}).to_csv(path, index=False)
    done = run(
        "--times", path, "--only", "times", "--out", tmp_path, "--format", "png", "--dpi", 50
    )
    assert done.exit_code == 0
    assert done.stderr.count("Warning: no installed font has 𓀀") == 1
