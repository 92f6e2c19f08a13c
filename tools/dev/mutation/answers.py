"""Recorded answers of real libraries, as tests that can look at a part of what is recorded.

A mutant is noticed by one of the recordings where quantgate's verdict on a configuration comes to
agree or disagree with the library otherwise than it does now: tests/conformance/htp then has a
difference that it does not list, or lists one that is gone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/conformance/htp"))

import ask  # noqa: E402
import compare  # noqa: E402
import edges  # noqa: E402
import store  # noqa: E402

# Recording and targets, what notices most first.
ORDER = [("edges", None), ("edges_executed", None), ("execution", None), ("validation", ("2.51 v73", "2.47 v68", "2.51 v79"))]
MOST_SECONDS = 60


def agreement(name: str, answer: Any, said: dict[str, Any]) -> str:
    if name in ("validation", "edges", "cpu"):
        return compare.of_validation(answer, said["verdict"])
    return edges.agreement(answer, said) if name == edges.EXECUTED else compare.of_values(answer["outcome"], said)


@dataclass
class Part:
    """Configurations of one recording, asked of one target."""

    name: str
    target: str
    by_op: dict[str, list[tuple[dict[str, Any], Any]]] = field(default_factory=dict)  # Models and answers
    backend: str = "htp"

    @property
    def title(self) -> str:
        return f"recorded answers ({self.name} {self.target})"


def parts() -> list[Part]:
    made = []
    for name, targets in [*ORDER, ("cpu", None)]:
        recording = store.Recording.load(name)
        for target in targets or sorted(recording.targets, reverse=True):
            answers = recording.execution(target) if name in ("execution", edges.EXECUTED) else recording.validation(target)
            part = Part(name, target, backend="cpu" if name == "cpu" else "htp")
            for model, answer in zip(recording.models, answers):
                part.by_op.setdefault(model["nodes"][0]["op"], []).append((model, answer))
            made.append(part)
    return made


class Baseline:
    """What the program says without a mutant, op by op, asked once each."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str, tuple[str, ...], int], tuple[Path, list[str]]] = {}

    def _said(self, part: Part, models: Path, environment: dict[str, str], program: Path, *more: str) -> list[str] | None:
        command = [*ask.quantgate_command(str(program), part.target, str(models), part.backend), *more]
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=MOST_SECONDS, env=environment)
        except (subprocess.TimeoutExpired, UnicodeDecodeError):
            return None
        lines = run.stdout.splitlines()
        return lines if run.returncode in (0, 1, 2) else None

    def noticed(self, part: Part, ops: tuple[str, ...], program: Path | None = None, environment: dict[str, str] | None = None,
                *more: str, every: int = 1) -> bool:  # fmt: skip
        """Whether the program, in that environment, differs from the baseline on every n-th
        configuration of these ops."""
        pairs = [pair for op in ops for pair in part.by_op.get(op, [])][::every]
        if not pairs:
            return False
        key = (part.name, part.target, ops, every)
        with self._lock:
            if key not in self._known:
                models = self.folder / f"{len(self._known)}.jsonl"
                models.write_text("".join(json.dumps(m) + "\n" for m, _ in pairs))
                said = self._said(part, models, dict(os.environ), self.program)
                assert said is not None and len(said) == len(pairs), key
                self._known[key] = models, said
        models, before = self._known[key]
        now = self._said(part, models, environment or dict(os.environ), program or self.program, *more)
        if now is None or len(now) != len(before):
            return True
        return any(a != b and agreement(part.name, answer, _read(a)) != agreement(part.name, answer, _read(b))
                   for a, b, (_, answer) in zip(before, now, pairs))  # fmt: skip

    def reached(self, part: Part, ops: tuple[str, ...], size: int) -> bytes:
        """The mutants that these ops' configurations reach."""
        self.noticed(part, ops)
        models, _ = self._known[part.name, part.target, ops, 1]
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(size)
            self._said(part, models, dict(os.environ, QUANTGATE_REACHED=file.name), self.program)
            return Path(file.name).read_bytes()


def _read(line: str) -> dict[str, Any]:
    return ask.verdict_of(json.loads(line))
