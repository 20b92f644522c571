"""``run_experiment``: what a user asks for, checked, computed and read."""

import contextlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.datasets import select, spool
from occstats.errors import DataError
from occstats.experiment.experiment import Experiment, is_single_file
from occstats.experiment.recipes import Recipe, make_recipes
from occstats.experiment.seeds import SeedPolicy
from occstats.experiment.store import Store

__all__ = ["prepare", "run_experiment", "shards_folder"]

Data = str | Path | Sequence[str | Path] | Mapping[str, pd.DataFrame]


def run_experiment(
    data: Data = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    descriptors: Iterable[str | Recipe] | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    label: str = "class",
    force: str | None = None,
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run data descriptors on the one-class tasks of data sets, with five-fold cross-validation.

    Parameters
    ----------
    data : path, sequence of paths, mapping of name to DataFrame, or "builtin"
        A folder with one file per data set, files, frames in memory, or the data sets that come
        with scikit-learn.
    datasets : iterable of str, optional
        Names or globs of the data sets to use; all by default.
    descriptors : iterable of str, optional
        Names among the nine, or import paths such as ``"pyod.models.ecod:ECOD"``; all nine by
        default.
    out : path, optional
        A folder for the results, or a ``.parquet`` file; a temporary folder by default. What is
        already there is not computed again.
    jobs : int, optional
        Worker processes; as many as there are cores by default.
    scheduler : str, optional
        Address of a dask scheduler whose workers see the same files.
    shard : (int, int), optional
        Compute only the i-th of n shares of the work, for job arrays.
    timeout : float, optional
        Seconds that one fit may take; one that takes longer is a row with status ``timeout``.
    seed : int or "pinned:S", default "pinned:0"
        Seeds derived per fit from an integer, or one for all fits as in the paper.
    label : str, default "class"
        The column with the class labels.
    force : {"failed", "all"}, optional
        Compute rows anew that are already there.
    parameters : mapping, optional
        Descriptor → data set → parameters, such as a sweep's leave-one-dataset-out choices.
    progress : bool, optional
        Show a progress bar; by default where somebody watches.

    Returns
    -------
    DataFrame
        One row per data set, class, descriptor and fold: AUROC, seconds, traits, parameters, seed,
        status (``ok``, ``undefined``, ``failed``, ``timeout``) and the reason.

    Examples
    --------
    >>> table = run_experiment(datasets=["iris"], descriptors=["MD"], jobs=1)
    >>> table.groupby("class")["auroc"].mean().round(3).to_dict()
    {'setosa': 1.0, 'versicolor': 0.99, 'virginica': 0.962}
    """
    with contextlib.ExitStack() as cleanup:
        if out is None:
            out = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="occstats-"))
        experiment = prepare(
            data,
            datasets=datasets,
            descriptors=descriptors,
            out=out,
            timeout=timeout,
            seed=seed,
            label=label,
            parameters=parameters,
        )
        if force is not None:
            if force not in {"failed", "all"}:
                raise DataError(f"force={force!r}: expected 'failed' or 'all'")
            experiment.forget(force)
        experiment.run(jobs=jobs, scheduler=scheduler, part=shard, progress=progress)
        return experiment.finish(out)


def prepare(
    data: Data = "builtin",
    *,
    out: str | Path,
    datasets: Iterable[str] | None = None,
    descriptors: Iterable[str | Recipe] | None = None,
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    label: str = "class",
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> Experiment:
    """Check everything that a user asks for, and plan it; nothing is computed yet."""
    if timeout is not None and not timeout > 0:
        raise DataError(f"timeout={timeout!r}: expected a positive number of seconds")
    folder = shards_folder(out)
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: exists and is no folder; choose another --out")
    if isinstance(data, Mapping):
        sources = spool(data, folder / ".data", label=label)
    else:
        sources = select(data, datasets=datasets, label=label)
    recipes = make_recipes(descriptors, by_dataset=parameters)
    return Experiment(
        tuple(sources), tuple(recipes), Store(folder), SeedPolicy.parse(seed), timeout
    )


def shards_folder(out: str | Path) -> Path:
    """Where the shards of an experiment lie; those of a single file stand beside it."""
    return Path(f"{out}.shards") if is_single_file(out) else Path(out)
