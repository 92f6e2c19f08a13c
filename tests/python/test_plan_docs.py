"""The guides about plans run; each is skipped where its packages aren't installed."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import test_torch_docs  # noqa: E402  (of this folder)


class PlanGuides(unittest.TestCase):
    maxDiff = None
    run_guide = test_torch_docs.Guides.run_guide

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    @unittest.skipUnless(test_torch_docs.has("onnx", "onnxruntime", "onnxruntime_qnn"),
                         "onnxruntime-qnn isn't installed")
    def test_onnxruntime(self) -> None:
        self.run_guide("plan_onnxruntime.md")

    @unittest.skipUnless(test_torch_docs.has("torch", "torchao"), "torch or torchao isn't installed")
    def test_executorch(self) -> None:
        self.run_guide("plan_executorch.md")

    @unittest.skipUnless(test_torch_docs.has("aimet_onnx"), "aimet-onnx isn't installed")
    def test_aimet(self) -> None:
        logging.disable(logging.WARNING)  # AIMET tells what it does on standard output
        self.addCleanup(logging.disable, logging.NOTSET)
        self.run_guide("plan_aimet.md")


if __name__ == "__main__":
    unittest.main()
