"""Operators that move, pick or reduce values: shapes and axes are what matters."""
from __future__ import annotations

from tools.dev.tflite.draft import Draft


def resize(draft: Draft) -> None:
    x = draft.image()
    x[1:3] = [min(side, 32) for side in x[1:3]]
    factor = draft.pick(2, 2, 2, 4, 8, 3, 6, 16)
    other = factor if not draft.odd(0.1) else draft.pick(1, 2, 4)
    align = draft.odd(0.25)
    half = draft.odd(0.35) and not (align and not draft.odd(0.05))
    sides = [side * f for side, f in zip(x[1:3], (factor, other))]
    if align and draft.odd(0.6):
        sides = [(side - 1) * f + 1 for side, f in zip(x[1:3], (factor, other))]
    if draft.odd(0.06):
        sides = draft.pick([x[1], x[2]], [sides[0], sides[0]], [1, 1], [7, 9])
    data = draft.input(draft.dtype(), x)
    draft.constant(sides)
    draft.output(data["dtype"], [x[0], *sides, x[3]], data)
    draft.params = {"align_corners": {"flag": align}, "half_pixel_centers": {"flag": half}}


def reduction(draft: Draft) -> None:
    dims = draft.shape()
    while not dims:
        dims = draft.shape()
    rank = len(dims)
    axes = draft.pick([1, 2], [1, 2], [rank - 1], [1], [0], [2, 3], [1, 2, 3], [-1]) if rank == 4 else \
        draft.pick([rank - 1], [rank - 1], [rank - 2], [-1])
    axes = [axis for axis in axes if -rank <= axis < rank]
    keep = draft.odd(0.5)
    x = draft.input(draft.dtype(), dims)
    is_arg = draft.op.startswith("ARG")
    if is_arg:
        axes = axes[-1:]
        draft.constant(axes, [] if draft.odd(0.7) else [1])
    else:
        draft.constant(axes)
    gone = {axis % rank for axis in axes}
    out = [1 if i in gone else dim for i, dim in enumerate(dims) if keep and not is_arg or i not in gone]
    if is_arg:
        wide = draft.odd(0.4)
        draft.output("INT_64" if wide else "INT_32", out)
        draft.params = {"output_type": {"int": 4 if wide else 2}}
        return
    draft.output(x["dtype"], out, x if draft.op in ("REDUCE_MAX", "REDUCE_MIN") else None)
    draft.params = {"keep_dims": {"flag": keep}}


