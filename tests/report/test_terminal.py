"""The terminal: the first screen of each kind of comparison, and tables at every width."""

import io
import re
from collections import Counter
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.report.formatted_table import Column, Table
from occstats.report.tables import all_tables, comparison_table
from occstats.report.terminal import make_console, print_comparison, print_table
from tests.report.screens import FOLDER, HIGHER, LONG, SCREENS, compared, screen, simulated

DESCRIBED = [f"gradient boosting with a very long description, variant {i}" for i in range(7)]


@pytest.mark.parametrize("name", SCREENS)
def test_first_screen(name):
    text = screen(compared(name))
    assert text == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= (24 if name in ("lenz2021", "mean", "margin", "holm", "paper") else 36)
    assert not re.search(r"tied|P\(best\)|nan|\binf\b|data set\b|−0\.0+\b|[ [(]-\d", text)


def test_a_common_prefix_is_left_out_once(comparison):
    names = [LONG.format(position) for position in range(4)]
    forty = compared("forty")
    assert screen(forty).count("GradientBoosting-ResNet-") == 3  # read as (2), and the remark
    assert set(names) < {row[0] for row in comparison_table(forty).cells()}
    assert screen(forty, full=True).count(names[0]) == 1


def test_many_zero_differences_print_wins_and_losses():
    frame = simulated(4)
    frame[["A00", "A01"]] = frame[["A00", "A01"]].round(1)
    comparison = occstats.compare(frame, **HIGHER, estimand="typical", n_resamples=200)
    row = comparison.pairwise_full.query("a == 'A00' and b == 'A01'").iloc[0]
    text = screen(comparison)
    assert row["ties"] > 0.2 * row["n_tasks"]
    assert f"{row['wins']} wins : {row['losses']} losses" in text
    assert re.search(r"^A02 .*\[", text, flags=re.MULTILINE)
    binary = (simulated(3).set_index(["dataset", "task"]) > 0.77).astype(int).reset_index()
    found = occstats.compare(binary, algorithms=["A00", "A01"], **HIGHER, n_resamples=200)
    assert "mean difference" in screen(found)
    found = occstats.compare(
        binary.assign(A02=binary["A01"]), estimand="typical", **HIGHER, n_resamples=200
    )
    assert "wins : losses" in screen(found)


def test_notes_are_cut_after_three(comparison):
    notes = tuple(f"This is note {number}." for number in range(5))
    text = screen(occstats.compare(replace(comparison.given, notes=notes), n_resamples=100))
    assert "note 2" in text
    assert "note 3" not in text
    assert "2 more notes with --full" in text


def with_long_names():
    values = np.random.default_rng(5).normal(0, 1000, (24, len(DESCRIBED)))
    frame = pd.DataFrame(values + np.arange(len(DESCRIBED)) * 300, columns=DESCRIBED)
    frame.insert(0, "dataset", [f"collected in the year {1990 + i // 2}" for i in range(24)])
    frame.insert(1, "class", [str(i % 2) for i in range(24)])
    return frame


@pytest.fixture(scope="module", params=["lenz2021", "reproduction", "long"])
def studied(request):
    source = with_long_names() if request.param == "long" else request.param
    return occstats.compare(source, **HIGHER, n_resamples=100)


def shown(table, width):
    stream = io.StringIO()
    with mock.patch("occstats.report.terminal.MOST_BLOCKS", 100):
        print_table(make_console(stream, width=width), table)
    return stream.getvalue()


def numbers(table):
    """Return every number that the table has to show, with how often it occurs."""
    rows = table.cells(min(len(table), table.terminal_rows))
    return Counter(
        cell.replace("-", "−")
        for row in rows
        for cell, column in zip(row, table.columns, strict=True)
        if column.number and cell
    )


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_number_is_ever_cut(studied, width):
    for table in all_tables(studied):
        if not table.terminal_rows:
            continue
        text = shown(table, width)
        assert max(map(len, text.splitlines())) <= width, table.name
        for cell, count in numbers(table).items():
            whole = rf"(?<![\d.,+−]){re.escape(cell)}(?![\d.,…])"
            assert len(re.findall(whole, text)) >= count, (table.name, cell)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal(studied, width):
    assert max(map(len, screen(studied, width).splitlines())) <= width


def test_rows_of_a_triangle_end_where_its_columns_do(comparison):
    triangle = next(table for table in all_tables(comparison) if table.name == "kendall")
    rows = [line.split()[0] for line in shown(triangle, 40).splitlines() if line[:1].isupper()]
    # Six columns fit next to the names, up to EIF's; the last row that has a value there is IF's.
    first = ["ALP", "SVM", "NND", "MD", "LOF", "IF"]
    expected = [*first, *first, "EIF", "LNND"]
    assert [row for row in rows if row in comparison.algorithms] == expected


def test_many_algorithms_are_cut_on_screen_and_in_notebooks():
    comparison = occstats.compare(simulated(45, 6, 1), **HIGHER, n_resamples=100)
    text = screen(comparison, 200, full=True)
    assert len(text.splitlines()) < 800
    assert "more rows" in text
    assert len(comparison._repr_html_()) < 2_000_000


def test_a_long_name_is_cut_to_the_width():
    frame = pd.DataFrame({"a": ["x" * 80], "b": ["1.0"]})
    columns = (Column("name", ("a",), number=False), Column("n", ("b",)))
    table = Table("t", "Title", "Explanation.", frame, columns)
    assert max(len(line) for line in shown(table, 40).splitlines()) <= 40
    assert "not shown here" not in shown(table, 40)


def test_colours_are_for_terminals_and_obey_no_color(comparison, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def printed():
        stream = Terminal()
        print_comparison(comparison, file=stream)
        return stream.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in printed()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not any(code in printed() for code in ("\x1b[3", "\x1b[9", "\x1b[4"))


def test_the_level_of_an_interval_stays_on_one_line():
    frame = pd.DataFrame({"name": ["a" * 20], "low": [1], "high": [2]})
    columns = [Column("algorithm", ("name",), number=False)]
    columns += [Column("95 % CI", ("low", "high"), "{}–{}".format)] * 9
    stream = io.StringIO()
    print_table(make_console(stream, width=60), Table("t", "T", "", frame, tuple(columns)))
    assert "95 % CI" in stream.getvalue()


def test_a_narrow_terminal_shows_every_number():
    comparison = occstats.compare("lenz2021", n_resamples=100)
    narrow, wide = (screen(comparison, width) for width in (40, 80))
    found, wanted = (set(re.findall(r"\[.*\]|\d\.\d+", text)) for text in (narrow, wide))
    assert found == wanted
    assert max(map(len, narrow.splitlines())) <= 40


def test_intervals_without_any_limit_are_explained():
    failed = {"A": [11], "B": [0, 11], "C": [1, 2, 11]}
    table = pd.DataFrame(1.0, index=range(12), columns=[*failed])
    for name, rows in failed.items():
        table.loc[rows, name] = 0.0
    table.insert(0, "dataset", [f"d{i}" for i in range(12)])
    text = str(occstats.compare(table, lower_is_better=False, n_resamples=200))
    assert "% CI" not in text
    assert "\nNo confidence interval has a finite limit at this confidence level.\n" in text
