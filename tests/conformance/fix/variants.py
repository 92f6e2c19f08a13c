"""Bad variants of quantized ONNX models: slips that exporters and hand-made recipes make.

A variant computes in float what its model does, but for rounding: constants keep their values,
only the way they and the tensors between ops are quantized is spoiled. A function returns how
often it spoiled something; 0 = the slip doesn't fit the model.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import helper, numpy_helper

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
SIGNED = {np.dtype(np.uint8): np.int8, np.dtype(np.uint16): np.int16}


class Graph:
    """A model with what makes and reads its tensors at hand."""

    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.graph = model.graph
        self.constants = {i.name: i for i in self.graph.initializer}
        self.producer = {o: n for n in self.graph.node for o in n.output}
        self.readers: dict[str, list[onnx.NodeProto]] = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.outputs = {o.name for o in self.graph.output}

    def value(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.constants[name])

    def add(self, name: str, value: np.ndarray) -> str:
        tensor = numpy_helper.from_array(value, name)
        if name in self.constants:
            self.constants[name].CopyFrom(tensor)
        else:
            self.graph.initializer.append(tensor)
            self.constants[name] = self.graph.initializer[-1]
        return name

    def behind(self, node: onnx.NodeProto) -> onnx.NodeProto | None:
        """The only Q behind a node."""
        readers = [r for o in node.output for r in self.readers.get(o, [])]
        return readers[0] if len(readers) == 1 and readers[0].op_type == QUANTIZE else None

    def around(self, quantized: str) -> list[onnx.NodeProto]:
        """The Q and DQ of a quantized tensor."""
        made = self.producer.get(quantized)
        return ([made] if made else []) + self.readers.get(quantized, [])

    def encode(self, quantized: str, scale: np.ndarray, zero: np.ndarray) -> None:
        names = (self.add(f"{quantized}_spoiled_scale", np.asarray(scale, np.float32)),
                 self.add(f"{quantized}_spoiled_zero_point", np.asarray(zero)))
        for node in self.around(quantized):
            node.input[1], node.input[2] = names

    def computed(self) -> list[str]:
        """Quantized tensors that a Q makes and only DQs read."""
        return [n.output[0] for n in self.graph.node if n.op_type == QUANTIZE
                and n.output[0] not in self.outputs
                and all(r.op_type == DEQUANTIZE for r in self.readers.get(n.output[0], []))]

    def retype(self, name: str, dtype: int) -> None:
        for info in self.graph.value_info:
            if info.name == name:
                info.type.tensor_type.elem_type = dtype

    def weights(self, port: int, dtypes: tuple) -> list[tuple[onnx.NodeProto, onnx.NodeProto]]:
        """(op, DQ) where the DQ gives a constant of these types to the op's port."""
        found = []
        for node in self.graph.node:
            made = self.producer.get(node.input[port]) if len(node.input) > port else None
            if (made is not None and made.op_type == DEQUANTIZE and made.input[0] in self.constants
                    and self.value(made.input[0]).dtype in dtypes):
                found.append((node, made))
        return found


MOVES = ("Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "MaxPool", "Gather", "Slice",
         "DepthToSpace", "SpaceToDepth")
BOUNDED = ("Softmax", "Sigmoid", "Tanh")


def tied(g: Graph) -> int:
    """Ops that only move data get another scale behind than before."""
    count = 0
    for node in g.graph.node:
        q = g.behind(node) if node.op_type in MOVES else None
        if q is None:
            continue
        scale, zero = g.value(q.input[1]), g.value(q.input[2])
        g.encode(q.output[0], scale * np.float32(1.4), zero)
        count += 1
    return count


def fixed(g: Graph) -> int:
    """Outputs whose encoding the op dictates get a calibrated one."""
    count = 0
    for node in g.graph.node:
        q = g.behind(node) if node.op_type in BOUNDED else None
        if q is None:
            continue
        scale, zero = g.value(q.input[1]), g.value(q.input[2])
        if zero.dtype == np.uint8:
            g.encode(q.output[0], scale, zero + np.uint8(10))
        else:
            g.encode(q.output[0], scale * np.float32(1.3), zero)
        count += 1
    return count


