"""Changes of a configuration: encodings of its ports, values of its params, its ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .configuration import SCALE, Configuration, Port, mid_point, per_channel, per_tensor
from .database import bits_of, is_fixed


def number(value: Any) -> float | None:
    """A constant of the database; None for an expression."""
    if isinstance(value, (int, float)):
        return value
    try:
        return float(Fraction(str(value)))
    except ValueError:
        return None


def ports_of(c: Configuration, name: str) -> list[tuple[str, Port]]:
    """The tensors that a port of the database means: `in[0]`, `in[0..m]`, `all`."""
    found = dict(c.ports())
    if name == "all":
        return list(found.items())
    if ".." in name:
        direction, first = name.split("[")[0], int(name.split("[")[1].split("..")[0])
        return [(n, p) for n, p in found.items() if n.startswith(direction + "[") and int(n[len(direction) + 1:-1]) >= first]
    return [(name, found[name])] if name in found else []


def encode(port: Port, kind: str, axis: int | None = None) -> bool:
    """Gives a fixed-point port an encoding of that kind; False where it can't have one."""
    if not is_fixed(port.dtype):
        return False
    rank = len(port.dims)
    if kind not in ("SCALE_OFFSET", "BW_SCALE_OFFSET") and not rank:
        return False
    axis = rank - 1 if axis is None else axis % rank if rank else 0
    bits = bits_of(port.dtype)
    scale = scales(port)[0] if scales(port) else SCALE
    narrow = 4 if bits == 8 else bits
    if kind == "SCALE_OFFSET":
        port.encoding = per_tensor(scale, mid_point(port.dtype))
    elif kind == "BW_SCALE_OFFSET":
        port.encoding = per_tensor(scale, mid_point(port.dtype, narrow), narrow)
    elif kind == "AXIS_SCALE_OFFSET":
        port.encoding = per_channel(axis, scale, mid_point(port.dtype))
    elif kind == "BW_AXIS_SCALE_OFFSET":
        port.encoding = per_channel(axis, scale, mid_point(port.dtype, narrow), narrow)
    elif kind == "BLOCK":
        size = [1] * rank
        size[max(0, rank - 2)] = port.dims[max(0, rank - 2)]
        port.encoding = {"block": {"blockSize": size, "scales": [scale], "zeroPoints": [0]}}
    else:
        port.encoding = {"lpbq": {"axis": axis, "scales": [scale], "zeroPoints": [0], "numBlocks": 1, "blockScales": [3],
                                  "blockScaleBitwidth": 4, "blockScaleStorageBits": 8}}  # fmt: skip
    return True


def kind_of(port: Port) -> str:
    if not port.encoding:
        return ""
    name, body = next(iter(port.encoding.items()))
    if name in ("block", "lpbq"):
        return {"block": "BLOCK", "lpbq": "BLOCKWISE_EXPANSION"}[name]
    return ("BW_" if body.get("bitwidth") else "") + ("AXIS_" if name == "perChannel" else "") + "SCALE_OFFSET"


def width(port: Port) -> int:
    if kind_of(port) == "BLOCKWISE_EXPANSION":
        return 4
    body = next(iter((port.encoding or {}).values()), {})
    return int(body.get("bitwidth") or bits_of(port.dtype))


def scales(port: Port) -> list[float]:
    body = next(iter((port.encoding or {}).values()), {})
    found = [body["scale"]] if "scale" in body else body.get("scales", [])
    return [s for s in found if not isinstance(s, str)]


def set_scale(port: Port, scale: Any) -> None:
    for body in (port.encoding or {}).values():
        body.update({"scale": scale} if "scale" in body else {"scales": [scale]})


def zero_point(port: Port) -> int:
    body = next(iter((port.encoding or {}).values()), {})
    return int(body.get("zeroPoint", (body.get("zeroPoints") or [0])[0]))


def set_zero_point(port: Port, value: int) -> bool:
    if not port.encoding or abs(value) > 0x7FFFFFFF:
        return False
    for body in port.encoding.values():
        body.update({"zeroPoint": value} if "zeroPoint" in body else {"zeroPoints": [value]})
    return True


def set_bits(port: Port, bits: int) -> bool:
    name, body = next(iter((port.encoding or {}).items()), ("", {}))
    if name not in ("perTensor", "perChannel") or bits > bits_of(port.dtype):
        return False
    symmetric = zero_point(port) == mid_point(port.dtype, width(port))
    body["bitwidth"] = bits
    return not symmetric or set_zero_point(port, mid_point(port.dtype, bits))


def param_number(c: Configuration, name: str, value: Any) -> int | float | None:
    """A value of a param: a number, or the name of one."""
    named = (c.declared.get(name) or {}).get("values") or {}
    return named[value] if isinstance(value, str) and value in named else number(value)


def set_param(c: Configuration, name: str, value: int | float, at: int | None = None) -> bool:
    given = c.params.get(name)
    if given and "tensor" in given:
        key = "reals" if "reals" in given["tensor"] else "ints"
        values = list(given["tensor"][key])
        for i in range(len(values)) if at is None else [at]:
            if i >= len(values):
                return False
            values[i] = value if key == "reals" else int(value)
        given["tensor"][key] = values
        return key == "reals" or "UINT" not in given["tensor"].get("dtype", "") or value >= 0
    dtype = (c.declared.get(name) or {}).get("dtype", "")
    kind = next(iter(given)) if given else (
        "flag" if dtype == "BOOL_8" else "real" if dtype.startswith("FLOAT") else "int" if dtype.startswith("INT") else "uint")  # fmt: skip
    if kind == "uint" and value < 0:
        return False
    c.params[name] = {kind: bool(value) if kind == "flag" else float(value) if kind == "real" else int(value)}
    return kind != "flag" or value in (0, 1)


def rank_all(c: Configuration, by: int) -> bool:
    ports = [p for _, p in c.ports() if not p.static and p.dims]
    if by < 0 and any(len(p.dims) <= -by or set(p.dims[:-by]) != {1} for p in ports):
        return False
    for p in ports:
        p.dims = [1] * by + p.dims if by > 0 else p.dims[-by:]
    for name in ("axis", "axes"):
        value = c.params.get(name)
        if value and "tensor" in value:
            value["tensor"]["ints"] = [max(0, x + by) for x in value["tensor"]["ints"]]
        elif value:
            kind = next(iter(value))
            value[kind] = max(0, value[kind] + by)
    return True
