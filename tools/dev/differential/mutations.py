"""Single changes to a configuration, each with a label that says what was done.

A mutation takes a random generator and a configuration, changes it in place and returns its
label, or returns None where it does not apply.
"""

from __future__ import annotations

import random
from typing import Callable

from .configuration import Configuration, Port, SCALE, mid_point, per_channel, per_tensor
from .database import bits_of, is_fixed

DTYPES = (
    "INT_8 INT_16 INT_32 INT_64 UINT_8 UINT_16 UINT_32 FLOAT_16 FLOAT_32 SFIXED_POINT_4 SFIXED_POINT_8 "
    "SFIXED_POINT_16 SFIXED_POINT_32 UFIXED_POINT_4 UFIXED_POINT_8 UFIXED_POINT_16 UFIXED_POINT_32 BOOL_8"
).split()
COMMON = "UFIXED_POINT_8 SFIXED_POINT_8 UFIXED_POINT_16 SFIXED_POINT_16 FLOAT_16 FLOAT_32 INT_32 UINT_32".split()

Mutation = Callable[[random.Random, Configuration], "str | None"]


def set_dtype(port: Port, dtype: str) -> None:
    old = port.dtype
    port.dtype = dtype
    if not is_fixed(dtype):
        port.encoding = None
    elif port.encoding is None:
        port.encoding = per_tensor(SCALE, mid_point(dtype))
    elif "perTensor" in port.encoding and old != dtype:
        port.encoding["perTensor"]["zeroPoint"] = mid_point(dtype)


def _pick(rng: random.Random, c: Configuration, wanted: Callable[[Port], bool] = lambda _: True) -> tuple[str, Port] | None:
    ports = [(name, port) for name, port in c.ports() if wanted(port)]
    return rng.choice(ports) if ports else None


def _fixed(port: Port) -> bool:
    return is_fixed(port.dtype)


def _encoded(port: Port) -> bool:
    return is_fixed(port.dtype) and port.encoding is not None


def dtype_of_port(rng: random.Random, c: Configuration) -> str | None:
    name, port = rng.choice(list(c.ports()))
    dtype = rng.choice(COMMON if rng.random() < 0.6 else DTYPES)
    if dtype == port.dtype:
        return None
    set_dtype(port, dtype)
    return f"dtype {name}"


def dtype_of_all_alike(rng: random.Random, c: Configuration) -> str | None:
    """Every port of one dtype gets another one: rows that nobody wrote down."""
    old = rng.choice(list(c.ports()))[1].dtype
    new = rng.choice(DTYPES)
    if new == old:
        return None
    for _, port in c.ports():
        if port.dtype == old:
            set_dtype(port, new)
    return "dtype of alike ports"


def rank_of_all(rng: random.Random, c: Configuration) -> str | None:
    """A leading dimension of size 1 more or less on every non-constant port; params that
    name an axis follow."""
    ports = [port for _, port in c.ports() if not port.static and len(port.dims) > 1]
    if not ports:
        return None
    grow = rng.random() < 0.6
    steps = rng.choice([1, 1, 2]) if grow else 1
    if not grow and any(port.dims[0] != 1 or len(port.dims) < 2 for port in ports):
        return None
    for port in ports:
        port.dims = [1] * steps + port.dims if grow else port.dims[1:]
    shift = steps if grow else -1
    for name in ("axis", "axes"):
        value = c.params.get(name)
        if value and "tensor" in value:
            value["tensor"]["ints"] = [max(0, x + shift) for x in value["tensor"]["ints"]]
        elif value:
            kind = "uint" if "uint" in value else "int"
            value[kind] = max(0, value[kind] + shift)
    return f"rank of all {'+' if grow else '-'}{steps if grow else 1}"


def rank_of_port(rng: random.Random, c: Configuration) -> str | None:
    name, port = rng.choice(list(c.ports()))
    if rng.random() < 0.6:
        port.dims = [1] + port.dims
        return f"rank {name} +1"
    if len(port.dims) < 2:
        return None
    port.dims = port.dims[1:]
    return f"rank {name} -1"


def encoding_missing(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, _encoded)
    if not picked:
        return None
    picked[1].encoding = None
    return f"encoding {picked[0]} missing"


def encoding_superfluous(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, lambda port: not is_fixed(port.dtype))
    if not picked:
        return None
    picked[1].encoding = per_tensor(SCALE, 0)
    return f"encoding {picked[0]} of a type without"


