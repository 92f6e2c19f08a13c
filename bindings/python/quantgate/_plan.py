"""Quantization plans: as what a float model is to be quantized so that the target accepts it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from quantgate import _core
from quantgate._errors import InputError
from quantgate._knowledge import EMBEDDED, Database, Folders
from quantgate._models import ModelLike, to_model
from quantgate._names import Route

Precision: TypeAlias = Literal["16a16w", "16a8w", "16a4w", "8a8w", "8a4w", "fp16"]
Minimize: TypeAlias = Literal["converts", "bits"]
PlanFit: TypeAlias = Literal["plain", "as_wished", "nearest", "float", "refused", "unchecked"]


@dataclass(frozen=True)
class PlannedOp:
    """A QNN op that a node becomes."""

    op: str
    row: str = ""  # 'htp/Conv2d#INT16.1'
    precision: str = ""  # '16a8w'
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannedNode:
    """A node of the file. `fit` is what became of the wish; `reason` why it is not as wished."""

    name: str
    op: str
    wished: str = ""
    fit: PlanFit = "plain"
    into: str = ""  # the node that it becomes part of; the rest is empty then
    ops: tuple[PlannedOp, ...] = ()
    reason: str = ""
    rule: str = ""
    constraint: str = ""
    converts: int = 0


@dataclass(frozen=True)
class PlannedTensor:
    """A tensor: its datatype and encoding. A float datatype: it is not quantized."""

    name: str
    role: Literal["activation", "constant", "weight", "bias", "plain"]
    dtype: str
    internal: bool = False  # the file has no such tensor
    encoding: Literal["", "perTensor", "perChannel", "block", "lpbq"] = ""
    symmetric: bool = False
    bits: int = 0  # fewer than the dtype's; else 0
    axis: int = -1
    file_axis: int = -1  # in the layout of the file
    block_size: int = 0
    scale: float | None = None  # dictated
    zero_point: int | None = None
    least_scale: float = 0.0  # below it an op computes wrong; 0: none is known
    shares_with: str = ""
    derived_from: str = ""
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannedConvert:
    """A tensor that one node reads in another type or encoding than it is produced in."""

    tensor: str
    node: str
    port: str
    from_dtype: str
    to_dtype: str
    reason: str
    scale: float | None = None
    zero_point: int | None = None
    shares_with: str = ""
    elements: int = 0


_FIELDS = {"fileAxis": "file_axis", "leastScale": "least_scale", "blockSize": "block_size", "zeroPoint": "zero_point",
           "sharesWith": "shares_with", "derivedFrom": "derived_from", "from": "from_dtype",
           "to": "to_dtype"}


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {_FIELDS.get(key, key): tuple(value) if isinstance(value, list) else value
            for key, value in entry.items()}


def _node(entry: Mapping[str, Any]) -> PlannedNode:
    ops = tuple(PlannedOp(**_entry(op)) for op in entry.get("ops", ()))
    return PlannedNode(**_entry({**entry, "ops": []}) | {"ops": ops})


@dataclass(frozen=True)
class Plan:
    """What plan() returns; str() is the text of `quantgate plan`."""

    model: str
    backend: str
    sdk: str
    arch: str
    soc: str
    route: str
    precision: str
    weights: str
    notes: tuple[str, ...]
    summary: dict[str, int]
    nodes: tuple[PlannedNode, ...] = field(repr=False)
    tensors: tuple[PlannedTensor, ...] = field(repr=False)
    converts: tuple[PlannedConvert, ...] = field(repr=False)
    _json: str = field(repr=False)
    _text: str = field(repr=False, default="")

    def to_json(self) -> str:
        """By docs/schemas/plan.schema.json."""
        return self._json

    def tensor(self, name: str) -> PlannedTensor:
        """By name. Raises KeyError."""
        for tensor in self.tensors:
            if tensor.name == name:
                return tensor
        raise KeyError(name)

    def __str__(self) -> str:
        return self._text

    @staticmethod
    def from_json(text: str) -> Plan:
        """Of what `quantgate plan --format json` wrote. Raises InputError."""
        try:
            return _plan(text, "")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no plan: {error}", "plan") from error

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Plan:
        """from_json() of a file."""
        return Plan.from_json(Path(path).read_text(encoding="utf-8"))


def _plan(text: str, words: str) -> Plan:
    document = json.loads(text)
    target, wish = document["target"], document["wish"]
    return Plan(
        model=document["model"], backend=target["backend"], sdk=target["sdk"],
        arch=target["arch"], soc=target.get("soc", ""), route=document["route"],
        precision=wish["precision"], weights=wish.get("weights", ""),
        notes=tuple(document["notes"]), summary=document["summary"],
        nodes=tuple(map(_node, document["nodes"])),
        tensors=tuple(PlannedTensor(**_entry(tensor)) for tensor in document["tensors"]),
        converts=tuple(PlannedConvert(**_entry(convert)) for convert in document["converts"]),
        _json=text, _text=words)


def plan(model: ModelLike, *, precision: Precision, weights: str = "",
         overrides: Mapping[str, Precision] | Iterable[tuple[str, Precision]] = (),
         minimize: Minimize = "converts", soc: str | int | None = None, arch: str | None = None,
         sdk: str | None = None, backend: str = "htp", route: Route | None = None,
         opdefs: Folders = ()) -> Plan:
    """Plans the quantization of a float model so that the target accepts it.

    precision: what is wished; weights: 'per-channel', 'per-tensor', 'int4' or 'lpbq:64'.
    overrides: another precision by node name or pattern (* and ?). minimize: of equally near rows
    the one with the fewest Converts or bits. The target and `route` are those of check().

    What can't be had as wished is in the plan with its reason. Raises ValueError with one line for
    what can't be used: a quantized model, an override that fits no node, contradictions; otherwise
    what check() raises.
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    target = database.target(soc=soc, arch=arch, sdk=sdk, backend=backend)
    listed = list(overrides.items()) if isinstance(overrides, Mapping) else list(overrides)
    text, words = _core.plan(to_model(model), target, precision, weights, listed, minimize, route)
    return _plan(text, words)
