"""Measure the effect of rounding scores to 12 digits before the AUROC.

    python benchmarks/ties.py --data folder --results results/paper

Scores derived from distances tie mathematically on integer data but differ in their last bits, so
they are rounded; other scores are not. Each descriptor is fitted with the parameters of the paper's
run, and the AUROC is computed with and without rounding.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd

import occstats
from occstats.datasets import open_source
from occstats.experiment.estimators import fit_and_score, make_estimator
from occstats.experiment.plan import Unit
from occstats.experiment.tasks import N_FOLDS, auroc
from occstats.experiment.worker import fold_data
from occstats.tuning import leave_one_out_parameters
from occstats.tuning.paper import prepare_paper

RECORDED = Path(__file__).with_name("reproduction") / "ties.csv"


def main() -> None:
    """Fit on every task of all but the large datasets, and write both AUROCs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("OCCSTATS_DATA"))
    parser.add_argument("--results", required=True, help="the folder of the paper's run")
    parser.add_argument("--rows", type=int, default=1000, help="size of the largest dataset")
    parser.add_argument("--without", nargs="*", default=["SAE", "LNND"])
    options = parser.parse_args()
    paper = prepare_paper(options.data, out=options.results)
    run = paper.make_run(leave_one_out_parameters(paper.sweep.folder))
    published = occstats.load_results("lenz2021").scores
    found = []
    for source, fingerprint, tasks in run.tasks:
        if len(open_source(source).X) > options.rows:
            continue
        for task in tasks:
            for recipe in run.recipes:
                if recipe.name in options.without:
                    continue
                areas = []
                for fold in range(N_FOLDS):
                    unit = Unit(source, fingerprint, task, fold, (recipe,), run.seed)
                    areas.append(both_ways(unit, recipe))
                rounded, plain = np.nanmean(areas, axis=0)
                found.append(
                    {
                        "dataset": task.dataset,
                        "class": task.target,
                        "descriptor": recipe.name,
                        "rounded": rounded,
                        "unrounded": plain,
                        "paper": published.loc[task.key, recipe.name],
                    }
                )
    table = pd.DataFrame(found)
    table.round(6).to_csv(RECORDED, index=False, lineterminator="\n")
    changed = table[(table["rounded"] - table["unrounded"]).abs() > 0.0005]
    print(changed.to_string())


def both_ways(unit: Unit, recipe: object) -> tuple[float, float]:
    """Return the AUROC of one fold with rounded and with unrounded scores."""
    data = fold_data(unit)
    if data.undefined:
        return np.nan, np.nan
    task = unit.task
    estimator = make_estimator(recipe, unit.seed_of(recipe), dataset=task.dataset, n=task.n)
    scores, *_ = fit_and_score(estimator, data.train, data.test)
    return tuple(auroc(data.is_target, scores, of_distances=each) for each in (True, False))


if __name__ == "__main__":
    main()
