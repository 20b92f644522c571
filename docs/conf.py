"""Sphinx configuration; build the site with `make docs`. No network access is needed."""

import logging
import sys
from dataclasses import is_dataclass
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "descriptors")]

import generate  # noqa: E402
import outputs  # noqa: E402
from docutils.nodes import SkipNode  # noqa: E402
from docutils.utils.math import MathError  # noqa: E402
from docutils.utils.math.latex2mathml import tex2mathml  # noqa: E402
from sphinx.util import logging as sphinx_logging  # noqa: E402

from occstats import __version__  # noqa: E402

LOGGER = sphinx_logging.getLogger(__name__)
logging.getLogger("fontTools").setLevel(logging.WARNING)

project = "occstats"
author = "The occstats developers"
copyright = "The occstats developers"
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_design"]
exclude_patterns = ["README.md", "generated/tests.md"]
default_role = "py:obj"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Command output and results tables have no lexer.
suppress_warnings = ["misc.highlighting_failure"]

# The tests run the notebooks; the site shows their committed outputs, without external scripts.
nb_execution_mode = "off"
nb_ipywidgets_js = {}

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"no-value": True}
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"occstats {release}"
html_extra_path = ["schema", "generated/site"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Quotes only: `--option` in help texts and docstrings keeps its hyphens.
smartquotes_action = "q"
html_show_sphinx = False
html_math_renderer = "mathml"


def _math(node, *, block):
    try:
        return tex2mathml(node.astext(), as_block=block)
    except MathError:
        LOGGER.warning("this formula cannot be written in MathML: %s", node.astext())
        return f"<code>{escape(node.astext())}</code>"


def _inline_math(writer, node):
    writer.body.append(_math(node, block=False))
    raise SkipNode


def _display_math(writer, node):
    writer.body.append(f'<div class="math">{_math(node, block=True)}</div>')
    raise SkipNode


def _add_outputs(app, name, source):
    """Show what the code of a page prints and draws."""
    if name.partition("/")[0] in ("start", "how-to", "explanation", "reference"):
        source[0] = outputs.with_outputs(source[0], name, HERE / "generated" / "outputs")


def _hide_constructor(app, kind, name, found, options, signature, returned):
    """Hide the arguments of classes that functions of the package return."""
    if kind == "class" and (
        is_dataclass(found) or name in ("occstats.Comparison", "occstats.figures.Plotter")
    ):
        return "", None
    return None


def _describe_data(app, kind, name, found, options, lines):
    if name in generate.DATA:
        lines[:] = [generate.DATA[name]]


def setup(app):
    app.connect("autodoc-process-docstring", _describe_data)
    app.connect("autodoc-process-signature", _hide_constructor, priority=100)
    app.connect("source-read", _add_outputs)
    # Browsers display MathML without scripts, which would need the network.
    app.add_html_math_renderer("mathml", (_inline_math, None), (_display_math, None))
    app.connect("config-inited", lambda *_: generate.main())
