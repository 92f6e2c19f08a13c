"""An architecture of the zoo on its way through PT2E: exported, annotated by ExecuTorch's QnnQuantizer, calibrated,
converted. Everything is seeded: the same nodes under the same names each time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch

import registry

SOC = "SM8550"
PRECISIONS = ("8a8w", "16a8w")
CALIBRATION = 3  # samples


def exported(net: torch.nn.Module, given: registry.Tensors) -> torch.fx.GraphModule:
    with torch.no_grad():  # otherwise a no_grad inside becomes a subgraph, which ExecuTorch's passes don't know
        try:
            return torch.export.export(net, given, strict=False).module()
        except Exception:  # what only the other way of tracing understands
            return torch.export.export(net, given, strict=True).module()


def quantizer(precision: str) -> Any:
    from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from torchao.quantization.pt2e import MovingAverageMinMaxObserver

    made = QnnQuantizer(soc_model=getattr(QcomChipset, SOC))
    # As ExecuTorch's own make_quantizer() has it.
    made.set_default_quant_config(getattr(QuantDtype, f"use_{precision}"), is_conv_per_channel=True,
                                  act_observer=MovingAverageMinMaxObserver)
    return made


def watched(inner: Any, look: Callable[[torch.fx.GraphModule], None]) -> Any:
    """The quantizer, whose annotated graph is shown to `look`."""
    from torchao.quantization.pt2e.quantizer import Quantizer

    class Watched(Quantizer):
        def transform_for_annotation(self, model):
            return inner.transform_for_annotation(model)

        def annotate(self, model):
            return inner.annotate(model)

        def validate(self, model):
            look(model)

        def prepare_obs_or_fq_callback(self, *arguments, **keywords):
            getattr(inner, "prepare_obs_or_fq_callback", lambda *a, **k: None)(*arguments, **keywords)

    return Watched()


def convert(graph: torch.fx.GraphModule, given: registry.Tensors, precision: str,
            look: Callable[[torch.fx.GraphModule], None] = lambda model: None) -> torch.fx.GraphModule:
    """Calibrated with samples and converted. `look` sees the graph when it is annotated."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    prepared = prepare_pt2e(graph, watched(quantizer(precision), look))
    with torch.no_grad():
        for seed in range(CALIBRATION):
            prepared(*(registry.sample(given, seed) if seed else copy.deepcopy(given)))
    return convert_pt2e(prepared)
