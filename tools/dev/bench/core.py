#!/usr/bin/env python3
"""Runs the benchmarks of the core, records them as a baseline or compares with the one recorded.

    python3 -m tools.dev.bench.core --bench PROGRAM [--filter REGEX] [--repetitions N]
                        [--record FILE.json [--page FILE.md] | --compare FILE.json [--worse FACTOR]]

Counted is processor time, the least of the repetitions: what else runs on a machine only adds to it.
--compare lists what takes FACTOR times as long as recorded (1.5 unless given), or as much memory, and
makes the exit status 1 then. --page writes the tables of docs/records/performance.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.dev.shared import this_machine
from tools.dev.shared.page_table import replaced
from tools.dev.shared.progress import Progress, run_counted

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
BUDGETS = ("<!-- budgets: qgdev bench core -->", "<!-- end of budgets -->")
GROWTH = ("<!-- growth: qgdev bench core -->", "<!-- end of growth -->")
# What design documents promise: words, benchmark, key, ops that its time is for, most.
PROMISED = [
    ("an accepted op, of a graph of 1,000", "BM_Accepted/1000", "ns", 1000, 150),
    ("a refused op with its explanation", "BM_Rejected/1000", "ns", 1000, 20e3),
    ("database ready", "BM_DatabaseOpen", "ns", 1, 1e6),
    ("looking an op up", "BM_OpLookup", "ns", 1, None),
    ("a million nodes, CNN", "BM_Cnn/1000000", "ns", 1, 1e9),
    ("a million nodes, transformer", "BM_Transformer/1000000", "ns", 1, 1e9),
    ("the same by two threads, on the clock", "BM_SharedGraph/threads:2/real_time", "clock_ns", 1, 1e9),
    ("a plan of 100,000 nodes, CNN", "BM_PlanCnn/100000", "ns", 1, 1e9),
    ("a plan of 100,000 nodes, transformer", "BM_PlanTransformer/100000", "ns", 1, 1e9),
    ("a plan of 100,000 nodes of which hardly two are alike", "BM_PlanMix/100000", "ns", 1, None),
    ("bytes a node, CNN (1.5 % of nodes refused)", "BM_Cnn/1000000", "bytes_per_node", 1, 400),
    ("bytes a node, transformer (13 % refused)", "BM_Transformer/1000000", "bytes_per_node", 1, 400),
    ("bytes a node, random mix (35 % refused)", "BM_Mix/100000", "bytes_per_node", 1, 400),
]
GRAPHS = [("CNN", "BM_Cnn"), ("transformer", "BM_Transformer"), ("random mix", "BM_Mix")]
SIZES = [1_000, 10_000, 100_000, 1_000_000]


def measured(bench: Path, only: str, repetitions: int) -> dict[str, dict[str, float]]:
    """Per benchmark: least processor time and time by the clock in ns, bytes a node where counted."""
    names = subprocess.run([bench, f"--benchmark_filter={only}", "--benchmark_list_tests=true"], stdout=subprocess.PIPE, check=True, text=True)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as out, Progress("benchmarks", len(names.stdout.split()) * repetitions) as progress:
        # The table on standard output has a line a run as it ends.
        done = run_counted([bench, f"--benchmark_filter={only}", "--benchmark_min_time=0.05", f"--benchmark_out={out.name}",
                            "--benchmark_out_format=json", "--benchmark_display_aggregates_only=false",
                            f"--benchmark_repetitions={repetitions}"], progress)  # fmt: skip
        if done.returncode:
            raise SystemExit(done.stderr or f"error: {bench}: exit status {done.returncode}")
        runs = json.loads(Path(out.name).read_text())["benchmarks"]
    found: dict[str, dict[str, float]] = {}
    for run in runs:
        if run["run_type"] != "iteration" or run.get("error_occurred"):
            continue
        unit = NANOSECONDS[run["time_unit"]]
        entry = found.setdefault(run["run_name"], {"ns": run["cpu_time"] * unit, "clock_ns": run["real_time"] * unit})
        entry["ns"] = min(entry["ns"], run["cpu_time"] * unit)
        entry["clock_ns"] = min(entry["clock_ns"], run["real_time"] * unit)
        if "bytes_per_node" in run:
            entry["bytes_per_node"] = run["bytes_per_node"]
    return {name: {key: float(f"{value:.4g}") for key, value in entry.items()} for name, entry in found.items()}


def words(key: str, value: float | None) -> str:
    if value is None:
        return ""
    if not key.endswith("ns"):
        return f"{value:.0f}"
    for unit in ("s", "ms", "us"):
        if value >= NANOSECONDS[unit]:
            return f"{value / NANOSECONDS[unit]:.3g} {unit.replace('us', 'µs')}"
    return f"{value:.3g} ns"


def compared(now: dict[str, dict[str, float]], recorded: dict[str, dict[str, float]], worse: float) -> int:
    bad = 0
    for name in sorted(now.keys() & recorded.keys()):
        for key in ("ns", "bytes_per_node"):
            if key not in now[name] or key not in recorded[name]:
                continue
            ratio = now[name][key] / recorded[name][key]
            bad += ratio > worse
            print(f"{name:40} {words(key, recorded[name][key]):>9} → {words(key, now[name][key]):>9}  "
                  f"× {ratio:.2f}{'  worse' if ratio > worse else ''}")  # fmt: skip
    for name in sorted(recorded.keys() - now.keys()):
        print(f"{name:40} not run")
    return 1 if bad else 0


def budgets(found: dict[str, dict[str, float]]) -> str:
    lines = ["| | budget | measured | by |", "|---|--:|--:|---|"]
    for text, name, key, ops, most in PROMISED:
        value = words(key, found[name][key] / ops)
        if most is not None and found[name][key] / ops > most:
            value = f"**{value}**"
        lines.append(f"| {text} | {words(key, most)} | {value} | `{name}` |")
    return "\n".join(lines)


def growth(found: dict[str, dict[str, float]]) -> str:
    lines = ["| nodes | " + " | ".join(name for name, _ in GRAPHS) + " |", "|--:|" + "--:|" * len(GRAPHS)]
    for size in SIZES:
        cells = [f"{words('ns', found[f'{bench}/{size}']['ns'] / size)} a node" for _, bench in GRAPHS]
        lines.append(f"| {size:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--filter", default="^BM_")
    parser.add_argument("--repetitions", type=int, default=6)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--worse", type=float, default=1.5)
    arguments = parser.parse_args()
    found = measured(arguments.bench, arguments.filter, arguments.repetitions)
    if arguments.compare:
        return compared(found, json.loads(arguments.compare.read_text())["benchmarks"], arguments.worse)
    machine = this_machine.described()
    record = {"machine": machine, "repetitions": arguments.repetitions, "benchmarks": dict(sorted(found.items()))}
    text = json.dumps(record, indent=1) + "\n"
    if not arguments.record:
        print(text, end="")
        return 0
    arguments.record.write_text(text)
    if arguments.page:
        page = replaced(arguments.page.read_text(), BUDGETS, f"\n\nOn {machine}, processor time, the least of {arguments.repetitions} runs; "
                        f"what is above its budget is bold.\n\n{budgets(found)}\n\n")  # fmt: skip
        arguments.page.write_text(replaced(page, GROWTH, f"\n\n{growth(found)}\n\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
