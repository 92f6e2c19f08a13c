"""The generated part of docs/records/zoo.md."""

from __future__ import annotations

from collections import Counter

import draws
import figures
from places import ROOT

PATH = ROOT / "docs/records/zoo.md"
START, END = "<!-- zoo: written by qgdev zoo check --shrink -->", "<!-- /zoo -->"


def generated(counts: Counter, architectures: int, state: draws.Draws) -> str:
    lines = [f"{architectures} architectures, {counts['cases'] // 3} quantized models on three archs "
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
    return "\n".join(lines)


def _split() -> tuple[str, str, str]:
    text = PATH.read_text()
    before, _, rest = text.partition(START)
    inside, _, after = rest.partition(END)
    return before, inside, after


def current(counts: Counter, architectures: int, state: draws.Draws) -> bool:
    return _split()[1].strip() == generated(counts, architectures, state).strip()


def write(counts: Counter, architectures: int, state: draws.Draws) -> None:
    before, _, after = _split()
    PATH.write_text(f"{before}{START}\n{generated(counts, architectures, state)}\n{END}{after}")
