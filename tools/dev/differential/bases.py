"""Configurations that a constraint applies to: every example with every row, brought to meet its conditions."""

from __future__ import annotations

import random
from typing import Any, Iterator

from .configuration import Configuration, base, mid_point
from .database import Op
from .edit import encode, kind_of, param_number, ports_of, rank_all, set_bits, set_param, set_zero_point, width
from .generate import _with_channel_weights

Constraint = dict[str, Any]


def meets(c: Configuration, own: str, key: str, wanted: Any) -> bool:
    """Brings a configuration to meet one condition of a `when`, where that can be done."""
    if key in ("dtype_of", "encoding_of", "bits_of", "static_of"):
        return all(meets(c, port, key[:-3], value) for port, value in wanted.items())
    if key in ("dtype_not_of", "symmetric_of"):
        return all(meets(c, port, {"dtype_not_of": "dtype_not", "symmetric_of": "symmetric"}[key], v) for port, v in wanted.items())
    if key == "graph_input_of":  # what is no constant is an input of a graph of one op
        return all(meets(c, port, "static", not value) for port, value in wanted.items())
    ports = [p for _, p in ports_of(c, own)]
    values = wanted if isinstance(wanted, list) else [wanted]
    if key == "dtype":
        return bool(ports) and any(p.dtype in values for p in ports)
    if key == "dtype_not":
        return bool(ports) and any(p.dtype not in values for p in ports)
    if key == "encoding":
        return any(kind_of(p) in values or encode(p, values[0]) for p in ports)
    if key == "bits":
        return any(width(p) in values or (p.encoding is not None and set_bits(p, values[0])) for p in ports)
    if key == "static":
        for p in ports:
            p.static = bool(wanted)
        return bool(ports)
    if key == "symmetric":
        return all(not p.encoding or set_zero_point(p, mid_point(p.dtype, width(p)) + (0 if wanted else 3)) for p in ports)
    if key == "present":
        there = {name for name, _ in c.ports()}
        return all((port in there) == bool(yes) for port, yes in wanted.items()) if isinstance(wanted, dict) else True
    if key == "param":
        for name, accepted in wanted.items():
            accepted = accepted if isinstance(accepted, list) else [accepted]
            numbers = [param_number(c, name, v) for v in accepted]
            if numbers[0] is None or not set_param(c, name, numbers[0]):
                return False
        return True
    if key in ("rank", "rank_min") and isinstance(wanted, dict):
        return all(meets(c, port, key, value) for port, value in wanted.items())
    if key in ("rank", "rank_min"):
        wanted_rank = values[0]
        for p in ports:
            rank = len(p.dims)
            if rank not in values and not (key == "rank_min" and rank >= wanted_rank):
                return rank_all(c, wanted_rank - rank)
        return bool(ports)
    if key == "m":
        return len(c.inputs) - 1 in values
    if key == "m_min":
        return len(c.inputs) - 1 >= wanted
    if key == "axes_include":
        for name in ("axes", "axis"):
            if name in c.params:
                rank = len(c.inputs[0].dims) if c.inputs and c.inputs[0] else 0
                return set_param(c, name, values[0] % rank if rank else 0, 0 if "tensor" in c.params[name] else None)
        return False
    return True  # of conditions that are left as the base has them


def single(when: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The conditions with the first value of each list, then each other value of each list once."""

    def first(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: first(v) for k, v in value.items()}
        return value[:1] if isinstance(value, list) else value

    yield first(when)
    for key, value in when.items():
        inner = value.items() if isinstance(value, dict) else [(None, value)]
        for name, listed in inner:
            for other in listed[1:] if isinstance(listed, list) and key not in ("rank", "m", "axes_include") else []:
                made = first(when)
                if name is None:
                    made[key] = [other]
                else:
                    made[key][name] = [other]
                yield made


def bases_of(op: Op) -> list[Configuration]:
    """Every example with every row, constant weights per-channel too."""
    rng = random.Random(1)
    made = []
    for number_, example in enumerate(op.examples):
        for variant in op.variants:
            for dtype in _listed(variant):
                c = base(op, example, number_, {**variant, "dtypes": dtype}, rng)
                if c is not None:
                    made.append(c)
                    if (other := _with_channel_weights(op, c)) is not None:
                        made.append(other)
    return made


def _listed(variant: dict[str, Any]) -> Iterator[list[Any]]:
    """The row with each datatype of each of its lists: those of one number together, then each list
    by itself."""
    row = variant["dtypes"]
    lists = [e for e in row if isinstance(e, list)]
    if not lists:
        yield row
        return
    for i in range(max(map(len, lists))):
        yield [e[min(i, len(e) - 1)] if isinstance(e, list) else e for e in row]
    for at, entry in enumerate(row):
        for dtype in entry[1:] if isinstance(entry, list) else []:
            made = [e[0] if isinstance(e, list) else e for e in row]
            made[at] = dtype
            yield made


def realisations(k: Constraint, of_op: list[Configuration], most: int) -> Iterator[tuple[int, Configuration]]:
    """Bases brought to meet the constraint's conditions, `most` for each way to meet them, with the
    number of the way."""
    for way, when in enumerate(single(k.get("when") or {})):
        found = 0
        for c in of_op:
            if found == most:
                break
            if k.get("groups") and c.group not in k["groups"]:
                continue
            if k["port"].startswith(("in[", "out[")) and not ports_of(c, k["port"]):
                continue
            made = c.copy()
            try:
                if all(meets(made, k["port"], key, value) for key, value in when.items()):
                    found += 1
                    yield way, made
            except (KeyError, IndexError, ValueError, ZeroDivisionError):
                continue
