"""Where the zoo of PyTorch graphs keeps things. Names, and which of them are held out, are those of the zoo."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "zoo_executorch"  # answers in full: not committed
LABELS = BUILD / "labels"
RECORDED = ROOT / "tests" / "conformance" / "executorch" / "zoo"
PYTHON = BUILD / "venv" / "bin" / "python"


def draws():
    """tools/dev/zoo/draws.py, by its path: its folder has a module of this one's name."""
    known = sys.modules.get("zoo_draws")
    if known is None:
        spec = importlib.util.spec_from_file_location("zoo_draws", ROOT / "tools" / "dev" / "zoo" / "draws.py")
        known = sys.modules["zoo_draws"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(known)
    return known


@dataclass(frozen=True, order=True)
class Case:
    """An architecture in one precision."""

    name: str
    precision: str
    again: bool = False  # lowered a second time

    def __str__(self) -> str:
        return f"{self.name}-{self.precision}"

    @property
    def folder(self) -> Path:
        return LABELS / (f"{self}.again" if self.again else str(self))

    def lowered_again(self) -> Case:
        return Case(self.name, self.precision, again=True)


def cases(names: list[str]) -> list[Case]:
    """8 bits of all, 16 bits of a third, which the name decides; in the order of a hash, so that any beginning is a
    fair part."""
    result = [Case(name, "8a8w") for name in names]
    result += [Case(name, "16a8w") for name in names if hashlib.sha256(name.encode()).digest()[2] % 3 == 0]
    return sorted(result, key=lambda case: hashlib.sha256(f"order:{case}".encode()).hexdigest())
