"""Measure the paper's figure of run times, on generated rows of the shape of higgs.

    python benchmarks/run_times.py

Writes ``benchmarks/reproduction/run_times.csv`` (CPU seconds, the median of five samples) and
``images/run_times.png``. "NND, l neighbours" is NND with as many neighbours as ALP searches for.
"""

from pathlib import Path

from occstats.experiment.estimators import Recipe
from occstats.experiment.timing import measure_times
from occstats.figures import save, times
from occstats_descriptors.registry import DESCRIPTORS
from occstats_descriptors.sizes import log_multiple

ROOT = Path(__file__).parents[1]
SIZES = [64, 256, 1024, 4096, 16384]


def main() -> None:
    """Measure, record and draw."""
    many = Recipe("NND, l neighbours", "NND", {"k": log_multiple(6.0)})
    table = measure_times(descriptors=[*DESCRIPTORS, many], sizes=SIZES)
    nine = table[table["descriptor"].isin(DESCRIPTORS)]
    save(times(nine), ROOT / "images" / "run_times", formats=("png",), title="Run times")
    seconds = table.assign(query_seconds=table["query_seconds"] / table["n_queries"])
    median = seconds.groupby(["descriptor", "n"], sort=False)[["fit_seconds", "query_seconds"]]
    file = ROOT / "benchmarks" / "reproduction" / "run_times.csv"
    median.median().reset_index().to_csv(file, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()
