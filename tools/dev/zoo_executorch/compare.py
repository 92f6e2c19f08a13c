"""quantgate's reports against what the real lowering did with the recorded graphs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import places

KINDS = ("missed-refusal", "false-refusal", "unknown", "missed-failure", "false-failure", "stopped-annotated",
         "stopped-converted")
REFUSED = ("rejected", "prepare_fails")
FATAL = (*REFUSED, "wrong_values")
TARGET = ("--route", "executorch", "--sdk", "2.49", "--soc", "SM8550")

# (kind, case, node); a difference of a whole graph has the node "".
Difference = tuple[str, str, str]


@dataclass
class Outcome:
    counts: Counter = field(default_factory=Counter)
    differences: dict[Difference, str] = field(default_factory=dict)


def reports(cli: Path, models: list[dict]) -> list[dict]:
    lines = "\n".join(json.dumps(model, separators=(",", ":")) for model in models)
    done = subprocess.run([str(cli), "check", "-", "--input-format", "jsonl", *TARGET, "--as-run", "--format", "json"],
                          input=lines, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"error: quantgate check: exit status {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def reasons(report: dict, node: str) -> str:
    return "; ".join(f"{f['code']} {f['port']}: {f['message']}" for f in report["findings"]
                     if f["node"] == node and f["consequence"] in (*FATAL, "unchecked"))[:300]


def compare_nodes(outcome: Outcome, case: places.Case, labels: dict, report: dict) -> None:
    for node in report["nodes"]:
        state = labels["nodes"].get(node["name"])
        if state is None:
            continue
        refused = node["verdict"] in REFUSED
        outcome.counts["refused" if state == "r" else "accepted"] += 1
        kind = ("unknown" if node["verdict"] == "unchecked" else
                "missed-refusal" if state == "r" and not refused else
                # What fails in preparation is accepted by the partitioner.
                "false-refusal" if state == "a" and node["verdict"] == "rejected" else "")
        if kind:
            outcome.counts[kind] += 1
            why = reasons(report, node["name"]) or node.get("reason", "")
            outcome.differences[kind, str(case), node["name"]] = f"{node['op']} {why}"


def wrong_nodes(report: dict) -> list[str]:
    return sorted({f["node"] for f in report["findings"] if f["consequence"] == "wrong_values" and f["node"]})


def compare_numbers(outcome: Outcome, executed: dict[str, str], report: dict) -> bool:
    """Against what was executed; whether the numbers of a node that stops the graph are wrong."""
    results = [executed.get(node) for node in wrong_nodes(report)]
    # What the library refuses has no numbers; one that was never put to it counts as not executed.
    outcome.counts["found-wrong"] += len(results)
    outcome.counts["executed"] += sum(result in ("wrong", "between", "right") for result in results)
    outcome.counts["executed-wrong"] += results.count("wrong")
    return "wrong" in results


def stopping(report: dict) -> str:
    found = [f for f in report["findings"] if f["consequence"] in FATAL]
    return "; ".join(f"{f['code']} {f['node']} {f['op']} {f['port']}: {f['message']}" for f in found[:3])[:500]


def compare_case(outcome: Outcome, case: places.Case, labels: dict, executed: dict[str, str], annotated: dict,
                 converted: dict) -> None:
    outcome.counts["cases"] += 1
    outcome.counts["findings"] += len(converted["findings"])
    compare_nodes(outcome, case, labels, converted)
    proven = compare_numbers(outcome, executed, converted)
    predicted = converted["asRun"]["session"].get("reason", "")
    if labels["failure"]:
        outcome.counts["failures"] += 1
        if not predicted:
            outcome.counts["missed-failure"] += 1
            outcome.differences["missed-failure", str(case), ""] = json.dumps(labels["failure"])[:300]
        return
    outcome.counts["lowered"] += 1
    if predicted:
        outcome.counts["false-failure"] += 1
        outcome.differences["false-failure", str(case), ""] = predicted
    if labels["cpu"]:
        return
    outcome.counts["whole"] += 1
    for stage, report in (("annotated", annotated), ("converted", converted)):
        if report["verdict"] in FATAL:
            outcome.counts[f"stopped-{stage}"] += 1
            outcome.counts[f"proven-{stage}"] += proven
            outcome.differences[f"stopped-{stage}", str(case), ""] = stopping(report)


def compare(cli: Path, found: Iterable[tuple[places.Case, dict]], executed: dict[str, dict[str, str]]) -> Outcome:
    outcome = Outcome()
    for case, recorded in found:
        annotated, converted = reports(cli, [recorded["annotated"], recorded["converted"]])
        compare_case(outcome, case, recorded["labels"], executed.get(str(case), {}), annotated, converted)
    return outcome
