"""What a worker does with a shard: evaluate its units and write the rows."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import pandas as pd

from occstats.experiment.columns import column_types
from occstats.experiment.evaluate import evaluate, failed_row, import_descriptors
from occstats.experiment.isolation import CallTimeoutError, ChildProcessDiedError, IsolatedCalls
from occstats.experiment.plan import Shard, Unit, configuration
from occstats.experiment.recipes import Recipe
from occstats.experiment.seeds import SeedPolicy
from occstats.experiment.store import Store

__all__ = ["work_on_shard"]


def work_on_shard(
    shard: Shard,
    isolate: bool,
    *,
    store: Store,
    seed: SeedPolicy,
    timeout: float | None,
    metadata: Mapping[str, str],
) -> None:
    """Evaluate all units of a shard and write it.

    With a timeout, or where fits are suspected to kill their process, each fit runs in a child.
    """
    with ExitStack() as cleanup:
        call: Callable[..., dict[str, Any]] = evaluate
        if isolate or timeout is not None:
            call = cleanup.enter_context(
                IsolatedCalls(evaluate, timeout=timeout, warm_up=import_descriptors)
            )
        rows = [
            _evaluated(call, shard, unit, recipe, seed)
            for unit in shard.units
            for recipe in unit.recipes
        ]
    store.write(
        shard.id, pd.DataFrame(rows).astype(column_types("fit_seconds", "query_seconds")), metadata
    )


def _evaluated(
    call: Callable[..., dict[str, Any]], shard: Shard, unit: Unit, recipe: Recipe, seed: SeedPolicy
) -> dict[str, Any]:
    task = unit.task
    fit_seed = seed.seed_of(task.dataset, task.target, unit.fold, recipe.name)
    fit = (shard.source, shard.data_fingerprint, task, unit.fold, recipe, fit_seed)
    try:
        row = call(*fit, unit.recipes)
    except CallTimeoutError as error:
        row = failed_row(*fit, status="timeout", reason=str(error))
    except ChildProcessDiedError as error:
        row = failed_row(*fit, status="failed", reason=str(error))
    made_with = configuration(shard.data_fingerprint, recipe, task.dataset, str(seed))
    return row | {"configuration": made_with}
