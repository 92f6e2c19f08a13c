#!/usr/bin/env python3
"""Writes tests/conformance/ort/models/attributes_*.onnx: operators with each value of their attributes.

What an op of the backend takes says nothing about what the provider makes of an attribute that QNN
has no word for: it leaves the node to the CPU, or builds something else. A node is called
<Op>.<values>.<datatype>; the datatypes are those of cases.py.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T

from cases import I2, I3, I4, Cases

DATATYPES = ("u8", "u16", "float")
COORDINATES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_half_pixel_for_nn",
               "half_pixel_symmetric")
NEAREST = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")


def resize(g: Cases) -> None:
    scales = g.const("resize_scales", [1.0, 1.0, 2.0, 2.0], T.FLOAT)
    for coordinates in COORDINATES:
        for nearest in NEAREST:
            g.case("Resize", [g.x(I4), "", scales], [1, 16, 16, 16], f"nearest.{coordinates}.{nearest}",
                   mode="nearest", coordinate_transformation_mode=coordinates, nearest_mode=nearest)
        for mode in ("linear", "cubic"):
            g.case("Resize", [g.x(I4), "", scales], [1, 16, 16, 16], f"{mode}.{coordinates}", mode=mode,
                   coordinate_transformation_mode=coordinates)
    for factor, size in ((0.5, 4), (1.5, 12), (3.0, 24)):
        by = g.const(f"resize_by_{size}", [1.0, 1.0, factor, factor], T.FLOAT)
        for mode in ("nearest", "linear", "cubic"):
            g.case("Resize", [g.x(I4), "", by], [1, 16, size, size], f"{mode}.to_{size}", mode=mode)
    half = g.const("resize_half", [1.0, 1.0, 0.5, 0.5], T.FLOAT)
    g.case("Resize", [g.x(I4), "", half], [1, 16, 4, 4], "antialias", mode="linear", antialias=1)
    channels = g.const("resize_channels", [1.0, 2.0, 2.0, 2.0], T.FLOAT)
    g.case("Resize", [g.x(I4), "", channels], [1, 32, 16, 16], "channels", mode="nearest", nearest_mode="floor")


def windows(g: Cases) -> None:
    for op in ("AveragePool", "MaxPool"):
        for form, size, attrs in (
                ("ceil", 4, {"ceil_mode": 1, "strides": [2, 2]}),
                ("ceil.pads", 5, {"ceil_mode": 1, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
                ("same_upper", 8, {"auto_pad": "SAME_UPPER"}),
                ("same_lower", 8, {"auto_pad": "SAME_LOWER"}),
                ("pads", 8, {"pads": [1, 1, 1, 1]}),
                ("uneven_pads", 7, {"pads": [0, 1, 1, 0]})):
            g.case(op, [g.x(I4)], [1, 16, size, size], form, kernel_shape=[3, 3], **attrs)
    g.case("MaxPool", [g.x(I4)], [1, 16, 4, 4], "dilations", kernel_shape=[3, 3], dilations=[2, 2])
    for form, attrs in (("include_pad", {}), ("include_pad.ceil", {"ceil_mode": 1})):
        g.case("AveragePool", [g.x(I4)], I4, form, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1,
               **attrs)
    for p in (1, 2, 3):
        g.case("LpPool", [g.x(I4)], [1, 16, 6, 6], f"p{p}", kernel_shape=[3, 3], p=p)
    weight = g.constant("transposed", [16, 16, 3, 3], "w_s8")
    for form, size, attrs in (("dilations", 12, {"dilations": [2, 2]}), ("same_upper", 16, {
            "auto_pad": "SAME_UPPER", "strides": [2, 2]}), ("output_padding", 18, {
                "strides": [2, 2], "output_padding": [1, 1]}), ("output_shape", 16, {
                    "strides": [2, 2], "output_shape": [16, 16]})):
        g.case("ConvTranspose", [g.x(I4), weight], [1, 16, size, size], form, kernel_shape=[3, 3], **attrs)
    filters = g.constant("filters", [16, 16, 3, 3], "w_s8")
    for form, size, attrs in (("same_lower", 8, {"auto_pad": "SAME_LOWER"}), ("valid", 6, {"auto_pad": "VALID"}),
                              ("dilations", 4, {"dilations": [2, 2]}), ("uneven_pads", 7, {"pads": [0, 1, 1, 0]})):
        g.case("Conv", [g.x(I4), filters], [1, 16, size, size], form, kernel_shape=[3, 3], **attrs)


def padding(g: Cases) -> None:
    pads = g.ints("pads", [0, 0, 1, 1, 0, 0, 1, 1])
    for mode in ("constant", "reflect", "edge", "wrap"):
        g.case("Pad", [g.x(I4), pads], [1, 16, 10, 10], mode, mode=mode)
    for value in (1.0, -5.0):
        g.case("Pad", [g.x(I4), pads, g.const(f"pad_{value}", value, T.FLOAT)], [1, 16, 10, 10],
               f"constant.{value:g}", mode="constant")
    g.case("Pad", [g.x(I4), g.ints("negative_pads", [0, 0, -1, -1, 0, 0, -1, -1])], [1, 16, 6, 6], "negative")
    g.case("Pad", [g.x(I4), g.ints("pads_one", [1, 1]), "", g.ints("pad_axes", [3])], [1, 16, 8, 10], "axes")
    for mode, edge in itertools.product(("linear", "nearest", "cubic"), ("zeros", "border", "reflection")):
        g.case("GridSample", [g.x(I4), g.x([1, 8, 8, 2])], I4, f"{mode}.{edge}", mode=mode, padding_mode=edge)


def axes(g: Cases) -> None:
    for axis in (1, 2, 3, -1):
        sizes = I4[axis:] if axis > 0 else I4[-1:]
        gamma = g.const(f"gamma{axis}", np.ones(sizes), T.FLOAT)
        if not g.activation:
            g.case("LayerNormalization", [g.x(I4), gamma], I4, f"axis{axis}", axis=axis)
        for op, kind in (("Softmax", "unit"), ("LogSoftmax", "wide"), ("LpNormalization", "both")):
            g.case(op, [g.x(I4)], I4, f"axis{axis}", kind=kind, axis=axis)
    for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2", "ReduceL1",
               "ReduceLogSumExp", "ReduceSumSquare", "ReduceLogSum"):
        g.case(op, [g.x(I4)], I4, "noop", noop_with_empty_axes=1)
        g.case(op, [g.x(I4)], [], "all", keepdims=0)
        g.case(op, [g.x(I4), g.ints("axis1", [1])], [1, 1, 8, 8], "channels")
    for op in ("ArgMax", "ArgMin"):
        g.case(op, [g.x(I4)], [1, 16, 8], "flat", dtype=T.INT64, axis=-1, keepdims=0)
        g.case(op, [g.x(I4)], [1, 1, 8, 8], "last_index", dtype=T.INT64, axis=1, select_last_index=1)
    for exclusive, reverse in itertools.product((0, 1), repeat=2):
        g.case("CumSum", [g.x(I2), g.const(f"cumsum_axis{exclusive}{reverse}", 1, T.INT64)], I2,
               f"exclusive{exclusive}.reverse{reverse}", exclusive=exclusive, reverse=reverse)


def scatters(g: Cases) -> None:
    for reduction in ("none", "add", "mul", "max", "min"):
        g.case("ScatterElements", [g.x(I2), g.ints("columns", np.arange(8).reshape(1, 8) % 4), g.x([1, 8])], I2,
               reduction, axis=0, reduction=reduction)
        g.case("ScatterND", [g.x(I2), g.ints("two_rows", [[1], [2]]), g.x([2, 16])], I2, reduction,
               reduction=reduction)
    g.case("ScatterND", [g.x(I2), g.ints("row_from_the_end", [[-1], [0]]), g.x([2, 16])], I2, "negative")
    g.case("Gather", [g.x(I2), g.ints("from_the_end", [-1, 0])], [2, 16], "negative")
    g.case("GatherElements", [g.x(I2), g.ints("elements_from_the_end", [[-1] * 8])], [1, 8], "negative", axis=0)
    g.case("GatherND", [g.x(I2), g.ints("one_each", [[0], [1], [2], [3]])], [4], "batch_dims", batch_dims=1)


def activations(g: Cases) -> None:
    for op, form, attrs in (("Gelu", "tanh", {"approximate": "tanh"}), ("HardSigmoid", "v3", {
            "alpha": 1 / 6, "beta": 0.5}), ("Elu", "half", {"alpha": 0.5}), ("Celu", "", {}), ("Celu", "half", {
                "alpha": 0.5}), ("LeakyRelu", "half", {"alpha": 0.5}), ("ThresholdedRelu", "half", {"alpha": 0.5}),
            ("Shrink", "", {}), ("Hardmax", "", {}), ("Tan", "", {}), ("Trilu", "", {}), ("Trilu", "lower", {
                "upper": 0})):
        g.case(op, [g.x(I4)], I4, form, **attrs)
    g.case("Clip", [g.x(I4), g.input(f"computed_bound.{g.name}", [])], I4, "computed_bound")
    for exponent in (2.0, 0.5, 3.0):
        g.case("Pow", [g.x(I4), g.const(f"exponent{exponent}", exponent, T.FLOAT)], I4, f"{exponent:g}")
    for equation, first, second, result in (
            ("bhid,bhjd->bhij", [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 4]), ("bij,bkj->bik", I3, I3, [1, 8, 8]),
            ("bhwc,hkc->bhwk", [1, 4, 4, 8], [4, 4, 8], [1, 4, 4, 4])):
        g.case("Einsum", [g.x(first), g.x(second, 1)], result, equation.replace(",", "_").replace("->", "_"),
               equation=equation)


def blocks(g: Cases) -> None:
    """Weights that are quantized in blocks, along the input or the output channels."""
    # Beside activations of 8 bits ONNX Runtime's own kernel refuses weights of 8.
    for bits, kind in ((4, T.INT4), (8, T.INT8))[:1 if g.name == "u8" else 2]:
        for size, axis in ((4, 0), (8, 0), (16, 0), (16, 1)):
            name = f"s{bits}_blocks_of_{size}" + ("_out" if axis else "")
            shape = [64 // size, 32] if axis == 0 else [64, 32 // size]
            values = g._rng.integers(-7, 8, (64, 32))
            g.inits.append(onnx.helper.make_tensor(f"{name}_q", kind, [64, 32], values.flatten()))
            scale = g.const(f"{name}_scale", np.full(shape, 0.01), T.FLOAT)
            g.nodes.append(onnx.helper.make_node("DequantizeLinear", [f"{name}_q", scale], [f"{name}_dq"],
                                                 f"{name}_DequantizeLinear", axis=axis, block_size=size))
            g.case("MatMul", [g.x([1, 8, 64]), f"{name}_dq"], [1, 8, 32], name)


def write(out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in DATATYPES:
        g = Cases(name)
        for group in (resize, windows, padding, axes, scatters, activations, *((blocks,) if g.activation else ())):
            group(g)
        paths.append(out / f"attributes_{name}.onnx")
        onnx.save(g.model(f"attributes_{name}"), paths[-1])
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1
          else Path(__file__).resolve().parents[4] / "tests" / "conformance" / "ort" / "models")
