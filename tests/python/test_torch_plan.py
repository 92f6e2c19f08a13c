"""quantgate.torch.Quantizer through PT2E: what it annotates is accepted. Skipped without PyTorch.

`make test-torch` installs it.
"""

from __future__ import annotations

import importlib.util
import sys
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

MISSING = [name for name in ("torch", "torchao") if importlib.util.find_spec(name) is None]
if MISSING:
    raise unittest.SkipTest(f"not installed: {', '.join(MISSING)}; make test-torch installs them")

import torch  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e  # noqa: E402
from torchao.quantization.pt2e.quantizer import (  # noqa: E402
    FixedQParamsQuantizationSpec,
    SharedQuantizationSpec,
)

import quantgate as qg  # noqa: E402
import quantgate.torch as qgt  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance/executorch"))
from models import IMAGE, TOKENS, Block, Cnn, exported  # noqa: E402

KEY = "quantization_annotation"
TAKEN = ("accepted", "advice", "undocumented")


class Mixed(torch.nn.Module):
    """Fixed and shared encodings, a norm, and numbers among the operands."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.bn = torch.nn.BatchNorm2d(16)
        self.fc = torch.nn.Linear(16, 10)
        self.norm = torch.nn.LayerNorm(10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sigmoid(torch.relu(self.bn(self.conv(x)))).mean((2, 3)).reshape(1, 16)
        return torch.softmax(self.norm(self.fc(y)) * 2 + 1.5, -1)


class Handed(torch.nn.Module):
    """Linear layers behind what hands its input on, and behind one of several outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = torch.nn.Linear(64, 64), torch.nn.Linear(32, 8), torch.nn.Linear(32, 8)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        left, right = self.first(self.dropout(torch.relu(x))).clone().chunk(2, -1)
        return self.second(left * torch.sigmoid(right)) + self.third(self.dropout(right))


def converted(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], quantizer: Any) -> Any:
    prepared = prepare_pt2e(exported(module, inputs), quantizer)
    prepared(*inputs)
    return prepared, convert_pt2e(prepared)


