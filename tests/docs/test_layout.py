"""The layout of docs/: pages that people write stand apart from records of what was measured, a page begins with
what it is good for, a record says which command writes it, and the site has a place for every page."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT))
from tools.dev.program import main as qgdev  # noqa: E402
from tools.dev.site import stage  # noqa: E402

FOLDERS = {"concepts", "examples", "extending", "guide", "images", "records", "schemas"}
PAGES = {"index.md", "architecture.md"}
WRITTEN = ("guide", "concepts", "extending")
# A comment of tests/docs/blocks.py says something about a block; any other marks what a program writes.
MARK = re.compile(r"<!-- (?!not run: |file: |before: |needs: |picture: |recipe: ).*?-->")
RECORDED = re.compile(r"Recorded (?:by|from) .*")
COMMAND = re.compile(r"`(make|python3|tools/dev/qgdev) ([^`]+)`")
# Headings, tables, lists, code, comments, pictures.
NO_PROSE = ("#", "|", "- ", "* ", "```", "<", "!", ">", "    ")
LONGEST_OPENING = 420


def tracked(folder: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", folder], cwd=ROOT, check=True,
                            capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def opening(text: str) -> str:
    """The paragraph under the title."""
    return text.split("\n\n", 2)[1].strip() if "\n\n" in text else ""


def commands(text: str) -> list[tuple[str, str]]:
    """Those by which a record says it is written, before its first part."""
    said = RECORDED.search(text.split("\n## ", 1)[0].replace("\n", " "))
    return COMMAND.findall(said[0]) if said else []


def pages_of(entry: list | dict | str) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry if isinstance(entry, list) else entry.values()) for page in pages_of(each)]


class Layout(unittest.TestCase):
    def setUp(self) -> None:
        self.files = tracked("docs")
        self.pages = [path for path in self.files if path.suffix == ".md"]
        self.records = [path for path in self.pages if path.parent == DOCS / "records" and path.name != "index.md"]

    def test_everything_has_its_folder(self) -> None:
        for path in self.files:
            first, *rest = path.relative_to(DOCS).parts
            self.assertIn(first, FOLDERS if rest else PAGES, path)
        for path in self.pages:
            if path.parent != DOCS:
                self.assertIn(path.parent.name, (*WRITTEN, "records", "examples"), path)
        schemas = {path.name for path in self.files if path.name.endswith(".schema.json")}
        self.assertGreater(len(schemas), 8)
        self.assertEqual(schemas, {path.name for path in (DOCS / "schemas").iterdir()})

    def test_programs_write_into_records_alone(self) -> None:
        for path in self.pages:
            if path.parent.name != "records":
                self.assertEqual(MARK.findall(path.read_text(encoding="utf-8")), [], path)

    def test_a_record_says_what_writes_it(self) -> None:
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
        there = {"make": lambda what: what in targets, "python3": lambda what: (ROOT / what.split()[0]).exists(),
                 "tools/dev/qgdev": lambda what: qgdev.find(what.split())[0] is not None}
        self.assertGreater(len(self.records), 8)
        for path in self.records:
            found = commands(path.read_text(encoding="utf-8"))
            self.assertTrue(found, f"{path}: no “Recorded by `tools/dev/qgdev …`” before the first part")
            for program, what in found:
                self.assertTrue(there[program](what), f"{path}: {program} {what}")

    def test_the_index_of_records_lists_them(self) -> None:
        index = (DOCS / "records" / "index.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"\]\((\w+\.md)\)", index)), sorted(path.name for path in self.records))

    def test_a_page_begins_with_what_it_is_good_for(self) -> None:
        for path in self.pages:
            text = path.read_text(encoding="utf-8")
            self.assertRegex(text.split("\n", 1)[0], r"^# \S", path)
            first = opening(text)
            self.assertFalse(not first or first.startswith(NO_PROSE) or first.endswith(":"), f"{path}: {first[:60]}")
            self.assertLessEqual(len(re.sub(r"\]\([^)]*\)", "]", first)), LONGEST_OPENING, path)

    def test_the_readme_is_the_first_minute(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(text.count("\n"), 60)
        self.assertEqual(len(re.findall(r"^!\[", text, re.M)), 1)
        for command in ("make build", "pip install", "quantgate check", "make demo", "make test"):
            self.assertIn(command, text)

    def test_the_gallery_has_a_command_a_picture_and_a_paragraph_each(self) -> None:
        parts = (DOCS / "guide" / "gallery.md").read_text(encoding="utf-8").split("\n## ")[1:]
        self.assertGreaterEqual(len(parts), 8)
        for part in parts:
            title = part.split("\n", 1)[0]
            self.assertRegex(part, r"(?m)^```sh\nquantgate ", title)
            self.assertRegex(part, r"(?m)^!\[\w[^\]]*\]\(\.\./images/", title)
            self.assertGreater(max(len(text) for text in part.split("\n\n") if not text.startswith(NO_PROSE)), 150, title)
        shown = set(re.findall(r"\]\(\.\./images/gallery/([^)]+)\)", "".join(parts)))
        self.assertEqual(shown, {path.name for path in (DOCS / "images" / "gallery").iterdir()})

    def test_the_site_has_a_place_for_each(self) -> None:
        nav = (ROOT / "tools" / "dev" / "site" / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n", 1)[1]
        listed = pages_of(yaml.safe_load(nav))
        self.assertEqual(len(listed), len(set(listed)))
        for path in self.pages:
            name = path.relative_to(ROOT).as_posix()
            self.assertIn(stage.ELSEWHERE.get(name, name.removeprefix("docs/")), listed)

    def test_what_is_amiss_is_found(self) -> None:
        self.assertEqual(opening("# A\n\n| table |\n"), "| table |")
        self.assertEqual(commands("# A\n\nB. Recorded by `make b`,\n`python3 c/d.py --e`.\n\n## F\n\n`make g`\n"),
                         [("make", "b"), ("python3", "c/d.py --e")])
        self.assertEqual(commands("# A\n\nB.\n\n## C\n\nRecorded by `make b`.\n"), [])
        self.assertEqual(len(MARK.findall("<!-- not run: x -->\n<!-- table: y -->\n")), 1)


if __name__ == "__main__":
    unittest.main()
