#!/usr/bin/env python3
"""Runs a quantized model on the CPU as written: reference.py MODEL.onnx FLOAT.onnx INPUTS.npz.

Writes MODEL.reference.npz: the inputs (in:), the outputs (cpu:), those of moved inputs (moved:) and
those of the float model (float:). What no input of numbers moves, as what follows of tokens alone, is taken with the
embedding tables moved.
"""

from __future__ import annotations

import sys
from pathlib import Path

import measures
import numpy as np
import onnx
from onnx import numpy_helper


def run(model: bytes | str, feeds: dict) -> dict[str, np.ndarray]:
    return measures.run_on_cpu(model, feeds, threads=1)


def moved_tables(path: str, seed: int = 3) -> bytes | None:
    """The model with its embedding tables moved by a step; None when it has none."""
    model = onnx.load(path)
    rng = np.random.default_rng(seed)
    constants = {i.name: i for i in model.graph.initializer}
    source = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "DequantizeLinear"}
    tables = {source[n.input[0]] for n in model.graph.node
              if n.op_type == "Gather" and source.get(n.input[0]) in constants}
    for name in tables:
        values = numpy_helper.to_array(constants[name])
        limits = np.iinfo(values.dtype)
        step = max(1, (int(limits.max) - int(limits.min)) // 256)
        values = np.clip(values.astype(np.int64) + rng.choice([-step, step], values.shape), limits.min, limits.max)
        constants[name].CopyFrom(numpy_helper.from_array(
            values.astype(numpy_helper.to_array(constants[name]).dtype), name))
    return model.SerializeToString() if tables else None


def moved_values(path: str, given: dict, want: dict) -> dict[str, np.ndarray]:
    """The outputs of moved inputs; of those that stay as they are, with the embedding tables moved.

    Nothing where there are neither numbers nor tables to move.
    """
    words = any(not np.issubdtype(v.dtype, np.floating) for v in given.values())
    tables = moved_tables(path) if words else None
    if tables is None and not any(np.issubdtype(v.dtype, np.floating) for v in given.values()):
        return {}
    values = run(path, measures.moved(given))
    still = [name for name, value in values.items() if np.array_equal(value, want[name])]
    if still and tables is not None:
        others = run(tables, measures.moved(given))
        values |= {name: others[name] for name in still}
    return values


def main() -> int:
    path, float_path, inputs = sys.argv[1:]
    given = dict(np.load(inputs))
    kept = {f"in:{k}": v for k, v in given.items()}
    want = run(path, given)
    kept |= {f"cpu:{k}": v for k, v in want.items()}
    kept |= {f"moved:{k}": v for k, v in moved_values(path, given, want).items()}
    kept |= {f"float:{k}": v for k, v in run(float_path, given).items() if f"cpu:{k}" in kept}
    np.savez(Path(path).with_suffix(".reference.npz"), **kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
