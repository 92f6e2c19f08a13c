#!/usr/bin/env python3
"""Runs the fuzz targets until each has had its processor time, and records what that came to.

    python3 -m tools.dev.robustness.fuzz --fuzzers DIR [--minutes N] [--slice SECONDS] [--jobs N] [--work DIR]
                  [--record FILE.json] [--page FILE.md] [--fresh] [TARGET ...]
    python3 -m tools.dev.robustness.fuzz --fuzzers DIR --minimise [TARGET ...]

Time is processor time of the fuzzing process, so that a busy machine doesn't count as fuzzing. The
targets take turns, the one with the least time first; the record is written after each turn and
counts on from what it holds (--fresh: from nothing). What a target finds lands in WORK/TARGET.found
and makes the exit status 1. --minimise puts the inputs that reach the most into tests/fuzz/corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.dev.shared.page_table import replaced

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests/fuzz/corpus"
MARKS = ("<!-- table: qgdev fuzz -->", "<!-- end of table -->")
STATUS = re.compile(r"^#(\d+)\s+\w+.*?cov: (\d+) ft: (\d+) corp: (\d+)", re.M)
WRITTEN = re.compile(r"Test unit written to \S*/(\S+)")
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.:-]{2,23}")
COUNTED = {"cpu_seconds": 0.0, "executions": 0, "edges": 0, "features": 0, "inputs": 0, "found": 0}
# A unit may take this long: on a machine under load, whose clock runs on while we wait for our turn.
TIMEOUT, MEMORY_MB = 60, 2048
KEPT_INPUTS, KEPT_BYTES = 40, 4096


def dictionary(target: str, folder: Path) -> list[str]:
    """The words of the seeds, for targets whose seeds are text."""
    words: set[bytes] = set()
    for file in (CORPUS / target).iterdir():
        text = file.read_bytes()
        if b"\0" not in text:
            words.update(WORD.findall(text))
    if not words:
        return []
    path = folder / f"{target}.dict"
    path.write_text("".join(f'"{word.decode()}"\n' for word in sorted(words)))
    return [f"-dict={path}"]


def run(fuzzer: Path, target: str, work: Path, seconds: int, seed: int) -> dict[str, float]:
    """One turn."""
    inputs, found = work / target, work / f"{target}.found"
    inputs.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    log = work / f"{target}.log"
    # A seed of its own for each turn, or each would begin with the mutations of the last.
    command = [str(fuzzer), f"-max_total_time={seconds}", f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY_MB}",
               f"-report_slow_units={TIMEOUT}", f"-seed={seed}", "-print_final_stats=1", f"-artifact_prefix={found}/",
               *dictionary(target, work), str(inputs), str(CORPUS / target)]
    before = {file.name for file in found.iterdir()}
    with log.open("wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    states = STATUS.findall(text)
    executions, edges, features, _ = (int(n) for n in states[-1]) if states else (0, 0, 0, 0)
    if total := re.search(r"stat::number_of_executed_units:\s*(\d+)", text):
        executions = int(total[1])
    # What is not fixed yet is found again, under the same name.
    fresh = sorted({file.name for file in found.iterdir()} - before | set(WRITTEN.findall(text)))
    for name in fresh:
        print(f"{target}: {found / name}", file=sys.stderr)
    if child.returncode != 0 and not fresh:
        raise RuntimeError(f"{fuzzer} ended with {child.returncode}: {text[-500:]}")
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime, "executions": executions, "edges": edges,
            "features": features, "inputs": sum(1 for _ in inputs.iterdir()), "found": len(fresh)}


def added(entry: dict[str, float], turn: dict[str, float]) -> dict[str, float]:
    """Time, executions and findings add up; the rest is what was reached."""
    total = {**COUNTED, **entry}
    for key in ("cpu_seconds", "executions", "found"):
        total[key] = round(total[key] + turn[key], 1)
    for key in ("edges", "features", "inputs"):
        total[key] = max(total[key], turn[key])
    return total


def table(record: dict[str, dict[str, float]]) -> str:
    lines = ["| target | processor minutes | executions | edges reached | features | inputs kept | found |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for target, entry in sorted(record.items()):
        lines.append(f"| {target} | {entry['cpu_seconds'] / 60:.1f} | {int(entry['executions']):,} | "
                     f"{int(entry['edges']):,} | {int(entry['features']):,} | {int(entry['inputs']):,} | "
                     f"{int(entry['found'])} |")
    minutes = sum(entry["cpu_seconds"] for entry in record.values()) / 60
    lines.append(f"| all | {minutes:.1f} | {sum(int(e['executions']) for e in record.values()):,} | | | | "
                 f"{sum(int(e['found']) for e in record.values())} |")
    return "\n".join(lines) + "\n"


class Turns:
    """Hands the target with the least time to whoever is free."""

    def __init__(self, arguments: argparse.Namespace, targets: list[str]) -> None:
        self.arguments = arguments
        self.lock = threading.Lock()
        self.busy: set[str] = set()
        self.record: dict[str, dict[str, float]] = {}
        if arguments.record.exists() and not arguments.fresh:
            self.record = json.loads(arguments.record.read_text())
        self.targets = targets
        self.turns = 0
        self.found = False

    def left(self, target: str) -> float:
        return self.arguments.minutes * 60 - self.record.get(target, COUNTED)["cpu_seconds"]

    def next(self) -> tuple[str, int] | None:
        with self.lock:
            waiting = [t for t in self.targets if t not in self.busy and self.left(t) > 0]
            if not waiting:
                return None
            target = max(waiting, key=self.left)
            self.busy.add(target)
            self.turns += 1
            return target, self.turns

    def work(self) -> None:
        while turn := self.next():
            target, number = turn
            result = run(self.arguments.fuzzers / f"{target}_fuzz", target, self.arguments.work,
                         self.arguments.slice, os.getpid() * 1000 + number)
            with self.lock:
                self.busy.discard(target)
                self.found |= result["found"] > 0
                self.record[target] = added(self.record.get(target, {}), result)
                fresh = self.arguments.record.with_suffix(".new")
                fresh.write_text(json.dumps(self.record, indent=1, sort_keys=True) + "\n")
                fresh.replace(self.arguments.record)
                if self.arguments.page:
                    page = self.arguments.page
                    page.write_text(replaced(page.read_text(), MARKS, f"\n\n{table(self.record)}\n"))
            print(f"{target}: {self.record[target]['cpu_seconds'] / 60:.1f} of {self.arguments.minutes:g} min, "
                  f"{int(self.record[target]['executions']):,} executions", file=sys.stderr, flush=True)


def features_of(control: str) -> dict[str, set[str]]:
    """Per file what it reaches, of a control file of libFuzzer's merge."""
    lines = control.splitlines()
    first, count = 2, int(lines[0])
    names = lines[first:first + count]
    reached: dict[str, set[str]] = {name: set() for name in names}
    for line in lines[first + count:]:
        kind, *words = line.split()
        if kind == "FT":
            reached[names[int(words[0])]].update(words[1:])
    return reached


