"""How results are read: each option is declared here once, with its help, choices and default.

The signature and documentation of :func:`occstats.load_results`, the options of the command line
and the words of messages derive from :class:`Reading`.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter
from textwrap import indent, wrap
from typing import Any

from occstats.errors import ResultsError

__all__ = ["Reading", "as_arguments", "as_options", "document", "option_name", "parameters"]

MOST_ROWS = 2_000_000


def _option(help_text: str, default: Any = None, **details: Any) -> Any:
    """Declare an option.

    ``usual`` is what happens if it is not given, ``choices`` what it may be, ``metavar`` what it
    stands for, ``flag`` the name of its opposite, ``switch`` that it needs no value, ``many`` that
    it can be given several times, ``name`` what the command line calls it.
    """
    return field(default=default, metadata={"help": help_text, **details})


def _column(what: str, usual: str, **details: Any) -> Any:
    return _option(f"Column with {what}", metavar="COLUMN", usual=usual, **details)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the user said about the sources."""

    cluster: str | Sequence[str] | None = _column(
        "the data set that a task belongs to (@file: the name of the file, @row: each row); given"
        " twice, first the suite that data sets belong to, then the data set",
        "dataset, group …",
        many=True,
    )
    task: str | None = _column("what tells the tasks of a data set apart", "class, task …")
    algorithm: str | Sequence[str] | None = _column(
        "the algorithm (long form), or several: the columns that are algorithms (wide form)",
        "descriptor, algorithm, model …",
        many=True,
    )
    score: str | None = _column("the score (long form)", "auroc, score, accuracy …")
    fold: str | None = _column("the fold, averaged", "fold")
    repeat: str | None = _column("repeats or seeds, averaged too", "repeat, seed …")
    status: str | None = _column("whether a row succeeded; failed rows are missing", "status")
    transpose: bool = _option(
        "Rows are algorithms and columns are tasks, as in a leaderboard", False, switch=True
    )
    where: Sequence[str] = _option(
        "Keep only the rows where a column has this value, or with != has not; can be given several"
        " times",
        (),
        metavar="COLUMN=VALUE",
        many=True,
    )
    duplicates: str = _option(
        "Rows of the same data set, task, algorithm and fold: refuse them, or average them as"
        " repeats without a name",
        "refuse",
        choices=("refuse", "average"),
    )
    format: str | None = _option(
        "The program that wrote the files (automlbenchmark, tsml, benchopt, openml, lm-eval,"
        " inspect, helm, mteb, or that of a plug-in)",
        metavar="NAME",
        usual="found where it is unmistakable",
    )
    sheet: str | None = _option("Sheet of an Excel workbook", metavar="NAME", usual="the only one")
    traits: Sequence[str] = _option(
        "Column with a trait of the tasks; can be given several times",
        (),
        metavar="COLUMN",
        usual="n, m, sparsity",
        many=True,
        name="trait",
    )
    metric: str | None = _option(
        "Where a column names the metric of each row: the one to keep", metavar="NAME"
    )
    score_name: str | None = _option(
        "What the scores measure, where the column does not say it", metavar="NAME"
    )
    lower_is_better: bool | None = _option(
        "Whether the score is an error, a loss or a time",
        flag="higher-is-better",
        usual="by its name; else higher is better",
    )
    on_clash: str = _option(
        "When two sources have an algorithm of the same name: refuse them, or tell them apart by"
        " their source",
        "refuse",
        choices=("refuse", "rename"),
    )
    unequal_folds: str = _option(
        "Where an algorithm lacks folds that others have on the same task: its cell is missing,"
        " only common folds count, or each averages its own",
        "missing",
        choices=("missing", "common", "own"),
    )
    encoding: str | None = _option(
        "Encoding of text files, such as cp1252 or latin-1",
        metavar="NAME",
        usual="UTF-8, or UTF-16 by its mark",
    )
    header_rows: int = _option(
        "Rows in which text files and workbooks name their columns; names of several are joined",
        1,
        metavar="N",
    )
    fill_down: bool = _option(
        "Names that are empty are those above, as in merged cells", False, switch=True
    )
    decimal: str = _option("Decimal mark in text files", ".", choices=(".", ","))
    scale: float = _option(
        "Factor for the scores: 0.01 turns per cent into fractions", 1.0, metavar="FACTOR"
    )
    max_rows: int = _option(
        "Refuse files with more rows than this, before they are unpacked",
        MOST_ROWS,
        metavar="N",
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            choices, value = item.metadata.get("choices"), getattr(self, item.name)
            if choices and value not in choices:
                listed = ", ".join(map(repr, choices))
                raise ResultsError(f"{item.name}: must be one of {listed}; got {str(value)!r}")
        if not (isinstance(self.scale, int | float) and math.isfinite(self.scale) and self.scale):
            raise ResultsError(f"scale: must be a positive number; got {str(self.scale)!r}")
        if self.scale < 0:
            raise ResultsError(
                f"scale: must be a positive number; got {self.scale:g}; where less is better, give"
                " lower_is_better=True"
            )
        if not (isinstance(self.header_rows, int) and self.header_rows >= 1):
            raise ResultsError(
                f"header_rows: must be a whole number from 1; got {str(self.header_rows)!r}"
            )
        try:
            "".encode(self.encoding or "utf-8")
        except LookupError:
            raise ResultsError(
                f"encoding: {str(self.encoding)!r} is not known; give a name such as 'cp1252' or"
                " 'latin-1'"
            ) from None
        for name in ("traits", "where"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        levels = self.levels
        if len(levels) > 2:
            raise ResultsError(
                f"cluster: at most two columns, the suite and the data set; got {len(levels)}: give"
                f" the outermost and the innermost, cluster={[levels[0], levels[-1]]!r}"
            )

    @property
    def levels(self) -> tuple[str, ...]:
        """The columns of clusters, the outermost first."""
        given = self.cluster
        return () if given is None else (given,) if isinstance(given, str) else tuple(given)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that were named, by their role."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}
        named |= dict(zip(("cluster", "suite"), reversed(self.levels), strict=False))
        return {
            name: named[name]
            for name in ("suite", "cluster", "task", "algorithm", "score", "fold", "repeat",
                         "status")
            if isinstance(named.get(name), str)
        }  # fmt: skip

    def suggested(self, suggestions: Mapping[str, Any]) -> Reading:
        """The same with answers for what was not given."""
        usual = {item.name: item.default for item in fields(self)}
        return replace(
            self, **{k: v for k, v in suggestions.items() if getattr(self, k) == usual[k]}
        )

    @property
    def algorithm_columns(self) -> list[str] | None:
        """The columns of a wide table that were named as algorithms."""
        given = self.algorithm
        return None if given is None or isinstance(given, str) else list(given)


def option_name(name: str) -> str:
    """What the command line calls an option.

    >>> option_name("traits"), option_name("max_rows")
    ('--trait', '--max-rows')
    """
    declared = {item.name: item.metadata.get("name", item.name) for item in fields(Reading)}
    return f"--{declared.get(name, name).replace('_', '-')}"


def as_arguments(options: Mapping[str, Any]) -> str:
    """Write options as arguments of Python.

    >>> as_arguments({"cluster": "data set", "lower_is_better": True})
    "cluster='data set', lower_is_better=True"
    """
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def as_options(options: Mapping[str, Any]) -> str:
    """Write options as one types them in a shell.

    >>> as_options({"cluster": "data set", "traits": ["n", "m"], "lower_is_better": True})
    "--cluster 'data set' --trait n --trait m --lower-is-better"
    """
    words: list[str] = []
    flags = {item.name: item.metadata.get("flag") for item in fields(Reading)}
    for name, value in options.items():
        if name == "sources":
            words += map(str, value)
        elif value is True:
            words.append(option_name(name))
        elif value is False:
            words.append(f"--{flags.get(name)}")
        else:
            for one in [value] if isinstance(value, str | int | float) else value:
                text = str(one)
                glued = text.startswith("-")  # else it would be read as an option
                words += [f"{option_name(name)}={text}"] if glued else [option_name(name), text]
    return shlex.join(words)


def parameters() -> list[Parameter]:
    """The options as keyword parameters of a function."""
    return [
        Parameter(item.name, Parameter.KEYWORD_ONLY, default=item.default, annotation=item.type)
        for item in fields(Reading)
    ]


def document() -> str:
    """The options as the parameters section of a docstring, indented by four."""
    lines: list[str] = []
    for item in fields(Reading):
        details = item.metadata
        kind = (
            "{" + ", ".join(repr(choice) for choice in details["choices"]) + "}"
            if "choices" in details
            else str(item.type).replace(" | None", "")
        )
        default = "optional" if item.default in (None, ()) else f"default {item.default!r}"
        usual = f" If not given: {details['usual']}." if "usual" in details else ""
        lines.append(f"{item.name} : {kind}, {default}")
        lines += indent("\n".join(wrap(f"{details['help']}.{usual}", 90)), "    ").split("\n")
    return indent("\n".join(lines), "    ").lstrip()
