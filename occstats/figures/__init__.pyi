import collections.abc
import typing

from ._critical_difference import critical_difference_from as critical_difference_from
from ._power_curve import power_curve as power_curve
from ._style import (
    PRESETS as PRESETS,
    alt_text as alt_text,
    save as save,
    svg_markup as svg_markup,
)
from .registry import (
    FIGURES as FIGURES,
    FigureEntry as FigureEntry,
    FigureError as FigureError,
    Plotter as Plotter,
)

def __getattr__(name: str) -> collections.abc.Callable[..., typing.Any]: ...