class Quantizers(unittest.TestCase):
    def test_accepted_in_every_precision(self) -> None:
        for module, inputs in ((Mixed, IMAGE), (Cnn, IMAGE), (Block, TOKENS)):
            for precision in ("8a8w", "16a8w", "16a4w", "16a16w"):
                with self.subTest(module=module.__name__, precision=precision):
                    quantizer = qgt.Quantizer(precision=precision, soc="SM8550")
                    _, model = converted(module(), inputs, quantizer)
                    self.assertEqual({node.fit for node in quantizer.plan.nodes if not node.into},
                                     {"as_wished"})
                    report = qgt.check(model, soc="SM8550")
                    self.assertIn(report.verdict, TAKEN, str(report))

    def test_the_numbers_are_near_those_of_the_float_model(self) -> None:
        module = Mixed().eval()
        want = module(*IMAGE)
        _, model = converted(module, IMAGE, qgt.Quantizer(precision="16a8w", soc="SM8550"))
        self.assertLess(float((model(*IMAGE) - want).detach().abs().max()), 0.01)

    def test_a_weight_that_is_looked_up_and_multiplied_with(self) -> None:
        class Tied(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.table, self.head = torch.nn.Embedding(32, 16), torch.nn.Linear(16, 32, bias=False)
                self.head.weight = self.table.weight

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.head(torch.relu(self.table(x)))

        inputs = (torch.arange(8).reshape(1, 8),)
        _, model = converted(Tied(), inputs, qgt.Quantizer(precision="8a8w", soc="SM8550"))
        report = qgt.check(torch.export.export(model, inputs), soc="SM8550")
        self.assertIn(report.verdict, TAKEN, str(report))

    def test_masks_leave_the_range_to_what_is_not_masked(self) -> None:
        class Masked(torch.nn.Module):
            def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
                return torch.softmax(x + mask, -1)

        for lowest in (float("-inf"), torch.finfo(torch.float32).min):
            mask = torch.zeros(1, 8, 8).masked_fill(torch.ones(8, 8, dtype=torch.bool).triu(1), lowest)
            inputs = (torch.randn(1, 8, 8, generator=torch.Generator().manual_seed(0)), mask)
            _, model = converted(Masked(), inputs, qgt.Quantizer(precision="8a8w", soc="SM8550"))
            self.assertLess(float((model(*inputs) - Masked()(*inputs)).abs().max()), 0.05)

    def test_behind_identities_and_one_of_several_outputs(self) -> None:
        module, inputs = Handed().eval(), (torch.randn(1, 8, 64),)
        for precision in ("8a8w", "16a8w"):
            with self.subTest(precision):
                quantizer = qgt.Quantizer(precision=precision, soc="SM8550")
                _, model = converted(module, inputs, quantizer)
                self.assertEqual({node.fit for node in quantizer.plan.nodes if not node.into}, {"as_wished"})
                for node in model.graph.nodes:
                    if "linear" in str(node.target):
                        self.assertTrue(all("dequantize" in str(source.target) for source in node.all_input_nodes), node)
                report = qgt.check(torch.export.export(model, inputs), soc="SM8550")
                self.assertIn(report.verdict, TAKEN, str(report))

    def test_an_override(self) -> None:
        quantizer = qgt.Quantizer(precision="8a8w", overrides={"linear": "16a8w"}, soc="SM8550")
        _, model = converted(Mixed(), IMAGE, quantizer)
        self.assertEqual([convert.node for convert in quantizer.plan.converts], ["linear", "layer_norm"])
        # Exported again, as for ExecuTorch: shapes are known between the conversions too.
        report = qgt.check(torch.export.export(model, IMAGE), soc="SM8550")
        self.assertIn(report.verdict, TAKEN, str(report))

    def test_fixed_shared_and_lifted(self) -> None:
        graph = exported(Mixed(), IMAGE)
        quantizer = qgt.Quantizer(precision="16a8w", soc="SM8550")
        model = quantizer.annotate(quantizer.transform_for_annotation(graph))
        specs = {node.name: node.meta[KEY].output_qspec for node in model.graph.nodes if KEY in node.meta}
        self.assertIsInstance(specs["sigmoid"], FixedQParamsQuantizationSpec)
        self.assertEqual((specs["sigmoid"].scale, specs["sigmoid"].zero_point), (2**-16, 0))
        self.assertIsInstance(specs["reshape"], SharedQuantizationSpec)
        self.assertEqual(specs["reshape"].edge_or_node.name, "mean")
        lifted = [node.name for node in model.graph.nodes if "scalar" in node.name]
        self.assertEqual(len(lifted), 2)

    def test_what_is_refused_stays_in_float(self) -> None:
        class Deep(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.softmax(torch.relu(x), -1)

        quantizer = qgt.Quantizer(precision="8a8w", soc="SM8550")
        inputs = (torch.randn(1, 2, 2, 2, 2, 2),)
        model = quantizer.annotate(exported(Deep(), inputs))
        annotated = [node.name for node in model.graph.nodes if KEY in node.meta]
        self.assertNotIn("softmax", annotated)
        refused = [node for node in quantizer.plan.nodes if node.fit == "refused"]
        self.assertTrue(all(node.reason for node in refused))

    def test_the_sdk_is_that_of_the_library_which_would_be_loaded(self) -> None:
        with unittest.mock.patch("quantgate.executorch._sdk.library_sdk", return_value="2.48"):
            quantizer = qgt.Quantizer(precision="8a8w", soc="SM8550")
        quantizer.annotate(exported(Cnn(), IMAGE))
        self.assertEqual(quantizer.plan.sdk, "2.48")

    def test_bad_wishes(self) -> None:
        with self.assertRaisesRegex(ValueError, "no node has"):
            qgt.Quantizer(precision="8a8w", overrides={"nothing": "fp16"}).annotate(exported(Cnn(), IMAGE))
        with self.assertRaises(qg.TargetError):
            qgt.Quantizer(precision="8a8w", soc="SM1").annotate(exported(Cnn(), IMAGE))


if __name__ == "__main__":
    unittest.main()
