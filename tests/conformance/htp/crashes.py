"""The crashes of the library: crashes.json lists the smallest configuration of each.

{"crashes": [{"sdks": ["2.51"], "archs": ["v73"], "signal": "SIGFPE", "stage": "validate" | "prepare" |
"execute", "what": words, "model": Model}]}
quantgate has to refuse or warn of each: its verdict must be rejected, prepare_fails, or (of a crash
behind op validation) wrong_values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ask

PATH = Path(__file__).resolve().parent / "crashes.json"
WARNINGS = ("rejected", "prepare_fails", "wrong_values")


def load() -> list[dict[str, Any]]:
    return json.loads(PATH.read_text())["crashes"]


def problems(cli: str) -> list[str]:
    found = []
    crashes = load()
    for target in sorted({f"{sdk} {arch}" for c in crashes for sdk in c["sdks"] for arch in c["archs"]}):
        sdk, arch = target.split()
        mine = [c for c in crashes if sdk in c["sdks"] and arch in c["archs"]]
        for crash, said in zip(mine, ask.quantgate(cli, target, [c["model"] for c in mine])):
            if said["verdict"] not in WARNINGS:
                found.append(f"crash of {crash['model']['nodes'][0]['op']} on {target} ({crash['what']}): "
                             f"quantgate says {said['verdict']}")  # fmt: skip
    return found
