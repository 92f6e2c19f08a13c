"""Models of one operator, put to Vela and to quantgate: how far their answers agree, per chip and version.

agree_vela.py ask FILE --vela 5.2=PYTHON … --seeds FIRST COUNT [--arch u55 u65 u85]
agree_vela.py compare FILE --cli quantgate [--page docs/records/ethosu.md]

`ask` runs under a Python with ai-edge-litert, whose schema writes the models; `compare` under any. The file has a
letter for each seed: n = on the NPU, c = left to the CPU, f = no compiled file.
"""
from __future__ import annotations

import argparse
import base64
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite.configs import draw  # noqa: E402
from tools.quantgate.python.oracles.children import Child  # noqa: E402

Json = dict[str, Any]
# Earlier scores, which no record can make again: what was scored joins what is repaired.
EARLIER = ROOT / "tests/conformance/vela/earlier.json"
CHILD = ROOT / "tools/quantgate/python/oracles/vela_child.py"
# What a verdict says about the place of an operator.
PLACES = {"accepted": "npu", "advice": "npu", "altered": "npu", "undocumented": "npu", "wrong_values": "npu",
          "rejected": "cpu", "prepare_fails": "fails", "unchecked": "unknown"}
KINDS = ("agree", "rejected in vain", "accepted in vain", "other kind of no", "unknown")


LETTERS = {"n": "npu", "c": "cpu", "f": "fails"}


def place(answer: Json) -> str:
    """n: the whole operator; c: all of it or a part is left; f: an error, a crash or a hang."""
    if "error" in answer:
        return "f"
    return "n" if set(answer["places"]) <= {"npu"} else "c"


def ask(out: Path, pythons: dict[str, str], archs: list[str], first: int, count: int) -> None:
    from tools.dev.tflite.model_bytes import model_bytes

    children = {sdk: Child([python, str(CHILD)], 60) for sdk, python in pythons.items()}
    places = {f"{sdk} {arch}": "" for sdk in pythons for arch in archs}
    for seed in range(first, first + count):
        data = base64.b64encode(model_bytes(draw(seed))).decode()
        for target in places:
            sdk, arch = target.split()
            request = {"arch": arch, "model": data}
            answer = children[sdk].query(request)
            # A machine that is busy, or was stopped, looks like a hang: what hangs twice does.
            if answer.get("error") == "hang":
                answer = children[sdk].query(request)
            places[target] += place(answer)
    for child in children.values():
        child.stop()
    lines = [f' "{target}": "{letters}"' for target, letters in places.items()]
    out.write_text(f'{{"first": {first}, "count": {count}, "places": {{\n' + ",\n".join(lines) + "}}\n")


