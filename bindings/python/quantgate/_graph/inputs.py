"""Values for the inputs of a model: given ones, others at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from quantgate._graph.errors import GraphError


def values(model: onnx.ModelProto, given: str | None, seed: int) -> dict[str, np.ndarray]:
    known = _given(given) if given else {}
    constants = {one.name: one for one in model.graph.initializer}
    inputs = {value.name: value for value in model.graph.input if value.name not in constants}
    for name in known:
        if name not in inputs:
            raise GraphError(f"--inputs: {given}: the model has no input '{name}'; it has "
                             + ", ".join(inputs))
    rng = np.random.default_rng(seed)
    result = {}
    for name, value in inputs.items():
        dtype, shape = _type_of(value)
        if name in known:
            result[name] = _fitting(known[name], name, dtype, shape, str(given))
        elif None in shape:
            raise GraphError(f"input '{name}' has a dimension that isn't fixed; give it with --inputs")
        else:
            result[name] = _random(model, constants, name, dtype, [dim or 0 for dim in shape], rng)
    return result


def _given(path: str) -> dict[str, np.ndarray]:
    try:
        with np.load(Path(path), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise GraphError(f"--inputs: {path}: no such file") from None
    except Exception:
        raise GraphError(f"--inputs: {path}: is no .npz file of numpy") from None


def _type_of(value: onnx.ValueInfoProto) -> tuple[np.dtype, list[int | None]]:
    kind = value.type.tensor_type
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
    return np.dtype(helper.tensor_dtype_to_np_dtype(kind.elem_type)), dims


def _fitting(value: np.ndarray, name: str, dtype: np.dtype, shape: list[int | None], path: str) -> np.ndarray:
    fits = value.ndim == len(shape) and all(want in (None, dim) for want, dim in zip(shape, value.shape))
    if value.dtype != dtype or not fits:
        wanted = ", ".join("?" if dim is None else str(dim) for dim in shape)
        raise GraphError(f"--inputs: {path}: '{name}' is {value.dtype} {list(value.shape)}, the model wants "
                         f"{dtype} [{wanted}]")
    return value


def _random(model: onnx.ModelProto, constants: dict[str, onnx.TensorProto], name: str, dtype: np.dtype,
            shape: list[int], rng: np.random.Generator) -> np.ndarray:
    readers = [node for node in model.graph.node if name in node.input]
    if np.issubdtype(dtype, np.floating):
        low, high = _range(readers, constants)
        return rng.uniform(low, high, shape).astype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if any(node.op_type == "DequantizeLinear" and node.input[0] == name for node in readers):
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, int(limits.max) + 1, shape).astype(dtype)
    return rng.integers(0, _rows(model, name, constants), shape).astype(dtype)


def _range(readers: list[onnx.NodeProto], constants: dict[str, onnx.TensorProto]) -> tuple[float, float]:
    """What the Q behind an input can hold."""
    for node in readers:
        if node.op_type != "QuantizeLinear" or node.input[1] not in constants:
            continue
        scale = numpy_helper.to_array(constants[node.input[1]])
        zero = (numpy_helper.to_array(constants[node.input[2]])
                if len(node.input) > 2 and node.input[2] in constants else np.uint8(0))
        if scale.size == 1 and np.issubdtype(zero.dtype, np.integer):
            limits, point = np.iinfo(zero.dtype), float(zero.reshape(-1)[0] if zero.ndim else zero)
            step = float(scale.reshape(-1)[0])
            return (limits.min - point) * step, (limits.max - point) * step
    return -1.0, 1.0


def _rows(model: onnx.ModelProto, name: str, constants: dict[str, onnx.TensorProto]) -> int:
    """Indices have to be below the number of rows of the table they are for."""
    source = {node.output[0]: node.input[0] for node in model.graph.node
              if node.op_type in ("DequantizeLinear", "Cast", "Identity") and node.output}
    reaches = {name} | {made for made, read in source.items() if read == name}
    rows = []
    for node in model.graph.node:
        if node.op_type in ("Gather", "GatherElements") and node.input[1] in reaches:
            table = constants.get(source.get(node.input[0], node.input[0]))
            axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
            if table is not None and table.dims:
                rows.append(int(table.dims[axis]))
    return max(1, min(rows)) if rows else 2
