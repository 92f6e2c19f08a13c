"""Lowers case after case, each in a child process with a time limit; what is there already is not done again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import places

HERE = Path(__file__).parent


def steps_of(case: places.Case) -> list[dict]:
    path = case.folder / "steps.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_done(case: places.Case) -> bool:
    return any(step["step"] in ("lowered", "failed") for step in steps_of(case))


def failed(case: places.Case, why: str) -> None:
    case.folder.mkdir(parents=True, exist_ok=True)
    with open(case.folder / "steps.jsonl", "a") as file:
        file.write(json.dumps({"step": "failed", "why": why}) + "\n")


def label_all(cases: list[places.Case], read_only: bool = False, options: str = "", timeout: int = 1500) -> int:
    """The number of cases that could not be put to the backend at all. `options` are those of lower.py."""
    todo = [case for case in cases if is_done(case) == read_only]
    lines = []
    for case in todo:
        if not read_only:
            shutil.rmtree(case.folder, ignore_errors=True)
        lines.append(f"{case.name} {case.precision} {case.folder}{' --read' if read_only else ''}{options}\n")
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = [str(places.PYTHON), str(HERE / "lower.py"), "--timeout", str(timeout)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    count = 0
    for i, (case, line) in enumerate(zip(todo, lines)):
        child.stdin.write(line)
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            raise SystemExit(f"error: the process that lowers ended at {case}")
        answer_of = json.loads(answer)
        if answer_of["why"] and not read_only:
            count += 1
            failed(case, answer_of["why"])
        last = (steps_of(case) or [{}])[-1]
        outcome = answer_of["why"] or (last.get("failure") or {}).get("message", "")[:80] or "done"
        print(f"{i + 1}/{len(todo)} {case}: {outcome} ({answer_of['seconds']} s)", file=sys.stderr, flush=True)
    child.stdin.close()
    return count
