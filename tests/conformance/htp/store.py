"""The recorded answers of libraries: small files, the same whoever writes them.

recorded/<set>.jsonl.xz    configurations, one JSON object a line
recorded/<set>.json        {"configurations": number, "sha256": of the unpacked lines, "targets":
                           {"2.51 v73": {"build": the library's own id, "answers": packed}}}

A set is `validation` or `cpu` (what op validation said: one letter of LETTERS a configuration) or
`execution` (what running it gave: one line of JSON a configuration).
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NO_ARCH = "-"  # in the target of a backend without archs
FOLDER = Path(__file__).resolve().parent / "recorded"
LETTERS = {"a": "accepted", "r": "rejected", "h": "hang", "n": "not queried", "F": "crash SIGFPE", "S": "crash SIGSEGV",
           "A": "crash SIGABRT", "B": "crash SIGBUS", "I": "crash SIGILL", "c": "crash"}  # fmt: skip
EXECUTED_SEED = 161803  # that recorded/execution.* was drawn with
OUTCOMES = ("right", "between", "wrong", "not judged", "rejected", "prepare_fails")


def pack(text: str) -> str:
    return base64.b85encode(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)).decode()


def unpack(packed: str) -> str:
    return lzma.decompress(base64.b85decode(packed)).decode()


def letter(outcome: str) -> str:
    for key, text in LETTERS.items():
        if outcome == text:
            return key
    if outcome.startswith("crash"):
        return "c"
    raise ValueError(f"unknown outcome of op validation {outcome!r}")


def digest(model: dict[str, Any]) -> str:
    """Names a configuration, whatever it is called."""
    body = json.dumps({k: v for k, v in model.items() if k != "name"}, sort_keys=True)
    return hashlib.sha256(body.encode()).hexdigest()[:10]


@dataclass
class Recording:
    name: str  # of the set
    configurations: list[dict[str, Any]] = field(default_factory=list)
    targets: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str) -> "Recording":
        lines = lzma.decompress((FOLDER / f"{name}.jsonl.xz").read_bytes())
        index = json.loads((FOLDER / f"{name}.json").read_text())
        if hashlib.sha256(lines).hexdigest() != index["sha256"]:
            raise SystemExit(f"error: recorded/{name}.json belongs to other configurations; tools/dev/qgdev record htp")
        return cls(name, [json.loads(line) for line in lines.decode().splitlines()], index["targets"])

    def save(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        lines = "".join(json.dumps(c, separators=(",", ":")) + "\n" for c in self.configurations).encode()
        (FOLDER / f"{self.name}.jsonl.xz").write_bytes(lzma.compress(lines, preset=9 | lzma.PRESET_EXTREME))
        index = {"configurations": len(self.configurations), "sha256": hashlib.sha256(lines).hexdigest(),
                 "targets": dict(sorted(self.targets.items(), key=lambda item: target_key(item[0])))}  # fmt: skip
        (FOLDER / f"{self.name}.json").write_text(json.dumps(index, indent=1) + "\n")

    @property
    def models(self) -> list[dict[str, Any]]:
        """What is asked about; configurations that are executed have more beside it."""
        return [c.get("model", c) for c in self.configurations]

    def validation(self, target: str) -> list[str]:
        return [LETTERS[c] for c in unpack(self.targets[target]["answers"])]

    def execution(self, target: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in unpack(self.targets[target]["answers"]).splitlines()]


def shown(target: str) -> str:
    """A target as people read it."""
    return f"{target.split()[0]} CPU" if target.endswith(f" {NO_ARCH}") else target


def sdk_key(sdk: str) -> tuple[int, ...]:
    return tuple(int(part) for part in sdk.split("."))


def target_key(target: str) -> tuple[tuple[int, ...], int]:
    sdk, arch = target.split()
    return sdk_key(sdk), int(arch[1:] or 0)
