"""Constants of few different numbers in fewer bytes: the numbers in order, and for each element which of them it is.

Biases and the scales of channels are such (tools/dev/models/networks/coarse.py). `packed` writes those of an ONNX
file as the field VECTOR of their tensor, whose content is the field that it stands for, how many numbers there are,
the numbers, each less the one before if they are whole, and a byte for each element; as the field ON_LEVELS where the
numbers are on levels (levels.py). `unpacked` is the way back, byte by byte the same; standard library only.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import levels
import wire

GRAPH, CONSTANT, DATA_TYPE, FLOATS, RAW, VECTOR, ON_LEVELS = 7, 5, 2, 4, 9, 100, 101
FLOAT, INT32 = 1, 6
# How the elements of a type are read, and how their bits are.
TYPES = {FLOAT: ("f", "I"), 6: ("i", "I"), 2: ("B", "B"), 3: ("b", "B"), 4: ("H", "H"), 5: ("h", "H")}
SHORT, MOST = 8, 64


def _vector(kind: int, number: int, content: bytes) -> tuple[int, bytes] | None:
    """The field that it becomes, and its content; nothing where that would not help."""
    value, bits = TYPES[kind]
    count, rest = divmod(len(content), size(kind))
    if count <= SHORT or rest:
        return None
    words = struct.unpack(f"<{count}{bits}", content)
    numbers = sorted(dict(zip(words, struct.unpack(f"<{count}{value}", content))).items(),
                     key=lambda pair: (pair[1], pair[0]))
    if len(numbers) > MOST or kind == FLOAT and len(numbers) > count // 2 or any(n != n for _, n in numbers):
        return None
    order = [word for word, _ in numbers]
    which = {word: i for i, word in enumerate(order)}
    head, elements = bytes((number, len(order))), bytes(which[word] for word in words)
    coder = {FLOAT: levels.coded_scales, INT32: levels.coded_biases}.get(kind)
    coded = coder(order) if coder else None
    if coded:
        return ON_LEVELS, head + coded + elements
    if kind != FLOAT:
        mask = (1 << 8 * size(kind)) - 1
        order = order[:1] + [(b - a) & mask for a, b in zip(order, order[1:])]
    return VECTOR, head + struct.pack(f"<{len(order)}{bits}", *order) + elements


def _elements(kind: int, content: bytes, on_levels: bool) -> tuple[int, bytes]:
    """The field that it stands for, and its content."""
    bits = TYPES[kind][1]
    number, count = content[:2]
    if on_levels:
        decoder = levels.decoded_scales if kind == FLOAT else levels.decoded_biases
        order, length = decoder(content[2:], count), levels.length(kind == FLOAT, count)
    else:
        order, length = list(struct.unpack_from(f"<{count}{bits}", content, 2)), size(kind) * count
        if kind != FLOAT:
            mask = (1 << 8 * size(kind)) - 1
            for i in range(1, count):
                order[i] = (order[i] + order[i - 1]) & mask
    words = [struct.pack(f"<{bits}", word) for word in order]
    return number, b"".join([words[i] for i in content[2 + length:]])


def _tensor(data: bytes, begin: int, end: int, pack: bool) -> bytes | None:
    """A constant as it becomes; nothing where it stays."""
    found = {number: (first, last) for number, _, first, last in wire.fields(data, begin, end)}
    kind = found.get(DATA_TYPE, (0, 0))[0]
    wanted = ((RAW, FLOATS) if kind == FLOAT else (RAW,)) if pack else (VECTOR, ON_LEVELS)
    number = next((n for n in wanted if n in found), None)
    if number is None or kind not in TYPES:
        return None
    first, last = found[number]
    content = data[first:last]
    becomes = _vector(kind, number, content) if pack else _elements(kind, content, number == ON_LEVELS)
    if becomes is None:
        return None
    head = first - len(wire.written(last - first)) - len(wire.written(number << 3 | wire.BYTES))
    return data[begin:head] + wire.field(*becomes) + data[last:end]


def size(kind: int) -> int:
    """Of an element of a type, in bytes."""
    return struct.calcsize(TYPES[kind][1])


def changed(data: bytes, change: Callable[[int, int], bytes | None]) -> bytes:
    """A model with what `change` says of each constant, by where it begins and ends; nothing leaves it as it is."""
    for number, _, begin, end in wire.fields(data):
        if number != GRAPH:
            continue
        parts, at = [], begin
        for part, _, first, last in wire.fields(data, begin, end):
            tensor = change(first, last) if part == CONSTANT else None
            if tensor is not None:
                head = first - len(wire.written(last - first)) - 1
                parts += data[at:head], wire.field(CONSTANT, tensor)
                at = last
        graph = b"".join((*parts, data[at:end]))
        head = begin - len(wire.written(end - begin)) - 1
        return data[:head] + wire.field(GRAPH, graph) + data[end:]
    return data


TAGS = [wire.written(number << 3 | wire.BYTES) for number in (VECTOR, ON_LEVELS)]


def packed(data: bytes) -> bytes:
    return changed(data, lambda begin, end: _tensor(data, begin, end, True))


def unpacked(data: bytes) -> bytes:
    if not any(tag in data for tag in TAGS):
        return data
    return changed(data, lambda begin, end: _tensor(data, begin, end, False))
