"""Performance profiles: the share of tasks on which an algorithm is close to the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from occstats.comparison import Comparison
from occstats.figures._base import COLOURED, Plot, score_label
from occstats.figures._labels import clean
from occstats.figures._style import Palette, Width

_POINTS = 101


def profiles(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    palette: Palette | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    r"""Draw for each algorithm the share of tasks within each distance of the best score.

    The profile of an algorithm at :math:`\tau` is :math:`\sum_t w_t [b_t - s_t \le \tau]`, with
    :math:`b_t` the best score of all on task :math:`t`, and every dataset of the same total
    weight. The left end is the share of tasks on which it is best or tied; the sooner a line
    reaches the top, the smaller the losses of the algorithm. Tasks without a score never count.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    algorithms, labels, highlight, palette : optional
        Algorithms to draw, their labels and colours; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    References
    ----------
    Dolan, E. D. & Moré, J. J. (2002). Benchmarking optimization software with performance
    profiles. Mathematical Programming, 91, 201–213.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.profiles()
    """
    with Plot(ax, width, note) as plot:
        names = plot.algorithms(
            comparison, COLOURED, algorithms, "rank", labels, highlight, palette
        )
        scores = comparison.results.scores * (1 if comparison.results.higher_is_better else -1)
        lag = -scores.sub(scores.max(axis=1), axis=0)
        # The worst twentieth of the tasks would stretch the axis over flat lines.
        reach = float(np.nanquantile(lag[names].to_numpy(dtype=float), 0.95)) or 1.0
        at = np.linspace(0, reach, _POINTS)
        weights = np.asarray(comparison.results.weights, dtype=float)
        table = pd.DataFrame(
            {name: profile_shares(lag[name].to_numpy(dtype=float), weights, at) for name in names}
        )
        axes = plot.axes(min(0.64 * plot.inches, 3.0))
        for name in names:
            look = plot.look(name)
            axes.step(at, table[name], where="post", color=look.color, ls=look.linestyle)
        axes.set(xlim=(0, reach), ylim=(0, 1.02))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.grid()
        plot.label_values(axes, f"distance to the best {score_label(comparison)} of the task", 0.8)
        axes.set_ylabel("weighted share of tasks")
        plot.legend(axes, names, markers=False)
        return plot.finish(axes, _alternative_text(table, names, reach))


def profile_shares(
    lag: NDArray[np.float64], weights: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted share of tasks that lag no more than each distance.

    >>> profile_shares(np.array([0.0, 0.1, np.nan]), np.array([0.5, 0.25, 0.25]),
    ...                np.array([0.0, 0.1])).tolist()
    [0.5, 0.75]
    """
    within = np.nan_to_num(lag, nan=np.inf)[:, None] <= at[None] + 1e-12
    return np.asarray(weights @ within / weights.sum(), dtype=float)


def _alternative_text(table: pd.DataFrame, names: list[str], reach: float) -> str:
    first = table[names].iloc[0]
    half = table[names].iloc[len(table) // 2]
    return (
        f"Performance profiles of {len(names)} algorithms. Best or tied on most tasks: "
        f"{clean(first.idxmax())} ({first.max():.0%}). Within {reach / 2:.3g} of the best on most "
        f"tasks: {clean(half.idxmax())} ({half.max():.0%})."
    )
