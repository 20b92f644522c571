"""Read published tables with the options that each needs, and write what was read as a page.

The tables lie in the folder named by ``OCCSTATS_REALWORLD``, with their correct readings; run

    python benchmarks/published_tables.py > docs/benchmarks/published_tables.md
"""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.found_tables import page as found_tables
from occstats._format import count
from occstats.cli.main import as_command
from occstats.errors import ResultsError
from occstats.results import load_results

LOWER, HIGHER = {"lower_is_better": True}, {"lower_is_better": False}
TSB = ["IFOREST", "LOF", "MP", "NORMA", "IFOREST1", "HBOS", "OCSVM", "PCA", "AE", "CNN"]
TSB += ["LSTM", "POLY"]
TIMED = ["MO-GAAL", "SO-GAAL", "AutoEncoder", "VAE", "AnoGAN", "DeepSVDD", "ALAD", "AE1SVM"]
TIMED += ["DevNet", "LUNAR"]
AMLB = "autosklearn autoweka constantpredictor h2oautoml randomforest tpot tunedrandomforest"
MTEB = "Rank;Average;Model Size (Million Parameters);Embedding Dimensions;Max Tokens"
ASR = "AMI;Earnings22;Gigaspeech;LS Clean;LS Other;SPGISpeech;Tedlium;Voxpopuli"
M4 = [f"sMAPE {p}" for p in ("Yearly", "Quarterly", "Monthly", "Weekly", "Daily", "Hourly")]

