"""What observers, quantize and dequantize nodes of a graph say of the values that they quantize."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Node

from quantgate.torch import _encodings as encodings
from quantgate.torch._encodings import Quantized, StandIns, Unknown
from quantgate.torch._operators import Operator, operator_of, values_of


class Quantizers:
    """Of one graph; each node is asked once."""

    def __init__(self, module: torch.nn.Module | None, constants: Mapping[str, Any], stand_ins: StandIns) -> None:
        self._module = module
        self._constants = constants  # of placeholders that are parameters
        self._stand_ins = stand_ins
        self._observed: dict[int, Quantized] = {}
        self._known: dict[Node, Quantized | None] = {}

    def stand_in(self, graph: torch.fx.Graph) -> bool:
        """Whether observers or quantizers stand in the graph."""
        nodes = graph.nodes
        # By identity: operators hash slowly.
        targets = {id(node.target): node.target for node in nodes if node.op == "call_function"}
        for target in targets.values():
            known = operator_of(target)
            if known is not None and known.quantizer != "":
                return True
        return any(encodings.is_observer(self.submodule_of(node))
                   for node in nodes if node.op == "call_module")

    def of(self, node: Node) -> Quantized | None:
        """What an observer, quantize or dequantize node says; None for all others."""
        if node in self._known:
            return self._known[node]
        quantized = None
        if node.op == "call_module":
            module = self.submodule_of(node)
            if encodings.is_observer(module):
                quantized = encodings.observed(module, self._stand_ins, self._observed,
                                               self._seen_before(node, module))
        elif node.op == "call_function":
            known = operator_of(node.target)
            if known is not None and known.quantizer in ("quantize", "dequantize"):
                quantized = self._of_call(node, known)
        else:
            return None
        self._known[node] = quantized
        return quantized

    def _seen_before(self, node: Node, module: Any) -> Quantized | None:
        """What an observer before this one says, where it will see the same values."""
        at = node.args[0] if node.args else None
        while isinstance(at, Node):
            if at.op == "call_module":
                other = self.submodule_of(at)
                if not encodings.is_observer(other):
                    return None
                known = self._known.get(at)
                if known is not None and known.stand_in and encodings.alike(module, other):
                    return known
                at = at.args[0] if at.args else None
            else:
                at = values_of(at)
        return None

    def submodule_of(self, node: Node) -> Any:
        module: Any = self._module
        for part in str(node.target).split("."):
            module = getattr(module, part, None)
        return module

    def _data(self, value: Any) -> Any:
        if not isinstance(value, Node):
            return value
        if value.op == "get_attr":
            data = self.submodule_of(value)
        else:
            data = self._constants.get(value.target) if value.op == "placeholder" else None
        if data is None:
            raise Unknown("dynamic quantization: its scale is computed at run time")
        return data

    def _of_call(self, node: Node, known: Operator) -> Quantized:
        given: dict[str, Any] = dict(zip((a.name for a in known.arguments), node.args,
                                         strict=False))
        given.update(node.kwargs)
        name = known.name
        scale = next((given[key] for key in ("scale", "scales") if key in given), None)
        zero = next((given[key] for key in ("zero_point", "zero_points") if key in given), None)
        low, high = given.get("quant_min"), given.get("quant_max")
        dtype = next((given[key] for key in ("dtype", "input_dtype", "output_dtype")
                      if isinstance(given.get(key), torch.dtype)), torch.int8)
        if known.quantizer == "dequantize" and isinstance(given.get("input_dtype"), torch.dtype):
            dtype = given["input_dtype"]
        elif known.quantizer == "quantize" and isinstance(given.get("output_dtype"), torch.dtype):
            dtype = given["output_dtype"]
        scale, zero = self._data(scale), self._data(zero)
        if "block_size" in given:
            source = given.get("input")
            shape = getattr(source.meta.get("val") if isinstance(source, Node) else source,
                            "shape", None)
            if shape is None and isinstance(source, Node) and source.op == "get_attr":
                shape = getattr(self.submodule_of(source), "shape", None)
            if shape is None:
                raise Unknown("blocks of a tensor of unknown shape")
            return encodings.affine(given["block_size"], scale, zero, dtype, low, high,
                                    tuple(int(d) for d in shape))
        if "per_channel" in name:
            return encodings.per_channel(scale, [] if zero is None else zero, given["axis"], low,
                                         high, dtype)
        return encodings.per_tensor(scale, 0 if zero is None else zero, low, high, dtype)
