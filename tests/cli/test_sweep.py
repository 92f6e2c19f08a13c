"""`quantgate sweep` finds a Python and hands its arguments on; what it does with them is tested in
tests/python/test_sweep_command.py."""

import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

CLI = os.environ["QUANTGATE_CLI"]
# Has the package; says what it is called with, and ends with 1.
FAKE = """#!/bin/sh
if [ "$1" = -c ]; then exit 0; fi
echo "safe=$PYTHONSAFEPATH"
for argument; do echo "<$argument>"; done
exit 1
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def program(self, text):
        path = self.folder / "python"
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run_cli(self, *args):
        return subprocess.run([CLI, "sweep", *args], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)

    def test_arguments_are_handed_on(self):
        run = self.run_cli("a b", "--targets", "SM8550,arch:v79", "--resume", "-o", "out", "-j", "3", "--opdefs", "x",
                           "--opdefs", "y", "-q", "--python", self.program(FAKE), "c")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertEqual(run.stdout.splitlines(), [
            "safe=1", "<-m>", "<quantgate>", "<sweep>", "<--targets=SM8550,arch:v79>", "<--output=out>", "<--opdefs=x>",
            "<--opdefs=y>", "<--resume>", "<--quiet>", "<--jobs=3>", "<-->", "<a b>", "<c>"])

    def test_nothing_is_made_up(self):
        run = self.run_cli("--python", self.program(FAKE))
        self.assertEqual(run.stdout.splitlines(), ["safe=1", "<-m>", "<quantgate>", "<sweep>", "<-->"])

    def test_what_the_configuration_says(self):
        config = self.folder / "quantgate.yaml"
        python = self.program(FAKE)

        def handed_on(text, *args):
            config.write_text(text)
            run = self.run_cli("x", "--python", python, *args)
            self.assertEqual(run.stderr, "")
            return [line for line in run.stdout.splitlines() if line.startswith("<--") and line != "<-->"]

        given = ("--config", str(config))
        text = ("targets: [SM8550, arch:v79@2.25, {backend: lpai, arch: v5, sdk: '2.31'}, {backend: cpu}]\n"
                "mode: warn\nfail-on: rejected\nopdefs: npu\n")
        targets = "<--targets=SM8550,arch:v79@2.25,lpai:v5@2.31,cpu>"
        rest = ["<--mode=warn>", "<--fail-on=rejected>", f"<--opdefs={self.folder}/npu>"]
        self.assertEqual(handed_on(text, *given), [targets, *rest])
        self.assertEqual(handed_on(text, *given, "--targets", "SM8750", "--mode", "strict"),
                         [*rest[1:], "<--targets=SM8750>", "<--mode=strict>"])
        self.assertEqual(handed_on(text, *given, "--merge"), ["<--merge>"])
        self.assertEqual(handed_on(text, *given, "--isolated"), [])
        self.assertEqual(handed_on("target: {soc: SM8550, route: qairt}", *given),
                         ["<--targets=SM8550>", "<--route=qairt>"])
        several = "targets: [{soc: SM8550, route: qairt}, {soc: SM8750}]"
        self.assertEqual(handed_on(several, *given, "--route", "direct"),
                         ["<--targets=SM8550,SM8750>", "<--route=direct>"])
        config.write_text(several)
        run = self.run_cli("x", "--python", python, *given)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, r"\Aerror: \S+/quantgate.yaml: its targets have several routes.*\n\Z")
        config.write_text("target: {socs: SM8550}")
        self.assertEqual(self.run_cli("x", "--python", python, *given).returncode, 2)

    def test_a_python_without_the_package(self):
        run = self.run_cli("x", "--python", self.program("#!/bin/sh\nexit 1\n"))
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, r"\Aerror: sweep needs the Python package, which \S+/python doesn't have: "
                                     r"pip install 'quantgate\[sweep\]', or name another with --python\n\Z")

    def test_no_python(self):
        run = self.run_cli("x", "--python", str(self.folder / "none"))
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, r"\Aerror: \S+/none: No such file or directory; --python names another\n\Z")


if __name__ == "__main__":
    unittest.main()
