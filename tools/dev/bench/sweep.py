#!/usr/bin/env python3
"""Measures `quantgate sweep` whole, and writes docs/records/sweep.md.

    python3 -m tools.dev.bench.sweep [--library libQnnHtp.so] [--models N] [--configurations N] [--page PAGE]

Run by the Python that has the package. On a machine that others use too wall time says little, so
each run also has the processor time of the driver, which works alone at the beginning and the end,
and of its workers: from both follows how long it takes where nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.dev.shared.page_table import replaced
from tools.dev.shared.progress import seconds
from tools.dev.shared.this_machine import described

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "docs" / "examples"
MARKS = ("<!-- measured: qgdev bench sweep -->", "<!-- end of measured -->")
ZOO = ("mobilenetv2_8a8w", "mobilenetv2_16a8w", "dinov2_with_registers_8a8w", "bert_8a8w")
ARCHS = ",".join(f"arch:v{n}" for n in (68, 69, 73, 75, 79, 81, 85, 89))
# Runs the command line and says what it cost: driver, workers, and the driver's peak memory.
MEASURED = """
import json, resource, sys, time
from quantgate.__main__ import main
if __name__ == "__main__":
    begin = time.monotonic()
    status = main(sys.argv[2:])
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    json.dump({"status": status, "wall": time.monotonic() - begin, "driver": own.ru_utime + own.ru_stime,
               "workers": workers.ru_utime + workers.ru_stime, "megabytes": own.ru_maxrss / 1024}, open(sys.argv[1], "w"))
"""


@dataclass(frozen=True)
class Run:
    wall: float
    driver: float
    workers: float
    megabytes: float

    def alone(self, cores: int) -> float:
        """Seconds where nothing else runs: the driver's part is not shared."""
        return self.driver + self.workers / cores


def sweep(folder: Path, *arguments: str) -> Run:
    script, said = folder / "measured.py", folder / "said.json"
    script.write_text(MEASURED)
    done = subprocess.run([sys.executable, str(script), str(said), "sweep", *arguments, "-o", str(folder / "out")],
                          stdout=subprocess.DEVNULL, cwd=ROOT, env={**os.environ, "QUANTGATE_BUILD": str(ROOT / "build")})
    if done.returncode:
        raise SystemExit(done.returncode)
    found = json.loads(said.read_text())
    if found.pop("status") == 2:
        raise SystemExit("error: the sweep failed")
    run = Run(**found)
    print(" ".join(arguments[1:])[:100], run, flush=True)
    return run


def zoo(folder: Path, models: int) -> str:
    """So many files, copies of four networks in equal parts."""
    made = folder / "zoo"
    made.mkdir()
    for i in range(models):
        os.link(copy_of(folder, ZOO[i % len(ZOO)]), made / f"{i:06}.onnx")
    return str(made)


def copy_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}.onnx"
    if not path.exists():
        path.write_bytes((EXAMPLES / path.name).read_bytes())
    return path


def small_models(folder: Path, models: int) -> str:
    path = folder / "small.jsonl"
    with path.open("w") as out:
        for i in range(models):
            encoding = {"perTensor": {"scale": 0.01 + i * 1e-9, "zeroPoint": 128}}
            tensors = [{"name": n, "dtype": "UFIXED_POINT_8" if i % 5 else "BOOL_8", "dims": [1, 8], "encoding": encoding}
                       for n in "xy"]
            node = {"name": "n", "op": "Relu", "inputs": ["x"], "outputs": ["y"]}
            out.write(json.dumps({"name": f"m{i}", "tensors": tensors, "nodes": [node]}) + "\n")
    return str(path)


def nodes_of(path: str) -> float:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    return pc.mean(pq.read_table(path, columns=["nodes"]).column("nodes")).as_py()


def scaling(one: Run, two: Run) -> str:
    wall, alone = one.wall / two.wall / 2, one.alone(1) / two.alone(2) / 2
    return f"{100 * alone:.0f} % by processor time, {100 * wall:.0f} % by wall time"


def lines_of(name: str, run: Run, cores: int) -> str:
    return (f"| {name} | {cores} | {run.wall:.0f} s | {run.driver:.1f} s | {run.workers:.0f} s | {run.alone(cores):.0f} s "
            f"| {run.megabytes:.0f} MB |")


def measured(args: argparse.Namespace) -> str:
    rows, facts, load = [], [], [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        path = zoo(folder, args.models)
        one, two = (sweep(folder, path, "--targets", ARCHS, "-q", "-j", str(cores)) for cores in (1, 2))
        nodes = nodes_of(str(folder / "out/models.parquet"))
        name = f"{args.models:,} models of {nodes:.0f} nodes × 8 archs"
        rows += [lines_of(name, run, cores) for run, cores in ((one, 1), (two, 2))]
        facts.append(f"- From one core to two, models: {scaling(one, two)}.")
        per_model = two.workers / args.models
        million = two.driver / args.models * 1e6 + per_model * 1e6 / 64
        facts.append(f"- On paper, 10⁶ such models × 8 archs: {per_model * 1e6 / 3600:.1f} hours of one core and "
                     f"{seconds(two.driver / args.models * 1e6)} of the driver, so {seconds(million)} on 64 cores.")
        path = small_models(folder, args.rows // 8)
        many = sweep(folder, path, "--targets", ARCHS, "-q", "-j", "2")
        rows.append(lines_of(f"{args.rows:,} rows of models of one node", many, 2))
        if args.library:
            words = ("--probe", "htp", "--backend-lib", args.library, "--targets", "arch:v73,arch:v79", "--count",
                     str(args.configurations), "-q")
            one, two = (sweep(folder, *words, "-j", str(cores)) for cores in (1, 2))
            load.append(os.getloadavg()[0])
            rows += [lines_of(f"{args.configurations:,} configurations put to the HTP library × 2 archs", run, cores)
                     for run, cores in ((one, 1), (two, 2))]
            facts.append(f"- From one core to two, configurations: {scaling(one, two)}.")
            asked = 2 * args.configurations
            whole = 8e6 / asked * (two.driver + two.workers / 64)
            facts.append(f"- On paper, an SDK measured anew (10⁶ configurations × 8 archs) on 64 cores: {seconds(whole)}, "
                         f"of {8e6 / asked * two.workers / 3600:.1f} hours of one core.")
    load.append(os.getloadavg()[0])
    table = ["| what | cores | wall time | driver | workers | on idle cores | driver's memory |", "|---|--:|--:|--:|--:|--:|--:|", *rows]
    return "\n\n" + "\n".join([where(load), "", *table, "", *facts]) + "\n\n"


def where(load: list[float]) -> str:
    return f"On {described()}; the machine's load meanwhile, with others' programs: {min(load):.0f} to {max(load):.0f}."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", help="libQnnHtp.so: also puts configurations to it")
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--configurations", type=int, default=800_000)
    parser.add_argument("--page", type=Path, help="the page to write into; else it is printed")
    args = parser.parse_args()
    text = measured(args)
    if args.page is None:
        print(text)
    else:
        args.page.write_text(replaced(args.page.read_text(), MARKS, text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
