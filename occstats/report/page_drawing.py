"""Shrink Matplotlib's SVG for a page with many figures.

Unused identifiers, metadata and digits beyond a hundredth of a point are removed; the remaining
identifiers become short, and attributes that all parts of a group share move to the group.
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

__all__ = ["inline_svg"]

_INHERITED = (
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "font-family", "font-size", "font-weight", "text-anchor",
)  # fmt: skip
_REFERRING = {"href", "clip-path", "fill", "stroke", "mask"}
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"#([^\s\"')]+)")


def inline_svg(markup: str, prefix: str) -> str:
    """Return the SVG to embed in HTML, where it fills the available width.

    Parameters
    ----------
    markup
        The SVG from `occstats.figures.svg_markup`.
    prefix
        Prefix of its identifiers, different for each figure of a page.

    Examples
    --------
    >>> inline_svg('<svg xmlns="http://www.w3.org/2000/svg" width="9pt" viewBox="0 0 9 9">'
    ...            '<path id="unused" d="M 0.12345 1" fill="none"/></svg>', "a")
    '<svg viewBox="0 0 9 9"><path d="M 0.12 1" fill="none" /></svg>'
    """
    root = ElementTree.fromstring(markup)
    for element in root.iter():
        _simplify(element)
    _shorten_identities(root, prefix)
    _join(root)
    _lift(root)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _simplify(element: ElementTree.Element) -> None:
    element.tag = _local(element.tag)
    for child in [child for child in element if _local(child.tag) == "metadata"]:
        element.remove(child)
    attributes = {_local(name): value for name, value in element.attrib.items()}
    for name in attributes.keys() & {"d", "x", "y", "points"}:
        attributes[name] = _rounded(attributes[name])
    element.attrib.clear()
    element.attrib.update(attributes)
    if element.tag != "text" and not (element.text or "").strip():
        element.text = None
    if not (element.tail or "").strip():
        element.tail = None


def _rounded(numbers: str) -> str:
    short = _LONG_NUMBER.sub(lambda match: f"{float(match[0]):.2f}", numbers)
    return " ".join(short.split())


def _shorten_identities(root: ElementTree.Element, prefix: str) -> None:
    """Keep the identifiers that are used, each as the prefix and a number."""
    named = set(root.get("aria-labelledby", "").split())
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in _REFERRING:
                named.update(_REFERENCE.findall(value))
    short: dict[str, str] = {}
    for element in root.iter():
        identity = element.attrib.pop("id", None)
        if identity in named:
            element.set("id", short.setdefault(identity, f"{prefix}{len(short)}"))
    for element in root.iter():
        for name in element.attrib.keys() & _REFERRING:
            element.attrib[name] = _REFERENCE.sub(
                lambda match: f"#{short.get(match[1], match[1])}", element.attrib[name]
            )
    if named and "aria-labelledby" in root.attrib:
        root.set(
            "aria-labelledby", " ".join(short[i] for i in root.attrib["aria-labelledby"].split())
        )


def _join(parent: ElementTree.Element) -> None:
    """Remove groups without attributes, and merge neighbours with the same attributes."""
    for child in parent:
        _join(child)
    kept: list[ElementTree.Element] = []
    for child in _without_needless_groups(parent):
        before = kept[-1] if kept else None
        if before is not None and child.tag == before.tag == "g" and child.attrib == before.attrib:
            before.extend(child)
        else:
            kept.append(child)
    parent[:] = kept


def _lift(parent: ElementTree.Element) -> None:
    """Move attributes that all parts of a group share to the group."""
    for child in parent:
        _lift(child)
    children = [child for child in parent if child.tag != "defs"]
    if parent.tag != "g" or len(children) < 2:
        return
    for name in _INHERITED:
        values = {child.get(name) for child in children}
        if len(values) == 1 and (value := values.pop()) is not None:
            parent.set(name, value)
            for child in children:
                del child.attrib[name]


def _without_needless_groups(parent: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for child in parent:
        if child.tag != "g" or child.attrib:
            yield child
        else:
            yield from child
