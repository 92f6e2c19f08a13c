"""PyTorch graphs at every stage of PT2E; skipped where torch and torchao aren't installed.

`make test-torch` installs them.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import re
import sys
import tempfile
import unittest
import unittest.mock
import warnings
from pathlib import Path
from typing import Any

MISSING = [name for name in ("torch", "torchao") if importlib.util.find_spec(name) is None]
if MISSING:
    raise unittest.SkipTest(f"not installed: {', '.join(MISSING)}; make test-torch installs them")

import torch  # noqa: E402
from torch.fx import Node  # noqa: E402
from torchao.quantization.pt2e import MinMaxObserver, PerChannelMinMaxObserver  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e  # noqa: E402
from torchao.quantization.pt2e.quantizer import (  # noqa: E402
    DerivedQuantizationSpec,
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
)

import quantgate as qg  # noqa: E402
import quantgate.torch as qgt  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance/executorch"))
from models import IMAGE, TOKENS, Block, Cnn, exported, long_graph  # noqa: E402
sys.path.insert(0, str(ROOT))
from tools.dev.shared import opdefs_json  # noqa: E402

KEY = "quantization_annotation"
FATAL = ("rejected", "prepare_fails", "wrong_values")


def activation(**changes: Any) -> QuantizationSpec:
    settings: dict[str, Any] = {
        "dtype": torch.uint8, "quant_min": 0, "quant_max": 255,
        "qscheme": torch.per_tensor_affine,
        "observer_or_fake_quant_ctr": MinMaxObserver.with_args(eps=2**-12)}
    return QuantizationSpec(**{**settings, **changes})


def weight(**changes: Any) -> QuantizationSpec:
    settings: dict[str, Any] = {
        "dtype": torch.int8, "quant_min": -127, "quant_max": 127, "ch_axis": 0,
        "qscheme": torch.per_channel_symmetric,
        "observer_or_fake_quant_ctr": PerChannelMinMaxObserver.with_args(eps=2**-12)}
    return QuantizationSpec(**{**settings, **changes})


def bias(node: Node) -> DerivedQuantizationSpec:
    def product(observers: Any) -> tuple[torch.Tensor, torch.Tensor]:
        (act, _), (wgt, _) = (observer.calculate_qparams() for observer in observers)
        return act * wgt, torch.zeros_like(wgt, dtype=torch.int32)

    return DerivedQuantizationSpec(
        derived_from=[(node.args[0], node), (node.args[1], node)], derive_qparams_fn=product,
        dtype=torch.int32, quant_min=-2**31, quant_max=2**31 - 1, ch_axis=0,
        qscheme=torch.per_channel_symmetric)


class Quant8(Quantizer):
    """8-bit activations and weights; what moves values shares its encoding."""

    SHARES = ("view", "reshape", "flatten", "permute", "transpose", "unsqueeze", "squeeze")

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        act, wgt = activation(), weight()
        for node in model.graph.nodes:
            value = node.meta.get("val")
            if node.op != "call_function" or not isinstance(value, torch.Tensor) or \
                    not value.dtype.is_floating_point:
                continue
            name = str(node.target).split(".")[1]
            tensors = [a for a in node.args if isinstance(a, Node)]
            specs: dict[Node, Any] = {tensors[0]: act}
            output: Any = act
            if name in ("conv2d", "linear"):
                specs[tensors[1]] = wgt
                if len(tensors) > 2:
                    specs[tensors[2]] = bias(node)
            elif name in self.SHARES:
                output = SharedQuantizationSpec((tensors[0], node))
            elif name == "layer_norm":
                specs[tensors[1]] = act
                specs[tensors[2]] = activation(dtype=torch.int32, quant_min=-2**31,
                                               quant_max=2**31 - 1, qscheme=torch.per_tensor_symmetric)
            else:
                specs.update(dict.fromkeys(tensors[1:], act))
            if name == "softmax":
                output = FixedQParamsQuantizationSpec(
                    dtype=torch.uint8, scale=1 / 256, zero_point=0, quant_min=0, quant_max=255,
                    qscheme=torch.per_tensor_affine)
            node.meta[KEY] = QuantizationAnnotation(input_qspec_map=specs, output_qspec=output,
                                                    _annotated=True)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        pass


def annotated(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> torch.fx.GraphModule:
    return Quant8().annotate(exported(module, inputs))


def node_of(model: torch.fx.GraphModule, name: str) -> Node:
    return next(n for n in model.graph.nodes if n.op == "call_function" and name in str(n.target))


def check(model: Any, **options: Any) -> qg.Report:
    return qgt.check(model, **{"soc": "SM8550", "mode": "warn", **options})


def fatal(report: qg.Report) -> list[tuple[str, str, str]]:
    return [(f.code, f.node, f.port) for f in report.findings if f.consequence in FATAL]


class Stages(unittest.TestCase):
    def test_all_stages_are_read_alike(self) -> None:
        for module, inputs in ((Cnn(), IMAGE), (Block(), TOKENS)):
            with self.subTest(type(module).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = exported(module, inputs)
                verdicts = {}
                verdicts["annotated"] = check(Quant8().annotate(copy.deepcopy(plain)))
                prepared = prepare_pt2e(plain, Quant8())
                verdicts["prepared"] = check(prepared)
                prepared(*inputs)
                verdicts["calibrated"] = check(prepared)
                converted = convert_pt2e(prepared)
                verdicts["converted"] = check(converted)
                program = torch.export.export(converted, inputs)
                verdicts["exported"] = check(program)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "model.pt2"
                    torch.export.save(program, path)
                    verdicts["file"] = check(path)
                    self.assertEqual(qg.check(path, soc="SM8550", mode="warn").verdict,
                                     verdicts["file"].verdict)
                for stage, report in verdicts.items():
                    self.assertEqual(fatal(report), [], f"{stage}: {report}")
                    self.assertEqual(report.summary["unchecked"], 0, f"{stage}: {report}")
                    self.assertEqual([n.op for n in report.nodes],
                                     [n.op for n in verdicts["annotated"].nodes], stage)
                self.assertTrue(any("not calibrated" in note
                                    for note in verdicts["annotated"].notes))
                self.assertFalse(any("not calibrated" in note
                                     for note in verdicts["calibrated"].notes))

    def test_findings_name_the_users_line(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "relu")
        node.meta[KEY].output_qspec = activation(dtype=torch.int32, quant_max=65535)
        source = (ROOT / "tests/conformance/executorch/models.py").read_text().splitlines()
        line = next(i for i, text in enumerate(source, 1) if "torch.relu(self.first" in text)
        report = check(model)
        finding = next(f for f in report.findings if f.node == node.name and f.code == "QG201")
        place = next(n.location for n in report.nodes if n.name == finding.node)
        self.assertIn(f"models.py:{line}", place)
        self.assertIn(f"models.py:{line}", str(report))
        conv = next(n for n in report.nodes if n.op == "aten.conv2d.default")
        self.assertTrue(conv.location.endswith(" in first"), conv.location)

    def test_check_of_the_package_takes_graphs(self) -> None:
        report = qg.check(annotated(Cnn(), IMAGE), soc="SM8550", mode="warn")
        self.assertEqual(fatal(report), [])
        self.assertEqual(report.to_json().count('"route": "executorch"'), 1)

    def test_an_edge_with_another_dtype_is_a_conversion(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "max_pool2d")
        wide = activation(dtype=torch.int32, quant_max=65535)
        node.meta[KEY] = QuantizationAnnotation(
            input_qspec_map={node.args[0]: wide}, output_qspec=wide, _annotated=True)
        ops = [n.op for n in check(model).nodes]
        self.assertEqual(ops.count("quantgate.convert"), 3)  # in, and both readers behind it

    def test_broken_encodings_are_found(self) -> None:
        cases = {
            "weight with an offset": ("conv2d", 1, weight(
                qscheme=torch.per_channel_affine, quant_min=-128), "QG301", "in[1]"),
            "16-bit weight": ("conv2d", 1, weight(
                dtype=torch.int16, quant_min=-32767, quant_max=32767), "QG201", "in[1]"),
            "channels of the wrong axis": ("conv2d", 1, weight(ch_axis=1), "QG303", "in[1]"),
            "signed input": ("add.Tensor", 0, activation(
                dtype=torch.int8, quant_min=-128, quant_max=127), "QG201", "in[0]"),
        }
        for name, (op, argument, spec, code, port) in cases.items():
            with self.subTest(name):
                model = annotated(Cnn(), IMAGE)
                node = node_of(model, op)
                node.meta[KEY].input_qspec_map[node.args[argument]] = spec
                found = [(c, p) for c, n, p in fatal(check(model)) if n == node.name]
                self.assertIn((code, port), found)

    def test_an_output_of_its_own_is_copied_unscaled(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "flatten")
        node.meta[KEY].output_qspec = activation(qscheme=torch.per_tensor_symmetric)
        self.assertIn(("QG401", node.name, "out[0]"), fatal(check(model)))

    def test_observers_of_the_same_values_are_one_before_calibration(self) -> None:
        for name in ("annotated", "prepared"):
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = exported(Cnn(), IMAGE)

                class Apart(Quant8):
                    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
                        model = super().annotate(model)
                        node_of(model, "flatten").meta[KEY].output_qspec = activation()
                        return model

                model = (Apart().annotate(plain) if name == "annotated"
                         else prepare_pt2e(plain, Apart()))
                self.assertEqual(fatal(check(model)), [])

    def test_before_calibration_no_number_is_judged(self) -> None:
        model = annotated(Cnn(), IMAGE)
        encodings = [tensor.encoding for tensor in qgt.read(model).tensors if tensor.encoding]
        self.assertTrue(any(encoding.uncalibrated for encoding in encodings))
        # Softmax' output is fixed, and known.
        self.assertTrue(any(not encoding.uncalibrated for encoding in encodings))

    def test_what_will_be_folded_is_a_constant(self) -> None:
        class Turned(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.weight = torch.nn.Parameter(torch.randn(8, 4))

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.nn.functional.linear(x, (self.weight * 0.5).t().reshape(4, 8))

        class Products(Quant8):
            def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
                super().annotate(model)
                for node in model.graph.nodes:
                    if "linear" not in str(node.target):
                        node.meta.pop(KEY, None)
                return model

        inputs = (torch.randn(2, 8),)
        before = check(Products().annotate(exported(Turned(), inputs)))
        prepared = prepare_pt2e(exported(Turned(), inputs), Products())
        prepared(*inputs)
        after = check(convert_pt2e(prepared))
        for report in (before, after):
            self.assertEqual([node.op for node in report.nodes], ["aten.linear.default"])
            self.assertEqual(fatal(report), [])

    def test_a_sequence_of_modules_has_paths_and_no_line_of_torch(self) -> None:
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 1), torch.nn.Sequential(torch.nn.ReLU()))
        for strict in (False, True):
            with self.subTest(strict=strict):
                graph = torch.export.export(net.eval(), IMAGE, strict=strict).module()
                report = check(Quant8().annotate(graph))
                self.assertEqual([node.location for node in report.nodes], ["0", "1.0"])

    def test_a_write_into_a_part_of_a_tensor_is_kept(self) -> None:
        class Put(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                places = torch.zeros(4, 4, dtype=torch.int64)
                places[1:, 1:] = 2
                places[0, 0] = 3
                return x + places

        graph = exported(Put(), (torch.rand(4, 4),))
        writes = [node.name for node in qgt.read(graph).nodes if "in_place" in node.params]
        self.assertEqual(len(writes), 2)
        refused = [node for _, node, _ in fatal(check(graph, sdk="2.49"))]
        self.assertEqual([name for name in writes if name in refused], writes[1:])

    def test_a_write_into_a_parameter_ends_the_lowering(self) -> None:
        class Scaled(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layer = torch.nn.Linear(4, 4, bias=False)
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                self.count.add_(1.0)
                self.layer.weight.div_(2.0)
                return self.layer(x)

        with torch.no_grad():
            graph = exported(Scaled().requires_grad_(False), (torch.rand(2, 4),))
        report = check(graph, sdk="2.49", as_run=True)
        self.assertEqual([node for _, node, _ in fatal(report)], ["div_"])
        self.assertTrue(report.as_run.session_fails)

    def test_the_sdk_is_that_of_the_library_which_would_be_loaded(self) -> None:
        model = annotated(Cnn(), IMAGE)
        with unittest.mock.patch("quantgate.executorch._sdk.library_sdk", return_value="2.48"):
            self.assertEqual(check(model).sdk, "2.48")
            self.assertEqual(check(model, sdk="2.51").sdk, "2.51")
            self.assertNotEqual(check(model, route="direct").sdk, "2.48")

    def test_forecast_and_suggestions(self) -> None:
        model = annotated(Cnn(), IMAGE)
        self.assertIsNone(check(model).as_run)
        run = check(model, as_run=True, suggest=True).as_run
        self.assertEqual((len(run.partitions), run.session_fails), (1, ""))

    def test_blocks_become_lpbq(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "linear")
        observer = PerChannelMinMaxObserver.with_args(eps=2**-12, block_size=(1, 4))
        node.meta[KEY].input_qspec_map[node.args[1]] = weight(
            quant_min=-7, quant_max=7, observer_or_fake_quant_ctr=observer)
        model_json = qgt.read(model).to_json()
        self.assertRegex(model_json, r'"numBlocks":\s*4')

    def test_torchao_blocks(self) -> None:
        class Blocks(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.register_buffer("weight", torch.ones(8, 32, dtype=torch.int8))
                self.register_buffer("scale", torch.full((8, 2), 0.01))

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                w = torch.ops.torchao.dequantize_affine(
                    self.weight, [1, 16], self.scale, None, torch.int8, -8, 7)
                return torch.nn.functional.linear(x, w)

        text = qgt.read(torch.export.export(Blocks(), (torch.randn(2, 32),))).to_json()
        self.assertRegex(text, r'"numBlocks":\s*2')
        self.assertRegex(text, r'"bitwidth":\s*4')


class Wrapped(unittest.TestCase):
    def test_strict_raises_with_all_findings(self) -> None:
        class Broken(Quant8):
            def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
                super().annotate(model)
                for node in model.graph.nodes:
                    if "conv2d" in str(node.target):
                        node.meta[KEY].input_qspec_map[node.args[1]] = weight(
                            qscheme=torch.per_channel_affine)
                return model

        quantizer = qgt.ValidatingQuantizer(Broken(), soc="SM8550")
        with self.assertRaises(qg.ValidationError) as raised:
            prepare_pt2e(exported(Cnn(), IMAGE), quantizer)
        nodes = {node for code, node, _ in fatal(raised.exception.report) if code == "QG301"}
        self.assertEqual(nodes, {"conv2d", "conv2d_1"})

        gentle = qgt.ValidatingQuantizer(Broken(), soc="SM8550", mode="warn")
        with self.assertWarns(UserWarning):
            prepare_pt2e(exported(Cnn(), IMAGE), gentle)
        self.assertEqual(gentle.report.verdict, "rejected")

    def test_a_good_graph_goes_on(self) -> None:
        quantizer = qgt.ValidatingQuantizer(Quant8(), soc="SM8550")
        prepared = prepare_pt2e(exported(Block(), TOKENS), quantizer)
        prepared(*TOKENS)
        self.assertFalse(quantizer.report.failed)

    def test_settings_reach_the_inner_quantizer(self) -> None:
        inner = Quant8()
        inner.width = 8
        self.assertEqual(qgt.ValidatingQuantizer(inner, soc="SM8550").width, 8)


class BadInput(unittest.TestCase):
    """A finding or `unchecked` with a reason, never an exception out of validate in warn mode."""

    def report_of(self, model: torch.fx.GraphModule) -> qg.Report:
        quantizer = qgt.ValidatingQuantizer(Quant8(), soc="SM8550", mode="warn")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantizer.validate(model)
        self.assertIsNotNone(quantizer.report)
        return quantizer.report

    def assert_unchecked(self, model: torch.fx.GraphModule, op: str, reason: str) -> None:
        report = self.report_of(model)
        node = next(n for n in report.nodes if op in n.op)
        self.assertEqual(node.verdict, "unchecked", str(report))
        self.assertRegex(node.reason, reason)

    def test_missing_spec_behind_a_shared_one(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "flatten")
        node.meta[KEY].output_qspec = SharedQuantizationSpec(node_of(model, "linear").args[1])
        self.assert_unchecked(model, "flatten", "which has none")

    def test_cycle_of_shared_specs(self) -> None:
        model = annotated(Cnn(), IMAGE)
        first, second = node_of(model, "max_pool2d"), node_of(model, "flatten")
        first.meta[KEY].output_qspec = SharedQuantizationSpec(second)
        second.meta[KEY].output_qspec = SharedQuantizationSpec(first)
        self.assert_unchecked(model, "max_pool2d", "circle")
        self.assert_unchecked(model, "flatten", "circle")

    def test_long_chain_of_shared_specs(self) -> None:
        class Chain(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                for _ in range(1500):
                    x = x.transpose(0, 1)
                return x

        model = exported(Chain(), (torch.randn(4, 4),))
        previous = None
        for node in model.graph.nodes:
            if node.op == "call_function":
                spec = activation() if previous is None else SharedQuantizationSpec(previous)
                node.meta[KEY] = QuantizationAnnotation(
                    input_qspec_map={node.args[0]: spec}, _annotated=True,
                    output_qspec=SharedQuantizationSpec((node.args[0], node)))
                previous = node
        self.assertEqual(fatal(self.report_of(model)), [])

    def test_spec_on_a_tensor_of_integers(self) -> None:
        class Lookup(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.table = torch.nn.Embedding(16, 8)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.table(x)

        model = exported(Lookup(), (torch.zeros(4, dtype=torch.int64),))
        node = node_of(model, "embedding")
        node.meta[KEY] = QuantizationAnnotation(
            input_qspec_map={node.args[1]: activation()}, output_qspec=activation(),
            _annotated=True)
        self.assert_unchecked(model, "embedding", "int64")

    def test_axis_outside_of_the_tensor(self) -> None:
        model = annotated(Cnn(), IMAGE)
        node = node_of(model, "conv2d")
        node.meta[KEY].input_qspec_map[node.args[1]] = weight(ch_axis=7)
        self.assertNotIn(next(n.verdict for n in self.report_of(model).nodes
                              if n.name == node.name), ("accepted",))

    def test_unknown_observers_and_schemes(self) -> None:
        class Odd:
            dtype = torch.uint8
            qscheme = torch.per_tensor_affine

        for spec, reason in ((object(), "no dtype"), (Odd(), ""), ("text", "no dtype"),
                             (activation(dtype=torch.float32), "float32"),
                             (activation(is_dynamic=True), "dynamic"),
                             (activation(qscheme=torch.per_channel_affine_float_qparams), "scheme"),
                             (activation(quant_min=9, quant_max=9), "empty")):
            with self.subTest(str(spec)[:60]):
                model = annotated(Cnn(), IMAGE)
                node = node_of(model, "max_pool2d")
                node.meta[KEY].output_qspec = spec
                if reason:
                    self.assert_unchecked(model, "max_pool2d", reason)
                else:
                    self.report_of(model)

    def test_bfloat16(self) -> None:
        model = exported(Cnn().to(torch.bfloat16), (IMAGE[0].to(torch.bfloat16),))
        report = self.report_of(model)
        self.assertTrue(all(n.verdict != "accepted" for n in report.nodes
                            if n.op == "aten.conv2d.default"), str(report))

    def test_dynamic_shapes(self) -> None:
        batch = torch.export.Dim("batch", min=2, max=8)
        program = torch.export.export(Cnn(), (torch.randn(4, 3, 32, 32),),
                                      dynamic_shapes=({0: batch},))
        report = check(program)
        self.assertTrue(any(f.code == "QG504" or "dynamic" in f.rule for f in report.findings)
                        or report.summary["unchecked"] > 0, str(report))

    def test_several_outputs(self) -> None:
        class Parts(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                a, b = torch.split(x, 4)
                values, _ = torch.topk(b, 2)
                return a + 1.0, values

        model = exported(Parts(), (torch.randn(8, 8),))
        split = node_of(model, "split")
        split.meta[KEY] = QuantizationAnnotation(input_qspec_map={split.args[0]: activation()},
                                                 _annotated=True)
        users = list(split.users)
        shared = SharedQuantizationSpec((split.args[0], split))
        users[0].meta[KEY] = QuantizationAnnotation(output_qspec=shared, _annotated=True)
        users[1].meta[KEY] = QuantizationAnnotation(
            output_qspec=activation(dtype=torch.int32, quant_max=65535), _annotated=True)
        found = [(n, p) for _, n, p in fatal(self.report_of(model)) if n == split.name]
        self.assertTrue(found, "the second output is of another dtype")

    def test_unmapped_operators(self) -> None:
        @torch.library.custom_op("quantgate_test::odd", mutates_args=())
        def odd(x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        odd.register_fake(torch.empty_like)

        class Odd(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return odd(x).sort(0).values  # type: ignore[no-any-return]

        self.assert_unchecked(exported(Odd(), (torch.randn(4),)), "odd", "no mapping")

    def test_not_exported(self) -> None:
        report = self.report_of(torch.fx.symbolic_trace(Cnn()))
        self.assertGreater(report.summary["unchecked"], 0)
        with self.assertRaises(TypeError):
            qgt.read(Cnn())  # type: ignore[arg-type]

    def test_damaged_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.pt2"
            for data in (b"", b"PK\x03\x04rubbish", b"\x00" * 100):
                path.write_bytes(data)
                with self.assertRaises(qg.InputError) as raised:
                    qgt.read(path)
                self.assertEqual(str(raised.exception).count("\n"), 0)
            with self.assertRaises(qg.InputError):
                qgt.read(Path(folder) / "none.pt2")

    def test_random_annotations(self) -> None:
        """Any spec anywhere: every graph gets a report, every node a verdict."""
        numbers = random.Random(5)
        base = annotated(Cnn(), IMAGE)
        dtypes = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.int64,
                  torch.bfloat16, torch.float32, torch.bool, None]
        schemes = [torch.per_tensor_affine, torch.per_tensor_symmetric, torch.per_channel_affine,
                   torch.per_channel_symmetric, torch.per_channel_affine_float_qparams, None]
        limits = [None, -2**31, -32768, -128, -8, -1, 0, 1, 3, 15, 255, 65535, 2**31 - 1, 2**40]

        class Spec:
            pass

        def any_spec(nodes: list[Node]) -> Any:
            kind = numbers.randrange(8)
            if kind == 0:
                return SharedQuantizationSpec(numbers.choice(nodes))
            if kind == 1:
                return SharedQuantizationSpec((numbers.choice(nodes), numbers.choice(nodes)))
            if kind == 2:
                return numbers.choice([None, object(), 7, "spec", []])
            spec: Any = Spec()
            spec.dtype = numbers.choice(dtypes)
            spec.quant_min, spec.quant_max = numbers.choice(limits), numbers.choice(limits)
            spec.qscheme = numbers.choice(schemes)
            spec.ch_axis = numbers.choice([None, 0, 1, -1, 9, "x"])
            spec.is_dynamic = numbers.random() < 0.1
            if kind == 3:
                spec.scale = numbers.choice([0.0, -1.0, float("nan"), 1e39, 0.1, "s", None])
                spec.zero_point = numbers.choice([0, 2**40, float("nan"), None, 128])
            if kind == 4:
                spec.derived_from = [(numbers.choice(nodes), numbers.choice(nodes))
                                     for _ in range(numbers.randrange(3))]
            return spec

        for _ in range(150):
            model = copy.deepcopy(base)
            nodes = list(model.graph.nodes)
            for node in nodes:
                if node.op != "call_function" or numbers.random() < 0.5:
                    continue
                node.meta[KEY] = numbers.choice([
                    QuantizationAnnotation(
                        input_qspec_map={a: any_spec(nodes) for a in node.all_input_nodes},
                        output_qspec=any_spec(nodes), _annotated=True),
                    None, object(), 7])
            report = self.report_of(model)
            self.assertGreater(len(report.nodes), 0)
            for entry in report.nodes:
                self.assertTrue(entry.verdict != "unchecked" or entry.reason, entry.name)


class OnlyIn(Quantizer):
    """What one operator reads is of 8 bits, and its result, or each that is taken out of it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        node = node_of(model, self._name)
        several = isinstance(node.meta["val"], (list, tuple))
        node.meta[KEY] = QuantizationAnnotation(input_qspec_map={node.args[0]: activation()}, _annotated=True,
                                                output_qspec=None if several else activation())
        for user in node.users if several else ():
            user.meta[KEY] = QuantizationAnnotation(output_qspec=activation(), _annotated=True)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        pass


