"""Models made of tensors and nodes are those of Model JSON, and wrong ones are recognised by place."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
import unittest
from array import array
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import cli_case  # noqa: E402

import quantgate as qg  # noqa: E402

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def conv(scales: object = (0.01,), zero_points: object = (0,), name: str = "m") -> qg.ModelBuilder:
    """The model of cli_case.good()."""
    json_model = cli_case.good()
    assert [t["name"] for t in json_model["tensors"]] == ["x", "w", "y"]
    builder = qg.ModelBuilder(name)
    for tensor in json_model["tensors"]:
        encoding = tensor["encoding"]
        if "perTensor" in encoding:
            reported = encoding["perTensor"]
            made = qg.Encoding.per_tensor(reported["scale"], reported.get("zeroPoint", 0))
        else:
            reported = encoding["perChannel"]
            made = qg.Encoding.per_channel(reported["axis"], scales, zero_points)
        builder.tensor(tensor["name"], tensor["dtype"], tensor["dims"],
                       static=tensor.get("isStatic", False), encoding=made)
    [node] = json_model["nodes"]
    params = {}
    for key, value in node["params"].items():
        [(kind, number)] = value.items()
        if kind == "tensor":
            number = memoryview(array("I", number["ints"])).cast("B").cast("I", number["dims"])
        params[key] = {kind: number}
    builder.node(node["op"], [0, 1], [2], name=node["name"], params=params)
    return builder


class AsModelJson(unittest.TestCase):
    def test_a_convolution(self) -> None:
        reported = json.loads(qg.Model.from_json(json.dumps(cli_case.good())).to_json())
        made = json.loads(conv(name=reported["name"]).build().to_json())
        self.assertEqual(made, reported)
        self.assertEqual(qg.check(conv().build()).verdict, "accepted")
        self.assertEqual(qg.check(conv(zero_points=[3]).build()).findings[0].code, "QG301")

    def test_params(self) -> None:
        builder = qg.ModelBuilder(dialect="aten")
        x, y = builder.tensor("x"), builder.tensor("y")
        builder.node("aten.relu.default", (x,), (y,), location="model.py:42", params={
            "flag": True, "int": -3, "real": 0.5, "text": "same", "ints": [1, 2],
            "reals": (1, 2.5), "texts": ["a"], "none": [], "uint": {"uint": 7},
            "array": array("f", [1.5])})
        [node] = json.loads(builder.build().to_json())["nodes"]
        self.assertEqual(node["location"], "model.py:42")
        self.assertEqual(node["params"]["flag"], {"flag": True})
        self.assertEqual(node["params"]["int"], {"int": -3})
        self.assertEqual(node["params"]["real"], {"real": 0.5})
        self.assertEqual(node["params"]["text"], {"text": "same"})
        self.assertEqual(node["params"]["ints"], {"ints": [1, 2]})
        self.assertEqual(node["params"]["reals"], {"reals": [1.0, 2.5]})
        self.assertEqual(node["params"]["texts"], {"texts": ["a"]})
        self.assertEqual(node["params"]["uint"], {"uint": 7})
        self.assertEqual(node["params"]["array"],
                         {"tensor": {"dtype": "FLOAT_32", "dims": [1], "reals": [1.5]}})

    def test_shapes_and_ends(self) -> None:
        builder = qg.ModelBuilder("m", dialect="aten", source="model.pt2")
        a = builder.tensor("a", 0x0232, [None, -1, 3])
        b = builder.tensor("b", "FLOAT_32", None)
        c = builder.tensor("c", "INT_64", [2], static=True, values=[7, 8])
        builder.node("aten.op.default", [a, None, c], [b])
        builder.note("a part was not looked at")
        model = builder.build()
        reported = json.loads(model.to_json())
        self.assertEqual((reported["inputs"], reported["outputs"]), (["a"], ["b"]))
        self.assertEqual(reported["nodes"][0]["inputs"], ["a", "", "c"])
        self.assertEqual(reported["tensors"][0]["dims"], [-1, -1, 3])
        self.assertTrue(reported["tensors"][1]["unknownRank"])
        self.assertEqual([int(value) for value in reported["tensors"][2]["values"]], [7, 8])
        self.assertEqual((model.source, model.notes), ("model.pt2", ("a part was not looked at",)))
        self.assertIn("a part was not looked at", qg.check(model).notes)


class Encodings(unittest.TestCase):
    def test_kinds(self) -> None:
        one = qg.Encoding.per_tensor(0.5, 128, bitwidth=4)
        self.assertEqual((one.kind, one.scales, one.zero_points, one.bitwidth),
                         ("per-tensor", (0.5,), (128,), 4))
        many = qg.Encoding.per_channel(-1, [0.5, 0.25])
        self.assertEqual((many.kind, many.axis, many.scales, many.zero_points),
                         ("per-channel", -1, (0.5, 0.25), ()))
        block = qg.Encoding.block([1, 32], [0.5] * 4, [0] * 4)
        self.assertEqual((block.kind, block.block_size, len(block.scales)), ("block", (1, 32), 4))
        lpbq = qg.Encoding.lpbq(3, [0.5, 0.25], num_blocks=2, block_scales=[1, 2, 3, 4])
        self.assertEqual((lpbq.kind, lpbq.num_blocks, lpbq.block_scales, lpbq.bitwidth),
                         ("LPBQ", 2, (1, 2, 3, 4), 4))
        self.assertEqual(one, qg.Encoding.per_tensor(0.5, 128, bitwidth=4))
        self.assertNotEqual(one, qg.Encoding.per_tensor(0.5, 127, bitwidth=4))
        self.assertNotEqual(one, 3)
        self.assertIn("scale=0.5 zero_point=128 bitwidth=4", repr(one))

    def test_what_no_backend_takes_is_a_finding(self) -> None:
        for scale in (math.nan, math.inf, 0.0, -1.0):
            with self.subTest(scale=scale):
                report = qg.check(conv(scales=[scale]).build())
                self.assertNotEqual(report.verdict, "accepted")
                self.assertEqual({f.code for f in report.findings} & {"QG307", "QG310"}, {"QG307"})

    @unittest.skipUnless(HAS_NUMPY, "numpy isn't installed")
    def test_arrays_of_every_layout(self) -> None:
        import numpy as np
        plain = np.arange(1, 13)
        expected = tuple(float(value) for value in plain)
        for dtype in ("f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
            for scales in (plain.astype(dtype), plain.astype(dtype).reshape(3, 4),
                           np.repeat(plain.astype(dtype), 2)[::2],
                           np.asfortranarray(plain.astype(dtype).reshape(3, 4)),
                           plain.astype(dtype)[::-1][::-1], memoryview(plain.astype(dtype))):
                self.assertEqual(qg.Encoding.per_channel(0, scales).scales, expected, dtype)
        read_only = plain.astype("f4")
        read_only.flags.writeable = False
        self.assertEqual(qg.Encoding.per_channel(0, read_only).scales, expected)
        self.assertEqual(qg.Encoding.per_channel(0, np.float64(0.5)).scales, (0.5,))
        self.assertEqual(qg.Encoding.per_tensor(np.float32(0.5), np.int64(3)).zero_points, (3,))
        self.assertEqual(qg.Encoding.per_channel(0, list(plain)).scales, expected)

    @unittest.skipUnless(HAS_NUMPY, "numpy isn't installed")
    def test_weights_are_looked_at_in_place(self) -> None:
        import resource

        import numpy as np
        weights = np.zeros((64, 1024, 1024), np.int8)  # 64 MiB
        weights[3, 2, 1], weights[1, 2, 3] = -128, 127
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        builder = qg.ModelBuilder()
        builder.tensor("w", "SFIXED_POINT_8", weights.shape, static=True, values=weights)
        builder.tensor("v", "SFIXED_POINT_8", (1024, 1024, 64), static=True, values=weights.T)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 8 * 1024)  # KiB
        reported = json.loads(builder.build().to_json())["tensors"]
        for tensor in reported:
            self.assertEqual(tensor["valueRange"], {"min": -128.0, "max": 127.0})
            self.assertNotIn("values", tensor)


class BadInput(unittest.TestCase):
    def test_wrong_arguments_name_themselves(self) -> None:
        class Raises:
            def __float__(self) -> float:
                raise RuntimeError("no float today")

        class Shrinks:
            def __init__(self, items: list) -> None:
                self.items = items

            def __float__(self) -> float:
                self.items.clear()
                return 1.0

        items: list = []
        items += [Shrinks(items)] * 50
        cases = [
            (TypeError, "scale: expected a number, got str", lambda: ("x",)),
            (TypeError, "scale: expected a number, got NoneType", lambda: (None,)),
            (TypeError, "zero_point: expected an int, got float", lambda: (1.0, 0.5)),
            (ValueError, "zero_point: 4294967296 is beyond 32 bits", lambda: (1.0, 1 << 32)),
            (ValueError, "zero_point: an integer beyond 64 bits", lambda: (1.0, 1 << 99)),
        ]
        for error, says, arguments in cases:
            with self.subTest(says), self.assertRaisesRegex(error, says):
                qg.Encoding.per_tensor(*arguments())
        channels = [
            (TypeError, "scales: expected numbers, got NoneType", (0, None)),
            (TypeError, "scales: expected numbers, got str", (0, "abc")),
            (TypeError, "scales: expected numbers, got bytes", (0, b"abc")),
            (TypeError, "scales: expected numbers, got dict", (0, {1: 2})),
            (TypeError, r"scales\[1\]: expected a number, got object", (0, [1.0, object()])),
            (ValueError, "scales: there is none", (0, [])),
            (TypeError, r"zero_points\[0\]: expected an int, got float", (0, [1.0], [0.5])),
            (ValueError, r"zero_points\[1\]: 4294967296 is beyond 32 bits",
             (0, [1.0], array("q", [0, 1 << 32]))),
            (TypeError, "zero_points: expected integers, got array", (0, [1.0], array("f", [0]))),
            (TypeError, "axis: expected an int, got str", ("channel", [1.0])),
            (RuntimeError, "no float today", (0, [Raises()])),
        ]
        for error, says, given in channels:
            with self.subTest(says), self.assertRaisesRegex(error, says):
                qg.Encoding.per_channel(*given)
        self.assertEqual(qg.Encoding.per_channel(0, items).scales, (1.0,))
        with self.assertRaisesRegex(ValueError, "bitwidth: -1 is no number of bits"):
            qg.Encoding.per_tensor(1.0, bitwidth=-1)

    @unittest.skipUnless(HAS_NUMPY, "numpy isn't installed")
    def test_arrays_that_hold_no_numbers(self) -> None:
        import numpy as np
        for scales in (np.array(["a"]), np.array([1 + 2j]), np.array([object()]),
                       np.zeros(2, ">f4"), np.zeros(2, "f4,f4"), np.zeros(2, "M8[s]")):
            with self.subTest(dtype=str(scales.dtype)), self.assertRaises((TypeError, ValueError)):
                qg.Encoding.per_channel(0, scales)

    @unittest.skipUnless(HAS_NUMPY, "numpy isn't installed")
    def test_arrays_larger_than_memory(self) -> None:
        import numpy as np
        endless = np.broadcast_to(np.float32(0.5), (1 << 20, 1 << 20))
        with self.assertRaisesRegex(ValueError, "scales: 1099511627776 numbers; at most"):
            qg.Encoding.per_channel(0, endless)
        with self.assertRaisesRegex(ValueError, "zero_points: "):
            qg.Encoding.per_channel(0, [1.0], np.broadcast_to(np.int8(3), (1 << 40,)))
        builder = qg.ModelBuilder()
        builder.tensor("w", "SFIXED_POINT_8", endless.shape, static=True, values=endless)
        builder.node("Op", [0], [], params={"p": np.broadcast_to(np.int8(3), (1 << 40,))})
        [reported] = json.loads(builder.build().to_json())["tensors"]
        self.assertEqual(reported["valueRange"], {"min": 0.5, "max": 0.5})
        model = cli_case.good()
        model["tensors"][1]["encoding"]["perChannel"]["scales"] = endless
        with self.assertRaisesRegex(qg.InputError, "at most"):
            qg.check(model)

    def test_tensors_and_nodes(self) -> None:
        builder = qg.ModelBuilder()
        x = builder.tensor("x", "FLOAT_32", [2])
        cases = [
            (TypeError, "name: expected a str, got NoneType", lambda: builder.tensor(None)),
            (ValueError, "name: a str that has no UTF-8 form", lambda: builder.tensor("\ud800")),
            (ValueError, 'unknown datatype "FLOAT32"', lambda: builder.tensor("t", "FLOAT32")),
            (ValueError, "no datatype of QNN has the number 3", lambda: builder.tensor("t", 3)),
            (TypeError, "shape: expected a tuple", lambda: builder.tensor("t", None, 3)),
            (TypeError, r"shape\[1\]: expected an int", lambda: builder.tensor("t", None, [1, "a"])),
            (ValueError, r"shape\[0\]: an integer beyond", lambda: builder.tensor("t", None, [1 << 99])),
            (ValueError, "-2 is not a dimension", lambda: builder.tensor("t", None, [-2])),
            (ValueError, "beyond 64 bits", lambda: builder.tensor("t", None, [1 << 40] * 3)),
            (ValueError, "3 values for 2 elements",
             lambda: builder.tensor("t", "INT_32", [2], values=[1, 2, 3])),
            (TypeError, "encoding: expected an Encoding", lambda: builder.tensor("t", encoding=1)),
            (TypeError, "op: expected a str", lambda: builder.node(3, [], [])),
            (ValueError, "op: is empty", lambda: builder.node("", [], [])),
            (TypeError, "inputs: expected a tuple or list", lambda: builder.node("Op", x, [])),
            (ValueError, r"inputs\[1\]: there is no tensor 7", lambda: builder.node("Op", [x, 7], [])),
            (ValueError, r"inputs\[0\]: there is no tensor -1", lambda: builder.node("Op", [-1], [])),
            (TypeError, r"outputs\[0\]: expected an int", lambda: builder.node("Op", [], ["y"])),
            (TypeError, "params: expected a dict", lambda: builder.node("Op", [], [], params=[1])),
            (TypeError, 'params."k".: expected a bool',
             lambda: builder.node("Op", [], [], params={"k": None})),
            (ValueError, 'params."k".: both texts and numbers',
             lambda: builder.node("Op", [], [], params={"k": ["a", 1]})),
            (ValueError, 'params."k".: a dict has one key',
             lambda: builder.node("Op", [], [], params={"k": {"bits": 3}})),
            (ValueError, "dialect: unknown value", lambda: qg.ModelBuilder(dialect="tf")),
        ]
        for error, says, call in cases:
            with self.subTest(says), self.assertRaisesRegex(error, says):
                call()
        self.assertEqual(repr(builder), "<ModelBuilder: 0 nodes, 1 tensors>")

    def test_graphs(self) -> None:
        builder = qg.ModelBuilder("m")
        x, y = builder.tensor("x"), builder.tensor("y")
        builder.node("Op", [x], [y], name="n")
        with self.assertRaisesRegex(qg.InputError, r"m: outputs\[0\]: tensor|None"):
            builder.build(outputs=[None])
        builder.tensor("x")
        with self.assertRaisesRegex(qg.InputError, 'tensor "x" is given twice'):
            builder.build()
        builder = qg.ModelBuilder("m")
        x, y = builder.tensor("x"), builder.tensor("y")
        builder.node("Op", [x], [y])
        builder.node("Op", [y], [x])
        with self.assertRaisesRegex(qg.InputError, "cycle"):
            builder.build()
        builder = qg.ModelBuilder()
        builder.build()
        with self.assertRaisesRegex(RuntimeError, "build"):
            builder.tensor("x")


if __name__ == "__main__":
    unittest.main()
