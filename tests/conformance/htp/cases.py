"""Configurations to execute: bases of the database and mutations of them, with data.

Made from the examples and variants of opdefs/htp like those of tools/dev/differential, but so that
results say something: outputs of computing ops get encodings that hold their values, indices are
valid, divisors are not 0.
"""

from __future__ import annotations

import functools
import json
import math
import random
import sys
from pathlib import Path
from typing import Any, Iterator

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "quantgate" / "python")]

from tools.dev.differential import database, mutations  # noqa: E402
from tools.dev.differential.configuration import SCALE, Configuration, base, mid_point, per_channel, per_tensor  # noqa: E402
from tools.dev.differential.database import Op, is_fixed  # noqa: E402
from tools.dev.differential.generate import _with_channel_weights  # noqa: E402
from reference.judge import compares, expected, jumps, tells_truth  # noqa: E402
from reference.values import NoReference, dims, encoding  # noqa: E402
from reference.values import is_fixed as is_fixed_tensor  # noqa: E402
from reference.values import is_float, number, quantize, real, storage_bits, stored_range  # noqa: E402

MOST_ELEMENTS = 1 << 16  # of a tensor: values are text on the way to the library and back

# Mutations that leave a graph to run; those of datatypes and of what is refused say little here.
MUTATIONS = [
    (4, mutations.scale_value), (3, mutations.zero_point), (3, mutations.encoding_kind), (1, mutations.rank_of_all),
    (2, mutations.dims_alike), (2, mutations.dims_shifted), (1.5, mutations.static_or_not), (1, mutations.param_changed),
    (0.7, mutations.encoding_missing), (0.7, mutations.input_absent), (0.7, mutations.param_absent), (1, mutations.dtype_of_port),
]  # fmt: skip


def activations(op: Op, c: Configuration) -> list[tuple[str, Any]]:
    """Fixed-point ports that are neither weight nor bias."""
    found = []
    for name, port in c.ports():
        direction, index = name[:-1].split("[")
        role = op.role(direction, int(index))
        if is_fixed(port.dtype) and role not in ("weight", "bias") and "perTensor" in (port.encoding or {}):
            found.append((name, port))
    return found


def ties(op: Op) -> bool:
    """Whether the database relates the encodings of an input and an output."""
    return any(k["kind"] == "same_encoding" for k in op.constraints)


def fixed_by_database(op: Op, output: int, port: Any) -> bool:
    return any(k["kind"] == "fixed_encoding" and k["port"] == f"out[{output}]" for k in op.constraints)


def vary_encodings(rng: random.Random, op: Op, c: Configuration) -> None:
    """Other scales and zero points than those of the examples: one for all ports of a datatype
    where the database relates them, else each port its own."""
    alike = ties(op) and rng.random() < 0.8
    drawn: dict[str, tuple[float, int]] = {}
    for name, port in activations(op, c):
        body = port.encoding["perTensor"]
        if name.startswith("out") and fixed_by_database(op, int(name[4:-1]), port) and rng.random() < 0.8:
            continue
        bits = database.bits_of(port.dtype)
        low = 0 if port.dtype.startswith("U") else -(1 << bits - 1)
        scale = float(np.float32(10 ** rng.uniform(-2.5, -1))) if bits <= 8 else float(np.float32(10 ** rng.uniform(-4.5, -3)))
        point = low + int(rng.uniform(0.2, 0.8) * ((1 << bits) - 1)) if rng.random() < 0.6 else mid_point(port.dtype)
        if bits > 16 or port.dtype == "SFIXED_POINT_16":
            point = 0
        body["scale"], body["zeroPoint"] = drawn.setdefault(port.dtype, (scale, point)) if alike else (scale, point)


def _bound(port: Any) -> float:
    """About the largest real value of a fixed-point port; 1 of others."""
    body = (port.encoding or {}).get("perTensor") or (port.encoding or {}).get("perChannel") or {}
    scale = body.get("scale", (body.get("scales") or [0])[0])
    return float(scale) * 2.0 ** (min(database.bits_of(port.dtype), 16) - 1) if scale and not isinstance(scale, str) else 1.0


