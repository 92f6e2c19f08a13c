"""Protobuf's bytes, read without a library."""

from __future__ import annotations

from collections.abc import Iterator

NUMBER, BYTES = 0, 2  # kinds of fields: a varint, and what has a length


def varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """The number that begins there, and what comes behind it."""
    value = shift = 0
    while data[at] > 127:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def fields(data: bytes | memoryview, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
    """(number, kind, where its content begins, where it ends) of the fields of a message; of a varint, its value twice."""
    end = len(data) if end is None else end
    while at < end:
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == NUMBER:
            value, at = varint(data, at)
            yield tag >> 3, kind, value, value
            continue
        length, at = varint(data, at) if kind == BYTES else (4 if kind == 5 else 8, at)
        yield tag >> 3, kind, at, at + length
        at += length


def written(value: int) -> bytes:
    """A number as a varint."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def field(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return b"".join((written(number << 3 | BYTES), written(len(content)), content))
