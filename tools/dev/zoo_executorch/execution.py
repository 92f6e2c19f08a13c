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
    """{case: {node: "wrong", "between" or "right"; "refused" where the library takes no op that has the finding}}"""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def library() -> Path:
    found = sorted(LIBRARY.glob("python3*/site-packages/onnxruntime_qnn/libQnnHtp.so"))
    if not found:
        raise SystemExit("error: no library: tools/dev/zoo_executorch/setup.sh installs it")
    return found[0]


def verified(cli: Path, model: Path) -> list[dict] | str:
    """The ops of a model, each asked and run alone; why not, where they could not be run."""
    done = subprocess.run([str(cli), "verify", str(model), "--inputs", str(model), "--backend-lib", str(library()),
                           *compare.TARGET, "--execute", "--python", str(places.PYTHON), "--timeout", "300",
                           "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return f"not run: {done.stderr.strip()[:100]}"
    return json.loads(done.stdout)["nodes"]


def with_indices_at_run_time(model: Path) -> None:
    """Constants of 64 bits arrive behind a Cast: as numbers that op validation doesn't see."""
    data = json.loads(model.read_text())
    for tensor in data["tensors"]:
        if tensor.get("dtype") == "INT_64":
            tensor["dtype"] = "INT_32"
            if tensor.pop("isStatic", False):
                data["inputs"].append(tensor["name"])
    model.write_text(json.dumps(data))


def run(cli: Path, graph: Path, node: str, folder: Path) -> str:
    """What came out of the node; why not, where it could not be run."""
    alone = folder / "alone.json"
    subprocess.run([str(cli), "check", str(graph), *compare.TARGET, "--save-node", node, "-o", str(alone)],
                   capture_output=True, check=False)
    ops = verified(cli, alone)
    if isinstance(ops, str):
        return ops
    # A finding on the operator itself is about what the client makes of it: no op of it is wrong alone.
    wrong = [one for one in ops if one["quantgate"]["verdict"] == "wrong_values"]
    if not wrong and any(one["quantgate"]["verdict"] in compare.REFUSED for one in ops):
        return "refused"
    if not wrong:
        with_indices_at_run_time(alone)
        wrong = verified(cli, alone)
        if isinstance(wrong, str):
            return wrong
    results = [one.get("values", {}).get("result") or "not run" for one in wrong]
    return "wrong" if "wrong" in results else (results or ["no such op"])[0]


def run_all(cli: Path, cases: list[tuple[places.Case, dict]]) -> None:
    result: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        graph = Path(temporary) / "graph.json"
        for case, recorded in cases:
            graph.write_text(json.dumps(recorded["converted"]))
            for node in compare.wrong_nodes(compare.reports(cli, [recorded["converted"]])[0]):
                outcome = run(cli, graph, node, Path(temporary))
                result.setdefault(str(case), {})[node] = outcome
                print(case, node, outcome, file=sys.stderr, flush=True)
    FILE.write_text(json.dumps(result, indent=1) + "\n")
