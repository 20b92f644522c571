"""Load the results of a command; on a terminal, ask about a table that is unclear."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import click

from occstats._format import count, listing, printable, quote, quote_list, terminal_width, wrap
from occstats.cli.main import ARGUMENTS, BAD_INPUT, advice, as_command, as_options, say
from occstats.cli.options import READING, SETTINGS, take, with_options
from occstats.comparison.settings import Settings
from occstats.errors import ResultsError
from occstats.results import Results, load_results
from occstats.results.aliases import is_measure, measure
from occstats.results.ask import (
    Blank,
    UnclearTableError,
    column_numbers,
    group_pattern,
    kind_of,
    merge_options,
    numbered_columns,
)
from occstats.results.doubtful import quantities
from occstats.results.missing import choices
from occstats.results.readers.limits import SeveralTablesError

__all__ = ["load"]

MOST_COLUMNS = 40
# What a policy for missing cells still needs.
_OF_POLICY = {"impute=NAME": "Which algorithm?", "worst=SCORE": "Which score does a failure get?"}


def load(sources: tuple[str, ...], given: dict[str, Any], *, ask: bool = True) -> Results:
    """Load the sources with the reading options among those given, which are removed.

    On a terminal, what a table does not tell is asked; the answers are added to ``given``.
    """
    Settings.of(**take(SETTINGS, dict(given)))  # refused before the tables are read
    reading = take(READING, given)
    if given.get("algorithms"):
        reading["algorithms"] = given["algorithms"]
    if given.pop("no_input", False) or not (ask and sys.stdin.isatty() and sys.stderr.isatty()):
        results, answers = load_results(*sources, **reading), {}
    else:
        dialogue = _Dialogue(sources, reading)
        results, answers = dialogue.hold(given.get("missing")), dialogue.answers
    given.update({name: answers[name] for name in ("missing",) if name in answers})
    if "algorithms" in {**reading, **answers}:  # by name, not by number
        given["algorithms"] = results.algorithms
    return results


class _Dialogue:
    """The questions about the sources of a command, and the options that the answers give."""

    def __init__(self, sources: Sequence[str], reading: Mapping[str, Any]) -> None:
        self.sources, self.reading = sources, reading
        self.answers: dict[str, Any] = {}
        self.asked: set[str] = set()
        self.n_numbered = 0

    def hold(self, policy: str | None) -> Results:
        """Load the sources, asking once about each thing that is unclear."""
        try:
            while (results := self._load()) is None:
                pass
        except ResultsError as error:
            if not self.answers:
                raise
            message = advice(error, shlex.split(self._command)[1:])
            if "\ntry: " not in message:
                click.echo(f"With the answers: {self._command}", err=True)
            raise click.ClickException(message) from None
        try:
            results = self._ask_dataset(results)
            if not policy and len(results.algorithms) > 1:
                results = self._ask_missing(results)
            if self.answers and not self._confirmed(results):
                click.echo(f"To change an answer, edit: {self._command}", err=True)
                click.get_current_context().exit(BAD_INPUT)
        except EOFError:
            if self.answers:
                raise click.ClickException(f"no answer; try: {self._command}") from None
        if self.answers:
            click.echo(f"Next time: {self._command}\n", err=True)
            click.get_current_context().meta[ARGUMENTS][:] = shlex.split(self._command)[1:]
        return results

    @property
    def _command(self) -> str:
        """Return the command with the answers so far."""
        return as_command(click.get_current_context().meta[ARGUMENTS], self.answers)

    @property
    def _told(self) -> dict[str, Any]:
        return merge_options(self.reading, self.answers)

    def _load(self) -> Results | None:
        """Return the results, or None after a question about what is unclear."""
        try:
            return load_results(*self.sources, **self._told)
        except ResultsError as refused:
            error = refused
        try:
            self._ask_about(error)
        except EOFError:
            raise error from None
        return None

    def _ask_about(self, error: ResultsError) -> None:
        form = {**error.retry, **getattr(error, "template", {})}
        form = {name: form[name] for name in ("header_rows", "decimal") if name in form}
        if isinstance(error, SeveralTablesError):
            self._ask_table(error)
        elif form:
            problem = with_options(getattr(error, "problems", [error.problem])[0])
            if not _agreed(f"{problem}. Read the table with {as_options(form)}"):
                raise error
            self.answers |= form
        elif not isinstance(error, UnclearTableError):
            raise error
        else:
            # The answer to one question may answer those after it.
            questions: dict[str, Callable[[UnclearTableError], None]] = {
                "columns": self._ask_columns,
                "measure": self._ask_measure,
                "direction": self._ask_direction,
                "summaries": self._ask_summaries,
                "status": self._ask_status,
                "differing": self._ask_differing,
                "repeated": self._ask_repeated,
            }
            unclear = {*error.questions, *_blanks(error, self.asked)}
            name = next((name for name in questions if name in unclear), None)
            if name is None or "wrong" in error.questions:
                raise error
            if not self.n_numbered and name in {"columns", "measure", "direction"}:
                self._show_table(error)
            questions[name](error)

    def _numbered(self, question: str) -> str:
        self.n_numbered += 1
        return f"{self.n_numbered}. {question}"

    def _ask_table(self, error: SeveralTablesError) -> None:
        for line in [with_options(error.head), *error.describe(MOST_COLUMNS)]:
            _show(line)
        last = len(error.tables)

        def understood(answer: str) -> int:
            if not (answer.isdecimal() and 1 <= int(answer) <= last):
                raise ResultsError(f"Please answer 1 to {last}.")
            return int(answer)

        self.answers["table"] = _ask(f"   Which table? (1-{last}):", understood)

    # -- what the columns are ----------------------------------------------------------------------

    def _show_table(self, error: UnclearTableError) -> None:
        raw, roles = error.raw, {column: f", {role}" for role, column in error.found.items()}
        _show(with_options(error.head))
        for number, column in enumerate(raw.columns, 1):
            if number <= MOST_COLUMNS or number == len(raw.columns):
                name = printable(column) or "(no name)"
                _show(f"{number:>4} {name}: {kind_of(raw, column)}{roles.get(column, '')}")

    def _ask_columns(self, error: UnclearTableError) -> None:
        """Ask for the columns of algorithms, tasks and scores."""
        raw, blanks = error.raw, _blanks(error, self.asked)["columns"]
        numeric = {column for column in raw.columns if raw.is_numeric(column)}
        options: dict[str, Any] = {}
        algorithms: list[str] = []
        wide = "algorithm" not in error.found
        if "algorithm" in blanks or (len(self.sources) > 1 and wide):
            algorithms = self._ask_algorithms(error, numeric)
            wide = len(algorithms) > 1 and {*algorithms} <= numeric
            options["algorithms" if wide else "algorithm"] = _one_or_more(algorithms)
            self.asked.add("algorithm")
        if "task" in blanks:
            options |= self._ask_task(error, numeric - {*algorithms}, algorithms, wide)
            self.asked.add("task")
        tasks = options.get("task", "")
        wide |= "transpose" in options or (not isinstance(tasks, str) and {*tasks} <= numeric)
        if "score" in blanks and not wide:
            self.asked.add("score")
            known = error.found.get("score")
            question = self._numbered(f"Which column is the score{_offered(known)}")
            options["score"] = _ask(
                question, lambda answer: _score_of(error, answer or known or "")
            )
        self.answers |= options

    def _ask_measure(self, error: UnclearTableError) -> None:
        """Ask which of several measures in a column is compared."""
        column = min(_blanks(error, self.asked)["measure"])
        names = error.raw.names(column)

        def understood(answer: str) -> str:
            if answer not in names:
                raise ResultsError(f"Please answer one of {quote_list(names, limit=8)}.")
            return f"{column}={answer}"

        question = f"Which {quote(column)} should be compared ({quote_list(names, limit=8)})?"
        self.answers["where"] = [
            *self.answers.get("where", ()),
            _ask(self._numbered(question), understood),
        ]

    def _ask_direction(self, error: UnclearTableError) -> None:
        question = self._numbered("Is a higher or a lower score better? (h / l):")
        self.answers["lower_is_better"] = _choose(question, "higher", "lower") == "lower"

    def _ask_algorithms(self, error: UnclearTableError, numeric: set[str]) -> list[str]:
        columns, several = error.raw.columns, len(self.sources) > 1
        wide = f", or which columns are algorithms ({column_numbers(columns, numeric)})"
        question = self._numbered(
            f"Which column names the algorithms{wide if len(numeric) > 1 else ''}"
            f"{', or file if each file is one algorithm' if several else ''}"
        )
        files = ["file"] if several else []
        while True:
            algorithms = _ask_names(question, columns, error.found.get("algorithm"), files)
            are_scores = len(algorithms) > 1 and {*algorithms} <= numeric
            measures = quantities(algorithms) if are_scores else []
            named = f"   These are names of measures: {quote_list(measures)}. Are they algorithms"
            if not measures or _agreed(named):
                return algorithms

    def _ask_task(
        self, error: UnclearTableError, numeric: set[str], algorithms: Sequence[str], wide: bool
    ) -> dict[str, Any]:
        columns, known = error.raw.columns, error.found.get("dataset")
        tasks = {column for column in numeric if not is_measure(column)}
        which = f", or which columns are tasks ({column_numbers(columns, tasks)})"
        more = "" if wide or len(tasks) < 2 else which
        question = self._numbered(f"Which column names the dataset or task (or none){more}")
        default = known or error.found.get("task")
        taken = dict.fromkeys(algorithms or [error.found.get("algorithm", "")], "the algorithm")
        taken |= {column: "a measure" for column in numeric if measure(column)[0]}
        others = ["none", "file", "row", *(["tasks", "measures"] if more else [])]
        answer = _ask_names(question, columns, default, others, taken)
        if answer == ["@tasks"]:
            answer = [column for column in columns if column in tasks]
        rest = {*columns} - {*answer}
        if rest == {error.found.get("algorithm")} and "doubtful" not in error.questions:
            return {"transpose": True}
        if answer in ([], ["@measures"]):
            return {"dataset": "@row" if wide else "@file"}
        if answer in (["@file"], ["@row"]):
            return {"dataset": answer[0]}
        if known in answer and answer[1:]:
            return {"dataset": known, "task": _one_or_more([c for c in answer if c != known])}
        # Beside columns of algorithms, several are one name.
        return {"dataset" if wide and answer[1:] else "task": _one_or_more(answer)}

    # -- rows --------------------------------------------------------------------------------------

    def _ask_summaries(self, error: UnclearTableError) -> None:
        """Ask whether to leave out rows that summarise the others."""
        problem, conditions = error.questions["summaries"]
        if not _agreed(f"{problem[:1].upper()}{problem[1:]}. Leave these rows out"):
            raise error
        self.answers["where"] = [*self.answers.get("where", ()), *conditions]

    def _ask_status(self, error: UnclearTableError) -> None:
        """Ask whether the runs with a score and another status than success failed."""
        column, problem = error.questions["status"]
        failed = _agreed(f"{problem}. Did these runs fail")
        self.answers |= {"status": column} if failed else {"ignore": [column]}

    def _ask_differing(self, error: UnclearTableError) -> None:
        """Ask what the columns are in which rows of one task and algorithm differ."""
        raw, columns, answers = error.raw, error.questions["differing"], self.answers
        _show("Rows of the same task and algorithm differ in:")
        for column in columns:
            names = [printable(name.strip())[:24] for name in raw.names(column)]
            _show(f"   {quote(column)} ({quote_list(names, limit=6)})")
        # Columns of algorithms cannot be joined with another.
        known: dict[str, Any] = {
            "task": answers.get("task") or error.found.get("task") or [],
            "algorithm": answers.get("algorithm") or error.found.get("algorithm") or [],
        }
        offered = ["task", *(["algorithm"] if known["algorithm"] else []), "ignore"]
        if "repeat" not in error.found:
            offered.insert(1, "repeat")
        if "dataset" not in {*error.found, *answers}:
            known["dataset"] = []
            offered.insert(0, "dataset")
        question = f"   What are they? COLUMN={', '.join(offered)}, a value to keep,"
        question += " or row if the rows are repeats:"
        for column, role in _ask(question, partial(_roles_of, error, offered)).items():
            if role == "repeat":
                answers["repeat"] = column
            elif role in known:
                before = known[role]
                known[role] = [*([before] if isinstance(before, str) else before), column]
                answers[role] = _one_or_more(known[role])
            else:
                option, value = (
                    ("ignore", column) if role == "ignore" else ("where", f"{column}={role}")
                )
                answers[option] = [*answers.get(option, ()), value]

    def _ask_repeated(self, error: UnclearTableError) -> None:
        """Ask whether rows that no column tells apart are repeats, or tasks of a dataset."""
        what, words = "repeats, to be averaged? (y / n):", ["yes", "no"]
        if error.template.get("task") == "@row":
            what, words = "tasks, or repeats to be averaged? (t / r / n):", ["task", "repeat", "no"]
        answer = _choose(f"{error.questions['repeated']}. Are these rows {what}", *words)
        if answer == "no":
            raise error
        self.answers["task" if answer == "task" else "repeat"] = "@row"

    # -- what was read -----------------------------------------------------------------------------

    def _ask_dataset(self, results: Results) -> Results:
        """Ask whether a column or a pattern that groups the tasks is the dataset."""
        told, hint = self._told, results.dataset_hint
        if not hint or "dataset_from" in told or isinstance(told.get("dataset"), str):
            return results
        note = next(note for note in results.notes if "? try: " in note)
        hints: dict[str, dict[str, Any]] = {note.partition("? try: ")[0]: {**hint}}
        found = group_pattern([str(name) for name in results.scores.index.unique(1)])
        if found is not None and hint.get("task") in results.column_names.values():
            pattern, groups = found
            question = f"Are the common parts of their names ({quote_list(groups, limit=2)})"
            hints[f"{question} the datasets"] = {"dataset_from": pattern}
        for question, answer in hints.items():
            if _agreed(question):
                self.answers |= answer
                return load_results(*self.sources, **self._told)
        return results

    def _ask_missing(self, results: Results) -> Results:
        """Ask for a policy if cells are missing; return the results of the algorithms to keep."""
        absent = int(results.scores.isna().to_numpy().sum())
        offered = choices(results) if absent else []
        if not offered:
            return results
        question = (
            f"{absent:,} of {results.scores.size:,} cells have no score. What should be done?"
        )
        _show(self._numbered(question))
        known: dict[str, dict[str, Any]] = {}
        for number, (options, text) in enumerate(offered, 1):
            known[str(number)] = known[options["missing"]] = options
            kept = options.get("algorithms", [])
            only = f" with {quote_list(kept, limit=4)}" if kept else ""
            _show(f"   {number} {options['missing']}{only}: {text}")

        def understood(answer: str) -> dict[str, Any]:
            options = known.get(answer, {"missing": answer})
            if options["missing"] not in _OF_POLICY:
                kept = results.select(options.get("algorithms", results.algorithms))
                kept.resolve_missing(options["missing"])
            return options

        answer = _ask(f"   (1-{len(offered)}, or the word):", understood)
        if (policy := answer["missing"]) in _OF_POLICY:
            named = policy.partition("=")[0]
            question = f"   {_OF_POLICY[policy]}"
            answer = _ask(question, lambda name: understood(f"{named}={name}"))
        self.answers |= answer
        return results.select(answer.get("algorithms", results.algorithms))

    def _confirmed(self, results: Results) -> bool:
        """Show the reading and its first rows, and ask whether it is right."""
        told = self._told
        if "missing" in self.answers:
            results = results.resolve_missing(self.answers["missing"])
        way = "higher" if results.higher_is_better else "lower"
        score = told.get("score") or results.column_names.get("score") or told.get("score_name")
        kept = "".join(
            f"; only rows with {quote(condition)}" for condition in told.get("where", ())
        )
        click.echo(err=True)
        _show(
            f"I read: {count(len(results.algorithms), 'algorithm')}"
            f" ({quote_list(results.algorithms, limit=4)}) on {count(results.n_tasks, 'task')} in"
            f" {results.evidence}; the score is {quote(score) if score else 'in the cells'}, {way}"
            f" is better{kept}."
        )
        for line in results.read_as:
            if "; not used: " in line:
                _show(f"Not used: {line.partition('; not used: ')[2]}.")
        shown = results.scores.iloc[:3, :4].reset_index()
        if results.n_clusters == results.n_tasks:
            shown = shown.drop(columns=shown.columns[1])
        for line in shown.to_string(index=False, max_colwidth=18).splitlines():
            click.echo(f"   {printable(line)[: terminal_width() - 3]}", err=True)
        return _agreed("Is this correct")


# -- questions and answers -------------------------------------------------------------------------


def _blanks(error: UnclearTableError, asked: set[str]) -> dict[str, set[str]]:
    """Return what the templates leave open: columns by role, the measure and the direction.

    A score that they propose is open, too. No role is asked twice.
    """
    same = {"algorithms": "algorithm", "dataset": "task", "algorithm_from": "algorithm"}
    blanks: dict[str, set[str]] = {"columns": set(), "measure": set(), "direction": set()}
    for name, value in ((name, v) for form in error.templates for name, v in form.items()):
        first = value[0] if isinstance(value, list) else value
        needed = isinstance(first, Blank) and not first.optional
        if name == "lower_is_better" and needed:
            blanks["direction"].add(name)
        elif name == "where" and needed and first.endswith("=VALUE"):
            blanks["measure"].add(first.removesuffix("=VALUE"))
        elif name == "score" or (needed and same.get(name, name) in {"algorithm", "task"}):
            blanks["columns"] |= {same.get(name, name)} - asked
    return {name: held for name, held in blanks.items() if held}


def _show(text: str) -> None:
    say(text, others="     ")


def _ask(question: str, understood: Callable[[str], Any]) -> Any:
    """Ask until the answer is understood; an error says what is wrong with it."""
    lines = wrap(printable(question), terminal_width() - 12, others="   ")
    while True:
        click.echo("\n".join(lines) + " ", nl=False, err=True)
        answer = sys.stdin.readline()
        if not answer:
            click.echo(err=True)
            raise EOFError
        try:
            return understood(answer.strip())
        except ResultsError as error:
            _show(f"   {error.problem}")


def _choose(question: str, *words: str) -> str:
    """Ask for one of the words, or its beginning."""

    def understood(answer: str) -> str:
        for word in words:
            if answer and word.startswith(answer.lower()):
                return word
        raise ResultsError(f"Please answer {' or '.join(word[0] for word in words)}.")

    return str(_ask(question, understood))


def _agreed(question: str) -> bool:
    return _choose(f"{question}? (y / n):", "yes", "no") == "yes"


def _ask_names(
    question: str,
    columns: Sequence[str],
    default: str | None,
    others: Sequence[str] = (),
    taken: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Ask for columns by number, range or name, or one of the words ``others``.

    A column that is ``taken`` cannot be the only one.
    """

    def understood(answer: str) -> list[str]:
        if not answer and default is not None:
            return [default] if default else []
        if answer.lower() in {"none", "no", "-"} and ("none" in others or default == ""):
            return []
        if answer not in columns and answer.removeprefix("@") in {*others} - {"none"}:
            return [f"@{answer.removeprefix('@')}"]
        named = _columns_of(answer, columns)
        if len(named) == 1 and named[0] in taken:
            raise ResultsError(f"{quote(named[0])} is {taken[named[0]]}; choose another column.")
        return named

    found: list[str] = _ask(f"{question}{_offered(default)}", understood)
    return found


