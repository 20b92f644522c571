"""The page: gather what it shows, and fill the template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from occstats import __version__
from occstats._format import listing, printable
from occstats.comparison.settings import LABELS
from occstats.comparison.text.verdict import (
    headline,
    make_verdict,
    subject_of,
    tally_sentence,
)
from occstats.report.page_sections import make_sections
from occstats.report.page_views import table_view
from occstats.report.pair_data import pair_data, why_no_what_if
from occstats.report.tables import all_tables, comparison_table

if TYPE_CHECKING:
    from jinja2 import Environment

    from occstats.comparison.comparison import Comparison
    from occstats.report.formatted_table import Table

__all__ = ["content_security_policy", "provenance", "render", "source_hash"]

STYLES = ("style.css",)
SCRIPTS = (
    "tables.js", "folding.js", "saving.js", "charts.js", "pairs.js", "kernel.js", "what_if.js",
)  # fmt: skip
# The first sections are open; the others unfold.
OPEN_SECTIONS = 2


def render(comparison: Comparison, tables: list[Table] | None = None) -> str:
    """Return the comparison as one self-contained HTML page, the same bytes every time.

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
    subject = subject_of(comparison)
    leading = table_view(comparison_table(comparison), positions, subject)
    explanation = "Each dataset has equal weight."
    if pairs:
        name = printable(subject)
        explanation = f"Each row compares {name} with another algorithm; + where {name} is better."
    return _environment().get_template("page.html.j2").render(
        policy=content_security_policy(scripts=scripts, styles=styles),
        styles=styles,
        scripts=scripts,
        title=f"{listing(comparison.algorithms, limit=4)}: comparison",
        headline=headline(comparison),
        verdict=make_verdict(comparison),
        leading=replace(leading, explanation=explanation),
        tally=tally_sentence(comparison),
        sections=make_sections(comparison, tables or all_tables(comparison), positions),
        n_open=OPEN_SECTIONS,
        pairs=pairs,
        why_no_what_if=why_no_what_if(comparison),
        left_out_of_pairs=len(comparison.algorithms) - len(offered),
        methods=methods.blocks(),
        references=[reference.text for reference in methods.references],
        notes=comparison.notes,
        provenance=provenance(comparison),
        version=__version__,
    )  # fmt: skip


def source_hash(content: str) -> str:
    """Return the hash by which a policy allows one inline script or style.

    Examples
    --------
    >>> source_hash("alert(1)")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def content_security_policy(*, scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Return a policy that allows these inline scripts and styles, embedded images and no more.

    Parameters
    ----------
    scripts, styles
        The exact contents of the elements.

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
    """Return the sources, a fingerprint of the scores, every setting, backend and versions."""
    meta = comparison.meta
    rows = [
        ("results", listing([str(source) for source in meta.get("sources", ())]) or "in memory"),
        ("SHA-256 of the scores", _fingerprint(comparison)),
    ]
    labels = {"score": "score", "higher_is_better": "higher is better"}
    labels |= LABELS
    rows += [
        (label, _shown(meta[key])) for key, label in labels.items() if meta.get(key) is not None
    ]
    rows += [(name, _shown(value)) for name, value in meta.get("engine", {}).items()]
    rows += [(f"version of {name}", _shown(value)) for name, value in meta["versions"].items()]
    return rows


def _fingerprint(comparison: Comparison) -> str:
    """Return a hash of tasks, algorithms and scores that does not depend on their order."""
    scores = comparison.results.scores
    ordered = scores.sort_index()[sorted(scores.columns)]
    return hashlib.sha256(
        ordered.to_csv(lineterminator="\n").encode("utf-8", "backslashreplace")
    ).hexdigest()


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _asset(name: str) -> str:
    return (files("occstats.report") / "assets" / name).read_text(encoding="utf-8")


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
    # The order of keys is the one of the data.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    return environment


def _visible(value: Any) -> Any:
    """Make control characters and reordering marks in names visible; markup stays as it is."""
    return printable(value) if type(value) is str else value
