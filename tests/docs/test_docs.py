"""The pages hold: their shell blocks run and print what is shown, their files are well-formed.

`--update` writes what is printed now into the pages, except where a `…` stands for some of it, and draws
their pictures of a terminal anew.
Python blocks are run by tests/python, where the package is installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent))
import blocks  # noqa: E402
from blocks import ROOT, Block  # noqa: E402

sys.path.insert(1, str(ROOT))
from tools.dev.pictures import terminal  # noqa: E402

CLI = Path(os.environ.get("QUANTGATE_CLI", ROOT / "build" / "bin" / "quantgate"))
OPDEFC = Path(os.environ.get("QUANTGATE_OPDEFC", ROOT / "build" / "tools" / "opdefc" / "opdefc"))
UPDATE = False
# Status 1 says that a model doesn't fit, which guides show; 2 and above is a mistake.
PRELUDE = "set -o pipefail -E; trap 's=$?; [ $s -lt 2 ] || exit $s' ERR\n"
# Names that guides use for a model of the reader.
STAND_INS = {"model.onnx": "docs/examples/planted.onnx",
             "model.encodings": "tests/data/aimet/llama_block_2.0.0.encodings",
             "net.json": "tests/data/qnn_net/ort_llama_block_16a8w.json"}


def scratch(folder: Path) -> dict[str, str]:
    """A folder like a clone with a build in it, in which blocks write what they like."""
    for name in ("docs", "opdefs", "tests", "tools"):
        (folder / name).symlink_to(ROOT / name)
    for name, source in STAND_INS.items():
        shutil.copy(ROOT / source, folder / name)
    programs = folder / "build" / "bin"
    programs.mkdir(parents=True)
    (programs / "quantgate").symlink_to(CLI)
    (programs / "opdefc").symlink_to(OPDEFC)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANWIDTH": "100", "SOURCES": str(ROOT)}


def shell(code: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", PRELUDE + code], cwd=folder, env=environment, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, encoding="utf-8")


COLOURS = {"NO_COLOR": "", "CLICOLOR_FORCE": "1"}
# What is to be read in a picture, and how it looks; times differ each time.
PICTURED = re.compile(r"((?: fill=\S+| font-weight=\S+)*)>([^<]*)</text>")
TIME = re.compile(r"\d+(?:\.\d+)? ms")


def picture(block: Block, printed: str) -> tuple[Path, str]:
    """The file of a block's picture, and what is to be in it."""
    name, *limits = block.said["picture"].split()
    limit = {key: int(number) for key, number in (each.split("=") for each in limits)}
    lines = terminal.cut(printed.rstrip("\n").split("\n"), limit.get("head", 0), limit.get("tail", 0))
    return (block.page.parent / name).resolve(), terminal.svg(block.code.rstrip("\n"), lines)


def pictured(svg: str) -> list[tuple[str, str]]:
    return [(look, TIME.sub("some ms", words)) for look, words in PICTURED.findall(svg)]


def well_formed(block: Block) -> None:
    if block.language == "json":
        json.loads(block.code)
    elif block.language == "yaml":
        list(yaml.safe_load_all(block.code))
    elif block.language == "toml":
        tomllib.loads(block.code)


class Pages(unittest.TestCase):
    maxDiff = None

    def run_page(self, page: Path) -> int:
        ran = 0
        found = blocks.read(page)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            environment = scratch(folder)
            for block in found:
                with self.subTest(block.place):
                    if "not run" in block.said:
                        self.assertTrue(block.said["not run"].strip(), block.place)
                        continue
                    well_formed(block)
                    if "recipe" in block.said:  # tests/docs/test_recipes.py
                        continue
                    if "file" in block.said:
                        path = folder / block.said["file"]
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_text(block.code, encoding="utf-8")
                        continue
                    if block.language != "sh" or not self.has(block.said.get("needs")):
                        continue
                    if "before" in block.said:
                        done = shell(block.said["before"], folder, environment)
                        self.assertEqual(done.returncode, 0, f"{block.place}: before: {done.stdout}")
                    done = shell(block.code, folder, environment)
                    self.assertLess(done.returncode, 2, f"{block.place}:\n{done.stdout}")
                    ran += 1
                    if block.printed is not None and not blocks.is_as_shown(done.stdout, block.printed):
                        self.differs(block, done.stdout)
                    if "picture" in block.said:
                        self.look(block, shell(block.code, folder, environment | COLOURS).stdout)
        if UPDATE:
            update(page, found)
        return ran

    def look(self, block: Block, printed: str) -> None:
        file, svg = picture(block, printed)
        shown = file.read_text(encoding="utf-8") if file.exists() else ""
        if pictured(shown) == pictured(svg):
            return
        if not UPDATE:
            self.assertEqual(pictured(shown), pictured(svg), f"{block.place}: {file.name} shows something else than is "
                             "printed; `make docs-output` draws it anew")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(svg, encoding="utf-8")

    def test_pictures_are_compared(self) -> None:
        block = Block(ROOT / "docs" / "x.md", 1, "sh", "quantgate x\n", {"picture": "images/x.svg head=2 tail=1"})
        file, svg = picture(block, "\x1b[31mred\x1b[0m 1.5 ms\n2\n3\n4\n5\n")
        self.assertEqual(file, ROOT / "docs" / "images" / "x.svg")
        self.assertEqual([words for _, words in pictured(svg)], ["$", "quantgate x", "red", "some ms", "2", "…", "5"])
        self.assertEqual(pictured(svg), pictured(picture(block, "\x1b[31mred\x1b[0m 20 ms\n2\n3\n4\n5\n")[1]))
        for other in ("\x1b[32mred\x1b[0m 1.5 ms\n2\n3\n4\n5\n", "\x1b[31mred\x1b[0m 1.5 ms\n2\n3\n4\n6\n"):
            self.assertNotEqual(pictured(svg), pictured(picture(block, other)[1]))

    def has(self, program: str | None) -> bool:
        return program is None or shutil.which(program) is not None

    def differs(self, block: Block, printed: str) -> None:
        if UPDATE and blocks.ANY_LINES not in block.printed.split("\n"):
            block.printed = printed.rstrip("\n") + "\n"
            return
        self.assertEqual(printed, block.printed,
                         f"{block.place} prints something else than the page shows; "
                         "`make docs-output` writes it anew, except around a line …")

    def test_shell_blocks(self) -> None:
        self.assertGreater(sum(self.run_page(page) for page in blocks.pages()), 30)

    def test_every_block_has_a_language(self) -> None:
        for page in blocks.pages():
            for block in blocks.read(page):
                if block.language in ("bash", "shell", "console"):
                    self.fail(f"{block.place}: write `sh`, which is run")


def update(page: Path, found: list[Block]) -> None:
    text = page.read_text(encoding="utf-8")
    for block in reversed(found):
        if block.printed is not None:
            start, end = block.printed_at
            text = text[:start] + block.printed + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        sys.argv.remove("--update")
        UPDATE = True
    unittest.main()
