"""Builds ONNX graphs in QDQ form, op by op."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

RANGE = {T.UINT8: (0, 255), T.INT8: (-127, 127), T.UINT16: (0, 65535), T.INT16: (-32767, 32639),
         T.INT32: (-1000, 1000)}
NUMPY = {T.UINT8: np.uint8, T.INT8: np.int8, T.UINT16: np.uint16, T.INT16: np.int16,
         T.INT32: np.int32, T.FLOAT: np.float32, T.INT64: np.int64}


class Branches:
    """A graph of branches that share its inputs; each op ends in an output of its own."""

    def __init__(self):
        self.nodes, self.inits, self.inputs, self.outputs = [], [], [], []
        self._rng = np.random.default_rng(20250)

    def input(self, name, shape, dtype=T.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def const(self, name, value, dtype):
        self.inits.append(numpy_helper.from_array(np.asarray(value, NUMPY[dtype]), name))
        return name

    def _params(self, tensor, dtype, scale, zero_point):
        zero_point = np.broadcast_to(zero_point, np.shape(scale))
        return [self.const(f"{tensor}_scale", scale, T.FLOAT),
                self.const(f"{tensor}_zero_point", zero_point, dtype)]

    def quantize(self, tensor, name, dtype, scale, zero_point):
        """Q then DQ on `tensor`; returns the dequantized tensor."""
        params = self._params(name, dtype, scale, zero_point)
        self.nodes.append(helper.make_node("QuantizeLinear", [tensor, *params], [f"{name}_q"],
                                           f"{name}_QuantizeLinear"))
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", *params],
                                           [f"{name}_dq"], f"{name}_DequantizeLinear"))
        return f"{name}_dq"

    def weight(self, name, shape, dtype, scale, zero_point=0, axis=None):
        low, high = RANGE[dtype]
        values = self._rng.integers(low, high, shape, endpoint=True)
        params = self._params(name, dtype, scale, zero_point)
        self.const(f"{name}_q", values, dtype)
        attrs = {} if axis is None else {"axis": axis}
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", *params],
                                           [f"{name}_dq"], f"{name}_DequantizeLinear", **attrs))
        return f"{name}_dq"

    def op(self, op, name, inputs, shape, quantized=(T.UINT8, 0.05, 128), **attrs):
        """One op with its output quantized as (dtype, scale, zero point), as a graph output."""
        result = f"{name}_out"
        self.nodes.append(helper.make_node(op, inputs, [result], name, **attrs))
        if quantized:
            result = self.quantize(result, result, *quantized)
        self.outputs.append(helper.make_tensor_value_info(result, T.FLOAT, shape))

    def model(self, name) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.inits)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        onnx.checker.check_model(model)
        return model
