import collections.abc

from .accessor import Plotter as Plotter
from .canvas import (
    Drawing as Drawing,
    alt_text as alt_text,
)
from .panels import side_by_side as side_by_side
from .registry import (
    FIGURES as FIGURES,
    FigureEntry as FigureEntry,
)
from .saving import save as save
from ._style import (
    PRESETS as PRESETS,
    FigureError as FigureError,
)
from .svg import svg_markup as svg_markup

def __getattr__(name: str) -> collections.abc.Callable[..., Drawing]: ...
