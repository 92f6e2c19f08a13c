"""Comparisons of the rules, negated."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tools.mutation.mutant import Mutant
from tools.mutation.tests import Suite

# clang-format puts spaces around comparisons and none around the brackets of templates.
COMPARISON = re.compile(r"(?<= )(==|!=|<=|>=|<|>)(?= )")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
COPIED = ["CMakeLists.txt", "cmake", "core", "opdefs", "proto", "tools", "bindings", "tests/fixtures"]


def _code(line: str) -> str:
    """The line with texts and comments blanked."""
    blank = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', line)
    return blank.split("//")[0]


def mutants(root: Path) -> list[Mutant]:
    found = []
    for path in sorted((root / "core/rules").glob("*.cc")):
        explanation = False  # within a raw string
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if 'R"' in line:
                explanation = True
            if not explanation:
                found += [Mutant(str(path.relative_to(root)), number, m.start(), m.end(), m[0], NEGATED[m[0]])
                          for m in COMPARISON.finditer(_code(line))]
            if ')"' in line:
                explanation = False
    return found


class Bench:
    """A copy of the sources in which one file at a time is changed, and its build."""

    def __init__(self, root: Path, build: Path) -> None:
        self.root = root
        self.folder = build / "mutation"
        sources = self.folder / "src"
        for name in COPIED:
            if (root / name).is_dir():
                shutil.copytree(root / name, sources / name, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (sources / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, sources / name)
        self.program = self.folder / "build/bin/quantgate"
        subprocess.run(["cmake", "-S", sources, "-B", self.folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DQUANTGATE_TESTS=OFF", "-DQUANTGATE_BENCHMARKS=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"],
                       check=True, stdout=subprocess.DEVNULL)
        if not self._make():
            raise SystemExit("error: the sources don't build")

    def _make(self) -> bool:
        return subprocess.run(["cmake", "--build", self.folder / "build", "--target", "bin/quantgate"],
                              capture_output=True).returncode == 0

    def outcome(self, mutant: Mutant) -> str:
        file = self.folder / "src" / mutant.file
        original = file.read_text()
        file.write_text(mutant.apply(original))
        try:
            # A comparison of types, or one whose negation is always true, is no mutant.
            if not self._make():
                return "invalid"
            return Suite(self.program).first_failure() or "survived"
        finally:
            file.write_text(original)
