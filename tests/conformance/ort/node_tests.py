#!/usr/bin/env python3
"""The models of single operators that ONNX tests its operators with, by the provider and by quantgate.

    node_tests.py [--cli build/bin/quantgate]   the recorded answers against quantgate
    node_tests.py --record                      asks the provider about all of them and writes node_tests.json

Nobody here wrote these models: the package onnx makes them (about 1,000, float and integer, all attributes), and
nothing of them is kept but their names, a digest and the provider's answer: `taken`, `refused` (left to the CPU),
`fails` (no session) or, of what is taken, `wrong`: run with the values of the test it is off by more than 2 % of the
largest result from ONNX Runtime's CPU, or ends the process. A model whose digest is another, by another release of
onnx, is left out. What quantgate says otherwise is listed in node_tests_expected.json with its reason; one that is
listed and gone fails too. On v73.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compare as compare_files

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "node_tests.json"
EXPECTED = HERE / "node_tests_expected.json"
ARCH = "v73"
NODE = "node"
MOST_OPSET, MOST_IR = 24, 10  # that the provider's ONNX Runtime loads
CHUNK = 60  # models that one run of quantgate checks
WRONG = 0.02


def cases() -> Iterator[Any]:
    """ONNX's, of one node that ONNX Runtime loads; the node is called `node`."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the infinities that it computes on purpose
        collected = collect_testcases(None)
    for case in collected:
        model = case.model
        if model is None or len(model.graph.node) != 1:
            continue
        if any(o.domain not in ("", "ai.onnx") or o.version > MOST_OPSET for o in model.opset_import):
            continue
        model.ir_version = min(model.ir_version, MOST_IR)
        model.graph.node[0].name = NODE
        yield case


def models(folder: Path) -> dict[str, Path]:
    """Writes them; name to file."""
    import onnx

    files = {}
    for case in cases():
        files[case.name] = folder / f"{case.name}.onnx"
        onnx.save(case.model, files[case.name])
    return files


def digest(file: Path) -> str:
    return compare_files.digest(file)[:12]


# ---- recording ----------------------------------------------------------------------------------

def run(names: list[str]) -> int:
    """Prints for each whether the provider computes what the CPU does: a JSON line [true] or [false]."""
    import ask_provider
    import values

    asker = ask_provider.Asker(ARCH)
    by_name = {case.name: case for case in cases() if case.name in names}
    for name in names:
        model = by_name[name].model
        given, want = by_name[name].data_sets[0]
        feeds = dict(zip((i.name for i in model.graph.input), given))
        data = model.SerializeToString()
        with contextlib.suppress(Exception):  # where the CPU has no kernel, by the values of the test
            want = values.compute(data, [], {}, feeds)
        try:
            got = values.compute(data, [asker._device], asker._provider_options, feeds)
        except Exception:  # the bindings raise many types
            got = []
        right = len(got) == len(want) and all(values.off(w, g) <= WRONG for w, g in zip(want, got))
        print(json.dumps([right]), flush=True)
    return 0


def answer_of(answer: dict[str, Any]) -> str | None:
    """None where the optimizer left nothing to be asked about."""
    unit = answer["units"].get(NODE)
    if unit is not None and unit["verdict"] == "refused":
        return "refused"
    if answer["session"] != "ok":
        return "fails"
    return "taken" if unit is not None else None


def record() -> int:
    import onnx
    import onnxruntime_qnn

    import provider

    with tempfile.TemporaryDirectory() as folder:
        asked = provider.ask(ARCH, list(models(Path(folder)).values()))
        answers = {file.stem: [digest(file), said] for file, answer in asked.items() if (said := answer_of(answer))}
    taken = [name for name, (_, said) in answers.items() if said == "taken"]
    for name, right in zip(taken, provider.answers_of([__file__, "--run"], taken)):
        if right != [True]:
            answers[name][1] = "wrong"
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(answers[name])}" for name in sorted(answers))
    RECORDED.write_text(f'{{"onnx": "{onnx.__version__}", "onnxruntime_qnn": "{onnxruntime_qnn.__version__}", "answers": {{\n{lines}\n}}}}\n')
    print(f"{len(answers)} models: " + ", ".join(f"{n} {what}" for what, n in sorted(Counter(a for _, a in answers.values()).items())))
    return 0


# ---- comparison ---------------------------------------------------------------------------------

def verdicts(cli: str, files: list[Path]) -> dict[str, str]:
    found = {}
    for start in range(0, len(files), CHUNK):
        ran = subprocess.run([cli, "check", *files[start:start + CHUNK], "--arch", ARCH, "--mode", "warn", "--format", "json"],
                             capture_output=True, text=True, check=False)  # fmt: skip
        if ran.returncode not in (0, 1):
            raise SystemExit(f"quantgate: {ran.stderr.strip()}")
        for report in map(json.loads, ran.stdout.splitlines()):
            node = next((n for n in report["nodes"] if n["name"] == NODE), None)
            found[Path(report["model"]).stem] = node["verdict"] if node else "gone"
    return found


def kind_of(said: str, verdict: str) -> str | None:
    """What is the matter; None if both say the same."""
    if verdict in ("unchecked", "gone"):
        return "unknown"
    refused = verdict in ("rejected", "prepare_fails")
    if said == "wrong":
        return None if refused or verdict == "wrong_values" else "accepted, but it computes other numbers"
    if refused != (said != "taken"):
        return "refused, but taken" if refused else "accepted, but it " + ("fails" if said == "fails" else "is refused")
    return "wrong numbers, but right" if said == "taken" and verdict == "wrong_values" else None


def compare(cli: str) -> int:
    recorded = json.loads(RECORDED.read_text())["answers"]
    listed = {(entry["kind"], test): entry["reason"] for entry in json.loads(EXPECTED.read_text()) for test in entry["tests"]}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: file for name, file in models(Path(folder)).items() if recorded.get(name, [""])[0] == digest(file)}
        said = verdicts(cli, list(files.values()))
    found = {(kind, name): said[name] for name in files if (kind := kind_of(recorded[name][1], said[name]))}
    gone = [key for key in listed if key[1] in files and key not in found]
    for (kind, name), verdict in sorted(found.items()):
        if (kind, name) not in listed:
            print(f"FAIL {name}: {kind} (quantgate: {verdict})")
    for kind, name in gone:
        print(f"FAIL {name}: listed as \"{kind}\" and gone: take it out of {EXPECTED.name}")
    new = [key for key in found if key not in listed]
    print(f"{len(files)} of {len(recorded)} recorded models of ONNX's tests of operators: {len(files) - len(found)} agree, "
          f"{len(found) - len(new)} listed differences, {len(new)} new")  # fmt: skip
    return 1 if new or gone or not files else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=str(HERE.parents[2] / "build/bin/quantgate"))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--run", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        return run(arguments.run)
    return record() if arguments.record else compare(arguments.cli)


if __name__ == "__main__":
    sys.exit(main())
