"""Values of the HTP's part of the database, changed: is a test red?

A mutant is a folder laid over the built-in database that holds one op with one other value. What can
notice it is asked: recorded answers about that op, fixtures of the rules with that op, and the
snapshot of the database (tests/golden/database), which notices by comparing and knows nothing.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import yaml

from tools.mutation import answers
from tools.mutation.goldens import Goldens

ROOT = Path(__file__).resolve().parents[2]

import update_snapshot  # noqa: E402  (its folder is on the path: tools/mutation/goldens.py)

NUMBER = re.compile(r"\b(?:min|max|eq|multiple_of|axis|scale|offset|bits|index|tolerance): (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w.])")
CONSEQUENCE = re.compile(r"\bconsequence: (rejected|prepare_fails|wrong_values|altered|undocumented|advice)\b")
# The first of several datatypes of a port in a row.
DTYPE = re.compile(r"\[((?:[SU]?FIXED_POINT|INT|UINT|FLOAT|BOOL|S|U|F)_?\w*, )(?=\w)")
OTHER = {"rejected": "advice", "prepare_fails": "advice", "wrong_values": "advice", "altered": "rejected",
         "undocumented": "rejected", "advice": "rejected"}  # fmt: skip
FIRST_ASKED = (2, 47)  # the oldest SDK whose library is recorded


@dataclass(frozen=True, order=True)
class Mutant:
    file: str  # from the root of the sources
    line: int  # from 1
    begin: int  # columns of the line that `becomes` replaces, from 0
    end: int
    was: str
    becomes: str
    kind: str  # number, consequence, datatype

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.begin + 1}"

    def key(self, line: str) -> str:
        """Names the mutant wherever its line moves to."""
        entry = re.search(r"\bid: (\"[^\"]*\"|[^,}]*)", line)
        return f"{self.file}: {entry[1] if entry else line.strip()} [{self.was.strip(', ')} -> {self.becomes or 'left out'}]"

    @property
    def op(self) -> str:
        return Path(self.file).stem

    def apply(self, text: str) -> str:
        lines = text.split("\n")
        line = lines[self.line - 1]
        assert line[self.begin:self.end] == self.was, self.place
        lines[self.line - 1] = line[:self.begin] + self.becomes + line[self.end:]
        return "\n".join(lines)


def _changed(number: str) -> str:
    if "." in number or "e" in number:
        return f"{float(number) * 2 + (1 if float(number) >= 1 else 0):g}"
    return str(int(number) + 1)


def mutants(root: Path) -> list[Mutant]:
    found = []
    for path in sorted((root / "opdefs/htp").glob("*.yaml")):
        name = str(path.relative_to(root))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "kind: note" in line or line.lstrip().startswith("- {inputs: "):
                continue  # words and examples say nothing about a model
            for m in NUMBER.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], _changed(m[1]), "number"))
            for m in CONSEQUENCE.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], OTHER[m[1]], "consequence"))
            for m in DTYPE.finditer(line):
                found.append(Mutant(name, number, m.start(1), m.end(1), m[1], "", "datatype"))
    return found


def askable(root: Path, mutant: Mutant) -> bool:
    """Whether the value counts on an SDK whose library is recorded."""
    raw = (root / mutant.file).read_text().split("\n")[mutant.line - 1]
    entry = yaml.safe_load(raw.strip().removeprefix("- "))
    if not isinstance(entry, dict) or "sources" not in entry:
        return True
    until = entry.get("until")
    if until and tuple(map(int, until.split("."))) <= FIRST_ASKED:
        return False
    measured = entry.get("measured")
    if measured and mutant.kind == "consequence" and tuple(map(int, measured["since"].split("."))) <= FIRST_ASKED:
        begin = raw.index("measured: {")  # the documented consequence is replaced there
        return begin < mutant.begin < raw.index("}", begin)
    return True


class Bench:
    def __init__(self, root: Path, program: Path, folder: Path, progress: Callable[[str], None]) -> None:
        self.root, self.program = root, program
        progress("recorded answers")
        self.parts = [p for p in answers.parts() if p.backend == "htp"]
        self.baseline = answers.Baseline(program, folder / "answers")
        progress("fixtures")
        self.goldens = Goldens(program)
        self.cases: dict[str, set[Any]] = {}
        for case in self.goldens.cases:
            for node in json.loads(case.golden("json").read_text())["nodes"]:
                for op in node.get("resolved") or []:
                    self.cases.setdefault(op, set()).add(case)
        progress("snapshot")
        self.backend = next(b for b in update_snapshot.backends(program) if b["name"] == "htp")
        self.snapshot = update_snapshot.lines(program, self.backend)

    def _digests(self, op: str, overlay: str) -> list[str] | None:
        try:
            return update_snapshot.lines(self.program, self.backend, op, "--opdefs", overlay)
        except subprocess.CalledProcessError:
            return None  # the compiler of the database refuses it

    def check(self, op: str) -> None:
        """A folder that changes nothing has to be noticed by nothing."""
        unchanged = Mutant(f"opdefs/htp/{op}.yaml", 1, 0, 0, "", "", "")
        if (found := self.outcome(unchanged)["noticed"]) != []:
            raise SystemExit(f"error: {found} notices an unchanged {op}")

    def outcome(self, mutant: Mutant) -> dict[str, Any]:
        """What notices, a list; None where the compiler of the database does."""
        with tempfile.TemporaryDirectory() as overlay:
            shutil.copy2(self.root / "opdefs/sources.yaml", overlay)
            file = Path(overlay) / Path(mutant.file).relative_to("opdefs")
            file.parent.mkdir(parents=True)
            file.write_text(mutant.apply((self.root / mutant.file).read_text()))
            digests = self._digests(mutant.op, overlay)
            if digests is None:
                return {"noticed": None}
            kept = [line for line in self.snapshot if line.split()[0] == mutant.op]
            noticed = ["snapshot"] if digests != kept else []
            for part in self.parts:
                if self.baseline.noticed(part, (mutant.op,), None, None, "--opdefs", overlay):
                    noticed.insert(0, part.title)
                    break
            else:
                case = self.goldens.noticing(self.cases.get(mutant.op, set()), {}, "--opdefs", overlay)
                if case is not None:
                    noticed.insert(0, f"golden {case.slug}")
            return {"noticed": noticed}


def run(bench: Bench, every: list[Mutant], size: int, seed: int, jobs: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """`size` mutants that are no error of the database, drawn with a seed."""
    order = random.Random(seed).sample(every, len(every))
    for op in sorted({m.op for m in order[:4]}):
        bench.check(op)
    results: list[dict[str, Any]] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        while len(results) < size and order:
            batch, order = order[:min(8 * jobs, size - len(results))], order[min(8 * jobs, size - len(results)):]
            for mutant, found in zip(batch, pool.map(bench.outcome, batch)):
                if found["noticed"] is not None:
                    line = (bench.root / mutant.file).read_text().split("\n")[mutant.line - 1]
                    results.append({"mutant": mutant.key(line), "place": mutant.place, "kind": mutant.kind, "askable": askable(bench.root, mutant), **found})  # fmt: skip
            unnoticed = sum(not any(n != "snapshot" for n in r["noticed"]) for r in results)
            progress(f"{len(results)} of {size} values, {unnoticed} unnoticed but for the snapshot")
    return sorted(results, key=lambda r: r["place"])
