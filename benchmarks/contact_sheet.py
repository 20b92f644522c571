"""Draw every figure with 2 to 40 algorithms, short and long names, and put them side by side.

python benchmarks/contact_sheet.py FOLDER [WIDTH ...] [--counts N ...] [--only FIGURE ...]

Writes one sheet per figure, width (column, ieee, page …) and length of the names, to be looked at.
"""

import argparse
import functools
import io
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

import occstats
from occstats.figures.registry import FIGURES, draw_figures

WORDS = (
    "gradient",
    "boosted",
    "kernel",
    "nearest-neighbour",
    "ensemble",
    "LightGBM",
    "tuned",
    "v2",
)
# Pixels of a sheet, and dots per inch of its pictures.
SHEET_WIDTH, DPI = 1900, 100


def long_name(place: int) -> str:
    """Return a long name, a short one, or one that differs in its last letters only."""
    if place % 5 == 0:
        return f"M{place}"
    chosen = [WORDS[(place * step) % len(WORDS)] for step in (1, 3, 5)][: 1 + place % 3]
    return f"{'_'.join(chosen)}_{place:03d}"


def table(names: list[str]) -> pd.DataFrame:
    """Return scores of many algorithms on 24 datasets; one run diverged."""
    count = len(names)
    generator = np.random.default_rng(count)
    tasks = [(f"dataset {place}", str(task)) for place in range(24) for task in range(3)]
    base = generator.uniform(0.5, 0.95, (len(tasks), 1))
    skill = np.linspace(0, -0.15, count)
    scores = base + skill + generator.normal(0, 0.03, (len(tasks), count))
    scores[5, count // 2] = -3.0
    frame = pd.DataFrame(scores, columns=names)
    frame.insert(0, "dataset", [task[0] for task in tasks])
    frame.insert(1, "class", [task[1] for task in tasks])
    return frame.assign(n=np.arange(len(tasks)) + 20, m=5 + np.arange(len(tasks)) % 7)


def run_times(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Return run times with a different scale for each algorithm."""
    generator = np.random.default_rng(0)
    seconds = {
        f"time_{one}": 10 ** generator.normal(generator.uniform(-2, 1), 0.2, len(frame))
        for one in names
    }
    return pd.concat([frame[["dataset", "class"]], pd.DataFrame(seconds)], axis=1)


def measurements(names: list[str]) -> pd.DataFrame:
    """Return construction and query times over four sizes, as `occstats time` writes them."""
    generator = np.random.default_rng(0)
    sizes = np.array([100, 1000, 10_000, 100_000])
    parts = []
    for name in names:
        seconds = 10 ** generator.uniform(-7, -4, 2) * sizes[:, None] ** generator.uniform(0.8, 1.6)
        part = pd.DataFrame(seconds, columns=["fit_seconds", "query_seconds"])
        parts.append(part.assign(descriptor=name, n=sizes))
    return pd.concat(parts, ignore_index=True)


@functools.cache
def study(count: int, length: str) -> tuple[occstats.Comparison, pd.DataFrame, pd.DataFrame]:
    """Return a comparison, run times on its tasks, and run times over sizes."""
    names = [long_name(place) if length == "long" else f"A{place}" for place in range(count)]
    frame = table(names)
    comparison = occstats.compare(frame, lower_is_better=False, n_resamples=200)
    return comparison, run_times(frame, names), measurements(names)


def sheet(pictures: list[Image.Image]) -> Image.Image:
    """Put pictures side by side, in as many rows as they need."""
    places, x, y, bottom = [], 0, 0, 0
    for picture in pictures:
        if x and x + picture.width > SHEET_WIDTH:
            x, y = 0, bottom + 20
        places.append((x, y))
        x, bottom = x + picture.width + 20, max(bottom, y + picture.height)
    whole = Image.new("RGB", (SHEET_WIDTH, bottom), "#dddddd")
    for picture, place in zip(pictures, places, strict=True):
        whole.paste(picture, place)
    return whole


def main() -> None:
    """Draw the figures, and write the sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("widths", nargs="*", default=["column"])
    parser.add_argument("--counts", nargs="+", type=int, default=[2, 3, 9, 20, 40])
    drawable = [name for name, entry in FIGURES.items() if entry.needs and name != "sweep"]
    parser.add_argument("--only", nargs="+", default=drawable)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for length in ("short", "long"):
        for width in given.widths:
            drawn: dict[str, list[Image.Image]] = {}
            for count, name in itertools.product(given.counts, given.only):
                comparison, seconds, measured = study(count, length)
                times = measured if name == "times" else seconds
                (one,) = draw_figures(comparison, times=times, width=width, only=[name])
                (data,) = one.files(["png"], dpi=DPI).values()
                drawn.setdefault(name, []).append(Image.open(io.BytesIO(data)).convert("RGB"))
            for name, pictures in drawn.items():
                sheet(pictures).save(given.folder / f"{name}-{width}-{length}.png")


if __name__ == "__main__":
    main()
