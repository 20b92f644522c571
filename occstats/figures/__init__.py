"""Camera-ready figures of a comparison, of a tuning sweep and of run times.

Each figure is a function: a comparison (or a tidy frame) in, a Matplotlib figure out.

>>> from occstats import figures
>>> sorted(figures.FIGURES)[:3]
['alp_diagram', 'alp_example', 'critical_difference']

`comparison.plot` offers those of a comparison as methods; `save` writes any of them as PDF, SVG,
PNG or PGF with reproducible bytes and alternative text. Matplotlib is imported when first used.
"""

from typing import Any

import lazy_loader

from occstats.figures.registry import FIGURES

# The other names are listed in the stub beside this file.
_named, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += list(FIGURES)


def __getattr__(name: str) -> Any:
    return FIGURES[name].function() if name in FIGURES else _named(name)


def __dir__() -> list[str]:
    return sorted(__all__)
