#!/usr/bin/env python3
"""Measures the rows of opdefs/cpu: tools/import_facts/cpu.yaml out of the CPU library's answers.

    cpu_rows.py SDK=PACKAGE     asks about rows until nothing new is taken, runs each, writes the file

Then `python3 -m tools.import_facts FACTS -o opdefs` writes the database. Needs PyYAML and NumPy.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ask  # noqa: E402
import store  # noqa: E402

from agree import database, rows  # noqa: E402
from cases import calibrate, draw, fixed_by_database  # noqa: E402
from reference.values import NoReference  # noqa: E402

PATH = ask.ROOT / "tools" / "import_facts" / "cpu.yaml"
TRIES = 2  # data of each row
# The best outcome of a row's tries speaks for the row.
RAN = {"right": "right", "between": "right", "wrong": "wrong", "not judged": "unknown", "rejected": "unknown", "prepare_fails": "fails"}
ORDER = ("right", "unknown", "wrong", "fails")
HEAD = """# Asked of libQnnCpu {sdk}, x86-64: rows of datatypes that its op validation takes with an example of the op, inputs
# then outputs (a list = each of these, in every combination), and what a graph of the node alone gave: right, wrong
# (the values), fails (to be made or run), unknown (no float reference). refused: ops of which no row is taken.
# Written by tests/conformance/htp/cpu_rows.py.
"""


def cases(op: Any, example: Any, number: int, row: rows.Row) -> list[dict[str, Any]]:
    """The row with data to run."""
    made = []
    for attempt in range(TRIES):
        c = rows.configuration(op, example, number, row)
        model = c.model(f"{op.name} {c.example}")
        seed = random.Random(f"{op.name} {row} {attempt}").randrange(1 << 30)
        before = {f"y{i}": p.encoding["perTensor"]["scale"] for i, p in enumerate(c.outputs)
                  if "perTensor" in (p.encoding or {}) and not fixed_by_database(op, i, p)}  # fmt: skip
        try:
            calibrate(op, model, draw(model, seed), before)
        except (ValueError, KeyError, TypeError, IndexError, NoReference):
            continue
        made.append({"op": op.name, "mutations": [], "seed": seed, "model": model})
    return made


def products(found: set[rows.Row]) -> list[list[list[str | None]]]:
    """The rows as few products of lists, the same set."""
    boxes = [tuple((dtype,) for dtype in row) for row in sorted(found, key=str)]
    merged = True
    while merged:
        merged = False
        for at in range(len(boxes[0]) if boxes else 0):
            alike: dict[Any, list[Any]] = defaultdict(list)
            for box in boxes:
                alike[box[:at] + box[at + 1:]].append(box[at])
            merged |= len(alike) < len(boxes)
            boxes = [rest[:at] + (tuple(sorted(set(itertools.chain(*parts)), key=str)),) + rest[at:] for rest, parts in alike.items()]
    return [[list(part) for part in box] for box in sorted(boxes, key=str)]


def text(op: str, example: str, ran: str, box: list[list[str | None]]) -> str:
    ports = ["~" if part == [None] else part[0] if len(part) == 1 else f"[{', '.join(map(str, part))}]" for part in box]
    return f"- {{op: {op}, example: {example}, ran: {ran}, dtypes: [{', '.join(map(str, ports))}]}}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", metavar="SDK=PACKAGE")
    parser.add_argument("--oracle", default=str(ask.ROOT / "build" / "bin" / "qg-oracle"))
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    sdk, package = args.library.split("=", 1)
    library = str(Path(package) / "onnxruntime_qnn" / "libQnnCpu.so")

    def accepted(made: list[Any]) -> list[bool]:
        answers, _ = ask.library(args.oracle, library, store.NO_ARCH, [c.model("") for c in made], args.jobs)
        return [a["validate"] == "accepted" for a in answers]

    lines: list[str] = []
    refused = []
    for op in database.load(ask.ROOT / "opdefs" / "cpu", ask.ROOT / "opdefs" / "htp"):
        before = len(lines)
        for number, example in enumerate(op.examples):
            taken = sorted(rows.taken(op, example, number, accepted), key=str)
            made = [(row, case) for row in taken for case in cases(op, example, number, row)]
            outcomes, _ = ask.executed(args.oracle, library, store.NO_ARCH, [case for _, case in made], args.jobs) if made else ([], "")
            ran = {row: ["unknown"] for row in taken}
            for row in dict.fromkeys(row for row, _ in made):
                ran[row] = [RAN[o["outcome"]] for (r, _), o in zip(made, outcomes) if r == row]
            by: dict[str, set[rows.Row]] = defaultdict(set)
            for row, outcome in ran.items():
                by[min(outcome, key=ORDER.index)].add(row)
            for outcome in ORDER:
                lines += [text(op.name, example.tag or str(number), outcome, box) for box in products(by[outcome])]
        if len(lines) == before:
            refused.append(op.name)
    PATH.write_text(HEAD.format(sdk=sdk) + f'sdk: "{sdk}"\nrefused: [{", ".join(refused)}]\nrows:\n' + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
