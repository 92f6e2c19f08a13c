"""Models at the limits of numbers, which no drawn model reaches: biases of 64 bits, and sums of weights.

limits.py FILE --vela 5.2=PYTHON …    asks, under a Python with ai-edge-litert; as agree_vela.py does

The file has a letter for each model: n = on the NPU, c = left to the CPU, f = no compiled file.
"""
from __future__ import annotations

import argparse
import base64
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite.agree_vela import CHILD, place  # noqa: E402
from tools.quantgate.python.oracles.children import Child  # noqa: E402

Json = dict[str, Any]
ARCHS = ("u55", "u65", "u85")
IN_SCALE, WEIGHT_SCALE = 0.05, 0.01
KERNELS = {"CONV_2D": [8, 3, 3, 8], "DEPTHWISE_CONV_2D": [1, 3, 3, 8], "TRANSPOSE_CONV": [8, 3, 3, 8]}
BIASES = {"2^39-1": 2**39 - 1, "2^39": 2**39, "2^40-1": 2**40 - 1, "2^40": 2**40, "2^48-1": 2**48 - 1, "2^48": 2**48,
          "-2^39+1": 1 - 2**39, "-2^39": -2**39, "-2^62": -2**62}


def tensor(name: str, dtype: str, dims: list[int], scale: float, **more: Any) -> Json:
    return {"name": name, "dtype": dtype, "dims": dims, "encoding": {"perTensor": {"scale": scale, "zeroPoint": 0}}, **more}


def constant(name: str, dtype: str, dims: list[int], scale: float, values: list[int]) -> Json:
    return tensor(name, dtype, dims, scale, isStatic=True, values=values)


def model(op: str, inputs: list[Json], output: Json, params: dict[str, int | bool]) -> Json:
    written = {key: {"flag" if isinstance(value, bool) else "int": value} for key, value in params.items()}
    node = {"name": op, "op": op, "inputs": [each["name"] for each in inputs], "outputs": ["y"], "params": written}
    return {"dialect": "tflite", "tensors": [*inputs, output], "nodes": [node]}


def dense(width: int, weight: int, bias: list[int], dtype: str = "SFIXED_POINT_8", bias_dtype: str = "SFIXED_POINT_32") -> Json:
    return model("FULLY_CONNECTED", [tensor("x", dtype, [1, width], IN_SCALE),
                                     constant("w", "SFIXED_POINT_8", [2, width], WEIGHT_SCALE, [weight]),
                                     constant("b", bias_dtype, [2], IN_SCALE * WEIGHT_SCALE, bias)],
                 tensor("y", dtype, [1, 2], 0.5), {"keep_num_dims": False, "weights_format": 0})


def biased(op: str, bias: int) -> Json:
    params: dict[str, int | bool] = {"padding": 0, "stride_w": 1, "stride_h": 1}
    inputs = [tensor("x", "SFIXED_POINT_16", [1, 8, 8, 8], IN_SCALE),
              constant("w", "SFIXED_POINT_8", KERNELS[op], WEIGHT_SCALE, [1]),
              constant("b", "INT_64", [8], IN_SCALE * WEIGHT_SCALE, [bias, *[0] * 7])]
    if op == "TRANSPOSE_CONV":
        shape = {"name": "s", "dtype": "INT_32", "dims": [4], "isStatic": True, "values": [1, 8, 8, 8]}
        inputs = [shape, inputs[1], inputs[0], inputs[2]]
    else:
        params |= {"dilation_w_factor": 1, "dilation_h_factor": 1}
    if op == "DEPTHWISE_CONV_2D":
        params["depth_multiplier"] = 1
    return model(op, inputs, tensor("y", "SFIXED_POINT_16", [1, 8, 8, 8], 0.5), params)


def summed(channels: int, weight: int) -> Json:
    """A convolution of 4 x 4 x channels weights."""
    inputs = [tensor("x", "SFIXED_POINT_8", [1, 4, 4, channels], IN_SCALE),
              constant("w", "SFIXED_POINT_8", [1, 4, 4, channels], WEIGHT_SCALE, [weight]),
              constant("b", "SFIXED_POINT_32", [1], IN_SCALE * WEIGHT_SCALE, [0])]
    params: dict[str, int | bool] = {"padding": 1, "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
    return model("CONV_2D", inputs, tensor("y", "SFIXED_POINT_8", [1, 1, 1, 1], 0.5), params)


def models() -> dict[str, Json]:
    made = {f"FULLY_CONNECTED bias {name}": dense(64, 1, [bias, bias], "SFIXED_POINT_16", "INT_64") for name, bias in BIASES.items()}
    for op in KERNELS:
        made |= {f"{op} bias {name}": biased(op, bias) for name, bias in BIASES.items()}
    for width, weight in ((64, 127), (65535, 127), (65536, 1), (65537, 1), (65600, 127)):
        made[f"FULLY_CONNECTED {width} x {weight}"] = dense(width, weight, [0, 0])
    for channels, weight in ((4096, 127), (4112, 1), (4112, 126), (4112, 127), (4112, -126), (4112, -127)):
        made[f"CONV_2D {16 * channels} x {weight}"] = summed(channels, weight)
    return made


def main() -> None:
    from tools.dev.tflite.model_bytes import model_bytes

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--vela", nargs="+", default=[], metavar="VERSION=PYTHON")
    arguments = parser.parse_args()
    data = {name: base64.b64encode(model_bytes(each)).decode() for name, each in models().items()}
    places = {}
    for sdk, python in (each.split("=", 1) for each in arguments.vela):
        child = Child([python, str(CHILD)], 60)
        for arch in ARCHS:
            places[f"{sdk} {arch}"] = {name: place(child.query({"arch": arch, "model": each})) for name, each in data.items()}
        child.stop()
    by_model = {name: " ".join(f"{target} {answers[name]}" for target, answers in places.items()) for name in data}
    arguments.file.write_text(json.dumps(by_model, indent=1) + "\n")


if __name__ == "__main__":
    main()
