"""Models of one TFLite operator, by chance: shapes of real networks, and now and then something that is not usual."""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

SIDES = (1, 4, 7, 8, 14, 16, 28, 32, 56, 64, 112)
CHANNELS = (1, 3, 8, 16, 24, 32, 64, 96, 128, 192, 320)
WIDTHS = (8, 16, 64, 128, 256, 512, 1000)
QUANTIZED = ("SFIXED_POINT_8", "UFIXED_POINT_8", "SFIXED_POINT_16")
PLAIN = ("FLOAT_32", "INT_32", "INT_64", "BOOL_8", "SFIXED_POINT_32", "FLOAT_16")
ZERO_RANGE = {"SFIXED_POINT_8": (-128, 127), "UFIXED_POINT_8": (0, 255)}


class Draft:
    """One operator, from its ports and params."""

    def __init__(self, chance: random.Random, op: str) -> None:
        self.chance, self.op = chance, op
        self.tensors: list[Json] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.params: Json = {}

    def odd(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, *choices: Any) -> Any:
        return self.chance.choice(choices)

    def dtype(self) -> str:
        """Mostly 8 bits."""
        if self.odd(0.06):
            return self.chance.choice(PLAIN)
        return self.chance.choices(QUANTIZED, (70, 12, 18))[0]

    def encoding(self, dtype: str, like: Json | None = None) -> Json | None:
        if "FIXED" not in dtype:
            return None
        if like is not None and not self.odd(0.08):
            return dict(like)
        scale = 2 ** self.chance.uniform(-9, -2)
        zero = 0
        if dtype in ZERO_RANGE:
            low, high = ZERO_RANGE[dtype]
            zero = self.chance.randint(low, high)
            if self.odd(0.01):
                zero = self.pick(low - 1, high + 1, 300)
        elif self.odd(0.02):
            zero = self.pick(1, -5, 100)
        return {"perTensor": {"scale": scale, "zeroPoint": zero}}

    def add(self, name: str, dtype: str, dims: list[int], encoding: Json | None = None, **more: Any) -> Json:
        tensor: Json = {"name": name, "dtype": dtype, "dims": dims, **more}
        if encoding is not None and "FIXED" in dtype:
            tensor["encoding"] = encoding
        self.tensors.append(tensor)
        return tensor

    def input(self, dtype: str, dims: list[int], encoding: Json | None = None, **more: Any) -> Json:
        tensor = self.add(f"in{len(self.inputs)}", dtype, dims,
                          encoding if encoding is not None else self.encoding(dtype), **more)
        if self.odd(0.012) and "encoding" in tensor and not more.get("isStatic"):
            count = dims[-1] if dims else 1
            if count > 1:
                tensor["encoding"] = {"perChannel": {"axis": len(dims) - 1, "scales": [0.01] * count,
                                                     "zeroPoints": [0] * count}}
        if self.odd(0.006):
            tensor.pop("encoding", None)
            plain = {"S": "INT", "U": "UINT"}.get(tensor["dtype"][0])
            if plain is not None and "FIXED_POINT" in tensor["dtype"]:
                tensor["dtype"] = f"{plain}_{tensor['dtype'].rsplit('_', 1)[1]}"
        self.inputs.append(tensor["name"])
        return tensor

    def constant(self, values: list[int], dims: list[int] | None = None, dtype: str = "INT_32") -> Json:
        is_static = not self.odd(0.02)
        more = {"isStatic": True, "values": values} if is_static else {}
        tensor = self.add(f"in{len(self.inputs)}", dtype, [len(values)] if dims is None else dims, **more)
        self.inputs.append(tensor["name"])
        return tensor

    def output(self, dtype: str, dims: list[int], like: Json | None = None) -> Json:
        given = like.get("encoding") if like is not None else None
        tensor = self.add(f"out{len(self.outputs)}", dtype, dims, self.encoding(dtype, given))
        self.outputs.append(tensor["name"])
        return tensor

    def model(self) -> Json:
        return {"name": self.op, "dialect": "tflite", "tensors": self.tensors,
                "nodes": [{"name": f"{self.op}_0", "op": self.op, "inputs": self.inputs, "outputs": self.outputs,
                           "params": self.params}]}

    def image(self) -> list[int]:
        batch = self.pick(2, 4) if self.odd(0.04) else -1 if self.odd(0.01) else 1
        side = self.chance.choice(SIDES)
        return [batch, side, side if not self.odd(0.15) else self.chance.choice(SIDES), self.chance.choice(CHANNELS)]

    def shape(self) -> list[int]:
        """Of what any rank is possible for: images mostly, sequences and vectors too."""
        kind = self.chance.random()
        if kind < 0.5:
            return self.image()
        if kind < 0.75:
            return [1, self.chance.choice(WIDTHS)]
        if kind < 0.94:
            return [1, self.chance.choice((1, 16, 49, 128, 197)), self.chance.choice(WIDTHS)]
        if kind < 0.97:
            return [1, self.pick(2, 4), self.pick(4, 8), self.pick(4, 8), self.pick(8, 16)]
        return self.pick([], [16], [1, 70000], [2, 3])

    def activation(self, names: tuple[int, ...] = (0, 1, 3, 2)) -> None:
        number = self.chance.choices(names, (60, 25, 12, 3)[:len(names)])[0]
        self.params["fused_activation_function"] = {"int": number}