def enlarge_biases(op: Op, c: Configuration) -> None:
    """A bias of 8 bits gets a scale with which it can be seen in the output."""
    for name, port in c.ports():
        direction, index = name[:-1].split("[")
        if op.role(direction, int(index)) == "bias" and database.bits_of(port.dtype) == 8 and "perTensor" in (port.encoding or {}):
            others = math.prod(_bound(other) for other in c.inputs[:int(index)] if other)
            if 0 < port.encoding["perTensor"]["scale"] < max(SCALE, others / 128):
                port.encoding["perTensor"]["scale"] = float(np.float32(max(SCALE, others / 128)))


def fit_grids(rng: random.Random, op: Op, c: Configuration) -> None:
    """Coordinates mostly within the image, whose ends are -1 and 1."""
    for name, port in c.ports():
        direction, index = name[:-1].split("[")
        if op.role(direction, int(index)) == "grid" and is_fixed(port.dtype) and "perTensor" in (port.encoding or {}):
            steps = (1 << database.bits_of(port.dtype)) - 1
            port.encoding["perTensor"].update(scale=float(np.float32(rng.uniform(2, 3) / steps)), zeroPoint=mid_point(port.dtype))


@functools.lru_cache
def _roles() -> dict[str, list[str]]:
    """The roles of each op's inputs."""
    return {op.name: [port.get("role", "") for port in op.inputs] for op in database.load(ROOT / "opdefs" / "htp")}


def _is_index(op: str, at: int) -> bool:
    roles = _roles().get(op) or [""]
    return roles[min(at, len(roles) - 1)] == "indices"


def _index_limit(node: dict, tensors: dict[str, Any], name: str, params: dict) -> int:
    """Values an integer input may take so that it stays a valid index."""
    data = tensors[node["inputs"][0]]
    shape = dims(data)
    axis = int(next(iter(params.get("axis", {"uint": 0}).values())))
    if not shape or axis >= len(shape):
        return 1
    return max(1, min(shape) if "Nd" in node["op"] else shape[axis])


def _near(rng: np.random.RandomState, tensor: dict[str, Any], drawn: np.ndarray, first: dict[str, Any], other: np.ndarray) -> np.ndarray:
    """`drawn`, most of it replaced by real numbers around those of the first input, half of these equal to
    them, each in the encoding of its own port: what is compared with the first is now larger, now equal."""
    count = drawn.size
    away = rng.choice([-2, -1, 0, 0, 1, 2], count)
    chosen = rng.rand(count) < 0.7
    if is_float(tensor):
        return np.where(chosen, other + away / 8, drawn)
    if not is_fixed_tensor(tensor):
        return np.where(chosen, other + away, drawn)
    try:
        wanted = real(first, other.reshape(dims(first)) if other.size == math.prod(dims(first)) else other)
        ends = stored_range(tensor)
        return np.where(chosen, np.clip(quantize(tensor, np.resize(wanted, count)) + away, *ends), drawn)
    except NoReference:  # encodings that stand for no numbers
        return drawn


def _summand_bits(node: dict, tensors: dict[str, Any], body: dict[str, Any]) -> int:
    """How many bits a bias of this encoding needs to be seen beside the products of the first two inputs."""
    factors = [tensors[n] for n in node["inputs"][:2] if n and is_fixed_tensor(tensors[n])]
    scales = [number(encoding(f)[1].get("scale", 0)) for f in factors]
    own = number(body.get("scale", 0))
    more = math.log2(math.prod(scales) / own) if own > 0 and scales and all(s > 0 and math.isfinite(s) for s in scales) else 0
    return sum(map(storage_bits, factors)) + 1 + round(more)


