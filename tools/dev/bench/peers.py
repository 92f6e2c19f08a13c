#!/usr/bin/env python3
"""quantgate beside what else answers such questions, in one run: a table of ratios.

    python3 -m tools.dev.bench.peers [--cli CLI] [--bench BENCH] [--library LIB] [--python PYTHON]
                         [--torch PYTHON] [--winml WINML] [--runs N] [-o docs/records/performance.md]

PYTHON has onnx, onnxruntime and onnxruntime-qnn (make conformance installs them into .venv), the
one of --torch PyTorch and ExecuTorch (make test-torch). WINML is the program of the PyPI package
winml-cli. What isn't there is n/a with its reason. All times are processor time, of all threads
of the process, and the least of N runs: other work on the machine counts as little as can be.
With -o the table is put between the marks of that page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.dev.shared import this_machine
from tools.dev.shared.page_table import replaced
from tools.dev.shared.processor_time import timed

ROOT = Path(__file__).resolve().parents[3]
MODELS = ["mobilenetv2_8a8w.onnx", "bert_8a8w.onnx"]
MARKS = ("<!-- table: qgdev bench peers -->", "<!-- end of table -->")

CHECKER = """
import sys, time, onnx
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    onnx.checker.check_model(sys.argv[1])
    best = min(best, time.process_time() - start)
print(best)
"""
SESSION = """
import sys, time
import onnxruntime as ort, onnxruntime_qnn as qnn
ort.set_default_logger_severity(4)
ort.register_execution_provider_library("QNNExecutionProvider", qnn.get_library_path())
device = [d for d in ort.get_ep_devices() if d.ep_name == "QNNExecutionProvider"][:1]
options = ort.SessionOptions()
options.add_provider_for_devices(
    device, {"backend_path": qnn.get_qnn_htp_path(), "soc_model": "43", "htp_arch": "73"})
start = time.process_time()
ort.InferenceSession(sys.argv[1], options)
print(time.process_time() - start)
"""


class Missing(Exception):
    """The peer can't be asked; the text says why."""


def output(command: list[str], **options: object) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, **options)  # type: ignore[call-overload]
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(str(error)) from error
    if done.returncode not in (0, 1) or (done.returncode == 1 and "Traceback" in done.stderr):
        words = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise Missing(words[:120])
    return done.stdout


def process(command: list[str], runs: int) -> float:
    """Seconds of processor time from start to exit."""
    output(command)
    return min(timed(lambda: output(command))[0] for _ in range(runs))


def benchmarks(bench: str, library: str | None) -> dict[str, float]:
    """Seconds a node of each benchmark of graphs and of the library's op validation."""
    environment = dict(os.environ)
    if library:
        environment["QUANTGATE_BACKEND_LIB"] = library
    with tempfile.TemporaryDirectory() as folder:
        output([bench, "--benchmark_filter=^(BM_Cnn/1000|BM_Transformer/1000|BM_Library.*)$",
                "--benchmark_repetitions=3", f"--benchmark_out={folder}/out.json",
                "--benchmark_out_format=json"], env=environment)
        results = json.loads(Path(folder, "out.json").read_text())["benchmarks"]
    rates: dict[str, float] = {}
    for result in results:
        if result.get("run_type") == "iteration" and "items_per_second" in result:
            name = result["run_name"]
            rates[name] = max(rates.get(name, 0), result["items_per_second"])
    return {name: 1 / rate for name, rate in rates.items()}


def text_of(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Table:
    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str, str, str]] = []

    def add(self, task: str, ours: float, peer: str, measure) -> None:
        print(f"{task}: {peer} …", file=sys.stderr)
        try:
            theirs = measure()
            row = (text_of(theirs), f"{theirs / ours:,.3g}")
        except Missing as reason:
            row = (f"n/a: {reason}", "")
        self.rows.append((task, text_of(ours), peer, *row))

    def markdown(self) -> str:
        lines = ["| task | quantgate | peer | its time | peer / quantgate |", "|---|--:|---|--:|--:|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"


def executorch(python: str) -> dict[str, float]:
    """Milliseconds by the names that speed.py prints."""
    printed = output([python, "speed.py"], cwd=ROOT / "tests/conformance/executorch")
    return {name.strip(): float(ms) / 1e3
            for name, ms in re.findall(r"^(\S.*?|  \S.*?)\s+([\d.]+) ms", printed, re.M)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build/bin/quantgate"))
    parser.add_argument("--bench", default=str(ROOT / "build/tests/bench/quantgate_bench"))
    parser.add_argument("--library", help="libQnnHtp.so")
    parser.add_argument("--python", default=str(ROOT / ".venv/bin/python"))
    parser.add_argument("--torch", default=str(ROOT / ".venv/bin/python"))
    parser.add_argument("--winml", default="winml")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()

    table = Table()
    nodes = benchmarks(arguments.bench, arguments.library)
    for kind in ("Cnn", "Transformer"):
        def library(kind: str = kind) -> float:
            if f"BM_Library/{kind}" not in nodes:
                raise Missing("no libQnnHtp.so given")
            return nodes[f"BM_Library/{kind}"]
        table.add(f"an op of a {kind.lower() if kind != 'Cnn' else 'CNN'}, in process",
                  nodes[f"BM_{kind}/1000"], "op validation of the real library", library)
    for name in MODELS:
        model = str(ROOT / "docs/examples" / name)
        ours = process([arguments.cli, "check", model, "--soc", "SM8550", "--isolated"], arguments.runs)
        table.add(f"`check {name}`, whole process", ours, "`onnx.checker`, within a process (only reads)",
                  lambda model=model: float(output([arguments.python, "-c", CHECKER, model, "5"])))
        table.add(f"`check {name}`, whole process", ours, "a session of ONNX Runtime's QNN provider, within a process",
                  lambda model=model: min(float(output([arguments.python, "-c", SESSION, model]).splitlines()[-1])
                                          for _ in range(3)))
        table.add(f"`check {name}`, whole process", ours, "`winml-cli analyze`, whole process",
                  lambda model=model: process([arguments.winml, "analyze", "--model", model], 3))
    try:
        speed = executorch(arguments.torch)
        for ours_name, task in (("the part in C++", "a graph of PyTorch, 12,000 nodes, in C++"),
                                ("quantgate, whole call", "the same from Python, reading the graph included")):
            table.add(task, speed[ours_name], "ExecuTorch's validation", lambda: speed["ExecuTorch's validation"])
    except Missing as reason:
        table.rows.append(("a graph of PyTorch, 12,000 nodes", "", "ExecuTorch's validation", f"n/a: {reason}", ""))
    text = table.markdown()
    print(text)
    if arguments.output:
        part = f"\n\nOn {this_machine.described()}, processor time, the least of {arguments.runs} runs.\n\n{text}\n"
        arguments.output.write_text(replaced(arguments.output.read_text(), MARKS, part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
