#!/usr/bin/env python3
"""Architectures in one precision through ExecuTorch to the real lowering.

    lower.py NAME PRECISION FOLDER [--read | --planned | --once]
    lower.py < CASES        a line each; everything is loaded once, each case has a process of its own

Writes into FOLDER, step by step, so that a crash tells which step it was:
  annotated.json, converted.json   what quantgate.torch reads at both stages (Model JSON)
  steps.jsonl     a line a step: {"step", "seconds"} and what it found
  queried.json    the nodes that the partitioner evaluated: [{node, target, supported, from}]
  queried_again.json   the same, asked a second time
  lowered.json    of every partition the nodes as the backend gets them, with their encodings
--read: only the first files, of what was lowered before. --planned: annotated by quantgate.torch.Quantizer. --once: the
partitioner is not asked a second time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev" / "models" / "networks"))

TAG = "quantgate_node"


def with_libraries() -> None:
    """Starts this program again with the backend libraries on the library path."""
    import onnxruntime_qnn

    folder = str(Path(onnxruntime_qnn.__file__).parent)
    path = os.environ.get("LD_LIBRARY_PATH", "")
    if folder not in path.split(":"):
        os.environ["LD_LIBRARY_PATH"] = f"{folder}:{path}"
        os.environ["QNN_SDK_ROOT"] = ""  # the libraries are on the library path
        os.execv(sys.executable, [sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]])


class Steps:
    def __init__(self, folder: Path):
        self._path = folder / "steps.jsonl"
        self._started = time.monotonic()

    def done(self, step: str, **found: Any) -> None:
        line = {"step": step, "seconds": round(time.monotonic() - self._started, 1), **found}
        self._started = time.monotonic()
        with open(self._path, "a") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line)[:300], file=sys.stderr, flush=True)


def origin(node: Any) -> str:
    """The node of the converted graph that a lowered one comes from."""
    custom = node.meta.get("custom")
    return custom.get(TAG, "") if isinstance(custom, dict) else ""


def tag(graph: Any) -> None:
    for node in graph.graph.nodes:
        if node.op == "call_function":
            node.meta["custom"] = {**node.meta.get("custom", {}), TAG: node.name}


def attributes(found: Any) -> dict:
    """An encoding as its pass leaves it at a node."""
    import torch

    result = {}
    for key, value in dict(found).items():
        if isinstance(value, torch.Tensor):
            numbers = value.reshape(-1).tolist()
            result[key] = numbers[:1] if len(numbers) > 1 else numbers
        elif isinstance(value, (int, float, bool)) or value is None:
            result[key] = value
        else:
            result[key] = str(getattr(value, "__name__", value))
    return result


class Watch:
    """What the partitioner asks and what the backend is handed."""

    def __init__(self) -> None:
        from executorch.backends.qualcomm import qnn_preprocess
        from executorch.backends.qualcomm._passes.qnn_pass_manager import QnnPassManager
        from executorch.backends.qualcomm.partition.qnn_partitioner import QnnOperatorSupport

        self.queried: list[dict] = []
        self.partitions: list[dict] = []
        self.at = ""
        ask = QnnOperatorSupport.is_node_supported

        def asked(support, modules, node):
            if node.op != "call_function":
                return ask(support, modules, node)
            self.at = f"{node.name} ({getattr(node.target, '__name__', node.target)})"
            found = {"node": node.name, "target": str(getattr(node.target, "__name__", node.target)),
                     "from": origin(node), "supported": None,
                     "bypass": bool(node.meta.get("QCOM_BYPASS_NODE") or node.meta.get("bypass_node")),
                     "inputs": [a.name for a in node.all_input_nodes],
                     "encoded": "quant_attrs" in node.meta}
            self.queried.append(found)
            found["supported"] = bool(ask(support, modules, node))
            return found["supported"]

        QnnOperatorSupport.is_node_supported = asked
        names = [n for n in dir(QnnPassManager) if n == "transform_for_preprocess_pipeline"]
        transform = getattr(QnnPassManager, names[0])

        def transformed(manager, program, *arguments, **keywords):
            kept = {"inputs": sum(n.op == "placeholder" for n in program.graph.nodes), "nodes": []}
            signature = program.graph_signature
            kept["user_inputs"] = len(signature.user_inputs)
            self.partitions.append(kept)
            self.at = "passes of the backend"
            result = transform(manager, program, *arguments, **keywords)
            graph = getattr(result, "graph", None) or result
            for node in graph.nodes:
                if node.op == "call_function":
                    attrs = node.meta.get("quant_attrs")
                    kept["nodes"].append({
                        "node": node.name, "target": str(getattr(node.target, "__name__", node.target)),
                        "from": origin(node), "inputs": [a.name for a in node.all_input_nodes],
                        "quant": attributes(attrs) if attrs else None})
            self.at = "building the graph"
            return result

        QnnPassManager.transform_for_preprocess_pipeline = transformed
        self.handed: list[list[str]] = []
        import executorch.backends.qualcomm.python.PyQnnManagerAdaptor as adaptor

        build, make = qnn_preprocess.QnnBackend._build_op_wrappers, adaptor.PyQnnOpWrapper

        def noted(name, package, op):
            self.handed[-1].append(op)
            return make(name, package, op)

        def built(*arguments, **keywords):
            self.handed.append([])
            adaptor.PyQnnOpWrapper = noted
            try:
                return build(*arguments, **keywords)
            finally:
                adaptor.PyQnnOpWrapper = make
                self.at = "compiling"

        qnn_preprocess.QnnBackend._build_op_wrappers = staticmethod(built)


def lowered(converted: Any, given: Any) -> Any:
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from executorch.backends.qualcomm.utils.utils import (
        generate_htp_compiler_spec,
        generate_qnn_executorch_compiler_spec,
        to_edge_transform_and_lower_to_qnn,
    )

    import pt2e

    specs = generate_qnn_executorch_compiler_spec(
        soc_model=getattr(QcomChipset, pt2e.SOC), backend_options=generate_htp_compiler_spec(use_fp16=False))
    return to_edge_transform_and_lower_to_qnn(converted, given, specs)


def cause_of(error: BaseException) -> BaseException:
    """What was raised first."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


