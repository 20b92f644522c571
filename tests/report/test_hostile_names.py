"""Names from other people's files: text on the terminal and in every file, never anything else."""

import csv
import io
import json
import re
import unicodedata

import pytest

import occstats
from occstats._format import printable
from occstats.report.bundle import contents, methods_to_latex, paper_files
from occstats.report.markup import table_to_latex, table_to_markdown
from occstats.report.notebook import to_html
from occstats.report.tables import all_tables
from tests.report.making import compared, needs_latex, scores, typeset
from tests.report.screens import HOSTILE, screen


def test_no_character_that_moves_the_cursor_reorders_or_hides_is_printed():
    # Joiners build emoji.
    for character in map(chr, set(range(0x110000)) - {0x200C, 0x200D}):
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert printable(character) != character, hex(ord(character))
    letters = "".join(map(chr, range(0xA1, 0x3000))).replace("\xad", "")
    visible = "".join(c for c in letters if unicodedata.category(c)[0] in "LMNPS")
    assert printable(visible) == visible


@pytest.fixture(scope="module")
def comparison():
    frame = scores([*HOSTILE[:12], "plain"], HOSTILE, classes=("1", "\x1b[2J"))
    return compared(frame, score_name="auroc<b>$\x1b[0m")


def test_terminal_gets_no_control_characters(comparison):
    text = screen(comparison, 200, full=True) + str(comparison)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert r"red\x1b[31mALP" in text
    assert r"two\nlines" in text
    assert "[bold]markup[/bold] :smile:" in text


def test_wide_characters_stay_in_line(comparison):
    from rich.cells import cell_len

    lines = screen(comparison, 200).splitlines()
    heading = next(place for place, line in enumerate(lines) if line.startswith("algorithm "))
    # The leader has no p-value.
    rows = lines[heading + 2 : heading + 16]
    assert any("🦊" in row for row in rows)
    assert {cell_len(row) for row in rows} == {cell_len(lines[heading])}


def test_html_has_no_tags_from_names(comparison):
    page = to_html(comparison)
    assert "<script" not in page
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in page
    allowed = {"div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td",
               "details", "summary", "small", "ul", "li"}  # fmt: skip
    assert set(re.findall(r"</?([a-zA-Z0-9]+)", page)) <= allowed
    assert comparison._repr_html_() == page


def test_long_names_are_shortened_in_reports(comparison):
    text = "".join(map(table_to_markdown, all_tables(comparison)))
    assert "x" * 201 not in text
    assert f"{'x' * 140}…{'x' * 59}" in text


def test_spreadsheets_run_nothing(comparison):
    for table in all_tables(comparison):
        for row in csv.reader(io.StringIO(table.to_csv())):
            for cell in row:
                if cell.lstrip(" ")[:1] in ("=", "+", "@", "\t", "\r"):
                    raise AssertionError((table.name, cell))
                if cell.startswith("-"):
                    float(cell)


def test_csv_keeps_full_precision_and_every_row(comparison):
    tables = {table.name: table for table in all_tables(comparison)}
    rows = list(csv.DictReader(io.StringIO(tables["pairwise"].to_csv())))
    assert len(rows) == len(HOSTILE) * (len(HOSTILE) - 1)
    assert [float(row["mean_difference"]) for row in rows] == list(
        comparison.pairwise_full["mean_difference"]
    )


def test_latex_commands_in_names_are_text(comparison):
    for table in all_tables(comparison):
        text = table_to_latex(table)
        assert r"\input{" not in text
        assert not re.search(r"(?<!\\)%(?! needs)", text)
        # Every row has as many columns as the header of its part.
        for part in re.split(r"(?=\\caption)", text)[1:]:
            lines = [line for line in part.splitlines() if r"\multicolumn" not in line]
            rows = [line for line in lines if re.search(r"[^\\]&.* \\\\$", line)]
            assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


@needs_latex
def test_latex_compiles(comparison, tmp_path):
    ascii_only = [name for name in comparison.algorithms if name.isascii() and len(name) < 100]
    small = occstats.compare(comparison.results.select(ascii_only), n_resamples=100)
    inputs = [table_to_latex(table) for table in all_tables(small)]
    inputs += [*paper_files(small).values(), methods_to_latex(small.methods_text)]
    # TeX holds a limited number of floats.
    body = "\n\\clearpage\n".join(inputs).replace("\\end{table*}", "\\end{table*}\\clearpage")
    typeset(tmp_path, body, r"\documentclass{article}\usepackage[T1]{fontenc}")
    assert b"root:" not in (tmp_path / "main.pdf").read_bytes()


def test_markdown_rows_have_all_their_columns(comparison):
    for table in all_tables(comparison):
        lines = [line for line in table_to_markdown(table).splitlines() if line.startswith("| ")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(table.columns) + 1}
        assert not re.search(r"(?<!\\)<script", "\n".join(lines))


def test_paths_of_files_are_never_made_from_names(comparison, undrawn):
    for path in contents(comparison):
        assert re.fullmatch(r"((tables|paper)/)?[a-z_]+\.(csv|tex|json|html|md|bib)", path)


def test_json_keeps_names_as_they_are(comparison):
    document = json.loads(comparison.to_json())
    assert sorted(document["meta"]["algorithms"]) == sorted(HOSTILE)