def _offered(default: str | None) -> str:
    return "?" if default is None else f" [{printable(default) or 'none'}]"


def _columns_of(answer: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that an answer names.

    >>> _columns_of("1, 3 - 4", "abcd"), _columns_of("b", "abcd")
    (['a', 'c', 'd'], ['b'])
    """
    if not answer:
        raise ResultsError("Please give the number or the name of a column.")
    found = numbered_columns(columns, answer)
    if found[0] not in columns:
        raise ResultsError(
            f"There is no column {quote(answer)}; give names, or numbers of 1 to {len(columns)}"
            " such as 2 or 2-5."
        )
    return list(dict.fromkeys(found))


def _score_of(error: UnclearTableError, answer: str) -> str:
    """Return the one column of numbers that an answer names."""
    raw = error.raw
    score, *more = _columns_of(answer, raw.columns)
    if more or not (raw.is_numeric(score) or raw.is_flag(score)):
        text = "" if more else f"; {quote(score)} is {kind_of(raw, score)}"
        raise ResultsError(f"Please name one column of numbers{text}.")
    return score


def _roles_of(error: UnclearTableError, offered: Sequence[str], answer: str) -> dict[str, str]:
    """Return what each column is by an answer such as ``series=task, tier=default``."""
    if answer in {"row", "@row"}:
        return {"@row": "repeat"}
    roles: dict[str, str] = {}
    columns = error.questions["differing"]
    for part in filter(None, map(str.strip, answer.split(","))):
        named, equals, role = part.rpartition("=")
        column = _columns_of(
            named.strip() if equals or columns[1:] else columns[0], error.raw.columns
        )[0]
        names = error.raw.names(column)
        if role.strip() not in {*offered, *names}:
            raise ResultsError(
                f"There is no {quote(role)} in {quote(column)}; choose from"
                f" {quote_list(names, limit=8)}, or {listing(offered, conjunction='or')}."
            )
        roles[column] = role.strip()
    if not roles:
        raise ResultsError(f"Please answer COLUMN={', '.join(offered)}, a value or row.")
    return roles


def _one_or_more(names: list[str]) -> str | list[str]:
    return names if names[1:] else names[0]
