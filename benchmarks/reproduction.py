"""Repeat the paper's experiment, bundle the results, and write ``reproduction.md``.

    OCCSTATS_DATA=folder python benchmarks/reproduction.py
    OCCSTATS_DATA=folder python benchmarks/reproduction.py --metrics
    python benchmarks/reproduction.py --page

The folder has the paper's datasets (``occstats datasets fetch``); the page names those that are
missing. Results of ``make reproduce`` are reused. With ``--defaults`` the nine descriptors run with
their default parameters, and the results are bundled as ``reproduction_defaults``; with
``--metrics`` NND, LNND and LOF are swept with both metrics. With ``--page`` nothing is run: the
page is written from the bundled tables and the records in ``benchmarks/reproduction``, to which
``seeds.py``, ``ties.py`` and ``run_times.py`` add theirs.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from reproduction_reasons import CHANCE, RANDOM, Reasons
from reproduction_statements import statements_table

import occstats
from occstats._format import decimals
from occstats.datasets import open_source
from occstats.experiment import run_experiment
from occstats.experiment.store import Store
from occstats.experiment.tasks import N_FOLDS
from occstats.figures import save
from occstats.report.published import (
    EQUAL,
    OURS,
    SAME,
    WHOLE,
    comparisons,
    conclusions,
    nearness,
    nearness_table,
    p_value,
    published_table,
    scores_of,
)
from occstats.report.tuning_tables import AXIS_LABELS
from occstats.tuning import Sweep, read_sweep
from occstats.tuning.paper import PINNED, PaperExperiment, paper_recipes, prepare_paper
from occstats.tuning.sweep import prepare_sweep, shards_of

ROOT = Path(__file__).parents[1]
Section = tuple[str, Sequence[str], list[list[Any]]]
RECORDS = ROOT / "benchmarks" / "reproduction"
REPORT = ROOT / "reproduction.md"
PUBLISHED = published_table()
PAPER = scores_of(PUBLISHED)
NAMES = {"reproduction": "reproduction.csv", "defaults": "reproduction_defaults.csv"}
STATEMENTS = "Statements of the paper"
# Titles of tables → files of records.
FILES = {
    STATEMENTS: "statements",
    "Ranks and means": "summary",
    "Corrected one-sided p-values": "p_values",
    "Weighted Kendall's τ": "kendall",
    "Ranks explained by traits: coefficient (p); a lower rank is better": "regression",
    "The five best pairs, by the better of the two scores": "complementary_pairs",
    "Mean rank by the median score of a task (the limits are ours)": "strata",
    "Share of tasks ranked first / last": "rank_frequencies",
}
TWO = "proven: two datasets are missing; the paper's own scores on our tasks give"
SAE = "unknown: SAE trains differently (see below)"
# Beginning of a statement → cause where the published table or our run does not give it.
CAUSES = {
    "246 tasks": "proven: miniboone and sensorless could not be obtained",
    "mean ranks": "likely: two datasets missing; other parameters; EIF's and SAE's seeds",
    "mean AUROC": "likely: two datasets missing, SAE (+0.006)",
    "CVSD": "likely: the CVSD of the two missing datasets is almost 0 (MD 0.0384 · 48/50 = 0.0369)",
    "36 corrected": "see the rows below; SVM > MD is printed as 0.050, from unrounded scores",
    "ALP is better than NND": "likely: two datasets missing (the paper's scores on our tasks: "
    "0.042), near-ties in the parameters",
    "NND is better": "likely: two datasets missing (0.022), EIF's seed (mean rank 5.32 for 5.52)",
    "the five best": "likely: the paper's list leaves out SVM (see below)",
    "an easy task (median AUROC) favours": "unknown: no standard error tried gives every printed "
    "p-value (see below)",
    "SAE is": SAE,
    "a large class": SAE,
    "sparsity does": SAE,
    "dimension does": SAE,
}


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("OCCSTATS_DATA"))
    parser.add_argument("--results", default=str(ROOT / "results" / "paper"))
    parser.add_argument("--defaults", action="store_true")
    parser.add_argument("--metrics", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    if options.page:
        REPORT.write_text("\n".join(page()), encoding="utf-8")
        return
    if options.data is None:
        parser.error("name the folder of datasets with --data or OCCSTATS_DATA")
    if options.defaults:
        out = f"{options.results}-defaults"
        table = run_experiment(options.data, descriptors=list(PAPER), out=out, jobs=options.jobs)
        write_bundle(table, NAMES["defaults"])
        return
    if options.metrics:
        recipes = [recipe for recipe in paper_recipes() if recipe.name in ("NND", "LNND", "LOF")]
        sweep = prepare_sweep(
            options.data, out=f"{options.results}-metrics", descriptors=recipes, seed="pinned:0"
        )
        sweep.run(jobs=options.jobs)
        record_metrics(read_sweep(sweep.folder))
        return
    paper = prepare_paper(options.data, out=options.results)
    table = paper.run(jobs=options.jobs)
    write_bundle(table, NAMES["reproduction"])
    record(paper, table, read_sweep(paper.sweep.folder))
    REPORT.write_text("\n".join(page()), encoding="utf-8")


def write_bundle(table: pd.DataFrame, name: str) -> None:
    """Write the results as a bundled table, for ``occstats compare reproduction``."""
    columns = ["dataset", "class", "descriptor", "fold", "auroc", "average_precision", "status"]
    rounded = table[[*columns, "n", "m", "sparsity"]].round(6)
    rounded.to_csv(ROOT / "occstats" / "data" / name, index=False, lineterminator="\n")


def record(paper: PaperExperiment, table: pd.DataFrame, sweep: Sweep) -> None:
    """Record what needs the sweep: its figure, defaults, choices, minutes, differing tasks."""
    figure = occstats.figures.sweep(sweep.curves, axis_labels=AXIS_LABELS)
    save(figure, ROOT / "images" / "sweep", formats=("png",), title="AUROC over hyperparameters")
    columns = {"score": "auroc", "n_datasets": "datasets"}
    dropped = ["score_default", "at_edge"]
    defaults = sweep.defaults.rename(columns=columns).drop(columns=dropped).round(4)
    defaults.to_csv(RECORDS / "defaults.csv", index=False, lineterminator="\n")
    chosen = [["descriptor", "hyperparameters", "values", "datasets"]]
    for grid in sweep.grids:
        by_value: dict[str, list[str]] = {}
        for dataset, values in sweep.choices[grid.recipe.name].items():
            by_value.setdefault(", ".join(f"{v:g}" for v in values.values()), []).append(dataset)
        axes = ", ".join(axis.name for axis in grid.recipe.axes)
        chosen += [[grid.recipe.name, axes, v, " ".join(sets)] for v, sets in by_value.items()]
    write("chosen", chosen)
    write("minutes", [["part", "descriptor", "estimated", "measured"], *minutes(paper, table)])
    datasets = {source.name: open_source(source) for source in paper.sweep.sources}
    ours = occstats.load_results("reproduction").scores
    reasons = Reasons(ours, PAPER.loc[ours.index], sweep, datasets, read("ties"))
    head = ["descriptor", "dataset", "class", "ours", "paper", "reason", "established"]
    write("tasks", [head, *reasons.rows()])
    grid = next(grid for grid in sweep.grids if grid.recipe.name == "SVM")
    rows = []
    for dataset, surface in zip(grid.datasets, grid.means, strict=True):
        means = grid.smoothed(surface)
        solved = "spline" if dataset in ("shuttle", "skin") else "every point"
        nus, widths = (axis.values for axis in grid.recipe.axes)
        at = [means[nus.index(nu), widths.index(c)] for nu, c in ((0.22, 0.25), (0.23, 0.29))]
        rows.append([dataset, solved, *at])
    write("svm", [["dataset", "solved", "at 0.22, 0.25", "at 0.23, 0.29"], *rows])


def record_metrics(sweep: Sweep) -> None:
    """Record the curves of NND, LNND and LOF with both metrics, and draw them."""
    curves = sweep.curves.assign(value=lambda frame: frame["k"].fillna(frame["a"]))
    wide = curves.pivot(index=["descriptor", "value"], columns="metric", values="score")
    wide.round(6).to_csv(RECORDS / "metrics.csv", lineterminator="\n")
    figure = occstats.figures.sweep(sweep.curves, axis_labels=AXIS_LABELS)
    save(figure, ROOT / "images" / "metrics", formats=("png",), title="AUROC with both metrics")


def minutes(paper: PaperExperiment, table: pd.DataFrame) -> list[list[str]]:
    """Compare the estimated and measured times of the sweep and of the run."""
    folds = ["descriptor", "dataset", "class", "fold"]
    swept = Store(shards_of(paper.sweep.folder)).read([*folds, "seconds"]).drop_duplicates(folds)
    run = table.assign(seconds=table["fit_seconds"] + table["query_seconds"])
    rows = []
    for what, experiment, taken in (("sweep", paper.sweep, swept), ("run", paper.make_run(), run)):
        estimated: dict[str, float] = {}
        for _, _, tasks in experiment.tasks:
            for task in tasks:
                for recipe in experiment.recipes:
                    seconds = N_FOLDS * experiment.seconds(task, recipe)
                    estimated[recipe.name] = estimated.get(recipe.name, 0.0) + seconds
        true = taken.groupby("descriptor")["seconds"].sum()
        rows += [
            [what, name, f"{estimate / 60:.1f}", f"{true.get(name, np.nan) / 60:.1f}"]
            for name, estimate in estimated.items()
        ]
    return rows


def write(name: str, rows: list[list[Any]]) -> None:
    """Write a record; the first row is the header."""
    frame = pd.DataFrame(rows[1:], columns=pd.Index(rows[0]))
    frame.to_csv(RECORDS / f"{name}.csv", index=False, lineterminator="\n")


def read(name: str) -> pd.DataFrame:
    """Read a record."""
    return pd.read_csv(RECORDS / f"{name}.csv", dtype={"class": str, "values": str})


def page() -> list[str]:
    """Return the lines of ``reproduction.md``, and write the tables behind it as CSV."""
    results = occstats.load_results("reproduction")
    compared = comparisons(results, PUBLISHED)
    tables = {STATEMENTS: statements_table(compared), **conclusions(compared)}
    for title, head, rows in (part(compared) for part in (tau, regression, pairs, strata, shares)):
        tables[title] = pd.DataFrame(rows, columns=pd.Index(head))
    table = with_causes(tables[STATEMENTS])
    table = pd.concat([table, recorded_statements(results)], ignore_index=True).fillna("")
    tables[STATEMENTS] = table
    for title, each in tables.items():
        each.to_csv(RECORDS / f"{FILES[title]}.csv", index=False, lineterminator="\n")
    missing = [name for name in dict.fromkeys(PUBLISHED["dataset"])
               if name not in set(results.clusters)]  # fmt: skip
    held = {name: (table[name].str.contains("✓").sum(), table[name].str.contains("[✓✗]").sum())
            for name in (WHOLE, SAME, OURS)}  # fmt: skip
    return [
        "# Reproduction of the paper",
        "",
        "The statements of Lenz, Peralta and Cornelis (2021), checked in two ways. *Published "
        "table*: this package applied to the scores that the paper prints (three decimals). *Own "
        f"run*: the whole experiment repeated on {results.n_clusters} of the "
        f"{PUBLISHED['dataset'].nunique()} datasets ({results.n_tasks} of {len(PUBLISHED)} tasks; "
        f"without {' and '.join(missing)}). Written by `python benchmarks/reproduction.py`; all "
        "numbers are in `benchmarks/reproduction/*.csv`.",
        "",
        *(f"- **{label}: {held[name][0]} of {held[name][1]} statements hold.**"
          for label, name in (("Published table", WHOLE), ("Own run", OURS))),
        f"- On the tasks of our run, the paper's own scores satisfy {held[SAME][0]} of "
        f"{held[SAME][1]} statements: some fail only because two datasets are missing.",
        "- SAE is the only descriptor that we cannot reproduce, not even in distribution.",
        "",
        *markdown_table(
            ["", "statement", "printed", "published table", "own run", "cause of a difference"],
            table[["where", "statement", "printed", WHOLE, OURS, "cause"]].to_numpy().tolist(),
        ),
        "",
        *scores(results),
        *precision(results),
        *metrics(),
        *support_vectors(),
        *autoencoder(results),
        *remaining(),
        *run_times(),
        *records(),
    ]  # fmt: skip


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the lines of a compact table."""
    table = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in table]


