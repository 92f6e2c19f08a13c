#!/usr/bin/env python3
"""Makes tests/data/aimet: encodings files as aimet-onnx itself writes them.

    tools/dev/models/aimet/make_aimet.py [--cli build/bin/quantgate] [-o tests/data/aimet]

An example model loses its Q and DQ nodes, AIMET quantizes what is left for HTP v73 and exports its
encodings in each version it knows. The files are unchanged but for their lines: one entry each.
`tools/dev/qgdev models aimet` runs it in a Python environment of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import aimet_onnx
import numpy as np
import onnx
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parents[4]
MODEL = ROOT / "docs" / "examples" / "llama_block_16a8w.onnx"
NAME = "llama_block"
VERSIONS = ("0.6.1", "1.0.0", "2.0.0")  # what this release of AIMET writes
CONFIG = "common/quantsim_config/htp_quantsim_config_v73.json"
BATCHES = 2


def floats(quantized: np.ndarray, scale: np.ndarray, zero: np.ndarray, axis: int) -> np.ndarray:
    shape = [1] * quantized.ndim
    if scale.size > 1:
        shape[axis] = -1
    return ((quantized.astype(np.int64) - zero.astype(np.int64).reshape(shape if zero.size > 1 else ()))
            * scale.reshape(shape if scale.size > 1 else ())).astype(np.float32)


def without_quantizers(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph in float: constants dequantized, Q and DQ nodes taken out."""
    graph = model.graph
    constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    stands_for: dict[str, str] = {}
    weights: dict[str, onnx.TensorProto] = {}
    for node in graph.node:
        if node.op_type == "QuantizeLinear":
            stands_for[node.output[0]] = node.input[0]
        elif node.op_type == "DequantizeLinear" and node.input[0] in constants:
            scale = constants[node.input[1]]
            zero = constants[node.input[2]] if len(node.input) > 2 else np.zeros_like(scale)
            axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
            name = node.input[0].replace("_quantized", "")
            values = floats(constants[node.input[0]], scale, zero, axis)
            weights[name] = numpy_helper.from_array(values, name)
            stands_for[node.output[0]] = name
        elif node.op_type == "DequantizeLinear":
            stands_for[node.output[0]] = makers[node.input[0]].input[0]

    def real(name: str) -> str:
        while name in stands_for:
            name = stands_for[name]
        return name

    nodes = [n for n in graph.node if n.op_type not in ("QuantizeLinear", "DequantizeLinear")]
    for node in nodes:
        for index, name in enumerate(node.input):
            node.input[index] = real(name)
    for output in graph.output:
        output.name = real(output.name)
    used = {name for node in nodes for name in node.input}
    kept = [i for i in graph.initializer if i.name in used]
    kept += [tensor for name, tensor in weights.items() if name in used]
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.initializer.extend(kept)
    model = onnx.shape_inference.infer_shapes(model)
    onnx.checker.check_model(model)
    return model


def one_entry_a_line(text: str) -> str:
    parts = []
    for key, value in json.loads(text).items():
        if key.endswith("encodings") and isinstance(value, dict):
            lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()]
            body = "{\n" + ",\n".join(lines) + "\n}"
        elif key.endswith("encodings"):
            body = "[\n" + ",\n".join(json.dumps(v) for v in value) + "\n]"
        else:
            body = json.dumps(value)
        parts.append(f"{json.dumps(key)}: {body}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "tests" / "data" / "aimet")
    flags = parser.parse_args()
    flags.output.mkdir(parents=True, exist_ok=True)
    model = without_quantizers(onnx.load(MODEL))
    random = np.random.default_rng(1)
    batches = [{i.name: random.random([d.dim_value for d in i.type.tensor_type.shape.dim],
                                      dtype=np.float32) for i in model.graph.input}
               for _ in range(BATCHES)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        onnx.save(model, path / f"{NAME}.onnx")
        subprocess.run([flags.cli, "convert", str(path / f"{NAME}.onnx"), "-o",
                        str(flags.output / f"{NAME}.json")], check=True)
        sim = aimet_onnx.QuantizationSimModel(
            onnx.load(path / f"{NAME}.onnx"), param_type="int8", activation_type="int16",
            config_file=str(Path(aimet_onnx.__path__[0]) / CONFIG))
        sim.compute_encodings(batches)
        for version in VERSIONS:
            sim.export(str(path), f"{NAME}_{version}", encoding_version=version)
            file = f"{NAME}_{version}.encodings"
            (flags.output / file).write_text(one_entry_a_line((path / file).read_text()))
            print(flags.output / file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
