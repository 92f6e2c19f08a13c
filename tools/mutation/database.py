"""Values of the HTP's part of the database, changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tools.mutation.mutant import Mutant
from tools.mutation.tests import Suite

NUMBER = re.compile(r"\b(?:min|max|eq|multiple_of|axis|scale|offset|bits|index|tolerance): (-?\d+(?:\.\d+)?)\b")
CONSEQUENCE = re.compile(r"\bconsequence: (rejected|prepare_fails|wrong_values|altered|undocumented|advice)\b")
# The first of several datatypes of a port in a row.
DTYPE = re.compile(r"\[((?:[SU]?FIXED_POINT|INT|UINT|FLOAT|BOOL|S|U|F)_?\w*, )(?=\w)")
OTHER = {"rejected": "advice", "prepare_fails": "advice", "wrong_values": "advice", "altered": "rejected",
         "undocumented": "rejected", "advice": "rejected"}
WRAPPER = """#!/bin/sh
case "$1" in
  check | query | matrix | diff | verify)
    for last; do :; done
    # A test of a flag without its value: what is appended would be it.
    case "$last" in --sdk) exec "{program}" "$@" ;; esac
    exec "{program}" "$@" --opdefs "{overlay}" ;;
  *) exec "{program}" "$@" ;;
esac
"""


def _changed(number: str) -> str:
    return f"{float(number) * 2 + 1:g}" if "." in number else str(int(number) + 1)


def mutants(root: Path) -> list[Mutant]:
    found = []
    for path in sorted((root / "opdefs/htp").glob("*.yaml")):
        name = str(path.relative_to(root))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "kind: note" in line:
                continue  # nothing checks it
            for m in NUMBER.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], _changed(m[1])))
            for m in CONSEQUENCE.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], OTHER[m[1]]))
            for m in DTYPE.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], ""))
    return found


class Bench:
    """The program with a folder over its database that holds one changed file."""

    def __init__(self, root: Path, build: Path) -> None:
        self.root = root
        self.real = (build / "bin/quantgate").resolve()
        folder = build / "mutation"
        self.overlay = folder / "opdefs"
        self.overlay.mkdir(parents=True, exist_ok=True)
        self._reset()
        self.program = folder / "quantgate-with-mutant"
        self.program.write_text(WRAPPER.format(program=self.real, overlay=self.overlay.resolve()))
        self.program.chmod(0o755)

    def _reset(self) -> None:
        shutil.rmtree(self.overlay)
        self.overlay.mkdir()
        shutil.copy2(self.root / "opdefs/sources.yaml", self.overlay)

    def outcome(self, mutant: Mutant) -> str:
        file = self.overlay / Path(mutant.file).relative_to("opdefs")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(mutant.apply((self.root / mutant.file).read_text()))
        try:
            known = subprocess.run([self.program, "query", file.stem], capture_output=True)
            if known.returncode != 0:
                return "invalid"  # the compiler of the database refuses it
            return Suite(self.program).first_failure() or "survived"
        finally:
            self._reset()