class WholeNumbers(unittest.TestCase):
    def converted(self, module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], name: str) -> torch.fx.GraphModule:
        prepared = prepare_pt2e(torch.export.export(module, inputs).module(), OnlyIn(name))
        prepared(*inputs)
        return convert_pt2e(prepared)

    def test_quantizing_them_is_refused(self) -> None:
        class Most(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x.amax(1)

        report = check(self.converted(Most(), (torch.arange(12).reshape(2, 6),), "amax"))
        self.assertIn("quantgate.quantize", {n.op for n in report.nodes if n.verdict == "prepare_fails"}, str(report))

    def test_what_nobody_reads_has_the_encoding_of_what_is_read(self) -> None:
        class Second(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.split(x, 4)[1]

        report = check(self.converted(Second(), (torch.rand(8, 6),), "split"))
        self.assertEqual(fatal(report), [])

    def test_what_follows_a_division_is_of_floats(self) -> None:
        class Rows(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                rows = torch.floor(torch.div(x, 2)) * 3
                return rows, rows.to(torch.int64)

        model = torch.export.export(Rows(), (torch.arange(6),)).module()
        for node in model.graph.nodes:  # as where a pass takes a division of whole numbers apart
            if isinstance(node.meta.get("val"), torch.Tensor):
                node.meta["val"] = node.meta["val"].to(torch.int64)
        read = json.loads(qgt.read(model).to_json())
        dtypes = {tensor["name"]: tensor.get("dtype") for tensor in read["tensors"]}
        made = [dtypes[name] for node in read["nodes"] for name in node["outputs"]]
        self.assertEqual([dtype for dtype in made if dtype], ["FLOAT_32"] * 3 + ["INT_64"])


class Quick(unittest.TestCase):
    def test_usual_nodes_are_read_alike_in_cpp(self) -> None:
        """The Model is the same, character by character."""
        rng = random.Random(5)
        specs = [activation(), activation(quant_max=127), activation(dtype=torch.int8, quant_min=-128,
                                                                     quant_max=127), None]
        for odd in (0.0, 0.05, 0.3):
            model = Quant8().annotate(long_graph(300))
            for node in model.graph.nodes:
                held = node.meta.get(KEY)
                if held is None or rng.random() >= odd:
                    continue
                if rng.random() < 0.5:
                    held.output_qspec = rng.choice(specs)
                else:
                    held.input_qspec_map[node.args[0]] = rng.choice(specs)
                held.allow_implicit_sharing = rng.random() < 0.8
            quick = qgt.read(model)
            with unittest.mock.patch("quantgate.torch._reader.QUICK", False):
                slow = qgt.read(model)
            self.assertEqual(quick.to_json(), slow.to_json())


class Mappings(unittest.TestCase):
    def test_names_are_operators(self) -> None:
        names = [name for name in opdefs_json.document("resolve/aten")["ops"] if name.startswith("aten.")]
        self.assertGreaterEqual(len(names), 120)
        for name in names:
            _, op, overload = name.split(".")
            self.assertTrue(hasattr(getattr(torch.ops.aten, op), overload), name)

    def test_attributes_are_arguments_of_the_schema(self) -> None:
        """Every word of an expression is a function, a port or an argument of the operator."""
        functions = set(re.findall(r'\{"(\w+)", \d+, -?\d+,', (
            ROOT / "core" / "lower" / "expression" / "expr_functions.cc").read_text()))
        words = functions | {"in", "out", "and", "or", "not", "true", "false", "e38", "e"}
        mappings = opdefs_json.document("resolve/aten")["ops"]

        def expressions(value: Any, key: str = "") -> list[str]:
            if isinstance(value, dict):
                return [text for name, item in value.items()
                        if name not in ("to", "temp", "unchecked", "refused", "layout", "like",
                                        "dtype", "role", "unit")
                        for text in expressions(item, name)]
            if isinstance(value, list):
                return [text for item in value for text in expressions(item, key)]
            return [value] if isinstance(value, str) else []

        for name, mapping in mappings.items():
            if not name.startswith("aten.") or isinstance(mapping, str):
                continue
            _, op, overload = name.split(".")
            schema = getattr(getattr(torch.ops.aten, op), overload)._schema
            known = words | {argument.name for argument in schema.arguments}
            if op in ("transpose", "swapaxes"):  # one entry text for two schemas
                known |= {"dim0", "dim1", "axis0", "axis1"}
            for text in expressions(mapping):
                plain = re.sub(r"'[^']*'", "", text)
                for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", plain):
                    self.assertIn(word, known, f"{name}: {text}")


if __name__ == "__main__":
    unittest.main()
