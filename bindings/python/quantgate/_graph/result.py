"""What quantgate predicts of a model and what the provider makes of it, side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quantgate._graph.reduction import NOISES, OFF, is_off

_QDQ = ("QuantizeLinear", "DequantizeLinear")
_REFUSED = ("rejected", "prepare_fails")
_STATES = {
    "ok": "can be built", "compose_fails": "can't be composed", "finalize_fails": "can't be finalized",
    "invalid": "can't be built", "crash": "crashes the process", "timeout": "hangs", "on_cpu": "needs the CPU",
    "run_fails": "can be built, and fails when it runs",
    "cpu_fails": "can be built; the CPU can't run the model, so values are not compared",
}


@dataclass
class Difference:
    node: str
    op: str
    provider: str
    predicted: str


@dataclass
class Graph:
    """One model on one target."""

    model: str
    report: dict[str, Any]  # quantgate's, as JSON
    provider: dict[str, str]
    session: dict[str, Any]  # the worker's answer
    strict: dict[str, Any]
    first: dict[str, Any] | None = None  # where the numbers begin to be off
    differences: list[Difference] = field(default_factory=list)
    reduced: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.differences = list(_differences(self.report, self.session))

    @property
    def built(self) -> bool:
        return self.session["state"] in ("ok", "cpu_fails")

    @property
    def predicted_built(self) -> bool:
        return bool(self.report["asRun"]["session"]["made"])

    @property
    def session_as_predicted(self) -> bool:
        if self.built != self.predicted_built:
            return False
        return not self.built or bool(self.session["graphs"] == len(self.report["asRun"]["partitions"]))

    @property
    def whole(self) -> bool:
        return str(self.strict["state"]) == "ok"

    @property
    def predicted_whole(self) -> bool:
        places = self.report["asRun"]["placements"]
        return self.predicted_built and places["cpu"] == 0 and places["refused"] == 0

    @property
    def numbers_off(self) -> bool:
        return is_off(self.session)

    @property
    def numbers_as_predicted(self) -> bool:
        return not self.numbers_off or bool(self.first and self.first["findings"])

    @property
    def as_predicted(self) -> bool:
        return (self.session_as_predicted and self.whole == self.predicted_whole and not self.differences
                and self.numbers_as_predicted)

    def json(self) -> dict[str, Any]:
        outputs = [{"name": name, **one, "isOff": one["off"] > OFF and one["off"] > NOISES * one["noise"]}
                   for name, one in (self.session.get("outputs") or {}).items()]
        session = {"state": self.session["state"], "code": self.session.get("code", ""),
                   "message": self.session.get("message", ""), "graphs": self.session.get("graphs"),
                   "predictedBuilt": self.predicted_built,
                   "predictedGraphs": len(self.report["asRun"]["partitions"]),
                   "asPredicted": self.session_as_predicted}
        whole = {"is": self.whole, "predicted": self.predicted_whole, "state": self.strict["state"]}
        return {"schemaVersion": "2", "model": self.model, "target": self.report["target"],
                "provider": self.provider, "session": session, "whole": whole,
                "nodes": {"accepted": len(self._accepted()), "refused": len(self._refused()),
                          "differences": [vars(one) for one in self.differences]},
                "numbers": {"outputs": outputs, "first": self.first,
                            "asPredicted": self.numbers_as_predicted},
                "reduced": self.reduced, "asPredicted": self.as_predicted}

    def _refused(self) -> set[str]:
        return set(self.session.get("refused", [])) | set(self.session.get("cpu", []))

    def _accepted(self) -> set[str]:
        return set(self.session.get("accepted", [])) - self._refused()

    def text(self, verbose: bool = False) -> str:
        lines = [f"{self.model} on {_target(self.report['target'])}, "
                 f"onnxruntime-qnn {self.provider['onnxruntimeQnn']}", ""]
        rows = [("", "provider", "quantgate", ""), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip((*row, ""), (*widths, 0, 0))).rstrip()
                  for row in rows]
        lines += self._details(verbose)
        lines += ["", "as predicted" if self.as_predicted else "not as predicted"]
        return "\n".join(lines) + "\n"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        def mark(same: bool) -> str:
            return "" if same else "differs"

        state = _STATES.get(self.session["state"], self.session["state"])
        rows = [("session", state, "can be built" if self.predicted_built else "can't be built",
                 mark(self.built == self.predicted_built))]
        if self.built:
            graphs = len(self.report["asRun"]["partitions"])
            rows.append(("graphs on the NPU", str(self.session["graphs"]), str(graphs),
                         mark(self.session["graphs"] == graphs)))
        rows.append(("whole on the NPU", _yes(self.whole), _yes(self.predicted_whole),
                     mark(self.whole == self.predicted_whole)))
        rows.append(("nodes", f"{len(self._accepted())} accepted, {len(self._refused())} not",
                     f"{len(self.differences)} differ" if self.differences else "the same",
                     mark(not self.differences)))
        if self.session.get("outputs") is not None:
            said = "a finding there" if self.first and self.first["findings"] else "no finding there"
            rows.append(("numbers", "off" if self.numbers_off else "as on the CPU",
                         said if self.numbers_off else "", mark(self.numbers_as_predicted)))
        return rows

    def _details(self, verbose: bool) -> list[str]:
        lines: list[str] = []
        if self.session.get("message"):
            lines += ["", f"  {self.session['message']}"]
        most = None if verbose else 10
        if self.differences:
            lines += ["", "  nodes that differ:"]
            lines += [f"    {one.node} ({one.op}): {one.provider}, predicted {one.predicted}"
                      for one in self.differences[:most]]
            left = len(self.differences) - len(self.differences[:most])
            lines += [f"    and {left} more (--verbose)"] if left else []
        outputs = list((self.session.get("outputs") or {}).items())
        worst = sorted(outputs, key=lambda one: -one[1]["off"])[:most]
        if worst and (self.numbers_off or verbose):
            lines += ["", "  off by, as a part of the spread of the CPU's values (the CPU's own noise):"]
            lines += [f"    {name}: {_percent(one['off'])} ({_percent(one['noise'])})" for name, one in worst]
        if self.first and self.first["node"]:
            found = ", ".join(self.first["findings"]) or "none"
            lines += [f"    it begins at {self.first['node']} ({_percent(self.first['off'])}); "
                      f"findings there: {found}"]
        if self.reduced:
            lines += ["", *_reduced_lines(self.reduced)]
        return lines


def _reduced_lines(reduced: dict[str, Any]) -> list[str]:
    if not reduced["file"]:
        return [f"  nothing to reduce: {reduced['reason']}"]
    found = ", ".join(reduced["findings"]) or "nothing: please report it, the file is all that is needed"
    return [f"  {reduced['file']}: {reduced['ops']} of {reduced['of']} ops still fail ({reduced['kind']})",
            f"  ops: {', '.join(reduced['nodes'])}", f"  quantgate says of it: {found}"]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _percent(value: float) -> str:
    return "more than 10,000 %" if value > 100 else f"{100 * value:.2g} %"


def _target(target: dict[str, Any]) -> str:
    soc = target.get("soc") or target.get("socName") or ""
    return (f"{soc}, " if soc else "") + f"{target.get('arch', '')}, QNN {target.get('sdk', '')}"


def _differences(report: dict[str, Any], session: dict[str, Any]) -> list[Difference]:
    """An op stands for the Q and DQ around it; one of these counts where it stands alone."""
    refused = set(session.get("refused", [])) | set(session.get("cpu", []))
    asked = set(session.get("accepted", [])) | refused
    nodes = {node["name"]: node for node in report["nodes"]}
    built = session["state"] in ("ok", "cpu_fails")
    result = []
    for name in (node["name"] for node in report["nodes"] if node["name"] in asked):
        node = nodes[name]
        owner = node.get("into")
        if node["op"] in _QDQ and owner and (name not in refused or owner in refused):
            continue
        verdict = nodes.get(owner, node)["verdict"] if owner else node["verdict"]
        if name in refused and verdict not in _REFUSED:
            result.append(Difference(name, node["op"], "refused", verdict))
        elif name not in refused and (verdict == "rejected" or verdict == "prepare_fails" and built):
            result.append(Difference(name, node["op"], "accepted", verdict))
    return result
