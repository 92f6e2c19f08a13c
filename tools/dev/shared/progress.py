"""How far a long loop is: a line that counts on a terminal, a line now and then in a log.

Nothing is shown of what takes less than a second, and never on standard output.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TextIO, TypeVar

T = TypeVar("T")
FIRST_AFTER = 1.0  # seconds
LEAST_SHARE = 0.02  # of the whole, before it is said how long the rest takes
ON_TERMINAL, IN_LOG = 0.2, 15.0  # seconds between two lines


def seconds(value: float) -> str:
    """`4 s`, `3 min 20 s`, `1 h 05 min`"""
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


class Progress:
    """`with Progress("goldens", 120) as progress: progress.advance()`; without a total only what was done is counted."""

    def __init__(self, what: str, total: int | None = None, out: TextIO | None = None) -> None:
        self.what, self.total, self.done = what, total, 0
        self._out = out or sys.stderr
        self._terminal = self._out.isatty()
        self._start = time.monotonic()
        self._shown_at = self._start + FIRST_AFTER - (ON_TERMINAL if self._terminal else IN_LOG)
        self._shown = False
        self._lock = threading.Lock()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._shown and self._terminal:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def advance(self, count: int = 1, note: str = "") -> None:
        """So many more are done, in any thread; `note` names what comes next or was last."""
        with self._lock:
            self.done += count
            now = time.monotonic()
            if now - self._shown_at < (ON_TERMINAL if self._terminal else IN_LOG):
                return
            self._shown_at, self._shown = now, True
            line = self.line(now - self._start, note)
            self._out.write(f"\r\x1b[K{line}" if self._terminal else line + "\n")
            self._out.flush()

    def line(self, elapsed: float, note: str) -> str:
        parts = [f"{self.what}: {self.done:,}" if self.total is None else f"{self.what}: {self.done:,} of {self.total:,}"]
        if self.total and LEAST_SHARE * self.total <= self.done < self.total:
            parts.append(f"{seconds(elapsed)}, {seconds(elapsed / self.done * (self.total - self.done))} left")
        else:
            parts.append(seconds(elapsed))
        return ", ".join(parts) + (f"  {note}" if note else "")


def counted(what: str, items: Iterable[T], total: int | None = None) -> Iterator[T]:
    """The items, with progress."""
    if total is None and hasattr(items, "__len__"):
        total = len(items)
    with Progress(what, total) as progress:
        for item in items:
            yield item
            progress.advance()


def run_counted(command: Sequence[str | Path], progress: Progress | None, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a program that prints a line an item, each of which is progress; its output, as subprocess.run has it.
    Raises TimeoutExpired with what it printed by then."""
    words = [str(word) for word in command]
    late = threading.Event()
    lines: list[str] = []
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace") as child:
            def stop() -> None:
                late.set()
                child.kill()

            clock = threading.Timer(timeout or 0, stop)
            if timeout:
                clock.start()
            assert child.stdout is not None
            for line in child.stdout:
                lines.append(line)
                if progress:
                    progress.advance()
            child.wait()
            clock.cancel()
        errors.seek(0)
        said = errors.read()
    if late.is_set():
        raise subprocess.TimeoutExpired(words, timeout or 0, "".join(lines), said)
    return subprocess.CompletedProcess(words, child.returncode, "".join(lines), said)
