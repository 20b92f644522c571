"""Results that come with the package and can be named wherever a path can."""

from importlib.resources import files

import pandas as pd

__all__ = ["bundled_frame", "bundled_names", "is_bundled"]

# name → (file, what the scores measure)
_BUNDLED = {"lenz2021": ("lenz2021.csv", "auroc")}


def bundled_names() -> list[str]:
    """The names of the bundled results that are there.

    >>> "lenz2021" in bundled_names()
    True
    """
    folder = files("occstats") / "data"
    return [name for name, (file, _) in _BUNDLED.items() if (folder / file).is_file()]


def is_bundled(name: str) -> bool:
    """Whether this is the name of bundled results."""
    return name in bundled_names()


def bundled_frame(name: str) -> tuple[pd.DataFrame, str]:
    """Read bundled results: the frame as text, and the name of the score."""
    file, score_name = _BUNDLED[name]
    with (files("occstats") / "data" / file).open("r", encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False), score_name
