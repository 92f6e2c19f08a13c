#!/usr/bin/env python3
"""What of core the tests reach, out of a build of the preset `coverage` whose tests have run.

    python3 -m tools.dev.robustness.code_coverage --build DIR [--least PERCENT] [--page FILE.md] [--lines]

Counts lines and branches (those that only an exception takes are none) per folder of core; --lines
lists what is not reached. Fewer lines than --least make the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tools.dev.shared.page_table import replaced

ROOT = Path(__file__).resolve().parents[3]
MARKS = ("<!-- table: qgdev code-coverage -->", "<!-- end of coverage -->")


def measured(build: Path, jobs: int) -> list[dict]:
    """gcovr's files: each with its lines, and they with their branches."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "coverage.json"
        subprocess.run(
            ["gcovr", "--root", ROOT, "--filter", "core/", "--exclude-throw-branches", "--exclude-unreachable-branches",
             "-j", str(jobs), "--json", out, "--object-directory", build, build / "core"],
            check=True, cwd=ROOT, stdout=subprocess.DEVNULL)  # fmt: skip
        return json.loads(out.read_text())["files"]


def counts(file: dict) -> Counter:
    total: Counter = Counter()
    for line in file["lines"]:
        if line.get("gcovr/noncode"):
            continue
        total["lines"] += 1
        total["reached"] += line["count"] > 0
        for branch in line["branches"]:
            total["branches"] += 1
            total["taken"] += branch["count"] > 0
    return total


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def row(name: str, total: Counter) -> str:
    return (f"| {name} | {total['lines']:,} | {share(total['reached'], total['lines'])} | {total['branches']:,} | "
            f"{share(total['taken'], total['branches'])} |")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--lines", action="store_true")
    arguments = parser.parse_args()

    folders: dict[str, Counter] = {}
    for file in measured(arguments.build, arguments.jobs):
        folder = "/".join(file["file"].split("/")[:2])
        folders.setdefault(folder, Counter()).update(counts(file))
        missed = [line["line_number"] for line in file["lines"] if not line["count"] and not line.get("gcovr/noncode")]
        if arguments.lines and missed:
            print(f"{file['file']}: {', '.join(map(str, missed))}")
    total: Counter = Counter()
    for of_folder in folders.values():
        total.update(of_folder)
    if not total["lines"]:
        print(f"error: {arguments.build} has no counts: run its tests first", file=sys.stderr)
        return 2
    lines = ["| folder | lines | reached | branches | taken |", "|---|--:|--:|--:|--:|"]
    lines += [row(name, of_folder) for name, of_folder in sorted(folders.items())] + [row("all", total)]
    text = "\n".join(lines)
    print(text)
    if arguments.page:
        arguments.page.write_text(replaced(arguments.page.read_text(), MARKS, f"\n\n{text}\n\n"))
    percent = 100 * total["reached"] / total["lines"]
    if percent < arguments.least:
        print(f"error: {percent:.1f} % of the lines of core are reached, {arguments.least:g} % are wanted", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