class Asked(Exception):
    """The partitioner was asked; nothing needs to be compiled."""


def asked(converted: Any, given: Any) -> tuple[list[dict], str]:
    """What the partitioner says, without compiling. Where its passes fail: what it was asked until then, and why."""
    from executorch.backends.qualcomm import qnn_preprocess

    def stop(*_: Any, **__: Any) -> None:
        raise Asked

    watch = Watch()
    build = qnn_preprocess.QnnBackend._build_op_wrappers
    qnn_preprocess.QnnBackend._build_op_wrappers = staticmethod(stop)
    failure = ""
    try:
        lowered(converted, given)
    except Exception as error:
        error = cause_of(error)
        failure = "" if isinstance(error, Asked) else f"{type(error).__name__}: {error}"
    finally:
        qnn_preprocess.QnnBackend._build_op_wrappers = staticmethod(build)
    return watch.queried, failure


def lower(converted: Any, given: Any, folder: Path, steps: Steps) -> None:
    watch = Watch()
    found: dict[str, Any] = {"failure": None}
    try:
        manager = lowered(converted, given)
        program = manager.exported_program()
        called = [n for n in program.graph.nodes if n.op == "call_function"]
        found["delegates"] = sum("executorch_call_delegate" in str(n.target) for n in called)
        found["cpu"] = [{"node": n.name, "target": str(getattr(n.target, "__name__", n.target)), "from": origin(n)}
                        for n in called if "delegate" not in str(n.target) and "getitem" not in str(n.target)]
        try:
            (folder / "program.pte").write_bytes(manager.to_executorch().buffer)
        except Exception as error:
            found["not_written"] = f"{type(error).__name__}: {error}"[:200]
    except BaseException as error:
        error = cause_of(error)
        frames = traceback.extract_tb(error.__traceback__)
        found["failure"] = {"type": type(error).__name__, "message": str(error)[:600], "at": watch.at,
                            "frames": [f"{Path(f.filename).name}:{f.name}" for f in frames[-4:]]}
    finally:
        (folder / "queried.json").write_text(json.dumps(watch.queried))
        (folder / "lowered.json").write_text(json.dumps({"partitions": watch.partitions, "ops": watch.handed}))
    steps.done("lowered", **found)


def prepare() -> None:
    """What every case needs, loaded once: children are forked from here."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    import executorch.backends.qualcomm.quantizer.quantizer  # noqa: F401
    import executorch.backends.qualcomm.utils.utils  # noqa: F401
    import registry

    for library in registry.MODULES:
        with contextlib.suppress(ImportError):
            registry.load(f"{library}_")


def run(name: str, precision: str, folder: Path, options: list[str]) -> None:
    import pt2e
    import registry

    try:
        from quantgate.torch import read
    except ImportError:
        read = None
    folder.mkdir(parents=True, exist_ok=True)
    steps = Steps(folder)
    title = f"{name}-{precision}"

    def keep(stage: str, model: Any) -> None:
        if read is None:
            return
        started = time.process_time()
        made = read(model, name=title)
        seconds = time.process_time() - started
        nodes = sum(n.op == "call_function" for n in model.graph.nodes)
        (folder / f"{stage}.json").write_text(made.to_json())
        print(f"{stage}: read in {1e6 * seconds / max(nodes, 1):.1f} us a node", file=sys.stderr)

    net, given = registry.make(name)
    steps.done("made")
    graph = pt2e.exported(net, given)
    steps.done("exported")
    converted = pt2e.convert(graph, given, precision, lambda model: keep("annotated", model), "--planned" in options)
    steps.done("converted")
    keep("converted", converted)
    if "--read" not in options:
        got = pt2e.outputs(converted, given)
        steps.done("compared", off=pt2e.apart(got, pt2e.outputs(net, given)),
                   noise=pt2e.apart(pt2e.outputs(converted, pt2e.moved(given)), got))
        tag(converted)
        if "--once" not in options:
            (folder / "queried_again.json").write_text(json.dumps(asked(converted, given)[0]))
            steps.done("asked")
        lower(converted, given, folder, steps)


def forked(line: list[str], timeout: int) -> str:
    """One case in a child; how it ended, empty where it ended well."""
    name, precision, folder, *options = line
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            log = os.open(Path(folder) / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            signal.alarm(timeout)  # its default ends the process
            run(name, precision, Path(folder), options)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"not done in {timeout} s" if number == signal.SIGALRM else f"signal {number}"
    if os.WEXITSTATUS(status) == 0:
        return ""
    lines = [text for text in (Path(folder) / "log").read_text(errors="replace").splitlines() if text.strip()]
    return (lines or ["no message"])[-1][:300]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=int, default=1500)
    parser.add_argument("case", nargs="*", metavar="NAME PRECISION FOLDER [--read]",
                        help="one case; without any, a case a line on standard input")
    arguments, more = parser.parse_known_args()
    with_libraries()
    prepare()
    if arguments.case:
        run(arguments.case[0], arguments.case[1], Path(arguments.case[2]), more)
        return 0
    for text in sys.stdin:
        line = text.split()
        started = time.monotonic()
        why = forked(line, arguments.timeout)
        print(json.dumps({"case": line, "why": why, "seconds": round(time.monotonic() - started)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
