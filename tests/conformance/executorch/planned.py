"""quantgate.torch.Quantizer beside ExecuTorch's QnnQuantizer: the same models, the real backend.

    planned.py [--select REGEX]

Each model is exported, annotated by either quantizer, calibrated, converted and compiled by the
backend (libraries of onnxruntime-qnn). "taken" is a graph of which nothing is left to the CPU; `off`
how far the converted model is from float. Exit status 1 where a planned model isn't taken whole, or
is further off than the other by more than a tenth of the float model's spread.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from flows import SOC, lower
from models import IMAGE, TOKENS, Block, Cnn, exported
from own_models import with_libraries, without_extras


class Mixed(torch.nn.Module):
    """Fixed and shared encodings, norms, numbers among the operands."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.bn = torch.nn.BatchNorm2d(16)
        self.fc = torch.nn.Linear(16, 10)
        self.norm = torch.nn.LayerNorm(10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sigmoid(torch.relu(self.bn(self.conv(x)))).mean((2, 3)).reshape(1, 16)
        return torch.tanh(self.norm(self.fc(y)) * 2 + 1.5)


class Gated(torch.nn.Module):
    """Two branches that are joined, a gate, and a permutation."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Conv2d(3, 8, 1)
        self.b = torch.nn.Conv2d(3, 8, 1)
        self.out = torch.nn.Conv2d(16, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        y = torch.cat([a * torch.sigmoid(a), torch.relu(self.b(x))], 1)
        return self.out(y).permute(0, 2, 3, 1)


MODELS: dict[str, tuple[Callable[[], torch.nn.Module], Any]] = {
    "cnn": (Cnn, IMAGE), "block": (Block, TOKENS), "mixed": (Mixed, IMAGE), "gated": (Gated, IMAGE)}
PRECISIONS = ("8a8w", "16a8w", "16a4w")


def passes(model: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """What ExecuTorch does to a graph before its own quantizer annotates it."""
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from executorch.backends.qualcomm.quantizer.quantizer import QuantDtype

    return make_quantizer(soc_model=SOC, quant_dtype=QuantDtype.use_8a8w).transform_for_annotation(model)


def official(precision: str) -> Any:
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from executorch.backends.qualcomm.quantizer.quantizer import QuantDtype

    return make_quantizer(soc_model=SOC, quant_dtype=getattr(QuantDtype, f"use_{precision}"))


def tried(module: torch.nn.Module, inputs: Any, quantizer: Any) -> tuple[str, float]:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    want = module(*inputs).detach()
    prepared = prepare_pt2e(exported(module, inputs), quantizer)
    for _ in range(3):
        prepared(*inputs)
    converted = convert_pt2e(prepared)
    got = converted(*inputs).detach()
    off = float((got - want).square().mean().sqrt() / want.std().clamp(min=1e-9))
    return lower(converted, inputs), off


def run(name: str, precision: str) -> bool:
    import quantgate.torch

    make, inputs = MODELS[name]
    torch.manual_seed(0)
    module = make().eval()
    planned = quantgate.torch.Quantizer(precision=precision, soc=SOC, transform=passes)
    mine, off = tried(module, inputs, planned)
    theirs, other = tried(module, inputs, official(precision))
    right = mine == "taken" and off <= other + 0.1
    print(f"{'ok   ' if right else 'WRONG'} {name:8} {precision:6} planned: {mine}, {off:.4f} off; "
          f"QnnQuantizer: {theirs}, {other:.4f} off", flush=True)
    return right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--select", default="")
    arguments = parser.parse_args()
    with_libraries()
    without_extras()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    cases = [(name, precision) for name in MODELS for precision in PRECISIONS
             if re.search(arguments.select, f"{name} {precision}")]
    wrong = sum(not run(*case) for case in cases)
    print(f"{len(cases)} models, {wrong} not as planned")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
