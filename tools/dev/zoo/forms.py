"""Two forms of an export in fewer bytes: their biases and scales are nearly those of the form with 16 bits.

A bias is the same number in every form, divided by another scale; an activation has the same range, in 255 or 65535
steps. `packed` puts in the place of such numbers their difference from what follows of BASE, and leaves out what is a
product of others (products.py) and what BASE has, too (repeats.py); `unpacked` is the way back, byte by byte the same;
standard library only.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import products
import repeats
import wire

BASE = "16a8w.onnx"
GRAPH, CONSTANT, DATA_TYPE, FLOATS, NAME, RAW = 7, 5, 2, 4, 8, 9
FLOAT, INT32 = 1, 6
STEPS = 257  # 65535 / 255
MASK = 0xFFFFFFFF


def _numbers(data: bytes) -> dict[bytes, tuple[int, int, int]]:
    """{name: (type, where its numbers begin, how many)} of the constants of 32-bit numbers."""
    found = {}
    for number, _, begin, end in wire.fields(data):
        if number != GRAPH:
            continue
        for part, _, first, last in wire.fields(data, begin, end):
            if part != CONSTANT:
                continue
            fields = {n: (a, b) for n, _, a, b in wire.fields(data, first, last)}
            kind = fields.get(DATA_TYPE, (0, 0))[0]
            stored = fields.get(RAW) or (fields.get(FLOATS) if kind == FLOAT else None)
            if kind in (FLOAT, INT32) and stored and NAME in fields and (stored[1] - stored[0]) % 4 == 0:
                name = data[slice(*fields[NAME])]
                found[name] = kind, stored[0], (stored[1] - stored[0]) // 4
    return found


def _floats(data: bytes, at: dict, name: bytes) -> tuple[float, ...]:
    kind, begin, count = at.get(name, (0, 0, 0))
    return struct.unpack_from(f"<{count}f", data, begin) if kind == FLOAT else ()


def _expected(name: bytes, data: bytes, at: dict, base: bytes, base_at: dict) -> list[int] | None:
    """What follows of the base for these numbers, as 32 bits each."""
    kind, _, count = at[name]
    if base_at.get(name, (0, 0, 0))[::2] != (kind, count):
        return None
    _, begin, _ = base_at[name]
    if kind == FLOAT:
        scales = _floats(base, base_at, name)
        try:
            return [struct.unpack("<I", struct.pack("<f", s * STEPS))[0] for s in scales] if count == 1 else None
        except OverflowError:
            return None
    mine, theirs = (_floats(d, a, name + b"_scale") for d, a in ((data, at), (base, base_at)))
    if not mine or not theirs or count % len(mine) or count % len(theirs) or not min(map(abs, mine)):
        return None
    values = struct.unpack_from(f"<{count}i", base, begin)
    try:
        return [round(v * theirs[i % len(theirs)] / mine[i % len(mine)]) & MASK for i, v in enumerate(values)]
    except (OverflowError, ValueError):
        return None


def _moved(data: bytes, base: bytes, sign: int) -> bytes:
    """Each number less what is expected of it, or with it; scales first, as biases need them."""
    at, base_at = _numbers(data), _numbers(base)
    floats = {name: (begin, count) for name, (kind, begin, count) in at.items() if kind == FLOAT}
    out = bytearray(data)
    for kind in (FLOAT, INT32):
        source = data if sign < 0 else bytes(out)
        for name, (of, begin, count) in at.items():
            expected = _expected(name, source, at, base, base_at) if of == kind else None
            if expected is None:
                continue
            there = struct.unpack_from(f"<{count}I", data, begin)
            same = struct.unpack_from(f"<{count}I", base, base_at[name][1])
            # A number that the base has as it is, as weights' scales, stays.
            moved = [t if t == s else (t + sign * e) & MASK for t, e, s in zip(there, expected, same)]
            if sign < 0 and any(m == s != t for m, t, s in zip(moved, there, same)):
                raise ValueError(f"{name.decode()}: its difference is the number of the base")
            struct.pack_into(f"<{count}I", out, begin, *moved)
        if kind == FLOAT and sign > 0:
            products.put_back(out, floats)
    if sign < 0:
        products.left_out(out, data, floats)
    return bytes(out)


def packed(files: dict[str, bytes]) -> dict[str, bytes]:
    return _all(files, lambda data, base: repeats.left_out(_moved(data, base, -1), base))


def unpacked(files: dict[str, bytes]) -> dict[str, bytes]:
    return _all(files, lambda data, base: _moved(repeats.put_back(data, base), base, 1))


def _all(files: dict[str, bytes], change: Callable[[bytes, bytes], bytes]) -> dict[str, bytes]:
    base = files.get(BASE)
    return {name: change(data, base) if base and name.endswith(".onnx") and name != BASE else data
            for name, data in files.items()}
