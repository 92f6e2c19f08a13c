"""Configurations of single ops put to a real library, by the tools that look for differences
(tools/dev/differential and qg-oracle of a checkout): the library answers in processes of the oracle's,
whose crashes and hangs are answers too.

Configuration 1 to B are the bases: each row of each op as its example has it. Those that follow are
mutations of bases, drawn block by block, so that a worker makes its own: the same number is the same
configuration on any machine, and some occur in two blocks.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantgate._sweep.errors import SweepError
from quantgate._sweep.inputs import Item

if TYPE_CHECKING:
    import pyarrow as pa
    from quantgate._sweep.work import Job

_BLOCK = 200
_DIFFERENTIAL = Path("tools/dev/differential")
COLUMNS = ("op", "configuration", "quantgate", "kind", "message", "json")
# What deserves a look: differences, and where the library didn't survive the question.
_QUIET = ("agrees", "unknown", "refused input", "library not asked", "library not queried")


@dataclasses.dataclass(frozen=True)
class Probe:
    """What is asked: paths of this machine and, on a cluster, of all workers."""

    backend: str
    library: str
    checkout: str
    oracle: str
    count: int = 20_000
    seed: int = 1


def find_checkout() -> Path:
    """From the working directory upwards."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / _DIFFERENTIAL).is_dir():
            return folder
    raise SweepError("--probe: works in a checkout of quantgate, whose tools/dev makes configurations")


def make(backend: str, library: str, count: int, seed: int) -> Probe:
    if not library:
        raise SweepError("--backend-lib: --probe needs the library to ask, such as libQnnHtp.so")
    if not os.path.isfile(library):
        raise SweepError(f"{library}: no such file")
    if count < 1:
        raise SweepError("--count: at least 1")
    checkout = find_checkout()
    if not (checkout / "opdefs" / backend).is_dir():
        raise SweepError(f"--probe: no op files of a backend '{backend}'")
    folder = Path(os.environ.get("QUANTGATE_BUILD") or checkout / "build")
    oracle = shutil.which(str(folder / "bin" / "qg-oracle")) or shutil.which("qg-oracle")
    if not oracle:
        raise SweepError(f"--probe: {folder}/bin/qg-oracle is not built: cmake --build {folder} "
                         "--target bin/qg-oracle")
    return Probe(backend, os.path.abspath(library), str(checkout), oracle, count, seed)


def items(probe: Probe) -> Iterator[Item]:
    return (Item(f"seed-{probe.seed}", line=number) for number in range(1, probe.count + 1))


class _Tools:
    """The modules of the checkout, and what they made of the database."""

    def __init__(self, probe: Probe, sdks: Sequence[str]) -> None:
        if probe.checkout not in sys.path:
            sys.path.append(probe.checkout)
        try:
            self.generate: Any = importlib.import_module("tools.dev.differential.generate")
            self.verdicts: Any = importlib.import_module("tools.dev.differential.verdicts")
            database: Any = importlib.import_module("tools.dev.differential.database")
            ops = database.load(Path(probe.checkout) / "opdefs" / probe.backend)
        except (ImportError, SystemExit) as error:
            raise SweepError(str(error).removeprefix("error: ")) from error
        self._of_op = self.generate.bases(self.generate.current(ops, list(sdks)),
                                          random.Random(probe.seed))
        self._bases = [one for of_op in self._of_op.values() for one in of_op]
        self._seed = probe.seed

    def configuration(self, number: int) -> Any:
        """From 1."""
        if number <= len(self._bases):
            return self._bases[number - 1]
        block, at = divmod(number - 1 - len(self._bases), _BLOCK)
        return self._block(block)[at]

    @functools.lru_cache(maxsize=64)  # noqa: B019: one object a process
    def _block(self, block: int) -> list[Any]:
        dice = random.Random(f"{self._seed}:{block}")
        made = list(self.generate.mutated(self._of_op, _BLOCK, dice, set()))
        while len(made) < _BLOCK:  # a space of fewer: what follows is none of it
            made.append(dice.choice(self._bases))
        return made


@functools.lru_cache(maxsize=2)
def _tools(probe: Probe, sdks: tuple[str, ...]) -> _Tools:
    return _Tools(probe, sdks)


