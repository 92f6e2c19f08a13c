#!/usr/bin/env python3
"""What `quantgate fix` is worth: bad variants of models before and after it.

    measure.py --record     fixes every variant, asks and runs ONNX Runtime's QNN provider, rewrites
                            recorded.json and the table of docs/records/fix.md (minutes)
    measure.py [--check]    fixes every variant again and holds the findings to recorded.json (seconds)

For each variant: findings of severity `altered` and worse before and after; units the provider
takes of those it judges; and the error of what the provider computes against the model in float,
as root mean square relative to that of the float values.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

import variants

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.shared.page_table import replaced  # noqa: E402
from tools.dev.shared.progress import Progress, counted, run_counted  # noqa: E402

RECORDED = HERE / "recorded.json"
PAGE = ROOT / "docs/records/fix.md"
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
ARCH = "v73"
EXAMPLES = ["mobilenetv2_8a8w", "resnet18_8a8w_per_channel", "dinov2_with_registers_8a8w", "bert_16a8w",
            "llama_block_16a8w"]
GENERATED = ["ops_u8", "ops_s8", "ops_s16"]
WORTH = {"rejected", "prepare_fails", "wrong_values", "altered"}
SECONDS = 300
SEED = 11
# Errors that differ by less are equal: the emulator's own roundings move them that much.
NOISE = 0.02


def fix(cli: str, model: Path, out: Path) -> dict:
    process = subprocess.run([cli, "fix", str(model), "-o", str(out), "--arch", ARCH, "--format", "json"], capture_output=True, text=True, check=False)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{model}: {process.stderr}")
    reported = json.loads(process.stdout)
    fixed = sum(f["consequence"] in WORTH for f in reported["mended"])
    left = [f for f in reported["left"] if f["consequence"] in WORTH]
    return {"before": reported["before"]["verdict"], "after": reported["after"]["verdict"],
            "findings": fixed + len(left), "mended": fixed, "edits": len(reported["edits"]),
            "left": sorted({f["code"] for f in left})}


def spoiled(folder: Path):
    """(row, model as it should be, bad variant)"""
    for name in EXAMPLES:
        good = ROOT / "docs" / "examples" / f"{name}.onnx"
        for slip in variants.SLIPS:
            model = onnx.load(good)
            count = slip(variants.Graph(model))
            if count:
                bad = folder / f"{name}.{slip.__name__}.onnx"
                onnx.save(model, bad)
                yield {"model": name, "slip": slip.__name__, "spoiled": count}, good, bad
        yield {"model": name, "slip": "as it is", "spoiled": 0}, good, good
    planted = ROOT / "docs" / "examples" / "planted.onnx"
    yield {"model": "planted", "slip": "as it is", "spoiled": 13}, planted, planted
    for name in GENERATED:
        path = ROOT / "tests" / "conformance" / "ort" / "models" / f"{name}.onnx"
        yield {"model": name, "slip": "as it is", "spoiled": 0}, path, path


def inputs(good: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Of the kind that the model was calibrated with: images from 0 to 1, other floats around 0."""
    g, rng, values = variants.Graph(good), np.random.default_rng(SEED), {}
    for i in good.graph.input:
        shape = [d.dim_value for d in i.type.tensor_type.shape.dim]
        if i.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            q = next((r for r in g.readers[i.name] if r.op_type == variants.QUANTIZE), None)
            zero = g.value(q.input[2]) if q is not None else None
            positive = zero is not None and zero == np.iinfo(zero.dtype).min
            values[i.name] = (rng.random(shape, dtype=np.float32) if positive
                              else rng.standard_normal(shape, dtype=np.float32))
        elif i.type.tensor_type.elem_type == onnx.TensorProto.BOOL:
            values[i.name] = rng.random(shape) < 0.5
        elif "mask" in i.name:
            values[i.name] = np.ones(shape, np.int64)
        else:
            values[i.name] = rng.integers(0, 30, shape, dtype=np.int64)
    return values


def run(arch: str, models: list[tuple[Path, Path]], folder: Path) -> list[tuple[dict, dict | None]]:
    """Per (model, inputs) what execute.py tells, and its outputs. A process that dies goes on behind it."""
    results: list[tuple[dict, dict | None]] = []
    while len(results) < len(models):
        todo = models[len(results):]
        with tempfile.TemporaryDirectory(dir=folder) as out:
            try:
                with Progress(f"run {arch}", len(todo)) as progress:
                    reported = run_counted([sys.executable, HERE / "execute.py", arch, out, *(f"{model},{fed}" for model, fed in todo)],
                                           progress, SECONDS + 10 * len(todo)).stdout
            except subprocess.TimeoutExpired as late:
                reported = late.output
            lines = reported.splitlines()
            for n, line in enumerate(lines):
                outputs = Path(out) / f"{n}.npz"
                results.append((json.loads(line), dict(np.load(outputs)) if outputs.exists() else None))
            if len(lines) < len(todo):
                results.append(({"session": "crashes", "units": 0, "refused": 0}, None))
    return results