def tau(compared: dict[str, Any]) -> Section:
    """Tabulate the weighted Kendall's τ of every pair."""
    frames = [
        # The order of a pair may differ.
        each.kendall.assign(pair=each.kendall[["a", "b"]].apply(sorted, axis=1).map(" – ".join))
        for each in compared.values()
    ]
    rows = keyed(frames, ["pair"], lambda row: decimals(3)(row["tau"]))
    return "Weighted Kendall's τ", ["pair", *compared], rows


def regression(compared: dict[str, Any]) -> Section:
    """Tabulate the coefficients of the regression of ranks."""
    frames = [each.regression.query("term != 'intercept'") for each in compared.values()]
    rows = keyed(
        frames,
        ["algorithm", "term"],
        lambda row: f"{decimals(2)(row['coefficient'])} ({p_value(row['p'])})",
    )
    title = "Ranks explained by traits: coefficient (p); a lower rank is better"
    return title, ["", "trait", *compared], rows


def pairs(compared: dict[str, Any]) -> Section:
    """Tabulate the five best pairs."""
    best = [
        [f"{a} + {b}" for a, b in each.complementary_pairs.head(5)[["a", "b"]].to_numpy()]
        for each in compared.values()
    ]
    rows = [[place + 1, *names] for place, names in enumerate(zip(*best, strict=True))]
    return "The five best pairs, by the better of the two scores", ["", *compared], rows


