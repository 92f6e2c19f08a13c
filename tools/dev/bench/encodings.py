#!/usr/bin/env python3
"""Time and peak memory of `quantgate check --encodings` on a large AIMET file.

    python3 -m tools.dev.bench.encodings [--cli CLI] [--megabytes 300] [--python]

The files are generated, indented as AIMET writes them: per-channel weights in version 0.6.1, LPBQ
weights in 1.0.0 and 2.0.0, each for a model of matrix products that has these weights.
--python: what json.load of Python needs for the same file, to compare with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, TextIO

ROOT = Path(__file__).resolve().parents[3]
CHANNELS = 4096
BLOCK = 32
INPUTS = 4096


def numbers(values: str, count: int, depth: int) -> str:
    """A JSON list of `count` equal numbers, one a line, as json.dump(indent=4) writes it."""
    pad = " " * (4 * depth)
    return "[\n" + ",\n".join([pad + values] * count) + "\n" + pad[4:] + "]"


def v061(out: TextIO, bytes_wanted: int) -> list[str]:
    channel = ('            {\n                "bitwidth": 8,\n                "dtype": "int",\n'
               '                "is_symmetric": "True",\n                "max": 0.0127003,\n'
               '                "min": -0.0128004,\n                "offset": -128,\n'
               '                "scale": 0.00010000312\n            }')
    weight = "[\n" + ",\n".join([channel] * CHANNELS) + "\n        ]"
    out.write('{\n    "activation_encodings": {},\n    "param_encodings": {\n')
    names = fill(out, bytes_wanted, lambda name: f'        "{name}": {weight}')
    out.write('\n    },\n    "version": "0.6.1"\n}\n')
    return names


def v100(out: TextIO, bytes_wanted: int) -> list[str]:
    blocks = CHANNELS * (INPUTS // BLOCK)
    tail = (f'            "bw": 8,\n            "compressed_bw": 4,\n            "dtype": "INT",\n'
            f'            "enc_type": "LPBQ",\n            "block_size": {BLOCK},\n'
            f'            "is_sym": true,\n'
            f'            "offset": {numbers("-128", CHANNELS, 4)},\n'
            f'            "per_block_int_scale": {numbers("13", blocks, 4)},\n'
            f'            "scale": {numbers("0.00010000312398187816", CHANNELS, 4)}\n        }}')
    out.write('{\n    "activation_encodings": [],\n    "param_encodings": [\n')
    names = fill(out, bytes_wanted, lambda name: f'        {{\n            "name": "{name}",\n{tail}')
    out.write('\n    ],\n    "version": "1.0.0"\n}\n')
    return names


def v200(out: TextIO, bytes_wanted: int) -> list[str]:
    row = numbers("13", CHANNELS, 5)
    factors = "[\n" + ",\n".join(["                " + row] * (INPUTS // BLOCK)) + "\n            ]"
    tail = (f'            "axis": 0,\n            "block_size": {BLOCK},\n'
            f'            "output_dtype": "int4",\n'
            f'            "per_block_int_scale": {factors},\n'
            f'            "per_channel_float_scale": '
            f'[{numbers("0.00010000312398187816", CHANNELS, 5)}]\n        }}')
    out.write('{\n    "encodings": [\n')
    names = fill(out, bytes_wanted, lambda name: f'        {{\n            "name": "{name}",\n{tail}')
    out.write('\n    ],\n    "version": "2.0.0"\n}\n')
    return names


def fill(out: TextIO, bytes_wanted: int, entry: Callable[[str], str]) -> list[str]:
    names: list[str] = []
    written = 0
    while written < bytes_wanted:
        names.append(f"layers.{len(names)}.weight")
        written += out.write((",\n" if len(names) > 1 else "") + entry(names[-1]))
    return names


def model(names: list[str]) -> dict:
    tensors = [{"name": "x0", "dtype": "FLOAT_32", "dims": [1, INPUTS]}]
    nodes = []
    for i, name in enumerate(names):
        tensors.append({"name": name, "dtype": "FLOAT_32", "dims": [INPUTS, CHANNELS],
                        "isStatic": True})
        tensors.append({"name": f"x{i + 1}", "dtype": "FLOAT_32", "dims": [1, CHANNELS]})
        nodes.append({"name": f"n{i}", "op": "MatMul", "inputs": [f"x{i}", name],
                      "outputs": [f"x{i + 1}"]})
    return {"dialect": "onnx", "opset": 17, "tensors": tensors, "nodes": nodes}


def run(command: list[str]) -> tuple[float, float, float, int]:
    """Seconds, seconds of CPU, peak megabytes, exit status."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, cpu, usage.ru_maxrss / 1024, process.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--python", action="store_true")
    flags = parser.parse_args()
    print(f"{'file':8}{'MB':>6}{'weights':>9}{'s':>8}{'CPU s':>8}{'MB/CPU s':>10}{'peak MB':>9}"
          + (f"{'json.load CPU s':>17}{'peak MB':>9}" if flags.python else ""), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for version, write in (("0.6.1", v061), ("1.0.0", v100), ("2.0.0", v200)):
            path, model_path = Path(folder, "big.encodings"), Path(folder, "model.json")
            with path.open("w") as out:
                names = write(out, flags.megabytes * 1_000_000)
            model_path.write_text(json.dumps(model(names)))
            size = path.stat().st_size / 1e6
            seconds, cpu, peak, status = run([flags.cli, "check", str(model_path),
                                              "--encodings", str(path), "--arch", "v79", "--mode", "warn"])
            if status != 0:
                print(f"{version}: exit status {status}", file=sys.stderr)
                return 1
            line = (f"{version:8}{size:>6.0f}{len(names):>9}{seconds:>8.2f}{cpu:>8.2f}"
                    f"{size / cpu:>10.0f}{peak:>9.0f}")
            if flags.python:
                _, cpu, peak, _ = run([sys.executable, "-c",
                                        f"import json; json.load(open({str(path)!r}))"])
                line += f"{cpu:>17.2f}{peak:>9.0f}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
