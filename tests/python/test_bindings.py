"""The Python module says what the command line says, for every fixture and example.

Imports quantgate from wherever it is installed; $QUANTGATE_CLI is the binary to compare with.
Packages that aren't there (onnx, pandas, mypy) skip their tests.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib.util
import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.append(str(ROOT / "tests" / "cli"))  # behind: it has modules of the same names as this folder

import cli_case  # noqa: E402
from tools.dev.record import goldens as update_goldens  # noqa: E402

import quantgate as qg  # noqa: E402
from quantgate._models import to_model  # noqa: E402

# In an environment with the wheel: the tool that came with it.
CLI = (os.environ.get("QUANTGATE_CLI")
       or shutil.which("quantgate", path=str(Path(sys.executable).parent)))
_OPDEFC = ROOT / "build" / "tools" / "opdefc" / "opdefc"
OPDEFC = _OPDEFC if _OPDEFC.exists() else None
EXAMPLES = sorted(file for file in (ROOT / "docs" / "examples").iterdir()
                  if file.suffix in (".onnx", ".json"))


def has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def cli_json(*arguments: str) -> list[dict]:
    """What the command line prints as JSON lines, or one JSON text."""
    run = subprocess.run([str(CLI), *arguments, "--format", "json"], capture_output=True,
                         text=True, timeout=120, cwd=ROOT)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stderr)
    try:
        return [json.loads(run.stdout)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in run.stdout.splitlines()]


def keywords(arguments: list[str]) -> dict:
    """The flags of `quantgate check` as arguments of check()."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    for name in ("soc", "arch", "sdk", "backend", "route", "mode", "fail-on"):
        parser.add_argument(f"--{name}", default=argparse.SUPPRESS)
    parser.add_argument("--opdefs", action="append", default=argparse.SUPPRESS)
    return vars(parser.parse_args(arguments))


