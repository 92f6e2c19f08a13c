#!/usr/bin/env python3
"""What quantgate says of whole transformer blocks, against what ONNX Runtime's QNN provider did.

    compare.py --cli build/bin/quantgate [--table]

Models without weights are in models.tar.xz, the provider's answers in recorded/<arch>.json
(ask_graphs.py asks again; pack.py packs the models). Compared per model and architecture:
  runs      a session is made and its numbers are those of the CPU: no finding of level error
  dies      the session is not made: a finding of level error
  cpu       nodes that stay on the CPU: `rejected`
  float     nodes that are written quantized around and run in float: a finding says so
  islands   the finding of an island stands where the provider's graph has Dequantize and Quantize in
            the middle
Differences stand in expected.json, each with its reason; any other fails, and so does one that is gone.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
# The numbers count as right when 99.9 % of the elements are off by no more than this part of the
# range: a few steps of 8 bits, through a whole block.
RIGHT = 0.03
# Rules that say of a node that it runs in float.
FLOAT_RULES = {"half-quantized-unit", "float-island"}
ENDS = {"Quantize", "Dequantize"}


def differences(report: dict, answer: dict, at_ends: int) -> dict[str, str]:
    found = {}
    errors = [f for f in report["findings"] if f["level"] == "error"]
    runs = answer["session"] == "ok" and not answer["on_cpu"]
    right = runs and all(o["typical"] <= RIGHT for o in answer["off"].values())
    if right and errors:
        found["runs"] = f"runs right, and {errors[0]['code']} is an error"
    if answer["session"] != "ok" and not errors:
        found["dies"] = f"{answer['session']}, and no error"
    refused = {n["name"] for n in report["nodes"] if n["verdict"] in ("rejected", "prepare_fails")}
    if answer["session"] == "ok" and set(answer["on_cpu"]) - refused:
        found["cpu"] = f"on the CPU unsaid: {sorted(set(answer['on_cpu']) - refused)[:3]}"
    said = {f["node"] for f in report["findings"] if f["rule"] in FLOAT_RULES | {"implied-convert"}}
    written_float = {n["name"] for n in report["nodes"]} - {
        n["name"] for n in report["nodes"] if n.get("into")}
    islands = [f for f in report["findings"] if f["rule"] == "float-island"]
    inside = sum(answer["ops"].get(op, 0) for op in ENDS)
    if answer["session"] == "ok" and bool(islands) != (inside > at_ends):
        found["islands"] = f"{len(islands)} islands, and {inside} Quantize and Dequantize of which {at_ends} at the ends"
    half = {f["node"] for f in report["findings"] if f["rule"] == "half-quantized-unit"}
    # The optimizer marks what it fuses.
    in_float = {re.sub(r"/MatMulAddFusion$", "", n) for n in answer["in_float"]}
    unsaid = half & written_float - in_float if in_float else set()
    if answer["session"] == "ok" and unsaid:
        found["float"] = f"said to run in float, and quantized: {sorted(unsaid)[:3]}"
    if answer["session"] == "ok" and not said and answer["in_float"]:
        found["float"] = f"in float unsaid: {answer['in_float'][:3]}"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cli", required=True)
    parser.add_argument("--table", action="store_true", help="print a Markdown row a model too")
    arguments = parser.parse_args()
    expected = {(e["arch"], e["model"], e["what"]) for e in json.loads((HERE / "expected.json").read_text())}
    seen, count, right, errors_on_right = {}, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(HERE / "models.tar.xz") as packed:
            for entry in filter(tarfile.TarInfo.isfile, packed):
                (Path(folder) / Path(entry.name).name).write_bytes(packed.extractfile(entry).read())
        for path in sorted((HERE / "recorded").glob("*.json")):
            for name, answer in json.loads(path.read_text()).items():
                run = subprocess.run(
                    [arguments.cli, "check", str(Path(folder) / f"{name}.json"), "--sdk", "2.51", "--arch", path.stem,
                     "--format", "json"], capture_output=True, text=True, timeout=120)
                report = json.loads(run.stdout)
                model = json.loads((Path(folder) / f"{name}.json").read_text())
                count += 1
                for what, why in differences(report, answer, len(model["inputs"]) + len(model["outputs"])).items():
                    seen[path.stem, name, what] = why
                codes = sorted({f["code"] for f in report["findings"]})
                if answer["session"] == "ok" and answer["off"] and all(o["typical"] <= RIGHT for o in answer["off"].values()):
                    right += 1
                    errors_on_right += any(f["level"] == "error" for f in report["findings"])
                if arguments.table:
                    worst = max((o["typical"] for o in (answer["off"] or {}).values()), default="")
                    print(f"| {name} | {path.stem} | {answer['session']} | {len(answer['on_cpu'])} | {len(answer['in_float'])} | "
                          f"{worst} | {report['verdict']} | {' '.join(codes)} |")
    print(f"{count} answers: {right} run right, {errors_on_right} of them with an error; "
          f"{len(seen)} differences, {len(expected)} expected")
    new, gone = set(seen) - expected, expected - set(seen)
    for key in sorted(new):
        print("new:", *key, seen[key], file=sys.stderr)
    for key in sorted(gone):
        print("gone:", *key, file=sys.stderr)
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
