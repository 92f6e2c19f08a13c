"""Breaks one thing at a time and looks whether a test notices.

    python3 -m tools.mutation rules    [--jobs N] [--again | --only TEXT] [--build DIR]
    python3 -m tools.mutation database [--jobs N] [--sample 400] [--seed 1] [--build DIR]
    python3 -m tools.mutation page

`rules` negates each comparison of core/rules and core/validate and moves the boundary of each that has
one. `database` changes values of opdefs/htp, drawn with a seed. Results go into tests/mutation, from
where `page` (and each of the two) writes the tables of docs/robustness.md.

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

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from page_table import replaced  # noqa: E402

from tools.mutation import database, rules, schemata  # noqa: E402

FOLDER = ROOT / "tests/mutation"
ACCEPTED = FOLDER / "accepted.yaml"
PAGE = ROOT / "docs/robustness.md"
MARKS = {"rules": ("<!-- table: tools/mutation rules -->", "<!-- end of rules -->"),
         "database": ("<!-- table: tools/mutation database -->", "<!-- end of database -->")}  # fmt: skip
UNNOTICED = ("survived", "unreached")


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
        rows[folder, what, "accepted"] += "reason" in r
    keys = sorted({key[:2] for key in rows})
    lines = ["| code | comparisons | mutants | noticed | | listed with a reason |", "|---|---|--:|--:|--:|--:|"]
    for key in [*keys, None]:
        tried, noticed, listed = (sum(n for k, n in rows.items() if k[2] == word and key in (None, k[:2])) for word in ("tried", "noticed", "accepted"))
        name, what = key or ("all", "")
        lines.append(f"| {name} | {what} | {tried:,} | {noticed:,} | {100 * noticed / max(1, tried):.1f} % | {listed} |")
    by = Counter(r["outcome"].split()[0].split(".")[0].split("/")[0] for r in record["results"] if r["outcome"] not in UNNOTICED)
    words = {"golden": "fixtures of the rules", "unit": "unit tests", "recorded": "recorded answers of the library",
             "opdefs": "`tests/opdefs/test_kinds.py`", "conformance": "recorded graphs"}  # fmt: skip
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


def run_rules(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    progress("building all mutants")
    build = schemata.Build(ROOT, arguments.build.resolve() / "mutation", arguments.jobs)
    bench = rules.Bench(build, progress)
    mutants = [m for m in build.mutants() if not arguments.only or arguments.only in m.key]
    settled: list[dict[str, Any]] = []
    if arguments.again:
        before = {r["mutant"]: r for r in json.loads((FOLDER / "rules.json").read_text())["results"]}
        settled = [before[m.key] | {"place": m.place} for m in mutants if m.key in before and before[m.key]["outcome"] not in UNNOTICED]
        known = {r["mutant"] for r in settled}
        mutants = [m for m in mutants if m.key not in known]
    results = sorted(settled + rules.run(bench, mutants, arguments.jobs, progress), key=lambda r: str(r["mutant"]))
    listed = accepted("core/")
    for r in results:
        if r["outcome"] in UNNOTICED and r["mutant"] in listed:
            r["reason"] = listed[r["mutant"]]
    noticed = sum(r["outcome"] not in UNNOTICED for r in results)
    print(f"\nrules: {len(results)} mutants, {noticed} noticed ({100 * noticed / max(1, len(results)):.1f} %), "
          f"{len(build.refused)} comparisons can't be tried; {time.monotonic() - started:.0f} s")  # fmt: skip
    problems = rules_problems(results, listed)
    for problem in problems:
        print(f"  {problem}")
    if arguments.only:
        return 0
    left_out = [f"{c.file}: {c.text}" for c in build.all if c.number in build.refused]
    write("rules", {"possible": len(build.mutants()), "mutants": len(results), "noticed": noticed, "not tried": left_out, "results": results})
    page()
    return 1 if problems else 0


def run_database(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    build = arguments.build.resolve()
    bench = database.Bench(ROOT, build / "bin/quantgate", build / "mutation", progress)
    every = [m for m in database.mutants(ROOT) if not arguments.only or arguments.only in m.file]
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
    parser = argparse.ArgumentParser(prog="tools.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["rules", "database", "page"])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants with this text in their line or file; nothing is written")
    parser.add_argument("--again", action="store_true", help="rules: only what the recorded run did not notice, after a new test")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.what == "page":
        page()
        return 0
    return run_rules(arguments) if arguments.what == "rules" else run_database(arguments)


if __name__ == "__main__":
    sys.exit(main())
