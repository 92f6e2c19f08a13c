"""Cuts one unit (an op with the Q and DQ around it) out of an ONNX model as a model of its own.

Where a session dies as a whole, asking unit by unit tells which ones it died of.
"""

from __future__ import annotations

import onnx
from onnx import helper

QDQ = ("QuantizeLinear", "DequantizeLinear")


class Cutter:
    def __init__(self, model: onnx.ModelProto):
        self._model = model
        graph = model.graph
        self._producer = {o: n for n in graph.node for o in n.output if o}
        self._consumers: dict[str, list[onnx.NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                self._consumers.setdefault(name, []).append(node)
        self._constants = {i.name: i for i in graph.initializer}
        self._types = {v.name: v for v in (*graph.value_info, *graph.input, *graph.output)}
        self.nodes = {n.name: n for n in graph.node}

    def looks_quantized(self, name: str) -> bool:
        """Whether an op has a dequantized activation before it and a quantized one behind it."""
        node = self.nodes[name]
        if node.op_type in QDQ:
            return False
        before = (self._producer.get(tensor) for tensor in node.input)
        after = (n for tensor in node.output for n in self._consumers.get(tensor, ()))
        return (any(n is not None and n.op_type == QDQ[1] and n.input[0] not in self._constants
                    for n in before)
                and any(n.op_type == QDQ[0] for n in after))

    def cut(self, name: str) -> onnx.ModelProto:
        center = self.nodes[name]
        before: list[onnx.NodeProto] = []
        inputs: dict[str, onnx.ValueInfoProto] = {}
        constants: dict[str, onnx.TensorProto] = {}

        def need(tensor: str, depth: int) -> None:
            """Takes what makes `tensor`: constants, DQ <- Q, then a graph input."""
            if not tensor or tensor in inputs:
                return
            if tensor in self._constants:
                constants[tensor] = self._constants[tensor]
                return
            node = self._producer.get(tensor)
            takes = node is not None and (node.op_type == "Constant" or
                                          (node.op_type in QDQ and depth < 2))
            if not takes:
                inputs[tensor] = self._types[tensor]
                return
            if node in before:
                return
            for source in node.input:
                need(source, depth + 1)
            before.append(node)

        for tensor in center.input:
            need(tensor, 0)
        after: list[onnx.NodeProto] = []
        outputs: list[onnx.ValueInfoProto] = []
        for tensor in filter(None, center.output):
            end = tensor
            for op in QDQ:
                following = [n for n in self._consumers.get(end, ()) if n.op_type == op]
                if center.op_type in QDQ or not following:
                    break
                for parameter in following[0].input[1:]:
                    need(parameter, 0)
                after.append(following[0])
                end = following[0].output[0]
            outputs.append(self._types[end])
        graph = helper.make_graph([*before, center, *after], name, list(inputs.values()), outputs,
                                  list(constants.values()))
        return helper.make_model(graph, opset_imports=self._model.opset_import,
                                 ir_version=self._model.ir_version)