def encoding_kind(rng: random.Random, c: Configuration) -> str | None:
    weights = [(n, p) for n, p in c.ports() if _fixed(p) and p.static]
    picked = rng.choice(weights) if weights and rng.random() < 0.5 else _pick(rng, c, _fixed)
    if not picked:
        return None
    name, port = picked
    kind = rng.choice(["axis", "bw", "bwaxis", "block", "lpbq"])
    axis = rng.choice([len(port.dims) - 1, len(port.dims) - 1, rng.randrange(max(1, len(port.dims)))])
    axis = max(0, axis)
    bits = bits_of(port.dtype)
    if kind == "axis":
        port.encoding = per_channel(axis, SCALE, rng.choice([mid_point(port.dtype), 0]))
        return f"encoding {name} per-channel axis {axis} of {len(port.dims)}"
    if kind == "bw":
        bitwidth = rng.choice([2, 4, 8, 16])
        port.encoding = per_tensor(SCALE, mid_point(port.dtype, bitwidth), bitwidth)
        return f"encoding {name} bw {bitwidth} of {bits}"
    if kind == "bwaxis":
        bitwidth = rng.choice([2, 4, 4, 8])
        port.encoding = per_channel(axis, SCALE, rng.choice([mid_point(port.dtype, bitwidth), 0]), bitwidth)
        return f"encoding {name} bw-per-channel {bitwidth} of {bits} axis {axis} of {len(port.dims)}"
    if not port.dims:
        return None
    if kind == "block":
        size = [1] * len(port.dims)
        at = rng.randrange(len(size))
        size[at] = port.dims[at]
        port.encoding = {"block": {"blockSize": size, "scales": [SCALE], "zeroPoints": [0]}}
        return f"encoding {name} block"
    blocks = rng.choice([1, 2, 4])
    port.encoding = {
        "lpbq": {
            "axis": axis, "scales": [SCALE], "zeroPoints": [0], "numBlocks": blocks,
            "blockScales": [3], "blockScaleBitwidth": 4, "blockScaleStorageBits": rng.choice([8, 8, 16]),
        }
    }  # fmt: skip
    return f"encoding {name} lpbq axis {axis} of {len(port.dims)}"


def _bodies(port: Port) -> list[dict]:
    return list((port.encoding or {}).values())


def zero_point(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, _encoded)
    if not picked:
        return None
    name, port = picked
    bits = bits_of(port.dtype)
    value, word = rng.choice(
        [(mid_point(port.dtype) + 3, "asymmetric"), (mid_point(port.dtype) - 7, "asymmetric"), (0, "0"),
         (1 << bits, "above range"), (-(1 << bits), "below range"), (-1, "-1"), (5, "5")]
    )  # fmt: skip
    if abs(value) > 0x7FFFFFFF:
        return None
    for body in _bodies(port):
        if "zeroPoint" in body:
            body["zeroPoint"] = value
        else:
            body["zeroPoints"] = [value]
    return f"zero point {name} {word}"


def scale_value(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, _encoded)
    if not picked:
        return None
    name, port = picked
    factor, word = rng.choice(
        [(2.0, "x2"), (0.5, "x0.5"), (1.0 + 1e-7, "x1.0000001"), (1.01, "x1.01"), (60.0, "x60"), (100.0, "x100"),
         (0.0, "0"), (-1.0, "negative"), (1e-9, "tiny"), (1e12, "huge")]
    )  # fmt: skip
    for body in _bodies(port):
        if isinstance(body.get("scale"), str):
            return None  # NaN and the infinities are text
        if "scale" in body:
            body["scale"] *= factor
        else:
            body["scales"] = [s * factor for s in body["scales"]]
    return f"scale {name} {word}"


def scale_not_finite(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, lambda port: "perTensor" in (port.encoding or {}))
    if not picked:
        return None
    picked[1].encoding["perTensor"]["scale"] = rng.choice(["NaN", "Infinity"])  # type: ignore[index]
    return f"scale {picked[0]} not finite"


def static_or_not(rng: random.Random, c: Configuration) -> str | None:
    inputs = [(name, port) for name, port in c.ports() if name.startswith("in")]
    if not inputs:
        return None
    name, port = rng.choice(inputs)
    port.static = not port.static
    return f"static {name} {'on' if port.static else 'off'}"


def input_absent(rng: random.Random, c: Configuration) -> str | None:
    given = [i for i, port in enumerate(c.inputs) if port is not None]
    if len(given) < 2:
        return None
    at = rng.choice(given)
    c.inputs[at] = None
    while c.inputs and c.inputs[-1] is None:
        c.inputs.pop()
    return f"in[{at}] absent"


