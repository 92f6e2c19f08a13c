"""Which architectures are held out here, draw by draw.

The first draw is that of the zoo. A later one is the first COUNT, in the order of its salt, of the names that the zoo
had then (OF_FIRST) and that were neither recorded nor drawn here before, nor held out by the zoo itself (WITHOUT has
both); where a draw has SHARES, the first so many of each library. It is committed before any of them is lowered, scored once, shown with all its misses, and then joins the
rest. Salts and results stand in tests/conformance/executorch/zoo/draws.json.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import places

FILE = places.RECORDED / "draws.json"


@dataclass
class Draw:
    number: int
    names: list[str]
    result: dict | None  # {"architectures": [...], "counts": {...}}
    rule: dict = field(default_factory=dict)  # how it was drawn; empty: as the zoo's first

    @property
    def folder(self) -> Path:
        return places.RECORDED / ("held_out" if self.number == 1 else f"held_out_{self.number}")


def _names_of(rule: dict, earlier: set[str]) -> list[str]:
    zoo = places.draws()
    names = [name for name in list(zoo.libraries())[:rule["of_first"]]
             if name not in earlier and name not in rule["without"]]
    ordered = zoo.in_order(rule["salt"], names)
    if "shares" not in rule:
        return ordered[:rule["count"]]
    return [name for library, count in rule["shares"].items()
            for name in [one for one in ordered if zoo.libraries()[one] == library][:count]]


def draws() -> list[Draw]:
    found: list[Draw] = []
    for number, one in enumerate(json.loads(FILE.read_text())["draws"], 1):
        rule = one.get("rule", {})
        earlier = {name for draw in found for name in draw.names}
        names = _names_of(rule, earlier) if rule else places.draws().Draws().drawn[0]
        found.append(Draw(number, names, one["result"], rule))
    return found


def open_draw() -> Draw | None:
    """The last draw, while it is not scored."""
    last = draws()[-1]
    return None if last.result else last


def development() -> list[str]:
    """What may be looked at: all that the zoo doesn't hold out, nor an open draw here."""
    last = open_draw()
    held_out = set(last.names if last else ()) | set(draws()[0].names)
    return [name for name in places.draws().Draws().development() if name not in held_out]


def draw(count: int, shares: dict[str, int], recorded: set[str]) -> Draw:
    """The next draw, once the last one was scored: `count` of all names, or as many of each library as `shares` says.
    `recorded`: the architectures that were lowered before."""
    known = draws()
    zoo = places.draws()
    if not known[-1].result:
        raise ValueError("the last draw is not scored yet")
    names = list(zoo.libraries())
    rule = {"salt": f"executorch {len(known) + 1}", "of_first": len(names), **({"shares": shares} if shares else {"count": count}),
            "without": sorted(recorded | (set(names) - set(zoo.Draws().development())))}
    _save([*known, Draw(len(known) + 1, [], None, rule)])
    return draws()[-1]


def keep(result: dict) -> None:
    """The result of the last draw; a draw has one result."""
    known = draws()
    if known[-1].result:
        raise ValueError("this draw was scored already")
    known[-1].result = result
    _save(known)


def _save(known: list[Draw]) -> None:
    kept = [{**({"rule": one.rule} if one.rule else {}), "result": one.result} for one in known]
    FILE.write_text(json.dumps({"draws": kept}, indent=1) + "\n")
