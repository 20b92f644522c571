"""Results that come with the package and can be named wherever a path can."""

from importlib.resources import files

__all__ = ["bundled_content", "bundled_names"]

# name → (file, what the scores measure)
_BUNDLED = {
    "lenz2021": ("lenz2021.csv", "auroc"),
    "reproduction": ("reproduction.csv", "auroc"),
    "reproduction_defaults": ("reproduction_defaults.csv", "auroc"),
}


def bundled_names() -> list[str]:
    """The names of the bundled results that are there.

    >>> "lenz2021" in bundled_names()
    True
    """
    folder = files("occstats") / "data"
    return [name for name, (file, _) in _BUNDLED.items() if (folder / file).is_file()]


def bundled_content(name: str) -> tuple[bytes, str]:
    """Give the delimited text of bundled results, and the name of their score."""
    file, score_name = _BUNDLED[name]
    return (files("occstats") / "data" / file).read_bytes(), score_name
