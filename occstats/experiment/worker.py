"""What a worker does with a shard: evaluate its units and write the rows."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pandas as pd

from occstats.experiment.estimators import SeedPolicy
from occstats.experiment.evaluate import Fit, import_descriptors
from occstats.experiment.isolation import CallTimeoutError, ChildProcessDiedError, IsolatedCalls
from occstats.experiment.plan import Shard, configuration
from occstats.experiment.store import Store, typed

__all__ = ["work_on_shard"]


def work_on_shard(
    shard: Shard,
    isolate: bool,
    *,
    evaluate: Callable[[Fit], pd.DataFrame],
    failed: Callable[..., pd.DataFrame],
    at_once: bool,
    store: Store,
    seed: SeedPolicy,
    timeout: float | None,
    metadata: Mapping[str, str],
) -> None:
    """Evaluate all units of a shard and write it.

    With a timeout, or where fits are suspected to kill their process, each call runs in a child.
    """
    with ExitStack() as cleanup:
        call: Callable[[Fit], pd.DataFrame] = evaluate
        if isolate or timeout is not None:
            call = cleanup.enter_context(
                IsolatedCalls(evaluate, timeout=timeout, warm_up=import_descriptors)
            )
        frames = []
        for fit in _fits(shard, seed, at_once):
            try:
                rows = call(fit)
            except CallTimeoutError as error:
                rows = failed(fit, status="timeout", reason=str(error))
            except ChildProcessDiedError as error:
                rows = failed(fit, status="failed", reason=str(error))
            frames.append(rows)
    made_with = {
        recipe.name: configuration(shard.data_fingerprint, recipe, unit.task.dataset, str(seed))
        for unit in shard.units
        for recipe in unit.recipes
    }
    # All at once: types given fit by fit would take longer than most fits.
    table = pd.concat(frames, ignore_index=True)
    table = table.assign(configuration=table["descriptor"].map(made_with))
    store.write(shard.id, typed(table), metadata)


def _fits(shard: Shard, seed: SeedPolicy, at_once: bool) -> Iterator[Fit]:
    for unit in shard.units:
        for recipes in [unit.recipes] if at_once else [(recipe,) for recipe in unit.recipes]:
            yield Fit(
                shard.source,
                shard.data_fingerprint,
                unit.task,
                unit.fold,
                recipes,
                unit.recipes,
                seed,
            )
