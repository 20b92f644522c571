"""What the terminal shows: whole numbers at every width, a screen first, all of it on request."""

import io
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.report.tables import all_tables
from occstats.report.text import make_console, print_comparison
from occstats.report.text_table import print_table

LONG = [f"gradient boosting with a very long description, variant {i}" for i in range(7)]


def with_long_names():
    values = np.random.default_rng(5).normal(0, 1000, (24, len(LONG)))
    frame = pd.DataFrame(values + np.arange(len(LONG)) * 300, columns=LONG)
    frame.insert(0, "dataset", [f"collected in the year {1990 + i // 2}" for i in range(24)])
    frame.insert(1, "class", [str(i % 2) for i in range(24)])
    return frame


@pytest.fixture(scope="module", params=["lenz2021", "reproduction", "long"])
def compared(request):
    source = with_long_names() if request.param == "long" else request.param
    return occstats.compare(source, n_resamples=100)


def shown(table, width):
    stream = io.StringIO()
    print_table(make_console(stream, width=width), table, most_blocks=100)
    return stream.getvalue()


def numbers(table):
    """Every number that the table has to show, with how often it occurs."""
    rows = table.cells(min(len(table), table.terminal_rows))
    return Counter(
        cell
        for row in rows
        for cell, column in zip(row, table.columns, strict=True)
        if column.number and cell
    )


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_number_is_ever_cut(compared, width):
    for table in all_tables(compared):
        if not table.terminal_rows:
            continue
        text = shown(table, width)
        assert max(map(len, text.splitlines())) <= width, table.name
        for cell, count in numbers(table).items():
            whole = rf"(?<![\d.,+-]){re.escape(cell)}(?![\d.,…])"
            assert len(re.findall(whole, text)) >= count, (table.name, cell)


def test_long_names_are_told_apart():
    comparison = occstats.compare(with_long_names(), n_resamples=100)
    text = shown(all_tables(comparison)[0], 80)
    for number in range(len(LONG)):
        assert re.search(rf"variant {number} ", text)


def test_rows_of_a_triangle_end_where_its_columns_do():
    comparison = occstats.compare("lenz2021", n_resamples=100)
    triangle = next(table for table in all_tables(comparison) if table.name == "p_values")
    rows = [line.split()[0] for line in shown(triangle, 60).splitlines() if line[:1].isupper()]
    # Six columns fit beside the names, up to EIF's; the last row that has anything there is IF's.
    first = ["ALP", "SVM", "NND", "MD", "LOF", "IF"]
    assert [row for row in rows if row in comparison.algorithms] == [*first, *first, "EIF", "LNND"]


def test_the_first_screen_has_the_answer_and_says_where_the_rest_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    comparison = occstats.compare("lenz2021", n_resamples=100)
    first, everything = io.StringIO(), io.StringIO()
    print_comparison(comparison, file=first)
    print_comparison(comparison, file=everything, full=True)
    lines = first.getvalue().splitlines()
    assert len(lines) <= 45
    assert first.getvalue().startswith("Of 9 algorithms")
    titles = [table.title for table in all_tables(comparison) if table.terminal_rows]
    assert [title for title in titles if title in lines] == ["Summary", "Corrected p-values"]
    assert [title for title in titles if title in everything.getvalue().splitlines()] == titles
    assert "More: --full" in first.getvalue()
    assert "--full" not in everything.getvalue()
    # 36 pairs, none of them left out.
    assert "not shown here" not in everything.getvalue()
    assert len(re.findall(r"^LNND +SAE ", everything.getvalue(), flags=re.MULTILINE)) >= 7


def test_significant_cells_are_marked_without_colour():
    comparison = occstats.compare("lenz2021", n_resamples=100)
    table = next(table for table in all_tables(comparison) if table.name == "p_values")
    text = shown(table, 120)
    assert text.count("*") == comparison.tally.different + 1
    assert "* significant, corrected over all pairs (max-T)." in text
    assert re.search(r"^ALP +0\.17 +0\.020 +0\.035 +< 0\.0001\* ", text, flags=re.MULTILINE)
