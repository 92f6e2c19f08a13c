#!/usr/bin/env python3
"""Asks the provider about all small models and writes models.tar.xz and recorded/<arch>.json.

    record.py ARCH... [--answers DIR]     answers of an earlier run (DIR/<arch>.jsonl) aren't asked again
    record.py ARCH... --check N           asks about every Nth model and compares with what is recorded
                                          ARCH-default: with the provider's default options

Needs tests/conformance/ort/requirements.txt. Minutes per architecture.
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import random_models
import small_models
from ask import inputs
from onnx import numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3]))
from tools.dev.shared.progress import Progress, run_counted  # noqa: E402

BATCH, TIMEOUT_S = 40, 600
RANDOM = (1, 500)  # first seed, number
RANDOM_ARCHS = ("v68", "v69", "v73", "v79")
EXAMPLE_ARCHS = ("v68", "v73")
FLOATS = (0x0216, 0x0232)  # QNN's FLOAT_16 and FLOAT_32
RELATIVE = 1e-5  # scales pass through single precision
# Not defined below 0: where their inputs are all over a range around 0, numbers say nothing.
PARTIAL = ("Sqrt", "Log", "Pow")


def ask(arch: str, files: list[Path], answers: Path) -> dict[str, dict]:
    """A process that crashes or hangs costs the model it was at."""
    known = {}
    if answers.is_file():
        known = {a["model"]: a for a in map(json.loads, answers.read_text().splitlines())}
    todo = [f for f in files if f.stem not in known]
    with answers.open("a") as out, Progress(f"ask about {arch}", len(todo)) as progress:
        while todo:
            try:
                done = run_counted([sys.executable, HERE / "ask.py", arch, *todo[:BATCH]], progress, TIMEOUT_S).stdout
            except subprocess.TimeoutExpired as e:
                done = e.output
            lines = done.splitlines()
            if len(lines) < len(todo[:BATCH]):
                lines.append(json.dumps({"model": todo[len(lines)].stem, "session": "crashes"}))
            for line in lines:
                known[json.loads(line)["model"]] = json.loads(line)
                out.write(line + "\n")
            out.flush()
            todo = todo[len(lines):]
    return known


class File:
    """What was written: names, encodings of stored tensors, the range the outputs can have."""

    def __init__(self, model: onnx.ModelProto):
        graph = model.graph
        values = {i.name: numpy_helper.to_array(i) for i in graph.initializer if i.data_type in (1, 2, 3, 4, 5)}
        self.nodes = {n.name for n in graph.node}
        self.ends = {t.name for t in (*graph.input, *graph.output)}
        self.encodings, spans = {}, {}
        for n in graph.node:
            if n.op_type == "QuantizeLinear":
                scale, zero = values[n.input[1]], values[n.input[2]]
                self.encodings[n.output[0]] = (float(scale), int(zero))
            if n.op_type == "DequantizeLinear" and n.input[0] in self.encodings:
                info = np.iinfo(values[n.input[2]].dtype)
                spans[n.output[0]] = float(values[n.input[1]]) * (info.max - info.min)
        self.ranges = [spans.get(o.name) for o in graph.output]
        self.model = model
        self.partial = any(n.op_type in PARTIAL for n in graph.node)

    @functools.cached_property
    def spans(self) -> list[float]:
        """Of the values that the CPU provider computes, on the inputs that ask.py takes."""
        session = onnxruntime.InferenceSession(self.model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [float(v.max() - v.min()) for v in session.run(None, inputs(self.model.graph)[0])]

    def name(self, unit: str) -> str | None:
        unit = unit if unit in self.nodes else re.sub(r"(_token_\d+|/duplicated)+$", "", unit)
        return unit if unit in self.nodes else None


def compact(answer: dict, file: File) -> dict:
    row: dict = {"session": answer["session"]}
    units: dict[str, str] = {}
    for unit, verdict in answer.get("units", {}).items():
        name = file.name(unit)
        if name:
            units[name] = "refused" if "refused" in (verdict, units.get(name)) else verdict
    row["units"] = len(units)
    row["taken"] = sorted(n for n, v in units.items() if v == "taken")
    row["refused"] = sorted(n for n, v in units.items() if v == "refused")
    # Not where the graph has floats at its ends only: a copying op was moved between Q and DQ.
    inside = any(t[0] in FLOATS and name not in file.ends
                 for name, t in answer.get("tensors", {}).items())
    in_float = {file.name(n) for n in answer.get("float", ())} - {None, ""}
    row["float"] = sorted(in_float) if inside else []
    if answer["session"] == "ok":
        row["partitions"] = sum(size > 0 for size in answer["partitions"])
        row["converts"] = answer["graph"].get("Convert", 0)
        reencoded = []
        for tensor, encoding in answer["tensors"].items():
            stored = tensor.removesuffix("_Q")
            if len(encoding) < 3 or stored not in file.encodings:
                continue
            scale, zero = file.encodings[stored]
            if abs(encoding[1] - scale) > RELATIVE * scale or -encoding[2] != zero:
                reencoded.append(stored)
        row["reencoded"] = sorted(set(reencoded))
        if answer.get("error") is not None and not file.partial:
            # Of the range that the encoding of the output can express: a step of 8 bits is 0.4%.
            scale = max((s / r if r else 1.0 if r is None else 0.0) for s, r in zip(file.spans, file.ranges))
            for key in ("error", "step"):
                row[key] = round(min(answer[key] * (scale or 1.0), 1e6), 5)
    return row


EXAMPLES = HERE.parents[3] / "docs" / "examples"


def record_examples(archs: tuple[str, ...], answers: Path) -> None:
    """Only what the example models are cut into: sessions, graphs, Converts."""
    rows = {}
    for arch in archs:
        found = ask(arch, sorted(EXAMPLES.glob("*.onnx")), answers / f"examples-{arch}.jsonl")
        rows[arch] = {name: {"session": a["session"], "partitions": sum(size > 0 for size in a["partitions"]),
                             "converts": a["graph"].get("Convert", 0)} for name, a in sorted(found.items())}
    (HERE / "recorded" / "examples.json").write_text(json.dumps(rows, indent=1) + "\n")


def changed(recorded: dict, now: dict) -> list[str]:
    """Names of models whose answer is another one; numbers may differ by half a percent."""
    def close(a, b):
        return a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 0.005)
    return [name for name, row in now.items() if name in recorded
            and not (row.keys() == recorded[name].keys() and all(close(row[k], recorded[name][k]) for k in row))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archs", nargs="+")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--check", type=int, metavar="N", help="asks about every Nth model only, and writes nothing")
    args = parser.parse_args()
    models = [(n, m) for n, m in (*small_models.models(), *random_models.models(*RANDOM))][::args.check or 1]
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        files, kept = [], {}
        for name, model in models:
            path = Path(tmp) / f"{name}.onnx"
            path.write_bytes(model.SerializeToString(deterministic=True))
            files.append(path)
            kept[name] = File(model)
        if not args.check:
            with tarfile.open(HERE / "models.tar.xz", "w:xz", preset=9) as tar:
                for path in files:
                    entry = tarfile.TarInfo(path.name)
                    entry.size = path.stat().st_size
                    tar.addfile(entry, io.BytesIO(path.read_bytes()))
        (HERE / "recorded").mkdir(exist_ok=True)
        if not args.check and set(EXAMPLE_ARCHS) <= set(args.archs):
            record_examples(EXAMPLE_ARCHS, args.answers or Path(tmp))
        for arch in args.archs:
            wanted = [f for f in files if arch in RANDOM_ARCHS or not f.stem.startswith("random.")]
            answers = ask(arch, wanted, (args.answers or Path(tmp)) / f"{arch}.jsonl")
            rows = {name: compact(answers[name], kept[name]) for name in sorted(answers) if name in kept}
            recording = HERE / "recorded" / f"{arch}.json"
            if args.check:
                names = changed(json.loads(recording.read_text()), rows)
                bad += names
                print(f"{arch}: {len(rows)} models asked, {len(names)} answer otherwise than recorded: {', '.join(names)}")
                continue
            lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
            recording.write_text("{\n" + ",\n".join(lines) + "\n}\n")
            print(f"{arch}: {len(rows)} models")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
