"""What the hyperparameter sweep gives beside the paper's, as a section for ``reproduction.md``.

    occstats tune --data folder --out sweep
    python benchmarks/reproduction_tuning.py --sweep sweep --results results/reproduction \
        --out tuning.md --csv leave_one_dataset_out.csv

The results folder (``occstats run``) lends the columns of descriptors without hyperparameters,
and those of SVM on data sets that the sweep of SVM leaves out.
"""

import argparse
import json
from pathlib import Path

import pandas as pd

import occstats
from occstats.report.markdown import table_to_markdown
from occstats.report.sweep import defaults_table
from occstats.text import p_value, percent
from occstats.tuning import Sweep, read_sweep
from occstats.tuning.selection import results_with

TASK = ["dataset", "class"]
COLUMNS = [*TASK, "descriptor", "fold", "auroc", "n", "m", "sparsity", "parameters"]
PAPER = occstats.load_results("lenz2021")
TUNED = ["NND", "LNND", "LOF", "SVM", "ALP"]
EQUAL, NEAR, FAR = 0.0005 + 1e-9, 0.005 + 1e-9, 0.02 + 1e-9
# Equal to three decimals, within 0.005, within 0.02, in an independent reproduction on these data.
EXPECTED = {"NND": (203, 220, 226), "LNND": (163, 205, 224), "LOF": (168, 217, 228),
            "ALP": (151, 222, 228)}  # fmt: skip

ROW_ORDER = "another row order in the paper, so other folds (MD, which has no choices, differs too)"
TIES = "integer attributes: many distances tie, and the order among equals decides"
CHOICE = "other parameters were chosen; {} gives the paper's digits"
UNKNOWN = "no value of the grid gives the paper's digits; not explained"
WHY = """\
Why they differ. The selection is ill-conditioned: around an optimum the means differ in the fourth
or fifth decimal (see "Flat"), so two missing data sets (miniboone, sensorless) or ties on integer
data move the choice, and with it every task whose number of neighbours then rounds to another
integer. LNND has two maxima of nearly the same height, 3.01 and 3.27, 0.0001 apart; which is higher
depends on the order among equidistant neighbours on six integer data sets: with the KD-tree's order
(the authors' library) it is 3.27, as in the paper, and the column then agrees in 160, 200 and 225
tasks; see [tie_order.md](benchmarks/tie_order.md). With a = 3.27 for all data sets our own order
agrees in 159, 197 and 223. LOF with the default 2.5 for all data sets agrees in 167, 212 and
226. NND for shuttle has k = 5 in the paper; ours is 1, and k = 5 gives the paper's digits.

SVM. The paper's table of grids (step 0.1, window 11) contradicts its own optima (0.20 and 0.25), so
the grid here (ν from 0.05 to 0.95, c′ from 0.05 to 1.50 in steps of 0.05, window 3 × 3) is not the
paper's, and neither is the choice; with the paper's defaults the column is nearer than with
the leave-one-dataset-out choice ({svm})."""
# The paper's summary table: cross-validation standard deviation, all 246 tasks.
PAPER_CVSD = {"ALP": 0.0378, "SVM": 0.0404, "NND": 0.0414, "LOF": 0.0417, "MD": 0.0370,
              "IF": 0.0479, "EIF": 0.0504, "LNND": 0.0438, "SAE": 0.0539}  # fmt: skip
REASONS = {"glass": ROW_ORDER, "segment": ROW_ORDER, "letter": ROW_ORDER} | dict.fromkeys(
    ["haberman", "somerville", "transfusion", "wisconsin", "divorce"], TIES
)


