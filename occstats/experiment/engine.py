"""Who computes the shards: this process, worker processes, or the workers of a scheduler."""

import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from occstats.errors import DataError, EngineError
from occstats.experiment.evaluate import prepare_process
from occstats.experiment.plan import Shard
from occstats.workers import WorkerDiedError, Workers, end_ahead

__all__ = ["compute"]

# Workers of a scheduler may be on their way when a run starts, and come back when they are lost.
SECONDS_FOR_WORKERS = 20.0
SECONDS_BETWEEN_CHECKS = 5.0
# A fit that kills even the worker that isolates it is not tried for ever.
MOST_DEATHS = 4
# Files written on another machine may take a while to be seen on this one.
SECONDS_FOR_FILES = 20.0

Work = Callable[[Shard, bool], None]


def compute(
    shards: Sequence[Shard],
    work: Work,
    *,
    is_there: Callable[[Shard], bool],
    jobs: int = 1,
    scheduler: str | None = None,
    memory: float | None = None,
) -> Iterator[Shard]:
    """Compute all shards, yielding each when it is done, in any order.

    Parameters
    ----------
    shards : sequence of Shard
        What is to be computed, largest first.
    work : callable
        A picklable function of a shard and of whether to isolate its fits; it writes the result.
    is_there : callable
        Whether the file of a shard is seen from here.
    jobs : int
        Worker processes on this machine; 1 computes our own descriptors in this process, and
        anybody else's, which may take their process down, in a worker.
    scheduler : str, optional
        Address of a dask scheduler, whose workers see the same files.
    memory : float, optional
        Bytes that a worker on this machine may use; by default as much as the machine has.
    """
    in_this_process = jobs == 1 and memory is None and not any(map(_is_foreign, shards))
    if scheduler is not None or in_this_process:
        end_ahead()
    if scheduler is not None:
        yield from _on_scheduler(shards, work, scheduler, is_there)
    elif in_this_process:
        for shard in shards:
            work(shard, False)
            yield shard
    else:
        yield from _on_this_machine(shards, work, jobs, memory or machine_memory())


def _is_foreign(shard: Shard) -> bool:
    return any(":" in recipe.origin for unit in shard.units for recipe in unit.recipes)


def machine_memory() -> float | None:
    """The bytes of memory that this machine, or the container it is, has.

    Examples
    --------
    >>> machine_memory() > 2**20
    True
    """
    try:
        limits = [float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))]
    except (AttributeError, ValueError, OSError):
        return None
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limits.append(float(file.read()))
    except (OSError, ValueError):  # no container, or no limit
        pass
    return min(limits)


def _on_this_machine(
    shards: Sequence[Shard], work: Work, jobs: int, memory: float | None
) -> Iterator[Shard]:
    waiting = list(reversed(shards))
    # What ran when a worker died is computed with every fit in a process of its own, so that the
    # fit that kills its process is found and recorded.
    deaths: Counter[str] = Counter()
    prepare = partial(prepare_process, *_kernels_for(shards), work)
    with Workers(jobs, memory=memory, prepare=prepare) as workers:
        while waiting or workers.busy:
            while waiting and workers.busy < jobs:
                shard = waiting.pop()
                if deaths[shard.id] > MOST_DEATHS:
                    raise EngineError(
                        f"{MOST_DEATHS} workers were killed while they computed "
                        f"{', '.join(dict.fromkeys(key[2] for key in shard.rows))} on "
                        f"{shard.source.name}; what was computed is safe: leave these out"
                    )
                workers.submit(shard, work, shard, deaths[shard.id] > 0)
            for shard, error in workers.finished():
                if isinstance(error, WorkerDiedError):
                    deaths[shard.id] += 1
                    waiting.append(shard)
                elif error is not None:
                    raise error
                else:
                    yield shard


