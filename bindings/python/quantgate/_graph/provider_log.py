"""What the log of ONNX Runtime's QNN provider and the errors of its sessions say."""

from __future__ import annotations

import re
from typing import Any

PROVIDER = "QNNExecutionProvider"

_UNIT = re.compile(r"Validation (PASSED|FAILED) for (\d+) nodes in \w+ \((\w+)\)")
_MEMBER = re.compile(r"\s*Operator type: (\S+) Node name: (.*) Node index: \d+")
_CODE = re.compile(r"(?:[Ee]rror|[Cc]ode)[:= ]+(0x[0-9a-fA-F]+|\d{3,5})")
_QDQ = ("QuantizeLinear", "DequantizeLinear")


def parse_units(log: str) -> dict[str, dict[str, Any]]:
    """{node: {"op", "verdict", "size"}} of each node that the provider evaluated. An op with the Q and DQ
    it absorbed goes by the op's name. The provider looks twice, before and after it changes the layout, and what
    it says last of a unit counts: one that was refused may be taken, and the other way round."""
    units: dict[str, dict[str, Any]] = {}
    lines = iter(log.splitlines())
    for line in lines:
        head = _UNIT.search(line)
        if not head:
            continue
        passed, size, op = head[1] == "PASSED", int(head[2]), head[3]
        members = [m for m in (_MEMBER.match(next(lines, "")) for _ in range(size)) if m]
        for member_op, name in (m.groups() for m in members):
            if member_op in _QDQ and size > 1 and op not in _QDQ:
                continue
            units.setdefault(name, {"op": member_op, "size": size})["verdict"] = "taken" if passed else "refused"
    return units


def session_state(error: str) -> str:
    """ok, compose_fails, finalize_fails, or invalid: the graph died otherwise."""
    for text, state in (("Failed to finalize", "finalize_fails"), ("Failed to compose", "compose_fails")):
        if text in error:
            return state
    return "invalid" if error else "ok"


def code_of(error: str, log: str) -> str:
    """The code that the library gave for a session that failed; '' = none is found."""
    # The refusal of a single op, in the log too, isn't why a session fails.
    lines = [line for line in log.splitlines() if "rror" in line and "alidat" not in line]
    for text in (error, *reversed(lines)):
        found = _CODE.findall(text)
        if found:
            return str(found[-1])
    return ""
