"""Draw every figure with 2, 3, 9, 20 and 40 algorithms with long names, for inspection.

python benchmarks/contact_sheet.py FOLDER [WIDTH] [COUNT ...]

Writes one PNG per figure and count, and one sheet per figure with all of them. WIDTH is that of a
journal (column, page, ieee ...).
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

import occstats
from occstats.figures import save
from occstats.figures.registry import draw_figures

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
COUNTS = (2, 3, 9, 20, 40)


def long_name(place: int) -> str:
    """Return a long name, a short one, or one that differs in its last letters only."""
    if place % 5 == 0:
        return f"M{place}"
    chosen = [WORDS[(place * step) % len(WORDS)] for step in (1, 3, 5)][: 1 + place % 3]
    return f"{'_'.join(chosen)}_{place:03d}"


def table(count: int) -> pd.DataFrame:
    """Return scores of many algorithms on 24 datasets; one run diverged."""
    generator = np.random.default_rng(count)
    tasks = [(f"dataset {place}", str(task)) for place in range(24) for task in range(3)]
    base = generator.uniform(0.5, 0.95, (len(tasks), 1))
    skill = np.linspace(0, -0.15, count)
    scores = base + skill + generator.normal(0, 0.03, (len(tasks), count))
    scores[5, count // 2] = -3.0
    frame = pd.DataFrame(scores, columns=[long_name(place) for place in range(count)])
    frame.insert(0, "dataset", [task[0] for task in tasks])
    frame.insert(1, "class", [task[1] for task in tasks])
    return frame.assign(n=np.arange(len(tasks)) + 20, m=5 + np.arange(len(tasks)) % 7)


def times(frame: pd.DataFrame) -> pd.DataFrame:
    """Return run times with a different scale for each algorithm."""
    generator = np.random.default_rng(0)
    names = [column for column in frame if column not in ("dataset", "class", "n", "m")]
    seconds = {
        f"time_{one}": 10 ** generator.normal(generator.uniform(-2, 1), 0.2, len(frame))
        for one in names
    }
    return pd.concat([frame[["dataset", "class"]], pd.DataFrame(seconds)], axis=1)


def main(folder: Path, width: str, counts: list[int]) -> None:
    """Draw and save the figures, and put those of one kind side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, list[Path]] = {}
    for count in counts:
        frame = table(count)
        comparison = occstats.compare(frame, lower_is_better=False, n_resamples=200)
        for figure in draw_figures(comparison, times=times(frame), width=width):
            name = figure.entry.name
            if figure.figure is None:
                print(f"{name} {count}: {figure.reason[:80]}")
                continue
            path = folder / f"{name}-{count}.png"
            drawn.setdefault(name, []).extend(save(figure.figure, path, dpi=120))
        print(count, flush=True)
    for figure_name, paths in drawn.items():
        pictures = [Image.open(path).convert("RGB") for path in paths]
        sheet = Image.new(
            "RGB", (sum(p.width + 20 for p in pictures), max(p.height for p in pictures)), "#dddddd"
        )
        left = 0
        for picture in pictures:
            sheet.paste(picture, (left, 0))
            left += picture.width + 20
        sheet.save(folder / f"sheet-{figure_name}.png")


if __name__ == "__main__":
    place, chosen, *numbers = [*sys.argv[1:], "column"] if len(sys.argv) == 2 else sys.argv[1:]
    main(Path(place), chosen, [int(count) for count in numbers] or list(COUNTS))
