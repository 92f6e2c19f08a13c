#!/usr/bin/env python3
"""Forms of operators that the provider of a version leaves to the CPU, and the nearest ones that it takes.

    test_forms.py [--cli CLI]

Those of 2.48 to 2.51 were asked (onnxruntime-qnn 2.4 to 2.7, V73, one operator a model); older ones are by the
conditions of the builders in the provider's sources.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/reports"))
import compact  # noqa: E402

CLI = str(ROOT / "build/bin/quantgate")
X = "f32[1,4,4,8]"


def form(op: str, *inputs: str, outputs: tuple[str, ...] = (X,), opset: int = 21, **params: Any) -> dict:
    """A model of one operator, `node`; the tensors as in tests/reports/README.md."""
    ins, outs = [f"i{i}" for i in range(len(inputs))], [f"o{i}" for i in range(len(outputs))]
    tensors = {name: tensor for name, tensor in zip(ins + outs, inputs + outputs) if tensor}
    used = [name if tensor else "" for name, tensor in zip(ins, inputs)]
    return {"dialect": "onnx", "opset": opset, "tensors": tensors,
            "nodes": {"node": {"op": op, "in": used, "out": outs, "params": params}}}


# What is refused, by which SDKs, and by which it is taken.
FORMS = {
    "three inputs of Max": (form("Max", X, X, X), ("2.48", "2.50"), ("2.51",)),
    "three inputs of Sum": (form("Sum", X, X, X), ("2.50",), ("2.51",)),
    "four inputs of Min": (form("Min", X, X, X, X), ("2.50",), ("2.51",)),
    "computed axes of Unsqueeze": (form("Unsqueeze", "f32[4,8]", "i64[1]", outputs=("f32[1,4,8]",)), ("2.51",), ()),
    "constant axes of Unsqueeze": (form("Unsqueeze", "f32[4,8]", "const i64[1] = 0", outputs=("f32[1,4,8]",)), (),
                                   ("2.51",)),
    "computed value of Pad": (form("Pad", "f32[4,8]", "const i64[4] = 0, 1, 0, 1", "f32[]", outputs=("f32[4,10]",)),
                              ("2.51",), ()),
    "output_shape of ConvTranspose": (form("ConvTranspose", "f32[1,4,8,8]", "const f32[4,8,4,4]",
                                           outputs=("f32[1,8,16,16]",), kernel_shape=[4, 4], strides=[2, 2],
                                           output_shape=[16, 16]), ("2.40",), ("2.51",)),
    "rank 2 of LRN": (form("LRN", "f32[4,8]", outputs=("f32[4,8]",), size=3), ("2.51",), ()),
    "smallest of TopK": (form("TopK", X, "const i64[1] = 3", outputs=("f32[1,4,4,3]", "i64[1,4,4,3]"), largest=0),
                         ("2.36",), ()),
    "another axis of TopK": (form("TopK", X, "const i64[1] = 1", outputs=("f32[1,1,4,8]", "i64[1,1,4,8]"), axis=1),
                             ("2.35",), ("2.51",)),
    "GridSample by the name of opset 20": (form("GridSample", "f32[1,4,8,8]", "f32[1,4,8,2]",
                                                outputs=("f32[1,4,4,8]",), mode="linear"), ("2.36",), ("2.51",)),
    "bias of Gemm in two dimensions": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[1,4] = 0.5",
                                            outputs=("f32[4,4]",)), ("2.36",), ("2.51",)),
    "one number as bias of Gemm": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[1] = 0.5",
                                        outputs=("f32[4,4]",)), ("2.50",), ("2.51",)),
    "Softmax over the first axes below opset 13": (form("Softmax", "f32[4,8]", outputs=("f32[4,8]",), opset=11,
                                                        axis=0), ("2.25",), ("2.51",)),
    "vector by matrix": (form("MatMul", "f32[8]", "f32[8,4]", outputs=("f32[4]",)), (), ("2.51",)),
    "matrix by vector": (form("MatMul", "f32[4,8]", "f32[8]", outputs=("f32[4]",)), (), ("2.51",)),
    "vector by vector": (form("MatMul", "f32[8]", "f32[8]", outputs=("f32[]",)), (), ("2.51",)),
    "booleans in GatherElements": (form("GatherElements", "bool[2,4]", "const i64[2,1] = 0", outputs=("bool[2,1]",),
                                        axis=1), (), ("2.51",)),
    "quantized bounds of Clip": (form("Clip", "u8[1,4,4,8] 0.1/0", "const u8[] 0.1/0 = 0", "const u8[] 0.1/0 = 60",
                                      outputs=("u8[1,4,4,8] 0.1/0",)), ("2.36",), ()),
    "reduction of ScatterND": (form("ScatterND", "f32[4,8]", "const i64[1,1] = 0", "f32[1,8]", outputs=("f32[4,8]",),
                                    reduction="add"), ("2.34",), ("2.51",)),
    "Swish": (form("Swish", X, opset=24), ("2.50",), ()),
    "Bernoulli": (form("Bernoulli", X), ("2.49",), ()),
}


class Forms(unittest.TestCase):
    def verdict(self, model: dict, sdk: str) -> tuple[str, list[str]]:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(compact.expand(model), file)
            file.flush()
            run = subprocess.run([CLI, "check", file.name, "--soc", "SM8550", "--sdk", sdk, "--mode", "warn", "--format",
                                  "json"], capture_output=True, text=True, timeout=60, check=False)
        report = json.loads(run.stdout)
        [node] = [n for n in report["nodes"] if n["name"] == "node"]
        return node["verdict"], [f["message"] for f in report["findings"]]

    def test_each_form_is_refused_by_the_versions_that_do_not_translate_it(self) -> None:
        for name, (model, refused, taken) in FORMS.items():
            for sdk in refused:
                with self.subTest(name, sdk=sdk):
                    verdict, says = self.verdict(model, sdk)
                    self.assertEqual(verdict, "rejected", says)
            for sdk in taken:
                with self.subTest(name, sdk=sdk):
                    verdict, says = self.verdict(model, sdk)
                    self.assertNotIn(verdict, ("rejected", "prepare_fails", "wrong_values", "unchecked"), says)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=CLI)
    options, rest = parser.parse_known_args()
    CLI = options.cli
    unittest.main(argv=[sys.argv[0], *rest])
