"""Graphs of many nodes of few forms: what is concluded from the first of each form is what checking
node by node says."""

from __future__ import annotations

import random
import unittest
from typing import Any

import quantgate as qg

ENCODINGS = [(0.01, 0), (0.02, 0), (0.02, 128), (1 / 256, 0), (0.5, 255), (1e-9, 3), (0.0, 0)]


def graph(seed: int, nodes: int) -> qg.Model:
    """A chain of operators with residuals; now and then an odd encoding, dtype, operator or none."""
    rng = random.Random(seed)
    builder = qg.ModelBuilder("repeats", dialect="aten")

    def encoding(odd: float) -> Any:
        scale, zero = rng.choice(ENCODINGS) if rng.random() < odd else (rng.choice((0.01, 0.02)), 0)
        return qg.Encoding.per_tensor(scale, zero)

    def value(name: str, shape: tuple[int, ...], *, like: Any = None) -> tuple[int, Any]:
        if rng.random() < 0.02:
            return builder.tensor(name, "FLOAT_32", shape), None
        dtype = "UFIXED_POINT_16" if rng.random() < 0.02 else "UFIXED_POINT_8"
        used = like if like is not None and rng.random() < 0.95 else encoding(0.05)
        return builder.tensor(name, dtype, shape, encoding=used), used  # type: ignore[arg-type]

    flat, tall = (1, 16, 32), (1, 32, 16)
    current, used = value("x", flat)
    before = current
    for i in range(nodes):
        kind = i % 6
        name, params = f"n{i}", {}
        operands = [current]
        shape, like = flat, None
        if kind == 0:
            op = "aten.linear.default"
            channels = [rng.choice((0.01, 0.02)) for _ in range(32)]
            zeros = [3 if rng.random() < 0.002 else 0 for _ in range(32)]
            operands.append(builder.tensor(
                f"w{i}", "SFIXED_POINT_8", (32, 32), static=True,
                encoding=qg.Encoding.per_channel(0, channels, zeros)))
        elif kind in (1, 2):
            op, params, like = "aten.transpose.int", {"dim0": 1, "dim1": 2}, used
            shape = tall if kind == 1 else flat
        elif kind == 3:
            op = "aten.relu.default" if rng.random() < 0.97 else "aten.no_such.default"
        elif kind == 4:
            op, operands = "aten.add.Tensor", [current, before]
        else:
            op, params, like = "aten.view.default", {"size": [1, 16, 32]}, used
        if rng.random() < 0.01:
            op = "aten.clone.default"
            shape = flat if kind not in (1,) else tall
            operands = operands[:1]
        result, used = value(name, shape, like=like)
        builder.node(op, operands, [result], name=name, params=params)
        if kind == 4:
            before = result
        current = result
    return builder.build()


def reported(report: qg.Report) -> dict[str, Any]:
    return {key: value for key, value in report.to_dict().items() if key != "asRun"}


class Repeats(unittest.TestCase):
    def test_same_as_node_by_node(self) -> None:
        findings = 0
        for seed in range(12):
            model = graph(seed, 900)
            for options in ({"soc": "SM8550"}, {"soc": "SM8350", "mode": "warn"},
                            {"arch": "v73", "fail_on": "undocumented"}):
                quick = qg.check(model, **options)  # type: ignore[arg-type]
                slow = qg.check(model, as_run=True, **options)  # type: ignore[arg-type]
                self.assertEqual(quick.summary, slow.summary)
                self.assertEqual([(f.node_index, f.code, f.port, f.message) for f in quick.findings],
                                 [(f.node_index, f.code, f.port, f.message) for f in slow.findings])
                self.assertEqual((quick.verdict, quick.failed), (slow.verdict, slow.failed))
                self.assertEqual(reported(quick), reported(slow), f"seed {seed}")
                findings += len(quick.findings)
        self.assertGreater(findings, 1000)


if __name__ == "__main__":
    unittest.main()
