"""Parameters as declared fields, and the documentation that follows from them."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any

__all__ = ["complete", "parameter", "references", "summary"]

_WIDTH = 92  # of a line of documentation, before its indentation


def parameter(
    *,
    default: Any = dataclasses.MISSING,
    kind: str,
    meaning: str,
    scales: Mapping[str, str] | None = None,
) -> Any:
    """
    Declare a parameter of a descriptor: one field, from which constructor and documentation follow.

    Parameters
    ----------
    default : object, optional
        An immutable value; a parameter without must be given.
    kind : str
        Its type in words.
    meaning : str
        What it means.
    scales : mapping, optional
        For a hyperparameter that is tuned: the names in which a grid of it may be given → how a
        value of the grid becomes the parameter: "count" (as it is, an integer), "log" (times
        log n), "dimension" (times m) or "fraction" (as it is, up to 1).
    """
    metadata = {"kind": kind, "meaning": meaning, "scales": dict(scales or {})}
    return dataclasses.field(default=default, metadata=metadata)


def complete(kind: type, attributes: Mapping[str, str]) -> None:
    """Add the parameters and attributes of a descriptor to its documentation."""
    text = inspect.cleandoc(kind.__doc__ or "")
    if not text or _sections(text).keys() & {"Parameters", "Attributes"}:
        return  # run without documentation, or written by hand
    entries = [_parameter_entry(field) for field in _fields(kind) if field.metadata]
    added = _section("Parameters", entries)
    added += _section("Attributes", [_entry(name, text) for name, text in attributes.items()])
    start = re.search(r"^(Notes|References|Examples)\n-+$", text, re.MULTILINE)
    place = start.start() if start else len(text)
    kind.__doc__ = f"{text[:place].rstrip()}\n\n{added}{text[place:]}"


def summary(kind: type) -> tuple[str, str]:
    """Give title and sentence of a descriptor: its summary line, before and after the colon."""
    paragraph = inspect.cleandoc(kind.__doc__ or kind.__name__).split("\n\n", maxsplit=1)[0]
    title, _, sentence = " ".join(paragraph.split()).rstrip(".").partition(": ")
    return title, sentence


def references(kind: type) -> tuple[str, ...]:
    """Give the literature that the documentation of a descriptor names, one work each."""
    section = _sections(inspect.cleandoc(kind.__doc__ or "")).get("References", "")
    return tuple(" ".join(work.split()) for work in section.split("\n\n") if work.strip())


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^(\w+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _fields(kind: type) -> list[dataclasses.Field[Any]]:
    """Fields in the order of the documentation: those of the class itself first."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    names = [name for base in kind.__mro__ for name in inspect.get_annotations(base)]
    return [fields[name] for name in dict.fromkeys(names) if name in fields]


def _parameter_entry(field: dataclasses.Field[Any]) -> str:
    default = "" if field.default is dataclasses.MISSING else f", default {field.default!r}"
    return _entry(f"{field.name} : {field.metadata['kind']}{default}", field.metadata["meaning"])


def _entry(head: str, text: str) -> str:
    return f"{head}\n{textwrap.indent(textwrap.fill(text, _WIDTH), '    ')}\n"


def _section(title: str, entries: list[str]) -> str:
    return f"{title}\n{'-' * len(title)}\n{''.join(entries)}\n" if entries else ""
