"""`quantgate check --format …`: each format by its own rules, also for names made to break it."""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import re
import string
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
from cli_case import ROOT, CliCase, bad, good

HOSTILE = ROOT / "tests" / "fixtures" / "formats" / "hostile.json"
PLANTED = ROOT / "docs" / "examples" / "planted.onnx"
TARGET = ("--sdk", "2.51", "--soc", "SM8550")
FORMATS = ("text", "json", "sarif", "github", "junit", "model-explorer")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
STEERING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Formats for programs carry a name as it is, escaped where the format asks for it.
EXACT = ("json", "model-explorer")


def sarif_schemas() -> list[dict]:
    """Ours; also the standard's where QUANTGATE_SARIF_SCHEMA names a copy of it."""
    files = [Path(__file__).with_name("sarif.schema.json")]
    if os.environ.get("QUANTGATE_SARIF_SCHEMA"):
        files.append(Path(os.environ["QUANTGATE_SARIF_SCHEMA"]))
    return [json.loads(file.read_text()) for file in files]


class FormatCase(CliCase):
    def output(self, fmt: str, *arguments: str, status: int = 1) -> str:
        result = self.run_cli("check", *arguments, "--format", fmt)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout


class Sarif(FormatCase):
    def sarif(self, *arguments: str, status: int = 1) -> dict:
        log = json.loads(self.output("sarif", *arguments, status=status))
        for schema in sarif_schemas():
            jsonschema.Draft7Validator(schema).validate(log)
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        return log

    def results(self, *arguments: str, status: int = 1) -> list[dict]:
        return self.sarif(*arguments, status=status)["runs"][0]["results"]

    def test_every_finding_is_a_result_at_its_node_and_port(self) -> None:
        report = json.loads(self.output("json", str(PLANTED), *TARGET))
        results = self.results(str(PLANTED), *TARGET)
        self.assertGreater(len(results), 5)
        self.assertEqual(
            [(r["ruleId"], r["level"],
              [place["name"] for place in r["locations"][0].get("logicalLocations", [])])
             for r in results],
            [(f["code"], f["level"], [name for name in (f["node"], f["port"]) if name])
             for f in report["findings"]])

    def test_the_rule_table_is_the_registry(self) -> None:
        listed = json.loads(self.run_cli("explain", "--all", "--format", "json").stdout)["rules"]
        rules = self.sarif(self.path("m.json", good()), status=0)["runs"][0]["tool"]["driver"]["rules"]
        self.assertEqual([(r["code"], r["slug"]) for r in listed],
                         [(r["id"], r["name"]) for r in rules])

    def test_the_line_of_a_node_of_a_json_file(self) -> None:
        text = json.dumps(bad(), indent=1)
        line = text[:text.index('{\n   "name": "n0"')].count("\n") + 1
        region = self.results(self.path("m.json", text))[0]["locations"][0]["physicalLocation"]
        self.assertEqual(region["artifactLocation"]["uri"], "m.json")
        self.assertEqual(region["region"]["startLine"], line)

    def test_the_line_of_a_model_of_a_jsonl(self) -> None:
        lines = json.dumps(good()) + "\n" + json.dumps(bad()) + "\n"
        place = self.results(self.path("m.jsonl", lines))[0]["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"]),
                         ("m.jsonl", 2))

    def test_a_node_written_in_python_is_found_there(self) -> None:
        model = bad()
        model["nodes"][0]["location"] = str(self.folder / "net" / "model.py") + ":42"
        place = self.results(self.path("m.json", model))[0]["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"]),
                         ("net/model.py", 42))

    def test_paths_become_uris(self) -> None:
        for name, uri in (("a b.json", "a%20b.json"), ("ü#?%.json", "%C3%BC%23%3F%25.json"),
                          ("a:b.json", "a%3Ab.json")):
            results = self.results(self.path(name, bad()))
            self.assertEqual(
                results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], uri)

    def fingerprints(self, model: dict) -> list[tuple[str, str]]:
        return sorted((r["ruleId"], r["partialFingerprints"]["quantgate/v1"])
                      for r in self.results(self.path("m.json", model)))

    def test_fingerprints_survive_renumbering_and_tell_findings_apart(self) -> None:
        model = bad()
        before = self.fingerprints(model)
        # The same tensors in another graph order under another node name.
        moved = copy.deepcopy(model)
        extra = {"name": "first", "op": "Reshape", "inputs": ["x"], "outputs": ["r"]}
        moved["tensors"].append({"name": "r", "dtype": "UFIXED_POINT_8", "dims": [2048],
                                 "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}})
        moved["nodes"].insert(0, extra)
        moved["nodes"][1]["name"] = "renamed"
        self.assertEqual(self.fingerprints(moved), before)
        # A second op that uses the tensor.
        twice = copy.deepcopy(model)
        twice["tensors"].append(dict(twice["tensors"][2], name="y2"))
        twice["nodes"].append(dict(twice["nodes"][0], name="n1", outputs=["y2"]))
        after = self.fingerprints(twice)
        self.assertEqual(len(after), 2 * len(before))
        self.assertEqual(len(set(after)), len(after))
        self.assertLessEqual(set(before), set(after))

    def test_an_unreadable_model_among_others_is_a_notification(self) -> None:
        run = self.sarif(self.path("m.json", good()), self.path("b.json", "{"), status=2)["runs"][0]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        (notification,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(notification["level"], "error")
        uri = notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(uri, "b.json")

    def test_more_findings_than_github_takes_are_cut_with_a_word(self) -> None:
        model = good()
        rng = random.Random(1)
        name = lambda: "".join(rng.choices(string.ascii_letters, k=60))  # noqa: E731
        model["tensors"][1]["encoding"]["perChannel"]["zeroPoints"] = [3]
        node = model["nodes"][0]
        model["nodes"] = []
        del model["tensors"][2]
        # Reshapes with an unscaled copy come first; the refused Conv2d must survive the cut.
        for _ in range(26_000):
            out, quiet = name(), {"perTensor": {"scale": 0.02, "zeroPoint": 128}}
            model["tensors"].append({"name": out, "dtype": "FLOAT_32", "dims": [1, 2048]})
            model["nodes"].append({"name": name(), "op": "NoSuchOp", "inputs": ["x"],
                                   "outputs": [out]})
            del quiet
        model["tensors"].append({"name": "y", "dtype": "UFIXED_POINT_8", "dims": [1, 6, 6, 16],
                                 "encoding": {"perTensor": {"scale": 0.05, "zeroPoint": 3}}})
        model["nodes"].append(node)
        result = self.run_cli("check", self.path("m.json", model), "--sdk", "2.25", "--format", "sarif")
        self.assertIn("note: SARIF holds the worst 25000 of 26002 findings", result.stderr)
        self.assertLess(len(gzip.compress(result.stdout.encode(), 6)), 10_000_000)
        run = json.loads(result.stdout)["runs"][0]
        self.assertEqual(len(run["results"]), 25_000)
        self.assertIn("QG301", {r["ruleId"] for r in run["results"]})
        text = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
        self.assertIn("25000 of 26002", text)


class Github(FormatCase):
    COMMAND = re.compile(r"^::(error|warning|notice) file=([^,]*),line=(\d+),title=([^,:]*)::(.*)$")

    def test_annotations(self) -> None:
        lines = self.output("github", self.path("m.json", bad())).splitlines()
        match = self.COMMAND.match(lines[0])
        self.assertIsNotNone(match, lines[0])
        level, file, line, title, message = match.groups()
        self.assertEqual((level, file, title), ("error", "m.json", "QG301 asymmetric-encoding"))
        self.assertEqual(line, "1")
        self.assertIn('%0Anode "n0" (Conv2d), in[1] "w"%0Afound: ', message)
        self.assertRegex(lines[-1], r"^quantgate: .*m\.json: failed: 1 errors, 0 warnings")

    def test_ten_of_a_level_are_annotated_and_all_are_reported(self) -> None:
        model = good()
        model["nodes"] = []
        for i in range(14):
            model["tensors"].append({"name": f"y{i}", "dtype": "UFIXED_POINT_8", "dims": [1, 2048],
                                     "encoding": {"perTensor": {"scale": 0.1 + i, "zeroPoint": 3}}})
            model["nodes"].append({"name": f"r{i}", "op": "Reshape", "inputs": ["x"],
                                   "outputs": [f"y{i}"]})
        lines = self.output("github", self.path("m.json", model)).splitlines()
        self.assertEqual(sum(line.startswith("::error ") for line in lines), 10)
        self.assertEqual(sum(line.startswith("error QG401 ") for line in lines), 4)

    def test_equal_findings_share_an_annotation(self) -> None:
        model = bad()
        model["tensors"].append(dict(model["tensors"][2], name="y2"))
        model["nodes"].append(dict(model["nodes"][0], name="n1", outputs=["y2"]))
        lines = self.output("github", self.path("m.json", model)).splitlines()
        (line,) = [line for line in lines if "QG301" in line]
        self.assertIn("; also in 1 node: n1", line)

    def test_an_unreadable_model_is_annotated(self) -> None:
        text = self.output("github", self.path("m.json", good()), self.path("b.json", "{"), status=2)
        self.assertIn("::error file=b.json,line=1,title=unreadable model::1:", text)


class Junit(FormatCase):
    def suites(self, *arguments: str, status: int = 1) -> ElementTree.Element:
        root = ElementTree.fromstring(self.output("junit", *arguments, status=status))
        self.assertEqual(root.tag, "testsuites")
        for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"),
                         ("skipped", "skipped")):
            self.assertEqual(int(root.get(key)), len(root.findall(f".//{tag}")), key)
            for suite in root:
                self.assertEqual(int(suite.get(key)), len(suite.findall(f".//{tag}")), key)
        return root

    def test_a_case_per_node(self) -> None:
        root = self.suites(str(PLANTED), *TARGET)
        report = json.loads(self.output("json", str(PLANTED), *TARGET))
        failing = {f["node"] for f in report["findings"] if f["level"] == "error"}
        self.assertEqual({case.get("name") for case in root.iter("testcase")
                          if case.find("failure") is not None}, failing)
        nodes = {n["name"] for n in report["nodes"]
                 if "into" not in n or n["verdict"] != "accepted"}
        self.assertEqual({case.get("name") for case in root.iter("testcase")}, nodes)

    def test_an_unchecked_node_is_skipped_with_its_reason(self) -> None:
        model = good()
        del model["tensors"][0]["dtype"]
        root = self.suites(self.path("m.json", model), status=1)
        self.assertNotEqual(root.find(".//skipped").get("message"), "")

    def test_an_unreadable_model_is_an_error(self) -> None:
        root = self.suites(self.path("m.json", good()), self.path("b.json", "{"), status=2)
        self.assertIn("1:", root.find(".//error").get("message"))


class ModelExplorer(FormatCase):
    def test_nodes_and_output_tensors_have_values(self) -> None:
        data = json.loads(self.output("model-explorer", self.path("m.json", bad())))
        self.assertEqual(set(data["results"]), {"n0", "y"})
        for result in data["results"].values():
            self.assertEqual(result["value"], "rejected QG301")
            self.assertRegex(result["bgColor"], "^#[0-9a-f]{6}$")

    def test_every_node_of_a_file_is_there(self) -> None:
        report = json.loads(self.output("json", str(PLANTED), *TARGET))
        data = json.loads(self.output("model-explorer", str(PLANTED), *TARGET))
        for node in report["nodes"]:
            value = data["results"][node["name"]]["value"]
            self.assertEqual(value.split()[0], node["verdict"])

    def test_several_models_are_several_graphs(self) -> None:
        data = json.loads(self.output("model-explorer", self.path("a.json", bad()),
                                      self.path("b.json", good())))
        self.assertEqual([set(graph["results"]) for graph in data.values()], [{"n0", "y"}] * 2)


class Hostile(FormatCase):
    """Names with control characters, markup, workflow commands and placeholders."""

    def test_no_control_character_passes(self) -> None:
        for fmt in FORMATS:
            with self.subTest(format=fmt):
                text = self.output(fmt, str(HOSTILE), *TARGET)
                self.assertIsNone(CONTROL.search(text.replace("\n", "")), text)
                if fmt not in EXACT:
                    self.assertIsNone(STEERING.search(text), text)

    def test_sarif(self) -> None:
        log = json.loads(self.output("sarif", str(HOSTILE), *TARGET))
        for schema in sarif_schemas():
            jsonschema.Draft7Validator(schema).validate(log)

    def test_github_knows_only_our_commands(self) -> None:
        text = self.output("github", str(HOSTILE), *TARGET)
        for line in text.splitlines():
            self.assertRegex(line, r"^(::(error|warning|notice) file=[^,:]*hostile\.json,line=\d+,"
                                   r"title=QG\d{3} [a-z-]+::|(error|warning|note) QG|quantgate: )")

    def test_junit_is_well_formed(self) -> None:
        root = ElementTree.fromstring(self.output("junit", str(HOSTILE), *TARGET))
        names = {case.get("name") for case in root.iter("testcase")}
        self.assertIn("</script><img src=x onerror=alert(2)>", names)

    def test_model_explorer(self) -> None:
        data = json.loads(self.output("model-explorer", str(HOSTILE), *TARGET))
        self.assertIn("__proto__", data["results"])


class Selection(FormatCase):
    def test_select_and_ignore(self) -> None:
        path = str(PLANTED)
        everything = json.loads(self.output("json", path, *TARGET))
        codes = {f["code"] for f in everything["findings"]}
        self.assertLess({"QG301", "QG602"}, codes)
        for flags, wanted in ((("--select", "QG301"), {"QG301"}),
                              (("--select", "QG3"), {c for c in codes if c.startswith("QG3")}),
                              (("--select", "asymmetric-encoding,qg602"), {"QG301", "QG602"}),
                              (("--ignore", "QG3", "--ignore", "QG602"),
                               {c for c in codes if not c.startswith("QG3")} - {"QG602"}),
                              (("--select", "QG3", "--ignore", "QG301"),
                               {c for c in codes if c.startswith("QG3")} - {"QG301"})):
            with self.subTest(flags=flags):
                report = json.loads(self.output("json", path, *TARGET, *flags))
                self.assertEqual({f["code"] for f in report["findings"]}, wanted)
                self.assertEqual(report["hidden"],
                                 len(everything["findings"]) - len(report["findings"]))
                self.assertEqual(report["verdict"], everything["verdict"])
                self.assertEqual(report["nodes"], everything["nodes"])

    def test_what_is_ignored_does_not_fail(self) -> None:
        path = self.path("m.json", bad())
        report = json.loads(self.output("json", path, "--ignore", "QG301", status=0))
        self.assertEqual((report["failed"], report["verdict"]), (False, "rejected"))
        text = self.output("text", path, "--ignore", "QG301", status=0)
        self.assertIn("findings silenced: 1 of rules not selected", text)

    def test_unknown_rules_are_refused(self) -> None:
        self.unusable("check", self.path("m.json", good()), "--select", "QG3001",
                      says=("--select", "QG3001"))
        self.unusable("check", self.path("m.json", good()), "--ignore", "asymetric-encoding",
                      says="did you mean asymmetric-encoding")

    def test_exit_zero(self) -> None:
        path = self.path("m.json", bad())
        self.assertTrue(json.loads(self.output("json", path, "--exit-zero", status=0))["failed"])
        self.output("json", path, self.path("b.json", "{"), "--exit-zero", status=2)

    def test_statistics(self) -> None:
        models = [self.path("a.json", bad()), self.path("b.json", bad()),
                  self.path("c.json", good())]
        data = json.loads(self.output("json", *models, "--statistics"))
        self.assertEqual((data["models"], data["failed"]), (3, 2))
        self.assertEqual(data["statistics"], [
            {"code": "QG301", "rule": "asymmetric-encoding", "level": "error", "findings": 2,
             "nodes": 2, "models": 2, "suppressed": 0}])
        text = self.output("text", *models, "--statistics")
        self.assertRegex(text, r"\n +2 +2  QG301   asymmetric-encoding  error\n")
        self.unusable("check", *models, "--statistics", "--format", "sarif", says="--statistics")


class Baseline(FormatCase):
    def two(self) -> dict:
        model = bad()
        model["tensors"] += [dict(model["tensors"][1], name="w2"),
                             dict(model["tensors"][2], name="y2")]
        model["nodes"].append(dict(model["nodes"][0], name="n1", inputs=["x", "w2"],
                                   outputs=["y2"]))
        return model

    def test_only_new_findings_fail(self) -> None:
        path = self.path("m.json", bad())
        baseline = str(self.folder / "baseline.json")
        result = self.run_cli("check", path, "--write-baseline", baseline)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("baseline.json: 1 findings", result.stderr)
        report = json.loads(self.output("json", path, "--baseline", baseline, status=0))
        self.assertEqual(report["verdict"], "rejected")
        (finding,) = report["findings"]
        self.assertEqual((finding["level"], finding["suppressed"]["by"]), ("note", "baseline"))
        self.path("m.json", self.two())
        report = json.loads(self.output("json", path, "--baseline", baseline, status=1))
        self.assertEqual([(f["tensor"], f["level"]) for f in report["findings"]],
                         [("w", "note"), ("w2", "error")])
        text = self.output("text", path, "--baseline", baseline, status=1)
        self.assertIn("findings silenced: 1 by the baseline", text)
        self.assertEqual(text.count("error[QG301]"), 1)

    def test_a_baseline_of_0_1_0_is_honoured(self) -> None:
        # Entries name rules and tensors, no ids of constraints: those were made regular since.
        baseline = ROOT / "tests" / "data" / "baseline_0.1.0.json"
        listed = json.loads(baseline.read_text())["findings"]
        self.assertEqual({key for entry in listed for key in entry},
                         {"model", "fingerprint", "code", "rule", "node", "port", "tensor"})
        result = self.run_cli("check", str(ROOT / "docs" / "examples" / "planted.onnx"),
                              "--baseline", str(baseline), "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        silenced = [f for f in json.loads(result.stdout)["findings"] if "suppressed" in f]
        now = {(f["code"], f["node"], f["port"]) for f in silenced}
        then = {(entry["code"], entry["node"], entry["port"]) for entry in listed}
        # A bias whose scale is not input times weight: QG509 says so since 0.2, by both its forms.
        self.assertEqual(then - now,
                         {("QG306", "conv_bias_scale_is_not_input_times_weight", "in[2]")})
        self.assertEqual(now - then, set())

    def test_findings_that_are_gone_are_reported(self) -> None:
        path = self.path("m.json", bad())
        baseline = str(self.folder / "baseline.json")
        self.run_cli("check", path, "--write-baseline", baseline)
        self.path("m.json", good())
        result = self.run_cli("check", path, "--baseline", baseline)
        self.assertEqual(result.returncode, 0)
        self.assertIn("1 finding of the baseline is gone", result.stderr)

    def test_it_moves_with_the_models(self) -> None:
        os.makedirs(self.folder / "a")
        path = self.path("a/m.json", bad())
        baseline = str(self.folder / "a" / "baseline.json")
        self.run_cli("check", path, "--write-baseline", baseline)
        os.rename(self.folder / "a", self.folder / "b")
        self.output("json", "b/m.json", "--baseline", "b/baseline.json", status=0)

    def test_a_broken_file_is_refused_with_its_place(self) -> None:
        path = self.path("m.json", good())
        for text, says in (("", "no"), ('{"findings": [{}]}', "fingerprint"),
                           ('{"finding": []}', "1:2"), ('{"schemaVersion": "3"}', "version")):
            with self.subTest(text=text):
                self.unusable("check", path, "--baseline", self.path("base.json", text),
                              says=("base.json", says if text else "base.json"))
        self.unusable("check", path, "--baseline", "missing.json", says="missing.json")


if __name__ == "__main__":
    unittest.main()
