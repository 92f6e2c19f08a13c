#!/usr/bin/env python3
"""Writes planted.onnx and planted_qnn.json: models in which every node is one mistake.

The name of a node says what is planted. The ONNX branches share one quantized input each for 8
and 16 bits and end in outputs of their own; the QNN ones stand alone. Needs only onnx and numpy.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T

from qdq import Branches

def onnx_model() -> onnx.ModelProto:
    g = Branches()
    g.input("x", [1, 16, 8, 8])
    g.input("v", [4, 32])
    g.input("r", [1, 2, 2, 2, 2, 2])
    x8 = g.quantize("x", "x8", T.UINT8, 0.02, 128)
    x16 = g.quantize("x", "x16", T.UINT16, 0.0001, 32768)
    v16 = g.quantize("v", "v16", T.UINT16, 0.0001, 32768)
    pads = dict(pads=[1, 1, 1, 1])
    channels = np.full(16, 0.01)

    g.op("Reshape", "reshape_in_and_out_scale_differ",
         [x8, g.const("flat_shape", [1, 1024], T.INT64)], [1, 1024], (T.UINT8, 0.05, 128))
    g.op("DepthToSpace", "depth_to_space_in_and_out_scale_differ", [x8], [1, 4, 16, 16],
         (T.UINT8, 0.05, 128), blocksize=2, mode="DCR")
    zero_points = np.zeros(16, np.int8)
    zero_points[[7, 11]] = 3
    g.op("Conv", "conv_weight_asymmetric_in_2_of_16_channels",
         [x8, g.weight("w_asym", (16, 16, 3, 3), T.INT8, channels, zero_points, 0)],
         [1, 16, 8, 8], **pads)
    g.op("Conv", "conv_weight_per_channel_on_input_axis",
         [x8, g.weight("w_axis", (16, 16, 3, 3), T.INT8, channels, 0, 1)], [1, 16, 8, 8], **pads)
    g.op("Conv", "conv_weight_16bit_under_8bit_activation",
         [x8, g.weight("w_16", (16, 16, 3, 3), T.INT16, 0.0001)], [1, 16, 8, 8], **pads)
    g.op("Conv", "conv_bias_scale_is_not_input_times_weight",
         [x8, g.weight("w_bias", (16, 16, 3, 3), T.INT8, channels, 0, 0),
          g.weight("bias", (16,), T.INT32, np.full(16, 0.01), 0, 0)], [1, 16, 8, 8], **pads)
    g.op("Gemm", "gemm_16bit_weight_needs_v73", [v16, g.weight("w_u16", (32, 16), T.UINT16, 0.0001, 32768)],
         [4, 16], (T.UINT16, 0.0005, 32768))
    rank6 = g.quantize("r", "r8", T.UINT8, 0.02, 128)
    g.op("Add", "add_of_rank_6", [rank6, rank6], [1, 2, 2, 2, 2, 2])
    g.op("Det", "det_is_no_op_of_the_npu", [x8], [1, 16])
    g.op("Add", "add_half_quantized", [x8, "x"], [1, 16, 8, 8])
    g.op("Mul", "mul_with_output_scale_0", [x8, x8], [1, 16, 8, 8], (T.UINT8, 0.0, 0))
    g.op("Softmax", "softmax_8bit_zero_point_not_0", [x8], [1, 16, 8, 8],
         (T.UINT8, 1 / 256, 10), axis=-1)
    g.op("Tanh", "tanh_16bit_scale_not_the_fixed_one", [x16], [1, 16, 8, 8],
         (T.UINT16, 0.0001, 32768))

    return g.model("planted")


def per_tensor(scale, zero_point=0):
    return {"perTensor": {"scale": scale, "zeroPoint": zero_point}}


def qnn_model() -> dict:
    tensors, nodes = [], []

    def tensor(name, dtype, dims, encoding=None, static=False):
        t = {"name": name, "dtype": dtype, "dims": dims}
        if static:
            t["isStatic"] = True
        if encoding:
            t["encoding"] = encoding
        tensors.append(t)
        return name

    def node(name, op, inputs, outputs, params=None):
        nodes.append({"name": name, "op": op, "inputs": inputs, "outputs": outputs}
                     | ({"params": params} if params else {}))

    def u32(values, dims):
        return {"tensor": {"dtype": "UINT_32", "dims": dims, "ints": values}}

    u8, s8, s32 = "UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32"
    u16 = "UFIXED_POINT_16"
    x = tensor("x", u8, [1, 8, 8, 32], per_tensor(0.02, 128))
    v8 = tensor("v8", u8, [4, 32], per_tensor(0.02, 128))
    v16 = tensor("v16", u16, [4, 32], per_tensor(0.0001, 32768))
    x16 = tensor("x16", u16, [1, 8, 8, 32], per_tensor(0.0001, 32768))

    node("reshape_in_and_out_scale_differ", "Reshape", [x],
         [tensor("reshaped", u8, [1, 2048], per_tensor(0.05, 128))])
    node("softmax_8bit_zero_point_not_0", "Softmax", [x],
         [tensor("probabilities", u8, [1, 8, 8, 32], per_tensor(1 / 256, 10))],
         {"axis": {"uint": 3}, "beta": {"real": 1.0}})
    node("matmul_bias_never_added", "MatMul",
         [v8, tensor("matmul_w", s8, [32, 16], per_tensor(0.01), True),
          tensor("matmul_bias", s32, [16], per_tensor(0.0002), True)],
         [tensor("product", u8, [4, 16], per_tensor(0.05, 128))])
    node("fully_connected_lpbq_group_of_4", "FullyConnected",
         [v16, tensor("lpbq_w", s8, [16, 32], {"lpbq": {
             "axis": 0, "scales": [0.01], "zeroPoints": [0], "numBlocks": 8, "blockScales": [3],
             "blockScaleBitwidth": 4, "blockScaleStorageBits": 8}}, True)],
         [tensor("lpbq_out", u16, [4, 16], per_tensor(0.0005, 32768))])
    node("conv_lpbq_with_3x3_filter", "Conv2d",
         [x16, tensor("conv_w", s8, [3, 3, 32, 16], {"lpbq": {
             "axis": 3, "scales": [0.01], "zeroPoints": [0], "numBlocks": 2, "blockScales": [3],
             "blockScaleBitwidth": 4, "blockScaleStorageBits": 8}}, True)],
         [tensor("conv_out", u16, [1, 6, 6, 16], per_tensor(0.0005, 32768))],
         {"stride": u32([1, 1], [2]), "pad_amount": u32([0, 0, 0, 0], [2, 2])})
    node("fully_connected_bias_scale_is_not_input_times_weight", "FullyConnected",
         [v8, tensor("fc_w", s8, [16, 32],
                     {"perChannel": {"axis": 0, "scales": [0.01], "zeroPoints": [0]}}, True),
          tensor("fc_bias", s32, [16], per_tensor(0.01), True)],
         [tensor("fc_out", u8, [4, 16], per_tensor(0.05, 128))])
    node("matmul_of_rank_5", "MatMul",
         [tensor("a5", u8, [1, 2, 2, 4, 32], per_tensor(0.02, 128)),
          tensor("b5", u8, [1, 2, 2, 32, 16], per_tensor(0.02, 128))],
         [tensor("c5", u8, [1, 2, 2, 4, 16], per_tensor(0.05, 128))])
    node("relu_of_a_per_channel_activation", "Relu",
         [tensor("x_channels", u8, [1, 8, 8, 32],
                 {"perChannel": {"axis": 3, "scales": [0.02], "zeroPoints": [128]}})],
         [tensor("relu_out", u8, [1, 8, 8, 32], per_tensor(0.01, 0))])
    node("add_with_negative_scale", "ElementWiseAdd", [x, x],
         [tensor("sum", u8, [1, 8, 8, 32], per_tensor(-0.05, 128))])
    node("misspelt_op", "Conv2D", [x], [tensor("misspelt", u8, [1, 8, 8, 32], per_tensor(0.02, 128))])
    return {"name": "planted_qnn", "dialect": "qnn", "tensors": tensors, "nodes": nodes}


def write(out: Path) -> None:
    onnx.save(onnx_model(), out / "planted.onnx")
    model = qnn_model()
    lines = [json.dumps({k: v for k, v in model.items() if k not in ("tensors", "nodes")})[:-1]]
    for key in ("tensors", "nodes"):
        items = ",\n  ".join(json.dumps(item) for item in model[key])
        lines.append(f' "{key}": [\n  {items}]')
    (out / "planted_qnn.json").write_text(",\n".join(lines) + "}\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "docs" / "examples")
