"""What the database knows."""

from __future__ import annotations

from typing import Literal, NamedTuple

from quantgate import _core
from quantgate._core import OpInfo, Target


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


class Rule(NamedTuple):
    """A kind of check; explanation is Markdown."""

    code: str
    slug: str
    status: Literal["preview", "stable", "deprecated"]
    summary: str
    explanation: str


def targets() -> Targets:
    """The backends, SDK versions, archs and chips known."""
    return Targets(tuple(Backend(*backend) for backend in _core.backends()),
                   tuple(Soc(*soc) for soc in _core.socs()))


def rules() -> tuple[Rule, ...]:
    """All rules, in order of their codes."""
    return tuple(Rule(*rule) for rule in _core.rules())


def explain(rule: str) -> Rule:
    """A rule by its code in any case or its name: 'QG301', 'asymmetric-encoding'.

    Raises UnknownNameError with the nearest names.
    """
    return Rule(*_core.explain(rule))


def query(op: str, *, soc: str | int | None = None, arch: str | None = None,
          sdk: str | None = None, backend: str = "htp") -> OpInfo:
    """What a target takes for an op of the backend, such as 'Conv2d'.

    Raises UnknownNameError for an op, TargetError for a target that isn't known.
    """
    return _core.query(op, Target(soc=soc, arch=arch, sdk=sdk, backend=backend))


def ops(*, soc: str | int | None = None, arch: str | None = None, sdk: str | None = None,
        backend: str = "htp") -> tuple[str, ...]:
    """The names of the ops that a target takes. Raises TargetError."""
    return _core.ops(Target(soc=soc, arch=arch, sdk=sdk, backend=backend))
