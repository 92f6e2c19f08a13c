"""query, targets, explain, convert, --version."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path

from cli_case import ROOT, CliCase, good


class Version(CliCase):
    def test_tool_and_knowledge(self) -> None:
        result = self.run_cli("--version")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\Aquantgate \d+\.\d+\.\d+\n(.*\n)*htp: SDK \S+ to \S+\n")


class Help(CliCase):
    def test_names_every_verb_that_works(self) -> None:
        result = self.run_cli("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        verbs = re.findall(r"^  ([a-z]+) {2,}", result.stdout.split("Verbs:")[1], re.M)
        self.assertEqual(verbs, ["check", "query", "matrix", "diff", "targets", "explain",
                                 "convert", "fix", "plan", "verify", "sweep", "import", "completion", "man"])
        for verb in verbs:
            with self.subTest(verb=verb):
                help_text = self.run_cli(verb, "--help")
                self.assertEqual((help_text.returncode, help_text.stderr), (0, ""))
                self.assertIn(f"Usage: quantgate {verb}", help_text.stdout)
                self.assertIn(f"  quantgate {verb}", help_text.stdout.split("Examples:")[1])
                self.assertEqual(help_text.stdout, self.run_cli(verb, "-h").stdout)


class Query(CliCase):
    def test_text(self) -> None:
        result = self.run_cli("query", "Conv2d", "--arch", "v73")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("Conv2d  htp", "ports", "in[1]", "weight", "params", "stride", "dtypes",
                     "U8", "constraints", "QG301"):
            self.assertIn(part, result.stdout)

    def test_json(self) -> None:
        result = self.run_cli("query", "Conv2d", "--soc", "SM8550", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        op = json.loads(result.stdout)
        self.assertEqual((op["op"], op["backend"]), ("Conv2d", "htp"))
        self.assertEqual(op["target"]["soc"], "SM8550")
        self.assertEqual(op["inputs"][1]["role"], "weight")
        self.assertIn("stride", [p["name"] for p in op["params"]])
        row = ["UFIXED_POINT_8"], ["SFIXED_POINT_8"]
        self.assertTrue(any("UFIXED_POINT_8" in v["dtypes"][0] for v in op["variants"]), row)
        self.assertIn("QG301", [c["rule"] for c in op["constraints"]])
        for entry in op["variants"] + op["constraints"]:
            self.assertNotEqual(entry["sources"], [])

    def test_unusable(self) -> None:
        self.unusable("query", "Conv2", says="Conv2d")
        self.unusable("query", "Conv2d", "--arch", "v1", says="v1")
        self.unusable("query", "Conv2d", "MatMul", says="MatMul")
        self.unusable("query", "Conv2d", "--format", "sarif", says="text, json")

    def test_backends_whose_rows_are_lists_per_port(self) -> None:
        text = self.run_cli("query", "Conv2d", "--backend", "lpai").stdout
        self.assertIn("Conv2d  lpai · SDK 2.25\n", text)
        self.assertIn("S8|U8|U16", text)
        self.assertIn("undocumented, never rejected", text)
        for backend, per_port in (("lpai", True), ("htp", False)):
            op = json.loads(self.run_cli(
                "query", "Conv2d", "--backend", backend, "--format", "json").stdout)
            self.assertEqual(op["listsPerPort"], per_port)


class Targets(CliCase):
    def test_json(self) -> None:
        targets = json.loads(self.run_cli("targets", "--format", "json").stdout)
        htp = next(b for b in targets["backends"] if b["name"] == "htp")
        versions = [tuple(map(int, sdk.split("."))) for sdk in htp["sdks"]]
        self.assertEqual(versions, sorted(versions))
        for arch in ("v68", "v69", "v73", "v75", "v79", "v81"):
            self.assertIn(arch, htp["archs"])
        names = [b["name"] for b in targets["backends"]]
        self.assertEqual(names, ["cpu", "dsp", "ethosu", "gpu", "hta", "htp", "lpai", "tflite"])
        soc = next(s for s in targets["socs"] if s["name"] == "SM8550")
        self.assertEqual((soc["arch"], soc["id"]), ("v73", 43))

    def test_text(self) -> None:
        result = self.run_cli("targets")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("htp", "v73", "SM8550"):
            self.assertIn(part, result.stdout)


class Explain(CliCase):
    def test_by_code_in_any_case_or_slug(self) -> None:
        text = self.run_cli("explain", "QG301").stdout
        self.assertTrue(text.startswith("QG301 asymmetric-encoding\n"), text)
        self.assertIn("What it checks", text)
        self.assertNotIn("##", text)
        self.assertEqual(self.run_cli("explain", "qg301").stdout, text)
        self.assertEqual(self.run_cli("explain", "asymmetric-encoding").stdout, text)

    def test_all_rules_are_complete(self) -> None:
        rules = json.loads(self.run_cli("explain", "--all", "--format", "json").stdout)["rules"]
        codes = [r["code"] for r in rules]
        self.assertEqual(codes, sorted(set(codes)))
        self.assertEqual(len({r["slug"] for r in rules}), len(rules))
        listed = self.run_cli("explain", "--all").stdout
        for rule in rules:
            with self.subTest(rule=rule["code"]):
                self.assertRegex(rule["code"], r"\AQG[1-9]\d\d\Z")
                self.assertRegex(rule["slug"], r"\A[a-z0-9]+(-[a-z0-9]+)*\Z")
                self.assertNotRegex(rule["summary"], r"\.\Z|\n")
                self.assertIn("## What it checks", rule["explanation"])
                self.assertIn(rule["code"], listed)

    def test_unusable(self) -> None:
        self.unusable("explain", "QG30", says="QG301")
        self.unusable("explain", "asymetric-encoding", says="did you mean asymmetric-encoding")
        self.unusable("explain", says="--all")
        self.unusable("explain", "QG301", "--all", says="--all")

    def explained(self, id_: str) -> tuple[list[str], dict]:
        """The lines of the text form, and the JSON."""
        answer = json.loads(self.run_cli("explain", id_, "--format", "json").stdout)
        return self.run_cli("explain", id_).stdout.splitlines(), answer

    def test_a_constraint_by_its_id(self) -> None:
        id_ = "htp/Softmax/in[0]/rank"
        lines, answer = self.explained(id_)
        self.assertEqual(lines[0], id_)
        self.assertIn("quantgate explain QG501", lines[-1])
        self.assertIsNone(answer["renamed"])
        queried = json.loads(self.run_cli("query", "Softmax", "--every-sdk", "--format", "json").stdout)
        self.assertEqual(answer["constraints"], [c for c in queried["ops"][0]["constraints"] if c["id"] == id_])
        self.assertEqual(answer["rows"], [])

    def test_a_row_by_its_id(self) -> None:
        lines, answer = self.explained("htp/Conv2d#INT8.1")
        self.assertEqual(lines[0], "htp/Conv2d#INT8.1")
        self.assertEqual([row["id"] for row in answer["rows"]], ["htp/Conv2d#INT8.1"])
        self.assertEqual(answer["constraints"], [])

    def test_an_id_of_0_1_0(self) -> None:
        old, new = (f"htp/MatMul/in[0]/{name}" for name in ("finite-scale-prepared", "finite-scale"))
        lines, answer = self.explained(old)
        self.assertEqual(lines[:3], [f"{old} is called {new} since 0.2", "", new])
        self.assertEqual(answer["renamed"], {"since": "0.2", "now": [new], "gone": ""})
        self.assertEqual([c["id"] for c in answer["constraints"]], [new])

    def test_an_id_of_0_1_0_that_names_nothing_now(self) -> None:
        old = "htp/Lrn/in[0]/bits-prepared-s8"
        lines, answer = self.explained(old)
        self.assertEqual(lines, [f"{old} is gone since 0.2: it was about a datatype that no row gives this port"])
        self.assertEqual(answer["constraints"], [])

    def test_unknown_ids(self) -> None:
        self.unusable("explain", "htp/MatMul/in[0]/finite-scales", says="did you mean htp/MatMul/in[0]/finite-scale")
        self.unusable("explain", "htp/Conv2d#INT8.1000", says="unknown row")
        self.unusable("explain", "htp/Conv2", says="did you mean Conv2d")
        self.unusable("explain", "htp/", says="unknown op")


class Convert(CliCase):
    def test_model_json_round_trip(self) -> None:
        out = self.path("out.json")
        self.assertEqual(self.run_cli("convert", self.path("m.json", good()), "-o", out).returncode,
                         0)
        again = self.path("again.json")
        self.run_cli("convert", out, "-o", again)
        self.assertEqual(Path(out).read_text(), Path(again).read_text())
        self.assertEqual(json.loads(Path(out).read_text())["nodes"][0]["op"], "Conv2d")

    def test_onnx_gives_the_same_report_through_json(self) -> None:
        onnx = ROOT / "docs" / "examples" / "planted.onnx"
        out, binary = self.path("out.json"), self.path("out.binpb")
        for target in (out, binary):
            self.assertEqual(self.run_cli("convert", str(onnx), "-o", target).returncode, 0)
        wanted = self.report(str(onnx), "--mode", "warn")
        for target in (out, binary):
            with self.subTest(target=target):
                report = self.report(target, "--mode", "warn")
                report["model"] = wanted["model"]
                self.assertEqual(report, wanted)

    def test_standard_output(self) -> None:
        result = self.run_cli("convert", self.path("m.json", good()))
        self.assertEqual(json.loads(result.stdout)["nodes"][0]["name"], "n0")

    def test_several_models_need_jsonl(self) -> None:
        path = self.path("m.jsonl", json.dumps(good()) + "\n" + json.dumps(good()))
        self.unusable("convert", path, "-o", self.path("out.json"), says=".jsonl")
        self.assertFalse((self.folder / "out.json").exists())
        out = self.path("out.jsonl")
        self.assertEqual(self.run_cli("convert", path, "-o", out).returncode, 0)
        self.assertEqual(len(Path(out).read_text().splitlines()), 2)

    def test_unusable(self) -> None:
        out = self.path("out.json")
        self.unusable("convert", self.path("bad.json", "{"), "-o", out, says="bad.json")
        self.unusable("convert", self.path("gone.json"), "-o", out, says="gone.json")
        self.unusable("convert", "-o", out, says="INPUT")
        path = self.path("m.json", good())
        self.unusable("convert", path, "-o", path, says="input")
        self.assertFalse(Path(out).exists())


if __name__ == "__main__":
    unittest.main()