def draw(model: dict[str, Any], seed: int) -> dict[str, list[Any]]:
    """Stored values of the inputs. They depend on the model and the seed alone."""
    rng = np.random.RandomState(seed)
    node = model["nodes"][0]
    tensors = {t["name"]: t for t in model["tensors"]}
    first = tensors[node["inputs"][0]] if node["inputs"] and node["inputs"][0] else None
    jumping, comparing, truths = jumps(node), compares(node), tells_truth(node)
    values: dict[str, list[Any]] = {}
    for i, name in enumerate(node["inputs"]):
        if not name or name in values:
            continue
        tensor = tensors[name]
        count = math.prod(dims(tensor))
        other = np.resize(values[node["inputs"][0]], count) if i > 0 and values.get(node["inputs"][0]) else None
        # What a comparison depends on: an operand near the first one, of the same sort.
        near = comparing and other is not None and first is not None and is_fixed_tensor(first) == is_fixed_tensor(tensor) \
            and is_float(first) == is_float(tensor) and not _is_index(node["op"], i)  # fmt: skip
        if is_float(tensor):
            reals = rng.uniform(-1, 1, count)
            reals = _near(rng, tensor, reals, first, other) if near else reals
            values[name] = [float(np.float16(v)) for v in reals]
        elif is_fixed_tensor(tensor):
            kind, body = encoding(tensor)
            bits = 4 if kind == "lpbq" else min(int(body.get("bitwidth") or 64), int(tensor["dtype"].rsplit("_", 1)[1]))
            bits = min(bits, 24)
            low = 0 if tensor["dtype"].startswith("U") else -(1 << bits - 1)
            if tensor["dtype"].endswith("_32"):  # about what a sum of products is
                bits = min(30, max(17 if i < 2 else 4, _summand_bits(node, tensors, body) if i > 1 else 0))
                low = -(1 << bits - 1)
            drawn = rng.randint(low, low + (1 << bits), count)
            if near:
                drawn = _near(rng, tensor, drawn, first, other)
            zero = int(body.get("zeroPoint", (body.get("zeroPoints") or [0])[0]))
            if low <= zero < low + (1 << bits):  # the real number 0, for logical ops
                drawn = np.where(rng.rand(count) < (0.4 if truths else 0.15), zero, drawn)
            if not near and other is not None and (rng.randint(2) or jumping):
                # Now and then equal to the other input, always where a quotient jumps.
                same = rng.rand(count) < 0.3
                drawn = np.where(same & (other >= low) & (other < low + (1 << bits)), other, drawn)
            values[name] = [int(v) for v in drawn]
        elif tensor["dtype"] == "BOOL_8":
            values[name] = [int(v) for v in rng.randint(0, 2, count)]
        elif i == 0 or near:  # small ones too: equal to what they are compared with, or a class that there is
            drawn = np.where(rng.rand(count) < 0.5, rng.randint(0, 4, count), rng.randint(0, 100, count))
            drawn = _near(rng, tensor, drawn, first, other) if near else drawn
            values[name] = [max(0, int(v)) for v in drawn]
        else:
            limit = _index_limit(node, tensors, name, node.get("params") or {})
            if "Scatter" in node["op"]:  # a place written twice has no one value
                values[name] = [int(v) for v in rng.permutation(max(count, limit))[:count] % limit]
            else:
                values[name] = [int(v) for v in rng.randint(0, limit, count)]
    return values


def calibrate(op: Op, model: dict[str, Any], values: dict[str, list[Any]], before: dict[str, float]) -> None:
    """Gives outputs of computing ops the encoding their values need, times what a mutation has
    made of the scale that they had `before`."""
    if ties(op):
        return
    node = model["nodes"][0]
    tensors = {t["name"]: t for t in model["tensors"]}
    try:
        wanted, _ = expected(node, tensors, values)
    except NoReference:
        return
    for name, want in zip(node["outputs"], wanted):
        tensor = tensors[name]
        kind, body = encoding(tensor)
        want = np.asarray(want, np.float64)
        want = want[np.isfinite(want)]
        if kind != "perTensor" or want.size == 0 or body["scale"] in (0, "NaN", "Infinity"):
            continue
        if not before.get(name):  # fixed by the database
            continue
        factor = float(body["scale"]) / before[name]
        bits = int(tensor["dtype"].rsplit("_", 1)[1])
        low, high = min(0.0, float(want.min())), max(0.0, float(want.max()))
        steps = (1 << bits) - 1
        centred = body["zeroPoint"] == mid_point(tensor["dtype"])
        bound = max(-low, high, 1e-4)
        scale = 2 * bound / steps if centred else max(high - low, 1e-4) / steps
        body["scale"] = float(np.float32(scale * 1.02 * factor))
        if not centred and 0 < body["zeroPoint"] < steps and tensor["dtype"].startswith("U"):
            body["zeroPoint"] = int(np.clip(round(-low / scale), 0, steps))


