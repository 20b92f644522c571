"""Render the report as one self-contained HTML page, without network or foreign scripts."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from occstats import __version__
from occstats._format import listing, printable
from occstats.comparison.settings import LABELS
from occstats.comparison.text.verdict import (
    headline,
    make_verdict,
    short_names,
    subject_of,
    tally_sentence,
    with_short_names,
)
from occstats.errors import FigureError
from occstats.progress import advance
from occstats.report.pair_data import pair_data, why_no_what_if
from occstats.report.tables import TEXTS, all_tables, heading_name

if TYPE_CHECKING:
    from jinja2 import Environment

    from occstats.comparison.comparison import Comparison
    from occstats.report.formatted_table import Table

SCRIPTS = ("controls.js", "pairs.js", "kernel.js", "what_if.js")
# The first sections are open; readers unfold the others.
OPEN_SECTIONS = 2
# The verdict names this many algorithms of each relation; readers unfold the others.
MOST_NAMES = 8
# Longer tables have a search field; still longer ones scroll within the page.
FILTERED_ROWS = 12
TALL_ROWS = 20
LONG_TEXT = 30
# Tables of algorithms by algorithms, in whose headings longer names are replaced by numbers.
MATRICES = {"p_values", "kendall"}
LONGEST_HEADING = 20
MEANS = {"mean_rank", "mean_score"}
# Columns of several keys that show the first alone.
EXACT = {"difference", "p"}


def render(comparison: Comparison, tables: list[Table] | None = None) -> str:
    """Return the comparison as one page, reproducible byte for byte, with tables made before."""
    names, _ = short_names(comparison.algorithms)
    pairs = pair_data(comparison)
    offered = pairs["algorithms"] if pairs else []
    positions = dict(zip(comparison.algorithms, range(len(offered)), strict=False))
    style, scripts = _asset("style.css"), [_asset(name) for name in SCRIPTS]
    subject, methods = subject_of(comparison), comparison.methods_text
    longest = max(len(names.get(name, name)) for name in comparison.algorithms)
    numbers = {}
    if longest > LONGEST_HEADING:
        numbers = {name: str(place) for place, name in enumerate(comparison.algorithms, start=1)}
    views = [
        _view(table.capped(), positions, subject, names, numbers)
        for table in tables or all_tables(comparison)
    ]
    if pairs:
        pairs["numbered"] = bool(numbers)
    leading, *others = views
    leading["explanation"] = "Each dataset has equal weight."
    if pairs:
        name = heading_name(comparison)
        who = name if name == printable(subject) else f"the {name}"
        leading["explanation"] = (
            f"Each row compares {who} with another algorithm; positive values favour {who}."
        )
    return _environment().get_template("page.html.j2").render(
        policy=content_security_policy(scripts=scripts, styles=[style]),
        style=style,
        scripts=scripts,
        title=f"{listing([names.get(n, n) for n in comparison.algorithms], limit=4)}: comparison",
        headline=headline(comparison),
        verdict=make_verdict(comparison, shorten=True),
        leading=leading,
        tally=tally_sentence(comparison),
        sections=_sections(others, _draw(comparison)),
        n_open=OPEN_SECTIONS,
        most_names=MOST_NAMES,
        pairs=pairs,
        why_no_what_if=why_no_what_if(comparison),
        left_out_of_pairs=len(comparison.algorithms) - len(offered),
        methods=methods.blocks(),
        references=[reference.text for reference in methods.references],
        notes=comparison.notes,
        provenance=provenance(comparison),
        version=__version__,
    )  # fmt: skip


def render_index(
    headline: str,
    lines: list[str],
    tables: list[Table],
    links: dict[str, str],
    algorithms: list[str],
) -> str:
    """Return the page of several comparisons, with links to their reports."""
    names, prefix = short_names(algorithms)
    lines = [with_short_names(line, names) for line in lines]
    if prefix:
        lines.append(f"Names are shown without their common prefix {prefix}.")
    style = _asset("style.css")
    return _environment().get_template("index.html.j2").render(
        policy=content_security_policy(scripts=[], styles=[style]),
        style=style,
        headline=headline,
        lines=lines,
        views=[_view(table.capped(), names=names) for table in tables if len(table)],
        links=links,
        version=__version__,
    )  # fmt: skip


def _sections(views: list[dict[str, Any]], figures: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the sections that have content; tables without a section of their own come last."""
    drawn, left = {f["name"]: f for f in figures}, {view["name"]: view for view in views}
    sections = []
    for section in TEXTS["sections"]:
        names = [*left] if section["name"] == "more" else section["tables"]
        parts = {
            "figures": [drawn[name] for name in section.get("figures", ()) if name in drawn],
            "tables": [left.pop(name) for name in names if name in left],
            "folded": [left.pop(name) for name in section.get("folded", ()) if name in left],
        }
        if any(parts.values()):
            sections.append({**section, **parts})
    return sections


def _draw(comparison: Comparison) -> list[dict[str, str]]:
    """Draw the figures of the sections that the results allow."""
    from occstats.figures import svg_markup
    from occstats.figures._style import note_of
    from occstats.figures.registry import draw_figures

    figures = []
    names = [name for section in TEXTS["sections"] for name in section.get("figures", ())]
    for number, name in enumerate(names, start=1):
        advance("figures", number / len(names))
        with suppress(FigureError):  # the results do not allow this one
            # The note is part of the caption.
            (drawn,) = draw_figures(comparison, only=[name], note=False)
            assert drawn.figure is not None  # one that is asked for raises instead
            caption = drawn.entry.caption
            markup = svg_markup(drawn.figure, title=caption, identity=f"f{number}")
            # A hundredth of a point is enough, and makes the page smaller.
            markup = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), markup)
            note = note_of(drawn.figure)
            figures.append({"name": name, "caption": caption, "note": note, "markup": markup})
    return figures


