"""The ops of the constraint database, as far as configurations are made from them."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tools.dev.shared import opdefs_json

FIXED = ("SFIXED_POINT_", "UFIXED_POINT_")


def bits_of(dtype: str) -> int:
    match = re.search(r"_(\d+)$", dtype)
    return int(match.group(1)) if match else 0


def is_fixed(dtype: str) -> bool:
    return dtype.startswith(FIXED)


@dataclass
class Example:
    tag: str
    inputs: list[list[int] | None]
    outputs: list[list[int]]
    static: set[int]
    params: dict[str, Any]
    sparse_inputs: dict[int, int] = field(default_factory=dict)
    sparse_outputs: dict[int, int] = field(default_factory=dict)


@dataclass
class Op:
    """One op of one backend: its rows and its examples."""

    name: str
    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    params: dict[str, dict[str, Any]]
    variants: list[dict[str, Any]]
    constraints: list[dict[str, Any]]
    examples: list[Example]

    def row_entry(self, row: list[Any], direction: str, index: int) -> Any:
        """The entry of a variant's row for port `direction[index]`; a variadic port's serves all."""
        ports = self.inputs if direction == "in" else self.outputs
        base = 0 if direction == "in" else len(self.inputs)
        at = min(index, len(ports) - 1)
        if at < 0 or base + at >= len(row):
            return None
        return row[base + at]

    def role(self, direction: str, index: int) -> str:
        ports = self.inputs if direction == "in" else self.outputs
        return ports[min(index, len(ports) - 1)].get("role", "") if ports else ""

    def fixed_encoding(self, port: str, dtype: str, group: str) -> tuple[float | None, int | None]:
        """(scale, zero point) that the database fixes for a port of this dtype."""
        scale: float | None = None
        zero_point: int | None = None
        for constraint in self.constraints:
            if constraint["kind"] != "fixed_encoding" or constraint["port"] != port:
                continue
            if group not in constraint.get("groups", [group]):
                continue
            when = constraint.get("when", {})
            if set(when) - {"dtype"} or dtype not in when.get("dtype", [dtype]):
                continue
            if "scale" in constraint:
                scale = float(Fraction(str(constraint["scale"])))
            if "offset" in constraint:
                zero_point = -int(constraint["offset"])
        return scale, zero_point


def load(folder: pathlib.Path, examples: pathlib.Path | None = None) -> list[Op]:
    """Every op of a backend's folder (opdefs/htp) that has an example, by name. `examples`: the
    folder of a backend whose examples serve where an op has none of its own."""
    others = {op["name"]: op["examples"] for op in opdefs_json.ops(examples.name, examples.parent)} if examples else {}
    ops = []
    for op in opdefs_json.ops(folder.name, folder.parent):
        made = [
            Example(
                tag=str(e.get("tag", "")),
                inputs=e["inputs"],
                outputs=e["outputs"],
                static=set(e.get("static", [])),
                params=e.get("params", {}),
                sparse_inputs=_by_number(e, "sparse_inputs"),
                sparse_outputs=_by_number(e, "sparse_outputs"),
            )
            for e in op["examples"] or others.get(op["name"], [])
        ]
        if made:
            ops.append(Op(examples=made, **{key: op[key] for key in ("name", "inputs", "outputs", "params", "variants", "constraints")}))
    return ops


def _by_number(example: dict[str, Any], key: str) -> dict[int, int]:
    return {int(number): value for number, value in example.get(key, {}).items()}
