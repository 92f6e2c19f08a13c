"""What the schema of an operator says about the arguments of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch.fx import Node

# Arguments that say where a tensor lies, not what it is.
_PLACEMENT = frozenset({"device", "layout", "pin_memory", "memory_format", "non_blocking", "copy",
                        "requires_grad", "generator", "out"})


class Argument(NamedTuple):
    """One argument of a schema."""

    name: str
    is_tensor: bool  # a tensor or a list of tensors: an input
    is_param: bool


class Operator(NamedTuple):
    """An operator as a Model names it."""

    name: str  # "aten.conv2d.default"; in-place forms under the name of the others
    arguments: tuple[Argument, ...]
    defaults: dict[str, Any]  # params that a node may leave out
    quantizer: str  # "quantize", "dequantize", "choose" or ""
    keeps_values: bool = False  # its result holds the values of its first argument, no others
    is_view: bool = False  # its result lies where its first argument does
    writes: bool = False  # into its first argument
    broadcasts: bool = False  # a product of two tensors
    by_strides: bool = False  # what it is taken apart into depends on how its first argument lies in memory


_QUANTIZERS = {"quantize_per_tensor": "quantize", "quantize_per_channel": "quantize",
               "quantize_affine": "quantize", "dequantize_per_tensor": "dequantize",
               "dequantize_per_channel": "dequantize", "dequantize_affine": "dequantize",
               "choose_qparams": "choose", "choose_qparams_affine": "choose",
               "choose_qparams_per_token_asymmetric": "choose"}
_QUANTIZER_NAMESPACES = ("quantized_decomposed", "torchao", "pt2e_quant")


_KEEP_VALUES = frozenset({
    "_unsafe_view", "alias", "alias_copy", "broadcast_to", "channel_shuffle", "clone", "col2im",
    "contiguous", "detach", "dropout", "expand", "expand_as", "expand_copy", "feature_dropout",
    "flatten", "flip", "im2col", "lift_fresh", "lift_fresh_copy", "mH", "movedim", "mT",
    "numpy_T", "permute", "permute_copy", "pixel_shuffle", "pixel_unshuffle", "ravel", "repeat",
    "repeat_interleave", "reshape", "reshape_as", "roll", "squeeze", "squeeze_copy", "swapaxes",
    "swapdims", "t", "tile", "transpose", "transpose_copy", "type_as", "unflatten", "unsqueeze",
    "unsqueeze_copy", "upsample_nearest1d", "upsample_nearest2d", "view", "view_as", "view_copy"})


# A division gives floats; the results of these are whole numbers whatever they read.
_DIVISIONS = frozenset({"aten.div.Tensor", "aten.divide.Tensor", "aten.true_divide.Tensor"})
_TO_WHOLE = frozenset({"to", "_to_copy", "argmax", "argmin", "argsort", "bucketize", "full_like", "item",
                       "ones_like", "searchsorted", "type_as", "zeros_like"})


def is_of_floats(operator: Operator, noted: torch.Tensor, floats: set[int], inputs: list[int | None]) -> bool:
    """Of a node that is noted as of whole numbers. Passes take an integer division apart and note the dtype of the
    whole at its parts: from the division on, until a cast, these are floats."""
    if noted.dtype == torch.bool:
        return False
    if operator.name in _DIVISIONS:
        return True
    return not floats.isdisjoint(inputs) and operator.name.split(".")[1] not in _TO_WHOLE


def param_value(value: Any) -> Any:
    """As ModelBuilder.node takes it; None where it can't be determined."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, (list, tuple)):
        items = [param_value(item) for item in value]
        # One kind in a list: a None or a number computed at run time makes it unknown.
        kinds = {float if isinstance(item, float) else type(item) for item in items}
        if kinds <= {int, bool}:
            return [int(item) for item in items]
        if kinds <= {int, bool, float}:
            return [float(item) for item in items]
        return items if kinds == {str} else None
    return None


def _is_tensor(kind: Any) -> bool:
    text = str(kind)
    return text in ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]",
                    "Optional[List[Tensor]]")


def _name(target: Any) -> str:
    text = str(target)
    parts = text.split(".")
    if len(parts) == 3 and parts[1].endswith("_") and not parts[1].startswith("_"):
        parts[1] = parts[1].rstrip("_")
    return ".".join(parts)


def _aliased(values: Any, written: bool) -> bool:
    """Whether the first of arguments or results is an alias, one that is written to or not."""
    alias = values[0].alias_info if values else None
    return alias is not None and bool(alias.is_write) == written


def writes_elsewhere(node: Node, values: Mapping[Node, Any]) -> bool:
    """Of an operator that writes: into a part of a tensor, as in x[0] = y, where that tensor is read later and not the
    result; or into a parameter, as in weight.div_(2), which the exported program then gives back changed."""
    into = node.args[0] if node.args else None
    if not isinstance(into, Node):
        return False
    if isinstance(getattr(values.get(into), "data", None), torch.nn.Parameter):
        return True
    maker = operator_of(into.target) if into.op == "call_function" and not node.users else None
    return maker is not None and maker.is_view


def values_of(node: Node) -> Node | None:
    """The node whose values this one only arranges anew; None where it computes."""
    if node.op != "call_function" or not node.args or not isinstance(node.args[0], Node):
        return None
    known = operator_of(node.target)
    return node.args[0] if known is not None and known.keeps_values else None


_cache: dict[Any, Operator | None] = {}


def operator_of(target: Any) -> Operator | None:
    """None for what has no schema: functions of Python, submodules."""
    try:
        return _cache[target]
    except KeyError:
        pass
    schema = getattr(target, "_schema", None)
    operator = None
    if schema is not None:
        arguments = tuple(
            Argument(a.name, _is_tensor(a.type), a.name not in _PLACEMENT and not _is_tensor(a.type))
            for a in schema.arguments)
        defaults = {a.name: param_value(a.default_value) for a in schema.arguments
                    if a.name not in _PLACEMENT and not _is_tensor(a.type)
                    and param_value(a.default_value) is not None}
        name = _name(target)
        namespace, _, rest = name.partition(".")
        quantizer = (_QUANTIZERS.get(rest.partition(".")[0], "")
                     if namespace in _QUANTIZER_NAMESPACES else "")
        keeps = namespace == "aten" and rest.partition(".")[0] in _KEEP_VALUES
        operator = Operator(name, arguments, defaults, quantizer, keeps, _aliased(schema.returns, False),
                            _aliased(schema.arguments, True), name == "aten.mul.Tensor",
                            "adaptive_avg_pool3d" in rest)
    _cache[target] = operator
    return operator
