"""Values of the HTP's part of the database, changed: is a test red?

A mutant is a folder laid over the built-in database that holds one op with one other value, its own or
one of a profile that it uses. It is made by changing a few characters of the YAML; opdefc says whether
that is still a database and what it now says otherwise: a mutant is named by that, and a change that
says nothing else is none. What can notice it is asked: recorded answers about that op, fixtures of the
rules with that op, and the snapshot of the database (tests/golden/database), which notices by comparing
and knows nothing.
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
from typing import Any, Callable, Iterator

from tools.dev.mutation import answers
from tools.dev.mutation.goldens import Goldens
from tools.dev.record import snapshot as update_snapshot
from tools.dev.shared import opdefs_json

ROOT = Path(__file__).resolve().parents[3]

FOLDER = "opdefs/htp"
SECTION = re.compile(r"^( *)(- )?(documented|measured|rows)( [\d.]+)?:")
# A constraint: `in0, out0 rank: BODY`, of a profile `rank: BODY`.
ENTRY = re.compile(r"^ *(\"[^\"]+\"|[^\"{}:]+): (?=\S)")
NUMBER = re.compile(r"(?:(?<=\.\.)|(?<![\w.\"$-])(?=\d+\.\.\d)|(?<=: ))(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?=[,}\]]|$|\.\.\d)")
CONSEQUENCE = re.compile(r"\b(?:breach|measured): (rejected|prepare_fails|wrong_values|altered|undocumented|advice)\b")
# The first of several datatypes of a port in a row.
DTYPE = re.compile(r"(?<![\w|])([A-Z]\w*\|)(?=[A-Z])")
OTHER = {"rejected": "advice", "prepare_fails": "advice", "wrong_values": "advice", "altered": "rejected",
         "undocumented": "rejected", "advice": "rejected"}  # fmt: skip
# How the value that a kind alone takes is written where another key stands beside it.
RANGE = re.compile(r"(\d*)\.\.(\d*)$")
FIRST_FIELDS = ("as", "allowed", "eq", "axis", "aspect", "level", "dtype", "dims", "text")
FIRST_ASKED = (2, 47)  # the oldest SDK whose library is recorded
WORDS = ("text", "note")  # they say nothing about a model


@dataclass(frozen=True, order=True)
class Mutant:
    op: str  # whose value it is
    file: str  # from the root of the sources: the op's, or the profiles'
    line: int  # from 1
    begin: int  # columns of the line that is replaced, from 0
    end: int
    was: str
    becomes: tuple[str, ...]  # the first of them that is a database
    kind: str  # number, consequence, datatype

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.begin + 1}"

    def texts(self, text: str) -> Iterator[tuple[str, str]]:
        """(what it becomes, the file)"""
        lines = text.split("\n")
        line = lines[self.line - 1]
        assert line[self.begin:self.end] == self.was, self.place
        for becomes in self.becomes:
            lines[self.line - 1] = line[:self.begin] + becomes + line[self.end:]
            yield becomes, "\n".join(lines)


def _changed(number: str) -> str:
    if "." in number or "e" in number:
        return f"{float(number) * 2 + (1 if float(number) >= 1 else 0):g}"
    return str(int(number) + 1)


def _with_breach(value: str) -> tuple[str, ...]:
    """A body that names no breach, with one: the default is rejected."""
    breach = f"breach: {OTHER['rejected']}"
    if value.startswith("{"):
        return (f"{{{breach}, " + value[1:],)
    if found := RANGE.match(value):
        ends = [f"{key}: {n}" for key, n in zip(("min", "max"), found.groups()) if n]
        return (f"{{{', '.join([*ends, breach])}}}",)
    if value == "~":
        return (f"{{{breach}}}",)
    return (f"{{{value}: ~, {breach}}}", *(f"{{{field}: {value}, {breach}}}" for field in FIRST_FIELDS))


def _of_lines(lines: list[str]) -> Iterator[tuple[int, str, int, int, str, tuple[str, ...], str]]:
    """(line, entry, begin, end, was, becomes, kind) of what may be changed."""
    section, deep, entry = "", 0, ""
    for number, line in enumerate(lines, 1):
        found = SECTION.match(line)
        if found and not (section == "rows" and len(found[1]) > deep):
            section, deep, entry = found[3], len(found[1]) + len(found[2] or ""), ""
        elif line.strip() and len(line) - len(line.lstrip()) <= deep:
            section = ""
        if not section or line.lstrip().startswith("#"):
            continue
        if section == "rows":
            for m in DTYPE.finditer(line):
                yield number, "", m.start(1), m.end(1), m[1], ("", "F64|"), "datatype"
            continue
        head = ENTRY.match(line) if len(line) - len(line.lstrip()) == deep + 2 and not SECTION.match(line) else None
        if head:
            entry = head[1].strip('"')
            whole = line + "".join(_continued(lines[number:], deep + 2))
            if not CONSEQUENCE.search(whole) and not re.search(r"\bbreach:", whole):
                yield number, entry, head.end(), len(line), line[head.end():], _with_breach(line[head.end():]), "consequence"
        for m in NUMBER.finditer(line):
            yield number, entry, m.start(1), m.end(1), m[1], (_changed(m[1]),), "number"
        for m in CONSEQUENCE.finditer(line):
            yield number, entry, m.start(1), m.end(1), m[1], (OTHER[m[1]],), "consequence"


def _continued(lines: list[str], indent: int) -> Iterator[str]:
    for line in lines:
        if len(line) - len(line.lstrip()) <= indent:
            return
        yield line


def _ops(database: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Of the HTP: {op: its rows and constraints by their ids}, without the words for people."""
    (backend,) = (b for b in database["backends"] if b["name"] == "htp")
    return {op["name"]: {f"{kind}{row['id']}": {k: v for k, v in row.items() if k not in WORDS} | {"op": op.get("range", {})}
                         for kind, rows in (("#", op.get("variants", [])), ("", op.get("constraints", []))) for row in rows}
            for op in backend["ops"]}  # fmt: skip


