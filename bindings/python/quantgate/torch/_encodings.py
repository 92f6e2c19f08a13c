"""From what PyTorch says of quantization to dtypes and encodings.

Before calibration there are no scales. A tensor then gets a stand-in, which says that it is one:
scales of observers that will see other values differ, those that will see the same are the same;
zero points of symmetric ones are centred, those of others the lowest stored value. Rules about the
structure (datatypes, symmetry, axes, which encodings are shared) hold for stand-ins as for real
ones, all others wait; the report says how many there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from quantgate._core import Encoding
from quantgate._names import DtypeName

# Names of torch.dtype -> QNN. bfloat16 and the rest are unknown to the backends.
PLAIN: dict[Any, DtypeName] = {
    torch.float32: "FLOAT_32", torch.float16: "FLOAT_16", torch.float64: "FLOAT_64",
    torch.int8: "INT_8", torch.int16: "INT_16", torch.int32: "INT_32", torch.int64: "INT_64",
    torch.uint8: "UINT_8", torch.uint16: "UINT_16", torch.uint32: "UINT_32",
    torch.uint64: "UINT_64", torch.bool: "BOOL_8",
}
_SYMMETRIC = frozenset({torch.per_tensor_symmetric, torch.per_channel_symmetric})
_PER_CHANNEL = frozenset({torch.per_channel_symmetric, torch.per_channel_affine})

# Distinct stand-ins; neighbours in a graph take different ones.
_STAND_INS = 61


class Quantized(NamedTuple):
    """A quantized tensor: its dtype in QNN's words and its encoding."""

    dtype: DtypeName
    encoding: Encoding
    stand_in: bool = False  # not calibrated


class Unknown(Exception):
    """Why an encoding can't be determined."""


def integer_range(dtype: torch.dtype, low: Any, high: Any) -> tuple[int, int]:
    """Smallest and largest stored value. Raises Unknown."""
    if low is not None and high is not None:
        low, high = int(low), int(high)
    else:
        try:
            info = torch.iinfo(dtype)
        except TypeError:
            bits = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}
            known = bits.get(str(dtype).removeprefix("torch."))
            if known is None:
                raise Unknown(f"{dtype} is no integer type") from None
            return known
        low, high = info.min, info.max
    if low >= high:
        raise Unknown(f"the range of stored values is empty: {low} to {high}")
    return low, high


_FIXED: dict[tuple[bool, int], DtypeName] = {
    (True, 8): "SFIXED_POINT_8", (True, 16): "SFIXED_POINT_16", (True, 32): "SFIXED_POINT_32",
    (False, 8): "UFIXED_POINT_8", (False, 16): "UFIXED_POINT_16", (False, 32): "UFIXED_POINT_32",
}


def fixed_point(dtype: torch.dtype, low: Any, high: Any) -> tuple[DtypeName, int, int]:
    """QNN dtype, bitwidth (0 = all of it) and the zero point of a symmetric encoding."""
    low, high = integer_range(dtype, low, high)
    signed = low < 0
    # A sign bit may take more than the number of values says: -1 to 6.
    bits = (max((-low - 1).bit_length(), high.bit_length()) + 1 if signed
            else high.bit_length())
    if bits > 32:
        raise Unknown(f"stored values from {low} to {high} have more than 32 bits")
    storage = 8 if bits <= 8 else 16 if bits <= 16 else 32
    return _FIXED[signed, storage], bits if bits < 8 else 0, 0 if signed else 1 << (bits - 1)


