"""The tests that watch a mutant, quickest first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    ["tests/golden/test_golden.py"],
    ["tests/opdefs/test_measured.py"],
    ["tests/cli/test_check.py"],
    ["tests/cli/test_as_run.py"],
    ["tests/conformance/ort/compare.py", "--cli", "PROGRAM"],
    ["tests/conformance/htp/conformance.py", "--cli", "PROGRAM"],
]


class Suite:
    def __init__(self, program: Path) -> None:
        self.program = program

    def first_failure(self) -> str | None:
        environment = dict(os.environ, QUANTGATE_CLI=str(self.program))
        for script, *arguments in SCRIPTS:
            command = [sys.executable, str(ROOT / script)]
            command += [str(self.program) if word == "PROGRAM" else word for word in arguments]
            try:
                done = subprocess.run(command, env=environment, capture_output=True, timeout=600)
            except subprocess.TimeoutExpired:
                return script
            if done.returncode != 0:
                return script
        return None