def reshaped(draft: Draft) -> None:
    dims = draft.shape()
    x = draft.input(draft.dtype(), dims)
    if draft.op == "RESHAPE":
        count = 1
        for dim in dims:
            count *= abs(dim)
        out = draft.pick([1, count], [1, 1, count], [count], [1, 1, 1, count], [count // 8, 8] if count % 8 == 0 else
                         [count, 1])
        draft.constant(out)
        draft.params = {"new_shape": {"tensor": {"dtype": "INT_32", "dims": [len(out)], "ints": out}}}
    elif draft.op == "SQUEEZE":
        axes = [i for i, dim in enumerate(dims) if dim == 1][:draft.pick(1, 2)]
        out = [dim for i, dim in enumerate(dims) if i not in axes]
        draft.params = {"squeeze_dims": {"tensor": {"dtype": "INT_32", "dims": [len(axes)], "ints": axes}}}
    else:
        axis = draft.chance.randint(0, len(dims))
        draft.constant([axis], [])
        out = [*dims[:axis], 1, *dims[axis:]]
    draft.output(x["dtype"], out, x)


def transpose(draft: Draft) -> None:
    dims = draft.shape()
    permutation = list(range(len(dims)))
    draft.chance.shuffle(permutation)
    if len(dims) == 4 and draft.odd(0.5):
        permutation = draft.pick([0, 3, 1, 2], [0, 2, 3, 1], [0, 2, 1, 3])
    x = draft.input(draft.dtype(), dims)
    draft.constant(permutation)
    draft.output(x["dtype"], [dims[i] for i in permutation], x)


def concatenation(draft: Draft) -> None:
    dims, dtype = draft.shape(), draft.dtype()
    while not dims:
        dims = draft.shape()
    axis = draft.chance.randrange(len(dims)) if draft.odd(0.3) else len(dims) - 1
    count = draft.pick(2, 2, 3, 4)
    encoding = draft.encoding(dtype)
    total = 0
    for _ in range(count):
        own = list(dims)
        if draft.op == "CONCATENATION" and draft.odd(0.4) and own[axis] > 0:
            own[axis] = draft.pick(4, 8, 16)
        total += own[axis]
        draft.input(dtype, own, draft.encoding(dtype, encoding) if not draft.odd(0.3) else None)
    if draft.op == "PACK":
        out = [*dims[:axis], count, *dims[axis:]]
        draft.params = {"values_count": {"int": count}, "axis": {"int": axis}}
    else:
        out = list(dims)
        out[axis] = total
        draft.params = {"axis": {"int": axis if not draft.odd(0.2) else axis - len(dims)},
                        "fused_activation_function": {"int": 0}}
    draft.output(dtype, out, {"encoding": encoding})


def unpack(draft: Draft) -> None:
    dims = draft.shape()
    while not dims or max(dims) > 1000:
        dims = draft.shape()
    axis = min(range(len(dims)), key=lambda i: abs(abs(dims[i]) - 3))
    count = min(abs(dims[axis]), 4)
    dims[axis] = count
    x = draft.input(draft.dtype(), dims)
    out = [dim for i, dim in enumerate(dims) if i != axis]
    for _ in range(count):
        draft.output(x["dtype"], out, x)
    draft.params = {"num": {"int": count}, "axis": {"int": axis}}


def split(draft: Draft) -> None:
    dims = draft.shape()
    while not dims or not any(dim > 0 and dim % 2 == 0 for dim in dims):
        dims = draft.shape()
    axis = max(i for i, dim in enumerate(dims) if dim > 0 and dim % 2 == 0)
    count = draft.pick(2, 4) if dims[axis] % 4 == 0 else 2
    dtype, encoding = draft.dtype(), None
    out = list(dims)
    out[axis] //= count
    if draft.op == "SPLIT":
        draft.constant([axis], [] if draft.odd(0.7) else [1])
        x = draft.input(dtype, dims, encoding)
    else:
        x = draft.input(dtype, dims, encoding)
        draft.constant([out[axis]] * count)
        draft.constant([axis], [])
    for _ in range(count):
        draft.output(dtype, out, x)
    draft.params = {"num_splits": {"int": count}}


def sliced(draft: Draft) -> None:
    dims = draft.shape()
    while not dims or any(dim < 0 for dim in dims):
        dims = draft.shape()
    begin = [draft.chance.randint(0, dim // 4) for dim in dims]
    size = [draft.chance.randint(1, dim - b) if draft.odd(0.5) else dim - b for dim, b in zip(dims, begin)]
    x = draft.input(draft.dtype(), dims)
    draft.constant(begin)
    if draft.op == "SLICE":
        draft.constant(size)
        draft.output(x["dtype"], size, x)
        return
    step = [1] * len(dims)
    if draft.odd(0.3) and len(dims) > 2:
        step[draft.chance.randint(1, len(dims) - 2)] = 2
    if draft.odd(0.05):
        step[-1] = 2
    draft.constant([b + s for b, s in zip(begin, size)])
    draft.constant(step)
    masks = {name: {"int": 0} for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                           "shrink_axis_mask")}
    draft.params = {**masks, "offset": {"flag": False}}
    draft.output(x["dtype"], [-(-s // t) for s, t in zip(size, step)], x)


def pad(draft: Draft) -> None:
    dims = draft.image() if not draft.odd(0.2) else draft.pick([1, 16, 64], [1, 100])
    rows = [[0, 0] for _ in dims]
    for i in range(1, max(len(dims) - 1, 2)):
        rows[i] = [draft.pick(0, 1, 1, 2, 3), draft.pick(0, 1, 1, 2, 3)]
    if draft.odd(0.1):
        rows[-1] = [0, draft.pick(1, 4)]
    if draft.op == "MIRROR_PAD":
        rows = [[min(a, max(abs(dim) - 1, 0)) for a in row] for row, dim in zip(rows, dims)]
    x = draft.input(draft.dtype(), dims)
    draft.constant([n for row in rows for n in row], [len(dims), 2], draft.pick("INT_32", "INT_32", "INT_64"))
    if draft.op == "PADV2":
        draft.add("in2", x["dtype"], [1], x.get("encoding"), isStatic=True, values=[0])
        draft.inputs.append("in2")
    if draft.op == "MIRROR_PAD":
        draft.params = {"mode": {"int": draft.pick(0, 1)}}
    draft.output(x["dtype"], [dim + sum(row) if dim > 0 else dim for dim, row in zip(dims, rows)], x)


def tile(draft: Draft) -> None:
    dims = draft.shape()
    while not dims or abs(max(dims)) > 1000:
        dims = draft.shape()
    multiples = [draft.pick(1, 1, 2, 3) for _ in dims]
    x = draft.input(draft.dtype(), dims)
    draft.constant(multiples)
    draft.output(x["dtype"], [dim * m if dim > 0 else dim for dim, m in zip(dims, multiples)], x)


def gather(draft: Draft) -> None:
    dims = draft.shape()
    while not dims:
        dims = draft.shape()
    axis = draft.chance.randrange(len(dims)) if draft.odd(0.6) else 0
    count = draft.pick(1, 4, 8)
    x = draft.input(draft.dtype(), dims)
    draft.add("in1", "INT_32", [count])
    draft.inputs.append("in1")
    draft.output(x["dtype"], [*dims[:axis], count, *dims[axis + 1:]], x)
    draft.params = {"axis": {"int": axis}, "batch_dims": {"int": 0}}


def reverse(draft: Draft) -> None:
    dims = draft.shape()
    while not dims:
        dims = draft.shape()
    x = draft.input(draft.dtype(), dims)
    draft.constant([draft.chance.randrange(len(dims))])
    draft.output(x["dtype"], dims, x)


def blocks(draft: Draft) -> None:
    dims = [1, draft.pick(4, 8, 16), draft.pick(4, 8, 16), draft.pick(4, 16, 64)]
    out = [1, dims[1] // 2, dims[2] // 2, dims[3] * 4] if draft.op == "SPACE_TO_DEPTH" else \
        [1, dims[1] * 2, dims[2] * 2, dims[3] // 4]
    x = draft.input(draft.dtype(), dims)
    draft.output(x["dtype"], out, x)
    draft.params = {"block_size": {"int": 2}}


def selects(draft: Draft) -> None:
    dims, dtype = draft.shape(), draft.dtype()
    encoding = draft.encoding(dtype)
    draft.add("in0", "BOOL_8", dims)
    draft.inputs.append("in0")
    draft.input(dtype, dims, draft.encoding(dtype, encoding))
    draft.input(dtype, dims, draft.encoding(dtype, encoding))
    draft.output(dtype, dims, {"encoding": encoding})


def broadcast_to(draft: Draft) -> None:
    dims = draft.image()
    x = draft.input(draft.dtype(), [1, 1, 1, dims[3]])
    draft.constant([abs(dim) for dim in dims])
    draft.output(x["dtype"], [abs(dim) for dim in dims], x)
