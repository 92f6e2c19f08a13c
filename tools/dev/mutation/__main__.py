"""Breaks one thing at a time and looks whether a test notices.

    python3 -m tools.dev.mutation rules    [--jobs N] [--again | --untried] [--only TEXT]... [--tests TEXT]... [--build DIR]
    python3 -m tools.dev.mutation database [--jobs N] [--sample 400] [--seed 1] [--build DIR]
    python3 -m tools.dev.mutation page

`rules` negates each comparison of core/rules and core/validate and moves the boundary of each that has
one. `database` changes values of opdefs/htp, drawn with a seed. Results go into tests/mutation, from
where `page` (and each of the two) writes the tables of docs/records/robustness.md.

A mutant that no test notices has to stand in tests/mutation/accepted.yaml with the reason why it may;
one that stands there and is noticed, or is no more, has to be taken out. Else the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tools.dev.mutation import database, rules, schemata
from tools.dev.mutation.rules import UNNOTICED
from tools.dev.shared.page_table import replaced

ROOT = Path(__file__).resolve().parents[3]

FOLDER = ROOT / "tests/mutation"
ACCEPTED = FOLDER / "accepted.yaml"
PAGE = ROOT / "docs/records/robustness.md"
MARKS = {"rules": ("<!-- table: qgdev mutation rules -->", "<!-- end of rules -->"),
         "database": ("<!-- table: qgdev mutation database -->", "<!-- end of database -->")}  # fmt: skip
SAME = "The same"  # so a reason begins where the mutant gives what the original gives


def progress(text: str) -> None:
    print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def accepted(of: str) -> dict[str, str]:
    """Mutant of files `of` -> the reason why no test has to notice it."""
    entries = yaml.safe_load(ACCEPTED.read_text()) or [] if ACCEPTED.is_file() else []
    return {mutant: entry["reason"] for entry in entries for mutant in entry["mutants"] if mutant.startswith(of)}


def rules_problems(results: list[dict[str, Any]], listed: dict[str, str]) -> list[str]:
    unnoticed = {r["mutant"]: r for r in results if r["outcome"] in UNNOTICED}
    known = {r["mutant"]: r for r in results}
    return [f"{r['place']} {r['outcome']}: {mutant}" for mutant, r in unnoticed.items() if mutant not in listed] + [
        f"accepted.yaml lists what {known[m]['outcome']} notices: {m}" if m in known else f"accepted.yaml lists what is no more: {m}"
        for m in listed if m not in unnoticed]  # fmt: skip


def rules_table(record: dict[str, Any]) -> str:
    rows = Counter()
    for r in record["results"]:
        folder = r["place"].rsplit("/", 1)[0]
        what = "boundary" if r["mutant"].rsplit("[", 1)[1] in ("< -> <=]", "<= -> <]", "> -> >=]", ">= -> >]") else "negated"
        rows[folder, what, "tried"] += 1
        rows[folder, what, "noticed"] += r["outcome"] not in UNNOTICED
        rows[folder, what, "same"] += r.get("reason", "").startswith(SAME)
        rows[folder, what, "open"] += "reason" in r and not r["reason"].startswith(SAME)
    keys = sorted({key[:2] for key in rows})
    lines = ["| code | comparisons | mutants | noticed | | the same | noticed or the same | listed as open |", "|---|---|--:|--:|--:|--:|--:|--:|"]
    for key in [*keys, None]:
        tried, noticed, same, still = (sum(n for k, n in rows.items() if k[2] == word and key in (None, k[:2])) for word in ("tried", "noticed", "same", "open"))
        name, what = key or ("all", "")
        lines.append(f"| {name} | {what} | {tried:,} | {noticed:,} | {100 * noticed / max(1, tried):.1f} % | {same} | "
                     f"{100 * (noticed + same) / max(1, tried):.1f} % | {still} |")  # fmt: skip
    by = Counter(r["outcome"].split()[0].split(".")[0].split("/")[0] for r in record["results"] if r["outcome"] not in UNNOTICED)
    words = {"golden": "fixtures of the rules", "unit": "unit tests", "recorded": "recorded answers of the library",
             "opdefs": "`tests/opdefs/test_kinds.py`", "conformance": "recorded graphs", "cli": "cases of the command line",
             "fuzz": "the corpora of the fuzzers"}  # fmt: skip
    first = ", ".join(f"{n:,} by {words[word]}" for word, n in by.most_common())
    missing = record["possible"] - record["mutants"]
    rest = f" Of {record['possible']:,} mutants {missing:,} have not been run yet." if missing else ""
    return "\n".join(lines) + f"\n\nNoticed first: {first}.{rest}"


def database_table(record: dict[str, Any]) -> str:
    lines = ["| values that count on | kind | changed | by answers of the library | or a fixture of a rule | or the snapshot |", "|---|---|--:|--:|--:|--:|"]
    results = record["results"]
    groups = [(a, k) for a in (True, False) for k in sorted({r["kind"] for r in results})]
    for group in [*groups, (True, None), (False, None), (None, None)]:
        there = [r for r in results if group[0] in (None, r["askable"]) and group[1] in (None, r["kind"])]
        if not there:
            continue
        real = sum(any(n.startswith("recorded") for n in r["noticed"]) for r in there)
        behaviour = sum(any(n != "snapshot" for n in r["noticed"]) for r in there)
        anything = sum(bool(r["noticed"]) for r in there)
        name = {True: "SDK 2.47 and later", False: "earlier SDKs alone", None: "any SDK"}[group[0]]
        share = [f"{n} ({100 * n / len(there):.1f} %)" for n in (real, behaviour, anything)]
        lines.append(f"| {name} | {group[1] or 'all'} | {len(there)} | {' | '.join(share)} |")
    return "\n".join(lines)


def write(what: str, record: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    head = {k: v for k, v in record.items() if k != "results"}
    lines = ",\n".join("  " + json.dumps(r) for r in record["results"])
    (FOLDER / f"{what}.json").write_text(json.dumps(head, indent=1)[:-2] + f',\n "results": [\n{lines}\n ]\n}}\n')


def page() -> None:
    text = PAGE.read_text()
    for what, table in (("rules", rules_table), ("database", database_table)):
        file = FOLDER / f"{what}.json"
        if file.is_file():
            text = replaced(text, MARKS[what], f"\n\n{table(json.loads(file.read_text()))}\n\n")
    PAGE.write_text(text)


def _record(build: schemata.Build, by_key: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What is known of the mutants that there are, with the reasons of those unnoticed."""
    listed = accepted("core/")
    results = []
    for m in build.mutants():
        if m.key in by_key:
            r = {"mutant": m.key, "place": m.place, "outcome": by_key[m.key]["outcome"]}
            if r["outcome"] in UNNOTICED and m.key in listed:
                r["reason"] = listed[m.key]
            results.append(r)
    results.sort(key=lambda r: str(r["mutant"]))
    noticed = sum(r["outcome"] not in UNNOTICED for r in results)
    left_out = [f"{c.file}: {c.text}" for c in build.all if c.number in build.refused]
    return {"possible": len(build.mutants()), "mutants": len(results), "noticed": noticed, "not tried": left_out, "results": results}


