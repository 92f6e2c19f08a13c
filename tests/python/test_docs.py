"""The guides run: each python block of docs/python.md, in order, prints what the page shows."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A block, and what it prints if a text block follows it.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
# Blocks that import one of these run where it is installed.
OPTIONAL = ("numpy", "onnx", "onnxruntime", "pandas")


def missing(code: str) -> list[str]:
    return [name for name in OPTIONAL if re.search(rf"^\s*(import|from) {name}\b", code, re.M)
            and importlib.util.find_spec(name) is None]


class Guide(unittest.TestCase):
    maxDiff = None

    def test_python_md(self) -> None:
        text = (ROOT / "docs" / "python.md").read_text()
        blocks = list(BLOCK.finditer(text))
        self.assertGreater(len(blocks), 6)
        scope: dict = {}
        with tempfile.TemporaryDirectory() as folder:
            # The guide runs in a clone and writes nothing but there.
            (Path(folder) / "docs").symlink_to(ROOT / "docs")
            with contextlib.chdir(folder):
                for block in blocks:
                    code, shown = block.groups()
                    line = text.count("\n", 0, block.start()) + 2
                    with self.subTest(line=line):
                        if absent := missing(code):
                            self.skipTest(f"not installed: {', '.join(absent)}")
                        printed = io.StringIO()
                        with contextlib.redirect_stdout(printed):
                            exec(compile("\n" * (line - 1) + code, "docs/python.md", "exec"),
                                 scope)
                        if shown is not None:
                            self.assertEqual(printed.getvalue(), shown)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    unittest.main()
