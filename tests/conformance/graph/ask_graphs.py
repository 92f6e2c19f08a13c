#!/usr/bin/env python3
"""Asks ONNX Runtime's QNN provider what it makes of the models of models.py, and records it.

    ask_graphs.py ARCH [PART-OF-A-NAME...]

Each model is made, put to the provider and run in a child process of its own; the answer goes into
recorded/ARCH.json: session, nodes on the CPU, units in float, QNN ops, and per output how far the
numbers are off those of the CPU provider without its optimizations, as a part of their range: `most`
the largest, `typical` what 99.9 % of the elements stay below. Needs onnxruntime, onnxruntime-qnn and
onnx (tests/conformance/ort/requirements.txt).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ort"))
sys.path.insert(0, str(HERE.parent / "ort" / "as_run"))
TIMEOUT_S = 900


def off(session, path: str) -> dict:
    import numpy as np
    import onnx
    import onnxruntime
    from nets import feeds

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    cpu = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    given = feeds(onnx.load(path), 5)
    result = {}
    for end, want, got in zip(cpu.get_outputs(), cpu.run(None, given), session.run(None, given)):
        span = float(want.max() - want.min())
        error = np.abs(want - np.nan_to_num(got, nan=1e9)) / span
        result[end.name] = {"most": round(float(error.max()), 4), "typical": round(float(np.quantile(error, 0.999)), 4)}
    return result


def child(arch: str, name: str) -> None:
    import onnx
    from ask import Asker as Base  # as_run/ask.py
    from models import make

    class Asker(Base):
        def difference(self, session, model):
            return off(session, model)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(make(name), path)
        print(json.dumps(Asker(arch).ask(str(path))))


def answer(arch: str, name: str) -> dict:
    try:
        run = subprocess.run([sys.executable, str(HERE / "ask_graphs.py"), "--child", arch, name],
                             capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return {"session": "no answer in time"}
    if run.returncode < 0:
        return {"session": f"crashes with signal {-run.returncode}"}
    if run.returncode or not run.stdout.strip():
        raise RuntimeError(run.stderr)
    line = json.loads(run.stdout.strip().splitlines()[-1])
    kept = {"session": line["session"]}
    if line["message"]:
        kept["message"] = line["message"]
    kept["on_cpu"] = sorted(n for n, v in line["units"].items() if v == "refused")
    kept["in_float"] = line["float"]
    kept["partitions"] = line["partitions"]
    kept["ops"] = line["graph"]
    kept["off"] = line["error"]
    return kept


def main() -> int:
    if sys.argv[1] == "--child":
        child(sys.argv[2], sys.argv[3])
        return 0
    from models import names

    arch, parts = sys.argv[1], sys.argv[2:]
    path = HERE / "recorded" / f"{arch}.json"
    recorded = json.loads(path.read_text()) if path.exists() else {}
    for name in names():
        if parts and not any(part in name for part in parts):
            continue
        recorded[name] = answer(arch, name)
        print(name, recorded[name]["session"], recorded[name].get("off"), flush=True)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
