"""Plain English: words of this project's own language that messages, help, docs and code do without.

What stands for them: docs/concepts/glossary.md. Names in JSON and ids are no prose.
"""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bindings", "cmake", "core", "docs", "opdefs", "proto", "tests", "tools")
FILES = ("CONTRIBUTING.md", "Makefile", "README.md", "SECURITY.md", "action.yml")
ENDINGS = {".cc", ".h", ".py", ".pyi", ".md", ".yaml", ".yml", ".toml", ".js", ".css", ".html", ".sh", ".in",
           ".cmake", ".txt", ".proto", ""}
# Texts of others (reports, logs, kept bytes) and records of measurements are not ours to edit.
OF_OTHERS = ("tests/reports/", "tests/fuzz/corpus/", "tests/mutation/", "tests/conformance/zoo/", "docs/records/reports.md")
BANNED = re.compile(r"\bmend\w*|\bways?[ _-]out\b|\bunfounded\b|\btold\b|\blone\b|\bthe house\b", re.IGNORECASE)
# The name of a list in the JSON of `fix`, which does not change.
NAMES = re.compile(r"""["'`]mended["'`]""")


def sources() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS, *FILES], cwd=ROOT,
                            check=True, capture_output=True, text=True)
    paths = [name for name in listed.stdout.splitlines() if not name.startswith(OF_OTHERS)]
    return [ROOT / name for name in paths if Path(name).suffix in ENDINGS and (ROOT / name).is_file()]


def banned(text: str) -> list[tuple[int, str]]:
    return [(number, found) for number, line in enumerate(text.splitlines(), 1)
            for found in BANNED.findall(NAMES.sub("", line))]


class Words(unittest.TestCase):
    def test_the_test_sees_them(self) -> None:
        self.assertEqual(banned("what was " + "tol" + "d\n" + 'json["mended"]\nfixed'), [(1, "tol" + "d")])
        self.assertEqual([word for _, word in banned("men" + "ding is a way" + "-out")], ["men" + "ding", "way" + "-out"])

    def test_none_is_used(self) -> None:
        self.assertGreater(len(sources()), 600)
        found = [f"{path.relative_to(ROOT)}:{number}: {word}" for path in sources()
                 if path != Path(__file__).resolve() for number, word in banned(path.read_text(errors="replace"))]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
