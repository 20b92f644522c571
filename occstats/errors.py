"""The few exceptions that a user meets."""


class OccstatsError(Exception):
    """Something is wrong that the user can mend; the message says what and how.

    The command line prints the message as one line and exits with code 2.
    """


class ArgumentError(OccstatsError, ValueError):
    """An argument is not what the function takes."""


class ResultsError(OccstatsError, ValueError):
    """A results table, or the file that should hold one, cannot be compared as it is."""


class DataError(OccstatsError, ValueError):
    """A data set cannot be turned into one-class tasks."""


class EngineError(OccstatsError, RuntimeError):
    """An optional engine (R, a scheduler) is missing or failed."""


class OutputError(OccstatsError, OSError):
    """The output cannot be written; what was there before is untouched."""
