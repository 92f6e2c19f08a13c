"""A build of the program that holds every mutant of the rules at once: see schemata.h."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HEADER = Path(__file__).with_name("schemata.h")
FOLDERS = ("core/rules", "core/validate")
LEFT_OUT = {".git", "build", ".venv", ".ccache", "node_modules", "__pycache__"}
UNIT = ("validator", "known_forms", "forms", "extract", "survey", "target_table", "two_sdks", "suggestions", "raw_encoding", "rules",
        "graph_rules", "overlay", "fix", "encodings", "route")  # fmt: skip
REPLAYED = ("validator", "database")  # fuzz targets
TARGETS = ["bin/quantgate", "opdefc", "bin/qg-oracle", *(f"{name}_test" for name in UNIT), *(f"{name}_replay" for name in REPLAYED)]
LIBRARIES = ["quantgate_rules", "quantgate_validate"]
# clang-format puts spaces around comparisons and none around the brackets of templates.
COMPARISON = re.compile(r"(?<= )(==|!=|<=|>=|<|>)(?= |$)")
OTHER = {"==": ("!=", ""), "!=": ("==", ""), "<": (">=", "<="), ">=": ("<", ">"), ">": ("<=", ">="), "<=": (">", "<")}
# What most of the sources include, precompiled once: the mutated sources build in a third of the time.
COMMON = ("<fmt/format.h>", "<algorithm>", "<cmath>", "<map>", "<optional>", "<set>", "<string>", "<vector>",
          '"absl/container/flat_hash_map.h"', '"absl/container/inlined_vector.h"', '"quantgate/quantgate.h"', '"core/database/view.h"',
          '"core/rules/rule_entry.h"')  # fmt: skip
HEAD = '#include "qgcommon.h"\n#include "qgmut.h"\n#pragma GCC diagnostic ignored "-Wparentheses"\n#line 1\n'


@dataclass(frozen=True)
class Comparison:
    number: int
    file: str  # from the root of the sources
    line: int  # from 1
    column: int  # from 0
    operator: str
    text: str  # of the line
    nth: int  # of the comparisons of equal lines of the file, from 0

    @property
    def place(self) -> str:
        """Names the comparison as long as its line stays as it is, wherever it moves to."""
        return f"{self.file}: {self.text}" + (f" #{self.nth + 1}" if self.nth else "")

    def mutants(self) -> list["Mutant"]:
        negated, moved = OTHER[self.operator]
        return [Mutant(2 * self.number, self, negated)] + ([Mutant(2 * self.number + 1, self, moved)] if moved else [])


@dataclass(frozen=True)
class Mutant:
    id: int
    comparison: Comparison
    becomes: str

    @property
    def key(self) -> str:
        return f"{self.comparison.place} [{self.comparison.operator} -> {self.becomes}]"

    @property
    def place(self) -> str:
        return f"{self.comparison.file}:{self.comparison.line}:{self.comparison.column + 1}"


def _code(line: str) -> str:
    """The line with texts and comments blanked."""
    blank = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', line)
    return blank.split("//")[0]


def comparisons(root: Path) -> list[Comparison]:
    found: list[Comparison] = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.cc")):
            raw = False  # within a raw string
            seen: dict[str, int] = {}
            for number, line in enumerate(path.read_text().splitlines(), 1):
                raw = raw or 'R"' in line
                if not raw and not line.startswith("#"):
                    for m in COMPARISON.finditer(_code(line)):
                        text = line.strip()
                        nth = seen.get(text, 0)
                        seen[text] = nth + 1
                        found.append(Comparison(len(found), str(path.relative_to(root)), number, m.start(), m[0], text, nth))
                raw = raw and ')"' not in line
    return found


def _written(path: Path, text: bytes) -> None:
    """Leaves a file alone that is so already: what depends on it isn't built again."""
    if not path.is_file() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


