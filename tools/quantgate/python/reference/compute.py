"""References of ops that multiply, sum and normalise. Layout is channels last, as QNN has it."""

from __future__ import annotations

import numpy as np

from .movement import Reals, _ints, nearest


def _windows(x: np.ndarray, at: tuple[int, ...], step: tuple[int, ...], out: list[int]) -> np.ndarray:
    """The elements that offset `at` of a sliding window meets."""
    spans = (slice(a, a + (o - 1) * s + 1, s) for a, s, o in zip(at, step, out))
    return x[(slice(None), *spans)]


def convolution(rank: int, depthwise: bool = False) -> object:
    def run(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
        x, w = R[0], R[1]
        stride = _ints(p.get("stride", [1] * rank))
        dilation = _ints(p.get("dilation", [1] * rank))
        padding = np.asarray(p.get("pad_amount", [[0, 0]] * rank)).astype(int)
        x = np.pad(x, [(0, 0), *(tuple(q) for q in padding), (0, 0)])
        out, group = shapes[0][1:-1], int(p.get("group", 1))
        channels = shapes[0][-1]
        y = np.zeros([x.shape[0], *out, channels])
        for k in np.ndindex(*w.shape[:rank]):
            part = _windows(x, tuple(a * d for a, d in zip(k, dilation)), stride, out)
            if depthwise:
                y += np.repeat(part, channels // part.shape[-1], -1) * w[k].reshape(-1)
                continue
            n, m = part.shape[-1] // group, channels // group
            for g in range(group):
                y[..., g * m:(g + 1) * m] += part[..., g * n:(g + 1) * n] @ w[k][:, g * m:(g + 1) * m]
        return [y + (R[2] if len(R) > 2 else 0)]

    return run


def transposed_convolution(rank: int) -> object:
    def run(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
        x, w = R[0], R[1]
        stride = _ints(p.get("stride", [1] * rank))
        padding = np.asarray(p.get("pad_amount", [[0, 0]] * rank)).astype(int)
        group, channels = int(p.get("group", 1)), shapes[0][-1]
        extra = _ints(p.get("output_padding", [0] * rank))
        full = [(x.shape[1 + a] - 1) * stride[a] + w.shape[a] + extra[a] for a in range(rank)]
        y = np.zeros([x.shape[0], *full, channels])
        n, m = x.shape[-1] // group, channels // group
        for k in np.ndindex(*w.shape[:rank]):
            spans = (slice(k[a], k[a] + (x.shape[1 + a] - 1) * stride[a] + 1, stride[a]) for a in range(rank))
            target = (slice(None), *spans)
            for g in range(group):
                # The filter has all input channels, and the output channels of one group.
                y[target + (slice(g * m, (g + 1) * m),)] += x[..., g * n:(g + 1) * n] @ w[k][g * n:(g + 1) * n]
        cut = (slice(padding[a][0], full[a] - padding[a][1]) for a in range(rank))
        return [y[(slice(None), *cut)] + (R[2] if len(R) > 2 else 0)]

    return run


def pool(rank: int, combine: object, average: bool = False) -> object:
    def run(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
        size, stride = _ints(p["filter_size"]), _ints(p.get("stride", [1] * rank))
        padding = np.asarray(p.get("pad_amount", [[0, 0]] * rank)).astype(int)
        out = shapes[0][1:-1]
        # With rounding up the last window may leave the padded input.
        ends = [(o - 1) * s + f for o, s, f in zip(out, stride, size)]
        wide = [(int(q[0]), int(max(q[1], e - q[0] - d))) for q, e, d in zip(padding, ends, R[0].shape[1:-1])]
        x = np.pad(R[0], [(0, 0), *wide, (0, 0)], constant_values=0 if average else -np.inf)
        parts = [_windows(x, k, stride, out) for k in np.ndindex(*size)]
        if not average:
            return [combine(parts, 0)]  # type: ignore[operator]
        counted = np.ones_like(R[0])
        # count_pad_for_edges counts the declared padding, never what rounding up adds.
        counted = np.pad(counted, [(0, 0), *(tuple(q) for q in padding), (0, 0)],
                         constant_values=1 if p.get("count_pad_for_edges", 0) else 0)
        more = [(0, max(0, a - b)) for a, b in zip(x.shape[1:-1], counted.shape[1:-1])]
        counted = np.pad(counted, [(0, 0), *more, (0, 0)])
        counts = [_windows(counted, k, stride, out) for k in np.ndindex(*size)]
        return [np.sum(parts, 0) / np.sum(counts, 0)]

    return run


def fully_connected(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    y = R[0].reshape(-1, R[1].shape[1]) @ R[1].T + (R[2] if len(R) > 2 else 0)
    return [y.reshape(shapes[0])]


def mat_mul(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    a = np.swapaxes(R[0], -1, -2) if p.get("transpose_in0") else R[0]
    b = np.swapaxes(R[1], -1, -2) if p.get("transpose_in1") else R[1]
    return [a @ b + (R[2] if len(R) > 2 else 0)]


def _normal(x: np.ndarray, axes: tuple[int, ...], epsilon: float, centred: bool = True) -> np.ndarray:
    mean = x.mean(axes, keepdims=True) if centred else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def _affine(y: np.ndarray, R: Reals) -> np.ndarray:
    gain = R[1] if len(R) > 1 and R[1] is not None else 1
    shift = R[2] if len(R) > 2 and R[2] is not None else 0
    return y * gain + shift


def layer_norm(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    return [_affine(_normal(R[0], _ints(p["axes"]), p.get("epsilon", 1e-12)), R)]


def rms_norm(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    return [_affine(_normal(R[0], _ints(p["axes"]), p.get("epsilon", 1e-6), centred=False), R)]


def instance_norm(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    x = R[0]
    if int(p.get("region", 0)) or int(p.get("mode", 0)):
        raise NotImplementedError("regions and modes of InstanceNorm")
    axes = tuple(range(1, x.ndim - 1))
    if not int(p.get("normalize_variance", 1)):
        return [_affine(x - x.mean(axes, keepdims=True), R)]
    return [_affine(_normal(x, axes, p.get("epsilon", 1e-12)), R)]


def group_norm(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    n, c = R[0].shape[0], R[0].shape[-1]
    groups = int(p["group"])
    x = R[0].reshape(n, -1, groups, c // groups)
    return [_affine(_normal(x, (1, 3), p.get("epsilon", 1e-12)).reshape(R[0].shape), R)]


def l2_norm(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    axes = _ints(p["axes"]) if "axes" in p else (int(p.get("axis", 0)),)
    total = (R[0] ** 2).sum(axes, keepdims=True)
    return [R[0] / np.sqrt(np.maximum(total, p.get("epsilon", 1e-12)))]


def softmax(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    axis = int(p.get("axis", R[0].ndim - 1))
    e = np.exp(p.get("beta", 1.0) * (R[0] - R[0].max(axis, keepdims=True)))
    return [e / e.sum(axis, keepdims=True)]


def lrn(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    if int(p.get("region", 0)):
        raise NotImplementedError("LRN within a channel")
    x, r = R[0], int(p["radius"])
    sums = [(x[..., max(0, k - r):k + r + 1] ** 2).sum(-1) for k in range(x.shape[-1])]
    return [x / (p.get("bias", 1.0) + p.get("alpha", 1.0) * np.stack(sums, -1)) ** p.get("beta", 0.5)]


def cumulative_sum(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    axis = int(p["axis"])
    x = np.flip(R[0], axis) if p.get("reverse") else R[0]
    y = np.cumsum(x, axis)
    if p.get("exclusive"):
        y = y - x
    return [np.flip(y, axis) if p.get("reverse") else y]


def reduction(combine: object) -> object:
    def run(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
        return [combine(R[0], axis=_ints(p["axes"])).reshape(shapes[0])]  # type: ignore[operator]

    return run


def _positions(n: int, o: int, align: bool, half: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    at = np.arange(o, dtype=np.float64)
    if align and o > 1:
        at = at * (n - 1) / (o - 1)
    elif half:
        at = (at + 0.5) * n / o - 0.5
    else:
        at = at * n / o
    at = np.clip(at, 0, n - 1)
    low = np.floor(at).astype(int)
    return low, np.minimum(low + 1, n - 1), at - low


def bilinear(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    y = R[0]
    for axis in (1, 2):
        low, high, part = _positions(
            R[0].shape[axis], shapes[0][axis], bool(p.get("align_corners", 0)), bool(p.get("half_pixel_centers", 0)))
        part = part.reshape([-1 if a == axis else 1 for a in range(y.ndim)])
        y = np.take(y, low, axis) * (1 - part) + np.take(y, high, axis) * part
    return [y]


def resize(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    mode, transformation = int(p.get("interpolation_mode", 0)), int(p.get("transformation_mode", 0))
    if R[0].ndim != 4 or mode > 1 or int(p.get("exclude_outside", 0)):
        raise NotImplementedError("this form of Resize")
    # 0 half pixel, 1 half pixel of PyTorch, 2 align corners, 3 asymmetric
    named = {"half_pixel_centers": transformation < 2, "align_corners": transformation == 2}
    if mode == 1:
        return bilinear(R, named, shapes)
    if transformation == 2 or any(shapes[0][a] % R[0].shape[a] for a in (1, 2)):
        raise NotImplementedError("nearest Resize but by a whole factor")
    return nearest(R, named, shapes)


def grid_sample(R: Reals, p: dict, shapes: list[list[int]]) -> Reals:
    if int(p.get("mode", 0)) or int(p.get("padding_mode", 0)):
        raise NotImplementedError("this form of GridSample")
    x, grid = R
    n, h, w, c = x.shape
    if p.get("align_corners"):
        gx, gy = (grid[..., 0] + 1) / 2 * (w - 1), (grid[..., 1] + 1) / 2 * (h - 1)
    else:
        gx, gy = ((grid[..., 0] + 1) * w - 1) / 2, ((grid[..., 1] + 1) * h - 1) / 2
    y = np.zeros([*gx.shape, c])
    x0, y0 = np.floor(gx).astype(int), np.floor(gy).astype(int)
    for dy in (0, 1):
        for dx in (0, 1):
            xi, yi = x0 + dx, y0 + dy
            weight = (1 - np.abs(gx - xi)) * (1 - np.abs(gy - yi))
            weight *= (xi >= 0) & (xi < w) & (yi >= 0) & (yi < h)
            for b in range(n):
                y[b] += weight[b][..., None] * x[b][np.clip(yi[b], 0, h - 1), np.clip(xi[b], 0, w - 1)]
    return [y]


COMPUTE = {
    "Conv2d": convolution(2), "Conv3d": convolution(3), "DepthWiseConv2d": convolution(2, depthwise=True),
    "TransposeConv2d": transposed_convolution(2), "TransposeConv3d": transposed_convolution(3),
    "PoolMax2d": pool(2, np.max), "PoolAvg2d": pool(2, None, average=True), "PoolAvg3d": pool(3, None, average=True),
    "FullyConnected": fully_connected, "MatMul": mat_mul, "LayerNorm": layer_norm, "RmsNorm": rms_norm,
    "InstanceNorm": instance_norm, "GroupNorm": group_norm, "Batchnorm": lambda R, p, s: [_affine(R[0], R)],
    "L2Norm": l2_norm, "Softmax": softmax, "LogSoftmax": lambda R, p, s: [np.log(softmax(R, p, s)[0])], "Lrn": lrn,
    "CumulativeSum": cumulative_sum, "ReduceMax": reduction(np.max), "ReduceMin": reduction(np.min),
    "ReduceMean": reduction(np.mean), "ReduceSum": reduction(np.sum), "ReduceProd": reduction(np.prod),
    "ResizeBilinear": bilinear, "Resize": resize, "GridSample": grid_sample,
    "Prelu": lambda R, p, s: [np.where(R[0] > 0, R[0], R[0] * R[1])],
}  # fmt: skip
