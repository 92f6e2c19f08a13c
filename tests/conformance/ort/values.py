#!/usr/bin/env python3
"""What the provider's graphs compute, against the CPU: which nodes of the small models come out wrong.

    values.py [--cli build/bin/quantgate]   the recorded answers against quantgate (standard library only)
    values.py --record                      runs the models on both and writes values.json

A node is off by the largest difference from the CPU over the largest result of the CPU, both as
float; from 0.2 on it computes something else. quantgate must then report `wrong_values`, and must
not where a node that the provider takes comes out right; what can't be run it must refuse. What differs is listed in
values_expected.json with its reason; one that is listed and gone fails too. On v73.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import compare

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "values.json"
EXPECTED = HERE / "values_expected.json"
ARCH = "v73"
WRONG = 0.2


def files() -> list[Path]:
    return sorted((HERE / "models").glob("attributes_*.onnx"))


# ---- recording ----------------------------------------------------------------------------------

def compute(model: bytes, devices: list, options: dict, feeds: dict | None = None) -> list:
    """By the provider of the devices, else by the CPU; random values of floats where none are given."""
    import numpy as np
    import onnxruntime as ort

    session_options = ort.SessionOptions()
    session_options.log_severity_level = 4
    if devices:
        session_options.add_provider_for_devices(devices, options)
    else:
        session_options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model, session_options)
    session.disable_fallback()
    rng = np.random.default_rng(20250)
    if feeds is None:
        feeds = {given.name: rng.uniform(0.05, 2.5, given.shape).astype(np.float32)  # of roots and logarithms too
                 for given in session.get_inputs()}
    return session.run(None, feeds)


def off(want: object, got: object) -> float:
    import numpy as np

    want, got = np.asarray(want, np.float64), np.asarray(got, np.float64)
    if want.shape != got.shape or (np.isfinite(want).all() and not np.isfinite(got).all()):
        return 9.0
    both = np.isfinite(want) & np.isfinite(got)
    largest = max(float(np.abs(want[both]).max(initial=0)), 1e-6)
    return min(float(np.abs(want - got)[both].max(initial=0)) / largest, 9.0)


def record() -> dict:
    """Each node by itself: where one can't be run, the others still are."""
    import onnx

    import ask_provider
    import units

    asker = ask_provider.Asker(ARCH)
    answers = {}
    for path in files():
        cutter = units.Cutter(onnx.load(path))
        by_node: dict[str, float | str] = {}
        for name, node in cutter.nodes.items():
            if node.op_type in units.QDQ:
                continue
            model = cutter.cut(name).SerializeToString()
            want = compute(model, [], {})
            try:
                got = compute(model, [asker._device], asker._provider_options)
            except Exception:  # the bindings raise many types
                by_node[name] = "fails"
                continue
            by_node[name] = round(max(map(off, want, got)), 3)
        answers[path.name] = {"sha256": compare.digest(path), "off": by_node}
    return {"sdk": compare.SDK, "arch": ARCH, "files": answers}


# ---- comparing ----------------------------------------------------------------------------------

def differences(answers: dict, recording: dict, nodes: dict[str, dict]) -> set[tuple[str, str]]:
    """{(kind, node)}: failure-unsaid, wrong-unsaid, said-but-right."""
    on_cpu = set(recording["answers"][ARCH]["refused"])
    found = set()
    for name, by in answers["off"].items():
        if name in on_cpu or nodes[name]["verdict"] in ("rejected", "prepare_fails"):
            continue
        said = nodes[name]["verdict"] == "wrong_values"
        if by == "fails":
            found.add(("failure-unsaid", name))
        elif by >= WRONG and not said:
            found.add(("wrong-unsaid", name))
        elif by < WRONG and said:
            found.add(("said-but-right", name))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, default=compare.ROOT / "build/bin/quantgate")
    parser.add_argument("--record", action="store_true", help="run the models and write values.json")
    args = parser.parse_args()
    if args.record:
        RECORDED.write_text(json.dumps(record(), indent=1) + "\n")
        return 0
    recorded = json.loads(RECORDED.read_text())["files"]
    listed = {(e["model"], e["kind"], name) for e in json.loads(EXPECTED.read_text()) for name in e["nodes"]}
    found = set()
    recordings = compare.load_recordings(files())
    for path in files():
        if recorded[path.name]["sha256"] != compare.digest(path):
            print(f"error: {path.name} has changed since values.json was recorded", file=sys.stderr)
            return 2
        nodes = compare.check(args.cli, path, ARCH)
        found |= {(path.name, *difference) for difference in
                  differences(recorded[path.name], recordings[path.name], nodes)}
    total = sum(len(answers["off"]) for answers in recorded.values())
    wrong = sum(by != "fails" and by >= WRONG for answers in recorded.values() for by in answers["off"].values())
    print(f"{total} nodes, {wrong} of them compute something else; {len(found)} differences, {len(listed)} listed")
    for model, kind, name in sorted(found - listed):
        print(f"{model}: {kind}: {name}", file=sys.stderr)
    for model, kind, name in sorted(listed - found):
        print(f"{model}: listed and gone: {kind}: {name}", file=sys.stderr)
    return 1 if found != listed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.TimeoutExpired as error:
        sys.exit(f"error: {error}")