def run_rules(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    progress("building all mutants")
    build = schemata.Build(ROOT, arguments.build.resolve() / "mutation", arguments.jobs)
    file = FOLDER / "rules.json"
    by_key = {r["mutant"]: r for r in json.loads(file.read_text())["results"]} if file.is_file() else {}
    mutants = [m for m in build.mutants() if any(text in m.key for text in arguments.only or [""])]
    if arguments.again:
        mutants = [m for m in mutants if m.key not in by_key or by_key[m.key]["outcome"] in UNNOTICED]
    if arguments.untried:
        mutants = [m for m in mutants if m.key not in by_key]
    if mutants:
        bench = rules.Bench(build, progress, arguments.tests)
        # One source file at a time, so that what is known is recorded as it comes.
        for name in sorted({m.comparison.file for m in mutants}):
            there = [m for m in mutants if m.comparison.file == name]
            for r in rules.run(bench, there, arguments.jobs, progress):
                if not arguments.tests or arguments.last or r["outcome"] not in UNNOTICED:
                    by_key[r["mutant"]] = r
            write("rules", _record(build, by_key))
    record = _record(build, by_key)
    write("rules", record)
    page()
    print(f"\nrules: {len(mutants)} mutants tried; of {record['possible']} {record['noticed']} are noticed "
          f"({100 * record['noticed'] / max(1, record['possible']):.1f} %), "
          f"{len(build.refused)} comparisons can't be tried; {time.monotonic() - started:.0f} s")  # fmt: skip
    problems = rules_problems(record["results"], accepted("core/"))
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


def run_database(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    build = arguments.build.resolve()
    bench = database.Bench(ROOT, build / "bin/quantgate", build / "mutation", progress)
    every = [m for m in database.mutants(ROOT) if any(text in m.file for text in arguments.only or [""])]
    results = database.run(bench, every, arguments.sample, arguments.seed, arguments.jobs, progress)
    listed = accepted("opdefs/")
    for r in results:
        if not r["noticed"] and r["mutant"] in listed:
            r["reason"] = listed[r["mutant"]]
    unnoticed = [r for r in results if not r["noticed"] and "reason" not in r]
    behaviour = sum(any(n != "snapshot" for n in r["noticed"]) for r in results)
    print(f"\ndatabase: {len(results)} of {len(every)} values changed, {behaviour} noticed by answers and behaviour, "
          f"{sum(bool(r['noticed']) for r in results)} with the snapshot; {time.monotonic() - started:.0f} s")  # fmt: skip
    for r in unnoticed:
        print(f"  {r['place']} unnoticed: {r['mutant']}")
    stale = [r["mutant"] for r in results if r["noticed"] and r["mutant"] in listed]
    for mutant in stale:
        print(f"  accepted.yaml lists what is noticed: {mutant}")
    if arguments.only:
        return 0
    write("database", {"seed": arguments.seed, "values": len(every), "changed": len(results), "noticed by answers and behaviour": behaviour,
                       "noticed": sum(bool(r["noticed"]) for r in results), "results": results})  # fmt: skip
    page()
    return 1 if unnoticed or stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools.dev.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["rules", "database", "page"])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="mutants with this text in their line or file")
    parser.add_argument("--again", action="store_true", help="rules: only what the recorded run did not notice, after a new test")
    parser.add_argument("--untried", action="store_true", help="rules: only what no run has tried")
    parser.add_argument("--tests", action="append", default=[], help="rules: tests with this text in their name, such as golden or unit.fix")
    parser.add_argument("--last", action="store_true", help="rules: with --tests, the other tests have been run: record as unnoticed what these don't notice")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.what == "page":
        page()
        return 0
    return run_rules(arguments) if arguments.what == "rules" else run_database(arguments)


if __name__ == "__main__":
    sys.exit(main())
