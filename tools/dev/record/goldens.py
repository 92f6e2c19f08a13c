#!/usr/bin/env python3
"""Writes what `quantgate check` says about each rule's fixtures into tests/golden/rules.

    python3 -m tools.dev.record.goldens [CLI]

Also FORMAT_MODELS in every format, into tests/golden/formats.

A fixture is tests/fixtures/rules/<slug>/{ok,bad}*.{json,onnx}; its text and JSON reports become
tests/golden/rules/<slug>/<fixture>.{txt,json}. It is checked for ARGUMENTS, or for the flags in
<fixture>.args beside it. tests/golden/test_golden.py holds the tool to these files; review their
diff before you commit it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.dev.shared.progress import counted

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "fixtures" / "rules"
GOLDEN = ROOT / "tests" / "golden" / "rules"
# Pinned, so that knowledge of a newer SDK changes no golden file.
ARGUMENTS = ("--sdk", "2.51", "--arch", "v73")
FORMATS = {"text": ".txt", "json": ".json"}
SUFFIXES = (".json", ".onnx")


# What each format looks like: a model with mistakes, and one whose names attack the formats.
FORMAT_GOLDEN = ROOT / "tests" / "golden" / "formats"
FORMAT_MODELS = {"planted_qnn": ROOT / "docs" / "examples" / "planted_qnn.json",
                 "hostile": ROOT / "tests" / "fixtures" / "formats" / "hostile.json"}
MORE_FORMATS = {"text": ".txt", "json": ".json", "sarif": ".sarif", "github": ".github.txt",
                "junit": ".junit.xml", "model-explorer": ".model-explorer.json"}


class Case(NamedTuple):
    slug: str
    model: Path

    def arguments(self) -> list[str]:
        file = self.model.with_suffix(".args")
        return shlex.split(file.read_text()) if file.exists() else list(ARGUMENTS)

    def golden(self, fmt: str) -> Path:
        return GOLDEN / self.slug / (self.model.stem + FORMATS[fmt])


def cases() -> Iterator[Case]:
    for model in sorted(FIXTURES.glob("*/*")):
        if model.suffix in SUFFIXES and model.stem.startswith(("ok", "bad")):
            yield Case(model.parent.name, model)


def check(cli: str | Path, case: Case, fmt: str) -> tuple[int, str]:
    """Exit status and output, as from the project's folder."""
    process = subprocess.run(
        [str(cli), "check", str(case.model.relative_to(ROOT)), *case.arguments(), "--format", fmt],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={"PATH": os.environ.get("PATH", ""), "TERM": "dumb"})
    if process.returncode not in (0, 1) or process.stderr:
        raise RuntimeError(f"{case.model}: exit status {process.returncode}: {process.stderr}")
    return process.returncode, process.stdout


def format_cases() -> Iterator[tuple[Case, str, Path]]:
    for name, model in FORMAT_MODELS.items():
        for fmt, suffix in MORE_FORMATS.items():
            yield Case(name, model), fmt, FORMAT_GOLDEN / (name + suffix)


def normalised(text: str) -> str:
    """Without the tool's version, which would change every file at each release, and without
    SARIF's table of rules, which would at each change of an explanation."""
    text = re.sub(r'("name":"quantgate","version":)"[^"]*"', r'\1"0.0.0"', text)
    return re.sub(r'"semanticVersion":"[^"]*","rules":\[.*\]\}\}', '"rules":[]}}', text)


def main() -> int:
    cli = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bin" / "quantgate"
    wanted = set()
    for case in counted("fixtures checked", list(cases())):
        for fmt in FORMATS:
            file = case.golden(fmt)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(normalised(check(cli, case, fmt)[1]))
            wanted.add(file)
    FORMAT_GOLDEN.mkdir(parents=True, exist_ok=True)
    for case, fmt, file in format_cases():
        file.write_text(normalised(check(cli, case, fmt)[1]))
        wanted.add(file)
    stale = [file for folder in (GOLDEN.glob("*/*"), FORMAT_GOLDEN.glob("*"))
             for file in folder if file not in wanted]
    for file in stale:
        file.unlink()
    print(f"{len(wanted)} golden files written, {len(stale)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
