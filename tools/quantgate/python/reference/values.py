"""Stored values of tensors and the real numbers they stand for.

A tensor is a Model JSON object. real = scale * (q - zero point), in double precision from the
float32 scale that the interface carries.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Tensor = dict[str, Any]


class NoReference(Exception):
    """Why there is no float reference for a node, in words."""


def is_fixed(tensor: Tensor) -> bool:
    return "FIXED_POINT" in tensor["dtype"]


def is_float(tensor: Tensor) -> bool:
    return tensor["dtype"].startswith("FLOAT")


def storage_bits(tensor: Tensor) -> int:
    return int(tensor["dtype"].rsplit("_", 1)[1])


def dims(tensor: Tensor) -> list[int]:
    return [int(d) for d in tensor.get("dims", [])]


def encoding(tensor: Tensor) -> tuple[str, dict[str, Any]]:
    """Kind and body; ("", {}) where the tensor has none."""
    return next(iter((tensor.get("encoding") or {}).items()), ("", {}))


def stored_range(tensor: Tensor) -> tuple[int, int]:
    """What the storage type holds. The significant bits of an encoding bind constants only."""
    bits = storage_bits(tensor)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if tensor["dtype"].startswith("S") else (0, (1 << bits) - 1)


def number(value: Any) -> float:
    """Model JSON writes NaN and the infinities as text."""
    return float(np.float32(float(value)))


def stored(tensor: Tensor, values: list[Any]) -> np.ndarray:
    """Values as given, in double precision and in the tensor's shape; one stands for all."""
    shape = dims(tensor)
    flat = np.array([float(v) for v in values], np.float64)
    count = math.prod(shape)
    if flat.size == 1 and count != 1:
        flat = np.full(count, flat[0])
    if flat.size != count:
        raise NoReference(f"{flat.size} values for {count} elements")
    return flat.reshape(shape)


def _spread(values: list[Any], count: int) -> np.ndarray:
    """One number stands for all."""
    if len(values) == 1:
        values = values * count
    if len(values) < count:
        raise NoReference(f"{len(values)} scales or zero points for {count} channels")
    return np.array([number(v) for v in values[:count]], np.float64)


def real(tensor: Tensor, q: np.ndarray, block_axis: int | None = None) -> np.ndarray:
    """The numbers that stored values stand for. `block_axis`: the axis that the blocks of an
    LPBQ encoding divide."""
    if not is_fixed(tensor):
        return q
    kind, body = encoding(tensor)
    if kind == "":
        raise NoReference("a fixed-point tensor has no encoding")
    if not all(number(s) > 0 and np.isfinite(number(s)) for s in body.get("scales") or [body.get("scale", 0)]):
        raise NoReference("a scale that is not positive and finite")
    if kind == "perTensor":
        return (q - int(body.get("zeroPoint", 0))) * number(body["scale"])
    if kind in ("perChannel", "lpbq"):
        if q.ndim == 0:
            raise NoReference("a scalar has no channels")
        axis = int(body.get("axis", 0)) % q.ndim
        channels = q.shape[axis]
        along = [channels if a == axis else 1 for a in range(q.ndim)]
        scales = _spread(body["scales"], channels)
        points = _spread(body.get("zeroPoints") or [0], channels).reshape(along)
        if kind == "perChannel":
            return (q - points) * scales.reshape(along)
        blocks = int(body["numBlocks"])
        if block_axis is None or not body.get("blockScales"):
            raise NoReference("an LPBQ encoding whose blocks are not known")
        if block_axis == axis:
            raise NoReference("blocks along the channel axis")
        size = q.shape[block_axis]
        if blocks < 1 or size % blocks:
            raise NoReference("blocks do not divide the input channels")
        factors = _spread(body["blockScales"], channels * blocks).reshape(channels, blocks)
        factors = np.repeat(factors, size // blocks, axis=1) * scales[:, None]
        shape = [1] * q.ndim
        shape[axis], shape[block_axis] = channels, size
        return (q - points) * (factors if axis < block_axis else factors.T).reshape(shape)
    sizes = [int(s) for s in body["blockSize"]]
    if len(sizes) != q.ndim or any(s < 1 or d % s for s, d in zip(sizes, q.shape)):
        raise NoReference("blocks do not divide the tensor")
    grid = [d // s for d, s in zip(q.shape, sizes)]
    scales = _spread(body["scales"], math.prod(grid)).reshape(grid)
    points = _spread(body.get("zeroPoints") or [0], math.prod(grid)).reshape(grid)
    for a, s in enumerate(sizes):
        scales, points = np.repeat(scales, s, a), np.repeat(points, s, a)
    return (q - points) * scales


def quantize(tensor: Tensor, y: np.ndarray) -> np.ndarray:
    """Real numbers as a fixed-point tensor would store them, rounded to nearest, saturated."""
    kind, body = encoding(tensor)
    if kind != "perTensor":
        raise NoReference("an output with " + (f"a {kind} encoding" if kind else "no encoding"))
    scale = number(body["scale"])
    if not math.isfinite(scale) or scale <= 0:
        raise NoReference(f"an output with scale {scale:g}")
    low, high = stored_range(tensor)
    with np.errstate(all="ignore"):
        return np.clip(np.rint(y / scale) + int(body.get("zeroPoint", 0)), low, high)
