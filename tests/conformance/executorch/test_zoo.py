"""What the figures of the zoo through ExecuTorch rest on: hold-out, recordings, how they are packed."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools" / "dev" / "zoo_executorch"))

import held_out  # noqa: E402
import packing  # noqa: E402
import places  # noqa: E402
import recordings  # noqa: E402

LIMIT = 5_000_000


def text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class Packing(unittest.TestCase):
    def test_what_comes_back_has_the_same_text(self):
        values = {
            "none": [], "few": [1, 2, 3], "bytes": [*range(-128, 128)], "one more": [*range(-129, 128)],
            "two bytes": [*range(-32768, 32768, 999), 32767], "three bytes": [-(1 << 23), (1 << 23) - 1] * 5,
            "four bytes": [-(1 << 31), (1 << 31) - 1] * 5, "eight bytes": [1 << 40, -5] * 5, "flags": [True, False] * 5,
            "floats of 32 bits": [0.00041747658, 1.435e-42, -0.0, 0.05, 9.3, 3.4028235e38, 1e-45, 16777216.0, 0.1],
            "of 64": [0.1234567890123456] * 9, "mixed": [1, 1.0] * 9, "huge": [1e300] * 9, "special": [float("inf")] * 9,
            "text": ["a"] * 9, "lists": [[*range(9)], [*range(300, 310)], [0.5] * 9], "in lists": [{"x": [*range(9)]}] * 9,
        }
        data = packing.packed(values)
        self.assertEqual(text(packing.unpacked(data)), text(values))
        self.assertLess(len(packing.packed([*range(256)])), len(text([*range(256)])) // 2)

    def test_a_key_of_its_own_is_refused(self):
        with self.assertRaises(ValueError):
            packing.packed({"numbers": ["i1", 9]})

    def test_recordings_come_back(self):
        for case, recorded in recordings.recordings(held_out.draws()[2].folder):
            self.assertEqual(text(packing.unpacked(packing.packed(recorded))), text(recorded), case)


class Recordings(unittest.TestCase):
    def test_they_fit_with_the_next_draw(self):
        size = sum(path.stat().st_size for path in places.RECORDED.rglob("*") if path.is_file())
        self.assertLess(size, LIMIT)

    def test_they_lie_where_they_belong(self):
        for draw in held_out.draws():
            for path in draw.folder.glob(f"*{recordings.ENDING}"):
                self.assertIn(path.name.rsplit("-", 1)[0], draw.names, path)

    def test_what_is_recorded_is_whole(self):
        for folder in sorted(places.RECORDED.glob("*/")):
            for case, recorded in recordings.recordings(folder):
                self.assertEqual(set(recorded), {"labels", "annotated", "converted"}, case)
                names = {node["name"] for node in recorded["converted"]["nodes"]}
                self.assertLessEqual(set(recorded["labels"]["nodes"]) - names, set(), case)


class HoldOut(unittest.TestCase):
    def test_nothing_is_drawn_twice(self):
        names = [name for draw in held_out.draws() for name in draw.names]
        self.assertEqual(len(names), len(set(names)))

    def test_a_draw_with_shares_has_as_many_of_each_library(self):
        libraries = places.draws().libraries()
        drawn = [draw for draw in held_out.draws() if "shares" in draw.rule]
        self.assertTrue(drawn)
        for draw in drawn:
            for library, count in draw.rule["shares"].items():
                self.assertEqual(sum(libraries[name] == library for name in draw.names), count)
            self.assertFalse(set(draw.names) & set(draw.rule["without"]))

    def test_an_open_draw_is_not_looked_at(self):
        last = held_out.open_draw()
        self.assertFalse(set(held_out.development()) & set(last.names if last else ()))


if __name__ == "__main__":
    unittest.main()
