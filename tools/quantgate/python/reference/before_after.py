"""python -m reference.before_after: runs a model as it was and as it became on the CPU.

Reads one JSON object: {"before", "after": paths of ONNX files, "seed", "inputs": {name: {"dtype",
"shape", "low", "high"}}}; dtypes are NumPy's. Prints one: {"difference", "noise"}, or {"before"} or
{"after"} with the reason why that one does not run. Both numbers are the root mean square of what
changes in the outputs in float, relative to that of the outputs, of the worst output. `noise`: the
model as it was, when its inputs in float move by up to 1/512 of their range, half a step of 8 bits.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

RUNS = 4
MOVED = 1 / 512
# Whole numbers are often indices, and how many there are to choose from is not said.
WHOLE = (30, 2, 1)
# More than this is as bad as can be; numbers stay finite.
MOST = 10.0

Values = dict[str, np.ndarray]


def draw(inputs: dict[str, Any], rng: np.random.Generator, whole: int) -> Values:
    values = {}
    for name, spec in inputs.items():
        dtype, shape = np.dtype(spec["dtype"]), spec["shape"]
        if dtype == np.bool_:
            values[name] = rng.random(shape) < 0.5
        elif dtype.kind == "f":
            values[name] = rng.uniform(spec["low"], spec["high"], shape).astype(dtype)
        elif spec.get("whole_type"):
            bounds = np.iinfo(dtype)
            values[name] = rng.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)
        else:
            values[name] = rng.integers(0, whole, shape).astype(dtype)
    return values


def moved(values: Values, inputs: dict[str, Any], rng: np.random.Generator) -> Values:
    result = dict(values)
    for name, spec in inputs.items():
        if values[name].dtype.kind == "f":
            size = MOVED * (spec["high"] - spec["low"])
            by = rng.uniform(-size, size, values[name].shape)
            result[name] = np.clip(values[name] + by, spec["low"], spec["high"]).astype(values[name].dtype)
    return result


def changes(was: list[np.ndarray], now: list[np.ndarray]) -> float:
    """Of the worst output; one that is no number any more is as bad as can be."""
    worst = 0.0
    for a, b in zip(was, now, strict=True):
        if a.dtype.kind not in "fiu" or a.shape != b.shape:
            worst = worst if a.shape == b.shape and np.array_equal(a, b) else MOST
            continue
        x, y = a.astype(np.float64), b.astype(np.float64)
        usable = np.isfinite(x)
        if not np.all(np.isfinite(y[usable])):
            return MOST
        if not usable.any():
            continue
        size = float(np.sqrt(np.mean(x[usable] ** 2)))
        by = float(np.sqrt(np.mean((y[usable] - x[usable]) ** 2)))
        worst = max(worst, min(by / size if size > 0 else (MOST if by > 0 else 0.0), MOST))
    return worst


def session(path: str) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Q and DQ as they are written, in float between.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def compare(task: dict[str, Any]) -> dict[str, Any]:
    try:
        was = session(task["before"])
    except Exception as error:  # the bindings raise many types
        return {"before": reason(error)}
    try:
        now = session(task["after"])
    except Exception as error:
        return {"after": reason(error)}
    inputs, said = task["inputs"], {}
    for whole in WHOLE:
        rng = np.random.default_rng(task["seed"])
        difference = noise = 0.0
        try:
            for _ in range(RUNS):
                which = "before"
                values = draw(inputs, rng, whole)
                first = was.run(None, values)
                noise = max(noise, changes(first, was.run(None, moved(values, inputs, rng))))
                which = "after"
                difference = max(difference, changes(first, now.run(None, values)))
            return {"difference": difference, "noise": noise}
        except Exception as error:
            said = {which: reason(error)}
    return said


def main() -> int:
    print(json.dumps(compare(json.load(sys.stdin))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
