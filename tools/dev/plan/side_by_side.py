"""Planned models against those of the official configuration: what is counted, and the page."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from pathlib import Path

import places
from labelling import in_file

PAGE = places.ROOT / "docs" / "records" / "plan.md"
OFFICIAL_LABELS = places.LABELS
BEGIN, END = "<!-- plan: written by qgdev plan record -->", "<!-- /plan -->"
# Numbers that differ by less than the CPU's own do when its inputs move by 1/256.
LEAST_NOISE = 0.005
REFUSED = ("refused", "unchecked")


def answers(folder: Path, export: places.Export, form: str, arch: str) -> dict:
    path = folder / f"{export}.json"
    return json.loads(path.read_text()).get(form, {}).get(arch, {}) if path.is_file() else {}


def refused_units(label: dict) -> dict[str, str]:
    units = (label.get("session") or {}).get("units") or {}
    return {name: unit["op"] for name, unit in units.items() if unit["verdict"] == "refused"}


def nodes_of(plan: dict) -> dict[str, dict]:
    """By name: the planned node, or the one that it became part of."""
    by_name = {node["name"]: node for node in plan["nodes"]}
    return {name: by_name.get(node.get("into", ""), node) for name, node in by_name.items()}


def numbers(label: dict) -> tuple[float, float] | None:
    """How far the worst output is from float, and its noise."""
    outputs = [o for o in ((label.get("numbers") or {}).get("outputs") or {}).values()
               if isinstance(o, dict) and o.get("float") is not None]
    if not outputs:
        return None
    worst = max(outputs, key=lambda o: o["float"])
    return worst["float"], worst["noise"]


class Form:
    """One form of the planned models beside its official counterpart."""

    def __init__(self, form: str, official: str) -> None:
        self.form, self.official = form, official
        self.counts: Counter = Counter()
        self.pairs: list[tuple[float, float]] = []
        self.notes: list[str] = []
        self.reasons: Counter = Counter()  # (operator, why) of nodes that the plan calls refused

    def add(self, export: places.Export, arch: str) -> None:
        mine = answers(places.LABELS, export, self.form, arch)
        theirs = answers(OFFICIAL_LABELS, export, self.official, arch)
        if "session" not in mine or "session" not in theirs:
            return
        self.counts["models"] += 1
        plan = json.loads((export.folder / f"{self.form}.plan.json").read_text())
        wanting = {node["name"] for node in plan["nodes"] if node.get("fit") in REFUSED}
        self.reasons.update((node["op"], node.get("reason", "")) for node in plan["nodes"] if node["name"] in wanting)
        for node in plan["nodes"]:
            self.counts[f"fit {node.get('fit', 'into')}"] += 1
        refused = refused_units(mine)
        self.counts["refused"] += len(refused)
        self.counts["official refused"] += len(refused_units(theirs))
        planned = nodes_of(plan)
        of_unit = {name: in_file(name, planned) for name in refused}
        self.counts["refused of the runtime's"] += sum(node is None for node in of_unit.values())
        surprises = {name: op for name, op in refused.items() if of_unit[name] is not None
                     and planned[of_unit[name]]["name"] not in wanting and op not in ("QuantizeLinear", "DequantizeLinear")}
        self.counts["refused against the plan"] += len(surprises)
        known = refused_units(theirs)
        own = {name: op for name, op in surprises.items() if name not in known}
        self.counts["refused here only"] += len(own)
        if surprises and not own:
            name, op = next(iter(surprises.items()))
            self.notes.append(f"`{export}` {self.form}: {len(surprises)} units such as {op} `{name}` are refused, in the "
                              "official model too, and the plan has them")
        for name, op in own.items():
            self.notes.append(f"`{export}` {self.form}: {op} `{name}` is refused here only, and the plan has it")
        self._sessions(export, mine, theirs, bool(wanting), bool(surprises))
        self._numbers(export, mine, theirs)

    def _sessions(self, export: places.Export, mine: dict, theirs: dict, wanting: bool, surprised: bool) -> None:
        for who, label in (("", mine), ("official ", theirs)):
            self.counts[f"{who}built"] += label["session"]["state"] == "ok"
            self.counts[f"{who}whole"] += (label.get("strict") or {}).get("state") == "ok"
        if not wanting:
            self.counts["should be whole"] += 1
            strict = (mine.get("strict") or {}).get("state", "not asked")
            self.counts["should be whole, is"] += strict == "ok"
            if strict != "ok" and not surprised:
                other = (theirs.get("strict") or {}).get("state", "not asked")
                code = (mine.get("strict") or {}).get("code", "")
                self.counts["fails in both"] += strict == other
                self.notes.append(f"`{export}` {self.form}: no session without fallback: {f'{strict} {code}'.rstrip()}; "
                                  f"the official model: {other}")

    def _numbers(self, export: places.Export, mine: dict, theirs: dict) -> None:
        own, other = numbers(mine), numbers(theirs)
        if own is None or other is None:
            return
        self.counts["compared"] += 1
        self.pairs.append((own[0], other[0]))
        if own[0] <= other[0] + max(own[1], other[1], LEAST_NOISE):
            self.counts["not worse"] += 1
        else:
            self.notes.append(f"`{export}` {self.form}: {own[0]:.4f} off float, the official path "
                              f"{other[0]:.4f} (noise {max(own[1], other[1]):.4f})")

    def column(self) -> dict[str, tuple[str, str]]:
        c = self.counts
        part = lambda a, b: f"{c[a]} / {c[b]}"  # noqa: E731
        median = ([f"{statistics.median(p[i] for p in self.pairs):.4f}" for i in (0, 1)] if self.pairs else ["", ""])
        planned = sum(c[f"fit {fit}"] for fit in ("as_wished", "nearest", "float", "refused", "unchecked"))
        return {
            "models": (str(c["models"]), str(c["models"])),
            "nodes planned as wished": (f"{c['fit as_wished']} / {planned}", ""),
            "units that the provider refuses": (str(c["refused"]), str(c["official refused"])),
            "of these made by ONNX Runtime, not in the file": (str(c["refused of the runtime's"]), ""),
            "of these planned as accepted": (str(c["refused against the plan"]), ""),
            "of these accepted in the official model": (str(c["refused here only"]), ""),
            "sessions that are built": (part("built", "models"), part("official built", "models")),
            "sessions without fallback": (part("whole", "models"), part("official whole", "models")),
            "the same of models whose plan refuses nothing": (part("should be whole, is", "should be whole"), ""),
            "of the others: the official model fails alike": (str(c["fails in both"]), ""),
            "outputs run on the NPU, off float: median": (median[0], median[1]),
            "models not worse than the official, beyond noise": (part("not worse", "compared"), ""),
        }


def write(exports: list[places.Export], forms: dict[str, str], arch: str, _: Path) -> None:
    columns = []
    for form, official in forms.items():
        one = Form(form, official)
        for export in exports:
            one.add(export, arch)
        columns.append(one)
    heads = [f"{c.form} planned | {c.official} official" for c in columns]
    models = " and ".join(f"{c.counts['models']} in {c.form}" for c in columns)
    lines = [BEGIN, f"Of the {len(exports)} exports that the zoo has, {models} were quantized and run both ways.", "",
             "| | " + " | ".join(heads) + " |", "|---|" + "---|---|" * len(columns)]
    for what in columns[0].column():
        cells = [" | ".join(c.column()[what]) for c in columns]
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    failed = sorted(path for path in places.MODELS.rglob("*.failed"))
    notes = [note for c in columns for note in c.notes]
    notes += [f"`{path.parent.name}` {path.stem}: not made: {path.read_text().strip()}" for path in failed]
    reasons: Counter = sum((c.reasons for c in columns), Counter())
    lines += ["", f"{sum(reasons.values())} nodes that the plans call refused or unchecked, and why:", ""]
    lines += [f"- {count} × {op}: {why}" for (op, why), count in sorted(reasons.items(), key=lambda r: (-r[1], r[0]))]
    lines += ["", f"{len(notes)} differences from the goals:", ""] + [f"- {note}" for note in notes] + [END]
    text = PAGE.read_text()
    before, rest = text.split(BEGIN, 1)
    PAGE.write_text(before + "\n".join(lines) + rest.split(END, 1)[1])
    print("\n".join(lines))
