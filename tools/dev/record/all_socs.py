#!/usr/bin/env python3
"""Chips against the example models, into a page: `check --all-socs` on each, and its time.

    python3 -m tools.dev.record.all_socs CLI PAGE      rewrites what is between the marks of the page
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from tools.dev.shared.page_table import replaced
from tools.dev.shared.processor_time import timed
from tools.dev.shared.progress import counted

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "docs" / "examples"
MARKS = ("<!-- all_socs: written by qgdev update as-run -->", "<!-- /all_socs -->")
TIMES = re.compile(r"\| [\d.]+ ms \| [\d.]+ ms \|$")
WORDS = {"fits": "fits", "falls_back": "falls back", "fails": "fails", "unknown": "unknown"}


def survey(cli: str, model: Path) -> tuple[dict, float, float]:
    """The survey; of it and of the command the milliseconds, the best of five."""
    inside = whole = float("inf")
    for _ in range(5):
        seconds, done = timed(lambda: subprocess.run(
            [cli, "check", str(model), "--all-socs", "--format", "json"],
            capture_output=True, text=True))
        if done.returncode == 2:
            sys.exit(done.stderr)
        whole = min(whole, 1000 * seconds)
        answer = json.loads(done.stdout)
        inside = min(inside, answer["milliseconds"])
    return answer, inside, whole


def cell(arch: dict) -> str:
    word = WORDS[arch["fit"]]
    cpu = arch.get("cpuNodes", 0)
    return f"{word}, {cpu} on the CPU" if arch["fit"] == "falls_back" else word


def with_known_times(lines: list[str], page: str) -> list[str]:
    """The lines, with the times of the page where all rows but for their times are those of the page: times differ
    from run to run."""
    def without(line: str) -> str:
        return TIMES.sub("", line)

    known = [line for line in page.split(MARKS[0])[1].split(MARKS[1])[0].splitlines() if line]
    return known if [*map(without, known)] == [without(line) for line in lines if line] else lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("page", type=Path)
    parser.add_argument("--times", action="store_true", help="write times even where nothing else has changed")
    arguments = parser.parse_args()
    cli, page = arguments.cli, arguments.page
    rows, all_inside, all_whole = [], 0.0, 0.0
    archs: list[str] = []
    for model in counted("models surveyed", sorted([*EXAMPLES.glob("*.onnx"), *EXAMPLES.glob("*.json")])):
        answer, inside, whole = survey(cli, model)
        known = [a for a in answer["archs"] if a.get("arch")]
        archs = archs or [" no ".join([a["arch"], *a.get("lacks", [])]) for a in known]
        all_inside, all_whole = all_inside + inside, all_whole + whole
        rows.append(f"| {model.name} | {known[0]['summary']['nodes']} | " + " | ".join(cell(a) for a in known)
                    + f" | {inside:.1f} ms | {whole:.0f} ms |")
    lines = ["| model | nodes | " + " | ".join(archs) + " | check | command |", "|---" * (len(archs) + 4) + "|",
             *rows, f"| {len(rows)} models | | " + "| " * len(archs) + f"| {all_inside:.1f} ms | {all_whole:.0f} ms |",
             "", "*check*: resolving, the route and all chips. *command*: processor time of the whole call, with the "
             "start and reading the file. The best of five each."]
    text = page.read_text()
    if arguments.times or with_known_times(lines, text) == lines:
        page.write_text(replaced(text, MARKS, "\n" + "\n".join(lines) + "\n"))
    print(f"{len(rows)} models: check {all_inside:.1f} ms, command {all_whole:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
