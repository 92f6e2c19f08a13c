"""Links between the Markdown files of the repository lead to files and headings that are there."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Folders that hold no pages of ours.
OUTSIDE = re.compile(r"^(build[^/]*|\.[^/]*|tests/fuzz/corpus)(/|$)")
CODE = re.compile(r"^(```+).*?^\1\s*$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.MULTILINE)


def pages() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.md"))
            if not OUTSIDE.match(path.relative_to(ROOT).as_posix())]


def without_fences(text: str) -> str:
    return re.sub(r"^(```+).*?^\1\s*$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """As GitHub names headings, and so does the site."""
    found: set[str] = set()
    for title in HEADING.findall(without_fences(text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 0
        while (name if not number else f"{name}-{number}") in found:
            number += 1
        found.add(name if not number else f"{name}-{number}")
    return found


def broken(page: Path, root: Path = ROOT) -> list[str]:
    text = page.read_text(encoding="utf-8")
    plain = CODE.sub(lambda code: " " * len(code.group()), text)
    mistakes = []
    for link in LINK.finditer(plain):
        target = link[1]
        if re.match(r"https?://|mailto:", target):
            continue
        place = f"{page.relative_to(root)}:{text.count(chr(10), 0, link.start()) + 1}"
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if target.startswith("/") or not there.is_relative_to(root) or not there.exists():
            mistakes.append(f"{place}: {target}: there is no such file")
        elif anchor and (there.suffix != ".md" or
                         anchor not in anchors(there.read_text(encoding="utf-8"))):
            mistakes.append(f"{place}: {target}: there is no such heading")
    return mistakes


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self) -> None:
        found = pages()
        self.assertGreater(len(found), 15)
        self.assertEqual([mistake for page in found for mistake in broken(page)], [])

    def test_what_is_broken_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            (root / "there.md").write_text("# A *heading* of two words\n\n```sh\n# no heading\n```\n\n"
                                           "## A heading of `two` words\n")
            page = root / "page.md"
            page.write_text("[a](there.md#a-heading-of-two-words-1) [b](there.md) `[c](none.md)`\n"
                            "[d](none.md)\n[e](there.md#no-heading)\n[f](../outside.md)\n")
            self.assertEqual(broken(page, root), [
                "page.md:2: none.md: there is no such file",
                "page.md:3: there.md#no-heading: there is no such heading",
                "page.md:4: ../outside.md: there is no such file"])


if __name__ == "__main__":
    unittest.main()
