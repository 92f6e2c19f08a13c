"""quantgate's reports against the provider's answers: what is counted, and every difference by name.

A case is a model of the zoo (an export in a form) on an arch. A difference is
  missed-refusal   a node that the provider refuses, and quantgate doesn't
  false-refusal    a node that it accepts, and quantgate refuses
  unknown          a node that quantgate doesn't check
  whole            whether everything runs on the NPU
  graphs           the number of graphs the NPU gets
  missed-failure   a session that can't be built, not predicted
  false-failure    a session that is built, predicted not to be
  missed-numbers   numbers that are off, and no finding at the node where that begins
  missed-op        an op that alone computes something else, and no finding at it
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import onnx_nodes
from limits import NOISES, OFF
from recordings import Recording

SDK = "2.51"
REFUSED = ("rejected", "prepare_fails")
QDQ = ("QuantizeLinear", "DequantizeLinear")
KINDS = ("missed-refusal", "false-refusal", "unknown", "whole", "graphs", "missed-failure", "false-failure",
         "missed-numbers", "missed-op")
# Findings that say that numbers suffer.
TELLING = ("wrong_values", "altered", "advice", "rejected", "prepare_fails")

Difference = tuple[str, str, str, str, str]  # kind, export, form, arch, node


@dataclass
class Outcome:
    counts: Counter = field(default_factory=Counter)
    differences: dict[Difference, str] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        self.counts.update(other.counts)
        self.differences.update(other.differences)


def check(cli: Path, path: Path, arch: str, sdk: str = SDK) -> dict:
    command = [str(cli), "check", str(path), "--sdk", sdk, "--arch", arch, "--route", "onnxruntime",
               "--mode", "warn", "--as-run", "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | {"NO_COLOR": "1"})
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def compare_nodes(nodes: list[tuple[str, str]], report: dict, label: dict, note) -> Counter:
    """Units: an op stands for the Q and DQ around it; one of these counts where it stands alone."""
    counts: Counter = Counter()
    verdicts = {node["name"]: node for node in report["nodes"]}
    marks = {name: mark for (name, _), mark in zip(nodes, label["units"])}
    built = label["state"] == "ok"
    for (name, op), mark in zip(nodes, label["units"]):
        if mark in ".c" or name not in verdicts:
            continue
        node = verdicts[name]
        owner = node.get("into")
        if op in QDQ and owner and (mark != "r" or marks.get(owner) == "r"):
            continue
        verdict = verdicts.get(owner, node)["verdict"] if owner else node["verdict"]
        if mark == "r":
            counts["refused"] += 1
            if verdict not in REFUSED:
                note("missed-refusal", name, f"{op} {verdict}")
        else:
            counts["accepted"] += 1
            if verdict == "rejected" or verdict == "prepare_fails" and built:
                note("false-refusal", name, f"{op} {verdict}")
        if verdict == "unchecked":
            note("unknown", name, op)
    return counts


def compare_session(report: dict, label: dict, note) -> Counter:
    counts: Counter = Counter()
    as_run = report["asRun"]
    parts = as_run["partitions"]
    made = as_run["session"]["made"]
    places = as_run["placements"]
    whole = made and places["cpu"] == 0 and places["refused"] == 0
    if label["strict"] in ("ok", "on_cpu", "compose_fails", "finalize_fails", "invalid", "crash"):
        counts["wholes"] += 1
        if whole != (label["strict"] == "ok"):
            note("whole", "", f"{label['strict']}, and quantgate says {'whole' if whole else 'not whole'}")
    if label["state"] == "ok":
        counts["built"] += 1
        counts["graphed"] += 1
        if not made:
            note("false-failure", "", as_run["session"].get("reason", ""))
        if label["graphs"] != len(parts):
            note("graphs", "", f"{label['graphs']}, and quantgate says {len(parts)}")
    elif label["state"] not in ("timeout", "error"):
        counts["unbuildable"] += 1
        if made:
            note("missed-failure", "", f"{label['state']} {label['code']}")
    return counts


def off(numbers: dict | None) -> tuple[float, float]:
    """The worst output: how far it is off, and its noise."""
    outputs = [o for o in (numbers or {}).values() if isinstance(o, dict)]
    worst = max(outputs, key=lambda o: o["off"], default={"off": 0.0, "noise": 0.0})
    return worst["off"], worst["noise"]


def is_off(numbers: dict | None) -> bool:
    return any(o["off"] > OFF and o["off"] > NOISES * o["noise"]
               for o in (numbers or {}).values() if isinstance(o, dict))


def compare_numbers(report: dict, label: dict, before: dict[str, set[str]], note) -> Counter:
    counts: Counter = Counter()
    telling = {f["node"] for f in report["findings"] if f["consequence"] in TELLING}
    # What is dropped has no result of its own: the op that reads it is the first to be off.
    dropped = {f["node"] for f in report["findings"]
               if f["rule"] == "built-otherwise" and f["consequence"] == "wrong_values"}
    into = {node["name"]: node.get("into") or node["name"] for node in report["nodes"]}
    telling |= {into.get(name, name) for name in telling}
    if label["numbers"] is not None and label["state"] == "ok":
        counts["run"] += 1
        if is_off(label["numbers"]):
            counts["off"] += 1
            first = label.get("first")
            if first is None or not (into.get(first, first) in telling or before.get(first, set()) & dropped):
                note("missed-numbers", first or "", "{:.3f} off, noise {:.3f}".format(*off(label["numbers"])))
    if label["alone"] is not None:
        counts["alone_run"] += label["alone"]["run"]
        for name, result in label["alone"]["off"].items():
            counts["alone_off"] += 1
            if into.get(name, name) not in telling:
                note("missed-op", name, f"{result['off']:.3f} of the range, {result['steps']:.1f} steps")
    return counts


def compare_report(place: tuple[str, str, str], nodes: list[tuple[str, str]], report: dict, label: dict,
                   before: dict[str, set[str]] | None = None) -> Outcome:
    """Of a case at (export, form, arch). `before`: what each node follows; without it numbers aren't compared."""
    outcome, kinds = Outcome(), []

    def note(kind: str, node: str, why: str) -> None:
        outcome.differences[(kind, *place, node)] = why
        kinds.append(kind)

    outcome.counts["cases"] += 1
    if label["units"]:
        outcome.counts.update(compare_nodes(nodes, report, label, note))
    outcome.counts.update(compare_session(report, label, note))
    if before is not None:
        outcome.counts.update(compare_numbers(report, label, before, note))
    outcome.counts.update(kinds)
    return outcome


def compare_model(cli: Path, recording: Recording, form: str, model: bytes, labels: dict,
                  archs: list[str]) -> Outcome:
    outcome = Outcome()
    nodes, before = onnx_nodes.nodes(model), onnx_nodes.before(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{form}.onnx"
        path.write_bytes(model)
        for arch in archs:
            label = labels[arch]
            if label["state"] is None:
                continue
            report = check(cli, path, arch)
            outcome.add(compare_report((str(recording.export), form, arch), nodes, report, label, before))
    return outcome


def compare(cli: Path, recordings: list[Recording], archs: list[str], progress: bool = False) -> Outcome:
    total = Outcome()
    todo = []
    for recording in recordings:
        labels = recording.labels()
        todo += [(recording, form, model, labels[form]) for form, model in recording.models().items()]

    def one(item) -> Outcome:
        recording, form, model, labels = item
        return compare_model(cli, recording, form, model, labels, archs)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for i, outcome in enumerate(pool.map(one, todo)):
            total.add(outcome)
            if progress and sys.stderr.isatty():
                print(f"\r{i + 1}/{len(todo)} models", end="", file=sys.stderr)
    return total
