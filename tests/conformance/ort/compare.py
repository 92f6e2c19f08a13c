#!/usr/bin/env python3
"""Compares quantgate with ONNX Runtime's QNN provider, unit by unit, on v68, v73 and v79.

    compare.py [--cli build/bin/quantgate]            recorded answers (standard library only)
    compare.py --live                                 asks about the example models again and checks
                                                      their recording; --all: about every model
    compare.py --record                               asks the provider and writes recorded/
    compare.py --shrink                               takes what is gone out of expected.json

A unit is an op with the Q and DQ it absorbs. The provider refuses it (it stays on the CPU, or
preparation dies of it) or takes it; so does quantgate (`rejected` and `prepare_fails` are refusals).
Counted: refused-but-fine, fine-but-refused, unknown (quantgate: `unchecked`), float-unsaid (the
provider runs a quantized-looking op in float, quantgate reports nothing).
Every difference has to be in expected.json with its reason; one that is listed and gone fails too,
so that the list only shrinks.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))
from tools.dev.shared.progress import Progress  # noqa: E402

RECORDED = HERE / "recorded"
EXPECTED = HERE / "expected.json"
SDK = "2.51"
SOCS = {"v68": "SM8350", "v73": "SM8550", "v79": "SM8750"}
KINDS = ("refused-but-fine", "fine-but-refused", "unknown", "float-unsaid")
REFUSED = ("rejected", "prepare_fails")
SILENT = ("accepted", "advice", "undocumented")


def model_files() -> list[Path]:
    return [path for folder in (ROOT / "docs" / "examples", HERE / "models")
            for path in sorted(folder.glob("*.onnx"))]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def ask_provider(files: list[Path]) -> dict[str, dict]:
    """The recording of each file, by its name, asked now."""
    import provider

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool, Progress("sessions of the provider", len(SOCS) * len(files)) as progress:
        by_arch = dict(zip(SOCS, pool.map(lambda arch: provider.ask_files(arch, files, progress), SOCS)))
    recordings = {}
    for path in files:
        names = sorted(set().union(*(by_arch[a][path]["units"] for a in SOCS)))
        answers = {}
        for arch in SOCS:
            answer = by_arch[arch][path]
            verdicts = answer["units"]
            answers[arch] = {"session": answer["session"], "float": answer["float"],
                             "not_judged": [n for n in names if n not in verdicts],
                             "refused": [n for n in names if verdicts.get(n) == "refused"],
                             "prepare_fails": [n for n in names if verdicts.get(n) == "prepare_fails"]}
        recordings[path.name] = {"model": path.name, "sha256": digest(path), "sdk": SDK,
                                 "units": names, "answers": answers}
    return recordings


def load_recordings(files: list[Path]) -> dict[str, dict]:
    recordings = {}
    for path in files:
        source = RECORDED / f"{path.stem}.json"
        if not source.is_file():
            sys.exit(f"error: {source}: no recording of {path.name}; tools/dev/qgdev record ort")
        recordings[path.name] = json.loads(source.read_text())
        if recordings[path.name]["sha256"] != digest(path):
            sys.exit(f"error: {source}: {path.name} has changed since; tools/dev/qgdev record ort")
    return recordings


def check(cli: Path, path: Path, arch: str) -> dict[str, dict]:
    """quantgate's nodes by name."""
    command = [str(cli), "check", str(path), "--backend", "htp", "--sdk", SDK, "--soc", SOCS[arch],
               "--route", "onnxruntime", "--mode", "warn", "--format", "json"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60,
                             env=os.environ | {"NO_COLOR": "1"})
    if process.returncode != 0:
        sys.exit(f"error: {' '.join(command)}: exit status {process.returncode}\n{process.stderr}")
    return {node["name"]: node for node in json.loads(process.stdout)["nodes"]}


def compare(recording: dict, arch: str, nodes: dict[str, dict]):
    """-> (units compared, differences {(kind, node)}) of one file on one architecture."""
    answer = recording["answers"][arch]
    refused_there = {*answer["refused"], *answer["prepare_fails"]}
    compared, differences = 0, set()
    for name in recording["units"]:
        if name in answer["not_judged"]:
            continue
        node = nodes.get(name)
        if node is None:
            sys.exit(f"error: quantgate's report on {recording['model']} lacks the node {name}")
        verdict = node["verdict"]
        if node.get("into"):
            # Part of another unit here; a unit of its own there. Only a refusal is evidence.
            if name not in refused_there:
                continue
            verdict = nodes.get(node["into"], node)["verdict"]
        compared += 1
        if verdict == "unchecked":
            differences.add(("unknown", name))
        elif name in refused_there and verdict not in REFUSED:
            differences.add(("fine-but-refused", name))
        elif name not in refused_there and verdict in REFUSED:
            differences.add(("refused-but-fine", name))
        elif name in answer["float"] and verdict in SILENT:
            differences.add(("float-unsaid", name))
    return compared, differences


