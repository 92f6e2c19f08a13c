"""The figures, and the generated part of docs/records/executorch.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import held_out
from places import ROOT

PATH = ROOT / "docs/records/executorch.md"
START, END = "<!-- zoo: written by qgdev executorch-zoo check --shrink -->", "<!-- /zoo -->"


def rows(counts: Counter) -> list[tuple[str, int, int, str]]:
    """(what, right, of, goal)"""
    nodes = counts["refused"] + counts["accepted"]
    # The first draw was scored before anything was executed.
    stopped = counts["stopped-converted"] if "executed" in counts else 0
    return [
        ("refused nodes found", counts["refused"] - counts["missed-refusal"], counts["refused"], "≥ 97 %"),
        ("supported nodes called refused", counts["false-refusal"], counts["accepted"], "≤ 0.1 %"),
        ("nodes unchecked", counts["unknown"], nodes, "≤ 0.2 %"),
        ("failed lowerings predicted", counts["failures"] - counts["missed-failure"], counts["failures"], "≥ 85 %"),
        ("lowerings called failing that work", counts["false-failure"], counts["lowered"], "at most 1"),
        ("graphs taken whole that strict validation stops, annotated", counts["stopped-annotated"], counts["whole"], "0"),
        ("the same, converted", counts["stopped-converted"], counts["whole"], "0"),
        ("of these, stopped for numbers that are off when executed", counts["proven-converted"],
         stopped, "all"),
        ("nodes with wrong_values that are off when executed", counts["executed-wrong"], counts["executed"], "≥ 95 %"),
    ]


def table(columns: dict[str, Counter]) -> Iterator[str]:
    yield "| what | goal | " + " | ".join(columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    for cells in zip(*(rows(counts) for counts in columns.values())):
        shown = [f"{part} / {of} = {100 * part / of:.2f} %" if of else "none" for _, part, of, _ in cells]
        yield f"| {cells[0][0]} | {cells[0][3]} | " + " | ".join(shown) + " |"


def generated(counts: Counter) -> str:
    columns = {f"all but what is held out, {counts['cases']} graphs, today": counts}
    drawn = held_out.draws()
    for draw in drawn:
        if draw.result:
            columns[f"draw {draw.number}, {draw.result['counts']['cases']} graphs, when it was scored"] = Counter(
                draw.result["counts"])
    lines = list(table(columns))
    if not drawn[-1].result:
        lines += ["", f"Draw {drawn[-1].number} is not scored yet."]
    return "\n".join(lines)


def _split() -> tuple[str, str, str]:
    before, _, rest = PATH.read_text().partition(START)
    inside, _, after = rest.partition(END)
    return before, inside, after


def current(counts: Counter) -> bool:
    return _split()[1].strip() == generated(counts).strip()


def write(counts: Counter) -> None:
    before, _, after = _split()
    PATH.write_text(f"{before}{START}\n{generated(counts)}\n{END}{after}")
