"""The few exceptions that a user meets."""

from collections.abc import Mapping
from typing import Any


class OccstatsError(Exception):
    """Something is wrong that the user can mend; the message says what and how.

    The command line prints the message and exits with code 2.
    """


class ArgumentError(OccstatsError, ValueError):
    """An argument is not what the function takes."""


class ResultsError(OccstatsError, ValueError):
    """A results table, or the file that should hold one, cannot be compared as it is.

    ``retry`` are the options with which it can be, where that is known; the command line writes
    them as one types them.
    """

    def __init__(self, problem: str, retry: Mapping[str, Any] | None = None) -> None:
        self.problem = problem
        self.retry = dict(retry or {})
        given = ", ".join(f"{name}={value!r}" for name, value in self.retry.items())
        super().__init__(f"{problem}; give {given}" if given else problem)


class DataError(OccstatsError, ValueError):
    """A data set cannot be turned into one-class tasks."""


class FigureError(OccstatsError, ValueError):
    """A figure cannot be drawn or saved as requested."""


class EngineError(OccstatsError, RuntimeError):
    """An optional engine (R, a scheduler) is missing or failed."""


class OutputError(OccstatsError, OSError):
    """The output cannot be written; what was there before is untouched."""
