"""Exceptions with a message for the user."""

from collections.abc import Mapping, Sequence
from typing import Any


class OccstatsError(Exception):
    """An error that the user can correct; the message says how.

    The command line prints the message and exits with code 2.
    """


class ArgumentError(OccstatsError, ValueError):
    """An argument has a value that the function does not take."""


class ResultsError(OccstatsError, ValueError):
    """A results table or file cannot be read or compared as it is.

    `retry` has the options with which it can be, if they are known, and `choices` a line for each
    remedy, `retry` first; the command line prints them as a command to try.
    """

    def __init__(
        self, problem: str, retry: Mapping[str, Any] | None = None, choices: Sequence[str] = ()
    ) -> None:
        self.problem, self.retry, self.choices = problem, dict(retry or {}), [*choices]
        given = ", ".join(f"{name}={value!r}" for name, value in self.retry.items())
        remedies = "\n  or ".join(choices)
        lines = f"{problem}\ntry: {remedies}" if choices else problem
        super().__init__(f"{problem}; try: {given}" if given and not choices else lines)


class DataError(OccstatsError, ValueError):
    """A dataset cannot be turned into one-class tasks."""


class FigureError(OccstatsError, ValueError):
    """A figure cannot be drawn or saved as requested."""


class EngineError(OccstatsError, RuntimeError):
    """R, a scheduler or a worker is missing or failed."""


class MissingExtraError(OccstatsError, ModuleNotFoundError):
    """An optional part of the package is not installed."""


class OutputError(OccstatsError, OSError):
    """The output cannot be written; existing files are unchanged."""
