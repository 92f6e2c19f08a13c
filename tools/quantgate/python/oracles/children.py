"""A program that answers line by line and may die or hang: started again, with a time limit for each answer."""
from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from typing import Any


START_SECONDS = 60  # more for the first answer: it loads what it needs


class Child:
    def __init__(self, command: list[str], seconds: float = 20) -> None:
        self.command, self.seconds = command, seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""

    def query(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer; {"error": "crash" | "hang", "message"} where there is none."""
        seconds = self.seconds
        if self.process is None:
            seconds += START_SECONDS
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
            self.rest = b""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            while b"\n" not in self.rest:
                if not select.select([self.process.stdout], [], [], seconds)[0]:
                    self.stop()
                    return {"error": "hang", "message": f"no answer in {seconds:g} seconds"}
                data = os.read(self.process.stdout.fileno(), 1 << 16)
                if not data:
                    raise BrokenPipeError
                self.rest += data
        except BrokenPipeError:
            status = self.process.wait()
            self.process = None
            name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            return {"error": "crash", "message": name}
        line, self.rest = self.rest.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