class Build:
    """The copied sources with their mutants, built."""

    def __init__(self, root: Path, folder: Path, jobs: int) -> None:
        self.root, self.sources, self.jobs = root, folder / "src", jobs
        # Within the sources, as a build of the project mostly is: a compiler cache knows most files.
        self.build = self.sources / "build"
        self.program = self.build / "bin/quantgate"
        self.all = comparisons(root)
        self.remembered = folder / "refused.txt"
        known = set(self.remembered.read_text().splitlines()) if self.remembered.is_file() else set()
        # Comparisons that can't be written so: the compiler said it of that line.
        self.refused = {c.number for c in self.all if c.place in known}
        self._copy()
        self._make()

    def mutants(self) -> list[Mutant]:
        return [m for c in self.all if c.number not in self.refused for m in c.mutants()]

    @property
    def size(self) -> int:
        return 2 * len(self.all)

    def _copy(self) -> None:
        mutated = {c.file for c in self.all}
        present = set()
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root)
            if path.is_dir() or LEFT_OUT & set(name.parts):
                continue
            present.add(name)
            if str(name) not in mutated:
                _written(self.sources / name, path.read_bytes())
        for path in self.sources.rglob("*"):
            name = path.relative_to(self.sources)
            if path.is_file() and name.parts[0] != "build" and name not in present and not str(name).startswith("qg"):
                path.unlink()
        common = "#pragma once\n"
        _written(self.sources / "qgcommon.h", (common + "".join(f"#include {name}\n" for name in COMMON)).encode())
        header = HEADER.read_text().replace("QGMUT_COUNT", str(self.size))
        _written(self.sources / "qgmut.h", header.encode())

    def _rewrite(self) -> None:
        for file in sorted({c.file for c in self.all}):
            lines = (self.root / file).read_text().split("\n")
            for c in reversed([c for c in self.all if c.file == file and c.number not in self.refused]):
                line, end = lines[c.line - 1], c.column + len(c.operator)
                lines[c.line - 1] = f"{line[:end]} qgmut::M<{c.number}>{{}} {c.operator}{line[end:]}"
            _written(self.sources / file, (HEAD + "\n".join(lines)).encode())

    def _precompile(self) -> None:
        """qgcommon.h with the flags of a rule's source, where that can be done with this compiler."""
        listed = json.loads((self.build / "compile_commands.json").read_text())
        words = shlex.split(next(c["command"] for c in listed if c["file"].endswith("core/rules/support/args.cc")))
        header, made = self.sources / "qgcommon.h", self.sources / "qgcommon.h.gch"
        newest = max(path.stat().st_mtime for path in [header, *self.sources.glob("core/**/*.h")])
        if made.is_file() and made.stat().st_mtime > newest:
            return
        made.unlink(missing_ok=True)
        flags = [w for w in words[1:words.index("-o")] if not w.startswith("-W") and not w.endswith(("ccache", "++"))]
        subprocess.run([next(w for w in words if w.endswith("++")), *flags, "-x", "c++-header", header, "-o", made],
                       check=True, cwd=self.build, stderr=subprocess.DEVNULL)  # fmt: skip

    def _make(self) -> None:
        self._rewrite()
        subprocess.run(["cmake", "-S", self.sources, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DQUANTGATE_UNITY=OFF", f"-DPython3_EXECUTABLE={sys.executable}",
                        # An index beyond an end is to be noticed.
                        "-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        self._precompile()
        while True:
            # The mutated libraries first, without the compiler cache, which is slow where something is precompiled.
            for targets, more in ((LIBRARIES, {"CCACHE_DISABLE": "1"}), (TARGETS, {})):
                made = subprocess.run(["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, "--", "-k", "0"],
                                      capture_output=True, text=True, env=dict(os.environ, **more))  # fmt: skip
                if made.returncode != 0:
                    break
            if made.returncode == 0:
                self.remembered.write_text("".join(f"{c.place}\n" for c in self.all if c.number in self.refused))
                return
            places = {(m[1], int(m[2])) for m in re.finditer(r"((?:core/rules|core/validate)/[\w/]+\.cc):(\d+):\d+: (?:error|  required)", made.stdout)}
            wrong = {c.number for c in self.all if (c.file, c.line) in places} - self.refused
            if not wrong:
                raise SystemExit(f"error: the mutated sources don't build:\n{made.stdout[-3000:]}{made.stderr[-1000:]}")
            print(f"{len(wrong)} comparisons can't be mutated so and are left out", file=sys.stderr)
            self.refused |= wrong
            self._rewrite()
