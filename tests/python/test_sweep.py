"""quantgate.sweep(): paths, tables, and what they share with check()."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import quantgate as qg

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PLANTED = EXAMPLES / "planted.onnx"


def relu(dtype: str = "UFIXED_POINT_8") -> dict[str, Any]:
    encoding = {"perTensor": {"scale": 0.02, "zeroPoint": 128}}
    return {"dialect": "qnn", "inputs": ["x"], "outputs": ["y"],
            "tensors": [{"name": name, "dtype": dtype, "dims": [1, 8], "encoding": encoding}
                        for name in "xy"],
            "nodes": [{"name": "n", "op": "Relu", "inputs": ["x"], "outputs": ["y"]}]}


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)


class Tables(Folder):
    def test_a_row_is_what_check_says(self) -> None:
        table = qg.sweep(PLANTED, "SM8550,arch:v79@2.25")
        table.validate(full=True)
        self.assertEqual(table.column("target").to_pylist(), ["SM8550", "arch:v79@2.25"])
        for row, target in zip(table.to_pylist(), ({"soc": "SM8550"}, {"arch": "v79", "sdk": "2.25"})):
            report = qg.check(PLANTED, **target)
            self.assertEqual(row["model"], str(PLANTED))
            self.assertEqual(row["verdict"], report.verdict)
            self.assertEqual(row["failed"], report.failed)
            self.assertEqual(row["findings"], len(report.findings))
            self.assertEqual({name: row[name] for name in report.summary}, report.summary)
            self.assertEqual((row["sdk"], row["arch"]), (report.sdk, report.arch))
            self.assertIsNone(row["error"])

    def test_findings_and_nodes(self) -> None:
        report = qg.check(PLANTED, soc="SM8550")
        findings = qg.sweep(PLANTED, ["SM8550"], table="findings")
        findings.validate(full=True)
        self.assertEqual([(row["code"], row["node"] or "", row["message"])
                          for row in findings.to_pylist()],
                         [(f.code, f.node, f.message) for f in report.findings])
        nodes = qg.sweep(PLANTED, ["SM8550"], table="nodes")
        nodes.validate(full=True)
        self.assertEqual([(row["node"], row["verdict"]) for row in nodes.to_pylist()],
                         [(n.name, n.verdict) for n in report.nodes])

    def test_threads_change_nothing(self) -> None:
        paths = [str(EXAMPLES), str(EXAMPLES / "*.onnx")]
        one = qg.sweep(paths, "arch:v68,arch:v81", table="findings", threads=1)
        self.assertGreater(one.num_rows, 100)
        self.assertTrue(one.equals(qg.sweep(paths, "arch:v68,arch:v81", table="findings", threads=3)))

    def test_a_broken_file_is_a_row_with_its_error(self) -> None:
        self.write("a.onnx", b"\x08\xff")
        self.write("b.json", json.dumps(relu()))
        self.write("c.pt2", b"no zip")
        rows = qg.sweep(self.folder, "arch:v73,arch:v79").to_pylist()
        self.assertEqual(len(rows), 6)
        self.assertEqual([row["verdict"] for row in rows], [None, None, "accepted", "accepted", None, None])
        self.assertIn("byte", rows[0]["error"])
        self.assertTrue(rows[0]["failed"])
        self.assertIsNone(rows[0]["nodes"])
        self.assertTrue(rows[4]["error"])
        with self.assertRaises(qg.InputError) as caught:
            qg.check(self.folder / "a.onnx")
        self.assertEqual(rows[0]["error"], caught.exception.reason)

    def test_no_rows_still_have_columns(self) -> None:
        path = self.write("b.json", json.dumps(relu()))
        findings = qg.sweep(path, "arch:v73", table="findings")
        self.assertEqual(findings.num_rows, 0)
        self.assertIn("message", findings.column_names)


class Paths(Folder):
    def sources(self, *paths: str) -> list[str]:
        rows = qg.sweep(list(paths), "arch:v73").to_pylist()
        for row in rows:
            self.assertEqual(row["verdict"], "accepted", row)
        return [row["model"].removeprefix(str(self.folder) + "/") for row in rows]

    def test_folders_globs_and_lines(self) -> None:
        text = json.dumps(relu())
        self.write("sub/deep/b.json", text)
        self.write("sub/a.jsonl", f"{text}\n \n{text}")
        self.write("sub/notes.json", '{"nothing": 1}')
        self.write("other.json", text)
        folder = str(self.folder)
        self.assertEqual(self.sources(folder + "/sub"),
                         ["sub/a.jsonl:1", "sub/a.jsonl:3", "sub/deep/b.json"])
        self.assertEqual(self.sources(folder + "/other.json", folder + "/**/b.j*"),
                         ["other.json", "sub/deep/b.json"])

    def test_archives(self) -> None:
        text = json.dumps(relu()).encode()
        with zipfile.ZipFile(self.folder / "zoo.zip", "w") as zipped:
            for name in ("m/b.json", "a.jsonl", "readme.txt"):
                zipped.writestr(name, text + b"\n" + text if name == "a.jsonl" else text)
        tarred = io.BytesIO()
        with tarfile.open(fileobj=tarred, mode="w") as tar:
            for name in ("z.json", "a.json"):
                info = tarfile.TarInfo(name)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))
        self.write("zoo.tar", tarred.getvalue())
        self.write("zoo.tgz", gzip.compress(tarred.getvalue()))
        self.assertEqual(self.sources(str(self.folder)),
                         ["zoo.tar/z.json", "zoo.tar/a.json", "zoo.tgz/z.json", "zoo.tgz/a.json",
                          "zoo.zip/m/b.json", "zoo.zip/a.jsonl:1", "zoo.zip/a.jsonl:2"])

    def test_a_broken_member_is_a_row(self) -> None:
        path = self.folder / "zoo.zip"
        with zipfile.ZipFile(path, "w") as zipped:
            zipped.writestr("a.json", json.dumps(relu()))
            zipped.writestr("b.json", json.dumps(relu()))
        data = bytearray(path.read_bytes())
        data[data.index(b"Relu")] ^= 1  # the check sum of a.json no longer fits
        path.write_bytes(data)
        rows = qg.sweep(path, "arch:v73").to_pylist()
        self.assertEqual([row["verdict"] for row in rows], [None, "accepted"])
        self.assertIn("can't be unpacked", rows[0]["error"])

    def test_urls(self) -> None:
        self.write("m/a.json", json.dumps(relu()))
        shutil.make_archive(str(self.folder / "zoo"), "zip", self.folder / "m")
        for url in (f"file://{self.folder}/m", f"file://{self.folder}/m/*.json"):
            self.assertEqual(qg.sweep(url, "arch:v73").column("verdict").to_pylist(), ["accepted"])
        zipped = qg.sweep(f"file://{self.folder}/zoo.zip", "arch:v73")
        self.assertEqual(zipped.column("verdict").to_pylist(), ["accepted"])

    def test_what_is_not_there(self) -> None:
        empty = self.write("empty/notes.txt", "x")
        for path, reason in ((self.folder / "no.onnx", "no such file"),
                             (self.folder / "*.onnx", "no file matches"),
                             (Path(empty).parent, "holds no model"),
                             ("nonsense://x/y", "nonsense"),
                             (self.write("bad.zip", b"PK no"), "no archive that can be read")):
            with self.subTest(path), self.assertRaises(qg.SweepError) as caught:
                qg.sweep(path, "arch:v73")
            self.assertIn(reason, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))


class Arguments(unittest.TestCase):
    def test_targets(self) -> None:
        labels = qg.sweep(PLANTED, ["sm8550", "arch:v79@2.25", "cpu@2.47"], sdk=["2.47", "2.51"])
        self.assertEqual(labels.column("target").to_pylist(),
                         ["SM8550@2.47", "SM8550@2.51", "arch:v79@2.25", "cpu@2.47"])
        self.assertEqual(labels.column("backend").to_pylist(), ["htp", "htp", "htp", "cpu"])

    def test_wrong_ones(self) -> None:
        for targets, reason in (("SM8551", "SM8550"), ("", "empty"), ("arch:", "missing"),
                                ("arc:v79", "did you mean arch?")):
            with self.subTest(targets), self.assertRaisesRegex(qg.TargetError, reason):
                qg.sweep(PLANTED, targets)
        with self.assertRaisesRegex(ValueError, "mode"):
            qg.sweep(PLANTED, "SM8550", mode="no")  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "known: models, findings, nodes"):
            qg.sweep(PLANTED, "SM8550", table="no")  # type: ignore[arg-type]

    def test_modes(self) -> None:
        strict = qg.sweep(PLANTED, "SM8550").column("failed").to_pylist()
        warn = qg.sweep(PLANTED, "SM8550", mode="warn").column("failed").to_pylist()
        self.assertEqual((strict, warn), ([True], [False]))

    def test_stream_outlives_its_sweep(self) -> None:
        from quantgate import _core
        from quantgate._knowledge import EMBEDDED

        sweeper = _core.Sweeper("SM8550", "htp", [], None, "strict", "wrong_values", EMBEDDED._core)
        models, _, _ = sweeper.run([(str(PLANTED), 0, 0, 0, None, None, "")], 1, False, False)
        capsule = models.__arrow_c_stream__()
        del sweeper, models
        table = pa.RecordBatchReader._import_from_c_capsule(capsule).read_all()
        self.assertEqual(table.num_rows, 1)


if __name__ == "__main__":
    unittest.main()
