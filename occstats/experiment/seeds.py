"""Seeds that depend on what is fitted, never on when or where."""

import hashlib
from dataclasses import dataclass

from occstats.errors import DataError

__all__ = ["SeedPolicy"]


@dataclass(frozen=True)
class SeedPolicy:
    """The random state of every fit.

    Parameters
    ----------
    value : int, default 0
        The seed.
    pinned : bool, default True
        Whether every fit gets the value itself, as in the paper's experiment; otherwise each gets
        a seed of its own, derived from the value and the identity of task, fold and descriptor.
        Either way neither the order of the work nor the number of workers changes a score.

    Examples
    --------
    >>> SeedPolicy().seed_of("wine", "1", 0, "IF")
    0
    >>> policy = SeedPolicy.parse("7")
    >>> policy, policy.seed_of("wine", "1", 0, "IF") == policy.seed_of("wine", "1", 1, "IF")
    (SeedPolicy(value=7, pinned=False), False)
    """

    value: int = 0
    pinned: bool = True

    @classmethod
    def parse(cls, text: "str | int | SeedPolicy") -> "SeedPolicy":
        """Read ``"pinned:0"`` (every fit gets 0) or ``"7"`` (each fit derives its own from 7)."""
        if isinstance(text, SeedPolicy):
            return text
        number = str(text).removeprefix("pinned:")
        if not number.isdigit() or int(number) >= 2**32:
            raise DataError(
                f"seed {text!r}: expected an integer from 0 to 4294967295 (each fit derives its "
                "own seed from it) or 'pinned:0' (every fit gets 0, as in the paper)"
            )
        return cls(int(number), pinned=str(text).startswith("pinned:"))

    def __str__(self) -> str:
        return f"pinned:{self.value}" if self.pinned else str(self.value)

    def seed_of(self, dataset: str, target: str, fold: int, descriptor: str) -> int:
        """The seed of one fit."""
        if self.pinned:
            return self.value
        identity = "\0".join([str(self.value), dataset, target, str(fold), descriptor])
        return int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "little")
