"""Execute shards in this process, in local workers, or on a Dask cluster."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from occstats.errors import DataError, EngineError
from occstats.experiment.isolation import IsolationError, Worker
from occstats.experiment.plan import Shard

# Dask workers may still be starting when a run begins, and may return after they were lost.
SECONDS_FOR_WORKERS = 20.0
SECONDS_BETWEEN_CHECKS = 5.0
SECONDS_TO_CONNECT = 20.0
# Files written on another machine may take a while to appear on this one.
SECONDS_FOR_FILES = 20.0

# In the given worker each fit is isolated; without one, fits run in the process of the call.
Work = Callable[[Shard, Worker | None], None]


def execute(
    shards: Sequence[Shard],
    work: Work,
    *,
    is_visible: Callable[[Shard], bool],
    jobs: int = 1,
    scheduler: str | None = None,
    memory: float | None = None,
    kernels: Sequence[str] = (),
) -> Generator[Shard, None, None]:
    """Compute all shards, largest first; yield each when it is done.

    `work` is picklable and writes a file, for which `is_visible` looks on this machine. Without a
    scheduler, `jobs` local workers with a limit of `memory` bytes first compile the `kernels`, each
    once. With one job, our own descriptors run in this process; third-party estimators never do.
    """
    if scheduler is not None:
        yield from _on_scheduler(shards, work, scheduler, is_visible, memory)
    elif jobs == 1 and memory is None:
        for shard in shards:
            work(shard, Worker() if shard.isolated else None)
            yield shard
    else:
        yield from _in_workers(shards, work, jobs, memory or machine_memory(), kernels)


def machine_memory() -> float | None:
    """Return the bytes of memory of this machine or container; None where unknown."""
    limits = []
    with suppress(AttributeError, ValueError, OSError):
        limits.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    with suppress(OSError, ValueError):  # no container, or no limit
        limits.append(float(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(limits, default=None)


def _in_workers(
    shards: Sequence[Shard], work: Work, jobs: int, memory: float | None, kernels: Sequence[str]
) -> Iterator[Shard]:
    """Compute shards in child processes, each kept busy by a thread."""
    from occstats_descriptors.warm_up import load

    workers: list[Worker] = []
    own = threading.local()

    def start() -> None:
        own.worker = Worker(memory=memory)
        workers.append(own.worker)

    def compile_kernel(group: str) -> None:
        """Compile a group of kernels; one that cannot be compiled fails again in its fits."""
        (answer,) = own.worker.answers(load, [(group,)])
        if isinstance(answer, IsolationError):
            raise EngineError("a worker was killed while compiling; free some memory")

    def compute(shard: Shard) -> Shard:
        answer: Any = IsolationError()
        if not shard.isolated:
            (answer,) = own.worker.answers(work, [(shard, None)])
        if isinstance(answer, IsolationError | MemoryError):
            work(shard, own.worker)  # isolating each fit finds the one that kills
        elif isinstance(answer, Exception):
            raise answer
        return shard

    pool = ThreadPoolExecutor(jobs, initializer=start)
    try:
        list(pool.map(compile_kernel, kernels))
        for future in as_completed([pool.submit(compute, shard) for shard in shards]):
            yield future.result()
    finally:
        for worker in workers:
            worker.stopped = True
        pool.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()


def _on_scheduler(
    shards: Sequence[Shard],
    work: Work,
    address: str,
    is_visible: Callable[[Shard], bool],
    memory: float | None,
) -> Iterator[Shard]:
    try:
        import distributed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise EngineError(
            "scheduler needs dask.distributed; install it: pip install 'occstats[distributed]'"
        ) from error
    with _client(address) as client:
        _wait_for_workers(client, address)
        # Machines come and go: give up a shard only after it has killed many of them.
        client.run_on_scheduler(_raise_allowed_failures)

        def submit(shard: Shard, isolate: bool) -> Any:
            key = f"occstats-{shard.id}{'-isolated' * isolate}"
            worker = Worker(memory=memory) if isolate else None  # started where the work is
            return client.submit(work, shard, worker, key=key, priority=shard.cost, pure=False)

        # A third-party fit that kills its process must not kill the worker of a machine.
        pending = {submit(shard, shard.isolated): shard for shard in shards}
        isolated: set[str] = set()  # whose workers died
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
                    if shard.isolated or shard.id in isolated:
                        raise EngineError(
                            "several workers were killed while computing "
                            f"{', '.join(dict.fromkeys(key[2] for key in shard.keys))} on "
                            f"{shard.dataset}; finished results are safe: exclude these descriptors"
                        ) from None
                    isolated.add(shard.id)
                    again = submit(shard, True)
                    pending[again] = shard
                    queue.add(again)
                    continue
                except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
                    raise _lost(address) from error
                except DataError as error:
                    raise EngineError(
                        f"a worker of the scheduler at {address} refuses the work: {error}; "
                        "start workers with the same files and versions"
                    ) from error
                deadline = time.monotonic() + SECONDS_FOR_FILES
                while not is_visible(shard):
                    if time.monotonic() > deadline:
                        raise EngineError(
                            f"a worker of the scheduler at {address} wrote results that are not "
                            "visible here; choose for out a folder that all machines share"
                        )
                    time.sleep(0.2)
                yield shard


def _client(address: str) -> Any:
    from distributed import Client, Security

    # A lost scheduler is reported in one line of ours instead of the client's log.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        # Fail immediately where nothing listens; the client itself retries for long.
        parts = urlsplit(address)
        if not parts.hostname:
            raise ValueError("an address is tcp://host:port")
        if parts.scheme == "tls" and not Security().get_connection_args("client")["ssl_context"]:
            raise ValueError(
                "tls needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …CLIENT__CERT "
                "and …CLIENT__KEY"
            )
        if parts.scheme == "tcp":
            socket.create_connection(
                (parts.hostname, parts.port or 8786), timeout=SECONDS_TO_CONNECT
            ).close()
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"no scheduler answers at {address} ({error}); start one with 'dask scheduler' and "
            "workers with 'dask worker', or leave scheduler out to use this machine"
        ) from error


def _wait_for_workers(client: Any, address: str) -> None:
    from distributed.comm import CommClosedError

    deadline = time.monotonic() + SECONDS_FOR_WORKERS
    try:
        while client.status == "running" and not client.nthreads():
            if time.monotonic() > deadline:
                raise EngineError(
                    f"the scheduler at {address} has no workers; start some with 'dask worker "
                    f"{address}' where the same files are visible, and run the same command again"
                )
            time.sleep(0.5)
    except (OSError, CommClosedError) as error:
        raise _lost(address) from error
    if client.status != "running":
        raise _lost(address)


def _lost(address: str) -> EngineError:
    return EngineError(
        f"lost the scheduler at {address}; finished results are safe: restart it with "
        "'dask scheduler', or leave scheduler out, and run the same command again"
    )


def _raise_allowed_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, 20)