def _kernels_for(shards: Sequence[Shard]) -> tuple[list[str], list[tuple[int, int, int]]]:
    """The descriptors of some shards, and the shapes of the tasks."""
    units = [unit for shard in shards for unit in shard.units]
    origins = {recipe.origin for unit in units for recipe in unit.recipes}
    shapes = {(unit.task.n, unit.task.rows, unit.task.m) for unit in units}
    return sorted(origins), sorted(shapes)


def _on_scheduler(
    shards: Sequence[Shard], work: Work, address: str, is_there: Callable[[Shard], bool]
) -> Iterator[Shard]:
    try:
        import distributed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise EngineError(
            "--scheduler needs dask.distributed; install it: pip install 'occstats[distributed]'"
        ) from error
    with _client(address) as client:
        _wait_for_workers(client, address)
        # Machines come and go; a shard is given up only when it has killed many of them.
        client.run_on_scheduler(_raise_allowed_failures)

        def submit(shard: Shard, isolate: bool) -> Any:
            key = f"occstats-{shard.id}{'-isolated' * isolate}"
            return client.submit(work, shard, isolate, key=key, priority=shard.cost, pure=False)

        # A stranger's fit that kills its process must not take a machine's worker with it.
        pending = {submit(shard, _is_foreign(shard)): shard for shard in shards}
        queue = distributed.as_completed(list(pending), loop=client.loop)
        checked = time.monotonic()
        while pending:
            if not queue.has_ready():
                if time.monotonic() - checked > SECONDS_BETWEEN_CHECKS:
                    _wait_for_workers(client, address)
                    checked = time.monotonic()
                time.sleep(0.05)
                continue
            for future in queue.next_batch(block=False):
                shard = pending.pop(future)
                try:
                    future.result()
                except KilledWorker:
                    again = submit(shard, True)
                    pending[again] = shard
                    queue.add(again)
                    continue
                except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
                    raise _lost(address) from error
                except DataError as error:
                    raise EngineError(
                        f"a worker of the scheduler at {address} does not get at the data: "
                        f"{error}; start workers where the same files are seen"
                    ) from error
                _wait_for_file(shard, is_there, address)
                yield shard


def _client(address: str) -> Any:
    from distributed import Client

    # A lost scheduler is said in one line of ours, not in pages of the client's.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        # Fail at once where nobody listens; the client itself would try for long.
        parts = urlsplit(address)
        if parts.scheme == "tcp":
            socket.create_connection((parts.hostname, parts.port or 8786), timeout=10).close()
        return Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"no scheduler answers at {address} ({error}); start one with 'dask scheduler' and "
            "workers with 'dask worker', or leave --scheduler out to use this machine"
        ) from error


def _wait_for_workers(client: Any, address: str) -> None:
    from distributed.comm import CommClosedError

    deadline = time.monotonic() + SECONDS_FOR_WORKERS
    try:
        while not client.nthreads():
            if client.status != "running":
                raise _lost(address)
            if time.monotonic() > deadline:
                raise EngineError(
                    f"the scheduler at {address} has no workers; start some with 'dask worker "
                    f"{address}' where the same files are seen, and run the same command again"
                )
            time.sleep(0.5)
        if client.status != "running":
            raise _lost(address)
    except (OSError, CommClosedError) as error:
        raise _lost(address) from error


def _lost(address: str) -> EngineError:
    return EngineError(
        f"the scheduler at {address} is gone; what was computed is safe: start it again with "
        "'dask scheduler', or leave --scheduler out, and run the same command again"
    )


def _wait_for_file(shard: Shard, is_there: Callable[[Shard], bool], address: str) -> None:
    deadline = time.monotonic() + SECONDS_FOR_FILES
    while not is_there(shard):
        if time.monotonic() > deadline:
            raise EngineError(
                f"a worker of the scheduler at {address} wrote results that are not seen here; "
                "give --out a folder that all machines share"
            )
        time.sleep(0.2)


def _raise_allowed_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, 20)
