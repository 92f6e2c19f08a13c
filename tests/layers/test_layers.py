"""The include graph: docs/architecture.md says which folder of core sees which, and nothing else may
be included. Command line and bindings see public headers only."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
ROW = re.compile(r"^\| `core/([\w/]+)` \| .* \| ?([^|]*)\|$", re.M)
PUBLIC = "include/quantgate"
OUTSIDE = ("tools/quantgate", "bindings")


def layers() -> dict[str, set[str]]:
    """What each folder may see, by the table of the page."""
    page = (ROOT / "docs/architecture.md").read_text()
    return {name: {seen.strip() for seen in sees.split(",") if seen.strip()}
            for name, sees in ROW.findall(page) if name != PUBLIC}


def folder_of(path: str, folders: dict[str, set[str]]) -> str | None:
    """The innermost folder of the table that holds core/<path>."""
    return max((f for f in folders if path.startswith(f + "/")), key=len, default=None)


def sources(folder: str) -> list[Path]:
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".hpp", ".cc"))


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


class Layers(unittest.TestCase):
    def setUp(self) -> None:
        self.folders = layers()

    def test_every_folder_is_in_the_table(self) -> None:
        for path in sources("core"):
            inner = path.relative_to(ROOT / "core").as_posix()
            if not inner.startswith(PUBLIC):
                self.assertIsNotNone(folder_of(inner, self.folders), inner)
        for name in self.folders:
            self.assertTrue((ROOT / "core" / name).is_dir(), name)

    def test_no_cycle(self) -> None:
        """The table is in order: a folder sees only those above it."""
        above: set[str] = set()
        for name, sees in self.folders.items():
            self.assertLessEqual(sees, above, f"{name} sees what comes below it")
            above.add(name)

    def test_core_includes_what_it_may_see(self) -> None:
        for path in sources("core"):
            inner = path.relative_to(ROOT / "core").as_posix()
            folder = folder_of(inner, self.folders)
            for included in includes(path):
                if included.startswith(("tools/", "bindings/", "tests/")):
                    self.fail(f"core/{inner} includes {included}")
                if not included.startswith("core/"):
                    continue
                self.assertIsNotNone(folder, f"the public header {inner} includes {included}")
                other = folder_of(included.removeprefix("core/"), self.folders)
                if other != folder:
                    self.assertIn(other, self.folders[folder], f"core/{inner} includes {included}")

    def test_command_line_and_bindings_include_public_headers(self) -> None:
        found = {f"{path.relative_to(ROOT).as_posix()} {included}"
                 for folder in OUTSIDE for path in sources(folder) for included in includes(path)
                 if included.startswith("core/")}
        self.assertFalse(found, "an include of an inner header")

    def test_what_the_page_is_compiled_with_has_it(self) -> None:
        """The standard library of emscripten 3.1 is libc++ 13: no <format>, no <expected>, no algorithms of ranges."""
        lacking = re.compile(r"\bstd::(ranges|views)::|#\s*include <(format|expected|ranges)>")
        found = {f"{path.relative_to(ROOT).as_posix()} {match.group()}" for folder in ("core", "tools/quantgate", "tools/web")
                 for path in sources(folder) for match in lacking.finditer(path.read_text())}
        self.assertFalse(found)


if __name__ == "__main__":
    unittest.main()
