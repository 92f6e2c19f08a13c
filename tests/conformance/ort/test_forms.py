#!/usr/bin/env python3
"""Forms of operators that the provider of a version leaves to the CPU, and the nearest ones that it takes.

    test_forms.py [--cli CLI]

Those of 2.47 to 2.51 were asked (onnxruntime-qnn 2.3 to 2.7, V73, one operator a model); older ones are by the
conditions of the builders in the provider's sources.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/reports"))
import compact  # noqa: E402

CLI = str(ROOT / "build/bin/quantgate")
X = "f32[1,4,4,8]"


def form(op: str, *inputs: str, outputs: tuple[str, ...] = (X,), opset: int = 21, domain: str = "",
         **params: Any) -> dict:
    """A model of one operator, `node`; the tensors as in tests/reports/README.md."""
    ins, outs = [f"i{i}" for i in range(len(inputs))], [f"o{i}" for i in range(len(outputs))]
    tensors = {name: tensor for name, tensor in zip(ins + outs, inputs + outputs) if tensor}
    used = [name if tensor else "" for name, tensor in zip(ins, inputs)]
    return {"dialect": "onnx", "opset": opset, "tensors": tensors,
            "nodes": {"node": {"op": op, "domain": domain, "in": used, "out": outs, "params": params}}}


# What is refused, by which SDKs, and by which it is taken.
FORMS = {
    "Attention of operator set 23": (form("Attention", *["f32[1,8,16,64]"] * 3, outputs=("f32[1,8,16,64]",), opset=23),
                                     ("2.49",), ()),
    "mask of Dropout": (form("Dropout", "f32[4,8]", "const f32[] = 0.5", outputs=("f32[4,8]", "bool[4,8]")), ("2.51",), ()),
    "bias in two dimensions behind a transposed Gemm": (form("Gemm", "f32[8,4]", "f32[8,4]", "f32[1,4]", outputs=("f32[4,4]",),
                                                             transA=1), (), ("2.51",)),
    "GroupNormalization of a signal": (form("GroupNormalization", "f32[1,8,64]", "const f32[8] = 1", "const f32[8] = 0",
                                            outputs=("f32[1,8,64]",), num_groups=4), (), ("2.49", "2.51")),
    "three inputs of Max": (form("Max", X, X, X), ("2.48", "2.50"), ("2.51",)),
    "three inputs of Sum": (form("Sum", X, X, X), ("2.50",), ("2.51",)),
    "four inputs of Min": (form("Min", X, X, X, X), ("2.50",), ("2.51",)),
    "computed axes of Unsqueeze": (form("Unsqueeze", "f32[4,8]", "i64[1]", outputs=("f32[1,4,8]",)), (),
                                   ("2.47", "2.51")),
    "computed axes of Squeeze": (form("Squeeze", "f32[1,4,8]", "i64[1]", outputs=("f32[4,8]",)), (), ("2.47", "2.51")),
    "constant axes of Unsqueeze": (form("Unsqueeze", "f32[4,8]", "const i64[1] = 0", outputs=("f32[1,4,8]",)), (),
                                   ("2.51",)),
    "computed value of Pad": (form("Pad", "f32[4,8]", "const i64[4] = 0, 1, 0, 1", "f32[]", outputs=("f32[4,10]",)),
                              ("2.51",), ()),
    "output_shape of ConvTranspose": (form("ConvTranspose", "f32[1,4,8,8]", "const f32[4,8,4,4]",
                                           outputs=("f32[1,8,16,16]",), kernel_shape=[4, 4], strides=[2, 2],
                                           output_shape=[16, 16]), ("2.40",), ("2.51",)),
    "rank 2 of LRN": (form("LRN", "f32[4,8]", outputs=("f32[4,8]",), size=3), ("2.51",), ()),
    "smallest of TopK": (form("TopK", X, "const i64[1] = 3", outputs=("f32[1,4,4,3]", "i64[1,4,4,3]"), largest=0),
                         ("2.36",), ()),
    "another axis of TopK": (form("TopK", X, "const i64[1] = 1", outputs=("f32[1,1,4,8]", "i64[1,1,4,8]"), axis=1),
                             ("2.35",), ("2.51",)),
    "GridSample by the name of opset 20": (form("GridSample", "f32[1,4,8,8]", "f32[1,4,8,2]",
                                                outputs=("f32[1,4,4,8]",), mode="linear"), ("2.36",), ("2.51",)),
    "bias of Gemm in two dimensions": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[1,4] = 0.5",
                                            outputs=("f32[4,4]",)), ("2.36",), ("2.51",)),
    "one number as bias of Gemm": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[1] = 0.5",
                                        outputs=("f32[4,4]",)), ("2.50",), ("2.51",)),
    "Softmax over the first axes below opset 13": (form("Softmax", "f32[4,8]", outputs=("f32[4,8]",), opset=11,
                                                        axis=0), ("2.25",), ("2.51",)),
    "vector by matrix": (form("MatMul", "f32[8]", "f32[8,4]", outputs=("f32[4]",)), (), ("2.51",)),
    "matrix by vector": (form("MatMul", "f32[4,8]", "f32[8]", outputs=("f32[4]",)), (), ("2.51",)),
    "vector by vector": (form("MatMul", "f32[8]", "f32[8]", outputs=("f32[]",)), (), ("2.51",)),
    "booleans in GatherElements": (form("GatherElements", "bool[2,4]", "const i64[2,1] = 0", outputs=("bool[2,1]",),
                                        axis=1), (), ("2.51",)),
    "quantized bounds of Clip": (form("Clip", "u8[1,4,4,8] 0.1/0", "const u8[] 0.1/0 = 0", "const u8[] 0.1/0 = 60",
                                      outputs=("u8[1,4,4,8] 0.1/0",)), ("2.36",), ()),
    "reduction of ScatterND": (form("ScatterND", "f32[4,8]", "const i64[1,1] = 0", "f32[1,8]", outputs=("f32[4,8]",),
                                    reduction="add"), ("2.34",), ("2.51",)),
    "Swish": (form("Swish", X, opset=24), ("2.50",), ()),
    "booleans in Slice": (form("Slice", "bool[4,8]", "const i64[1] = 0", "const i64[1] = 2", outputs=("bool[2,8]",)),
                          ("2.50",), ("2.51",)),
    "booleans in Expand": (form("Expand", "bool[1,8]", "const i64[2] = 4, 8", outputs=("bool[4,8]",)), ("2.35",),
                           ("2.48", "2.51")),
    "Gemm with beta 0": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[4] = 0.5", outputs=("f32[4,4]",),
                              beta=0.0), (), ("2.48", "2.51")),
    "Gemm with beta 2": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[4] = 0.5", outputs=("f32[4,4]",),
                              beta=2.0), ("2.51",), ()),
    "IsInf": (form("IsInf", X, outputs=("bool[1,4,4,8]",)), ("2.48", "2.50", "2.51"), ()),
    "GRU": (form("GRU", "f32[3,1,4]", "const f32[1,24,4] = 0.5", "const f32[1,24,8] = 0.5", outputs=("f32[3,1,1,8]",),
                 hidden_size=8), ("2.47",), ("2.48", "2.50", "2.51")),
    "GRU in both directions": (form("GRU", "f32[3,2,4]", "const f32[2,24,4] = 0.5", "const f32[2,24,8] = 0.5",
                                    outputs=("f32[3,2,2,8]", "f32[2,2,8]"), hidden_size=8, direction="bidirectional"),
                               ("2.47",), ("2.48", "2.50", "2.51")),
    "STFT with a window": (form("STFT", "f32[1,64,1]", "const i64[] = 8", "const f32[16] = 0.5",
                                outputs=("f32[1,7,9,2]",)), ("2.37",), ("2.48", "2.50", "2.51")),
    "STFT without a window": (form("STFT", "f32[1,64]", "const i64[] = 8", "", "const i64[] = 16",
                                   outputs=("f32[1,7,9,2]",)), ("2.37",), ("2.48", "2.50", "2.51")),
    "STFT in half precision": (form("STFT", "f16[1,64,1]", "const i64[] = 8", "const f16[16] = 0.5",
                                    outputs=("f16[1,7,9,2]",)), ("2.51",), ()),
    "RotaryEmbedding": (form("RotaryEmbedding", "f32[1,2,8,64]", "f32[1,8,32]", "f32[1,8,32]",
                             outputs=("f32[1,2,8,64]",), opset=23), ("2.48", "2.50"), ("2.51",)),
    "RotaryEmbedding with positions": (form("RotaryEmbedding", "f32[1,2,8,64]", "const f32[16,32] = 0.5",
                                            "const f32[16,32] = 0.5", "i64[1,8]", outputs=("f32[1,2,8,64]",), opset=23),
                                       ("2.50",), ("2.51",)),
    "IsNaN": (form("IsNaN", X, outputs=("bool[1,4,4,8]",)), (), ("2.48", "2.50", "2.51")),
    "a batch of rows in InstanceNormalization": (form("InstanceNormalization", "f32[2,4,8]", "const f32[4] = 0.5",
                                                      "const f32[4] = 0.5", outputs=("f32[2,4,8]",)), ("2.16",),
                                                 ("2.48", "2.51")),
    "quantized RMSNormalization": (form("RMSNormalization", "u8[4,8] 0.02/128", "const u8[8] 0.02/128",
                                        outputs=("u8[4,8] 0.02/128",), opset=23), (), ("2.48", "2.49", "2.50")),
    "half precision in CumSum": (form("CumSum", "f16[2,4,8]", "const i64[] = 2", outputs=("f16[2,4,8]",)), (),
                                 ("2.48", "2.51")),
    "a vector in ArgMin": (form("ArgMin", "f32[8]", outputs=("i64[]",), keepdims=0), (), ("2.48", "2.51")),
    # By the pull requests and sources, as above.
    "cubic Resize": (form("Resize", "f32[1,4,8,8]", "", "const f32[4] = 1, 1, 2, 2", outputs=("f32[1,4,16,16]",),
                          mode="cubic"), ("2.42",), ("2.51",)),
    "Pad by nothing": (form("Pad", "f32[4,8]", "const i64[4] = 0, 0, 0, 0", outputs=("f32[4,8]",)), ("2.42",),
                       ("2.51",)),
    "allowzero of Reshape": (form("Reshape", "f32[4,8]", "const i64[2] = 8, 4", outputs=("f32[8,4]",), allowzero=1),
                             ("2.41",), ("2.51",)),
    "half precision in Expand": (form("Expand", "f16[1,8]", "const i64[2] = 4, 8", outputs=("f16[4,8]",)), ("2.37",),
                                 ("2.51",)),
    "unsigned weights per channel": (form("Conv", "u8[1,4,8,8] 0.02/128", "const u8[8,4,1,1] 0.01/128@0",
                                          outputs=("u8[1,8,8,8] 0.02/128",)), ("2.36",), ()),
    "signed weights per channel": (form("Conv", "u8[1,4,8,8] 0.02/128", "const s8[8,4,1,1] 0.01@0",
                                        outputs=("u8[1,8,8,8] 0.02/128",)), ("2.21",), ("2.51",)),
    "weights of four bits": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const s4[8,4,1,1] 0.01@0",
                                  outputs=("u16[1,8,8,8] 0.001/32768",)), ("2.23",), ("2.51",)),
    "unsigned 16-bit weights": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const u16[8,4,1,1] 0.001/32768",
                                     outputs=("u16[1,8,8,8] 0.001/32768",)), ("2.34",), ("2.51",)),
    "unsigned 16-bit weights over a sequence": (form("Conv", "u16[1,4,8] 0.001/32768", "const u16[8,4,1] 0.001/35000",
                                                     outputs=("u16[1,8,8] 0.001/32768",)), ("2.51",), ()),
    "symmetric unsigned 16-bit weights over a sequence": (
        form("Conv", "u16[1,4,8] 0.001/32768", "const u16[8,4,1] 0.001/32768", outputs=("u16[1,8,8] 0.001/32768",)), (),
        ("2.51",)),
    "unsigned 16-bit weights with any zero point over an image": (
        form("Conv", "u16[1,4,8,8] 0.001/32768", "const u16[8,4,1,1] 0.001/35000",
             outputs=("u16[1,8,8,8] 0.001/32768",)), (), ("2.51",)),
    "int16 in Expand": (form("Expand", "s16[1,8] 0.001/0", "const i64[2] = 4, 8", outputs=("s16[4,8] 0.001/0",)),
                        ("2.51",), ()),
    "uint16 in Expand": (form("Expand", "u16[1,8] 0.001/32768", "const i64[2] = 4, 8",
                              outputs=("u16[4,8] 0.001/32768",)), (), ("2.51",)),
    "int64 input of the model": (form("Reshape", "i64[4,8]", "const i64[2] = 8, 4", outputs=("i64[8,4]",)), ("2.32",),
                                 ("2.51",)),
    "an equation of Einsum that came later": (form("Einsum", "f32[1,2,3,4]", "f32[2,5,4]", outputs=("f32[1,2,3,5]",),
                                                   equation="bhwc,hkc->bhwk"), ("2.36",), ("2.51",)),
    "floats to booleans": (form("Cast", "f32[4,8]", outputs=("bool[4,8]",), to=9), ("2.33",), ("2.50", "2.51")),
    "signed scale of InstanceNormalization": (form("InstanceNormalization", "u8[1,4,8,8] 0.02/128",
                                                   "const s8[4] 0.01/0", "const s32[4] 0.0002/0",
                                                   outputs=("u8[1,4,8,8] 0.02/128",)), ("2.35",), ("2.51",)),
    "half precision slope of PRelu": (form("PRelu", X, "const f32[8] = 0.1"), ("2.21",), ("2.51",)),
    "Bernoulli": (form("Bernoulli", X), ("2.49",), ()),
    # Of the 9,148 forms that were put to onnxruntime-qnn 2.3 to 2.7.
    "bounds of Clip as attributes": (form("Clip", X, opset=6, min=-1.0, max=1.0), ("2.47", "2.51"), ()),
    "k of TopK as an attribute": (form("TopK", X, outputs=("f32[1,4,4,3]", "i64[1,4,4,3]"), opset=9, k=3),
                                  ("2.47", "2.51"), ()),
    "computed shape of Expand": (form("Expand", "f32[1,8]", "i64[2]", outputs=("f32[4,8]",)), ("2.47", "2.51"), ()),
    "negative pads that reflect": (form("Pad", "f32[4,8]", "const i64[4] = 0, -1, 0, 1", outputs=("f32[4,8]",),
                                        mode="reflect"), ("2.47", "2.51"), ()),
    "negative pads at the edge": (form("Pad", "u8[4,8] 0.02/128", "const i64[4] = 0, -1, 0, 1",
                                       outputs=("u8[4,8] 0.02/128",), mode="edge"), (), ("2.47", "2.51")),
    "integer exponent of quantized numbers": (form("Pow", "u8[4,8] 0.02/128", "const i64[] = 2",
                                                   outputs=("u8[4,8] 0.02/128",)), ("2.47", "2.51"), ()),
    "int64 between two edges in Transpose": (form("Transpose", "i64[4,8]", outputs=("i64[8,4]",), perm=[1, 0]),
                                             ("2.47", "2.51"), ()),
    "floats to int64 at the edge": (form("Cast", "f32[4,8]", outputs=("i64[4,8]",), to=7), ("2.47", "2.51"), ()),
    "int32 to int64 at the edge": (form("Cast", "i32[4,8]", outputs=("i64[4,8]",), to=7), (), ("2.47", "2.51")),
    "boxes without their greatest number": (form("NonMaxSuppression", "f32[1,6,4]", "f32[1,1,6]",
                                                 outputs=("i64[3,3]",)), ("2.49", "2.51"), ()),
    "axes of a cubic Resize": (form("Resize", "f32[1,4,8,8]", "", "const f32[2] = 2, 2", outputs=("f32[1,4,16,16]",),
                                    mode="cubic", axes=[2, 3]), ("2.47", "2.51"), ()),
    "16-bit constant before a computed matrix": (form("MatMul", "const u16[4,4] 0.001/32768", "u16[4,8] 0.001/32768",
                                                      outputs=("u16[4,8] 0.001/32768",)), ("2.47", "2.51"), ()),
    "8-bit constant before a computed matrix": (form("MatMul", "const u8[4,4] 0.02/128", "u8[4,8] 0.02/128",
                                                     outputs=("u8[4,8] 0.02/128",)), (), ("2.47", "2.51")),
    "bias of MatMulNBits": (form("MatMulNBits", "f32[1,4,64]", "const ui8[16,2,16] = 119", "const f32[16,2] = 0.1", "",
                                 "", "const f32[16] = 1", outputs=("f32[1,4,16]",), domain="com.microsoft", K=64, N=16,
                                 bits=4, block_size=32), ("2.47", "2.51"), ()),
    "eight bits in MatMulNBits": (form("MatMulNBits", "f32[1,4,64]", "const ui8[16,2,32] = 119",
                                       "const f32[16,2] = 0.1",
                                       outputs=("f32[1,4,16]",), domain="com.microsoft", K=64, N=16, bits=8,
                                       block_size=32), (), ("2.47", "2.51")),
    "8-bit activations of MatMulNBits": (form("MatMulNBits", "u8[1,4,64] 0.02/128", "const ui8[16,2,16] = 119",
                                              "const f32[16,2] = 0.1", outputs=("u8[1,4,16] 0.02/128",),
                                              domain="com.microsoft", K=64, N=16, bits=4, block_size=32), ("2.51",),
                                         ("2.47", "2.49")),
    "RotaryEmbedding of com.microsoft": (form("RotaryEmbedding", "f32[1,2,4,8]", "const i64[1,4] = 0, 1, 2, 3",
                                              "const f32[4,4] = 0.5", "const f32[4,4] = 0.5", outputs=("f32[1,2,4,8]",),
                                              domain="com.microsoft"), ("2.51",), ()),
    "bias of Gemm as a row": (form("Gemm", "u8[4,8] 0.02/128", "const s8[8,16] 0.01/0", "const s32[1,16] 0.0002/0",
                                   outputs=("u8[4,16] 0.02/128",)), (), ("2.47", "2.51")),
    "five inputs of Max": (form("Max", X, X, X, X, X), ("2.50",), ("2.51",)),
    "three inputs of Mean": (form("Mean", X, X, X), (), ("2.51",)),
    "remainder of 16-bit integers": (form("Mod", "ui16[4,8]", "const ui16[4,8] = 7", outputs=("ui16[4,8]",)), (),
                                     ("2.47", "2.51")),
    "indices of ScatterND from the end": (form("ScatterND", "f32[2,4,8]", "const i64[1,2] = -1, -2", "f32[1,8]",
                                               outputs=("f32[2,4,8]",)), (), ("2.47", "2.51")),
    "quantized norm with another type": (form("RMSNormalization", "u8[4,8] 0.02/128", "const u8[8] 0.02/128",
                                              outputs=("u16[4,8] 0.001/32768",), opset=23), (), ("2.47", "2.51")),
    "quantized boxes": (form("NonMaxSuppression", "s8[2,6,4] 0.02/0", "s8[2,1,6] 0.02/0", "const i64[1] = 3",
                             "const f32[1] = 0.5", "const f32[1] = 0.1", outputs=("i64[6,3]",)), (), ("2.49", "2.51")),
    "table with another encoding than what is picked": (form("Gather", "const u8[16,8] 0.02/128", "i32[1,4]",
                                                             outputs=("u8[1,4,8] 0.018/128",)), (), ("2.47", "2.51")),
    "rows of GlobalMaxPool": (form("GlobalMaxPool", "f32[1,8,6]", outputs=("f32[1,8,1]",)), (), ("2.51",)),
    "rows of a linear Resize": (form("Resize", "f32[1,8,6]", "", "const f32[3] = 1, 1, 2", outputs=("f32[1,8,12]",),
                                     mode="linear"), (), ("2.51",)),
    "LogSoftmax over the last axes below opset 13": (form("LogSoftmax", X, opset=11, axis=1), (), ("2.51",)),
    "Conv3d in half precision": (form("Conv", "f16[1,4,4,4,6]", "const f16[4,4,3,3,3] = 0.5",
                                      outputs=("f16[1,4,2,2,4]",)), (), ("2.47", "2.51")),
}
# What ends the session or is computed wrong: the verdict, the SDKs, and those of which nothing is said.
BROKEN = {
    "stretched base of Pow": (form("Pow", "u8[1,8] 0.02/0", "u8[4,8] 0.02/0", outputs=("u8[4,8] 0.02/0",)),
                              "wrong_values", ("2.47", "2.51"), ()),
    "stretched exponent of Pow": (form("Pow", "u8[4,8] 0.02/0", "u8[1,8] 0.02/0", outputs=("u8[4,8] 0.02/0",)),
                                  "wrong_values", (), ("2.47", "2.51")),
    "half precision in Mean": (form("Mean", "f16[4,8]", "f16[4,8]", outputs=("f16[4,8]",)), "prepare_fails",
                               ("2.47", "2.51"), ()),
    "half precision in Reciprocal": (form("Reciprocal", "f16[4,8]", outputs=("f16[4,8]",)), "prepare_fails",
                                     ("2.47", "2.49"), ("2.51",)),
    "Reciprocal that is not quantized again": (form("Reciprocal", "u8[4,8] 0.02/0", outputs=("f32[4,8]",)),
                                               "prepare_fails", ("2.47", "2.51"), ()),
    "Sign in five dimensions": (form("Sign", "f32[1,2,4,4,6]", outputs=("f32[1,2,4,4,6]",)), "prepare_fails",
                                ("2.47", "2.51"), ()),
    "Max of integers in six dimensions": (form("Max", "i32[1,2,2,4,2,6]", "i32[1,2,2,4,2,6]",
                                               outputs=("i32[1,2,2,4,2,6]",)), "prepare_fails", ("2.47", "2.51"), ()),
    "reflection in five dimensions": (form("Pad", "u8[1,2,4,4,6] 0.02/128",
                                           "const i64[10] = 0, 0, 0, 0, 1, 0, 0, 0, 0, 1",
                                           outputs=("u8[1,2,4,4,8] 0.02/128",), mode="reflect"), "prepare_fails",
                                      ("2.47", "2.51"), ()),
    "three dimensions of indices": (form("Gather", "f16[2,4,8]", "const i64[1,2,2] = 0, 3", outputs=("f16[2,1,2,2,8]",),
                                         axis=1), "wrong_values", ("2.47", "2.51"), ()),
    "two dimensions of indices": (form("Gather", "f16[2,4,8]", "const i64[2,2] = 0, 3", outputs=("f16[2,2,2,8]",),
                                       axis=1), "wrong_values", (), ("2.47", "2.51")),
    "integers of five dimensions in GatherND": (form("GatherND", "i32[1,2,4,4,6]", "const i64[3,2] = 0",
                                                     outputs=("i32[3,4,4,6]",)), "wrong_values", ("2.47", "2.51"), ()),
    "linear Resize of opset 10": (form("Resize", "f32[1,4,8,8]", "const f32[4] = 1, 1, 2, 2",
                                       outputs=("f32[1,4,16,16]",), opset=10, mode="linear"), "wrong_values",
                                  ("2.47", "2.51"), ()),
    "linear Resize in three dimensions": (form("Resize", "f32[1,2,4,4,6]", "", "const f32[5] = 1, 1, 2, 2, 2",
                                               outputs=("f32[1,2,8,8,12]",), mode="linear"), "wrong_values",
                                          ("2.47", "2.51"), ()),
    "rows of a nearest Upsample": (form("Upsample", "f32[1,8,6]", "const f32[3] = 1, 1, 2", outputs=("f32[1,8,12]",),
                                        opset=9, mode="nearest"), "prepare_fails", ("2.47", "2.51"), ()),
    "RoiAlign of opset 10": (form("RoiAlign", "f32[1,8,8,8]", "f32[2,4]", "const i64[2] = 0", outputs=("f32[2,8,2,2]",),
                                  opset=10, output_height=2, output_width=2), "wrong_values", ("2.51",), ()),
    "mean of an even window with its padding": (form("AveragePool", "f32[1,8,8,8]", outputs=("f32[1,8,9,9]",),
                                                     kernel_shape=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1),
                                                "wrong_values", ("2.47", "2.51"), ()),
    "mean of a window that ends beyond the edge": (form("AveragePool", "f32[1,8,8,8]", outputs=("f32[1,8,8,8]",),
                                                        kernel_shape=[2, 2], auto_pad="SAME_UPPER"), "wrong_values",
                                                   ("2.47", "2.51"), ()),
    "mean of an odd window": (form("AveragePool", "f32[1,8,8,8]", outputs=("f32[1,8,8,8]",), kernel_shape=[3, 3],
                                   pads=[1, 1, 1, 1], count_include_pad=1), "wrong_values", (), ("2.47", "2.51")),
    "GroupNormalization in front of a Relu": ({
        "dialect": "onnx", "opset": 21,
        "tensors": {"x": "f32[1,8,6,6]", "scale": "const f32[8] = 1", "bias": "const f32[8] = 0", "between": "f32[1,8,6,6]",
                    "y": "f32[1,8,6,6]"},
        "nodes": {"node": {"op": "GroupNormalization", "domain": "", "in": ["x", "scale", "bias"], "out": ["between"],
                           "params": {"num_groups": 2}},
                  "after": {"op": "Relu", "domain": "", "in": ["between"], "out": ["y"], "params": {}}}},
        "prepare_fails", ("2.49", "2.51"), ()),
    "present key of Attention that only a Sigmoid reads": ({
        "dialect": "onnx", "opset": 23,
        "tensors": {"q": "f32[2,3,4,8]", "k": "f32[2,3,6,8]", "v": "f32[2,3,6,8]", "mask": "f32[4,18]",
                    "pk": "f32[2,3,12,8]", "pv": "f32[2,3,12,8]", "y": "f32[2,3,4,8]", "key": "f32[2,3,18,8]",
                    "value": "f32[2,3,18,8]", "z": "f32[2,3,18,8]"},
        "nodes": {"node": {"op": "Attention", "domain": "", "in": ["q", "k", "v", "mask", "pk", "pv"],
                           "out": ["y", "key", "value"], "params": {}},
                  "after": {"op": "Sigmoid", "domain": "", "in": ["key"], "out": ["z"], "params": {}}}},
        "prepare_fails", ("2.51",), ()),
    "mean of one channel at the edge": (form("AveragePool", "u8[1,1,12,12] 0.02/128", outputs=("u8[1,1,12,12] 0.02/128",),
                                             kernel_shape=[3, 3], pads=[1, 1, 1, 1]), "wrong_values", ("2.47", "2.51"), ()),
    "mean of eight channels at the edge": (form("AveragePool", "u8[1,8,12,12] 0.02/128", outputs=("u8[1,8,12,12] 0.02/128",),
                                                kernel_shape=[3, 3], pads=[1, 1, 1, 1]), "wrong_values", (), ("2.47", "2.51")),
    "mean with two values of padding": (form("AveragePool", "u16[1,8,12,12] 0.001/32768", outputs=("u16[1,8,14,14] 0.001/32768",),
                                             kernel_shape=[3, 3], pads=[2, 2, 2, 2]), "wrong_values", ("2.47", "2.51"), ()),
    "mean with padding behind the last value": (form("AveragePool", "f32[1,8,12,12]", outputs=("f32[1,8,11,11]",),
                                                     kernel_shape=[3, 3], pads=[0, 0, 1, 1]), "wrong_values", ("2.51",), ()),
    "outputs that no filter reaches": (form("ConvTranspose", "f32[1,8,6,6]", "const f32[8,4,3,3] = 0.5",
                                            outputs=("f32[1,4,19,19]",), strides=[3, 3], output_padding=[1, 1]),
                                       "wrong_values", ("2.51",), ()),
    "outputs that a filter reaches": (form("ConvTranspose", "f32[1,8,6,6]", "const f32[8,4,3,3] = 0.5",
                                           outputs=("f32[1,4,14,14]",), strides=[2, 2], output_padding=[1, 1]),
                                      "wrong_values", (), ("2.51",)),
    "a scale of 0.6": (form("Resize", "f32[1,2,8,8]", "", "const f32[4] = 1, 1, 0.6, 0.6", outputs=("f32[1,2,4,4]",),
                            mode="linear"), "wrong_values", ("2.51",), ()),
    "a scale of 0.5": (form("Resize", "f32[1,2,8,8]", "", "const f32[4] = 1, 1, 0.5, 0.5", outputs=("f32[1,2,4,4]",),
                            mode="linear"), "wrong_values", (), ("2.51",)),
    "groups of a ConvTranspose in three dimensions": (form("ConvTranspose", "f32[1,4,4,4,6]",
                                                           "const f32[4,2,3,3,3] = 0.5", outputs=("f32[1,4,6,6,8]",),
                                                           group=2), "wrong_values", ("2.47", "2.51"), ()),
    "four bits with one scale and a bias": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const s4[8,4,1,1] 0.01/0",
                                                 "const s32[8] 0.00001/0", outputs=("u16[1,8,8,8] 0.001/32768",)),
                                            "prepare_fails", ("2.47", "2.51"), ()),
    "four bits with one scale": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const s4[8,4,1,1] 0.01/0",
                                      outputs=("u16[1,8,8,8] 0.001/32768",)), "prepare_fails", (), ("2.47", "2.51")),
    "four bits with one scale and a bias over a volume": (
        form("Conv", "u16[1,4,4,4,4] 0.001/32768", "const s4[8,4,1,1,1] 0.01/0", "const s32[8] 0.00001/0",
             outputs=("u16[1,8,4,4,4] 0.001/32768",)), "prepare_fails", ("2.51",), ()),
    "four bits with one scale and a bias over a sequence": (
        form("Conv", "u16[1,4,8] 0.001/32768", "const s4[8,4,1] 0.01/0", "const s32[8] 0.00001/0",
             outputs=("u16[1,8,8] 0.001/32768",)), "prepare_fails", (), ("2.51",)),
    "remainder of 8-bit integers": (form("Mod", "i8[4,8]", "const i8[4,8] = 7", outputs=("i8[4,8]",)), "wrong_values",
                                    ("2.47", "2.51"), ()),
}


class Forms(unittest.TestCase):
    def verdict(self, model: dict, sdk: str) -> tuple[str, list[str]]:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(compact.expand(model), file)
            file.flush()
            run = subprocess.run([CLI, "check", file.name, "--soc", "SM8550", "--sdk", sdk, "--mode", "warn",
                                  "--format", "json"], capture_output=True, text=True, timeout=60, check=False)
        report = json.loads(run.stdout)
        [node] = [n for n in report["nodes"] if n["name"] == "node"]
        return node["verdict"], [f["message"] for f in report["findings"]]

    def expect(self, name: str, model: dict, verdict: str, failing: tuple[str, ...], taken: tuple[str, ...]) -> None:
        """`verdict` on the SDKs it fails on, none that says so on those that take it."""
        for sdk in failing + taken:
            with self.subTest(name, sdk=sdk):
                found, says = self.verdict(model, sdk)
                if sdk in failing:
                    self.assertEqual(found, verdict, says)
                else:
                    self.assertNotIn(found, ("rejected", "prepare_fails", "wrong_values", "unchecked"), says)

    def test_each_form_is_refused_by_the_versions_that_do_not_translate_it(self) -> None:
        for name, (model, refused, taken) in FORMS.items():
            self.expect(name, model, "rejected", refused, taken)

    def test_each_form_that_breaks_is_said_to_break_as_it_does(self) -> None:
        for name, (model, verdict, broken, right) in BROKEN.items():
            self.expect(name, model, verdict, broken, right)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=CLI)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])
