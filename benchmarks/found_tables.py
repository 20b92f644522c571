"""Tables found in public repositories after the reading code was finished, and what it did.

The correct readings were written down from the first lines of each file before it was tried, first
without options and then with those that the message asks for; numbers were counted in the files.
The tables are not part of the project.
"""

from __future__ import annotations

__all__ = ["FOUND", "page"]

UCR = "datasets of the UCR archive"
PATTERN = r"--dataset-from '^\d+_([A-Za-z][A-Za-z0-9]*)_.'"
# Repository and file; correct reading; options; outcome.
FOUND: list[tuple[str, str, str, str]] = [
    (
        "patrickzib/dictionary: data/ucr_accuracy-sonic.csv",
        "long: 16 classifiers, 114 datasets, accuracy",
        "",
        "correct at once; 21 cells without a score are named",
    ),
    (
        "angus924/minirocket: results_ucr109_mean.csv with"
        " angus924/hydra: results_ucr112_hydra.csv",
        f"one file per algorithm: 2; 109 and 112 {UCR}; accuracy",
        "",
        "correct at once",
    ),
    (
        "ChangWeiTan/MultiRocket: results/all_resamples_average.csv",
        f"wide: 22 algorithms, 109 {UCR}, accuracy",
        "--higher-is-better",
        "correct",
    ),
    (
        "ChangWeiTan/MultiRocket: results/results_128_resample_0.csv",
        f"wide: 48 variants, 128 {UCR}, accuracy",
        "--higher-is-better",
        "correct",
    ),
    (
        "ChangWeiTan/MultiRocket: results/test_time.csv",
        f"wide: 5 algorithms, 128 {UCR}, seconds",
        "--lower-is-better",
        "correct",
    ),
    (
        "ChangWeiTan/MultiRocket: results/resamples/MULTIROCKET_{10K,50K,100K}_TESTFOLDS.csv",
        f"one file per algorithm: 3; 128 {UCR}; columns are 30 folds; accuracy",
        "--score-name accuracy",
        "refused at first, because of an unnamed index in front of the key; then correct",
    ),
    (
        "angus924/hydra: results/results_ucr112_variants.csv",
        f"wide: 4 algorithms, 112 {UCR}, accuracy",
        "--higher-is-better",
        "correct",
    ),
    (
        "mlgig/mrsqm: results/results.csv",
        f"wide: 5 algorithms, 113 {UCR}, accuracy",
        "--higher-is-better",
        "correct",
    ),
    (
        "mlgig/mrsqm: results/elapsed.csv",
        f"wide: 5 algorithms, 113 {UCR}, seconds",
        "--lower-is-better",
        "correct",
    ),
    (
        "hfawaz/InceptionTime: results-InceptionTime-85.csv",
        f"long: 12 classifiers, 85 {UCR}, accuracy beside precision and recall",
        "--score accuracy",
        "correct",
    ),
    (
        "TheDatumOrg/TSB-AD: uni_mergedTable_VUS-PR.csv",
        "wide: 32 detectors, 350 series (file) in 23 datasets (second part of the name); 7 columns"
        " of properties; VUS-PR, higher",
        f"--algorithms (32 names) --higher-is-better {PATTERN}",
        "the note asked whether `ts_len` is the dataset, which is wrong; now it proposes the"
        " pattern, with which the table is read correctly",
    ),
    (
        "TheDatumOrg/TSB-AD: multi_mergedTable_VUS-PR.csv",
        "wide: 23 detectors, 180 series in 17 datasets; VUS-PR, higher",
        f"--algorithms (23 names) --higher-is-better {PATTERN}",
        "as above",
    ),
    (
        "Minqi824/ADGym: result/AUCROC-SOTA-supervise.csv",
        "wide, index of tuples (dataset, seed, labelled anomalies): 10 algorithms, 31 datasets,"
        " AUROC; seeds are repeats, one number of labels",
        "--dataset 'index 1' --repeat 'index 2' --where 'index 3=5'",
        "correct after two messages",
    ),
    (
        "Minqi824/ADGym: result/AUCPR-SOTA-semi-supervise.csv",
        "as above: 7 algorithms, 31 datasets, AUCPR",
        "--dataset 'index 1' --repeat 'index 2' --where 'index 3=5' --higher-is-better",
        "correct after two messages",
    ),
    (
        "qpsolvers/free_for_all_qpbenchmark: results/qpbenchmark_results.csv",
        "long: 16 solvers, 27 problems, one of the settings, runtime, `found` tells failures",
        "--score runtime --status found --where settings=default",
        "correct after three messages; 144 failed runs are named",
    ),
    (
        "qpsolvers/free_for_all_qpbenchmark: results/free_for_all.md",
        "15 tables of summaries: 16 solvers by 6 measures",
        "--table 6 --algorithm '' --score '[Runtime](#computation-time) (shm)' --dataset @file"
        " --lower-is-better",
        "correct; the measures are never taken for tasks",
    ),
    (
        "open-mmlab/mmpretrain: configs/beit/README.md",
        "2 tables; the second: 2 models, 1 dataset, top-1 accuracy beside top-5",
        "--table 2 --score 'Top-1 (%)' --dataset @file --higher-is-better",
        "the options of the first message led to top-1 and top-5 as two tasks, which is wrong; now"
        " they are measures, and the table is read correctly",
    ),
    (
        "angus924/rocket: results/results_scalability_training_set_size.csv",
        "3 numbers of kernels (k), 13 sizes of the training set, accuracy; no names to go by",
        "--algorithm k --dataset num_training_examples --score accuracy",
        "correct",
    ),
    (
        "angus924/rocket: results/results_ucr.csv",
        "one algorithm: mean, standard deviation and times; nothing to compare",
        "",
        "correctly refused",
    ),
    (
        "angus924/rocket: results/results_ucr_resamples.csv",
        "as above",
        "",
        "correctly refused",
    ),
    (
        "angus924/minirocket: results/accuracy_ucr109_resamples.csv",
        "one algorithm; columns are 30 resamples",
        "",
        "correctly refused: named by numbers, as folds",
    ),
    (
        "hfawaz/InceptionTime: results-inception-128.csv",
        "one classifier, 5 iterations",
        "--score accuracy --repeat iteration",
        "correctly refused: only one algorithm",
    ),
    (
        "paperswithcode/sota-extractor: data/eval_all_report.csv",
        "counts, precision and recall of tasks; no algorithms",
        "",
        "correctly refused",
    ),
    (
        "catboost/benchmarks: quality_benchmarks/README.md",
        "wide: 8 algorithms, 11 datasets, logloss; cells as 0.273 (±0.0004) (+1.20%)",
        "",
        "refused, cannot be read: these cells are not read as numbers",
    ),
    (
        "szilard/benchm-ml: README.md",
        "13 tables; the first: 5 tools, 4 sizes, AUC; a dot repeats the tool above",
        "--table 1 --algorithm Tool --dataset '*n*' --score AUC",
        "refused, cannot be read: a dot is taken for a name, and repeated rows are refused",
    ),
]


