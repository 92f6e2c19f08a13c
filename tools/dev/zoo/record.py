#!/usr/bin/env python3
"""Writes what is known of exports into a folder of tests/conformance/zoo: record.py FOLDER EXPORT...

For every export, in its bundle (recordings.py), its stripped models, FORM.onnx, and labels.json: {form: {arch: {...}}} with
  state, code     of the session with fallback to the CPU: ok, compose_fails, finalize_fails, invalid,
                  crash, timeout; the code that the library gave
  strict          the state of the session without; on_cpu: it refuses because something would stay there
  graphs          how many graphs go to the NPU
  units           a character for each node of the file, in its order: a accepted, r refused, f accepted
                  and in float although what is around is quantized, c on the CPU without having been
                  evaluated, . no unit of its own; null where the process died before any was
  numbers         {output: {off, noise, float, cpu_float}} as tools/dev/zoo/measures.py has them
  first           of models that are off: the node where that begins
  alone           {run: how many ops were run alone, off: {node: {off, steps}} of those that are off,
                  fail: {node: state} of those that no session is built for}
What was not asked is null.
"""

from __future__ import annotations

import json
import sys

import onnx
import places
import recordings
import strip
from compare import QDQ
from labelling import Labels, in_file
from limits import ALONE, STEPS


def units(model: onnx.ModelProto, session: dict) -> str:
    order = {node.name: i for i, node in enumerate(model.graph.node)}
    ops = [node.op_type for node in model.graph.node]
    marks = ["."] * len(ops)
    cpu = set(session["cpu"] or ())
    names = set(order)
    for unit, found in session["units"].items():
        name = in_file(unit, names)
        if name is None:
            continue
        i = order[name]
        refused = found["verdict"] == "refused" or unit in cpu
        mark = "r" if refused else "f" if found["size"] == 1 and ops[i] not in QDQ + ("Constant",) else "a"
        if marks[i] != "r":
            marks[i] = mark
    for unit in cpu:
        name = in_file(unit, names)
        if name is not None and marks[order[name]] == "." and ops[order[name]] not in QDQ:
            marks[order[name]] = "c"
    return "".join(marks)


def alone(ops: list[dict] | None) -> dict | None:
    if ops is None:
        return None
    wrong = {op["node"]: {"off": op["off"], "steps": op["steps"]} for op in ops
             if op["state"] == "ok" and op["off"] > ALONE and (op["steps"] is None or op["steps"] > STEPS)}
    return {"run": sum(op["state"] == "ok" for op in ops), "off": wrong,
            "fail": {op["node"]: op["state"] for op in ops if op["state"] not in ("ok", "on_cpu")}}


def first(model: onnx.ModelProto, tapped: dict | None, ops: dict | None) -> str | None:
    """Making every activation an output keeps the provider from some of what goes wrong: an op before
    that is off alone is where it begins."""
    order = {node.name: i for i, node in enumerate(model.graph.node)}
    found = (tapped or {}).get("first")
    wrong = sorted(ops["off"] if ops else (), key=lambda name: order.get(name, 0))
    before = [name for name in wrong if found is None or order.get(name, 0) <= order.get(found, 0)]
    return before[0] if before and tapped else found


def label(model: onnx.ModelProto, known: dict) -> dict:
    session, strict, numbers = (known.get(step) for step in ("session", "strict", "numbers"))
    result = {"state": None, "code": None, "strict": None, "graphs": None, "units": None, "numbers": None,
              "first": None, "alone": alone(known.get("alone"))}
    result["first"] = first(model, known.get("first"), result["alone"])
    if session:
        result |= {"state": session["state"], "code": session["code"], "graphs": session.get("graphs"),
                   "units": units(model, session) if session.get("units") else None}
    if strict:
        result["strict"] = strict["state"]
    if numbers:
        result["numbers"] = numbers.get("outputs") or {"state": numbers.get("state", "no session")}
    return result


def record(export: places.Export) -> dict[str, bytes]:
    """The files of an export."""
    labels, recorded, files = Labels(export), {}, {}
    for form in export.forms():
        model = onnx.load(export.folder / f"{form}.onnx")
        known = labels.data.get(form, {})
        recorded[form] = {arch: label(model, known.get(arch, {})) for arch in sorted(places.ARCHS)}
        strip.strip(model)
        files[f"{form}.onnx"] = model.SerializeToString(deterministic=True)
    return files | {"labels.json": json.dumps(recorded, separators=(",", ":"), sort_keys=True).encode()}


def main() -> int:
    part, *texts = sys.argv[1:]
    exports = {text: record(places.exported(text)) for text in texts}
    for path in recordings.add(exports, part == "held_out"):
        print(path.name, path.stat().st_size, "bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
