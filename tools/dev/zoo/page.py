"""The generated part of docs/records/zoo.md."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import aimet
import draws
import figures
import variants
from places import ROOT

PATH = ROOT / "docs/records/zoo.md"
START, END = "<!-- zoo: written by qgdev zoo check --shrink -->", "<!-- /zoo -->"


@dataclass(frozen=True)
class Measured:
    """What the page shows: the zoo, what AIMET quantized, and the sample of other providers."""

    counts: Counter
    architectures: int
    by_aimet: Counter
    variants: dict[str, Counter]


def generated(measured: Measured, state: draws.Draws) -> str:
    counts = measured.counts
    lines = [f"{measured.architectures} architectures, {counts['cases'] // 3} quantized models on three archs "
             f"({counts['cases']} cases), {counts['refused'] + counts['accepted']} evaluated nodes.", ""]
    columns = {"all but what is held out, today": counts}
    for data in state.data["draws"]:
        if data["result"]:
            names = data["result"]["architectures"]
            columns[f"draw {data['salt']} when it was scored, {len(names)} architectures"] = Counter(
                data["result"]["counts"])
    lines += figures.table(columns)
    waiting = state.held_out()
    if waiting:
        salt = state.data["draws"][-1]["salt"]
        lines += ["", f"Draw {salt} ({len(waiting)} architectures) is held out and not scored yet."]
    return "\n".join([*lines, *_of_aimet(measured.by_aimet), *_of_variants(measured.variants)])


def _of_aimet(counts: Counter) -> list[str]:
    result = aimet.load()["result"]
    if not result:
        return []
    columns = {"today": counts, "when it was scored": Counter(result["counts"])}
    return ["", f"Quantized by AIMET: {len(result['recorded'])} architectures, {counts['cases']} cases, "
            f"{counts['refused'] + counts['accepted']} evaluated nodes.", "", *figures.table(columns)]


def _of_variants(counts: dict[str, Counter]) -> list[str]:
    if not counts:
        return []
    scored = {f"{title}, when it was scored": Counter(c) for title, c in variants.load()["scored"].items()}
    columns = {f"{title}, today": c for title, c in counts.items()} | scored
    return ["", f"Other providers, {max(c['cases'] for c in counts.values())} models each:", "",
            *figures.table(columns)]


def _split() -> tuple[str, str, str]:
    text = PATH.read_text()
    before, _, rest = text.partition(START)
    inside, _, after = rest.partition(END)
    return before, inside, after


def current(measured: Measured, state: draws.Draws) -> bool:
    return _split()[1].strip() == generated(measured, state).strip()


def write(measured: Measured, state: draws.Draws) -> None:
    before, _, after = _split()
    PATH.write_text(f"{before}{START}\n{generated(measured, state)}\n{END}{after}")
