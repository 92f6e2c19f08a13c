#!/usr/bin/env python3
"""Checks the example models for three chips: a table, then what planted mistakes look like."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
SOCS = ("SM8350", "SM8550", "SM8750")
VERDICTS = ("accepted", "advice", "undocumented", "altered", "wrong_values", "prepare_fails",
            "rejected", "unchecked")


def main() -> int:
    cli = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bin" / "quantgate"
    cli = cli.resolve()
    print("quantgate check docs/examples/*.onnx: nodes by verdict\n")
    print(f"{'model':36}{'chip':8}{'arch':6}{'nodes':>6}",
          *(f"{v:>{max(8, len(v))}}" for v in VERDICTS), f"{'ms':>6}")
    for model in sorted(EXAMPLES.glob("*.onnx")):
        for soc in SOCS:
            start = time.perf_counter()
            process = subprocess.run([cli, "check", model, "--soc", soc, "--format", "json"],
                                     capture_output=True, text=True)
            elapsed = (time.perf_counter() - start) * 1000
            if process.returncode not in (0, 1):
                print(process.stderr, file=sys.stderr, end="")
                return process.returncode
            report = json.loads(process.stdout)
            summary = report["summary"]
            print(f"{model.stem if soc == SOCS[0] else '':36}{soc:8}{report['target']['arch']:6}"
                  f"{summary['nodes']:>6}",
                  *(f"{summary[v] or '·':>{max(8, len(v))}}" for v in VERDICTS), f"{elapsed:>6.0f}")
    for model, words in (("planted.onnx", []), ("planted_qnn.json", ["--route", "direct"])):
        words = ["check", f"docs/examples/{model}", "--soc", "SM8550", *words]
        print(f"\n$ quantgate {' '.join(words)}\n", flush=True)
        if subprocess.run([str(cli), *words], cwd=ROOT).returncode not in (0, 1):
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
