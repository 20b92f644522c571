"""Load the results of a command; on a terminal, ask about a table that is unclear."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from occstats._format import count, printable, quote, quote_list, terminal_width, wrap
from occstats.cli.main import ARGUMENTS, advice, as_command, as_options, say
from occstats.cli.options import READING, SETTINGS, take, with_options

if TYPE_CHECKING:
    from occstats.errors import ResultsError
    from occstats.results import Results
    from occstats.results.ask import UnclearTableError
    from occstats.results.readers.frames import RawTable
    from occstats.results.readers.limits import SeveralTablesError

__all__ = ["load"]

MOST_COLUMNS = 40


def load(sources: tuple[str, ...], given: dict[str, Any], *, ask: bool = True) -> Results:
    """Load the sources with the reading options among those given, which are removed.

    On a terminal, what a table does not tell is asked; the answers are added to ``given``.
    """
    from occstats.comparison.settings import Settings
    from occstats.errors import ResultsError
    from occstats.results import load_results
    from occstats.results.ask import merged

    Settings.of(**take(SETTINGS, dict(given)))  # refused before the tables are read
    reading = take(READING, given)
    if given.get("algorithms"):
        reading["algorithms"] = given["algorithms"]
    quiet = given.pop("no_input", False) or not ask
    answers: dict[str, Any] = {}
    if quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
        results = load_results(*sources, **reading)
    else:
        try:
            results = _load_answered(sources, reading, answers)
        except ResultsError as error:
            if not answers:
                raise
            raise click.ClickException(_with_answers(error, answers)) from None
        try:
            results = _ask_dataset(results, sources, reading, answers)
            _ask_missing(results, given, answers)
            if answers and not _confirmed(results, merged(reading, answers)):
                click.echo(f"To change an answer: {_repeated(answers)}", err=True)
                raise click.Abort
        except EOFError:
            click.echo(err=True)
            if answers:
                raise click.ClickException(f"no answer; try: {_repeated(answers)}") from None
    if answers:
        click.echo(f"Next time: {_repeated(answers)}\n", err=True)
        click.get_current_context().meta[ARGUMENTS][:] = shlex.split(_repeated(answers))[1:]
    given.update({name: answers[name] for name in ("missing",) if name in answers})
    if "algorithms" in {**reading, **answers}:  # by name, not by number
        given["algorithms"] = results.algorithms
    return results


def _repeated(answers: Mapping[str, Any]) -> str:
    return as_command(click.get_current_context().meta[ARGUMENTS], answers)


def _with_answers(error: ResultsError, answers: Mapping[str, Any]) -> str:
    message = advice(error, shlex.split(_repeated(answers))[1:])
    if "\ntry: " not in message:
        click.echo(f"With the answers: {_repeated(answers)}", err=True)
    return message


def _load_answered(
    sources: tuple[str, ...], reading: Mapping[str, Any], answers: dict[str, Any]
) -> Results:
    """Load the sources; ask once about each thing that is unclear."""
    from occstats.errors import ResultsError
    from occstats.results.ask import UnclearTableError
    from occstats.results.readers.limits import SeveralTablesError

    asked: set[str] = set()
    while True:
        try:
            return _load(sources, reading, answers)
        except ResultsError as refused:
            error = refused
        form = {**error.retry, **getattr(error, "template", {})}
        form = {name: form[name] for name in ("header_rows", "decimal") if name in form}
        try:
            if isinstance(error, SeveralTablesError):
                answers["table"] = _ask_table(error)
            elif form:
                problem = getattr(error, "problems", [error.problem])[0]
                if not _agreed(f"{with_options(problem)}. Read the table with {as_options(form)}"):
                    raise error
                answers |= form
            elif not isinstance(error, UnclearTableError):
                raise error
            elif "roles" not in asked:
                asked.add("roles")
                answers |= converse(error, told=reading.get("score"), several=len(sources) > 1)
            elif unasked := [name for name in _FURTHER if name in {*error.questions} - asked]:
                asked.add(unasked[0])
                _FURTHER[unasked[0]](error, answers)
            else:
                raise error
        except EOFError:
            raise error from None


def _load(
    sources: tuple[str, ...], reading: Mapping[str, Any], answers: Mapping[str, Any]
) -> Results:
    from occstats.results import load_results
    from occstats.results.ask import merged

    added = {name: answer for name, answer in answers.items() if name in {"ignore", "where"}}
    told = dict(reading) | {n: answer for n, answer in answers.items() if n not in added}
    return load_results(*sources, **merged(told, added))


def _ask_table(error: SeveralTablesError) -> int:
    _show(with_options(error.head))
    for line in error.describe(MOST_COLUMNS):
        _show(line)
    last = len(error.tables)
    while not (answer := _ask(f"   Which table? (1-{last}):")).isdigit() or not (
        1 <= int(answer) <= last
    ):
        _show(f"   Please answer 1 to {last}.")
    return int(answer)


def _show(text: str) -> None:
    say(text, others="     ")


def _ask(question: str) -> str:
    lines = wrap(printable(question), terminal_width() - 12, others="   ")
    click.echo("\n".join(lines) + " ", nl=False, err=True)
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


def converse(error: UnclearTableError, *, told: str | None, several: bool) -> dict[str, Any]:
    """Ask for what a table does not tell, and return the options.

    The score may have been ``told``, and there may be ``several`` files.
    """
    from occstats.results.aliases import measure
    from occstats.results.ask import kind_of
    from occstats.results.roles import fits

    raw, found = error.raw, error.found
    columns = raw.columns
    numeric = [column for column in columns if raw.is_numeric(column)]
    _show(with_options(error.head))
    for number, column in enumerate(columns, 1):
        if number <= MOST_COLUMNS or number == len(columns):
            _show(f"{number:>4} {printable(column) or '(no name)'}: {kind_of(raw, column)}")
    options: dict[str, Any] = {}
    wide = False
    # A long table by the names of its columns leaves only the score to ask.
    keys = ("algorithm", "dataset", "task")
    known = {role: found[role] for role in keys if found.get(role, "@file") != "@file"}
    if "algorithm" in known and len(known) > 1:
        _show(", ".join(f"{role}: {quote(column)}" for role, column in known.items()) + ".")
    else:
        wide = _ask_algorithms(error, options, numeric, several)
        _ask_task(error, options, wide)
    tasks = options.get("task", "")
    one_column = isinstance(tasks, str)
    wide = wide or (not one_column and {*tasks} <= {*numeric})
    # Beside columns that were answered, only a measure is the score without a question.
    score = found.get("score")
    known_score = score and (not options or (one_column and measure(score)[0]))
    if not (wide or told or known_score):
        options["score"] = _ask_score(raw)
    listed = measure(options.get("score", ""))[0]
    known_way = listed is not None and fits(listed, [raw.numbers(options["score"])])
    if not known_way and (wide or "lower_is_better" in error.template or "score" not in options):
        answer = _one_of("4. Is a higher or a lower score better? (h / l):", ("h", "l"))
        options["lower_is_better"] = answer == "l"
    return options


def _ask_score(raw: RawTable) -> str:
    while True:
        score, *more = _ask_columns("3. Which column is the score?", raw.columns, None)
        if not more and (raw.is_numeric(score) or raw.is_flag(score)):
            return score
        text = "" if more else f"; {quote(score)} has text such as {quote(raw.names(score)[0])}"
        _show(f"   Please name one column of numbers{text}.")


def _ask_algorithms(
    error: UnclearTableError, options: dict[str, Any], numeric: Sequence[str], several: bool
) -> bool:
    """Ask for the algorithms; return True if they are columns of scores."""
    from occstats.results.ask import column_numbers
    from occstats.results.roles import quantities

    columns = error.raw.columns
    files = ["file"] if several else []
    several_columns = f", or which columns are algorithms ({column_numbers(columns, numeric)})"
    question = (
        f"1. Which column names the algorithms{several_columns if numeric[1:] else ''}"
        f"{', or file if each file is one' if several else ''}"
    )
    while True:
        algorithms = _ask_columns(question, columns, error.found.get("algorithm"), stands_for=files)
        wide = len(algorithms) > 1 and set(algorithms) <= {*numeric}
        measures = quantities(algorithms) if wide else []
        shown = f"   Named as measures: {quote_list(measures)}. Are these algorithms"
        if not measures or _agreed(shown):
            break
    options["algorithms" if wide else "algorithm"] = algorithms if algorithms[1:] else algorithms[0]
    return wide


def _ask_task(error: UnclearTableError, options: dict[str, Any], wide: bool) -> None:
    from occstats.results.ask import column_numbers

    raw = error.raw
    algorithms = _listed(options.get("algorithms") or options["algorithm"])
    numeric = [c for c in raw.columns if c not in algorithms and raw.is_numeric(c)]
    tasks = column_numbers(raw.columns, numeric)
    more = "" if wide or not numeric[1:] else f", or which columns are tasks ({tasks})"
    known = error.found.get("dataset")
    question = f"2. Which column names the dataset or task (or none){more}"
    default = known or error.found.get("task")
    file = "row" if wide else "file"
    answer = _ask_columns(question, raw.columns, default, none=True, stands_for=[file])
    if not answer or answer == [f"@{file}"]:
        options["dataset"] = f"@{file}"
    elif known in answer and answer[1:]:
        answer.remove(known)
        options |= {"dataset": known, "task": answer if answer[1:] else answer[0]}
    else:  # beside columns of algorithms, several are one name
        role = "dataset" if wide and answer[1:] else "task"
        options[role] = answer if answer[1:] else answer[0]


def _ask_status(error: UnclearTableError, answers: dict[str, Any]) -> None:
    """Ask whether the runs with a score and another status than success failed."""
    column, problem = error.questions["status"]
    failed = _agreed(f"{problem}. Did these runs fail")
    answers.update({"status": column} if failed else {"ignore": [column]})


def _ask_differing(error: UnclearTableError, answers: dict[str, Any]) -> None:
    """Ask what the columns are in which rows of one task and algorithm differ."""
    raw, columns = error.raw, error.questions["differing"]
    _show("Rows of one task and algorithm differ in:")
    for column in columns:
        names = [printable(name.strip())[:24] for name in raw.names(column)]
        _show(f"   {quote(column)} ({quote_list(names, limit=6)})")
    question = "   What are they? COLUMN=task, repeat, algorithm, ignore, or the value to keep:"
    while isinstance(roles := _parse_roles(_ask(question), raw, columns), str):
        _show(f"   {roles}")
    for column, role in roles.items():
        if role == "repeat":
            answers["repeat"] = column
        elif role == "ignore":
            answers["ignore"] = [*answers.get("ignore", ()), column]
        elif role == "algorithm":
            known = answers.get("algorithm") or error.found["algorithm"]
            answers["algorithm"] = [*_listed(known), column]
        elif role != "task":
            answers["where"] = [*answers.get("where", ()), f"{column}={role}"]
    if tasks := [column for column, role in roles.items() if role == "task"]:
        tasks = [*_listed(answers.get("task") or error.found.get("task") or []), *tasks]
        answers["task"] = tasks if tasks[1:] else tasks[0]


def _ask_repeated(error: UnclearTableError, answers: dict[str, Any]) -> None:
    """Ask whether rows that no column tells apart are repeats."""
    if _agreed(f"{error.questions['repeated']}. Are these rows repeats, to be averaged"):
        answers["repeat"] = "@row"


def _parse_roles(answer: str, raw: RawTable, columns: Sequence[str]) -> dict[str, str] | str:
    """Return what each column is by an answer such as ``series=task, tier=default``, or a reply."""
    roles: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in answer.split(","))):
        column, equals, role = part.rpartition("=")
        if not equals and len(columns) == 1:
            column = columns[0]
        found = _parse_columns(column.strip(), raw.columns)
        if isinstance(found, str):
            return found
        names = raw.names(found[0])
        if role.strip() not in {"task", "repeat", "algorithm", "ignore", *names}:
            return (
                f"There is no {quote(role)} in {quote(found[0])}; choose from"
                f" {quote_list(names, limit=8)}, or task, repeat, algorithm or ignore."
            )
        roles[found[0]] = role.strip()
    return roles or "Please answer COLUMN=task, repeat, algorithm, ignore or a value."


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


_FURTHER = {"status": _ask_status, "differing": _ask_differing, "repeated": _ask_repeated}


def _ask_columns(
    question: str,
    columns: Sequence[str],
    default: str | None,
    *,
    none: bool = False,
    stands_for: Sequence[str] = (),
) -> list[str]:
    """Ask for columns until the answer names some, by number, range or name."""
    end = "?" if default is None else f" [{printable(default) or 'none'}]"
    while True:
        answer = _ask(f"{question.rstrip('?')}{end}")
        if not answer and default is not None:
            return [default] if default else []
        if (none or default == "") and answer.lower() in {"none", "no", "-"}:
            return []
        if answer not in columns and answer.removeprefix("@") in stands_for:
            return [f"@{answer.removeprefix('@')}"]
        found = _parse_columns(answer, columns)
        if not isinstance(found, str):
            return found
        _show(f"   {found}")


def _parse_columns(answer: str, columns: Sequence[str]) -> list[str] | str:
    """Return the columns that an answer names, or what is wrong with it.

    >>> _parse_columns("1, 3 - 4", "abcd"), _parse_columns("b", "abcd")
    (['a', 'c', 'd'], ['b'])
    """
    from occstats.results.ask import numbered_columns

    if not answer:
        return "Please give the number or the name of a column."
    found = numbered_columns(columns, answer)
    if found[0] in columns:
        return list(dict.fromkeys(found))
    return (
        f"There is no column {quote(answer)}; give names, or numbers of 1 to {len(columns)} such as"
        " 2 or 2-5."
    )


def _ask_dataset(
    results: Results, sources: tuple[str, ...], reading: Mapping[str, Any], answers: dict[str, Any]
) -> Results:
    """Ask whether a column or a pattern that groups the tasks is the dataset."""
    from occstats.results.ask import group_pattern

    told = {**reading, **answers}
    if not results.dataset_hint or "dataset_from" in told or isinstance(told.get("dataset"), str):
        return results
    note = next(note for note in results.notes if "? try: " in note)
    hints = {note.partition("? try: ")[0]: results.dataset_hint}
    found = group_pattern([str(name) for name in results.scores.index.unique(1)])
    if found is not None and "dataset" in results.dataset_hint:
        groups = quote_list(found[1], limit=2)
        hints[f"Are the common parts of their names ({groups}) the datasets"] = {
            "dataset_from": found[0]
        }
    for question, hint in hints.items():
        if _agreed(question):
            answers |= hint if "dataset_from" in hint else {"dataset": hint["dataset"]}
            return _load(sources, reading, answers)
    return results


def _ask_missing(results: Results, given: Mapping[str, Any], answers: dict[str, Any]) -> None:
    """Ask for a policy if cells are missing."""
    from occstats.errors import ResultsError
    from occstats.results.missing import choices

    absent = int(results.scores.isna().to_numpy().sum())
    if not absent or given.get("missing") or len(results.algorithms) < 2:
        return
    if not (offered := choices(results)):
        return
    _show(f"5. {absent:,} of {results.scores.size:,} cells have no score. What should be done?")
    for number, (policy, text) in enumerate(offered.items(), 1):
        _show(f"   {number} {policy}: {text}")
    numbered = dict(enumerate(offered, 1))
    while True:
        answer = _ask(f"   (1-{len(offered)}, or the word):")
        policy = numbered.get(int(answer), answer) if answer.isdigit() else answer
        try:
            results.resolve_missing(policy)
        except ResultsError as error:
            _show(f"   {error.problem}")
        else:
            answers["missing"] = policy
            return


def _confirmed(results: Results, told: Mapping[str, Any]) -> bool:
    """Show the reading and its first rows, and ask whether it is right."""
    way = "higher" if results.higher_is_better else "lower"
    score = told.get("score") or results.column_names.get("score") or told.get("score_name")
    kept = "".join(f"; only rows with {quote(condition)}" for condition in told.get("where", ()))
    click.echo(err=True)
    _show(
        f"I read: {count(len(results.algorithms), 'algorithm')}"
        f" ({quote_list(results.algorithms, limit=4)}) on {count(results.n_tasks, 'task')} in"
        f" {results.evidence}; the score is {quote(score) if score else 'in the cells'}, {way} is"
        f" better{kept}."
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