def error(got: dict | None, wanted: dict) -> float | None:
    """Root mean square error over all outputs in float, each relative to its own magnitude."""
    if got is None:
        return None
    shares = []
    for name, value in wanted.items():
        if value.dtype != np.float32 or not np.all(np.isfinite(value)):
            continue
        size = float(np.sqrt(np.mean(np.square(value, dtype=np.float64))))
        difference = got[name].astype(np.float64) - value
        if size > 0 and np.all(np.isfinite(difference)):
            shares.append(min(float(np.sqrt(np.mean(np.square(difference)))) / size, 10.0))
    return float(f"{np.mean(shares):.4g}") if shares else None


def record(cli: str) -> list[dict]:
    rows, goods, pairs = [], [], []
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        for row, good, bad in counted("models fixed", spoiled(folder)):
            fixed = folder / f"fixed.{row['model']}.{row['slip'].replace(' ', '_')}.onnx"
            rows.append(row | fix(cli, bad, fixed))
            goods.append(good)
            pairs += [bad, fixed]
        print(f"{len(rows)} models fixed", flush=True)
        floats = {}
        for good in dict.fromkeys(goods):
            floats[good] = (folder / f"float.{good.name}", folder / f"{good.name}.npz")
            onnx.save(variants.in_float(onnx.load(good)), floats[good][0])
            np.savez(floats[good][1], **inputs(onnx.load(good)))
        in_float = dict(zip(floats, run("cpu", list(floats.values()), folder)))
        answers = run(ARCH, [(pair, floats[goods[i // 2]][1]) for i, pair in enumerate(pairs)], folder)
        for i, row in enumerate(rows):
            wanted = in_float[goods[i]][1]
            if wanted is None:
                raise RuntimeError(f"{goods[i]}: does not run in float: {in_float[goods[i]][0]}")
            for when, (says, outputs) in zip(("before", "after"), answers[2 * i:2 * i + 2]):
                row[f"provider_{when}"] = {k: v for k, v in says.items() if k != "model"}
                row[f"error_{when}"] = error(outputs, wanted)
    return rows


def table(rows: list[dict]) -> str:
    lines = ["| model | slip | findings fixed | verdict | units refused | error against float |",
             "|---|---|---|---|---|---|"]

    def number(value):
        return "no session" if value is None else f"{100 * value:.2f} %"

    def units(says):
        text = f"{says['refused']} of {says['units']}"
        return text if says["session"] == "ok" else f"{text}, {says['session']}"

    for row in rows:
        lines.append(
            f"| {row['model']} | {row['slip']}{' ×' + str(row['spoiled']) if row['spoiled'] else ''} "
            f"| {row['mended']} of {row['findings']} | {row['before']} → {row['after']} "
            f"| {units(row['provider_before'])} → {units(row['provider_after'])} "
            f"| {number(row['error_before'])} → {number(row['error_after'])} |")
    findings, fixed = sum(r["findings"] for r in rows), sum(r["mended"] for r in rows)
    both = [r for r in rows if r["error_before"] is not None and r["error_after"] is not None]
    closer = sum(r["error_after"] < r["error_before"] * (1 - NOISE) for r in both)
    farther = sum(r["error_after"] > r["error_before"] * (1 + NOISE) for r in both)
    before = sum(r["provider_before"]["refused"] for r in rows)
    after = sum(r["provider_after"]["refused"] for r in rows)
    lines += ["", f"{len(rows)} models: {fixed} of {findings} findings fixed; units that the provider "
              f"refuses: {before} before, {after} after; numbers closer to float in {closer}, "
              f"farther in {farther}, equal in {len(both) - closer - farther}; no session in "
              f"{sum(r['error_before'] is None for r in rows)} before, "
              f"{sum(r['error_after'] is None for r in rows)} after."]
    return "\n".join(lines)


def write_page(rows: list[dict]) -> None:
    PAGE.write_text(replaced(PAGE.read_text(), MARKS, f"\n{table(rows)}\n"))


def check(cli: str) -> int:
    known = {(r["model"], r["slip"]): r for r in json.loads(RECORDED.read_text())}
    wrong = 0
    with tempfile.TemporaryDirectory() as tmp:
        seen = set()
        for row, _, bad in counted("models fixed", spoiled(Path(tmp)), len(known)):
            row |= fix(cli, bad, Path(tmp) / "fixed.onnx")
            key = (row["model"], row["slip"])
            seen.add(key)
            old = known.get(key, {})
            for field, value in row.items():
                if old.get(field) != value:
                    print(f"{key}: {field} is {value}, recorded {old.get(field)}")
                    wrong += 1
        for key in known.keys() - seen:
            print(f"{key}: recorded, not made any more")
            wrong += 1
    if table(json.loads(RECORDED.read_text())) not in PAGE.read_text():
        print(f"{PAGE.name}: not the recorded table; run measure.py --page")
        wrong += 1
    print(f"{len(known)} fixed models checked against {RECORDED.name}: {wrong} differences")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--record", action="store_true")
    what.add_argument("--page", action="store_true", help="rewrites the table out of recorded.json")
    what.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.record:
        rows = record(args.cli)
        lines = ",\n ".join(json.dumps(row) for row in rows)
        RECORDED.write_text(f"[{lines}]\n")
        write_page(rows)
        return 0
    if args.page:
        write_page(json.loads(RECORDED.read_text()))
        return 0
    return check(args.cli)


if __name__ == "__main__":
    sys.exit(main())
