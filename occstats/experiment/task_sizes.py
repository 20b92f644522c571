"""Numbers of neighbours that all folds of a task share."""

from dataclasses import dataclass

from occstats.experiment.folds import smallest_training_part

__all__ = ["AtMost"]


@dataclass(frozen=True, repr=False)
class AtMost:
    """A number of neighbours, lowered where the training parts of a task have fewer.

    Examples
    --------
    >>> AtMost(6).for_task(97), AtMost(6).for_task(5), AtMost(6)(4)
    (6, 3, 3)
    """

    size: int

    def for_task(self, n: int) -> int:
        """The number for all folds of a task with n target rows."""
        return min(self.size, smallest_training_part(n) - 1)

    def __call__(self, n: int) -> int:
        """The number for n training rows."""
        return min(self.size, max(n - 1, 1))

    def __repr__(self) -> str:
        return f"at_most({self.size})"
