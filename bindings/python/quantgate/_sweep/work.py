"""The engine-free core: items in, tables out. Runs in whatever process an engine has."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quantgate import _core
from quantgate._knowledge import EMBEDDED, Database
from quantgate._names import FailOn, Mode, Route
from quantgate._sweep import probe
from quantgate._sweep.errors import SweepError
from quantgate._sweep.inputs import Item, is_url, open_binary, read_members

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("models", "findings", "nodes")
# Bytes of archives and URLs that are held at once.
_MAX_HELD = 256 << 20

# As _core.Sweeper.run() takes it: path, line, offset, length, bytes, model, error.
_Input = tuple[str, int, int, int, bytes | None, _core.Model | None, str]


@dataclasses.dataclass(frozen=True)
class Job:
    """What is done with each item."""

    targets: str
    sdks: tuple[str, ...] = ()
    backend: str = "htp"
    route: Route | None = None
    mode: Mode = "strict"
    fail_on: FailOn = "wrong_values"
    opdefs: tuple[str, ...] = ()
    findings: bool = True
    nodes: bool = False
    probe: probe.Probe | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        kept = {"models": True, "findings": self.findings, "nodes": self.nodes}
        return tuple(name for name in TABLES if kept[name])


def pyarrow() -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise SweepError("tables need pyarrow: pip install 'quantgate[sweep]'") from None
    return pa


@functools.lru_cache(maxsize=4)
def sweeper(job: Job) -> _core.Sweeper:
    """Raises TargetError, OpdefsError and ValueError."""
    database = Database(job.opdefs) if job.opdefs else EMBEDDED
    return _core.Sweeper(job.targets, job.backend, list(job.sdks), job.route, job.mode,
                         job.fail_on, database._core)


def run(job: Job, items: Sequence[Item], threads: int = 1) -> dict[str, pa.Table]:
    """The tables of these items, in their order."""
    pa = pyarrow()
    if job.probe is not None:
        return probe.run(job, items)
    parts: dict[str, list[Any]] = {name: [] for name in job.tables}
    for inputs in _held(_inputs(items)):
        made = sweeper(job).run(inputs, threads, job.findings, job.nodes)
        for name, table in zip(TABLES, made):
            if name in parts:
                parts[name].append(pa.table(table))
    if not items:
        empty = sweeper(job).run([], 1, False, False)
        return {name: pa.table(table) for name, table in zip(TABLES, empty) if name in parts}
    return {name: pa.concat_tables(tables) for name, tables in parts.items()}


def error_tables(job: Job, item: Item, error: str) -> dict[str, pa.Table]:
    """The row of an item that can't be put to the library at all."""
    pa = pyarrow()
    if job.probe is not None:
        return probe.error_tables(job, item, error)
    made = sweeper(job).run([_refused(item, error)], 1, job.findings, job.nodes)
    return {name: pa.table(table) for name, table in zip(TABLES, made) if name in job.tables}


def _refused(item: Item, error: str) -> _Input:
    return (item.source, 0, 0, 0, None, None, error)


def _inputs(items: Sequence[Item]) -> Iterator[_Input]:
    at = 0
    while at < len(items):
        item = items[at]
        if item.member:
            # All that follow of the same archive, which is opened once.
            end = at
            while end < len(items) and items[end].member and items[end].path == item.path:
                end += 1
            yield from _of_archive(items[at:end])
            at = end
            continue
        yield _of_file(item)
        at += 1


def _of_archive(items: Sequence[Item]) -> Iterator[_Input]:
    by_name = {item.member: item for item in items}
    # In the order of the items; what comes too early waits.
    early: dict[str, _Input] = {}
    order = iter(items)
    due = next(order, None)
    for name, data in read_members(items[0].path, list(by_name)):
        early[name] = _of_bytes(by_name[name], data)
        while due is not None and due.member in early:
            yield early.pop(due.member)
            due = next(order, None)


def _of_bytes(item: Item, data: bytes | str) -> _Input:
    if isinstance(data, str):
        return _refused(item, data)
    if item.source.lower().endswith(".pt2"):
        return _refused(item, "a .pt2 inside an archive or behind a URL isn't read; unpack it")
    return (item.source, 0, 0, 0, data, None, "")


def _of_file(item: Item) -> _Input:
    if is_url(item.path):
        try:
            with open_binary(item.path) as stream:
                return _of_bytes(item, stream.read())
        except Exception as error:  # whatever that filesystem raises
            return _refused(item, f"can't be read: {error}")
    if item.path.lower().endswith(".pt2"):
        return _of_program(item)
    return (item.path, item.line, item.offset, item.length, None, None, "")


def _of_program(item: Item) -> _Input:
    """An exported PyTorch program, which torch alone can load."""
    try:
        from quantgate import torch as quantgate_torch

        model = quantgate_torch.read(item.path)
    except ImportError:
        return _refused(item, "reading .pt2 needs PyTorch: pip install torch")
    except Exception as error:  # whatever torch raises
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        return _refused(item, first)
    return (item.path, 0, 0, 0, None, model, "")


def _held(inputs: Iterator[_Input]) -> Iterator[list[_Input]]:
    """In lists whose bytes fit into memory together."""
    held: list[_Input] = []
    size = 0
    for one in inputs:
        held.append(one)
        size += len(one[4] or b"")
        if size > _MAX_HELD:
            yield held
            held, size = [], 0
    if held:
        yield held
