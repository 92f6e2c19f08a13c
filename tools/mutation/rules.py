"""Comparisons of the rule code, negated or with their boundary moved: is a test red?

All mutants are in one build (schemata.py), so each costs a run of what reaches it: the rules' fixtures,
then the unit tests, then the recorded answers, then the scripts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from tools.mutation import answers, schemata
from tools.mutation.goldens import Goldens

ROOT = Path(__file__).resolve().parents[2]
RECORDED = [("edges", "2.51 v73"), ("edges_executed", "2.51 v73")]
SAMPLE = 8  # every such configuration is asked about before all of them are
SCRIPTS = ["conformance/graph/compare.py"]
QUICK_SCRIPTS = ["opdefs/test_kinds.py"]
SLOW_UNIT = ("repeats",)  # after the recorded answers
MOST_SECONDS = 120


@dataclass
class Watch:
    """One test as a whole."""

    name: str
    command: list[str]
    reached: bytes = b""
    seconds: float = 0.0

    def fails(self, environment: dict[str, str]) -> bool:
        try:
            run = subprocess.run(self.command, cwd=ROOT, env=dict(os.environ, **environment), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, timeout=max(10.0, 10 * self.seconds))  # fmt: skip
        except subprocess.TimeoutExpired:
            return True
        return run.returncode != 0


class Bench:
    def __init__(self, build: schemata.Build, progress: Callable[[str], None]) -> None:
        self.build, self.size, self.progress = build, build.size, progress
        self.lock = threading.Lock()
        progress("fixtures")
        self.goldens = Goldens(build.program)
        self.reached_by_case = {case: self.goldens.reached(case, "json", self.size) for case in self.goldens.cases}
        for case in self.goldens.cases:
            if self.goldens.fails(case, {}):
                raise SystemExit(f"error: {case.model} differs from its golden without a mutant")
        cli = {"QUANTGATE_CLI": str(build.program), "QUANTGATE_BUILD": str(build.build)}
        os.environ.update(cli)
        unit = {name: self._watch(f"unit.{name}", [str(next(build.build.rglob(f"{name}_test")))]) for name in schemata.UNIT}
        quick = [w for name, w in unit.items() if name not in SLOW_UNIT]
        quick += [self._watch(script, [sys.executable, str(ROOT / "tests" / script)]) for script in QUICK_SCRIPTS]
        self.unit = sorted(quick, key=lambda w: w.seconds)
        self.slow = [unit[name] for name in SLOW_UNIT]
        self.slow += [self._watch(script, [sys.executable, str(ROOT / "tests" / script), "--cli", str(build.program)]) for script in SCRIPTS]
        self.baseline = answers.Baseline(build.program, build.build / "answers")
        self.parts = {(p.name, p.target): p for p in answers.parts() if (p.name, p.target) in RECORDED}
        self.reached_by_part: dict[tuple[str, str], bytes] = {}
        for key, part in self.parts.items():
            progress(part.title)
            self.reached_by_part[key] = self.baseline.reached(part, tuple(part.by_op), self.size)

    def _watch(self, name: str, command: list[str]) -> Watch:
        self.progress(name)
        watch = Watch(name, command)
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(self.size)
            started = time.monotonic()
            watch.seconds = MOST_SECONDS
            if watch.fails({"QUANTGATE_REACHED": file.name}):
                raise SystemExit(f"error: {name} fails without a mutant")
            watch.seconds = time.monotonic() - started
            watch.reached = Path(file.name).read_bytes()
        return watch

    def outcome(self, mutant: schemata.Mutant) -> str:
        """The test that notices, `unreached` or `survived`."""
        environment = {"QUANTGATE_MUTANT": str(mutant.id)}
        slug = Path(mutant.comparison.file).stem.replace("_", "-")
        any_reach = False
        wanted = {case for case, reached in self.reached_by_case.items() if reached[mutant.id]}
        if wanted:
            any_reach = True
            if (case := self.goldens.noticing(wanted, environment, first=slug)) is not None:
                return f"golden {case.slug}"
        for watch in self.unit:
            if watch.reached[mutant.id]:
                any_reach = True
                if watch.fails(environment):
                    return watch.name
        for key, part in self.parts.items():
            if self.reached_by_part[key][mutant.id]:
                any_reach = True
                for every in (SAMPLE, 1):
                    if self.baseline.noticed(part, tuple(part.by_op), None, dict(os.environ, **environment), every=every):
                        return part.title
        for watch in self.slow:
            if watch.reached[mutant.id]:
                any_reach = True
                if watch.fails(environment):
                    return watch.name
        return "survived" if any_reach else "unreached"


def run(bench: Bench, mutants: list[schemata.Mutant], jobs: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """Outcomes by mutant; each also goes into build/mutation/src/build/outcomes.jsonl as it comes."""
    results: list[dict[str, Any]] = []
    outcomes = (bench.build.build / "outcomes.jsonl").open("w", buffering=1)

    def one(mutant: schemata.Mutant) -> None:
        result = {"mutant": mutant.key, "place": mutant.place, "outcome": bench.outcome(mutant)}
        with bench.lock:
            results.append(result)
            outcomes.write(json.dumps(result) + "\n")
            survived = sum(r["outcome"] in ("survived", "unreached") for r in results)
            progress(f"{len(results)} of {len(mutants)} mutants, {survived} unnoticed")

    with outcomes, ThreadPoolExecutor(max_workers=jobs) as pool:
        list(pool.map(one, mutants))
    return sorted(results, key=lambda r: str(r["mutant"]))
