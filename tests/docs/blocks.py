"""Code blocks of Markdown pages, what is said about them, and what they print.

A comment of its own on the line before a block says what a reader need not see:

    <!-- not run: REASON -->      the block stays as it is
    <!-- file: NAME -->           the block is the content of that file, for blocks after it
    <!-- before: COMMANDS -->     shell commands run first, their output unseen
    <!-- needs: PROGRAM -->       skipped where that program isn't installed
    <!-- picture: FILE -->        what its one command prints, in colour, is that SVG file; `FILE head=N tail=N`: its
                                  first and last lines
    <!-- recipe: file NAME -->    left to tests/docs/test_recipes.py, which does in a copy of the sources what the
    <!-- recipe: run -->          page says: writes that file, or runs the commands

A `text` block right behind a block that runs is what it prints; a line `…` in it stands for any lines.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!-- (not run|file|before|needs|picture|recipe): (.*?) -->")
ANY_LINES = "…"


@dataclasses.dataclass
class Block:
    page: Path
    line: int                          # of its first line of code
    language: str
    code: str
    said: dict[str, str]               # by the comments before it
    printed: str | None = None         # the text block behind it
    printed_at: tuple[int, int] = (0, 0)

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """The pages of the repository whose blocks are for readers to run."""
    found = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
                                      "opdefs/README.md")]
    found += [ROOT / "tests" / "conformance" / name / "README.md" for name in ("executorch", "htp", "ort")]
    return found + sorted((ROOT / "docs").rglob("*.md"))


def read(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    blocks: list[Block] = []
    end = 0
    for found in FENCE.finditer(text):
        between = text[end:found.start()]
        language, code = found.groups()
        if language == "text" and blocks and not between.strip() and blocks[-1].printed is None:
            blocks[-1].printed, blocks[-1].printed_at = code, found.span(2)
        else:
            blocks.append(Block(page, text.count("\n", 0, found.start()) + 2, language, code,
                                _said(between)))
        end = found.end()
    return blocks


def _said(between: str) -> dict[str, str]:
    said = {}
    for line in reversed(between.strip().splitlines()):
        found = COMMENT.fullmatch(line.strip())
        if not found:
            break
        said[found[1]] = found[2]
    return said


def is_as_shown(printed: str, shown: str) -> bool:
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == ANY_LINES else re.escape(line.rstrip()) + "\n"
                      for line in shown.rstrip("\n").split("\n"))
    lines = "".join(line.rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, lines) is not None
