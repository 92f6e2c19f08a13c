"""The CPU backend as its library takes it: cpu.yaml (rows) and cpu_agreed.yaml (constraints) beside this file.

From the measured SDK on, the rows of an op that was asked about are these; the documents' rows, which
list datatypes per port, end there.
"""
import itertools
import pathlib
import re

import yaml

from . import ports as port_tools
from .constraints import finish
from .supplement import Supplement

_FOLDER = pathlib.Path(__file__).parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ROWS = yaml.load((_FOLDER / "cpu.yaml").read_text(encoding="utf-8"), Loader=_LOADER)
_AGREED = yaml.load((_FOLDER / "cpu_agreed.yaml").read_text(encoding="utf-8"), Loader=_LOADER)
BACKEND = "cpu"
SDK = _ROWS["sdk"]
SOURCE = f"measured-{SDK}"
# What running a row's graph alone gave, the best first: it speaks for the row.
_RAN = ("right", "unknown", "wrong", "fails")
_SPOILED = {"fails": ("prepare_fails", "taken by op validation; a graph of it can't be made or run"),
            "wrong": ("wrong_values", "taken by op validation, computed wrong")}


class Cpu(Supplement):
    """The documents, and what was measured beside and beyond them."""

    def __init__(self, facts):
        super().__init__(facts, BACKEND)
        self.examples = {op: _examples(facts, op) for op in self.ops}

    def target(self):
        return {"tuple_rows": SDK, "sdks": [*self.sdks, SDK], "first_measured": SDK}

    def build(self, op, notes):
        items, counts = super().build(op, notes)
        document = dict(items)
        rows = [r for r in _ROWS["rows"] if r["op"] == op]
        if op in _ROWS["refused"]:
            return [*items[:3], ("until", SDK), *items[3:]], counts
        if rows:
            self._measured(op, document, rows)
        return list(document.items()), counts

    def _measured(self, op, document, rows):
        names = [p["port"] for side in ("inputs", "outputs") for p in document[side]]
        documented = [v for v in document["variants"] if "until" not in v]
        examples = self.examples[op]
        shown = {at for e in examples.values() for at, dims in zip(_places(e, document), e["inputs"] + e["outputs"]) if dims}
        found = {}  # row by declared port -> what running it gave
        for row in rows:
            for single in _by_port(row, examples[str(row["example"])], document, documented, shown):
                found[single] = min(found.get(single, _RAN[-1]), row["ran"], key=_RAN.index)
        needed = _needed(found, names)
        found = {single: ran for single, ran in found.items() if not any(_leaves_out(single, other) for other in found)}
        added = _variants(found, documented)
        for variant in documented:
            variant.update(until=SDK, sources=variant.pop("sources"))  # Ranges before sources.
        numbers = {v["group"]: 0 for v in document["variants"]}
        for variant in document["variants"]:
            numbers[variant["group"]] += 1
        for variant in added:
            number = numbers[variant["group"]] = numbers.get(variant["group"], 0) + 1
            document["variants"].append({"id": f"{variant['group']}.{number}", **variant})
        document["sources"] = [*document["sources"], SOURCE]
        constraints = needed + _of_groups(added, names) + _of_first(rows, examples, document)
        constraints += _of_operations(rows, examples, document) + _agreed(op)
        _relax(op, document.get("constraints", ()))
        finished = finish(constraints, names, [p["name"] for p in document.get("params", ())])
        taken = {c["id"] for c in document.get("constraints", ())}
        for constraint in finished:
            if constraint["id"] in taken:
                constraint["id"] += "-measured"
        if finished:
            document["constraints"] = document.get("constraints", []) + finished


def _finding(port, kind, consequence="rejected", note=None, **fields):
    made = {"port": port, "kind": kind, **fields, "since": SDK, "consequence": consequence, "sources": [SOURCE]}
    return dict(made, note=note) if note else made


def _examples(facts, op):
    """By tag, or by number where there is none."""
    return {e.get("tag", str(n)): e for n, e in enumerate(port_tools.examples(facts, op))}