def verdicts(cli: str, models: list[Json], sdk: str, arch: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models.jsonl"
        path.write_text("".join(json.dumps(model) + "\n" for model in models))
        done = subprocess.run([cli, "check", str(path), "--backend", "ethosu", "--arch", arch, "--sdk", sdk, "--format",
                               "json"], capture_output=True, text=True, check=False)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if len(reports) != len(models):
        raise SystemExit(f"{len(reports)} reports of {len(models)} models: {done.stderr[:500]}")
    # A drawn model may be none that can be read: a sum of dimensions that are not fixed.
    return [report["nodes"][0]["verdict"] if "nodes" in report else "unchecked" for report in reports]


def kind(wanted: str, verdict: str) -> str:
    got = PLACES[verdict]
    if got == wanted:
        return "agree"
    if got == "unknown":
        return "unknown"
    if wanted == "npu":
        return "rejected in vain"
    return "accepted in vain" if got == "npu" else "other kind of no"


Row = tuple[str, "collections.Counter[str]", "collections.Counter[str]"]


def compare(record: Json, cli: str) -> list[Row]:
    """Per target: the counts, and the operators that differ."""
    models = [draw(record["first"] + i) for i in range(record["count"])]
    rows = []
    for target, letters in record["places"].items():
        sdk, arch = target.split()
        counts: collections.Counter[str] = collections.Counter()
        differ: collections.Counter[str] = collections.Counter()
        for letter, model, verdict in zip(letters, models, verdicts(cli, models, sdk, arch)):
            found = kind(LETTERS[letter], verdict)
            counts[found] += 1
            if found != "agree":
                differ[model["name"]] += 1
        rows.append((target, counts, differ))
    return rows


def agreement(counts: collections.Counter[str]) -> float:
    """Of what quantgate knows, in percent."""
    return 100 * counts["agree"] / max(sum(counts.values()) - counts["unknown"], 1)


def page(rows: list[Row], record: Json) -> str:
    first, count = record["first"], record["count"]
    lines = ["# Agreement with Vela", "",
             f"{count:,} models of one operator each (seeds {first} to {first + count - 1} of "
             "`tools/dev/tflite/configs.py`: shapes of real networks, now and then something unusual), compiled by Vela and "
             "checked by quantgate. An operator is on the NPU, left to the CPU, or its model is lost (an error, a crash or a "
             "hang of the compiler).", "",
             "Recorded by `tools/dev/qgdev record vela`.", "",
             "| Vela | chip | " + " | ".join(KINDS) + " | agreement of what is known |",
             "|---|---|" + "---:|" * (len(KINDS) + 1)]
    for target, counts, _ in rows:
        sdk, arch = target.split()
        lines.append(f"| {sdk} | {arch} | " + " | ".join(f"{counts[name]:,}" for name in KINDS)
                     + f" | {agreement(counts):.2f} % |")
    lines += ["", "“Rejected in vain”: Vela puts it on the NPU. “Accepted in vain”: it does not. “Other kind of no”: one says CPU, "
              "the other that the model is lost.", "", "## Operators that differ", "", "| Vela | chip | operators |", "|---|---|---|"]
    for target, _, differ in rows:
        sdk, arch = target.split()
        lines.append(f"| {sdk} | {arch} | " + (", ".join(f"{op} {n}" for op, n in differ.most_common(12)) or "none") + " |")
    return "\n".join(lines) + "\n"


def earlier_part() -> str:
    scores = json.loads(EARLIER.read_text())
    targets = list(scores[-1]["agreement"])
    lines = ["", "## Earlier scores", "", "Seeds that were scored before, once each, in percent of agreement; the causes of "
             "differences among them were repaired before the next were drawn.", "", "| seeds | " + " | ".join(targets) + " |",
             "|---|" + "---:|" * len(targets)]
    for one in scores:
        lines.append(f"| {one['first']} to {one['first'] + one['count'] - 1} | "
                     + " | ".join(f"{one['agreement'][target]:.2f}" for target in targets) + " |")
    return "\n".join(lines) + "\n"


def table_of_networks(found: dict[str, tuple[int, int, list[str]]]) -> list[str]:
    lines = ["| Vela | chip | nodes with the same place | of | differ |", "|---|---|---:|---:|---|"]
    for target, (same, total, differ) in found.items():
        sdk, arch = target.split()
        lines.append(f"| {sdk} | {arch} | {same:,} | {total:,} | {'; '.join(differ) or 'none'} |")
    return lines


def networks_part(folder: Path, cli: str) -> str:
    """Whole networks, node by node."""
    from tools.dev.tflite import converted, networks

    made = converted.read(folder / "converted.json.gz")
    names = ", ".join(made["networks"])
    lines = ["", "## Networks of a converter", "",
             f"{len(made['networks'])} networks, made with Keras and quantized by TensorFlow 2.21's converter "
             f"(`tools/dev/tflite/converted.py`, `tools/dev/qgdev record converted`), node by node: {names}.", "",
             *table_of_networks(networks.compare(made["places"], cli, made["networks"])), "", "## Whole networks", "",
             f"{len(networks.networks())} networks of well-known shapes (`tools/dev/tflite/networks.py`), 8 and 16 bits, node by "
             "node. Where a network is lost as a whole, all of its nodes count.", "",
             *table_of_networks(networks.compare(json.loads((folder / "networks.json").read_text()), cli))]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("ask", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--vela", nargs="+", default=[], metavar="VERSION=PYTHON")
    parser.add_argument("--arch", nargs="+", default=["u55", "u65", "u85"])
    parser.add_argument("--seeds", nargs=2, type=int, default=(1, 1000), metavar=("FIRST", "COUNT"))
    parser.add_argument("--cli", default="quantgate")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    if arguments.verb == "ask":
        ask(arguments.file, dict(each.split("=", 1) for each in arguments.vela), arguments.arch, *arguments.seeds)
        return
    record = json.loads(arguments.file.read_text())
    text = page(compare(record, arguments.cli), record) + earlier_part()
    if arguments.file.with_name("networks.json").exists():
        text += networks_part(arguments.file.parent, arguments.cli)
    if arguments.page is not None:
        arguments.page.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
