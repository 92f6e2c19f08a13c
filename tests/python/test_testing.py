"""assert_clean, by itself and as the pytest fixture."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from importlib.metadata import entry_points
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))
from cli_case import bad, good  # noqa: E402

from quantgate.testing import assert_clean  # noqa: E402

# Installed, pytest finds the plugin by itself and refuses it a second time.
PLUGIN = [] if entry_points(group="pytest11", name="quantgate") else ["-p", "quantgate._pytest_plugin"]


class AssertClean(unittest.TestCase):
    def test_a_model_that_fits_gives_its_report(self) -> None:
        self.assertEqual(assert_clean(good(), arch="v73").verdict, "accepted")

    def test_one_that_does_not_is_reported(self) -> None:
        with self.assertRaises(AssertionError) as caught:
            assert_clean(bad(), soc="SM8550")
        text = str(caught.exception)
        self.assertIn("does not fit htp v73 (SDK", text)
        self.assertIn("\n  QG301 asymmetric-encoding at n0 in[1]: ", text)

    def test_rules_can_be_ignored(self) -> None:
        for name in ("QG301", "qg3", "asymmetric-encoding"):
            assert_clean(bad(), arch="v73", ignore=[name])
        with self.assertRaises(AssertionError):
            assert_clean(bad(), arch="v73", ignore=["QG4"])
        with self.assertRaises(ValueError):
            assert_clean(bad(), arch="v73", ignore=["QG9999"])

    def test_warn_asserts_nothing(self) -> None:
        assert_clean(bad(), arch="v73", mode="warn")


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "no pytest here")
class Plugin(unittest.TestCase):
    def test_the_fixture_takes_its_target_from_the_command_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "m.json").write_text(json.dumps(bad()))
            (Path(folder) / "test_m.py").write_text(
                "def test_clean(assert_clean):\n    assert_clean('m.json')\n"
                "def test_arch(assert_clean):\n"
                "    assert assert_clean('m.json', ignore=['QG3']).arch == 'v79'\n")
            result = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", *PLUGIN, "-p", "no:cacheprovider",
                 "--quantgate-arch", "v79"],
                cwd=folder, capture_output=True, text=True, timeout=120)
        self.assertIn("1 failed, 1 passed", result.stdout)
        self.assertIn("QG301 asymmetric-encoding at n0 in[1]", result.stdout)


if __name__ == "__main__":
    unittest.main()
