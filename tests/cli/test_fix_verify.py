"""quantgate fix --verify: the model before and after, run by a program in Python."""

from __future__ import annotations

import json
import unittest

from cli_case import CliCase, good
from test_fix import removed_relu


class Verify(CliCase):
    """The Python program is made up here; tests/conformance/fix/test_chains.py runs the real one."""

    def python(self, program: str) -> str:
        path = self.folder / "python"
        path.write_text(f"#!/bin/sh\n{program}\n")
        path.chmod(0o755)
        return str(path)

    def verify(self, program: str, *arguments: str):
        return self.run_cli("fix", self.path("m.onnx", removed_relu()), "-o", "out.onnx", "--verify",
                            "--python", self.python(program), *arguments)

    def test_what_is_not_worse_is_written(self) -> None:
        result = self.verify("cat > asked; echo '{\"difference\": 0.004, \"noise\": 0.0001}'")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("its outputs move by 0.40 %, and by 0.01 % when the inputs move by half a step", result.stdout)
        asked = json.loads((self.folder / "asked").read_text())
        self.assertEqual(asked["inputs"]["x"]["shape"], [2, 8])
        self.assertAlmostEqual(asked["inputs"]["x"]["low"], -6, 5)
        self.assertAlmostEqual(asked["inputs"]["x"]["high"], 6.75, 5)
        result = self.verify("echo '{\"difference\": 0.25, \"noise\": 0.1}'", "--format", "json")
        self.assertEqual(json.loads(result.stdout)["verified"], {"difference": 0.25, "noise": 0.1})

    def test_what_is_worse_is_not_written(self) -> None:
        result = self.verify("echo '{\"difference\": 0.31, \"noise\": 0.1}'")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the fixed model is worse, nothing is written: on the CPU its outputs move by 31.00 %", result.stderr)
        result = self.verify("echo '{\"after\": \"broken\"}'")
        self.assertEqual(result.returncode, 1)
        self.assertIn("does not run on the CPU any more: broken", result.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.onnx", "python"])

    def test_a_model_that_did_not_run_is_not_compared(self) -> None:
        result = self.verify("echo '{\"before\": \"no kernel\"}'")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not compared: the model as it was does not run on the CPU: no kernel", result.stdout)
        self.assertTrue((self.folder / "out.onnx").exists())

    def test_what_can_not_be_run_is_one_clear_line(self) -> None:
        path = self.path("m.onnx", removed_relu())
        command = ("fix", path, "-o", "out.onnx", "--verify", "--python")
        self.unusable(*command, "no/such/python", says="needs a Python with onnxruntime")
        self.unusable(*command, self.python("echo 'No module named onnxruntime' >&2; exit 1"),
                      says="No module named onnxruntime")
        self.unusable(*command, self.python("echo nonsense"), says="says nonsense")
        self.unusable(*command, self.python("exec sleep 60"), "--verify-timeout", "1", says="stopped after 1 s")
        self.unusable("fix", path, "--verify", says="needs a MODEL and an -o that are files")
        self.unusable("fix", self.path("m.json", good()), "-o", "out.json", "--verify",
                      says="only ONNX models can be run")
        self.assertFalse((self.folder / "out.onnx").exists())


if __name__ == "__main__":
    unittest.main()