def dim_of_port(rng: random.Random, c: Configuration) -> str | None:
    picked = _pick(rng, c, lambda port: bool(port.dims))
    if not picked:
        return None
    name, port = picked
    at = rng.randrange(len(port.dims))
    new = rng.choice([1, 2, port.dims[at] + 1, port.dims[at] * 2, 5])
    if new == port.dims[at]:
        return None
    port.dims[at] = new
    return f"dim {name} {at}"


def dims_alike(rng: random.Random, c: Configuration) -> str | None:
    """Every dimension of one size gets another one, in all ports: often a valid shape."""
    sizes = sorted({d for _, port in c.ports() for d in port.dims if d > 1})
    if not sizes:
        return None
    old, new = rng.choice(sizes), rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 64])
    if old == new:
        return None
    for _, port in c.ports():
        port.dims = [new if d == old else d for d in port.dims]
    return "shape alike dims"


def dims_shifted(rng: random.Random, c: Configuration) -> str | None:
    """One dimension grows by the same amount in all ports of the output's rank that are not
    constant: valid for sliding windows too."""
    rank = len(c.outputs[0].dims)
    if rank == 0:
        return None
    at, by = rng.randrange(rank), rng.choice([1, 2, 3, 4, 8])
    for _, port in c.ports():
        if not port.static and len(port.dims) == rank:
            port.dims[at] += by
    return "shape shifted dims"


def param_absent(rng: random.Random, c: Configuration) -> str | None:
    if not c.params:
        return None
    name = rng.choice(sorted(c.params))
    del c.params[name]
    return f"param {name} absent"


def param_given(rng: random.Random, c: Configuration) -> str | None:
    """A declared scalar param that the example leaves out, at its default or another value."""
    left_out = [n for n, p in c.declared.items() if n not in c.params and "rank" not in p and p["dtype"] != "UNDEFINED"]
    if not left_out:
        return None
    name = rng.choice(left_out)
    declared = c.declared[name]
    default = declared.get("default", 0)
    if declared["dtype"] == "BOOL_8":
        c.params[name] = {"flag": bool(default) != (rng.random() < 0.5)}
    elif declared["dtype"].startswith("FLOAT"):
        c.params[name] = {"real": rng.choice([float(default), float(default), 0.5, 1.0])}
    else:
        kind = "int" if declared["dtype"].startswith("INT") else "uint"
        c.params[name] = {kind: int(rng.choice([default, default, 1, 2]))}
    return f"param {name} given"


def param_changed(rng: random.Random, c: Configuration) -> str | None:
    if not c.params:
        return None
    name = rng.choice(sorted(c.params))
    value = c.params[name]
    if "tensor" in value:
        tensor = value["tensor"]
        key = "reals" if "reals" in tensor else "ints"
        if not tensor[key]:
            return None
        at = rng.randrange(len(tensor[key]))
        tensor[key] = list(tensor[key])
        tensor[key][at] = rng.choice([0, 1, 2, 3, tensor[key][at] + 1])
        return f"param {name} element"
    kind = next(iter(value))
    if kind == "flag":
        value["flag"] = not value["flag"]
    elif kind == "real":
        value["real"] = rng.choice([0.0, 0.5, 2.0, -1.0, value["real"] * 1.5])
    else:
        value[kind] = max(0, value[kind] + rng.choice([-2, -1, 1, 2, 7]))
    return f"param {name} value"


WEIGHTED: list[tuple[float, Mutation]] = [
    (5, dtype_of_port), (1.5, dtype_of_all_alike), (1.5, rank_of_all), (0.7, rank_of_port), (1, encoding_missing),
    (0.2, encoding_superfluous), (4, encoding_kind), (2, zero_point), (2, scale_value), (0.2, scale_not_finite),
    (1.2, static_or_not), (0.7, input_absent), (0.5, dim_of_port), (1, dims_alike), (1, dims_shifted), (0.5, param_absent), (0.7, param_given), (1.5, param_changed),
]  # fmt: skip


def mutate(rng: random.Random, c: Configuration) -> bool:
    """Applies one mutation drawn by weight; False where it did not apply."""
    mutation = rng.choices([m for _, m in WEIGHTED], [w for w, _ in WEIGHTED])[0]
    label = mutation(rng, c)
    if label is None:
        return False
    c.mutations.append(label)
    return True
