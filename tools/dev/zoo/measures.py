"""Runs models on the CPU, and says how far numbers are off, with the modules that `verify --graph` of the
package has for it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[3] / "bindings/python/quantgate/_graph"))
from numerics import moved, off  # noqa: E402
from running import QDQ, makers, run_on_cpu, with_outputs  # noqa: E402

__all__ = ["QDQ", "compared", "makers", "moved", "off", "run_on_cpu", "with_outputs"]


def compared(kept, name: str, got: np.ndarray) -> dict:
    """One output of the NPU: against the CPU, against float, and what the CPU itself does."""
    want = kept[f"cpu:{name}"]
    result = {"off": off(got, want), "noise": off(kept[f"moved:{name}"], want), "float": None, "cpu_float": None}
    if f"float:{name}" in kept.files:
        true = kept[f"float:{name}"]
        result |= {"float": off(got, true), "cpu_float": off(want, true)}
    return result
