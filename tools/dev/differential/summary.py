"""The disagreements as a page: classes first, the most frequent on top."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

from .verdicts import Verdict, counts


def general(message: str) -> str:
    """A library's message without the numbers and addresses of the case."""
    return re.sub(r"\b0x[0-9a-fA-F]+\b|\b\d+(\.\d+)?\b", "N", message)[:140]


def reason(verdict: Verdict) -> str:
    """quantgate's constraints for a false rejection, else the library's message."""
    return ", ".join(verdict.constraints) if verdict.kind() == "false rejection" else general(verdict.message)


def classes(verdicts: list[Verdict], kind: str) -> list[tuple[tuple[str, str, str], list[Verdict]]]:
    """Disagreements of one kind by (op, reason, mutation)."""
    grouped: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.kind() != kind:
            continue
        mutation = " + ".join(sorted(verdict.configuration.mutations)) or "none"
        grouped[(verdict.configuration.op, reason(verdict), mutation)].append(verdict)
    return sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))


def smallest(verdicts: list[Verdict]) -> Verdict:
    """The one with the fewest mutations, then the shortest model."""
    return min(verdicts, key=lambda v: (len(v.configuration.mutations), len(v.configuration.key()), v.line))


def _table(title: str, counted: Counter[str], limit: int) -> list[str]:
    lines = [f"### {title}", "", "| n | what |", "|---|---|"]
    lines += [f"| {n} | {what.replace('|', '/')} |" for what, n in counted.most_common(limit)]
    return lines + [""]


def family(verdict: Verdict) -> str:
    """What kind of change a configuration has: shapes apart from datatypes and encodings."""
    words = {label.split()[0] for label in verdict.configuration.mutations if label != "per-channel weights"}
    if not words:
        return "none"
    if words & {"rank", "dim", "shape"}:
        return "shapes"
    if "param" in words:
        return "params"
    if any(word.startswith("in[") for word in words):
        return "absent inputs"
    return "dtypes" if "dtype" in words else "encodings and constants"


def _families(verdicts: list[Verdict]) -> list[str]:
    kinds = ("agrees", "false rejection", "false acceptance", "unknown")
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        counted[family(verdict)][verdict.kind()] += 1
    lines = ["## by kind of change", "", "| change | " + " | ".join(kinds) + " |", "|---|" + "---|" * len(kinds)]
    lines += [f"| {name} | " + " | ".join(str(c[kind]) for kind in kinds) + " |" for name, c in sorted(counted.items())]
    return lines + [""]


def _constraints(verdicts: list[Verdict]) -> list[str]:
    """Constraints that rejected something the library accepts, with how often they, alone,
    were right and wrong: never right = not enforced, both = too wide."""
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for v in verdicts:
        if len(v.constraints) == 1 and v.library in ("accepted", "rejected"):
            (right if v.library == "rejected" else wrong)[v.constraints[0]] += 1
    if not wrong:
        return []
    lines = ["### constraints cited alone", "", "| constraint | library rejects | library accepts |", "|---|---|---|"]
    lines += [f"| {name} | {right[name]} | {n} |" for name, n in wrong.most_common()]
    return lines + [""]


def _preparation(verdicts: list[Verdict], limit: int) -> list[str]:
    counted = Counter(v.preparation() for v in verdicts if v.preparation())
    if not counted:
        return []
    lines = ["## preparation of what op validation accepts", "", "| | n |", "|---|---|"]
    lines += [f"| {kind} | {n} |" for kind, n in sorted(counted.items())] + [""]
    for kind in ("missed failure", "false failure"):
        grouped: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
        for v in verdicts:
            if v.preparation() == kind:
                mutation = " + ".join(sorted(v.configuration.mutations)) or "none"
                grouped[(v.configuration.op, f"{v.prepare}: {general(v.prepare_message)}", mutation)].append(v)
        if not grouped:
            continue
        wrong = [v for v in verdicts if v.preparation() == kind]
        by_message: dict[str, list[Verdict]] = defaultdict(list)
        for v in wrong:
            said = f"{v.prepare}: {general(v.prepare_message)}".replace(v.configuration.op, "OP")
            by_message[re.sub(r"q::\S+", "q::OP", said)].append(v)
        lines += [f"### {kind} by message", "", "| n | message | ops |", "|---|---|---|"]
        for said, members in sorted(by_message.items(), key=lambda item: -len(item[1])):
            ops = ", ".join(f"{op} {n}" for op, n in Counter(v.configuration.op for v in members).most_common(2 * limit))
            lines.append(f"| {len(members)} | {said} | {ops} |")
        lines += ["", f"### {kind}: variants as they stand", "", "| op | variant | dtypes | library |", "|---|---|---|---|"]
        lines += [
            f"| {v.configuration.op} [{v.configuration.example}] | {v.configuration.variant} | {v.configuration.dtypes()} "
            f"| {v.prepare}: {general(v.prepare_message)} |"
            for v in wrong
            if not v.configuration.mutations
        ]
        lines += ["", f"### {kind}: classes", "", "| n | op | library | mutation | dtypes of the smallest | quantgate | line |", "|---|---|---|---|---|---|---|"]
        for (op, said, mutation), members in sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))[: 4 * limit]:
            least = smallest(members)
            cells = [str(len(members)), op, said, mutation, least.configuration.dtypes(), least.quantgate, str(least.line)]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
        lines.append("")
    return lines


