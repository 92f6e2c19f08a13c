"""Asks again where the errors of recorded models begin, and writes that into their recordings.

The models have to be made again for it (`zoo make`): the recordings have no weights. That they are the same is
checked. What was asked lies in build/zoo/located until it is written.
"""

from __future__ import annotations

import json
import sys

import compare
import known
import labelling
import places
import recordings
from recordings import Recording

ANSWERS = places.BUILD / "located"


def same(recording: Recording, form: str) -> bool:
    status, error = labelling.run("same.py", recording.export.folder / f"{form}.onnx", stdin=recording.models()[form])
    if status not in (0, 1):
        raise RuntimeError(error)
    return status == 0


def answers(export: places.Export) -> dict:
    path = ANSWERS / f"{export}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def wanted(recording: Recording, form: str, arch: str, missed: bool) -> bool:
    label = recording.labels().get(form, {}).get(arch, {})
    if label.get("state") != "ok" or not compare.is_off(label["numbers"]):
        return False
    place = str(recording.export), form, arch
    return not missed or any(d[0] == "missed-numbers" and d[1:4] == place for d in known.load())


def locate(recording: Recording, archs: list[str], forms: list[str], missed: bool) -> None:
    export, labels, found_before = recording.export, recording.labels(), answers(recording.export)
    for form in forms:
        todo = [arch for arch in archs
                if f"{form} {arch}" not in found_before and wanted(recording, form, arch, missed)]
        if todo and not same(recording, form):
            print(f"{export} {form}: made otherwise than what is recorded", file=sys.stderr)
            continue
        for arch in todo:
            found: dict = {}
            labelling.first(export, form, arch, found)
            found_before[f"{form} {arch}"] = found["first"]
            ANSWERS.mkdir(parents=True, exist_ok=True)
            (ANSWERS / f"{export}.json").write_text(json.dumps(found_before))
            print(f"{export} {form} {arch}: {labels[form][arch]['first']} -> {found['first']}", flush=True)


def locate_all(found: list[Recording], archs: list[str], forms: list[str], missed: bool) -> None:
    for recording in found:
        if recording.export.forms():
            locate(recording, archs, forms, missed)


def write(found: list[Recording]) -> list[str]:
    """Puts the answers into the recordings; what changes."""
    changed: dict[str, dict[str, bytes]] = {}
    lines = []
    for recording in found:
        labels = recording.labels()
        for place, answer in answers(recording.export).items():
            form, arch = place.split()
            if "first" in answer and labels[form][arch]["first"] != answer["first"]:
                lines.append(f"{recording.export} {place}: {labels[form][arch]['first']} -> {answer['first']}")
                labels[form][arch]["first"] = answer["first"]
                text = json.dumps(labels, separators=(",", ":"), sort_keys=True).encode()
                changed[str(recording.export)] = recording.files | {"labels.json": text}
    recordings.add(changed, held_out=False)
    return lines
