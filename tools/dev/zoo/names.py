"""Names of an ONNX file in fewer bytes: most are the name before with another ending, for Q and DQ and their scales.

In `shortened` a string of letters behind its length stands as ESCAPE and the ending's number where it begins as the
one before; otherwise as ESCAPE, the number plus NEW, a length, and what it begins with. `restored` is the way back,
byte by byte the same; standard library only. `packed` also leaves out the lengths of nodes, constants and shapes,
which follow from what is in them. Compressed by xz, files are 12 % smaller so.
"""

from __future__ import annotations

import re

import wire

ESCAPE, LITERAL, AFTER_PREFIX, NEW = 0xF5, 0xFF, 32, 64
PREFIX = b"node_"  # of the operator that makes the tensor, as PyTorch's newer exporter names it
ENDINGS = (b"", b"_scale", b"_zero_point", b"_QuantizeLinear", b"_DequantizeLinear", b"_QuantizeLinear_Output",
           b"_DequantizeLinear_Output", b"_QuantizeLinear_Input", b"_output_0", b"_output_0_scale",
           b"_output_0_zero_point", b"_output_0_QuantizeLinear", b"_output_0_DequantizeLinear",
           b"_output_0_QuantizeLinear_Output", b"_output_0_DequantizeLinear_Output", b"_quantized",
           b"_quantized_scale", b"_quantized_zero_point")
LONGEST_FIRST = sorted(range(len(ENDINGS)), key=lambda i: -len(ENDINGS[i]))
LETTERS = re.compile(rb"[A-Za-z0-9_./:\-]+")


def _ending(name: bytes) -> int:
    return next(i for i in LONGEST_FIRST if name.endswith(ENDINGS[i]) and len(name) > len(ENDINGS[i]))


def shortened(data: bytes) -> bytes:
    out, last, at = bytearray(), None, 0
    while at < len(data):
        length = data[at]
        run = LETTERS.match(data, at + 1, at + 1 + length) if 3 <= length < 128 else None
        if run is None or len(run[0]) != length:
            out += bytes((ESCAPE, LITERAL)) if length == ESCAPE else data[at:at + 1]
            at += 1
            continue
        ending = _ending(run[0])
        begin = run[0][:length - len(ENDINGS[ending])]
        if begin == last:
            out += bytes((ESCAPE, ending))
        elif last is not None and begin == PREFIX + last:
            out += bytes((ESCAPE, AFTER_PREFIX + ending))
        else:
            out += bytes((ESCAPE, NEW + ending, len(begin))) + begin
            last = begin
        at += 1 + length
    return bytes(out)


def restored(data: bytes) -> bytes:
    last = b""
    first, *parts = data.split(bytes((ESCAPE,)))
    out = [first]
    for part in parts:
        ending, end = part[0], 1
        if ending == LITERAL:
            out += bytes((ESCAPE,)), part[1:]
            continue
        if ending >= NEW:
            ending, end = ending - NEW, 2 + part[1]
            last = part[2:end]
        prefix = PREFIX if ending >= AFTER_PREFIX else b""
        name = prefix + last + ENDINGS[ending % AFTER_PREFIX]
        out += bytes((len(name),)), name, part[end:]
    return b"".join(out)


GRAPH = 0x3A  # the tag of a model's graph
PARTS = b"\x0a\x2a\x5a\x62\x6a"  # of its nodes, constants, inputs, outputs and shapes
END = b"\0"   # no field has this tag


def packed(data: bytes) -> bytes:
    """A model in fewer bytes; its graph becomes the last of its fields, and its parts end with END."""
    at, head, graph = 0, b"", b""
    while at < len(data):
        begin = at
        tag, at = wire.varint(data, at)
        value, at = wire.varint(data, at)
        if tag == GRAPH:
            graph, at = data[at:at + value], at + value
        else:
            at += value if tag & 7 == 2 else 0
            head += data[begin:at]
    out, at = [wire.written(len(head)), head], 0
    while at < len(graph):
        length, behind = wire.varint(graph, at + 1)
        if graph[at] in PARTS:
            out += graph[at:at + 1], graph[behind:behind + length], END
        else:
            out.append(graph[at:behind + length])
        at = behind + length
    return shortened(b"".join(out))


def _end(data: bytes, at: int) -> int:
    """Where the fields of a message end that stand there: at END."""
    while data[at]:
        kind = data[at] & 7
        while data[at] > 127:
            at += 1
        at += 1
        if kind == 2:
            length = data[at]
            if length > 127:
                length, at = wire.varint(data, at)
                at += length
            else:
                at += 1 + length
        elif kind == 0:
            while data[at] > 127:
                at += 1
            at += 1
        else:
            at += 4 if kind == 5 else 8
    return at


def unpacked(data: bytes) -> bytes:
    data = restored(data)
    length, at = wire.varint(data, 0)
    head, at = data[at:at + length], at + length
    graph = []
    while at < len(data):
        if data[at] not in PARTS:
            length, behind = wire.varint(data, at + 1)
            graph.append(data[at:behind + length])
            at = behind + length
            continue
        end = _end(data, at + 1)
        graph += data[at:at + 1], wire.written(end - at - 1), data[at + 1:end]
        at = end + 1
    whole = b"".join(graph)
    return head + bytes((GRAPH,)) + wire.written(len(whole)) + whole
