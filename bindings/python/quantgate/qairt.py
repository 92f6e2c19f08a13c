"""From a plan to the file that QAIRT's converters take as --quantization_overrides.

    plan = quantgate.plan("float.onnx", precision="16a8w", soc="SM8550", route="qairt")
    quantgate.qairt.write_overrides("float.onnx", plan, samples, "overrides.json")
    qnn-onnx-converter --input_network float.onnx --quantization_overrides overrides.json ...

The file is in AIMET's form 1.0.0, which quantgate reads too: quantgate check float.onnx
--encodings overrides.json. Needs onnx, onnxruntime and numpy only when it is called.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quantgate._numbers import Numbers, ends, fitted, middle, numbers
from quantgate._plan import Plan, PlannedTensor
from quantgate.ort import ranges

VERSION = "1.0.0"


def _bits(tensor: PlannedTensor) -> int:
    return tensor.bits or int(tensor.dtype.rsplit("_", 1)[1])


def _offset(tensor: PlannedTensor, zero_point: int) -> int:
    """Of the unsigned grid, as AIMET counts: minus the steps from the smallest value to 0."""
    return ends(tensor.dtype, _bits(tensor))[0] - zero_point


def _entry(tensor: PlannedTensor, encodings: list[Numbers], **more: Any) -> dict[str, Any]:
    kind = {"perTensor": "PER_TENSOR", "perChannel": "PER_CHANNEL", "lpbq": "LPBQ"}[tensor.encoding]
    return {"name": tensor.name, "dtype": "INT", "bw": _bits(tensor), "enc_type": kind,
            "is_sym": tensor.symmetric, "scale": [float(e.scale) for e in encodings],
            "offset": [_offset(tensor, e.zero_point) for e in encodings], **more}


def _channels(tensor: PlannedTensor, values: Any) -> list[Any]:
    """The values of each channel; one where there are none."""
    import numpy

    if tensor.encoding == "perTensor" or tensor.file_axis < 0:
        return [values.reshape(-1)]
    return list(numpy.moveaxis(values, tensor.file_axis, 0).reshape(values.shape[tensor.file_axis], -1))


def _weight(tensor: PlannedTensor, values: Any) -> dict[str, Any]:
    if tensor.encoding == "lpbq":
        return _blocks(tensor, values)
    return _entry(tensor, [fitted(tensor, float(c.min()), float(c.max()))
                           for c in _channels(tensor, values)])


def _blocks(tensor: PlannedTensor, values: Any) -> dict[str, Any]:
    """LPBQ: a scale for each channel, and a factor of 4 bits for each block of input channels."""
    import numpy

    steps = (1 << _bits(tensor) - 1) - 1
    bits_of_factor = 4
    channels = numpy.stack(_channels(tensor, values))
    blocks = numpy.abs(channels).reshape(channels.shape[0], -1, tensor.block_size).max(axis=2)
    wanted = numpy.maximum(blocks / steps, 1e-12)
    scales = wanted.max(axis=1) / (1 << bits_of_factor)
    factors = numpy.clip(numpy.ceil(wanted / scales[:, None]), 1, 1 << bits_of_factor).astype(int)
    centre = Numbers(0.0, middle(tensor.dtype, _bits(tensor)))
    entry = _entry(tensor, [centre._replace(scale=float(scale)) for scale in scales])
    # Widths and offsets are those that the factors expand to.
    expanded = _bits(tensor) + bits_of_factor
    return entry | {"bw": expanded, "compressed_bw": _bits(tensor), "block_size": tensor.block_size,
                    "offset": [-(1 << expanded - 1)] * len(scales),
                    "per_block_int_scale": factors.reshape(-1).tolist()}


def overrides(model: Any, plan: Plan, samples: Iterable[Mapping[str, Any]] | Any) -> dict[str, Any]:
    """What the file holds. Tensors that stay in float, and biases, which the converter derives,
    have no entry."""
    range_of, constants = ranges(model, samples)
    known = numbers(plan, range_of)
    document: dict[str, Any] = {"version": VERSION, "activation_encodings": [], "param_encodings": []}
    for tensor in plan.tensors:
        if tensor.internal or not tensor.encoding:
            continue
        if tensor.role == "weight" and tensor.name in constants:
            document["param_encodings"].append(_weight(tensor, constants[tensor.name]))
        elif tensor.name in known and tensor.role in ("activation", "constant"):
            section = "param_encodings" if tensor.name in constants else "activation_encodings"
            document[section].append(_entry(tensor, [known[tensor.name]]))
    return document


def write_overrides(model: Any, plan: Plan, samples: Iterable[Mapping[str, Any]] | Any,
                    path: str | os.PathLike[str]) -> None:
    """overrides(), as a file."""
    document = overrides(model, plan, samples)
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
