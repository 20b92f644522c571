"""First screens of comparisons, kept in ``tests/report/screens``.

``python -m tests.report.screens`` writes them again after a deliberate change.
"""

import functools
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd

import occstats
from occstats.cli.options import with_options
from occstats.report.terminal import print_comparison

FOLDER = Path(__file__).parent / "screens"
CASES = Path(__file__).parents[1] / "cases"


def simulated(k, n_datasets=30, n_tasks=4, names="A{:02d}", noise=0.03):
    """Return scores of algorithms whose means lie 0.1 apart altogether, best first."""
    generator = np.random.default_rng(0)
    values = 0.8 + np.linspace(0.05, -0.05, k)
    values = values + generator.normal(0, noise, (n_datasets * n_tasks, k))
    frame = pd.DataFrame(values, columns=[names.format(position) for position in range(k)])
    frame.insert(0, "dataset", [f"d{row // n_tasks}" for row in range(len(frame))])
    frame.insert(1, "task", [f"t{row % n_tasks}" for row in range(len(frame))])
    return frame


# Names from other people's files.
HOSTILE = [
    "</script><script>alert(1)</script>",
    r"\input{/etc/passwd} & 5 % _x_ ^~#",
    "$stray",
    "=1+1",
    "+SUM(A1)",
    " =2",
    "@cmd",
    "../../x",
    "/etc/passwd",
    "x" * 300,
    "red\x1b[31mALP",
    "two\nlines",
    "[bold]markup[/bold] :smile:",
    "近傍法",
    "🦊👩‍🔬",
    "algorithm",
    "dataset",
    "mean_rank",
    "a|b`c`*d*",
    "\u202eright to left",
    "quote\"'s",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "javascript:alert(1)",
]
LONG = "GradientBoosting-ResNet-variant-{:02d}"
HIGHER = {"lower_is_better": False}
SCREENS = {
    "lenz2021": ("lenz2021", {}),
    "two": ("lenz2021", {"algorithms": ["ALP", "SVM"]}),
    "forty": (simulated(40, names=LONG), {"n_resamples": 1000, **HIGHER}),
    "control": (["lenz2021", "mine"], {"control": "MINE", "missing": "complete"}),
    "mean": ("lenz2021", {"estimand": "mean"}),
    "margin": ("lenz2021", {"margin": 0.03}),
    "holm": ("lenz2021", {"correction": "holm"}),
    "paper": ("lenz2021", {"preset": "paper"}),
    "one_task": (simulated(5, n_datasets=20, n_tasks=1).drop(columns="task"), HIGHER),
    "three": ("three.csv", HIGHER),
    "inf2": ("inf2.csv", HIGHER),
    "gate2": ("gate2.csv", HIGHER),
    "lower": (simulated(4).set_index(["dataset", "task"]).rsub(1).reset_index(),
              {"lower_is_better": True, "score_name": "rmse"}),
}  # fmt: skip


@functools.cache
def compared(name):
    """Return the comparison of a screen; files are read in the folder of the cases."""
    source, options = SCREENS[name]
    before = Path.cwd()
    os.chdir(CASES)
    try:
        return occstats.compare(source, **options)
    finally:
        os.chdir(before)


def screen(comparison, width=80, **options):
    """Return what is printed on a terminal of this width."""
    stream = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width)
    try:
        print_comparison(comparison, file=stream, spell=with_options, **options)
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return stream.getvalue()


if __name__ == "__main__":
    for each in SCREENS:
        (FOLDER / f"{each}.txt").write_text(screen(compared(each)), encoding="utf-8")
