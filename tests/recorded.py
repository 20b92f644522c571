"""Commands and their recorded output, as readable text in ``tests/reference/recorded``.

A file consists of cases: a title, small input files, commands, and below each command its output::

    === a title
    --- scores.csv
    dataset,A,B
    iris,0.9,0.8
    $ a command, which the test module knows how to run
    the output

To add a case, write its title, files and commands. After an intended change of the output, record
again and read the difference in git (`make record` does so for all records)::

    OCCSTATS_RECORD=1 python -m pytest -q -n 0 tests/test_recorded_*.py tests/*/test_recorded_*.py
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap

import pytest

RECORD = bool(os.environ.get("OCCSTATS_RECORD"))
FOLDER = Path(__file__).parent / "reference" / "recorded"
# Numbers with three decimals or an exponent, but no parts of names and checksums.
_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d{3,}(?:e[+-]\d+)?|\d+(?:\.\d+)?e[+-]\d+)(?!\w)")


def cases(name: str) -> list[str]:
    """Return the cases of a file, for `pytest.mark.parametrize`."""
    _, *found = re.split(r"^=== ", _path(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [pytest.param(case, id=case.partition("\n")[0]) for case in found]


def check_case(name: str, case: str, run: Callable[[str], str], folder: Path) -> None:
    """Write the files of a case into a folder, run its commands, compare or record the output."""
    title, *parts = re.split(r"^(--- |\$ )", case, flags=re.MULTILINE)
    found = [title]
    for mark, part in zip(parts[::2], parts[1::2], strict=True):
        first, _, rest = part.partition("\n")
        if mark == "--- ":
            (folder / first).parent.mkdir(parents=True, exist_ok=True)
            (folder / first).write_text(rest, encoding="utf-8")
            found.append(mark + part)
        else:
            printed = run(first).strip("\n").replace(str(folder), "FOLDER")
            lines = [line.rstrip() for line in printed.splitlines()]
            found.append("\n".join([mark + first, *lines, ""]))
    text = "".join(found).rstrip("\n") + "\n\n"
    if RECORD:
        content = _path(name).read_text(encoding="utf-8")
        assert content.count(f"=== {case}") == 1, "two cases of one title"
        _path(name).write_text(content.replace(f"=== {case}", f"=== {text}"), encoding="utf-8")
        return
    different = [
        line
        for line in difflib.ndiff(case.splitlines(), _matched(text, case).splitlines())
        if not line.startswith("?")
    ]
    if any(line[0] in "+-" for line in different):
        pytest.fail(
            f"{name}.txt says -, this run +; `make record` takes the latter\n"
            + "\n".join(line for line in different if line.strip()),
            pytrace=False,
        )


def n_lines(message: str) -> int:
    """Return the number of lines of a message on a terminal of 80 columns."""
    return sum(len(wrap(line, 80) or [""]) for line in message.splitlines())


def _matched(found: str, expected: str) -> str:
    """Return a text with the recorded numbers where its own differ by one in the last digit."""
    recorded = _NUMBER.findall(expected)
    if len(_NUMBER.findall(found)) != len(recorded):
        return found
    numbers = iter(recorded)

    def nearest(match: re.Match[str]) -> str:
        number = next(numbers)
        digits = len(number.partition("e")[0].partition(".")[2])
        power = int(number.partition("e")[2] or 0)
        tolerance = max(1.001 * 10.0 ** (power - digits), 1e-9 * float(number))
        return number if abs(float(match[0]) - float(number)) <= tolerance else match[0]

    return _NUMBER.sub(nearest, found)


def _path(name: str) -> Path:
    return FOLDER / f"{name}.txt"
