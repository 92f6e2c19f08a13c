"""Models of one TFLite operator, by chance: which operators, how often, and those that work element by element."""
from __future__ import annotations

import random
from collections.abc import Callable

from tools.dev.tflite.configs_movement import (blocks, broadcast_to, concatenation, gather, pad, reduction, resize,
                                               reshaped, reverse, selects, sliced, split, tile, transpose, unpack)
from tools.dev.tflite.configs_weighted import convolution, fully_connected, pool, product, transposed
from tools.dev.tflite.draft import PLAIN, QUANTIZED, Draft, Json


def unary(draft: Draft) -> None:
    dtype = draft.dtype()
    if draft.op in ("ELU", "LOG", "GELU", "EXP", "RSQRT") and draft.odd(0.5):
        dtype = "SFIXED_POINT_8"
    dims = draft.shape()
    draft.input(dtype, dims)
    other = draft.dtype() if draft.odd(0.03) else dtype
    out = draft.output(other, dims)
    fixed = {"SFIXED_POINT_8": (1 / 256, -128), "UFIXED_POINT_8": (1 / 256, 0), "SFIXED_POINT_16": (1 / 32768, 0)}
    if draft.op in ("SOFTMAX", "LOGISTIC", "TANH", "LOG_SOFTMAX") and other in fixed and not draft.odd(0.15):
        scale, zero = fixed[other]
        if draft.op == "TANH" and other != "SFIXED_POINT_16":
            scale, zero = 1 / 128, 0 if other[0] == "S" else 128
        if draft.op == "LOG_SOFTMAX":
            scale, zero = 16 / 256, 127 if other[0] == "S" else 255
        out["encoding"] = {"perTensor": {"scale": scale, "zeroPoint": zero}}
    if draft.op == "SOFTMAX":
        draft.params["beta"] = {"real": draft.pick(1.0, 1.0, 1.0, 0.5)}
    if draft.op == "LEAKY_RELU":
        draft.params["alpha"] = {"real": draft.pick(0.1, 0.2, 0.01)}


def quantizer(draft: Draft) -> None:
    dims = draft.shape()
    dtypes = [draft.chance.choice(QUANTIZED), draft.chance.choice(QUANTIZED)]
    if draft.odd(0.4):
        dtypes[0 if draft.op == "QUANTIZE" else 1] = "FLOAT_32"
    if draft.op == "DEQUANTIZE":
        dtypes[1] = "FLOAT_32"
    if draft.op == "CAST":
        dtypes = [draft.chance.choice(QUANTIZED + PLAIN) for _ in range(2)]
    draft.input(dtypes[0], dims)
    draft.output(dtypes[1], dims)


def binary(draft: Draft) -> None:
    dtype, dims = draft.dtype(), draft.shape()
    if draft.op.startswith("LOGICAL"):
        dtype = "BOOL_8"
    other = list(dims)
    kind = draft.chance.random()
    if kind < 0.2 and dims:
        other = [1] * (len(dims) - 1) + [dims[-1]]
    elif kind < 0.3:
        other = [1] * len(dims)
    elif kind < 0.36:
        other = dims[-1:]
    elif kind < 0.4:
        other = []
    elif kind < 0.45 and len(dims) == 4:
        other = [1, dims[1], 1, dims[3]]
    first = draft.input(dtype, dims)
    is_static = draft.odd(0.35) and all(dim >= 0 for dim in other)
    second_type = draft.dtype() if draft.odd(0.03) else dtype
    like = draft.encoding(second_type, first.get("encoding")) if draft.op in ("MAXIMUM", "MINIMUM") else None
    draft.input(second_type, other, like, **({"isStatic": True} if is_static else {}))
    if draft.odd(0.1):
        draft.inputs.reverse()
    is_comparison = draft.op in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
    out_type = "BOOL_8" if is_comparison else draft.dtype() if draft.odd(0.03) else dtype
    draft.output(out_type, dims, first if draft.op in ("MAXIMUM", "MINIMUM") else None)
    if draft.op in ("ADD", "SUB", "MUL", "DIV"):
        draft.activation()


def prelu(draft: Draft) -> None:
    dtype, dims = draft.dtype(), draft.image()
    draft.input(dtype, dims)
    draft.input(dtype, [1, 1, dims[3]], isStatic=True)
    draft.output(dtype, dims)


KINDS: dict[Callable[[Draft], None], str] = {
    unary: "ABS EXP LOG NEG RSQRT ELU GELU HARD_SWISH LEAKY_RELU LOGISTIC TANH RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 "
           "SOFTMAX LOG_SOFTMAX SIN COS SQRT SQUARE FLOOR CEIL ROUND L2_NORMALIZATION",
    quantizer: "QUANTIZE DEQUANTIZE CAST",
    binary: "ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE EQUAL NOT_EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL "
            "LOGICAL_AND LOGICAL_OR POW FLOOR_DIV",
    prelu: "PRELU", convolution: "CONV_2D DEPTHWISE_CONV_2D", transposed: "TRANSPOSE_CONV",
    fully_connected: "FULLY_CONNECTED", product: "BATCH_MATMUL", pool: "AVERAGE_POOL_2D MAX_POOL_2D",
    resize: "RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR",
    reduction: "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD ARG_MAX ARG_MIN",
    reshaped: "RESHAPE SQUEEZE EXPAND_DIMS", transpose: "TRANSPOSE", concatenation: "CONCATENATION PACK",
    unpack: "UNPACK", split: "SPLIT SPLIT_V", sliced: "SLICE STRIDED_SLICE", pad: "PAD PADV2 MIRROR_PAD", tile: "TILE",
    gather: "GATHER", reverse: "REVERSE_V2", blocks: "SPACE_TO_DEPTH DEPTH_TO_SPACE", selects: "SELECT SELECT_V2",
    broadcast_to: "BROADCAST_TO",
}
# How often an operator is drawn: those that networks are made of, more often.
COMMON = {"CONV_2D": 5, "DEPTHWISE_CONV_2D": 5, "FULLY_CONNECTED": 4, "ADD": 3, "MUL": 3, "TRANSPOSE_CONV": 2,
          "AVERAGE_POOL_2D": 2, "MAX_POOL_2D": 2, "MEAN": 2, "RESHAPE": 2, "SOFTMAX": 2, "CONCATENATION": 2,
          "RESIZE_BILINEAR": 2, "STRIDED_SLICE": 2, "TRANSPOSE": 2}
OPERATORS: dict[str, Callable[[Draft], None]] = {op: kind for kind, ops in KINDS.items() for op in ops.split()}


def draw(seed: int, op: str | None = None) -> Json:
    """The model of a seed; of this operator, else of one by chance."""
    chance = random.Random(seed)
    name = op or chance.choices(list(OPERATORS), [COMMON.get(each, 1) for each in OPERATORS])[0]
    draft = Draft(chance, name)
    OPERATORS[name](draft)
    return draft.model()
