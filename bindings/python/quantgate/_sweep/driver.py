"""Chunks of about a second until nothing is left, through workers that die."""

from __future__ import annotations

import collections
import sys
import time
from collections.abc import Callable, Sequence

from quantgate._sweep.engines import Done, Engine, Task
from quantgate._sweep.errors import SweepError
from quantgate._sweep.store import Items, Range

CHUNK_SECONDS = 1.0
_FIRST_CHUNK = 16
# How often an item may take its worker with it before that is what is known of it: once may be
# somebody else's kill.
MAX_ATTEMPTS = 3
# The same of a chunk that only writes such a row.
_MAX_WRITES = 20
# Held in memory by a worker at once; what an item needs beyond is its own.
_CHUNK_BYTES = 256 << 20


class Pace:
    """How many items a chunk should have, from those that are done."""

    def __init__(self, seconds: float = CHUNK_SECONDS) -> None:
        self._seconds = seconds
        self._size: float = _FIRST_CHUNK

    def learn(self, items: int, seconds: float) -> None:
        wanted = items * self._seconds / max(seconds, 1e-3)
        # Never by a jump: the next models may be a hundred times larger.
        self._size = min(max(0.5 * (self._size + wanted), 1), 2 * self._size)

    def size(self, left: int, slots: int) -> int:
        """Towards the end less, so that all workers end together."""
        return max(1, min(int(self._size), -(-left // slots)))


class Progress:
    """Rate and remaining time: a line that is written over on a terminal, else one a minute."""

    def __init__(self, total: int, done: int, quiet: bool = False) -> None:
        self._total, self._begun_with, self._done = total, done, done
        self._started = self._printed = time.monotonic()
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._width = 0

    def add(self, items: int) -> None:
        self._done += items
        now = time.monotonic()
        if self._quiet or now - self._printed < (0.2 if self._terminal else 60):
            return
        self._printed = now
        self._print(self.line(now - self._started))

    def line(self, seconds: float) -> str:
        rate = (self._done - self._begun_with) / max(seconds, 1e-9)
        left = (self._total - self._done) / rate if rate > 0 else 0
        return (f"{self._done:,} of {self._total:,}, {rate:,.0f} a second, "
                f"{remaining(left)} left")

    def _print(self, line: str) -> None:
        if self._terminal:
            sys.stderr.write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def remaining(seconds: float) -> str:
    """'45 s', '12 min', '3 h 20 min'"""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class _Source:
    """Items that nobody has yet: what was split off first, then ranges from their beginning."""

    def __init__(self, items: Items, ranges: Sequence[Range]) -> None:
        self._items = items
        self._ranges = collections.deque(ranges)
        self._returned: list[Task] = []
        self.left = sum(stop - start for start, stop in ranges)

    def __bool__(self) -> bool:
        return bool(self._returned or self._ranges)

    def give_back(self, task: Task) -> None:
        self._returned.append(task)

    def take(self, size: int) -> Task:
        if self._returned:
            return self._returned.pop()
        start, stop = self._ranges[0]
        taken = self._items.slice(start, min(start + size, stop))
        held = 0
        for count, item in enumerate(taken):
            held += item.size
            if held > _CHUNK_BYTES and count > 0:
                taken = taken[:count]
                break
        self.left -= len(taken)
        if start + len(taken) == stop:
            self._ranges.popleft()
        else:
            self._ranges[0] = (start + len(taken), stop)
        return Task(start, taken)


def parts_of(task: Task, reason: str) -> list[Task]:
    """What to do about a chunk that was lost: halves of it, until an item is alone; that again; at
    last its row says what it does."""
    if len(task.items) > 1:
        middle = len(task.items) // 2
        return [Task(task.start, task.items[:middle]),
                Task(task.start + middle, task.items[middle:])]
    if task.attempt < (_MAX_WRITES if task.error else MAX_ATTEMPTS):
        return [Task(task.start, task.items, task.attempt + 1, task.error)]
    if task.error:
        raise SweepError(f"workers end before they have written one row: {reason}")
    return [Task(task.start, task.items, 1,
                 f"it ends the process that reads it, {task.attempt} times out of "
                 f"{MAX_ATTEMPTS}: {reason}")]


def drive(engine: Engine, items: Items, ranges: Sequence[Range],
          tell: Callable[[int], None], seconds: float = CHUNK_SECONDS) -> None:
    """Puts all items of the ranges to the engine; `tell` is called with how many are done."""
    source, pace, running = _Source(items, ranges), Pace(seconds), 0
    while source or running:
        while source and running < engine.slots:
            engine.submit(source.take(pace.size(source.left, engine.slots)))
            running += 1
        for task, outcome in engine.wait(1.0):
            running -= 1
            if isinstance(outcome, Done):
                if not task.error:
                    pace.learn(len(task.items), outcome.seconds)
                tell(len(task.items))
                continue
            for part in parts_of(task, outcome.reason):
                source.give_back(part)
