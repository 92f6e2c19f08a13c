"""What LiteRT's default kernels did with models of one operator (recorded.json, by `tools/dev/qgdev record litert`), and
what quantgate says. Floors rise with the database and are never lowered to pass."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite.agree_litert import compare, share  # noqa: E402

CLI = os.environ["QUANTGATE_CLI"]
RECORD = json.loads(Path(__file__).with_name("recorded.json").read_text())


class Recorded(unittest.TestCase):
    def test_agreement(self) -> None:
        counts, differ = compare(RECORD, CLI)
        self.assertGreater(sum(counts.values()), 500)
        self.assertGreaterEqual(share(counts, "r", "r"), 99, differ)
        self.assertGreaterEqual(share(counts, "w", "w"), 93, differ)
        self.assertLessEqual(share(counts, "k", "rfw"), 1, differ)
        self.assertEqual(share(counts, "k", "?"), 0)


class Verdicts(unittest.TestCase):
    def test_the_example_runs_as_written(self) -> None:
        """But for a maximum of unequal encodings, whose stored values are compared."""
        done = subprocess.run([CLI, "check", "docs/examples/keywords.tflite", "--backend", "tflite", "--format", "json"], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        report = json.loads(done.stdout)
        found = {node["name"]: node["verdict"] for node in report["nodes"] if node["verdict"] != "accepted"}
        self.assertEqual(found, {"MAXIMUM_5": "wrong_values"})
        self.assertEqual(report["route"], "litert")


if __name__ == "__main__":
    unittest.main()
