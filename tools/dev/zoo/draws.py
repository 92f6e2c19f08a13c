"""Which architectures are held out: by a salted hash of their names, decided before any is looked at.

Reserves are set aside of the names by salt 0: the first COUNT of those from AFTER to OF_FIRST. Draw N is the
first COUNT in the order of salt N of what the RESERVES that were there then hold and no draw before has had; it is
scored once, shown with all its misses, and then joins the rest. Salts and results stand in
tests/conformance/zoo/draws.json.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NAMES = ROOT / "tools" / "dev" / "models" / "networks" / "architectures.txt"
FOLDER = ROOT / "tests" / "conformance" / "zoo"
DRAWS = FOLDER / "draws.json"


def libraries() -> dict[str, str]:
    """The library of every architecture."""
    lines = NAMES.read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def in_order(salt: str, names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: hashlib.sha256(f"{salt}:{name}".encode()).hexdigest())


def text(data: dict) -> str:
    """A line a reserve and a draw."""
    parts = [f'"{key}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for key, rows in data.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


class Draws:
    def __init__(self, path: Path = DRAWS, names: list[str] | None = None):
        self._path = path
        self.data = json.loads(path.read_text())
        self.names = list(libraries()) if names is None else names
        # Names that are added later are for development unless a reserve of their own takes them; the reserves
        # that are there stay as they are.
        reserves = [in_order(r["salt"], self.names[r["after"]:r["of_first"]])[:r["count"]]
                    for r in self.data["reserves"]]
        self.reserve = [name for reserve in reserves for name in reserve]
        self.drawn: list[list[str]] = []
        for draw in self.data["draws"]:
            left = self._left([name for reserve in reserves[:draw["reserves"]] for name in reserve])
            self.drawn.append(in_order(draw["salt"], left)[:draw["count"]])

    def _left(self, reserve: list[str]) -> list[str]:
        earlier = {name for names in self.drawn for name in names}
        return [name for name in reserve if name not in earlier]

    def held_out(self) -> list[str]:
        """The last draw, while it is not scored."""
        return [] if self.data["draws"][-1]["result"] else self.drawn[-1]

    def development(self) -> list[str]:
        """What may be looked at: everything outside the reserve, and the draws that were scored."""
        seen = {name for names, draw in zip(self.drawn, self.data["draws"]) if draw["result"]
                for name in names}
        return [name for name in self.names if name not in self.reserve or name in seen]

    def record(self, result: dict) -> None:
        """The result of the last draw; a draw has one result."""
        if self.data["draws"][-1]["result"]:
            raise ValueError("this draw was scored already: draw the next one")
        self.data["draws"][-1]["result"] = result
        self._save()

    def draw(self, count: int | None = None, rest: bool = False) -> list[str]:
        """The next draw, once the last one was scored: `count`, as many as it had, or the rest of the reserve."""
        last = self.data["draws"][-1]
        if not last["result"]:
            raise ValueError("the last draw was not scored yet")
        salt = str(int(last["salt"]) + 1)
        left = self._left(self.reserve)
        count = len(left) if rest else count or last["count"]
        if not 0 < count <= len(left):
            raise ValueError(f"the reserve has {len(left)} architectures left")
        self.data["draws"].append({"salt": salt, "reserves": len(self.data["reserves"]), "count": count,
                                   "result": None})
        self.drawn.append(in_order(salt, left)[:count])
        self._save()
        return self.drawn[-1]

    def _save(self) -> None:
        self._path.write_text(text(self.data))
