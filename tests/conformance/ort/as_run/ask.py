#!/usr/bin/env python3
"""Asks ONNX Runtime's QNN provider what runs of small models.

    ask.py ARCH MODEL.onnx...

One architecture per process. Prints a JSON line a model: {"model", "session", "units", "pieces",
"graph", "error"}: `units` {node: taken | refused, ~ = not judged}, `float` the units seen as one
node, `pieces` of each graph that went to the NPU the number of nodes besides Q and DQ, `graph` {QNN op: count} and
`tensors` {QNN tensor: [data type, scale, offset]} from the graphs that the provider
dumps, `error` the largest difference to the CPU provider as a part of the range of its values.
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


class Asker(ask_provider.Asker):
    def difference(self, session, model: str) -> float | None:
        """On inputs all over the range of their encodings."""
        cpu = self._ort.InferenceSession(model, providers=["CPUExecutionProvider"])
        rng = np.random.default_rng(7)
        feeds = {i.name: rng.uniform(-2.5, 2.5, i.shape).astype(np.float32) for i in cpu.get_inputs()}
        worst = 0.0
        for want, got in zip(cpu.run(None, feeds), session.run(None, feeds)):
            span = float(want.max() - want.min())
            off = float(np.abs(want - got).max()) if np.isfinite(got).all() else np.inf
            worst = max(worst, off / span if span > 0 else float(off > 0))
        return round(worst, 5) if np.isfinite(worst) else 1e9

    def ask(self, model: str) -> dict:
        options = self._ort.SessionOptions()
        options.log_severity_level = 0
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        with tempfile.TemporaryDirectory() as tmp:
            options.add_provider_for_devices(
                [self._device], self._provider_options | {"dump_json_qnn_graph": "1", "json_qnn_graph_dir": tmp})
            session, error, off, pieces = None, "", None, []
            with ask_provider.CapturedOutput() as captured:
                try:
                    session = self._ort.InferenceSession(model, options)
                except Exception as e:  # the bindings raise many types, all with the text in str()
                    error = str(e)
                if session is not None:
                    try:
                        off = self.difference(session, model)
                    except Exception as e:
                        error = f"run: {e}"
            units = ask_provider.parse_units(captured.text)
            on_npu = set()
            if session is not None:
                for part in session.get_provider_graph_assignment_info():
                    names = [n.name for n in part.get_nodes()]
                    if part.ep_name == ask_provider.PROVIDER:
                        pieces.append(sum(not re.search(r"_D?Q$|^(Q|Deq)uantizeLinear", n) for n in names))
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
                "pieces": pieces, "graph": ops, "tensors": tensors, "error": off}


def main() -> int:
    asker = Asker(sys.argv[1])
    for model in sys.argv[2:]:
        print(json.dumps(asker.ask(model)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
