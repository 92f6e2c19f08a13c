"""Configuration files: where they are found, what they say, what is wrong with them."""

from __future__ import annotations

import datetime
import json
import os
import unittest

import jsonschema
import yaml
from cli_case import ROOT, CliCase, bad, good

SCHEMA = json.loads((ROOT / "docs/schemas/quantgate.schema.json").read_text())


class ConfigCase(CliCase):
    def config(self, text: str, name: str = "quantgate.yaml") -> str:
        if name.endswith(".yaml"):
            # What the tool takes, the schema takes.
            jsonschema.Draft202012Validator(SCHEMA).validate(yaml.load(text, yaml.BaseLoader) or {})
        return self.path(name, text)

    def check(self, *arguments: str, status: int = 0) -> dict:
        return self.report(*(arguments or ("m.json",)), status=status)


class Finding(ConfigCase):
    def setUp(self) -> None:
        super().setUp()
        os.makedirs(self.folder / "a" / "b")
        self.path("m.json", good())
        self.path("a/b/m.json", good())

    def arch(self, *arguments: str) -> str:
        return self.check(*arguments)["target"]["arch"]

    def test_the_nearest_file_upwards_of_the_model_counts(self) -> None:
        self.config("target: {arch: v75}")
        self.assertEqual(self.arch("m.json"), "v75")
        self.assertEqual(self.arch("a/b/m.json"), "v75")
        self.config("target: {arch: v79}", "a/quantgate.yaml")
        self.assertEqual(self.arch("a/b/m.json"), "v79")
        self.assertEqual(self.arch("m.json"), "v75")

    def test_pyproject_counts_only_with_our_table(self) -> None:
        self.config("target: {arch: v75}")
        self.path("a/pyproject.toml", '[project]\nname = "quantgate-user"\n')
        self.assertEqual(self.arch("a/b/m.json"), "v75")
        self.path("a/pyproject.toml", '[tool.quantgate]\ntarget = {arch = "v79"}\n')
        self.assertEqual(self.arch("a/b/m.json"), "v79")

    def test_flags_win(self) -> None:
        self.config('target: {soc: SM8550, sdk: "2.25"}\nmode: warn')
        report = self.check("m.json")
        self.assertEqual((report["target"]["soc"], report["target"]["sdk"], report["mode"]),
                         ("SM8550", "2.25", "warn"))
        report = self.check("m.json", "--arch", "v79", "--mode", "strict")
        self.assertEqual(report["target"], {"backend": "htp", "sdk": "2.25", "arch": "v79"})
        self.assertEqual(report["mode"], "strict")

    def test_isolated_and_config(self) -> None:
        self.config("target: {arch: v75}")
        other = self.config("target: {arch: v79}", "other.yaml")
        self.assertEqual(self.arch("m.json", "--isolated"), "v73")
        self.assertEqual(self.arch("m.json", "--config", other), "v79")
        self.unusable("check", "m.json", "--config", "missing.yaml", says="missing.yaml")

    def test_models_of_two_configurations_are_refused(self) -> None:
        self.config("target: {arch: v79}", "a/quantgate.yaml")
        self.unusable("check", "m.json", "a/b/m.json",
                      says=("m.json is configured by nothing", "a/quantgate.yaml", "--config"))

    def test_an_empty_file_configures_nothing(self) -> None:
        self.config("\n")
        self.assertEqual(self.arch("m.json"), "v73")


