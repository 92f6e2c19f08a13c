"""`python -m quantgate sweep`: OUT, engines that agree, workers that die, what is resumed and compared."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import quantgate as qg
from quantgate._sweep import dask_engine, driver, engines, inputs, run, store, work

ROOT = Path(__file__).resolve().parents[2]
PLANTED = ROOT / "docs" / "examples" / "planted.onnx"
HAS_DASK = importlib.util.find_spec("distributed") is not None
TARGETS = "arch:v73,arch:v79"


def model(dtype: str, scale: float) -> dict[str, Any]:
    encoding = {"perTensor": {"scale": scale, "zeroPoint": 128}}
    return {"dialect": "qnn", "inputs": ["x"], "outputs": ["y"],
            "tensors": [{"name": name, "dtype": dtype, "dims": [1, 8], "encoding": encoding}
                        for name in "xy"],
            "nodes": [{"name": "n", "op": "Relu", "inputs": ["x"], "outputs": ["y"]}]}


def lines(number: int) -> str:
    """So many models, every third of them refused, and a broken one."""
    made = [json.dumps(model("BOOL_8" if i % 3 == 0 else "UFIXED_POINT_8", 0.01 + i / 1e6))
            for i in range(number - 1)]
    return "\n".join([*made, "{broken"])


def rows(folder: str | Path, table: str = "models") -> list[tuple[Any, ...]]:
    """Of a table, sorted."""
    read = pq.read_table(f"{folder}/{table}.parquet").to_pylist()
    return sorted((tuple(row.values()) for row in read), key=str)


class Sweep(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def out(self, name: str) -> str:
        return str(self.folder / name)

    def models(self, number: int) -> str:
        path = self.folder / f"{number}.jsonl"
        path.write_text(lines(number))
        return str(path)

    def request(self, path: str, out: str, **more: Any) -> run.Request:
        return run.Request(**{"paths": (path,), "job": work.Job(TARGETS), "out": self.out(out),
                              "jobs": 2, "quiet": True, **more})

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "quantgate", "sweep", *args], text=True,
                              capture_output=True, timeout=300, check=False)

    def fails(self, *args: str) -> str:
        """Its one line."""
        ended = self.command(*args)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        self.assertTrue(ended.stderr.startswith("error: "), ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        return ended.stderr.removeprefix("error: ").rstrip()


class Results(Sweep):
    def test_out_is_what_one_table_says(self) -> None:
        path = self.models(50)
        ended = self.command(path, "--targets", TARGETS, "--nodes", "-o", self.out("a"))
        self.assertEqual(ended.returncode, 2, ended.stderr)  # of the broken one, as check
        self.assertEqual(sorted(os.listdir(self.out("a"))),
                         ["findings.parquet", "index.html", "models.parquet", "nodes.parquet",
                          "summary.txt", "sweep.json"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["50.jsonl", "a"])
        self.assertEqual((self.folder / "a" / "summary.txt").read_text(), ended.stdout)
        for table in ("models", "findings", "nodes"):
            direct = qg.sweep(path, TARGETS, table=table).to_pylist()
            self.assertEqual(rows(self.out("a"), table),
                             sorted((tuple(row.values()) for row in direct), key=str))
        # In the order of the models, too.
        self.assertEqual(pq.read_table(self.out("a") + "/models.parquet").column("model").to_pylist(),
                         qg.sweep(path, TARGETS).column("model").to_pylist())
        self.assertIn("50 models on 2 targets", ended.stdout)
        self.assertIn("1 model can't be read:", ended.stdout)

    def test_exit_status(self) -> None:
        good = self.folder / "good.json"
        good.write_text(json.dumps(model("UFIXED_POINT_8", 0.1)))
        for paths, status in (([str(good)], 0), ([str(good), str(PLANTED)], 1)):
            ended = self.command(*paths, "--targets", "arch:v73", "-o", self.out("x"))
            self.assertEqual(ended.returncode, status, ended.stderr)
        ended = self.command(str(PLANTED), "--targets", "arch:v73", "--mode", "warn", "-o", self.out("x"))
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_against(self) -> None:
        path = self.models(9)
        run.run(self.request(path, "old"))
        changed = Path(path).read_text().splitlines()
        changed[0], changed[1] = changed[1], changed[0]  # fixed, breaks
        changed[8] = changed[2]                          # was unreadable
        changed.append(changed[2])
        Path(path).write_text("\n".join(changed))
        finished = run.run(self.request(path, "new", against=self.out("old")))
        made = pq.read_table(self.out("new") + "/changes.parquet").to_pylist()
        kinds = {(row["model"].rsplit(":", 1)[1], row["change"], row["before"], row["after"])
                 for row in made}
        self.assertEqual(kinds, {("1", "fixed", "rejected", "accepted"),
                                 ("2", "breaks", "accepted", "rejected"),
                                 ("9", "fixed", "unreadable", "accepted"),
                                 ("10", "new", None, "accepted")})
        self.assertEqual(len(made), 8)
        self.assertIn("2 breaks, 4 fixed, 2 new", finished.text)
        self.assertIn('"compared":true', (self.folder / "new/index.html").read_text())
        same = run.run(self.request(path, "same", against=self.out("new")))
        self.assertIn("nothing changed against", same.text)

    def test_page_holds_hostile_names(self) -> None:
        name = self.folder / "<script>alert(1)<"
        name.mkdir()
        (name / "a\x1b[31m.json").write_text(json.dumps(model("BOOL_8", 0.1)))
        finished = run.run(self.request(str(name), "out"))
        page = (self.folder / "out/index.html").read_text()
        self.assertEqual(page.count("<script>"), 1)
        self.assertIn("\\u003cscript>alert", page)
        self.assertNotIn("\x1b", finished.text)

    def test_a_finished_sweep_is_replaced_or_read_again(self) -> None:
        path = self.models(6)
        first = run.run(self.request(path, "out"))
        again = run.run(self.request(path, "out", resume=True))
        self.assertEqual(first, again)
        with self.assertRaisesRegex(qg.SweepError, "other arguments"):
            run.run(self.request(path, "out", resume=True, job=work.Job("arch:v68")))
        Path(path).write_text(lines(3))
        run.run(self.request(path, "out"))
        self.assertEqual(len(rows(self.out("out"))), 6)
        self.assertEqual(sorted(os.listdir(self.folder)), ["6.jsonl", "out"])

    def test_urls(self) -> None:
        path = self.models(20)
        run.run(self.request(path, "local"))
        out = f"file://{self.folder}/remote"
        run.run(dataclass_with(self.request(f"file://{path}", "x"), out=out))
        self.assertEqual([row[1:] for row in rows(self.out("local"))],
                         [row[1:] for row in rows(self.out("remote"))])
        self.assertFalse((self.folder / "remote.partial").exists())


def dataclass_with(request: run.Request, **more: Any) -> run.Request:
    return dataclasses.replace(request, **more)


class BadInput(Sweep):
    def test_one_clear_line(self) -> None:
        path, out = self.models(4), self.out("out")
        (self.folder / "other").mkdir()
        (self.folder / "other/file").write_text("x")
        common = [path, "--targets", TARGETS]
        for args, reason in (
                (common, "-o: is needed"),
                ([path, "-o", out], "--targets: is needed, such as SM8550,arch:v79"),
                (["--targets", TARGETS, "-o", out], "PATH: nothing to check is given"),
                ([path, "--targets", "SM1", "-o", out], "SM1"),
                ([*common, "-o", out, "--mode", "loud"], "unknown value 'loud'"),
                ([*common, "-o", out, "--shard", "4/3"], "is not K/N"),
                ([*common, "-o", out, "--engine", "slurm"], "known: local, dask"),
                ([*common, "-o", out, "--scheduler", "tcp://x:1"], "is for --engine dask"),
                ([*common, "-o", self.out("other")], "exists and is no sweep"),
                ([*common, "-o", self.out("no/such/folder")], "no such folder"),
                ([*common, "-o", out, "--against", self.out("other")], "sweep.json is missing"),
                ([*common, "-o", out, "--against", self.out("none")], "no such folder"),
                ([self.out("none.onnx"), "--targets", TARGETS, "-o", out], "no such file or folder"),
                (["--merge", self.out("other"), "-o", out], "sweep.json is missing"),
                ([*common, "-o", out, "--frobnicate"], "--frobnicate")):
            with self.subTest(args):
                self.assertIn(reason, self.fails(*args))
                self.assertEqual(sorted(os.listdir(self.folder)), ["4.jsonl", "other"])
        self.assertEqual(os.listdir(self.folder / "other"), ["file"])

    def test_another_version(self) -> None:
        path = self.models(4)
        run.run(self.request(path, "old"))
        manifest = self.folder / "old/sweep.json"
        known = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**known, "format": 99}))
        for args in (["--against", self.out("old"), "-o", self.out("new")],
                     ["--resume", "-o", self.out("old")]):
            self.assertIn("a sweep of another version: its format is 99",
                          self.fails(path, "--targets", TARGETS, *args))
        manifest.write_text("{")
        self.assertIn("can't be read", self.fails(path, "--targets", TARGETS, "-o", self.out("new"),
                                                  "--against", self.out("old")))

    @unittest.skipUnless(subprocess.run(["unshare", "--mount", "--map-root-user", "true"],
                                        capture_output=True, check=False).returncode == 0,
                         "no mount namespaces here")
    def test_a_full_disk(self) -> None:
        path = self.folder / "many.jsonl"
        path.write_text(lines(3000))
        small = self.folder / "small"
        small.mkdir()
        script = (f"mount -t tmpfs -o size=64k none {small} && "
                  f'"$@"; status=$?; ls {small}; exit $status')
        ended = subprocess.run(
            ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", sys.executable, "-m",
             "quantgate", "sweep", str(path), "--targets", TARGETS, "--nodes", "-o", f"{small}/out"],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertRegex(ended.stderr, r"\Aerror: .*[Nn]o space left on (the )?device\n\Z")
        self.assertIn(ended.stdout.split(), ([], ["out.partial"]))


class Shards(Sweep):
    def test_merged_they_are_the_whole(self) -> None:
        path = self.models(101)
        run.run(self.request(path, "whole"))
        shards = []
        for k in range(1, 8):
            run.run(self.request(path, f"shard{k}", shard=(k, 7)))
            shards.append(self.out(f"shard{k}"))
        ended = self.command("--merge", *reversed(shards), "-o", self.out("merged"))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        for table in ("models", "findings"):
            self.assertEqual(rows(self.out("whole"), table), rows(self.out("merged"), table))
        self.assertEqual((self.folder / "whole/summary.txt").read_text(), ended.stdout)
        self.assertIn("shard 3/7 is missing",
                      self.fails("--merge", *shards[:2], *shards[3:], "-o", self.out("m")))
        self.assertIn("given twice: 2/7",
                      self.fails("--merge", *shards, shards[1], "-o", self.out("m")))
        self.assertIn("no shard of a sweep",
                      self.fails("--merge", self.out("whole"), "-o", self.out("m")))
        Path(path).write_text(lines(102))
        run.run(self.request(path, "shard7", shard=(7, 7)))
        self.assertIn("different lists", self.fails("--merge", *shards, "-o", self.out("m")))


@unittest.skipUnless(HAS_DASK, "Dask isn't installed")
class OnDask(Sweep):
    def test_two_workers_say_what_one_machine_says(self) -> None:
        path = self.models(120)
        run.run(self.request(path, "local"))
        ended = self.command(path, "--targets", TARGETS, "--engine", "dask", "-j", "2", "-o",
                             self.out("dask"))
        self.assertEqual((ended.returncode, ended.stderr), (2, ""))
        for table in ("models", "findings"):
            self.assertEqual(rows(self.out("local"), table), rows(self.out("dask"), table))

    def test_no_scheduler(self) -> None:
        self.assertIn("tcp://127.0.0.1:1: no scheduler of Dask answers",
                      self.fails(self.models(4), "--targets", TARGETS, "--engine", "dask",
                                 "--scheduler", "tcp://127.0.0.1:1", "-o", self.out("out")))
        self.assertEqual(os.listdir(self.folder), ["4.jsonl"])

    def test_killed_workers_lose_no_row_and_repeat_none(self) -> None:
        path = self.models(400)
        run.run(self.request(path, "whole"))
        kills = []

        class Killed(dask_engine.Dask):
            """Every third answer costs a worker, of those that are there."""

            def wait(self, seconds: float) -> Any:
                results = super().wait(seconds)
                for _ in results[::3] if len(kills) < 6 else []:
                    pids = [nanny.pid for nanny in self._cluster.workers.values() if nanny.pid]
                    with contextlib.suppress(ProcessLookupError):  # it was killed just now
                        if pids:
                            os.kill(pids[0], signal.SIGKILL)
                            kills.append(pids[0])
                return results

        with mock.patch.object(run, "engine_of", lambda request, parts: Killed(request.job, parts, 2)), \
                mock.patch.object(driver.Pace, "size", lambda *_: 20):
            run.run(self.request(path, "killed"))
        self.assertGreater(len(kills), 2)
        for table in ("models", "findings"):
            self.assertEqual(rows(self.out("whole"), table), rows(self.out("killed"), table))


class Killer:
    """Kills workers of an engine at random moments, so many of them, but none over a single model: one that ends its
    process a few times is given up."""

    def __init__(self, engine: engines.Local, kills: int, seed: int) -> None:
        self.left, self.engine, self.random = kills, engine, random.Random(seed)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._kill, daemon=True)
        self.thread.start()

    def _kill(self) -> None:
        while self.left and not self.ended.wait(self.random.uniform(0.05, 0.3)):
            ready = [w for w in list(self.engine._workers) if w.is_ready and any(len(t.items) > 1 for t in w.tasks[:1])]
            if ready:
                os.kill(self.random.choice(ready).process.pid or 0, signal.SIGKILL)
                self.left -= 1


class Crashes(Sweep):
    def test_twenty_kills_lose_no_row_and_repeat_none(self) -> None:
        path = self.folder / "many.jsonl"
        path.write_text(lines(4000))
        run.run(self.request(str(path), "whole"))
        killers = []

        def engine_of(request: run.Request, parts: str) -> engines.Engine:
            engine = engines.Local(request.job, parts, request.jobs, serve_slowly)
            killers.append(Killer(engine, 20, seed=1))
            return engine

        with mock.patch.object(run, "engine_of", engine_of), \
                mock.patch.object(driver.Pace, "size", lambda *_: 60):
            run.run(self.request(str(path), "killed"))
        killers[0].ended.set()
        self.assertEqual(killers[0].left, 0)
        for table in ("models", "findings"):
            self.assertEqual(rows(self.out("whole"), table), rows(self.out("killed"), table))

    def test_resume_after_kills_of_the_driver(self) -> None:
        path = self.folder / "many.jsonl"
        path.write_text(lines(4000))
        run.run(self.request(str(path), "whole"))
        args = [sys.executable, "-m", "quantgate", "sweep", str(path), "--targets", TARGETS, "-j", "2",
                "-o", self.out("out"), "--resume"]
        dice, kills = random.Random(2), 0
        for _ in range(5):
            process = subprocess.Popen(args, stdout=subprocess.DEVNULL)
            # What is unfinished lies beside OUT, from the first moment of work.
            while process.poll() is None and set(os.listdir(self.folder)) <= {"many.jsonl", "whole"}:
                time.sleep(0.005)
            time.sleep(dice.uniform(0, 0.2))
            if process.poll() is None:
                process.kill()
                kills += 1
            process.wait()
            if os.path.exists(self.out("out")):  # finished before it was killed
                break
        else:
            last = subprocess.run(args, stdout=subprocess.DEVNULL, timeout=120)
            self.assertEqual(last.returncode, 2)
        self.assertGreater(kills, 0)
        for table in ("models", "findings"):
            self.assertEqual(rows(self.out("whole"), table), rows(self.out("out"), table))
        self.assertEqual(sorted(os.listdir(self.folder)), ["many.jsonl", "out", "whole"])

    def test_the_culprit_is_alone_and_recorded(self) -> None:
        path = self.models(300)
        run.run(self.request(path, "whole"))
        with mock.patch.object(run, "engine_of", lambda request, parts: engines.Local(
                request.job, parts, request.jobs, serve_deadly)):
            finished = run.run(self.request(path, "out"))
        whole = {row[:2]: row for row in rows(self.out("whole"))}
        made = {row[:2]: row for row in rows(self.out("out"))}
        self.assertEqual(whole.keys(), made.keys())
        differ = {key[0].rsplit(":", 1)[1] for key in made if made[key] != whole[key]}
        self.assertEqual(differ, {"18", "204"})
        error = next(row[-1] for row in rows(self.out("out")) if row[0].endswith(":18"))
        self.assertEqual(error, "it ends the process that reads it, 3 times out of 3: "
                                "signal 11 (Segmentation fault)")
        self.assertIn("3 models can't be read", finished.text)

    def test_unfinished_is_said(self) -> None:
        path = self.models(8)
        for _ in range(2):  # with nothing done, nothing is left
            with mock.patch.object(driver, "drive", side_effect=KeyboardInterrupt), \
                    self.assertRaises(KeyboardInterrupt):
                run.run(self.request(path, "out"))
            self.assertEqual(os.listdir(self.folder), ["8.jsonl"])
        with mock.patch.object(run, "engine_of", Interrupted), self.assertRaises(KeyboardInterrupt):
            run.run(self.request(path, "out"))
        self.assertIn("an unfinished sweep; --resume continues it",
                      self.fails(path, "--targets", TARGETS, "-o", self.out("out")))
        self.assertIn("with other arguments (job)",
                      self.fails(path, "--targets", "arch:v68", "--resume", "-o", self.out("out")))
        run.run(self.request(path, "out", resume=True))
        self.assertEqual(len(rows(self.out("out"))), 16)

    def test_workers_that_never_begin(self) -> None:
        with mock.patch.object(run, "engine_of", lambda request, parts: engines.Local(
                request.job, parts, request.jobs, serve_nothing)), \
                self.assertRaisesRegex(qg.SweepError, "end before they begin: exit status 7"):
            run.run(self.request(self.models(4), "out"))


class Interrupted(engines.Local):
    """Ctrl+C after the first chunk."""

    def __init__(self, request: run.Request, parts: str) -> None:
        super().__init__(request.job, parts, 1)

    def submit(self, task: engines.Task) -> None:
        super().submit(dataclasses.replace(task, items=task.items[:2]))

    def wait(self, seconds: float) -> Any:
        if super().wait(100) and self._workers[0].is_ready:
            raise KeyboardInterrupt
        return []


def serve_slowly(pipe: Any, job: work.Job, parts: str, threads: int) -> None:
    """A worker that takes a while over each chunk."""
    real = engines.run_task

    def slow(*args: Any) -> engines.Done:
        time.sleep(0.05)
        return real(*args)

    with mock.patch.object(engines, "run_task", slow):
        engines.serve(pipe, job, parts, threads)


def serve_deadly(pipe: Any, job: work.Job, parts: str, threads: int) -> None:
    """A worker that dies of a segmentation fault over these items."""
    real = engines.run_task

    def deadly(job: work.Job, parts: str, task: engines.Task, threads: int) -> engines.Done:
        if not task.error and {17, 203} & set(range(task.start, task.stop)):
            os.kill(os.getpid(), signal.SIGSEGV)
        return real(job, parts, task, threads)

    with mock.patch.object(engines, "run_task", deadly):
        engines.serve(pipe, job, parts, threads)


def serve_nothing(pipe: Any, job: work.Job, parts: str, threads: int) -> None:
    """A worker that can't begin."""
    os._exit(7)


