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
        return subprocess.run([CLI, "sweep", *args], capture_output=True, text=True, timeout=60, check=False)

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
