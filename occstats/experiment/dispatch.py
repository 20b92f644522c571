"""Execute shards in this process, in a local worker pool, or on a Dask cluster."""

import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from occstats.errors import DataError, EngineError
from occstats.experiment.isolation import ENVIRONMENT, limit_memory, silence
from occstats.experiment.plan import Shard, is_third_party

# Dask workers may still be starting when a run begins, and may return after they were lost.
SECONDS_FOR_WORKERS = 20.0
SECONDS_BETWEEN_CHECKS = 5.0
SECONDS_TO_CONNECT = 20.0
# Files written on another machine may take a while to appear on this one.
SECONDS_FOR_FILES = 20.0
# Give up on a fit that kills even the worker that isolates it.
MOST_DEATHS = 4
# Gigabytes that a worker needs to import everything and read a small dataset.
LEAST_MEMORY = 0.5

Work = Callable[[Shard, bool], None]


def execute(
    shards: Sequence[Shard],
    work: Work,
    *,
    is_visible: Callable[[Shard], bool],
    jobs: int = 1,
    scheduler: str | None = None,
    memory: float | None = None,
    kernels: Sequence[str] = (),
) -> Iterator[Shard]:
    """Compute all shards, largest first; yield each when it is done.

    `work` is a picklable function of a shard and a flag that isolates its fits; it writes a file,
    for which `is_visible` looks on this machine. Without a scheduler, `jobs` local workers with a
    limit of `memory` bytes first compile the `kernels`, each once. With one job, our own
    descriptors run in this process; third-party estimators never do.
    """
    if scheduler is not None:
        yield from _on_scheduler(shards, work, scheduler, is_visible)
    elif jobs == 1 and memory is None:
        for shard in shards:
            work(shard, is_third_party(shard))
            yield shard
    else:
        yield from _in_pool(shards, work, jobs, memory or machine_memory(), kernels)


def machine_memory() -> float | None:
    """Return the bytes of memory of this machine or container; None where unknown."""
    limits = []
    with suppress(AttributeError, ValueError, OSError):
        limits.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    with suppress(OSError, ValueError):  # no container, or no limit
        limits.append(float(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(limits, default=None)


def _in_pool(
    shards: Sequence[Shard], work: Work, jobs: int, memory: float | None, kernels: Sequence[str]
) -> Iterator[Shard]:
    waiting = list(reversed(shards))
    running: dict[Future[None], Shard] = {}
    # A shard whose worker died is computed again with each fit in its own process, so that the
    # fit that kills its process is identified and recorded.
    deaths: Counter[str] = Counter()
    pool: Any = None
    try:
        while waiting or running:
            try:
                # The death of a worker ends all of them, so such a shard is computed alone.
                while waiting and len(running) < jobs:
                    shard = waiting[-1]
                    if running and any(deaths[s.id] for s in (shard, *running.values())):
                        break
                    if deaths[shard.id] > MOST_DEATHS:
                        raise _deadly(shard)
                    if pool is None:
                        pool = _start_pool(jobs, memory)
                        _compile(pool, kernels)
                        kernels = ()
                    isolate = is_third_party(shard) or deaths[shard.id] > 0
                    running[pool.submit(work, shard, isolate)] = waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    try:
                        future.result()
                    except (MemoryError, ImportError) as error:  # outside the contained fits
                        limit = (memory or 0) / 1e9
                        if isinstance(error, ImportError) and limit >= LEAST_MEMORY:
                            raise
                        raise EngineError(
                            f"{limit:g} GB of memory are not enough for a worker; try "
                            f"memory={max(LEAST_MEMORY, 2 * limit):g}"
                        ) from error
                    yield running.pop(future)
            except BrokenProcessPool:
                pool.shutdown(kill_workers=True)
                pool = None
                for future, shard in running.items():
                    if future.exception() is None:
                        yield shard
                    else:
                        deaths[shard.id] += 1
                        waiting.insert(0, shard)  # after all others
                running.clear()
    finally:
        if pool is not None:
            pool.shutdown(kill_workers=bool(running))


def _deadly(shard: Shard) -> EngineError:
    return EngineError(
        "several workers were killed while computing "
        f"{', '.join(dict.fromkeys(key[2] for key in shard.keys))} on "
        f"{shard.dataset}; finished results are safe: exclude these descriptors"
    )


def _start_pool(jobs: int, memory: float | None) -> Any:
    from loky import ProcessPoolExecutor

    # A worker that loky replaces because its memory has grown.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
    initial = (os.getpid(), memory)
    pool = ProcessPoolExecutor(
        jobs, initializer=_initialise_worker, initargs=initial, env=ENVIRONMENT
    )
    in_main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main_thread else None
    safe_path = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        # Started now, with all their helpers: without the current folder, and deaf to Ctrl-C.
        pool.submit(os.getpid).result()
    except (BrokenProcessPool, OSError) as error:
        imported = [sys.executable, "-P", "-c", "import occstats.experiment.worker"]
        said = subprocess.run(imported, capture_output=True, text=True, check=False).stderr
        cause = said.strip().splitlines()[-1] if said.strip() else " ".join(str(error).split())
        raise EngineError(f"worker processes cannot be started: {cause[:500]}") from error
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, handler)
        os.environ.pop("PYTHONSAFEPATH")
        if safe_path is not None:
            os.environ["PYTHONSAFEPATH"] = safe_path
    return pool


def _compile(pool: Any, kernels: Sequence[str]) -> None:
    """Compile kernels in the workers; one that cannot be compiled fails again in its fits."""
    from occstats_descriptors.warm_up import load

    for future in [pool.submit(load, group) for group in kernels]:
        if isinstance(error := future.exception(), BrokenProcessPool):
            raise EngineError("a worker was killed while compiling; free some memory") from error


def _initialise_worker(parent: int, memory: float | None) -> None:
    """End with the parent, even if that is killed; limit memory and discard output."""
    try:
        set_death_signal = 1  # PR_SET_PDEATHSIG of Linux works while compiled code runs
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    except (OSError, AttributeError, TypeError):

        def watch() -> None:
            while os.getppid() == parent:
                time.sleep(0.5)
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)
    silence()
    limit_memory(memory)


def _on_scheduler(
    shards: Sequence[Shard], work: Work, address: str, is_visible: Callable[[Shard], bool]
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
            return client.submit(work, shard, isolate, key=key, priority=shard.cost, pure=False)

        # A third-party fit that kills its process must not kill the worker of a machine.
        pending = {submit(shard, is_third_party(shard)): shard for shard in shards}
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
                    if is_third_party(shard) or shard.id in isolated:
                        raise _deadly(shard) from None
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
