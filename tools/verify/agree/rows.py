"""The datatype rows that a backend library takes, found by asking.

Of an example of an op: the documented combinations, every datatype at all ports alike, then from
each combination that is accepted those that differ in one or two ports, until nothing new is
accepted. Tensors stand as in the example, with symmetric per-tensor encodings where a type needs one.
"""

from __future__ import annotations

import itertools
from typing import Callable, Iterator

from .configuration import Configuration, Port, base, mid_point, param_value, per_tensor
from .database import Example, Op, bits_of, is_fixed
from .mutations import DTYPES

Row = tuple["str | None", ...]
Ask = Callable[[list[Configuration]], list[bool]]
BIAS_SCALE, WEIGHT_SCALE, SCALE = 0.0002, 0.01, 0.02
# Ports that are varied by pairs; ops with more are varied one port at a time.
PAIRED_PORTS = 4
# Of an op's documented combinations.
MOST_SEEDS = 4000


def configuration(op: Op, example: Example, number: int, row: Row) -> Configuration:
    """The example with these datatypes."""

    def port(direction: str, index: int, dims: list[int] | None, dtype: str | None) -> Port | None:
        if dims is None or dtype is None:
            return None
        made = Port(dtype, list(dims), direction == "in" and index in example.static)
        if is_fixed(dtype):
            scale, zero = op.fixed_encoding(f"{direction}[{index}]", dtype, "")
            if scale is None:
                scale = {"weight": WEIGHT_SCALE, "bias": BIAS_SCALE}.get(op.role(direction, index), SCALE)
            made.encoding = per_tensor(scale, mid_point(dtype) if zero is None else zero)
        sparse = example.sparse_inputs if direction == "in" else example.sparse_outputs
        made.sparse = sparse.get(index)
        return made

    inputs = [port("in", i, dims, row[i]) for i, dims in enumerate(example.inputs)]
    outputs = [port("out", i, dims, row[len(inputs) + i]) for i, dims in enumerate(example.outputs)]
    params = {name: param_value(op.params.get(name), value) for name, value in example.params.items()}
    return Configuration(op.name, "", example.tag or str(number), inputs, [o for o in outputs if o], params, [], op.params)


def _documented(op: Op, example: Example) -> Iterator[Row]:
    """What the database lists, in every combination of a row's lists."""
    for variant in op.variants:
        choices = []
        for direction, tensors in (("in", example.inputs), ("out", example.outputs)):
            for i, dims in enumerate(tensors):
                entry = None if dims is None else op.row_entry(variant["dtypes"], direction, i)
                choices.append(entry if isinstance(entry, list) else [entry])
        yield from itertools.islice(itertools.product(*choices), MOST_SEEDS)


def _present(example: Example) -> list[int]:
    return [i for i, dims in enumerate([*example.inputs, *example.outputs]) if dims is not None]


def _alike(example: Example) -> Iterator[Row]:
    """One datatype everywhere, or one with a second at the last ports or at one of them."""
    there = _present(example)
    size = len(example.inputs) + len(example.outputs)
    for first, second in itertools.product(DTYPES, DTYPES):
        for at in there if second != first else there[:1]:
            yield tuple(None if i not in there else second if i == at else first for i in range(size))


def _neighbours(row: Row) -> Iterator[Row]:
    there = [i for i, dtype in enumerate(row) if dtype is not None]
    for at in there:
        for dtype in DTYPES:
            yield row[:at] + (dtype,) + row[at + 1:]
    if len(there) <= PAIRED_PORTS:
        for a, b in itertools.combinations(there, 2):
            for first, second in itertools.product(DTYPES, DTYPES):
                made = list(row)
                made[a], made[b] = first, second
                yield tuple(made)


def taken(op: Op, example: Example, number: int, ask: Ask) -> set[Row]:
    """The rows that are accepted with one example."""
    tried: set[Row] = set()
    accepted: set[Row] = set()
    front = dict.fromkeys(itertools.chain(_documented(op, example), _alike(example)))
    while front:
        rows = [row for row in front if row not in tried]
        tried.update(rows)
        said = ask([configuration(op, example, number, row) for row in rows]) if rows else []
        new = [row for row, yes in zip(rows, said) if yes]
        accepted.update(new)
        front = dict.fromkeys(n for row in new for n in _neighbours(row) if n not in tried)
    return accepted
