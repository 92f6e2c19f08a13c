"""ExecuTorch's own quantized test models, annotated and validated with quantgate's stand-in.

    own_models.py [--socs SM8550,SM8650,...] [--lower] [--select REGEX] [-o FILE]

The cases are the test methods of the installed package, run unmodified; what they would ask a
device is left out. For every chip the model is annotated and validated anew. With --lower the
backend libraries of onnxruntime-qnn are asked for the first chip whether they take and compile
what the quantizer made. Prints one JSON object; exit status 1 after a false rejection.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib.abc
import importlib.machinery
import io
import json
import logging
import os
import re
import sys
import time
import types
import unittest
from pathlib import Path

SOCS = "SM8550,SM8650,SM8750,SM8350"


def with_libraries() -> None:
    """Starts this script again with the backend libraries on the library path."""
    import onnxruntime_qnn

    folder = str(Path(onnxruntime_qnn.__file__).parent)
    path = os.environ.get("LD_LIBRARY_PATH", "")
    if folder not in path.split(":"):
        os.environ["LD_LIBRARY_PATH"] = f"{folder}:{path}"
        os.environ["QNN_SDK_ROOT"] = ""  # the libraries are on the library path
        os.execv(sys.executable, [sys.executable, *sys.argv])


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that the test module imports and its operator tests never use."""

    NAMES = ("executorch.examples", "graphviz", "pydot", "torchvision", "transformers")

    def find_spec(self, name, path=None, target=None):
        if any(name == known or name.startswith(known + ".") for known in self.NAMES):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = absent
        return module

    def exec_module(self, module) -> None:
        pass


def without_extras() -> None:
    """The client's modules import packages that it doesn't require and that aren't used here."""
    sys.meta_path.append(Absent())


