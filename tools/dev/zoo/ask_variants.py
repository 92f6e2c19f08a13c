#!/usr/bin/env python3
"""Puts the sample of variants.py to its providers: ask_variants.py VARIANT...

Writes tests/conformance/zoo/variants.json as it goes; what stands there is not asked again. An older provider is
installed into build/zoo/qnn-RELEASE, with the onnxruntime that takes it where the zoo's doesn't.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import draws
import labelling
import onnx
import places
import record
import recordings
import strip
import variants


def provider(variant: variants.Variant) -> Path:
    folder = places.BUILD / f"qnn-{variant.release}"
    if not folder.is_dir():
        runtime = [f"onnxruntime=={variant.runtime}"] if variant.runtime else []
        subprocess.run([str(places.PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--no-deps", "--target", str(folder), f"onnxruntime-qnn=={variant.release}", *runtime], check=True)
    return folder


def asked(variant: variants.Variant, model: onnx.ModelProto) -> dict:
    arch = variants.ARCH + "-default" * variant.default
    labelling.ENVIRONMENT["PYTHONPATH"] = str(provider(variant))
    with tempfile.TemporaryDirectory() as scratch:
        path, answers, log = (Path(scratch) / name for name in ("model.onnx", "answers.jsonl", "log"))
        onnx.save(model, path)
        status, error = labelling.run("ask.py", arch, path, answers, log, "session")
        if status == 0:
            session = json.loads(answers.read_text())["answer"]
        else:
            session = labelling.ended(status, error) | labelling.units_of(log)
    return {"state": session["state"], "code": session["code"], "graphs": session.get("graphs"),
            "units": record.units(model, session) if session.get("units") else None}


def main() -> int:
    state = draws.Draws()
    found = list(recordings.recordings(state.development(), recordings.FOLDERS["development"]))
    sample = variants.sample(found)
    for title in sys.argv[1:]:
        for recording, form in sample:
            known = variants.load()
            place = f"{recording.export} {form}"
            if title in known["answers"].get(place, {}):
                continue
            model = strip.restored(onnx.load_model_from_string(recording.models()[form]))
            answer = asked(variants.VARIANTS[title], model)
            known["answers"].setdefault(place, {})[title] = variants.shortened(
                answer, variants.recorded_units(recording, form))
            variants.save(known)
            print(title, place, answer["state"], answer["code"], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
