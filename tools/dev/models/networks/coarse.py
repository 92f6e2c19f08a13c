"""Makes the numbers that a recording keeps repeat themselves: biases, and what per-channel scales follow
from. Random networks have no meaning to lose, and recordings of them become a fifth as large."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

LEVELS = 24          # of the values of a vector
STEPS = 4            # of the largest weights of channels, per factor of 2
FEW = {"levels": 5, "steps": 1}  # of later architectures: there is room for few more recordings
SHORT = 8            # vectors up to here stay as they are


def _axis(node: onnx.NodeProto) -> int | None:
    """The axis of a weight that the quantizer gives scales of their own."""
    if node.op_type == "Conv":
        return 0
    if node.op_type == "ConvTranspose":
        return 1
    if node.op_type in ("Gemm", "MatMul"):
        turned = any(a.name == "transB" and a.i for a in node.attribute)
        return 0 if turned else -1
    return None


def _vector(values: np.ndarray, levels: int) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    if not high > low:
        return values
    step = (high - low) / (levels - 1)
    return (low + step * np.rint((values - low) / step)).astype(values.dtype)


def _weight(values: np.ndarray, axis: int, steps: int) -> np.ndarray:
    others = tuple(i for i in range(values.ndim) if i != axis % values.ndim)
    most = np.abs(values).max(axis=others, keepdims=True)
    wanted = np.exp2(np.rint(np.log2(np.maximum(most, 1e-30)) * steps) / steps)
    return np.where(most > 0, values * (wanted / np.maximum(most, 1e-30)), values).astype(values.dtype)


def coarse(model: onnx.ModelProto, levels: int = LEVELS, steps: int = STEPS) -> None:
    axes = {node.input[1]: _axis(node) for node in model.graph.node if len(node.input) > 1}
    for tensor in model.graph.initializer:
        if tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(tensor)
        if not np.isfinite(values).all():
            continue
        if values.size > SHORT and values.size == max(values.shape):
            values = _vector(values, levels)
        elif values.ndim > 1 and axes.get(tensor.name) is not None:
            values = _weight(values, axes[tensor.name], steps)
        else:
            continue
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
