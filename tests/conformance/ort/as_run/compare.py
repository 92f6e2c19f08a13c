#!/usr/bin/env python3
"""What `check --as-run` predicts of small models against what the provider was seen to do.

    compare.py [--cli build/bin/quantgate] [--list]      recorded answers, standard library only

Counts per architecture and set of models (made, random): units refused and taken, sessions, float
units, partitions, inserted Converts, replaced encodings, and models whose numbers differ from the
CPU's although everything was accepted. Fails when a count is not that of expected.json (--shrink
writes it); --write FILE puts the table between the markers of a page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.shared.page_table import replaced  # noqa: E402

SOCS = {"v68": "SM8350", "v69": "SM8450", "v73": "SM8550", "v79": "SM8750"}
REFUSED = ("rejected", "prepare_fails")
SILENT = ("accepted", "advice", "undocumented")
OFF = 0.01  # of the range of the outputs
# Recorded by ONNX Runtime itself, no rule of the backend: both sides count as no session.
DEAD = ("invalid", "finalize_fails", "compose_fails", "run_fails")
EXAMPLES = ROOT / "docs" / "examples"
MARKS = ("<!-- as_run: written by tests/conformance/ort/as_run/compare.py -->", "<!-- /as_run -->")


def reports(cli: Path, folder: Path, names: list[str], arch: str) -> dict[str, dict]:
    done = {}
    for start in range(0, len(names), 100):
        files = [f"{name}.onnx" for name in names[start:start + 100]]
        command = [str(cli), "check", *files, "--sdk", "2.51", "--soc", SOCS[arch], "--mode", "warn",
                   "--as-run", "--format", "json"]
        out = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder,
                             env=os.environ | {"NO_COLOR": "1"})
        if out.returncode != 0:
            sys.exit(f"error: quantgate check: exit status {out.returncode}\n{out.stderr}")
        for line in out.stdout.splitlines():
            report = json.loads(line)
            done[Path(report["model"]).stem] = report
    return done


def compare(name: str, answer: dict, report: dict, default: bool = False) -> list[tuple[str, str]]:
    """[(what was counted, detail)]: `…_ok` where prediction and observation agree."""
    run = report["asRun"]
    nodes = {n["name"]: n for n in report["nodes"]}
    place = {n["node"]: n["placement"] for n in run["nodes"]}
    seen: list[tuple[str, str]] = []

    def count(what: str, agrees: bool, detail: str = "") -> None:
        seen.append((f"{what}_{'ok' if agrees else 'wrong'}", f"{name} {detail}".strip()))

    def verdict(unit: str) -> str:
        node = nodes[unit]
        return nodes[node["into"]]["verdict"] if node.get("into") in nodes else node["verdict"]

    # A Q or DQ goes where its op goes, and to the CPU at the ends with the default options.
    refused = [u for u in answer["refused"]
               if not (u.endswith("Q") and (default or place[u] in ("into", "outside")))]
    for unit in refused:
        count("refused", verdict(unit) in REFUSED, unit)
    for unit in answer["taken"]:
        if nodes[unit].get("into"):
            continue  # part of another unit here: its being taken says nothing about the host
        if answer["session"] in DEAD and verdict(unit) in REFUSED:
            continue  # the session may have died of it
        count("taken", verdict(unit) not in REFUSED, unit)
    made = run["session"]["made"]
    count("session" if answer["session"] == "ok" else "dead", (answer["session"] == "ok") == made,
          "" if answer["session"] == "ok" else answer["session"])
    if answer["session"] != "ok":
        return seen
    reported = any(f["consequence"] not in SILENT for f in report["findings"])
    error, ill = answer.get("error", 0), answer.get("step", 0)
    if error > OFF and not refused:
        # Where a step of the inputs changes as much on the CPU, the numbers say nothing.
        count("off" if error > ill else "off_within_a_step", reported, f"error {error}, a step changes {ill}")
    if default:
        if report["verdict"] == "wrong_values":
            count("wrong_values", error > OFF, f"error {error}")
        return seen
    for unit in filter(None, answer["float"]):
        count("float", place.get(unit) == "npu_float", unit)
    for unit in answer["taken"]:
        if unit not in answer["float"] and place.get(unit) in ("npu_float", "npu_quantized"):
            ops = next(n["ops"] for n in run["nodes"] if n["node"] == unit)
            if set(ops) & {"Quantize", "Dequantize"} and len(ops) == 1:
                continue
            count("quantized", place[unit] == "npu_quantized", unit)
    count("partitions" if answer["partitions"] < 2 else "several_partitions", len(run["partitions"]) == answer["partitions"],
          f"{len(run['partitions'])}, seen {answer['partitions']}")
    converts = sum(op == "Convert" for n in run["nodes"] for op in n["ops"]
                   if n["placement"].startswith("npu_"))
    if converts or answer["converts"]:
        count("converts", converts == answer["converts"], f"{converts}, seen {answer['converts']}")
    replaced = {c["tensor"] for c in run["changes"] if c["kind"] == "encoding"}
    for tensor in sorted(replaced | set(answer["reencoded"])):
        count("reencoded", (tensor in replaced) == (tensor in answer["reencoded"]), tensor)
    return seen


def compare_example(name: str, answer: dict, run: dict) -> list[tuple[str, str]]:
    made = answer["session"] == "ok"
    seen = [("session" if made else "dead", made == run["session"]["made"], answer["session"])]
    if made:
        converts = sum(op == "Convert" for n in run["nodes"] for op in n["ops"] if n["placement"].startswith("npu_"))
        seen += [("partitions" if answer["partitions"] < 2 else "several_partitions", len(run["partitions"]) == answer["partitions"],
                  f"{len(run['partitions'])}, seen {answer['partitions']}"),
                 ("converts", converts == answer["converts"], f"{converts}, seen {answer['converts']}")]
    return [(f"{what}_{'ok' if agrees else 'wrong'}", f"{name} {detail}") for what, agrees, detail in seen]


# What the table calls the counts of expected.json, in this order.
TITLES = {
    "refused": "refused units", "taken": "accepted units", "session": "sessions created", "dead": "sessions that can't be created",
    "quantized": "units that run quantized", "float": "units that run in float", "partitions": "number of NPU graphs",
    "several_partitions": "the same, where there are several", "converts": "number of Converts", "reencoded": "replaced encodings",
    "off": "numbers off by more than 1 %", "off_within_a_step": "the same, where one step of an input changes as much",
    "wrong_values": "verdict wrong_values, and numbers off",
}  # fmt: skip


def table(found: dict[str, Counter]) -> list[str]:
    """Markdown: a row a count, a column an architecture, and all together."""
    columns = [c for c in found if found[c]["models"]]
    whats = sorted({w.rsplit("_", 1)[0] for c in found.values() for w in c if w != "models"}, key=list(TITLES).index)
    lines = ["| count | " + " | ".join(columns) + " | all |", "|---" * (len(columns) + 2) + "|",
             "| models | " + " | ".join(str(found[c]["models"]) for c in columns)
             + f" | {sum(found[c]['models'] for c in columns)} |"]
    for what in whats:
        pairs = [(found[c][what + "_ok"], found[c][what + "_ok"] + found[c][what + "_wrong"]) for c in columns]
        ok, of = (sum(p[i] for p in pairs) for i in (0, 1))
        lines.append(f"| {TITLES[what]} | " + " | ".join(f"{a}/{b}" for a, b in pairs) + f" | {ok}/{of} = {100 * ok / of:.1f}% |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "bin" / "quantgate")
    parser.add_argument("--list", action="store_true", help="name every disagreement")
    parser.add_argument("--shrink", action="store_true", help="write expected.json")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the tables into a page")
    args = parser.parse_args()
    if not args.cli.is_file():
        print(f"error: {args.cli}: no such file; make build", file=sys.stderr)
        return 2

    found: dict[str, Counter] = {}
    disagreements: list[str] = []
    with tempfile.TemporaryDirectory() as tmp:
        with tarfile.open(HERE / "models.tar.xz") as tar:
            for entry in filter(tarfile.TarInfo.isfile, tar):
                (Path(tmp) / Path(entry.name).name).write_bytes(tar.extractfile(entry).read())
        for arch, answers in json.loads((HERE / "recorded" / "examples.json").read_text()).items():
            predicted = reports(args.cli.resolve(), EXAMPLES, sorted(answers), arch)
            counts = found[f"{arch}, examples"] = Counter(models=len(answers))
            for name, answer in answers.items():
                for what, detail in compare_example(name, answer, predicted[name]["asRun"]):
                    counts[what] += 1
                    if what.endswith("_wrong"):
                        disagreements.append(f"{arch}, examples: {what.removesuffix('_wrong')}: {detail}")
        for path in sorted((HERE / "recorded").glob("v*.json")):
            arch, _, options = path.stem.partition("-")
            answers = {n: a for n, a in json.loads(path.read_text()).items() if a["session"] != "crashes"}
            predicted = reports(args.cli.resolve(), Path(tmp), sorted(answers), arch)
            for name, answer in answers.items():
                column = path.stem + (", random" if name.startswith("random.") else "")
                counts = found.setdefault(column, Counter())
                counts["models"] += 1
                for what, detail in compare(name, answer, predicted[name], options == "default"):
                    counts[what] += 1
                    if what.endswith("_wrong"):
                        disagreements.append(f"{column}: {what.removesuffix('_wrong')}: {detail}")
    if args.list:
        print("\n".join(disagreements))
    kinds = {"Generated models": "", "Random models": ", random", "Generated models, the provider's default options": "-default",
             "The example models": ", examples"}
    groups = [{c: found[c] for c in found if c[3:] == kind} for kind in kinds.values()]
    titles = tuple(kinds)
    lines = []
    for title, group in zip(titles, groups):
        if group:
            lines += [f"{title}:", "", *table(group), ""]
    print("\n".join(lines))
    if args.write:
        args.write.write_text(replaced(args.write.read_text(), MARKS, "\n" + "\n".join(lines)))

    now = {"counts": {column: dict(sorted(c.items())) for column, c in sorted(found.items())},
           "disagreements": sorted(disagreements)}
    target = HERE / "expected.json"
    if args.shrink:
        target.write_text(json.dumps(now, indent=1) + "\n")
    expected = json.loads(target.read_text())
    for column in sorted({*now["counts"], *expected["counts"]}):
        counts, before = now["counts"].get(column, {}), expected["counts"].get(column, {})
        for what in sorted({*counts, *before}):
            if counts.get(what, 0) != before.get(what, 0):
                print(f"FAIL {column} {what}: {counts.get(what, 0)}, expected {before.get(what, 0)}")
    for word, lines in (("new", set(disagreements) - set(expected["disagreements"])),
                        ("gone", set(expected["disagreements"]) - set(disagreements))):
        for line in sorted(lines):
            print(f"FAIL {word}: {line}")
    print("PASS" if now == expected else "as_run: not what expected.json says (--shrink writes it)")
    return 0 if now == expected else 1


if __name__ == "__main__":
    sys.exit(main())
