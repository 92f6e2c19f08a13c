#!/usr/bin/env python3
"""Executes configurations of seeds that no rule was made from, and counts what quantgate says of them.

    fresh.py SEED… --libraries SDK=LIB … [--per-op 26] [-o build/fresh]

What the library computed is kept in the folder, so that the same seed is asked once; quantgate is asked
anew each time. Missed ones and false alarms are listed with their mutations; --models FILE writes them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import ask  # noqa: E402
import compare  # noqa: E402


def executed(args: argparse.Namespace, seed: int, sdk: str, library: str) -> list[dict[str, Any]]:
    """[{"case", "got"}], executed now or before."""
    kept = args.output / f"{seed}-{args.per_op}-{sdk}-{args.arch}.jsonl"
    if not kept.is_file():
        from tools.dev.differential import database
        from cases import configurations

        cases = list(configurations(database.load(ask.ROOT / "opdefs" / "htp"), seed, args.per_op))
        outcomes, _ = ask.executed(args.oracle, library, args.arch, cases, args.jobs)
        args.output.mkdir(parents=True, exist_ok=True)
        kept.write_text("".join(json.dumps({"case": c, "got": g}) + "\n" for c, g in zip(cases, outcomes)))
    return [json.loads(line) for line in kept.read_text().splitlines()]


def count(args: argparse.Namespace, seed: int, sdk: str, library: str, models: list[dict[str, Any]]) -> Counter:
    entries = executed(args, seed, sdk, library)
    said = ask.quantgate(args.cli, f"{sdk} {args.arch}", [e["case"]["model"] for e in entries])
    total: Counter = Counter()
    for entry, ours in zip(entries, said):
        case, got = entry["case"], entry["got"]
        total[got["outcome"]] += 1
        agreement = compare.of_values(got["outcome"], ours)
        total[agreement] += 1
        if agreement in (compare.MISSED, compare.FALSE_ALARM):
            causes = sorted({c for consequence, c in ours["findings"] if consequence == "wrong_values"})
            print(f"  {agreement} {sdk} {case['model']['name']}: {', '.join(case['mutations'])}: {got['steps']:g} steps, "
                  f"{got['fraction']:g} of the range, {got['share']:g} off; {ours['verdict']} {' '.join(causes)}")  # fmt: skip
            models.append(case["model"] | {"name": f"{agreement} {seed} {sdk} {case['model']['name']}: {', '.join(case['mutations'])}"})
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=int, nargs="+")
    parser.add_argument("--libraries", nargs="+", required=True, metavar="SDK=LIB")
    parser.add_argument("--arch", default="v73")
    parser.add_argument("--per-op", type=int, default=26)
    parser.add_argument("--cli", default=str(ask.ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--oracle", default=str(ask.ROOT / "build" / "bin" / "qg-oracle"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--models", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=ask.ROOT / "build" / "fresh")
    args = parser.parse_args()
    models: list[dict[str, Any]] = []
    for sdk, library in ask.libraries(args.libraries).items():
        sums: Counter = Counter()
        for seed in args.seeds:
            total = count(args, seed, sdk, library, models)
            sums += total
            print(_line(f"{seed} {sdk} {args.arch}", total))
        if len(args.seeds) > 1:
            print(_line(f"all {sdk} {args.arch}", sums))
    if args.models:
        args.models.write_text("".join(json.dumps(m) + "\n" for m in models))
    return 0


def _line(name: str, total: Counter) -> str:
    wrong, right = total["wrong"], total["right"]
    detected, false_alarms = wrong - total[compare.MISSED], total[compare.FALSE_ALARM]
    return (f"{name}: detected {detected} of {wrong} ({100 * detected / max(1, wrong):.1f} %), "
            f"false alarms {false_alarms} of {right} ({100 * false_alarms / max(1, right):.1f} %), between {total['between']}, "
            f"not judged {total['not judged']}, fail to prepare or run {total['prepare_fails']}, refused {total['rejected']}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
