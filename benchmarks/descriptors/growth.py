"""Growth with n: seconds to fit 1,000 to 200,000 training rows, and to score 1,024 rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import OURS, QUERIES, best_seconds, make_data
from part_neighbours import ours, peers
from record import FIGURES

from occstats_descriptors import DESCRIPTORS, make

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
DATA = ((3, "clustered"), (10, "gaussian"), (28, "clustered"), (28, "gaussian"))
DESCRIPTOR_DATA = (10, "clustered")
PATIENCE = 60.0  # seconds from which a contender is not run on more rows


def neighbour_curves(sizes: tuple[int, ...]) -> pd.DataFrame:
    found = []
    for m, kind in DATA:
        tired: set[str] = set()
        for n in sizes:
            X, Y = make_data(n, m, kind)
            k = round(6 * np.log(n))
            builders = {OURS: partial(ours, X, k)} | peers(X, k)
            runs = {
                name: partial(build(), Y) for name, build in builders.items() if name not in tired
            }
            for name, seconds in best_seconds(runs, repeats=2).items():
                found.append((f"{m} attributes, {kind}", name, n, seconds))
                if seconds * 3 > PATIENCE / 4:
                    tired.add(name)
    return pd.DataFrame(found, columns=["data", "contender", "n", "seconds"])


def descriptor_curves(sizes: tuple[int, ...]) -> pd.DataFrame:
    m, kind = DESCRIPTOR_DATA
    found = []
    tired: set[str] = set()
    for n in sizes:
        X, Y = make_data(n, m, kind)
        for name in DESCRIPTORS:
            if name in tired:
                continue
            descriptor = make(name)
            if "n_jobs" in descriptor.get_params():
                descriptor.set_params(n_jobs=1)
            steps: dict[str, Callable[[], object]] = {
                "fit": lambda descriptor=descriptor, X=X: descriptor.fit(X),
                f"score {QUERIES:,}": lambda descriptor=descriptor, Y=Y: descriptor.score_samples(
                    Y
                ),
            }
            for step, seconds in best_seconds(steps, repeats=2).items():
                found.append((step, name, n, seconds))
                if seconds > PATIENCE / 4:
                    tired.add(name)
    return pd.DataFrame(found, columns=["data", "contender", "n", "seconds"])


def draw(curves: pd.DataFrame, title: str, path: Path) -> None:
    from matplotlib.figure import Figure

    panels = curves["data"].unique()
    figure = Figure(figsize=(4.2 * len(panels), 4.2), layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axis, panel in zip(axes, panels, strict=True):
        part = curves[curves["data"] == panel]
        for name, curve in part.groupby("contender", sort=False):
            width = 2.4 if name == OURS else 1.2
            axis.loglog(curve["n"], curve["seconds"], marker="o", ms=3, lw=width, label=name)
        axis.set_title(panel)
        axis.set_xlabel("training rows")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("CPU seconds, one thread")
    axes[-1].legend(fontsize="small")
    figure.suptitle(title)
    figure.savefig(path, dpi=150)


def write(folder: Path, sizes: tuple[int, ...] = SIZES) -> None:
    """Measure and draw the curves, and write their numbers."""
    curves = {"growth_neighbours": neighbour_curves, "growth_descriptors": descriptor_curves}
    for name, title in FIGURES.items():
        found = curves[name](sizes)
        found.to_csv(folder / f"{name}.csv", index=False, float_format="%.4g")
        draw(found, title, folder / f"{name}.png")
