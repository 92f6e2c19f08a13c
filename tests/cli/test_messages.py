#!/usr/bin/env python3
"""What `quantgate check` says of the rules' fixtures and the example models: texts that name something, effects that
do not contradict them, fixes that `quantgate fix` makes, reports that fit a screen."""

from __future__ import annotations

import json
import re
import sys
import unittest
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cli_case import ROOT, CliCase

sys.path.insert(0, str(ROOT))
from tools.dev.record import goldens  # noqa: E402

MOST_LINES = 30
# A text that names nothing to do: "set operation to not SOFTPLUS", "values from any to 3".
EMPTY_FIXES = re.compile(r"\b(to|with|it|:) not [A-Z0-9]|padding or splitting|make one hold|from any\b|\bto any\b|rank up to 0"
                         r"|absent|…|\bto $|^$")
# What holds for nodes that run all the same is no demand.
DEMANDS = re.compile(r"\bmust\b|not supported|\bcan't be\b|; supported:|\bneeds\b")
MILD = ("undocumented", "advice", "altered")
# Edits that `fix` finds by trying, where what a finding asks for does not keep the values.
TRIED = re.compile(r'^write "[^"]*" as [SU]FIXED_POINT_\d+ with equal values$'
                   r"|^write out\[\d+\] with .* and convert it to "
                   r'|^quantize (in|out)\[\d+\] "[^"]*" as |, with scales that its values fit$'
                   r"|^write every |^follows from the others$")


@cache
def models() -> list[tuple[Path, tuple[str, ...]]]:
    examples = sorted([*(ROOT / "docs" / "examples").glob("*.onnx"), *(ROOT / "docs" / "examples").glob("*.json")])
    cases = [(case.model, tuple(case.arguments())) for case in goldens.cases()]
    return [(model, ("--soc", "SM8550")) for model in examples] + cases


class Messages(CliCase):
    def reports(self) -> Iterator[tuple[Path, tuple[str, ...], dict]]:
        for model, arguments in models():
            run = self.run_cli("check", str(model), *arguments, "--format", "json")
            if run.returncode < 2:
                yield model, arguments, json.loads(run.stdout)

    def test_texts_name_something_and_fit_the_effect(self) -> None:
        seen = set()
        for model, _, report in self.reports():
            for finding in report["findings"]:
                seen.add(finding["code"])
                with self.subTest(model=model.name, message=finding["message"]):
                    self.assertNotRegex(finding["message"], r"supported: $|: $|\s{2}")
                    self.assertEqual(finding["group"], f"{finding['code']}/{finding['consequence']}")
                    if finding["constraint"] and finding["consequence"] in MILD:
                        self.assertNotRegex(finding["message"], DEMANDS)
                    for fix in finding["fixes"]:
                        self.assertNotRegex(fix["summary"], EMPTY_FIXES)
        self.assertGreater(len(seen), 55)

    def test_reports_fit_a_screen(self) -> None:
        for model, arguments in models():
            with self.subTest(model=model.name):
                lines = self.run_cli("check", str(model), *arguments).stdout.splitlines()
                self.assertLessEqual(len(lines), MOST_LINES)

    def test_fix_makes_what_check_calls_safe_and_in_its_words(self) -> None:
        def place(finding: dict) -> tuple[str, ...]:
            return tuple(finding[key] for key in ("code", "node", "port", "tensor"))

        made = 0
        for model, arguments, report in self.reports():
            run = self.run_cli("fix", str(model), *arguments, "--format", "json")
            if run.returncode == 2:
                continue  # a file that can't be written again
            fixed = {place(finding): finding["by"] for finding in json.loads(run.stdout)["mended"]}
            for finding in report["findings"]:
                listed = [fix["summary"] for fix in finding["fixes"]]
                safe = [fix["summary"] for fix in finding["fixes"] if fix["safe"]]
                how = fixed.get(place(finding))
                with self.subTest(model=model.name, finding=place(finding)):
                    if safe:
                        made += 1
                        self.assertIn(how, safe)
                    elif how is not None and how not in listed:
                        self.assertRegex(how, TRIED)
        self.assertGreater(made, 8)


if __name__ == "__main__":
    unittest.main()
