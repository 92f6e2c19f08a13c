"""Who runs chunks: processes of this machine, or Dask. An engine says of each chunk that it was
given what became of it: done, lost with its worker, or failed in a way that ends the sweep."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import functools
import multiprocessing
import multiprocessing.connection
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

from quantgate._sweep import store, work
from quantgate._sweep.errors import SweepError
from quantgate._sweep.inputs import Item

# Chunks that wait at a worker, so that it never waits for its next one.
_AHEAD = 2
# Processes that end before they have begun, one after the other.
_MAX_STILLBORN = 5


@dataclasses.dataclass(frozen=True)
class Task:
    """A chunk: the items [start, start + len(items)). `error`: don't look at them, record this."""

    start: int
    items: Sequence[Item]
    attempt: int = 1
    error: str = ""

    @property
    def stop(self) -> int:
        return self.start + len(self.items)


@dataclasses.dataclass(frozen=True)
class Done:
    seconds: float
    rows: int


@dataclasses.dataclass(frozen=True)
class Lost:
    """The worker ended; `reason` is a phrase: "signal 11 (Segmentation fault)"."""

    reason: str


Outcome = Done | Lost


def run_task(job: work.Job, parts: str, task: Task, threads: int = 1) -> Done:
    """In the worker: checks the chunk and writes its part."""
    import time

    started = time.monotonic()
    if task.error:
        tables = work.error_tables(job, task.items[0], task.error)
    else:
        tables = work.run(job, task.items, threads)
    try:
        store.write_part(store.Folder(parts), task.start, task.stop, tables)
    except OSError as error:
        raise SweepError(f"{parts}: {error.strerror or error}") from error
    return Done(time.monotonic() - started, tables["models"].num_rows)


class Engine(abc.ABC):
    """`slots`: chunks that it takes at once."""

    slots: int

    @abc.abstractmethod
    def submit(self, task: Task) -> None: ...

    @abc.abstractmethod
    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        """What came out since, after at most so long. Raises SweepError where no chunk can work."""

    @abc.abstractmethod
    def close(self) -> None: ...


def serve(pipe: Any, job: work.Job, parts: str, threads: int) -> None:
    """The life of a worker process: it ends with the driver, whose end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        pipe.send("ready")
        while True:
            task = pipe.recv()
            try:
                answer: Any = run_task(job, parts, task, threads)
            except MemoryError:
                os._exit(137)
            except Exception as error:
                answer = SweepError(str(error) or type(error).__name__)
            pipe.send(answer)


Serve = Callable[[Any, work.Job, str, int], None]


class _Worker:
    def __init__(self, serve: Serve, job: work.Job, parts: str, threads: int) -> None:
        # Neither the threads nor the files of this process are inherited.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, job, parts, threads),
                                       daemon=True)
        self.process.start()
        theirs.close()
        self.tasks: list[Task] = []
        self.is_ready = False

    def end(self) -> str:
        """How it ended."""
        self.pipe.close()
        self.process.join(10)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            self.process.join()
            return "it closed its pipe"
        if code >= 0:
            return f"exit status {code}"
        return f"signal {-code} ({signal.strsignal(-code)})"


class Local(Engine):
    """Processes of this machine, each with `threads` threads of the C++ core."""

    def __init__(self, job: work.Job, parts: str, jobs: int, serving: Serve = serve) -> None:
        processes = min(jobs, 8)
        self._make = functools.partial(_Worker, serving, job, parts, -(-jobs // processes))
        self._workers = [self._make() for _ in range(processes)]
        self._stillborn = 0
        self.slots = processes * _AHEAD

    def submit(self, task: Task) -> None:
        self._give(min(self._workers, key=lambda worker: len(worker.tasks)), task)

    def _give(self, worker: _Worker, task: Task) -> None:
        worker.tasks.append(task)
        with contextlib.suppress(OSError):  # it has ended: wait() will see
            worker.pipe.send(task)

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        by_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
        results: list[tuple[Task, Outcome]] = []
        for pipe in multiprocessing.connection.wait(list(by_pipe), seconds):
            worker = by_pipe[pipe]
            try:
                answer: Any = worker.pipe.recv()
            except (EOFError, OSError):
                results += self._bury(worker)
                continue
            if isinstance(answer, SweepError):
                raise answer
            self._stillborn = 0
            if answer == "ready":
                worker.is_ready = True
            else:
                results.append((worker.tasks.pop(0), answer))
        return results

    def _bury(self, worker: _Worker) -> list[tuple[Task, Outcome]]:
        """Another takes its place, and all of its chunks but the one it was at."""
        reason = worker.end()
        if not worker.is_ready:
            self._stillborn += 1
            if self._stillborn == _MAX_STILLBORN:
                raise SweepError(f"worker processes end before they begin: {reason}")
        heir = self._make()
        self._workers[self._workers.index(worker)] = heir
        lost = worker.tasks[:1] if worker.is_ready else []
        for task in worker.tasks[len(lost):]:
            self._give(heir, task)
        return [(task, Lost(reason)) for task in lost]

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()
