"""Asks about one model: the session, the numbers, where they begin to be off, the smallest that fails."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import quantgate
from quantgate._core import Target
from quantgate._graph import inputs, reduction, running
from quantgate._graph.asking import Answer, Known, Worker, fingerprint
from quantgate._graph.cutting import Cut, Cutter
from quantgate._graph.errors import GraphError
from quantgate._graph.result import Graph

_TELLING = ("wrong_values", "altered", "advice", "rejected", "prepare_fails")
_FIRST_OFF = 0.025
_MOST_NAMED = 8


def save(path: Path, values: dict[str, np.ndarray]) -> None:
    np.savez(path, **values)  # type: ignore[arg-type]  # names of tensors, no keyword


class Session:
    def __init__(self, args: argparse.Namespace, target: Target, chip: int, folder: Path,
                 say: Callable[[str], None]) -> None:
        self._args, self._folder, self._say = args, folder, say
        self._target, self._chip = target, chip
        self._worker = Worker(chip, folder, args.timeout)
        # A model that quantgate can't read is its error.
        self._report = self._check(args.model)
        try:
            self._model = onnx.load(args.model)
        except Exception as error:
            raise GraphError(f"{args.model}: onnx can't read it: {error}") from error
        self._feeds = inputs.values(self._model, args.inputs, args.seed)
        self._feeds_file = folder / "feeds.npz"
        save(self._feeds_file, self._feeds)

    def close(self) -> None:
        self._worker.close()

    def _check(self, path: str) -> dict[str, Any]:
        report = quantgate.check(path, soc=self._target.soc or None,
                                 arch=None if self._target.soc else self._target.arch,
                                 sdk=self._target.sdk, route="onnxruntime", mode="warn", as_run=True)
        return dict(json.loads(report.to_json()))

    def compare(self) -> Graph:
        self._say("building the session and running it on NPU and CPU")
        task = {"model": self._args.model, "feeds": str(self._feeds_file)}
        answer = self._worker.ask(task)
        if answer["state"] == "cpu_fails" and "graphs" not in answer:
            raise GraphError(f"{self._args.model}: {answer['message']}")
        self._say("building the session without the CPU")
        strict = self._worker.ask({"model": self._args.model, "strict": True})
        provider = {"onnxruntimeQnn": metadata.version("onnxruntime-qnn"),
                    "onnxruntime": metadata.version("onnxruntime"), "chip": str(self._chip)}
        graph = Graph(self._args.model, self._report, provider, answer, strict)
        if graph.numbers_off:
            self._say("looking where the numbers begin to be off")
            graph.first = self._first_off()
        return graph

    def _first_off(self) -> dict[str, Any] | None:
        """The first op in the order of the graph whose result is off."""
        makers = running.makers(self._model)
        answer = self._worker.ask({"model": self._args.model, "feeds": str(self._feeds_file),
                                   "taps": list(makers)})
        outputs = answer.get("outputs") or {}
        into = {node["name"]: node.get("into") or node["name"] for node in self._report["nodes"]}
        for tensor, op in makers.items():
            one = outputs.get(tensor)
            if one and one["off"] > _FIRST_OFF and one["off"] > reduction.NOISES * one["noise"]:
                return {"node": op, **one, "findings": self._findings_at({op, into.get(op, op)}, into)}
        return None

    def _findings_at(self, nodes: set[str], into: dict[str, str]) -> list[str]:
        return list(dict.fromkeys(
            f"{one['code']} ({one['consequence']})" for one in self._report["findings"]
            if one["consequence"] in _TELLING and {one.get("node"), into.get(one.get("node"))} & nodes))

    def reduce(self, graph: Graph, say: Callable[[str], None]) -> dict[str, Any]:
        kind = reduction.kind_of(graph.session)
        strict_kind = reduction.kind_of(graph.strict) if graph.strict["state"] != "on_cpu" else ""
        wanted = kind or strict_kind
        nothing = {"file": "", "kind": wanted, "reason": "the model runs, with the numbers of the CPU"}
        if not wanted:
            return nothing
        cutter = self._cutter()
        partial = Path(self._args.output + ".partial.jsonl")
        known = Known(partial, {"model": fingerprint(Path(self._args.model).read_bytes()), "kind": wanted,
                                "chip": self._chip, "provider": graph.provider, "seed": self._args.seed,
                                "inputs": self._args.inputs})

        def fails(cut: Cut) -> bool:
            return reduction.kind_of(self._answer(cut, known, strict=not kind)) == wanted

        cut = reduction.reduce(cutter, fails, say)
        if cut is None:
            known.forget()
            return nothing | {"reason": "its ops, with what they get in the model, don't fail without it"}
        onnx.save(cut.model, self._args.output)
        save(Path(self._args.output).with_suffix(".npz"), cut.feeds)
        known.forget()
        report = self._check(self._args.output)
        ops = [node.name or node.op_type for node in cut.model.graph.node
               if node.op_type not in (*running.QDQ, "Constant")]
        return {"file": self._args.output, "kind": wanted, "ops": cut.size, "of": len(cutter.ops),
                "nodes": ops[:_MOST_NAMED], "findings": _codes(report)}

    def _cutter(self) -> Cutter:
        values = self._folder / "values.npz"
        answer = self._worker.ask({"model": self._args.model, "feeds": str(self._feeds_file),
                                   "values": str(values)})
        if answer["state"] != "ok":
            raise GraphError("--reduce: the CPU can't run the model: " + str(answer["message"]))
        with np.load(values, allow_pickle=False) as file:
            return Cutter(self._model, {name: file[name] for name in file.files})

    def _answer(self, cut: Cut, known: Known, strict: bool) -> Answer:
        data = cut.model.SerializeToString()
        key = fingerprint(data, *(value.tobytes() for value in cut.feeds.values()))
        answer = known.get(key)
        if answer is None:
            path, feeds = self._folder / "part.onnx", self._folder / "part.npz"
            path.write_bytes(data)
            save(feeds, cut.feeds)
            answer = self._worker.ask({"model": str(path), "feeds": str(feeds), "strict": strict,
                                       # A part that makes no sense proves nothing.
                                       "valid": True})
            known.add(key, answer)
        return answer


def _codes(report: dict[str, Any]) -> list[str]:
    said = [f"{one['code']} {one['rule']} ({one['consequence']})"
            for one in report["findings"] if one["consequence"] in _TELLING]
    session = report["asRun"]["session"]
    if not session["made"]:
        said.append("no session: " + str(session.get("reason", "")))
    return list(dict.fromkeys(said))