def minimise(fuzzer: Path, target: str, work: Path) -> None:
    """Adds to the committed corpus, up to KEPT_INPUTS, the input that reaches most of what none did yet."""
    corpus, inputs = CORPUS / target, work / target
    with tempfile.TemporaryDirectory() as folder:
        control = Path(folder, "control")
        subprocess.run([str(fuzzer), "-merge=1", f"-merge_control_file={control}", f"-timeout={TIMEOUT}",
                        f"-max_len={KEPT_BYTES}", folder + "/out", str(corpus), str(inputs)],
                       check=True, capture_output=True, preexec_fn=lambda: os.mkdir(folder + "/out"))
        reached = features_of(control.read_text())
    ours = [name for name in reached if Path(name).parent == corpus]
    known = set().union(*(reached[name] for name in ours))
    others = {name: reached[name] for name in reached if name not in ours}
    have = len(list(corpus.iterdir()))
    while others and have < KEPT_INPUTS:
        best = max(sorted(others), key=lambda name: len(others[name] - known))
        if not others[best] - known:
            break
        known |= others.pop(best)
        (corpus / Path(best).name[:16]).write_bytes(Path(best).read_bytes())
        have += 1
    print(f"{target}: {have} inputs")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--fuzzers", type=Path, required=True, help="folder of TARGET_fuzz")
    parser.add_argument("--work", type=Path, default=ROOT / "build/fuzz/found")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--slice", type=int, default=300, help="seconds of a turn")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", type=Path, default=ROOT / "tests/fuzz/runs.json")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--minimise", action="store_true")
    arguments = parser.parse_args()

    targets = arguments.targets or sorted(f.name.removesuffix("_fuzz.cc")
                                          for f in (ROOT / "tests/fuzz").glob("*_fuzz.cc"))
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.minimise:
        for target in targets:
            minimise(arguments.fuzzers / f"{target}_fuzz", target, arguments.work)
        return 0
    turns = Turns(arguments, targets)
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for worker in [pool.submit(turns.work) for _ in range(arguments.jobs)]:
            worker.result()
    print(table({t: turns.record[t] for t in targets if t in turns.record}))
    return 1 if turns.found else 0


if __name__ == "__main__":
    sys.exit(main())
