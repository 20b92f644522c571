"""Small tables are read as recorded in ``readings.txt``, or refused with the recorded message.

See `tests.recorded` for the form of that file and how to record it again. Its commands are
expressions in Python; they know the functions below, `pd` and `concat`. ``mixtures.txt`` has random
tables, read with random options.
"""

import random

import pandas as pd
import pytest

from occstats.errors import OccstatsError, ResultsError
from occstats.results import Results, aliases, load_results
from tests.recorded import cases, check_case, n_lines

SCORES = {
    "SVM": [0.79, 0.68, 0.61, 0.65, 0.84, 0.87],
    "LOF": [0.78, 0.81, 0.76, 0.88, 0.83, 0.6],
    "IF": [0.85, 0.62, 0.8, 0.66, 0.86, 0.75],
}


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, *case.values, id=case.id)
        for name in ("readings", "mixtures")
        for case in cases(name)
    ],
)
def test_tables_are_read_as_recorded(name, case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_case(name, case, run, tmp_path)


def run(command):
    known = (read, line, written, wide, long, edit, mixtures, meanings)
    names = {each.__name__: each for each in known} | {
        "pd": pd,
        "concat": pd.concat,
        "aliases": aliases,
    }
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
        assert n_lines(text) <= 12
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


def meanings(*names):
    """Return what each name of a column or algorithm is taken for."""
    rules = [
        getattr(aliases, name) for name in sorted(vars(aliases)) if name.startswith(("is_", "may"))
    ]
    rules += [aliases.ends_as_companion, aliases.lower_is_better]
    lines = []
    for name in names:
        measure, part = aliases.measure(name)
        found = [f"{is_.__name__} {is_(name)}" for is_ in rules if is_(name) not in (False, None)]
        found += [*sorted(aliases.measures_in(name)), *aliases.trait_names([name, "class"])]
        lines.append(f"{name}: {measure and measure.name} {part} ({', '.join(found)})")
    return lines


WORDS = {
    "dataset": ["dataset"] * 4 + ["data", "problem", "task", "group"],
    "algorithm": ["model"] * 3 + ["method", "algorithm", "name", "approach"],
    "score": ["accuracy", "auc", "rmse", "points", "score", "loss", "runtime", "recall@5"],
}
EXTRA = {
    "n_samples": lambda i: 20 + i % 6,
    "noise": lambda i: i % 3 / 10,
    "status": lambda i: "ok" if i % 9 else "timeout",
    "metric": lambda i: ["f1", "f1", "mcc"][i % 3],
    "comment": lambda i: f"text {i}",
    "suite": lambda i: "st"[i % 6 // 3],
    "train_accuracy": lambda i: 0.9 - i / 100,
    "accuracy_std": lambda i: i % 4 / 100,
    "version": lambda i: 1 + i % 2,
    "success": lambda i: int(i % 9 > 0),
    "f1": lambda i: f"8.5 [{i}]",
    "id": lambda i: i,
}
PARTS = [[{}]] * 5 + [[{word: 0}, {word: 1}] for word in ("fold", "seed", "part", "noise", "")]
PARTS += [[{"fold": i % 2, "seed": i // 2} for i in range(4)]]
POLICIES = ["refuse", "complete", "pairwise", "worst", "worst=0", "drop-algorithms", "impute=LOF"]


def mixtures(first, last):
    """Return the readings of random tables with random options."""
    return "\n\n".join(mixture(random.Random(seed)) for seed in range(first, last))


def mixture(rng):
    def some(share):
        return rng.random() < share

    names = {role: rng.choice(words) for role, words in WORDS.items()}
    dataset, algorithm, score = names.values()
    parts = rng.choice(PARTS)
    table = pd.concat([long(algorithm, dataset, score, **part) for part in parts])
    n, pattern = len(table), rng.choice(["d{}", "{}", "set{}/a", "part-{}_x"])
    table[dataset] = table[dataset].map({f"d{i}": pattern.format(i) for i in range(6)})
    table[score] += [i % 7 / 1000 for i in range(n)]
    table[score] *= rng.choice([1, 1, 1, 100, 0.1])
    added = [name for name in EXTRA if name not in table and some(0.04)]
    if wide := len(parts) == 1 and some(0.3):
        first, second = rng.sample([dataset, algorithm], 2)
        table = table.pivot(index=first, columns=second, values=score).reset_index()
        score = table.columns[1]
    table = table.assign(**{name: [*map(EXTRA[name], range(len(table)))] for name in added})
    if some(0.3):
        words = rng.choices(["", "NaN", "timeout", "-", "0.5*", "x"], k=2)
        table = table.astype({score: object}).reset_index(drop=True)
        table.loc[rng.sample([*table.index], 2), score] = [word or None for word in words]
    if some(0.3):
        table = table.drop(index=rng.sample([*table.index], 2))
    if some(0.03):
        name, last = table.iloc[-1, 0], table[-1:]
        table = pd.concat([table, last.map(lambda cell: "Average" if cell == name else cell)])
    columns = [*map(str, table)]
    options = {} if wide or some(0.4) else names
    for name in ("dataset", "algorithm", "score", "task", "fold", "repeat", "status", "traits",
                 "suite", "ignore", "metric", "transpose"):  # fmt: skip
        if some(0.03):
            options[name] = name == "transpose" or rng.choice([*columns, "@row"])
    choices = {
        "where": [f"{rng.choice(columns)}!=", "dataset!=d0", "noise<0.2", "part=1", "seed=0"],
        "algorithms": [["SVM", "LOF"], ["LOF", "IF"], columns[1:3]],
        "dataset_from": ["^[a-z]+", "[0-9]", "(d)"],
        "score_name": ["auc", "rmse", "gain"],
    }
    options |= {name: rng.choice(values) for name, values in choices.items() if some(0.06)}
    if some(0.9):
        options["lower_is_better"] = some(0.5)
    options["missing"] = rng.choice(POLICIES)
    sources = [table[: n // 2], table[n // 2 :]] if some(0.1) else [table]
    try:
        return f"{options}\n{read(*sources, **options)}"
    except OccstatsError as error:
        return f"{options}\n{error}"
