"""Models without their weights, in a form that quantgate reads as it is.

A large constant becomes external data in a file that isn't there: quantgate never loads weights.
Scales, zero points, biases and small or repetitive constants stay. `restored` fills what is missing
with numbers drawn from the tensor's name, so that the model runs again: the same forms and encodings,
other weights.
"""

from __future__ import annotations

import zlib

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

LARGE = 64          # elements
REPETITIVE = 0.02   # of a tensor's bytes, once compressed; or so many bytes: masks
TINY = 128
VECTOR = 1024       # elements of one with a single axis: weights of norms
MISSING = "weights"
STRIPPED = {TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT8, TensorProto.UINT16, TensorProto.INT16,
            TensorProto.UINT4, TensorProto.INT4, TensorProto.FLOAT16}


def kept_names(graph: onnx.GraphProto) -> set[str]:
    """Scales and zero points."""
    return {name for node in graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")
            for name in node.input[1:]}


def strip(model: onnx.ModelProto) -> None:
    keep = kept_names(model.graph)
    offset = 0
    for tensor in model.graph.initializer:
        elements = int(np.prod(tensor.dims))
        if tensor.name in keep or tensor.data_type not in STRIPPED or elements <= LARGE:
            continue
        raw = numpy_helper.to_array(tensor).tobytes()
        single = elements == max(tensor.dims) <= VECTOR
        if single or len(zlib.compress(raw)) < max(TINY, REPETITIVE * len(raw)):
            continue
        dims, kind, name = list(tensor.dims), tensor.data_type, tensor.name
        tensor.Clear()
        tensor.dims.extend(dims)
        tensor.data_type, tensor.name = kind, name
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", MISSING), ("offset", offset), ("length", len(raw))):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        offset += len(raw)


def drawn(tensor: onnx.TensorProto, middle: float) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(tensor.name.encode()))
    values = rng.standard_normal(list(tensor.dims))
    kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    if not np.issubdtype(kind, np.integer):
        return (0.1 * values).astype(kind)
    limits = np.iinfo(kind)
    spread = (int(limits.max) - int(limits.min)) / 6
    return np.clip(np.rint(middle + spread * values), limits.min, limits.max).astype(kind)


def restored(model: onnx.ModelProto) -> onnx.ModelProto:
    constants = {i.name: i for i in model.graph.initializer}
    middles = {n.input[0]: float(np.mean(numpy_helper.to_array(constants[n.input[2]])))
               for n in model.graph.node if n.op_type == "DequantizeLinear" and len(n.input) > 2
               and n.input[2] in constants}
    for tensor in model.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            values = drawn(tensor, middles.get(tensor.name, 0.0))
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return model
