"""Small tables are read as recorded in ``readings.txt``, or refused with the recorded message.

See `tests.recorded` for the form of that file and how to record it again. Its commands are
expressions in Python; they know the functions below, `pd` and `concat`.
"""

import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import Results, load_results
from tests.recorded import cases, check_case

SCORES = {
    "SVM": [0.79, 0.68, 0.61, 0.65, 0.84, 0.87],
    "LOF": [0.78, 0.81, 0.76, 0.88, 0.83, 0.6],
    "IF": [0.85, 0.62, 0.8, 0.66, 0.86, 0.75],
}


@pytest.mark.parametrize("case", cases("readings"))
def test_tables_are_read_as_recorded(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_case("readings", case, run, tmp_path)


def run(command):
    known = (read, line, written, wide, long, edit)
    names = {each.__name__: each for each in known} | {"pd": pd, "concat": pd.concat}
    found = eval(command, names)
    return "\n".join(found) if isinstance(found, list) else found


def wide(first="dataset", **columns):
    """Return a table of three algorithms on six datasets, with further columns."""
    return pd.DataFrame({first: [f"d{i}" for i in range(6)], **SCORES, **columns})


def long(algorithm="model", dataset="dataset", score="accuracy", **columns):
    frame = wide().melt("dataset", var_name=algorithm, value_name=score)
    return frame.rename(columns={"dataset": dataset}).assign(**columns)


def edit(frame, column, **changes):
    """Replace values of a column, which are named as keywords."""
    return frame.astype({column: object}).replace({column: changes})


def read(*sources, missing=None, **options):
    """Return the reading of a table as text, with the policy for missing cells, or the message."""
    try:
        results = load_results(*sources, **options)
        return show(results if missing is None else results.resolve_missing(missing))
    except ResultsError as error:
        text = str(error)
        assert len(text.splitlines()) <= 10
        if error.retry:
            again = read(*sources, **(options | {"missing": missing} | error.retry))
            text += "\n" + "\n".join(f"    {line}" for line in again.splitlines())
        return text


def line(*sources, **options):
    """Return the first line of a reading, or that of a message and what it tells to try."""
    first, *rest = read(*sources, **options).splitlines()
    tries = [each for each in rest if each.startswith("try: ")]
    return " … ".join([first, *tries[:1]])


def written(*sources, missing=None, **options):
    """Return the table as it is written to a file."""
    results = load_results(*sources, **options)
    results = results if missing is None else results.resolve_missing(missing)
    return results.to_frame().to_csv(index=False, float_format="%.7g")


def show(results: Results) -> str:
    """Return what was read: roles, counts, notes, and the cells of the first six tasks."""
    direction = "higher" if results.higher_is_better else "lower"
    lines = [*results.read_as, f"{results!r}, {direction} is better"]
    lines += [f"note: {note}" for note in results.notes]
    if results.dataset_hint:
        lines.append(f"hint: {dict(results.dataset_hint)}")
    if results.failed is not None:
        lines.append(f"failure score: {results.failure_score}")
    cells = results.scores.map(lambda score: f"{score:.7g}")
    for name, word in (("recorded_failures", "failed"), ("failed", "worst")):
        if (mask := getattr(results, name)) is not None:
            cells = cells.mask(mask, f"{word} " + cells)
    parts = [cells, results.traits.map(lambda trait: f"{trait:.7g}")]
    if results.cvsd is not None:
        parts.append(results.cvsd.map(lambda spread: f"{spread:.7g}").add_prefix("sd "))
    if results.fold_scores is not None:
        folds = results.fold_scores.map(lambda score: f"{score:.7g}")
        parts.append(folds.set_axis(["/".join(column) for column in folds], axis=1))
    if results.suites is not None:
        suites = [results.suites[name] for name in results.clusters]
        parts.append(pd.DataFrame({"suite": suites}, index=cells.index))
    table = pd.concat(parts, axis=1).reset_index()
    rows = [table.columns, *table.to_numpy()[:6]]
    return "\n".join([*lines, *("  ".join(map(str, row)) for row in rows)])
