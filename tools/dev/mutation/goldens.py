"""The fixtures of the rules and their goldens, as tests of a mutant."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from tools.dev.record import goldens as update_goldens
from tools.dev.record.goldens import Case

ROOT = Path(__file__).resolve().parents[3]

MOST_SECONDS = 10
MOST_CONFIRMED = 4  # fixtures that are run by themselves where a batch says something else


def shown(case: Case) -> str:
    return str(case.model.relative_to(ROOT))


class Goldens:
    """Models of equal arguments are checked by one process, where the fixture itself then has to
    confirm what that finds."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.batches: dict[tuple[str, ...], list[Case]] = defaultdict(list)
        for case in update_goldens.cases():
            self.batches[tuple(case.arguments())].append(case)
        self.before = {arguments: self._batch(arguments, cases, {}) for arguments, cases in self.batches.items()}

    @property
    def cases(self) -> list[Case]:
        return [case for cases in self.batches.values() for case in cases]

    def _run(self, command: list[str], environment: dict[str, str]) -> str | None:
        clean = {"PATH": os.environ.get("PATH", ""), "TERM": "dumb", **environment}
        try:
            run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=MOST_SECONDS, env=clean)
        except subprocess.TimeoutExpired:
            return None
        return run.stdout.decode(errors="replace") if run.returncode in (0, 1) else None

    def _batch(self, arguments: tuple[str, ...], cases: list[Case], environment: dict[str, str], *more: str) -> list[str] | None:
        said = self._run([str(self.program), "check", *map(shown, cases), *arguments, "--format", "json", *more], environment)
        return None if said is None else said.splitlines()

    def single(self, case: Case, fmt: str, environment: dict[str, str], *more: str) -> str | None:
        said = self._run([str(self.program), "check", shown(case), *case.arguments(), "--format", fmt, *more], environment)
        return None if said is None else update_goldens.normalised(said)

    def fails(self, case: Case, environment: dict[str, str], *more: str) -> bool:
        return any(self.single(case, fmt, environment, *more) != case.golden(fmt).read_text() for fmt in update_goldens.FORMATS)

    def reached(self, case: Case, fmt: str, size: int) -> bytes:
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(size)
            self.single(case, fmt, {"QUANTGATE_REACHED": file.name})
            return Path(file.name).read_bytes()

    def noticing(self, wanted: set[Case], environment: dict[str, str], *more: str, first: str = "") -> Case | None:
        """A case among those wanted whose golden no longer is what the program says; the rule
        `first` is looked at first."""
        own = sorted((case for case in wanted if case.slug == first), key=lambda case: case.model)
        for case in own:
            if self.fails(case, environment, *more):
                return case
        for arguments, cases in sorted(self.batches.items(), key=lambda item: -len(item[1])):
            there = [case for case in cases if case in wanted and case not in own]
            if not there:
                continue
            if len(there) > 1:
                now, before = self._batch(arguments, cases, environment, *more), self.before[arguments]
                if now == before:
                    continue
                if now is not None and before is not None and len(now) == len(before):
                    there = [case for case, a, b in zip(cases, before, now) if a != b and case in wanted]
            for case in there[:MOST_CONFIRMED]:
                if self.fails(case, environment, *more):
                    return case
        return None
