#!/usr/bin/env python3
"""Asks the provider about one model on one architecture, in a process of its own: it may crash.

    ask.py ARCH[-default] MODEL.onnx ANSWERS.jsonl LOG STEP...

Appends a line to ANSWERS as each STEP is done, so that a crash tells which step it was:
  session   a session with fallback to the CPU: {"state", "code", "units", "cpu", "graphs"}
  strict    a session without: {"state", "code"}
  numbers   the session run, against reference.npz beside ANSWERS: {"outputs": {name: [...]}}
The native log of the sessions is written to LOG. ARCH-default: without a SoC, and with
what else the provider does by default.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance" / "ort"))
import ask_provider  # noqa: E402
from provider_log import code_of  # noqa: E402


class Log:
    """What native code writes goes to the end of a file; a crash leaves it there."""

    def __init__(self, path: Path):
        self._path = path

    def __enter__(self) -> Log:
        sys.stdout.flush()
        sys.stderr.flush()
        self._file = open(self._path, "ab")
        self._start = self._file.tell()
        self._saved = os.dup(1), os.dup(2)
        os.dup2(self._file.fileno(), 1)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_) -> None:
        ask_provider.ctypes.CDLL(None).fflush(None)
        for fd, saved in zip((1, 2), self._saved):
            os.dup2(saved, fd)
            os.close(saved)
        self._file.close()

    def text(self) -> str:
        with open(self._path, "rb") as file:
            file.seek(self._start)
            return file.read().decode(errors="replace")


class Asker(ask_provider.Asker):
    def __init__(self, arch: str, model: Path, log: Path):
        arch, _, options = arch.partition("-")
        super().__init__(arch)
        if options == "default":
            for name in ("soc_model", "enable_htp_fp16_precision", "offload_graph_io_quantization"):
                del self._provider_options[name]
        self._model, self._log = str(model), log
        self._session = None

    def _open(self, strict: bool) -> tuple[str, str]:
        """-> (error, log); keeps the session."""
        self.close()
        options = self._ort.SessionOptions()
        options.log_severity_level = 0
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        if strict:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([self._device], self._provider_options)
        error, log = "", Log(self._log)
        with log:  # without the library an error, not a session on the CPU
            try:
                self._session = self._ort.InferenceSession(self._model, options, enable_fallback=0)
            except Exception as e:  # the bindings raise many types, all with the text in str()
                error = str(e)
        return error, log.text()

    def close(self) -> None:
        self._session = None
        gc.collect()

    def session(self) -> dict:
        error, log = self._open(strict=False)
        answer = {"state": ask_provider.session_state(error), "code": code_of(error, log) if error else "",
                  "message": re.sub(r"\s+", " ", error)[:300], "cpu": None, "graphs": None,
                  "units": ask_provider.parse_units(log)}
        if self._session is not None:
            parts = self._session.get_provider_graph_assignment_info()
            answer["graphs"] = sum(part.ep_name == ask_provider.PROVIDER for part in parts)
            answer["cpu"] = sorted(node.name for part in parts if part.ep_name != ask_provider.PROVIDER
                                   for node in part.get_nodes())
        return answer

    def strict(self) -> dict:
        error, log = self._open(strict=True)
        state = ask_provider.session_state(error)
        if "fallback" in error:
            state = "on_cpu"
        return {"state": state, "code": code_of(error, log) if state not in ("ok", "on_cpu") else "",
                "message": re.sub(r"\s+", " ", error)[:300]}

    def numbers(self, reference: Path) -> dict:
        import measures

        if self._session is None:
            self._open(strict=False)
        if self._session is None:
            return {"outputs": None}
        kept = np.load(reference, allow_pickle=False)
        feeds = {key[3:]: kept[key] for key in kept.files if key.startswith("in:")}
        names = [o.name for o in self._session.get_outputs()]
        with Log(self._log):
            got = self._session.run(None, feeds)
        return {"outputs": {name: measures.compared(kept, name, value) for name, value in zip(names, got)}}


def main() -> int:
    arch, model, answers, log, *steps = sys.argv[1:]
    asker = Asker(arch, Path(model), Path(log))
    for step in steps:
        reference = Path(model).with_suffix(".reference.npz")
        answer = asker.numbers(reference) if step == "numbers" else getattr(asker, step)()
        with open(answers, "a") as file:
            file.write(json.dumps({"step": step, "answer": answer}) + "\n")
    asker.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