def strata(compared: dict[str, Any]) -> Section:
    """Tabulate the mean ranks by stratum."""
    frames = [each.strata for each in compared.values()]
    rows = keyed(frames, ["stratum", "algorithm"], lambda row: f"{row['mean_rank']:.2f}")
    bounds = frames[0].set_index("stratum")[["low", "high"]].drop_duplicates()
    rows = [["{:.2f} – {:.2f}".format(*bounds.loc[stratum]), *others] for stratum, *others in rows]
    title = "Mean rank by the median score of a task (the limits are ours)"
    return title, ["median", "", *compared], rows


def shares(compared: dict[str, Any]) -> Section:
    """Tabulate how often each algorithm is first and last."""
    frames = [
        each.rank_frequencies.groupby("algorithm", sort=False)["frequency"]
        .agg(["first", "last"])
        .reset_index()
        for each in compared.values()
    ]
    rows = keyed(frames, ["algorithm"], lambda row: f"{row['first']:.0%} / {row['last']:.0%}")
    return "Share of tasks ranked first / last", ["", *compared], rows


def keyed(
    frames: list[pd.DataFrame], keys: list[str], write: Callable[[Any], str]
) -> list[list[Any]]:
    """Return one row for each key of the first frame, with the cells of all frames."""
    cells = [
        {tuple(row[key] for key in keys): write(row) for row in frame.to_dict("records")}
        for frame in frames
    ]
    return [[*key, *(found.get(key, "–") for found in cells)] for key in cells[0]]


