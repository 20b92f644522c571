"""Display of small results in notebooks."""

import dataclasses
from html import escape
from typing import Any

__all__ = ["as_html"]


def as_html(result: Any) -> str:
    """Format the fields of a result as a small table, without empty ones.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> as_html(make_dataclass("Found", ["pvalue", "reason"])(0.0123456789, None))
    '<table><caption style="text-align:left"><b>Found</b></caption><tbody><tr><th scope="row" style\
="text-align:left">pvalue</th><td style="text-align:right">0.0123457</td></tr></tbody></table>'
    """
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(field.name.replace("_", " "))}</th>'
        f'<td style="text-align:right">{escape(_shown(value))}</td></tr>'
        for field in dataclasses.fields(result)
        if (value := getattr(result, field.name)) is not None and value != ()
    )
    return (
        f'<table><caption style="text-align:left"><b>{escape(type(result).__name__)}</b></caption>'
        f"<tbody>{rows}</tbody></table>"
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
