"""Constants of a graph, and what is known of a value without running it."""

from __future__ import annotations

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
