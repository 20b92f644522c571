"""Score against run time, with the Pareto front."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from occstats._format import listing, percent
from occstats.comparison import Comparison
from occstats.comparison.study import clusters_of
from occstats.errors import FigureError
from occstats.figures._base import (
    COLOURED,
    Plot,
    confidence_intervals,
    format_logarithms,
    score_label,
)
from occstats.figures._labels import clean
from occstats.figures._style import Palette, Width, paper
from occstats.figures.registry import read_frame
from occstats.stats.pareto import pareto_front

# More resamples would not change the printed shares.
_RESAMPLES = 2000
# Algorithms at least this often on the front are drawn in any case.
_LIKELY = 0.05
_TIME = re.compile(r"(?:^|_)(?:seconds|time|runtime|duration)$", re.IGNORECASE)


def trade_off(
    comparison: Comparison,
    times: pd.DataFrame | str | Path,
    *,
    algorithms: int | Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    palette: Palette | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the mean score of each algorithm over its run time, and the Pareto front.

    An algorithm is on the front (the line) if no other has at least its score in no more time.
    Whole datasets are resampled for the intervals on both axes and for the probability of being
    on the front, printed after the name. If not all algorithms can be drawn, those likely on the
    front take precedence. Times are geometric means: an algorithm that is twice as slow on half
    of the datasets and twice as fast on the others counts as equally fast. Each dataset has equal
    weight.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    times : DataFrame or path
        Run times of the same algorithms, in one of these forms. One row per task (and fold) and
        algorithm, as `occstats run` writes them, with columns such as ``fit_seconds`` and
        ``query_seconds``, which are added. One row per task, with a column ``time_`` followed by
        the name of each algorithm. Or measurements without datasets, as `occstats time` writes
        them: the largest ``n`` that all have counts, and times have no interval.
    algorithms, labels, highlight, palette : optional
        Algorithms to draw, their labels and colours; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> times = comparison.results.scores.reset_index()[["dataset", "class"]]
    >>> times = times.assign(time_ALP=2.0, time_SVM=0.5, time_LOF=1.0)
    >>> axes = comparison.plot.trade_off(times)
    """
    with Plot(ax, width, note) as plot:
        seconds = task_times(comparison, times)
        options = ("rank", labels, highlight, palette)
        ranked = comparison.algorithms
        named = not isinstance(algorithms, int | None)
        if named:
            ranked = plot.algorithms(comparison, COLOURED, algorithms, *options)
        rivals = [name for name in ranked if name in seconds.columns]
        if len(rivals) < 2:
            raise FigureError(
                f"times must have at least two of the algorithms {listing(ranked)}; found "
                f"{listing([str(name) for name in seconds.columns]) or 'none'}"
            )
        scores = comparison.results.scores.loc[seconds.index, rivals]
        known = (scores.notna() & seconds[rivals].notna()).all(axis=1)
        if not known.any():
            raise FigureError(
                "no task has a score and a time of every algorithm; name those to draw, such as "
                f"algorithms={rivals[:2]}"
            )
        sign = 1.0 if comparison.results.higher_is_better else -1.0
        found = pareto_front(
            sign * scores[known].to_numpy(dtype=float),
            seconds.loc[known, rivals].to_numpy(dtype=float),
            clusters_of(comparison.results).keep(known.to_numpy()),
            confidence=1 - comparison.settings.alpha,
            n_resamples=_RESAMPLES,
            random_state=comparison.settings.random_state,
        )
        names = rivals
        if not named:
            # The front belongs in the figure, including the fast algorithms with a low score.
            likely = np.lexsort((-found.probability, ~found.on_front))
            first = [
                rivals[i] for i in likely if found.on_front[i] or found.probability[i] >= _LIKELY
            ]
            why = "Those likely to be on the front, then the best:"
            preferred = [*first, *(name for name in ranked if name not in first)]
            chosen = plot.algorithms(
                comparison, COLOURED, algorithms, *options, ranked=preferred, why=why
            )
            names = [name for name in rivals if name in chosen]
        axes = plot.axes(min(0.7 * plot.inches, 3.2))
        places = {name: rivals.index(name) for name in names}
        _draw_algorithms(axes, plot, places, found, sign)
        format_logarithms(axes.xaxis)
        axes.set_xlabel("run time (s), geometric mean")
        axes.set_ylabel(f"mean {score_label(comparison)}")
        axes.grid()
        if sign < 0:
            axes.invert_yaxis()
        shares = [percent(float(found.probability[place])) for place in places.values()]
        plot.legend(axes, names, shares, lines=False)
        left_out = len(comparison.results.scores) - int(known.sum())
        missing = [name for name in ranked if name not in rivals]
        plot.note(
            f"{confidence_intervals(comparison)} (percentile cluster bootstrap). After each name: "
            "share of resamples of whole datasets in which it is on the Pareto front (line)."
        )
        if left_out:
            plot.note(f"Excludes {left_out} tasks without a score or a time.")
        if missing:
            plot.note(f"No times for {listing([clean(name) for name in missing])}.")
        return plot.finish(axes, _alternative_text(places, found, sign, score_label(comparison)))


