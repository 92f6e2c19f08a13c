"""The nodes of an ONNX file: name and op type in order, and what each reads, from its protobuf without a library."""

from __future__ import annotations

from collections.abc import Iterator

import wire


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The length-delimited fields of a message; others are skipped."""
    for number, kind, begin, end in wire.fields(data):
        if kind == wire.BYTES:
            yield number, data[begin:end]


def _graph(model: bytes) -> Iterator[memoryview]:
    for field, graph in _fields(memoryview(model)):
        if field == 7:
            yield from (node for part, node in _fields(graph) if part == 1)


def nodes(model: bytes) -> list[tuple[str, str]]:
    """(name, op type) of every node of the graph; fields of ModelProto, GraphProto and NodeProto."""
    result = []
    for node in _graph(model):
        texts = {number: bytes(value).decode() for number, value in _fields(node) if number in (3, 4)}
        result.append((texts.get(3, ""), texts.get(4, "")))
    return result


def before(model: bytes) -> dict[str, set[str]]:
    """{node: the ops whose results it reads, Q and DQ looked through}."""
    reads: dict[str, list[str]] = {}
    maker: dict[str, str] = {}
    moves: set[str] = set()
    for node in _graph(model):
        fields = [(number, bytes(value).decode()) for number, value in _fields(node) if number <= 4]
        name = next((text for number, text in fields if number == 3), "")
        reads[name] = [text for number, text in fields if number == 1]
        maker |= {text: name for number, text in fields if number == 2}
        if any(number == 4 and text in ("QuantizeLinear", "DequantizeLinear") for number, text in fields):
            moves.add(name)

    def ops(name: str) -> Iterator[str]:
        # Only the first input of a Q or DQ is a value.
        for tensor in reads[name][:1] if name in moves else reads[name]:
            if tensor in maker:
                yield from ops(maker[tensor]) if maker[tensor] in moves else (maker[tensor],)

    return {name: set(ops(name)) for name in reads if name not in moves}
