"""What a worker does with a shard of a sweep."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import pandas as pd

from occstats.experiment.columns import column_types
from occstats.experiment.evaluate import import_descriptors
from occstats.experiment.isolation import CallTimeoutError, ChildProcessDiedError, IsolatedCalls
from occstats.experiment.plan import Shard, configuration
from occstats.experiment.seeds import SeedPolicy
from occstats.experiment.store import Store
from occstats.experiment.tuning.fold import failed_sweep, sweep_fold

__all__ = ["work_on_sweep"]


def work_on_sweep(
    shard: Shard,
    isolate: bool,
    *,
    store: Store,
    seed: SeedPolicy,
    timeout: float | None,
    metadata: Mapping[str, str],
) -> None:
    """Sweep all units of a shard and write it; suspected ones run in a child process."""
    with ExitStack() as cleanup:
        call: Callable[..., list[pd.DataFrame]] = sweep_fold
        if isolate or timeout is not None:
            call = cleanup.enter_context(
                IsolatedCalls(sweep_fold, timeout=timeout, warm_up=import_descriptors)
            )
        frames = [frame for unit in shard.units for frame in _swept(call, shard, unit, seed)]
    store.write(
        shard.id, pd.concat(frames, ignore_index=True).astype(column_types("seconds")), metadata
    )


def _swept(
    call: Callable[..., list[pd.DataFrame]], shard: Shard, unit: Any, seed: SeedPolicy
) -> list[pd.DataFrame]:
    task = unit.task
    fit_seed = seed.seed_of(task.dataset, task.target, unit.fold, unit.recipes[0].name)
    fold = (shard.source, shard.data_fingerprint, task, unit.fold, unit.recipes, fit_seed)
    try:
        frames = call(*fold)
    except (CallTimeoutError, ChildProcessDiedError) as error:
        frames = failed_sweep(*fold, reason=str(error))
    return [
        frame.assign(
            configuration=configuration(shard.data_fingerprint, recipe, task.dataset, str(seed))
        )
        for recipe, frame in zip(unit.recipes, frames, strict=True)
    ]
