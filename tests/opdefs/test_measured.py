"""What quantgate says of every measured case against what the library did.

Needs the folder of facts (environment variable QUANTGATE_FACTS) and the command line tool
(QUANTGATE_CLI, default build/bin/quantgate); else it is skipped and says so.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "opdefs")]

import measured_cases  # noqa: E402
from tools.import_facts.facts import Facts  # noqa: E402

FACTS = os.environ.get("QUANTGATE_FACTS")
TOOL = pathlib.Path(os.environ.get("QUANTGATE_CLI", ROOT / "build" / "bin" / "quantgate"))
MILD = {"accepted", "advice", "undocumented", "altered"}
# Cells that may differ; lower them when the database gets better, never raise them.
MOST_DIFFERENCES = 96


@unittest.skipUnless(FACTS, "QUANTGATE_FACTS names no folder of facts: nothing to compare with")
@unittest.skipUnless(TOOL.exists(), f"{TOOL} is not built")
class MeasuredTest(unittest.TestCase):

    def test_verdicts_agree_with_the_library(self):
        groups = collections.defaultdict(list)
        unknown = collections.Counter()
        for name, model, sdk, arch, consequence in measured_cases.cases(Facts(FACTS)):
            if model is None:
                unknown[name] += 1
            else:
                groups[sdk, arch].append((name, model, consequence))
        counts = collections.Counter()
        different = []
        for (sdk, arch), cases in sorted(groups.items()):
            for (name, model, want), report in zip(cases, self._check(cases, sdk, arch)):
                verdict = report.get("verdict", "error")
                agree = verdict in MILD if want == "harmless" else verdict == want
                if want == "prepare_fails" and " FLOAT_32 none" in name:
                    agree = verdict in ("advice", want)  # It works with the usual graph option.
                counts["agree" if agree else f"{want} but {verdict}"] += 1
                if not agree:
                    ids = sorted({f["constraint"] for f in report.get("findings", ())
                                  if f["consequence"] == verdict})
                    different.append((sdk, arch, name, want, verdict, ids))
        print(dict(counts), f"{sum(unknown.values())} cases in unknown words")
        if os.environ.get("QUANTGATE_VERBOSE"):
            for line in different:
                print(*line)
            print(unknown)
        self.assertGreater(counts["agree"], 0)
        self.assertLessEqual(len(different), MOST_DIFFERENCES, different[:20])

    def _check(self, cases, sdk, arch):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cases.jsonl"
            path.write_text("".join(json.dumps(m) + "\n" for _, m, _ in cases), encoding="utf-8")
            result = subprocess.run(
                [str(TOOL), "check", str(path), "--sdk", sdk, "--arch", arch, "--route", "direct",
                 "--format", "json"], capture_output=True, text=True, check=False)
            lines = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual(len(lines), len(cases), result.stderr[:500])
            return lines


if __name__ == "__main__":
    unittest.main()
