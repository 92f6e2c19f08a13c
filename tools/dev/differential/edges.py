"""Configurations just inside and just outside of what each constraint asks for.

A constraint is given the bases that meet its `when` and `groups`, one for each value that a list of
these names, and its points: the value at its edge, one step to either side of it, every listed
datatype, encoding or width. Where a value is an expression the points stand around what the base has.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from .bases import Constraint, meets, single
from .configuration import SCALE, Configuration, Port, mid_point
from .database import is_fixed
from .edit import encode, kind_of, number, param_number, ports_of, rank_all, scales, set_bits, set_param, set_scale, set_zero_point, width, zero_point
from .mutations import set_dtype

ENCODINGS = ("SCALE_OFFSET", "BW_SCALE_OFFSET", "AXIS_SCALE_OFFSET", "BW_AXIS_SCALE_OFFSET", "BLOCK", "BLOCKWISE_EXPANSION")
NEAR = 1e-3  # relative distance of a scale from its edge
MOST_DIM = 1 << 22
Point = tuple[str, Configuration]

Change = Callable[[Configuration, str, Port], bool]


def _changed(c: Configuration, name: str, change: Change) -> Configuration | None:
    """A copy in which `change` was made to one port."""
    made = c.copy()
    port = dict(made.ports()).get(name)
    return made if port is not None and change(made, name, port) else None


def _steps(k: Constraint, *keys: str) -> set[int]:
    """The numbers at these keys and their neighbours."""
    values = [number(k[key]) for key in keys if key in k]
    return {int(v) + d for v in values if v is not None for d in (-1, 0, 1)}


def _of_rank(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    if "sparse" in k:
        yield "sparse", lambda _, __, p: bool(p.dims) and not setattr(p, "sparse", 2)
        yield "dense", lambda _, __, p: not setattr(p, "sparse", None)
    rank = len(port.dims)
    expression = any(key in k and number(k[key]) is None for key in ("min", "max", "eq"))
    for wanted in sorted(_steps(k, "min", "max", "eq", "squeezable_to") | ({rank - 1, rank, rank + 1} if expression else set())):
        if 0 <= wanted <= 8:
            yield f"all of rank {wanted}", lambda m, _, p, w=wanted: rank_all(m, w - len(p.dims))
            if wanted > rank:
                yield f"rank {wanted}", lambda _, __, p, w=wanted: not setattr(p, "dims", [1] * (w - len(p.dims)) + p.dims)
            elif wanted < rank:
                yield f"rank {wanted}", lambda _, __, p, w=wanted: not setattr(p, "dims", p.dims[len(p.dims) - w:])
            if wanted > rank:  # a dimension of other sizes than 1
                yield f"rank {wanted} of 2", lambda _, __, p, w=wanted: not setattr(p, "dims", [2] * (w - len(p.dims)) + p.dims)


def _dims(k: Constraint, c: Configuration, port: Port) -> list[int]:
    named = k.get("dim", k.get("dims", "all"))
    rank = len(port.dims)
    if named == "all":
        return list(range(rank))
    if isinstance(named, str):
        axis = c.params.get(named.removeprefix("param:").split("[")[0], {})
        value = next(iter(axis.values()), 0)
        value = value.get("ints", [0])[0] if isinstance(value, dict) else int(value)
        return [value] if 0 <= value < rank else []
    return [d % rank for d in (named if isinstance(named, list) else [named]) if rank and -rank <= d < rank]


def _resize(c: Configuration, port: Port, at: int, size: int, alike: bool) -> bool:
    old = port.dims[at]
    if not 0 < size <= MOST_DIM:
        return False
    if alike:
        for _, other in c.ports():
            other.dims = [size if d == old else d for d in other.dims]
    else:
        port.dims = [*port.dims[:at], size, *port.dims[at + 1:]]
    return True


def _of_dim(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for at in _dims(k, c, port):
        sizes = _steps(k, "eq", "min", "max", "max_exclusive", "multiple_of") | {port.dims[at] - 1, port.dims[at] + 1, 1}
        if (step := number(k.get("multiple_of", ""))) is not None:
            sizes |= {2 * int(step), 2 * int(step) + 1}
        if k["kind"] == "dim_product" and (most := number(k.get("max_exclusive", ""))) is not None:
            others = 1
            for i in _dims(k, c, port):
                others *= port.dims[i] if i != at else 1
            sizes |= {int(most) // others + d for d in (-1, 0, 1)}
        for size in sorted(sizes):
            for alike in (False, True):
                yield f"dim {at} {size}{' alike' if alike else ''}", lambda m, _, p, a=at, s=size, x=alike: _resize(m, p, a, s, x)


def _of_shape(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for at in range(len(port.dims)):
        for size in {1, port.dims[at] + 1, port.dims[at] * 2}:
            yield f"dim {at} {size}", lambda m, _, p, a=at, s=size: _resize(m, p, a, s, False)
    yield "rank +1", lambda _, __, p: not setattr(p, "dims", [1, *p.dims])
    yield "rank -1", lambda _, __, p: len(p.dims) > 1 and not setattr(p, "dims", p.dims[1:])


def _of_dtypes(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    wanted = list(k.get("allowed", [])) + list(k.get("denied", [])) + list(k.get("dtypes", []))
    if not wanted:
        wanted = ["UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "SFIXED_POINT_16", "FLOAT_16", "FLOAT_32", "INT_32"]
    targets = [k["peer"]] if "peer" in k else [name]
    for dtype in wanted:

        def alone(m: Configuration, _: str, __: Port, d: str = dtype) -> bool:
            found = [p for t in targets for _, p in ports_of(m, t)]
            for p in found:
                set_dtype(p, d)
            return bool(found)

        def alike(m: Configuration, own: str, p: Port, d: str = dtype) -> bool:
            old = p.dtype
            for _, other in m.ports():
                if other.dtype == old:
                    set_dtype(other, d)
            return old != d

        yield f"dtype {dtype}", alone
        yield f"dtype {dtype} alike", alike


def _of_bits(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    listed = {*k.get("allowed", []), *k.get("denied", [])}
    for bits in sorted({b for v in listed for b in (v - 1, v, v + 1) if b > 1} | {2, 4, 8}):
        yield f"{bits} bits", lambda _, __, p, b=bits: p.encoding is not None and set_bits(p, b)


def _of_encodings(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for kind in ENCODINGS:
        yield kind, lambda _, __, p, e=kind: encode(p, e)


def _of_offsets(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for offset in sorted(_steps(k, "min", "max")):
        yield f"offset {offset}", lambda _, __, p, o=offset: set_zero_point(p, -o)


def _of_scales(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    unit = 1.0
    others = k.get("as", [])
    for other in others if isinstance(others, list) else [others]:
        for _, p in ports_of(c, other):
            unit *= (scales(p) or [1.0])[0]
    for key in ("min", "max"):
        if (limit := number(k.get(key, ""))) is None:
            continue
        for factor in (1 - NEAR, 1.0, 1 + NEAR, 2.0, 0.5, 2.2, 0.45):
            scale = limit * unit * factor
            yield f"scale {key} x{factor:g}", lambda _, __, p, s=scale: p.encoding is not None and not set_scale(p, s)


def _of_bias(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    unit = 1.0
    for other in k.get("as", []):
        for _, p in ports_of(c, other):
            unit *= (scales(p) or [1.0])[0]
    most, tolerance = number(k.get("max", "")), number(k.get("tolerance", ""))
    factors = [1.0, 1.01] if most is None else [1.0]
    factors += [most * (1 - NEAR), most * (1 + NEAR), most * 2.1] if most is not None else []
    factors += [1 + tolerance * (1 + s * 0.01) for s in (-1, 1)] + [1 + 2.1 * tolerance] if tolerance is not None else []
    for factor in factors:
        yield f"scale x{factor:g}", lambda _, __, p, s=unit * factor: p.encoding is not None and not set_scale(p, s)


def _of_fixed(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    scale, offset = number(k.get("scale", "")), number(k.get("offset", ""))

    def both(p: Port, factor: float, by: int) -> bool:
        if p.encoding is None:
            return False
        if scale is not None:
            set_scale(p, scale * factor)
        return offset is None or set_zero_point(p, -int(offset) + by)

    yield "as fixed", lambda _, __, p: both(p, 1.0, 0)
    if scale is not None:
        for factor in (1 - NEAR, 1 + NEAR, 2.0):
            yield f"scale x{factor:g}", lambda _, __, p, f=factor: both(p, f, 0)
    if offset is not None:
        for by in (-1, 1, 3):
            yield f"offset {-by:+}", lambda _, __, p, b=by: both(p, 1.0, b)


def _of_symmetry(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for by in (0, 1, -1, 7):
        yield f"zero point mid {by:+}", lambda _, __, p, b=by: p.encoding is not None and set_zero_point(p, mid_point(p.dtype, width(p)) + b)


def _of_alike(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for factor in (1.0, 1 + 5e-7, 1 - NEAR, 1 + NEAR, 2.0, 0.5):
        for by in (0, 1):

            def change(m: Configuration, _: str, p: Port, f: float = factor, b: int = by) -> bool:
                others = ports_of(m, k.get("as", ""))
                if p.encoding is None or not others or not scales(others[0][1]):
                    return False
                set_scale(p, scales(others[0][1])[0] * f)
                return p.dtype != others[0][1].dtype or set_zero_point(p, zero_point(others[0][1]) + b)

            yield f"scale x{factor:g}, offset {-by:+}", change


def _of_valid_scale(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for scale in (0.0, -SCALE, 1e-30, "Infinity"):
        for by in (0, 1):

            def change(_: Configuration, __: str, p: Port, s: Any = scale, b: int = by) -> bool:
                if p.encoding is None:
                    return False
                set_scale(p, s)
                return set_zero_point(p, b and mid_point(p.dtype, width(p)) + b)

            yield f"scale {scale}, zero point {'0' if not by else 'mid +1'}", change


def _of_axis(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for axis in range(len(port.dims)):
        yield f"axis {axis}", lambda _, __, p, a=axis: encode(p, kind_of(p), a) if "AXIS" in kind_of(p) or kind_of(p) == "BLOCKWISE_EXPANSION" else encode(p, "AXIS_SCALE_OFFSET", a)  # fmt: skip


def _of_static(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    yield "constant", lambda _, __, p: not setattr(p, "static", True)
    yield "computed", lambda _, __, p: not setattr(p, "static", False)


def _of_defined(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    yield "as is", lambda _, __, p: True
    yield "no encoding", lambda _, __, p: p.encoding is not None and not setattr(p, "encoding", None)


def _of_sign(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    yield "as is", lambda _, __, p: True

    def flip(_: Configuration, __: str, p: Port) -> bool:
        if not is_fixed(p.dtype):
            return False
        kind = kind_of(p)
        p.dtype = ("S" if p.dtype.startswith("U") else "U") + p.dtype[1:]
        return not kind or encode(p, kind)

    yield "other sign", flip


def _of_presence(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    yield "given", lambda _, __, p: True

    def absent(m: Configuration, own: str, _: Port) -> bool:
        if not own.startswith("in["):
            return False
        m.inputs[int(own[3:-1])] = None
        while m.inputs and m.inputs[-1] is None:
            m.inputs.pop()
        return bool(m.inputs)

    yield "absent", absent


def _of_dynamic(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    yield "as is", lambda _, __, p: True
    yield "dynamic", lambda _, __, p: bool(p.dims) and not setattr(p, "dims", [-1, *p.dims[1:]])


def _of_blocks(k: Constraint, c: Configuration, name: str, port: Port) -> Iterator[tuple[str, Change]]:
    for blocks in (1, 2, 4, 8, 16):

        def change(_: Configuration, __: str, p: Port, n: int = blocks) -> bool:
            if "lpbq" not in (p.encoding or {}):
                return False
            p.encoding["lpbq"]["numBlocks"] = n  # type: ignore[index]
            return True

        yield f"{blocks} blocks", change
    for size in sorted(_steps(k, "min", "max", "multiple_of") | {s for v in _steps(k, "multiple_of") for s in (2 * v, 4 * v)}):

        def resized(m: Configuration, _: str, p: Port, s: int = size) -> bool:
            at = len(p.dims) - 2
            if "lpbq" not in (p.encoding or {}) or at < 0 or s < 1:
                return False
            p.encoding["lpbq"]["numBlocks"] = 1  # type: ignore[index]
            return _resize(m, p, at, s, True)

        yield f"block of {size}", resized


POINTS: dict[str, Callable[[Constraint, Configuration, str, Port], Iterator[tuple[str, Change]]]] = {
    "rank": _of_rank, "dim": _of_dim, "dim_product": _of_dim, "same_rank": _of_shape, "same_shape": _of_shape,
    "same_dims": _of_shape, "broadcast": _of_shape, "dynamic_dims": _of_dynamic, "dtypes": _of_dtypes, "same_dtype": _of_dtypes,
    "peer_dtype": _of_dtypes, "bit_width": _of_bits, "encodings": _of_encodings, "encoding_defined": _of_defined,
    "quant_axis": _of_axis, "signed": _of_sign, "symmetric": _of_symmetry, "asymmetric": _of_symmetry, "same_encoding": _of_alike,
    "fixed_encoding": _of_fixed, "static": _of_static, "port_unsupported": _of_presence, "port_optional": _of_presence,
    "valid_scale": _of_valid_scale, "offset_range": _of_offsets, "scale_range": _of_scales, "bias_scale": _of_bias,
    "block_size": _of_blocks, "min_arch": _of_encodings,
}  # fmt: skip


def _param_points(k: Constraint, c: Configuration, name: str) -> Iterator[Point]:
    values = {v for v in (param_number(c, name, x) for x in [*k.get("allowed", []), *k.get("denied", []), *([k["eq"]] if "eq" in k else [])])
              if v is not None}  # fmt: skip
    real = (c.declared.get(name) or {}).get("dtype", "").startswith("FLOAT")
    for key in ("min", "max", "min_exclusive", "max_exclusive"):
        if (limit := number(k.get(key, ""))) is not None:
            values.add(limit)
    near = {v + d for v in values for d in ((-NEAR, NEAR, 1) if real else (-1, 1))}
    current = next(iter(c.params.get(name, {"": 0}).values()))
    if not isinstance(current, dict):  # around what an expression may say
        near |= {int(current) + d for d in (-1, 0, 1, 2)} if not real else {current}
    rank = len(c.inputs[0].dims) if c.inputs and c.inputs[0] else 0
    near |= {rank - 1, rank} if any(isinstance(k.get(key), str) for key in ("min", "max", "eq")) else set()
    indexes = k.get("index")
    places: list[int | None] = [None, 0, 1] if indexes is None and "tensor" in c.params.get(name, {}) else [None]
    if indexes is not None:
        places = list(indexes) if isinstance(indexes, list) else [indexes]
    for at in places:
        for value in sorted(values | near):
            made = c.copy()
            if set_param(made, name, value, at):
                yield f"{name} {value:g}" + ("" if at is None else f" at {at}"), made
    made = c.copy()
    if made.params.pop(name, None) is not None:
        yield f"{name} absent", made


def points(k: Constraint, c: Configuration) -> Iterator[Point]:
    """The configurations around a constraint, made of one that its `when` holds for."""
    if k["kind"] == "any_of":
        for alternative in k["of"]:
            for inner in alternative:
                made = c.copy()
                if all(meets(made, inner.get("port", k["port"]), key, v) for key, v in next(single(inner.get("when") or {})).items()):
                    yield from points({"port": k["port"]} | inner, made)
        return
    if not k["port"].startswith(("in[", "out[", "all")):
        yield from _param_points(k, c, k["port"])
        return
    if k["kind"] == "value_range":
        yield from _value_points(k, c)
        return
    for name, port in ports_of(c, k["port"])[:2]:
        for word, change in POINTS[k["kind"]](k, c, name, port) if k["kind"] in POINTS else ():
            made = _changed(c, name, change)
            if made is not None:
                yield f"{name} {word}", made


def _value_points(k: Constraint, c: Configuration) -> Iterator[Point]:
    for name, port in ports_of(c, k["port"])[:1]:
        if not name.startswith("in["):
            continue
        for value in sorted(_steps(k, "min", "max")):
            made = c.copy()
            made.values = {f"x{name[3:-1]}": value}
            dict(made.ports())[name].static = True
            yield f"{name} value {value}", made
