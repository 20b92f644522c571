"""Import the names of a package on first use."""

from collections.abc import Callable, Iterable
from typing import Any

import lazy_loader  # type: ignore[import-untyped]

__all__ = ["attach"]


def attach(
    package: str, file: str, others: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` from the stub beside a file.

    A wrong name is refused with the nearest of the stub and of the other names.
    """
    load, names, listed = lazy_loader.attach_stub(package, file)

    def attribute(name: str) -> Any:
        if name in listed:
            return load(name)
        from occstats._format import did_you_mean

        near = did_you_mean(name, [*listed, *others])
        raise AttributeError(f"module {package!r} has no attribute {name!r}{near}")

    return attribute, names, listed.copy()