def with_causes(table: pd.DataFrame) -> pd.DataFrame:
    """Add the cause where a statement does not hold."""

    def cause(row: Any) -> str:
        if "✗" not in row[WHOLE] + row[OURS]:
            return ""
        known = [text for start, text in CAUSES.items() if row["statement"].startswith(start)]
        if not known and "✗" in row[SAME] and "✓" in row[WHOLE]:
            return f"{TWO} {row[SAME].removesuffix(' ✗')}"
        return known[0] if known else "unknown"

    return table.assign(cause=table.apply(cause, axis=1))


def recorded_statements(results: Any) -> pd.DataFrame:
    """Evaluate the statements about the sweep, the defaults, the metrics and the run times."""
    rows = []

    def add(where: str, text: str, printed: str, found: str, holds: bool, cause: str = "") -> None:
        sign = "✓" if holds else "✗"
        rows.append([where, text, printed, "–", "–", f"{found} {sign}", "" if holds else cause])

    near_tie = "likely: a near-tie of the means over datasets, two of which are missing"
    defaults = read("defaults")
    for name, part in defaults.groupby("descriptor", sort=False):
        printed, found = (", ".join(f"{v:g}" for v in part[c]) for c in ("paper", "default"))
        names = ", ".join(part["hyperparameter"])
        cause = "likely: a near-tie (see below)" if name == "SVM" else near_tie
        add("table 3", f"default of {name} ({names})", printed, found, printed == found, cause)
    means = results.scores.groupby(level=0).mean().mean()
    best = defaults.drop_duplicates("descriptor").set_index("descriptor")["auroc"]
    above = [name for name, value in best.items() if means[name] > value]
    add("table 4", "parameters chosen on other datasets score below the optimum", "yes",
        "; ".join(f"{d} {means[d]:.4f} for {best[d]:.4f}" for d in above or ["ALP"]), not above,
        "likely: the optimum is that of the smoothed curve; scores are not smoothed")  # fmt: skip
    for name, part in read("metrics").groupby("descriptor", sort=False):
        gain = part["manhattan"] - part["euclidean"]
        share = (gain > 0).mean()
        add("figure 3", f"{name} is near-uniformly better with the Manhattan metric", "yes",
            f"at {100 * share:.0f} % of the grid, by {gain.mean():.4f}", share > 0.9)  # fmt: skip
    times = read("run_times").set_index(["descriptor", "n"])
    n = sorted(set(times.index.get_level_values("n")))
    query, fit = times["query_seconds"], times["fit_seconds"]
    growth = {d: query[d, n[-1]] / query[d, n[-2]] for d in query.index.unique("descriptor")}
    slow, fast = ["NND", "LNND", "LOF", "ALP", "SVM"], ["MD", "IF", "EIF", "SAE"]
    add("figure 7", "query times of NND, LNND, LOF, ALP and SVM grow, the others' do not", "yes",
        f"× {min(growth[d] for d in slow):.1f}–{max(growth[d] for d in slow):.1f} and "
        f"{min(growth[d] for d in fast):.1f}–{max(growth[d] for d in fast):.1f} for 4 × the rows",
        min(growth[d] for d in slow) > 1.5 > max(growth[d] for d in fast),
        "unknown")  # fmt: skip
    alike = [query[d, n[-1]] for d in ("NND", "LNND", "LOF", "ALP")]
    add("figure 7", "query times of NND, LNND, LOF and ALP are near-identical", "yes",
        f"within a factor of {max(alike) / min(alike):.1f} at n = {n[-1]:,}",
        max(alike) / min(alike) < 1.5,
        "proven: NND searches for one neighbour, ALP for 6 log n (see below)")  # fmt: skip
    others = min(fit[d, n[-1]] for d in ("LNND", "LOF", "ALP"))
    add("figure 7", "NND is constructed faster than LNND, LOF and ALP", "yes",
        f"{fit['NND', n[-1]]:.2g} s for {others:.2g} s", fit["NND", n[-1]] < others)  # fmt: skip
    for name, text in (("SAE", "construction of SAE starts high but stays constant"),
                       ("IF", "construction of IF hardly grows"),
                       ("EIF", "construction of EIF hardly grows")):  # fmt: skip
        ratio = fit[name, n[-1]] / fit[name, n[0]]
        add("figure 7", text, "yes", f"× {ratio:.1f} for {n[-1] // n[0]} × the rows",
            ratio < (n[-1] / n[0]) ** 0.5,
            "likely: each tree permutes all rows to draw its sample, as in scikit-learn",
        )  # fmt: skip
    scores = nearness(occstats.load_results("reproduction_defaults").scores, PAPER)["mean"]
    add("§6", "with defaults, ALP and SVM score above MD, IF, EIF and SAE", "yes",
        f"{min(scores[['ALP', 'SVM']]):.3f} for {max(scores[['MD', 'IF', 'EIF', 'SAE']]):.3f}",
        min(scores[["ALP", "SVM"]]) > max(scores[["MD", "IF", "EIF", "SAE"]]))  # fmt: skip
    columns = ["where", "statement", "printed", WHOLE, SAME, OURS, "cause"]
    return pd.DataFrame(rows, columns=columns)


