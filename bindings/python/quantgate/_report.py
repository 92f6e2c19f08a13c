"""What a check found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from quantgate import _core
from quantgate._core import Finding, Model, NodeReport
from quantgate._errors import ValidationError
from quantgate._html import report_html
from quantgate._names import Mode, Verdict

if TYPE_CHECKING:
    from quantgate._validator import Validator

_FINDING_COLUMNS = ("code", "rule", "constraint", "consequence", "level", "node", "op", "port",
                    "tensor", "message", "found", "allowed", "sources")
_NODE_COLUMNS = ("name", "op", "resolved", "verdict", "into", "reason")


class RunNode(NamedTuple):
    """Where a node runs, and the ops that run for it."""

    name: str
    placement: Literal["npu_quantized", "npu_float", "npu_integer", "cpu", "refused", "into",
                       "outside", "unknown"]
    ops: tuple[str, ...]
    partition: int | None  # into AsRun.partitions


class RunChange(NamedTuple):
    """Something that runs otherwise than it was written. node: into Report.nodes."""

    kind: Literal["float", "encoding", "dtype", "bias", "convert", "folded", "half"]
    node: int | None
    port: str
    tensor: str
    written: str
    runs: str


class Partition(NamedTuple):
    """A graph that goes to the NPU as one; first, last: nodes of the file."""

    nodes: int
    first: int | None
    last: int | None


class AsRun(NamedTuple):
    """What runs instead of what was written. session_fails: why none comes about, or ''."""

    nodes: tuple[RunNode, ...]
    changes: tuple[RunChange, ...]
    partitions: tuple[Partition, ...]
    float_dtype: str
    session_fails: str


class Basis(NamedTuple):
    """Nodes by what their verdicts rest on; the sum is all nodes."""

    measured: int  # measurements of this SDK's library, on x86-64
    measured_elsewhere: int  # measurements of another SDK's library
    documents: int  # documents alone
    nothing: int  # nothing: unchecked


class Report:
    """Verdicts of all nodes and all findings of one check. Immutable; print() it for a table.

    Made by check() and Validator.check(). Pickled, it is its model and validator, which make it
    again.
    """

    __slots__ = ("_core", "_encodings", "_findings", "_listed", "_model", "_nodes", "_validator")

    def __init__(self, core: _core.Report, model: Model, validator: Validator,
                 encodings: str | None = None, *, listed: bool = True) -> None:
        self._core = core
        self._listed = listed  # `core` has the nodes
        self._model = model
        self._validator = validator
        self._encodings = encodings
        self._nodes: tuple[NodeReport, ...] | None = None
        self._findings: tuple[Finding, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of all nodes."""
        return self._core.verdict

    @property
    def failed(self) -> bool:
        """The mode fails: always False in warn mode."""
        return self._core.failed

    @property
    def nodes(self) -> tuple[NodeReport, ...]:
        """Every node of the file, in its order."""
        if self._nodes is None:
            self._nodes = self._whole().nodes
        return self._nodes

    def _whole(self) -> _core.Report:
        """With the nodes, which are listed when they are asked for."""
        if not self._listed:
            self._core = self._validator._core.check(self._model)
            self._listed = True
        return self._core

    @property
    def as_run(self) -> AsRun | None:
        """What runs instead of what was written; None unless the check was made with as_run."""
        run = self._whole().as_run
        if run is None:
            return None
        nodes, changes, partitions, float_dtype, session_fails = run
        return AsRun(tuple(RunNode(*node) for node in nodes),
                     tuple(RunChange(*change) for change in changes),
                     tuple(Partition(*partition) for partition in partitions), float_dtype, session_fails)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them: in node order, inputs before outputs, then by port and rule code."""
        if self._findings is None:
            self._findings = self._core.findings
        return self._findings

    @property
    def summary(self) -> dict[str, int]:
        """The number of nodes, and of nodes with each verdict."""
        return self._core.summary

    @property
    def model(self) -> str:
        """The file, or what stands for it."""
        return self._core.model

    @property
    def checked(self) -> Model:
        """The model itself, as it was checked."""
        return self._model

    @property
    def mode(self) -> Mode:
        return self._core.mode

    @property
    def backend(self) -> str:
        return self._core.backend

    @property
    def sdk(self) -> str:
        """The SDK version asked for; knowledge_sdk is the one whose facts were used."""
        return self._core.sdk

    @property
    def arch(self) -> str:
        return self._core.arch

    @property
    def soc(self) -> str:
        """'' where only an arch was given."""
        return self._core.soc

    @property
    def route(self) -> str:
        """How the file was taken to reach the backend."""
        return self._core.route

    @property
    def knowledge_sdk(self) -> str:
        return self._core.knowledge_sdk

    @property
    def measured(self) -> bool:
        """The facts were measured on the real library (on x86-64, not on a chip)."""
        return self._core.measured

    @property
    def basis(self) -> Basis:
        """What the verdicts of the nodes rest on."""
        return Basis(*self._core.basis)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed, in words."""
        return self._core.notes

    def to_json(self, indent: int = 2) -> str:
        """The JSON of docs/schemas/report.schema.json, as the command line writes it; 0: one line."""
        return self._whole().to_json(indent)

    def to_dict(self) -> dict[str, Any]:
        """to_json() as Python's own types."""
        return cast("dict[str, Any]", json.loads(self.to_json(0)))

    def to_text(self, *, verbose: bool = False, color: bool = False, width: int = 100) -> str:
        """What the command line prints, for `width` columns; verbose: every finding and node."""
        return self._whole().to_text(color, verbose, width)

    def to_pandas(self, what: Literal["findings", "nodes"] = "findings") -> Any:
        """A pandas.DataFrame with a row for each finding or node.

        Raises ImportError where pandas isn't installed.
        """
        import pandas

        columns: tuple[str, ...]
        rows: tuple[Finding, ...] | tuple[NodeReport, ...]
        if what == "findings":
            columns, rows = _FINDING_COLUMNS, self.findings
        elif what == "nodes":
            columns, rows = _NODE_COLUMNS, self.nodes
        else:
            raise ValueError(f"what: unknown value {what!r}; known: findings, nodes")
        return pandas.DataFrame([[getattr(row, column) for column in columns] for row in rows],
                                columns=list(columns))

    def raise_for_verdict(self) -> None:
        """Raises ValidationError, with this report in it, where the report failed."""
        if self.failed:
            raise ValidationError(self)

    def __copy__(self) -> Report:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Report:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._validator, self._model, self._encodings)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (f"<quantgate.Report of '{self.model}': {self.verdict}, {len(self.findings)} "
                f"findings in {self.summary['nodes']} nodes>")

    def _repr_html_(self) -> str:
        return report_html(self)


def _again(validator: Validator, model: Model, encodings: str | None) -> Report:
    """A report that was pickled."""
    return validator.check(model, encodings=encodings)