class StandIns:
    """Hands out encodings for observers that have seen no data."""

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[tuple[Any, ...], list[Quantized]] = {}

    def of(self, dtype: torch.dtype, low: Any, high: Any, scheme: Any, axis: Any,
           blocks: int | None) -> Quantized:
        """`blocks`: along the input channels, with a block scale each."""
        made = self.all_of(dtype, low, high, scheme, axis, blocks)
        self.count += 1
        return made[self.count % _STAND_INS]

    def all_of(self, *key: Any) -> list[Quantized]:
        """Those of one kind of observer, which come in turn."""
        made = self._known.get(key)
        if made is None:
            made = self._known[key] = self._make(*key)
        return made

    @staticmethod
    def _make(dtype: torch.dtype, low: Any, high: Any, scheme: Any, axis: Any,
              blocks: int | None) -> list[Quantized]:
        name, bitwidth, centre = fixed_point(dtype, low, high)
        lowest = integer_range(dtype, low, high)[0]
        symmetric = scheme in _SYMMETRIC
        made = []
        for i in range(_STAND_INS):
            scale = Encoding.STAND_IN * (i + 1)
            zero = centre if symmetric else lowest
            if blocks is not None:
                encoding = Encoding.lpbq(int(axis), [scale], num_blocks=blocks, zero_points=[zero],
                                         bitwidth=bitwidth or 4)
            elif scheme in _PER_CHANNEL:
                if axis is None:
                    raise Unknown("per-channel without an axis")
                encoding = Encoding.per_channel(int(axis), [scale], [zero], bitwidth=bitwidth)
            elif scheme is None or scheme in (torch.per_tensor_symmetric, torch.per_tensor_affine):
                encoding = Encoding.per_tensor(scale, zero, bitwidth=bitwidth)
            else:
                raise Unknown(f"unknown quantization scheme {scheme}")
            made.append(Quantized(name, encoding, True))
        return made


def numbers(value: Any) -> list[float]:
    """Of a tensor, array, list or number. Raises Unknown for tensors without data."""
    if isinstance(value, torch.Tensor):
        if isinstance(value, torch._subclasses.FakeTensor) or value.device.type == "meta":
            raise Unknown("a scale or zero point without data")
        found: list[float] = value.detach().reshape(-1).tolist()
        return found
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in numbers(item)]
    if isinstance(value, (bool, int, float)):
        return [value]
    raise Unknown(f"a scale or zero point of type {type(value).__name__}")


def per_tensor(scale: Any, zero_point: Any, low: Any, high: Any, dtype: torch.dtype) -> Quantized:
    name, bitwidth, _ = fixed_point(dtype, low, high)
    scales, zeros = numbers(scale), numbers(zero_point)
    if len(scales) != 1 or len(zeros) != 1:
        raise Unknown(f"{len(scales)} scales and {len(zeros)} zero points of one tensor")
    return Quantized(name, Encoding.per_tensor(scales[0], _int32(zeros[0]), bitwidth=bitwidth))


def per_channel(scales: Any, zero_points: Any, axis: Any, low: Any, high: Any,
                dtype: torch.dtype) -> Quantized:
    name, bitwidth, _ = fixed_point(dtype, low, high)
    zeros = [_int32(zero) for zero in numbers(zero_points)]
    return Quantized(name, Encoding.per_channel(int(axis), numbers(scales), zeros or None,
                                                bitwidth=bitwidth))


# LPBQ factors have 4 bits: ExecuTorch divides the largest scale of a channel by this.
_BLOCK_SCALES = 16