# Files; options; algorithms, tasks, datasets, cells without a score and direction of the right
# reading, or words of the refusal.
TABLES: list[tuple[str, dict[str, Any], tuple[int, int, int, int, str] | str]] = [
    ("cd_diagram_example.csv", {}, (5, 15, 15, 0, "higher")),
    ("pyod_adbench_aucroc_unsup.csv", {}, (14, 57, 57, 7, "higher")),
    ("amlb_1h_all_results.csv", {}, (7, 35, 35, 7, "higher")),
    (
        "tsml_HC2_accuracy.csv tsml_MR-Hydra_accuracy.csv tsml_QUANT_accuracy.csv",
        {},
        (3, 142, 142, 0, "higher"),
    ),
    ("pyod_bond_ap.csv", {"transpose": True} | HIGHER, (14, 9, 9, 17, "higher")),
    ("livebench_2024.csv", {"transpose": True} | HIGHER, (73, 17, 17, 0, "higher")),
    ("pythia_12b_step2.json pythia_1b_step1.json", {"metric": "acc"}, (2, 65, 9, 0, "higher")),
    ("srbench_blackbox.csv", {"score": "r2_test"}, (21, 122, 122, 15, "higher")),
    (
        "chronos-bolt-tiny-zero-shot.csv chronos-t5-small-zero-shot.csv"
        " seasonal-naive-zero-shot.csv",
        {"score": "MASE"},
        (3, 27, 27, 0, "lower"),
    ),
    (
        "asr_en_shortform.csv",
        {"task": [f"{name} WER" for name in ASR.split(";")]},
        (87, 8, 8, 0, "lower"),
    ),
    (
        "pyod_result_with_baseline.csv",
        {"algorithms": ["AutoEncoder", "LUNAR", "without note", "with note"]} | HIGHER,
        (4, 17, 17, 0, "higher"),
    ),
    ("amlb_folds_leaderboard.csv", {"ignore": ["type"]} | LOWER, (7, 35, 35, 7, "lower")),
    ("pyod_time_df.csv", {"algorithms": TIMED} | LOWER, (10, 17, 17, 0, "lower")),
    ("tsbuad_AUC_ROC.csv", {"algorithms": TSB}, (12, 1887, 18, 28, "higher")),
    (
        "pyod_roc.csv",
        {"ignore": ["#Samples", "# Dimensions", "Outlier Perc"]} | HIGHER,
        (10, 17, 17, 0, "higher"),
    ),
    (
        "dl4tsc_results-uea.csv",
        {"score": "accuracy", "repeat": "iteration"},
        (9, 85, 85, 0, "higher"),
    ),
    (
        "dl4tsc_uea-avg-std.csv",
        {"dataset": "", "where": ["!=Average_Rank", "!=Wins"]} | HIGHER,
        (9, 85, 85, 0, "higher"),
    ),
    ("critdd_2d_example.csv", {"where": ["diagram=diagram1"]} | LOWER, (5, 17, 17, 0, "lower")),
    (
        "adbench_AUCROC_multiindex.csv",
        {"dataset": "index 1", "repeat": "index 3", "where": ["index 2=0"]},
        (15, 48, 48, 303, "higher"),
    ),
    (
        "mteb_en_classification.jsonl",
        {"transpose": True, "ignore": [*MTEB.split(";"), "Memory Usage (GB, fp32)"]} | HIGHER,
        (382, 12, 12, 966, "higher"),
    ),
    (
        "qpbenchmark_results.csv",
        {"score": "runtime", "status": "found", "where": ["settings=default"]},
        (14, 138, 138, 904, "lower"),
    ),
    (
        "mpc_qpbenchmark.csv",
        {"score": "runtime", "status": "found", "where": ["settings=default"]},
        (15, 64, 64, 113, "lower"),
    ),
    (
        "dopamine_breakout.json",
        {
            "score": "Value",
            "dataset": "@file",
            "where": ["Iteration=198"],
            "repeat": "@row",
        }
        | HIGHER,
        (6, 1, 1, 0, "higher"),
    ),
    (
        "timm_infer_rtx4090.csv",
        {
            "algorithm": ["model", "infer_img_size"],
            "score": "infer_samples_per_sec",
            "dataset": "@file",
        }
        | HIGHER,
        (1444, 1, 1, 0, "higher"),
    ),
    (
        "openclip_results.csv",
        {
            "algorithm": ["name", "pretrained"],
            "transpose": True,
            "ignore": ["params (M)", "FLOPs (B)", "Average perf. on 38 datasets"],
        }
        | HIGHER,
        (121, 38, 38, 0, "higher"),
    ),
    (
        "solver_benchmark.csv",
        {
            "algorithm": ["Solver", "Solver Version"],
            "dataset": "Benchmark",
            "task": "Size",
            "score": "Runtime (s)",
            "status": "Status",
        }
        | LOWER,
        (17, 213, 152, 1877, "lower"),
    ),
    (
        "scib_metrics.csv",
        {
            "task": "",
            "score": "ARI_cluster/label",
            "algorithm_from": "[^/]+/[^/]+/[^/]+$",
            "dataset_from": "[^/]+",
        }
        | HIGHER,
        (69, 7, 7, 42, "higher"),
    ),
    (
        "gift_chronos2.csv gift_seasonal_naive.csv gift_toto.csv",
        {"score": "eval_metrics/MASE[0.5]", "dataset_from": "^[^/]+"} | LOWER,
        (3, 97, 28, 0, "lower"),
    ),
    (
        "openproblems_denoising.json",
        {"score": "mean_score"} | HIGHER,
        (13, 3, 3, 0, "higher"),
    ),
    (
        "bars_ctr_criteo_x1.csv bars_ctr_frappe_x1.csv",
        {"score": "AUC", "dataset": "@file"},
        (36, 2, 2, 1, "higher"),
    ),
    (
        "clip_benchmark.csv",
        {"score": "acc1", "algorithm": "model_fullname"} | HIGHER,
        (13, 39, 39, 52, "higher"),
    ),
    (
        "m4_evaluation_ranks.xlsx",
        {
            "table": "Point Forecasts-Frequency",
            "header_rows": 2,
            "algorithm": "Method User ID",
            "task": M4,
        },
        (62, 6, 6, 18, "lower"),
    ),
    (
        "evalperf_combined.json",
        {
            "algorithm": "key",
            "score": "dps",
            "dataset": "@file",
            "where": ["key!=heatmap_data"],
        }
        | HIGHER,
        (34, 1, 1, 0, "higher"),
    ),
    ("rl_zoo_benchmark.md", {"score": "mean_reward"} | HIGHER, (11, 55, 55, 406, "higher")),
    (
        "vectara_hallucination.md",
        {"score": "Hallucination Rate", "dataset": "@file"} | LOWER,
        (96, 1, 1, 0, "lower"),
    ),
    (
        "wer_are_we.md",
        {
            "table": 1,
            "algorithm": ["Paper", "Notes"],
            "task": ["WER test-clean", "WER test-other"],
        },
        (25, 2, 2, 3, "lower"),
    ),
    (
        "picovoice_stt.md",
        {"table": 1, "algorithm": "Engine", "transpose": True, "ignore": ["Average"]} | LOWER,
        (12, 4, 4, 0, "lower"),
    ),
    (
        "alpaca_claude3.csv",
        {"algorithm": "name", "score": "length_controlled_winrate", "dataset": "@file"} | HIGHER,
        (6, 1, 1, 0, "higher"),
    ),
    (
        "amlb_result_summary.csv",
        {"where": ["type=binary"], "algorithms": AMLB.split(), "score_name": "auc"},
        (7, 20, 20, 1, "higher"),
    ),
    (
        "srbench_pareto.csv",
        {"score": "r2_test", "dataset": "@file"},
        (21, 1, 1, 0, "higher"),
    ),
    (
        "fuzzbench_bug1.csv",
        {
            "algorithm": "fuzzer",
            "dataset": "benchmark",
            "score": "edges_covered",
            "repeat": "@row",
            "where": ["time=7200"],
        }
        | HIGHER,
        (2, 2, 2, 0, "higher"),
    ),
    ("livebench_2026.csv", HIGHER, "line 110: 21 cells where the header has 24"),
    ("smtcomp2014_QF_BV.csv", {}, "the first row looks like data"),
]


