"""The counts of docs/records/database.md are those of the database."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.record import counts  # noqa: E402


class Counts(unittest.TestCase):
    def test_page_is_up_to_date(self) -> None:
        text = counts.PAGE.read_text()
        self.assertEqual(text, counts.page(text), "run `tools/dev/qgdev update counts`")


if __name__ == "__main__":
    unittest.main()
