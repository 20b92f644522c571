"""Checks of arguments, with messages that name the argument, the rule and the value."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from occstats._format import did_you_mean, listing
from occstats.errors import ArgumentError, MissingExtraError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise an error if a value is not among the choices; propose the nearest.

    Examples
    --------
    >>> check_choice("test", "rlg", ("rgl", "ds"))
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: test must be one of rgl, ds; got 'rlg' (did you mean 'rgl'?)
    """
    offered = tuple(choices)
    if value not in offered:
        shown = ", ".join(each if each[-1].isalnum() else repr(each) for each in offered)
        raise ArgumentError(
            f"{name} must be {'one of ' * (len(offered) > 1)}{shown}; got {value!r}"
            f"{did_you_mean(str(value), offered)}"
        )


def check_number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    below: float = math.inf,
) -> None:
    """Raise an error unless the value is a finite number within the bounds.

    Examples
    --------
    >>> check_number("rope", -0.1, least=0)
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: rope must be a number of 0 or more; got -0.1
    """
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= least and above < number < below):
        share = re.fullmatch(r"\s*(-?\d+\.?\d*)\s*%\s*", value) if isinstance(value, str) else None
        near = f" (did you mean {float(share[1]) / 100:g}?)" if share else ""
        raise ArgumentError(f"{name} must be {_rule(least, above, below)}; got {value!r}{near}")


def _rule(least: float, above: float, below: float) -> str:
    if math.isfinite(above) and math.isfinite(below):
        return f"strictly between {above:g} and {below:g}"
    if math.isfinite(least):
        return f"a number of {least:g} or more"
    if math.isfinite(above):
        return f"a number above {above:g}"
    return f"a number below {below:g}" if math.isfinite(below) else "a finite number"


def check_fraction(name: str, value: Any) -> None:
    """Raise an error unless the value is a number strictly between 0 and 1.

    Examples
    --------
    >>> check_fraction("alpha", 5)
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: alpha must be strictly between 0 and 1; got 5
    """
    check_number(name, value, above=0, below=1)


def check_integer(name: str, value: Any, *, least: int = 1) -> None:
    """Raise an error unless the value is an integer of at least ``least``; booleans are refused.

    Examples
    --------
    >>> check_integer("n_resamples", 9.5, least=100)
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: n_resamples must be an integer of at least 100; got 9.5
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise ArgumentError(f"{name} must be an integer of at least {least}; got {value!r}")


def check_keywords(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Have a function propose the nearest argument for one that it does not take.

    Examples
    --------
    >>> @check_keywords
    ... def load(*, algorithm=None): ...
    >>> load(algoritm="name")
    Traceback (most recent call last):
    ...
    TypeError: load() got an unexpected keyword argument 'algoritm' (did you mean 'algorithm'?)
    """
    taken = list(signature(function).parameters)

    @wraps(function)
    def call(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
        check_names(function.__name__, named, taken)
        return function(*given, **named)

    return call


def check_names(function: str, named: Mapping[str, Any], taken: Sequence[str]) -> None:
    """Raise an error for an unknown argument of a function, and name the nearest valid one.

    Examples
    --------
    >>> check_names("load", {"higher_is_better": True}, ["lower_is_better"])
    Traceback (most recent call last):
    ...
    TypeError: load() got an unexpected keyword argument 'higher_is_better'; pass \
lower_is_better=False
    """
    for name in (name for name in named if name not in taken):
        near = did_you_mean(name, taken) or f"; it takes {listing(taken, limit=30)}"
        if name == "higher_is_better" and "lower_is_better" in taken:
            near = f"; pass lower_is_better={not named[name]}"
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{near}")


def require_descriptors() -> None:
    """Raise an error that says what to install unless the extra ``descriptors`` is there."""
    missing = [name for name in ("sklearn", "numba", "cloudpickle") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"running descriptors needs {', '.join(missing)}, which comparisons do not; "
            "try: pip install 'occstats[descriptors]'",
            name=missing[0],
        )