def scores(results: Any) -> list[str]:
    """Describe how near the scores of single tasks are."""
    equal = (results.scores["MD"] - PAPER.loc[results.scores.index, "MD"]).abs() <= EQUAL
    whole = equal.groupby(level=0).all()
    tasks = read("tasks")
    counts = tasks.groupby("established").size()
    defaults = nearness(occstats.load_results("reproduction_defaults").scores, PAPER)
    return [
        "## Scores of individual tasks",
        "",
        *nearness_table(nearness(results.scores, PAPER)),
        "",
        f"MD has no parameters and agrees with the paper to three decimals in all classes of "
        f"{whole.sum()} datasets; exceptions: {', '.join(whole.index[~whole])}. Settings:",
        "",
        *(f"- {choice}" for choice in PINNED),
        "",
        f"Without {' and '.join(RANDOM)}, {len(tasks)} scores differ in the third decimal "
        f"(`tasks.csv`). The reason is proven for {counts['proven']}, likely for "
        f"{counts['likely']} and unknown for {counts['unknown']}. It is proven if one point of the "
        "grid gives the printed digits of all classes of the dataset, which would happen by chance "
        f"in less than {CHANCE:.0%} of cases, or if the unrounded scores give them. It is likely "
        "if a point of the grid gives the printed digits, possibly by chance, or if the reason "
        "applies to the dataset but has not been verified for the task. "
        f"{(tasks['descriptor'] == 'SVM').sum()} of these scores are SVM's and have a common cause "
        "(see below).",
        "",
        "With default parameters, neighbours ordered by distance and index, and the current "
        "isolation forest (`occstats compare reproduction_defaults`), "
        f"{int(defaults['equal to 3 decimals'].sum())} instead of "
        f"{int(nearness(results.scores, PAPER)['equal to 3 decimals'].sum())} scores are equal to "
        "three decimals. These scores are optimistic, because the defaults were tuned on the same "
        "datasets.",
        "",
    ]


