"""Whether an op computes something wrong, or only passes on what it gets.

The first activation that is off names an op, but that may be where an error merely shows: a Slice takes the one part
that is off, a MatMul weighs the one channel. So the CPU goes on from what the NPU has before the op: if the activation
becomes the same then, the op is innocent, and the input that does it leads to the op before. Where an input that is
made an output makes the error go away, it is what is handed on otherwise, and leads to the op before as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import onnx
import reference
from measures import QDQ, off, with_outputs

FURTHEST = 12    # ops that are looked at
EXPLAINED = 0.5  # of the error that may be left when the CPU goes on from the NPU's inputs

Values = dict[str, np.ndarray]


def cut(model: onnx.ModelProto, values: Values, wanted: str) -> bytes:
    """The model from these activations on, which are inputs then, to one of its tensors."""
    rest = onnx.ModelProto()
    rest.CopyFrom(model)
    del rest.graph.node[:], rest.graph.output[:]
    kept, needed = [], {wanted}
    for node in reversed(model.graph.node):
        outputs = needed & set(node.output)
        if outputs and not outputs & set(values):
            kept.append(node)
            needed |= set(node.input)
    rest.graph.node.extend(reversed(kept))
    there = {i.name for i in rest.graph.input}
    rest.graph.input.extend(
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in values.items() if name not in there and name in needed)
    return with_outputs(rest, [wanted])


class Origin:
    """`ask` gives the NPU's values of some activations, or nothing; `bad` says whether an activation is off."""

    def __init__(self, model: onnx.ModelProto, given: Values, order: dict[str, str], want: Values,
                 ask: Callable[[list[str]], Values | None], bad: Callable[[str, np.ndarray], bool]):
        self._model, self._given, self._order, self._want = model, given, order, want
        self._ask, self._bad = ask, bad
        self._producer = {name: node for node in model.graph.node for name in node.output if name}
        self._shapes = self._behind_shapes()

    def _behind_shapes(self) -> set[str]:
        """Tensors that follow of shapes alone, or of constants."""
        known = {i.name for i in self._model.graph.initializer} | {""}
        for node in self._model.graph.node:
            if node.op_type in ("Shape", "Constant") or set(node.input) <= known:
                known |= set(node.output)
        return known

    def maker(self, tensor: str) -> str:
        """The op behind a tensor."""
        return self._order.get(tensor) or self._producer[tensor].name

    def before(self, tensor: str) -> list[str]:
        """The activations that the op behind this one reads, and what else it gets of other ops: indices, floats."""
        found: dict[str, None] = {}
        todo = [tensor]
        while todo:
            name = todo.pop()
            node = self._producer.get(name)
            if node is None or name in self._shapes:
                continue
            if self.maker(name) != self.maker(tensor) and (name in self._order or node.op_type not in QDQ):
                found[name] = None
                continue
            todo += node.input
        return list(found)

    def _wanted(self, tensor: str) -> np.ndarray:
        if tensor not in self._want:
            self._want |= reference.run(with_outputs(self._model, [tensor]), self._given)
        return self._want[tensor]

    def _goes_on(self, tensor: str, values: Values, there: np.ndarray) -> bool:
        """Whether the CPU gets what the NPU has for `tensor`, from these values of the NPU."""
        got = reference.run(cut(self._model, values, tensor), self._given | values)[tensor]
        error = off(there, self._wanted(tensor))
        return self._bad(tensor, got) and off(got, there) < EXPLAINED * error

    def _culprit(self, tensor: str, inputs: Iterable[str], values: Values) -> str | None:
        alone = [name for name in inputs if self._goes_on(tensor, {name: values[name]}, values[tensor])]
        return max(alone, key=lambda name: off(values[name], self._wanted(name)), default=None)

    def _hidden(self, tensor: str, inputs: Iterable[str]) -> str | None:
        """The one input that makes the error go away when it is an output."""
        found = [name for name in inputs if not self._shows(tensor, self._ask([name, tensor]))]
        return found[0] if len(found) == 1 else None

    def _shows(self, tensor: str, values: Values | None) -> bool:
        return values is None or self._bad(tensor, values[tensor])

    def of(self, tensor: str) -> str:
        """The activation behind which the error of this one begins."""
        at = tensor
        for _ in range(FURTHEST):
            inputs = [name for name in self.before(at) if name != tensor]
            values = self._ask([*inputs, tensor]) if inputs else None
            if values is None:
                break
            if not self._shows(tensor, values):
                return self._hidden(tensor, inputs) or at
            culprit = self._culprit(tensor, inputs, values)
            if culprit is None:
                break
            at = culprit
        return at
