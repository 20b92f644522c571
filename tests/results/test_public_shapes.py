"""Tables in the manner of public studies, invented: what is pasted reads them, and rightly."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.results import load_results
from tests.results.pasting import pasted

N = 12
NAMES = [f"Problem{i}" for i in range(N)]
RNG = np.random.default_rng(5)


def scores(low=0.5, high=0.95, n=N):
    return RNG.uniform(low, high, n).round(4)


def archive():
    """The summary of an archive: traits before the errors, the class a number."""
    size = RNG.integers(20, 999, N)
    frame = pd.DataFrame({"ID": range(N), "Type": "Image", "Name": NAMES, "Train ": size})
    frame["Class"] = RNG.integers(2, 6, N)
    return frame.assign(Length=size + 7, ED=scores(), DTW=scores(), Euclid=scores(), Donor="K")


def leaderboard():
    """A board of models as links, with ranks, sizes, shares and means beside the tasks."""
    tasks = {name: scores(40, 95, 8) for name in ("ArguAna", "SciFact", "STS12", "Banking77")}
    links = [f"[m{i}](https://huggingface.co/x/m{i})" for i in range(8)]
    frame = pd.DataFrame({"Rank (Borda)": range(1, 9), "Model": links, "Zero-shot": "95%"})
    frame = frame.assign(**{"Memory Usage (MB)": range(100, 900, 100), "Max Tokens": 512})
    frame["CO₂ cost (kg)"] = scores(0.5, 20, 8)
    mean = np.mean(list(tasks.values()), axis=0)
    return frame.assign(**{"Mean (Task)": mean.round(2), "Mean (TaskType)": mean + 1, **tasks})


def contest():
    """Teams, dates and one score each."""
    teams = [f"team {i}" for i in range(8)]
    frame = pd.DataFrame({"Rank": range(1, 9), "TeamId": RNG.integers(1e5, 1e7, 8)})
    dates = [f"2024-05-0{i} 10:00:00" for i in range(1, 9)]
    return frame.assign(TeamName=teams, LastSubmissionDate=dates, Score=scores(n=8)[::-1])


def games():
    """Scores with thousands marked."""
    agents = {a: [f"{v:,.1f}" for v in scores(0, 90_000)] for a in ("DQN", "Rainbow", "MuZero")}
    return pd.DataFrame({"Game": NAMES, **agents})


def solvers():
    """Run times with time-outs."""
    times = {s: scores(1, 900).astype(object) for s in ("kissat", "cadical", "minisat")}
    times["kissat"][3] = times["cadical"][5] = times["minisat"][7] = "TIMEOUT"
    return pd.DataFrame({"benchmark": NAMES, **times})


def seconds():
    """The unit is in the names."""
    return pd.DataFrame({"graph": NAMES, "igraph (s)": scores(0, 9), "networkx (s)": scores(0, 9)})


def counted():
    """A row of wins, ties and losses; naive Bayes is no number."""
    frame = pd.DataFrame({"Dataset": NAMES, "C4.5": scores(), "NB": scores(), "RF": scores()})
    return pd.concat(
        [frame, pd.DataFrame([["W/T/L", "3/0/9", "4/1/7", "-"]], columns=frame.columns)]
    )


def tracked():
    """The export of a tracker of experiments."""
    rows = [
        (f"{m}-{d}-{s}", "finished", d, m, s) for d in NAMES for m in ("vit", "cnn") for s in "12"
    ]
    columns = ["Name", "State", "config.dataset", "config.model", "config.seed"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(**{"val/acc": scores(n=len(frame)), "test/acc": scores(n=len(frame))})


def optimisers():
    """Functions, dimensions and instances."""
    rows = [
        (f"f{f}", dimension, instance, name)
        for f in range(1, 9)
        for dimension in (2, 5)
        for instance in (1, 2, 3)
        for name in ("CMA-ES", "DE")
    ]
    frame = pd.DataFrame(rows, columns=["function", "dimension", "instance", "optimizer"])
    return frame.assign(best_f=scores(0, 1e-6, len(frame)) + 1e-9)


def tabular():
    """Learners with settings and several measures."""
    rows = [
        (f"openml__{d}", k, a, h)
        for d in NAMES
        for k in "01"
        for a in "AB"
        for h in ("default", "r1")
    ]
    frame = pd.DataFrame(
        rows, columns=["dataset_name", "dataset_fold_id", "alg_name", "hparam_source"]
    )
    measures = {
        f"{m}__{part}": scores(n=len(frame))
        for m in ("Accuracy", "AUC")
        for part in ("train", "test")
    }
    return frame.assign(**measures)


def repairs():
    """Booleans of issues in repositories."""
    rows = [(f"{r}__{i}", r, m) for r in ("django", "sympy") for i in range(4) for m in ("a", "b")]
    frame = pd.DataFrame(rows, columns=["instance_id", "repo", "model_name_or_path"])
    return frame.assign(resolved=RNG.random(len(frame)) < 0.4)


def detectors():
    """Traits before the columns of detectors."""
    frame = pd.DataFrame(
        {"Data": NAMES, "#Samples": range(100, 112), "Outlier Perc": scores(1, 40)}
    )
    return frame.assign(ABOD=scores(), KNN=scores(), LOF=scores())


def means():
    """Means with their spread, and a row of averages."""
    columns = {m: scores(50, 90) for m in ("MLP", "FCN", "ResNet")}
    rows = {
        m: [f"{v}({s:.1f})" for v, s in zip(c, scores(1, 5), strict=True)]
        for m, c in columns.items()
    }
    last = {m: f"{c.mean():.4f}" for m, c in columns.items()}
    return pd.concat([pd.DataFrame({"": NAMES, **rows}), pd.DataFrame([{"": "Avg.", **last}])])


def board():
    """Models in rows."""
    tasks = {f"Task{i}": scores(40, 95, 5) for i in range(4)}
    frame = pd.DataFrame({"Model": list("abcde"), "Params (B)": [1, 2, 3, 4, 5], **tasks})
    return frame.assign(Average=frame[list(tasks)].mean(axis=1).round(2))


def page():
    """A table in a page."""
    head = "# Results\n\n| Method | Cora | Pubmed |\n|---|--:|--:|\n"
    return f"{head}| GCN | 81 | 79 |\n| GAT | 83 | 80 |\n"


def long():
    """The plainest form."""
    rows = [(a, d) for a in ("clf1", "clf2") for d in NAMES]
    frame = pd.DataFrame(rows, columns=["classifier_name", "dataset_name"])
    return frame.assign(accuracy=scores(n=len(frame)))


def measures():
    """Several measures."""
    frame = long()
    return frame.assign(recall=scores(n=len(frame)), duration=scores(1, 9, len(frame)))


def settings():
    """Solvers under several settings, with residuals."""
    rows = [(p, s, k) for p in NAMES for s in ("osqp", "scs") for k in ("default", "high")]
    frame = pd.DataFrame(rows, columns=["problem", "solver", "settings"])
    return frame.assign(runtime=scores(n=len(frame)), primal_residual=scores(n=len(frame)))


def ranks():
    """Ranks on each fold."""
    rows = [(d, f, *RNG.permutation(4) + 1) for d in NAMES for f in range(3)]
    return pd.DataFrame(rows, columns=["task", "fold", *"ABCD"])


# made by → how it is typed, algorithms, tasks, data sets, what is measured, higher is better
SHAPES = {
    archive: ("--trait 'Train ' --trait Class", ["ED", "DTW", "Euclid"], N, N, "score", True),
    leaderboard: (
        "--trait Zero-shot --trait 'Mean (TaskType)'",
        [f"m{i}" for i in range(8)], 4, 4, "score", True,
    ),
    contest: ("--cluster @file", [f"team {i}" for i in range(8)], 1, 1, "Score", True),
    games: ("", ["DQN", "Rainbow", "MuZero"], N, N, "score", True),
    solvers: (
        "--lower-is-better --missing worst",
        ["kissat", "cadical", "minisat"], N, N, "score", False,
    ),
    seconds: ("", ["igraph (s)", "networkx (s)"], N, N, "seconds", False),
    counted: ("", ["C4.5", "NB", "RF"], N, N, "score", True),
    tracked: ("--score test/acc", ["vit", "cnn"], N, N, "test/acc", True),
    optimisers: (
        "--cluster function --task instance --lower-is-better --where dimension=2",
        ["CMA-ES", "DE"], 24, 8, "best_f", False,
    ),
    tabular: (
        "--score AUC__test --where hparam_source=default",
        ["A", "B"], N, N, "AUC__test", True,
    ),
    repairs: ("", ["a", "b"], 8, 2, "resolved", True),
}  # fmt: skip


@pytest.mark.parametrize("make", SHAPES, ids=lambda make: make.__name__)
def test_what_is_pasted_reads_it_rightly(tmp_path, make):
    options, algorithms, tasks, clusters, score, higher = SHAPES[make]
    name = "runtimes.csv" if make is solvers else "table.csv"
    make().to_csv(tmp_path / name, index=False)
    table, line = pasted(tmp_path / name)
    assert line == f"occstats compare {name} {options}".strip()
    assert table.algorithms == algorithms
    assert (table.n_tasks, table.n_clusters) == (tasks, clusters)
    assert (table.score_name, table.higher_is_better) == (score, higher)


def test_a_page_with_one_table(tmp_path, refused):
    head = "| Method | Cora | Pubmed |\n|---|---|---|\n"
    table = f"{head}| GCN | 81.5 ± 0.2 | 79 |\n| GAT | **83.0** ± 0.7 | 80 |\n"
    path = tmp_path / "board.md"
    path.write_text(f"# Results\n\nAs in the paper.\n\n{table}\nMore text, with commas, here.\n")
    results = load_results(path)
    assert results.algorithms == ["GCN", "GAT"]
    assert results.scores.loc[("Cora", "Cora")].tolist() == [81.5, 83.0]
    path.write_text(f"# Results\n\n{table}\n\n{table}")
    refused(path, says=("2 tables in one page",))


@pytest.mark.parametrize("make", [archive, solvers, tracked], ids=lambda make: make.__name__)
def test_the_proposed_line_runs_to_the_end(tmp_path, make, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make().to_csv("runtimes.csv", index=False)
    first = CliRunner().invoke(main, ["compare", "runtimes.csv"])
    assert first.exit_code == 2
    proposed = re.search(r"^try: occstats (.*)$", first.stderr, flags=re.MULTILINE)[1]
    second = CliRunner().invoke(main, [*shlex.split(proposed), "--n-resamples", "100", "--json"])
    assert second.exit_code == 0, second.stderr
    assert json.loads(second.stdout)["verdict"]


# The files of the table in the documentation.
FILES = {
    "roc.csv": detectors,
    "means.csv": means,
    "board.csv": board,
    "board.md": page,
    "long.csv": long,
    "measures.csv": measures,
    "settings.csv": settings,
    "runtimes.csv": solvers,
    "seconds.csv": seconds,
    "games.csv": games,
    "ranks.csv": ranks,
    "functions.csv": optimisers,
    "tracked.csv": tracked,
    "repairs.jsonl": repairs,
    "contest.csv": contest,
}


def documented():
    text = (Path(__file__).parents[2] / "docs/how-to/tables.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (first|second) \| `(occstats compare .*)` \|$", text, re.M)
    return [(tried, line) for tried, line in rows if "_accuracy.csv" not in line]


@pytest.mark.parametrize(("tried", "line"), documented())
def test_the_shapes_of_the_documentation(tmp_path, tried, line):
    name = shlex.split(line)[2]
    made = FILES[name]()
    if isinstance(made, str):
        (tmp_path / name).write_text(made)
    elif name.endswith(".jsonl"):
        made.to_json(tmp_path / name, orient="records", lines=True)
    else:
        made.to_csv(tmp_path / name, index=False)
    assert pasted(tmp_path / name)[1] == line
    assert (tried == "first") == (line == f"occstats compare {name}")


def test_every_shape_is_documented():
    assert {shlex.split(line)[2] for _, line in documented()} == set(FILES)
