"""Operators with weights or windows: convolutions, matrix products, pools."""
from __future__ import annotations

from tools.dev.tflite.draft import CHANNELS, WIDTHS, Draft, Json


def out_side(side: int, kernel: int, stride: int, dilation: int, is_same: bool) -> int:
    if is_same:
        return -(-side // stride)
    return max((side - (kernel - 1) * dilation - 1) // stride + 1, 0)


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
