#!/usr/bin/env python3
"""Writes tests/conformance/ort/models: one small op a node, over datatypes and weight forms.

No net has all of these; each node is asked alone. A node is called <Op>[.<form>].<datatype>.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

from qdq import Branches

# Activation datatypes: (name, ONNX type, encoding of [-2.56, 2.54], of [0, 1), of [-1, 1)).
# "float" is an op written without Q and DQ.
ACTIVATIONS = {
    "u8": (T.UINT8, (0.02, 128), (1 / 256, 0), (1 / 128, 128)),
    "s8": (T.INT8, (0.02, 0), (1 / 256, -128), (1 / 128, 0)),
    "u16": (T.UINT16, (0.0001, 32768), (1 / 65536, 0), (1 / 32768, 32768)),
    "s16": (T.INT16, (0.0001, 0), (1 / 65536, -32768), (1 / 32768, 0)),
    "float": None,
}
WEIGHTS = {"w_u8": (T.UINT8, 0.01, 128), "w_s8": (T.INT8, 0.01, 0), "w_u16": (T.UINT16, 0.0001, 32768),
           "w_s16": (T.INT16, 0.0001, 0), "w_u8_asymmetric": (T.UINT8, 0.01, 99)}

I4 = [1, 16, 8, 8]
I3 = [1, 8, 16]
I2 = [4, 16]


class Cases(Branches):
    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.activation = ACTIVATIONS[name]
        self._inputs: dict[tuple, str] = {}

    def encoding(self, kind="wide"):
        if self.activation is None:
            return None
        dtype, wide, unit, both = self.activation
        return (dtype, *{"wide": wide, "unit": unit, "both": both}[kind])

    def x(self, shape, index=0):
        key = (tuple(shape), index)
        if key not in self._inputs:
            name = "in" + "x".join(map(str, shape)) + (f"_{index}" if index else "")
            self.input(name, shape)
            self._inputs[key] = (self.quantize(name, f"{name}_act", *self.encoding())
                                 if self.activation else name)
        return self._inputs[key]

    def ints(self, tag, values):
        name = f"c_{tag}"
        if all(i.name != name for i in self.inits):
            self.const(name, values, T.INT64)
        return name

    def case(self, op, inputs, shape, form="", kind="wide", outputs=1, dtype=T.FLOAT, **attrs):
        name = ".".join(filter(None, (op, form, self.name)))
        results = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, name, **attrs))
        for result in results:
            if self.activation and dtype == T.FLOAT:
                result = self.quantize(result, result, *self.encoding(kind))
            self.outputs.append(helper.make_tensor_value_info(result, dtype, shape))

    def constant(self, name, shape, form):
        """A weight in one of WEIGHTS, or float where the activations are."""
        if self.activation:
            dtype, scale, zero_point = WEIGHTS[form]
            return self.weight(f"{name}_{form}", shape, dtype, scale, zero_point)
        return self.const(f"{name}_float", self._rng.standard_normal(shape), T.FLOAT)


def elementwise(g: Cases) -> None:
    for op in ("Relu", "LeakyRelu", "Elu", "Gelu", "HardSwish", "HardSigmoid", "Abs", "Neg", "Exp",
               "Sqrt", "Log", "Sin", "Cos", "Asin", "Atan", "Floor", "Ceil", "Round", "Sign", "Erf",
               "Softplus", "Softsign", "Mish", "Selu", "ThresholdedRelu", "Reciprocal"):
        g.case(op, [g.x(I4)], I4)
    g.case("Gelu", [g.x(I3)], I3, "rank3")
    g.case("Sigmoid", [g.x(I4)], I4, kind="unit")
    g.case("Tanh", [g.x(I4)], I4, kind="both")
    g.case("Softmax", [g.x(I4)], I4, "last", kind="unit", axis=-1)
    g.case("Softmax", [g.x(I4)], I4, "channel", kind="unit", axis=1)
    g.case("LogSoftmax", [g.x(I3)], I3, axis=-1)
    low, high = g.const("clip_low", 0.0, T.FLOAT), g.const("clip_high", 6.0, T.FLOAT)
    g.case("Clip", [g.x(I4), low, high], I4)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Mod"):
        attrs = {"fmod": 1} if op == "Mod" else {}
        g.case(op, [g.x(I4), g.x(I4, 1)], I4, **attrs)
    g.case("Add", [g.x(I4), g.x([1, 16, 1, 1])], I4, "broadcast")
    if g.activation:
        g.case("Add", [g.x(I4), g.constant("addend", [1, 16, 1, 1], "w_u8")], I4, "constant_u8")
        g.case("Add", [g.x(I4), "in1x16x8x8"], I4, "other_float")
    g.case("PRelu", [g.x(I4), g.constant("slope", [16, 1, 1], "w_u8")], I4)
    for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        g.case(op, [g.x(I4), g.x(I4, 1)], I4, dtype=T.BOOL)
    g.case("Where", [g.input("condition", I4, T.BOOL), g.x(I4), g.x(I4, 1)], I4)


def movement(g: Cases) -> None:
    g.case("Reshape", [g.x(I4), g.ints("flat", [1, 1024])], [1, 1024])
    g.case("Flatten", [g.x(I4)], [1, 1024], axis=1)
    g.case("Squeeze", [g.x([1, 16, 1, 8]), g.ints("axis2", [2])], [1, 16, 8])
    g.case("Unsqueeze", [g.x(I3), g.ints("axis1", [1])], [1, 1, 8, 16])
    g.case("Transpose", [g.x(I4)], [1, 8, 8, 16], perm=[0, 2, 3, 1])
    g.case("Transpose", [g.x([1, 2, 3, 4, 5])], [1, 3, 2, 5, 4], "rank5", perm=[0, 2, 1, 4, 3])
    g.case("Concat", [g.x(I4), g.x(I4, 1)], [1, 32, 8, 8], axis=1)
    g.case("Split", [g.x(I4)], [1, 8, 8, 8], outputs=2, axis=1, num_outputs=2)
    g.case("Slice", [g.x(I4), g.ints("starts", [0]), g.ints("ends", [8]), g.ints("axis1", [1])],
           [1, 8, 8, 8])
    g.case("Slice", [g.x(I4), g.ints("starts", [0]), g.ints("ends", [8]), g.ints("axis2", [2]),
                     g.ints("steps", [2])], [1, 16, 4, 8], "stride2")
    g.case("Gather", [g.x(I4), g.ints("indices", [0, 3, 5])], [1, 3, 8, 8], axis=1)
    g.case("GatherElements", [g.x(I2), g.ints("element_indices", np.zeros((4, 8), int))], [4, 8],
           axis=1)
    g.case("GatherND", [g.x(I2), g.ints("nd_indices", [[0, 1], [2, 3]])], [2])
    g.case("ScatterND", [g.x(I2), g.ints("row_indices", [[0], [2]]), g.x([2, 16])], I2)
    g.case("ScatterElements", [g.x(I2), g.ints("scatter_indices", np.zeros((4, 8), int)),
                               g.x([4, 8])], I2, axis=1)
    g.case("Expand", [g.x([1, 16, 1, 1]), g.ints("shape4", I4)], I4)
    g.case("Tile", [g.x(I4), g.ints("repeats", [1, 2, 1, 1])], [1, 32, 8, 8])
    pads = g.ints("pads", [0, 0, 1, 1, 0, 0, 1, 1])
    g.case("Pad", [g.x(I4), pads], [1, 16, 10, 10], "constant", mode="constant")
    g.case("Pad", [g.x(I4), pads], [1, 16, 10, 10], "reflect", mode="reflect")
    g.case("Pad", [g.x(I4), pads], [1, 16, 10, 10], "edge", mode="edge")
    g.case("DepthToSpace", [g.x(I4)], [1, 4, 16, 16], "dcr", blocksize=2, mode="DCR")
    g.case("DepthToSpace", [g.x(I4)], [1, 4, 16, 16], "crd", blocksize=2, mode="CRD")
    g.case("SpaceToDepth", [g.x(I4)], [1, 64, 4, 4], blocksize=2)
    sizes = g.const("sizes", [1.0, 1.0, 2.0, 2.0], T.FLOAT)
    g.case("Resize", [g.x(I4), "", sizes], [1, 16, 16, 16], "nearest", mode="nearest",
           coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    g.case("Resize", [g.x(I4), "", sizes], [1, 16, 16, 16], "linear", mode="linear",
           coordinate_transformation_mode="half_pixel")
    g.case("Resize", [g.x(I4), "", sizes], [1, 16, 16, 16], "cubic", mode="cubic",
           coordinate_transformation_mode="half_pixel")
    g.case("CumSum", [g.x(I2), g.const("axis_scalar", 1, T.INT64)], I2)
    g.case("ArgMax", [g.x(I4)], [1, 1, 8, 8], dtype=T.INT64, axis=1)


def reduction(g: Cases) -> None:
    for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"):
        g.case(op, [g.x(I4), g.ints("axes_hw", [2, 3])], [1, 16, 1, 1])
    g.case("ReduceMean", [g.x(I3), g.ints("axis_last", [-1])], [1, 8, 1], "last")
    g.case("MaxPool", [g.x(I4)], [1, 16, 4, 4], kernel_shape=[2, 2], strides=[2, 2])
    g.case("AveragePool", [g.x(I4)], [1, 16, 4, 4], kernel_shape=[2, 2], strides=[2, 2])
    g.case("AveragePool", [g.x(I4)], I4, "padded", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    g.case("LpPool", [g.x(I4)], [1, 16, 4, 4], kernel_shape=[2, 2], strides=[2, 2], p=2)
    g.case("GlobalAveragePool", [g.x(I4)], [1, 16, 1, 1])
    g.case("GlobalMaxPool", [g.x(I4)], [1, 16, 1, 1])
    g.case("LRN", [g.x(I4)], I4, size=3)
    g.case("LpNormalization", [g.x(I3)], I3, axis=-1, p=2)


def weighted(g: Cases) -> None:
    forms = WEIGHTS if g.activation else {"float": None}
    k3 = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    for form in forms:
        g.case("Conv", [g.x(I4), g.constant("conv", [16, 16, 3, 3], form)], I4, form, **k3)
        g.case("Conv", [g.x(I4), g.constant("depthwise", [16, 1, 3, 3], form)], I4,
               f"depthwise.{form}", group=16, **k3)
        g.case("ConvTranspose", [g.x(I4), g.constant("transposed", [16, 16, 2, 2], form)],
               [1, 16, 16, 16], form, kernel_shape=[2, 2], strides=[2, 2])
        g.case("Gemm", [g.x(I2), g.constant("gemm", [8, 16], form)], [4, 8], form, transB=1)
        g.case("MatMul", [g.x(I3), g.constant("matmul", [16, 8], form)], [1, 8, 8], form)
        g.case("LayerNormalization", [g.x(I3), g.constant("gamma", [16], form)], I3, form, axis=-1)
    gamma = g.constant("norm_gamma", [16], "w_u8")
    beta = g.constant("norm_beta", [16], "w_u8")
    g.case("InstanceNormalization", [g.x(I4), gamma, beta], I4)
    g.case("BatchNormalization", [g.x(I4), gamma, beta, g.constant("mean", [16], "w_u8"),
                                  g.const("variance", np.full(16, 1.0), T.FLOAT)], I4)
    g.case("LayerNormalization", [g.x(I3), gamma, beta], I3, "beta_u8", axis=-1)
    g.case("MatMul", [g.x(I3), g.x([1, 16, 8])], [1, 8, 8], "dynamic")
    g.case("Einsum", [g.x(I3), g.x([1, 16, 8])], [1, 8, 8], equation="bij,bjk->bik")
    if not g.activation:
        return
    scales = np.full(16, 0.01)
    g.case("Conv", [g.x(I4), g.weight("conv_pc", (16, 16, 3, 3), T.INT8, scales, 0, 0)], I4,
           "w_s8_per_channel", **k3)
    g.case("Conv", [g.x(I4), g.weight("conv_pc_u8", (16, 16, 3, 3), T.UINT8, scales, 128, 0)], I4,
           "w_u8_per_channel", **k3)
    g.case("Gemm", [g.x(I2), g.weight("gemm_pc", (8, 16), T.INT8, np.full(8, 0.01), 0, 0)], [4, 8],
           "w_s8_per_channel", transB=1)
    g.case("MatMul", [g.x(I3), g.weight("matmul_pc", (16, 8), T.INT8, np.full(8, 0.01), 0, 1)],
           [1, 8, 8], "w_s8_per_channel")
    scale = g.encoding()[1] * 0.01
    g.case("Conv", [g.x(I4), g.constant("conv_b", [16, 16, 3, 3], "w_s8"),
                    g.weight("bias", (16,), T.INT32, scale)], I4, "bias_s32", **k3)
    g.case("Conv", [g.x(I4), g.constant("conv_fb", [16, 16, 3, 3], "w_s8"),
                    g.const("float_bias", np.zeros(16), T.FLOAT)], I4, "bias_float", **k3)
    other = "u16" if g.name == "u8" else "u8"
    dtype, encoding, *_ = ACTIVATIONS[other]
    name = f"Conv.out_{other}.{g.name}"
    g.nodes.append(helper.make_node("Conv", [g.x(I4), g.constant("conv_out", [16, 16, 3, 3], "w_s8")],
                                    [f"{name}_out"], name, **k3))
    result = g.quantize(f"{name}_out", f"{name}_out", dtype, *encoding)
    g.outputs.append(helper.make_tensor_value_info(result, T.FLOAT, I4))
    five = [1, 2, 2, 8, 16]
    g.case("Relu", [g.x(five)], five, "rank5")
    g.case("Gelu", [g.x(five)], five, "rank5")
    g.case("LayerNormalization", [g.x(five), gamma], five, "rank5", axis=-1)
    g.case("MatMul", [g.x(five), g.constant("matmul5", [16, 8], "w_s8")], [1, 2, 2, 8, 8], "rank5")


def write(out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in ACTIVATIONS:
        g = Cases(name)
        for group in (elementwise, movement, reduction, weighted):
            group(g)
        paths.append(out / f"ops_{name}.onnx")
        onnx.save(g.model(f"ops_{name}"), paths[-1])
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1
          else Path(__file__).resolve().parents[2] / "tests" / "conformance" / "ort" / "models")
