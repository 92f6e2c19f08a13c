"""What a check found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast

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


class Report:
    """Verdicts of all nodes and all findings of one check. Immutable; print() it for a table.

    Made by check() and Validator.check(). Pickled, it is its model and validator, which make it
    again.
    """

    __slots__ = ("_core", "_findings", "_model", "_nodes", "_validator")

    def __init__(self, core: _core.Report, model: Model, validator: Validator) -> None:
        self._core = core
        self._model = model
        self._validator = validator
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
            self._nodes = self._core.nodes
        return self._nodes

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
    def notes(self) -> tuple[str, ...]:
        """What was assumed, in words."""
        return self._core.notes

    def to_json(self, indent: int = 2) -> str:
        """The JSON of docs/report.schema.json, as the command line writes it; 0: one line."""
        return self._core.to_json(indent)

    def to_dict(self) -> dict[str, Any]:
        """to_json() as Python's own types."""
        return cast("dict[str, Any]", json.loads(self.to_json(0)))

    def to_text(self, *, verbose: bool = False, color: bool = False, width: int = 100) -> str:
        """What the command line prints, for `width` columns; verbose: every finding and node."""
        return self._core.to_text(color, verbose, width)

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
        return type(self._validator).check, (self._validator, self._model)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (f"<quantgate.Report of '{self.model}': {self.verdict}, {len(self.findings)} "
                f"findings in {self.summary['nodes']} nodes>")

    def _repr_html_(self) -> str:
        return report_html(self)
