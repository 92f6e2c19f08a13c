"""Runs tests of a build for another processor: `python -m tools.dev.cross.emulated --build DIR --results FILE.xml`.

Of the entries of ctest those whose programs are compiled or start the compiled command line and nothing beside it.
Left out: what measures time, loads libraries of this processor, looks at the sources alone, or starts other programs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
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
}
ENTRIES = ("unit", "c", "fuzz", "golden", "cli.(fix|formats|hostile|plan|report_formats|views|as_run|check|provider_values|config|limits)",
           "conformance.(zoo|ort_recorded|ort_values|ort_as_run|graphs|litert|vela|rules_judged|executorch_zoo|executorch_lowered|htp_edges)",
           "opdefs.(opdefc|kinds|snapshot)")  # fmt: skip


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
    wanted = "|".join(f"{entry}([.].*)?" for entry in ENTRIES)
    done = subprocess.run(["ctest", "--test-dir", arguments.build, "-R", f"^({wanted})$", "--output-on-failure", "-j", str(arguments.jobs),
                           "--output-junit", arguments.results.resolve()])  # fmt: skip
    for kind, count in sorted(counts(arguments.results).items()):
        print(f"{KINDS[kind]}: {', '.join(f'{number} {word}' for word, number in sorted(count.items()))}")
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
