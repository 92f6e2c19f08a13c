"""Random chains of ops that move values, quantized at random: `quantgate fix` changes no output.

Each model runs on the CPU before and after, on inputs that reach the ends of every range. What was
cut stays cut, a removed Relu above all; what is rounded otherwise moves by less than two steps.
`fix --verify` says the same of them, and refuses a model that was made worse.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[3]
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "quantgate" / "python")]

from reference import before_after  # noqa: E402

SHAPE = (1, 8, 4, 4)
MODELS = 150
LOW, HIGH = -6.0, 6.0


class Chain:
    """x -> Q/DQ -> op -> Q/DQ -> op ... -> Q/DQ"""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.scales: list[float] = []
        self.dtype = np.uint8 if rng.random() < 0.6 else np.uint16
        at, shape = self.quantized("x", self.encoding(None)), SHAPE
        for _ in range(rng.integers(1, 5)):
            at, shape = self.op(at, shape)
        self.output, self.shape = at, shape

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def encoding(self, before: tuple[float, int] | None) -> tuple[float, int]:
        steps = np.iinfo(self.dtype).max
        kind = self.rng.integers(0, 5)
        if before is not None and kind == 0:
            return before
        if before is not None and kind == 1:  # calibrated a little otherwise
            return before[0] * float(self.rng.uniform(1, 1.3)), before[1]
        scale = float(self.rng.uniform(1, 12)) / steps
        zero = 0 if kind == 2 else int(self.rng.integers(0, steps + 1))
        return scale, steps // 2 if kind == 3 else zero

    def quantized(self, tensor: str, encoding: tuple[float, int]) -> str:
        self.last = encoding
        self.scales.append(encoding[0])
        scale = self.constant(f"{tensor}_s", np.float32(encoding[0]))
        zero = self.constant(f"{tensor}_z", self.dtype(encoding[1]))
        self.nodes.append(helper.make_node("QuantizeLinear", [tensor, scale, zero], [f"{tensor}_q"]))
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{tensor}_q", scale, zero], [f"{tensor}_dq"]))
        return f"{tensor}_dq"

    def op(self, at: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        name = f"t{len(self.nodes)}"
        kind = self.rng.choice(["Reshape", "Transpose", "MaxPool", "Concat", "Slice", "Softmax", "Sigmoid"])
        inputs, attributes = [at], {}
        if kind == "Reshape":
            shape = (shape[0], shape[1], shape[3], shape[2])
            inputs.append(self.constant(f"{name}_shape", np.array(shape, np.int64)))
        elif kind == "Transpose":
            attributes["perm"] = [0, 1, 3, 2]
            shape = (shape[0], shape[1], shape[3], shape[2])
        elif kind == "MaxPool":
            attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
        elif kind == "Concat":
            inputs, attributes = [at, at], {"axis": 1}
            shape = (shape[0], 2 * shape[1], *shape[2:])
        elif kind == "Slice":
            inputs += [self.constant(f"{name}_{k}", np.array([v], np.int64))
                       for k, v in (("begin", 0), ("end", shape[1] // 2 or 1), ("axis", 1))]
            shape = (shape[0], shape[1] // 2 or 1, *shape[2:])
        elif kind == "Softmax":
            attributes = {"axis": -1}
        self.nodes.append(helper.make_node(kind, inputs, [name], f"{name}_{kind}", **attributes))
        return self.quantized(name, self.encoding(self.last)), shape

    def save(self, path: Path) -> None:
        info = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "chain", [info("x", TensorProto.FLOAT, SHAPE)],
                                  [info(self.output, TensorProto.FLOAT, self.shape)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def run(path: Path, values: np.ndarray) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": values})[0]


def fix(path: Path, out: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([CLI, "fix", str(path), "-o", str(out), "--format", "json", *arguments],
                          capture_output=True, text=True, check=False)


class ChainsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def values(self, rng: np.random.Generator) -> np.ndarray:
        values = rng.uniform(LOW, HIGH, SHAPE)
        # Whole images at one end: then a maximum lies there too.
        values[0, ::2] = rng.choice([LOW, HIGH])
        return values.astype(np.float32)

    def test_what_fix_does_moves_no_output(self) -> None:
        rng = np.random.default_rng(5)
        edited = inserted = 0
        for index in range(MODELS):
            chain = Chain(rng)
            path, out = self.folder / f"{index}.onnx", self.folder / f"{index}.fixed.onnx"
            chain.save(path)
            process = fix(path, out, "--arch", "v73")
            self.assertIn(process.returncode, (0, 1), process.stderr)
            edits = json.loads(process.stdout)["edits"]
            edited += any(e["op"] == "set" for e in edits)
            inserted += any(e["op"] == "insert" for e in edits)
            if not edits:
                continue
            for _ in range(4):
                values = self.values(rng)
                moved = np.abs(run(path, values) - run(out, values)).max()
                self.assertLessEqual(moved, 2 * max(chain.scales), f"{index}: {edits}")
        # Both kinds of edits were made, often.
        self.assertGreater(edited, MODELS / 10)
        self.assertGreater(inserted, MODELS / 10)

    def removed_relu(self, name: str, second: tuple[float, int]) -> Path:
        chain = Chain.__new__(Chain)
        chain.rng, chain.dtype = np.random.default_rng(0), np.uint8
        chain.nodes, chain.constants, chain.scales = [], [], []
        x = chain.quantized("x", (0.05, 120))
        shape = chain.constant("shape", np.array([1, 16, 8], np.int64))
        chain.nodes.append(helper.make_node("Reshape", [x, shape], ["r"], "reshape"))
        chain.output, chain.shape = chain.quantized("r", second), (1, 16, 8)
        path = self.folder / name
        chain.save(path)
        return path

    def test_a_removed_relu_stays(self) -> None:
        path, out = self.removed_relu("relu.onnx", (0.03, 0)), self.folder / "fixed.onnx"
        process = fix(path, out, "--arch", "v73", "--verify", "--python", sys.executable)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        said = json.loads(process.stdout)
        self.assertEqual([f["code"] for f in said["mended"]], ["QG602"])
        self.assertEqual(said["verified"]["difference"], 0)
        self.assertGreater(said["verified"]["noise"], 0)
        values = np.full(SHAPE, -3, np.float32)
        self.assertEqual(np.abs(run(out, values)).max(), 0)

    def test_verify_sees_a_relu_that_was_lost(self) -> None:
        was, now = self.removed_relu("was.onnx", (0.03, 0)), self.removed_relu("now.onnx", (0.05, 120))
        task = {"before": str(was), "after": str(now), "seed": 1,
                "inputs": {"x": {"dtype": "float32", "shape": SHAPE, "low": -6, "high": 6.75}}}
        said = before_after.compare(task)
        self.assertGreater(said["difference"], 0.5)
        self.assertLess(said["noise"], 0.05)
        same = before_after.compare(task | {"after": str(was)})
        self.assertEqual(same["difference"], 0)
        self.assertIn("before", before_after.compare(task | {"before": str(self.folder / "none.onnx")}))
        self.assertIn("after", before_after.compare(task | {"after": str(self.folder / "none.onnx")}))


if __name__ == "__main__":
    unittest.main()
