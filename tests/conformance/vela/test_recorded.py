"""What Vela said about models of one operator (recorded.json, by `tools/dev/qgdev record vela`), and what quantgate says.

Held to a floor for each version and chip: it rises with the database, and is never lowered to pass.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite import converted, limits, networks  # noqa: E402
from tools.dev.tflite.agree_vela import LETTERS, PLACES, agreement, compare, verdicts  # noqa: E402

CLI = os.environ["QUANTGATE_CLI"]
RECORD = json.loads(Path(__file__).with_name("recorded.json").read_text())
FLOORS = {"4.2 u55": 99.5, "4.2 u65": 99.5, "4.2 u85": 99.1, "5.0 u55": 99.4, "5.0 u65": 99.4, "5.0 u85": 99.6,
          "5.2 u55": 99.4, "5.2 u65": 99.4, "5.2 u85": 99.6}


class Recorded(unittest.TestCase):
    def test_agreement(self) -> None:
        rows = compare(RECORD, CLI)
        self.assertEqual({target for target, _, _ in rows}, set(FLOORS))
        for target, counts, differ in rows:
            with self.subTest(target=target):
                self.assertEqual(sum(counts.values()), RECORD["count"])
                self.assertGreaterEqual(agreement(counts), FLOORS[target], differ.most_common(5))
                self.assertLess(counts["unknown"], RECORD["count"] / 100)

    def test_two_chips_are_one(self) -> None:
        """U55 and U65 have one list of limits."""
        for sdk in ("4.2", "5.0", "5.2"):
            places = RECORD["places"]
            pairs = list(zip(places[f"{sdk} u55"], places[f"{sdk} u65"]))
            self.assertGreater(sum(a == b for a, b in pairs), 0.99 * len(pairs))


class Networks(unittest.TestCase):
    def test_every_node_has_its_place(self) -> None:
        record = json.loads(Path(__file__).with_name("networks.json").read_text())
        found = networks.compare(record, CLI)
        self.assertEqual(set(found), set(FLOORS))
        for target, (same, total, differ) in found.items():
            with self.subTest(target=target):
                self.assertGreater(total, 300)
                self.assertGreaterEqual(100 * same / total, 100, differ)

    def test_every_node_of_a_converter_has_its_place(self) -> None:
        record = converted.read(Path(__file__).with_name("converted.json.gz"))
        self.assertEqual(len(record["networks"]), 21)
        found = networks.compare(record["places"], CLI, record["networks"])
        self.assertEqual(set(found), set(FLOORS))
        for target, (same, total, differ) in found.items():
            with self.subTest(target=target):
                self.assertGreater(total, 1500)
                self.assertEqual(same, total, differ)


class Limits(unittest.TestCase):
    """Biases of 64 bits and sums of weights, which drawn models do not reach (tools/dev/tflite/limits.py)."""

    def test_each_is_where_vela_puts_it(self) -> None:
        answers = json.loads(Path(__file__).with_name("limits.json").read_text())
        models = limits.models()
        self.assertEqual(set(answers), set(models))
        for model in models.values():
            for tensor in model["tensors"]:
                if tensor.get("isStatic") and len(tensor["values"]) != math.prod(tensor["dims"]):
                    del tensor["values"]  # one for all: weights, which no reader keeps
        said = {target: dict(zip(models, verdicts(CLI, list(models.values()), *target.split()))) for target in FLOORS}
        for name, text in answers.items():
            words = text.split()
            for sdk, arch, letter in zip(words[::3], words[1::3], words[2::3]):
                with self.subTest(name, sdk=sdk, arch=arch):
                    verdict = said[f"{sdk} {arch}"][name]
                    if self.sum_decides(name, sdk, arch):
                        self.assertIn(verdict, ("advice", "prepare_fails"))
                    else:
                        self.assertEqual(PLACES[verdict], LETTERS[letter])

    @staticmethod
    def sum_decides(name: str, sdk: str, arch: str) -> bool:
        """More than 65,536 weights a channel: whether it stays on the NPU is in the weights, which are not read."""
        op, count = name.split()[:2]
        if "bias" in name or int(count) <= 65536:
            return False
        return (sdk, arch) != ("4.2", "u85") if op == "CONV_2D" else sdk != "4.2"


class Verdicts(unittest.TestCase):
    def check(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([CLI, "check", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)

    def test_places_of_a_network(self) -> None:
        done = self.check("docs/examples/keywords.tflite", "--backend", "ethosu", "--as-run", "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(report["route"], "vela")
        self.assertEqual([node["placement"] for node in report["asRun"]["nodes"]].count("cpu"), 2)
        self.assertEqual([node["name"] for node in report["nodes"] if node["verdict"] == "rejected"],
                         ["DEPTHWISE_CONV_2D_3", "MAXIMUM_5"])

    def test_an_operator_without_a_page_is_left_to_the_cpu(self) -> None:
        model = {"dialect": "tflite", "tensors": [{"name": "x", "dtype": "FLOAT_32", "dims": [4]},
                                                  {"name": "y", "dtype": "FLOAT_32", "dims": [4]}],
                 "nodes": [{"op": "CUSTOM:mine", "inputs": ["x"], "outputs": ["y"]}]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.json"
            path.write_text(json.dumps(model))
            report = json.loads(self.check(str(path), "--backend", "ethosu", "--format", "json").stdout)
        self.assertEqual(report["nodes"][0]["verdict"], "rejected")
        self.assertIn("leaves it to the CPU", report["findings"][0]["message"])

    def verdict_of(self, op: str, dims: list[int], out: list[int], constants: list[list[int]]) -> tuple[str, list[str]]:
        encoding = {"perTensor": {"scale": 0.1, "zeroPoint": 0}}
        tensors = [{"name": "x", "dtype": "SFIXED_POINT_8", "dims": dims, "encoding": encoding},
                   {"name": "y", "dtype": "SFIXED_POINT_8", "dims": out, "encoding": encoding}]
        tensors += [{"name": f"c{i}", "dtype": "INT_32", "dims": [len(values)], "isStatic": True, "values": values}
                    for i, values in enumerate(constants)]
        model = {"dialect": "tflite", "tensors": tensors,
                 "nodes": [{"op": op, "inputs": ["x", *(f"c{i}" for i in range(len(constants)))], "outputs": ["y"]}]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.json"
            path.write_text(json.dumps(model))
            report = json.loads(self.check(str(path), "--backend", "ethosu", "--format", "json").stdout)
        return report["nodes"][0]["verdict"], [finding["constraint"] for finding in report["findings"]]

    def test_one_value_of_a_constant(self) -> None:
        """Height and width may be strided, channels not."""
        begin, end = [0, 0, 0, 0], [1, 8, 8, 16]
        self.assertEqual(self.verdict_of("STRIDED_SLICE", [1, 8, 8, 16], [1, 4, 8, 16], [begin, end, [1, 2, 1, 1]]),
                         ("accepted", []))
        self.assertEqual(self.verdict_of("STRIDED_SLICE", [1, 8, 8, 16], [1, 8, 8, 8], [begin, end, [1, 1, 1, 2]]),
                         ("rejected", ["ethosu/STRIDED_SLICE/in[3]/depth-stride"]))

    def test_only_the_batch_may_be_open(self) -> None:
        self.assertEqual(self.verdict_of("TRANSPOSE", [-1, 8, 4, 16], [-1, 4, 8, 16], [[0, 2, 1, 3]]), ("accepted", []))
        self.assertEqual(self.verdict_of("TRANSPOSE", [-1, 8, 4, 16], [8, -1, 4, 16], [[1, 0, 2, 3]]),
                         ("rejected", ["ethosu/TRANSPOSE/out[0]/dynamic"]))

    def test_models_in_other_words_are_no_input(self) -> None:
        done = self.check("docs/examples/planted.onnx", "--backend", "ethosu")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: docs/examples/planted.onnx: backend ethosu takes models of the dialect "
                                      "tflite, not onnx\n")


if __name__ == "__main__":
    unittest.main()