def precision(results: Any) -> list[str]:
    """Describe the ranks by average precision, which the paper does not report."""
    other = occstats.load_results("reproduction", score="average_precision")
    ranks = {
        label: each.scores.rank(axis=1, ascending=False).groupby(level=0).mean().mean()
        for label, each in (("AUROC", results), ("average precision", other))
    }
    names = list(ranks["AUROC"].sort_values().index)
    return [
        "## Average precision",
        "",
        "The paper reports AUROC only. Mean ranks of our run by both measures (`occstats "
        "compare reproduction --score average_precision`):",
        "",
        *markdown_table(
            ["", *names],
            [[label, *(f"{rank[name]:.2f}" for name in names)] for label, rank in ranks.items()],
        ),
        "",
        "Both measures of a bundled table are from the same fits. SAE, EIF and MD have the same "
        "parameters and seeds in both tables. Version 0.4 bundled an earlier run: 49 of 10,485 "
        "AUROCs of `reproduction` (63 of `reproduction_defaults`) "
        "differ from it in the first six decimals, by at most 0.0006. The causes are rounding in "
        "the iterations of SVM and SAE, and one score of MD. Of four scores computed again with "
        "the earlier code, one differs because the code changed, three because the processor did.",
        "",
    ]


def metrics() -> list[str]:
    """Describe the sweep over both metrics."""
    return [
        "## Figure 3: hyperparameters and metrics",
        "",
        "![Mean AUROC over the hyperparameters of the descriptors](images/sweep.png)",
        "",
        "Both metrics (`metrics.csv`):",
        "",
        "![Mean AUROC of NND, LNND and LOF with both metrics](images/metrics.png)",
        "",
    ]


def support_vectors() -> list[str]:
    """Describe the near-tie between SVM's best parameters."""
    table = read("svm")
    gain = table["at 0.22, 0.25"] - table["at 0.23, 0.29"]
    exact = table["solved"] == "every point"
    largest = table.assign(gain=gain)[exact].nlargest(3, "gain")
    least = table.assign(gain=gain)[exact].nsmallest(3, "gain")
    return [
        "## SVM: a near-tie",
        "",
        "The parameters (ν, c′) = (0.22, 0.25) give most of the printed digits and round to the "
        "paper's default (0.20, 0.25). The optimum of our sweep is at (0.23, 0.29), rounded (0.25, "
        "0.30). Solver, kernel, scaling, folds and step agree with the paper's: for 41 of 45 "
        "datasets some point of the grid gives all printed digits. The smoothed mean AUROC at "
        "the two points, computed again and summed over datasets (`svm.csv`):",
        "",
        *markdown_table(
            ["", "datasets", "at (0.22, 0.25)", "at (0.23, 0.29)", "difference"],
            [
                [label, len(part), *(f"{part[c].sum():.4f}" for c in table.columns[2:4]),
                 signed(gain[part.index].sum(), 4)]
                for label, part in (
                    ("solved at every point of the window", table[exact]),
                    ("interpolated between 3 × 4 points (skin)", table[~exact]),
                    ("all", table),
                )
                if len(part)
            ],
        ),
        "",
        f"Largest gains of (0.22, 0.25): {_named(largest)}; of (0.23, 0.29): {_named(least)}. "
        f"{tipping(table, gain)}",
        "",
        "This shift of the optimum accounts for most of the "
        f"{(read('tasks')['descriptor'] == 'SVM').sum()} scores that differ. In an independent, "
        "coarser sweep the optimum was at (0.22, 0.25), and the parameters chosen from it "
        "reproduced 167 of 217 scores to three decimals; ours reproduced 90.",
        "",
    ]  # fmt: skip


