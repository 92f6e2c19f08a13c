"""What an answer of quantgate is worth, measured against a case's expectation. Nothing is run here."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from collection import CONSEQUENCES, WRONG, Case, places

# Worst first. A log that is explained is "understood", in tables and messages.
STATUSES = ("missed", "partly", "reported")
Json = dict[str, Any]


@dataclass
class Answer:
    """One run of quantgate."""

    exit: int
    stderr: str
    report: Json | None


@dataclass
class Outcome:
    """What a case came to, and why it isn't `reported`."""

    status: str
    why: str = ""


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None


def severity(consequence: str) -> int:
    return CONSEQUENCES.index(consequence) if consequence in CONSEQUENCES else -1


def strings(value: Any) -> list[str]:
    """Every text in `value`, at any depth."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


def first(parts: list[str], limit: int = 3) -> str:
    unique = list(dict.fromkeys(part for part in parts if part))
    return ", ".join(unique[:limit]) + (", …" if len(unique) > limit else "")


# ---- logs ---------------------------------------------------------------------------------------

def rules_of_log(finding: Json) -> list[str]:
    return [rule if isinstance(rule, str) else rule["code"] for rule in finding.get("rules", [])]


def rule_complaint(named: set[str], allowed: list[str] | None, known: frozenset[str]) -> str:
    """Why the rules that an explanation names aren't those of the case; "" if they are."""
    if allowed is None:
        return ""
    fit = {rule for rule in named if rule in allowed or ("new" in allowed and rule not in known)}
    if named - fit:
        return f"names {first(sorted(named - fit))}"
    wanted = [rule for rule in allowed if rule.startswith("QG")]
    if wanted and "none" not in allowed and not named:
        return f"names none of {first(wanted)}"
    return ""


def score_log(case: Case, answer: Answer, known: frozenset[str]) -> Outcome:
    findings = (answer.report or {}).get("findings", [])
    if not findings:
        return Outcome("missed", "the lines are unknown")
    expect = case.expect
    # `message` is the line itself, `node` a name out of it.
    text = "\n".join(strings([{key: value for key, value in finding.items() if key not in ("message", "node")}
                              for finding in findings]))
    nodes = {finding.get("node", "") for finding in findings}
    reasons = [reason for reason in expect["reason"] if not matches(reason, text)]
    node = "node" in expect and expect["node"] not in nodes
    action = "action" in expect and not matches(expect["action"], text)
    rules = rule_complaint({rule for f in findings for rule in rules_of_log(f)}, expect.get("rules"), known)
    if not (reasons or node or action or rules):
        return Outcome("reported")
    why = "; ".join(filter(None, [
        f"the node {expect.get('node')} is not named" if node else "",
        f"doesn't say {' nor '.join(reasons)}" if reasons else "",
        f"doesn't say what to do ({expect.get('action')})" if action else "", rules]))
    some = len(reasons) < len(expect["reason"]) or ("node" in expect and not node)
    return Outcome("partly" if some else "missed", why)


# ---- models -------------------------------------------------------------------------------------

def unreadable(answer: Answer) -> str:
    if answer.report is not None:
        return ""
    line = (answer.stderr.strip().splitlines() or ["no report"])[0]
    return f"exit status {answer.exit}: {re.sub(r'^error: ', '', line)}"


def words(finding: Json) -> str:
    return "\n".join(finding.get(key, "") for key in ("message", "found", "allowed"))


def right_rule(finding: Json, allowed: list[str] | None, known: frozenset[str]) -> bool:
    return allowed is None or finding["code"] in allowed or ("new" in allowed and finding["code"] not in known)


def in_short(finding: Json) -> str:
    return f"{finding['code']} ({finding['consequence']}) at {finding['node'] or 'the model'}"


def score_nodes(case: Case, answer: Answer, known: frozenset[str]) -> Outcome:
    broken = unreadable(answer)
    if broken:
        return Outcome("missed", broken)
    expect = case.expect
    wanted = places(expect)
    least = severity(expect["least"])
    findings = (answer.report or {})["findings"]

    def here(finding: Json) -> bool:
        return (finding["node"] or "model") in wanted

    def reason(finding: Json) -> bool:
        return right_rule(finding, expect.get("rules"), known) and matches(expect["reason"], words(finding))

    def heavy(finding: Json) -> bool:
        return severity(finding["consequence"]) >= least

    if any(here(f) and reason(f) and heavy(f) for f in findings):
        return Outcome("reported")
    milder = [f for f in findings if here(f) and reason(f)]
    if milder:
        return Outcome("partly", f"too mild: {first([in_short(f) for f in milder])}")
    other = [f for f in findings if here(f) and heavy(f)]
    if other:
        return Outcome("partly", f"another reason: {first([in_short(f) for f in other])}")
    elsewhere = [f for f in findings if reason(f) and heavy(f)]
    if elsewhere:
        return Outcome("partly", f"elsewhere: {first([in_short(f) for f in elsewhere])}")
    counted = [f for f in findings if severity(f["consequence"]) >= 0]
    return Outcome("missed", f"only {first([in_short(f) for f in counted])}" if counted else "nothing is found")


def score_target(case: Case, answer: Answer, known: frozenset[str]) -> Outcome:
    """The chip, SDK or arch itself: what error, target, notes and findings of the model say."""
    expect = case.expect
    report = answer.report or {}
    of_model = [f for f in report.get("findings", []) if not f["node"]]
    said = "\n".join([answer.stderr, json.dumps(report.get("target", {})), *report.get("notes", []),
                      *(words(f) for f in of_model)])
    complaints = []
    if not matches(expect["reason"], said):
        complaints.append(f"doesn't say {expect['reason']}")
    found = report.get("target", {}).get("arch", "")
    if "arch" in expect and found != expect["arch"]:
        complaints.append(f"arch {found or 'unknown'} instead of {expect['arch']}")
    if "exit" in expect and answer.exit not in expect["exit"]:
        complaints.append(f"exit status {answer.exit}")
    if expect.get("rules") and not any(right_rule(f, expect["rules"], known) for f in of_model):
        complaints.append(f"no finding {first(expect['rules'])}")
    if not complaints:
        return Outcome("reported")
    said_it = matches(expect["reason"], said) or ("arch" in expect and found == expect["arch"])
    return Outcome("partly" if said_it else "missed", "; ".join(filter(None, [*complaints, unreadable(answer)])))


def score(case: Case, answer: Answer, known: frozenset[str]) -> Outcome:
    if case.kind == "log":
        return score_log(case, answer, known)
    return (score_target if case.expect["at"] == "target" else score_nodes)(case, answer, known)


def called_wrong(answer: Answer) -> str:
    """What a working variant is accused of; "" if nothing."""
    broken = unreadable(answer)
    if broken:
        return broken
    return first([f"{in_short(f)}: {f['message']}" for f in (answer.report or {})["findings"]
                  if f["consequence"] in WRONG])
