"""What ONNX Runtime's provider builds into something else because of encodings: the rows of
opdefs/routes/onnxruntime.yaml that look at what an encoding can hold."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

from cli_case import CliCase

sys.path.append(str(Path(__file__).resolve().parents[1] / "reports"))
import compact  # noqa: E402

BUILT_OTHERWISE = "QG620"


def one(op: str, out: str, *inputs: str, **params: object) -> dict:
    names = [f"t{i}" for i in range(len(inputs))]
    return {"dialect": "onnx", "opset": 21, "tensors": dict(zip(names, inputs)) | {"y": out},
            "nodes": {"n": {"op": op, "in": names, "out": ["y"], "params": params}}}


class ProviderValues(CliCase):
    def said(self, model: dict) -> str:
        """The message of the finding, or nothing."""
        self.path("m.json", compact.expand(model))
        report = json.loads(self.run_cli("check", "m.json", "--arch", "v73", "--route", "onnxruntime", "--mode", "warn",
                                         "--format", "json").stdout)
        found = [f for f in report["findings"] if f["code"] == BUILT_OTHERWISE]
        self.assertLessEqual(len(found), 1)
        for finding in found:
            self.assertEqual((finding["node"], finding["consequence"]), ("n", "wrong_values"))
        return found[0]["message"] if found else ""

    def test_a_one_that_the_input_cannot_hold(self) -> None:
        for encoding, wrong in (("0.004/0", False), ("0.1/0", False), ("0.002/0", True), ("0.003/128", True),
                                ("0.3/0", True), ("0.02/255", True)):
            with self.subTest(encoding=encoding):
                said = self.said(one("Reciprocal", "u8[1,8] 0.05/0", f"u8[1,8] {encoding}"))
                self.assertEqual("1.0" in said, wrong, said)
        self.assertEqual(self.said(one("Reciprocal", "f32[1,8]", "f32[1,8]")), "")

    def test_a_sum_with_zeros_whose_output_clips(self) -> None:
        zeros = {"is": "const u8[1,1,1,8] 0.1/3", "values": [3]}
        for values, out, wrong in (([3], "0.01/0", True), ([3], "0.04/128", False), ([3], "0.02/128", False),
                                   ([3], "0.02/100", True), ([4], "0.01/0", False), ([3], "0.01/128", True)):
            constant = zeros | {"values": values}
            for inputs in (("u8[1,4,4,8] 0.02/128", constant), (constant, "u8[1,4,4,8] 0.02/128")):
                with self.subTest(values=values, out=out, inputs=inputs):
                    said = self.said(one("Add", f"u8[1,4,4,8] {out}", *inputs))
                    self.assertEqual("zeros" in said, wrong, said)
        self.assertEqual(self.said(one("Mul", "u8[1,4,4,8] 0.01/0", "u8[1,4,4,8] 0.02/128", zeros)), "")

    def test_a_padding_that_the_input_cannot_hold(self) -> None:
        pads = {"is": "const i64[8]", "values": [0, 0, 0, 0, 0, 0, 0, 2]}
        for value, encoding, wrong in ((255, "0.004/0", True), (100, "0.004/0", False), (0, "1/0", False)):
            with self.subTest(value=value):
                constant = {"is": f"const u8[] {encoding}", "values": [value]}
                said = self.said(one("Pad", "u8[1,4,5,8] 0.005/62", "u8[1,4,5,6] 0.004/100", pads, constant,
                                     mode="constant"))
                self.assertEqual("cannot hold it" in said, wrong, said)

    def test_a_padding_that_the_output_cannot_hold(self) -> None:
        pads = {"is": "const i64[8]", "values": [0, 0, 1, 1, 0, 0, 1, 1]}
        for value, encoding, cut in ((0, "0.02/255", True), (255, "0.02/0", True), (60, "0.02/10", False)):
            with self.subTest(value=value):
                constant = {"is": f"const u8[] {encoding}", "values": [value]}
                model = one("Pad", "u8[1,4,10,10] 0.01/0", "u8[1,4,8,8] 0.01/0", pads, constant, mode="constant")
                self.path("m.json", compact.expand(model))
                report = self.report("m.json", "--arch", "v73", "--route", "onnxruntime")
                said = [f["message"] for f in report["findings"] if f["consequence"] == "advice"]
                self.assertEqual(any("border's value lies outside" in text for text in said), cut, said)

    def test_an_empty_result(self) -> None:
        ends = [{"is": "const i64[1]", "values": [value]} for value in (6, 100, 3)]
        self.path("m.json", compact.expand(one("Slice", "u8[1,4,5,0] 0.02/128", "u8[1,4,5,6] 0.02/128", *ends)))
        report = self.report("m.json", "--arch", "v73", "--route", "onnxruntime", status=1)
        self.assertIn("its result is empty", json.dumps(report["findings"]))

    def test_a_sequence_that_ends_the_process(self) -> None:
        def prepared(**changed: dict) -> bool:
            nodes = {"before": {"op": "Transpose", "in": ["x"], "out": ["a"], "params": {"perm": [0, 3, 1, 2]}},
                     "mean": {"op": "ReduceMean", "in": ["a", "axes"], "out": ["b"], "params": {"keepdims": 1}},
                     "flat": {"op": "Reshape", "in": ["b", "all"], "out": ["c"]},
                     "gather": {"op": "Gather", "in": ["c", "places"], "out": ["d"], "params": {"axis": 0}},
                     "last": {"op": "Transpose", "in": ["d"], "out": ["y"], "params": {"perm": [0, 2, 3, 1]}}}
            q = " 0.02/128"
            tensors = {"x": "u8[1,4,4,8]" + q, "a": "u8[1,8,4,4]" + q, "b": "u8[1,8,1,1]" + q, "c": "u8[8]" + q,
                       "d": "u8[1,8,1,1]" + q, "y": "u8[1,1,1,8]" + q, "axes": "const i64[2] = -1, -2",
                       "all": "const i64[1] = -1", "places": "const i64[1,8,1,1] = 0, 1, 2, 3, 4, 5, 6, 7"}
            for name, change in changed.items():
                nodes[name] = nodes[name] | change
            self.path("m.json", compact.expand({"dialect": "onnx", "opset": 21, "tensors": tensors, "nodes": nodes}))
            report = self.report("m.json", "--arch", "v73", "--route", "onnxruntime", "--mode", "warn")
            found = [f for f in report["findings"] if f["consequence"] == "prepare_fails"]
            self.assertEqual([f["node"] for f in found], ["flat"] * len(found))  # where the moved Transpose arrives
            return not found

        self.assertFalse(prepared())
        self.assertTrue(prepared(before={"op": "Sigmoid", "params": {}}))
        self.assertTrue(prepared(last={"op": "Sigmoid", "params": {}}))

    def test_padding_of_the_last_axis(self) -> None:
        def padded(*pads: int, mode: str = "constant") -> str:
            half = len(pads) // 2
            dims = [n + pads[i] + pads[i + half] for i, n in enumerate((1, 4, 5, 6))]
            shape = ",".join(map(str, dims))
            constant = {"is": "const i64[8]", "values": list(pads)}
            return self.said(one("Pad", f"u8[{shape}] 0.01/123", "u8[1,4,5,6] 0.01/123", constant, mode=mode))

        self.assertIn("the stored 0", padded(0, 0, 0, 0, 0, 0, 1, 1))
        self.assertIn("the stored 0", padded(0, 0, 1, 0, 0, 0, 1, 2))
        self.assertIn("the stored 0", padded(0, 0, 0, 0, 0, 1, 0, 1))
        for pads in ((0, 0, 1, 1, 0, 0, 1, 1), (0, 0, 0, 0, 0, 0, 0, 2), (0, 0, 0, 0, 0, 0, 2, 0),
                     (0, 0, 0, 1, 0, 0, 1, 1), (0, 0, 1, 0, 0, 0, 0, 1)):
            self.assertEqual(padded(*pads), "", pads)
        self.assertEqual(padded(0, 0, 0, 0, 0, 0, 1, 1, mode="reflect"), "")


if __name__ == "__main__":
    unittest.main()