def row(cells) -> str:
    widths = (38, 5, 15, 6, *(len(k) for k in KINDS))
    return "  ".join(str(c).ljust(w) if i < 3 else str(c).rjust(w)
                     for i, (c, w) in enumerate(zip(cells, widths)))


def load_expected() -> dict[tuple, str]:
    listed = {}
    for entry in json.loads(EXPECTED.read_text())["differences"]:
        for arch in entry["archs"]:
            for name in entry["nodes"]:
                listed[(entry["model"], arch, entry["kind"], name)] = entry["reason"]
    return listed


def shrink_expected(found: set[tuple]) -> None:
    """Keeps of expected.json what was found, in its order and with its reasons."""
    kept: dict[tuple, list[str]] = {}
    for entry in json.loads(EXPECTED.read_text())["differences"]:
        for name in entry["nodes"]:
            archs = tuple(arch for arch in entry["archs"]
                          if (entry["model"], arch, entry["kind"], name) in found)
            if archs:
                key = entry["kind"], entry["model"], archs, entry["reason"]
                kept.setdefault(key, []).append(name)
    entries = [{"kind": kind, "model": model, "archs": list(archs), "nodes": names, "reason": reason}
               for (kind, model, archs, reason), names in kept.items()]
    EXPECTED.write_text(json.dumps({"differences": entries}, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "bin" / "quantgate")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--live", action="store_true", help="ask the provider again")
    mode.add_argument("--record", action="store_true", help="ask and write recorded/")
    parser.add_argument("--all", action="store_true", help="with --live: ask about every model")
    mode.add_argument("--shrink", action="store_true", help="take what is gone out of expected.json")
    args = parser.parse_args()

    files = model_files()
    if (args.live or args.record) and importlib.util.find_spec("onnxruntime_qnn") is None:
        print("error: --live needs tests/conformance/ort/requirements.txt installed", file=sys.stderr)
        return 2
    if args.record:
        RECORDED.mkdir(exist_ok=True)
        for old in RECORDED.glob("*.json"):
            old.unlink()
        for name, recording in ask_provider(files).items():
            text = json.dumps(recording, indent=1)
            (RECORDED / f"{Path(name).stem}.json").write_text(text + "\n")
        print(f"recorded {len(files)} models")
        return 0

    recordings = load_recordings(files)
    problems = []
    if args.live:
        again = [path for path in files if args.all or path.parent != HERE / "models"]
        for name, now in ask_provider(again).items():
            for arch in SOCS:
                for key, value in now["answers"][arch].items():
                    then = recordings[name]["answers"][arch][key]
                    if value != then:
                        problems.append(f"{name} {arch}: the provider's {key} is {value}, "
                                        f"recorded {then}")
    if not args.cli.is_file():
        print(f"error: {args.cli}: no such file; make build", file=sys.stderr)
        return 2

    asked = "recorded answers"
    if args.live:
        asked = "asked now" if args.all else "example models asked now, single ops recorded"
    found = set()
    totals = dict.fromkeys(KINDS, 0)
    total = 0
    print(f"quantgate against onnxruntime-qnn, QNN {SDK} "
          f"({asked})")
    print(row(("model", "arch", "their session", "units", *KINDS)))
    for path in files:
        for arch in SOCS:
            recording = recordings[path.name]
            compared, differences = compare(recording, arch, check(args.cli, path, arch))
            counts = [sum(kind == k for kind, _ in differences) for k in KINDS]
            print(row((path.name, arch, recording["answers"][arch]["session"], compared, *counts)))
            total += compared
            for kind, name in differences:
                totals[kind] += 1
                found.add((path.name, arch, kind, name))
    print(row(("all", "", "", total, *totals.values())))

    if args.shrink:
        shrink_expected(found)
    listed = load_expected()
    for model, arch, kind, name in sorted(found):
        reason = listed.get((model, arch, kind, name))
        print(f"{kind}: {model} {arch} {name}: {reason or 'NOT EXPECTED'}")
        if reason is None:
            problems.append(f"new difference {kind}: {model} {arch} {name}")
    for model, arch, kind, name in sorted(set(listed) - found):
        problems.append(f"expected.json lists a difference that is gone, take it out: "
                        f"{kind}: {model} {arch} {name}")
    for problem in problems:
        print(f"FAIL {problem}")
    print("PASS" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
