"""The guides of PyTorch and ExecuTorch run; skipped where those aren't installed."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
import types
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A block, and what it prints if a text block follows it.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def has(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) for package in packages)


class Guides(unittest.TestCase):
    maxDiff = None

    def run_guide(self, name: str) -> None:
        path = ROOT / "docs/guide" / name
        text = path.read_text()
        guide = sys.modules["guide"] = types.ModuleType("guide")  # an export looks it up
        scope = guide.__dict__
        for block in BLOCK.finditer(text):
            code, shown = block.groups()
            line = text.count("\n", 0, block.start()) + 2
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile("\n" * (line - 1) + code, str(path), "exec"), scope)
            if shown is not None:
                self.assertEqual(printed.getvalue(), shown, f"{name}:{line}")

    @unittest.skipUnless(has("torch", "torchao"), "torch or torchao isn't installed")
    def test_pytorch_md(self) -> None:
        self.run_guide("pytorch.md")

    @unittest.skipUnless(has("torch", "torchao", "executorch"), "executorch isn't installed")
    def test_executorch_md(self) -> None:
        self.run_guide("executorch.md")


if __name__ == "__main__":
    unittest.main()
