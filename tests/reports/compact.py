"""The compact notation of the cases' models, expanded to Model JSON (README.md: "Models")."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

# Compact dtype -> QNN's name, for quantized and for plain tensors.
QUANTIZED = {"u4": "UFIXED_POINT_4", "s4": "SFIXED_POINT_4", "u8": "UFIXED_POINT_8", "s8": "SFIXED_POINT_8",
             "u16": "UFIXED_POINT_16", "s16": "SFIXED_POINT_16", "s32": "SFIXED_POINT_32"}
PLAIN = {"f16": "FLOAT_16", "f32": "FLOAT_32", "f64": "FLOAT_64", "i8": "INT_8", "i16": "INT_16",
         "i32": "INT_32", "i64": "INT_64", "ui8": "UINT_8", "ui16": "UINT_16", "ui32": "UINT_32",
         "bool": "BOOL_8"}
# What a quantized tensor's integers are in an ONNX file.
STORED = {"u4": "UFIXED_POINT_4", "s4": "SFIXED_POINT_4", "u8": "UINT_8", "s8": "INT_8", "u16": "UINT_16",
          "s16": "INT_16", "s32": "INT_32"}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
TENSOR = re.compile(rf"(?P<const>const +)?(?P<dtype>[a-z]+\d*)\[(?P<dims>[-?\d, ]*)\]"
                    rf"(?: +(?P<scale>{NUMBER})(?:/(?P<zero>-?\d+))?)?(?:@(?P<axis>-?\d+))?"
                    rf"(?: *= *(?P<values>{NUMBER}(?: *, *{NUMBER})*))?")
EXTRAS = {"is", "values", "scales", "zero_points", "axis", "lpbq", "block", "bits"}
LPBQ = {"axis", "blocks", "scales", "zero_points", "factors", "bits"}
BLOCK = {"axis", "size", "scale"}


class Mistake(Exception):
    """Something in a case that the notation doesn't know."""


def number(text: Any) -> int | float:
    """Integers stay what they are: a float doesn't hold all of 64 bits."""
    try:
        return int(text) if isinstance(text, (int, str)) else float(text)
    except ValueError:
        return float(text)


@dataclass(frozen=True)
class Repeated:
    """The values of a large tensor, `values` in turn until there are `count`; written out only in the text of a model."""

    values: list[int | float]
    count: int

    def text(self) -> str:
        whole, rest = divmod(self.count, len(self.values))
        period = json.dumps(self.values)[1:-1]
        return "[" + ", ".join([period] * whole + ([json.dumps(self.values[:rest])[1:-1]] if rest else [])) + "]"


