"""quantgate's verdicts against recorded answers; known differences."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import store

KNOWN = Path(__file__).resolve().parent / "known_differences.json"
EDGES_KNOWN = KNOWN.with_name("edges_known.json")
# About op validation; the last two about values.
FALSE_REJECTION, FALSE_ACCEPTANCE, UNKNOWN = "false_rejection", "false_acceptance", "unknown"
MISSED, FALSE_ALARM = "wrong_values_missed", "wrong_values_false_alarm"
# A graph that fails to prepare or run, and quantgate expects it to work; and the reverse.
MISSED_FAILURE, FALSE_FAILURE = "prepare_fails_missed", "prepare_fails_false_alarm"
AGREES, NOT_ASKED = "agrees", "not_asked"


def of_validation(answer: str, verdict: str) -> str:
    """A crash or a hang of op validation is a refusal: nothing good comes of such an op."""
    if answer == "not queried":
        return NOT_ASKED
    if verdict == "unchecked":
        return UNKNOWN
    if (verdict == "rejected") == (answer != "accepted"):
        return AGREES
    return FALSE_REJECTION if verdict == "rejected" else FALSE_ACCEPTANCE


def says_wrong_values(said: dict[str, Any]) -> bool:
    return any(consequence == "wrong_values" for consequence, _ in said["findings"])


def announces_failure(said: dict[str, Any]) -> bool:
    """Whether quantgate expects that the graph isn't prepared, or for a worse reason not taken."""
    return said["verdict"] in ("rejected", "prepare_fails") or foresees_failure(said)


def foresees_failure(said: dict[str, Any]) -> bool:
    return any(consequence == "prepare_fails" for consequence, _ in said["findings"])


def of_values(outcome: str, said: dict[str, Any]) -> str:
    """Of what was run and judged. A finding of wrong values counts whatever the verdict is."""
    if outcome == "wrong":
        return AGREES if says_wrong_values(said) else MISSED
    if outcome == "right":
        return FALSE_ALARM if says_wrong_values(said) else AGREES
    return NOT_ASKED


@dataclass
class Difference:
    target: str
    agreement: str
    configuration: str  # digest
    op: str
    why: str  # what both said


@dataclass
class Result:
    """Of one set on one target."""

    counts: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))  # by op
    differences: list[Difference] = field(default_factory=list)
    total: Counter = field(default_factory=Counter)

    def add(self, op: str, agreement: str) -> None:
        self.counts[op][agreement] += 1
        self.total[agreement] += 1


def validation(recording: store.Recording, target: str, said: list[dict[str, Any]]) -> Result:
    result = Result()
    for model, answer, ours in zip(recording.configurations, recording.validation(target), said):
        op = model["nodes"][0]["op"]
        agreement = of_validation(answer, ours["verdict"])
        result.add(op, agreement)
        if answer.startswith("crash"):
            result.total["crash"] += 1
        if agreement in (FALSE_REJECTION, FALSE_ACCEPTANCE, UNKNOWN):
            causes = sorted({c for consequence, c in ours["findings"] if consequence == ours["verdict"]})
            why = f"library {answer}, quantgate {ours['verdict']}" + (f" by {', '.join(causes)}" if causes else "")
            result.differences.append(Difference(target, agreement, store.digest(model), op, why))
    return result


