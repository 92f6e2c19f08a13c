"""docs/guide/limits.md says what the source says, and leaves no limit of a reader out."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/limits.md").read_text()
ROW = re.compile(r"^\| [^|]+ \| ([^|]+) \| [^|]+ \| `(k\w+)` in `([^`]+)` \|$", re.M)
CONSTANT = re.compile(r"constexpr [\w:]+ (k(?:Max|Longest)\w*) ?= ?([^;]+);")
# Where bytes of others are read.
READERS = ("core/base", "core/readers", "core/database/compile", "core/policy", "core/lower/encodings", "tools/quantgate",
           "core/oracle")
UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
NAMED = {"UINT32_MAX": (1 << 32) - 1, "std::numeric_limits<int32_t>::max()": (1 << 31) - 1}


def reported(cell: str) -> int:
    """16,777,216 or 64 KiB or 4 GiB − 1."""
    number, unit, less = re.fullmatch(r"([\d,]+)(?: ([KMG]iB))?( − 1)?", cell.strip()).groups()
    return int(number.replace(",", "")) * UNITS[unit or ""] - (1 if less else 0)


def value(text: str) -> int:
    """Of size_t{4} << 20, 250'000 or one of NAMED."""
    if text in NAMED:
        return NAMED[text]
    number, shift = re.fullmatch(r"(?:\w+\{)?([\d']+)\}?(?: << (\d+))?", text.strip()).groups()
    return int(number.replace("'", "")) << int(shift or 0)


def constants(path: Path) -> dict[str, str]:
    return dict(CONSTANT.findall(path.read_text()))


class Limits(unittest.TestCase):
    def test_numbers(self) -> None:
        rows = ROW.findall(PAGE)
        self.assertGreater(len(rows), 30)
        self.assertEqual(len(rows), PAGE.count("` in `"), "a row that isn't understood")
        for cell, name, file in rows:
            with self.subTest(name=name, file=file):
                self.assertEqual(reported(cell), value(constants(ROOT / file)[name]))

    def test_none_is_left_out(self) -> None:
        listed = {(name, file) for _, name, file in ROW.findall(PAGE)}
        for folder in READERS:
            for path in sorted((ROOT / folder).rglob("*.*")):
                if path.suffix in (".cc", ".h"):
                    for name in constants(path):
                        self.assertIn((name, path.relative_to(ROOT).as_posix()), listed)


if __name__ == "__main__":
    unittest.main()