def page() -> str:
    """Return the section of the page on published tables."""
    kinds = {
        "read correctly without options": "correct at once",
        "correctly refused": "correctly refused",
        "not readable": "refused, cannot be read",
    }
    numbers = {
        name: sum(row[3].startswith(start) for row in FOUND) for name, start in kinds.items()
    }
    told = len(FOUND) - sum(numbers.values())
    counted = ", ".join(f"{number} {name}" for name, number in numbers.items())
    lines = [
        "",
        "## Tables found afterwards",
        "",
        "Tables from other repositories, found after the code was finished. Roles, score and",
        "direction were written down from the first lines before the first attempt, and numbers",
        "counted in the files; then each table was tried without options, and with the options",
        f"that the error message asks for. Of {len(FOUND)}: {counted},",
        f"{told} read correctly with options. None was silently misread. Two suggestions were",
        "wrong (the dataset of TSB-AD, two measures as tasks), and one table could not be read (an",
        "index in front of the key); both are corrected, as the rows say. The scores of eight",
        "tables were compared with those that pandas reads, and agree.",
        "",
        "| table | correct reading | options | outcome |",
        "| --- | --- | --- | --- |",
    ]
    for table, right, options, outcome in FOUND:
        shown = f"`{options}`" if options else "none"
        lines.append("| " + " | ".join((table, right, shown.replace("|", "\\|"), outcome)) + " |")
    return "\n".join(lines)
