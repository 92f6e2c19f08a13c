"""verify --graph: cutting and reducing models, answers that are kept, and the real provider where it is."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from quantgate._graph import cutting, inputs, numerics, reduction
from quantgate._graph.asking import Known, fingerprint
from quantgate._graph.errors import GraphError
from quantgate._graph.provider_log import code_of, parse_units, session_state
from quantgate._graph.result import Graph

HAS_PROVIDER = all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnxruntime_qnn"))
SCALE, ZERO = 0.05, 128


def quantized_chain(ops: list[str], shape=(1, 4, 8, 8), scales=None, zeros=None) -> onnx.ModelProto:
    """x -> Q -> DQ -> op -> Q -> DQ -> op ..., every op with one input."""
    scales, zeros = scales or [SCALE] * (len(ops) + 1), zeros or [ZERO] * (len(ops) + 1)
    constants = [numpy_helper.from_array(np.float32(s), f"s{i}") for i, s in enumerate(scales)]
    constants += [numpy_helper.from_array(np.uint8(z), f"z{i}") for i, z in enumerate(zeros)]
    nodes = []

    def pair(name: str, i: int) -> str:
        nodes.append(helper.make_node("QuantizeLinear", [name, f"s{i}", f"z{i}"], [f"{name}_q"], f"{name}_q"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", f"s{i}", f"z{i}"], [f"{name}_dq"], f"{name}_dq"))
        return f"{name}_dq"

    name = pair("x", 0)
    for i, op in enumerate(ops):
        nodes.append(helper.make_node(op, [name], [f"t{i}"], f"n{i}"))
        name = pair(f"t{i}", i + 1)
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model


def made_up_values(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    inferred = onnx.shape_inference.infer_shapes(model)
    result = {}
    for value in (*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output):
        kind = value.type.tensor_type
        result[value.name] = np.ones([d.dim_value for d in kind.shape.dim],
                                     helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return result


class Cutting(unittest.TestCase):
    def setUp(self) -> None:
        self.model = quantized_chain(["Relu", "Neg", "Abs", "Sigmoid"])
        self.cutter = cutting.Cutter(self.model, made_up_values(self.model))

    def names(self, cut: cutting.Cut) -> list[str]:
        onnx.checker.check_model(cut.model, full_check=True)
        return [node.name for node in cut.model.graph.node]

    def test_ops_are_those_that_compute(self) -> None:
        self.assertEqual([self.model.graph.node[i].name for i in self.cutter.ops], ["n0", "n1", "n2", "n3"])

    def test_all_ops_are_the_model(self) -> None:
        cut = self.cutter.cut(self.cutter.ops)
        self.assertEqual(self.names(cut), [node.name for node in self.model.graph.node])
        self.assertEqual((list(cut.feeds), cut.size), (["x"], 4))
        self.assertEqual([v.name for v in cut.model.graph.output], ["t3_dq"])

    def test_one_op_keeps_its_q_and_dq(self) -> None:
        cut = self.cutter.cut([self.cutter.ops[2]])
        self.assertEqual(self.names(cut), ["t1_q", "t1_dq", "n2", "t2_q", "t2_dq"])
        self.assertEqual((list(cut.feeds), [v.name for v in cut.model.graph.output]), (["t1"], ["t2_dq"]))

    def test_ops_apart(self) -> None:
        cut = self.cutter.cut([self.cutter.ops[0], self.cutter.ops[3]])
        self.assertEqual(list(cut.feeds), ["x", "t2"])
        self.assertEqual([v.name for v in cut.model.graph.output], ["t0_dq", "t3_dq"])

    def test_computed_constants_come_along(self) -> None:
        model = quantized_chain(["Relu"])
        model.graph.initializer.append(numpy_helper.from_array(np.int64([1, -1]), "shape"))
        model.graph.node.append(helper.make_node("Identity", ["shape"], ["same"], "c"))
        model.graph.node.append(helper.make_node("Reshape", ["t0_dq", "same"], ["y"], "r"))
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 256)))
        nodes = sorted(model.graph.node, key=lambda node: node.name == "r")
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        cutter = cutting.Cutter(model, made_up_values(model) | {"same": np.int64([1, -1])})
        cut = cutter.cut([cutter.ops[-1]])
        self.assertEqual(self.names(cut), ["t0_q", "t0_dq", "c", "r"])

    def test_half_of_a_shape(self) -> None:
        cut = self.cutter.cut([self.cutter.ops[1]])
        half = cutting.halved(cut, "t0", 2)
        assert half is not None
        self.names(half)
        self.assertEqual(half.feeds["t0"].shape, (1, 4, 4, 8))
        self.assertEqual([d.dim_value for d in half.model.graph.output[0].type.tensor_type.shape.dim], [1, 4, 4, 8])
        self.assertIsNone(cutting.halved(cut, "t0", 0))
        both = cutting.halved_together(cut, 8)
        assert both is not None
        self.assertEqual(both.feeds["t0"].shape, (1, 4, 4, 4))

    def test_shapes_that_no_longer_fit(self) -> None:
        model = quantized_chain(["Relu"])
        model.graph.initializer.append(numpy_helper.from_array(np.zeros((1, 4, 8, 8), np.float32), "w"))
        model.graph.node[2].CopyFrom(helper.make_node("Add", ["x_dq", "w"], ["t0"], "n0"))
        cutter = cutting.Cutter(model, made_up_values(model))
        self.assertIsNone(cutting.halved(cutter.cut(cutter.ops), "x", 2))


class Reducing(unittest.TestCase):
    def test_smallest_set(self) -> None:
        for needed in ({3}, {0, 9}, {1, 2, 7}, set(range(10))):
            asked = []

            def fails(items: list[int], needed=needed, asked=asked) -> bool:
                asked.append(items)
                return needed <= set(items)

            self.assertEqual(set(reduction.smallest_set(list(range(10)), fails)), needed)
            self.assertLess(len(asked), 120)

    def test_ops_and_shapes(self) -> None:
        model = quantized_chain(["Relu", "Neg", "Abs", "Sigmoid"])
        cutter = cutting.Cutter(model, made_up_values(model))

        def fails(cut: cutting.Cut) -> bool:  # two ops together, on at least 3 rows
            names = {node.name for node in cut.model.graph.node}
            return {"n1", "n2"} <= names and cut.feeds[next(iter(cut.feeds))].shape[2] >= 3

        cut = reduction.reduce(cutter, fails, lambda _: None)
        assert cut is not None
        self.assertEqual((cut.size, cut.feeds["t0"].shape), (2, (1, 1, 4, 1)))
        self.assertIsNone(reduction.reduce(cutter, lambda _: False, lambda _: None))

    def test_what_has_to_stay_the_same(self) -> None:
        off = {"y": {"off": 0.2, "noise": 0.01}}
        self.assertEqual(reduction.kind_of({"state": "ok", "outputs": off}), "numbers")
        self.assertEqual(reduction.kind_of({"state": "ok", "outputs": {"y": {"off": 0.2, "noise": 0.1}}}), "")
        self.assertEqual(reduction.kind_of({"state": "ok", "outputs": {"y": {"off": 0.04, "noise": 0.0}}}), "")
        self.assertEqual(reduction.kind_of({"state": "finalize_fails", "code": "1002"}), "finalize_fails 1002")
        self.assertEqual(reduction.kind_of({"state": "cpu_fails"}), "")


class Keeping(unittest.TestCase):
    def test_a_line_that_was_cut_is_asked_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, head = Path(folder) / "known.jsonl", {"model": "a"}
            known = Known(path, head)
            known.add("1", {"state": "ok"})
            known.add("2", {"state": "crash"})
            path.write_text(path.read_text()[:-9])
            again = Known(path, head)
            self.assertEqual((again.get("1"), again.get("2")), ({"state": "ok"}, None))
            self.assertEqual(len(Known(path, {"model": "b"})), 0)
            again.forget()
            self.assertFalse(path.exists())

    def test_fingerprints(self) -> None:
        self.assertNotEqual(fingerprint(b"ab", b"c"), fingerprint(b"a", b"bc"))


class Numbers(unittest.TestCase):
    def test_off(self) -> None:
        want = np.array([0.0, 1.0, 2.0, 3.0])
        self.assertEqual(numerics.off(want, want), 0.0)
        self.assertAlmostEqual(numerics.off(want + 1, want), 1 / want.std(), places=4)
        self.assertEqual(numerics.off(want[:2], want), numerics.HUGE)
        self.assertEqual(numerics.off(np.full(4, np.nan), want), numerics.HUGE)
        self.assertEqual(numerics.off(np.array([5.0, 1, 2, 3]), np.array([-np.inf, 1, 2, 3])), 0.0)

    def test_inputs(self) -> None:
        model = quantized_chain(["Relu"])
        value = inputs.values(model, None, 1)["x"]
        self.assertEqual((value.shape, value.dtype), ((1, 4, 8, 8), np.float32))
        self.assertTrue((value >= -ZERO * SCALE).all() and (value <= (255 - ZERO) * SCALE).all())
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/x.npz"
            for wrong, says in (({"y": value}, "no input 'y'"), ({"x": value[:, :2]}, "the model wants float32"),
                                ({"x": value.astype(np.float64)}, "float64")):
                np.savez(file, **wrong)
                with self.assertRaisesRegex(GraphError, says):
                    inputs.values(model, file, 1)
            np.savez(file, x=value)
            self.assertTrue((inputs.values(model, file, 7)["x"] == value).all())
            Path(file).write_text("no")
            with self.assertRaisesRegex(GraphError, "npz"):
                inputs.values(model, file, 1)


class Log(unittest.TestCase):
    TEXT = ("Validation PASSED for 3 nodes in QDQ (Conv) x\n Operator type: DequantizeLinear Node name: d Node index: 0\n"
            " Operator type: Conv Node name: conv Node index: 1\n Operator type: QuantizeLinear Node name: q Node index: 2\n"
            "Validation FAILED for 1 nodes in Single (Foo)\n Operator type: Foo Node name: a b Node index: 3\n")

    def test_units(self) -> None:
        units = parse_units(self.TEXT)
        self.assertEqual({name: unit["verdict"] for name, unit in units.items()}, {"conv": "taken", "a b": "refused"})

    def test_errors(self) -> None:
        self.assertEqual(session_state("Failed to finalize QNN graph. Error code: 1002"), "finalize_fails")
        self.assertEqual(code_of("Failed to finalize QNN graph. Error code: 1002", ""), "1002")
        self.assertEqual(code_of("failed", "Error: 0x3ea\nop validation error 3110"), "0x3ea")
        self.assertEqual((session_state(""), session_state("what")), ("ok", "invalid"))


class Comparing(unittest.TestCase):
    def graph(self, verdicts: dict[str, str], session: dict, made: bool = True, parts: int = 1, cpu: int = 0) -> Graph:
        report = {"target": {"arch": "v73", "sdk": "2.51"}, "findings": [],
                  "nodes": [{"name": name, "op": "Relu", "verdict": verdict} for name, verdict in verdicts.items()],
                  "asRun": {"session": {"made": made}, "partitions": [{}] * parts, "placements": {"cpu": cpu, "refused": 0}}}
        answer = {"state": "ok", "graphs": 1, "refused": [], "accepted": [], "cpu": [], "outputs": None} | session
        strict = {"state": "on_cpu" if answer["refused"] or answer["cpu"] else answer["state"]}
        return Graph("m.onnx", report, {"onnxruntimeQnn": "2.7.0"}, answer, strict)

    def test_the_same(self) -> None:
        graph = self.graph({"a": "accepted", "b": "rejected"}, {"accepted": ["a"], "refused": ["b"]}, cpu=1)
        self.assertTrue(graph.as_predicted)
        self.assertIn("as predicted", graph.text())

    def test_nodes(self) -> None:
        graph = self.graph({"a": "rejected", "b": "accepted"}, {"accepted": ["a"], "refused": ["b"]}, cpu=1)
        self.assertEqual([(d.node, d.provider, d.predicted) for d in graph.differences],
                         [("a", "accepted", "rejected"), ("b", "refused", "accepted")])
        self.assertFalse(graph.as_predicted)

    def test_sessions(self) -> None:
        self.assertFalse(self.graph({}, {"state": "finalize_fails"}).as_predicted)
        self.assertTrue(self.graph({}, {"state": "finalize_fails"}, made=False).as_predicted)
        self.assertFalse(self.graph({}, {}, made=False).as_predicted)
        self.assertFalse(self.graph({}, {"graphs": 2}).as_predicted)

    def test_numbers(self) -> None:
        outputs = {"y": {"off": 0.3, "noise": 0.01}}
        graph = self.graph({"a": "accepted"}, {"accepted": ["a"], "outputs": outputs})
        self.assertFalse(graph.as_predicted)
        graph.first = {"node": "a", "off": 0.3, "noise": 0.01, "findings": []}
        self.assertFalse(graph.as_predicted)
        graph.first["findings"] = ["QG605 (altered)"]
        self.assertTrue(graph.as_predicted)
        self.assertIn("it begins at a (30 %)", graph.text())


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "quantgate", "graph", *arguments], capture_output=True, text=True,
                          timeout=300, check=False)


@unittest.skipUnless(HAS_PROVIDER, "onnxruntime-qnn is not installed")
class Provider(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def saved(self, model: onnx.ModelProto) -> str:
        path = self.folder / "model.onnx"
        onnx.save(model, path)
        return str(path)

    def test_a_model_as_predicted(self) -> None:
        path = self.saved(quantized_chain(["Relu", "Sigmoid"], scales=[SCALE, SCALE, 1 / 256]))
        done = command(path, "--arch", "v73", "--format", "json")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["session"]["state"], answer["session"]["graphs"]), (0, "ok", 1), done)
        schema = Path(__file__).resolve().parents[2] / "docs/schemas/verify_graph.schema.json"
        if importlib.util.find_spec("jsonschema"):
            import jsonschema

            jsonschema.validate(answer, json.loads(schema.read_text()))
        self.assertEqual(set(answer), set(json.loads(schema.read_text())["properties"]))
        again = command(path, "--arch", "v73", "--reduce", "-o", str(self.folder / "small.onnx"))
        self.assertEqual(again.returncode, 0)
        self.assertIn("nothing to reduce", again.stdout)

    def test_the_op_that_computes_something_else(self) -> None:
        """The provider makes a division of Reciprocal, whose constant 1.0 takes the encoding of the input."""
        model = quantized_chain(["Abs", "Sigmoid", "Reciprocal", "Neg"], scales=[0.01, 0.01, 1 / 512, 0.02, 0.04],
                                zeros=[128, 128, 0, 0, 128])
        small = self.folder / "small.onnx"
        done = command(self.saved(model), "--arch", "v73", "--reduce", "-o", str(small), "--format", "json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["numbers"]["first"]["node"], "n2", done)
        self.assertEqual((answer["reduced"]["ops"], answer["reduced"]["nodes"]), (1, ["n2"]))
        onnx.checker.check_model(onnx.load(small), full_check=True)
        self.assertFalse(list(self.folder.glob("*.partial.jsonl")))

    def test_unusable(self) -> None:
        path = self.saved(quantized_chain(["Relu"]))
        broken = self.folder / "broken.onnx"
        broken.write_bytes(b"\x08\x0a\xff")
        for arguments, says in (((str(broken), "--arch", "v73"), "broken.onnx"),
                                ((str(self.folder / "none.onnx"),), "none.onnx"),
                                ((path, "--arch", "v999"), "v999"), ((path, "--reduce"), "-o"),
                                ((path, "--inputs", str(broken)), "npz"), ((path, "--soc", "SM855O"), "SM855O")):
            with self.subTest(arguments=arguments):
                done = command(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
                self.assertIn(says, done.stderr)


class Arguments(unittest.TestCase):
    def test_another_backend_is_refused_before_anything_is_needed(self) -> None:
        run = subprocess.run([sys.executable, "-m", "quantgate", "graph", "--backend=gpu", "m.onnx"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("is asked about htp only, not gpu", run.stderr)


if __name__ == "__main__":
    unittest.main()
