"""Transformer blocks as ONNX models, quantized by ONNX Runtime's own QNN configuration, with nodes
left in float. Weights are drawn with a seed.

The ViT block has the shapes of DINOv2 (small) with registers: 384 channels, 6 heads; 1028 tokens are
a picture of 448x448 with 4 registers and no class token, 257 tokens one of 224x224. The decoder block
is a Llama block with grouped queries and a KV cache that comes in and goes out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20


class Graph:
    def __init__(self, seed: int = 1):
        self.nodes, self.initializers = [], []
        self.rng = np.random.default_rng(seed)

    def weight(self, name: str, *shape: int, scale: float | None = None, around: float = 0.0) -> str:
        scale = scale or 1 / np.sqrt(shape[0])
        return self.constant(name, (around + scale * self.rng.standard_normal(shape)).astype(np.float32))

    def constant(self, name: str, value) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, op: str, name: str, *inputs: str, outputs=None, **attributes) -> str:
        outputs = outputs or [name + "_out"]
        self.nodes.append(helper.make_node(op, list(inputs), outputs, name=name, **attributes))
        return outputs[0]

    def linear(self, name: str, x: str, inputs: int, outputs: int) -> str:
        y = self.add("MatMul", name + ".matmul", x, self.weight(name + ".weight", inputs, outputs))
        return self.add("Add", name + ".bias_add", y, self.weight(name + ".bias", outputs, scale=0.1))

    def model(self, inputs: dict, outputs: dict) -> onnx.ModelProto:
        def info(ends):
            return [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in ends.items()]

        graph = helper.make_graph(self.nodes, "net", info(inputs), info(outputs), self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model, full_check=True)
        return model


def norm(g: Graph, name: str, x: str, width: int) -> str:
    return g.add("LayerNormalization", name, x, g.weight(name + ".weight", width, scale=0.2, around=1),
                 g.weight(name + ".bias", width, scale=0.1), axis=-1, epsilon=1e-6)


def vit_block(batch: int, tokens: int, width: int = 384, heads: int = 6) -> onnx.ModelProto:
    """One encoder block with layer scale; nodes of the attention are called attn.*."""
    g = Graph()
    head = width // heads
    split = g.constant("split", np.array([batch, tokens, heads, head], np.int64))
    merge = g.constant("merge", np.array([batch, tokens, width], np.int64))
    x = norm(g, "norm1", "x", width)
    parts = {}
    for part in "qkv":
        y = g.linear(f"attn.{part}", x, width, width)
        y = g.add("Reshape", f"attn.{part}_split", y, split)
        perm = [0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]
        parts[part] = g.add("Transpose", f"attn.{part}_heads", y, perm=perm)
    y = g.add("MatMul", "attn.scores", parts["q"], parts["k"])
    y = g.add("Mul", "attn.scale", y, g.constant("attn.factor", np.float32(head ** -0.5)))
    y = g.add("Softmax", "attn.softmax", y, axis=-1)
    y = g.add("MatMul", "attn.mix", y, parts["v"])
    y = g.add("Transpose", "attn.tokens", y, perm=[0, 2, 1, 3])
    y = g.add("Reshape", "attn.merge", y, merge)
    y = g.linear("attn.proj", y, width, width)
    y = g.add("Mul", "scale1", y, g.weight("scale1.gamma", width, scale=0.1, around=0.5))
    x = g.add("Add", "add1", "x", y)
    y = norm(g, "norm2", x, width)
    y = g.linear("mlp.fc1", y, width, 4 * width)
    y = g.add("Gelu", "mlp.gelu", y)
    y = g.linear("mlp.fc2", y, 4 * width, width)
    y = g.add("Mul", "scale2", y, g.weight("scale2.gamma", width, scale=0.1, around=0.5))
    g.add("Add", "add2", x, y, outputs=["y"])
    shape = [batch, tokens, width]
    return g.model({"x": shape}, {"y": shape})


def llama_block(context: int = 256, width: int = 256, heads: int = 4, groups: int = 2) -> onnx.ModelProto:
    """One token through a decoder block: `past_*` and the new entry make `present_*` (Concat)."""
    g = Graph()
    head = width // heads
    past = context - 1

    def rms(name: str, x: str) -> str:
        y = g.add("Mul", name + ".square", x, x)
        y = g.add("ReduceMean", name + ".mean", y, g.constant(name + ".axes", np.array([-1], np.int64)))
        y = g.add("Add", name + ".eps", y, g.constant(name + ".epsilon", np.float32(1e-5)))
        y = g.add("Sqrt", name + ".root", y)
        y = g.add("Div", name + ".div", x, y)
        return g.add("Mul", name + ".gamma", y, g.weight(name + ".weight", width, scale=0.1, around=1))

    x = rms("norm1", "x")
    q = g.add("MatMul", "attn.q", x, g.weight("wq", width, width))
    q = g.add("Reshape", "attn.q_split", q, g.constant("q_shape", np.array([1, groups, heads // groups, head], np.int64)))
    ends = {}
    for part in ("key", "value"):
        y = g.add("MatMul", f"attn.{part}", x, g.weight(f"w_{part}", width, groups * head))
        y = g.add("Reshape", f"attn.{part}_split", y, g.constant(f"{part}_shape", np.array([1, groups, 1, head], np.int64)))
        ends[part] = g.add("Concat", f"attn.{part}_cache", f"past_{part}", y, axis=2, outputs=[f"present_{part}"])
    k = g.add("Transpose", "attn.k_turn", ends["key"], perm=[0, 1, 3, 2])
    y = g.add("MatMul", "attn.scores", q, k)
    y = g.add("Mul", "attn.scale", y, g.constant("attn.factor", np.float32(head ** -0.5)))
    y = g.add("Add", "attn.mask_add", y, "mask")
    y = g.add("Softmax", "attn.softmax", y, axis=-1)
    y = g.add("MatMul", "attn.mix", y, ends["value"])
    y = g.add("Reshape", "attn.merge", y, g.constant("merge", np.array([1, 1, width], np.int64)))
    y = g.add("MatMul", "attn.proj", y, g.weight("wo", width, width))
    x = g.add("Add", "add1", "x", y)
    y = rms("norm2", x)
    up = g.add("MatMul", "mlp.up", y, g.weight("w_up", width, 2 * width))
    gate = g.add("MatMul", "mlp.gate", y, g.weight("w_gate", width, 2 * width))
    silu = g.add("Mul", "mlp.silu", gate, g.add("Sigmoid", "mlp.sigmoid", gate))
    y = g.add("Mul", "mlp.product", silu, up)
    y = g.add("MatMul", "mlp.down", y, g.weight("w_down", 2 * width, width))
    g.add("Add", "add2", x, y, outputs=["y"])
    cache = [1, groups, past, head]
    full = [1, groups, context, head]
    return g.model({"x": [1, 1, width], "past_key": cache, "past_value": cache, "mask": [1, 1, 1, context]},
                   {"y": [1, 1, width], "present_key": full, "present_value": full})


def feeds(model: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    result = {}
    for end in model.graph.input:
        shape = [d.dim_value for d in end.type.tensor_type.shape.dim]
        if end.name == "mask":
            result[end.name] = np.where(np.arange(shape[-1]) < shape[-1] // 4, -50, 0).astype(np.float32).reshape(shape)
        else:
            result[end.name] = rng.standard_normal(shape).astype(np.float32)
    return result


class Calibration:
    def __init__(self, model: onnx.ModelProto, count: int = 2):
        self._items = iter([feeds(model, seed) for seed in range(count)])

    def get_next(self):
        return next(self._items, None)

    def set_range(self, *_):
        pass


def quantize(model: onnx.ModelProto, folder: Path, bits: int, excluded=()) -> onnx.ModelProto:
    """8-bit weights and `bits`-bit activations; nodes of `excluded` (names or prefixes ending in a dot)
    stay in float, with the tensors they make: as a simulation leaves them whose output quantizers are
    taken away. Their inputs stay as their makers leave them."""
    from onnxruntime.quantization import QuantType, quantize as run
    from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

    raw, prepared, out = (folder / n for n in ("raw.onnx", "prepared.onnx", "out.onnx"))
    onnx.save(model, raw)
    changed = qnn_preprocess_model(str(raw), str(prepared))
    source = prepared if changed else raw
    config = get_qnn_qdq_config(
        str(source), Calibration(model),
        activation_type=QuantType.QUInt16 if bits == 16 else QuantType.QUInt8, weight_type=QuantType.QUInt8)
    names = [n.name for n in onnx.load(source).graph.node]
    config.nodes_to_exclude = [n for n in names if any(n == e or (e.endswith(".") and n.startswith(e))
                                                      for e in excluded)]
    run(str(source), str(out), config)
    return without_output_pairs(onnx.load(out), set(config.nodes_to_exclude))


def without_output_pairs(model: onnx.ModelProto, names: set[str]) -> onnx.ModelProto:
    """Readers of what these nodes make read it itself, and not through a Q and DQ."""
    made = {o for n in model.graph.node if n.name in names for o in n.output}
    quantized = {n.output[0]: n.input[0] for n in model.graph.node
                 if n.op_type == "QuantizeLinear" and n.input[0] in made}
    renamed = {n.output[0]: quantized[n.input[0]] for n in model.graph.node
               if n.op_type == "DequantizeLinear" and n.input[0] in quantized}
    ends = {o.name for o in model.graph.output}
    for node in model.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = renamed.get(name, name)
    gone = [n for n in model.graph.node if n.output[0] in quantized or n.output[0] in renamed.keys() - ends]
    for node in gone:
        model.graph.node.remove(node)
    return model
