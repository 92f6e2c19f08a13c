#!/usr/bin/env python3
"""Quantizes an architecture of the zoo as planned: quantize.py NAME FLOAT.onnx OUTPUT.onnx PRECISION SOC.

The samples are those that tools/dev/models/networks calibrates the official configuration with. The
plan is written beside OUTPUT. Needs the Python package on PYTHONPATH.
"""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models" / "networks"))


def main() -> int:
    name, source, output, precision, soc = sys.argv[1:]
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    import generate
    import onnx
    import registry
    import torch

    import quantgate
    import quantgate.ort

    torch.set_num_threads(1)
    proto = quantgate.ort.named(source)
    plan = quantgate.plan(proto, precision=precision, soc=soc, sdk="2.51")
    Path(output).with_suffix(".plan.json").write_text(plan.to_json())
    _, given = registry.make(name)
    names = [i.name for i in onnx.load(source, load_external_data=False).graph.input]
    used = tuple(t for i, t in enumerate(given) if f"input_{i}" in names)
    samples = [used] + [registry.sample(used, seed) for seed in range(1, generate.CALIBRATION)]
    quantgate.ort.quantize(proto, output, plan, [generate.feeds(names, sample) for sample in samples])
    return 0


if __name__ == "__main__":
    sys.exit(main())