class Meaning(ConfigCase):
    def test_several_targets(self) -> None:
        self.path("m.json", bad())
        self.config("targets: [{arch: v68}, {arch: v73}, {soc: SM8750}]")
        result = self.run_cli("check", "m.json", "--format", "json")
        reports = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([r["target"]["arch"] for r in reports], ["v68", "v73", "v79"])
        text = self.run_cli("check", "m.json").stdout
        self.assertRegex(text, r"\n  v68 .*\n  v73 .*\n  v79 .* SM8750\n")

    def test_targets_as_a_list_of_words(self) -> None:
        self.path("m.json", bad())
        for text in ("targets: [arch:v68, 'htp:v73', SM8750]", "targets: arch:v68, htp:v73,SM8750"):
            self.config(text)
            result = self.run_cli("check", "m.json", "--format", "json")
            reports = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual([r["target"]["arch"] for r in reports], ["v68", "v73", "v79"], text)
        self.config("targets: [SM8550@2.25, cpu]")
        result = self.run_cli("check", "m.json", "--format", "json")
        targets = [json.loads(line)["target"] for line in result.stdout.splitlines()]
        self.assertEqual([(t["backend"], t["sdk"]) for t in targets][0], ("htp", "2.25"))
        self.assertEqual(targets[1]["backend"], "cpu")
        self.config("targets: [SM8550@2.25]")
        result = self.run_cli("check", "m.json", "--arch", "v79", "--format", "json")
        self.assertEqual(json.loads(result.stdout)["target"]["arch"], "v79")
        for text, says in (("targets: [SM855O]", "SM8550"), ("targets: 'archs:v79'", "did you mean"),
                           ("targets: [arch:v79, '']", "quantgate.yaml:1:"),
                           ("targets: 'SM8550,'", "quantgate.yaml:1:"),
                           ("targets: SM8550@", "quantgate.yaml:1:")):
            with self.subTest(text=text):
                self.path("quantgate.yaml", text)
                self.unusable("check", "m.json", says=(says,))

    def test_all_socs(self) -> None:
        self.path("m.json", good())
        page = self.run_cli("check", "m.json", "--all-socs", "--format", "html").stdout
        begin = page.index('id="data">') + len('id="data">')
        reports = json.loads(page[begin:page.index("</script>", begin)])["reports"]
        self.assertLess({"SM8350", "SM8550", "SM8750"}, {r["target"]["soc"] for r in reports})
        self.config("target: {sdk: '2.25'}")
        self.assertIn("2.25", self.run_cli("check", "m.json", "--all-socs").stdout)

    def test_levels(self) -> None:
        self.path("m.json", bad())
        for level, status in (("off", 0), ("note", 0), ("warning", 0), ("error", 1)):
            with self.subTest(level=level):
                self.config(f'levels: {{QG301: "{level}"}}\nmode: warn')
                report = self.check(status=status)
                self.assertEqual([f["level"] for f in report["findings"]],
                                 [] if level == "off" else [level])
                self.assertEqual(report["verdict"], "rejected")

    def suppressed(self, entry: str, status: int) -> dict:
        self.path("m.json", bad())
        self.config(f"suppressions:\n  - {entry}")
        return self.check(status=status)

    def test_suppressions(self) -> None:
        report = self.suppressed("{nodes: n*, rules: [QG3], reason: known}", 0)
        (finding,) = report["findings"]
        self.assertEqual((finding["level"], finding["suppressed"]),
                         ("note", {"by": "configured", "reason": "known"}))
        self.assertEqual((report["verdict"], report["failed"]), ("rejected", False))
        for entry, status in (("{tensors: w, reason: r}", 0), ("{tensors: v, reason: r}", 1),
                              ("{nodes: [a, '*0'], reason: r}", 0), ("{nodes: '?', reason: r}", 1),
                              ("{nodes: n0, models: other.json, reason: r}", 1),
                              ("{nodes: n0, models: '*.json', reason: r}", 0),
                              ("{rules: asymmetric-encoding, reason: r}", 0),
                              ("{rules: QG4, reason: r}", 1)):
            with self.subTest(entry=entry):
                self.suppressed(entry, status)

    def test_an_expiry_is_the_last_day(self) -> None:
        today = datetime.date.today()
        for days, status in ((0, 0), (2, 0), (-2, 1)):
            day = today + datetime.timedelta(days=days)
            with self.subTest(days=days):
                self.suppressed(f"{{nodes: n0, reason: later, expires: {day}}}", status)
        result = self.run_cli("check", "m.json")
        self.assertRegex(result.stderr, r"note: quantgate\.yaml:2:5: this suppression expired on "
                                        r"\d{4}-\d\d-\d\d \(later\)")

    def test_unused_suppressions_are_reported(self) -> None:
        self.suppressed("{nodes: nothing, reason: gone}", 1)
        result = self.run_cli("check", "m.json")
        self.assertIn("note: quantgate.yaml:2:5: this suppression fits no finding (gone)",
                      result.stderr)

    def test_paths_are_meant_from_the_file(self) -> None:
        os.makedirs(self.folder / "sub")
        self.path("sub/m.json", bad())
        self.run_cli("check", "sub/m.json", "--write-baseline", "sub/known.json")
        self.config("baseline: known.json", "sub/quantgate.yaml")
        self.assertFalse(self.check("sub/m.json", status=0)["failed"])

    def test_toml_says_the_same_as_yaml(self) -> None:
        self.path("m.json", bad())
        self.config('target: {arch: v75, sdk: "2.25"}\nmode: warn\nfail-on: altered\n'
                    "select: [QG3, QG602]\nlevels: {bias-scale: error}\n"
                    "suppressions:\n  - {nodes: n0, rules: [QG301], reason: known, "
                    "expires: 2999-01-31}\n")
        from_yaml = json.loads(self.run_cli("check", "m.json", "--show-config", "--format",
                                            "json").stdout)
        os.remove(self.folder / "quantgate.yaml")
        self.path("pyproject.toml",
                  '[tool.quantgate]\ntarget = {arch = "v75", sdk = "2.25"}\nmode = "warn"\n'
                  'fail-on = "altered"\nselect = ["QG3", "QG602"]\n'
                  'levels = {bias-scale = "error"}\n'
                  '[[tool.quantgate.suppressions]]\nnodes = "n0"\nrules = ["QG301"]\n'
                  'reason = "known"\nexpires = 2999-01-31\n')
        from_toml = json.loads(self.run_cli("check", "m.json", "--show-config", "--format",
                                            "json").stdout)
        self.assertEqual(from_yaml, from_toml)
        self.assertEqual(from_yaml["suppressions"][0]["expires"], "2999-01-31")

    def test_what_show_config_prints_can_be_read(self) -> None:
        self.path("m.json", bad())
        self.config("levels: {QG602: error}\nsuppressions:\n  - {nodes: x, reason: 'a: b # c'}\n")
        shown = self.run_cli("check", "m.json", "--show-config")
        self.assertEqual(shown.returncode, 0)
        self.assertTrue(shown.stdout.startswith("# from quantgate.yaml\n"), shown.stdout)
        again = self.config(shown.stdout, "again.yaml")
        twice = self.run_cli("check", "m.json", "--show-config", "--config", again)
        self.assertEqual(twice.stdout.splitlines()[1:], shown.stdout.splitlines()[1:])
        self.assertIn("no configuration file", self.run_cli("check", "--show-config",
                                                            "--isolated").stdout)