def out_side(side: int, kernel: int, stride: int, dilation: int, is_same: bool) -> int:
    if is_same:
        return -(-side // stride)
    return max((side - (kernel - 1) * dilation - 1) // stride + 1, 0)


def unary(draft: Draft) -> None:
    dtype = draft.dtype()
    if draft.op in ("ELU", "LOG", "GELU", "EXP", "RSQRT") and draft.odd(0.5):
        dtype = "SFIXED_POINT_8"
    dims = draft.shape()
    draft.input(dtype, dims)
    other = draft.dtype() if draft.odd(0.03) else dtype
    out = draft.output(other, dims)
    fixed = {"SFIXED_POINT_8": (1 / 256, -128), "UFIXED_POINT_8": (1 / 256, 0), "SFIXED_POINT_16": (1 / 32768, 0)}
    if draft.op in ("SOFTMAX", "LOGISTIC", "TANH", "LOG_SOFTMAX") and other in fixed and not draft.odd(0.15):
        scale, zero = fixed[other]
        if draft.op == "TANH" and other != "SFIXED_POINT_16":
            scale, zero = 1 / 128, 0 if other[0] == "S" else 128
        if draft.op == "LOG_SOFTMAX":
            scale, zero = 16 / 256, 127 if other[0] == "S" else 255
        out["encoding"] = {"perTensor": {"scale": scale, "zeroPoint": zero}}
    if draft.op == "SOFTMAX":
        draft.params["beta"] = {"real": draft.pick(1.0, 1.0, 1.0, 0.5)}
    if draft.op == "LEAKY_RELU":
        draft.params["alpha"] = {"real": draft.pick(0.1, 0.2, 0.01)}


def quantizer(draft: Draft) -> None:
    dims = draft.shape()
    dtypes = [draft.chance.choice(QUANTIZED), draft.chance.choice(QUANTIZED)]
    if draft.odd(0.4):
        dtypes[0 if draft.op == "QUANTIZE" else 1] = "FLOAT_32"
    if draft.op == "DEQUANTIZE":
        dtypes[1] = "FLOAT_32"
    if draft.op == "CAST":
        dtypes = [draft.chance.choice(QUANTIZED + PLAIN) for _ in range(2)]
    draft.input(dtypes[0], dims)
    draft.output(dtypes[1], dims)


def binary(draft: Draft) -> None:
    dtype, dims = draft.dtype(), draft.shape()
    if draft.op.startswith("LOGICAL"):
        dtype = "BOOL_8"
    other = list(dims)
    kind = draft.chance.random()
    if kind < 0.2 and dims:
        other = [1] * (len(dims) - 1) + [dims[-1]]
    elif kind < 0.3:
        other = [1] * len(dims)
    elif kind < 0.36:
        other = dims[-1:]
    elif kind < 0.4:
        other = []
    elif kind < 0.45 and len(dims) == 4:
        other = [1, dims[1], 1, dims[3]]
    first = draft.input(dtype, dims)
    is_static = draft.odd(0.35) and all(dim >= 0 for dim in other)
    second_type = draft.dtype() if draft.odd(0.03) else dtype
    like = draft.encoding(second_type, first.get("encoding")) if draft.op in ("MAXIMUM", "MINIMUM") else None
    draft.input(second_type, other, like, **({"isStatic": True} if is_static else {}))
    if draft.odd(0.1):
        draft.inputs.reverse()
    is_comparison = draft.op in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
    out_type = "BOOL_8" if is_comparison else draft.dtype() if draft.odd(0.03) else dtype
    draft.output(out_type, dims, first if draft.op in ("MAXIMUM", "MINIMUM") else None)
    if draft.op in ("ADD", "SUB", "MUL", "DIV"):
        draft.activation()


def prelu(draft: Draft) -> None:
    dtype, dims = draft.dtype(), draft.image()
    draft.input(dtype, dims)
    draft.input(dtype, [1, 1, dims[3]], isStatic=True)
    draft.output(dtype, dims)


def weights(draft: Draft, x: Json, dims: list[int], axis: int) -> Json:
    dtype = "SFIXED_POINT_8"
    if x["dtype"].startswith("FLOAT"):
        dtype = x["dtype"]
    elif x["dtype"] == "UFIXED_POINT_8":
        dtype = "UFIXED_POINT_8"
    if draft.odd(0.03):
        dtype = draft.pick("SFIXED_POINT_16", "SFIXED_POINT_4", "UFIXED_POINT_8", "SFIXED_POINT_8")
    count = dims[axis]
    scale = 2 ** draft.chance.uniform(-10, -5)
    zero = 0 if dtype[0] == "S" and not draft.odd(0.03) else 128 if dtype[0] == "U" else 3
    if draft.odd(0.6) and dtype[0] == "S":
        encoding: Json = {"perChannel": {"axis": axis, "scales": [scale] * count, "zeroPoints": [zero] * count}}
    else:
        encoding = {"perTensor": {"scale": scale, "zeroPoint": zero}}
    is_static = not draft.odd(0.03)
    tensor = draft.add(f"in{len(draft.inputs)}", dtype, dims, encoding, **({"isStatic": True} if is_static else {}))
    draft.inputs.append(tensor["name"])
    return tensor


def bias(draft: Draft, x: Json, w: Json, count: int) -> None:
    kind = draft.chance.random()
    if kind < 0.06:
        return
    if kind < 0.1:
        draft.inputs.append("")
        return
    is_wide = (x["dtype"] == "SFIXED_POINT_16") != draft.odd(0.05)
    dtype = "FLOAT_32" if x["dtype"].startswith("FLOAT") else "INT_64" if is_wide else "SFIXED_POINT_32"
    if draft.odd(0.02):
        dtype = draft.pick("SFIXED_POINT_16", "FLOAT_32", "SFIXED_POINT_8")
    given = x.get("encoding", {}).get("perTensor")
    encoding: Json | None = None
    if given and "encoding" in w:
        factor = given["scale"] * draft.pick(*[1.0] * 20, 2.0)
        if "perTensor" in w["encoding"]:
            encoding = {"perTensor": {"scale": w["encoding"]["perTensor"]["scale"] * factor, "zeroPoint": 0}}
        else:
            scales = [scale * factor for scale in w["encoding"]["perChannel"]["scales"]]
            if len(scales) == count:
                encoding = {"perChannel": {"axis": 0, "scales": scales, "zeroPoints": [0] * len(scales)}}
    dims = [count]
    if draft.odd(0.02):
        dims = draft.pick([count, 1], [1, count], [count + 1], [1, 1, 1, count])
    more = {} if draft.odd(0.02) else {"isStatic": True}
    tensor = draft.add(f"in{len(draft.inputs)}", dtype, dims, encoding or {"perTensor": {"scale": 0.001,
                                                                                         "zeroPoint": 0}}, **more)
    if "perChannel" in tensor.get("encoding", {}) and dims != [count]:
        tensor["encoding"] = {"perTensor": {"scale": 0.001, "zeroPoint": 0}}
    draft.inputs.append(tensor["name"])


def strides(draft: Draft) -> tuple[int, int]:
    kind = draft.chance.random()
    if kind < 0.8:
        side = draft.pick(1, 1, 2)
        return side, side
    if kind < 0.9:
        return draft.pick((1, 2), (2, 1), (3, 3), (3, 1))
    return draft.pick((4, 4), (4, 1), (1, 4), (8, 8), (5, 2), (4, 3))


def window(draft: Draft, kernel: tuple[int, int], is_pool: bool = False) -> tuple[list[int], tuple[int, int],
                                                                                 tuple[int, int], bool]:
    """Image, strides, dilations, whether the padding is SAME; the kernel fits."""
    while True:
        x, stride, is_same = draft.image(), strides(draft), draft.odd(0.6)
        dilation = (1, 1) if is_pool or not draft.odd(0.1) else draft.pick((2, 2), (4, 4), (1, 2), (6, 6))
        if is_same or all(side >= (k - 1) * d + 1 for side, k, d in zip(x[1:3], kernel, dilation)):
            draft.params |= {"padding": {"int": 0 if is_same else 1}, "stride_h": {"int": stride[0]},
                             "stride_w": {"int": stride[1]}}
            if not is_pool:
                draft.params |= {"dilation_h_factor": {"int": dilation[0]}, "dilation_w_factor": {"int": dilation[1]}}
            return x, stride, dilation, is_same


def convolution(draft: Draft) -> None:
    is_depthwise = draft.op == "DEPTHWISE_CONV_2D"
    kernel = draft.pick((1, 1), (3, 3), (3, 3), (5, 5), (7, 7), (1, 3), (3, 1))
    dims, stride, dilation, is_same = window(draft, kernel)
    x = draft.input(draft.dtype(), dims)
    if is_depthwise:
        multiplier = draft.pick(*[1] * 12, 2, 4)
        channels = dims[3] * multiplier
        w = weights(draft, x, [1, *kernel, channels], 3)
        draft.params["depth_multiplier"] = {"int": multiplier}
    else:
        channels = draft.chance.choice(CHANNELS)
        group = draft.pick(2, 4) if draft.odd(0.03) and dims[3] % 4 == 0 and channels % 4 == 0 else 1
        w = weights(draft, x, [channels, *kernel, dims[3] // group], 0)
    bias(draft, x, w, channels)
    sides = [out_side(dims[i + 1], kernel[i], stride[i], dilation[i], is_same) for i in range(2)]
    draft.output(x["dtype"], [dims[0], *sides, channels])
    draft.activation()


def transposed(draft: Draft) -> None:
    kernel = draft.pick((2, 2), (3, 3), (4, 4), (1, 3), (5, 5))
    x = draft.image()
    x[1:3] = [min(side, 32) for side in x[1:3]]
    stride = strides(draft) if not draft.odd(0.5) else (2, 2)
    is_same = draft.odd(0.6)
    sides = [side * s if is_same else side * s + max(k - s, 0) for side, s, k in zip(x[1:3], stride, kernel)]
    if draft.odd(0.05):
        sides[0] += 1
    channels = draft.chance.choice(CHANNELS)
    draft.constant([abs(x[0]), *sides, channels])
    holder = Draft(draft.chance, draft.op)
    data = holder.input(draft.dtype(), x)
    data["name"] = "in2"
    w = weights(draft, data, [channels, *kernel, x[3]], 0)
    draft.tensors.append(data)
    draft.inputs.append("in2")
    bias(draft, data, w, channels)
    draft.output(data["dtype"], [x[0], *sides, channels])
    draft.params = {"padding": {"int": 0 if is_same else 1}, "stride_h": {"int": stride[0]},
                    "stride_w": {"int": stride[1]}}


def fully_connected(draft: Draft) -> None:
    width, count = draft.chance.choice(WIDTHS), draft.chance.choice(WIDTHS)
    batch = draft.pick([1], [1], [1], [16], [1, 49])
    x = draft.input(draft.dtype(), [*batch, width])
    w = weights(draft, x, [count, width], 0)
    bias(draft, x, w, count)
    keeps = len(batch) > 1
    draft.output(x["dtype"], [*batch, count])
    draft.activation()
    draft.params |= {"keep_num_dims": {"flag": keeps}, "weights_format": {"int": 0}}


def product(draft: Draft) -> None:
    batch = draft.pick([1], [1, 4], [1, 8], [])
    m, k, n = (draft.chance.choice((1, 16, 49, 64, 128)) for _ in range(3))
    dtype = draft.dtype()
    adj_x, adj_y = draft.odd(0.2), draft.odd(0.4)
    draft.input(dtype, [*batch, k, m] if adj_x else [*batch, m, k])
    draft.input(dtype, [*batch, n, k] if adj_y else [*batch, k, n])
    draft.output(dtype, [*batch, m, n])
    draft.params = {"adj_x": {"flag": adj_x}, "adj_y": {"flag": adj_y}}


def pool(draft: Draft) -> None:
    kernel = draft.pick((2, 2), (3, 3), (7, 7), (1, 2), (5, 5), (8, 8), (9, 9), (14, 14))
    dims, stride, _, is_same = window(draft, kernel, True)
    x = draft.input(draft.dtype(), dims)
    sides = [out_side(dims[i + 1], kernel[i], stride[i], 1, is_same) for i in range(2)]
    draft.output(x["dtype"], [dims[0], *sides, dims[3]], x)
    draft.params |= {"filter_height": {"int": kernel[0]}, "filter_width": {"int": kernel[1]}}
    draft.activation()


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


KINDS: dict[Callable[[Draft], None], str] = {
    unary: "ABS EXP LOG NEG RSQRT ELU GELU HARD_SWISH LEAKY_RELU LOGISTIC TANH RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 "
           "SOFTMAX LOG_SOFTMAX SIN COS SQRT SQUARE FLOOR CEIL ROUND L2_NORMALIZATION",
    quantizer: "QUANTIZE DEQUANTIZE CAST",
    binary: "ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE EQUAL NOT_EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL "
            "LOGICAL_AND LOGICAL_OR POW FLOOR_DIV",
    prelu: "PRELU", convolution: "CONV_2D DEPTHWISE_CONV_2D", transposed: "TRANSPOSE_CONV",
    fully_connected: "FULLY_CONNECTED", product: "BATCH_MATMUL", pool: "AVERAGE_POOL_2D MAX_POOL_2D",
    resize: "RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR",
    reduction: "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD ARG_MAX ARG_MIN",
    reshaped: "RESHAPE SQUEEZE EXPAND_DIMS", transpose: "TRANSPOSE", concatenation: "CONCATENATION PACK",
    unpack: "UNPACK", split: "SPLIT SPLIT_V", sliced: "SLICE STRIDED_SLICE", pad: "PAD PADV2 MIRROR_PAD", tile: "TILE",
    gather: "GATHER", reverse: "REVERSE_V2", blocks: "SPACE_TO_DEPTH DEPTH_TO_SPACE", selects: "SELECT SELECT_V2",
    broadcast_to: "BROADCAST_TO",
}
# How often an operator is drawn: those that networks are made of, more often.
COMMON = {"CONV_2D": 5, "DEPTHWISE_CONV_2D": 5, "FULLY_CONNECTED": 4, "ADD": 3, "MUL": 3, "TRANSPOSE_CONV": 2,
          "AVERAGE_POOL_2D": 2, "MAX_POOL_2D": 2, "MEAN": 2, "RESHAPE": 2, "SOFTMAX": 2, "CONCATENATION": 2,
          "RESIZE_BILINEAR": 2, "STRIDED_SLICE": 2, "TRANSPOSE": 2}
OPERATORS: dict[str, Callable[[Draft], None]] = {op: kind for kind, ops in KINDS.items() for op in ops.split()}


def draw(seed: int, op: str | None = None) -> Json:
    """The model of a seed; of this operator, else of one by chance."""
    chance = random.Random(seed)
    name = op or chance.choices(list(OPERATORS), [COMMON.get(each, 1) for each in OPERATORS])[0]
    draft = Draft(chance, name)
    OPERATORS[name](draft)
    return draft.model()
