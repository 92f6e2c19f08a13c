"""What the package raises, besides ValueError and TypeError for wrong arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quantgate._report import Report


class QuantgateError(Exception):
    """The base of all errors below."""


class InputError(QuantgateError, ValueError):
    """A model can't be read.

    `source` is the file or what stands for it; `reason` says what is wrong, after its place in
    the file where there is one: "line:column: ..." in text, "byte N: ..." in binary files.
    """

    def __init__(self, reason: str, source: str = "") -> None:
        self.reason = reason
        self.source = source
        super().__init__(reason, source)

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}" if self.source else self.reason


class TargetError(QuantgateError, ValueError):
    """A backend, chip, arch or SDK version isn't known; the message names the nearest ones."""


class OpdefsError(QuantgateError, ValueError):
    """YAML laid over the database is wrong; each line is "FILE:LINE:COLUMN: reason"."""


class UnknownNameError(QuantgateError, LookupError):
    """An op or rule isn't known; the message names the nearest ones."""


class ValidationError(QuantgateError):
    """The model fails; `report` has all findings."""

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(report)

    def __str__(self) -> str:
        return str(self.report)