def main() -> None:
    """Read the sweep, compare with the paper, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweep", required=True)
    parser.add_argument("--results", action="append", default=[], help="folders of occstats run")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    sweep = read_sweep(options.sweep)
    tuned = sweep.results_by_metric[None]
    others = [pd.concat(pd.read_parquet(f) for f in Path(r).glob("*.parquet"))
              for r in options.results]  # fmt: skip
    table = combined(tuned, pd.concat(others) if others else tuned.head(0))
    if options.csv is not None:
        table.to_csv(options.csv, index=False, lineterminator="\n")
    options.out.write_text("\n".join(section(sweep, tuned, table)) + "\n", encoding="utf-8")


def combined(tuned: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Leave-one-dataset-out results first; what they lack comes from the run with defaults."""
    whole = pd.concat([tuned[COLUMNS], others[COLUMNS]], ignore_index=True)
    return whole.drop_duplicates([*TASK, "descriptor", "fold"]).reset_index(drop=True)


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of descriptors that have every fold of every task."""
    folds = 5 * len(table[TASK].drop_duplicates())
    counts = table.groupby("descriptor").size()
    return table[table["descriptor"].isin(counts.index[counts == folds])]


def section(sweep: Sweep, tuned: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """The section, line by line."""
    ours = tuned.groupby([*TASK, "descriptor"], sort=False)["auroc"].mean().unstack()
    return [
        "## Hyperparameters: the sweep, the defaults, and leave-one-dataset-out",
        "",
        "Written by `benchmarks/reproduction_tuning.py` from `occstats tune` on the data sets.",
        "",
        *table_to_markdown(defaults_table(sweep)).splitlines(),
        "",
        *metrics(sweep),
        *nearness(ours),
        "",
        *chosen(sweep),
        "",
        WHY.replace("{svm}", svm_with_defaults(sweep)),
        "",
        *far_tasks(sweep, ours),
        "",
        *comparison(table, set(ours.columns), swept_datasets(sweep, "SVM")),
    ]


def metrics(sweep: Sweep) -> list[str]:
    """How much better Manhattan is, on the data sets that both metrics were swept on."""
    by_name = {grid.recipe.name: grid for grid in sweep.grids}
    lines = []
    for name in ("NND", "LNND", "LOF", "ALP"):
        manhattan, euclidean = by_name.get(name), by_name.get(f"{name} (euclidean)")
        if manhattan is None or euclidean is None:
            continue
        both = [d for d in manhattan.datasets if d in set(euclidean.datasets)]
        one, two = (
            grid.means[[grid.datasets.index(d) for d in both]].mean(axis=0)
            for grid in (manhattan, euclidean)
        )
        lines.append(
            f"| {name} | {len(both)} | {one.max():.4f} | {two.max():.4f} | "
            f"{percent((one > two).mean())} |"
        )
    if not lines:
        return []
    return [
        "Manhattan against Euclidean, on the data sets swept with both (the paper: Manhattan is "
        "near-uniformly better):",
        "",
        "| descriptor | data sets | best mean AUROC, Manhattan | Euclidean | "
        "share of the grid where Manhattan is better |",
        "| --- | --- | --- | --- | --- |",
        *lines,
        "",
    ]


def nearness(ours: pd.DataFrame) -> list[str]:
    """Per descriptor: how many tasks are how near to the paper's column."""
    paper = PAPER.scores.loc[ours.index]
    lines = [
        "Leave-one-dataset-out columns against the paper's (in brackets what an independent "
        "reproduction on the same data sets reached):",
        "",
        "| descriptor | tasks | equal to 3 decimals | within 0.005 | within 0.02 | largest |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in [name for name in TUNED if name in ours]:
        distance = (ours[name] - paper[name]).abs().dropna()
        counts = [int(distance.le(limit).sum()) for limit in (EQUAL, NEAR, FAR)]
        expected = EXPECTED.get(name)
        cells = [
            f"{count} ({expected[i]})" if expected else str(count) for i, count in enumerate(counts)
        ]
        lines.append(f"| {name} | {len(distance)} | {' | '.join(cells)} | {distance.max():.3f} |")
    return lines


def svm_with_defaults(sweep: Sweep) -> str:
    """How near SVM comes to the paper with the paper's defaults for all data sets."""
    for grid in sweep.grids:
        if grid.recipe.name == "SVM":
            defaults = {name: {"nu": 0.2, "c": 0.25} for name in grid.datasets}
            rows = results_with(sweep.rows, [grid], {"SVM": defaults})
            scores = rows.groupby(TASK)["auroc"].mean()
            distance = (scores - PAPER.scores.loc[scores.index, "SVM"]).abs()
            counts = [str(int(distance.le(limit).sum())) for limit in (EQUAL, NEAR, FAR)]
            return f"{', '.join(counts)} of {len(distance)} tasks"
    return "not swept"


def chosen(sweep: Sweep) -> list[str]:
    """Which parameters were chosen for how many data sets."""
    lines = ["Parameters chosen for the data sets (number of data sets; the rarest named):", ""]
    for grid in sweep.grids:
        name = grid.recipe.name
        if name not in TUNED:
            continue
        by_value: dict[str, list[str]] = {}
        for dataset, values in sweep.choices[name].items():
            by_value.setdefault(", ".join(f"{v:g}" for v in values.values()), []).append(dataset)
        listed = [
            f"{value}: {len(sets) if len(sets) > 3 else ' '.join(sets)}"
            for value, sets in sorted(by_value.items(), key=lambda item: -len(item[1]))
        ]
        lines.append(
            f"- {name} ({', '.join(a.name for a in grid.recipe.axes)}): {'; '.join(listed)}"
        )
    return lines


def far_tasks(sweep: Sweep, ours: pd.DataFrame) -> list[str]:
    """Every task that is off by more than 0.02, with the reason as far as it is known."""
    lines = [
        "Tasks off by more than 0.02:",
        "",
        "| descriptor | data set | class | chosen | ours | paper | reason |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in [name for name in TUNED if name in ours]:
        paper = PAPER.scores.loc[ours.index, name]
        difference = (ours[name] - paper).dropna()
        for key in difference.index[difference.abs() > FAR]:
            values = sweep.choices[name][key[0]].values()
            reason = REASONS.get(key[0])
            if reason is None or (reason == TIES and name == "SVM"):
                reason = giving(sweep.rows, name, key, paper.loc[key])
            lines.append(
                f"| {name} | {key[0]} | {key[1]} | {', '.join(f'{v:g}' for v in values)} | "
                f"{ours.loc[key, name]:.3f} | {paper.loc[key]:.3f} | {reason} |"
            )
    return lines


def giving(rows: pd.DataFrame, name: str, key: tuple[str, str], wanted: float) -> str:
    """The parameters of the grid that give the paper's digits for a task, if any do."""
    mine = rows[
        (rows["descriptor"] == name) & (rows["dataset"] == key[0]) & (rows["class"] == key[1])
    ]
    means = mine.groupby("parameters")["auroc"].mean()
    equal = sorted(means.index[(means - wanted).abs() <= EQUAL])
    if not equal:
        return UNKNOWN
    middle = json.loads(equal[len(equal) // 2])
    shown = ", ".join(f"{parameter} = {value:g}" for parameter, value in middle.items())
    return CHOICE.format(shown + (f" (and {len(equal) - 1} more)" if len(equal) > 1 else ""))


def swept_datasets(sweep: Sweep, name: str) -> list[str]:
    """The data sets that a descriptor was swept on."""
    return next((grid.datasets for grid in sweep.grids if grid.recipe.name == name), [])


def comparison(table: pd.DataFrame, tuned: set[str], svm: list[str]) -> list[str]:
    """The final comparison beside the paper's, both on the tasks that are here."""
    whole = complete(table)
    results = occstats.load_results(whole[[c for c in COLUMNS if c != "parameters"]])
    ours = occstats.compare(results)
    on_same = PAPER.scores.loc[results.scores.index, ours.algorithms]
    long = on_same.rename_axis(columns="descriptor").stack().rename("auroc").reset_index()
    same_tasks = occstats.compare(occstats.load_results(long)).summary.set_index("algorithm")
    published = occstats.compare(PAPER, algorithms=ours.algorithms).summary.set_index("algorithm")
    absent = sorted(set(table["descriptor"]) - set(ours.algorithms))
    lacking = sorted(set(table["dataset"]) - set(svm)) if "SVM" in ours.algorithms else []
    lines = [
        "The final comparison, from our own results: "
        + ", ".join(sorted(tuned & set(ours.algorithms)))
        + " with leave-one-dataset-out parameters, the others as they are"
        + (f"; SVM has the paper's defaults on {', '.join(lacking)}" if lacking else "")
        + f". {results.n_tasks} tasks of {results.n_clusters} data sets, {len(ours.algorithms)} "
        "descriptors"
        + (f" (without {', '.join(absent)}, which lack some fits)" if absent else "")
        + ". The paper's values are computed from its published table, for the same tasks and "
        "descriptors, and for all 246 tasks.",
        "",
        "| descriptor | rank | paper, same tasks | paper | AUROC | paper, same tasks | paper | "
        "CVSD | paper |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in ours.summary.itertuples():
        same, all_tasks = same_tasks.loc[row.algorithm], published.loc[row.algorithm]
        lines.append(
            f"| {row.algorithm} | {row.mean_rank:.2f} | {same.mean_rank:.2f} | "
            f"{all_tasks.mean_rank:.2f} | {row.mean_score:.3f} | {same.mean_score:.3f} | "
            f"{all_tasks.mean_score:.3f} | {row.cvsd:.4f} | {PAPER_CVSD[row.algorithm]:.4f} |"
        )
    return [*lines, "", *p_values(ours, occstats.compare(PAPER, algorithms=ours.algorithms))]


def p_values(ours: occstats.Comparison, paper: occstats.Comparison) -> list[str]:
    """Corrected one-sided p-values, ours over the paper's table."""
    order = ours.algorithms
    mine, published = (each.matrix("p_adjusted_unclipped") for each in (ours, paper))
    lines = [
        "Corrected one-sided p-values (row better than column), ours / from the paper's table "
        "with the same descriptors:",
        "",
        "| | " + " | ".join(order[1:]) + " |",
        "| --- " * len(order) + "|",
    ]
    for place, row in enumerate(order[:-1]):
        cells = [
            f"{p_value(mine.loc[row, column])} / {p_value(published.loc[row, column])}"
            if position > place
            else ""
            for position, column in enumerate(order)
        ][1:]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    main()