def _view(
    table: Table,
    pairs: Mapping[str, int] = MappingProxyType({}),
    subject: str = "",
    names: Mapping[str, str] = MappingProxyType({}),
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return a table for the template: cells, values to sort by, and links to pairs.

    `names` are short names of algorithms; `numbers` replace long ones in the headings of matrices.
    """
    if table.name in MATRICES:
        names = {
            name: f"{number} {names.get(name, name)}" for name, number in numbers.items()
        } or names
    else:
        numbers = names

    def classes(place: int, text: str) -> str:
        # On a phone, means, which the next section shows, leave room for the p-value.
        tested = any(key[0] == "p" for key in keys)
        spare = table.name == "comparison" and tested and keys[place][0] in MEANS
        named = {"n": table.columns[place].number, "long": len(text) > LONG_TEXT, "spare": spare}
        return " ".join(name for name, holds in named.items() if holds)

    keys = [column.keys for column in table.columns]
    values = [
        [None if value is None else repr(value) for value in table.values(column)]
        for column in table.columns
    ]
    bold = [table.bold(column) for column in table.columns]
    rows = [
        [
            {
                "text": names.get(text, text),
                "value": values[place][index],
                "classes": classes(place, names.get(text, text)),
                "header": place == 0 and not table.columns[0].number,
                "strong": bold[place][index],
                "pair": _pair(table, row, place, pairs, subject),
            }
            for place, text in enumerate(row)
        ]
        for index, row in enumerate(table.cells())
    ]
    heads = [
        {
            "text": numbers.get(column.header, names.get(column.header, column.header)),
            "key": column.keys[0],
            "group": column.group,
            "classes": classes(place, numbers.get(column.header, column.header)),
            # A saved column that shows a single number has full precision.
            "exact": column.number and (len(keys[place]) == 1 or keys[place][0] in EXACT),
        }
        for place, column in enumerate(table.columns)
    ]
    groups: list[dict[str, Any]] = []
    for name, some in groupby(heads, key=lambda head: head["group"]):
        spans = [*some]
        groups += (
            [{"text": name, "span": len(spans)}] if name else [{**h, "text": ""} for h in spans]
        )
    return {
        "name": table.name,
        "title": with_short_names(table.title, names),
        "explanation": with_short_names(table.explanation, names),
        "note": with_short_names(table.remark(), names),
        "columns": heads,
        "groups": groups if any(group["text"] for group in groups) else [],
        "rows": rows,
        "filtered": len(rows) >= FILTERED_ROWS,
        "tall": len(rows) > TALL_ROWS,
    }


def _pair(
    table: Table, row: list[str], position: int, pairs: Mapping[str, int], subject: str
) -> str | None:
    """Return the key of the pair whose p-value is in a cell."""
    column, first, second = table.columns[position], None, None
    if table.name == "p_values" and position:
        first, second = pairs.get(row[0]), pairs.get(column.header)
    elif table.name == "comparison" and column.keys[0] == "p":
        first, second = pairs.get(subject), pairs.get(row[0])
    if not row[position] or first is None or second is None or first == second:
        return None
    return f"{first}-{second}"


def source_hash(content: str) -> str:
    """Return the hash by which a policy allows an inline script or style.

    Examples
    --------
    >>> source_hash("alert(1)")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def content_security_policy(*, scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Return a policy that allows only these inline scripts and styles, and embedded images.

    Examples
    --------
    >>> content_security_policy(scripts=[], styles=[]).split("; ")[:3]
    ["default-src 'none'", "script-src 'none'", "style-src 'none'"]
    """
    allowed = {
        "default-src": ["'none'"],
        "script-src": [source_hash(script) for script in scripts] or ["'none'"],
        "style-src": [source_hash(style) for style in styles] or ["'none'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in allowed.items())


def provenance(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the sources, a fingerprint of the scores, settings, engine and versions."""
    meta, scores = comparison.meta, comparison.results.scores
    # The hash does not depend on the order of tasks and algorithms.
    text = scores.sort_index()[sorted(scores.columns)].to_csv(lineterminator="\n")
    fingerprint = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    rows = [
        ("results", listing([str(source) for source in meta.get("sources", ())]) or "in memory"),
        ("SHA-256 of the scores", fingerprint),
    ]
    labels = {"score": "score", "higher_is_better": "higher is better", **LABELS}
    rows += [
        (label, _shown(meta[key])) for key, label in labels.items() if meta.get(key) is not None
    ]
    rows += [(name, _shown(value)) for name, value in meta.get("engine", {}).items()]
    rows += [(f"version of {name}", _shown(value)) for name, value in meta["versions"].items()]
    return rows


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _asset(name: str) -> str:
    return (files("occstats.report") / "assets" / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Make control characters in names visible; markup passes unchanged.
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    # Long names in headings of rows break after underscores.
    environment.filters["breakable"] = lambda text: Markup("_<wbr>").join(
        printable(text).split("_")
    )
    # Keep the order of keys.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    return environment
