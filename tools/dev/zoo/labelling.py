"""The provider's answers for models, kept in full under build/zoo/labels: a file an export.

{form: {"reference": true | why not, arch: {step: answer}}}; a step that crashed the process has
{"state": "crash", "code": "signal N"}, one without an answer in time {"state": "timeout"}. What
stands in a file is not asked again.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Container
from pathlib import Path

import compare
import places

HERE = Path(__file__).parent
TIMEOUT_S = 900  # long, for machines that are busy with other things
ALONE_S = 900
ASKED = ("session", "numbers", "strict")  # of one process, in this order
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}

_COPIES = re.compile(r"(_token_\d+|/duplicated|/MatMulAddFusion|_transformed)+$")


def in_file(name: str, names: Container[str]) -> str | None:
    """The node of the file behind an optimizer's name."""
    while name not in names:
        shorter = _COPIES.sub("", name)
        if shorter == name:
            return None
        name = shorter
    return name


class Labels:
    """One export's answers; several processes may add to them at once."""

    def __init__(self, export: places.Export):
        self.path = places.LABELS / f"{export}.json"
        self.data: dict = self._read()

    def _read(self) -> dict:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def of(self, form: str, arch: str) -> dict:
        return self.data.setdefault(form, {}).setdefault(arch, {})

    def save(self, form: str, arch: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            now = self._read()
            mine, theirs = self.data[form], now.setdefault(form, {})
            theirs["reference"] = mine["reference"]
            theirs.setdefault(arch, {}).update(mine[arch])
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(now))
            part.rename(self.path)


def run(script: str, *arguments: object, timeout: float = TIMEOUT_S, stdin: bytes = b"") -> tuple[int, str]:
    """-> (exit status, standard error); a timeout has the status 124."""
    command = [str(places.PYTHON), str(HERE / script), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, input=stdin, env=os.environ | ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return 124, "no answer in time"
    return done.returncode, done.stderr.decode(errors="replace")


def reference(export: places.Export, form: str, labels: Labels) -> bool:
    known = labels.data.setdefault(form, {})
    if "reference" not in known:
        status, error = run("reference.py", export.folder / f"{form}.onnx", export.folder / "float.onnx",
                            export.folder / "inputs.npz")
        known["reference"] = True if status == 0 else error.strip().splitlines()[-1][:300]
    return known["reference"] is True


def ended(status: int, error: str) -> dict:
    """The answer of the step that a process died in."""
    if status == 124:
        return {"state": "timeout", "code": "", "message": ""}
    if status < 0:
        return {"state": "crash", "code": f"signal {-status}", "message": ""}
    lines = error.strip().splitlines()
    return {"state": "error", "code": "", "message": lines[-1][:300] if lines else f"exit status {status}"}


def ask(export: places.Export, form: str, arch: str, steps: list[str], known: dict) -> None:
    log = places.LABELS / "logs" / f"{export}.{form}.{arch}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    todo = [step for step in steps if step not in known]
    if "session" in todo:
        log.unlink(missing_ok=True)
    while todo:
        with tempfile.TemporaryDirectory() as scratch:
            answers = Path(scratch) / "answers.jsonl"
            status, error = run("ask.py", arch, export.folder / f"{form}.onnx", answers, log, *todo)
            lines = answers.read_text().splitlines() if answers.exists() else []
        for line in lines:
            answer = json.loads(line)
            known[answer["step"]] = answer["answer"]
        todo = [step for step in todo if step not in known]
        if todo:
            known[todo[0]] = ended(status, error) | (units_of(log) if todo[0] == "session" else {})
            todo = todo[1:]
    shorten(log)


def first(export: places.Export, form: str, arch: str, known: dict) -> None:
    """Where a model's numbers begin to be off."""
    with tempfile.TemporaryDirectory() as scratch:
        answer = Path(scratch) / "answer.json"
        status, error = run("first.py", arch, export.folder / f"{form}.onnx", export.folder / "inputs.npz",
                            answer, Path(scratch) / "log")
        known["first"] = json.loads(answer.read_text()) if status == 0 else ended(status, error)


def alone(export: places.Export, form: str, arch: str, known: dict) -> None:
    """The ops one by one; after one that crashed the process the next goes on."""
    done: list[dict] = []
    skip = 0
    while True:
        with tempfile.TemporaryDirectory() as scratch:
            answers = Path(scratch) / "answers.jsonl"
            status, error = run("alone.py", arch, export.folder / f"{form}.onnx", export.folder / "inputs.npz",
                                answers, Path(scratch) / "log", skip, timeout=ALONE_S)
            lines = [json.loads(line) for line in answers.read_text().splitlines()] if answers.exists() else []
        done += [line for line in lines if "state" in line]
        started = [line for line in lines if "start" in line]
        if status == 0 or not started:
            break
        done.append({"node": started[-1]["node"], "off": None, "steps": None} | ended(status, error))
        skip = started[-1]["start"] + 1
    if status == 0 or done:
        known["alone"] = done


def units_of(log: Path) -> dict:
    """What the log of a session that crashed says of the units."""
    sys.path.insert(0, str(places.ROOT / "tests" / "conformance" / "ort"))
    import ask_provider

    return {"cpu": None, "graphs": None,
            "units": ask_provider.parse_units(log.read_text(errors="replace")) if log.exists() else {}}


def shorten(log: Path) -> None:
    """Keeps of a log what tells of refusals and errors."""
    if not log.exists():
        return
    kept = [line[:600] for line in log.read_text(errors="replace").splitlines()
            if any(word in line for word in ("FAILED", "rror", "ERROR", "WARN", "ailed", "upported"))]
    log.write_text("\n".join(kept) + "\n")


def wanted(known: dict, steps: list[str]) -> list[str]:
    """The steps to ask still: `first` of models that are off, `alone` of those with a session's labels."""
    missing = [step for step in steps if step not in known]
    outputs = (known.get("numbers") or {}).get("outputs")
    if "first" in missing and not ({"numbers"} & set(missing)) and not compare.is_off(outputs):
        missing.remove("first")
    return missing


def label(export: places.Export, form: str, arch: str, steps: list[str], labels: Labels) -> dict:
    known = labels.of(form, arch)
    have = reference(export, form, labels)
    if not have and "numbers" in steps:
        known["numbers"] = {"outputs": None, "state": "the CPU doesn't run it"}
    ask(export, form, arch, [s for s in steps if s in ASKED], known)
    if "first" in wanted(known, steps):
        first(export, form, arch, known)
    if "alone" in wanted(known, steps):
        alone(export, form, arch, known)
    labels.save(form, arch)
    return known


def label_all(exports: list[places.Export], archs: list[str], steps: list[str], forms: list[str]) -> None:
    todo = [(e, f, a) for a in archs for e in exports for f in e.forms() if f in forms]
    started, asked = time.monotonic(), 0
    for i, (export, form, arch) in enumerate(todo):
        labels = Labels(export)
        labels.path.parent.mkdir(parents=True, exist_ok=True)
        if not wanted(labels.of(form, arch), steps):
            continue
        with open(labels.path.with_suffix(f".{form}.{arch}.lock"), "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # another process asks about it
                continue
            known = label(export, form, arch, steps, labels)
        asked += 1
        state = known.get("session", {"state": "", "code": ""})
        print(f"{i + 1}/{len(todo)} {export} {form} {arch}: {state['state']} {state['code']} "
              f"({(time.monotonic() - started) / asked:.1f} s a model)", file=sys.stderr, flush=True)
