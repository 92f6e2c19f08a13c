#!/usr/bin/env python3
"""Times the Python module on a graph of 12,000 nodes: making it, checking it, reading findings.

    python3 -m tools.dev.bench.python [--nodes N] [--runs R]

Each node is a convolution with a weight of its own, of 32 channels; in the second model every
tenth weight is not symmetric. Prints medians of processor time, which others on the machine don't
add to, in all and per node.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import quantgate as qg

CHANNELS = 32


def make(nodes: int, bad_every: int) -> qg.Model:
    scales = [0.01] * CHANNELS
    good = qg.Encoding.per_channel(3, scales)
    bad = qg.Encoding.per_channel(3, scales, [3] * CHANNELS)
    activation = qg.Encoding.per_tensor(0.02, 128)
    builder = qg.ModelBuilder("bench")
    shape = (1, 8, 8, CHANNELS)
    params = {"stride": {"tensor": memoryview(b"\1\0\0\0\1\0\0\0").cast("I")},
              "pad_amount": {"tensor": memoryview(bytes(16)).cast("I", (2, 2))}}
    last = builder.tensor("x", "UFIXED_POINT_8", shape, encoding=activation)
    for i in range(nodes):
        weight = builder.tensor(f"w{i}", "SFIXED_POINT_8", (1, 1, CHANNELS, CHANNELS), static=True,
                                encoding=bad if i % bad_every == bad_every - 1 else good)
        out = builder.tensor(f"y{i}", "UFIXED_POINT_8", shape, encoding=activation)
        builder.node("Conv2d", (last, weight), (out,), name=f"n{i}", params=params)
        last = out
    return builder.build()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=12_000)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    validator = qg.Validator(qg.Target(soc="SM8550"))
    times: dict[str, list[float]] = {}

    def timed(what, call):
        start = time.process_time()
        result = call()
        times.setdefault(what, []).append(time.process_time() - start)
        return result

    for _ in range(arguments.runs):
        fine = timed("made by ModelBuilder", lambda: make(arguments.nodes, arguments.nodes + 1))
        assert timed("checked: all accepted", lambda: validator.check(fine)).verdict == "accepted"
        report = validator.check(make(arguments.nodes, 10))
        timed("checked: 1 of 10 rejected", lambda: validator.check(report.checked))
        timed("findings as objects", lambda: [(f.code, f.node) for f in report.findings])
        timed("report as JSON", lambda: report.to_json(0))
    print(f"{arguments.nodes} convolutions, processor time, median of {arguments.runs}")
    for what, seconds in times.items():
        print(f"  {what:26} {median(seconds) * 1e3:8.2f} ms "
              f"{median(seconds) / arguments.nodes * 1e9:8.0f} ns a node")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