def outcome(
    folder: Path, files: str, options: dict[str, Any]
) -> tuple[int, int, int, int, str] | str:
    """Return what is read, or the message if the table is refused."""
    try:
        found = load_results(*(folder / name for name in files.split()), **options)
    except ResultsError as error:
        return str(error.problem).removeprefix(f"{folder}/")
    way = "higher" if found.higher_is_better else "lower"
    absent = int(found.scores.isna().to_numpy().sum())
    return len(found.algorithms), found.n_tasks, found.n_clusters, absent, way


def right_reading(folder: Path, name: str) -> str:
    """Return the correct reading of a file, as written down before it was tried."""
    first, second = (pd.read_csv(folder / f"{n}.csv", dtype=str) for n in ("MANIFEST", "SECOND"))
    for _, row in first[first["file"] == name].iterrows():
        return f"{row['shape']}: {row['roles']}".replace("data set", "dataset")
    (row,) = [row for _, row in second.iterrows() if fnmatch(name, row["file"])]
    roles = ("algorithms", "datasets", "score", "direction")
    return "; ".join(f"{role}: {row[role]}" for role in roles).replace("data set", "dataset")


def main() -> None:
    """Print the page."""
    folder = Path(os.environ["OCCSTATS_REALWORLD"])
    held = {n for files, _, _ in TABLES for n in files.split()}
    lacking = {path.name for path in folder.iterdir()} - held
    assert lacking <= {"MANIFEST.csv", "SECOND.csv", "README.md"}, lacking
    refused = sum(isinstance(right, str) for *_, right in TABLES)
    print("# Published tables\n")
    print("This page shows how occstats reads tables of other studies from public repositories. It")
    print("was written by `benchmarks/published_tables.py`. The correct reading of each table was")
    print("written down before the trial. Each table was tried first without options, then with")
    print("the options that the error message asks for.\n")
    print("## First sample\n")
    print(f"{len(held)} files in {len(TABLES)} rows: {refused} are correctly refused and")
    print("none is misread. A test repeats all rows and compares the scores with those that pandas")
    print("reads.\n")
    print("| file | correct reading | command | outcome |")
    print("| --- | --- | --- | --- |")
    for files, options, right in TABLES:
        found = outcome(folder, files, options)
        assert found == right or (isinstance(right, str) and right in str(found)), files
        text = f"refused: {right}"
        if not isinstance(right, str):
            n_algorithms, n_tasks, n_datasets, absent, way = right
            text = f"{count(n_algorithms, 'algorithm')}, {count(n_tasks, 'task')},"
            text += f" {count(n_datasets, 'dataset')}; {way}"
            text += " is better" + (f"; {count(absent, 'cell')} without a score" if absent else "")
        told = as_command([], options).removeprefix("occstats").strip()
        reading = right_reading(folder, files.split()[0])
        cells = (files.replace(" ", ", "), reading, f"`{told}`" if told else "no option", text)
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    print(found_tables())


if __name__ == "__main__":
    main()