def affine(block_size: Any, scale: Any, zero_point: Any, dtype: torch.dtype, low: Any, high: Any,
           shape: tuple[int, ...]) -> Quantized:
    """torchao's blocks: of the whole tensor, of a channel, or parts of channels (LPBQ)."""
    sizes = [int(size) for size in block_size]
    sizes = [shape[i] if size < 1 and i < len(shape) else size for i, size in enumerate(sizes)]
    if len(sizes) != len(shape):
        raise Unknown(f"a block of rank {len(sizes)} for a tensor of rank {len(shape)}")
    if any(size < 1 or dim % size for size, dim in zip(sizes, shape, strict=True)):
        raise Unknown(f"blocks of {sizes} don't divide a tensor of {list(shape)}")
    split = [i for i, size in enumerate(sizes) if size != shape[i]]
    if not split:
        return per_tensor(scale, 0 if zero_point is None else zero_point, low, high, dtype)
    zeros = [] if zero_point is None else numbers(zero_point)
    if len(split) == 1 and sizes[split[0]] == 1:
        return per_channel(scale, zeros, split[0], low, high, dtype)
    name, bitwidth, _ = fixed_point(dtype, low, high)
    scales = numbers(scale)
    channel = [i for i in split if sizes[i] == 1]
    if len(split) == 2 and len(channel) >= 1:
        # The channel axis is the one that is split to single rows; the other one has the blocks.
        axis = channel[0]
        other = split[1] if split[0] == axis else split[0]
        blocks = shape[other] // sizes[other]
        if axis < other and len(scales) == shape[axis] * blocks:
            largest = [max(scales[c * blocks:(c + 1) * blocks]) / _BLOCK_SCALES
                       for c in range(shape[axis])]
            factors = [max(1, min(_BLOCK_SCALES, round(s / largest[i // blocks])))
                       if largest[i // blocks] > 0 else 1 for i, s in enumerate(scales)]
            return Quantized(name, Encoding.lpbq(
                axis, largest, num_blocks=blocks, block_scales=factors,
                zero_points=[_int32(zero) for zero in zeros[:1]] or None,
                bitwidth=bitwidth or 4))
    return Quantized(name, Encoding.block(sizes, scales, [_int32(zero) for zero in zeros] or None,
                                          bitwidth=bitwidth))


def _int32(zero: float) -> int:
    if not -2**31 <= zero < 2**31:  # a NaN too
        raise Unknown(f"a zero point of {zero}")
    return int(zero)


def derived(dtype: torch.dtype, low: Any, high: Any, axis: Any,
            parts: list[Quantized]) -> Quantized:
    """A bias: its scale is the product of those it derives from, its zero point in the middle."""
    name, bitwidth, centre = fixed_point(dtype, low, high)
    stand_in = any(part.stand_in for part in parts)
    scales: tuple[float, ...] = (Encoding.STAND_IN if stand_in else 1.0,)
    per_channel = False
    for part in parts:
        own = part.encoding.scales
        if stand_in:  # products of stand-ins are stand-ins
            own = tuple(scale / Encoding.STAND_IN if part.stand_in else 1.0 for scale in own)
        per_channel = per_channel or part.encoding.kind != "per-tensor"
        if len(own) > 1 and len(scales) > 1 and len(own) != len(scales):
            raise Unknown("it derives from encodings of different numbers of channels")
        wide = max(len(own), len(scales))
        scales = tuple(own[i % len(own)] * scales[i % len(scales)] for i in range(wide))
    if per_channel:
        encoding = Encoding.per_channel(int(axis or 0), scales, bitwidth=bitwidth)
    else:
        encoding = Encoding.per_tensor(scales[0], centre, bitwidth=bitwidth)
    return Quantized(name, encoding, stand_in)


def is_observer(module: Any) -> bool:
    """Observers and fake quantizers of torch.ao and torchao, recognised by what they can do."""
    return hasattr(module, "calculate_qparams") and hasattr(module, "forward")


# Observers alike in these, which see the same values, find the same scales.
_OBSERVER_FACTS = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis")


def alike(module: Any, other: Any) -> bool:
    """Whether two observers make the same of the same values."""
    return type(module) is type(other) and all(
        getattr(module, name, None) == getattr(other, name, None) for name in _OBSERVER_FACTS)


def observed(module: Any, stand_ins: StandIns, memory: dict[int, Quantized],
             like: Quantized | None = None) -> Quantized | None:
    """What an observer says; None for one that quantizes nothing (float placeholders). `like`:
    what an observer alike says that will see the same values."""
    known = memory.get(id(module))
    if known is not None:
        return known
    observer = getattr(module, "activation_post_process", module)
    dtype = getattr(observer, "dtype", None)
    if dtype is None or (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        return None
    low = getattr(module, "quant_min", getattr(observer, "quant_min", None))
    high = getattr(module, "quant_max", getattr(observer, "quant_max", None))
    scheme = getattr(observer, "qscheme", None)
    axis = getattr(observer, "ch_axis", None)
    sources = getattr(observer, "obs_or_fqs", None)
    parts = [observed(source, stand_ins, memory) for source in sources or ()]
    if parts and all(parts) and any(part.stand_in for part in parts if part):
        result = derived(dtype, low, high, axis, [part for part in parts if part])
    elif _has_seen_data(observer):
        scale, zero_point = observer.calculate_qparams()
        if scheme in _PER_CHANNEL:
            result = per_channel(scale, zero_point, axis, low, high, dtype)
        else:
            result = per_tensor(scale, zero_point, low, high, dtype)
    elif like is not None:
        result = like
    else:
        result = stand_ins.of(dtype, low, high, scheme, axis, None)
    memory[id(module)] = result
    return result


def _has_seen_data(observer: Any) -> bool:
    low, high = getattr(observer, "min_val", None), getattr(observer, "max_val", None)
    if isinstance(low, torch.Tensor) and isinstance(high, torch.Tensor):
        if low.numel() == 0 or high.numel() == 0:
            return False
        return bool(torch.isfinite(low).all() and torch.isfinite(high).all())
    # Without a range it is one of fixed qparams, or derives them.
    return getattr(observer, "scale", None) is not None or hasattr(observer, "derive_qparams_fn")
