"""A float model with the encodings file of a converter beside it: what is said of the pair, and what fix does."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

from cli_case import CliCase

sys.path.append(str(Path(__file__).resolve().parents[1] / "reports"))
import compact  # noqa: E402

WEIGHTS = [0.5, -0.3, 0.2, -0.45, 0.1, 0.35, -0.25, 0.4]


def entry(name: str, scale: float | list[float], offset: int, **more: object) -> dict:
    scales = scale if isinstance(scale, list) else [scale]
    return {"name": name, "bw": 8, "dtype": "INT", "enc_type": "PER_TENSOR", "is_sym": False,
            "offset": [offset] * len(scales), "scale": scales, **more}


class Encodings(CliCase):
    def report_of(self, tensors: dict, nodes: dict, activations: list, params: list) -> dict:
        self.path("m.json", compact.expand({"dialect": "onnx", "tensors": tensors, "nodes": nodes}))
        self.path("m.encodings", {"version": "1.0.0", "activation_encodings": activations, "param_encodings": params})
        run = self.run_cli("check", "m.json", "--encodings", "m.encodings", "--arch", "v73", "--mode", "warn", "--format", "json")
        return json.loads(run.stdout)

    def product(self, scale: float, offset: int) -> list[tuple[str, str]]:
        """What is said of a weight by the encoding that it gets."""
        report = self.report_of({"x": "f32[1,4]", "w": {"is": "const f32[4,2]", "values": WEIGHTS}, "y": "f32[1,2]"},
                                {"n": {"op": "MatMul", "in": ["x", "w"], "out": ["y"]}},
                                [entry("x", 0.02, -128), entry("y", 0.02, -128)], [entry("w", scale, offset)])
        return [(f["code"], f["message"]) for f in report["findings"] if f["tensor"] == "w"]

    def test_constants_that_their_encoding_does_not_hold(self) -> None:
        self.assertEqual(self.product(0.5 / 127, -128), [])
        for scale, offset, code, says in ((0.001, -128, "QG408", "7 of the 8 values"), (0.5 / 127, 0, "QG408", "3 of the 8 values"),
                                          (0.35, -128, "QG322", "SQNR of ")):
            with self.subTest(scale=scale, offset=offset):
                said = self.product(scale, offset)
                self.assertTrue(any(c == code and says in message for c, message in said), said)

    def test_a_bias_beside_weights_in_blocks_is_that_of_their_channels(self) -> None:
        lpbq = entry("w", [0.01] * 32, -128, enc_type="LPBQ", is_sym=True, block_size=16, compressed_bw=4,
                     per_block_int_scale=[8] * 64)
        report = self.report_of({"x": "f32[1,32,8,8]", "w": "const f32[32,32,1,1]", "b": "const f32[32]", "y": "f32[1,32,8,8]"},
                                {"n": {"op": "Conv", "in": ["x", "w", "b"], "out": ["y"], "params": {"kernel_shape": [1, 1]}}},
                                [entry("x", 0.02, -128), entry("y", 0.05, -128)], [lpbq])
        self.assertEqual([f["message"] for f in report["findings"] if f["port"] == "in[2]"], [])
        self.assertIn(report["verdict"], ("accepted", "undocumented"))

    def test_flatten_needs_no_entry(self) -> None:
        report = self.report_of({"x": "f32[1,4,2,2]", "f": "f32[1,16]", "y": "f32[1,16]"},
                                {"flat": {"op": "Flatten", "in": ["x"], "out": ["f"]},
                                 "n": {"op": "Relu", "in": ["f"], "out": ["y"]}},
                                [entry("x", 0.02, -128), entry("y", 0.02, 0)], [])
        self.assertEqual(report["verdict"], "accepted")

    def test_fix_checks_as_check_does_and_says_what_it_mends(self) -> None:
        tensors = {"x": "f32[1,4]", "w": {"is": "const f32[4,2]", "values": WEIGHTS}, "y": "f32[1,2]"}
        before = self.report_of(tensors, {"n": {"op": "MatMul", "in": ["x", "w"], "out": ["y"]}},
                                [entry("x", 0.02, -128), entry("y", 0.02, -128)],
                                [entry("w", 0.5 / 127, 0, is_sym=True)])
        self.assertEqual(before["verdict"], "wrong_values")
        run = self.run_cli("fix", "m.json", "--encodings", "m.encodings", "--arch", "v73", "-o", "out.encodings", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        fixed = json.loads(run.stdout)
        self.assertEqual([f["code"] for f in fixed["mended"]], ["QG708"])
        self.assertEqual(json.loads((self.folder / "out.encodings").read_text())["param_encodings"][0]["offset"], [-128])
        self.assertEqual(self.run_cli("check", "m.json", "--encodings", "out.encodings", "--arch", "v73").returncode, 0)


if __name__ == "__main__":
    unittest.main()
