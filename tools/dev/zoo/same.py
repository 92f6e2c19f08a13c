#!/usr/bin/env python3
"""Whether a model is the recorded one, which comes on standard input: same.py MODEL.onnx. Exit status 1: it isn't.

Statistics of norms are rounded otherwise on other processors: numbers may differ by a thousandth, integers by one.
"""

from __future__ import annotations

import sys

import numpy as np
import onnx
import strip
from onnx import TensorProto, numpy_helper

PART = 0.001


def near(mine: TensorProto, recorded: TensorProto) -> bool:
    if (mine.name, mine.data_type, mine.dims) != (recorded.name, recorded.data_type, recorded.dims):
        return False
    if TensorProto.EXTERNAL in (mine.data_location, recorded.data_location):
        return True
    a, b = (numpy_helper.to_array(tensor) for tensor in (mine, recorded))
    if not np.issubdtype(a.dtype, np.number):
        return bool((a == b).all())
    a, b = a.astype(np.float64), b.astype(np.float64)
    limit = PART * np.abs(b).max(initial=0.0)
    if np.issubdtype(numpy_helper.to_array(mine).dtype, np.integer):
        limit = max(limit, 1.0)
    return bool(((a == b) | (np.abs(a - b) <= limit)).all())


def main() -> int:
    mine, recorded = onnx.load(sys.argv[1]), onnx.load_model_from_string(sys.stdin.buffer.read())
    strip.strip(mine)
    nodes = [[n.SerializeToString(deterministic=True) for n in model.graph.node] for model in (mine, recorded)]
    constants = [sorted(model.graph.initializer, key=lambda c: c.name) for model in (mine, recorded)]
    same = nodes[0] == nodes[1] and len(constants[0]) == len(constants[1]) and all(map(near, *constants))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
