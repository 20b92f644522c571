"""Progress bars on a terminal or in a notebook, and the share of a computation in per cent."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

Item = TypeVar("Item")
# Steps that take longer show their share in per cent.
PATIENCE_SECONDS = 2.0
_listeners: list[Callable[[str, float], None]] = []


def shown(progress: bool | None) -> bool:
    """Return True if a bar is shown: on request, or on a terminal or in a notebook."""
    if progress is not None:
        return progress
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Return True in a Jupyter kernel."""
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


def advance(step: str, share: float) -> None:
    """Report the share of a step that is done, to be shown by `working`."""
    for listener in _listeners:
        listener(step, share)


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show a text on a terminal while a slow step runs, and remove it afterwards."""
    if not sys.stderr.isatty():
        yield
        return
    start = time.monotonic()

    def write(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def show(step: str, share: float) -> None:
        if time.monotonic() - start > PATIENCE_SECONDS:
            write(f"{text} … {step} {100 * share:.0f} %")

    write(f"{text} …")
    _listeners.append(show)
    try:
        yield
    finally:
        _listeners.remove(show)
        write("")
