"""References of ops that move, select or repeat elements. `R`: real inputs, `p`: params,
`shapes`: dims of the outputs."""

from __future__ import annotations

import numpy as np

Reals = list[np.ndarray]


def _ints(values: object) -> tuple[int, ...]:
    return tuple(int(v) for v in np.asarray(values).reshape(-1))


def same_elements(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    return [R[0].reshape(shapes[0])]


def split(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    cuts = [c for c in _ints(p.get("split_index", []))]
    return np.split(R[0], cuts, int(p["axis"]))


def depth_to_space(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    n, h, w, _ = R[0].shape
    bh, bw = _ints(p["block_size"])
    if int(p.get("mode", 0)) == 0:  # DCR: the block's place is the slower part of the channel
        y = R[0].reshape(n, h, w, bh, bw, -1).transpose(0, 1, 3, 2, 4, 5)
    else:  # CRD
        y = R[0].reshape(n, h, w, -1, bh, bw).transpose(0, 1, 4, 2, 5, 3)
    return [y.reshape(shapes[0])]


def space_to_depth(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    n, h, w, c = R[0].shape
    bh, bw = _ints(p["block_size"])
    y = R[0].reshape(n, h // bh, bh, w // bw, bw, c)
    y = y.transpose(0, 1, 3, 2, 4, 5) if int(p.get("mode", 0)) == 0 else y.transpose(0, 1, 3, 5, 2, 4)
    return [y.reshape(shapes[0])]


def space_to_batch(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    bh, bw = _ints(p["block_size"])
    pad = np.asarray(p.get("pad_amount", [[0, 0], [0, 0]])).astype(int)
    x = np.pad(R[0], [(0, 0), tuple(pad[0]), tuple(pad[1]), (0, 0)])
    n, h, w, c = x.shape
    y = x.reshape(n, h // bh, bh, w // bw, bw, c).transpose(2, 4, 0, 1, 3, 5)
    return [y.reshape(n * bh * bw, h // bh, w // bw, c)]


def batch_to_space(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    bh, bw = _ints(p["block_size"])
    n, h, w, c = R[0].shape
    y = R[0].reshape(bh, bw, n // (bh * bw), h, w, c).transpose(2, 3, 0, 4, 1, 5)
    y = y.reshape(n // (bh * bw), h * bh, w * bw, c)
    crop = np.asarray(p.get("crops", [[0, 0], [0, 0]])).astype(int)
    return [y[:, crop[0][0]:y.shape[1] - crop[0][1], crop[1][0]:y.shape[2] - crop[1][1]]]


def strided_slice(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    if any(int(p.get(mask, 0)) for mask in ("begin_mask", "end_mask", "new_axes_mask")):
        raise NotImplementedError("masks of StridedSlice")
    y = R[0][tuple(slice(*_ints(r)) for r in np.asarray(p["ranges"]))]
    return [y.reshape(shapes[0])]


def pad(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    amount = [tuple(_ints(q)) for q in np.asarray(p["pad_amount"])]
    mode = ("constant", "symmetric", "reflect", "edge")[int(p["scheme"])]
    if mode != "constant":
        return [np.pad(R[0], amount, mode)]
    # The constant is stored like in[0]'s values; without one the padding is the real number 0.
    return [np.pad(R[0], amount, mode, constant_values=float(p.get("pad_constant_value", 0)))]


def gather_nd(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    batch = int(p.get("batch_dims", 0))
    index = R[1].astype(int)
    if batch == 0:
        return [R[0][tuple(np.moveaxis(index, -1, 0))]]
    lead = R[0].shape[:batch]
    y = [R[0][at][tuple(np.moveaxis(index[at], -1, 0))] for at in np.ndindex(*lead)]
    return [np.stack(y).reshape(shapes[0])]


_REDUCE = {0: lambda old, new: new, 1: np.add, 2: np.multiply, 3: np.minimum, 4: np.maximum}


def scatter_nd(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    combine = _REDUCE[int(p.get("reduction", 0))]
    y, index = R[0].copy(), R[1].astype(int)
    for at in np.ndindex(*index.shape[:-1]):
        place = tuple(index[at])
        y[place] = combine(y[place], R[2][at])
    return [y]


def scatter_elements(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    combine = _REDUCE[int(p.get("reduction", 0))]
    axis = int(p.get("axis", 0)) % R[0].ndim
    y, index = R[0].copy(), R[1].astype(int)
    for at in np.ndindex(*index.shape):
        place = list(at)
        place[axis] = index[at]
        y[tuple(place)] = combine(y[tuple(place)], R[2][at])
    return [y]


def extract_patches(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    x = R[0]
    sizes, stride, rate = (_ints(p.get(k, d)) for k, d in (("size", (1, 1)), ("stride", (1, 1)), ("rate", (1, 1))))
    if int(p.get("padding", 0)) != 0:
        raise NotImplementedError("padding of ExtractPatches")
    oh, ow = shapes[0][1:3]
    rows = [
        x[:, a * rate[0]:a * rate[0] + (oh - 1) * stride[0] + 1:stride[0],
          b * rate[1]:b * rate[1] + (ow - 1) * stride[1] + 1:stride[1]]
        for a in range(sizes[0]) for b in range(sizes[1])
    ]  # fmt: skip
    return [np.concatenate(rows, -1)]


def channel_shuffle(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    x = np.moveaxis(R[0], int(p.get("axis", -1)), -1)
    y = x.reshape(*x.shape[:-1], int(p["num_groups"]), -1).swapaxes(-1, -2).reshape(x.shape)
    return [np.moveaxis(y, -1, int(p.get("axis", -1)))]


def nearest(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    align, half = bool(p.get("align_corners", 0)), bool(p.get("half_pixel_centers", 0))
    y = R[0]
    for axis in (1, 2):
        n, o = R[0].shape[axis], shapes[0][axis]
        at = np.arange(o)
        if align and o > 1:
            at = np.floor(at * (n - 1) / (o - 1) + 0.5)
        elif half:
            at = np.floor((at + 0.5) * n / o)
        else:
            at = np.floor(at * n / o)
        y = np.take(y, np.clip(at, 0, n - 1).astype(int), axis)
    return [y]


def one_hot(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    on, off = float(p.get("on_value", 1)), float(p.get("off_value", 0))
    y = np.where(R[0][..., None] == np.arange(int(p["depth"])), on, off)
    axis = int(p.get("axis", y.ndim - 1))
    return [np.moveaxis(y, -1, axis)]


def arg(best: object) -> object:
    def run(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
        return [best(R[0], axis=int(p["axis"])).astype(np.float64).reshape(shapes[0])]  # type: ignore[operator]

    return run


def top_k(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    sign = -1 if int(p.get("largest", 1)) else 1
    order = np.argsort(sign * R[0], axis=-1, kind="stable")[..., : int(p["k"])]
    return [np.take_along_axis(R[0], order, -1), order.astype(np.float64)]


MOVEMENT = {
    **dict.fromkeys(("Reshape", "Squeeze", "ExpandDims", "Cast", "Convert", "Quantize", "Dequantize"), same_elements),
    "Transpose": lambda R, p, s: [R[0].transpose(_ints(p["perm"]))],
    "Concat": lambda R, p, s: [np.concatenate(R, int(p["axis"]))],
    "Pack": lambda R, p, s: [np.stack(R, int(p["axis"]))],
    "UnPack": lambda R, p, s: [np.take(R[0], k, int(p["axis"])) for k in range(R[0].shape[int(p["axis"])])],
    "Split": split, "DepthToSpace": depth_to_space, "SpaceToDepth": space_to_depth,
    "SpaceToBatch": space_to_batch, "BatchToSpace": batch_to_space, "StridedSlice": strided_slice, "Pad": pad,
    "Tile": lambda R, p, s: [np.tile(R[0], _ints(p["multiples"]))],
    "Gather": lambda R, p, s: [np.take(R[0], R[1].astype(int), int(p.get("axis", 0)))],
    "GatherElements": lambda R, p, s: [np.take_along_axis(R[0], R[1].astype(int), int(p.get("axis", 0)))],
    "GatherNd": gather_nd, "ScatterNd": scatter_nd, "ScatterElements": scatter_elements,
    "ExtractPatches": extract_patches, "ChannelShuffle": channel_shuffle, "ResizeNearestNeighbor": nearest,
    "OneHot": one_hot, "TopK": top_k, "Argmax": arg(np.argmax), "Argmin": arg(np.argmin),
    "ElementWiseSelect": lambda R, p, s: [np.where(R[0] != 0, R[1], R[2])],
}  # fmt: skip
