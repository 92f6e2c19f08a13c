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


def planned(precision: str) -> Any:
    """quantgate's quantizer, on the graph that QnnQuantizer would annotate."""
    import quantgate.torch

    return quantgate.torch.Quantizer(precision=precision, soc=SOC, transform=quantizer(precision).transform_for_annotation)


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
            look: Callable[[torch.fx.GraphModule], None] = lambda model: None, plan: bool = False) -> torch.fx.GraphModule:
    """Calibrated with samples and converted, annotated by QnnQuantizer or as planned. `look` sees the graph when it is
    annotated."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    prepared = prepare_pt2e(graph, watched(planned(precision) if plan else quantizer(precision), look))
    with torch.no_grad():
        for seed in range(CALIBRATION):
            prepared(*(registry.sample(given, seed) if seed else copy.deepcopy(given)))
    return convert_pt2e(prepared)


def outputs(model: Any, given: registry.Tensors) -> list[torch.Tensor]:
    """What a model computes, in float."""
    from torch.utils import _pytree

    with torch.no_grad():
        found = _pytree.tree_leaves(model(*copy.deepcopy(given)))
    return [t.detach().float() for t in found if isinstance(t, torch.Tensor) and t.is_floating_point()]


def moved(given: registry.Tensors) -> registry.Tensors:
    """Inputs that differ by 1/256 of their range, up and down in turn."""
    def move(t: Any) -> Any:
        if not isinstance(t, torch.Tensor) or not t.is_floating_point() or not t.numel():
            return t
        signs = 1 - 2 * (torch.arange(t.numel()) % 2).reshape(t.shape)
        return t + signs * (t.max() - t.min()) / 256

    return tuple(move(t) for t in given)


def apart(got: list[torch.Tensor], want: list[torch.Tensor]) -> float:
    """Root mean square of the difference, as a part of the spread, of the worst output."""
    return max((float((g - w).square().mean().sqrt() / w.std(correction=0).clamp(min=1e-9))
                for g, w in zip(got, want) if w.numel() > 1), default=0.0)
