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
    "booleans in Slice": (form("Slice", "bool[4,8]", "const i64[1] = 0", "const i64[1] = 2", outputs=("bool[2,8]",)),
                          ("2.50",), ("2.51",)),
    "booleans in Expand": (form("Expand", "bool[1,8]", "const i64[2] = 4, 8", outputs=("bool[4,8]",)), ("2.35",),
                           ("2.48", "2.51")),
    "Gemm with beta 0": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[4] = 0.5", outputs=("f32[4,4]",),
                              beta=0.0), (), ("2.48", "2.51")),
    "Gemm with beta 2": (form("Gemm", "f32[4,8]", "const f32[8,4] = 0.5", "const f32[4] = 0.5", outputs=("f32[4,4]",),
                              beta=2.0), ("2.51",), ()),
    "IsNaN": (form("IsNaN", X, outputs=("bool[1,4,4,8]",)), (), ("2.48", "2.50", "2.51")),
    "a batch of rows in InstanceNormalization": (form("InstanceNormalization", "f32[2,4,8]", "const f32[4] = 0.5",
                                                      "const f32[4] = 0.5", outputs=("f32[2,4,8]",)), ("2.16",),
                                                 ("2.48", "2.51")),
    "quantized RMSNormalization": (form("RMSNormalization", "u8[4,8] 0.02/128", "const u8[8] 0.02/128",
                                        outputs=("u8[4,8] 0.02/128",), opset=23), (), ("2.48", "2.49", "2.50")),
    "half precision in CumSum": (form("CumSum", "f16[2,4,8]", "const i64[] = 2", outputs=("f16[2,4,8]",)), (),
                                 ("2.48", "2.51")),
    "a vector in ArgMin": (form("ArgMin", "f32[8]", outputs=("i64[]",), keepdims=0), (), ("2.48", "2.51")),
    # By the pull requests and sources, as above.
    "cubic Resize": (form("Resize", "f32[1,4,8,8]", "", "const f32[4] = 1, 1, 2, 2", outputs=("f32[1,4,16,16]",),
                          mode="cubic"), ("2.42",), ("2.51",)),
    "Pad by nothing": (form("Pad", "f32[4,8]", "const i64[4] = 0, 0, 0, 0", outputs=("f32[4,8]",)), ("2.42",),
                       ("2.51",)),
    "allowzero of Reshape": (form("Reshape", "f32[4,8]", "const i64[2] = 8, 4", outputs=("f32[8,4]",), allowzero=1),
                             ("2.41",), ("2.51",)),
    "half precision in Expand": (form("Expand", "f16[1,8]", "const i64[2] = 4, 8", outputs=("f16[4,8]",)), ("2.37",),
                                 ("2.51",)),
    "unsigned weights per channel": (form("Conv", "u8[1,4,8,8] 0.02/128", "const u8[8,4,1,1] 0.01/128@0",
                                          outputs=("u8[1,8,8,8] 0.02/128",)), ("2.36",), ()),
    "signed weights per channel": (form("Conv", "u8[1,4,8,8] 0.02/128", "const s8[8,4,1,1] 0.01@0",
                                        outputs=("u8[1,8,8,8] 0.02/128",)), ("2.21",), ("2.51",)),
    "weights of four bits": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const s4[8,4,1,1] 0.01@0",
                                  outputs=("u16[1,8,8,8] 0.001/32768",)), ("2.23",), ("2.51",)),
    "unsigned 16-bit weights": (form("Conv", "u16[1,4,8,8] 0.001/32768", "const u16[8,4,1,1] 0.001/32768",
                                     outputs=("u16[1,8,8,8] 0.001/32768",)), ("2.34",), ("2.51",)),
    "int64 input of the model": (form("Reshape", "i64[4,8]", "const i64[2] = 8, 4", outputs=("i64[8,4]",)), ("2.32",),
                                 ("2.51",)),
    "an equation of Einsum that came later": (form("Einsum", "f32[1,2,3,4]", "f32[2,5,4]", outputs=("f32[1,2,3,5]",),
                                                   equation="bhwc,hkc->bhwk"), ("2.36",), ("2.51",)),
    "floats to booleans": (form("Cast", "f32[4,8]", outputs=("bool[4,8]",), to=9), ("2.33",), ("2.50", "2.51")),
    "signed scale of InstanceNormalization": (form("InstanceNormalization", "u8[1,4,8,8] 0.02/128",
                                                   "const s8[4] 0.01/0", "const s32[4] 0.0002/0",
                                                   outputs=("u8[1,4,8,8] 0.02/128",)), ("2.35",), ("2.51",)),
    "half precision slope of PRelu": (form("PRelu", X, "const f32[8] = 0.1"), ("2.21",), ("2.51",)),
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
