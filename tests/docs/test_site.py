"""What tools/dev/site makes of the pages: links turned to the site, codes of rules linked, files shown."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tools.dev.reference.database import Database  # noqa: E402
from tools.dev.site import stage  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls._folder.name)
        cls.stage = stage.Stage(Database(CLI), cls.folder)
        cls.written = cls.stage.run()

    @classmethod
    def tearDownClass(cls) -> None:
        cls._folder.cleanup()

    def turned(self, text: str, source: str = "docs/concepts/x.md", place: str = "concepts/x.md") -> str:
        return self.stage._turned(text, source, place)

    def test_links(self) -> None:
        for link, there in {
                "../guide/ci.md#shell": "../guide/ci.md#shell", "#here": "#here", "https://a.b/c": "https://a.b/c",
                "../../opdefs/DOCUMENTS.md#routes": "../extending/database_documents.md#routes",
                "../../README.md": "../index.md", "../images/matrix.png": "../images/matrix.png",
                "../../CHANGELOG.md": "../changelog.md",
                "../schemas/report.schema.json": "../reference/schemas/report.schema.md",
                "../../opdefs/htp/Conv2d.yaml": "../reference/htp/Conv2d.md",
                "../../opdefs/lpai": "../reference/lpai/index.md",
                "../../core/rules": "../reference/rules/index.md",
                "../../core/rules/constraint/rank.cc": "../source/core/rules/constraint/rank.cc.md",
                "none.md": "none.md"}.items():
            self.assertEqual(self.turned(f"[a]({link}) `[a]({link})`"), f"[a]({there}) `[a]({link})`")

    def test_codes_of_rules(self) -> None:
        page = "../reference/rules/quant-axis.md"
        self.assertEqual(
            self.turned("# QG303\nQG303, `QG303`, [QG303 here](y.md), QG999\n```text\nQG303\n```\n"),
            f"# QG303\n[QG303]({page}), `QG303`, [QG303 here](y.md), QG999\n```text\nQG303\n```\n")

    def test_linked_files_are_shown(self) -> None:
        shown = {name for name in self.written if name.startswith("source/")}
        self.assertIn("source/core/rules/constraint/quant_axis.cc.md", shown)
        for name in shown:
            self.assertIn((ROOT / name.removeprefix("source/").removesuffix(".md")).read_text(
                encoding="utf-8").rstrip(), (self.folder / name).read_text(encoding="utf-8"))

    def test_every_page_of_docs_is_there(self) -> None:
        for path in (ROOT / "docs").rglob("*.md"):
            name = path.relative_to(ROOT).as_posix()
            place = stage.ELSEWHERE.get(name, name.removeprefix("docs/"))
            if name not in stage.NOT_STAGED:
                self.assertIn(place, self.written)

    def test_nothing_is_loaded_from_elsewhere(self) -> None:
        config = (ROOT / "tools" / "dev" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
        self.assertIn("font: false", config)
        for path in [*(ROOT / "tools" / "dev" / "site" / "assets").iterdir(), ROOT / "tools" / "dev" / "site" / "mkdocs.yml"]:
            self.assertEqual(re.findall(r"https?://(?!www\.w3\.org/)\S+", path.read_text(encoding="utf-8")), [])

    def test_pages_that_are_gone_do_not_stay(self) -> None:
        old = self.folder / "old" / "page.md"
        old.parent.mkdir()
        old.write_text("old")
        stage.remove_others(self.folder, self.written)
        self.assertFalse(old.exists())
        self.assertTrue((self.folder / "index.md").exists())


if __name__ == "__main__":
    unittest.main()
