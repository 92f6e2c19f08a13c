"""JSON in few bytes: lists of numbers, most of a recording, are written as they are in memory.

The first line is JSON, in which such a list is {"numbers": [KIND, COUNT]}; behind it come the numbers of the lists, kind
by kind in the order of KINDS, of each list first the lowest bytes of all numbers, then the next ones. All is compressed
with xz, the line for itself. What `unpacked` gives has the same JSON text as what `packed` was given.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Iterator
from typing import Any

# Bytes of a number, whole and signed, or a float of 32 bits; and how struct reads them.
KINDS = {"i1": 1, "i2": 2, "i3": 3, "i4": 4, "f4": 4}
FORMATS = {"i1": "b", "i2": "h", "i4": "i", "f4": "f"}
SHORT = 8
KEY = "numbers"


def _compressed(data: bytes, **options: int) -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, **options}]
    return lzma.compress(data, check=lzma.CHECK_CRC32, filters=filters)


def _shortest(number: float) -> float:
    """The float of 64 bits with the fewest digits that is this one in 32 bits."""
    for digits in (7, 8):
        found = float(f"{number:.{digits}g}")
        if struct.unpack("<f", struct.pack("<f", found))[0] == number:
            return found
    return float(f"{number:.9g}")


def _bytes_of(kind: str, numbers: list) -> bytes:
    size = KINDS[kind]
    if kind in FORMATS:
        data = struct.pack(f"<{len(numbers)}{FORMATS[kind]}", *numbers)
    else:
        data = b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)
    return b"".join(data[i::size] for i in range(size))


def _numbers_of(kind: str, count: int, planes: bytes) -> list:
    size = KINDS[kind]
    data = bytearray(len(planes))
    for i in range(size):
        data[i::size] = planes[i * count:(i + 1) * count]
    if kind not in FORMATS:
        return [int.from_bytes(data[i:i + size], "little", signed=True) for i in range(0, len(data), size)]
    numbers = list(struct.unpack(f"<{count}{FORMATS[kind]}", data))
    return [_shortest(number) for number in numbers] if kind == "f4" else numbers


def _kind_of(numbers: list) -> str | None:
    """Nothing for what stays as it is."""
    types = {type(number) for number in numbers}
    if len(numbers) <= SHORT or len(types) != 1:
        return None
    if types == {int}:
        most = max(max(numbers), ~min(numbers))
        return next((kind for kind, size in KINDS.items() if kind != "f4" and most >> (8 * size - 1) == 0), None)
    if types != {float} or max(map(abs, numbers)) > 3e38:
        return None
    again = _numbers_of("f4", len(numbers), _bytes_of("f4", numbers))
    return "f4" if list(map(repr, again)) == list(map(repr, numbers)) else None


def packed(value: Any) -> bytes:
    blobs: dict[str, list[bytes]] = {kind: [] for kind in KINDS}

    def taken(part: Any) -> Any:
        if isinstance(part, dict):
            if KEY in part:
                raise ValueError(f"a map has the key {KEY}")
            return {key: taken(inner) for key, inner in part.items()}
        if not isinstance(part, list):
            return part
        kind = _kind_of(part)
        if kind is None:
            return [taken(inner) for inner in part]
        blobs[kind].append(_bytes_of(kind, part))
        return {KEY: [kind, len(part)]}

    line = json.dumps(taken(value), separators=(",", ":")).encode() + b"\n"
    numbers = [_compressed(b"".join(parts), lc=0, pb=0) for parts in blobs.values() if parts]
    return b"".join((_compressed(line), *numbers))


Place = tuple[Any, Any, int]  # what holds a list, under which key, and how many numbers it has


def _places(value: Any, found: dict[str, list[Place]]) -> None:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, dict) and KEY in part:
            kind, count = part[KEY]
            found[kind].append((value, key, count))
        elif isinstance(part, (dict, list)):
            _places(part, found)


def unpacked(data: bytes) -> Any:
    line, _, rest = lzma.decompress(data).partition(b"\n")
    holder = [json.loads(line)]
    places: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    _places(holder, places)
    at = 0
    for kind, size in KINDS.items():
        for inside, key, count in places[kind]:
            inside[key] = _numbers_of(kind, count, rest[at:at + size * count])
            at += size * count
    return holder[0]