class Parts(unittest.TestCase):
    def test_gaps(self) -> None:
        self.assertEqual(store.gaps([], 5), [(0, 5)])
        self.assertEqual(store.gaps([(0, 2), (3, 4)], 5), [(2, 3), (4, 5)])
        self.assertEqual(store.gaps([(0, 4), (0, 2), (2, 4)], 4), [])
        self.assertEqual(store.gaps([], 0), [])

    def test_cover(self) -> None:
        self.assertEqual(store.cover([(0, 4), (0, 2), (2, 4), (4, 5)], 5)[-1], (4, 5))
        # Of a worker that was thought dead, whose range fits no others.
        self.assertEqual(store.cover([(0, 3), (2, 5), (3, 5)], 5), [(0, 3), (3, 5)])
        self.assertEqual(store.cover([], 0), [])
        with self.assertRaises(qg.SweepError):
            store.cover([(0, 2), (3, 5)], 5)

    def test_what_is_lost_is_halved_then_tried_again_then_recorded(self) -> None:
        items = [inputs.Item(str(i)) for i in range(5)]
        halves = driver.parts_of(engines.Task(10, items), "x")
        self.assertEqual([(t.start, t.stop) for t in halves], [(10, 12), (12, 15)])
        alone = engines.Task(10, items[:1])
        for attempt in range(2, driver.MAX_ATTEMPTS + 1):
            [alone] = driver.parts_of(alone, "x")
            self.assertEqual((alone.attempt, alone.error), (attempt, ""))
        [recorded] = driver.parts_of(alone, "signal 9")
        self.assertIn("signal 9", recorded.error)

    def test_remaining(self) -> None:
        self.assertEqual([driver.remaining(s) for s in (5, 600, 12000)],
                         ["5 s", "10 min", "3 h 20 min"])
        progress = driver.Progress(1000, 500, quiet=True)
        progress.add(100)
        self.assertEqual(progress.line(10), "600 of 1,000, 10 a second, 40 s left")


if __name__ == "__main__":
    unittest.main()
