"""Chunks as tasks of Dask. Workers write parts where OUT is, so all of them must reach it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib
import itertools
import logging
import time
from typing import Any

from quantgate._sweep import work
from quantgate._sweep.engines import Engine, Lost, Outcome, Task, run_task
from quantgate._sweep.errors import SweepError

_CONNECT_SECONDS = 10
# Without any worker for so long the sweep ends; clusters of a queue may take a while to begin.
_PATIENCE_SECONDS = 600
_AHEAD = 2


class Dask(Engine):
    """`scheduler` empty: a cluster of `jobs` processes of this machine."""

    def __init__(self, job: work.Job, parts: str, jobs: int, scheduler: str = "") -> None:
        try:
            dask: Any = importlib.import_module("dask")
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise SweepError("--engine dask needs Dask: pip install 'quantgate[dask]'") from None
        self._distributed = distributed
        self._job, self._parts = job, parts
        self._numbers = itertools.count()
        self._tasks: dict[Any, Task] = {}
        self._cluster: Any = None
        # What a lost worker was at is ours to split; its log lines are of no use to anybody.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        dask.config.set({"distributed.scheduler.allowed-failures": 0,
                         "distributed.comm.timeouts.connect": f"{_CONNECT_SECONDS}s"})
        try:
            if not scheduler:
                self._cluster = distributed.LocalCluster(
                    n_workers=jobs, threads_per_worker=1, processes=True,
                    dashboard_address=None, silence_logs=logging.CRITICAL)
            self._client: Any = distributed.Client(self._cluster or scheduler,
                                                   timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, RuntimeError, asyncio.TimeoutError) as error:
            where = scheduler or "a cluster of this machine"
            raise SweepError(f"{where}: no scheduler of Dask answers: "
                             f"{str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__}"
                             ) from error
        self._seen_workers = time.monotonic()
        self.slots = _AHEAD
        self._count_workers()

    def _count_workers(self) -> None:
        threads = sum(self._client.nthreads().values())
        if threads:
            self._seen_workers = time.monotonic()
            self.slots = _AHEAD * threads
        elif time.monotonic() - self._seen_workers > _PATIENCE_SECONDS:
            raise SweepError(f"the scheduler of Dask has had no worker for {_PATIENCE_SECONDS} s")

    def submit(self, task: Task) -> None:
        # A key of its own each time: Dask remembers those that failed.
        key = f"quantgate-{task.start}-{task.stop}-{next(self._numbers)}"
        future = self._client.submit(run_task, self._job, self._parts, task, key=key, pure=False)
        self._tasks[future] = task

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        try:
            done = self._distributed.wait(list(self._tasks), timeout=seconds,
                                          return_when="FIRST_COMPLETED").done
        except (TimeoutError, asyncio.TimeoutError):
            self._count_workers()
            return []
        self._count_workers()
        # One whose worker died with its answer runs again and is pending.
        ended = [future for future in done if future.status != "pending"]
        return [(self._tasks.pop(future), self._outcome(future)) for future in ended]

    def _outcome(self, future: Any) -> Outcome:
        try:
            outcome: Outcome = future.result()
            return outcome
        except self._distributed.scheduler.KilledWorker:
            return Lost("its worker of Dask ended")
        except (asyncio.CancelledError, concurrent.futures.CancelledError):
            return Lost("Dask cancelled it")
        except MemoryError:
            return Lost("no memory is left")
        except Exception as error:
            raise SweepError(str(error) or type(error).__name__) from error

    def close(self) -> None:
        self._tasks.clear()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
