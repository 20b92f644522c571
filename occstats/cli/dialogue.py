"""Load the results of a command; on a terminal, ask about a table that is unclear."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from occstats._format import count, printable, quote, quote_list, terminal_width, wrap
from occstats.cli.main import ARGUMENTS, advice, as_command, say
from occstats.cli.options import READING, SETTINGS, take

if TYPE_CHECKING:
    from occstats.results import Results
    from occstats.results.ask import UnclearTableError

__all__ = ["load"]

MOST_COLUMNS = 40
NUMBERS = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")


def load(sources: tuple[str, ...], given: dict[str, Any], *, ask: bool = True) -> Results:
    """Load the sources with the reading options among those given, which are removed.

    On a terminal, what a table does not tell is asked; the answers are added to ``given``.
    """
    from occstats.comparison.settings import Settings
    from occstats.errors import ResultsError
    from occstats.results import load_results
    from occstats.results.ask import UnclearTableError

    Settings.of(**take(SETTINGS, dict(given)))  # refused before the tables are read
    reading = take(READING, given)
    if given.get("algorithms"):
        reading["algorithms"] = given["algorithms"]
    quiet = given.pop("no_input", False) or not ask
    if quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return load_results(*sources, **reading)
    answers: dict[str, Any] = {}
    refused: UnclearTableError | None = None
    try:
        results = load_results(*sources, **reading)
    except UnclearTableError as error:
        refused = error
        try:
            answers = converse(error, several=len(sources) > 1)
        except EOFError:
            raise error from None
        try:
            results = _load_answered(sources, reading, answers)
        except EOFError:
            raise error from None
        except ResultsError as later:
            repeated = as_command(click.get_current_context().meta[ARGUMENTS], answers)
            message = advice(later, shlex.split(repeated)[1:])
            if "\ntry: " not in message:
                click.echo(f"With the answers: {repeated}", err=True)
            raise click.ClickException(message) from None
    try:
        if refused is None:
            results = _ask_dataset(results, sources, reading, answers)
        _ask_missing(results, given, answers)
        if answers and not _confirmed(results):
            raise click.Abort
    except EOFError:
        click.echo(err=True)
        if refused is None:
            return results
        raise refused from None
    if answers:
        arguments = click.get_current_context().meta[ARGUMENTS]
        repeated = as_command(arguments, answers)
        click.echo(f"Next time: {repeated}\n", err=True)
        arguments[:] = shlex.split(repeated)[1:]
    given.update({name: answers[name] for name in ("missing", "algorithms") if name in answers})
    return results


def _load_answered(
    sources: tuple[str, ...], reading: Mapping[str, Any], answers: dict[str, Any]
) -> Results:
    """Load the sources with the answers; ask once about failed runs and once about other rows."""
    from occstats.results import load_results
    from occstats.results.ask import UnclearTableError, merged

    asked: set[str] = set()
    while True:
        added = {n: answer for n, answer in answers.items() if n in {"ignore", "where"}}
        told = dict(reading) | {n: answer for n, answer in answers.items() if n not in added}
        try:
            return load_results(*sources, **merged(told, added))
        except UnclearTableError as error:
            unasked = [name for name in error.questions if name not in asked]
            if "status" in unasked:
                _ask_status(error, answers)
            elif "differing" in unasked and len(error.questions["differing"]) == 1:
                _ask_differing(error, answers)
            else:
                raise
            asked.add("status" if "status" in unasked else "differing")


def _show(text: str) -> None:
    say(text, others="     ")


def _ask(question: str) -> str:
    lines = wrap(printable(question), terminal_width() - 12, others="   ")
    click.echo("\n".join(lines), nl=False, err=True)
    click.echo(" ", nl=False, err=True)
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.strip()


def _one_of(question: str, answers: Sequence[str]) -> str:
    while True:
        answer = _ask(question).lower()
        if answer[:1] in answers:
            return answer[0]
        _show(f"   Please answer {' or '.join(answers)}.")


def _agreed(question: str) -> bool:
    return _one_of(f"{question}? (y / n):", ("y", "n")) == "y"


def converse(error: UnclearTableError, *, several: bool) -> dict[str, Any]:
    """Ask for what a table does not tell, and return the options; ``several`` are files."""
    from occstats.results.ask import kind_of
    from occstats.results.roles import quantities

    raw = error.raw
    columns = raw.columns
    numeric = [column for column in columns if raw.is_numeric(column)]
    _show(f"{raw.name}: {'; '.join(error.problems)}.")
    for number, column in enumerate(columns, 1):
        if number <= MOST_COLUMNS or number == len(columns):
            _show(f"{number:>4} {printable(column) or '(no name)'}: {kind_of(raw, column)}")
    files = ", or file if each file is one" if several else ""
    question = (
        f"1. Which are the algorithms? Columns ({_range(columns, numeric)}), or the column that"
        f" names them{files}"
    )
    while True:
        algorithms = _ask_columns(question, columns, error.found.get("algorithm"), file=several)
        wide = len(algorithms) > 1 and set(algorithms) <= {*numeric}
        measures = quantities(algorithms) if wide else []
        shown = f"   Named as measures: {quote_list(measures)}. Are these algorithms"
        if not measures or _agreed(shown):
            break
    named = algorithms if len(algorithms) > 1 else algorithms[0]
    options: dict[str, Any] = {"algorithms" if wide else "algorithm": named}
    _ask_task(error, options, algorithms, wide)
    tasks = options.get("task", "")
    if not wide and (isinstance(tasks, str) or not {*tasks} <= {*numeric}):
        while True:
            score = _ask_columns("3. Which column is the score?", columns, None)
            if len(score) == 1 and score[0] in numeric:
                break
            _show("   Please name one column of numbers.")
        options["score"] = score[0]
    answer = _one_of("4. Is a higher or a lower score better? (h / l):", ("h", "l"))
    options["lower_is_better"] = answer == "l"
    return options


def _ask_task(
    error: UnclearTableError, options: dict[str, Any], algorithms: Sequence[str], wide: bool
) -> None:
    from occstats.results.aliases import STATUS, normalise
    from occstats.results.ask import group_pattern

    raw = error.raw
    left = [c for c in raw.columns if c not in algorithms]
    numeric = _range(raw.columns, [c for c in left if raw.is_numeric(c)])
    more = "" if wide else f", or the columns that are tasks ({numeric}), or none"
    default = error.found.get("dataset") or error.found.get("task")
    question = f"2. Which column names the dataset or task{more}"
    answer = _ask_columns(question, raw.columns, default, none=not wide)
    if not answer:
        options["dataset"] = "@file"
        return
    known = error.found.get("dataset")
    if len(answer) > 1 and known in answer:
        options["dataset"] = known
        answer.remove(known)
        options["task"] = answer if answer[1:] else answer[0]
        return
    # Beside columns of algorithms, several are one name.
    options["dataset" if wide and answer[1:] else "task"] = answer if answer[1:] else answer[0]
    if answer[1:] and all(map(raw.is_numeric, answer)) and not wide:
        names = answer
    else:
        rows = zip(*(raw.row_names(column) for column in answer), strict=True)
        names = [" / ".join(part for part in row if part is not None) for row in rows]
    found = group_pattern(names)
    if found is not None:
        pattern, groups = found
        _show(
            f"   The names share a pattern: {count(len(set(names)), 'name')}, {len(groups):,} parts"
            f" like {quote_list(groups, limit=2)}."
        )
        if _agreed("   Are these the datasets"):
            options["dataset_from"] = pattern
    elif not wide and isinstance(options["task"], str):
        others = [
            c
            for c in left
            if c != answer[0] and raw.groups(c, answer[0]) and normalise(c) not in STATUS
        ]
        if others:
            _show(f"   Columns that group the tasks: {quote_list(others)}.")
            question = "   Which of them is the dataset, or none"
            while not {*(group := _ask_columns(question, raw.columns, ""))} <= {*others}:
                _show("   Please name one of these columns.")
            options.update({"dataset": group[0]} if group else {})


def _ask_status(error: UnclearTableError, answers: dict[str, Any]) -> None:
    """Ask whether the runs with a score and another status than success failed."""
    column, problem = error.questions["status"]
    failed = _agreed(f"{problem}. Did these runs fail")
    answers.update({"status": column} if failed else {"ignore": [column]})


def _ask_differing(error: UnclearTableError, answers: dict[str, Any]) -> None:
    """Ask what the column is in which rows of one task and algorithm differ."""
    (column,) = error.questions["differing"]
    names = error.raw.names(column)
    roles = {"k": "keep one value", "a": "part of the algorithm", "t": "the task", "r": "repeats"}
    if "algorithms" in answers:
        del roles["a"]
    _show(
        f"Rows of one task and algorithm differ in {quote(column)} ({quote_list(names, limit=6)})."
    )
    shown = ", ".join(f"{letter} = {text}" for letter, text in roles.items())
    role = _one_of(f"   What is it? ({shown}):", [*roles])
    if role == "k":
        while (value := _ask("   Which value?")) not in names:
            _show(f"   There is no {quote(value)}; choose from {quote_list(names, limit=20)}.")
        answers["where"] = [f"{column}={value}"]
    elif role == "r":
        answers["repeat"] = column
    elif role == "a":
        answers["algorithm"] = [*_listed(answers["algorithm"]), column]
    elif "task" not in answers:
        answers["task"] = column
    elif {"dataset", "dataset_from"} & {*answers} or "dataset" in error.found:
        answers["task"] = [*_listed(answers["task"]), column]
    else:  # the tasks so far hold several
        answers.update(dataset=answers["task"], task=column)


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _range(columns: Sequence[str], chosen: Sequence[str]) -> str:
    """Return the numbers of columns in short: 2-24, 26.

    >>> _range(["a", "b", "c", "d", "e"], ["b", "c", "e"])
    '2-3,5'
    """
    parts: list[list[int]] = []
    for number, column in enumerate(columns, 1):
        if column in chosen:
            if parts and parts[-1][1] == number - 1:
                parts[-1][1] = number
            else:
                parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "none"


def _ask_columns(
    question: str,
    columns: Sequence[str],
    default: str | None,
    *,
    none: bool = False,
    file: bool = False,
) -> list[str]:
    """Ask for columns until the answer names some, by number, range or name."""
    end = "?" if default is None else f" [{printable(default) or 'none'}]"
    while True:
        answer = _ask(f"{question.rstrip('?')}{end}")
        if not answer and default is not None:
            return [default] if default else []
        if (none or default == "") and answer.lower() in {"none", "no", "-"}:
            return []
        if file and answer in {"file", "@file"} and answer not in columns:
            return ["@file"]
        found = _parse_columns(answer, columns)
        if not isinstance(found, str):
            return found
        _show(f"   {found}")


def _parse_columns(answer: str, columns: Sequence[str]) -> list[str] | str:
    """Return the columns that an answer names, or what is wrong with it.

    >>> _parse_columns("1, 3-4", "abcd"), _parse_columns("b", "abcd"), _parse_columns("7", "abcd")
    (['a', 'c', 'd'], ['b'], 'There is no column 7; the columns are 1 to 4.')
    """
    if answer in columns:
        return [answer]
    found: list[str] = []
    for part in filter(None, re.split(r"\s*,\s*|\s+(?=\d)", answer)):
        limits = NUMBERS.fullmatch(part)
        if part in columns:
            found.append(part)
        elif limits is None:
            return f"There is no column {quote(part)}; give numbers such as 2 or 2-5, or a name."
        else:
            first, last = int(limits[1]), int(limits[2] or limits[1])
            if not 1 <= first <= last <= len(columns):
                return f"There is no column {part}; the columns are 1 to {len(columns)}."
            found += columns[first - 1 : last]
    return list(dict.fromkeys(found)) or "Please give the number or the name of a column."


def _ask_dataset(
    results: Results, sources: tuple[str, ...], reading: Mapping[str, Any], answers: dict[str, Any]
) -> Results:
    """Ask whether a column or a pattern that groups the tasks is the dataset."""
    from occstats.results import load_results

    if not results.dataset_hint or {"dataset", "dataset_from"} & {*reading}:
        return results
    note = next(note for note in results.notes if "? try: " in note)
    if _one_of(f"{note.partition(' try: ')[0]} (y / n):", ("y", "n")) == "n":
        return results
    answers.update(results.dataset_hint)
    return load_results(*sources, **dict(reading) | answers)


def _ask_missing(results: Results, given: Mapping[str, Any], answers: dict[str, Any]) -> None:
    """Ask for a policy if cells are missing."""
    from occstats.results.missing import choices

    absent = int(results.scores.isna().to_numpy().sum())
    if not absent or given.get("missing") or len(results.algorithms) < 2:
        return
    offered = [(policy, text) for policy, text in choices(results).items() if "=" not in policy]
    if not offered:
        return
    _show(f"5. {absent:,} of {results.scores.size:,} cells have no score. What should be done?")
    for number, (policy, text) in enumerate(offered, 1):
        _show(f"   {number} {policy}: {text}")
    policies = [policy for policy, _ in offered]
    known = dict(zip(map(str, range(1, len(policies) + 1)), policies, strict=True))
    known |= {policy: policy for policy in policies}
    while (chosen := _ask(f"   (1-{len(offered)}):").lower()) not in known:
        _show(f"   Please answer 1 to {len(offered)}, or the word.")
    answers["missing"] = known[chosen]


def _confirmed(results: Results) -> bool:
    """Show the reading and its first rows, and ask whether it is right."""
    way = "higher" if results.higher_is_better else "lower"
    click.echo(err=True)
    _show(
        f"I read: {count(len(results.algorithms), 'algorithm')}"
        f" ({quote_list(results.algorithms, limit=4)}) on {count(results.n_tasks, 'task')} in"
        f" {results.evidence}; {way} is better."
    )
    for line in results.read_as:
        if "; not used: " in line:
            _show(f"Not used: {line.partition('; not used: ')[2]}.")
    shown = results.scores.iloc[:3, :4].reset_index()
    if results.n_clusters == results.n_tasks:
        shown = shown.drop(columns=shown.columns[1])
    for line in shown.to_string(index=False, max_colwidth=18).splitlines():
        click.echo(f"   {printable(line)[: terminal_width() - 3]}", err=True)
    return _ask("Right? [y/N]").lower() in {"y", "yes"}
