"""Read published tables with the options that each needs, and write what was read as a page.

The tables lie in the folder named by ``OCCSTATS_REALWORLD``; run

    python benchmarks/published_tables.py > docs/benchmarks/published_tables.md
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from occstats.errors import ResultsError
from occstats.results import load_results

# Files; options; algorithms, tasks, datasets and direction of the right reading (None: refused).
TABLES: list[tuple[str, dict[str, Any], tuple[int, int, int, str] | None]] = [
    ("cd_diagram_example.csv", {}, (5, 15, 15, "higher")),
    ("tsml_HC2_accuracy.csv tsml_QUANT_accuracy.csv", {}, (2, 142, 142, "higher")),
    ("pyod_adbench_aucroc_unsup.csv", {}, (14, 57, 57, "higher")),
    ("amlb_1h_all_results.csv", {}, (7, 35, 35, "higher")),
    (
        "critdd_2d_example.csv",
        {"lower_is_better": True, "where": "diagram=diagram1"},
        (5, 17, 17, "lower"),
    ),
    ("srbench_blackbox.csv", {"score": "r2_test"}, (21, 122, 122, "higher")),
    ("dl4tsc_results-uea.csv", {"score": "accuracy", "repeat": "iteration"}, (9, 85, 85, "higher")),
    (
        "chronos-t5-small-zero-shot.csv seasonal-naive-zero-shot.csv",
        {"score": "MASE"},
        (2, 27, 27, "lower"),
    ),
    ("bars_ctr_criteo_x1.csv", {"score": "AUC", "dataset": "@file"}, (35, 1, 1, "higher")),
    ("livebench_2024.csv", {"lower_is_better": False}, (73, 17, 17, "higher")),
    ("pyod_bond_ap.csv", {"lower_is_better": False}, (14, 9, 9, "higher")),
    (
        "asr_en_shortform.csv",
        {"ignore": ["License", "Avg. WER", "Model size (B)", "RTFx"]},
        (87, 8, 8, "lower"),
    ),
    (
        "openproblems_denoising.json",
        {"score": "mean_score", "lower_is_better": False},
        (13, 3, 3, "higher"),
    ),
    ("smtcomp2014_QF_BV.csv", {}, None),
    ("scib_metrics.csv", {}, None),
    ("srbench_pareto.csv", {}, None),
    ("pyod_roc.csv", {"lower_is_better": False}, None),
    ("pyod_time_df.csv", {"lower_is_better": True}, None),
    ("vectara_hallucination.md", {"lower_is_better": True}, None),
    ("tsbuad_AUC_ROC.csv", {}, None),
    ("mteb_en_classification.jsonl", {"lower_is_better": False}, None),
    ("openclip_results.csv", {"lower_is_better": False}, None),
    ("fuzzbench_bug1.csv", {}, None),
    ("alpaca_claude3.csv", {}, None),
    ("amlb_result_summary.csv", {"lower_is_better": False}, None),
    ("solver_benchmark.csv", {"score": "Runtime (s)", "lower_is_better": True}, None),
    ("qpbenchmark_results.csv", {"score": "runtime"}, None),
    ("clip_benchmark.csv", {"score": "acc1", "lower_is_better": False}, None),
]


def outcome(folder: Path, files: str, options: dict[str, Any]) -> tuple[int, int, int, str] | None:
    """Return what is read, or None if the table is refused."""
    try:
        found = load_results(*(folder / name for name in files.split()), **options)
    except ResultsError:
        return None
    way = "higher" if found.higher_is_better else "lower"
    return len(found.algorithms), found.n_tasks, found.n_clusters, way


def main() -> None:
    """Print the page."""
    folder = Path(os.environ["OCCSTATS_REALWORLD"])
    print("# Published tables\n")
    print("Written by `benchmarks/published_tables.py`. Tables of other studies, as they lie in")
    print("public repositories, with the options that each was read with. A refused table needs")
    print("further options, which the message names.\n")
    print("| table | options | algorithms | tasks | datasets | better |")
    print("| --- | --- | --- | --- | --- | --- |")
    for files, options, _ in TABLES:
        found = outcome(folder, files, options)
        told = shlex.join(f"{name}={value}" for name, value in options.items())
        cells = map(str, found) if found else ("refused", "", "", "")
        print(f"| {files.replace(' ', ', ')} | {told} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
