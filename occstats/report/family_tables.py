"""Show several comparisons together: table, terminal, notebook and output folder."""

from __future__ import annotations

import io
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.text import Text

from occstats._files import check_folder, write_folder
from occstats._format import count, word
from occstats.comparison.decision import EQUIVALENT
from occstats.comparison.text.verdict import REVERSED, headline
from occstats.report import page
from occstats.report.bundle import contents
from occstats.report.formatted_table import Table, frame_to_csv, grid_table
from occstats.report.markup import escape_html, table_to_html, table_to_latex
from occstats.report.terminal import (
    PARAGRAPH_WIDTH,
    labels_of,
    make_console,
    print_comparison,
    print_table,
    print_wrapped,
)

if TYPE_CHECKING:
    from occstats.comparison.families import Comparisons

_SCORE = re.compile(r"score = (?P<name>.*?), (?P<direction>\w+ is better)")


def family_table(family: Comparisons) -> Table:
    """Return the difference of the subject from each other algorithm, by member.

    Examples
    --------
    >>> import occstats
    >>> data = occstats.load_results("lenz2021").to_frame().assign(
    ...     accuracy=lambda frame: frame["auroc"].round(1)
    ... )
    >>> found = occstats.compare(data, score=["auroc", "accuracy"], n_resamples=1000)
    >>> family_table(found).cells()[2:4]
    [['MD', '+0.010 ', '55 : 28 '], ['LOF', '+0.010*', '33 : 2*']]
    """
    estimands = {str(member.settings.estimand) for member in family.members.values()}
    return grid_table(
        [("algorithm", list(family.cells.index), word)],
        family.cells,
        str,
        frame=family.pairwise,
        name="pairs",
        title=f"{' or '.join(sorted(estimands)).capitalize()} difference from {family.subject}, "
        f"positive where {family.subject} is better",
        explanation="",
        note=" ".join(_legend(family)),
        terminal_rows=15,
    )


def _legend(family: Comparisons) -> Iterator[str]:
    members = [member for member in family.members.values() if member.decision.possible]
    starred = family.cells.apply(lambda column: column.str.contains("*", regex=False))
    for basis in dict.fromkeys(member.basis for member in members if starred.any(axis=None)):
        yield f"* p ≤ {members[0].settings.alpha:.3g}, {basis}."
    if not family.joint:
        yield "Measures were corrected separately."
    if family.cells.apply(lambda column: column.str.contains(" : ")).any(axis=None):
        yield "Where more than 20 % of the scores are equal: wins : losses."
    margin = family.first.settings.margin
    rule = "" if margin is None else f" (confidence interval within ±{margin:g})"
    if (family.conclusions == EQUIVALENT).any(axis=None):
        yield f"= equivalent{rule}."
    elif rule:
        yield f"Equivalent{rule}: none."
    if family.pairwise["reversed"].any():
        yield f"{REVERSED} the other estimate has the opposite sign."
    if family.kind == "slice":
        unit = family.first.results.unit
        yield f"The number of {unit}s is in parentheses."
        yield "A pair that differs in only one slice does not show that the slices differ."


def _differing(family: Comparisons) -> Table:
    """Return the pairs whose conclusions differ between members."""
    found = pd.concat([family.contradictions, family.partial])
    pairs = [list(found.index.get_level_values(side)) for side in ("a", "b")]
    return grid_table(
        [("a", pairs[0], word), ("b", pairs[1], word)],
        found.rename(columns=lambda name: family.named([name])),
        word,
        name="differing",
        title="Pairs with different conclusions",
        explanation="The conclusion about a, compared with b.",
    )


def _headline(family: Comparisons) -> str:
    what, _, score = headline(family.first).rpartition(", ")
    if family.kind == "measure":
        return f"{what}, {family.named([*family.members])}"
    sources = what.partition(": ")[0]
    number = count(len(family.algorithms), "algorithm")
    return f"{sources}: {number}, {score}, {len(family.members)} slices by {family.by}"


def _read_as(*lines: str) -> str:
    """Return the role of each column by several measures, and what none of them uses.

    >>> _read_as("f.csv read as: score = 'a', higher is better; not used: 'b', 'c'",
    ...          "f.csv read as: score = 'b', higher is better; not used: 'a', 'c'")
    "f.csv read as: score = 'a', 'b', higher is better; not used: 'c'"
    """
    heads, _, unused = zip(*(line.partition("; not used: ") for line in lines), strict=True)
    scores = [found for found in map(_SCORE.search, heads) if found]
    directions = dict.fromkeys(score["direction"] for score in scores)
    shown = "; ".join(
        f"score = {', '.join(score['name'] for score in scores if score['direction'] == each)}, "
        f"{each}"
        for each in directions
    )
    left = [name for name in unused[0].split(", ") if all(name in each for each in unused)]
    head = heads[0].replace(scores[0][0], shown) if scores else heads[0]
    return "; not used: ".join(filter(None, [head, ", ".join(left)]))


