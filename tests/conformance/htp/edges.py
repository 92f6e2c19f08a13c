#!/usr/bin/env python3
"""quantgate at the edges of its constraints, against the real HTP library.

    edges.py                         recorded answers and edges_known.json, seconds
    edges.py --record SDK=LIB …      makes configurations of today's database, asks, executes, records
    edges.py --update                rewrites edges_known.json

A random configuration rarely stands where a constraint begins to hold. Here each constraint of
opdefs/htp that holds from 2.47 on has some just inside and just outside (tools/dev/differential/edges.py),
chosen so that it alone decides where that can be had. What breaks values or preparation is executed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
import zlib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ask  # noqa: E402
import compare  # noqa: E402
import store  # noqa: E402

ASKED, EXECUTED = "edges", "edges_executed"
ARCH = "v73"
FIRST_SDK = (2, 47)
BASES_TRIED = 5  # for each way to meet the conditions of a constraint
MOST_POINTS = 6  # of a constraint, of those that it does not list one by one
LISTED = ("dtypes", "encodings", "bit_width", "param_value", "any_of", "quant_axis")
MOST_LISTED = 12
NOT_RUN = ("a sparse tensor can't be the end of a graph", "a graph without inputs")  # reasons of ask.py
EXECUTED_CONSEQUENCES = ("wrong_values", "prepare_fails")
MOST_EXECUTED = 3
MOST_ELEMENTS = 1 << 16  # of a tensor that is executed
ORDER = ["accepted", "advice", "undocumented", "altered", "wrong_values", "prepare_fails", "rejected"]


def _asked_about(k: dict[str, Any]) -> bool:
    return k["kind"] != "note" and not (k.get("until") and store.sdk_key(k["until"]) <= FIRST_SDK)


def candidates(op: Any) -> Iterator[tuple[str, int, int, str, dict[str, Any]]]:
    """(constraint, way to meet its conditions, number of the base, words, Model) of an op."""
    from tools.dev.differential import edges
    from tools.dev.differential.bases import bases_of, realisations

    bases = bases_of(op)
    for k in op.constraints:
        if not _asked_about(k):
            continue
        for number, (way, base) in enumerate(realisations(k, bases, BASES_TRIED)):
            for words, made in edges.points(k, base):
                yield k["id"], way, number, words, made.model(f"{op.name} {k['id']}: {words}")


def row_candidates(op: Any) -> Iterator[dict[str, Any]]:
    from tools.dev.differential.bases import bases_of

    for base in bases_of(op):
        yield base.model(f"{op.name} {base.variant} {base.example}: as it stands")


def _decides(said: dict[str, Any], constraint: str) -> bool:
    """Whether without this constraint the library's answer would be expected to be another."""
    own = [c for c, k in said["findings"] if k == constraint]
    if not own:
        return False
    others = [c for c, k in said["findings"] if k != constraint]
    worst = max(own, key=ORDER.index)
    return all(ORDER.index(c) < ORDER.index(worst) for c in others)