class AsTheCommandLine(unittest.TestCase):
    maxDiff = None

    def test_goldens(self) -> None:
        count = 0
        with contextlib.chdir(ROOT):
            for case in update_goldens.cases():
                path = str(case.model.relative_to(ROOT))
                if "--encodings" in case.arguments():
                    continue  # read by the command line tool only
                with self.subTest(model=path):
                    report = qg.check(path, **keywords(case.arguments()))
                    self.assertEqual(update_goldens.normalised(report.to_json()) + "\n",
                                     case.golden("json").read_text())
                    self.assertEqual(str(report), case.golden("text").read_text())
                    count += 1
        self.assertGreater(count, 70)

    def test_examples(self) -> None:
        for flags in ({"soc": "SM8550"}, {"arch": "v68", "sdk": "2.25", "mode": "warn"},
                      {"soc": "SM8750", "route": "direct", "fail_on": "undocumented"}):
            arguments = [part for key, value in flags.items()
                         for part in (f"--{key.replace('_', '-')}", value)]
            reported = cli_json("check", *map(str, EXAMPLES), *arguments)
            self.assertEqual(len(reported), len(EXAMPLES))
            for path, expected in zip(EXAMPLES, reported, strict=True):
                with self.subTest(model=path.name, flags=flags):
                    self.assertEqual(qg.check(path, **flags).to_dict(), expected)

    def test_fields_are_those_of_the_json(self) -> None:
        for path in EXAMPLES:
            report = qg.check(path, soc="SM8550")
            reported = report.to_dict()
            with self.subTest(model=path.name):
                self.assertEqual((report.verdict, report.failed, report.summary, report.mode),
                                 (reported["verdict"], reported["failed"], reported["summary"], reported["mode"]))
                self.assertEqual({"backend": report.backend, "sdk": report.sdk,
                                  "arch": report.arch, "soc": report.soc}, reported["target"])
                self.assertEqual({"sdk": report.knowledge_sdk, "measured": report.measured},
                                 reported["knowledge"])
                self.assertEqual((list(report.notes), report.route, report.model),
                                 (reported["notes"], reported["route"], str(path)))
                self.assertEqual(len(report.nodes), len(reported["nodes"]))
                for node, expected in zip(report.nodes, reported["nodes"], strict=True):
                    self.assertEqual(
                        (node.name, node.op, list(node.resolved), node.verdict, node.into,
                         node.reason),
                        (expected["name"], expected["op"], expected["resolved"],
                         expected["verdict"], expected.get("into", ""),
                         expected.get("reason", "")))
                self.assertEqual(len(report.findings), len(reported["findings"]))
                for finding, expected in zip(report.findings, reported["findings"], strict=True):
                    for key in ("code", "rule", "constraint", "consequence", "level", "node",
                                "op", "port", "tensor", "message", "found", "allowed"):
                        self.assertEqual(getattr(finding, key), expected[key])
                    self.assertEqual(finding.op_index, expected.get("opIndex"))
                    self.assertEqual((list(finding.sources), list(finding.related)),
                                     (expected["sources"], expected["related"]))
                    self.assertEqual([(fix.summary, fix.safe) for fix in finding.fixes],
                                     [(fix["summary"], fix["safe"]) for fix in expected["fixes"]])
                    for fix, told_fix in zip(finding.fixes, expected["fixes"], strict=True):
                        self.assertEqual([(edit.op, edit.path) for edit in fix.edits],
                                         [(edit["op"], edit["path"]) for edit in told_fix["edits"]])
                    if finding.node_index is not None:
                        self.assertEqual(report.nodes[finding.node_index].name, finding.node)

    def test_query(self) -> None:
        for op in ("Conv2d", "MatMul", "Reshape", "Concat"):
            [reported] = cli_json("query", op, "--soc", "SM8550")
            info = qg.query(op, soc="SM8550")
            with self.subTest(op=op):
                self.assertEqual((info.name, info.backend, info.lists_per_port, info.since,
                                  info.until, info.archs),
                                 (reported["op"], reported["backend"], reported["listsPerPort"],
                                  reported["since"], reported["until"], reported["archs"]))
                for ports, key in ((info.inputs, "inputs"), (info.outputs, "outputs")):
                    self.assertEqual(
                        [(p.name, p.role, p.optional, p.variadic, p.channel_axis) for p in ports],
                        [(p["port"], p["role"], p["optional"], p["variadic"],
                          p.get("channelAxis")) for p in reported[key]])
                # What the command line tells beyond is not of the op but of its display.
                for ours, theirs in (
                        ([{"name": p.name, "dtype": p.dtype, "required": p.required,
                           "values": p.values, "rank": p.rank, "default": p.default}
                          for p in info.params], reported["params"]),
                        ([{"id": v.id, "group": v.group, "dtypes": [list(d) for d in v.dtypes],
                           "consequence": v.consequence, "since": v.since, "until": v.until,
                           "archs": v.archs, "sources": list(v.sources),
                           "undocumentedUntil": v.undocumented_until}
                          for v in info.variants], reported["variants"]),
                        ([{"id": c.id, "port": c.port, "kind": c.kind, "rule": c.rule,
                           "text": c.text, "consequence": c.consequence, "since": c.since,
                           "until": c.until, "archs": c.archs, "groups": list(c.groups),
                           "sources": list(c.sources), "note": c.note,
                           "measured": {"since": c.measured_since,
                                        "consequence": c.measured_consequence}
                           if c.measured_since else None}
                          for c in info.constraints], reported["constraints"])):
                    self.assertEqual(len(ours), len(theirs))
                    for our, their in zip(ours, theirs, strict=True):
                        self.assertEqual(our, {key: their[key] for key in our})
        self.assertEqual(qg.query("Conv2d").inputs[1].role, "weight")
        self.assertIn("Conv2d", qg.ops(arch="v73"))

    def test_encoding_rules(self) -> None:
        rules = {}
        for op in ("Conv2d", "Sigmoid", "Reshape", "MatMul"):
            for variant in qg.query(op, arch="v73", sdk="2.51").variants:
                if "".join(variant.dtypes[0]) == "UFIXED_POINT_16":
                    rules.setdefault(op, variant.encoding_rules)
        [symmetric] = [rule for rule in rules["Conv2d"] if rule.kind == "symmetric"
                       and rule.port == "in[1]" and "AXIS_SCALE_OFFSET" in rule.encodings]
        self.assertEqual(symmetric.consequence, "rejected")
        [axis] = {rule.axis for rule in rules["Conv2d"] if rule.kind == "quant_axis"
                  and "AXIS_SCALE_OFFSET" in rule.encodings and rule.port == "in[1]"}
        self.assertEqual(axis, 3)
        fixed = [rule for rule in rules["Sigmoid"] if rule.kind == "fixed_encoding"]
        self.assertIn((1 / 65536, 0), [(rule.scale, rule.offset) for rule in fixed])
        [same] = [rule for rule in rules["Reshape"] if rule.kind == "same_encoding"]
        self.assertEqual((same.port, same.same_as, same.aspect, same.consequence),
                         ("out[0]", "in[0]", "both", "wrong_values"))
        # What depends on params is no rule of dtypes alone.
        self.assertFalse([rule for rule in rules["MatMul"] if rule.kind == "quant_axis"
                          and "AXIS_SCALE_OFFSET" in rule.encodings])

    def test_verdicts_of_dtypes(self) -> None:
        u8, s8, u16, s16 = "UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "SFIXED_POINT_16"
        for arch, expected in (("v69", "rejected"), ("v73", "accepted")):
            conv = qg.query("Conv2d", arch=arch, sdk="2.51")
            self.assertEqual(conv.verdict([u16, s16, None, u16]), expected)
            self.assertEqual(conv.verdict([u8, s8, "SFIXED_POINT_32", u8]), "accepted")
            self.assertEqual(conv.verdict([u8, s8, None, u16]), "rejected")
        lpbq = {"in[1]": "BLOCKWISE_EXPANSION"}
        self.assertEqual([qg.query("Conv2d", arch=arch, sdk="2.25").verdict(
            [u16, s8, None, u16], lpbq) for arch in ("v68", "v75", "v79")],
            ["rejected", "undocumented", "accepted"])
        conv = qg.query("Conv2d")
        for dtypes, says in (([u8], "1 of them for 4 ports"), (["U8"] * 4, "unknown datatype 'U8'")):
            with self.assertRaisesRegex(ValueError, says):
                conv.verdict(dtypes)
        with self.assertRaisesRegex(TypeError, r"dtypes\[0\]: expected a str, got int"):
            conv.verdict([1, None, None, None])

    def test_opdefs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            mine = Path(folder) / "targets.yaml"
            mine.write_text("socs:\n  - {id: 9001, name: MYCHIP, arch: v75, sources: [docs-2.25]}\n")
            database = qg.Database(folder)
            target = database.target(soc=9001)
            self.assertEqual((target.soc, target.arch), ("MYCHIP", "v75"))
            self.assertIn("MYCHIP", [soc.name for soc in database.targets().socs])
            self.assertEqual(qg.check(cli_case.good(), soc="mychip", opdefs=[folder]).soc, "MYCHIP")
            self.assertEqual(qg.Validator(target).check(cli_case.good()).verdict, "accepted")
            over = qg.Validator(qg.Target(soc="SM8550"), opdefs=Path(folder))
            self.assertEqual(over.check(cli_case.good()).soc, "SM8550")
            with self.assertRaises(qg.TargetError):
                qg.Target(soc="MYCHIP")
            with self.assertRaisesRegex(TypeError, "opdefs"):
                pickle.dumps(target)
            mine.write_text("socs:\n  - {id: x}\n")
            with self.assertRaisesRegex(qg.OpdefsError, "targets.yaml:2:"):
                qg.Database([folder])
        with self.assertRaises(qg.OpdefsError):
            qg.Database(folder)
        with self.assertRaises(TypeError):
            qg.Database([3])

    def test_database_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "none.qgdb"
            with self.assertRaisesRegex(qg.OpdefsError, "none.qgdb: No such file"):
                qg.Database(file=path)
            path.write_bytes(b"x" * 10000)
            with self.assertRaisesRegex(qg.OpdefsError, "none.qgdb: not a database compiled by opdefc"):
                qg.Database(file=str(path))
        if OPDEFC is None:
            self.skipTest("opdefc is not built beside the command line")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "same.qgdb"
            subprocess.run([OPDEFC, "compile", ROOT / "opdefs", "-o", path], check=True)
            database = qg.Database(file=path)
            self.assertEqual(repr(database), f"Database(file={str(path)!r})")
            self.assertEqual(database.targets(), qg.targets())
            report = qg.Validator(database.target(soc="SM8550")).check(cli_case.bad())
            self.assertEqual(report.to_json(), qg.check(cli_case.bad(), soc="SM8550").to_json())

    def test_targets_and_rules(self) -> None:
        [reported] = cli_json("targets")
        known = qg.targets()
        self.assertEqual([(b.name, list(b.sdks), list(b.archs)) for b in known.backends],
                         [(b["name"], b["sdks"], b["archs"]) for b in reported["backends"]])
        self.assertEqual([(s.name, list(s.other_names), s.id, s.arch, s.vtcm_mb)
                          for s in known.socs],
                         [(s["name"], s["otherNames"], s["id"], s.get("arch", ""),
                           s.get("vtcmMb", 0)) for s in reported["socs"]])
        [reported] = cli_json("explain", "--all")
        for rule in reported["rules"]:
            rule.pop("examples")  # made of the fixtures, for the command line tool
            evidence = rule.pop("evidence")
            self.assertEqual(qg.explain(rule["code"]).evidence, (
                evidence["basis"],
                tuple((one["where"], one["what"]) for one in evidence["reported"]),
                tuple((one["example"], one["by"], one["said"]) for one in evidence["judged"])))
        self.assertTrue(any(rule.evidence.judged for rule in qg.rules()))
        self.assertEqual([{**rule._asdict(), "evidence": None} for rule in qg.rules()],
                         [{**rule, "evidence": None} for rule in reported["rules"]])
        self.assertEqual(qg.explain("qg301"), qg.explain("asymmetric-encoding"))


