"""What the programs of this folder have in common.

A line of JSON in, a line out. {"about": true}: {"backend", "version", "what"}. Else {"model": .tflite in base64, "arch",
"seconds", "values": bool, "seed"}: for each stage that was reached {"outcome": "ok" | "fails" | "crash" | "hang"} with
"step", "message", "signal"; and "values".
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Json = dict[str, Any]
OK: Json = {"outcome": "ok"}
# What an interpreter says that depends on the values that were drawn, not on the model.
BY_VALUES = ("out of bounds", "Division by 0", "only defined for positive", "data[i] != zero_point", "Invalid tensor size",
             "Invalid axis", "must be non-negative", "permutations array", "axis_value")


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        sys.exit(f"{sys.executable} has no {package}: pip install {package}, or name another with --python")


def failure(answer: Json, step: str) -> Json:
    """The stage at which a child program failed, crashed or hung."""
    kind, message = answer["error"], answer.get("message", "")
    if kind == "hang":
        return {"outcome": "hang"}
    if kind == "crash":
        number = getattr(signal, message, None)
        return {"outcome": "crash", "signal": int(number) if number else 0, "step": step}
    return {"outcome": "fails", "step": step, "message": f"{kind}: {message}" if message else kind}


def serve(about: Callable[[], Json], answer: Callable[[Json], Json]) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(about() if request.get("about") else answer(request)), flush=True)
