"""The nodes of an ONNX file: name and op type in order, read from its protobuf without a library."""

from __future__ import annotations

from collections.abc import Iterator


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The length-delimited fields of a message; others are skipped."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 2:
            length = varint()
            yield key >> 3, data[at:at + length]
            at += length
        elif kind == 0:
            varint()
        else:
            at += 8 if kind == 1 else 4


def nodes(model: bytes) -> list[tuple[str, str]]:
    """(name, op type) of every node of the graph; fields of ModelProto, GraphProto and NodeProto."""
    result = []
    for field, graph in _fields(memoryview(model)):
        if field != 7:
            continue
        for part, node in _fields(graph):
            if part == 1:
                texts = {number: bytes(value).decode() for number, value in _fields(node) if number in (3, 4)}
                result.append((texts.get(3, ""), texts.get(4, "")))
    return result
