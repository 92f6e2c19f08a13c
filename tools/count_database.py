#!/usr/bin/env python3
"""Counts what the database holds: per backend and SDK version, from the compiled database.

usage: count_database.py --opdefc OPDEFC [--write FILE | --check FILE] [OPDEFS]

Prints the tables; --write replaces them in a Markdown file, --check says whether they are up to
date there (exit status 1 if not).
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from page_table import replaced

ROOT = pathlib.Path(__file__).resolve().parents[1]
MARKS = ("<!-- counts: written by tools/count_database.py -->", "<!-- end of counts -->")


def key(sdk):
    return tuple(int(n) for n in sdk.split("."))


def valid(entry, sdk):
    """Whether an op, row or constraint holds for a version."""
    reach = entry.get("range", {})
    return key(reach.get("since", "0.0")) <= key(sdk) < key(reach.get("until", "9999.0"))


def counts(backend, sdk):
    ops = [op for op in backend["ops"] if valid(op, sdk)]
    rows = [v for op in ops for v in op.get("variants", ()) if valid(v, sdk)]
    constraints = [c for op in ops for c in op.get("constraints", ()) if valid(c, sdk)]
    notes = sum(c["kind"] == "note" for c in constraints)
    measured = [e for e in rows + constraints
                if any(s.startswith("measured-") for s in e.get("sources", ()))]
    return (len(ops), len(rows), len(constraints) - notes, notes, len(measured))


def tables(database):
    lines = ["| backend | SDK | ops | rows | constraints | notes | with a measured source, of "
             "any version |", "|---|---|---|---|---|---|---|"]
    for backend in database["backends"]:
        for sdk in backend["sdks"]:
            lines.append(f"| {backend['name']} | {sdk} | "
                         + " | ".join(str(n) for n in counts(backend, sdk)) + " |")
    whole = [(len(b["ops"]), sum(len(op.get("variants", ())) for op in b["ops"]),
              sum(len(op.get("constraints", ())) for op in b["ops"]))
             for b in database["backends"]]
    total = [sum(column) for column in zip(*whole)]
    lines += ["", f"All versions together: {total[0]} op files, {total[1]} rows, "
              f"{total[2]} constraints and notes, {len(database['socs'])} socs, "
              f"{len(database['sources'])} sources."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opdefc", required=True)
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--check", metavar="FILE")
    parser.add_argument("opdefs", nargs="?", default=str(ROOT / "opdefs"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "opdefs.json"
        subprocess.run([args.opdefc, "compile", args.opdefs, "-o", str(path), "--format", "json"],
                       check=True)
        table = tables(json.loads(path.read_text(encoding="utf-8")))
    print(table)
    if args.write:
        path = pathlib.Path(args.write)
        path.write_text(replaced(path.read_text(encoding="utf-8"), MARKS, "\n" + table), encoding="utf-8")
    if args.check:
        text = pathlib.Path(args.check).read_text(encoding="utf-8")
        if replaced(text, MARKS, "\n" + table) != text:
            print(f"{args.check} is out of date: make counts", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