def _places(example, document):
    """Of each tensor of an example, the number of its declared port."""
    inputs, outputs = document["inputs"], document["outputs"]
    return ([min(i, len(inputs) - 1) for i in range(len(example["inputs"]))]
            + [len(inputs) + min(i, len(outputs) - 1) for i in range(len(example["outputs"]))])


def _lists(row):
    return [part if isinstance(part, list) else [part] for part in row["dtypes"]]


def _by_port(row, example, document, documented, shown):
    """A row of tensors as rows of declared ports; a variadic port has a list of what its tensors
    have. A port that no example has takes what the documents list."""
    lists, places = _lists(row), _places(example, document)
    count = len(document["inputs"]) + len(document["outputs"])
    merged = len(set(places)) < len(places)
    # Tensors of a variadic port that are all alike stay rows of their own.
    singles = itertools.product(*lists)
    result = set()
    for single in singles:
        entries = [set() for _ in range(count)]
        for at, dtype in zip(places, single):
            if dtype is not None:
                entries[at].add(dtype)
        result.add(tuple(tuple(sorted(e)) for e in entries))
    if merged:
        result = _joined(result)
    return [tuple(entry or (None if i in shown else _listed(i, documented)) for i, entry in enumerate(single)) for single in result]


def _joined(rows):
    """Mixed tensors of a variadic port: one row with all that go together with the same rest."""
    plain = {r for r in rows if all(len(e) < 2 for e in r)}
    by_rest = {}
    for row in rows - plain:
        at = next(i for i, e in enumerate(row) if len(e) > 1)
        by_rest.setdefault((at, row[:at], row[at + 1:]), set()).update(row[at])
    return plain | {before + (tuple(sorted(dtypes)),) + after for (_, before, after), dtypes in by_rest.items()}


def _listed(place, documented):
    listed = {d for v in documented if v["dtypes"][place] for d in _as_list(v["dtypes"][place])}
    return tuple(sorted(listed)) or None


def _leaves_out(single, other):
    """Whether a row is another one without some optional ports, which that row covers."""
    return single != other and all(a == b or a is None for a, b in zip(single, other))


def _needed(found, names):
    """Optional ports without which rows fail that run with them."""
    missing = {}
    for single, ran in found.items():
        fuller = [other for other, its in found.items() if _leaves_out(single, other) and its == "right"]
        if ran == "fails" and fuller:
            for at, (a, b) in enumerate(zip(single, fuller[0])):
                if a is None and b is not None:
                    missing.setdefault(names[at], set()).update(single[0])
    return [dict(_finding(port, "port_optional", "prepare_fails", "taken by op validation; without it a graph can't be made",
                          allowed=False, when={"dtype_of": {names[0]: sorted(dtypes)}}), slug="needed") for port, dtypes in missing.items()]


def _as_list(value):
    return value if isinstance(value, (list, tuple)) else [value]


def _group(single, documented):
    """The documented group whose lists hold a row, or None."""
    for variant in documented:
        if all(entry is None or (listed and set(entry) <= set(_as_list(listed)))
               for entry, listed in zip(single, variant["dtypes"])):
            return variant["group"]
    return None


def _variants(found, documented):
    by_kind = {}
    for single, ran in found.items():
        group = _group(single, documented)
        sources = [*documented[0]["sources"][-1:], SOURCE] if group else [SOURCE]
        consequence = None
        if group is None and ran in _SPOILED:
            group = ran
        elif group is None:
            group = next((v["group"] for v in documented if single[0] and set(single[0]) <= set(_as_list(v["dtypes"][0] or []))),
                         documented[0]["group"] if documented else "measured")
            consequence = "undocumented" if ran == "unknown" else None
        by_kind.setdefault((group, consequence, tuple(sources)), set()).add(single)
    result = []
    order = {v["group"]: i for i, v in enumerate(documented)}
    for (group, consequence, sources), singles in sorted(by_kind.items(), key=lambda k: (order.get(k[0][0], 99), str(k[0]))):
        for box in _products(singles):
            variant = {"group": group, "dtypes": [_flat(part) for part in box], "since": SDK}
            if consequence:
                variant["consequence"] = consequence
            result.append(dict(variant, sources=list(sources)))
    return result


