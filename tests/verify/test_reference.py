#!/usr/bin/env python3
"""The float reference: encodings, judgement, and single ops against ONNX Runtime's CPU provider.

Needs NumPy; the comparison with ONNX Runtime needs onnx and onnxruntime. Without them the tests
are skipped.
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "quantgate" / "python"))

try:
    import numpy as np
    from reference.judge import expected, judge
    from reference.values import NoReference, quantize, real
except ImportError:
    raise SystemExit(print("SKIPPED: no NumPy; tools/dev/qgdev install reference") or 0)
try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError:
    onnx = None


def u8(name: str, dims: list[int], scale: float = 0.5, point: int = 128) -> dict:
    return {"name": name, "dtype": "UFIXED_POINT_8", "dims": dims, "encoding": {"perTensor": {"scale": scale, "zeroPoint": point}}}


def f32(name: str, dims: list[int]) -> dict:
    return {"name": name, "dtype": "FLOAT_32", "dims": dims}


def tensor(*values: int, dtype: str = "UINT_32", dims: list[int] | None = None) -> dict:
    return {"tensor": {"dtype": dtype, "dims": dims or [len(values)], "ints": list(values)}}


class Encodings(unittest.TestCase):
    def test_each_kind(self) -> None:
        q = np.arange(8.0).reshape(2, 4)
        per_channel = {"dtype": "SFIXED_POINT_8", "encoding": {"perChannel": {"axis": 0, "scales": [1, 2], "zeroPoints": [0, 1]}}}
        self.assertEqual(real(per_channel, q).tolist(), [[0, 1, 2, 3], [6, 8, 10, 12]])
        lpbq = {"dtype": "SFIXED_POINT_8", "encoding": {"lpbq": {"axis": 0, "scales": [1], "numBlocks": 2, "blockScales": [1, 2, 3, 4]}}}
        self.assertEqual(real(lpbq, q, block_axis=1).tolist(), [[0, 1, 4, 6], [12, 15, 24, 28]])
        block = {"dtype": "SFIXED_POINT_8", "encoding": {"block": {"blockSize": [1, 2], "scales": [1, 2, 3, 4]}}}
        self.assertEqual(real(block, q).tolist(), [[0, 1, 4, 6], [12, 15, 24, 28]])

    def test_rounds_to_even_and_saturates(self) -> None:
        self.assertEqual(quantize(u8("y", [4]), np.array([0.25, 0.75, 1e9, -1e9])).tolist(), [128, 130, 255, 0])

    def test_says_why_there_is_no_reference(self) -> None:
        for encoding in ({}, {"perTensor": {"scale": 0, "zeroPoint": 0}}, {"perTensor": {"scale": "NaN", "zeroPoint": 0}}):
            with self.assertRaises(NoReference):
                real({"dtype": "UFIXED_POINT_8", "encoding": encoding}, np.zeros(1))


class Judgements(unittest.TestCase):
    def said(self, got: list[int], scale: float = 0.5) -> str:
        tensors = {"x": u8("x", [20]), "y": u8("y", [20], scale)}
        node = {"op": "Reshape", "inputs": ["x"], "outputs": ["y"]}
        return judge(node, tensors, {"x": list(range(120, 140)), "y": got}).result

    def test_right_between_and_wrong(self) -> None:
        exact = list(range(120, 140))
        self.assertEqual(self.said(exact), "right")
        self.assertEqual(self.said([exact[0] + 1, *exact[1:]]), "right")
        self.assertEqual(self.said([exact[0] + 2, *exact[1:]]), "between")
        self.assertEqual(self.said([exact[0] + 4, *exact[1:]]), "wrong")  # 5 % of 20 elements
        self.assertEqual(self.said(exact, scale=0.125), "wrong")

    def test_a_jump_counts_in_a_range_that_cannot_hold_it(self) -> None:
        node = {"op": "ElementWiseLess", "inputs": ["a", "b"], "outputs": ["y"]}
        tensors = {"a": u8("a", [4]), "b": u8("b", [4])}
        for scale, got, expected_result in (
            (1.0, 1, "right"), (1.01, 1, "right"), (2.0, 1, "right"), (0.5, 1, "wrong"), (0.5, 2, "right"),
            (100.0, 1, "wrong"), (1e-9, 1, "wrong"), (1e-9, 255, "right"),
        ):  # fmt: skip
            values = {"a": [1, 1, 9, 9], "b": [5, 5, 5, 5], "y": [got, got, 0, 0]}
            said = judge(node, tensors | {"y": u8("y", [4], scale, 0)}, values)
            self.assertEqual(said.result, expected_result, (scale, got))

    def test_unknown_ops_and_missing_encodings_are_not_judged(self) -> None:
        tensors = {"x": u8("x", [1]), "y": u8("y", [1])}
        said = judge({"op": "NoSuchOp", "inputs": ["x"], "outputs": ["y"]}, tensors, {"x": [1], "y": [1]})
        self.assertEqual((said.result, said.reason), ("", "no float reference of NoSuchOp"))
        del tensors["y"]["encoding"]
        said = judge({"op": "Reshape", "inputs": ["x"], "outputs": ["y"]}, tensors, {"x": [1], "y": [1]})
        self.assertEqual(said.reason, "an output with no encoding")

    def test_a_dropped_bias_is_wrong(self) -> None:
        tensors = {"x": u8("x", [1, 2]), "w": u8("w", [1, 2]), "b": {"name": "b", "dtype": "SFIXED_POINT_32", "dims": [1]}, "y": u8("y", [1, 1])}
        node = {"op": "FullyConnected", "inputs": ["x", "w", "b"], "outputs": ["y"]}
        values = {"x": [130, 126], "w": [129, 128], "b": [40], "y": [129]}  # 0.5 without, 10.5 with it
        self.assertEqual(judge(node, tensors, values).result, "wrong")
        self.assertEqual(judge(node, tensors, values | {"y": [149]}).result, "right")


@unittest.skipUnless(onnx, "no onnx and onnxruntime")
class AgainstOnnxRuntime(unittest.TestCase):
    """Ops whose layout can be turned into ONNX's: channels last on one side, first on the other."""

    def compare(self, op: str, onnx_op: str, shapes: list[list[int]], out: list[int], params: dict, attributes: dict,
                to_onnx: dict[int, list[int]] | None = None, from_onnx: list[int] | None = None, opset: int = 18,
                extra: list[tuple[str, np.ndarray]] | None = None) -> None:  # fmt: skip
        rng = np.random.RandomState(1)
        data = [rng.uniform(-2, 2, shape).astype(np.float32) for shape in shapes]
        names = [f"x{i}" for i in range(len(data))]
        tensors = {n: f32(n, s) for n, s in zip(names, shapes)} | {"y": f32("y", out)}
        node = {"op": op, "inputs": names, "outputs": ["y"], "params": params}
        (want,), _ = expected(node, tensors, {n: d.reshape(-1).tolist() for n, d in zip(names, data)})
        feeds = {n: np.ascontiguousarray(d.transpose((to_onnx or {}).get(i, range(d.ndim)))) for i, (n, d) in enumerate(zip(names, data))}
        constants = [onnx.numpy_helper.from_array(v, n) for n, v in extra or []]
        graph = helper.make_graph(
            [helper.make_node(onnx_op, [*names, *(n for n, _ in extra or [])], ["y"], **attributes)], "g",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, f.shape) for n, f in feeds.items()],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], constants)  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        (got,) = session.run(None, feeds)
        if from_onnx:
            got = got.transpose(from_onnx)
        np.testing.assert_allclose(np.asarray(want).reshape(out), got.reshape(out), rtol=1e-4, atol=1e-4)

    NCHW, NHWC, OIHW = [0, 3, 1, 2], [0, 2, 3, 1], [3, 2, 0, 1]

    def test_convolutions(self) -> None:
        layout = {"to_onnx": {0: self.NCHW, 1: self.OIHW}, "from_onnx": self.NHWC}
        self.compare("Conv2d", "Conv", [[1, 9, 8, 4], [3, 2, 2, 6], [6]], [1, 5, 7, 6],
                     {"stride": tensor(2, 1), "pad_amount": tensor(1, 1, 0, 0, dims=[2, 2]), "group": {"uint": 2}},
                     {"strides": [2, 1], "pads": [1, 0, 1, 0], "group": 2}, **layout)  # fmt: skip
        self.compare("Conv2d", "Conv", [[1, 9, 8, 4], [3, 2, 4, 6]], [1, 5, 6, 6],
                     {"stride": tensor(1, 1), "pad_amount": tensor(0, 0, 0, 0, dims=[2, 2]), "dilation": tensor(2, 2)},
                     {"dilations": [2, 2]}, **layout)  # fmt: skip
        self.compare("DepthWiseConv2d", "Conv", [[1, 8, 8, 4], [3, 3, 1, 8], [8]], [1, 6, 6, 8],
                     {"stride": tensor(1, 1), "pad_amount": tensor(0, 0, 0, 0, dims=[2, 2])}, {"group": 4}, **layout)  # fmt: skip
        self.compare("TransposeConv2d", "ConvTranspose", [[1, 5, 5, 4], [3, 3, 4, 6], [6]], [1, 10, 10, 6],
                     {"stride": tensor(2, 2), "pad_amount": tensor(1, 1, 1, 1, dims=[2, 2]), "output_padding": tensor(1, 1)},
                     {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
                     to_onnx={0: self.NCHW, 1: [2, 3, 0, 1]}, from_onnx=self.NHWC)  # fmt: skip

    def test_pools(self) -> None:
        params = {"filter_size": tensor(3, 2), "stride": tensor(2, 2), "pad_amount": tensor(1, 1, 0, 0, dims=[2, 2])}
        attributes = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]}
        layout = {"to_onnx": {0: self.NCHW}, "from_onnx": self.NHWC}
        self.compare("PoolMax2d", "MaxPool", [[1, 9, 8, 4]], [1, 5, 4, 4], params, attributes, **layout)
        for counted in (0, 1):
            self.compare("PoolAvg2d", "AveragePool", [[1, 9, 8, 4]], [1, 5, 4, 4], params | {"count_pad_for_edges": {"flag": bool(counted)}},
                         attributes | {"count_include_pad": counted}, **layout)  # fmt: skip

    def test_resizes(self) -> None:
        sizes = [("", np.array([], np.float32)), ("s", np.array([1, 4, 12, 15], np.int64))]
        for mode, align, half in (("asymmetric", 0, 0), ("align_corners", 1, 0), ("half_pixel", 0, 1)):
            self.compare("ResizeBilinear", "Resize", [[1, 6, 5, 4]], [1, 12, 15, 4],
                         {"align_corners": {"flag": bool(align)}, "half_pixel_centers": {"flag": bool(half)}},
                         {"mode": "linear", "coordinate_transformation_mode": mode}, to_onnx={0: self.NCHW}, from_onnx=self.NHWC,
                         extra=[("roi", np.array([], np.float32)), ("scales", np.array([], np.float32)), sizes[1]])  # fmt: skip

    def test_products_norms_and_reductions(self) -> None:
        self.compare("MatMul", "MatMul", [[2, 3, 4], [2, 4, 5]], [2, 3, 5], {}, {})
        self.compare("Softmax", "Softmax", [[2, 3, 4]], [2, 3, 4], {"axis": {"uint": 1}}, {"axis": 1})
        self.compare("LogSoftmax", "LogSoftmax", [[2, 3, 4]], [2, 3, 4], {"axis": {"uint": 2}}, {"axis": 2})
        self.compare("LayerNorm", "LayerNormalization", [[2, 3, 4], [4], [4]], [2, 3, 4], {"axes": tensor(2), "epsilon": {"real": 1e-5}},
                     {"axis": 2, "epsilon": 1e-5})  # fmt: skip
        self.compare("InstanceNorm", "InstanceNormalization", [[1, 6, 5, 4], [4], [4]], [1, 6, 5, 4], {"epsilon": {"real": 1e-5}},
                     {"epsilon": 1e-5}, to_onnx={0: self.NCHW}, from_onnx=self.NHWC)  # fmt: skip
        self.compare("ReduceMean", "ReduceMean", [[2, 3, 4]], [2, 1, 4], {"axes": tensor(1), "keep_dims": {"flag": True}}, {},
                     extra=[("axes", np.array([1], np.int64))])  # fmt: skip
        self.compare("CumulativeSum", "CumSum", [[2, 3, 4]], [2, 3, 4], {"axis": {"uint": 1}, "exclusive": {"flag": True}, "reverse": {"flag": True}},
                     {"exclusive": 1, "reverse": 1}, extra=[("axis", np.array(1, np.int64))])  # fmt: skip

    def test_movement(self) -> None:
        for mode, name in ((0, "DCR"), (1, "CRD")):
            self.compare("DepthToSpace", "DepthToSpace", [[1, 3, 4, 8]], [1, 6, 8, 2], {"block_size": tensor(2, 2), "mode": {"uint": mode}},
                         {"blocksize": 2, "mode": name}, to_onnx={0: self.NCHW}, from_onnx=self.NHWC)  # fmt: skip
        self.compare("SpaceToDepth", "SpaceToDepth", [[1, 6, 8, 2]], [1, 3, 4, 8], {"block_size": tensor(2, 2)}, {"blocksize": 2},
                     to_onnx={0: self.NCHW}, from_onnx=self.NHWC)  # fmt: skip
        self.compare("Lrn", "LRN", [[1, 3, 4, 8]], [1, 3, 4, 8],
                     {"alpha": {"real": 0.02}, "beta": {"real": 0.75}, "bias": {"real": 1.0}, "radius": {"uint": 2}},
                     {"alpha": 0.1, "beta": 0.75, "bias": 1.0, "size": 5}, to_onnx={0: self.NCHW}, from_onnx=self.NHWC)  # fmt: skip

    def test_element_wise(self) -> None:
        for op, onnx_op in (("ElementWiseSin", "Sin"), ("ElementWiseFloor", "Floor"), ("ElementWiseRound", "Round"), ("Sigmoid", "Sigmoid"),
                            ("Tanh", "Tanh"), ("HardSwish", "HardSwish"), ("ElementWiseSign", "Sign")):  # fmt: skip
            self.compare(op, onnx_op, [[2, 3, 4]], [2, 3, 4], {}, {})
        self.compare("Gelu", "Gelu", [[2, 3, 4]], [2, 3, 4], {}, {}, opset=20)
        self.compare("Elu", "Elu", [[2, 3, 4]], [2, 3, 4], {"alpha": {"real": 0.5}}, {"alpha": 0.5})
        for op, onnx_op in (("ElementWiseSubtract", "Sub"), ("ElementWiseDivide", "Div"), ("ElementWiseMaximum", "Max")):
            self.compare(op, onnx_op, [[2, 3, 4], [3, 1]], [2, 3, 4], {}, {})


if __name__ == "__main__":
    unittest.main()
