"""How far numbers are off, and how far they may be.

`off(got, want)` is the root mean square of the difference as a part of the spread of the wanted
values. The floor of noise is the same figure of the CPU's own run when its inputs move by 1/256 of
their range: nothing that differs by less can be held against anybody.
"""

from __future__ import annotations

import numpy as np

HUGE = 1e6


def off(got: np.ndarray, want: np.ndarray) -> float:
    got, want = (np.asarray(a, dtype=np.float64) for a in (got, want))
    if got.shape != want.shape:
        return HUGE
    if not got.size:
        return 0.0
    known = np.isfinite(want)
    if not known.all():  # masks: what is infinite has to be so, or huge
        got, want = got[known], want[known]
        if not want.size:
            return 0.0
    if not np.isfinite(got).all():
        return HUGE
    spread = want.std() if want.size > 1 and want.std() > 1e-9 * np.abs(want).max() else np.abs(want).max()
    rms = float(np.sqrt(np.mean((got - want) ** 2)))
    if spread <= 0:
        return 0.0 if rms == 0 else HUGE
    return min(HUGE, round(rms / float(spread), 5))


def moved(feeds: dict[str, np.ndarray], seed: int = 3) -> dict[str, np.ndarray]:
    """Every number of an input moved up or down by 1/256 of the input's range."""
    rng = np.random.default_rng(seed)
    result = {}
    for name, value in feeds.items():
        if np.issubdtype(value.dtype, np.floating) and value.size:
            step = (value.max() - value.min()) / 256
            value = (value + rng.choice([-step, step], value.shape)).astype(value.dtype)
        result[name] = value
    return result
