#!/usr/bin/env python3
"""What `check --as-run` predicts of small models against what the provider was seen to do.

    compare.py [--cli build/bin/quantgate] [--list]      recorded answers, standard library only

Counts per architecture: units refused and taken, sessions, float units, pieces, inserted Converts,
replaced encodings, and models whose numbers differ from the CPU's by more than 1% of the range of
their outputs although everything was accepted. Fails when a number falls below expected.json; one
that is better fails too, so that it is written down (--shrink).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
SOCS = {"v68": "SM8350", "v69": "SM8450", "v73": "SM8550", "v79": "SM8750"}
REFUSED = ("rejected", "prepare_fails")
SILENT = ("accepted", "advice", "undocumented")
OFF = 0.01  # of the range of the outputs
# Recorded by ONNX Runtime itself, no rule of the backend: both sides count as no session.
DEAD = ("invalid", "finalize_fails", "compose_fails", "run_fails")


def reports(cli: Path, folder: Path, names: list[str], arch: str) -> dict[str, dict]:
    done = {}
    for start in range(0, len(names), 100):
        files = [f"{name}.onnx" for name in names[start:start + 100]]
        command = [str(cli), "check", *files, "--sdk", "2.51", "--soc", SOCS[arch], "--mode", "warn",
                   "--as-run", "--format", "json"]
        out = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder,
                             env=os.environ | {"NO_COLOR": "1"})
        if out.returncode != 0:
            sys.exit(f"error: quantgate check: exit status {out.returncode}\n{out.stderr}")
        for line in out.stdout.splitlines():
            report = json.loads(line)
            done[Path(report["model"]).stem] = report
    return done


def compare(name: str, answer: dict, report: dict) -> list[tuple[str, str]]:
    """[(what was counted, detail)]: `…_ok` where prediction and observation agree."""
    run = report["asRun"]
    nodes = {n["name"]: n for n in report["nodes"]}
    place = {n["node"]: n["placement"] for n in run["nodes"]}
    seen: list[tuple[str, str]] = []

    def count(what: str, agrees: bool, detail: str = "") -> None:
        seen.append((f"{what}_{'ok' if agrees else 'wrong'}", f"{name} {detail}".strip()))

    def verdict(unit: str) -> str:
        node = nodes[unit]
        return nodes[node["into"]]["verdict"] if node.get("into") in nodes else node["verdict"]

    for unit in answer["refused"]:
        if place[unit] in ("into", "outside") and unit.endswith("Q"):
            continue  # a Q or DQ goes where its op goes
        count("refused", verdict(unit) in REFUSED, unit)
    for unit in answer["taken"]:
        if nodes[unit].get("into"):
            continue  # part of another unit here: its being taken says nothing about the host
        if answer["session"] in DEAD and verdict(unit) in REFUSED:
            continue  # the session may have died of it
        count("taken", verdict(unit) not in REFUSED, unit)
    count("session" if answer["session"] == "ok" else "dead",
          (answer["session"] == "ok") == run["session"]["made"])
    if answer["session"] != "ok":
        return seen
    for unit in filter(None, answer["float"]):
        count("float", place.get(unit) == "npu_float", unit)
    for unit in answer["taken"]:
        if unit not in answer["float"] and place.get(unit) in ("npu_float", "npu_quantized"):
            ops = next(n["ops"] for n in run["nodes"] if n["node"] == unit)
            if set(ops) & {"Quantize", "Dequantize"} and len(ops) == 1:
                continue
            count("quantized", place[unit] == "npu_quantized", unit)
    count("pieces" if answer["pieces"] < 2 else "several_pieces", len(run["pieces"]) == answer["pieces"],
          f"{len(run['pieces'])}, seen {answer['pieces']}")
    converts = sum(op == "Convert" for n in run["nodes"] for op in n["ops"]
                   if n["placement"].startswith("npu_"))
    if converts or answer["converts"]:
        count("converts", converts == answer["converts"], f"{converts}, seen {answer['converts']}")
    told = {c["tensor"] for c in run["changes"] if c["kind"] == "encoding"}
    for tensor in sorted(told | set(answer["reencoded"])):
        count("reencoded", (tensor in told) == (tensor in answer["reencoded"]), tensor)
    if answer.get("error", 0) > OFF and not answer["refused"]:
        count("off", any(f["consequence"] not in SILENT for f in report["findings"]),
              f"error {answer['error']}")
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "bin" / "quantgate")
    parser.add_argument("--list", action="store_true", help="name every disagreement")
    parser.add_argument("--shrink", action="store_true", help="write expected.json")
    args = parser.parse_args()
    if not args.cli.is_file():
        print(f"error: {args.cli}: no such file; make build", file=sys.stderr)
        return 2

    found: dict[str, Counter] = {}
    with tempfile.TemporaryDirectory() as tmp:
        with tarfile.open(HERE / "models.tar.xz") as tar:
            for entry in filter(tarfile.TarInfo.isfile, tar):
                (Path(tmp) / Path(entry.name).name).write_bytes(tar.extractfile(entry).read())
        for path in sorted((HERE / "recorded").glob("*.json")):
            arch = path.stem
            answers = {n: a for n, a in json.loads(path.read_text()).items() if a["session"] != "crashes"}
            predicted = reports(args.cli.resolve(), Path(tmp), sorted(answers), arch)
            counts = found.setdefault(arch, Counter(models=len(answers)))
            for name, answer in answers.items():
                for what, detail in compare(name, answer, predicted[name]):
                    counts[what] += 1
                    if args.list and what.endswith("_wrong"):
                        print(f"{arch} {what.removesuffix('_wrong')}: {detail}")

    print(f"{'':16}" + "".join(f"{arch:>14}" for arch in found))
    whats = sorted({w.rsplit("_", 1)[0] for c in found.values() for w in c if w != "models"})
    print(f"{'models':16}" + "".join(f"{c['models']:>14}" for c in found.values()))
    for what in whats:
        cells = [f"{c[what + '_ok']}/{c[what + '_ok'] + c[what + '_wrong']}" for c in found.values()]
        print(f"{what:16}" + "".join(f"{cell:>14}" for cell in cells))

    now = {arch: dict(sorted(c.items())) for arch, c in found.items()}
    target = HERE / "expected.json"
    if args.shrink:
        target.write_text(json.dumps(now, indent=1) + "\n")
    expected = json.loads(target.read_text())
    for arch in sorted(set(now) | set(expected)):
        for what in sorted(set(now.get(arch, {})) | set(expected.get(arch, {}))):
            a, b = now.get(arch, {}).get(what, 0), expected.get(arch, {}).get(what, 0)
            if a != b:
                print(f"FAIL {arch} {what}: {a}, expected {b}")
    print("PASS" if now == expected else "as_run: not what expected.json says (--shrink writes it)")
    return 0 if now == expected else 1


if __name__ == "__main__":
    sys.exit(main())
