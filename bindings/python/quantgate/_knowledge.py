"""What the database knows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from quantgate import _core
from quantgate._core import OpInfo, Target


EvidenceRow: TypeAlias = tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str, str], ...]]
Folders: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def folders(opdefs: Folders) -> list[str]:
    """One folder or several as a list."""
    if isinstance(opdefs, (str, os.PathLike)):
        return [os.fspath(opdefs)]
    return [os.fspath(folder) for folder in opdefs]


class Backend(NamedTuple):
    """A backend with its SDK versions and archs, oldest first."""

    name: str
    sdks: tuple[str, ...]
    archs: tuple[str, ...]


class Soc(NamedTuple):
    """A chip. arch is '' and vtcm_mb (megabytes of tightly coupled memory) 0 where unknown."""

    name: str
    other_names: tuple[str, ...]
    id: int
    arch: str
    vtcm_mb: int


class Targets(NamedTuple):
    """All that can be checked for."""

    backends: tuple[Backend, ...]
    socs: tuple[Soc, ...]


class Reported(NamedTuple):
    """Where others met what a rule tells, and what they saw."""

    where: str
    what: str


class Judged(NamedTuple):
    """What the real library or provider said of an example; by is '' where nobody was asked."""

    example: str
    by: str
    said: str


class RuleEvidence(NamedTuple):
    """Where a rule comes from; basis may be ''."""

    basis: str
    reported: tuple[Reported, ...]
    judged: tuple[Judged, ...]


class Rule(NamedTuple):
    """A kind of check; explanation is Markdown."""

    code: str
    slug: str
    status: Literal["preview", "stable", "deprecated"]
    summary: str
    explanation: str
    evidence: RuleEvidence


class Database:
    """The constraints of backends: those built in, or with YAML of your own over them.

    opdefs: a folder of YAML, or several, as `quantgate check --opdefs` takes them; what a folder
    names (an op, a chip, a source) replaces the same of the ones before. file: a database compiled
    by `opdefc compile`, instead of the one built in, as `--database` takes it. Immutable.

    Raises OpdefsError, with file, line and column, for YAML that is wrong, and for a file that is
    damaged, of another format or can't be read.
    """

    __slots__ = ("_core", "_file", "_opdefs")

    def __init__(self, opdefs: Folders = (), *, file: str | os.PathLike[str] | None = None) -> None:
        self._opdefs = folders(opdefs)
        self._file = None if file is None else os.fspath(file)
        self._core = _core.embedded() if self._file is None else _core.database_of(self._file)
        if self._opdefs:
            self._core = self._core.overlaid(self._opdefs)

    def target(self, *, soc: str | int | None = None, arch: str | None = None,
               sdk: str | None = None, backend: str = "htp") -> Target:
        """A Target of this database, for Validator and queries. Raises TargetError."""
        return Target(soc=soc, arch=arch, sdk=sdk, backend=backend, _database=self._core)

    def targets(self) -> Targets:
        """The backends, SDK versions, archs and chips known."""
        return Targets(tuple(Backend(*backend) for backend in self._core.backends()),
                       tuple(Soc(*soc) for soc in self._core.socs()))

    def query(self, op: str, *, soc: str | int | None = None, arch: str | None = None,
              sdk: str | None = None, backend: str = "htp") -> OpInfo:
        """What a target takes for an op of the backend, such as 'Conv2d'.

        Raises UnknownNameError for an op, TargetError for a target that isn't known.
        """
        return _core.query(op, self.target(soc=soc, arch=arch, sdk=sdk, backend=backend))

    def ops(self, *, soc: str | int | None = None, arch: str | None = None,
            sdk: str | None = None, backend: str = "htp") -> tuple[str, ...]:
        """The names of the ops that a target takes. Raises TargetError."""
        return _core.ops(self.target(soc=soc, arch=arch, sdk=sdk, backend=backend))

    def __repr__(self) -> str:
        parts = [repr(folder) for folder in self._opdefs]
        if self._file is not None:
            parts.append(f"file={self._file!r}")
        return f"Database({', '.join(parts)})"


EMBEDDED = Database()
"""What is built in."""


def make_target(soc: str, arch: str, sdk: str, backend: str) -> Target:
    """A pickled Target; empty texts stand for what wasn't given."""
    return Target(soc=soc or None, arch=arch or None, sdk=sdk or None, backend=backend)


def targets() -> Targets:
    """The backends, SDK versions, archs and chips known."""
    return EMBEDDED.targets()


def _rule(code: str, slug: str, status: Literal["preview", "stable", "deprecated"], summary: str,
          explanation: str, evidence: EvidenceRow) -> Rule:
    basis, reported, judged = evidence
    return Rule(code, slug, status, summary, explanation, RuleEvidence(
        basis, tuple(Reported(*one) for one in reported), tuple(Judged(*one) for one in judged)))


def rules() -> tuple[Rule, ...]:
    """All rules, in order of their codes."""
    return tuple(_rule(*rule) for rule in _core.rules())


def explain(rule: str) -> Rule:
    """A rule by its code in any case or its name: 'QG301', 'asymmetric-encoding'.

    Raises UnknownNameError with the nearest names.
    """
    return _rule(*_core.explain(rule))


def query(op: str, *, soc: str | int | None = None, arch: str | None = None,
          sdk: str | None = None, backend: str = "htp", opdefs: Folders = ()) -> OpInfo:
    """What a target takes for an op of the backend, such as 'Conv2d'.

    opdefs: see Database. Raises UnknownNameError for an op, TargetError for a target that isn't
    known.
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    return database.query(op, soc=soc, arch=arch, sdk=sdk, backend=backend)


def ops(*, soc: str | int | None = None, arch: str | None = None, sdk: str | None = None,
        backend: str = "htp", opdefs: Folders = ()) -> tuple[str, ...]:
    """The names of the ops that a target takes. opdefs: see Database. Raises TargetError."""
    database = Database(opdefs) if opdefs else EMBEDDED
    return database.ops(soc=soc, arch=arch, sdk=sdk, backend=backend)
