"""The networks that AIMET quantizes: a draw of its own out of those that were looked at before.

Of every library the first COUNTS in the order of a salt, as draws.py has it, of those among the first names that were
not held out any more after so many draws. tests/conformance/zoo/aimet.json says which names and draws, and has the
architectures and the result of scoring them once.
"""

from __future__ import annotations

import json

import draws
from places import RECORDED

COUNTS = {"hf": 7, "timm": 3, "tv": 3, "ul": 2, "pub": 1}
PATH = RECORDED / "aimet.json"


def drawn(state: draws.Draws) -> list[str]:
    data = load()
    seen = {name for names in state.drawn[:data["draws"]] for name in names}
    order = draws.in_order(data["salt"], [name for name in state.names[:data["of_first"]]
                                          if name not in state.reserve or name in seen])
    return sorted(name for library, count in COUNTS.items()
                  for name in [n for n in order if n.split("_")[0] == library][:count])


def load() -> dict:
    return json.loads(PATH.read_text())


def record(result: dict) -> None:
    data = load()
    if data["result"]:
        raise ValueError("this draw was scored already")
    PATH.write_text(text(data | {"result": result}))


def text(data: dict) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()) + "\n}\n"
