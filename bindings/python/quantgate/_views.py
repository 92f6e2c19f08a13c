"""What every chip makes of a model, what the database says as a whole, what differs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from quantgate import _core
from quantgate._knowledge import EMBEDDED, Database, Folders, Soc
from quantgate._models import ModelLike, to_model
from quantgate._names import FailOn, Mode, Route, Verdict

Fits: TypeAlias = Literal["fits", "falls_back", "fails", "unknown"]
"""All on the NPU; some nodes on the CPU; no graph or session comes about; not known."""

MatrixBy: TypeAlias = Literal["arch", "sdk", "backend", "soc"]


class ArchFit(NamedTuple):
    """What the chips of one arch make of a model. arch is '' for chips whose arch is unknown."""

    arch: str
    socs: tuple[str, ...]
    fit: Fits
    reason: str
    summary: dict[Verdict, int]  # number of nodes by verdict
    cpu_nodes: int
    changed_nodes: int
    partitions: int
    blocked: tuple[str, ...]  # nodes that are refused or that no session survives
    failed: bool


class Survey(NamedTuple):
    """A model on every chip of a backend, oldest arch first."""

    model: str
    backend: str
    sdk: str
    route: str
    nodes: int
    archs: tuple[ArchFit, ...]

    def of(self, soc: str) -> ArchFit:
        """What a chip makes of it, by name in any case. Raises KeyError."""
        for fit in self.archs:
            if soc.upper() in (name.upper() for name in fit.socs):
                return fit
        raise KeyError(soc)


class Supported(NamedTuple):
    """A precision that an op takes, with the rows of the database that say so."""

    precision: str  # '16a8w'
    verdict: Verdict
    measured: bool
    rows: tuple[str, ...]


class Precision(NamedTuple):
    id: str
    title: str


class Column(NamedTuple):
    """A target; by soc, all chips of an arch."""

    name: str
    socs: tuple[Soc, ...]


class MatrixRow(NamedTuple):
    """An op; in each cell the precisions it takes, best first. None: the target lacks the op."""

    op: str
    cells: tuple[tuple[Supported, ...] | None, ...]


class Matrix(NamedTuple):
    """Which op is supported where, in which precision."""

    by: MatrixBy
    precisions: tuple[Precision, ...]
    columns: tuple[Column, ...]
    rows: tuple[MatrixRow, ...]
    unsupported: tuple[Soc, ...]
    notes: tuple[str, ...]

    def cell(self, op: str, column: str) -> tuple[Supported, ...] | None:
        """Of one op and one target. Raises KeyError for what isn't in it."""
        for i, known in enumerate(self.columns):
            if column == known.name or column in (soc.name for soc in known.socs):
                for row in self.rows:
                    if row.op == op:
                        return row.cells[i]
                raise KeyError(op)
        raise KeyError(column)


class Gain(NamedTuple):
    """A precision that one side takes and the other doesn't; archs: '' is everywhere."""

    precision: str
    lost: bool
    measured: bool
    verdict: Verdict
    archs: str


class Change(NamedTuple):
    """A row or a constraint that differs."""

    what: Literal["added", "removed", "changed"]
    effect: Literal["none", "loosened", "tightened"]
    is_row: bool
    id: str
    text: str
    port: str
    rule: str
    archs: str
    before: Verdict
    after: Verdict
    measured: bool
    sources: tuple[str, ...]
    note: str


class OpDiff(NamedTuple):
    """An op that differs."""

    op: str
    what: Literal["added", "removed", "changed"]
    measured: bool
    gains: tuple[Gain, ...]
    changes: tuple[Change, ...]


class Diff(NamedTuple):
    """What differs between two targets."""

    by: MatrixBy
    ops: tuple[OpDiff, ...]
    notes: tuple[str, ...]


def survey(model: ModelLike, *, sdk: str | None = None, backend: str = "htp",
           route: Route | None = None, mode: Mode = "strict", fail_on: FailOn = "wrong_values",
           opdefs: Folders = ()) -> Survey:
    """What every chip of a backend makes of a model, as `quantgate check --all-socs`.

    Raises what check() raises.
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    source, of_backend, of_sdk, of_route, nodes, archs = _core.survey(
        to_model(model), database._core, backend, sdk or "", route, mode, fail_on)
    return Survey(source, of_backend, of_sdk, of_route, nodes,
                  tuple(ArchFit(*arch) for arch in archs))


def matrix(*ops: str, by: MatrixBy = "arch", soc: str | int | None = None,
           arch: str | None = None, sdk: str | None = None, backend: str = "htp",
           opdefs: Folders = ()) -> Matrix:
    """Which ops (by default all) are supported where, in which precision, as `quantgate matrix`.

    soc, arch, sdk, backend: what the columns share. Raises UnknownNameError, TargetError.
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    kind, precisions, columns, rows, unsupported, notes = _core.matrix(
        database._core, by, _text(soc), arch or "", sdk or "", backend, list(ops))
    return Matrix(
        kind, tuple(Precision(*one) for one in precisions),
        tuple(Column(name, tuple(Soc(*one) for one in socs)) for name, socs in columns),
        tuple(MatrixRow(op, tuple(None if cell is None else tuple(Supported(*one) for one in cell)
                                  for cell in cells)) for op, cells in rows),
        tuple(Soc(*one) for one in unsupported), notes)


def diff(from_: str, to: str, ops: Iterable[str] = (), *, soc: str | int | None = None,
         arch: str | None = None, sdk: str | None = None, backend: str = "htp",
         opdefs: Folders = ()) -> Diff:
    """What changes from one SDK, arch, backend or chip to another, as `quantgate diff`.

    from_, to: '2.25', 'v68', 'lpai' or 'SM8550', both of one kind; the rest: what both share.
    Raises UnknownNameError, TargetError.
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    by, found, notes = _core.diff(database._core, from_, to, _text(soc), arch or "", sdk or "",
                                  backend, list(ops))
    return Diff(by, tuple(
        OpDiff(op, what, measured, tuple(Gain(*gain) for gain in gains),
               tuple(Change(*change) for change in changes))
        for op, what, measured, gains, changes in found), notes)


def _text(soc: str | int | None) -> str:
    return "" if soc is None else str(soc)
