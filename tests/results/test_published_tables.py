"""Read tables in the style of published ones, at once or with the line that the error suggests."""

import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.results.pasting import pasted, typed

from occstats.cli import main
from occstats.results import load_results

RNG = np.random.default_rng(7)


def numbers(n, low=0.5, high=0.95):
    return [f"{value:.3f}" for value in RNG.uniform(low, high, n)]


def wide(corner, rows, columns, low=0.5, high=0.95, delimiter=","):
    lines = [[corner, *columns], *([row, *numbers(len(columns), low, high)] for row in rows)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def long(head, *levels, low=0.5, high=0.95, scores=1):
    """A row for each combination of levels; names that are pairs stand in two columns."""
    rows = [[]]
    for level in levels:
        rows = [[*row, name] for row in rows for name in level]
    cells = [[*",".join(row).split(","), *numbers(scores, low, high)] for row in rows]
    return "".join(",".join(row) + "\n" for row in [head.split(","), *cells])


SIX = [f"d{i}" for i in range(6)]
MODELS = ["ours", "base", "prior"]
SAT = long(
    "family,instance,solver,status,time",
    ["hw,h1", "hw,h2", "ai,a1"],
    ["kissat,SAT", "minisat,UNSAT"],
)
MIP = wide(
    "Instance", SIX, ["CPLEX time (s)", "CPLEX gap (%)", "Gurobi time (s)", "Gurobi gap (%)"], 1, 9
)
PIVOT = "Row Labels,NB,J48,Grand Total\nx,0.2,0.4,0.3\ny,0.6,0.8,0.7\nGrand Total,0.4,0.6,0.5\n"
GLUE = "Model,Score,CoLA,SST-2,MRPC\nours,71,60.5,90.1,88.1/84.2\nbase,70,58.5,91.1,87.0/83.1\n"
DEMO = [["a", "b"], ["x", "y"]]

# name → content, options of the line that reads it, algorithms, tasks, datasets, direction
TABLES = {
    "helm.csv": (
        wide("Model/adapter", MODELS, ["Mean win rate", "MMLU - EM", "IMDB - EM", "QA - F1"]),
        "--trait 'Mean win rate'", (3, 3, 3, "higher")),
    "beir.csv": (
        wide("Model (→) / Dataset (↓)", SIX, ["BM25", "DPR"]) + "Avg. vs. BM25,,+2.1%\n",
        "--where 'Model (→) / Dataset (↓)!=Avg. vs. BM25'", (2, 6, 6, "higher")),
    "corner.csv": (wide("Dataset", ["SVM", "RF"], SIX), "--transpose", (2, 6, 6, "higher")),
    "keel.csv": (
        wide("Data set", SIX, ["C4.5 Tra", "C4.5 Tst", "1-NN Tra", "1-NN Tst"]),
        "--algorithm 'C4.5 Tst' --algorithm '1-NN Tst'", (2, 6, 6, "higher")),
    "counted.csv": (
        wide("Dataset", SIX, ["C4.5", "NB"]) + "W/T/L,3/0/9,4/1/7\n", "", (2, 6, 6, "higher")),
    "pivot.csv": (PIVOT, "", (2, 2, 2, "higher")),
    "glue.csv": (GLUE, "--trait MRPC --trait Score", (2, 2, 2, "higher")),
    "nerf.csv": (
        wide("Method", MODELS, ["LPIPS ↓", "PSNR ↑", "SSIM ↑"]),
        "--score 'LPIPS ↓' --cluster @file", (3, 1, 1, "lower")),
    "imagenet.csv": (
        wide("Rank,Model", ["1,a", "2,b", "3,c"], ["Top 1 Accuracy", "Top 5 Accuracy"]),
        "--score 'Top 1 Accuracy' --cluster @file", (3, 1, 1, "higher")),
    "ogb.csv": (
        wide("Method,Ext. data", ["a,Yes", "b,No", "c,Yes", "d,No"], ["Test acc", "Val acc"]),
        "--score 'Test acc' --cluster @file", (4, 1, 1, "higher")),
    "m4.csv": (
        ",sMAPE,,MASE,\n" + wide("Method", MODELS, ["Yearly", "Hourly", "Yearly", "Hourly"], 1, 9),
        "--header-rows 2 --algorithm 'sMAPE Yearly' --algorithm 'sMAPE Hourly' --transpose",
        (3, 2, 2, "lower")),
    "mip.csv": (
        MIP, "--algorithm 'CPLEX time (s)' --algorithm 'Gurobi time (s)'", (2, 6, 6, "lower")),
    "tsplib.csv": (
        wide("instance", SIX, ["optimal", "LKH", "GA"], 500, 900),
        "--lower-is-better", (2, 6, 6, "lower")),
    "training_minutes.csv": (wide("System", MODELS, SIX), "--lower-is-better", (3, 6, 6, "lower")),
    "dice.csv": (
        wide("case,organ", [f"{c},{o}" for c in "pqrs" for o in "uv"], ["nnUNet", "UNETR"]),
        "--cluster case --task organ", (2, 8, 4, "higher")),
    "horizons_mse.csv": (
        wide("Dataset,Horizon", ["a,96", ",192", "b,96", ",192"], ["DLinear", "PatchTST"]),
        "--fill-down --task Horizon", (2, 4, 2, "lower")),
    "merged.csv": (
        long("Dataset,Pipeline,Avg score", ["a,LDA", ",MDM", "b,LDA", ",MDM"]),
        "--fill-down", (2, 2, 2, "higher")),
    "satcomp.csv": (SAT, "", (2, 3, 2, "lower")),
    "minizinc.csv": (
        long("problem,model,data,solver,time_ms",
             ["bus,bus.mzn,b1", "bus,bus.mzn,b2", "tsp,tsp.mzn,t1"], ["Gecode", "Choco"]),
        "--algorithm solver", (2, 3, 2, "lower")),
    "moabb.csv": (
        long("dataset,subject,session,pipeline,score", *DEMO, ["0", "1"], ["CSP", "MDM"]),
        "", (2, 4, 2, "higher")),
    "nevergrad.csv": (
        long("function,dimension,budget,optimizer,loss",
             ["f1", "f2", "f3"], ["2", "10"], ["100", "900"], ["DE", "PSO"]),
        "--where dimension=2 --where budget=100", (2, 3, 3, "lower")),
    "nixtla.csv": (
        wide("unique_id,metric", [f"{d},{m}" for d in SIX for m in ("mase", "smape")], ["A", "B"]),
        "--metric smape", (2, 6, 6, "lower")),
    "sktime.csv": (
        long("validation_id,model_id,runtime_secs,MeanSquaredError_fold_0_test,MeanSquaredError_mean,MeanSquaredError_std",
             *DEMO, scores=4),
        "--score MeanSquaredError_mean", (2, 2, 2, "lower")),
    "weka.csv": (
        long("Key_Dataset,Key_Scheme,Root_mean_squared_error,Percent_correct", *DEMO, scores=2),
        "--score Percent_correct", (2, 2, 2, "higher")),
    "hyperfine.csv": (
        wide("command", ["rg", "grep"], ["mean", "stddev", "median", "user", "min", "max"]),
        "--algorithm command --cluster @file --score mean --lower-is-better", (2, 1, 1, "lower")),
    "ERT.csv": (
        wide("function", SIX[1:], ["CMA", "DE"]) + "d0,1.5(0.2),inf\n",
        "--lower-is-better --missing worst", (2, 6, 6, "lower")),
    "titled.csv": (
        "Table 2: Error of two methods,,\n" + wide("Data set", SIX, ["NB", "kNN"]),
        "--lower-is-better", (2, 6, 6, "lower")),
    "runs.json": (
        json.dumps({a: {g: [1.5, 2.5] for g in ("Pong", "Qbert")} for a in ("DQN", "C51")}),
        "", (2, 2, 2, "higher")),
    "intervals.csv": (
        'Dataset,A,B\nx,"0.85 [0.80, 0.90]",0.7 (0.6; 0.8)\ny,0.5,0.6\n', "", (2, 2, 2, "higher")),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_in_the_style_of_published_ones(tmp_path, name):
    content, options, expected = TABLES[name]
    (tmp_path / name).write_text(content)
    table, line = pasted(tmp_path / name)
    assert line == f"occstats compare {name} {options}".strip()
    direction = "higher" if table.higher_is_better else "lower"
    assert (len(table.algorithms), table.n_tasks, table.n_clusters, direction) == expected


def test_markup_around_names_is_removed(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(
        "| Dataset | **A** | B |\n|--|--|--|\n| **x** | 0.1 | 0.2 |\n| y | 0.3 | 0.4 |\n"
    )
    table, _ = pasted(path)
    assert (table.algorithms, list(table.clusters)) == (["A", "B"], ["x", "y"])


def test_ranks_in_parentheses_are_not_spreads(tmp_path):
    rows = ["x,0.9 (1),0.8 (2),0.7 (3)", "y,0.5 (3),0.6 (2),0.7 (1)", "z,0.4 (1),0.3 (2),0.2 (3)"]
    (tmp_path / "a.csv").write_text("\n".join(["dataset,A,B,C", *rows]))
    assert pasted(tmp_path / "a.csv")[0].cvsd is None


def test_an_excel_sheet_with_a_title(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    workbook = openpyxl.Workbook()
    for row in ("RMSE of two methods", "", "dataset,A,B", "x,0.1,0.2", "y,0.3,0.4"):
        workbook.active.append(row.split(",") if row else [])
    workbook.save(tmp_path / "a.xlsx")
    table, _ = pasted(tmp_path / "a.xlsx")
    assert (table.score_name, table.higher_is_better, table.n_tasks) == ("rmse", False, 2)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.arff", b"@RELATION a\n@ATTRIBUTE b STRING\n@DATA\nx\n", "is ARFF, which is not read"),
        ("a.html", b"<table><tr><td>x</td></tr></table>", "is a web page"),
        (
            "a.csv",
            b"benchmark,A,B\nx,12 ms,9 ms\ny,1 s,2 s\n",
            "'A' contains '12 ms': write numbers",
        ),
        ("b.csv", b"dataset,A,B\nx,inf,1\ny,1,2\n", "inf is not a score"),
        (
            "c.csv",
            b"dataset,model,acc\na,A,1\n,B,0\na,A,1\na,B,0\n",
            "the name is missing (1 such rows)",
        ),
    ],
)
def test_unreadable_tables_are_explained(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    table, message = typed(f"occstats compare {tmp_path / name}")
    assert table is None
    assert says in message
    assert "--fill-down" not in message


TWELVE = [f"Problem{i}" for i in range(12)]
DATES = [f"2024-05-0{i} 10:00:00" for i in range(1, 9)]
FRAMEWORKS = ["clf1", "clf2"]
RUNS = [f"{m}-{d}-{s},finished,{d},{m},{s}" for d in TWELVE for m in ("vit", "cnn") for s in "12"]
ISSUES = [
    {"instance_id": f"{repo}__{i}", "repo": repo, "model_name_or_path": m, "resolved": m < str(i)}
    for repo in ("django", "sympy")
    for i in range(4)
    for m in "12"
]

# Files of the table in the documentation.
FILES = {
    "roc.csv": wide(
        "Data,#Samples,Outlier Perc",
        [f"{name},{100 + i},{i}.5" for i, name in enumerate(TWELVE)],
        ["ABOD", "KNN", "LOF"],
    ),
    "means.csv": ",MLP,FCN,ResNet\n"
    + "".join(f"{d},5{i}.5(1.2),6{i}.5(3.1),7{i}.5(0.3)\n" for i, d in enumerate(TWELVE[:9]))
    + "Avg.,54.5,64.5,74.5\n",
    "board.csv": "Model,Params (B),Task0,Task1,Task2,Task3,Average\n"
    + "".join(f"{m},{i},5{i}.5,6{i}.5,7{i}.5,8{i}.5,6{i + 5}.5\n" for i, m in enumerate("abcd", 1)),
    "board.md": "# Results\n\n| Method | Cora | Pubmed |\n|---|--:|--:|\n"
    "| GCN | 81 | 79 |\n| GAT | 83 | 80 |\n",
    "long.csv": long("classifier_name,dataset_name,accuracy", FRAMEWORKS, TWELVE),
    "measures.csv": long(
        "classifier_name,dataset_name,accuracy,recall,duration", FRAMEWORKS, TWELVE, scores=3
    ),
    "settings.csv": long(
        "problem,solver,settings,runtime,primal_residual",
        *(TWELVE, ["osqp", "scs"], ["default", "high"]),
        scores=2,
    ),
    "runtimes.csv": wide("benchmark", TWELVE, ["kissat", "cadical", "minisat"], 1, 900)
    + "x,TIMEOUT,1.5,2.5\ny,3.5,TIMEOUT,7.5\nz,9.5,4.5,TIMEOUT\n",
    "seconds.csv": wide("graph", TWELVE, ["igraph (s)", "networkx (s)"], 0, 9),
    "games.csv": "Game,DQN,Rainbow\n"
    + "".join(f'{name},"{i + 1},234.5","{12 - i},345.6"\n' for i, name in enumerate(TWELVE)),
    "ranks.csv": "task,fold,A,B,C,D\n"
    + "".join(f"{d},{f},{r}\n" for d in TWELVE for f, r in enumerate(("1,2,3,4", "3,1,4,2"))),
    "functions.csv": long(
        "function,dimension,instance,optimizer,best_f",
        *([f"f{i}" for i in range(1, 9)], ["2", "5"], ["1", "2", "3"], ["CMA-ES", "DE"]),
    ),
    "tracked.csv": long(
        "Name,State,config.dataset,config.model,config.seed,val/acc,test/acc", RUNS, scores=2
    ),
    "repairs.jsonl": "\n".join(map(json.dumps, ISSUES)),
    "contest.csv": long(
        "Rank,TeamId,TeamName,LastSubmissionDate,Score",
        [f"{i},{9170 * i},team {i},{date}" for i, date in enumerate(DATES, start=1)],
    ),
}


def test_a_page_with_one_table(tmp_path, refused):
    head = "| Method | Cora | Pubmed |\n|---|---|---|\n"
    table = f"{head}| GCN | 81.5 ± 0.2 | 79 |\n| GAT | **83.0** ± 0.7 | 80 |\n"
    path = tmp_path / "board.md"
    path.write_text(f"# Results\n\nAs in the paper.\n\n{table}\nMore text, with commas, here.\n")
    results = load_results(path)
    assert results.algorithms == ["GCN", "GAT"]
    assert results.scores.loc[("Cora", "Cora")].tolist() == [81.5, 83.0]
    path.write_text(f"# Results\n\n{table}\n\n{table}")
    refused(path, says=("contains 2 tables",))


def test_the_proposed_line_runs_to_the_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runtimes.csv").write_text(FILES["runtimes.csv"])
    first = CliRunner().invoke(main, ["compare", "runtimes.csv"])
    assert first.exit_code == 2
    proposed = re.search(r"^try: occstats (.*)$", first.stderr, flags=re.MULTILINE)[1]
    second = CliRunner().invoke(main, [*shlex.split(proposed), "--n-resamples", "100", "--json"])
    assert second.exit_code == 0, second.stderr
    assert json.loads(second.stdout)["verdict"]


def documented():
    text = (Path(__file__).parents[2] / "docs/how-to/tables.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (first|second) \| `(occstats compare .*)` \|$", text, re.M)
    return [(tried, line) for tried, line in rows if "_accuracy.csv" not in line]


@pytest.mark.parametrize(("tried", "line"), documented())
def test_documented_shapes(tmp_path, tried, line):
    name = shlex.split(line)[2]
    (tmp_path / name).write_text(FILES[name])
    assert pasted(tmp_path / name)[1] == line
    assert (tried == "first") == (line == f"occstats compare {name}")


def test_every_shape_is_documented():
    assert {shlex.split(line)[2] for _, line in documented()} == set(FILES)


FOLDER = os.environ.get("OCCSTATS_REALWORLD")

# file → algorithms, tasks, datasets, direction, one algorithm, and the attempt that succeeds
EXPECTED = {
    "adbench_AUCROC_multiindex.csv": (15, 28, 28, "higher", "IForest", 2),
    "amlb_1h_all_results.csv": (7, 35, 35, "higher", "autosklearn", 2),
    "amlb_folds_leaderboard.csv": (7, 35, 35, "lower", "tpot", 2),
    "asr_en_shortform.csv": (87, 8, 8, "lower", "zoom/scribe_v1", 1),
    "cd_diagram_example.csv": (5, 15, 15, "higher", "clf3", 1),
    "critdd_2d_example.csv": (5, 17, 17, "lower", "clf1", 2),
    "dl4tsc_results-uea.csv": (9, 85, 85, "higher", "resnet", 2),
    "dl4tsc_uea-avg-std.csv": (9, 85, 85, "higher", "Time-CNN", 1),
    "dopamine_breakout.json": (6, 1, 1, "higher", "DQN", 2),
    "mteb_en_classification.jsonl": (312, 12, 12, "higher", "NV-Embed-v2", 2),
    "pyod_adbench_aucroc_unsup.csv": (14, 57, 57, "higher", "DAGMM", 2),
    "pyod_bond_ap.csv": (14, 9, 9, "higher", "DOMINANT", 2),
    "pyod_roc.csv": (10, 17, 17, "higher", "ABOD", 1),
    "qpbenchmark_results.csv": (14, 138, 138, "lower", "osqp", 2),
    "srbench_blackbox.csv": (21, 122, 122, "higher", "*AFP", 2),
    "tsbuad_AUC_ROC.csv": (12, 1886, 18, "higher", "NORMA", 2),
    "tsml_HC2_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
    "tsml_MR-Hydra_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
    "tsml_QUANT_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
}


@pytest.mark.skipif(
    FOLDER is None, reason="needs the published tables in the folder of OCCSTATS_REALWORLD"
)
@pytest.mark.parametrize("name", EXPECTED)
def test_published_tables(name):
    algorithms, tasks, clusters, direction, one, tries = EXPECTED[name]
    table, line = pasted(Path(FOLDER) / name)
    assert (1 if line == f"occstats compare {name}" else 2) == tries
    assert len(table.algorithms) == algorithms
    assert (table.n_tasks, table.n_clusters) == (tasks, clusters)
    assert table.higher_is_better is (direction == "higher")
    assert one in table.algorithms
