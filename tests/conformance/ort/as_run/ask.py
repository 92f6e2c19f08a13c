#!/usr/bin/env python3
"""Asks ONNX Runtime's QNN provider what runs of small models.

    ask.py ARCH[-default] MODEL.onnx...

One architecture per process. Prints a JSON line a model: {"model", "session", "units", "partitions",
"graph", "error"}: `units` {node: taken | refused, ~ = not judged}, `float` the units seen as one
node, `partitions` of each graph that went to the NPU the number of nodes besides Q and DQ, `graph` {QNN op: count} and
`tensors` {QNN tensor: [data type, scale, offset]} from the graphs that the provider
dumps, `error` the largest difference to the CPU provider as a part of the range of its values,
`step` what one step of each input changes on the CPU provider.

ARCH-default: with the provider's default options: the Q and DQ at the graph's ends stay outside.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import ask_provider  # noqa: E402


def dumped(folder: Path) -> tuple[dict, dict]:
    """Op counts, and encodings of the tensors, of all graphs dumped into a folder."""
    ops: Counter[str] = Counter()
    tensors = {}
    for path in sorted(folder.glob("*.json")):
        graph = json.loads(path.read_text()).get("graph")
        if graph is None:  # a log beside it
            continue
        for node in graph["nodes"].values():
            ops[node["type"]] += 1
        for name, t in graph["tensors"].items():
            so = t.get("quant_params", {}).get("scale_offset")
            tensors[name] = [t["data_type"], so["scale"], so["offset"]] if so else [t["data_type"]]
    return dict(sorted(ops.items())), tensors


def inputs(graph: onnx.GraphProto) -> tuple[dict, dict]:
    """Values all over the range of the inputs' encodings, and others that are a step beside them.

    They lie on the steps, so that the rounding of a border isn't taken for what the ops compute.
    """
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    encoding = {n.input[0]: [values[name] for name in n.input[1:3]] for n in graph.node
                if n.op_type == "QuantizeLinear" and all(name in values for name in n.input[1:3])}
    rng = np.random.default_rng(7)
    feeds, beside = {}, {}
    for i in graph.input:
        x = rng.uniform(-2.5, 2.5, [d.dim_value for d in i.type.tensor_type.shape.dim]).astype(np.float32)
        other = x
        scale, zero = encoding.get(i.name, (None, None))
        if scale is not None and scale > 0:
            limits = np.iinfo(zero.dtype)
            stored = np.clip(np.rint(x / scale) + zero, limits.min, limits.max)
            moved = np.clip(stored + rng.choice([-1, 1], x.shape), limits.min, limits.max)
            x, other = (((s - zero) * scale).astype(np.float32) for s in (stored, moved))
        feeds[i.name], beside[i.name] = x, other
    return feeds, beside


def farthest(want: list, got: list) -> float:
    """The largest difference, as a part of the range of the wanted values."""
    worst = 0.0
    for a, b in zip(want, got):
        a, b = a.astype(np.float64), b.astype(np.float64)
        span = float(a.max() - a.min())
        off = float(np.abs(a - b).max()) if np.isfinite(b).all() else np.inf
        worst = max(worst, off / span if span > 0 else float(off > 0))
    return round(worst, 5) if np.isfinite(worst) else 1e9


LARGEST_RUN = 16 << 10  # bytes


class Asker(ask_provider.Asker):
    def use_default_options(self) -> None:
        for name in ("enable_htp_fp16_precision", "offload_graph_io_quantization"):
            self._provider_options.pop(name)

    def differences(self, session, model: str) -> tuple[float, float]:
        """Of the session to the CPU provider, and of the CPU provider to itself where every input is
        a step of its encoding away: no more can be asked of the numbers."""
        cpu = self._ort.InferenceSession(model, providers=["CPUExecutionProvider"])
        feeds, beside = inputs(onnx.load(model).graph)
        want = cpu.run(None, feeds)
        return farthest(want, session.run(None, feeds)), farthest(want, cpu.run(None, beside))

    def ask(self, model: str, run: bool = True) -> dict:
        options = self._ort.SessionOptions()
        options.log_severity_level = 0
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        with tempfile.TemporaryDirectory() as tmp:
            options.add_provider_for_devices(
                [self._device], self._provider_options | {"dump_json_qnn_graph": "1", "json_qnn_graph_dir": tmp})
            session, error, off, step, partitions = None, "", None, None, []
            with ask_provider.CapturedOutput() as captured:
                try:
                    session = self._ort.InferenceSession(model, options)
                except Exception as e:  # the bindings raise many types, all with the text in str()
                    error = str(e)
                if session is not None and run:
                    try:
                        off, step = self.differences(session, model)
                    except Exception as e:
                        error = f"run: {e}"
            units = ask_provider.parse_units(captured.text)
            on_npu = set()
            if session is not None:
                for part in session.get_provider_graph_assignment_info():
                    names = [n.name for n in part.get_nodes()]
                    if part.ep_name == ask_provider.PROVIDER:
                        partitions.append(sum(not re.search(r"_D?Q$|^(Q|Deq)uantizeLinear", n) for n in names))
                        on_npu.update(names)
                    else:
                        for name in names:
                            if name in units:
                                units[name]["verdict"] = "refused"
            ops, tensors = dumped(Path(tmp))
        del session
        gc.collect()
        state = "run_fails" if error.startswith("run: ") else ask_provider.session_state(error)
        return {"model": Path(model).stem, "session": state, "message": re.sub(r"\s+", " ", error)[:200],
                "units": {n: u["verdict"] for n, u in sorted(units.items())},
                "float": sorted(n for n, u in units.items() if u["size"] == 1 and u["verdict"] == "taken"
                                and u["op"] not in ("QuantizeLinear", "DequantizeLinear")),
                "partitions": partitions, "graph": ops, "tensors": tensors, "error": off, "step": step}


def main() -> int:
    arch, _, options = sys.argv[1].partition("-")
    asker = Asker(arch)
    if options == "default":
        asker.use_default_options()
    for model in sys.argv[2:]:
        # What is not one of the small models takes minutes on the emulator.
        small = Path(model).stat().st_size < LARGEST_RUN
        print(json.dumps(asker.ask(model, small)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