def run(job: Job, chunk: Sequence[Item]) -> dict[str, pa.Table]:
    """The table of models, with the library's answer as their verdict."""
    from quantgate._sweep import work

    pa = work.pyarrow()
    probe, sweeper = job.probe, work.sweeper(job)
    assert probe is not None
    targets = sweeper.targets
    tools = _tools(probe, tuple(dict.fromkeys(target[2] for target in targets)))
    made = [tools.configuration(item.line) for item in chunk]
    lines = [json.dumps(one.model(_name(one))).encode() for one in made]
    inputs = [(item.source, 0, 0, 0, line, None, "") for item, line in zip(chunk, lines)]
    table = pa.table(sweeper.run(inputs, 1, False, False)[0])
    said, errors = table.column("verdict").to_pylist(), table.column("error").to_pylist()
    answers = [_ask(tools, probe, target[3], made, lines) for target in targets]
    rows: list[tuple[Any, ...]] = []
    for at, one in enumerate(made):
        for of_target, answer in enumerate(answers):
            row, verdict = at * len(targets) + of_target, answer[at]
            verdict.quantgate = said[row] or "rejected"
            verdict.constraints = ["not readable"] if errors[row] else []
            kind = verdict.kind()
            loud = kind not in _QUIET
            rows.append((_verdict(verdict.library), loud, one.op, _name(one), verdict.quantgate,
                         kind, verdict.message, lines[at].decode() if loud else None))
    columns = [list(column) for column in zip(*rows)] or [[]] * (2 + len(COLUMNS))
    return {"models": _with(table, columns)}


def _with(table: pa.Table, columns: list[list[Any]]) -> pa.Table:
    from quantgate._sweep import work

    pa = work.pyarrow()
    names = table.column_names
    for name, column, of_type in (("verdict", columns[0], pa.string()), ("failed", columns[1], pa.bool_()),
                                  ("error", [None] * len(columns[0]), pa.string())):
        table = table.set_column(names.index(name), name, pa.array(column, of_type))
    # Counts of nodes are of quantgate's verdicts, which have their own column here.
    for name in ("nodes", "accepted", "advice", "undocumented", "altered", "wrong_values",
                 "prepare_fails", "rejected", "unchecked", "findings"):
        table = table.set_column(names.index(name), name, pa.nulls(table.num_rows, pa.int64()))
    for name, column in zip(COLUMNS, columns[2:]):
        table = table.append_column(name, pa.array(column, pa.string()))
    return table


def _name(configuration: Any) -> str:
    return (f"{configuration.op} {configuration.variant} {configuration.example}: "
            f"{', '.join(configuration.mutations)}")


def _verdict(answer: str) -> str:
    if answer in ("accepted", "rejected"):
        return answer
    return answer.split()[0] if answer.startswith(("crash", "hang")) else "not queried"


def _ask(tools: _Tools, probe: Probe, arch: str, made: Sequence[Any],
         lines: Sequence[bytes]) -> list[Any]:
    asked = [tools.verdicts.Verdict(one, line=line) for line, one in enumerate(made, 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "configurations.jsonl"
        path.write_bytes(b"\n".join(lines))
        try:
            # Progress is the driver's to show.
            with contextlib.redirect_stderr(io.StringIO()):
                tools.verdicts.ask_library(probe.oracle, probe.library, arch, path, asked, 1,
                                           False)
        except (RuntimeError, ValueError) as error:
            raise SweepError(f"{probe.library}: {error}") from error
    return asked


def error_tables(job: Job, item: Item, error: str) -> dict[str, pa.Table]:
    """The rows of one that ended its worker, beyond what the oracle's processes keep from it."""
    from quantgate._sweep import work

    sweeper = work.sweeper(job)
    pa = work.pyarrow()
    table = pa.table(sweeper.run([(item.source, 0, 0, 0, None, None, error)], 1, False, False)[0])
    rows = table.num_rows
    columns: list[list[Any]] = [["crash"] * rows, [True] * rows, *([None] * rows for _ in COLUMNS)]
    columns[2 + COLUMNS.index("message")] = [error] * rows
    return {"models": _with(table, columns)}
