"""Random small QDQ models, that rules are not made from the models which they are measured on.

models(seed, count) is deterministic: a chain of one to four random ops on random shapes, most of
them quantized, with encodings that are usually good, and sometimes another operand, datatype or
weight form.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto as T

from small_models import ACTIVATIONS, Net

# What one op makes of a tensor and its dims: op(n, rng, x, dims) -> (result, dims) or None where it
# doesn't fit the dims.
UNARY = {"Relu": {}, "Sigmoid": {}, "Tanh": {}, "Gelu": {}, "HardSwish": {}, "HardSigmoid": {}, "Elu": {},
         "LeakyRelu": {"alpha": 0.1}, "Exp": {}, "Sqrt": {}, "Abs": {}, "Neg": {}, "Floor": {}, "Ceil": {},
         "Round": {}, "Sin": {}, "Cos": {}, "Softplus": {}, "Log": {}, "Erf": {}, "Sign": {}}
BINARY = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Pow")


def encoding(n: Net, rng):
    """Mostly the usual one; else another range, zero point or datatype."""
    roll = rng.random()
    if roll < 0.62:
        return n.enc()
    if roll < 0.9:
        return n.enc(str(rng.choice(["other", "shifted", "loose", "unit", "both"])))
    if roll < 0.95:
        dtype, (scale, zero), *_ = ACTIVATIONS[n.act]
        info = np.iinfo(np.uint8 if dtype == T.UINT8 else np.int8 if dtype == T.INT8 else
                        np.uint16 if dtype == T.UINT16 else np.int16)
        return dtype, scale * float(rng.uniform(0.5, 2)), int(rng.integers(info.min, info.max + 1))
    return n.enc(act=str(rng.choice(list(ACTIVATIONS))))


def put(n, rng, op, inputs, dims, quantized=None, enc=None, **attrs):
    quantized = rng.random() < 0.92 if quantized is None else quantized
    return n.op(op, inputs, enc or encoding(n, rng), quantized=quantized, **attrs), dims


def unary(n, rng, x, dims):
    op = str(rng.choice(list(UNARY)))
    return put(n, rng, op, [x], dims, **UNARY[op])


def binary(n, rng, x, dims):
    shape = [d if rng.random() < 0.9 else 1 for d in dims]
    other = x if rng.random() < 0.2 else n.x(shape, encoding(n, rng), quantized=bool(rng.random() < 0.9))
    return put(n, rng, str(rng.choice(BINARY)), [x, other] if rng.random() < 0.8 else [other, x], dims)


def constant_operand(n, rng, x, dims):
    dtype = ACTIVATIONS[n.act if rng.random() < 0.8 else str(rng.choice(list(ACTIVATIONS)))][0]
    zero = {T.UINT8: 128, T.UINT16: 32768}.get(dtype, 0)
    return put(n, rng, str(rng.choice(["Add", "Mul"])), [x, n.weight(dims[-1:], dtype, 0.01, zero)], dims)


def softmax(n, rng, x, dims):
    axis = -1 if rng.random() < 0.7 else int(rng.integers(len(dims)))
    enc = n.enc("unit") if rng.random() < 0.7 else None
    return put(n, rng, "Softmax" if rng.random() < 0.8 else "LogSoftmax", [x], dims, enc=enc, axis=axis)


def reshape(n, rng, x, dims):
    total = int(np.prod(dims))
    first = int(rng.choice([d for d in range(1, total + 1) if total % d == 0 and d <= 64]))
    to = [1, first, total // first] if rng.random() < 0.6 else [first, total // first]
    return put(n, rng, "Reshape", [x, n.const(to, T.INT64)], to)


def transpose(n, rng, x, dims):
    perm = [int(p) for p in rng.permutation(len(dims))]
    return put(n, rng, "Transpose", [x], [dims[p] for p in perm], perm=perm)


def cut(n, rng, x, dims):
    axis = int(rng.integers(len(dims)))
    if dims[axis] < 2:
        return None
    kind = rng.integers(3)
    to = list(dims)
    if kind == 0:
        to[axis] //= 2
        return put(n, rng, "Slice", [x, *(n.const([v], T.INT64) for v in (0, to[axis], axis))], to)
    if kind == 1:
        to[axis] = 2
        return put(n, rng, "Gather", [x, n.const([1, 0], T.INT64)], to, axis=axis)
    if dims[axis] % 2:
        return None
    to[axis] //= 2
    return n.op("Split", [x], encoding(n, rng), outputs=2, axis=axis, num_outputs=2)[0], to


def grow(n, rng, x, dims):
    axis = int(rng.integers(len(dims)))
    kind, to = rng.integers(3), list(dims)
    if kind == 0:
        pads = [0] * (2 * len(dims))
        pads[axis] = 1
        to[axis] += 1
        return put(n, rng, "Pad", [x, n.const(pads, T.INT64)], to)
    to[axis] *= 2
    if kind == 1:
        return put(n, rng, "Concat", [x, n.x(dims, encoding(n, rng))], to, axis=axis)
    return put(n, rng, "Tile", [x, n.const([2 if i == axis else 1 for i in range(len(dims))], T.INT64)], to)


def image(n, rng, x, dims):
    if len(dims) != 4 or dims[2] % 2 or dims[3] % 2 or dims[1] % 4:
        return None
    b, c, h, w = dims
    kind = rng.integers(7)
    if kind < 2:
        op = str(rng.choice(["MaxPool", "AveragePool"]))
        return put(n, rng, op, [x], [b, c, h // 2, w // 2], kernel_shape=[2, 2], strides=[2, 2])
    if kind == 2:
        return put(n, rng, "DepthToSpace", [x], [b, c // 4, h * 2, w * 2], blocksize=2,
                   mode=str(rng.choice(["DCR", "CRD"])))
    if kind == 3:
        return put(n, rng, "SpaceToDepth", [x], [b, c * 4, h // 2, w // 2], blocksize=2)
    if kind == 4:
        return put(n, rng, "GlobalAveragePool", [x], [b, c, 1, 1])
    mode = str(rng.choice(["nearest", "linear"]))
    attrs = {"nearest_mode": "floor"} if mode == "nearest" else {}
    return put(n, rng, "Resize", [x, "", n.const([1, 1, 2, 2], T.FLOAT)], [b, c, h * 2, w * 2], mode=mode,
               coordinate_transformation_mode="asymmetric" if mode == "nearest" else "half_pixel", **attrs)


def reduce(n, rng, x, dims):
    axis = int(rng.integers(1, len(dims)))
    to = [1 if i == axis else d for i, d in enumerate(dims)]
    op = str(rng.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum"]))
    return put(n, rng, op, [x, n.const([axis], T.INT64)], to, keepdims=1)


def weight_form(n, rng, shape, axis, bits=None):
    """A weight as tools write it, mostly."""
    wide = n.act in ("u16", "s16")
    dtype = T.INT8 if rng.random() < 0.6 else [T.UINT8, T.INT16, T.UINT16][rng.integers(3 if wide else 2)]
    middle = {T.UINT8: 128, T.UINT16: 32768}.get(dtype, 0)
    zero = middle if rng.random() < 0.85 else middle + int(rng.integers(-20, 20))
    scale = 0.004 if dtype in (T.INT8, T.UINT8) else 0.00002
    return n.weight(shape, dtype, scale, zero, axis=axis if rng.random() < 0.4 else None)


def bias(n, rng, channels):
    roll = rng.random()
    if roll < 0.5:
        return []
    if roll < 0.75:
        return [n.const(np.arange(channels) / 16, T.FLOAT)]
    return [n.weight([channels], T.INT32, n.enc()[1] * 0.004 * float(rng.choice([1, 1, 3])))]


def conv(n, rng, x, dims):
    if len(dims) != 4 or min(dims[2:]) < 2:
        return None
    b, c, h, w = dims
    if rng.random() < 0.2:
        y = n.weight([c, 4, 2, 2], T.INT8, 0.004) if rng.random() < 0.5 else weight_form(n, rng, [c, 4, 2, 2], 1)
        return put(n, rng, "ConvTranspose", [x, y], [b, 4, h * 2, w * 2], kernel_shape=[2, 2], strides=[2, 2])
    depthwise = rng.random() < 0.25
    out = c if depthwise else int(rng.choice([4, 8]))
    k = int(rng.choice([1, 3]))
    y = n.op("Conv", [x, weight_form(n, rng, [out, 1 if depthwise else c, k, k], 0), *bias(n, rng, out)],
             encoding(n, rng), quantized=bool(folded := rng.random() < 0.7), kernel_shape=[k, k], pads=[k // 2] * 4,
             group=c if depthwise else 1)
    if not folded:
        y = n.op("Relu", [y], (n.enc()[0], n.enc("unit")[1] * 4, n.enc("unit")[2]))
    return y, [b, out, h, w]


def linear(n, rng, x, dims):
    if dims[-1] > 64 or len(dims) > 3:
        return None
    if len(dims) == 2 and rng.random() < 0.6:
        w = weight_form(n, rng, [8, dims[1]], 0)
        return put(n, rng, "Gemm", [x, w, *bias(n, rng, 8)], [dims[0], 8], transB=1)
    return put(n, rng, "MatMul", [x, weight_form(n, rng, [dims[-1], 8], 1)], [*dims[:-1], 8])


def dynamic(n, rng, x, dims):
    if len(dims) < 2 or dims[-1] > 64:
        return None
    other = n.x([*dims[:-2], dims[-1], 8], encoding(n, rng))
    return put(n, rng, "MatMul", [x, other], [*dims[:-1], 8])


def norm(n, rng, x, dims):
    dtype = T.UINT8 if rng.random() < 0.7 else ACTIVATIONS[n.act][0]
    zero = {T.UINT8: 0, T.UINT16: 0}.get(dtype, 0)
    if len(dims) == 4 and rng.random() < 0.5:
        return put(n, rng, "InstanceNormalization",
                   [x, n.weight(dims[1:2], dtype, 0.01, zero), n.const(np.zeros(dims[1]), T.FLOAT)], dims)
    inputs = [x, n.weight(dims[-1:], dtype, 0.01, zero)]
    return put(n, rng, "LayerNormalization", inputs, dims, axis=-1)


STEPS = ((unary, 5), (binary, 4), (constant_operand, 1), (softmax, 1), (reshape, 2), (transpose, 2), (cut, 2),
         (grow, 2), (image, 3), (reduce, 1), (conv, 6), (linear, 3), (dynamic, 2), (norm, 1))
SHAPES = ([1, 8, 8, 8], [1, 8, 8, 8], [1, 4, 6, 10], [1, 8, 16], [1, 5, 12], [4, 16], [1, 2, 8, 8], [2, 3, 4, 2, 3])


def model(seed: int) -> onnx.ModelProto:
    rng = np.random.default_rng(seed)
    n = Net(str(rng.choice(["u8", "u8", "u16", "u16", "s8", "s16"])))
    dims = list(SHAPES[rng.integers(len(SHAPES))])
    x = n.x(dims, quantized=bool(rng.random() < 0.95))
    weights = np.array([w for _, w in STEPS], float)
    taken, wanted = 0, int(rng.integers(1, 5))
    while taken < wanted:
        made = STEPS[rng.choice(len(STEPS), p=weights / weights.sum())][0](n, rng, x, dims)
        if made is not None and np.prod(made[1]) <= 16384:
            (x, dims), taken = made, taken + 1
    return n.out(x).model(f"random.{seed}")


def models(first: int, count: int):
    for seed in range(first, first + count):
        yield f"random.{seed}", model(seed)
