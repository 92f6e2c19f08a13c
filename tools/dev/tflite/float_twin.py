"""The same operator in float: what LiteRT computes of a quantized model is compared with it.

Values of constants and inputs are drawn here, so that both models have the same ones.
"""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tools.quantgate.python.oracles.twin import evaluated

Json = dict[str, Any]
INTEGERS = {"SFIXED_POINT_8": np.int8, "UFIXED_POINT_8": np.uint8, "SFIXED_POINT_16": np.int16, "SFIXED_POINT_32": np.int32,
            "INT_8": np.int8, "UINT_8": np.uint8, "INT_16": np.int16, "INT_32": np.int32, "INT_64": np.int64,
            "BOOL_8": np.bool_, "FLOAT_32": np.float32, "FLOAT_16": np.float16}
MOST = 20_000  # elements of one tensor


def shape(tensor: Json) -> list[int]:
    return [abs(dim) for dim in tensor.get("dims", [])]


def is_quantized(tensor: Json) -> bool:
    return "FIXED_POINT" in tensor["dtype"] and bool(tensor.get("encoding"))


def numbers(tensor: Json) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Scales and zero points, to be broadcast over the tensor."""
    encoding = tensor["encoding"]
    if "perTensor" in encoding:
        given = encoding["perTensor"]
        return np.array(given["scale"], np.float64), np.array(given.get("zeroPoint", 0), np.float64)
    given = encoding["perChannel"]
    wide = [1] * len(shape(tensor))
    wide[given["axis"]] = -1
    scales = np.array(given["scales"], np.float64).reshape(wide)
    zeros = np.array(given.get("zeroPoints") or [0] * scales.size, np.float64).reshape(wide)
    return scales, zeros


def dequantize(tensor: Json, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    scale, zero = numbers(tensor)
    return ((values.astype(np.float64) - zero) * scale).astype(np.float32)


def draw_values(tensor: Json, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    """Of an input or a constant, as stored."""
    kind, dims = INTEGERS[tensor["dtype"]], shape(tensor)
    if tensor["dtype"].startswith("FLOAT"):
        return chance.uniform(-1, 1, dims).astype(kind)
    if tensor["dtype"] == "BOOL_8":
        return chance.integers(0, 2, dims).astype(kind)
    if tensor["dtype"] in ("SFIXED_POINT_32", "INT_64", "INT_32"):
        return chance.integers(-200, 200, dims).astype(kind)
    limits = np.iinfo(kind)
    low = limits.min + 1 if limits.min < 0 else 0
    return chance.integers(low, limits.max, dims, endpoint=True).astype(kind)


def with_values(model: Json, seed: int) -> tuple[Json, dict[str, np.ndarray[Any, Any]]]:
    """The model with a value for each constant, and the values of its inputs; ValueError where it is too large."""
    chance = np.random.default_rng(seed)
    model = copy.deepcopy(model)
    produced = {name for node in model["nodes"] for name in node["outputs"]}
    inputs = {}
    for tensor in model["tensors"]:
        if tensor["name"] in produced or tensor.get("values") is not None:
            continue
        if int(np.prod(shape(tensor) or [1])) > MOST:
            raise ValueError("a tensor is too large")
        values = draw_values(tensor, chance)
        if tensor.get("isStatic"):
            flat = values.reshape(-1).tolist()
            tensor["realValues" if tensor["dtype"].startswith("FLOAT") else "values"] = flat
        else:
            inputs[tensor["name"]] = values
    return model, inputs


def float_twin(model: Json, inputs: dict[str, np.ndarray[Any, Any]]) -> tuple[Json, dict[str, np.ndarray[Any, Any]]]:
    """The model with each quantized tensor in float, and the inputs for it."""
    twin = copy.deepcopy(model)
    given = dict(inputs)
    for tensor in twin["tensors"]:
        wide = tensor["dtype"] == "INT_64" and tensor.get("encoding")
        if not is_quantized(tensor) and not wide:
            continue
        if tensor["name"] in given:
            given[tensor["name"]] = dequantize(tensor, given[tensor["name"]])
        elif tensor.get("isStatic"):
            stored = np.array(tensor.pop("values"), np.float64).reshape(shape(tensor) or ())
            tensor["realValues"] = dequantize(tensor, stored).reshape(-1).tolist()
        tensor["dtype"] = "FLOAT_32"
        del tensor["encoding"]
    return twin, given


def is_wrong(tensor: Json, stored: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> bool:
    """Whether the numbers differ by more than rounding: over 1 % of the elements by more than 4 steps and 3 % of the range."""
    if not is_quantized(tensor):
        return False
    scale, zero = numbers(tensor)
    if stored.size != wanted.size or stored.size != int(np.prod(shape(tensor) or [1])):
        raise ValueError("outputs of another size")
    found = evaluated(stored.reshape(shape(tensor)), wanted.reshape(shape(tensor)), scale, zero)
    return bool(found["result"] == "wrong")