def _case(model: dict[str, Any]) -> str:
    """The node of a Model in one line."""
    tensors = {t["name"]: t for t in model["tensors"]}

    def tensor(name: str) -> str:
        if not name:
            return "-"
        t = tensors[name]
        encoding = json.dumps(t["encoding"]).replace('"', "") if "encoding" in t else ""
        return f"{t['dtype']}{t['dims']}{' constant' if t.get('isStatic') else ''}{' ' + encoding if encoding else ''}"

    node = model["nodes"][0]
    params = json.dumps(node.get("params") or {}).replace('"', "")
    return f"{', '.join(map(tensor, node['inputs']))} -> {', '.join(map(tensor, node['outputs']))}; {params}"


def smallest_forms(found: list[tuple[str, int, dict[str, Any], Verdict]]) -> list[str]:
    """Disagreements and failures of the library shrunk as far as both say the same of them."""
    if not found:
        return []
    lines = ["## smallest forms", "", "| kind | n | op | library | quantgate | the node |", "|---|---|---|---|---|---|"]
    for kind, n, model, said in found:
        library = f"{said.library} {general(said.message)}".strip()
        ours = " by ".join(part for part in (said.quantgate, ", ".join(said.constraints)) if part)
        cells = [kind, str(n), model["nodes"][0]["op"], library, ours, _case(model)]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return lines + [""]


def page(verdicts: list[Verdict], head: str, limit: int) -> str:
    total = counts(verdicts)
    lines = [f"# {head}", "", "| | n |", "|---|---|", f"| configurations | {len(verdicts)} |"]
    lines += [f"| {kind} | {total[kind]} |" for kind in ("agrees", "false rejection", "false acceptance", "unknown")]
    lines += [f"| {kind} | {n} |" for kind, n in sorted(total.items()) if kind.startswith("library ")]
    lines.append("")
    lines += _families(verdicts)
    for kind in ("false rejection", "false acceptance", "unknown"):
        wrong = [v for v in verdicts if v.kind() == kind]
        if not wrong:
            continue
        lines += [f"## {kind}: {len(wrong)}", ""]
        lines += _table("by op", Counter(v.configuration.op for v in wrong), limit)
        unmutated = [v for v in wrong if not v.configuration.mutations]
        if unmutated:
            lines += _table(
                "variants as they stand (no mutation)",
                Counter(f"{v.configuration.op} {v.configuration.variant} [{v.configuration.example}] {v.configuration.dtypes()}: "
                        f"{', '.join(v.constraints) or general(v.message)}" for v in unmutated),
                4 * limit,
            )  # fmt: skip
        if kind == "false rejection":
            lines += _constraints(verdicts)
        else:
            lines += _table("by message of the library", Counter(general(v.message) for v in wrong), 2 * limit)
        single = [v for v in wrong if len(v.configuration.mutations) == 1]
        lines += _table("by single mutation", Counter(v.configuration.mutations[0] for v in single), 2 * limit)
        lines += ["### classes", "", "| n | op | reason | mutation | dtypes of the smallest | line |", "|---|---|---|---|---|---|"]
        for (op, reason, mutation), members in classes(verdicts, kind)[: 4 * limit]:
            least = smallest(members)
            cells = [str(len(members)), op, reason, mutation, least.configuration.dtypes(), str(least.line)]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
        lines.append("")
    lines += _preparation(verdicts, limit)
    crashed = [v for v in verdicts if v.kind().startswith("library ")]
    if crashed:
        lines += ["## the library fails", "", "| n | op | how | mutation | quantgate says | line |", "|---|---|---|---|---|---|"]
        grouped: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
        for v in crashed:
            grouped[(v.configuration.op, v.library, " + ".join(sorted(v.configuration.mutations)))].append(v)
        for (op, how, mutation), members in sorted(grouped.items(), key=lambda item: -len(item[1]))[: 4 * limit]:
            lines.append(f"| {len(members)} | {op} | {how} | {mutation} | {smallest(members).quantgate} | {smallest(members).line} |")
    return "\n".join(lines) + "\n"


def records(verdicts: list[Verdict]) -> list[str]:
    """Every disagreement as a JSON line, with the Model that shows it."""
    lines = []
    for v in verdicts:
        if v.kind() == "agrees" and v.preparation() in ("", "agrees"):
            continue
        c = v.configuration
        record: dict[str, Any] = {
            "kind": v.kind(), "op": c.op, "variant": c.variant, "example": c.example, "mutations": c.mutations,
            "dtypes": c.dtypes(), "library": v.library, "message": v.message, "quantgate": v.quantgate,
            "constraints": v.constraints, "prepare": v.prepare, "prepare_message": v.prepare_message, "line": v.line, "model": c.model(f"{c.op} {c.variant}"),
        }  # fmt: skip
        lines.append(json.dumps(record))
    return lines
