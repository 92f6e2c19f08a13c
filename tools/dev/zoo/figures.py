"""The figures of the zoo: rows of (what, right, of, goal), and the page that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    what: str
    part: int
    of: int
    goal: str

    def percent(self) -> str:
        return f"{100 * self.part / self.of:.2f} %" if self.of else "not asked"


def figures(counts: Counter) -> list[Figure]:
    evaluated = counts["refused"] + counts["accepted"]

    def right(kind: str, of: str) -> int:
        return counts[of] - counts[kind]

    return [
        Figure("refused nodes found", right("missed-refusal", "refused"), counts["refused"], "≥ 97 %"),
        Figure("accepted nodes called refused", counts["false-refusal"], counts["accepted"], "≤ 0.1 %"),
        Figure("nodes unknown", counts["unknown"], evaluated, "≤ 0.05 %"),
        Figure("“whole on the NPU” right", right("whole", "wholes"), counts["wholes"], "≥ 98 %"),
        Figure("number of NPU graphs right", counts["graphed"] - counts["graphs"], counts["graphed"], ""),
        Figure("sessions that can't be built found", right("missed-failure", "unbuildable"), counts["unbuildable"], "≥ 90 %"),
        Figure("sessions that are built called unbuildable", counts["false-failure"], counts["built"], "≤ 0.1 %"),
        Figure("ops wrong alone with a finding", right("missed-op", "alone_off"), counts["alone_off"], "≥ 90 %"),
        Figure("models off with a finding where it begins", right("missed-numbers", "off"), counts["off"], "≥ 80 %"),
    ]


def table(columns: dict[str, Counter]) -> Iterator[str]:
    """A Markdown table, a column a part of the zoo, without the rows that none was asked about."""
    yield "| what | goal | " + " | ".join(columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    rows = [figures(counts) for counts in columns.values()]
    for row in zip(*rows):
        if not any(f.of for f in row):
            continue
        cells = [f"{f.part} / {f.of} = {f.percent()}" if f.of else "not asked" for f in row]
        yield f"| {row[0].what} | {row[0].goal} | " + " | ".join(cells) + " |"


def lines(counts: Counter) -> Iterator[str]:
    """For a terminal."""
    yield (f"{counts['cases']} models × archs, {counts['refused'] + counts['accepted']} nodes, "
           f"{counts['run']} run, {counts['alone_run']} ops alone")
    for f in figures(counts):
        yield f"  {f.what:44} {f.part:6} / {f.of:6}  {f.percent():>10}   {f.goal}"
