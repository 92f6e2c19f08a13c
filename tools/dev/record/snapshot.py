#!/usr/bin/env python3
"""Writes what the database says of each op on each SDK, as digests, into tests/golden/database.

    python3 -m tools.dev.record.snapshot [CLI]

One line an op and SDK: `Conv2d 2.51 0123456789`. It covers rows, constraints, consequences, sources
and words, documented ones too, which no library can be asked about. targets.txt has a line a chip
and its number, and a line a backend. tests/opdefs/test_snapshot.py holds the database to it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.dev.shared.progress import counted

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "golden" / "database"
RANGE = ("since", "until", "undocumentedUntil", "measured")


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("."))) if text else ()


def _asked(cli: str | Path, *arguments: str) -> Any:
    run = subprocess.run([str(cli), *arguments, "--format", "json"], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(run.stdout)


def _digest(said: Any) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:10]


def _on(row: dict[str, Any], sdk: str) -> dict[str, Any] | None:
    """What a row or constraint says on an SDK; None where it doesn't hold."""
    at = _version(sdk)
    if _version(row.get("since", "")) > at or (row.get("until") and _version(row["until"]) <= at):
        return None
    said = {key: value for key, value in row.items() if key not in (*RANGE, "documented")}
    measured = row.get("measured")
    if measured:
        said["consequence"] = measured["consequence"] if _version(measured["since"]) <= at else row.get("documented")
    if row.get("undocumentedUntil") and at < _version(row["undocumentedUntil"]):
        said["consequence"] = "undocumented"
    return said


def _add_documented(cli: str | Path, backend: dict[str, Any], op: dict[str, Any], overlay: tuple[str, ...]) -> None:
    """Puts what holds before a measurement into constraints, which `--every-sdk` lists with the
    consequence of the newest SDK: asked of the last SDK before."""
    archs = [("--arch", arch) for arch in (*backend["archs"][:1], *backend["archs"][-1:])] or [()]
    for since in {c["measured"]["since"] for c in op["constraints"] if c["measured"]}:
        before = [sdk for sdk in backend["sdks"] if _version(sdk) < _version(since)]
        for arch in archs if before else ():
            asked = _asked(cli, "query", op["op"], "--backend", backend["name"], "--sdk", before[-1], *arch, *overlay)
            then = {c["id"]: c["consequence"] for c in asked.get("constraints", [])}
            for constraint in op["constraints"]:
                if constraint["measured"] and constraint["measured"]["since"] == since and constraint["id"] in then:
                    constraint["documented"] = then[constraint["id"]]


def effective(op: dict[str, Any], sdk: str) -> dict[str, Any] | None:
    """An op of `query --every-sdk` as it is on one SDK; None where it isn't."""
    said = _on(op, sdk)
    for part in ("variants", "constraints"):
        if said is not None:
            said[part] = [held for row in op[part] if (held := _on(row, sdk)) is not None]
    return said


def lines(cli: str | Path, backend: dict[str, Any], *op_and_overlay: str) -> list[str]:
    """The lines of a backend of `targets`, or of one op of it: `OP --opdefs DIR`."""
    found = []
    overlay = op_and_overlay[1:]
    ops = _asked(cli, "query", *op_and_overlay[:1], "--backend", backend["name"], "--every-sdk", *overlay)["ops"]
    for op in counted(f"ops of {backend['name']}", ops):
        _add_documented(cli, backend, op, overlay)
        for sdk in backend["sdks"]:
            if (said := effective(op, sdk)) is not None:
                found.append(f"{op['op']} {sdk} {_digest(said)}")
    return found


def target_lines(targets: dict[str, Any]) -> list[str]:
    """Of the answer of `targets`: `htp 0 0123456789`, `SM8550 43 0123456789`."""
    return [f"{one['name']} {one.get('id', 0)} {_digest(one)}" for one in (*targets["backends"], *targets["socs"])]


def backends(cli: str | Path) -> list[dict[str, Any]]:
    return _asked(cli, "targets")["backends"]


def snapshot(cli: str | Path) -> dict[str, list[str]]:
    """backend -> its lines, and those of `targets`"""
    targets = _asked(cli, "targets")
    return {"targets": target_lines(targets)} | {backend["name"]: lines(cli, backend) for backend in targets["backends"]}


def main() -> int:
    cli = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bin" / "quantgate"
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = snapshot(cli)
    for backend, of_backend in found.items():
        (FOLDER / f"{backend}.txt").write_text("\n".join(of_backend) + "\n")
    for file in FOLDER.glob("*.txt"):
        if file.stem not in found:
            file.unlink()
    print(f"{sum(map(len, found.values()))} ops and SDKs, backends and chips written into {FOLDER.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
