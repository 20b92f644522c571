"""The experiment of the paper: sweep, leave-one-dataset-out parameters, run."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.datasets import open_source
from occstats.datasets.catalogue import catalogue, problems
from occstats.errors import ResultsError
from occstats.experiment.estimators import Recipe, SeedPolicy
from occstats.experiment.run import Data, Experiment, Parameters, find_sources, prepare
from occstats.tuning.grids import PAPER
from occstats.tuning.sweep import SweepExperiment, leave_one_out_parameters, prepare_sweep

# Most rows of a dataset in a fast run.
FAST_ROWS = 250
# Settings of the paper's experiment that differ from the defaults.
PINNED = (
    "five stratified folds, shuffled with seed 0; attributes divided by the interquartile range of "
    "the training targets",
    "the random state 0 for every fit",
    "one number of neighbours for all folds of a task, from the smallest training part less one",
    "hyperparameters of NND, LNND, LOF, SVM and ALP chosen for each dataset on all the others, "
    "on the paper's grids (SVM: ν and c′ from 0.05 to 0.50 in steps of 0.01, window 11; for more "
    "than 36,000 distinct training rows every fifth of these, and a cubic spline between), with "
    "the Manhattan metric",
    "LNND: equally distant neighbours in the order of scikit-learn's KD-tree",
    "IF: rows and trees drawn as scikit-learn 0.22 did",
)


def paper_recipes() -> list[Recipe]:
    """Return the nine descriptors with the settings of the paper's experiment.

    Examples
    --------
    >>> [(recipe.name, recipe.order) for recipe in paper_recipes()][:2]
    [('NND', 'index'), ('LNND', 'kd-tree')]
    """
    from occstats_descriptors.registry import DESCRIPTORS

    parameters = {"IF": {"sampling": "scikit-learn-0.22"}}
    orders = {"LNND": "kd-tree"}
    return [
        Recipe(name, name, parameters.get(name, {}), order=orders.get(name, "index"))
        for name in DESCRIPTORS
    ]


@dataclass(frozen=True, eq=False)
class PaperExperiment:
    """The paper's experiment on some of its datasets.

    Attributes
    ----------
    sweep : SweepExperiment
        The sweep over the hyperparameters.
    out : Path
        The folder that holds the sweep and the results.
    make_run : callable
        Return the run, given the parameters for each dataset.
    """

    sweep: SweepExperiment
    out: Path
    make_run: Callable[..., Experiment]

    @property
    def results(self) -> Path:
        """Return the folder of the results of the run."""
        return self.out / "results"

    def differences(self) -> dict[str, list[str]]:
        """Map each dataset to its known differences from the paper's copy."""
        known = catalogue()
        found = {
            source.name: problems(open_source(source), known[source.name])
            if source.name in known
            else ["is not one of the paper's datasets"]
            for source in self.sweep.sources
        }
        return {name: wrong for name, wrong in found.items() if wrong}

    def estimated_seconds(self) -> float:
        """Estimate the seconds on one core of the remaining sweep and the whole run."""
        return self.sweep.remaining().cost + self.make_run().plan.cost

    def run(self, **how: Any) -> pd.DataFrame:
        """Sweep, choose parameters and run; an interrupted call is resumed by the next.

        Returns
        -------
        DataFrame
            The rows of the run, as of `occstats.run_experiment`.
        """
        self.sweep.run(**how)
        experiment = self.make_run(leave_one_out_parameters(self.sweep.folder))
        experiment.run(**how)
        return experiment.table()


def prepare_paper(
    data: Data,
    *,
    out: str | Path,
    fast: bool = False,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
) -> PaperExperiment:
    """Prepare the paper's experiment without computing anything.

    `data` is the folder of the paper's datasets and `out` that of the sweep and the results; `fast`
    uses only the small datasets, which take minutes. The rest is as in `occstats.run_experiment`.
    """
    place = Path(out).absolute()
    recipes = paper_recipes()
    if fast:
        sources = find_sources(data, place, datasets=datasets, label=label)
        datasets = [s.name for s in sources if len(open_source(s).X) <= FAST_ROWS]
    common: dict[str, Any] = {
        "datasets": datasets, "label": label, "timeout": timeout, "seed": seed
    }  # fmt: skip
    sweep = prepare_sweep(
        data,
        out=place / "sweep",
        descriptors=[recipe for recipe in recipes if recipe.name in PAPER],
        metrics=["manhattan"],
        **common,
    )

    if len(sweep.sources) < 2:
        raise ResultsError("choosing parameters on other datasets needs at least two datasets")

    def make_run(parameters: Parameters | None = None) -> Experiment:
        return prepare(
            data, out=place / "results", descriptors=recipes, parameters=parameters, **common
        )

    return PaperExperiment(sweep, place, make_run)