def mutants(root: Path) -> list[Mutant]:
    """What may be changed; a value of a profile once for each op that uses it."""
    users: dict[str, list[str]] = {}
    for op, entries in _ops(opdefs_json.load(opdefs_json.OPDEFS)).items():
        for id_ in sorted({id_.rsplit("/", 1)[-1] for id_, entry in entries.items() if entry.get("profile")}):
            users.setdefault(id_, []).append(op)
    found = []
    for path in sorted((root / FOLDER).glob("*.yaml")):
        name = str(path.relative_to(root))
        for number, entry, begin, end, was, becomes, kind in _of_lines(path.read_text().splitlines()):
            for op in users.get(entry, []) if path.stem == "profiles" else [path.stem]:
                found.append(Mutant(op, name, number, begin, end, was, becomes, kind))
    return found


def askable(before: dict[str, Any], after: dict[str, Any], ids: list[str]) -> bool:
    """Whether what changed counts on an SDK whose library is recorded."""
    def version(text: str) -> tuple[int, ...]:
        return tuple(map(int, text.split(".")))

    for id_ in ids:
        was, now = before.get(id_), after.get(id_)
        if was is None or now is None:
            return True
        ends = [range_["until"] for range_ in (was.get("range", {}), was["op"]) if "until" in range_]
        until = min(ends, key=version, default=None)
        since = was.get("measured_since")
        documented = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)} == {"consequence"}
        if not (until and version(until) <= FIRST_ASKED) and not (documented and since and version(since) <= FIRST_ASKED):
            return True
    return False


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
        self.entries = _ops(opdefs_json.load(opdefs_json.OPDEFS))
        self.backend = next(b for b in update_snapshot.backends(program) if b["name"] == "htp")
        self.snapshot = update_snapshot.lines(program, self.backend)

    def _digests(self, op: str, overlay: str) -> list[str] | None:
        try:
            return update_snapshot.lines(self.program, self.backend, op, "--opdefs", overlay)
        except subprocess.CalledProcessError:
            return None  # the compiler of the database refuses it

    def check(self, op: str) -> None:
        """A folder that changes nothing has to be noticed by nothing."""
        file = f"{FOLDER}/{op}.yaml"
        if (found := self._noticed(op, file, (self.root / file).read_text())) != []:
            raise SystemExit(f"error: {found} notices an unchanged {op}")

    def _overlay(self, overlay: Path, op: str, file: str, text: str) -> None:
        shutil.copy2(self.root / "opdefs/sources.yaml", overlay)
        for name in (f"{FOLDER}/{op}.yaml", file):
            to = overlay / Path(name).relative_to("opdefs")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text if name == file else (self.root / name).read_text())

    def outcome(self, mutant: Mutant) -> dict[str, Any] | None:
        """What notices, a list; None where opdefc refuses it, or it says nothing else."""
        for becomes, text in mutant.texts((self.root / mutant.file).read_text()):
            with tempfile.TemporaryDirectory() as folder:
                overlay, made = Path(folder) / "overlay", Path(folder) / "made.json"
                overlay.mkdir()
                self._overlay(overlay, mutant.op, mutant.file, text)
                run = subprocess.run([opdefs_json.opdefc(), "compile", self.root / "opdefs", overlay, "-o", made, "--format", "json"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
                if run.returncode:
                    continue
                before, after = self.entries[mutant.op], _ops(json.loads(made.read_text()))[mutant.op]
            ids = sorted(id_ for id_ in before.keys() | after.keys() if before.get(id_) != after.get(id_))
            if not ids or all((before.get(id_) or after[id_]).get("kind") == "note" for id_ in ids):
                return None
            change = (mutant.was.strip("|"), becomes.strip("|") or "left out")
            if mutant.kind == "consequence" and becomes not in OTHER:
                change = ("rejected", OTHER["rejected"])
            return {"mutant": f"{FOLDER}/{mutant.op}.yaml: {ids[0]} [{' -> '.join(change)}]", "place": mutant.place, "kind": mutant.kind,
                    "askable": askable(before, after, ids), "noticed": self._noticed(mutant.op, mutant.file, text)}  # fmt: skip
        return None

    def _noticed(self, op: str, file: str, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as overlay:
            self._overlay(Path(overlay), op, file, text)
            kept = [line for line in self.snapshot if line.split()[0] == op]
            noticed = ["snapshot"] if self._digests(op, overlay) != kept else []
            for part in self.parts:
                if self.baseline.noticed(part, (op,), None, None, "--opdefs", overlay):
                    noticed.insert(0, part.title)
                    break
            else:
                case = self.goldens.noticing(self.cases.get(op, set()), {}, "--opdefs", overlay)
                if case is not None:
                    noticed.insert(0, f"golden {case.slug}")
            return noticed


def run(bench: Bench, every: list[Mutant], size: int, seed: int, jobs: int, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """`size` mutants that are another database, drawn with a seed."""
    order = random.Random(seed).sample(every, len(every))
    for op in sorted({m.op for m in order[:4]}):
        bench.check(op)
    results: list[dict[str, Any]] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        while len(results) < size and order:
            batch, order = order[:min(8 * jobs, size - len(results))], order[min(8 * jobs, size - len(results)):]
            results += [found for found in pool.map(bench.outcome, batch) if found is not None]
            unnoticed = sum(not any(n != "snapshot" for n in r["noticed"]) for r in results)
            progress(f"{len(results)} of {size} values, {unnoticed} unnoticed but for the snapshot")
    return sorted(results, key=lambda r: (r["place"], r["mutant"]))
