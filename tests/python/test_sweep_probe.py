"""`quantgate sweep --probe`: configurations put to a library; crashes are answers.

Asks the HTP library of onnxruntime-qnn where it is installed, which takes qg-oracle and opdefc of the build."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import quantgate as qg
from quantgate._sweep import probe, run, work

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUANTGATE_BUILD") or ROOT / "build")
BUILT = (BUILD / "bin/qg-oracle").exists() and (BUILD / "tools/opdefc/opdefc").exists()
COUNT = 2300


def library() -> Path | None:
    found = importlib.util.find_spec("onnxruntime_qnn")
    path = Path(found.origin).parent / "libQnnHtp.so" if found and found.origin else None
    named = os.environ.get("QUANTGATE_HTP_LIBRARY")
    return Path(named) if named else path if path and path.exists() else None


LIBRARY = library()


class Arguments(unittest.TestCase):
    def fails(self, *args: str, cwd: Path = ROOT) -> str:
        ended = subprocess.run([sys.executable, "-m", "quantgate", "sweep", "--targets", "arch:v73", "-o", "/nowhere/x",
                                *args], text=True, capture_output=True, timeout=100, check=False, cwd=cwd,
                               env={**os.environ, "PYTHONSAFEPATH": "1"})
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), ended.stderr)
        return ended.stderr

    def test_one_clear_line(self) -> None:
        a_file = str(Path(__file__).resolve())
        for args, reason in ((("--probe", "htp"), "--probe needs the library to ask"),
                             (("--probe", "htp", "--backend-lib", "/none.so"), "/none.so: no such file"),
                             (("--probe", "htp", "--backend-lib", a_file, "--count", "0"), "at least 1"),
                             (("--probe", "abc", "--backend-lib", a_file), "no op files of a backend 'abc'"),
                             (("--probe", "htp", "x.onnx"), "no PATH is read"),
                             (("--backend-lib", "x.so", "x.onnx"), "is for --probe")):
            with self.subTest(args):
                self.assertIn(reason, self.fails(*args))
        self.assertIn("works in a checkout", self.fails("--probe", "htp", "--backend-lib", a_file, cwd=Path("/")))


@unittest.skipUnless(BUILT, "qg-oracle or opdefc is not built")
class Asking(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, {"QUANTGATE_BUILD": str(BUILD)}))
        self.enterContext(mock.patch.object(Path, "cwd", lambda: ROOT))

    def request(self, out: str, of: str, **more: Any) -> run.Request:
        job = work.Job("arch:v73,arch:v79", findings=False, probe=probe.make("htp", of, COUNT, 3))
        return run.Request(paths=(), job=job, out=str(self.folder / out), jobs=2, quiet=True, **more)

    def rows(self, out: str) -> list[tuple[Any, ...]]:
        read = pq.read_table(self.folder / out / "models.parquet").to_pylist()
        return sorted((tuple(row.values()) for row in read), key=str)

    def test_what_is_no_library(self) -> None:
        with self.assertRaises(qg.SweepError) as caught:
            run.run(self.request("out", str(Path(__file__).resolve())))
        self.assertIn("test_sweep_probe.py: ", str(caught.exception))
        self.assertEqual(list(self.folder.iterdir()), [])

    @unittest.skipUnless(LIBRARY, "no HTP library is installed")
    def test_answers_and_shards(self) -> None:
        finished = run.run(self.request("whole", str(LIBRARY)))
        table = pq.read_table(self.folder / "whole/models.parquet")
        self.assertEqual(table.num_rows, 2 * COUNT)
        self.assertGreater(len(set(table.column("configuration").to_pylist())), COUNT * 0.8)
        kinds = Counter(table.column("kind").to_pylist())
        self.assertGreater(kinds["agrees"], 1.9 * COUNT)
        self.assertGreater(kinds["library crash SIGSEGV"], 0)
        for row in table.to_pylist():
            self.assertEqual(row["json"] is not None, row["failed"], row)
            if row["kind"] == "library crash SIGSEGV":
                self.assertEqual(row["verdict"], "crash")
        self.assertIn(f"{COUNT:,} configurations put to a library for 2 targets", finished.text)
        self.assertEqual(finished.exit_status, 1)
        # A configuration is known by its number, whoever asks about it.
        shards = [self.request(f"shard{k}", str(LIBRARY), shard=(k, 3)) for k in (1, 2, 3)]
        for shard in shards:
            run.run(dataclasses.replace(shard, jobs=1))
        run.merge([shard.out for shard in shards], str(self.folder / "merged"))
        self.assertEqual(self.rows("whole"), self.rows("merged"))


if __name__ == "__main__":
    unittest.main()
