#!/usr/bin/env python3
"""Times whole processes of `quantgate check` on chains of quantized convolutions, small to large.

    python3 -m tools.dev.bench.cli [--cli CLI] [--runs R] [--page PAGE]

Each chain is an ONNX file, written here byte by byte so that no ONNX package is needed, the same as
Model JSON, and a TFLite file of as many operators, written by `convert`. With 128 channels its weights are 24 MB, which the tool never loads; with 4 they
are next to nothing. Processor time from start to exit, the least of the runs, and peak resident
memory; `--page` writes the table between its marks.
"""

from __future__ import annotations

import argparse
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.dev.shared.page_table import replaced
from tools.dev.shared.processor_time import timed
from tools.dev.shared.progress import counted

ROOT = Path(__file__).resolve().parents[3]
MARKS = ("<!-- processes: qgdev bench cli -->", "<!-- end of processes -->")
CHAINS = ((10, 4), (1000, 4), (1000, 128), (100_000, 4))  # nodes, channels
HTP = ["--soc", "SM8550"]
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


def tflite_model(nodes: int, channels: int) -> dict[str, object]:
    """Model JSON of a TFLite chain: a convolution and a RELU in turn."""
    activation = {"perTensor": {"scale": 0.02, "zeroPoint": 0}}
    weight = {"perTensor": {"scale": 0.01, "zeroPoint": 0}}
    product = {"perTensor": {"scale": 0.02 * 0.01, "zeroPoint": 0}}
    tensors: list[dict[str, object]] = []
    operators: list[dict[str, object]] = []

    def add(name: str, dtype: str, dims: list[int], encoding: object, **more: object) -> str:
        tensors.append({"name": name, "dtype": dtype, "dims": dims, "encoding": encoding, **more})
        return name

    image = [1, 16, 16, channels]
    last = add("input", "SFIXED_POINT_8", image, activation)
    for block in range(nodes // 2):
        w = add(f"w{block}", "SFIXED_POINT_8", [channels, 3, 3, channels], weight, isStatic=True)
        b = add(f"b{block}", "SFIXED_POINT_32", [channels], product, isStatic=True)
        x = add(f"c{block}", "SFIXED_POINT_8", image, activation)
        operators.append({"op": "CONV_2D", "inputs": [last, w, b], "outputs": [x],
                          "params": {"stride_w": {"int": 1}, "stride_h": {"int": 1}}})
        last = add(f"x{block}", "SFIXED_POINT_8", image, activation)
        operators.append({"op": "RELU", "inputs": [x], "outputs": [last]})
    return {"name": "chain", "dialect": "tflite", "tensors": tensors, "nodes": operators}


def measure(command: list[str]) -> float:
    """Milliseconds of processor time of one run."""
    seconds, done = timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL))
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}")
    return 1000 * seconds


def peak_mb(command: list[str]) -> str:
    """Peak resident memory; GNU time starts the tool, as a child of this process would be
    charged with this process's own memory."""
    gnu_time = shutil.which("time")
    if gnu_time is None:
        return "no time(1)"
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([gnu_time, "-q", "-f", "%M", "-o", out.name, *command],
                       stdout=subprocess.DEVNULL)
        return f"{int(out.read()) / 1024:.0f} MB"


def row(name: str, command: list[str], size: str, runs: int) -> str:
    least = min(measure(command) for _ in range(runs))
    return f"| {name} | {size} | {least:.3g} ms | {peak_mb(command)} |"


def table(cli: str, runs: int) -> str:
    lines = ["| | file | processor time | peak memory |", "|---|--:|--:|--:|",
             row("`--version`", [cli, "--version"], "", runs),
             row("`matrix --by backend`", [cli, "matrix", "--by", "backend", "--format", "json"], "", runs)]
    for nodes, channels in counted("chains measured", CHAINS):
        with tempfile.TemporaryDirectory() as folder:
            onnx, text = Path(folder) / "chain.onnx", Path(folder) / "chain.json"
            content, count = model(nodes, channels)
            onnx.write_bytes(content)
            subprocess.run([cli, "convert", str(onnx), "-o", str(text)], check=True)
            plain, tflite = Path(folder) / "tflite.json", Path(folder) / "chain.tflite"
            plain.write_text(json.dumps(tflite_model(count, channels)))
            subprocess.run([cli, "convert", str(plain), "-o", str(tflite)], check=True)
            for form, path, target in (("ONNX", onnx, HTP), ("Model JSON", text, HTP), ("TFLite", tflite, HTP),
                                       ("TFLite, `--backend tflite`", tflite, ["--backend", "tflite"])):
                lines.append(row(f"{form}, {count:,} nodes, {channels} channels",
                                 [cli, "check", str(path), *target],
                                 f"{path.stat().st_size / 1e6:.1f} MB",
                                 runs if nodes <= 1000 else 3))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--page", type=Path, help="writes the table into it")
    arguments = parser.parse_args()
    found = table(arguments.cli, arguments.runs)
    print(found)
    if arguments.page:
        page = arguments.page.read_text()
        arguments.page.write_text(replaced(page, MARKS, f"\n\n{found}\n\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
