"""One op with all its ports, as a Model of a single node."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field
from typing import Any, Iterator

from .database import Example, Op, bits_of, is_fixed

SCALE = 0.02
WEIGHT_SCALE = 0.01
LARGEST_ZERO_POINT = 0x7FFFFFFF


def mid_point(dtype: str, bitwidth: int = 0) -> int:
    """The zero point of a symmetric encoding; that of 32 unsigned bits has no form in a Model."""
    middle = 1 << ((bitwidth or bits_of(dtype)) - 1) if dtype.startswith("UFIXED") else 0
    return middle if middle <= LARGEST_ZERO_POINT else 0


def per_tensor(scale: float, zero_point: int, bitwidth: int = 0) -> dict[str, Any]:
    body: dict[str, Any] = {"scale": scale, "zeroPoint": zero_point}
    if bitwidth:
        body["bitwidth"] = bitwidth
    return {"perTensor": body}


def per_channel(axis: int, scale: float, zero_point: int, bitwidth: int = 0) -> dict[str, Any]:
    body: dict[str, Any] = {"axis": axis, "scales": [scale], "zeroPoints": [zero_point]}
    if bitwidth:
        body["bitwidth"] = bitwidth
    return {"perChannel": body}


def copy_of(value: Any) -> Any:
    """A deep copy of what JSON can say."""
    if isinstance(value, dict):
        return {key: copy_of(item) for key, item in value.items()}
    return [copy_of(item) for item in value] if isinstance(value, list) else value


@dataclass
class Port:
    dtype: str
    dims: list[int]
    static: bool = False
    encoding: dict[str, Any] | None = None
    sparse: int | None = None

    def copy(self) -> "Port":
        return Port(self.dtype, list(self.dims), self.static, copy_of(self.encoding), self.sparse)

    def tensor(self, name: str) -> dict[str, Any]:
        made: dict[str, Any] = {"name": name, "dtype": self.dtype, "dims": self.dims}
        if self.static:
            made["isStatic"] = True
        if self.encoding:
            made["encoding"] = self.encoding
        if self.sparse is not None:
            made["sparse"] = self.sparse
        return made


@dataclass
class Configuration:
    op: str
    variant: str
    example: str
    inputs: list[Port | None]
    outputs: list[Port]
    params: dict[str, dict[str, Any]]
    mutations: list[str] = field(default_factory=list)
    declared: dict[str, dict[str, Any]] = field(default_factory=dict)  # params of the op
    group: str = ""  # of the variant
    values: dict[str, int] = field(default_factory=dict)  # of constants by the tensor's name: one number everywhere

    def ports(self) -> Iterator[tuple[str, Port]]:
        for i, port in enumerate(self.inputs):
            if port is not None:
                yield f"in[{i}]", port
        for i, port in enumerate(self.outputs):
            yield f"out[{i}]", port

    def copy(self) -> "Configuration":
        """Apart from what is copied, so that mutations leave the base alone."""
        ports = [None if p is None else p.copy() for p in self.inputs], [p.copy() for p in self.outputs]
        return Configuration(self.op, self.variant, self.example, *ports, copy_of(self.params), list(self.mutations), self.declared,
                             self.group, dict(self.values))  # fmt: skip

    def model(self, name: str) -> dict[str, Any]:
        tensors, inputs = [], []
        for i, port in enumerate(self.inputs):
            inputs.append("" if port is None else f"x{i}")
            if port is not None:
                tensors.append(port.tensor(f"x{i}"))
        outputs = [f"y{i}" for i in range(len(self.outputs))]
        tensors += [port.tensor(outputs[i]) for i, port in enumerate(self.outputs)]
        for tensor in tensors:
            if tensor["name"] in self.values:
                tensor["values"] = [self.values[tensor["name"]]] * max(0, math.prod(tensor["dims"]))
        node = {"name": "n", "op": self.op, "inputs": inputs, "outputs": outputs, "params": self.params}
        return {"name": name, "dialect": "qnn", "tensors": tensors, "nodes": [node]}

    def key(self) -> str:
        """Equal for configurations that are equal to a backend."""
        return json.dumps(self.model(""), sort_keys=True)

    def dtypes(self) -> str:
        """Datatypes of all ports, short: `U8 S8 S32 -> U8`."""

        def short(port: Port | None) -> str:
            if port is None:
                return "-"
            head = port.dtype[0] if port.dtype.startswith(("SFIXED", "UFIXED", "FLOAT")) else port.dtype[0].lower()
            return f"{head}{bits_of(port.dtype)}"

        return " ".join(map(short, self.inputs)) + " -> " + " ".join(map(short, self.outputs))


def param_value(declared: dict[str, Any] | None, value: Any) -> dict[str, Any]:
    """A param of an example in Model JSON: nested lists become tensors."""
    dtype = (declared or {}).get("dtype", "")
    if isinstance(value, list):
        dims, flat = [], value
        while flat and isinstance(flat[0], list):
            dims.append(len(flat))
            flat = [x for row in flat for x in row]
        dims.append(len(flat) // math.prod(dims))
        dtype = dtype or "UINT_32"
        values = "reals" if dtype.startswith("FLOAT") else "ints"
        return {"tensor": {"dtype": dtype, "dims": dims, values: flat}}
    if dtype == "BOOL_8" or isinstance(value, bool):
        return {"flag": bool(value)}
    if dtype.startswith("FLOAT") or isinstance(value, float):
        return {"real": value}
    return {"int": value} if dtype.startswith("INT") else {"uint": value}


def _encoding(op: Op, name: str, direction: str, index: int, dtype: str, group: str) -> dict[str, Any] | None:
    if not is_fixed(dtype):
        return None
    role = op.role(direction, index)
    scale, zero_point = op.fixed_encoding(name, dtype, group)
    if scale is None:
        scale = {"weight": WEIGHT_SCALE, "bias": SCALE * WEIGHT_SCALE}.get(role, SCALE)
    return per_tensor(scale, mid_point(dtype) if zero_point is None else zero_point)


def base(op: Op, example: Example, number: int, variant: dict[str, Any], rng: random.Random) -> Configuration | None:
    """The example with the variant's dtypes, symmetric encodings everywhere; None where the
    variant leaves out a port that the example has."""
    row = variant["dtypes"]
    group = variant.get("group", "")

    def port(direction: str, index: int, dims: list[int] | None) -> Port | None:
        entry = op.row_entry(row, direction, index)
        if dims is None or entry is None:
            return None
        dtype = rng.choice(entry) if isinstance(entry, list) else entry
        name = f"{direction}[{index}]"
        made = Port(dtype, list(dims), direction == "in" and index in example.static)
        made.encoding = _encoding(op, name, direction, index, dtype, group)
        sparse = example.sparse_inputs if direction == "in" else example.sparse_outputs
        made.sparse = sparse.get(index)
        return made

    inputs = [port("in", i, dims) for i, dims in enumerate(example.inputs)]
    outputs = [port("out", i, dims) for i, dims in enumerate(example.outputs)]
    if any(o is None for o in outputs):
        return None
    while inputs and inputs[-1] is None:
        inputs.pop()
    params = {name: param_value(op.params.get(name), value) for name, value in example.params.items()}
    return Configuration(op.name, variant["id"], example.tag or str(number), inputs, outputs, params, [], op.params, group)  # type: ignore[arg-type]
