"""The reference pages: there is one for each op, their links lead somewhere, and the committed
coverage table is that of the database."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.shared import opdefs_json  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tools.dev.reference", "--cli", CLI, *arguments],
                          cwd=ROOT, capture_output=True, text=True, timeout=240)


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls._folder.name)
        (cls.folder / "htp").mkdir()
        (cls.folder / "htp" / "OpThatIsGone.md").write_text("old")
        done = generate("-o", str(cls.folder))
        assert done.returncode == 0, done.stderr
        cls.pages = {p.relative_to(cls.folder).as_posix(): p.read_text(encoding="utf-8")
                     for p in cls.folder.glob("**/*.md")}

    @classmethod
    def tearDownClass(cls) -> None:
        cls._folder.cleanup()

    def test_a_page_per_op_and_backend(self) -> None:
        wanted = {"index.md", "sources.md", "coverage.md", "command_line.md", "rules/index.md",
                  "schemas/index.md"}
        wanted |= {f"schemas/{path.stem}.md" for path in (ROOT / "docs/schemas").glob("*.schema.json")}
        rules = json.loads(subprocess.run([CLI, "explain", "--all", "--format", "json"], check=True,
                                          capture_output=True).stdout)["rules"]
        wanted |= {f"rules/{rule['slug']}.md" for rule in rules}
        for backend in opdefs_json.load()["backends"]:
            wanted |= {f"{backend['name']}/{page}.md" for page in ["index", *(op["name"] for op in backend["ops"])]}
        self.assertEqual(set(self.pages), wanted)

    def test_links_lead_to_pages_and_headings(self) -> None:
        followed = 0
        for name, text in self.pages.items():
            for target in re.findall(r"(?<!\\)\]\(([^)]+)\)", text):
                self.assertNotIn(":", target, name)
                file, _, anchor = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(name), file)) if file else name
                if there.endswith(".json"):
                    self.assertTrue((self.folder / there).is_file(), f"{name}: {target}")
                    continue
                self.assertIn(there, self.pages, f"{name}: {target}")
                if anchor:
                    titles = [re.sub(r"[^\w\- ]", "", title.lower())
                              for title in re.findall(r"^#+ (.*)$", self.pages[there], re.M)]
                    self.assertIn(anchor, titles, f"{name}: {target}")
                followed += 1
        self.assertGreater(followed, len(self.pages))

    def test_every_page_is_reached_from_the_index(self) -> None:
        reached, todo = set(), ["index.md"]
        while todo:
            name = todo.pop()
            if name in reached:
                continue
            reached.add(name)
            for target in re.findall(r"(?<!\\)\]\(([^)#]+\.md)[^)]*\)", self.pages[name]):
                todo.append(os.path.normpath(os.path.join(os.path.dirname(name), target)))
        self.assertEqual(reached, set(self.pages))

    def test_every_constraint_and_row_is_on_its_page(self) -> None:
        seen = 0
        for backend in ("htp", "lpai"):
            ops = json.loads(subprocess.run(
                [CLI, "query", "--backend", backend, "--every-sdk", "--format", "json"],
                check=True, capture_output=True).stdout)["ops"]
            for op in ops:
                page = self.pages[f"{backend}/{op['op']}.md"]
                for constraint in op["constraints"]:
                    self.assertIn(f"| `{constraint['id'].split('/', 2)[2]}` |", page)
                for variant in op["variants"]:
                    self.assertIn(f"| `{variant['id'].split('#')[1]}` |", page)
                seen += len(op["constraints"]) + len(op["variants"])
        self.assertGreater(seen, 3000)

    def test_a_rule_with_its_example_and_evidence(self) -> None:
        page = self.pages["rules/quant-axis.md"]
        for part in ("# QG303 quant-axis\n", "## What it checks\n", "## Fix\n", "## Example\n",
                     "error[QG303] quant-axis: ", "<summary>The bad model</summary>",
                     "<summary>The good model</summary>", "## Evidence\n", "](../htp/Conv2d.md)"):
            self.assertIn(part, page)
        self.assertIn("[QG303](../rules/quant-axis.md)", self.pages["htp/Conv2d.md"])

    def test_verbs_and_formats(self) -> None:
        for verb in ("check", "query", "explain", "verify"):
            self.assertIn(f"\n## {verb}\n\n```text\n", self.pages["command_line.md"])
        self.assertIn("| `findings` | list of [finding](#finding) | yes |",
                      self.pages["schemas/report.schema.md"])

    def test_tables_are_whole(self) -> None:
        for name, text in self.pages.items():
            width = None
            for line in text.splitlines():
                if not line.startswith("|"):
                    width = None
                    continue
                columns = len(re.findall(r"(?<!\\)\|", line))
                width = width or columns
                self.assertEqual(columns, width, f"{name}: {line}")

    def test_committed_coverage_is_up_to_date(self) -> None:
        committed = (ROOT / "docs/records/coverage.md").read_text(encoding="utf-8")
        self.assertEqual(self.pages["coverage.md"], committed, "run `tools/dev/qgdev update coverage`")

    def test_unusable(self) -> None:
        done = generate()
        self.assertEqual(done.returncode, 2)
        done = subprocess.run([sys.executable, "-m", "tools.dev.reference", "--cli", "/no/such/tool",
                               "--coverage", str(self.folder / "c.md")], cwd=ROOT,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