def task_times(comparison: Comparison, times: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Return the seconds of each algorithm (columns) on the compared tasks (rows).

    The forms of `times` are those of `trade_off`.
    """
    frame = times if isinstance(times, pd.DataFrame) else read_frame(times, "times")
    algorithms, index = comparison.algorithms, comparison.results.scores.index
    wide = {f"time_{name}": name for name in algorithms if f"time_{name}" in frame.columns}
    keys = [name for name in ("dataset", "class", "fold", "repeat") if name in frame.columns]
    if wide:
        measured = frame[[*keys, *wide]].rename(columns=wide)
        measured = measured.melt(keys, var_name="algorithm", value_name="seconds")
        return _read(measured).reindex(index)
    columns = [str(name) for name in frame.columns if _TIME.search(str(name))]
    if not columns:
        raise FigureError(
            "times needs a column of seconds (fit_seconds, query_seconds, time …) or columns "
            f"time_{algorithms[0]} …; found {listing(map(str, frame.columns))}"
        )
    total = frame.drop(columns=columns).assign(seconds=frame[columns].sum(axis=1, min_count=1))
    named = next((n for n in ("algorithm", "descriptor", "method", "model") if n in frame), None)
    if "n" not in frame.columns or "dataset" in frame.columns:
        kept = [*keys, *(name for name in ("status", named) if name in frame), "seconds"]
        return _read(total[kept] if named else total).reindex(index)
    if named is None:
        raise FigureError(
            f"times lacks the column descriptor; found {listing(map(str, frame.columns))}"
        )
    table = total.pivot_table(index="n", columns=named, values="seconds", aggfunc="mean").dropna()
    if not len(table):
        raise FigureError("times has no size n at which all algorithms were measured")
    # The largest size counts for every task.
    return pd.DataFrame([table.iloc[-1]] * len(index), index=index)


def _read(frame: pd.DataFrame) -> pd.DataFrame:
    from occstats.results import load_results

    return load_results(frame, score="seconds", lower_is_better=True).scores


def _draw_algorithms(
    axes: Axes, plot: Plot, places: dict[str, int], found: pd.DataFrame, sign: float
) -> None:
    for name, place in places.items():
        look = plot.look(name)
        x, y = found.cost[place], sign * found.score[place]
        across = [found.cost_low[place], found.cost_high[place]]
        along = [sign * found.score_low[place], sign * found.score_high[place]]
        axes.plot(across, [y, y], color=look.color, lw=0.9, alpha=0.75, zorder=2)
        axes.plot([x, x], along, color=look.color, lw=0.9, alpha=0.75, zorder=2)
        axes.plot(
            x, y, look.marker, color=look.color, markersize=6, markeredgecolor=paper(),
            markeredgewidth=0.6, zorder=3,
        )  # fmt: skip
    front = found[found.on_front].sort_values("cost", kind="stable")
    axes.step(
        front.cost,
        sign * front.score,
        where="post",
        color="#8C8C8C",
        lw=0.8,
        zorder=1,
    )


def _alternative_text(places: dict[str, int], found: pd.DataFrame, sign: float, score: str) -> str:
    parts = [
        f"{clean(name)} {sign * found.score[place]:.3f} in {found.cost[place]:.3g} s "
        f"({percent(float(found.probability[place]))} on the front)"
        for name, place in places.items()
    ]
    return f"Mean {score} against geometric mean run time: {', '.join(parts)}."