class Views(unittest.TestCase):
    """As the command line says it."""

    def test_survey(self) -> None:
        path = ROOT / "docs/examples/planted.onnx"
        said = cli_json("check", str(path), "--all-socs")[0]
        survey = qg.survey(path)
        self.assertEqual([fit.arch for fit in survey.archs],
                         [arch.get("arch", "") for arch in said["archs"]])
        self.assertEqual([(fit.fit, list(fit.socs)) for fit in survey.archs],
                         [(arch["fit"], arch["socs"]) for arch in said["archs"]])
        self.assertEqual(survey.of("sm8550").arch, "v73")
        with self.assertRaises(KeyError):
            survey.of("SM0")

    def test_matrix(self) -> None:
        said = cli_json("matrix", "Conv2d", "MatMul", "--by", "sdk")[0]
        matrix = qg.matrix("Conv2d", "MatMul", by="sdk")
        self.assertEqual([column.name for column in matrix.columns],
                         [column["name"] for column in said["columns"]])
        self.assertEqual([row.op for row in matrix.rows], [row["op"] for row in said["rows"]])
        self.assertIn("16a8w", [taken.precision for taken in matrix.cell("Conv2d", "2.51") or ()])
        self.assertGreater(len(qg.matrix(by="soc").columns), 3)

    def test_diff(self) -> None:
        said = cli_json("diff", "--from", "2.25", "--to", "2.51")[0]
        diff = qg.diff("2.25", "2.51")
        self.assertEqual([op.op for op in diff.ops], [op["op"] for op in said["ops"]])
        self.assertEqual(sum(len(op.changes) for op in diff.ops),
                         sum(len(op.get("changes", ())) for op in said["ops"]))

    def test_as_run(self) -> None:
        path = ROOT / "docs/examples/planted.onnx"
        said = cli_json("check", str(path), "--as-run", "--soc", "SM8550")[0]
        report = qg.check(path, soc="SM8550", as_run=True)
        self.assertEqual(report.to_dict()["asRun"], said["asRun"])
        assert report.as_run is not None
        self.assertEqual(len(report.as_run.nodes), len(report.nodes))
        self.assertIsNone(qg.check(path, soc="SM8550").as_run)
        again = pickle.loads(pickle.dumps(report))
        self.assertEqual(again.as_run, report.as_run)

    def test_wrong_words(self) -> None:
        with self.assertRaisesRegex(qg.UnknownNameError, "did you mean Conv2d"):
            qg.matrix("Conv2x")
        with self.assertRaisesRegex(qg.TargetError, "both must be of one kind"):
            qg.diff("v69", "2.25")
        with self.assertRaisesRegex(qg.TargetError, "older than the oldest"):
            qg.survey(ROOT / "docs/examples/planted.onnx", sdk="1.0")
        with self.assertRaisesRegex(ValueError, "known: arch, sdk, backend, soc"):
            qg.matrix(by="chip")  # type: ignore[arg-type]
        with self.assertRaisesRegex(qg.InputError, "no such file"):
            qg.check(ROOT / "docs/examples/planted.onnx", encodings="none.encodings")


