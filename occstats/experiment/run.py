"""What a user asks for, checked, computed and read."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, Unpack

import pandas as pd

from occstats.datasets import select, spool
from occstats.errors import DataError
from occstats.experiment.estimators import Recipe, SeedPolicy, make_recipes, plain
from occstats.experiment.experiment import Experiment, is_single_file
from occstats.experiment.store import Store

__all__ = [
    "Asked",
    "Data",
    "Options",
    "checked",
    "folder_or_temporary",
    "prepare",
    "run_experiment",
    "split_options",
]

Data = str | Path | Sequence[str | Path] | Mapping[str, pd.DataFrame]


def run_experiment(
    data: Data = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    descriptors: Iterable[str | Recipe] | None = None,
    out: str | Path | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    force: str | None = None,
    memory: float | None = None,
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
    label : str, default "class"
        The column with the class labels.
    timeout : float, optional
        Seconds that one fit may take; one that takes longer is a row with status ``timeout``.
    seed : int or "pinned:S", default "pinned:0"
        Seeds derived per fit from an integer, or one for all fits as in the paper.
    parameters : mapping, optional
        Descriptor → data set → parameters, such as a sweep's leave-one-dataset-out choices.
    jobs : int, optional
        Worker processes; by default as many as there are cores, fewer for a few seconds of work.
    scheduler : str, optional
        Address of a dask scheduler whose workers see the same files.
    shard : (int, int), optional
        Compute only the i-th of n shares of the work, for job arrays.
    force : {"failed", "all"}, optional
        Compute rows anew that are already there.
    memory : float, optional
        Gigabytes that a worker may use; a fit that needs more fails. By default what there is.
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
    asked: Asked = {"datasets": datasets, "label": label, "timeout": timeout, "seed": seed}
    with folder_or_temporary(out) as place:
        experiment = prepare(
            data, out=place, descriptors=descriptors, parameters=parameters, **asked
        )
        experiment.run(
            jobs=jobs,
            scheduler=scheduler,
            part=shard,
            force=force,
            memory=memory,
            progress=progress,
        )
        return experiment.finish(place)


class Asked(TypedDict, total=False):
    """What a user may say of every experiment; see `run_experiment`."""

    datasets: Iterable[str] | None
    label: str
    timeout: float | None
    seed: str | int | SeedPolicy


class Options(Asked, total=False):
    """What a user may say of how an experiment is computed, too; see `run_experiment`."""

    jobs: int | None
    scheduler: str | None
    shard: tuple[int, int] | None
    force: str | None
    memory: float | None
    progress: bool | None


def split_options(options: Mapping[str, Any]) -> tuple[Asked, dict[str, Any]]:
    """What is asked for, and how it is computed, as `Experiment.run` takes it."""
    how = {**options, "part": options.get("shard")}
    how.pop("shard", None)
    asked: Any = {name: how.pop(name) for name in Asked.__annotations__ if name in how}
    return asked, how


def prepare(
    data: Data = "builtin",
    *,
    out: str | Path,
    descriptors: Iterable[str | Recipe] | None = None,
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    **asked: Unpack[Asked],
) -> Experiment:
    """Check everything that a user asks for, and plan it; nothing is computed yet."""
    # The shards of a single file stand beside it.
    folder = Path(f"{out}.shards") if is_single_file(out) else Path(out)
    recipes = make_recipes(descriptors, by_dataset=parameters)
    return Experiment(tuple(recipes), Store(folder), **checked(data, folder, **asked))


def checked(
    data: Data,
    folder: Path,
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
) -> dict[str, Any]:
    """What a user says of every experiment, as its attributes."""
    policy = SeedPolicy.parse(seed)
    if timeout is not None and not timeout > 0:
        raise DataError(f"timeout={plain(timeout)!r}: expected a positive number of seconds")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: exists and is no folder; choose another --out")
    if isinstance(data, Mapping):  # what exists only in memory is put where workers can read it
        sources = spool(data, folder / ".data", label=label)
    else:
        sources = select(data, datasets=datasets, label=label)
    return {"sources": tuple(sources), "seed": policy, "timeout": timeout}


@contextlib.contextmanager
def folder_or_temporary(out: str | Path | None) -> Iterator[str | Path]:
    """Where results go: the place that was asked for, or one that is gone afterwards."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="occstats-") as temporary:
        yield temporary
