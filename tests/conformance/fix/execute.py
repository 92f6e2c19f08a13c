#!/usr/bin/env python3
"""Runs models on inputs: execute.py ARCH|cpu FOLDER MODEL,INPUTS.npz... One JSON line a model.

ARCH: on ONNX Runtime's QNN provider (the real HTP library and its emulator); what the provider
refuses runs on the CPU, as it would for a user. {"model", "session", "units", "refused", "float"}:
as ask_provider.py tells them; the outputs of the n-th model are FOLDER/n.npz, not there where no
session came up.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ort"))


class Runner:
    def __init__(self, arch: str):
        import ask_provider
        import onnxruntime

        self._ask, self._ort = ask_provider, onnxruntime
        self._asker = None if arch == "cpu" else ask_provider.Asker(arch)

    def run(self, model: str, inputs: str, out: Path) -> dict:
        options = self._ort.SessionOptions()
        if self._asker is None:
            options.graph_optimization_level = self._ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            providers = ["CPUExecutionProvider"]
        else:
            options.log_severity_level = 0
            options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
            options.add_provider_for_devices([self._asker._device], self._asker._provider_options)
            providers = None
        error, units = "", {}
        with self._ask.CapturedOutput() as captured:
            try:
                session = self._ort.InferenceSession(model, options, providers=providers)
                values = dict(np.load(inputs))
                np.savez(out, **{o.name: v for o, v in zip(session.get_outputs(),
                                                           session.run(None, values))})
            except Exception as e:  # the bindings raise many types
                session, error = None, str(e)
        if self._asker is not None:
            units = self._ask.parse_units(captured.text)
            if session is not None:
                for part in session.get_provider_graph_assignment_info():
                    for node in part.get_nodes():
                        if part.ep_name != self._ask.PROVIDER and node.name in units:
                            units[node.name]["verdict"] = "refused"
        session = None
        gc.collect()
        taken = [u for u in units.values() if u["verdict"] == "taken"]
        return {"model": model, "session": self._ask.session_state(error), "units": len(units),
                "refused": len(units) - len(taken)}


def main() -> int:
    arch, folder, *models = sys.argv[1:]
    runner = Runner(arch)
    for n, model in enumerate(models):
        print(json.dumps(runner.run(*model.split(","), Path(folder) / f"{n}.npz")), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