def absent(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


class Messages(logging.Handler):
    """What the client logs while it validates."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Case:
    """One model of one test method."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: dict[str, int] = {}
        self.skipped: dict[str, int] = {}
        self.rejected: dict[str, list[str]] = {}
        self.client_limits: dict[str, list[str]] = {}
        self.lowered: bool | None = None
        self.lower_error = ""


def validate(case: Case, soc: str, model, make) -> None:
    """Annotates a copy of the exported model and validates it, strict."""
    from executorch.backends.qualcomm.quantizer.annotators.htp_rules import get_constraint_cache

    # The client keeps the rules of the first chip of a process.
    get_constraint_cache()._store.clear()
    quantizer = make(soc)
    messages = Messages()
    root = logging.getLogger()
    root.addHandler(messages)
    try:
        model = quantizer.transform_for_annotation(copy.deepcopy(model))
        quantizer.annotate(model)
        case.nodes[soc] = sum(node.op == "call_function" for node in model.graph.nodes)
        quantizer.validate(model)
    except ValueError as error:
        case.rejected[soc] = [str(error)]
    finally:
        root.removeHandler(messages)
    # Arch limits are the client's own: no answer of the stand-in leads to them.
    limits = [line for line in messages.lines if " requires V" in line]
    if limits:
        case.client_limits[soc] = limits
        case.rejected.pop(soc, None)
    failed = [line for line in messages.lines if "failed to m" in line]
    if failed:
        case.rejected.setdefault(soc, []).extend(failed)
    case.skipped[soc] = sum("Skipping validation" in line for line in messages.lines)


@contextlib.contextmanager
def told_already():
    """What the client's validation says is known: the backend is asked all the same."""
    from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer

    validate = QnnQuantizer.validate
    QnnQuantizer.validate = lambda self, model: None
    try:
        yield
    finally:
        QnnQuantizer.validate = validate


def lower(case: Case, module, inputs, specs, keywords) -> None:
    from executorch.backends.qualcomm.utils.utils import to_edge_transform_and_lower_to_qnn

    try:
        program = to_edge_transform_and_lower_to_qnn(module, inputs, specs, **keywords)
        case.lowered = any("executorch_call_delegate" in str(node.target)
                           for node in program.exported_program().graph.nodes)
        case.lower_error = "" if case.lowered else "nothing was delegated"
    except Exception as error:
        case.lowered = False
        case.lower_error = f"{type(error).__name__}: {str(error)[:200]}"


def test_class(socs: list[str], lowering: bool, cases: list[Case]):
    import torch
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from executorch.backends.qualcomm.tests import test_qnn_delegate
    from executorch.backends.qualcomm.tests.utils import TestQNN, get_backend_type

    TestQNN.backend, TestQNN.soc_model, TestQNN.compile_only = "htp", socs[0], True

    class Models(test_qnn_delegate.TestQNNQuantizedOperator):
        def _validate(self, module, inputs, is_qat: bool, options: dict) -> None:
            case = Case(self._testMethodName)
            cases.append(case)
            model = torch.export.export(module, inputs, strict=True,
                                        dynamic_shapes=options.get("dynamic_shapes")).module()

            def make(soc: str):
                quantizer = make_quantizer(
                    quant_dtype=options.get("quant_dtype", test_qnn_delegate.QuantDtype.use_8a8w),
                    custom_annotations=options.get("custom_quant_annotations", ()),
                    per_channel_conv=options.get("is_conv_per_channel", True),
                    per_channel_linear=options.get("is_linear_per_channel", False),
                    per_channel_embedding=options.get("is_embedding_per_channel", False),
                    submodule_qconfig_list=options.get("submodule_qconfig_list"),
                    is_qat=is_qat, backend=get_backend_type(self.backend), soc_model=soc)
                if options.get("block_size_map") is not None:
                    quantizer.set_block_size_map(options["block_size_map"])
                return quantizer

            for soc in socs:
                validate(case, soc, model, make)

        def get_qdq_module(self, module, inputs, *positional, **options):
            names = ("is_conv_per_channel", "is_linear_per_channel", "is_embedding_per_channel",
                     "custom_quant_annotations", "quant_dtype", "dynamic_shapes")
            given = {**dict(zip(names, positional)), **options}
            self._validate(module, inputs, False, given)
            if not lowering:
                return None
            with told_already():
                return super().get_qdq_module(module, inputs, *positional, **options)

        def get_prepared_qat_module(self, module, inputs, *positional, **options):
            self._validate(module, inputs, True, options)
            if not lowering:
                return None
            with told_already():
                return super().get_prepared_qat_module(module, inputs, *positional, **options)

        def get_converted_sgd_trained_module(self, *arguments, **options):
            if not lowering:
                return None
            return super().get_converted_sgd_trained_module(*arguments, **options)

        def lower_module_and_test_output(self, module, sample_inputs, expected_partitions=1,
                                         **options):
            if not lowering or not cases:
                return
            names = ("dynamic_shapes", "passes_job", "skip_node_id_set", "skip_node_op_set",
                     "skip_mutable_buffer")
            lower(cases[-1], module, sample_inputs, self.compiler_specs,
                  {name: options[name] for name in names if name in options})

    return Models


def run(socs: list[str], lowering: bool, select: str, keep) -> dict:
    sys.meta_path.insert(0, Absent())
    cases: list[Case] = []
    tests = test_class(socs, lowering, cases)
    names = [name for name in unittest.TestLoader().getTestCaseNames(tests)
             if re.search(select, name)]
    started = time.time()
    errors = {}
    result = {}
    for name in names:
        outcome = unittest.TestResult()
        with contextlib.redirect_stdout(io.StringIO()):
            tests(name).run(outcome)
        for _, trace in outcome.errors + outcome.failures:
            errors[name] = trace.strip().splitlines()[-1][:200]
        print(f"\r{name[:70]:70} {len(cases)}", end="", file=sys.stderr)
        result = summary(socs, names, cases, errors, time.time() - started)
        keep(result)
    print(file=sys.stderr)
    return result


def summary(socs: list[str], names: list[str], cases: list[Case], errors: dict,
            seconds: float) -> dict:
    return {
        "tests": len(names),
        "models": len(cases),
        "socs": {soc: {
            "validated": sum(soc in case.nodes for case in cases),
            "nodes": sum(case.nodes.get(soc, 0) for case in cases),
            "nodes_the_client_skips": sum(case.skipped.get(soc, 0) for case in cases),
            "rejected": {case.name: case.rejected[soc] for case in cases if soc in case.rejected},
            "limits_of_the_client": {case.name: case.client_limits[soc] for case in cases
                                     if soc in case.client_limits},
        } for soc in socs},
        "asked_backend": sum(case.lowered is not None for case in cases),
        "taken_by_backend": sum(case.lowered is True for case in cases),
        "refused_by_backend": {case.name: case.lower_error for case in cases
                               if case.lowered is False},
        "false_rejections": sorted(case.name for case in cases
                                   if case.rejected and case.lowered is not False),
        "test_errors": errors,
        "seconds": round(seconds, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socs", default=SOCS)
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--select", default="")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    with_libraries()

    import quantgate.executorch

    quantgate.executorch.install()
    logging.getLogger().setLevel(logging.WARNING)

    def keep(result: dict) -> None:
        if arguments.output:
            Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")

    result = run(arguments.socs.split(","), arguments.lower, arguments.select, keep)
    if not arguments.output:
        print(json.dumps(result, indent=1))
    return 1 if result["false_rejections"] else 0


if __name__ == "__main__":
    sys.exit(main())
