#!/usr/bin/env python3
"""Times whole processes of `quantgate check` on a quantized ONNX model of about 1,000 nodes.

    tools/bench_cli.py [--cli CLI] [--nodes N] [--channels C] [--runs R] [--json]

The model is a chain of Q/DQ convolutions with ReLU, written here byte by byte so that no ONNX
package is needed; with 128 channels its weights take 24 MB, which the tool should never load.
Prints wall-clock time from start to exit and peak resident memory beside the budget of 15 ms.
"""

from __future__ import annotations

import argparse
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
BUDGET_MS = 15
FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6  # TensorProto.DataType


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def data(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def tensor(name: str, dtype: int, dims: list[int], raw: bytes) -> bytes:
    return (b"".join(number(1, d) for d in dims) + number(2, dtype) + data(8, name)
            + data(9, raw))


def value_info(name: str, dtype: int, dims: list[int]) -> bytes:
    shape = b"".join(data(1, number(1, d)) for d in dims)
    return data(1, name) + data(2, data(1, number(1, dtype) + data(2, shape)))


def node(op: str, name: str, inputs: list[str], outputs: list[str], **ints: list[int] | int
         ) -> bytes:
    attributes = b""
    for key, value in ints.items():
        if isinstance(value, int):
            attribute = data(1, key) + number(3, value) + number(20, 2)
        else:
            attribute = data(1, key) + b"".join(number(8, v) for v in value) + number(20, 7)
        attributes += data(5, attribute)
    return (b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs)
            + data(3, name) + data(4, op) + attributes)


def model(nodes: int, channels: int) -> tuple[bytes, int]:
    """The bytes of an ONNX file, and how many nodes it has."""
    dims = [1, channels, 16, 16]
    parts: list[bytes] = []
    count = 0

    def add(*arguments, **ints) -> None:
        nonlocal count
        parts.append(data(1, node(*arguments, **ints)))
        count += 1

    def constant(name: str, dtype: int, shape: list[int], raw: bytes) -> str:
        parts.append(data(5, tensor(name, dtype, shape, raw)))
        return name

    scale = constant("s", FLOAT, [], struct.pack("<f", 0.02))
    zero = constant("z", UINT8, [], bytes([128]))
    weight_scale = constant("ws", FLOAT, [], struct.pack("<f", 0.01))
    weight_zero = constant("wz", INT8, [], b"\0")
    bias_scale = constant("bs", FLOAT, [], struct.pack("<f", 0.02 * 0.01))
    bias_zero = constant("bz", INT32, [], bytes(4))
    add("QuantizeLinear", "q_in", ["input", scale, zero], ["x0"])
    block = 0
    while count + 7 <= nodes:
        b = str(block)
        w = constant("w" + b, INT8, [channels, channels, 3, 3], bytes(channels * channels * 9))
        bias = constant("b" + b, INT32, [channels], bytes(4 * channels))
        add("DequantizeLinear", "dq_x" + b, ["x" + b, scale, zero], ["fx" + b])
        add("DequantizeLinear", "dq_w" + b, [w, weight_scale, weight_zero], ["fw" + b])
        add("DequantizeLinear", "dq_b" + b, [bias, bias_scale, bias_zero], ["fb" + b])
        add("Conv", "conv" + b, ["fx" + b, "fw" + b, "fb" + b], ["fc" + b],
            kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1], dilations=[1, 1], group=1)
        add("Relu", "relu" + b, ["fc" + b], ["fr" + b])
        parts.append(data(13, value_info("fc" + b, FLOAT, dims)))
        parts.append(data(13, value_info("fr" + b, FLOAT, dims)))
        block += 1
        add("QuantizeLinear", "q" + b, ["fr" + b, scale, zero], ["x" + str(block)])
    add("DequantizeLinear", "dq_out", ["x" + str(block), scale, zero], ["output"])
    graph = (b"".join(parts) + data(2, "chain") + data(11, value_info("input", FLOAT, dims))
             + data(12, value_info("output", FLOAT, dims)))
    return number(1, 8) + data(8, data(1, "") + number(2, 17)) + data(7, graph), count


def measure(command: list[str]) -> tuple[float, int]:
    """Milliseconds and exit status of one run."""
    start = time.perf_counter()
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    return (time.perf_counter() - start) * 1000, status


def peak_mb(command: list[str]) -> float | None:
    """Peak resident memory; GNU time starts the tool, as a child of this process would be
    charged with this process's own memory. None without GNU time."""
    gnu_time = shutil.which("time")
    if gnu_time is None:
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([gnu_time, "-q", "-f", "%M", "-o", out.name, *command],
                       stdout=subprocess.DEVNULL)
        return round(int(out.read()) / 1024, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--channels", type=int, default=128)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.onnx"
        content, count = model(arguments.nodes, arguments.channels)
        path.write_bytes(content)
        results = {"nodes": count, "model_mb": round(len(content) / 2**20, 1)}
        del content
        for name, command in (
                ("start", [arguments.cli, "--version"]),
                ("check_text", [arguments.cli, "check", str(path), "--soc", "SM8550"]),
                ("check_json", [arguments.cli, "check", str(path), "--soc", "SM8550",
                                "--format", "json"])):
            runs = [measure(command) for _ in range(arguments.runs)]
            if any(status not in (0, 1) for _, status in runs):
                print(f"{' '.join(command)}: exit status {runs[0][1]}", file=sys.stderr)
                return 2
            results[name] = {"ms_min": round(min(r[0] for r in runs), 2),
                             "ms_median": round(median(r[0] for r in runs), 2),
                             "peak_mb": peak_mb(command)}
    if arguments.json:
        print(json.dumps(results))
        return 0
    print(f"ONNX model of {results['nodes']} nodes, {results['model_mb']} MB")
    print(f"{'':12}{'best ms':>9}{'median ms':>11}{'peak MB':>9}")
    for name in ("start", "check_text", "check_json"):
        row = results[name]
        print(f"{name:12}{row['ms_min']:>9}{row['ms_median']:>11}{row['peak_mb'] or 'no time(1)':>9}")
    print(f"budget: {BUDGET_MS} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