def _named(rows: pd.DataFrame) -> str:
    return ", ".join(f"{row.dataset} {signed(row.gain, 4)}" for row in rows.itertuples())


def signed(number: float, digits: int) -> str:
    """Return a number with its sign."""
    return f"{number:+.{digits}f}".replace("-", "−")


def tipping(table: pd.DataFrame, gain: pd.Series) -> str:
    """Say whether shuttle or skin, which the sweep interpolates, decides between the points."""
    parts = {name: gain[table["dataset"] == name].sum() for name in ("shuttle", "skin")}
    total = gain.sum()
    tips = [name for name, part in parts.items() if np.sign(total - part) != np.sign(total)]
    listed = " and ".join(f"{name} {signed(part, 4)}" for name, part in parts.items())
    return (
        f"Of the two datasets that the sweep interpolates ({listed}), "
        f"{' and '.join(tips) + ' decides' if tips else 'neither decides'}. The means of the two "
        f"points over {len(table)} datasets differ by {abs(total) / len(table):.0e}; a gain of "
        f"{signed(-total, 4)} on the two missing datasets together, less than that of single "
        "datasets, would reverse this."
    )


def autoencoder(results: Any) -> list[str]:
    """Describe how SAE differs from the paper."""
    ours = results.scores["SAE"]
    apart = (ours - PAPER.loc[ours.index, "SAE"]).rename("difference")
    n = PUBLISHED.set_index(["dataset", "class"])["n"].loc[ours.index]
    bins = pd.cut(n, [0, 21, 95, 330, 752, np.inf])
    by_size = apart.groupby(bins.to_numpy(), observed=True).agg(["size", "mean"])
    labels = ["up to 21", "22–95", "96–330", "331–752", "above 752"]
    rho = pd.concat([apart, n], axis=1).corr("spearman").iloc[0, 1]
    tried = read("sae")
    shown = tried.sort_values("mean absolute difference").head(6)
    base = tried[tried["setting"] == "recipe as it is"]
    shown = pd.concat([shown, base]).drop_duplicates("setting")
    return [
        "## SAE: not reproduced",
        "",
        "Our scores minus the paper's fall with the size of the class (Spearman correlation "
        f"{signed(rho, 2)}), which no random seed explains. This reverses the statements about "
        "the regression of SAE's rank.",
        "",
        *markdown_table(
            ["rows of the class", *labels],
            [
                ["tasks", *by_size["size"]],
                ["ours − paper", *(signed(value, 3) for value in by_size["mean"])],
            ],
        ),
        "",
        f"{len(tried) - 1} changes of the recipe were tried on 57 tasks of 15 small datasets "
        "(`sae.csv`). The table shows the best of them, which selection makes optimistic, and the "
        "recipe of this package:",
        "",
        *markdown_table(list(shown), shown.to_numpy().tolist()),
        "",
        *SAE_CONCLUSION,
        "",
    ]


SAE_CONCLUSION = [
    "Without biases in the encoder, the score of wisconsin 4 is close to the paper's 0.304, but "
    "our scores are still too high for n ≤ 21. Two latent units contradict the paper's text. "
    "Changes that remove the excess make every score worse. On ten datasets not used for the "
    "selection, biases in the decoder only fit no better than the recipe (mean absolute "
    "difference 0.067 and 0.066, Spearman −0.33 and −0.29). No setting is both closer to "
    "the paper and free of the trend. The cause is unknown, so the recipe follows the paper's "
    "description. EIF, which is also random, agrees in distribution (`seeds.csv`).",
]


