#!/usr/bin/env python3
"""quantgate against the real HTP library, op by op.

    conformance.py                         recorded answers (standard library only), known differences,
                                           crashes, docs/records/conformance.md up to date
    conformance.py --live SDK=LIB …        asks libraries again and holds their recording to it;
                                           --every N: every N-th configuration only
    conformance.py --record SDK=LIB …      asks and writes recorded/ (needs PyYAML and NumPy);
                                           --sets validation,cpu,execution,cpu_execution
    conformance.py --add SDK=LIB …         asks about the recorded configurations, adds the answers
    conformance.py --crashes SDK=LIB …     shrinks every recorded crash, and those of --models FILE, into crashes.json
    conformance.py --update                rewrites known_differences.json (reasons are kept) and
                                           docs/records/conformance.md

Counted: false rejections, false acceptances, unknown; of executed graphs wrong values that
quantgate doesn't announce and right ones that it calls wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ask  # noqa: E402
import compare  # noqa: E402
import crashes  # noqa: E402
import page  # noqa: E402
import store  # noqa: E402

ARCHS = ("v68", "v73", "v79")  # of the oldest and the newest SDK
BETWEEN_ARCHS = ("v73",)  # of the SDKs between them, which are not executed either
EXECUTED_ARCHS = ("v73",)
VALIDATED = 20000  # configurations
VALIDATED_CPU = 5000
SEED_CPU = 730031
SETS = ("validation", "cpu", "execution", "cpu_execution")
EXECUTED_PER_OP = 26
SEED = 2026


def ends(libs: dict[str, str]) -> list[str]:
    """The oldest and the newest SDK."""
    ordered = sorted(libs, key=store.sdk_key)
    return list(dict.fromkeys((ordered[0], ordered[-1])))


def record_validation(oracle: str, libs: dict[str, str], jobs: int) -> None:
    from tools.dev.differential import database, generate

    recording = store.Recording("validation")
    ops = database.load(ask.ROOT / "opdefs" / "htp")
    for c in generate.configurations(ops, VALIDATED, SEED):
        name = f"{c.variant} {c.example}: {', '.join(c.mutations)}"
        recording.configurations.append(c.model(name))
    ask_all(recording, oracle, libs, jobs, {sdk: ARCHS if sdk in ends(libs) else BETWEEN_ARCHS for sdk in libs})


def ask_all(recording: store.Recording, oracle: str, libs: dict[str, str], jobs: int, archs: dict[str, tuple[str, ...]]) -> None:
    """Asks every library about a recording's configurations and saves it."""
    for sdk, path in libs.items():
        for arch in archs[sdk]:
            ask.record_validation(recording, oracle, sdk, path, arch, jobs)
    recording.save()


def record_cpu(oracle: str, libs: dict[str, str], jobs: int) -> None:
    """The CPU library beside an HTP library, where a package has one."""
    from tools.dev.differential import database, generate

    recording = store.Recording("cpu")
    ops = database.load(ask.ROOT / "opdefs" / "cpu", ask.ROOT / "opdefs" / "htp")
    recording.configurations = [c.model(f"{c.variant} {c.example}: {', '.join(c.mutations)}")
                                for c in generate.configurations(generate.current(ops, list(libs)), VALIDATED_CPU, SEED_CPU)]  # fmt: skip
    there = {sdk: path for sdk, htp in libs.items() if (path := Path(htp).with_name("libQnnCpu.so")).is_file()}
    ask_all(recording, oracle, {sdk: str(path) for sdk, path in there.items()}, jobs, dict.fromkeys(there, (store.NO_ARCH,)))


def record_execution(oracle: str, libs: dict[str, str], jobs: int) -> None:
    from tools.dev.differential import database
    from cases import configurations

    recording = store.Recording("execution")
    recording.configurations = list(configurations(database.load(ask.ROOT / "opdefs" / "htp"), store.EXECUTED_SEED, EXECUTED_PER_OP))
    for sdk in ends(libs):
        for arch in EXECUTED_ARCHS:
            ask.record_execution(recording, oracle, sdk, libs[sdk], arch, jobs)
    recording.save()


def record_cpu_execution(oracle: str, libs: dict[str, str], jobs: int) -> None:
    from tools.dev.differential import database, generate
    from cases import plain_configurations

    there = {sdk: str(path) for sdk, htp in libs.items() if (path := Path(htp).with_name("libQnnCpu.so")).is_file()}
    recording = store.Recording("cpu_execution")
    ops = database.load(ask.ROOT / "opdefs" / "cpu", ask.ROOT / "opdefs" / "htp")
    recording.configurations = list(plain_configurations(generate.current(ops, list(libs)), store.EXECUTED_SEED))
    for sdk, path in there.items():
        ask.record_execution(recording, oracle, sdk, path, store.NO_ARCH, jobs)
    recording.save()


