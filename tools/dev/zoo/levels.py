"""The numbers of a vector as their places on the levels that the zoo's makers round to (models/networks/coarse.py).

The largest weight of a channel is a power of the fourth root of 2, its scale the 127th part of that; biases lie on
LEVELS levels from the smallest to the largest. `coded` writes two bytes a number: how many levels it is above the one
before, and by how much it misses its own; nothing where they aren't so. `decoded` is the way back; standard library
only, and nothing in it that another machine rounds otherwise.
"""

from __future__ import annotations

import struct

ROOTS = (1.0, 1.189207115002721, 1.4142135623730951, 1.681792830507429)  # 2 to the 0, 1/4, 1/2, 3/4
MOST = 127       # what a channel's largest weight is divided by
LEVELS = 24
NEAR = 16        # the most that a number misses its level by
SHARED = 32      # more levels than this are none
FIRST = 128      # the level that a scale of 1/127 has
MASK = 0xFFFFFFFF


def _scale(level: int) -> int:
    """The bits of the scale on a level."""
    power, root = divmod(level - FIRST, len(ROOTS))
    return struct.unpack("<I", struct.pack("<f", ROOTS[root] * 2.0**power / MOST))[0]


SCALES = [_scale(level) for level in range(256)]


def _nearest(word: int) -> int:
    return min(range(256), key=lambda level: abs(SCALES[level] - word))


def _steps(levels: list[int], misses: list[int]) -> bytes | None:
    """The levels, each less the one before, then the misses."""
    steps = [b - a for a, b in zip(levels, levels[1:])]
    if any(not 0 <= step < SHARED for step in steps) or any(abs(miss) > NEAR for miss in misses):
        return None
    return bytes((levels[0], *steps)) + bytes(miss + NEAR for miss in misses)


def _placed(data: bytes, count: int) -> tuple[list[int], list[int]]:
    levels = [data[0]]
    for step in data[1:count]:
        levels.append(levels[-1] + step)
    return levels, [miss - NEAR for miss in data[count:2 * count]]


def coded_scales(words: list[int]) -> bytes | None:
    levels = [_nearest(word) for word in words]
    return _steps(levels, [word - SCALES[level] for word, level in zip(words, levels)])


def decoded_scales(data: bytes, count: int) -> list[int]:
    return [SCALES[level] + miss for level, miss in zip(*_placed(data, count))]


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _on(first: int, last: int, level: int) -> int:
    """The level between the first and the last number, rounded."""
    return first + (2 * level * (last - first) + LEVELS - 1) // (2 * (LEVELS - 1))


def coded_biases(words: list[int]) -> bytes | None:
    numbers = [_signed(word) for word in words]
    first, last = numbers[0], numbers[-1]
    if last - first < LEVELS:
        return None
    levels = [(2 * (n - first) * (LEVELS - 1) + last - first) // (2 * (last - first)) for n in numbers]
    steps = _steps(levels, [n - _on(first, last, level) for n, level in zip(numbers, levels)])
    return struct.pack("<II", first & MASK, last - first) + steps if steps else None


def decoded_biases(data: bytes, count: int) -> list[int]:
    first, range_ = struct.unpack_from("<II", data)
    first = _signed(first)
    return [_on(first, first + range_, level) + miss & MASK for level, miss in zip(*_placed(data[8:], count))]


def length(kind_is_float: bool, count: int) -> int:
    return 2 * count if kind_is_float else 8 + 2 * count
