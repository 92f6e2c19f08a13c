"""Models made of some of the ops of a model, and with smaller shapes.

An op is cut out with the Q and DQ around it, so that it stays as quantized as it was. What it reads
from ops that are left out becomes an input, with the values of a run of the whole model on the CPU.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper

_Q, _DQ = "QuantizeLinear", "DequantizeLinear"


@dataclass
class Cut:
    model: onnx.ModelProto
    feeds: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Ops, without Q, DQ and constants."""
        return sum(node.op_type not in (_Q, _DQ, "Constant") for node in self.model.graph.node)


class Cutter:
    """Of one model, given the values of all of its tensors."""

    def __init__(self, model: onnx.ModelProto, values: dict[str, np.ndarray]) -> None:
        self._model, self._values = model, values
        self._nodes = list(model.graph.node)
        self._maker = {name: i for i, node in enumerate(self._nodes) for name in node.output if name}
        self._readers: dict[str, list[int]] = {}
        for i, node in enumerate(self._nodes):
            for name in _inputs(node):
                self._readers.setdefault(name, []).append(i)
        self._constants = {one.name: one for one in model.graph.initializer}
        self._ends = {value.name for value in model.graph.output}
        self._constant = self._made_of_constants()
        self.ops = [i for i, node in enumerate(self._nodes)
                    if i not in self._constant and not self._absorbed(node)]

    def _made_of_constants(self) -> set[int]:
        known: set[int] = set()
        for i, node in enumerate(self._nodes):
            inputs = _inputs(node)
            if all(n in self._constants or self._maker.get(n) in known for n in inputs) and (
                    inputs or node.op_type == "Constant"):
                known.add(i)
        return known

    def _absorbed(self, node: onnx.NodeProto) -> bool:
        """A Q or DQ between two ops belongs to them; one between graph ends stands for itself."""
        if node.op_type not in (_Q, _DQ):
            return False
        above, below = self._beside(node)
        return above or below

    def _beside(self, node: onnx.NodeProto) -> tuple[bool, bool]:
        def walk(start: onnx.NodeProto, up: bool) -> bool:
            seen, steps = start, 0
            while seen.op_type in (_Q, _DQ) and steps < 4:
                if up:
                    at = self._maker.get(seen.input[0])
                    if at is None:
                        return False
                    seen = self._nodes[at]
                else:
                    readers = self._readers.get(seen.output[0], [])
                    if not readers:
                        return False
                    seen = self._nodes[readers[0]]
                steps += 1
            return seen.op_type not in (_Q, _DQ)

        return walk(node, True), walk(node, False)

    def cut(self, ops: Collection[int]) -> Cut:
        """A model of these ops, by their numbers in `ops`, in any order."""
        made = set(ops) | self._below(ops)
        chosen = sorted(self._with_sources(made))
        names = {name for i in chosen for name in self._nodes[i].output if name}
        read = [name for i in chosen for name in _inputs(self._nodes[i])]
        inputs = list(dict.fromkeys(n for n in read if n not in names and n not in self._constants))
        outputs = [name for i in chosen if i in made for name in self._nodes[i].output
                   if name and self._is_end(name, made)]
        graph = helper.make_graph(
            [self._nodes[i] for i in chosen], self._model.graph.name or "graph",
            [_value(name, self._values[name]) for name in inputs],
            [_value(name, self._values[name]) for name in outputs],
            [self._constants[name] for name in dict.fromkeys(read) if name in self._constants])
        model = helper.make_model(graph, opset_imports=self._model.opset_import,
                                  ir_version=self._model.ir_version, functions=self._model.functions)
        return Cut(model, {name: self._values[name] for name in inputs})

    def _is_end(self, name: str, made: Collection[int]) -> bool:
        readers = self._readers.get(name, [])
        if name in self._ends or not any(i in made for i in readers):
            return True
        # What leaves the part behind a Q leaves it as what that Q holds.
        return any(i not in made and self._nodes[i].op_type not in (_Q, _DQ) for i in readers)

    def _below(self, ops: Collection[int]) -> set[int]:
        """Every Q behind these ops, with one DQ."""
        below = set()
        for name in (name for i in ops for name in self._nodes[i].output):
            for at in self._readers.get(name, []):
                if self._nodes[at].op_type != _Q:
                    continue
                below.add(at)
                below.update([i for i in self._readers.get(self._nodes[at].output[0], [])
                              if self._nodes[i].op_type == _DQ][:1])
        return below

    def _with_sources(self, made: Collection[int]) -> set[int]:
        """And what they read: a DQ with the Q before it, and what is computed from constants."""
        chosen = set(made)
        for name in (name for i in made for name in _inputs(self._nodes[i])):
            for op in (_DQ, _Q):
                at = self._maker.get(name)
                if at is None or self._nodes[at].op_type != op:
                    break
                chosen.add(at)
                name = self._nodes[at].input[0]
        for i in list(chosen):
            for name in _inputs(self._nodes[i]):
                self._constants_of(name, chosen)
        return chosen

    def _constants_of(self, name: str, chosen: set[int]) -> None:
        at = self._maker.get(name)
        if at is None or at in chosen or at not in self._constant:
            return
        chosen.add(at)
        for source in _inputs(self._nodes[at]):
            self._constants_of(source, chosen)


def _inputs(node: onnx.NodeProto) -> list[str]:
    """With what its branches read from outside."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            inside = {i.name for i in graph.initializer} | {i.name for i in graph.input}
            inside |= {name for one in graph.node for name in one.output}
            names += [name for one in graph.node for name in _inputs(one) if name not in inside]
    return names


def _value(name: str, value: np.ndarray) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


def halved(cut: Cut, name: str, axis: int) -> Cut | None:
    """With half of one dimension of an input; shapes behind it are left to whoever reads the model.
    None: there is nothing to halve."""
    value = cut.feeds[name]
    if value.shape[axis] < 2:
        return None
    feeds = dict(cut.feeds)
    feeds[name] = np.ascontiguousarray(value.take(range((value.shape[axis] + 1) // 2), axis))
    return _resized(cut.model, feeds)


def halved_together(cut: Cut, size: int) -> Cut | None:
    """With half of every dimension of every input that has this size."""
    feeds = {}
    for name, value in cut.feeds.items():
        for axis, dim in enumerate(value.shape):
            if dim == size:
                value = value.take(range((size + 1) // 2), axis)
        feeds[name] = np.ascontiguousarray(value)
    return _resized(cut.model, feeds) if size > 1 else None


def _resized(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> Cut | None:
    resized = onnx.ModelProto()
    resized.CopyFrom(model)
    graph = resized.graph
    del graph.value_info[:]
    for value in graph.input:
        value.CopyFrom(_value(value.name, feeds[value.name]))
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")
    try:
        inferred = onnx.shape_inference.infer_shapes(resized, strict_mode=True, data_prop=True)
    except Exception:  # shapes that don't fit together: nothing is made of them
        return None
    if any(_open(value) for value in inferred.graph.output):
        return None
    return Cut(inferred, feeds)


def _open(value: onnx.ValueInfoProto) -> bool:
    kind = value.type.tensor_type
    return not kind.HasField("shape") or any(not dim.HasField("dim_value") for dim in kind.shape.dim)


def sizes(cut: Cut) -> Iterable[int]:
    """Of dimensions of inputs, the largest first."""
    return sorted({dim for value in cut.feeds.values() for dim in value.shape if dim > 1}, reverse=True)
