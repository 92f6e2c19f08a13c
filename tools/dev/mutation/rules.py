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
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from tools.dev.mutation import answers, schemata
from tools.dev.mutation.goldens import Goldens

ROOT = Path(__file__).resolve().parents[3]
RECORDED = [("edges", "2.51 v73"), ("edges_executed", "2.51 v73")]
SAMPLE = 8  # every such configuration is asked about before all of them are
SCRIPTS = ["conformance/graph/compare.py", "conformance/executorch/lowered.py", "conformance/ort/as_run/compare.py"]
QUICK_SCRIPTS = ["opdefs/test_kinds.py"]
# Each of their cases is watched by itself: they are many and short.
SUITES = ["check", "verbs", "formats", "fix", "as_run"]
LONGEST_CASE = 5.0  # seconds
MOST_SECONDS = 120
UNNOTICED = SURVIVED, UNREACHED = "survived", "unreached"  # outcomes


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
                                 stderr=subprocess.DEVNULL, timeout=max(5.0, 10 * self.seconds))  # fmt: skip
        except subprocess.TimeoutExpired:
            return True
        return run.returncode != 0


def _cases(suite: str) -> list[str]:
    """`TestClass.test_method` of tests/cli/test_<suite>.py."""
    folder = str(ROOT / "tests/cli")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    open_suites, found = [unittest.defaultTestLoader.loadTestsFromName(f"test_{suite}")], []
    while open_suites:
        for test in open_suites.pop():
            if isinstance(test, unittest.TestSuite):
                open_suites.append(test)
            else:
                found.append(test.id().split(".", 1)[1])
    return sorted(found)


class Bench:
    """The tests whose names contain one of `wanted`, with what each of them reaches."""

    def __init__(self, build: schemata.Build, progress: Callable[[str], None], wanted: list[str]) -> None:
        self.build, self.size, self.progress, self.wanted = build, build.size, progress, wanted
        self.lock = threading.Lock()
        self.goldens: Goldens | None = None
        self.reached_by_case: dict[Any, bytes] = {}
        if self._wants("golden"):
            progress("fixtures")
            goldens = self.goldens = Goldens(build.program)
            with ThreadPoolExecutor(max_workers=build.jobs) as pool:
                self.reached_by_case = dict(zip(goldens.cases, pool.map(lambda case: goldens.reached(case, "json", self.size), goldens.cases)))
        os.environ.update({"QUANTGATE_CLI": str(build.program), "QUANTGATE_BUILD": str(build.build),
                           "QUANTGATE_OPDEFC": str(build.build / "tools/opdefc/opdefc")})  # fmt: skip
        python, tests = sys.executable, ROOT / "tests"
        unit = {name: [str(next(build.build.rglob(f"{name}_test")))] for name in schemata.UNIT}
        commands = {f"unit.{name}": command for name, command in unit.items()}
        commands |= {f"fuzz.{name}": [str(next(build.build.rglob(f"{name}_replay"))), str(tests / "fuzz/corpus" / name)] for name in schemata.REPLAYED}
        commands |= {script: [python, str(tests / script)] for script in QUICK_SCRIPTS}
        for suite in SUITES:
            commands |= {f"cli/{suite} {case}": [python, str(tests / f"cli/test_{suite}.py"), case] for case in _cases(suite)}
        self.quick = sorted(self._watches(commands, LONGEST_CASE), key=lambda w: w.seconds)
        commands = {script: [python, str(tests / script), "--cli", str(build.program)] for script in SCRIPTS}
        self.slow = self._watches(commands, MOST_SECONDS)
        self.parts = {(p.name, p.target): p for p in answers.parts() if (p.name, p.target) in RECORDED and self._wants(p.title)}
        self.reached_by_part: dict[tuple[str, str], bytes] = {}
        if self.parts:
            self.baseline = answers.Baseline(build.program, build.build / "answers")
        for key, part in self.parts.items():
            progress(part.title)
            self.reached_by_part[key] = self.baseline.reached(part, tuple(part.by_op), self.size)

    def _wants(self, name: str) -> bool:
        return not self.wanted or any(text in name for text in self.wanted)

    def _watches(self, commands: dict[str, list[str]], longest: float) -> list[Watch]:
        with ThreadPoolExecutor(max_workers=self.build.jobs) as pool:
            made = list(pool.map(lambda item: self._watch(*item), [item for item in commands.items() if self._wants(item[0])]))
        return [w for w in made if w is not None and w.seconds < longest and any(w.reached)]

    def _watch(self, name: str, command: list[str]) -> Watch | None:
        self.progress(name)
        watch = Watch(name, command)
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(self.size)
            started = time.monotonic()
            watch.seconds = MOST_SECONDS
            if watch.fails({"QUANTGATE_REACHED": file.name}):
                print(f"\n{name} fails without a mutant and is not watched", file=sys.stderr)
                return None
            watch.seconds = time.monotonic() - started
            watch.reached = Path(file.name).read_bytes()
        return watch

    def outcome(self, mutant: schemata.Mutant) -> str:
        """The test that notices, `unreached` or `survived`."""
        environment = {"QUANTGATE_MUTANT": str(mutant.id)}
        slug = Path(mutant.comparison.file).stem.replace("_", "-")
        any_reach = False
        wanted = {case for case, reached in self.reached_by_case.items() if reached[mutant.id]}
        if wanted and self.goldens is not None:
            any_reach = True
            if (case := self.goldens.noticing(wanted, environment, first=slug)) is not None:
                if self.goldens.fails(case, {}):
                    raise SystemExit(f"error: {case.model} differs from its golden without a mutant")
                return f"golden {case.slug}"
        for watch in self.quick:
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
        return SURVIVED if any_reach else UNREACHED


def run(bench: Bench, mutants: list[schemata.Mutant], jobs: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """Outcomes by mutant; each also goes into build/mutation/src/build/outcomes.jsonl as it comes."""
    results: list[dict[str, Any]] = []
    outcomes = (bench.build.build / "outcomes.jsonl").open("w", buffering=1)

    def one(mutant: schemata.Mutant) -> None:
        result = {"mutant": mutant.key, "place": mutant.place, "outcome": bench.outcome(mutant)}
        with bench.lock:
            results.append(result)
            outcomes.write(json.dumps(result) + "\n")
            survived = sum(r["outcome"] in UNNOTICED for r in results)
            progress(f"{len(results)} of {len(mutants)} mutants, {survived} unnoticed")

    with outcomes, ThreadPoolExecutor(max_workers=jobs) as pool:
        list(pool.map(one, mutants))
    return sorted(results, key=lambda r: str(r["mutant"]))