def execution(recording: store.Recording, target: str, said: list[dict[str, Any]]) -> Result:
    result = Result()
    for case, got, ours in zip(recording.configurations, recording.execution(target), said):
        op, outcome = case["op"], got["outcome"]
        result.counts[op][outcome] += 1
        result.total[outcome] += 1
        agreement = of_values(outcome, ours)
        if agreement != NOT_ASKED:
            result.counts[op][agreement] += 1
            result.total[agreement] += 1
        if outcome == "prepare_fails":
            detected = announces_failure(ours)
            result.total["failure_detected"] += detected
            # Graphs of the oracle lack the option that lets FLOAT_32 run as FLOAT_16.
            result.total["failure_of_float"] += not detected and any(t.get("dtype") == "FLOAT_32" for t in case["model"]["tensors"])
        if outcome == "wrong":
            # Refused for a worse reason is no silence.
            warned = ours["verdict"] in ("rejected", "prepare_fails", "wrong_values")
            result.total["wrong_warned"] += warned
        if agreement in (MISSED, FALSE_ALARM):
            causes = sorted({c for consequence, c in ours["findings"] if consequence == "wrong_values"})
            why = f"values {outcome}, off by {got['steps']:g} steps, {got['fraction']:g} of the range; quantgate {ours['verdict']}"
            result.differences.append(Difference(target, agreement, store.digest(case["model"]), op,
                                                 why + (f" by {', '.join(causes)}" if causes else "")))  # fmt: skip
    return result


def load_known(file: Path | None = None) -> list[dict[str, Any]]:
    file = file or KNOWN
    return json.loads(file.read_text())["differences"] if file.is_file() else []


def _keys(entry: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(target, entry["agreement"], c) for target in entry["targets"] for c in entry["configurations"]}


def problems(differences: list[Difference], known: list[dict[str, Any]]) -> list[str]:
    """What the list of known differences lacks, and what it lists for nothing."""
    listed = set().union(*map(_keys, known)) if known else set()
    found = {(d.target, d.agreement, d.configuration): d for d in differences}
    new = [f"new difference: {d.agreement} of {d.op} {d.configuration} on {d.target}: {d.why}"
           for key, d in found.items() if key not in listed]  # fmt: skip
    gone = Counter((agreement, target) for target, agreement, c in listed - set(found))
    return new + [f"{n} listed differences are gone ({agreement} on {target}); take them out: tools/dev/qgdev update differences"
                  for (agreement, target), n in sorted(gone.items())]  # fmt: skip


UNEXPLAINED = "not explained"


def update_known(differences: list[Difference], known: list[dict[str, Any]], file: Path | None = None) -> None:
    """Takes out what is gone. What is new is listed with the reason that the same configuration
    has on another target, else with that of the same op, agreement and cause, else as
    unexplained, with what both said."""
    by_configuration = {(e["agreement"], c): e["reason"] for e in known for c in e["configurations"]}
    by_cause = {(e["agreement"], e["op"], e.get("said", "")): e["reason"] for e in known}
    entries: dict[tuple[str, str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for d in differences:
        said = d.why.split("; ")[-1] if d.agreement in (MISSED, FALSE_ALARM) else d.why
        reason = by_configuration.get((d.agreement, d.configuration)) or by_cause.get((d.agreement, d.op, said)) or UNEXPLAINED
        entries[(d.op, d.agreement, reason, said)][d.configuration].add(d.target)
    out = []
    for (op, agreement, reason, said), configurations in sorted(entries.items()):
        by_targets: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for configuration, targets in configurations.items():
            by_targets[tuple(sorted(targets, key=store.target_key))].append(configuration)
        for targets, listed in sorted(by_targets.items()):
            out.append({"op": op, "agreement": agreement, "reason": reason, "said": said, "targets": list(targets),
                        "configurations": sorted(listed)})  # fmt: skip
    text = "{\n \"differences\": [\n" + ",\n".join("  " + json.dumps(e) for e in out) + "\n ]\n}\n"
    (file or KNOWN).write_text(text if out else '{\n "differences": []\n}\n')


MOST_SHOWN = 40


def reported(problems: list[str], seconds: float) -> int:
    """Prints the end of a run; its exit status."""
    for problem in problems[:MOST_SHOWN]:
        print(f"FAIL {problem}")
    if len(problems) > MOST_SHOWN:
        print(f"FAIL and {len(problems) - MOST_SHOWN} more")
    print(f"{'PASS' if not problems else f'{len(problems)} problems'} in {seconds:.0f} s")
    return 1 if problems else 0