def live(oracle: str, libs: dict[str, str], every: int, jobs: int) -> list[str]:
    """Where a library now says something else than was recorded."""
    recording = store.Recording.load("validation")
    models = recording.configurations[::every]
    problems = []
    for target in recording.targets:
        sdk, arch = target.split()
        if sdk not in libs:
            continue
        answers, _ = ask.library(oracle, libs[sdk], arch, models, jobs)
        recorded = recording.validation(target)[::every]
        other = sum(now["validate"] != then and store.letter(now["validate"]) != store.letter(then)
                    for now, then in zip(answers, recorded))  # fmt: skip
        print(f"{target}: {len(models)} configurations asked again, {other} answered otherwise")
        if other:
            problems.append(f"{target}: {other} of {len(models)} answers differ from the recording")
    return problems


def replay(cli: str) -> dict[str, dict[str, Any]]:
    """set -> target -> compare.Result"""
    results: dict[str, dict[str, Any]] = {}
    for name in SETS:
        recording = store.Recording.load(name)
        judge = compare.execution if name.endswith("execution") else compare.validation
        backend = "cpu" if name.startswith("cpu") else "htp"
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            said = pool.map(lambda target: ask.quantgate(cli, target, recording.models, backend), recording.targets)
            results[name] = {target: judge(recording, target, verdicts) for target, verdicts in zip(recording.targets, said)}
    return results


def row(cells: list[Any]) -> str:
    return "".join(str(c).ljust(12) if i == 0 else str(c).rjust(12) for i, c in enumerate(cells))


def print_counts(results: dict[str, dict[str, Any]]) -> None:
    print(row(["op validation", "asked", "agree", "false rej.", "false acc.", "unknown", "crashes"]))
    for target, r in [*results["validation"].items(), *results["cpu"].items()]:
        t = r.total
        asked = sum(t[k] for k in (compare.AGREES, compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE, compare.UNKNOWN))
        print(row([store.shown(target), asked, t[compare.AGREES], t[compare.FALSE_REJECTION], t[compare.FALSE_ACCEPTANCE],
                   t[compare.UNKNOWN], t["crash"]]))  # fmt: skip
    print(row(["execution", "run", "right", "called wrong", "wrong", "missed", "between"]))
    for target, r in [*results["execution"].items(), *results["cpu_execution"].items()]:
        t = r.total
        print(row([store.shown(target), t["right"] + t["wrong"] + t["between"], t["right"], t[compare.FALSE_ALARM], t["wrong"],
                   t[compare.MISSED], t["between"]]))  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ask.ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--oracle", default=str(ask.ROOT / "build" / "bin" / "qg-oracle"))
    parser.add_argument("--live", nargs="+", metavar="SDK=LIB")
    parser.add_argument("--asked-only", action="store_true", help="with --live: compare with the recording only")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--record", nargs="+", metavar="SDK=LIB")
    parser.add_argument("--add", nargs="+", metavar="SDK=LIB")
    parser.add_argument("--crashes", nargs="+", metavar="SDK=LIB")
    parser.add_argument("--models", type=Path, help="with --crashes: JSON lines of Models to ask about too")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()

    if args.record:
        libs = ask.libraries(args.record)
        if "validation" in args.sets:
            record_validation(args.oracle, libs, args.jobs)
        for name, record in (("validation", record_validation), ("cpu", record_cpu), ("execution", record_execution),
                             ("cpu_execution", record_cpu_execution)):  # fmt: skip
            if name in args.sets.split(","):
                record(args.oracle, libs, args.jobs)
        return 0
    if args.add:
        libs = ask.libraries(args.add)
        ask_all(store.Recording.load("validation"), args.oracle, libs, args.jobs, dict.fromkeys(libs, BETWEEN_ARCHS))
        return 0
    if args.crashes:
        more = [json.loads(line) for line in args.models.read_text().splitlines()] if args.models else []
        crashes.record(args.oracle, ask.libraries(args.crashes), ARCHS, more, args.jobs)
        return 0
    problems = live(args.oracle, ask.libraries(args.live), args.every, args.jobs) if args.live else []
    if args.asked_only:
        for problem in problems:
            print(f"FAIL {problem}")
        return 1 if problems else 0
    started = time.monotonic()
    results = replay(args.cli)
    print_counts(results)
    differences = [d for by_target in results.values() for r in by_target.values() for d in r.differences]
    if args.update:
        compare.update_known(differences, compare.load_known())
    known = compare.load_known()
    problems += compare.problems(differences, known)
    problems += crashes.problems(args.cli)
    text = page.text(results, known)
    if args.update:
        page.PATH.write_text(text)
    elif not page.PATH.is_file() or page.PATH.read_text() != text:
        problems.append(f"{page.PATH.relative_to(ask.ROOT)} is out of date: tools/dev/qgdev update differences")
    return compare.reported(problems, time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(main())