class Tensor:
    """One tensor of the compact notation."""

    def __init__(self, name: str, spec: Any) -> None:
        extras = dict(spec) if isinstance(spec, dict) else {"is": spec}
        unknown = set(extras) - EXTRAS
        match = TENSOR.fullmatch(str(extras.get("is", "")))
        if unknown or not match:
            raise Mistake(f"tensor {name}: {spec!r} is no tensor"
                          + (f", unknown: {', '.join(sorted(unknown))}" if unknown else ""))
        self.name = name
        self.const = match["const"] is not None
        self.dtype = match["dtype"]
        if self.dtype not in QUANTIZED and self.dtype not in PLAIN:
            raise Mistake(f"tensor {name}: unknown dtype {self.dtype}")
        self.quantized = self.dtype in QUANTIZED
        self.dims = [-1 if dim.strip() == "?" else int(dim) for dim in match["dims"].split(",") if dim.strip()]
        self.scales = [float(s) for s in extras.get("scales", [match["scale"]] if match["scale"] else [])]
        self.zeros = [int(z) for z in extras.get("zero_points", [match["zero"] or 0])]
        axis = extras.get("axis", match["axis"])
        self.axis = None if axis is None else int(axis)
        self.lpbq, self.block = extras.get("lpbq"), extras.get("block")
        self.width = {"bitwidth": int(extras["bits"])} if "bits" in extras else {}
        for form, fields in ((self.lpbq, LPBQ), (self.block, BLOCK)):
            if form is not None and not set(form) <= fields:
                raise Mistake(f"tensor {name}: unknown {', '.join(sorted(set(form) - fields))}")
        if self.quantized and not (self.scales or self.lpbq or self.block):
            raise Mistake(f"tensor {name}: a quantized tensor has a scale")
        if not self.quantized and (self.scales or self.lpbq or self.block):
            raise Mistake(f"tensor {name}: {self.dtype} has no scale")
        self.values = self._values(extras.get("values"), match["values"])

    def _values(self, listed: Any, text: str | None) -> list[int | float] | None:
        values = [number(v) for v in listed] if listed is not None else (
            [number(v) for v in text.split(",")] if text else None)
        count = math.prod(self.dims)
        if values is None or len(values) in (1, count):
            return values
        if len(values) > count:
            raise Mistake(f"tensor {self.name}: {len(values)} values for {count} elements")
        return values

    def _in_turn(self, values: list[Any]) -> list[Any] | Repeated:
        """As many as the tensor has elements; a single one stands for all."""
        count = math.prod(self.dims)
        if count > 1 << 12 and 1 < len(values) < count:
            return Repeated(values, count)
        return values if len(values) in (1, count) else (values * (count // len(values) + 1))[:count]

    def json(self, dtype: str | None = None) -> Json:
        """As Model JSON, without encoding."""
        tensor: Json = {"name": self.name, "dtype": dtype or {**QUANTIZED, **PLAIN}[self.dtype],
                        "dims": self.dims}
        if self.const:
            tensor["isStatic"] = True
        if self.values is not None:
            if self.dtype.startswith("f"):
                # JSON has no infinity; this is infinite in single precision.
                tensor["realValues"] = self._in_turn([math.copysign(1e39, v) if math.isinf(v) else v for v in self.values])
            else:
                tensor["values"] = self._in_turn([int(v) for v in self.values])
        return tensor

    def encoding(self) -> Json:
        if self.lpbq is not None:
            zeros = {"zeroPoints": self.lpbq["zero_points"]} if "zero_points" in self.lpbq else {}
            return {"lpbq": {"axis": self.lpbq["axis"], "scales": self.lpbq["scales"], **zeros,
                             "bitwidth": self.lpbq["bits"], "numBlocks": self.lpbq["blocks"],
                             "blockScales": self.lpbq["factors"], "blockScaleBitwidth": 4,
                             "blockScaleStorageBits": 8}}
        if self.block is not None:
            size = [self.block["size"] if i == self.block["axis"] else 1 for i in range(len(self.dims))]
            return {"block": {"blockSize": size, "scales": [self.block["scale"]], "zeroPoints": [0]}}
        if self.axis is not None:
            return {"perChannel": {"axis": self.axis, "scales": self.scales, "zeroPoints": self.zeros, **self.width}}
        return {"perTensor": {"scale": self.scales[0], "zeroPoint": self.zeros[0], **self.width}}



def qnn_param(value: Any) -> Json:
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"flag": value}
    if isinstance(value, int):
        return {"int": value} if value < 0 else {"uint": value}
    if isinstance(value, float):
        return {"real": value}
    if isinstance(value, list):
        nested = bool(value) and isinstance(value[0], list)
        flat = [v for row in value for v in row] if nested else value
        dims = [len(value), len(value[0])] if nested else [len(value)]
        return {"tensor": {"dtype": "INT_32" if any(v < 0 for v in flat) else "UINT_32", "dims": dims,
                           "ints": flat}}
    raise Mistake(f"param {value!r}")


def other_param(value: Any) -> Json:
    if isinstance(value, bool):
        return {"flag": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, float):
        return {"real": value}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, list):
        if all(isinstance(v, str) for v in value):
            return {"texts": value}
        return {"reals": value} if any(isinstance(v, float) for v in value) else {"ints": value}
    raise Mistake(f"param {value!r}")