class Inputs(unittest.TestCase):
    def test_one_model_in_every_form(self) -> None:
        path = ROOT / "docs" / "examples" / "planted_qnn.json"
        text = path.read_text()

        def reported(model: qg.ModelLike) -> dict:
            report = qg.check(model, soc="SM8550").to_dict()
            del report["model"]
            return report

        expected = reported(path)
        self.assertGreater(len(expected["findings"]), 5)
        [read] = qg.read(path)
        for form in (str(path), text, text.encode(), bytearray(text.encode()),
                     memoryview(text.encode()), json.loads(text), read,
                     qg.Model.from_json(text), qg.Model.from_json(read.to_json()),
                     qg.Model.from_json(read.to_json(0).encode())):
            with self.subTest(form=type(form).__name__):
                self.assertEqual(reported(form), expected)

    def test_onnx_bytes(self) -> None:
        path = ROOT / "docs" / "examples" / "planted.onnx"
        expected = qg.check(path).to_dict()
        for model in (path.read_bytes(), qg.Model.from_onnx(path.read_bytes(), name=str(path))):
            report = qg.check(model).to_dict()
            self.assertEqual(report["findings"], expected["findings"])
            self.assertEqual(report["nodes"], expected["nodes"])

    @unittest.skipUnless(has("onnx"), "onnx isn't installed")
    def test_onnx_model_proto(self) -> None:
        import onnx
        path = ROOT / "docs" / "examples" / "planted.onnx"
        proto = onnx.load(path)
        report = qg.check(proto, soc="SM8550")
        self.assertEqual(report.to_dict()["findings"],
                         qg.check(path, soc="SM8550").to_dict()["findings"])
        self.assertEqual(report.model, proto.graph.name)

    def test_values_that_json_has_not(self) -> None:
        class Array:
            def tolist(self) -> list[float]:
                return [0.01]

        model = cli_case.good()
        model["tensors"][1]["encoding"]["perChannel"]["scales"] = Array()
        self.assertEqual(qg.check(model).verdict, "accepted")
        model["tensors"][0]["encoding"]["perTensor"]["scale"] = float("nan")
        self.assertIn('"scale": "NaN"', to_model(model).to_json(0))

    def test_bad_input_is_one_clear_error(self) -> None:
        deep: dict = {}
        for _ in range(100_000):
            deep = {"a": deep}
        cases = {
            "missing": ("missing.onnx", "missing.onnx: "),
            "directory": (ROOT, str(ROOT) + ": "),
            "empty": (b"", "model: the input is empty"),
            "truncated JSON": ('{"nodes": [', "model: "),
            "truncated ONNX": ((ROOT / "docs/examples/planted.onnx").read_bytes()[:999], "byte"),
            "zip": (b"PK\x03\x04", "model: "),
            "noise": (bytes(range(1, 99)), "model: "),
            "unknown field": ({"nodez": []}, "nodez"),
            "set": ({"nodes": {1}}, "model: "),
            "deep": (deep, "model: "),
            "surrogate": ({"name": "\ud800"}, "\\ud800"),
        }
        for name, (model, says) in cases.items():
            with self.subTest(name), self.assertRaises(qg.InputError) as caught:
                qg.check(model)
            self.assertIn(says, str(caught.exception), name)
            self.assertNotIn("\n", str(caught.exception))
            self.assertIsInstance(caught.exception, ValueError)

    def test_wrong_types_and_words(self) -> None:
        class Raises:
            def __getattr__(self, name: str) -> None:
                raise RuntimeError("no attributes today")

            @property
            def graph(self) -> None:
                raise RuntimeError("no graph today")

            def SerializeToString(self) -> bytes:  # noqa: N802
                raise RuntimeError("no bytes today")

        class Proto:
            graph = None

            def SerializeToString(self) -> str:  # noqa: N802
                return "no bytes"

        class Mute(dict):
            def items(self) -> None:
                raise RuntimeError("no items today")

        for model in (None, 3, [1], object(), 1.5, Proto(), type):
            with self.subTest(model=model), self.assertRaises(TypeError):
                qg.check(model)
        for model in (Raises(), Mute()):
            with self.subTest(model=type(model)), self.assertRaisesRegex(qg.InputError, "today"):
                qg.check(model)
        for arguments in ({"soc": 1.5}, {"soc": b"SM8550"}, {"soc": True}, {"arch": 73},
                          {"sdk": 2.51}, {"backend": None}, {"opdefs": 3}, {"mode": 3},
                          {"fail_on": None}, {"route": 1}):
            with self.subTest(arguments), self.assertRaises(TypeError):
                qg.check(cli_case.good(), **arguments)
        for arguments, says in (({"mode": "strickt"}, "strict"),
                                ({"fail_on": "accepted"}, "fail_on"), ({"route": "onnxruntme"}, "onnxruntime"),
                                ({"route": "executorch@one"}, "as in executorch@1.5")):
            with self.assertRaisesRegex(ValueError, says):
                qg.check(cli_case.good(), **arguments)
        for arguments, says in (({"soc": "SM8551"}, "SM8550"), ({"arch": "v72"}, "v73"),
                                ({"sdk": "1.0"}, "1.0"), ({"backend": "hpt"}, "htp")):
            with self.assertRaisesRegex(qg.TargetError, says):
                qg.check(cli_case.good(), **arguments)
        with self.assertRaisesRegex(qg.UnknownNameError, "Conv2d"):
            qg.query("Conv2")
        with self.assertRaisesRegex(qg.UnknownNameError, "QG301"):
            qg.explain("QG30")

    def test_several_models(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "two.jsonl"
            path.write_text(json.dumps(cli_case.good()) + "\n" + json.dumps(cli_case.bad()) + "\n")
            models = qg.read(path)
            self.assertEqual([model.source for model in models], [f"{path}:1", f"{path}:2"])
            self.assertEqual([qg.check(model).verdict for model in models],
                             ["accepted", "rejected"])
            with self.assertRaisesRegex(qg.InputError, "2 models"):
                qg.check(path)

    def test_names_that_are_not_utf8(self) -> None:
        # In protobuf nothing holds names to UTF-8. A graph of one node and no tensor:
        # node { name: "\xff" op_type: "Relu" }
        node = b"\x1a\x01\xff\x22\x04Relu"
        graph = b"\x0a" + bytes([len(node)]) + node
        report = qg.check(b"\x08\x08\x3a" + bytes([len(graph)]) + graph + b"\x42\x02\x10\x11")
        self.assertEqual(report.nodes[0].name, "\N{REPLACEMENT CHARACTER}")
        self.assertEqual(report.to_dict()["nodes"][0]["name"], report.nodes[0].name)


class Reports(unittest.TestCase):
    def test_verdicts_raise_only_when_asked(self) -> None:
        good, bad = qg.check(cli_case.good()), qg.check(cli_case.bad())
        good.raise_for_verdict()
        self.assertEqual((good.verdict, good.failed, bad.verdict, bad.failed),
                         ("accepted", False, "rejected", True))
        with self.assertRaises(qg.ValidationError) as caught:
            bad.raise_for_verdict()
        self.assertIs(caught.exception.report, bad)
        self.assertIn("QG301", str(caught.exception))
        qg.check(cli_case.bad(), mode="warn").raise_for_verdict()

    def test_copies_and_pickles(self) -> None:
        report = qg.check(ROOT / "docs" / "examples" / "planted.onnx", soc="SM8550", mode="warn")
        for value in (report, report.findings[0], report.nodes[0], report.checked,
                      qg.Target(soc=43), qg.query("Conv2d"), qg.Encoding.per_tensor(0.5)):
            self.assertIs(copy.copy(value), value)
            self.assertEqual(copy.deepcopy([value]), [value])
        again = pickle.loads(pickle.dumps(report))
        self.assertEqual(again.to_json(), report.to_json())
        self.assertEqual(again.checked.to_json(), report.checked.to_json())
        for target in (qg.Target(soc="SM8550", sdk="2.25"), qg.Target(arch="v79")):
            self.assertEqual(repr(pickle.loads(pickle.dumps(target))), repr(target))

    def test_the_model_can_be_looked_at(self) -> None:
        model = qg.Model.from_json(json.dumps(cli_case.good()))
        [node] = model.nodes
        self.assertEqual([model.tensors[i].name for i in node.inputs if i is not None], ["x", "w"])
        x, w, _ = model.tensors
        reported = cli_case.good()
        self.assertEqual((w.dtype, w.shape, w.static, w.values),
                         (reported["tensors"][1]["dtype"], tuple(reported["tensors"][1]["dims"]), True,
                          None))
        self.assertEqual(x.encoding.kind, "per-tensor")
        self.assertEqual(node.params["stride"], tuple(reported["nodes"][0]["params"]["stride"]
                                                      ["tensor"]["ints"]))
        del model, x
        self.assertEqual(w.encoding.kind, "per-channel")

    def test_parts_outlive_their_report(self) -> None:
        finding = qg.check(cli_case.bad()).findings[0]
        fixes = qg.check(cli_case.bad()).findings[0].fixes
        port = qg.query("Conv2d").inputs[1]
        self.assertEqual((finding.code, finding.node, finding.port), ("QG301", "n0", "in[1]"))
        self.assertTrue(all(fix.summary for fix in fixes))
        self.assertEqual(port.name, "in[1]")

    def test_html_shows_names_as_text(self) -> None:
        model = cli_case.bad()
        model["nodes"][0]["name"] = "<script>alert(1)</script>"
        html = qg.check(model)._repr_html_()
        self.assertNotIn("<script", html)
        self.assertIn("&lt;script&gt;", html)
        self.assertIn("QG301", html)

    @unittest.skipUnless(has("pandas"), "pandas isn't installed")
    def test_pandas(self) -> None:
        report = qg.check(ROOT / "docs" / "examples" / "planted.onnx", soc="SM8550")
        self.assertEqual(list(report.to_pandas()["code"]), [f.code for f in report.findings])
        self.assertEqual(list(report.to_pandas("nodes")["verdict"]),
                         [node.verdict for node in report.nodes])
        with self.assertRaisesRegex(ValueError, "nodes"):
            report.to_pandas("rows")


class Threads(unittest.TestCase):
    def test_one_validator_for_many_threads(self) -> None:
        validator = qg.Validator(qg.Target(soc="SM8550"))
        models = [qg.read(path)[0] for path in EXAMPLES]
        alone = [validator.check(model).to_json(0) for model in models]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda model: validator.check(model).to_json(0), models * 4))
        self.assertEqual(together, alone * 4)

    def test_the_lock_is_released_while_checking(self) -> None:
        model = cli_case.good()
        x, y = model["tensors"][0], model["tensors"][2]
        node = model["nodes"][0]
        model["nodes"] = [{**node, "name": f"n{i}", "outputs": [f"y{i}"]} for i in range(40_000)]
        model["tensors"] = [x, model["tensors"][1]] + [{**y, "name": f"y{i}"}
                                                       for i in range(40_000)]
        loaded = qg.Model.from_json(json.dumps(model))
        validator = qg.Validator(qg.Target())
        # With a switch interval this long, the main thread only runs while the lock is free.
        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        started, during = threading.Event(), []
        done = False

        def work() -> None:
            nonlocal done
            started.set()
            validator.check(loaded)
            done = True

        thread = threading.Thread(target=work)
        sys.setswitchinterval(1000)
        thread.start()
        started.wait()
        during.append(done)
        sys.setswitchinterval(interval)
        thread.join()
        self.assertEqual(during, [False])