def chosen(op: Any, cli: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Of an op: Models to ask about, and which of them to execute."""
    made = list(candidates(op))
    said = ask.quantgate(cli, f"2.51 {ARCH}", [m for *_, m in made], "htp")
    groups: dict[tuple[str, int], dict[int, list[tuple[dict, dict, str]]]] = defaultdict(lambda: defaultdict(list))
    for (constraint, way, base, words, model), ours in zip(made, said):
        groups[constraint, way][base].append((model, ours, words))
    kinds = {k["id"]: k for k in op.constraints}
    asked, executed = [], []
    for (constraint, _), by_base in groups.items():
        name = f"htp/{op.name}/{constraint}"

        def value(points: list[tuple[dict, dict, str]]) -> tuple[int, int]:
            outside = sum(_decides(ours, name) for _, ours, _ in points)
            inside = sum(ours["verdict"] not in ("rejected", "unchecked") and all(k != name for _, k in ours["findings"]) for _, ours, _ in points)
            return min(outside, 2) + min(inside, 1) * 2, outside

        points = max(by_base.values(), key=value)
        flags = [any(k == name for _, k in ours["findings"]) for _, ours, _ in points]

        def use(i: int) -> tuple[int, int]:
            """Decisive ones first, those beside a change of the verdict before."""
            at_edge = any(0 <= j < len(flags) and flags[j] != flags[i] for j in (i - 1, i + 1))
            ours = points[i][1]
            telling = _decides(ours, name) if flags[i] else ours["verdict"] != "rejected"
            return (0 if at_edge and telling else 1 if telling else 2, i)

        order = sorted(range(len(points)), key=use)
        order = [i for i in order if use(i)[0] < 2] or order[:2]
        # As many outside as inside.
        outside, inside = [i for i in order if flags[i]], [i for i in order if not flags[i]]
        most = MOST_LISTED if kinds[constraint]["kind"] in LISTED else MOST_POINTS
        mixed = [i for pair in zip(outside, inside) for i in pair] + outside[len(inside):] + inside[len(outside):]
        picked = [points[i][0] for i in mixed[:most]]
        asked += picked
        consequence = kinds[constraint].get("measured", {}).get("consequence", kinds[constraint]["consequence"])
        if consequence in EXECUTED_CONSEQUENCES:
            small = [m for m in picked if all(math.prod(t["dims"]) <= MOST_ELEMENTS for t in m["tensors"])]
            executed += small[:MOST_EXECUTED]
    return [*row_candidates(op), *asked], executed


def configurations(cli: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    from tools.dev.differential import database

    asked: dict[str, dict[str, Any]] = {}
    executed: dict[str, dict[str, Any]] = {}
    for op in database.load(ask.ROOT / "opdefs" / "htp"):
        models, run = chosen(op, cli)
        asked |= {store.digest(m): m for m in models}
        executed |= {store.digest(m): {"op": op.name, "seed": zlib.crc32(m["name"].encode()) >> 1, "model": m} for m in run}
        print(f"\r{op.name}: {len(asked)} configurations, {len(executed)} to execute\x1b[K", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return list(asked.values()), list(executed.values())


def record(cli: str, oracle: str, libs: dict[str, str], jobs: int, run: bool) -> None:
    models, cases = configurations(cli)
    recording = store.Recording(ASKED, models)
    for sdk, path in libs.items():
        ask.record_validation(recording, oracle, sdk, path, ARCH, jobs)
    recording.save()
    if not run:
        return
    recording = store.Recording(EXECUTED, cases)
    for sdk, path in libs.items():
        ask.record_execution(recording, oracle, sdk, path, ARCH, jobs)
        recording.save()


def agreement(got: dict[str, Any], said: dict[str, Any]) -> str:
    """Of what was executed: values as in the other recordings, and preparation."""
    outcome = got["outcome"]
    prepared = outcome in ("right", "between", "wrong") or (outcome == "not judged" and got["reason"] not in NOT_RUN)
    if outcome == "prepare_fails":
        return compare.AGREES if compare.announces_failure(said) else compare.MISSED_FAILURE
    if prepared and compare.foresees_failure(said):
        return compare.FALSE_FAILURE
    return compare.of_values(outcome, said)


def differences(name: str, recording: store.Recording, target: str, said: list[dict[str, Any]]) -> compare.Result:
    if name == ASKED:
        return compare.validation(recording, target, said)
    result = compare.Result()
    for case, got, ours in zip(recording.configurations, recording.execution(target), said):
        found = agreement(got, ours)
        result.total[got["outcome"]] += 1
        result.add(case["op"], found)
        if found not in (compare.AGREES, compare.NOT_ASKED):
            causes = sorted({c for consequence, c in ours["findings"] if consequence in EXECUTED_CONSEQUENCES})
            why = f"{got['outcome']}; quantgate {ours['verdict']}" + (f" by {', '.join(causes)}" if causes else "")
            result.differences.append(compare.Difference(target, found, store.digest(case["model"]), case["op"], why))
    return result


def replay(cli: str) -> dict[tuple[str, str], compare.Result]:
    recordings = {name: store.Recording.load(name) for name in (ASKED, EXECUTED)}
    keys = [(name, target) for name, r in recordings.items() for target in r.targets]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        said = pool.map(lambda key: ask.quantgate(cli, key[1], recordings[key[0]].models), keys)
        return {key: differences(key[0], recordings[key[0]], key[1], ours) for key, ours in zip(keys, said)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ask.ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--oracle", default=str(ask.ROOT / "build" / "bin" / "qg-oracle"))
    parser.add_argument("--record", nargs="+", metavar="SDK=LIB")
    parser.add_argument("--asked-only", action="store_true", help="with --record: execute nothing")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    if args.record:
        record(args.cli, args.oracle, ask.libraries(args.record), args.jobs, not args.asked_only)
        return 0
    started = time.monotonic()
    results = replay(args.cli)
    for (name, target), result in results.items():
        counts = Counter(result.total)
        print(f"{name} {target}: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    found = [d for result in results.values() for d in result.differences]
    if args.update:
        compare.update_known(found, compare.load_known(compare.EDGES_KNOWN), compare.EDGES_KNOWN)
    problems = compare.problems(found, compare.load_known(compare.EDGES_KNOWN))
    return compare.reported(problems, time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(main())
