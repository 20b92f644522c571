"""Measure the effect of the order among equidistant neighbours on the optimum of LNND.

    python benchmarks/tie_order.py --data folder

On integer attributes many training rows are equally far from a row, and which of them is the k-th
neighbour is a matter of convention: LNND divides by the distance of that one. The script sweeps
LNND on datasets with such ties under three conventions and prints, for each, the difference of
the smoothed mean AUROC of the dataset between two values of a.
"""

import argparse

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from occstats.datasets import Dataset, open_source, select
from occstats.experiment.tasks import auroc, make_folds, scale_by_interquartile_range, tasks_of
from occstats.tuning import PAPER
from occstats.tuning.optimum import rolling_mean

CONVENTIONS = {
    "index": "distances as computed, then index (ours)",
    "rounded": "distances rounded to 9 decimals, then index",
    "tree": "as scikit-learn's KD-tree happens to return them",
}
AXIS = PAPER["LNND"][0]
Neighbours = tuple[np.ndarray, np.ndarray]


def neighbours(X: np.ndarray, Y: np.ndarray | None, k: int, convention: str) -> Neighbours:
    """Return the k nearest rows of X for each row of Y, or for each other row of X."""
    if convention == "tree":
        search = NearestNeighbors(metric="manhattan", algorithm="kd_tree").fit(X)
        found: Neighbours = search.kneighbors(Y, n_neighbors=k)
        return found
    distances = cdist(X if Y is None else Y, X, "cityblock")
    if Y is None:
        np.fill_diagonal(distances, np.inf)
    keys = distances.round(9) if convention == "rounded" else distances
    order = np.argsort(keys, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


def curve(dataset: Dataset, convention: str) -> np.ndarray:
    """Return the smoothed mean AUROC of a dataset over the grid of a."""
    tasks = []
    for task in tasks_of(dataset):
        is_target = dataset.labels == task.target
        sizes = np.array(AXIS.resolved(task), dtype=int)
        largest = int(sizes.max())
        areas = []
        for fold in make_folds(is_target):
            train, test = scale_by_interquartile_range(dataset.X[fold.train], dataset.X[fold.test])
            local, _ = neighbours(train, None, largest, convention)
            distances, indices = neighbours(train, test, largest, convention)
            with np.errstate(invalid="ignore"):
                scores = [local[indices[:, k], k] / (local[indices[:, k], k] + distances[:, k])
                          for k in range(largest)]  # fmt: skip
            areas.append([auroc(is_target[fold.test], np.nan_to_num(s, nan=0.5)) for s in scores])
        tasks.append(np.mean(areas, axis=0)[sizes - 1])
    return rolling_mean(np.mean(tasks, axis=0), [AXIS.window])


def main() -> None:
    """Sweep and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--datasets", default="divorce,haberman,somerville,transfusion,wisconsin")
    parser.add_argument("--between", default="3.27,3.01")
    options = parser.parse_args()
    first, second = (AXIS.values.index(float(value)) for value in options.between.split(","))
    print(f"| dataset | {' | '.join(CONVENTIONS.values())} |")
    print("| --- " * (len(CONVENTIONS) + 1) + "|")
    for source in select(options.data, datasets=options.datasets.split(",")):
        curves = [curve(open_source(source), convention) for convention in CONVENTIONS]
        cells = [f"{values[first] - values[second]:+.4f}" for values in curves]
        print(f"| {source.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