def configurations(ops: list[Op], seed: int, per_op: int) -> Iterator[dict[str, Any]]:
    """Models of one node with the values of their inputs, `per_op` of each op; `mutations` and
    `seed` go with each."""
    for op in ops:
        rng = random.Random(f"{seed} {op.name}")
        bases = [c for number, example in enumerate(op.examples) for v in op.variants
                 if (c := base(op, example, number, v, rng)) is not None]  # fmt: skip
        seen: set[str] = set()
        for attempt in range(per_op * 6):
            if len(seen) >= per_op or not bases:
                break
            c = rng.choice(bases).copy()
            if rng.random() < 0.4:
                c = _with_channel_weights(op, c) or c
            kind = rng.random()
            if kind < 0.75:
                vary_encodings(rng, op, c)
            enlarge_biases(op, c)
            fit_grids(rng, op, c)
            before = {f"y{i}": port.encoding["perTensor"]["scale"] for i, port in enumerate(c.outputs)
                      if "perTensor" in (port.encoding or {}) and not fixed_by_database(op, i, port)}  # fmt: skip
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                mutation = rng.choices([m for _, m in MUTATIONS], [w for w, _ in MUTATIONS])[0]
                label = mutation(rng, c)
                if label:
                    c.mutations.append(label)
            randomise_channels(rng, c)
            key = c.key()
            if key in seen or any(math.prod(port.dims) > MOST_ELEMENTS for _, port in c.ports()):
                continue
            seen.add(key)
            model = c.model(f"{op.name} {c.variant} {c.example}")
            number = rng.randrange(1 << 31)
            try:
                values = draw(model, number)
                if "out" not in " ".join(m for m in c.mutations if "missing" in m or "encoding out" in m):
                    calibrate(op, model, values, before)
            except (ValueError, KeyError, TypeError, IndexError, NoReference):
                continue
            yield {"op": op.name, "mutations": c.mutations, "seed": number, "model": model}


def plain_configurations(ops: list[Op], seed: int) -> Iterator[dict[str, Any]]:
    """As configurations(), each row with each example twice and nothing changed: with the encodings that the
    examples have, and with others that hold the values."""
    for op in ops:
        for number, example in enumerate(op.examples):
            for variant in op.variants:
                for calibrated in (False, True):
                    rng = random.Random(f"{seed} {op.name} {variant['id']} {number} {calibrated}")
                    c = base(op, example, number, variant, rng)
                    if c is None:
                        continue
                    c = c.copy()
                    if calibrated:
                        vary_encodings(rng, op, c)
                    enlarge_biases(op, c)
                    fit_grids(rng, op, c)
                    before = {f"y{i}": port.encoding["perTensor"]["scale"] for i, port in enumerate(c.outputs)
                              if "perTensor" in (port.encoding or {}) and not fixed_by_database(op, i, port)}  # fmt: skip
                    model = c.model(f"{op.name} {c.variant} {c.example}")
                    drawn = rng.randrange(1 << 31)
                    try:
                        values = draw(model, drawn)
                        if calibrated:
                            calibrate(op, model, values, before)
                    except (ValueError, KeyError, TypeError, IndexError, NoReference):
                        continue
                    yield {"op": op.name, "mutations": [], "seed": drawn, "model": model}


def randomise_channels(rng: random.Random, c: Configuration) -> None:
    """Different scales for the channels of a per-channel encoding."""
    for _, port in c.ports():
        body = (port.encoding or {}).get("perChannel")
        if body and len(body["scales"]) == 1 and port.dims:
            axis = body["axis"] % len(port.dims)
            scale = body["scales"][0]
            if isinstance(scale, str) or port.dims[axis] > 64:
                continue
            body["scales"] = [float(np.float32(scale * rng.uniform(0.5, 1.5))) for _ in range(port.dims[axis])]


def with_values(case: dict[str, Any]) -> dict[str, Any]:
    """The Model with the values of its inputs."""
    model = json.loads(json.dumps(case["model"]))
    drawn = draw(case["model"], case["seed"])
    for tensor in model["tensors"]:
        if tensor["name"] in drawn:
            key = "realValues" if is_float(tensor) else "values"
            tensor[key] = drawn[tensor["name"]]
    return model
