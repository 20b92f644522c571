"""Progress bars on a terminal or in a notebook."""

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

Item = TypeVar("Item")


def shown(progress: bool | None) -> bool:
    """Return whether to show a bar: as requested, or on a terminal or in a notebook."""
    if progress is not None:
        return progress
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Return whether the code runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def track(
    items: Iterable[Item],
    description: str,
    *,
    total: int | None = None,
    progress: bool | None = None,
) -> Iterator[Item]:
    """Iterate over the items, with a progress bar where it is shown."""
    if not shown(progress):
        yield from items
        return
    yield from bar_class()(items, desc=description, total=total, leave=False)


def bar_class() -> Any:
    """Return the tqdm class for a notebook or a terminal."""
    # The notebook bar needs ipywidgets.
    notebook = in_notebook() and find_spec("ipywidgets") is not None
    return import_module("tqdm.notebook" if notebook else "tqdm.std").tqdm
