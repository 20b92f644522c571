"""The paper's experiment in one: sweep, leave-one-dataset-out parameters, run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import pandas as pd

from occstats.datasets import open_source
from occstats.datasets.catalogue import catalogue, problems
from occstats.errors import ResultsError
from occstats.experiment.estimators import Recipe
from occstats.experiment.experiment import Experiment
from occstats.experiment.run import Asked, Data, prepare
from occstats.tuning.experiment import SweepExperiment, prepare_sweep
from occstats.tuning.grids import PAPER
from occstats.tuning.selection import leave_one_out_parameters

__all__ = ["FAST_ROWS", "PINNED", "PaperExperiment", "paper_recipes", "prepare_paper"]

# The largest data set of a fast run.
FAST_ROWS = 250
# Every choice that the paper's experiment pins, and a descriptor's own defaults do not.
PINNED = (
    "five stratified folds, shuffled with seed 0; attributes divided by the interquartile range of "
    "the training targets",
    "the random state 0 for every fit",
    "one number of neighbours for all folds of a task, from the smallest training part less one",
    "hyperparameters of NND, LNND, LOF, SVM and ALP chosen for each data set on all the others, "
    "on the paper's grids (SVM: ν and c′ from 0.05 to 0.50 in steps of 0.01, window 11; for more "
    "than 36,000 distinct training rows every fifth of these, and a cubic spline between), with "
    "the Manhattan metric",
    "LNND: equally distant neighbours in the order of scikit-learn's KD-tree",
    "IF: rows and trees drawn as scikit-learn 0.22 did",
)


def paper_recipes() -> list[Recipe]:
    """The nine descriptors with the choices of the paper's experiment.

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
    """The paper's experiment on some of its data sets.

    Attributes
    ----------
    sweep : SweepExperiment
        The sweep over the hyperparameters.
    out : Path
        The folder that holds the sweep and the results.
    make_run : callable
        The run, given the parameters for each data set.
    """

    sweep: SweepExperiment
    out: Path
    make_run: Callable[..., Experiment]

    @property
    def results(self) -> Path:
        """Where the results of the run are."""
        return self.out / "results"

    def differences(self) -> dict[str, list[str]]:
        """Data set → in what it differs from the paper's copy, as far as is known."""
        known = catalogue()
        found = {
            source.name: problems(open_source(source), known[source.name])
            if source.name in known
            else ["is none of the paper's data sets"]
            for source in self.sweep.sources
        }
        return {name: wrong for name, wrong in found.items() if wrong}

    def estimated_seconds(self) -> float:
        """Seconds on one core, roughly: of the sweep what is not done yet, and the whole run."""
        return self.sweep.remaining().cost + self.make_run().plan.cost

    def run(self, **how: Any) -> pd.DataFrame:
        """Sweep, choose, run; interrupted at any moment, the next call goes on.

        Returns
        -------
        DataFrame
            The rows of the run, as of `occstats.run_experiment`.
        """
        self.sweep.run(**how)
        if len(self.sweep.sources) < 2:
            raise ResultsError("choosing parameters on the other data sets needs two or more")
        experiment = self.make_run(leave_one_out_parameters(self.sweep.folder))
        experiment.run(**how)
        return experiment.table()


def prepare_paper(
    data: Data,
    *,
    out: str | Path,
    fast: bool = False,
    **asked: Unpack[Asked],
) -> PaperExperiment:
    """Plan the paper's experiment; nothing is computed yet.

    Parameters
    ----------
    data : path
        The folder of the paper's data sets.
    out : path
        A folder for the sweep and the results.
    fast : bool, default False
        Only the small data sets, which take minutes.
    **asked
        Data sets and the like; see `occstats.run_experiment`.
    """
    place = Path(out).absolute()
    recipes = paper_recipes()
    tuned = [recipe for recipe in recipes if recipe.name in PAPER]
    if fast:
        named = prepare(data, out=place, descriptors=["MD"], **asked).sources
        small = [source.name for source in named if len(open_source(source).X) <= FAST_ROWS]
        asked["datasets"] = small
    sweep = prepare_sweep(
        data,
        out=place / "sweep",
        descriptors=tuned,
        metrics=["manhattan"],
        **asked,
    )

    def make_run(parameters: Any = None) -> Experiment:
        return prepare(
            data,
            out=place / "results",
            descriptors=recipes,
            parameters=parameters,
            **asked,
        )

    return PaperExperiment(sweep, place, make_run)
