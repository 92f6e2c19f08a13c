"""No value of the database changes unnoticed: tests/golden/database has a digest of each op and SDK.

`make golden` writes them anew; a changed line is to be expected by whoever changed the op.
"""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.record import snapshot as update_snapshot  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
MOST_NAMED = 20


def changed(kept: list[str], now: list[str]) -> list[str]:
    """`Conv2d on 2.25, 2.47`, an op each."""
    was, is_ = ({tuple(line.split()[:2]): line for line in lines} for lines in (kept, now))
    ops: dict[str, list[str]] = {}
    for op, sdk in sorted({*was, *is_}, key=lambda key: (key[0], [int(n) for n in key[1].split(".")])):
        if was.get((op, sdk)) != is_.get((op, sdk)):
            ops.setdefault(op, []).append(sdk)
    return [f"{op} on {', '.join(sdks)}" for op, sdks in ops.items()]


class Snapshot(unittest.TestCase):
    def test_the_database_says_what_is_kept(self) -> None:
        now = update_snapshot.snapshot(CLI)
        self.assertEqual({file.stem for file in update_snapshot.FOLDER.glob("*.txt")}, set(now))
        for backend, lines in now.items():
            with self.subTest(backend=backend):
                found = changed((update_snapshot.FOLDER / f"{backend}.txt").read_text().splitlines(), lines)
                op = found[0].split()[0] if found else ""
                self.assertEqual(
                    found[:MOST_NAMED], [],
                    f"{len(found)} ops of {backend} say something else than is kept. `git diff opdefs/{backend}/{op}.yaml` and "
                    f"`quantgate query {op} --backend {backend} --every-sdk --format json` of before and after show what; "
                    "is it meant: make golden")  # fmt: skip

    def test_names_op_and_sdk(self) -> None:
        kept = ["A 2.9 x", "A 2.13 x", "B 2.13 x", "C 2.13 x"]
        self.assertEqual(changed(kept, ["A 2.9 x", "A 2.13 y", "B 2.13 x", "D 2.13 z"]), ["A on 2.13", "C on 2.13", "D on 2.13"])

    def test_a_measured_consequence_counts_from_its_sdk_on(self) -> None:
        row = {"id": "c", "since": "2.13", "until": "2.51", "documented": "rejected",
               "measured": {"since": "2.47", "consequence": "altered"}}  # fmt: skip
        self.assertEqual([(update_snapshot._on(row, sdk) or {}).get("consequence") for sdk in ("2.9", "2.25", "2.47", "2.51")],
                         [None, "rejected", "altered", None])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
