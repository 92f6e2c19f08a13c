"""Each rule has a smallest good and a smallest bad model; what the tool says about them is kept.

`make golden` (tools/dev/record/goldens.py) rewrites the kept files; their diff is to be reviewed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import jsonschema  # noqa: E402
from tools.dev.record import goldens as update_goldens  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "docs/schemas/report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_output_is_as_kept(self) -> None:
        schema = validator()
        for case in update_goldens.cases():
            for fmt in update_goldens.FORMATS:
                with self.subTest(model=str(case.model.relative_to(ROOT)), format=fmt):
                    _, output = update_goldens.check(CLI, case, fmt)
                    if fmt == "json":
                        schema.validate(json.loads(output))
                    self.assertEqual(update_goldens.normalised(output),
                                     case.golden(fmt).read_text())

    def test_formats_are_as_kept(self) -> None:
        for case, fmt, file in update_goldens.format_cases():
            with self.subTest(model=case.slug, format=fmt):
                _, output = update_goldens.check(CLI, case, fmt)
                self.assertEqual(update_goldens.normalised(output), file.read_text())

    def test_nothing_is_kept_without_a_fixture(self) -> None:
        wanted = {case.golden(fmt) for case in update_goldens.cases()
                  for fmt in update_goldens.FORMATS}
        self.assertEqual({f for f in update_goldens.GOLDEN.glob("*/*") if f not in wanted}, set())


class Fixtures(unittest.TestCase):
    def test_every_rule_has_a_good_and_a_bad_model(self) -> None:
        listed = subprocess.run([CLI, "explain", "--all", "--format", "json"],
                                capture_output=True, text=True, check=True, timeout=60)
        rules = {rule["slug"]: rule["code"] for rule in json.loads(listed.stdout)["rules"]}
        found: dict[str, set[str]] = {slug: set() for slug in rules}
        for case in update_goldens.cases():
            kind = "ok" if case.model.stem.startswith("ok") else "bad"
            with self.subTest(model=str(case.model.relative_to(ROOT))):
                self.assertIn(case.slug, rules)
                found[case.slug].add(kind)
                report = json.loads(update_goldens.check(CLI, case, "json")[1])
                codes = {finding["code"] for finding in report["findings"]}
                # Codes of other rules that are right to find something stand in a file beside the model.
                also = case.model.with_suffix(".also")
                others = set(also.read_text().split()) if also.exists() else set()
                own = {rules[case.slug]} if kind == "bad" else set()
                self.assertEqual(codes, own | others, "exactly this")
        # A reader refuses such a file before any rule sees it: tests/unit/validate/validator_test.cc.
        del found["malformed-model"]
        missing = {slug: {"ok", "bad"} - kinds for slug, kinds in found.items()
                   if kinds != {"ok", "bad"}}
        self.assertEqual(missing, {})


class Schema(unittest.TestCase):
    def test_examples_and_several_models(self) -> None:
        schema = validator()
        models = sorted(str(p) for p in (ROOT / "docs" / "examples").iterdir()
                        if p.suffix in (".onnx", ".json"))
        self.assertGreater(len(models), 2)
        run = subprocess.run([CLI, "check", *models, "missing.onnx", "--format", "json"],
                             capture_output=True, text=True, timeout=120)
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), len(models) + 1)
        for line in lines:
            report = json.loads(line)
            with self.subTest(model=report["model"]):
                schema.validate(report)
                if "error" in report:
                    continue
                counts = {k: v for k, v in report["summary"].items() if k != "nodes"}
                self.assertEqual(report["summary"]["nodes"], len(report["nodes"]))
                self.assertEqual(sum(counts.values()), len(report["nodes"]))
                names = {node["name"] for node in report["nodes"]}
                for node in report["nodes"]:
                    if "into" in node:
                        self.assertIn(node["into"], names)
                    self.assertEqual("reason" in node, node["verdict"] == "unchecked", node)
                for finding in report["findings"]:
                    if finding["node"]:
                        self.assertIn(finding["node"], names)

    def test_refuses_what_is_no_report(self) -> None:
        schema = validator()
        for wrong in ({}, {"schemaVersion": "2"},
                      {"schemaVersion": "1", "model": "m", "error": {"place": "", "message": ""}}):
            self.assertFalse(schema.is_valid(wrong))


if __name__ == "__main__":
    unittest.main()
