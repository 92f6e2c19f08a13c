#!/usr/bin/env python3
"""Asks ONNX Runtime's QNN provider (the real HTP library, on x86-64) what it makes of models.

    ask_provider.py ARCH MODEL...

One architecture per process: the library keeps the first one it was given. Prints one JSON line a
model: {"model", "session", "error", "units", "written_out"}.
`session` is `ok`, `compose_fails`, `finalize_fails` or `invalid` (the graph died otherwise).
`units` maps each node the provider judged (an op with the Q and DQ it absorbed goes by the op's
name) to {"op", "verdict", "size"}: `verdict` is `taken` or `refused`, `size` the number of nodes
in the unit, so 1 = not seen as quantized. Names are the optimizer's; what it removed before does
not occur, nor what was written out as the function that defines it, which is listed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tempfile
from pathlib import Path

# The same words of the provider, read in one place; no wheel of quantgate is needed for it.
sys.path.append(str(Path(__file__).resolve().parents[3] / "bindings/python/quantgate/_graph"))
from provider_log import PROVIDER, parse_units, session_state  # noqa: E402

# The SoC id that stands for each architecture (provider option soc_model).
SOC_MODEL = {"v68": 30, "v69": 36, "v73": 43, "v75": 57, "v79": 69, "v81": 87}


class CapturedOutput:
    """Collects what native code writes to stdout and stderr."""

    text = ""

    def __enter__(self):
        sys.stdout.flush()
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()
        self._saved = os.dup(1), os.dup(2)
        os.dup2(self._file.fileno(), 1)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_):
        ctypes.CDLL(None).fflush(None)
        for fd, saved in zip((1, 2), self._saved):
            os.dup2(saved, fd)
            os.close(saved)
        self._file.seek(0)
        self.text = self._file.read().decode(errors="replace")
        self._file.close()


def has_function(op: str) -> bool:
    """Whether ONNX defines an operator by others: where ONNX Runtime has no kernel (Mish) it puts them, nodes without
    a name, in its place."""
    import onnx

    return onnx.defs.has(op) and onnx.defs.get_schema(op).has_function


def written_out(units: dict, assigned: set[str]) -> list[str]:
    """Nodes that were refused and then run nowhere."""
    return [name for name, unit in units.items()
            if unit["verdict"] == "refused" and name not in assigned and has_function(unit["op"])]


class Asker:
    def __init__(self, arch: str):
        import onnxruntime
        import onnxruntime_qnn

        self._ort = onnxruntime
        onnxruntime.register_execution_provider_library(PROVIDER, onnxruntime_qnn.get_library_path())
        self._device = next(d for d in onnxruntime.get_ep_devices() if d.ep_name == PROVIDER)
        self._provider_options = {
            "backend_path": onnxruntime_qnn.get_qnn_htp_path(),
            "soc_model": str(SOC_MODEL[arch]),
            "enable_htp_fp16_precision": "1",
            "offload_graph_io_quantization": "0",
        }

    def ask(self, model: str) -> dict:
        options = self._ort.SessionOptions()
        options.log_severity_level = 0
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices([self._device], self._provider_options)
        session, error = None, ""
        with CapturedOutput() as captured:
            try:
                session = self._ort.InferenceSession(model, options)
            except Exception as e:  # the bindings raise many types, all with the text in str()
                error = str(e)
        units = parse_units(captured.text)
        gone: list[str] = []
        if session is not None:
            assigned = set()
            for part in session.get_provider_graph_assignment_info():
                for node in part.get_nodes():
                    assigned.add(node.name)
                    if part.ep_name != PROVIDER and node.name in units:
                        units[node.name]["verdict"] = "refused"
            gone = written_out(units, assigned)
            for name in gone:
                del units[name]
        del session
        gc.collect()
        return {"model": model, "session": session_state(error), "error": error, "units": units, "written_out": gone}


def main() -> int:
    asker = Asker(sys.argv[1])
    for model in sys.argv[2:]:
        if not Path(model).is_file():
            print(f"error: {model}: no such file", file=sys.stderr)
            return 2
        print(json.dumps(asker.ask(model)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
