"""Constraints that the answers of a library suggest.

A candidate is a constraint of the database's own vocabulary. It is proposed where no accepted
configuration breaks it and several that the library refuses, and quantgate accepts, do. What is
proposed is consistent with every answer seen and no more than that: a person decides.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from .configuration import Configuration, Port
from .database import Op
from .verdicts import Verdict

UNIVERSAL = re.compile(r"QG\d+ ")  # a rule without a constraint of the op
NO_ROW = re.compile(r"QG2\d\d ")

Holds = Callable[[Configuration], "bool | None"]  # None = does not apply

# A refusal speaks for a candidate only where the library's message is about such a thing.
WORDS = {
    "rank": ("rank", "dimensions"),
    "same_shape": ("rank", "dim", "shape", "elements"),
    "dim": ("dim", "shape", "height", "width", "depth", "batch", "channel", "size"),
    "param_value": ("param", "axis", "value"),
    "param_required": ("param", "number of"),
    "port_optional": ("number of", "null", "mandatory", "rank 0"),
}


@dataclass
class Candidate:
    text: dict[str, Any]  # port, kind, its fields, `when`
    holds: Holds
    cost: int  # simpler ones win
    # A relation says something only where its right side varies among accepted configurations.
    varies: Callable[[Configuration], Any] | None = None
    least_values: int = 1


@dataclass
class Proposal:
    op: str
    candidate: Candidate
    explains: int  # refused configurations that nothing else explained
    accepted: int  # accepted configurations it was held against


def _rank(name: str) -> Callable[[Configuration], Any]:
    def rank(c: Configuration) -> int | None:
        port = _port(c, name)
        return None if port is None else len(port.dims)

    return rank


def _dim(name: str, i: int) -> Callable[[Configuration], Any]:
    def dim(c: Configuration) -> int | None:
        port = _port(c, name)
        return port.dims[i] if port is not None and -len(port.dims) <= i < len(port.dims) else None

    return dim


def _port(c: Configuration, name: str) -> Port | None:
    direction, index = name[:-1].split("[")
    ports: list[Any] = c.inputs if direction == "in" else c.outputs
    at = int(index)
    return ports[at] if at < len(ports) else None


def _scalar(c: Configuration, name: str) -> Any:
    value = c.params.get(name)
    if not value or "tensor" in value:
        return None
    return next(iter(value.values()))


def _pair(c: Configuration, a: str, b: str) -> tuple[Port, Port] | None:
    first, second = _port(c, a), _port(c, b)
    return (first, second) if first is not None and second is not None else None


def _rank_between(name: str, low: int, high: int) -> Holds:
    def holds(c: Configuration) -> bool | None:
        port = _port(c, name)
        return None if port is None else low <= len(port.dims) <= high

    return holds


def _rank_relation(name: str, others: list[str], expected: Callable[[list[int]], int]) -> Holds:
    def holds(c: Configuration) -> bool | None:
        port = _port(c, name)
        ranks = [p and len(p.dims) for p in (_port(c, other) for other in others)]
        if port is None or None in ranks:
            return None
        return len(port.dims) == expected(ranks)  # type: ignore[arg-type]

    return holds


def _same_shape(a: str, b: str) -> Holds:
    def holds(c: Configuration) -> bool | None:
        pair = _pair(c, a, b)
        return None if pair is None else pair[0].dims == pair[1].dims

    return holds


def _same_dim(a: str, i: int, b: str, j: int) -> Holds:
    def holds(c: Configuration) -> bool | None:
        pair = _pair(c, a, b)
        if pair is None or not (-len(pair[0].dims) <= i < len(pair[0].dims) and -len(pair[1].dims) <= j < len(pair[1].dims)):
            return None
        return pair[0].dims[i] == pair[1].dims[j]

    return holds


def _axis_in_range(param: str, name: str, low: int, slack: int) -> Holds:
    def holds(c: Configuration) -> bool | None:
        port, value = _port(c, name), _scalar(c, param)
        if port is None or value is None:
            return None
        return low <= value <= len(port.dims) - 1 + slack

    return holds


def _one_of(param: str, values: frozenset[Any]) -> Holds:
    def holds(c: Configuration) -> bool | None:
        value = _scalar(c, param)
        return None if value is None else value in values

    return holds


def _given_param(param: str) -> Holds:
    return lambda c: param in c.params


def _given_port(name: str) -> Holds:
    return lambda c: _port(c, name) is not None


def _dim_is_param(name: str, i: int, param: str) -> Holds:
    def holds(c: Configuration) -> bool | None:
        port, value = _port(c, name), _scalar(c, param)
        if port is None or value is None or not -len(port.dims) <= i < len(port.dims):
            return None
        return port.dims[i] == value

    return holds


def _candidates(verdicts: list[Verdict]) -> Iterator[Candidate]:
    accepted = [v.configuration for v in verdicts if v.library == "accepted"]
    names = sorted({name for c in accepted for name, _ in c.ports()})
    params = sorted({p for v in verdicts for p in v.configuration.params})
    for name in names:
        ranks = {len(port.dims) for c in accepted for n, port in c.ports() if n == name}
        low, high = min(ranks), max(ranks)
        text = {"port": name, "kind": "rank", "min": low, "max": high}
        yield Candidate(text, _rank_between(name, low, high), 1)
        if name.startswith("in"):
            yield Candidate({"port": name, "kind": "port_optional", "allowed": False}, _given_port(name), 1)
    for name in names:
        for other in names:
            if other == name or (name.startswith("in") and other >= name):
                continue
            yield Candidate({"port": name, "kind": "same_shape", "as": other}, _same_shape(name, other), 1)
            for plus in (0, 1, -1, 2, -2):
                text = {"port": name, "kind": "rank", "eq": f"rank({other}){plus:+d}" if plus else f"rank({other})"}
                yield Candidate(text, _rank_relation(name, [other], lambda r, plus=plus: r[0] + plus), 2, _rank(other), 2)  # type: ignore[misc]
            for i in (0, 1, 2, 3, -1, -2):
                for j in (0, 1, 2, 3, -1, -2):
                    text = {"port": name, "kind": "dim", "dim": i, "eq": f"dim({other},{j})"}
                    yield Candidate(text, _same_dim(name, i, other, j), 3 if i == j else 4, _dim(other, j), 3)
        for param in params:
            for i in (0, 1, 2, 3, -1):
                yield Candidate({"port": name, "kind": "dim", "dim": i, "eq": f"param:{param}"}, _dim_is_param(name, i, param), 4, _dim(name, i), 3)
    if "out[0]" in names and {"in[0]", "in[1]"} <= set(names):
        pair = ["in[0]", "in[1]"]
        text = {"port": "out[0]", "kind": "rank", "eq": "max(rank(in[0]),rank(in[1]))"}
        yield Candidate(text, _rank_relation("out[0]", pair, max), 2, _rank("out[0]"), 2)
        text = {"port": "out[0]", "kind": "rank", "eq": "rank(in[0])+rank(in[1])-1"}
        yield Candidate(text, _rank_relation("out[0]", pair, lambda r: r[0] + r[1] - 1), 2, _rank("out[0]"), 2)
    for param in params:
        yield Candidate({"port": param, "kind": "param_required"}, _given_param(param), 1)
        for name in names:
            for low, slack in ((0, 0), (0, 1)):
                text = {"port": param, "kind": "param_value", "min": low, "max": f"rank({name})" + ("-1" if not slack else "")}
                yield Candidate(text, _axis_in_range(param, name, low, slack), 2)
        values = frozenset(x for x in (_scalar(c, param) for c in accepted) if x is not None)
        if 0 < len(values) <= 8:
            text = {"port": param, "kind": "param_value", "allowed": sorted(values, key=float)}
            yield Candidate(text, _one_of(param, values), 3)


def _conditions(verdicts: list[Verdict]) -> Iterator[tuple[dict[str, Any], Callable[[Configuration], bool]]]:
    """No condition, then each value of the params that have few."""
    yield {}, lambda c: True
    params = sorted({p for v in verdicts for p in v.configuration.params})
    for param in params:
        values = Counter(repr(_scalar(v.configuration, param)) for v in verdicts)
        for value in [x for x in values if x != "None" and values[x] >= 10][:24]:
            yield {"param": {param: [json.loads(value.lower())]}}, lambda c, param=param, value=value: repr(_scalar(c, param)) == value  # type: ignore[misc]


def propose(verdicts: Iterable[Verdict], least: int) -> list[Proposal]:
    """Per op, greedily: simple candidates first, among them what explains most of what is left."""
    by_op: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_op.setdefault(verdict.configuration.op, []).append(verdict)
    proposals: list[Proposal] = []
    for op, of_op in sorted(by_op.items()):
        if not any(v.library == "accepted" for v in of_op):
            continue
        wrong = [v for v in of_op if v.kind() == "false acceptance"]
        if not wrong:
            continue
        scored: list[tuple[Candidate, set[int], int]] = []
        for condition, applies in _conditions(of_op):
            good = [v.configuration for v in of_op if v.library == "accepted" and applies(v.configuration)]
            bad = [v for v in wrong if applies(v.configuration)]
            if len(good) < 5 or len(bad) < least:
                continue
            for candidate in _candidates([v for v in of_op if applies(v.configuration)]):
                words = WORDS[candidate.text["kind"]]
                broken = {
                    v.line
                    for v in bad
                    if any(word in v.message.lower() for word in words) and candidate.holds(v.configuration) is False
                }
                if len(broken) < least or any(candidate.holds(c) is False for c in good):
                    continue
                held = sum(candidate.holds(c) is True for c in good)
                if held < 5:
                    continue
                if candidate.varies and len({candidate.varies(c) for c in good} - {None}) < candidate.least_values:
                    continue
                text = dict(candidate.text, when=condition) if condition else candidate.text
                scored.append((Candidate(text, candidate.holds, candidate.cost + (2 if condition else 0)), broken, held))
        left = {v.line for v in wrong}
        while scored:
            best, broken, held = min(scored, key=lambda s: (s[0].cost, -len(s[1] & left)))
            proposals.append(Proposal(op, best, len(broken & left), held))
            left -= broken
            scored = [s for s in scored if len(s[1] & left) >= least]
    return proposals


def _short(value: Any) -> Any:
    """Ports as the op files write them: in0 for in[0]."""
    if isinstance(value, str):
        return re.sub(r"\b(in|out)\[(\d+)\]", r"\1\2", value)
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list) else value


def constraint_edits(proposals: list[Proposal], sdk: str) -> Iterator[dict[str, Any]]:
    for p in proposals:
        text = dict(p.candidate.text)
        port, kind, when = text.pop("port"), text.pop("kind"), text.pop("when", None)
        body: Any = {kind: _short(text) or None} | ({"when": _short(when)} if when else {})
        yield {"op": p.op, "why": f"explains {p.explains} refusals of {sdk}, holds for {p.accepted} accepted configurations",
               "add_constraint": {"section": f"measured {sdk}..", "port": _short(port), "body": body}}  # fmt: skip


@dataclass
class Relaxation:
    op: str
    constraint: str  # its id within the op
    settles: int  # accepted configurations that nothing else refuses
    right: int  # refused configurations that it alone refuses


def relaxations(verdicts: Iterable[Verdict], least: int) -> list[Relaxation]:
    """Constraints that alone refuse what the library accepts, and never what it refuses."""
    wrong: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for v in verdicts:
        if len(v.constraints) == 1 and v.library in ("accepted", "rejected") and not UNIVERSAL.match(v.constraints[0]):
            (wrong if v.library == "accepted" else right)[(v.configuration.op, v.constraints[0].split("/", 2)[-1])] += 1
    return [Relaxation(op, name, n, right[op, name]) for (op, name), n in sorted(wrong.items()) if n >= least and not right[op, name]]


def relaxation_edits(found: list[Relaxation], sdk: str) -> Iterator[dict[str, Any]]:
    for r in found:
        yield {"op": r.op, "why": f"{sdk} accepts {r.settles} configurations that {r.constraint} alone refuses, and refuses none of these",
               "until": {"id": r.constraint, "sdk": sdk}}  # fmt: skip


@dataclass(frozen=True, order=True)
class NewRow:
    op: str
    group: str
    dtypes: tuple[str, ...]  # per declared port, inputs then outputs; "-" = absent


def _columns(op: Op, c: Configuration) -> tuple[str, ...] | None:
    """A datatype for each declared port; None where the tensors of a variadic one differ."""
    columns = []
    for declared, ports in ((op.inputs, c.inputs), (op.outputs, c.outputs)):
        for i, port in enumerate(declared):
            tensors = list(ports[i:] if port.get("variadic") else ports[i:i + 1])
            dtypes = {"-" if t is None else t.dtype for t in tensors} or {"-"}
            if len(dtypes) > 1:
                return None
            columns.append(dtypes.pop())
    return tuple(columns)


def rows(verdicts: Iterable[Verdict], ops: Iterable[Op]) -> list[NewRow]:
    """Rows of datatypes that the library accepts and no row of the database holds."""
    by_name = {op.name: op for op in ops}
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for v in verdicts:
        if v.kind() == "false rejection" and v.constraints and all(NO_ROW.match(c) for c in v.constraints):
            columns = _columns(by_name[v.configuration.op], v.configuration)
            if columns is not None:
                found.setdefault((v.configuration.op, columns), v.configuration.group)
    return sorted(NewRow(op, group, columns) for (op, columns), group in found.items())


def row_edits(found: list[NewRow], sdk: str) -> Iterator[dict[str, Any]]:
    for row in found:
        yield {"op": row.op, "why": f"op validation of {sdk} accepts these datatypes; nobody has executed them",
               "add_row": {"section": f"measured {sdk}..", "group": row.group, "row": " ".join(row.dtypes), "verdict": "undocumented"}}  # fmt: skip


def version_edits(database: dict[str, Any], backend: str, sdk: str, agrees: bool) -> Iterator[dict[str, Any]]:
    """What a version that the database doesn't know needs: its source and its place among the SDKs."""
    listed = next((b.get("sdks", []) for b in database["backends"] if b["name"] == backend), [])
    if not any(s.get("kind") == "measured" and s["sdk"] == sdk and backend in s.get("backends", []) for s in database["sources"]):
        source = {"id": f"measured-{sdk}", "kind": "measured", "sdk": sdk, "backends": [backend],
                  "title": f"libQnn{backend.capitalize()} {sdk}, x86-64 library: op validation"}  # fmt: skip
        yield {"why": f"{sdk} was asked", "source": source if agrees else source | {"partial": True}}
        if sdk not in listed:
            yield {"why": f"{sdk} was asked", "backend": backend, "sdk": sdk}


def edits(verdicts: list[Verdict], ops: list[Op], backend: str, sdk: str, least: int, database: dict[str, Any]) -> list[dict[str, Any]]:
    """Edits for `opdefc propose` that settle at least `least` disagreements each."""
    agrees = all(v.kind() not in ("false rejection", "false acceptance") for v in verdicts)
    made = [*constraint_edits(propose(verdicts, least), sdk), *relaxation_edits(relaxations(verdicts, least), sdk),
            *row_edits(rows(verdicts, ops), sdk)]  # fmt: skip
    return [*version_edits(database, backend, sdk, agrees), *({"backend": backend, **edit} for edit in made)]
