"""Running the tool in tests: the binary of $QUANTGATE_CLI, in an environment without surprises."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Counters of a build that measures coverage may say where their errors go; a build of mutants is reported
# which to be.
PASSED_ON = ("GCOV_", "QUANTGATE_MUTANT", "QUANTGATE_REACHED")
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8",
               **{name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}}
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))

# A Conv2d that HTP takes on every arch: UFIXED_POINT_8 with a symmetric signed weight.
CONV = {
    "name": "m",
    "tensors": [
        {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, 8, 8, 32],
         "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}},
        {"name": "w", "dtype": "SFIXED_POINT_8", "dims": [3, 3, 32, 16], "isStatic": True,
         "encoding": {"perChannel": {"axis": 3, "scales": [0.01], "zeroPoints": [0]}}},
        {"name": "y", "dtype": "UFIXED_POINT_8", "dims": [1, 6, 6, 16],
         "encoding": {"perTensor": {"scale": 0.05, "zeroPoint": 3}}},
    ],
    "nodes": [{"name": "n0", "op": "Conv2d", "inputs": ["x", "w"], "outputs": ["y"],
               "params": {"stride": {"tensor": {"dtype": "UINT_32", "dims": [2], "ints": [1, 1]}},
                          "pad_amount": {"tensor": {"dtype": "UINT_32", "dims": [2, 2],
                                                    "ints": [0, 0, 0, 0]}},
                          "group": {"uint": 1}}}],
}


def good() -> dict:
    return json.loads(json.dumps(CONV))


def bad() -> dict:
    """The weight's zero points are not 0: rejected on every HTP arch."""
    model = good()
    model["tensors"][1]["encoding"]["perChannel"]["zeroPoints"] = [3]
    return model


class CliCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name: str, content: str | bytes | dict | None = None) -> str:
        file = self.folder / name
        if isinstance(content, dict):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        if content is not None:
            file.write_bytes(content)
        return str(file)

    def run_cli(self, *arguments: str, stdin: bytes = b"", **environment: str
                ) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [CLI, *arguments], input=stdin, capture_output=True, timeout=60, cwd=self.folder,
            env={**ENVIRONMENT, "TERM": "xterm", **environment})
        return subprocess.CompletedProcess(result.args, result.returncode,
                                           result.stdout.decode(), result.stderr.decode())

    def unusable(self, *arguments: str, says: str | tuple[str, ...] = (), stdin: bytes = b""
                 ) -> None:
        """Exit status 2, nothing on stdout, one line on stderr that holds `says`."""
        result = self.run_cli(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "", result)
        self.assertRegex(result.stderr, r"\Aerror: [^\n]+\n\Z")
        for part in (says,) if isinstance(says, str) else says:
            self.assertIn(part, result.stderr)

    def report(self, *arguments: str, status: int = 0, stdin: bytes = b"") -> dict:
        result = self.run_cli("check", *arguments, "--format", "json", stdin=stdin)
        self.assertEqual(result.returncode, status, result.stderr + result.stdout[:2000])
        return json.loads(result.stdout)
