"""Processes that ask the provider, and answers that were given before."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quantgate._graph.errors import GraphError

Answer = dict[str, Any]
_START_SECONDS = 120


class Worker:
    """One process at a time; a crash or a hang is an answer, and the next task gets a new one."""

    def __init__(self, soc: int, folder: Path, seconds: float) -> None:
        self._arguments = [str(soc), str(folder / "native.log")]
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def ask(self, task: dict[str, Any]) -> Answer:
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            self._process.stdin.flush()
        line = self._line(self._seconds)
        return json.loads(line) if line else self._ended()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        command = [sys.executable, "-m", "quantgate._graph.worker", *self._arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"})
        self._rest = b""
        if not self._line(_START_SECONDS):
            assert self._process.stderr is not None
            self._process.kill()
            said = self._process.stderr.read().decode(errors="replace").strip().splitlines()
            raise GraphError("the provider can't be started: " + (said[-1] if said else "no answer"))

    def _line(self, seconds: float) -> bytes:
        """b'' = it ended, or did not answer in time."""
        assert self._process is not None and self._process.stdout is not None
        out, end = self._process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([out], [], [], max(0.0, end - time.monotonic()))[0]:
                return b""
            part = os.read(out, 1 << 20)
            if not part:
                return b""
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _ended(self) -> Answer:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        status = self._process.returncode
        self.close()
        if status is None:
            return {"state": "timeout", "code": "", "message": f"no answer in {self._seconds:g} s"}
        name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return {"state": "crash", "code": name, "message": f"the process ended with {name}"}


class Known:
    """Answers by content of the question, kept in a file: an interrupted reduction goes on from it."""

    def __init__(self, path: Path | None, head: dict[str, Any]) -> None:
        self._path, self._answers = path, dict[str, Answer]()
        if path is None:
            return
        lines = list(_json_lines(path))
        if lines and lines[0] == head:
            self._answers = {line["key"]: line["answer"] for line in lines[1:] if "key" in line}
        else:
            path.write_text(json.dumps(head) + "\n")

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: str) -> Answer | None:
        return self._answers.get(key)

    def add(self, key: str, answer: Answer) -> None:
        self._answers[key] = answer
        if self._path is not None:
            with open(self._path, "a") as file:
                file.write(json.dumps({"key": key, "answer": answer}) + "\n")

    def forget(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Those before the first that was not written whole."""
    if not path.exists():
        return
    for line in path.read_text(errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def fingerprint(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]
