"""From the files of a repository to the table that the paper used."""

import io
from typing import Any

import pandas as pd

from occstats.datasets.archives import find_members
from occstats.datasets.arff import parse_arff
from occstats.datasets.catalogue import Entry
from occstats.errors import DataError

__all__ = ["prepare"]


def prepare(content: bytes, entry: Entry) -> pd.DataFrame:
    """Turn a downloaded archive into attribute columns and a last column ``class``.

    The entry's preparation may say: ``layout`` (text by default; ``arff``, ``keel``, ``excel``,
    ``miniboone``), ``separator``, ``header``, ``encoding``, ``sheet``; ``label`` (name or position
    of the class column, the last by default), ``one_hot`` (classes of the last columns) or
    ``rows_per_class``; ``drop`` (columns), ``codes`` (column → text → number), ``keep`` (rules by
    which rows of a label stay), ``join`` (rows by default; ``columns``).
    """
    how = entry.preparation
    members = find_members(content, entry.files, source=f"{entry.name} ({entry.address})")
    try:
        parts = [_read(member, how) for member in members.values()]
        joined = pd.concat(parts, axis=1 if how.get("join") == "columns" else 0, ignore_index=True)
        if how.get("join") != "columns":
            joined.columns = parts[0].columns
        frame = _with_label(joined, how)
    except DataError:
        raise
    except Exception as error:  # whatever a parser says, the file is not what it should be
        reason = " ".join(str(error).split())[:160]
        raise DataError(f"{entry.name}: the files cannot be prepared ({reason})") from error
    return frame


def _read(content: bytes, how: dict[str, Any]) -> pd.DataFrame:
    layout = how.get("layout", "text")
    if layout == "excel":
        try:
            sheet = how.get("sheet", 0)
            table: pd.DataFrame = pd.read_excel(io.BytesIO(content), sheet_name=sheet, dtype=object)
            return table
        except ImportError as error:
            raise DataError(
                "a spreadsheet needs a package to be read: pip install 'occstats[fetch]'"
            ) from error
    text = content.decode(how.get("encoding", "utf-8"), errors="replace")
    if layout == "arff":
        return parse_arff(text)
    if layout == "keel":
        lines = [line for line in text.splitlines() if line and not line.startswith("@")]
        return _parsed("\n".join(lines), ",")
    if layout == "miniboone":
        return _miniboone(text)
    return _parsed(text, how.get("separator", ","), header=how.get("header", False))


def _parsed(text: str, separator: str, *, header: bool = False) -> pd.DataFrame:
    return pd.read_csv(
        io.StringIO(text),
        sep=r"\s+" if separator == "whitespace" else separator,
        header=0 if header else None,
        dtype=str,
        keep_default_na=False,
        skipinitialspace=True,
    )


def _miniboone(text: str) -> pd.DataFrame:
    """The first line counts signal and background events; the rows follow in this order."""
    first, _, rest = text.partition("\n")
    signal, background = map(int, first.split())
    frame = _parsed(rest, "whitespace")
    frame["class"] = ["1"] * signal + ["0"] * background
    return frame


def _with_label(frame: pd.DataFrame, how: dict[str, Any]) -> pd.DataFrame:
    """Move the class to the end, and drop, code and keep what the preparation says."""
    columns = list(frame.columns)
    if "one_hot" in how:
        classes = how["one_hot"]
        flags = frame[columns[-len(classes) :]].astype(float)
        labels = pd.Series([classes[position] for position in flags.to_numpy().argmax(axis=1)])
        attributes = frame[columns[: -len(classes)]]
    elif "rows_per_class" in how:
        labels = pd.Series([str(row // how["rows_per_class"]) for row in range(len(frame))])
        attributes = frame
    else:
        label = _column(columns, how.get("label", -1))
        labels = frame[label].astype(str).str.strip()
        attributes = frame.drop(columns=label)
    kept = pd.Series(True, index=frame.index)
    for rule in how.get("keep", []):
        values = frame[_column(columns, rule["column"])].astype(float)
        within = values.between(rule.get("at_least", -1e300), rule.get("at_most", 1e300))
        kept &= (labels != rule["label"]) | within
    dropped = [_column(columns, column) for column in how.get("drop", [])]
    attributes = attributes.drop(columns=dropped)
    attributes = attributes.copy()
    for column, codes in how.get("codes", {}).items():
        name = column if column in attributes.columns else columns[int(column)]
        attributes[name] = attributes[name].astype(str).str.strip().map(codes)
    attributes.columns = pd.Index([str(column) for column in attributes.columns])
    return attributes.assign(**{"class": labels})[kept].reset_index(drop=True)


def _column(columns: list[Any], which: str | int) -> Any:
    return columns[which] if isinstance(which, int) else which
