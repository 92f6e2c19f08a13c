"""Findings on models of ONNX Runtime's quantizer become overrides that make them go away.

Each case quantizes a small float model with a choice that HTP doesn't take, checks it, quantizes
it again with the overrides, and asks the real library about both where onnxruntime-qnn is.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance" / "ort"))

import quantgate as qg  # noqa: E402
import quantgate.onnxruntime  # noqa: E402


def has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def float_model():
    """Conv, Sigmoid, Reshape, MatMul, LayerNormalization."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    rng = np.random.default_rng(0)
    weights = {"conv.w": (8, 3, 3, 3), "conv.b": (8,), "proj/w": (32, 16), "gamma": (16,),
               "beta": (16,)}
    initializers = [numpy_helper.from_array(rng.normal(0.1, 0.2, shape).astype(np.float32), name)
                    for name, shape in weights.items()]
    initializers.append(numpy_helper.from_array(np.array([1, 64, 32], np.int64), "shape"))
    nodes = [helper.make_node("Conv", ["x", "conv.w", "conv.b"], ["c"], "conv", pads=[1] * 4),
             helper.make_node("Sigmoid", ["c"], ["s"], "sigmoid"),
             helper.make_node("Reshape", ["s", "shape"], ["r"], "reshape"),
             helper.make_node("MatMul", ["r", "proj/w"], ["m"], "proj"),
             helper.make_node("LayerNormalization", ["m", "gamma", "beta"], ["y"], "norm")]
    graph = helper.make_graph(
        nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 16])], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def quantized(folder: Path, name: str, activation: str, weight: str, overrides=None,
              **options) -> Path:
    import numpy as np
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize
    from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config

    class Data(CalibrationDataReader):
        def __init__(self) -> None:
            self.left = [np.random.default_rng(i).normal(size=(1, 3, 16, 16)).astype(np.float32)
                         for i in range(3)]

        def get_next(self):
            return {"x": self.left.pop()} if self.left else None

    source = folder / "float.onnx"
    onnx.save(float_model(), source)
    path = folder / f"{name}.onnx"
    quantize(source, path, get_qnn_qdq_config(
        source, Data(), activation_type=getattr(QuantType, activation),
        weight_type=getattr(QuantType, weight), init_overrides=overrides, **options))
    return path


# Name, types of activations and weights, overrides by type name, verdict, nodes that fail.
CASES = [
    ("signed weights of a 16-bit LayerNormalization", "QUInt16", "QInt8", {}, "rejected",
     {"norm"}),
    ("asymmetric 8-bit weights under 16-bit activations", "QUInt16", "QUInt8", {}, "advice",
     {"conv", "proj"}),
    ("a 16-bit weight under 8-bit activations", "QUInt8", "QUInt8",
     {"proj/w": {"quant_type": "QInt16", "symmetric": True}}, "rejected", {"proj"}),
]


@unittest.skipUnless(has("onnxruntime") and has("onnx"), "onnxruntime isn't installed")
class Fixing(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def fix(self, activation: str, weight: str, types: dict) -> tuple[Path, Path]:
        from onnxruntime.quantization import QuantType
        chosen = {name: [{**override, "quant_type": getattr(QuantType, override["quant_type"])}]
                  for name, override in types.items()}
        before = quantized(self.folder, "before", activation, weight, chosen,
                           add_qtype_converts=False)
        overrides = quantgate.onnxruntime.tensor_quant_overrides(qg.check(before, soc="SM8550"))
        self.assertTrue(overrides)
        after = quantized(self.folder, "after", activation, weight, {**chosen, **overrides})
        return before, after

    def test_findings_go_away(self) -> None:
        for name, activation, weight, types, verdict, nodes in CASES:
            with self.subTest(name):
                before, after = self.fix(activation, weight, types)
                report = qg.check(before, soc="SM8550")
                self.assertEqual(report.verdict, verdict)
                self.assertEqual({finding.node for finding in report.findings
                                  if finding.consequence == verdict}, nodes)
                self.assertEqual(quantgate.onnxruntime.not_fixed(report), ())
                fixed = qg.check(after, soc="SM8550")
                self.assertEqual(fixed.verdict, "accepted", str(fixed))

    @unittest.skipUnless(has("onnxruntime_qnn"), "onnxruntime-qnn isn't installed: the real "
                         "library isn't asked")
    def test_the_real_library_agrees(self) -> None:
        import provider
        for name, activation, weight, types, verdict, nodes in CASES:
            with self.subTest(name):
                before, after = self.fix(activation, weight, types)
                answers = provider.ask_files("v73", [before, after])
                units = {node: said for node, said in answers[before]["units"].items()
                         if not node.endswith("Linear")}  # Q and DQ left alone by a refused node
                self.assertEqual({node for node, said in units.items() if said != "taken"},
                                 nodes if verdict == "rejected" else set())
                self.assertEqual(answers[after]["session"], "ok")
                self.assertEqual(set(answers[after]["units"].values()), {"taken"})

    def test_what_no_override_fixes(self) -> None:
        # A 16-bit activation among 8-bit ones, without a conversion: units that run in float.
        from onnxruntime.quantization import QuantType
        types = {"s": [{"quant_type": QuantType.QUInt16}],
                 "conv.w": [{"quant_type": QuantType.QInt8, "symmetric": True}]}
        before = quantized(self.folder, "before", "QUInt8", "QUInt8", types,
                           add_qtype_converts=False)
        report = qg.check(before, soc="SM8550")
        left = quantgate.onnxruntime.not_fixed(report)
        self.assertTrue(left)
        self.assertEqual({finding.code for finding in left},
                         {finding.code for finding in report.findings})
        self.assertEqual(quantgate.onnxruntime.tensor_quant_overrides(report), {})

    def test_a_fixed_encoding(self) -> None:
        # The quantizer's own choice is right; another tool's may not be.
        import numpy as np
        import onnx
        from onnx import numpy_helper
        from onnxruntime.quantization import QuantType
        path = quantized(self.folder, "right", "QUInt16", "QUInt8")
        model = onnx.load(path)
        for tensor in model.graph.initializer:
            if tensor.name == "s_scale":
                tensor.CopyFrom(numpy_helper.from_array(np.array(0.01, np.float32), "s_scale"))
        target = {"soc": "SM8550", "sdk": "2.25", "route": "direct"}
        report = qg.check(model, **target)
        self.assertIn("QG306", {finding.code for finding in report.findings})
        overrides = quantgate.onnxruntime.tensor_quant_overrides(report)
        [override] = overrides["s"]
        self.assertEqual((override["quant_type"], float(override["scale"]),
                          int(override["zero_point"])), (QuantType.QUInt16, 1 / 65536, 0))
        after = quantized(self.folder, "after", "QUInt16", "QUInt8", overrides)
        self.assertNotIn("QG306", {finding.code for finding in qg.check(after, **target).findings})

    def test_other_reports(self) -> None:
        report = qg.check(ROOT / "docs" / "examples" / "planted_qnn.json")
        self.assertIsInstance(quantgate.onnxruntime.tensor_quant_overrides(report), dict)


if __name__ == "__main__":
    unittest.main()
