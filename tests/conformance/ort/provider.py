"""The provider's answers for files: whole, and unit by unit where a session dies."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

import units

HERE = Path(__file__).parent
TIMEOUT_S = 120


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _ask(arch: str, models: list[Path]) -> dict[Path, dict]:
    """Answers of one or more processes: after one that crashes or hangs the next model goes on."""
    answers: dict[Path, dict] = {}
    todo = list(models)
    while todo:
        try:
            process = subprocess.run([sys.executable, str(HERE / "ask_provider.py"), arch,
                                      *map(str, todo)], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True,
                                     timeout=TIMEOUT_S + 2 * len(todo))
            out, err = process.stdout, process.stderr
        except subprocess.TimeoutExpired as e:
            out, err = (e.stdout or b"").decode(), "timeout"
        lines = out.splitlines()
        for line in lines:
            answer = json.loads(line)
            answers[Path(answer["model"])] = answer
        if len(lines) < len(todo):
            if not lines and "Traceback" in err:
                raise RuntimeError(err)
            answers[todo[len(lines)]] = {"session": "crashes", "error": err[-300:], "units": {}}
        todo = todo[len(lines) + 1:]
    return answers


def ask_files(arch: str, files: list[Path]) -> dict[Path, dict]:
    """For each file {"session", "units": {node: {"op", "verdict", "size"}}}.

    In a session that died every taken unit was asked alone: `verdict` is then `prepare_fails`
    where the unit dies too, and `unclear` where the provider judged neither.
    """
    answers = _ask(arch, files)
    for path, answer in answers.items():
        if answer["session"] == "ok":
            continue
        cutter = units.Cutter(onnx.load(path))
        with tempfile.TemporaryDirectory() as tmp:
            # Standalone Q and DQ stay with the ops they feed; alone they are no question.
            names = [n.name for n in cutter.nodes.values()
                     if n.op_type not in (*units.QDQ, "Constant")]
            cuts = {}
            for i, name in enumerate(names):
                cuts[name] = Path(tmp) / f"{i}.onnx"
                onnx.save(cutter.cut(name), cuts[name])
            alone = _ask(arch, list(cuts.values()))
            for name, cut in cuts.items():
                reply = alone[cut]
                unit = reply["units"].get(name)
                known = answer["units"].setdefault(
                    name, unit or {"op": cutter.nodes[name].op_type, "verdict": "unclear", "size": 0})
                if unit and unit["verdict"] == "refused":
                    known["verdict"] = "refused"
                elif known["verdict"] != "refused" and reply["session"] != "ok":
                    known["verdict"] = "prepare_fails"
                known["alone"] = reply["session"]
    return answers
