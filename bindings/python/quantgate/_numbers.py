"""Scales and zero points for a plan, from the smallest and largest value of each tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from quantgate._plan import Plan, PlannedTensor

Range: TypeAlias = tuple[float, float]
RangeOf: TypeAlias = Callable[[str], Range | None]
# A tensor that never varies has a step all the same; as ONNX Runtime's QNN configuration sets it.
LEAST_RANGE = 0.0001
_LARGEST = 3.4028234663852886e38  # of 32-bit floats


class Numbers(NamedTuple):
    """A scale and a zero point, as QNN and ONNX have it: real = scale * (stored - zero_point)."""

    scale: float
    zero_point: int


def ends(dtype: str, bits: int = 0) -> tuple[int, int]:
    """Smallest and largest stored value."""
    bits = bits or int(dtype.rsplit("_", 1)[1])
    return (0, (1 << bits) - 1) if dtype.startswith("U") else (-(1 << bits - 1), (1 << bits - 1) - 1)


def middle(dtype: str, bits: int = 0) -> int:
    """The zero point of a symmetric encoding."""
    bits = bits or int(dtype.rsplit("_", 1)[1])
    return 0 if dtype.startswith("S") else 1 << bits - 1


def fitted(tensor: PlannedTensor, least: float, most: float) -> Numbers:
    """The finest encoding of the planned form that holds all of the range, and 0, and that ops compute right with."""
    if tensor.scale is not None and tensor.zero_point is not None:
        return Numbers(tensor.scale, tensor.zero_point)
    low, high = ends(tensor.dtype, tensor.bits)
    least, most = min(least, 0.0), max(most, 0.0)
    if tensor.symmetric or tensor.zero_point == middle(tensor.dtype, tensor.bits):
        bound = max(-least, most, LEAST_RANGE / 2)
        return Numbers(max(2 * bound / (high - low), tensor.least_scale), middle(tensor.dtype, tensor.bits))
    if tensor.zero_point is not None:
        above, below = high - tensor.zero_point, tensor.zero_point - low
        steps = [most / above if above else 0.0, -least / below if below else 0.0,
                 LEAST_RANGE / (high - low), tensor.least_scale]
        return Numbers(max(steps), tensor.zero_point)
    if most - least < LEAST_RANGE:
        most = least + LEAST_RANGE
    scale = max((most - least) / (high - low), tensor.least_scale)
    return Numbers(scale, max(low, min(high, round(low - least / scale))))


def _finite(found: Range) -> Range | None:
    """Infinite ends, as masks have them, as the largest numbers; None where nothing was computed."""
    if any(math.isnan(end) for end in found):
        return None
    least, most = (max(-_LARGEST, min(_LARGEST, end)) for end in found)
    return least, most


def classes(tensors: Mapping[str, PlannedTensor]) -> dict[str, list[PlannedTensor]]:
    """Computed tensors and constants by the tensor that speaks for their encoding."""
    found: dict[str, list[PlannedTensor]] = {}
    for tensor in tensors.values():
        if tensor.encoding == "perTensor" and tensor.role in ("activation", "constant"):
            found.setdefault(tensor.shares_with or tensor.name, []).append(tensor)
    return found


def numbers(plan: Plan, range_of: RangeOf) -> dict[str, Numbers]:
    """Of every per-tensor activation and constant whose range, or that of one it shares its
    encoding with, is known."""
    result: dict[str, Numbers] = {}
    for members in classes({tensor.name: tensor for tensor in plan.tensors}).values():
        ranges = [finite for member in members if (found := range_of(member.name)) is not None
                  and (finite := _finite(found)) is not None]
        first = members[0]
        if not ranges and (first.scale is None or first.zero_point is None):
            continue
        own = fitted(first, min((r[0] for r in ranges), default=0.0),
                     max((r[1] for r in ranges), default=0.0))
        result.update((member.name, own) for member in members)
    return result
