"""Small QDQ models that ask what a route changes: single ops in good and bad encodings, and nets of
a few nodes, some with a node in the middle that the NPU doesn't get.

models() is deterministic; weights are few repeated values, so that all models together are small.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

# (ONNX type, scale and zero point of [-2.56, 2.54], of [0, 1), of [-1, 1))
ACTIVATIONS = {
    "u8": (T.UINT8, (0.02, 128), (1 / 256, 0), (1 / 128, 128)),
    "s8": (T.INT8, (0.02, 0), (1 / 256, -128), (1 / 128, 0)),
    "u16": (T.UINT16, (0.0001, 32768), (1 / 65536, 0), (1 / 32768, 32768)),
    "s16": (T.INT16, (0.0001, 0), (1 / 65536, -32768), (1 / 32768, 0)),
}
NUMPY = {T.UINT8: np.uint8, T.INT8: np.int8, T.UINT16: np.uint16, T.INT16: np.int16,
         T.INT32: np.int32, T.FLOAT: np.float32, T.INT64: np.int64}

# Stored weights are multiples of this: the same in every tensor, without a period that sums to 0.
PATTERN = np.random.default_rng(20251).integers(-3, 4, 577)


class Net:
    """A chain that is quantized after each op unless reported otherwise."""

    def __init__(self, act: str):
        self.act = act
        self.nodes, self.inits, self.inputs, self.outputs = [], [], [], []
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def const(self, value, dtype) -> str:
        name = self.fresh("c")
        self.inits.append(numpy_helper.from_array(np.asarray(value, NUMPY[dtype]), name))
        return name

    def enc(self, kind="wide", act=None):
        dtype, wide, unit, both = ACTIVATIONS[act or self.act]
        return (dtype, *{"wide": wide, "unit": unit, "both": both,
                         "other": (wide[0] * 2.5, wide[1]), "shifted": (wide[0], wide[1] + 9),
                         "loose": (wide[0] * 0.7, wide[1])}[kind])

    def q(self, tensor: str, enc) -> str:
        dtype, scale, zero = enc
        params = [self.const(scale, T.FLOAT), self.const(zero, dtype)]
        stored, result = self.fresh("q"), self.fresh("dq")
        self.nodes.append(helper.make_node("QuantizeLinear", [tensor, *params], [stored], f"{stored}_Q"))
        self.nodes.append(helper.make_node("DequantizeLinear", [stored, *params], [result], f"{result}_DQ"))
        return result

    def x(self, shape, enc="wide", quantized=True) -> str:
        name = self.fresh("x")
        self.inputs.append(helper.make_tensor_value_info(name, T.FLOAT, shape))
        return self.q(name, self.enc(enc) if isinstance(enc, str) else enc) if quantized else name

    def weight(self, shape, dtype=T.INT8, scale=0.01, zero=0, axis=None) -> str:
        info = np.iinfo(NUMPY[dtype]) if dtype != T.INT32 else np.iinfo(np.int8)
        middle = 0 if dtype in (T.INT8, T.INT16, T.INT32) else (info.max + 1) // 2
        values = middle + np.resize(PATTERN, int(np.prod(shape))) * (info.max // 16 + 1)
        scales = np.full(shape[axis], scale) if axis is not None else scale
        zeros = np.broadcast_to(zero, np.shape(scales))
        params = [self.const(scales, T.FLOAT), self.const(zeros, dtype)]
        result = self.fresh("w")
        attrs = {} if axis is None else {"axis": axis}
        self.nodes.append(helper.make_node("DequantizeLinear", [self.const(values.reshape(shape), dtype), *params],
                                           [result], f"{result}_DQ", **attrs))
        return result

    def op(self, op, inputs, enc="wide", quantized=True, outputs=1, **attrs):
        results = [self.fresh(op.lower() + "_") for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, results[0] + "_n", **attrs))
        if quantized:
            results = [self.q(r, self.enc(enc) if isinstance(enc, str) else enc) for r in results]
        return results[0] if outputs == 1 else results

    def out(self, *tensors):
        for t in tensors:
            self.outputs.append(helper.make_tensor_value_info(t, T.FLOAT, None))
        return self

    def model(self, name: str) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.inits)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return onnx.shape_inference.infer_shapes(model, data_prop=True)


I4, I3, I2 = [1, 8, 8, 8], [1, 8, 16], [4, 16]


def unary(op, kind="wide", shape=I4, x="wide", **attrs):
    def make(n: Net):
        return n.out(n.op(op, [n.x(shape, x)], kind, **attrs))
    return make


def movement(op, shape, more=lambda n: [], kind="wide", **attrs):
    def make(n: Net):
        return n.out(n.op(op, [n.x(shape), *more(n)], kind, **attrs))
    return make


def inner(make_inner):
    """The op in the middle: its output is read by another op and is no graph output."""
    def make(n: Net):
        y = make_inner(n)
        return n.out(n.op("Add", [y, y]))
    return make


def singles():
    ints = lambda *v: lambda n: [n.const(list(v), T.INT64)]
    for kind in ("wide", "other", "shifted"):
        yield f"reshape.{kind}", movement("Reshape", I4, ints(1, 512), kind)
        yield f"transpose.{kind}", movement("Transpose", I4, kind=kind, perm=[0, 2, 3, 1])
        yield f"maxpool.{kind}", movement("MaxPool", I4, kind=kind, kernel_shape=[2, 2], strides=[2, 2])
        yield f"depth_to_space.{kind}", movement("DepthToSpace", I4, kind=kind, blocksize=2)
        yield f"gather.{kind}", movement("Gather", I4, ints(0, 2), kind, axis=1)
        yield f"slice.{kind}", movement("Slice", I4, lambda n: [n.const([0], T.INT64), n.const([4], T.INT64),
                                                                n.const([1], T.INT64)], kind)
        yield f"concat.{kind}", lambda n, k=kind: n.out(n.op("Concat", [n.x(I4), n.x(I4, k)], axis=1))
        yield f"split.{kind}", lambda n, k=kind: n.out(*n.op("Split", [n.x(I4)], k, outputs=2, axis=1,
                                                             num_outputs=2))
        yield f"pad.{kind}", movement("Pad", I4, ints(0, 0, 1, 1, 0, 0, 1, 1), kind)
        yield f"tile.{kind}", movement("Tile", I4, ints(1, 2, 1, 1), kind)
        yield f"resize.{kind}", lambda n, k=kind: n.out(n.op(
            "Resize", [n.x(I4), "", n.const([1, 1, 2, 2], T.FLOAT)], k, mode="nearest",
            coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
        yield f"relu.{kind}", unary("Relu", kind)
        yield f"add.{kind}", lambda n, k=kind: n.out(n.op("Add", [n.x(I4), n.x(I4, k)]))
    for op, good in (("Sigmoid", "unit"), ("Tanh", "both"), ("Softmax", "unit")):
        attrs = {"axis": -1} if op == "Softmax" else {}
        for kind in (good, "wide", "loose"):
            yield f"{op.lower()}.end.{kind}", unary(op, kind, **attrs)
            yield f"{op.lower()}.inner.{kind}", inner(
                lambda n, op=op, kind=kind, attrs=attrs: n.op(op, [n.x(I4)], kind, **attrs))
    yield "softmax.channel", unary("Softmax", "unit", axis=1)
    yield "softmax.zero_point_10", lambda n: n.out(n.op(
        "Softmax", [n.x(I4)], (n.enc()[0], n.enc("unit")[1], n.enc("unit")[2] + 10), axis=-1))
    yield "layernorm.last", lambda n: n.out(n.op("LayerNormalization", [n.x(I3), n.weight([16], T.UINT8, 0.01, 128)], axis=-1))
    yield "layernorm.axis1", lambda n: n.out(n.op("LayerNormalization", [n.x(I3), n.weight([8, 16], T.UINT8, 0.01, 128)], axis=1))
    k3 = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    for form, w in (("s8", (T.INT8, 0.01, 0)), ("u8", (T.UINT8, 0.01, 128)), ("u8_99", (T.UINT8, 0.01, 99)),
                    ("s16", (T.INT16, 0.0001, 0)), ("u16", (T.UINT16, 0.0001, 32768))):
        yield f"conv.{form}", lambda n, w=w: n.out(n.op("Conv", [n.x(I4), n.weight([8, 8, 3, 3], *w)], **k3))
        yield f"gemm.{form}", lambda n, w=w: n.out(n.op("Gemm", [n.x(I2), n.weight([8, 16], *w)], transB=1))
        yield f"matmul.{form}", lambda n, w=w: n.out(n.op("MatMul", [n.x(I3), n.weight([16, 8], *w)]))
    for axis in (0, 1):
        yield f"conv.per_channel{axis}", lambda n, a=axis: n.out(
            n.op("Conv", [n.x(I4), n.weight([8, 8, 3, 3], axis=a)], **k3))
    yield "conv.per_channel_asymmetric", lambda n: n.out(
        n.op("Conv", [n.x(I4), n.weight([8, 8, 3, 3], zero=3, axis=0)], **k3))
    for off in (1, 1.5, 20):
        for axis in (None, 0):
            name = "per_channel" if axis == 0 else "per_tensor"
            yield f"conv.bias_{name}_x{off}", lambda n, o=off, a=axis: n.out(n.op(
                "Conv", [n.x(I4), n.weight([8, 8, 3, 3], axis=a),
                         n.weight([8], T.INT32, n.enc()[1] * 0.01 * o, axis=a)], **k3))
    yield "conv.bias_float", lambda n: n.out(n.op(
        "Conv", [n.x(I4), n.weight([8, 8, 3, 3]), n.const(np.arange(8) / 8, T.FLOAT)], **k3))
    for other in ACTIVATIONS:
        yield f"conv.out_{other}", lambda n, o=other: n.out(
            n.op("Conv", [n.x(I4), n.weight([8, 8, 3, 3])], n.enc(act=o), **k3))
        yield f"add.with_{other}", lambda n, o=other: n.out(n.op("Add", [n.x(I4), n.x(I4, n.enc(act=o))]))
        yield f"matmul.dynamic_{other}", lambda n, o=other: n.out(
            n.op("MatMul", [n.x(I3), n.x([1, 16, 8], n.enc(act=o))]))
    yield "matmul.inner_dynamic", lambda n: n.out(n.op("MatMul", [
        n.op("Relu", [n.x(I3)]), n.op("Relu", [n.x([1, 16, 8])])]))
    yield "conv.relu_folded", lambda n: n.out(n.op("Relu", [n.op(
        "Conv", [n.x(I4), n.weight([8, 8, 3, 3])], quantized=False, **k3)],
        (n.enc()[0], n.enc("unit")[1] * 4, n.enc("unit")[2])))
    yield "conv.relu_kept", lambda n: n.out(n.op("Relu", [n.op(
        "Conv", [n.x(I4), n.weight([8, 8, 3, 3])], quantized=False, **k3)]))
    yield "add.half", lambda n: n.out(n.op("Add", [n.x(I4), n.x(I4, quantized=False)]))
    yield "mul.no_q_behind", lambda n: n.out(n.op("Relu", [n.op("Mul", [n.x(I4), n.x(I4)], quantized=False)]))
    yield "gemm.scale_0", lambda n: n.out(n.op("Gemm", [n.x(I2), n.weight([8, 16])], (n.enc()[0], 0.0, 0), transB=1))
    yield "depth_to_space.crd", movement("DepthToSpace", I4, blocksize=2, mode="CRD")
    for op in ("Gelu", "HardSwish", "Elu", "Exp", "Erf", "Neg", "Abs"):
        yield op.lower(), unary(op)
    for op in ("ReduceMean", "ReduceProd", "ReduceMax"):
        yield op.lower(), movement(op, I4, ints(2, 3))


def conv(n, x, cin=8, cout=8, k=3, act=True, **attrs):
    y = n.op("Conv", [x, n.weight([cout, cin // attrs.get("group", 1), k, k], axis=0)],
             quantized=not act, kernel_shape=[k, k], pads=[k // 2] * 4, **attrs)
    return n.op("Relu", [y], (n.enc()[0], n.enc("unit")[1] * 4, n.enc("unit")[2])) if act else y


def linear(n, x, cin=16, cout=16):
    return n.op("MatMul", [x, n.weight([cin, cout], scale=0.004)])


def shape(n, x, *dims):
    return n.op("Reshape", [x, n.const(list(dims), T.INT64)])


def attention(n, x, past=None):
    q, k, v = (n.op("Transpose", [shape(n, linear(n, x), 1, 8, 2, 8)], perm=[0, 2, 1, 3]) for _ in range(3))
    if past:
        k, v = (n.op("Concat", [n.x([1, 2, 4, 8]), t], axis=2) for t in (k, v))
    scores = n.op("MatMul", [q, n.op("Transpose", [k], perm=[0, 1, 3, 2])])
    p = n.op("Softmax", [scores], "unit", axis=-1)
    y = n.op("Transpose", [n.op("MatMul", [p, v])], perm=[0, 2, 1, 3])
    return linear(n, shape(n, y, 1, 8, 16))


def norm(n, x):
    return n.op("LayerNormalization", [x, n.weight([16], T.UINT8, 0.01, 0)], axis=-1)


def exclude(n, x, how):
    """A node in the way: in float, refused, unknown to the NPU; nothing with `none`."""
    if how == "float":
        return n.q(n.op("Exp", [n.op("Neg", [x], quantized=False)], quantized=False), n.enc())
    if how == "erf":
        return n.op("Erf", [x])
    if how == "det":
        return n.op("Hardmax", [x], axis=-1)
    return x


EXCLUDED = ("none", "float", "erf", "det")


def nets():
    for how in EXCLUDED:
        def cnn(n, how=how):
            y = exclude(n, conv(n, conv(n, n.x(I4)), group=8), how)
            y = n.op("GlobalAveragePool", [conv(n, y)])
            return n.out(n.op("Gemm", [shape(n, y, 1, 8), n.weight([4, 8])], transB=1))

        def residual(n, how=how):
            x = conv(n, n.x(I4))
            y = exclude(n, conv(n, x), how)
            return n.out(conv(n, n.op("Add", [x, conv(n, y, act=False)])))

        def branches(n, how=how):
            x = conv(n, n.x(I4))
            return n.out(conv(n, exclude(n, x, how)), conv(n, x), exclude(n, conv(n, x), how))

        def vit(n, how=how):
            y = n.op("Conv", [n.x([1, 3, 8, 8]), n.weight([16, 3, 4, 4], axis=0)], kernel_shape=[4, 4], strides=[2, 4],
                     pads=[1, 0, 1, 0])
            y = n.op("Transpose", [shape(n, y, 1, 16, 8)], perm=[0, 2, 1])
            y = n.op("Add", [y, attention(n, norm(n, y))])
            return n.out(n.op("Add", [y, linear(n, exclude(n, linear(n, norm(n, y)), how))]))

        def transformer(n, how=how):
            x = n.x(I3)
            y = n.op("Add", [x, attention(n, x)])
            return n.out(norm(n, n.op("Add", [y, linear(n, exclude(n, n.op("Gelu", [linear(n, y)]), how))])))

        def kv_cache(n, how=how):
            return n.out(exclude(n, attention(n, n.x(I3), past=True), how))

        def swiglu(n, how=how):
            x = n.x(I3)
            g = linear(n, x)
            y = n.op("Mul", [n.op("Mul", [g, n.op("Sigmoid", [g], "unit")]), linear(n, x)])
            return n.out(linear(n, exclude(n, y, how)))

        def decoder(n, how=how):
            y = exclude(n, conv(n, n.x(I4)), how)
            y = n.op("Resize", [y, "", n.const([1, 1, 2, 2], T.FLOAT)], mode="nearest",
                     coordinate_transformation_mode="asymmetric", nearest_mode="floor")
            y = n.op("ConvTranspose", [conv(n, y), n.weight([8, 8, 2, 2])], kernel_shape=[2, 2], strides=[2, 2])
            return n.out(n.op("Sigmoid", [y], "unit"))

        def heads(n, how=how):
            x = n.x(I3)
            a, b = linear(n, x), exclude(n, x, how)
            c = exclude(n, n.op("Add", [a, b]), how)
            return n.out(n.op("Mul", [c, linear(n, c)]))

        for make in (cnn, residual, branches, vit, transformer, kv_cache, swiglu, decoder, heads):
            yield f"net.{make.__name__}.{how}", make


def models():
    """(name, model), in a fixed order."""
    for act in ACTIVATIONS:
        for name, make in singles():
            if act in ("u8", "u16") or not name.endswith(".shifted"):
                yield f"{name}.{act}", make(Net(act)).model(f"{name}.{act}")
    for act in ("u8", "u16"):
        for name, make in nets():
            yield f"{name}.{act}", make(Net(act)).model(f"{name}.{act}")
