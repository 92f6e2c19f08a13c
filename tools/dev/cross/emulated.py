"""Runs tests of a build for another processor: `python -m tools.dev.cross.emulated --build DIR --results FILE.xml`.

Of the entries of ctest those whose programs are compiled or start the compiled command line and nothing beside it. Each
of the others is in LEFT_OUT with the reason; an entry in neither is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

# Of ctest's entries, what they are called in the record.
KINDS = {
    "unit": "unit tests, by folder of the core",
    "c": "the interfaces for C and C++",
    "fuzz": "what fuzzing found or reached, replayed",
    "golden": "golden outputs of all rules, in all formats",
    "cli": "the command line: formats, hostile files, fixes, plans, sweeps",
    "conformance": "recorded answers of the real libraries, and the zoo",
    "opdefs": "the compiler of the database",
    "backends": "the verbs on every backend",
}
ENTRIES = ("unit", "c", "fuzz", "golden",
           "cli.(as_run|check|config|encodings|fix|formats|hostile|limits|messages|plan|provider_values|report_formats|verbs|views)",
           "conformance.(zoo|ort_forms|ort_recorded|ort_values|ort_as_run|graphs|litert|vela|rules_judged|executorch_zoo|executorch_operators|executorch_lowered|htp_edges)",
           "opdefs.(opdefc|kinds|snapshot|form|htp_laws|propose|documents|counts)", "backends")  # fmt: skip
# Reason, and entries.
LEFT_OUT = {
    "sources and pages are looked at, or programs in Python tested": (
        "opdefs.no_op_names", "layers", "dev", "dist", "ci", "docs.(links|layout|words|limits|site)", "web.colours", "verify.agree", "reports.format",
        "conformance.(ort|htp|zoo|executorch_zoo)_harness", "reference"),
    "other programs are started: a shell, Chromium, compilers, Python with packages": (
        "cli.(shell|sweep|matrix_page|fix_verify)", "docs.(docs|recipes)", "web.html", "packaging"),
    "a shared library is loaded, or those looked at that a program needs": ("cli.(import|verify|shared_libraries)", "verify.record"),
    "so many recorded cases that an emulator needs hours": ("reports.score", "conformance.htp_recorded"),
}  # fmt: skip


def pattern_of(entries: Iterable[str]) -> re.Pattern[str]:
    """An entry's name, and what it begins with up to a dot."""
    return re.compile("|".join(f"{entry}([.].*)?" for entry in entries))


def left_out(names: list[str]) -> dict[str, list[str]]:
    """By reason, of all entries."""
    found: dict[str, list[str]] = {reason: [] for reason in LEFT_OUT}
    for name in names:
        reasons = [reason for reason, entries in LEFT_OUT.items() if pattern_of(entries).fullmatch(name)]
        if len(reasons) + bool(pattern_of(ENTRIES).fullmatch(name)) != 1:
            raise SystemExit(f"error: {name}: say in tools/dev/cross/emulated.py, once, that it runs or why it is left out")
        for reason in reasons:
            found[reason].append(name)
    return found


def names_of(build: Path) -> list[str]:
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def counts(results: Path) -> dict[str, Counter[str]]:
    """By kind: how many entries "passed", "failed", were "skipped"."""
    found: dict[str, Counter[str]] = {}
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        kind = case.attrib["name"].partition(".")[0]
        status = {"run": "passed", "fail": "failed"}.get(case.attrib["status"], "skipped")
        found.setdefault(kind, Counter())[status] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    names = names_of(arguments.build)
    for reason, those in left_out(names).items():
        print(f"left out, {reason}: {', '.join(those)}")
    wanted = "|".join(re.escape(name) for name in names if pattern_of(ENTRIES).fullmatch(name))
    done = subprocess.run(["ctest", "--test-dir", arguments.build, "-R", f"^({wanted})$", "--output-on-failure", "-j", str(arguments.jobs),
                           "--output-junit", arguments.results.resolve()])  # fmt: skip
    for kind, count in sorted(counts(arguments.results).items()):
        print(f"{KINDS[kind]}: {', '.join(f'{number} {word}' for word, number in sorted(count.items()))}")
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
