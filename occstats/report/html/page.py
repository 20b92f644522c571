"""The page: gather what it shows, and fill the template."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from occstats import __version__
from occstats.report.fragment import first_sentence
from occstats.report.html.facts import headline_facts, provenance
from occstats.report.html.pairs import pair_data
from occstats.report.html.policy import content_security_policy
from occstats.report.html.sections import make_sections
from occstats.report.tables import all_tables
from occstats.results.aliases import score_word
from occstats.text import listing, printable

if TYPE_CHECKING:
    from jinja2 import Environment

    from occstats.comparison.result import Comparison
    from occstats.report.table import Table

__all__ = ["render"]

STYLES = ("style.css",)
SCRIPTS = (
    "tables.js", "folding.js", "saving.js", "charts.js", "pairs.js", "kernel.js", "what_if.js",
)  # fmt: skip
# The sections that a reader wants at once; the others unfold.
OPEN_SECTIONS = 2


def render(comparison: Comparison, tables: list[Table] | None = None) -> str:
    """The comparison as one self-contained HTML page, the same bytes every time.

    Parameters
    ----------
    comparison
        The comparison.
    tables
        Its tables, where they have been made already.

    Examples
    --------
    >>> import occstats
    >>> page = render(occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100))
    >>> page[:15], "https://" in page.split("<body")[0]
    ('<!doctype html>', False)
    """
    pairs = pair_data(comparison)
    offered = pairs["algorithms"] if pairs else []
    positions = dict(zip(comparison.algorithms, range(len(offered)), strict=False))
    styles = [_asset(name) for name in STYLES]
    scripts = [_asset(name) for name in SCRIPTS]
    methods = comparison.methods_text
    results = comparison.results
    return _environment().get_template("page.html.j2").render(
        policy=content_security_policy(scripts=scripts, styles=styles),
        styles=styles,
        scripts=scripts,
        title=f"{listing(comparison.algorithms, limit=4)}: comparison",
        score=score_word(results.score_name),
        sources=listing([str(source) for source in comparison.meta.get("sources", ())]),
        n_algorithms=len(results.algorithms),
        n_tasks=results.n_tasks,
        evidence=results.evidence,
        verdict=first_sentence(comparison.verdict),
        facts=headline_facts(comparison),
        sections=make_sections(comparison, tables or all_tables(comparison), positions),
        n_open=OPEN_SECTIONS,
        pairs=pairs,
        left_out_of_pairs=len(comparison.algorithms) - len(offered),
        methods=methods.paragraph(),
        references=[reference.text for reference in methods.references],
        notes=comparison.notes,
        provenance=provenance(comparison),
        version=__version__,
    )  # fmt: skip


def _asset(name: str) -> str:
    return (files("occstats.report.html") / "assets" / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    # Sorted keys would hide that the order is the one we made.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    return environment


def _visible(value: Any) -> Any:
    """Control characters and reordering marks in names are shown, not obeyed."""
    # Markup is a str that is meant to be there as it is.
    return printable(value) if type(value) is str else value