class Package(unittest.TestCase):
    def test_imports_in_any_order(self) -> None:
        packages = ["quantgate"] + [name for name in ("onnx", "onnxruntime", "torch") if has(name)]
        check = f"assert quantgate.check({json.dumps(cli_case.good())!r}).verdict == 'accepted'"

        def run(order: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
            done = subprocess.run([sys.executable, "-c", f"import {', '.join(order)}; {check}"],
                                  capture_output=True, text=True, timeout=300, check=False)
            return order, done.stderr if done.returncode else ""

        with ThreadPoolExecutor(2) as pool:
            for order, problem in pool.map(run, itertools.permutations(packages)):
                with self.subTest(order=order):
                    self.assertEqual(problem, "")

    def test_imports_nothing_heavy(self) -> None:
        reported = subprocess.run(
            [sys.executable, "-c", "import sys, quantgate; print(*sys.modules)"],
            check=True, timeout=60, capture_output=True, text=True).stdout.split()
        self.assertEqual({"numpy", "onnx", "torch", "pandas"} & set(reported), set())

    def test_version_is_that_of_the_command_line(self) -> None:
        run = subprocess.run([str(CLI), "--version"], capture_output=True, text=True, check=True)
        self.assertIn(qg.__version__, run.stdout)

    @unittest.skipUnless(has("mypy"), "mypy isn't installed")
    def test_types(self) -> None:
        folder_of_package = Path(qg.__file__).parents[1]
        environment = dict(os.environ)
        if folder_of_package.name != "site-packages":  # where mypy looks by itself
            environment["MYPYPATH"] = str(folder_of_package)
        for command in (["mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "quantgate"],
                        ["mypy.stubtest", "quantgate._core", "--mypy-config-file",
                         str(ROOT / "pyproject.toml"), "--allowlist",
                         str(ROOT / "tests" / "python" / "stubtest_allowlist.txt")]):
            with self.subTest(command=command[0]), tempfile.TemporaryDirectory() as folder:
                run = subprocess.run([sys.executable, "-m", *command], capture_output=True,
                                     text=True, timeout=300, cwd=folder, env=environment)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
