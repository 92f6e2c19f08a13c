"""The provider's answers for files: whole, and unit by unit where a session dies."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import onnx

import units
from ask_provider import has_function

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))
from tools.dev.shared.progress import Progress, run_counted  # noqa: E402

TIMEOUT_S = 120


def answers_of(program: list[Any], items: list[Any], progress: Progress | None = None) -> list[Any]:
    """The JSON line that the program prints for each item, of one or more processes: after one that crashes or
    hangs (None) the next item goes on."""
    answers: list[Any] = []
    while todo := items[len(answers):]:
        try:
            process = run_counted([sys.executable, *program, *todo], progress, TIMEOUT_S + 2 * len(todo))
            out, err, code = process.stdout, process.stderr, process.returncode
        except subprocess.TimeoutExpired as e:
            out, err, code = e.output, "no answer in time", 0
        lines = [json.loads(line) for line in out.splitlines() if line.startswith(("{", "["))]
        answers += lines
        if len(lines) < len(todo):
            if code > 0:  # a Python error, not a crash of the library
                raise RuntimeError(err)
            answers.append(None)
    return answers


def ask(arch: str, models: list[Path], progress: Progress | None = None) -> dict[Path, dict]:
    answers = answers_of([HERE / "ask_provider.py", arch], models, progress)
    return {model: answer or {"session": "crashes", "units": {}} for model, answer in zip(models, answers)}


def _in_file(judged: dict[str, dict], names: set[str]) -> dict[str, dict]:
    """The units under the names of the file: the optimizer marks the copies it makes."""
    result: dict[str, dict] = {}
    for name, unit in judged.items():
        if name not in names:
            name = re.sub(r"(_token_\d+|/duplicated)+$", "", name)
        if name in names:
            kept = result.setdefault(name, dict(unit))
            if unit["verdict"] == "refused":
                kept["verdict"] = "refused"
    return result


def ask_files(arch: str, files: list[Path], progress: Progress | None = None) -> dict[Path, dict]:
    """For each file {"session", "units": {node of the file: verdict}, "float": [node]}.

    In a session that died every op was asked again alone: its verdict is then `prepare_fails` where
    it dies too. `float`: nodes with quantized tensors around that the provider forms no unit of.
    """
    result = {}
    for path, answer in ask(arch, files, progress).items():
        cutter = units.Cutter(onnx.load(path))
        judged = _in_file(answer["units"], set(cutter.nodes))
        if answer["session"] != "ok":
            with tempfile.TemporaryDirectory() as tmp:
                # Q and DQ are asked with the ops they serve.
                cuts = {}
                for i, node in enumerate(cutter.nodes.values()):
                    if node.op_type not in (*units.QDQ, "Constant"):
                        cuts[node.name] = Path(tmp) / f"{i}.onnx"
                        onnx.save(cutter.cut(node.name), cuts[node.name])
                alone = ask(arch, list(cuts.values()))
            for name, cut in cuts.items():
                reply = alone[cut]
                # What was refused and dies alone is not on the CPU: it was written out, and its parts died.
                refused = judged.get(name, {}).get("verdict") == "refused"
                died = refused and reply["session"] != "ok" and has_function(cutter.nodes[name].op_type)
                if died or name in reply.get("written_out", []):
                    judged.pop(name, None)
                    continue
                own = _in_file(reply["units"], {name}).get(name)
                if own:
                    unit = judged.setdefault(name, own)
                    if own["verdict"] == "refused":
                        unit["verdict"] = "refused"
                if name in judged and judged[name]["verdict"] == "taken" and reply["session"] != "ok":
                    judged[name]["verdict"] = "prepare_fails"
        result[path] = {
            "session": answer["session"],
            "units": {name: unit["verdict"] for name, unit in sorted(judged.items())},
            "float": sorted(name for name, unit in judged.items()
                            if unit["size"] == 1 and unit["verdict"] != "refused" and cutter.looks_quantized(name)),
        }
    return result
