"""Constants of a graph, and what is known of a value without running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch.fx import Node

from quantgate.torch._encodings import Quantized

# Constants of integers are looked at (indices, shapes); of floats only scalars are.
_KEPT_INTEGERS = 4096


class Constant(NamedTuple):
    """A parameter, buffer or constant: it becomes a tensor as whoever reads it quantizes it."""

    node: Node
    data: torch.Tensor
    quantized: Quantized | None = None  # by an observer or quantizer behind it
    problem: str = ""


def is_integer(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not dtype.is_floating_point


def known_shape(value: Any) -> tuple[int, ...] | None:
    """-1 for a dimension that is no number; None of what has no shape."""
    shape = getattr(value, "shape", None)
    return None if shape is None else tuple(d if type(d) is int else -1 for d in shape)


def kept_numbers(data: torch.Tensor) -> Any:
    """The numbers of a constant that the Model keeps, in a flat list; None where it keeps none."""
    if isinstance(data, torch._subclasses.FakeTensor) or data.device.type == "meta" or data.is_quantized:
        return None
    if not 0 < data.numel() <= (1 if data.dtype.is_floating_point else _KEPT_INTEGERS):
        return None
    numbers = data.detach().cpu().reshape(-1)
    return [int(x) for x in numbers.tolist()] if numbers.dtype == torch.bool else numbers.tolist()


def _noted(node: Any, values: Mapping[Node, Any]) -> torch.Tensor | None:
    """The tensor that is noted of a value; of a quantizer that was put in, which has no note, that of what it reads."""
    while isinstance(node, Node):
        constant = values.get(node)
        value = constant.data if isinstance(constant, Constant) else node.meta.get("val")
        if value is not None or node.op != "call_function" or not node.args:
            return value if isinstance(value, torch.Tensor) else None
        node = node.args[0]
    return None


def channels_last(node: Node, values: Mapping[Node, Any]) -> bool:
    """Whether the channels of what it reads lie next to each other, of five dimensions."""
    value = _noted(node.args[0] if node.args else None, values)
    return (value is not None and value.dim() == 5 and not value.is_contiguous()
            and value.is_contiguous(memory_format=torch.channels_last_3d))


def broadcast(node: Node, noted: Any, values: Mapping[Node, Any]) -> Any:
    """The value of a product as its operands make it. A pass that puts one in front of a sum (alpha) notes the shape of
    the sum there."""
    operands = [_noted(operand, values) for operand in node.args[:2]]
    shapes = [operand.shape for operand in operands if operand is not None]
    if len(shapes) < 2 or getattr(noted, "shape", None) in (None, *shapes):
        return noted
    try:
        shape = torch.broadcast_shapes(*shapes)
    except RuntimeError:
        return noted
    return noted if shape == noted.shape else torch.empty(shape, dtype=noted.dtype, device="meta")