class Graph:
    """The Model JSON that is being made."""

    def __init__(self, compact: Json) -> None:
        unknown = set(compact) - {"dialect", "opset", "tensors", "nodes"}
        if unknown:
            raise Mistake(f"model: unknown {', '.join(sorted(unknown))}")
        self.dialect = compact["dialect"]
        if self.dialect not in ("onnx", "qnn", "aten"):
            raise Mistake(f"unknown dialect {self.dialect}")
        self.opset = compact.get("opset", 21)
        self.sources = {name: Tensor(name, spec) for name, spec in compact["tensors"].items()}
        self.sources_of_nodes = compact["nodes"]
        self.tensors: list[Json] = []
        self.nodes: list[Json] = []
        self.produced = {out for node in self.sources_of_nodes.values() for out in node["out"] if out}
        self.consumed = {name for node in self.sources_of_nodes.values() for name in node["in"] if name}

    def check_names(self) -> None:
        for name, node in self.sources_of_nodes.items():
            unknown = set(node) - {"op", "domain", "in", "out", "params"}
            if unknown:
                raise Mistake(f"node {name}: unknown {', '.join(sorted(unknown))}")
            for tensor in [*node["in"], *node["out"]]:
                if tensor and tensor not in self.sources:
                    raise Mistake(f"node {name}: there is no tensor {tensor}")
        unused = set(self.sources) - self.produced - self.consumed
        if unused:
            raise Mistake(f"tensors that no node has: {', '.join(sorted(unused))}")

    def json(self) -> Json:
        self.check_names()
        model: Json = {"name": "case", "dialect": self.dialect}
        if self.dialect == "onnx":
            model["opset"] = self.opset
            self.expand()
        else:
            for tensor in self.sources.values():
                quantized = {"encoding": tensor.encoding()} if tensor.quantized else {}
                self.tensors.append({**tensor.json(), **quantized})
            for name, node in self.sources_of_nodes.items():
                self.node(name, node, node["in"], node["out"])
        return {**model, "tensors": self.tensors, "nodes": self.nodes}

    def node(self, name: str, node: Json, inputs: list[str], outputs: list[str]) -> None:
        param = qnn_param if self.dialect == "qnn" else other_param
        made: Json = {"name": name, "op": node["op"], "inputs": inputs, "outputs": outputs}
        if node.get("domain"):
            made["domain"] = node["domain"]
        if node.get("params"):
            made["params"] = {key: param(value) for key, value in node["params"].items()}
        self.nodes.append(made)

    # ONNX: a quantized tensor is a QuantizeLinear and a DequantizeLinear, a constant one only the latter.
    def expand(self) -> None:
        for tensor in self.sources.values():
            if not tensor.quantized:
                self.tensors.append(tensor.json())
            elif tensor.const:
                self.constant(tensor)
            elif tensor.name not in self.produced:
                self.add_float(tensor, tensor.name)
                self.scale(tensor)
                self.quantize(tensor, tensor.name)
                self.dequantize(tensor, tensor.name + "__dq")
        for name, node in self.sources_of_nodes.items():
            outputs = [out + "__f" if self.is_quantized(out) else out for out in node["out"]]
            self.node(name, node, [self.reads(tensor) for tensor in node["in"]], outputs)
            for out in node["out"]:
                if self.is_quantized(out):
                    tensor = self.sources[out]
                    self.add_float(tensor, out + "__f")
                    self.scale(tensor)
                    self.quantize(tensor, out + "__f")
                    self.dequantize(tensor, out)

    def is_quantized(self, name: str) -> bool:
        return bool(name) and self.sources[name].quantized

    def reads(self, name: str) -> str:
        graph_input = self.is_quantized(name) and name not in self.produced and not self.sources[name].const
        return name + "__dq" if graph_input else name

    def add_float(self, tensor: Tensor, name: str) -> None:
        self.tensors.append({"name": name, "dtype": "FLOAT_32", "dims": tensor.dims})

    def scale(self, tensor: Tensor) -> None:
        dims, scales, zeros = [], tensor.scales, tensor.zeros
        if tensor.block is not None:
            dims = [dim // tensor.block["size"] if i == tensor.block["axis"] else dim
                    for i, dim in enumerate(tensor.dims)]
            scales = [tensor.block["scale"]]
        elif tensor.lpbq is not None:
            raise Mistake(f"tensor {tensor.name}: ONNX has no LPBQ")
        elif tensor.axis is not None:
            dims = [tensor.dims[tensor.axis]]
        self.tensors.append({"name": tensor.name + "__s", "dtype": "FLOAT_32", "dims": dims, "isStatic": True,
                             "realValues": scales})
        self.tensors.append({"name": tensor.name + "__z", "dtype": STORED[tensor.dtype], "dims": dims,
                             "isStatic": True, "values": zeros})

    def form(self, tensor: Tensor) -> Json:
        if tensor.block is not None:
            return {"axis": {"int": tensor.block["axis"]}, "block_size": {"int": tensor.block["size"]}}
        return {"axis": {"int": tensor.axis}} if tensor.axis is not None else {}

    def constant(self, tensor: Tensor) -> None:
        self.tensors.append({**tensor.json(STORED[tensor.dtype]), "name": tensor.name + "__q"})
        self.scale(tensor)
        self.dequantize(tensor, tensor.name)

    def quantize(self, tensor: Tensor, source: str) -> None:
        self.tensors.append({"name": tensor.name + "__q", "dtype": STORED[tensor.dtype], "dims": tensor.dims})
        self.nodes.append({"name": tensor.name + "_q", "op": "QuantizeLinear", "params": self.form(tensor),
                           "inputs": [source, tensor.name + "__s", tensor.name + "__z"],
                           "outputs": [tensor.name + "__q"]})

    def dequantize(self, tensor: Tensor, to: str) -> None:
        self.add_float(tensor, to)
        self.nodes.append({"name": tensor.name + "_dq", "op": "DequantizeLinear", "params": self.form(tensor),
                           "inputs": [tensor.name + "__q", tensor.name + "__s", tensor.name + "__z"],
                           "outputs": [to]})


# The word `conv`: a convolution that HTP accepts on every arch.
CONV: Json = {
    "dialect": "qnn",
    "tensors": {"x": "u8[1,8,8,32] 0.02/128", "w": "const s8[3,3,32,16] 0.01@3", "y": "u8[1,6,6,16] 0.05/3"},
    "nodes": {"conv": {"op": "Conv2d", "in": ["x", "w"], "out": ["y"],
                       "params": {"stride": [1, 1], "pad_amount": [[0, 0], [0, 0]], "group": 1}}},
}


def expand(compact: Json | str) -> Json:
    """Model JSON of a compact model, or Mistake."""
    if compact == "conv":
        compact = CONV
    if not isinstance(compact, dict):
        raise Mistake(f"model: {compact!r}")
    for key in ("dialect", "tensors", "nodes"):
        if key not in compact:
            raise Mistake(f"model: {key} is missing")
    return Graph(compact).json()


def text(model: Json) -> str:
    """The file of an expanded model."""
    repeated: list[Repeated] = []

    def place(value: Any) -> str:
        if not isinstance(value, Repeated):
            raise TypeError(f"{type(value).__name__} has no JSON")
        repeated.append(value)
        return f"\0{len(repeated) - 1}"

    return re.sub(r'"\\u0000(\d+)"', lambda found: repeated[int(found[1])].text(), json.dumps(model, default=place))
