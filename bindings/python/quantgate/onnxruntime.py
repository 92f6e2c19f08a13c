"""From a report to what ONNX Runtime's quantizer should do differently.

    config = get_qnn_qdq_config(float_model, data, ...)
    quantize(float_model, "quantized.onnx", config)
    report = quantgate.check("quantized.onnx", soc="SM8550")
    overrides = quantgate.onnxruntime.tensor_quant_overrides(report)
    config = get_qnn_qdq_config(float_model, data, ..., init_overrides=overrides)

Needs onnxruntime and numpy only when it is called.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from quantgate._core import Finding, Model, Tensor
    from quantgate._report import Report

Overrides: TypeAlias = dict[str, list[dict[str, Any]]]
"""By name of a tensor of the float model; what `init_overrides` of get_qnn_qdq_config and the
extra option `TensorQuantOverrides` take."""

# The quantizer's names: a float weight "w" is stored as "w_quantized", an activation "x" leaves
# its QuantizeLinear as "x_QuantizeLinear_Output".
_SUFFIXES = re.compile(r"(_quantized|_QuantizeLinear_Output|_DequantizeLinear_Output)$")
_PATH = re.compile(r"tensors/(.*?)/(?:encoding/\w+/)?(dtype|scales?|zeroPoints?)", re.DOTALL)
# The quantizer's types by QNN's names and by those of the plain integers of a file.
_TYPES = {f"{sign}{kind}_{bits}": f"Q{'UInt' if sign == 'U' else 'Int'}{bits}"
          for sign, kind in (("S", "FIXED_POINT"), ("U", "FIXED_POINT"), ("", "INT"), ("U", "INT"))
          for bits in (4, 8, 16)}


class _Graph:
    """What the quantized model says of its tensors, by name."""

    def __init__(self, model: Model) -> None:
        self._tensors = {tensor.name: tensor for tensor in model.tensors}
        tensors = model.tensors
        self._axes = {tensors[node.inputs[0]].name: node.params["axis"] for node in model.nodes
                      if node.inputs and node.inputs[0] is not None and "axis" in node.params}

    def get(self, name: str) -> Tensor | None:
        return self._tensors.get(name)

    def numbers(self, name: str) -> tuple[float, ...]:
        """The values of a scale or zero point; empty where there is none."""
        tensor = self._tensors.get(name)
        return tensor.values or () if tensor is not None else ()

    def axis(self, tensor: Tensor) -> int | None:
        """Of the channels of a weight with a scale for each; None: it has one scale."""
        if len(self.numbers(_float_name(tensor.name) + "_scale")) < 2:
            return None
        axis = self._axes.get(tensor.name, 1)  # ONNX's default
        return axis if isinstance(axis, int) else None


def _float_name(name: str) -> str:
    return _SUFFIXES.sub("", name)


def _changes(finding: Finding) -> dict[str, dict[str, Any]]:
    """What the first fix with edits sets, by tensor; empty: the finding has none for tensors."""
    for fix in finding.fixes:
        changes: dict[str, dict[str, Any]] = {}
        for edit in fix.edits:
            path = _PATH.fullmatch(edit.path)
            if edit.op != "set" or path is None:
                break
            name, what = path.groups()
            changes.setdefault(name, {})[what.rstrip("s")] = json.loads(edit.value)
        else:
            if changes:
                return changes
    return {}


def _override(graph: _Graph, tensor: Tensor, change: dict[str, Any]) -> dict[str, Any] | None:
    """The override that makes one change; None: the quantizer has none for it."""
    import numpy
    from onnxruntime.quantization import QuantType

    type_name = _TYPES.get(change.get("dtype", tensor.dtype))
    if type_name is None or not hasattr(QuantType, type_name):
        return None  # a bias, whose type and scale the quantizer derives
    override: dict[str, Any] = {"quant_type": getattr(QuantType, type_name)}
    bits = int(type_name.lstrip("QUInt"))
    middle = 1 << (bits - 1) if type_name.startswith("QU") else 0
    name = _float_name(tensor.name)
    axis = graph.axis(tensor)
    if axis is not None:
        override["axis"] = axis
    # A weight of a signed type is symmetric, or the backend takes it in no form.
    if change.get("zeroPoint") == middle and "scale" not in change or (
            tensor.static and middle == 0 and "dtype" in change):
        override["symmetric"] = True
    elif "scale" in change or "zeroPoint" in change:
        scale = change.get("scale", next(iter(graph.numbers(name + "_scale")), None))
        zero_point = change.get("zeroPoint", next(iter(graph.numbers(name + "_zero_point")), None))
        if scale is None or zero_point is None or axis is not None:
            return None
        dtype = type_name.removeprefix("Q").lower()
        override["scale"] = numpy.array(scale, numpy.float32)
        override["zero_point"] = numpy.array(zero_point, dtype)
    return override


def _fixes(report: Report) -> tuple[Overrides, tuple[Finding, ...]]:
    graph = _Graph(report.checked)
    overrides: Overrides = {}
    left = []
    for finding in report.findings:
        made: Overrides = {}
        for name, change in _changes(finding).items():
            tensor = graph.get(name)
            override = _override(graph, tensor, change) if tensor is not None else None
            if override is None:
                made = {}
                break
            made[_float_name(name)] = [override]
        # The first word on a tensor stands: two findings that want different things of it can't
        # both be fixed here.
        if not made or any(str(overrides.get(name, override)) != str(override)
                           for name, override in made.items()):
            left.append(finding)
        else:
            overrides.update(made)
    return overrides, tuple(left)


def tensor_quant_overrides(report: Report) -> Overrides:
    """What to tell the quantizer so that the findings of `report` go away.

    report: of a QDQ model as onnxruntime.quantization writes it. Other types, symmetric weights
    and fixed scales are reported; findings that no override fixes are those of not_fixed(). An
    override may change a type that a neighbour depends on: check the new model again.

    Raises ImportError without onnxruntime.
    """
    return _fixes(report)[0]


def not_fixed(report: Report) -> tuple[Finding, ...]:
    """The findings that tensor_quant_overrides(report) does nothing for."""
    return _fixes(report)[1]
