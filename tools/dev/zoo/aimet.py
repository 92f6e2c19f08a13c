"""The networks that AIMET quantizes: a draw of its own out of those that were looked at before.

Of every library the first COUNTS in the order of SALT, as draws.py has it, of what was not held out any more when the
draw was made. tests/conformance/zoo/aimet.json has their names and the result of scoring them once.
"""

from __future__ import annotations

import json

import draws
from places import RECORDED

SALT = "aimet 1"
COUNTS = {"hf": 7, "timm": 3, "tv": 3, "ul": 2, "pub": 1}
PATH = RECORDED / "aimet.json"


def drawn(names: list[str]) -> list[str]:
    order = draws.in_order(SALT, names)
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
