"""The numbers of a model's constants apart from all else, a column for each kind: like beside like, in fewer bytes.

`split` takes an ONNX file as vectors.py writes it. What stays has the field MOVED in the place of numbers: the field
that they were, its length, and what tells how they are divided. The numbers are appended to columns, which many models
share; `Joiner` takes them from there again, model by model in the same order, byte by byte the same; standard library
only. Compressed by xz, recordings are 9 % smaller so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import levels
import vectors
import wire

MOVED = 102
NUMBERS = (vectors.FLOATS, 5, vectors.RAW)  # 5: small integers
PACKED = (vectors.VECTOR, vectors.ON_LEVELS)
HEAD = 2  # bytes of a vector that say which field it was, and how many numbers it has

Columns = dict[str, bytearray]


def _lengths(kind: int, number: int, length: int, head: bytes) -> list[tuple[str, int]]:
    """The columns that a field's content goes to, and how much of it, in this order."""
    if number in NUMBERS:
        return [(f"{kind}.{number}", length)]
    size = levels.length(kind == vectors.FLOAT, head[1]) if number == vectors.ON_LEVELS else \
        head[1] * vectors.size(kind)
    return [(f"{kind}.{number}", size), (f"{kind}.elements", length - HEAD - size)]


Change = Callable[[int, int, bytes], bytes | None]


def _constant(data: bytes, begin: int, end: int, change: Change) -> bytes:
    """A constant with `change` of the type, number and content of each field that has a length."""
    fields = list(wire.fields(data, begin, end))
    kind = next((first for number, _, first, _ in fields if number == vectors.DATA_TYPE), 0)
    out, at = [], begin
    for number, sort, first, last in fields:
        becomes = change(kind, number, data[first:last]) if sort == wire.BYTES else None
        if becomes is not None:
            head = first - len(wire.written(last - first)) - len(wire.written(number << 3))
            out += data[at:head], becomes
            at = last
    return b"".join((*out, data[at:end]))


def split(data: bytes, columns: Columns) -> bytes:
    def moved(kind: int, number: int, content: bytes) -> bytes | None:
        if number not in NUMBERS + PACKED:
            return None
        head, at = (content[:HEAD], HEAD) if number in PACKED else (b"", 0)
        for name, length in _lengths(kind, number, len(content), head):
            columns[name] += content[at:at + length]
            at += length
        return wire.field(MOVED, bytes((number,)) + head + wire.written(len(content)))

    return vectors.changed(data, lambda begin, end: _constant(data, begin, end, moved))


class Joiner:
    """Puts numbers back into models, in the order in which they were split."""

    def __init__(self, columns: dict[str, bytes]):
        self._columns = columns
        self._at: dict[str, int] = defaultdict(int)

    def _taken(self, name: str, length: int) -> bytes:
        at = self._at[name]
        self._at[name] += length
        return self._columns[name][at:at + length]

    def _back(self, kind: int, number: int, content: bytes) -> bytes | None:
        if number != MOVED:
            return None
        was, at = content[0], 1 + HEAD * (content[0] in PACKED)
        head, (length, _) = content[1:at], wire.varint(content, at)
        parts = [self._taken(name, size) for name, size in _lengths(kind, was, length, head)]
        return wire.field(was, b"".join((head, *parts)))

    def joined(self, data: bytes) -> bytes:
        return vectors.changed(data, lambda begin, end: _constant(data, begin, end, self._back))
