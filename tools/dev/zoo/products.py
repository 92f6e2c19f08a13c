"""Scales of biases that are the product of two other scales, in fewer bytes: left out, and computed again.

ONNX Runtime gives the bias of each channel the scale of the activation times that of the channel's weights, rounded
once to 32 bits. `left_out` puts zeros in the place of such scales, `put_back` the products where zeros are; byte by
byte the same; standard library only.
"""

from __future__ import annotations

import struct

import wire

GRAPH, NODE, INPUT, OUTPUT, OP = 7, 1, 1, 2, 4
Vector = tuple[int, int]  # where its numbers begin, and how many there are


def _operands(data: bytes) -> list[tuple[str, str, str]]:
    """The scales of activation, weight and bias, of every op that dequantizes three operands."""
    scale_of: dict[str, str] = {}
    found = []
    for number, _, begin, end in wire.fields(data):
        if number != GRAPH:
            continue
        for part, _, first, last in wire.fields(data, begin, end):
            if part != NODE:
                continue
            fields = [(n, data[a:b]) for n, _, a, b in wire.fields(data, first, last) if n in (INPUT, OUTPUT, OP)]
            inputs = [text.decode() for n, text in fields if n == INPUT]
            if (OP, b"DequantizeLinear") in fields and len(inputs) > 1:
                scale_of[next(text.decode() for n, text in fields if n == OUTPUT)] = inputs[1]
            elif len(inputs) > 2 and all(name in scale_of for name in inputs[:3]):
                found.append((scale_of[inputs[0]], scale_of[inputs[1]], scale_of[inputs[2]]))
    return found


def _products(data: bytes, at: dict[bytes, Vector]) -> dict[Vector, tuple[Vector, Vector]]:
    """{scales of a bias: those of activation and weight}; each once, none that is a factor itself."""
    operands = _operands(data)
    factors = {name for x, w, _ in operands for name in (x, w)}
    result: dict[Vector, tuple[Vector, Vector]] = {}
    for x, w, b in operands:
        mine, activation, weight = (at.get(name.encode()) for name in (b, x, w))
        if b in factors or mine is None or activation is None or weight is None:
            continue
        if mine[1] > 1 and activation[1] == 1 and weight[1] == mine[1]:
            result.setdefault(mine, (activation, weight))
    return result


def _product(data: bytes | bytearray, activation: Vector, weight: Vector) -> bytes:
    scale, = struct.unpack_from("<f", data, activation[0])
    scales = struct.unpack_from(f"<{weight[1]}f", data, weight[0])
    try:
        return struct.pack(f"<{weight[1]}f", *(scale * s for s in scales))
    except OverflowError:
        return b""


def left_out(out: bytearray, data: bytes, at: dict[bytes, Vector]) -> None:
    """`data` as it was, `out` the same with other numbers changed."""
    for (begin, count), factors in _products(data, at).items():
        there = data[begin:begin + 4 * count]
        if not any(there):
            raise ValueError("scales of a bias are all zero")
        if there == _product(data, *factors):
            out[begin:begin + 4 * count] = bytes(4 * count)


def put_back(out: bytearray, at: dict[bytes, Vector]) -> None:
    for (begin, count), factors in _products(bytes(out), at).items():
        if not any(out[begin:begin + 4 * count]):
            out[begin:begin + 4 * count] = _product(out, *factors)
