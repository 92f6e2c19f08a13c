"""The guides run: the python blocks of each page, in order, print what the page shows."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "docs"))
import blocks  # noqa: E402

# Blocks that import one of these run where it is installed.
OPTIONAL = ("numpy", "onnx", "onnxruntime", "pandas")
# Run by test_torch_docs.py.
TORCH = ("executorch.md", "pytorch.md")
# Run by test_plan_docs.py.
PLANS = ("plan_aimet.md", "plan_executorch.md", "plan_onnxruntime.md")


def missing(code: str) -> list[str]:
    return [name for name in OPTIONAL if re.search(rf"^\s*(import|from) {name}\b", code, re.M)
            and importlib.util.find_spec(name) is None]


class Guide(unittest.TestCase):
    maxDiff = None

    def run_page(self, page: Path) -> int:
        found = [block for block in blocks.read(page)
                 if block.language == "python" and "not run" not in block.said]
        scope: dict = {}
        with tempfile.TemporaryDirectory() as folder:
            # The guide runs in a clone and writes nothing but there.
            (Path(folder) / "docs").symlink_to(ROOT / "docs")
            with contextlib.chdir(folder):
                for block in found:
                    with self.subTest(block.place):
                        if absent := missing(block.code):
                            self.skipTest(f"not installed: {', '.join(absent)}")
                        printed = io.StringIO()
                        with contextlib.redirect_stdout(printed):
                            exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"),
                                 scope)
                        if block.printed is not None:
                            self.assertTrue(blocks.is_as_shown(printed.getvalue(), block.printed),
                                            printed.getvalue())
        return len(found)

    def test_pages(self) -> None:
        ran = {page.name: self.run_page(page) for page in blocks.pages() if page.name not in TORCH + PLANS}
        self.assertGreater(ran["python.md"], 6)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    unittest.main()
