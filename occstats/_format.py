"""Format names and numbers for people; files for programs keep them unchanged."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import fields
from difflib import get_close_matches
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any, Literal

ABSENT = "–"
# The smallest p-value that is printed as a number, as is usual in papers.
SMALLEST_P = 0.001
MOST_DECIMALS = 8
SECTION_ROWS = 50
# Blanks at which no line ends: in "p = 0.05" and "95 % CI".
_FIXED = re.compile(r"(?<=\bp) (?=[=<>])|(?<=[=<>]) (?=\d)|(?<=\d) (?=%)")
# Characters of these categories move the cursor, reorder or hide text; joiners build emoji.
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}
_LONGEST_QUOTED = 60
_LONGEST_SHOWN = 200
# TeX's special characters, and those that its default fonts lack.
TEX_COMMANDS = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", "–": "--", "…": r"\ldots{}",
    "<": "$<$", ">": "$>$", "≥": r"$\geq$", "≤": r"$\leq$", "±": r"$\pm$", "−": "$-$",
    "×": r"$\times$", "α": r"$\alpha$", "τ": r"$\tau$", "χ": r"$\chi$", "ρ": r"$\rho$",
    "Σ": r"$\Sigma$", "²": "$^2$", "½": "$1/2$", "†": r"$\dagger$",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}  # fmt: skip


def printable(name: str) -> str:
    r"""Return the name with control characters, newlines and reordering marks made visible.

    Examples
    --------
    >>> print(printable("red\x1b[31m\nALP"))
    red\x1b[31m\nALP
    >>> printable("近傍 🦊") == "近傍 🦊"
    True
    """
    if name.isprintable():  # the usual case, and a hundred times faster
        return name
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _INVISIBLE and character not in _JOINERS
        else character
        for character in name
    )


def shorten(name: str) -> str:
    """Return the name for a report: one of more than 200 characters without its middle.

    Examples
    --------
    >>> shorten("ALP"), len(shorten("a" * 4000))
    ('ALP', 200)
    """
    if len(name) <= _LONGEST_SHOWN:
        return name
    return f"{name[: _LONGEST_SHOWN - 60]}…{name[-59:]}"


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Return a suggestion to append to an error message; empty if no candidate is close.

    Examples
    --------
    >>> did_you_mean("alp", ["ALP", "SVM"])
    " (did you mean 'ALP'?)"
    >>> did_you_mean("acc", ["accuracy", "auc"]), did_you_mean("mine.csv", ["two.csv"])
    (" (did you mean 'accuracy'?)", '')
    """
    by_folded = {candidate.casefold(): candidate for candidate in reversed(list(candidates))}
    folded = name.casefold()
    # A single wrong letter is a third of a short name.
    whole = [each for each in by_folded if len(folded) > 2 and each.startswith(folded)]
    close = sorted(whole, key=len)
    close += get_close_matches(folded, by_folded, n=1, cutoff=0.6 if len(folded) < 5 else 0.75)
    if not close and len(folded) > 2:
        close = [each for each in by_folded if folded.startswith(each)]
    return f" (did you mean {by_folded[close[0]]!r}?)" if close else ""


def listing(names: Iterable[str], limit: int = 12, conjunction: str = "and") -> str:
    """Return the names as a phrase of a sentence; beyond the limit, only their number.

    Examples
    --------
    >>> listing(["ALP", "SVM", "NND"])
    'ALP, SVM and NND'
    >>> listing(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    shown = [shorten(printable(name)) for name in names]
    if len(shown) > limit:
        shown = [*shown[:limit], f"{len(shown) - limit} more"]
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"


def quote(name: object) -> str:
    r"""Return the name for a message: quoted, on one line, of limited length.

    Examples
    --------
    >>> print(quote("a\nb"))
    'a\nb'
    """
    shown = repr(str(name))
    return shown if len(shown) <= _LONGEST_QUOTED else f"{shown[: _LONGEST_QUOTED - 2]}…'"


def quote_list(names: Iterable[object], limit: int = 12) -> str:
    """Return several quoted names for a message; beyond the limit, only their number.

    Examples
    --------
    >>> quote_list(["a", "b", "c"], limit=2), quote_list(["a", "b"], limit=2)
    ("'a', 'b' and 1 more", "'a', 'b'")
    """
    every = list(names)
    shown = ", ".join(quote(name) for name in every[:limit]) or "none"
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def show_path(path: object) -> str:
    r"""Return the whole path for a message, on one line.

    Examples
    --------
    >>> print(show_path("results/a.csv"), show_path("a\tb"))
    results/a.csv 'a\tb'
    """
    shown = str(path)
    return shown if shown.isprintable() else repr(shown)


def count(number: int, noun: str) -> str:
    """Return the number with its noun, singular or plural.

    Examples
    --------
    >>> count(1, "row"), count(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counts(*values: float) -> str:
    """Return several counts as one cell.

    Examples
    --------
    >>> counts(138, 23, 1085)
    '138 / 23 / 1,085'
    """
    return " / ".join(map(integer, values))


def p_value(p: float | None, level: float | None = None) -> str:
    """Return a p-value as papers print it, never rounded to the level from either side.

    Examples
    --------
    >>> [p_value(p) for p in (0.16713, 0.0204, 0.0033, 0.0000099, 0.999, None)]
    ['0.17', '0.020', '0.003', '<0.001', '>0.99', '–']
    >>> p_value(0.0502, level=0.05), p_value(0.05, level=0.05)
    ('0.0502', '0.050')
    """
    if p is None or math.isnan(p):
        return ABSENT
    if p < SMALLEST_P:
        return "<0.001"
    if p >= 0.995:
        return ">0.99"
    digits = 3 if p < 0.0995 else 2
    while p != level and round(p, digits) == level and digits < MOST_DECIMALS:
        digits += 1
    return decimals(digits)(p)


def p_writer(settings: Any) -> Callable[[float], str]:
    """Return the writer of the deciding p-values; ``preset="paper"`` prints ≥ 1."""

    def write(p: float) -> str:
        return "≥ 1" if settings.preset == "paper" and p >= 1 else p_value(p, settings.alpha)

    return write


def p_equation(p: float, write: Callable[[float], str] = p_value) -> str:
    """Return a p-value as an equation, for a sentence.

    Examples
    --------
    >>> p_equation(0.0204), p_equation(0.00001)
    ('p = 0.020', 'p < 0.001')
    """
    shown = write(p)
    return f"p {shown[0]} {shown[1:].strip()}" if shown[0] in "<>≥" else f"p = {shown}"


def decimals(
    digits: int, *, signed: bool = False, ties: Literal["away", "down", "up"] = "away"
) -> Callable[[float | None], str]:
    """Return a writer of numbers with a fixed number of decimals; tiny scales get exponents.

    Parameters
    ----------
    digits
        The number of decimals.
    signed
        Write the sign of positive numbers.
    ties
        How halves are rounded: away from zero, or, for confidence limits, down or up. Signed
        limits keep their sign if they round to zero.

    Examples
    --------
    >>> decimals(3)(0.81654), decimals(2, signed=True)(0.127), decimals(2)(float("nan"))
    ('0.817', '+0.13', '–')
    >>> decimals(3)(0.0095), decimals(3, ties="down")(0.0225), decimals(2, signed=True)(-0.001)
    ('0.010', '0.022', '0.00')
    >>> decimals(12)(2.61e-10)
    '2.61e-10'
    """
    sign = "+" if signed else ""

    def write(value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return ABSENT
        if digits > MOST_DECIMALS:
            return f"{value:{sign}.2e}" if value else "0"
        whole = math.floor(scaled := value * 10.0**digits)
        # Halves up to floating-point error.
        if math.isclose(scaled - whole, 0.5, abs_tol=1e-6):
            whole += ties == "up" or (ties == "away" and value > 0)
        else:
            whole += scaled - whole > 0.5
        # The sign of a confidence limit near zero tells whether the interval contains zero.
        if signed and not whole and ties != "away" and abs(scaled) > 1e-6:
            return f"{math.copysign(0.0, value):+.{digits}f}"
        return f"{whole / 10.0**digits:{sign if whole else ''}.{digits}f}"

    return write


def limits(digits: int, *, signed: bool = True) -> Callable[[float, float], str]:
    """Return a writer of confidence limits in brackets; halves are rounded outward.

    Examples
    --------
    >>> limits(3)(-0.0075, 0.0225), limits(2, signed=False)(0.5, float("inf"))
    ('[-0.008, +0.023]', '[0.50, –]')
    >>> limits(2)(0.0003, 0.127), limits(2)(-0.0003, 0.127), limits(2)(0.0, 0.127)
    ('[+0.00, +0.13]', '[-0.00, +0.13]', '[0.00, +0.13]')
    """
    lower = decimals(digits, signed=signed, ties="down")
    upper = decimals(digits, signed=signed, ties="up")

    def write(low: float, high: float) -> str:
        finite = math.isfinite(low) or math.isfinite(high)
        return f"[{lower(low)}, {upper(high)}]" if finite else ABSENT

    return write


def blank_or(write: Callable[[float], str]) -> Callable[[float], str]:
    """Return a writer that leaves missing values blank, as in half of a triangle."""
    return lambda value: "" if math.isnan(value) else write(value)


def significant(digits: int) -> Callable[[float | None], str]:
    """Return a writer of numbers with the given number of significant digits.

    Examples
    --------
    >>> significant(3)(0.0123456), significant(3)(1234567.0)
    ('0.0123', '1.23e+06')
    """

    def write(value: float | None) -> str:
        return ABSENT if value is None or math.isnan(value) else f"{value:.{digits}g}"

    return write


def same_decimals(values: Iterable[float]) -> Callable[[float | None], str]:
    """Return a formatter of a column: about four significant digits, or fewer if exact.

    Examples
    --------
    >>> write = same_decimals([0.78, 1.0])
    >>> write(0.78), write(1.0)
    ('0.78', '1.00')
    >>> same_decimals([123.456, 0.01])(0.01), same_decimals([2.0])(2.0)
    ('0.010', '2')
    >>> same_decimals([2.5e9, 0.001])(0.001)
    '0.001'
    """
    known = [value for value in values if math.isfinite(value)]
    sizes = sorted(abs(value) for value in known if value)
    middle = sizes[(len(sizes) - 1) // 2] if sizes else 1.0
    digits = max(3 - math.floor(math.log10(middle)), 0)
    # Large values do not reduce the decimals of small ones.
    close = min(1e-12 * max(sizes, default=1.0), 1e-6 * 10.0**-digits)
    exact = (
        fewer
        for fewer in range(digits)
        if all(abs(round(value, fewer) - value) <= close for value in known)
    )
    return decimals(next(exact, digits))


def percent(value: float | None) -> str:
    """Return a proportion as a percentage, rounded to 0 or 100 only if exact.

    Examples
    --------
    >>> percent(0.382), percent(0.0004), percent(0.99995), percent(0.0), percent(1.0)
    ('38 %', '< 1 %', '> 99 %', '0 %', '100 %')
    """
    if value is None or math.isnan(value):
        return ABSENT
    if 0 < value < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def shares(*values: float) -> str:
    """Return the proportions of a whole as percentages that add up to 100.

    Examples
    --------
    >>> shares(1 / 3, 1 / 3, 1 / 3), shares(0.508, 0.072, 0.42)
    ('34 / 33 / 33', '51 / 7 / 42')
    """
    if any(math.isnan(value) for value in values):
        return ABSENT
    percentages = [math.floor(100 * value) for value in values]
    remainders = [100 * value - whole for value, whole in zip(values, percentages, strict=True)]
    missing = round(100 * sum(values)) - sum(percentages)
    for position in sorted(range(len(values)), key=lambda i: -remainders[i])[:missing]:
        percentages[position] += 1
    return " / ".join(map(str, percentages))


def integer(value: float | None) -> str:
    """Return a whole number with thousands separators.

    Examples
    --------
    >>> integer(20000), integer(None)
    ('20,000', '–')
    """
    return ABSENT if value is None or math.isnan(value) else f"{round(value):,}"


def word(value: object) -> str:
    """Return the value as text; a dash if it is missing.

    Examples
    --------
    >>> word("ALP"), word(None), word(float("nan"))
    ('ALP', '–', '–')
    """
    absent = value is None or (isinstance(value, float) and math.isnan(value))
    return ABSENT if absent else shorten(str(value))


def minus_signs(text: str) -> str:
    """Return the text with minus signs instead of hyphens before numbers, not within names.

    Examples
    --------
    >>> minus_signs("[-0.010, +0.022]"), minus_signs("GPT-4: -2.61e-10")
    ('[−0.010, +0.022]', 'GPT-4: −2.61e−10')
    """
    return re.sub(r"(?:(?<!\w)|(?<=\de))-(?=[\d.])", "−", text)


def terminal_width() -> int:
    """Return the width of paragraphs: 80 columns, or those of a narrower terminal."""
    return min(80, get_terminal_size().columns)


def wrap(text: str, width: int = 80, first: str = "", others: str = "") -> list[str]:
    """Return lines of at most this width, with indents; numbers keep their units.

    Examples
    --------
    >>> wrap("The power of the test is 80 % now.", 28)
    ['The power of the test is', '80 % now.']
    """
    wrapper = TextWrapper(width, first, others, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in wrapper.wrap(_FIXED.sub("\u00a0", text))]


class Section:
    """A dataclass of numbers and frames: one line as text, a list and folded frames as HTML."""

    def __repr__(self) -> str:
        names = [item.name for item in fields(self)]  # type: ignore[arg-type]
        return f"<{type(self).__name__}: {', '.join(names)}>"

    def _repr_html_(self) -> str:
        numbers: list[str] = []
        frames: list[str] = []
        for item in fields(self):  # type: ignore[arg-type]
            part, title = getattr(self, item.name), item.name.replace("_", " ").capitalize()
            if isinstance(part, int | float):
                numbers.append(f"<li>{title}: {part:.4g}</li>")
            elif hasattr(part, "to_html"):
                shown = part.head(SECTION_ROWS)
                writers = {
                    key: p_value if key.split("_")[0] == "p" else same_decimals(column)
                    for key, column in shown.select_dtypes("float").items()
                }
                table = shown.to_html(index=False, formatters=writers)
                opened = "" if frames else " open"
                frames.append(f"<details{opened}><summary>{title}</summary>{table}</details>")
        return f'<div class="occstats"><ul>{"".join(numbers)}</ul>{"".join(frames)}</div>'