def remaining() -> list[str]:
    """Describe the other open differences."""
    tasks = PAPER.drop(columns="SVM")
    names = list(tasks)
    means = {
        f"{a}–{b}": np.maximum(tasks[a], tasks[b]).mean()
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
    first = sorted(means, key=lambda pair: -means[pair])[:5]
    return [
        "## Other open differences",
        "",
        f"- **Five best pairs.** The plain mean over tasks of the larger AUROC gives "
        f"{', '.join(first)} if SVM is left out: the paper's five. With SVM, ALP–SVM takes the "
        "place of NND–IF. With equal weight for each dataset, three of the five remain. The "
        "paper probably left out SVM, or had earlier scores of it.",
        "- **Median AUROC for LOF.** The effect is significant in the paper. Here p is 0.056 with "
        "the standard errors of the preset, 0.051 with HC3 and normal quantiles, 0.047 with "
        "clustered errors without correction, and 0.0007 with classical ones. None of these "
        "gives every printed p-value.",
        "- **CVSD.** Ours is 2–4 % larger (SAE: smaller), likely because the two missing datasets "
        "are large and have a CVSD of almost 0.",
        "- **segment.** MD differs in 5 of 7 classes, probably because the paper's rows are in "
        "another order. These orders do not give its scores: KEEL's, Statlog's, UCI's training "
        "part before and after its test part, and both sorted by class.",
        "- **Ties.** Scores derived from distances are rounded to 12 significant digits before "
        "the AUROC is computed, because distances that tie on integer data differ in their last "
        "bits (`ties.csv`).",
        "- **Sparsity** agrees with the printed two decimals for 200 of 233 tasks.",
        "",
    ]


def run_times() -> list[str]:
    """Describe the run times."""
    times = read("run_times")
    sizes = sorted(set(times["n"]))
    shown = (sizes[0], sizes[2], sizes[-1])
    rows = [
        [name, *(_microseconds(part.set_index("n").loc[n, column])
                 for column in ("fit_seconds", "query_seconds") for n in shown)]
        for name, part in times.groupby("descriptor", sort=False)
    ]  # fmt: skip
    at = times[times["n"] == 1024].set_index("descriptor")["query_seconds"] * 1e6
    return [
        "## Figure 7: run times",
        "",
        "CPU microseconds on one thread, medians of five samples of generated rows with the 28 "
        "attributes of higgs, which is not available here (`benchmarks/run_times.py`); query times "
        "are per instance over 1,024 queries.",
        "",
        "![Construction and query times](images/run_times.png)",
        "",
        *markdown_table(
            ["", *(f"{w}, n = {n:,}" for w in ("construction", "query") for n in shown)], rows
        ),
        "",
        f"At n = 1,024 a query of ALP takes {at['ALP']:.1f} µs and one of NND {at['NND']:.1f}, "
        f"because ALP searches for 42 neighbours and NND for one: NND with 42 takes "
        f"{at['NND, l neighbours']:.1f} µs. In the paper, the search itself probably took most of "
        "the time, whatever the number of neighbours.",
        "",
    ]


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f}" if seconds >= 1e-4 else f"{seconds * 1e6:.3g}"


def records() -> list[str]:
    """List the files behind the page."""
    texts = {
        "statements": "the table above, also on the same tasks",
        "summary, p_values, kendall, regression, complementary_pairs, strata, rank_frequencies": (
            "every conclusion: ours, from the paper's scores (our tasks, all tasks), and printed"
        ),
        "tasks": "every score that differs in the third decimal, with the reason",
        "defaults, chosen, minutes": "the sweep: optima, chosen parameters, CPU time",
        "metrics, svm, sae, run_times, seeds, ties": "the data of the sections above",
    }
    rows = [
        [", ".join(f"`{n}.csv`" for n in names.split(", ")), text] for names, text in texts.items()
    ]
    return [
        "## Records in `benchmarks/reproduction`",
        "",
        *markdown_table(["file", "content"], rows),
        "",
    ]


if __name__ == "__main__":
    main()