def signed(g: Graph) -> int:
    """Activations in the signed type of the same width."""
    count = 0
    for quantized in g.computed():
        nodes = g.around(quantized)
        scale, zero = g.value(nodes[0].input[1]), g.value(nodes[0].input[2])
        if zero.dtype not in SIGNED:
            continue
        half = 1 << (8 * zero.dtype.itemsize - 1)
        dtype = SIGNED[zero.dtype]
        g.encode(quantized, scale, (zero.astype(np.int64) - half).astype(dtype))
        g.retype(quantized, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
        count += 1
    return count


def off_centre(g: Graph) -> int:
    """Signed per-channel weights as unsigned ones around 127, with equal values."""
    count = 0
    for _, dq in g.weights(1, (np.int8,)):
        value, zero = g.value(dq.input[0]), g.value(dq.input[2])
        if zero.size == 1 or value.min() < -127 or np.any(zero):
            continue
        g.add(dq.input[0], (value.astype(np.int16) + 127).astype(np.uint8))
        g.encode(dq.input[0], g.value(dq.input[1]), np.full(zero.shape, 127, np.uint8))
        g.retype(dq.input[0], onnx.TensorProto.UINT8)
        count += 1
    return count


def bias_scale(g: Graph) -> int:
    """Biases on a grid of their own."""
    count = 0
    for _, dq in g.weights(2, (np.int32,)):
        value, scale, zero = (g.value(i) for i in dq.input)
        g.add(dq.input[0], np.rint(value / 2.5).astype(np.int32))
        g.encode(dq.input[0], scale * np.float32(2.5), zero)
        count += 1
    return count


def axis_lost(g: Graph) -> int:
    """Per-channel weights without the attribute that says along which axis."""
    count = 0
    for _, dq in g.weights(1, (np.int8, np.uint8)):
        shape, scales = g.value(dq.input[0]).shape, g.value(dq.input[1])
        axes = [a for a in dq.attribute if a.name == "axis"]
        # Scales that fit the default axis too say nothing.
        if scales.size == 1 or not axes or axes[0].i != 0 or shape[1] == scales.size:
            continue
        dq.attribute.remove(axes[0])
        count += 1
    return count


def half_quantized(g: Graph) -> int:
    """An op reads a tensor in float that others read quantized."""
    count = 0
    for node in g.graph.node:
        if node.op_type not in ("Add", "Mul", "Concat"):
            continue
        dq = g.producer.get(node.input[0])
        q = g.producer.get(dq.input[0]) if dq is not None and dq.op_type == DEQUANTIZE else None
        if q is None or q.op_type != QUANTIZE or len(g.readers[dq.output[0]]) < 2:
            continue
        g.readers[dq.output[0]].remove(node)
        node.input[0] = q.input[0]
        count += 1
    return count


def output_lost(g: Graph) -> int:
    """A bounded op without the Q and DQ behind it."""
    count = 0
    for node in list(g.graph.node):
        q = g.behind(node) if node.op_type in BOUNDED else None
        dqs = g.readers.get(q.output[0], []) if q is not None else []
        if q is None or any(d.op_type != DEQUANTIZE or d.output[0] in g.outputs for d in dqs):
            continue
        for dq in dqs:
            for reader in g.readers.get(dq.output[0], []):
                for i, name in enumerate(reader.input):
                    if name == dq.output[0]:
                        reader.input[i] = node.output[0]
            g.graph.node.remove(dq)
        g.graph.node.remove(q)
        count += 1
    return count


SLIPS: list[Callable[[Graph], int]] = [tied, fixed, signed, off_centre, bias_scale, axis_lost,
                                       half_quantized, output_lost]


def in_float(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without rounding between ops. Constants keep their quantized values, tensors their
    ranges: where an exporter left out a Relu, the range is what remains of it."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    g = Graph(model)
    for node in g.graph.node:
        made = g.producer.get(node.input[0]) if node.op_type == DEQUANTIZE else None
        if made is None or made.op_type != QUANTIZE:
            continue
        scale, zero = g.value(node.input[1]), g.value(node.input[2])
        bounds = np.iinfo(zero.dtype)
        step, most = float(scale.reshape(())), float(np.finfo(np.float32).max)
        ends = [g.add(f"{node.output[0]}_{end}",
                      np.float32(np.clip((int(stored) - int(zero.reshape(()))) * step, -most, most)))
                for end, stored in (("low", bounds.min), ("high", bounds.max))]
        node.CopyFrom(helper.make_node("Clip", [made.input[0], *ends], [node.output[0]], node.name))
    for node in list(g.graph.node):
        if node.op_type == QUANTIZE and node.output[0] not in g.outputs:
            g.graph.node.remove(node)
    return model
