"""Who computes the shards: this process, worker processes, or the workers of a scheduler."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any
from urllib.parse import urlsplit

from occstats.errors import EngineError, OccstatsError
from occstats.experiment.isolation import exit_with_parent
from occstats.experiment.plan import Shard

__all__ = ["compute"]

# A shard whose worker died this often is computed with every fit in a process of its own, so that
# the fit that kills its process is found and recorded.
DEATHS_BEFORE_ISOLATION = 2

Work = Callable[[Shard, bool], None]


def compute(
    shards: Sequence[Shard], work: Work, *, jobs: int = 1, scheduler: str | None = None
) -> Iterator[Shard]:
    """Compute all shards, yielding each when it is done, in any order.

    Parameters
    ----------
    shards : sequence of Shard
        What is to be computed, largest first.
    work : callable
        A picklable function of a shard and of whether to isolate its fits; it writes the result.
    jobs : int
        Worker processes on this machine; 1 computes in this process.
    scheduler : str, optional
        Address of a dask scheduler, whose workers see the same files.
    """
    if scheduler is not None:
        yield from _on_scheduler(shards, work, scheduler)
    elif jobs == 1:
        for shard in shards:
            work(shard, False)
            yield shard
    else:
        yield from _on_this_machine(shards, work, jobs)


def _on_this_machine(shards: Sequence[Shard], work: Work, jobs: int) -> Iterator[Shard]:
    from loky import ProcessPoolExecutor
    from loky.process_executor import BrokenProcessPool

    def start() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=jobs, initializer=exit_with_parent, initargs=(os.getpid(),)
        )

    waiting = list(reversed(shards))
    deaths = dict.fromkeys([shard.id for shard in shards], 0)
    executor = start()
    running: dict[Future[None], Shard] = {}
    try:
        while waiting or running:
            # No more than the workers can hold: what runs when a worker dies is then known.
            while waiting and len(running) < jobs:
                shard = waiting.pop()
                isolate = deaths[shard.id] >= DEATHS_BEFORE_ISOLATION
                running[executor.submit(work, shard, isolate)] = shard
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = False
            for future in finished:
                shard = running.pop(future)
                try:
                    future.result()
                except BrokenProcessPool:
                    broken = True
                    deaths[shard.id] += 1
                    waiting.append(shard)
                else:
                    yield shard
            if broken:
                for future, shard in running.items():
                    if future.exception() is None:  # finished before the pool broke
                        yield shard
                        continue
                    deaths[shard.id] += 1
                    waiting.append(shard)
                running.clear()
                executor.shutdown(wait=False, kill_workers=True)
                executor = start()
    finally:
        executor.shutdown(wait=False, kill_workers=True)


def _on_scheduler(shards: Sequence[Shard], work: Work, address: str) -> Iterator[Shard]:
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise EngineError(
            "--scheduler needs dask.distributed; install it: pip install 'occstats[distributed]'"
        ) from error
    try:
        _reach(address)
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"no scheduler answers at {address} ({error}); start one with 'dask scheduler' and "
            "workers with 'dask worker', or leave --scheduler out to use this machine"
        ) from error
    with client:
        # Machines come and go; a shard is given up only when it has killed many of them.
        client.run_on_scheduler(_raise_allowed_failures)
        futures = {
            client.submit(
                work, shard, False, key=f"occstats-{shard.id}", priority=shard.cost, pure=False
            ): shard
            for shard in shards
        }
        queue = as_completed(list(futures), loop=client.loop)
        for future in queue:
            shard = futures[future]
            try:
                future.result()
            except KilledWorker:
                again = client.submit(
                    work, shard, True, key=f"occstats-{shard.id}-isolated", pure=False
                )
                futures[again] = shard
                queue.add(again)
                continue
            except OccstatsError:
                client.cancel(list(futures))
                raise
            yield shard


def _reach(address: str) -> None:
    """Fail at once where nobody listens; the client itself would try for long."""
    parts = urlsplit(address)
    if parts.scheme == "tcp":
        socket.create_connection((parts.hostname, parts.port or 8786), timeout=10).close()


def _raise_allowed_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, 20)
