"""Recipes of docs/extending hold: what the page says is done in a copy of the sources, built, and prints what is promised.

Pages whose recipe needs no build (an op, a row, a source operator, a log message, a backend, an SDK version) are run by
test_docs.py, block by block; here are those that compile. `--update` writes what is printed now into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import blocks  # noqa: E402
import scratch_build  # noqa: E402
import test_docs  # noqa: E402
from blocks import ROOT, Block  # noqa: E402

EXTENDING = ROOT / "docs" / "extending"
# What the first paragraph of CONTRIBUTING's list promises: the recipe, and a page.
RECIPES = {"an op": "op.md", "a dtype row": "dtype_row.md", "a source operator": "source_operator.md", "a log message": "log_message.md",
           "a rule": "rule.md", "a backend": "backend.md", "an SDK version": "sdk_version.md"}  # fmt: skip
UPDATE = False
# The tool that was built has the database of the build folder: the rule's own document is laid over it.
WRAPPER = """#!/bin/sh
case $1 in check) exec "{program}" "$@" --opdefs "{overlay}" ;; esac
exec "{program}" "$@"
"""


def said(block: Block) -> tuple[str, str]:
    """What a recipe comment says: `file NAME` or `run`."""
    verb, _, name = block.said["recipe"].partition(" ")
    return verb, name


class Rule(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "sources"
        self.folder.mkdir()
        scratch_build.copy(self.folder)
        self.page = EXTENDING / "rule.md"
        self.blocks = [block for block in blocks.read(self.page) if "recipe" in block.said]

    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}

    def prepare(self) -> list[Block]:
        """Writes the files and runs the commands up to the first that uses the tool; the blocks that are left."""
        for number, block in enumerate(self.blocks):
            verb, name = said(block)
            if verb == "file":
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.code)
            elif block.code.startswith("quantgate "):
                return self.blocks[number:]
            else:
                done = test_docs.shell(block.code, self.folder, self.environment())
                self.assertEqual(done.returncode, 0, f"{block.place}: {done.stdout}")
        return []

    def test_it_is_built_and_reports_what_the_page_shows(self) -> None:
        left = self.prepare()
        self.assertEqual(len(left), 2)
        (self.folder / "bin").mkdir()
        program, overlay, wrapper = self.folder / "bin" / "built", self.folder / "overlay", self.folder / "bin" / "quantgate"
        try:
            compiled = scratch_build.build(self.folder, program)
        except scratch_build.CannotBuild as reason:
            self.skipTest(str(reason))
        self.assertIn("core/rules/graph/repeated_relu.cc", compiled)
        self.assertLess(len(compiled), 60, "only what the change touches")
        (overlay / "rules").mkdir(parents=True)
        (overlay / "rules" / "repeated-relu.yaml").symlink_to(self.folder / "opdefs/rules/repeated-relu.yaml")
        wrapper.write_text(WRAPPER.format(program=program, overlay=overlay))
        wrapper.chmod(0o755)
        for block in left:
            done = test_docs.shell(block.code, self.folder, self.environment())
            self.assertLess(done.returncode, 2, f"{block.place}: {done.stdout}")
            if UPDATE:
                block.printed = done.stdout
            elif not blocks.is_as_shown(done.stdout, block.printed or ""):
                self.assertEqual(done.stdout, block.printed, f"{block.place}: `tests/docs/test_recipes.py --update` writes it anew")
        if UPDATE:
            test_docs.update(self.page, left)
            return
        self.assertIn("QG631", left[0].printed or "")
        self.assertNotIn("QG631", left[1].printed or "")
        explained = subprocess.run([program, "explain", "repeated-relu"], capture_output=True, text=True)
        self.assertEqual(explained.returncode, 0)
        self.assertIn("The second one costs time and memory", explained.stdout)
        elsewhere = subprocess.run([program, "explain", "unknown-encoding-name"], capture_output=True, text=True)
        self.assertIn("QG701", elsewhere.stdout, "rules after the new one are still themselves")

    def test_a_line_without_a_file_does_not_link(self) -> None:
        """The page's own claim turned around: both are needed."""
        self.prepare()
        (self.folder / "core/rules/graph/repeated_relu.cc").unlink()
        rules = (self.folder / scratch_build.RULES).read_text()
        self.assertRegex(rules, r'"QG630", "[a-z-]+"\)\nRULE\(kRepeatedRelu, "QG631", "repeated-relu"\)\n')
        self.assertNotIn("core/rules/graph/repeated_relu.cc", scratch_build.touched(self.folder))

    def test_the_code_is_free(self) -> None:
        """When a rule gets the code of the page, the page needs the next."""
        self.assertNotIn('"QG631"', (ROOT / scratch_build.RULES).read_text())


class Led(unittest.TestCase):
    def test_contributing_leads_to_every_recipe(self) -> None:
        text = (ROOT / "CONTRIBUTING.md").read_text()
        for what, page in RECIPES.items():
            self.assertRegex(text, rf"\[{what}\]\(docs/extending/{re.escape(page)}\)", what)

    def test_every_recipe_is_run(self) -> None:
        """A page of a recipe has blocks that are run and whose output is compared."""
        for page in RECIPES.values():
            found = blocks.read(EXTENDING / page)
            ran = [block for block in found if block.language == "sh" and "not run" not in block.said]
            self.assertTrue(ran, page)
            self.assertTrue([block for block in ran if block.printed], page)

    def test_files_that_a_recipe_names_exist(self) -> None:
        for page in RECIPES.values():
            for name in re.findall(r"`((?:core|opdefs|tests|tools)/[\w./-]+)`", (EXTENDING / page).read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page}: {name}")


if __name__ == "__main__":
    if "--update" in sys.argv:
        sys.argv.remove("--update")
        UPDATE = True
    unittest.main()