def print_family(
    family: Comparisons,
    folder: Path | None = None,
    *,
    full: bool = False,
    file: Any = None,
    spell: Any = str,
) -> None:
    """Print the answer and its table; with `full`, then each comparison by itself."""
    console = make_console(file)
    read_as = list(family.first.results.read_as)
    if family.kind == "measure":
        every = (member.results.read_as for member in family.members.values())
        read_as = [_read_as(*lines) for lines in zip(*every, strict=False)]
    for line in read_as:
        print_wrapped(console, line, "dim")
    if read_as:
        console.print()
    _print(console, family, spell)
    if full:
        for name, member in family.members.items():
            console.print()
            console.print(Text(f"{family.kind} {name}", "bold"))
            print_comparison(member, full=True, file=file, spell=spell)
    if folder is not None:
        console.print(f"Written to {folder}.", soft_wrap=True)
    elif not full:
        together = "" if family.joint else ", --family measures"
        more = f"More: --full (each {family.kind}), --out DIR (reports){together}"
        print_wrapped(console, more, "dim")


def _print(console: Any, family: Comparisons, spell: Any = str) -> None:
    print_wrapped(console, _headline(family))
    console.print()
    for line in family.lines():
        print_wrapped(console, spell(line), "bold")
    console.print()
    table = family_table(family)
    print_table(console, table, labels=labels_of(family.algorithms), spell=spell)


def family_text(family: Comparisons) -> str:
    """Return the answer and its table as text, for the interactive prompt."""
    stream = io.StringIO()
    _print(make_console(stream, width=PARAGRAPH_WIDTH), family)
    return stream.getvalue().rstrip()


def family_to_latex(family: Comparisons, caption: str = "", label: str = "") -> str:
    """Return the table for a paper."""
    table = replace(family_table(family), name=f"{family.kind}s")
    return table_to_latex(table, caption=caption, label=label)


def family_to_html(family: Comparisons) -> str:
    """Return the answer and its table for a notebook."""
    first, *rest = family.lines()
    paragraphs = "".join(f"<p>{escape_html(line)}</p>" for line in rest)
    return (
        f'<div class="occstats"><p><strong>{escape_html(first)}</strong></p>{paragraphs}'
        f"{table_to_html(family_table(family))}</div>"
    )


def write_family(
    family: Comparisons, folder: str | os.PathLike[str], *, force: bool = False
) -> Path:
    """Write the index, ``comparisons.json``, ``paper/``, and a folder named after each member."""
    from occstats.figures._base import without_pyplot
    from occstats.figures._style import render

    check_folder(folder)
    with without_pyplot():
        drawn = family.plot()
    files: dict[str, str | bytes] = {
        "comparisons.json": family.to_json() + "\n",
        "pairs.csv": frame_to_csv(family.pairwise),
        f"paper/{family.kind}s.tex": family_to_latex(family),
        **render(drawn, "paper/conclusions", ["pdf", "svg"], title="Conclusions"),
    }
    links, places = {}, _folders(family.kind, [*family.members])
    for place, (name, member) in zip(places, family.members.items(), strict=True):
        inside = contents(member, label=place)
        files |= {f"{place}/{path}": content for path, content in inside.items()}
        links[f"{place}/report.html"] = f"{family.kind} {family.named([name])}"
    tables = [family_table(family), _differing(family)]
    files["index.html"] = page.render_index(
        _headline(family), family.lines(), tables, links, family.algorithms
    )
    return write_folder(folder, files.items(), force=force)


def _folders(kind: str, names: list[str]) -> list[str]:
    """Return a folder for each member, with the ASCII letters and digits of its name.

    Examples
    --------
    >>> _folders("slice", ["fr", "Français", "Fr", "<17", "../日本"])
    ['slice-fr', 'slice-Francais', 'slice-Fr-3', 'slice-17', 'slice-5']
    """
    found: dict[str, str] = {}
    for number, name in enumerate(names, start=1):
        letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        words = re.findall(r"\w+", letters[:60], re.ASCII) or [str(number)]
        folder = "-".join([kind, *words])
        # Some file systems do not distinguish upper and lower case.
        while folder.casefold() in found:
            folder += f"-{number}"
        found[folder.casefold()] = folder
    return [*found.values()]
