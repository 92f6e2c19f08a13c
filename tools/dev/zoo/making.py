"""Makes the models: one child process an export, resumable; what fails says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import places

TIMEOUT_S = 900


def failure(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no message"


def make(export: places.Export) -> str:
    """Empty when the models are there, otherwise why not."""
    folder, unfinished = export.folder, export.folder.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    command = [str(places.PYTHON), str(places.GENERATOR), export.name, "-o", str(unfinished),
               "--exporter", export.exporter.removeprefix(places.AIMET),
               "--quantizer", "aimet" if export.by_aimet else "onnxruntime"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S,
                             env=os.environ | {"OMP_NUM_THREADS": "1"})
        why = failure(run.stderr) if run.returncode else ""
    except subprocess.TimeoutExpired:
        why = f"not made in {TIMEOUT_S} s"
    if why:
        shutil.rmtree(unfinished, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "failed.json").write_text(json.dumps({"why": why}) + "\n")
        return why
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return ""


def make_all(exports: list[places.Export], again: bool) -> int:
    failed = 0
    for i, export in enumerate(exports):
        if (export.folder / "made.json").is_file() or (not again and (export.folder / "failed.json").is_file()):
            continue
        started = time.monotonic()
        why = make(export)
        failed += bool(why)
        print(f"{i + 1}/{len(exports)} {export}: {why or 'made'} ({time.monotonic() - started:.0f} s)",
              file=sys.stderr, flush=True)
    return failed
