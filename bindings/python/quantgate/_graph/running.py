"""Runs a quantized ONNX model on the CPU, with what is inside as outputs. Imports nothing of quantgate."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx
import onnxruntime

QDQ = ("QuantizeLinear", "DequantizeLinear")


def run_on_cpu(model: bytes | str, feeds: dict[str, np.ndarray], threads: int = 0) -> dict[str, np.ndarray]:
    """The outputs of the model as written: nothing is fused. `threads`: 0 is one a core."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})))


def with_outputs(model: onnx.ModelProto, names: Iterable[str]) -> bytes:
    """The model, serialized, with these tensors as outputs behind its own, in this order."""
    tapped = onnx.ModelProto()
    tapped.CopyFrom(model)
    there = {o.name for o in tapped.graph.output}
    tapped.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name)
                               for name in dict.fromkeys(names) if name not in there)
    return bytes(tapped.SerializeToString())


def makers(model: onnx.ModelProto) -> dict[str, str]:
    """{dequantized activation: the op behind it}, in the order of the graph."""
    producer = {name: node for node in model.graph.node for name in node.output if name}
    result = {}
    for node in model.graph.node:
        quantize = producer.get(node.input[0]) if node.op_type == "DequantizeLinear" else None
        if quantize is None or quantize.op_type != "QuantizeLinear":
            continue
        op = producer.get(quantize.input[0])
        while op is not None and op.op_type in QDQ:
            op = producer.get(op.input[0])
        if op is not None and op.op_type != "Constant":
            result[node.output[0]] = op.name
    return result
