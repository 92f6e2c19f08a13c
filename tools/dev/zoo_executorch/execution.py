"""Every node of a converted graph that gets `wrong_values`, cut out as the lowering hands it over, and run on the
emulator against the float reference: tests/conformance/executorch/zoo/executed.json."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import places

FILE = places.RECORDED / "executed.json"
LIBRARY = places.BUILD / "venv" / "lib"


def executed() -> dict[str, dict[str, str]]:
    """{case: {node: "wrong", "between" or "right"}}"""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def library() -> Path:
    found = sorted(LIBRARY.glob("python3*/site-packages/onnxruntime_qnn/libQnnHtp.so"))
    if not found:
        raise SystemExit("error: no library: tools/dev/zoo_executorch/setup.sh installs it")
    return found[0]


def run(cli: Path, graph: Path, node: str, folder: Path) -> str:
    """What came out of the node; why not, where it could not be run."""
    alone = folder / "alone.json"
    subprocess.run([str(cli), "check", str(graph), *compare.TARGET, "--save-node", node, "-o", str(alone)],
                   capture_output=True, check=False)
    done = subprocess.run([str(cli), "verify", str(alone), "--inputs", str(alone), "--backend-lib", str(library()),
                           *compare.TARGET, "--execute", "--python", str(places.PYTHON), "--timeout", "300",
                           "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return f"not run: {done.stderr.strip()[:100]}"
    ops = [one for one in json.loads(done.stdout)["nodes"] if one["quantgate"]["verdict"] == "wrong_values"]
    results = [one.get("values", {}).get("result") or "not run" for one in ops]
    return "wrong" if "wrong" in results else (results or ["no such op"])[0]


def run_all(cli: Path, cases: list[tuple[places.Case, dict]]) -> None:
    """Keeps what is there of findings that are still made, and adds what is not."""
    known = executed()
    result: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        graph = Path(temporary) / "graph.json"
        for case, recorded in cases:
            graph.write_text(json.dumps(recorded["converted"]))
            for node in wrong_nodes(compare.reports(cli, [recorded["converted"]])[0]):
                before = known.get(str(case), {}).get(node)
                outcome = before or run(cli, graph, node, Path(temporary))
                result.setdefault(str(case), {})[node] = outcome
                print(case, node, outcome, file=sys.stderr, flush=True)
    FILE.write_text(json.dumps(result, indent=1) + "\n")


def wrong_nodes(report: dict) -> list[str]:
    return sorted({f["node"] for f in report["findings"] if f["consequence"] == "wrong_values" and f["node"]})