class Mistakes(ConfigCase):
    def test_each_is_told_with_its_place(self) -> None:
        self.path("m.json", good())
        for text, place, says in (
                ("modes: strict", "1:1", "mode"),
                ("mode: strickt", "1:7", "did you mean strict"),
                ("target: {archs: v73}", "1:10", "arch"),
                ("fail-on: [altered]", "1:10", "fail-on"),
                ("levels: {QG9999: error}", "1:10", "unknown rule"),
                ("levels:\n  asymetric-encoding: error", "2:3", "did you mean asymmetric-encoding"),
                ("levels: {QG301: fatal}", "1:17", "off, note, warning, error"),
                ("select: [QG301, QG3O1]", "1:17", "QG3O1"),
                ("suppressions:\n  - {nodes: a}", "2:5", "reason"),
                ("suppressions:\n  - {reason: a}", "2:5", "silence all"),
                ("suppressions:\n  - {nodes: a, reason: b, expires: 2027-02-30}", "2:36", "YYYY"),
                ("suppressions: {nodes: a}", "1:15", "list"),
                ("target: {arch: v73}\ntargets: []", "2:1", "one of both"),
                ("mode: [", "1:", ""),
                ("- a", "1:1", "map")):
            with self.subTest(text=text):
                self.path("quantgate.yaml", text)
                self.unusable("check", "m.json", says=(f"quantgate.yaml:{place}", says))

    def test_in_toml_too(self) -> None:
        self.path("m.json", good())
        for text, place, says in (
                ("[tool.quantgate]\nmodes = 1\n", "2:1", "mode"),
                ("[tool.quantgate]\nmode = \n", "2:", ""),
                ("[tool.quantgate]\nselect = [1]\n", "2:11", "unknown rule"),
                ("[tool.quantgate]\n[[tool.quantgate.suppressions]]\nnodes = 'a'\n", "2:", "reason")):
            with self.subTest(text=text):
                self.path("pyproject.toml", text)
                self.unusable("check", "m.json", says=(f"pyproject.toml:{place}", says))

    def test_unknown_targets_are_told_as_of_flags(self) -> None:
        self.path("m.json", good())
        self.config("target: {soc: SM855O}")
        self.unusable("check", "m.json", says=("SM855O", "did you mean"))


if __name__ == "__main__":
    unittest.main()
