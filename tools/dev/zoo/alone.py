#!/usr/bin/env python3
"""Runs the ops of a model alone on the provider: alone.py ARCH MODEL.onnx INPUTS.npz ANSWERS.jsonl LOG SKIP.

Each op is cut out with the Q and DQ around it and given what it gets in the model on the CPU; the
CPU's result is what is wanted. A line an op: {"node", "state", "off", "steps"}: the largest
difference as a part of the range of the result, and in steps of its encoding. An op that the
provider doesn't run has the state of its session. Equal ops (attributes, shapes, encodings) are run
once. The first SKIP ops are left out: those before one that crashed.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import ask
import numpy as np
import onnx
import onnxruntime
import reference
from measures import with_outputs
from onnx import numpy_helper

sys.path.insert(0, str(ask.ROOT / "tests" / "conformance" / "ort"))
import ask_provider  # noqa: E402
import units  # noqa: E402

SKIPPED = {*units.QDQ, "Constant", "Identity", "Shape", "Cast"}


def shaped(model: onnx.ModelProto, given: dict) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The model with the type of every tensor, and their values, from a run."""
    values = given | reference.run(with_outputs(model, [o for n in model.graph.node for o in n.output if o]), given)
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.value_info[:]
    ends = {o.name for o in model.graph.output} | set(given)
    result.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in values.items() if name not in ends)
    return result, values


def signature(cut: onnx.ModelProto) -> bytes:
    """Equal for ops that differ in their tensors' names only."""
    names: dict[str, str] = {}

    def short(name: str) -> str:
        return names.setdefault(name, f"t{len(names)}") if name else ""

    parts = []
    constants = {i.name: i for i in cut.graph.initializer}
    for node in cut.graph.node:
        parts.append(node.op_type.encode() + b"".join(a.SerializeToString() for a in node.attribute))
        for name in (*node.input, *node.output):
            parts.append(short(name).encode())
            if name in constants:
                c = constants[name]
                small = numpy_helper.to_array(c).tobytes() if np.prod(c.dims) <= 64 else b""
                parts.append(str((c.data_type, list(c.dims))).encode() + small)
    for value in (*cut.graph.input, *cut.graph.output):
        parts.append(value.type.SerializeToString())
    return b"|".join(parts)


def scales(cut: onnx.ModelProto) -> dict[str, float]:
    """The step of each output's encoding, where it has one."""
    constants = {i.name: i for i in cut.graph.initializer}
    ends = {o.name for o in cut.graph.output}
    return {n.output[0]: float(np.max(numpy_helper.to_array(constants[n.input[1]])))
            for n in cut.graph.node if n.op_type == "DequantizeLinear" and n.output[0] in ends
            and n.input[1] in constants}


def on_steps(cut: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inputs on the steps of their encodings: what the border rounds and clips isn't the op's doing."""
    constants = {i.name: numpy_helper.to_array(i) for i in cut.graph.initializer}
    result = dict(feeds)
    for node in cut.graph.node:
        name = node.input[0] if node.op_type == "QuantizeLinear" else ""
        if name in result and constants[node.input[1]].size == 1:
            scale, zero = constants[node.input[1]], constants[node.input[2]]
            limits = np.iinfo(zero.dtype)
            stored = np.clip(np.rint(feeds[name] / scale) + zero, limits.min, limits.max)
            result[name] = ((stored - zero) * scale).astype(np.float32)
    return result


class Alone(ask_provider.Asker):
    def __init__(self, arch: str, log: Path):
        super().__init__(arch)
        self._provider_options["enable_fallback"] = "0"
        self._log = log

    def run(self, cut: bytes, feeds: dict, strict: bool = True) -> tuple[str, list]:
        options = self._ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        if strict:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([self._device], self._provider_options)
        session, state, result = None, "ok", []
        with ask.Log(self._log):
            try:
                session = self._ort.InferenceSession(cut, options)
                result = session.run(None, feeds)
            except Exception as e:
                text = str(e)
                state = "on_cpu" if "fallback" in text else ask_provider.session_state(text)
                if session is not None:
                    state = "run_fails"
        del session
        gc.collect()
        return state, result


def compared(cut: onnx.ModelProto, got: list, want: dict) -> dict:
    steps, worst = scales(cut), {"off": 0.0, "steps": None}
    for (name, value), mine in zip(want.items(), got):
        if not np.issubdtype(value.dtype, np.floating) or not value.size:
            continue
        error = np.abs(mine.astype(np.float64) - value)
        most = float(error.max()) if np.isfinite(error).all() else 1e9
        # Of one number, or many that are the same, the number itself stands for the range.
        span = float(value.max() - value.min()) or float(np.abs(value).max())
        off = most / span if span > 0 else float(most > 0)
        if off >= worst["off"]:
            worst = {"off": round(min(off, 1e6), 5),
                     "steps": round(min(most / steps[name], 1e9), 2) if name in steps else None}
    return worst


def main() -> int:
    arch, path, inputs, answers, log, skip = sys.argv[1:]
    model, values = shaped(onnx.load(path), dict(np.load(inputs)))
    cutter = units.Cutter(model)
    cuts: dict[str, onnx.ModelProto] = {}
    for name, node in cutter.nodes.items():
        if node.op_type in SKIPPED:
            continue
        cut = cutter.cut(name)
        # An op in float around which nothing is quantized isn't what is asked about here.
        if cut.graph.input and any(n.op_type in units.QDQ for n in cut.graph.node):
            cuts[name] = cut
    asker, seen = Alone(arch, Path(log)), {}
    with open(answers, "a") as file:
        for i, (name, cut) in enumerate(cuts.items()):
            key = signature(cut)
            if key in seen or i < int(skip):
                seen.setdefault(key, name)
                continue
            seen[key] = name
            feeds = on_steps(cut, {j.name: values[j.name] for j in cut.graph.input})
            data = cut.SerializeToString()
            answer = {"node": name, "op": cutter.nodes[name].op_type, "index": i, "state": "ok", "off": None,
                      "steps": None}
            file.write(json.dumps({"start": i, "node": name}) + "\n")
            file.flush()
            try:
                want = reference.run(data, feeds)
            except Exception:  # what the CPU can't run alone
                continue
            answer["state"], got = asker.run(data, feeds)
            if answer["state"] == "ok":
                answer |= compared(cut, got, want)
            file.write(json.dumps(answer) + "\n")
            file.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
