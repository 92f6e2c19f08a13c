"""Annotations that ExecuTorch's own validation lets through although the backend refuses them.

    slips.py [--live] [--record]

For each: what the client says with quantgate's stand-in, what quantgate says of the same annotated
graph, and what the real backend said (recorded in slips.json; --live asks it again, --record
rewrites the file).
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import torch
from models import left_by
from own_models import with_libraries, without_extras
from torchao.quantization.pt2e import MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

RECORD = Path(__file__).with_name("slips.json")
AFFINE, SYMMETRIC = torch.per_tensor_affine, torch.per_tensor_symmetric


def spec(dtype: torch.dtype, low: int | None, high: int | None, scheme: Any = AFFINE,
         axis: int | None = None) -> QuantizationSpec:
    observer = MinMaxObserver if axis is None else PerChannelMinMaxObserver
    return QuantizationSpec(dtype=dtype, quant_min=low, quant_max=high, qscheme=scheme,
                            ch_axis=axis, observer_or_fake_quant_ctr=observer.with_args(eps=2**-12))


U8, S8 = spec(torch.uint8, 0, 255), spec(torch.int8, -128, 127)
U16, S16 = spec(torch.int32, 0, 65535), spec(torch.int16, -32768, 32767)
W8 = spec(torch.int8, -127, 127, SYMMETRIC)
W16 = spec(torch.int16, -32767, 32767, SYMMETRIC)
CH_U8 = spec(torch.uint8, 0, 255, torch.per_channel_affine, 0)
CH_S8 = spec(torch.int8, -128, 127, torch.per_channel_affine, 0)
B32 = spec(torch.int32, -2**31, 2**31 - 1, SYMMETRIC)
B32_ASYMMETRIC = spec(torch.int32, -2**31, 2**31 - 1, AFFINE)
U16_BARE = spec(torch.uint16, None, None, SYMMETRIC)


class Binary(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.function(x, y)  # type: ignore[no-any-return]


class Unary(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)  # type: ignore[no-any-return]


IMAGE, FLAT = torch.randn(1, 8, 12, 12), torch.randn(4, 32)


def conv() -> torch.nn.Module:
    return torch.nn.Conv2d(8, 16, 3)


class Slip(NamedTuple):
    name: str
    module: Any
    inputs: tuple[torch.Tensor, ...]
    specs: tuple[Any, ...]  # of the tensor arguments in order, then of the output
    soc: str = "SM8550"


SLIPS = (
    Slip("add_s8_u8", lambda: Binary(torch.add), (FLAT, FLAT + 1), (S8, U8, U8)),
    Slip("add_u8_u16", lambda: Binary(torch.add), (FLAT, FLAT + 1), (U8, U16, U16)),
    Slip("mul_u16_s16", lambda: Binary(torch.mul), (FLAT, FLAT + 1), (U16, S16, U16)),
    Slip("relu_u16_u8", lambda: Unary(torch.relu), (FLAT,), (U16, U8)),
    Slip("conv_16a_asymmetric_w16", conv, (IMAGE,), (U16, S16, B32, U16)),
    Slip("linear_16a_asymmetric_w16", lambda: torch.nn.Linear(32, 8), (FLAT,), (U16, S16, B32, U16)),
    Slip("conv_per_channel_asymmetric_s8", conv, (IMAGE,), (U8, CH_S8, B32, U8)),
    Slip("conv_per_channel_asymmetric_u8", conv, (IMAGE,), (U8, CH_U8, B32, U8)),
    Slip("conv_8a_w16", conv, (IMAGE,), (U8, W16, B32, U8)),
    Slip("conv_u8_to_u16", conv, (IMAGE,), (U8, W8, B32, U16)),
    Slip("conv_bias_u8", conv, (IMAGE,), (U8, W8, U8, U8)),
    Slip("conv_bias_s32_offset", conv, (IMAGE,), (U8, W8, B32_ASYMMETRIC, U8)),
    Slip("conv_16a16w_v68", conv, (IMAGE,), (U16, W16, B32, U16), "SM8350"),
    Slip("linear_16a16w_v68", lambda: torch.nn.Linear(32, 8), (FLAT,), (U16, W16, B32, U16),
         "SM8350"),
    Slip("matmul_u16_u16", lambda: Binary(torch.matmul), (FLAT, FLAT.T + 1), (U16, U16, U16)),
    Slip("matmul_asymmetric_s16", lambda: Binary(torch.matmul), (FLAT, FLAT.T + 1),
         (U16, S16, U16)),
    Slip("layer_norm_w16_offset", lambda: torch.nn.LayerNorm(32), (FLAT,), (U16, S16, B32, U16)),
    Slip("layer_norm_16a16w_v68", lambda: torch.nn.LayerNorm(32), (FLAT,), (U16, W16, B32, U16),
         "SM8350"),
    Slip("tanh_u16_min_max", lambda: Unary(torch.tanh), (FLAT.abs(),), (U16, U16)),
    Slip("relu_u16_without_range", lambda: Unary(torch.relu), (FLAT,), (U16_BARE, U8)),
)


class Annotator(Quantizer):  # type: ignore[misc]
    """Annotates the first operator with tensors with the given specs."""

    def __init__(self, specs: tuple[Any, ...]) -> None:
        self.specs = specs

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        from quantgate.torch._operators import operator_of

        node = next(node for node in model.graph.nodes if node.op == "call_function"
                    and operator_of(node.target) is not None)
        known = operator_of(node.target)
        tensors = [argument for argument, kind in zip(node.args, known.arguments)
                   if kind.is_tensor and argument is not None]
        node.meta["quantization_annotation"] = QuantizationAnnotation(
            input_qspec_map=dict(zip(tensors, self.specs[:-1], strict=True)),
            output_qspec=self.specs[-1], _annotated=True)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        pass


def client_says(model: torch.fx.GraphModule, soc: str) -> str:
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from executorch.backends.qualcomm.quantizer.annotators.htp_rules import get_constraint_cache

    get_constraint_cache()._store.clear()
    try:
        make_quantizer(soc_model=soc).validate(model)
    except ValueError:
        return "no"
    return "yes"


def backend_says(slip: Slip) -> str:
    """'refused', with how, or 'taken'."""
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from executorch.backends.qualcomm.utils.utils import (
        generate_htp_compiler_spec,
        generate_qnn_executorch_compiler_spec,
        to_edge_transform_and_lower_to_qnn,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    model = torch.export.export(slip.module().eval(), slip.inputs, strict=True).module()
    try:
        prepared = prepare_pt2e(model, Annotator(slip.specs))
        prepared(*slip.inputs)
        converted = convert_pt2e(prepared)
    except Exception as error:
        return f"conversion fails: {type(error).__name__}"
    specs = generate_qnn_executorch_compiler_spec(
        soc_model=getattr(QcomChipset, slip.soc),
        backend_options=generate_htp_compiler_spec(use_fp16=False))
    try:
        program = to_edge_transform_and_lower_to_qnn(converted, slip.inputs, specs)
    except Exception as error:
        return f"refused: {type(error).__name__}"
    left = left_by(program)
    return f"refused: {left}" if left else "taken"


def ask(slip: Slip, live: bool) -> dict[str, Any]:
    import quantgate.executorch

    model = torch.export.export(slip.module().eval(), slip.inputs, strict=True).module()
    Annotator(slip.specs).annotate(model)
    report = quantgate.executorch.validate(model, slip.soc, "warn")
    fatal = [f for f in report.findings
             if f.consequence in ("rejected", "prepare_fails", "wrong_values")]
    answer: dict[str, Any] = {
        "client": client_says(model, slip.soc),
        "quantgate": report.verdict,
        "findings": sorted({f"{f.code} {f.port}".strip() for f in fatal}),
    }
    if live:
        answer["backend"] = backend_says(slip)
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if arguments.live or arguments.record:
        with_libraries()
    import quantgate.executorch

    quantgate.executorch.install()
    without_extras()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    result = {}
    wrong = 0
    for slip in SLIPS:
        answer = ask(slip, arguments.live or arguments.record)
        answer.setdefault("backend", recorded.get(slip.name, {}).get("backend", "not asked"))
        result[slip.name] = answer
        caught = answer["quantgate"] in ("rejected", "prepare_fails", "wrong_values")
        right = caught == (answer["backend"] != "taken")
        wrong += not right
        print(f"{'ok   ' if right else 'WRONG'} {slip.name:32} client {answer['client']:4} "
              f"quantgate {answer['quantgate']:13} backend {answer['backend']}", flush=True)
        print(f"      {', '.join(answer['findings'])}", flush=True)
    if arguments.record:
        RECORD.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{len(SLIPS)} slips, {wrong} where quantgate and the backend differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
