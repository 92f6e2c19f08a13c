#!/usr/bin/env python3
"""Measures a build against an earlier one, in ratios, and writes the table of docs/records/performance.md.

    python3 -m tools.dev.bench.against --old BUILD --new BUILD [--runs R] [--page PAGE]

BUILD is a build folder with bin/quantgate and tests/bench/quantgate_bench. Programs run in turn, old
and new, so that what else happens on the machine happens to both; of each the least processor time
counts. Exit status 1 where a ratio is above its goal.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.dev.bench.cli import model, peak_mb
from tools.dev.bench.core import measured
from tools.dev.shared.page_table import replaced
from tools.dev.shared.processor_time import timed
from tools.dev.shared.progress import counted

MARKS = ("<!-- against: qgdev bench against -->", "<!-- end of against -->")
CHAIN = 100_000  # nodes
MOBILENET = Path(__file__).resolve().parents[3] / "docs/examples/mobilenetv2_8a8w.onnx"
# Words, benchmark, key of bench_core.measured(), the most that new / old may be.
BENCHMARKS = [
    ("a million nodes of a CNN, in process", "BM_Cnn/1000000", "ns", 0.65),
    ("a million nodes of a transformer, in process", "BM_Transformer/1000000", "ns", 0.63),
    ("an accepted op", "BM_Accepted/1000", "ns", 0.8),
    ("a refused op with its explanation", "BM_Rejected/1000", "ns", 1.0),
    ("bytes a node, CNN", "BM_Cnn/1000000", "bytes_per_node", None),
    ("bytes a node, transformer", "BM_Transformer/1000000", "bytes_per_node", None),
    ("bytes a node, random mix", "BM_Mix/100000", "bytes_per_node", None),
]
Row = tuple[str, float, float, "float | None", Callable[[float], str]]


def in_turns(commands: list[list[str]], runs: int, what: str) -> list[float]:
    """The least processor time of each, in seconds, run in turn."""
    least = [float("inf")] * len(commands)
    for _ in counted(what, range(runs)):
        for k, command in enumerate(commands):
            seconds, _ = timed(lambda c=command: subprocess.run(c, stdout=subprocess.DEVNULL))
            least[k] = min(least[k], seconds)
    return least


def processes(old: Path, new: Path, runs: int) -> list[Row]:
    """Whole processes: start, an example model, a chain of convolutions as an ONNX file with its memory."""
    def of_both(*arguments: str) -> list[list[str]]:
        return [[str(build / "bin/quantgate"), *arguments] for build in (old, new)]
    def milliseconds(seconds: float) -> str:
        return f"{1000 * seconds:.3g} ms"
    # Short ones need more runs until one is left alone by what else happens.
    version = in_turns(of_both("--version"), 8 * runs, "runs of --version")
    mobilenet = in_turns(of_both("check", str(MOBILENET)), 8 * runs, "checks of MobileNetV2")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.onnx"
        path.write_bytes(model(CHAIN, 4)[0])
        commands = of_both("check", str(path))
        chain = in_turns(commands, runs, "checks of the chain")
        memory = [float(peak_mb(command).split()[0]) for command in commands]
    return [("`quantgate --version`, whole process", *version, 0.35, milliseconds),
            ("`check` of MobileNetV2, whole process", *mobilenet, 0.5, milliseconds),
            (f"`check` of an ONNX chain of {CHAIN:,} nodes, whole process", *chain, 0.5, milliseconds),
            ("its peak memory", *memory, 0.42, lambda m: f"{m:.0f} MB")]


def benchmarks(old: Path, new: Path, runs: int) -> list[Row]:
    names = "|".join(sorted({name for _, name, _, _ in BENCHMARKS}))
    found: list[dict[str, dict[str, float]]] = [{}, {}]
    for _ in counted("runs of the benchmarks", range(runs)):
        for k, build in enumerate((old, new)):
            run = measured(build / "tests/bench/quantgate_bench", f"^({names})$", 1)
            for name, entry in run.items():
                known = found[k].setdefault(name, dict(entry))
                known["ns"] = min(known["ns"], entry["ns"])
    def words(key: str) -> Callable[[float], str]:
        if key == "ns":
            return lambda ns: f"{ns / 1e6:.0f} ms" if ns >= 1e8 else f"{ns / 1e6:.3g} ms"
        return lambda count: f"{count:.0f}"
    return [(text, found[0][name][key], found[1][name][key], goal, words(key))
            for text, name, key, goal in BENCHMARKS]


def table(rows: list[Row]) -> str:
    lines = ["| | 0.1.0 | now | ratio | goal |", "|---|--:|--:|--:|--:|"]
    for text, old, new, goal, show in rows:
        ratio = f"{new / old:.2f}"
        if goal is not None and new / old > goal:
            ratio = f"**{ratio}**"
        lines.append(f"| {text} | {show(old)} | {show(new)} | {ratio} | {'' if goal is None else goal} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", type=Path, required=True)
    parser.add_argument("--new", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    rows = processes(arguments.old, arguments.new, arguments.runs)
    rows += benchmarks(arguments.old, arguments.new, arguments.runs)
    print(table(rows))
    if arguments.page:
        text = arguments.page.read_text()
        arguments.page.write_text(replaced(text, MARKS, f"\n\n{table(rows)}\n\n"))
    return int(any(goal is not None and new / old > goal for _, old, new, goal, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
