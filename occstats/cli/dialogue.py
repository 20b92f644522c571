"""Load the results of a command; on a terminal, ask about a table that is unclear."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from occstats._format import count, printable, quote_list
from occstats.cli.main import ARGUMENTS, as_command
from occstats.cli.options import READING, SETTINGS, take

if TYPE_CHECKING:
    from occstats.results import Results

__all__ = ["load"]

WIDTH = 80


def load(sources: tuple[str, ...], given: dict[str, Any], *, ask: bool = True) -> Results:
    """Load the sources with the reading options among those given, which are removed.

    On a terminal, what a table does not tell is asked; the answers are added to ``given``.
    """
    from occstats.comparison.settings import Settings
    from occstats.results import load_results
    from occstats.results.ask import UnclearTableError, converse

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
            answers = converse(error, _ask, _show)
            results = load_results(*sources, **reading | answers)
        except EOFError:
            raise error from None
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
        repeated = as_command(click.get_current_context().meta[ARGUMENTS], answers)
        click.echo(f"Next time: {repeated}\n", err=True)
    given.update({name: answers[name] for name in ("missing", "algorithms") if name in answers})
    return results


def _show(text: str) -> None:
    for line in wrap(printable(text), WIDTH, subsequent_indent="     ") or [""]:
        click.echo(line, err=True)


def _ask(question: str) -> str:
    *lines, last = wrap(printable(question), WIDTH - 12, subsequent_indent="   ")
    for line in lines:
        click.echo(line, err=True)
    click.echo(f"{last} ", nl=False, err=True)
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.rstrip("\n")


def _yes(question: str) -> bool:
    while True:
        answer = _ask(question).strip().lower()
        if answer in {"y", "yes"}:
            return True
        if answer in {"n", "no"}:
            return False
        _show("Please answer y or n.")


def _ask_dataset(
    results: Results, sources: tuple[str, ...], reading: Mapping[str, Any], answers: dict[str, Any]
) -> Results:
    """Ask whether a column or a pattern that groups the tasks is the dataset."""
    from occstats.results import load_results

    if not results.dataset_hint or {"dataset", "dataset_from"} & {*reading}:
        return results
    note = next(note for note in results.notes if "? try: " in note)
    if not _yes(f"{note.partition(' try: ')[0]} (y / n):"):
        return results
    answers.update(results.dataset_hint)
    return load_results(*sources, **dict(reading) | answers)


def _ask_missing(results: Results, given: Mapping[str, Any], answers: dict[str, Any]) -> None:
    """Ask for a policy if cells are missing."""
    from occstats.results.missing import choices

    absent = int(results.scores.isna().to_numpy().sum())
    if not absent or given.get("missing") or len(results.algorithms) < 2:
        return
    offered = choices(results)
    if not offered:
        return
    _show(f"5. {absent:,} of {results.scores.size:,} cells have no score. What should be done?")
    for number, (_, text) in enumerate(offered, 1):
        _show(f"   {number} {text}")
    while True:
        answer = _ask(f"   (1-{len(offered)}):").strip()
        if answer.isdigit() and 1 <= int(answer) <= len(offered):
            answers["missing"] = offered[int(answer) - 1][0]
            return
        _show(f"   Please answer with a number from 1 to {len(offered)}.")


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
        click.echo(f"   {printable(line)[: WIDTH - 3]}", err=True)
    return _ask("Right? [y/N]").strip().lower() in {"y", "yes"}
