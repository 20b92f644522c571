"""Tables in the manner of published ones: right at once, or after pasting the refusal's line."""

import gzip
import json

import numpy as np
import pytest

from tests.results.pasting import pasted, typed

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

# name → content, options of the line that reads it, algorithms, tasks, data sets, direction
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
def test_manners(tmp_path, name):
    content, options, expected = TABLES[name]
    (tmp_path / name).write_text(content)
    table, line = pasted(tmp_path / name)
    assert line == f"occstats compare {name} {options}".strip()
    direction = "higher" if table.higher_is_better else "lower"
    assert (len(table.algorithms), table.n_tasks, table.n_clusters, direction) == expected


def test_markup_around_data_sets_and_methods(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(
        "| Dataset | **A** | B |\n|--|--|--|\n| **x** | 0.1 | 0.2 |\n| y | 0.3 | 0.4 |\n"
    )
    table, _ = pasted(path)
    assert (table.algorithms, list(table.clusters)) == (["A", "B"], ["x", "y"])


def test_ranks_in_brackets_are_no_spread(tmp_path):
    rows = ["x,0.9 (1),0.8 (2),0.7 (3)", "y,0.5 (3),0.6 (2),0.7 (1)", "z,0.4 (1),0.3 (2),0.2 (3)"]
    (tmp_path / "a.csv").write_text("\n".join(["dataset,A,B,C", *rows]))
    assert pasted(tmp_path / "a.csv")[0].cvsd is None


def test_an_excel_sheet_with_a_title(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    workbook = openpyxl.Workbook()
    for row in (
        ["RMSE of two methods"],
        [],
        ["dataset", "A", "B"],
        ["x", 0.1, 0.2],
        ["y", 0.3, 0.4],
    ):
        workbook.active.append(row)
    workbook.save(tmp_path / "a.xlsx")
    table, _ = pasted(tmp_path / "a.xlsx")
    assert (table.score_name, table.higher_is_better, table.n_tasks) == ("rmse", False, 2)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.arff", b"@RELATION a\n@ATTRIBUTE b STRING\n@DATA\nx\n", "is an ARFF file"),
        ("a.html", b"<table><tr><td>x</td></tr></table>", "is a web page"),
        ("a.csv", b"benchmark,A,B\nx,12 ms,9 ms\ny,1 s,2 s\n", "'A' holds '12 ms': write numbers"),
        ("b.csv", b"dataset,A,B\nx,inf,1\ny,1,2\n", "inf is no score"),
        ("c.csv", b"dataset,model,acc\na,A,1\n,B,0\na,A,1\na,B,0\n", "no name there (1 such rows)"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    table, message = typed(f"occstats compare {tmp_path / name}")
    assert table is None
    assert says in message
    assert "--fill-down" not in message


def test_long_frames_of_the_folder_are_packed_and_named_in_the_document(tmp_path, monkeypatch):
    import occstats
    from occstats.report import bundle as writer
    from occstats.report import formatted_table as tables

    monkeypatch.setattr(tables, "MOST_ROWS", 50)
    comparison = occstats.compare("lenz2021", n_resamples=100)
    folder = writer.write(comparison, tmp_path / "out")
    document = json.loads((folder / "comparison.json").read_text())
    assert document["pairwise"] == {"rows": 72, "file": "tables/pairwise.csv.gz"}
    assert document["kendall"] == json.loads(comparison.to_json())["kendall"]
    packed = gzip.decompress((folder / "tables" / "pairwise.csv.gz").read_bytes())
    assert packed.count(b"\n") == 73
    assert not (folder / "tables" / "pairwise.csv").exists()
