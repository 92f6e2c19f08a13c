"""Configurations by the thousand: every base once, then random mutations with a seed."""

from __future__ import annotations

import dataclasses
import itertools
import random
from typing import Any, Iterable

from .configuration import WEIGHT_SCALE, Configuration, base, mid_point, per_channel
from .database import Op, is_fixed
from .mutations import DTYPES, mutate, set_dtype


def bases(ops: list[Op], rng: random.Random) -> dict[str, list[Configuration]]:
    """Per op: every example with every variant; constant weights also per-channel, with a
    bias that leaves its encoding to the library's own rule (scale 0)."""
    bases: dict[str, list[Configuration]] = {}
    for op in ops:
        made = bases.setdefault(op.name, [])
        for number, example in enumerate(op.examples):
            for variant in op.variants:
                configuration = base(op, example, number, variant, rng)
                if configuration is None:
                    continue
                made.append(configuration)
                other = _with_channel_weights(op, configuration)
                if other is not None:
                    made.append(other)
    return bases


def _with_channel_weights(op: Op, configuration: Configuration) -> Configuration | None:
    made = configuration.copy()
    changed = False
    for i, declared in enumerate(op.inputs):
        port = made.inputs[i] if i < len(made.inputs) else None
        if port is None or not is_fixed(port.dtype):
            continue
        if "channel_axis" in declared and port.static:
            axis = declared["channel_axis"] % max(1, len(port.dims))
            port.encoding = per_channel(axis, WEIGHT_SCALE, mid_point(port.dtype))
            changed = True
        elif declared.get("role") == "bias" and changed and port.encoding:
            port.encoding["perTensor"]["scale"] = 0.0
    if not changed:
        return None
    made.mutations.append("per-channel weights")
    return made


def _version(sdk: str) -> tuple[int, ...]:
    return tuple(map(int, sdk.split(".")))


def current(ops: list[Op], sdks: list[str]) -> list[Op]:
    """The ops with the rows alone that one of these SDKs has."""
    newest, oldest = max(map(_version, sdks)), min(map(_version, sdks))

    def holds(variant: dict[str, Any]) -> bool:
        since, until = variant.get("since"), variant.get("until")
        return not (since and _version(since) > newest) and not (until and _version(until) <= oldest)

    return [dataclasses.replace(op, variants=[v for v in op.variants if holds(v)]) for op in ops]


def cross_products(op: Op, bases: list[Configuration], most: int) -> Iterable[Configuration]:
    """Every datatype at every port of an example, where that makes at most `most`; else at the
    ports of one datatype of its first row together, where that does."""
    for number in dict.fromkeys(c.example for c in bases):
        first = next(c for c in bases if c.example == number)
        names = [name for name, _ in first.ports()]
        groups = [[name] for name in names]
        if len(DTYPES) ** len(groups) > most:
            alike: dict[str, list[str]] = {}
            for name, port in first.ports():
                alike.setdefault(port.dtype, []).append(name)
            groups = list(alike.values())
        if len(DTYPES) ** len(groups) > most:
            continue
        for dtypes in itertools.product(DTYPES, repeat=len(groups)):
            made = first.copy()
            ports = dict(made.ports())
            for group, dtype in zip(groups, dtypes):
                for name in group:
                    set_dtype(ports[name], dtype)
            made.mutations.append(f"datatypes crossed over {len(groups)}")
            yield made


def mutated(of_op: dict[str, list[Configuration]], most: int, rng: random.Random, seen: set[str]) -> Iterable[Configuration]:
    """One to three mutations of bases drawn op by op, until `seen` holds `most` keys (fewer where the
    space is small)."""
    names = [name for name, made in of_op.items() if made]
    misses = 0
    while len(seen) < most and misses < 50 * most and names:
        configuration = rng.choice(of_op[rng.choice(names)]).copy()
        for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3])):
            mutate(rng, configuration)
        key = configuration.key()
        if key in seen:
            misses += 1
            continue
        seen.add(key)
        yield configuration


def configurations(ops: list[Op], count: int, seed: int, cross: int = 0) -> Iterable[Configuration]:
    """`count` different configurations (fewer where the space is small): the bases first, with
    `cross` the products of datatypes that are no larger, then one to three mutations of bases
    drawn op by op."""
    rng = random.Random(seed)
    seen: set[str] = set()
    of_op = bases(ops, rng)
    products = (cross_products(op, of_op[op.name], cross) for op in ops) if cross else ()
    for configuration in itertools.chain.from_iterable(itertools.chain(of_op.values(), products)):
        if len(seen) >= count:
            return
        key = configuration.key()
        if key not in seen:
            seen.add(key)
            yield configuration
    yield from mutated(of_op, count, rng, seen)