def _flat(part):
    return None if not part else part[0] if len(part) == 1 else list(part)


def _products(singles):
    """Rows that differ at one port become one with a list there."""
    boxes = sorted(singles, key=str)
    merged = True
    while merged:
        merged = False
        for at in range(len(boxes[0])):
            alike = {}
            for box in boxes:
                alike.setdefault(box[:at] + box[at + 1:], []).append(box[at])
            joined = [rest[:at] + (tuple(sorted(set(itertools.chain(*(p or () for p in parts))))) or None,) + rest[at:]
                      for rest, parts in alike.items() if all(parts) or not any(parts)]
            joined += [rest[:at] + (part,) + rest[at:] for rest, parts in alike.items()
                       if any(parts) and not all(parts) for part in parts]
            merged |= len(joined) < len(boxes)
            boxes = joined
    return sorted(boxes, key=str)


def _of_groups(variants, names):
    """What becomes of the rows that fail or are computed wrong."""
    result = []
    for group, (consequence, note) in _SPOILED.items():
        at = next((i for i, n in enumerate(names) if n.startswith("out")), 0)
        denied = sorted({d for v in variants if v["group"] == group for d in _as_list(v["dtypes"][at]) if d})
        if denied:
            result.append(dict(_finding(names[at], "dtypes", consequence, note, denied=denied),
                               groups=[group], slug=f"rows-{group}"))
    return result


def _of_first(rows, examples, document):
    """Where op validation looks at the first tensor of a variadic input alone, its datatypes."""
    if not document["inputs"][-1:] or "..m]" not in document["inputs"][0]["port"]:
        return []
    first, every = {}, {}
    for row in rows:
        lists, example = _lists(row), examples[str(row["example"])]
        for out in lists[len(example["inputs"])]:
            first.setdefault(out, set()).update(lists[0])
            every.setdefault(out, set()).update(*lists[:len(example["inputs"])])
    by_allowed = {}
    for out, allowed in first.items():
        if allowed != every[out]:
            by_allowed.setdefault(tuple(sorted(allowed)), []).append(out)
    return [dict(_finding("in[0]", "dtypes", allowed=list(allowed), when={"dtype_of": {"out[0]": sorted(outs)}}), slug="first-dtypes")
            for allowed, outs in sorted(by_allowed.items())]


def _of_operations(rows, examples, document):
    """The datatypes of in[0] and out[0] that each operation of a generic op takes."""
    declared = next((p for p in document.get("params", ()) if p["name"] == "operation"), None)
    if declared is None:
        return []
    names = {number: name for name, number in declared.get("values", {}).items()}
    result = []
    for port, at in (("in[0]", 0), ("out[0]", -1)):
        taken = {}
        for row in rows:
            number = examples[str(row["example"])]["params"]["operation"]
            taken.setdefault(names.get(number, number), set()).update(_lists(row)[at])
        by_allowed = {}
        for operation, allowed in taken.items():
            by_allowed.setdefault(tuple(sorted(allowed)), []).append(operation)
        result += [dict(_finding(port, "dtypes", allowed=list(allowed), when={"param": {"operation": sorted(operations, key=str)}}),
                        slug="dtypes-of-operation") for allowed, operations in sorted(by_allowed.items())]
    return result


def _agreed(op):
    return [_finding(c["port"], c["kind"], c.get("consequence", "rejected"),
                     **{k: v for k, v in c.items() if k not in ("op", "port", "kind", "consequence")})
            for c in _AGREED["added"] if op in _as_list(c["op"])]


def _relax(op, constraints):
    for item in _AGREED["relaxed"]:
        if op not in _as_list(item["op"]):
            continue
        found = [c for c in constraints if re.fullmatch(item["id"], c["id"])]
        if not found:
            raise ValueError(f"cpu_agreed.yaml: no constraint {item['id']} of {op}")
        for constraint in found:
            sources = [*constraint.pop("sources"), SOURCE]
            constraint.update(measured={"since": SDK, "consequence": "undocumented"}, sources=sources)
