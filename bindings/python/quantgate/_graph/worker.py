"""Asks the provider about models, in a process of its own: the library may crash or hang.

    python -m quantgate._graph.worker SOC_ID LOG

Reads a task as JSON from each line of standard input, and writes its answer as a line:

    {"model": FILE, "feeds": FILE.npz, "strict": bool, "taps": [tensor, ...], "valid": bool}
    {"state", "code", "message", "refused": [node], "accepted": [node], "cpu": [node], "graphs",
     "outputs": {name: {"off", "noise"}}}

`state` is ok, compose_fails, finalize_fails, invalid, on_cpu (`strict`, and a node is not accepted),
run_fails, or cpu_fails: the CPU can't run the model either (`valid`: it is asked first). What native code prints goes to LOG.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import onnxruntime_qnn

from quantgate._graph import numerics
from quantgate._graph.provider_log import PROVIDER, code_of, parse_units, session_state
from quantgate._graph.running import run_on_cpu, with_outputs


def _one_line(text: object) -> str:
    return re.sub(r"\s+", " ", str(text)).strip()[:300]


class _Log:
    def __init__(self, path: str) -> None:
        self._file = open(path, "a+b")  # noqa: SIM115: it stays open
        self._start = 0
        os.dup2(self._file.fileno(), 1)
        os.dup2(self._file.fileno(), 2)

    def begin(self) -> None:
        self._start = self._file.seek(0, os.SEEK_END)

    def text(self) -> str:
        ctypes.CDLL(None).fflush(None)
        self._file.seek(self._start)
        return self._file.read().decode(errors="replace")


class _Provider:
    def __init__(self, soc: str, log: _Log) -> None:
        onnxruntime.register_execution_provider_library(PROVIDER, onnxruntime_qnn.get_library_path())
        self._device = next(d for d in onnxruntime.get_ep_devices() if d.ep_name == PROVIDER)
        self._options = {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), "soc_model": soc,
                         "enable_htp_fp16_precision": "1", "offload_graph_io_quantization": "0",
                         # Without the library an error, not a session on the CPU.
                         "enable_fallback": "0"}
        self._log = log

    def answer(self, task: dict[str, Any]) -> dict[str, Any]:
        path, taps = str(task["model"]), task.get("taps")
        model: bytes | str = with_outputs(onnx.load(path), taps) if taps else path
        if task.get("valid"):
            run_on_cpu(model, dict(np.load(task["feeds"])))
        strict = bool(task.get("strict"))
        self._log.begin()
        session, error = None, ""
        try:
            session = onnxruntime.InferenceSession(model, self._session_options(strict))
        except Exception as raised:  # the bindings raise many types, all with the text in str()
            error = str(raised)
        log = self._log.text()
        state = session_state(error)
        if strict and "fallback" in error:
            state = "on_cpu"
        failed = state not in ("ok", "on_cpu")
        answer: dict[str, Any] = {"state": state, "code": code_of(error, log) if failed else "",
                                  "message": _one_line(error) if failed else ""}
        if strict:
            return answer
        units = parse_units(log)
        answer["refused"] = sorted(name for name, unit in units.items() if unit["verdict"] == "refused")
        answer["accepted"] = sorted(name for name, unit in units.items() if unit["verdict"] != "refused")
        answer |= {"cpu": [], "graphs": None, "outputs": None}
        if session is not None:
            parts = session.get_provider_graph_assignment_info()
            answer["graphs"] = sum(part.ep_name == PROVIDER for part in parts)
            answer["cpu"] = sorted(node.name for part in parts if part.ep_name != PROVIDER
                                   for node in part.get_nodes())
            if task.get("feeds"):
                answer |= _numbers(session, model, dict(np.load(task["feeds"])))
        del session
        gc.collect()
        return answer

    def _session_options(self, strict: bool) -> onnxruntime.SessionOptions:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 0
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        if strict:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([self._device], self._options)
        return options


def _numbers(session: onnxruntime.InferenceSession, model: bytes | str,
             feeds: dict[str, np.ndarray]) -> dict[str, Any]:
    try:
        want = run_on_cpu(model, feeds)
        noisy = run_on_cpu(model, numerics.moved(feeds))
    except Exception as raised:
        return {"state": "cpu_fails", "message": _one_line(raised)}
    names = [o.name for o in session.get_outputs()]
    try:
        got = dict(zip(names, session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})))
    except Exception as raised:
        return {"state": "run_fails", "code": code_of(str(raised), ""), "message": _one_line(raised)}
    return {"outputs": {name: {"off": numerics.off(got[name], want[name]),
                               "noise": numerics.off(noisy[name], want[name])} for name in names}}


def _values(task: dict[str, Any]) -> dict[str, Any]:
    """All tensors of a run on the CPU, into a file."""
    feeds = dict(np.load(task["feeds"]))
    model = onnx.load(task["model"])
    names = [name for node in model.graph.node for name in node.output if name]
    np.savez(task["values"], **feeds | run_on_cpu(with_outputs(model, names), feeds))
    return {"state": "ok"}


def main() -> int:
    soc, log_file = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    log = _Log(log_file)
    provider = _Provider(soc, log)
    print(json.dumps({"state": "ready"}), file=answers)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = _values(task) if "values" in task else provider.answer(task)
        except Exception as raised:
            answer = {"state": "cpu_fails", "message": _one_line(raised)}
        print(json.dumps(answer), file=answers)
    return 0


if __name__ == "__main__":
    Path(sys.argv[2]).touch()
    sys.exit(main())
