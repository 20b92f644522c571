"""Write the outcome of the gate as a comment on a pull request, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from occstats._format import count, decimals, minus_signs
from occstats.comparison.text.digits import mean_digits
from occstats.report.markup import escape_markdown, markdown_lines
from occstats.stats.mcnemar import is_binary

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.comparison.gate import Gate

MOST_ROWS = 5


def gate_comment(comparison: Comparison, gate: Gate, candidate: str, baseline: str) -> str:
    """Return the decision, and the datasets and tasks with the largest losses and gains."""
    results = comparison.results
    names = [escape_markdown(name) for name in (candidate, baseline)]
    scores = results.scores[[candidate, baseline]].dropna()
    tasks = [" / ".join(map(str, key)) for key in scores.index]
    lines = [
        f"### {names[0]} against {names[1]}: {gate.outcome}",
        "",
        f"**{gate.outcome}**: {escape_markdown(gate.evidence)}",
        "",
        escape_markdown(gate.caution),
    ]
    for note in gate.notes:
        lines += ["", f"Note: {escape_markdown(note)}"]
    sign = 1.0 if results.higher_is_better else -1.0
    parts = [("Datasets", scores.groupby(level=0).mean())]
    if len(scores) > scores.index.get_level_values(0).nunique():
        parts.append(("Tasks", scores.set_axis(tasks)))
    for title, frame in parts:
        rows = [
            (float(sign * (new - old)), str(name), float(new), float(old))
            for name, (new, old) in zip(frame.index, frame.to_numpy(dtype=float), strict=True)
        ]
        losses = sorted(row for row in rows if row[0] < 0)
        gains = sorted((row for row in rows if row[0] > 0), reverse=True)
        lines += _table(f"{title} with the largest losses", names, losses, comparison)
        lines += _table(f"{title} with the largest gains", names, gains, comparison)
    if is_binary(results.scores):
        change = sign * np.subtract(*scores.to_numpy(dtype=float).T)
        lost = [name for name, value in zip(tasks, change, strict=True) if value < 0]
        won = [name for name, value in zip(tasks, change, strict=True) if value > 0]
        lines += ["", f"**Flipped**: {count(len(lost), 'task')} lost, {len(won):,} won."]
        lines += _listed("Lost", lost) + _listed("Won", won)
    return "\n".join(lines)


def _table(
    title: str,
    names: list[str],
    changes: list[tuple[float, str, float, float]],
    comparison: Comparison,
) -> list[str]:
    if not changes:
        return []
    write, signed = (decimals(mean_digits(comparison), signed=s) for s in (False, True))
    rows = [
        [escape_markdown(name), *map(minus_signs, (write(new), write(old), signed(change)))]
        for change, name, new, old in changes[:MOST_ROWS]
    ]
    lines = markdown_lines(["", *names, "difference"], rows, [False, True, True, True])
    return ["", f"<details><summary>{title}</summary>", "", *lines, "", "</details>"]


def _listed(word: str, names: list[str]) -> list[str]:
    if not names:
        return []
    shown = ", ".join(escape_markdown(name) for name in names[: 4 * MOST_ROWS])
    more = len(names) - 4 * MOST_ROWS
    return ["", f"{word}: {shown}{f' and {more:,} more' if more > 0 else ''}."]
