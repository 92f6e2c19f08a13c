"""From a float model to what the real backend compiled, checked by quantgate on the way.

    flows.py [--select REGEX]

Each model is exported, annotated by ExecuTorch's QnnQuantizer, prepared, calibrated and converted;
quantgate is asked before and after, and then the backend (libraries of onnxruntime-qnn) compiles
it: "taken" is a graph of which nothing is left to the CPU. Models with a planted mistake go the same
way. Exit status 1 where quantgate and the backend differ.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from models import IMAGE, TOKENS, Block, Cnn, exported, left_by
from own_models import with_libraries, without_extras
from slips import CH_S8, S8, U8, U16
from torchao.quantization.pt2e.quantizer import Quantizer

KEY = "quantization_annotation"
FATAL = ("rejected", "prepare_fails", "wrong_values")
SOC = "SM8550"


def first(model: torch.fx.GraphModule, name: str) -> Any:
    return next(node for node in model.graph.nodes
                if node.op == "call_function" and f".{name}." in f".{node.target}.")


def asymmetric_weights(model: torch.fx.GraphModule) -> None:
    node = first(model, "conv2d")
    node.meta[KEY].input_qspec_map[node.args[1]] = CH_S8


def other_operand(name: str, spec: Any) -> Callable[[torch.fx.GraphModule], None]:
    def change(model: torch.fx.GraphModule) -> None:
        node = first(model, name)
        node.meta[KEY].input_qspec_map[node.args[1]] = spec

    return change


def other_output(name: str, spec: Any) -> Callable[[torch.fx.GraphModule], None]:
    def change(model: torch.fx.GraphModule) -> None:
        first(model, name).meta[KEY].output_qspec = spec

    return change



class Flow(NamedTuple):
    name: str
    module: Callable[[], torch.nn.Module]
    inputs: tuple[torch.Tensor, ...]
    dtype: str
    mistake: Callable[[torch.fx.GraphModule], None] | None = None


FLOWS = (
    Flow("cnn", Cnn, IMAGE, "use_8a8w"),
    Flow("cnn_16a", Cnn, IMAGE, "use_16a8w"),
    Flow("block", Block, TOKENS, "use_8a8w"),
    Flow("block_16a", Block, TOKENS, "use_16a8w"),
    Flow("cnn_asymmetric_weights", Cnn, IMAGE, "use_8a8w", asymmetric_weights),
    Flow("cnn_add_u8_s8", Cnn, IMAGE, "use_8a8w", other_operand("add", S8)),
    Flow("cnn_conv_to_u16", Cnn, IMAGE, "use_8a8w", other_output("conv2d", U16)),
    Flow("block_matmul_u16_u16", Block, TOKENS, "use_16a8w", other_operand("matmul", U16)),
    Flow("block_softmax_to_u8", Block, TOKENS, "use_16a8w", other_output("softmax", U8)),
)


class Mistaken(Quantizer):  # type: ignore[misc]
    """Annotates as `inner` does, then makes a mistake."""

    def __init__(self, inner: Any, mistake: Any) -> None:
        self.inner, self.mistake = inner, mistake

    def transform_for_annotation(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        return self.inner.transform_for_annotation(model)

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        model = self.inner.annotate(model)
        if self.mistake is not None:
            self.mistake(model)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        pass


def lower(model: torch.fx.GraphModule, inputs: tuple[torch.Tensor, ...]) -> str:
    """'taken', or how the backend refuses it."""
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from executorch.backends.qualcomm.utils.utils import (
        generate_htp_compiler_spec,
        generate_qnn_executorch_compiler_spec,
        to_edge_transform_and_lower_to_qnn,
    )

    specs = generate_qnn_executorch_compiler_spec(
        soc_model=getattr(QcomChipset, SOC),
        backend_options=generate_htp_compiler_spec(use_fp16=False))
    try:
        program = to_edge_transform_and_lower_to_qnn(model, inputs, specs)
    except Exception as error:
        return f"refused: {type(error).__name__}"
    left = left_by(program)
    return f"refused: {left}" if left else "taken"


def run(flow: Flow) -> bool:
    import quantgate.executorch
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from executorch.backends.qualcomm.quantizer.quantizer import QuantDtype
    from quantgate.torch import ValidatingQuantizer
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    inner = make_quantizer(soc_model=SOC, quant_dtype=getattr(QuantDtype, flow.dtype))
    quantizer = ValidatingQuantizer(Mistaken(inner, flow.mistake), soc=SOC, mode="warn",
                                    route="executorch")
    prepared = prepare_pt2e(exported(flow.module(), flow.inputs), quantizer)
    before = quantizer.report
    assert before is not None
    for _ in range(3):
        prepared(*flow.inputs)
    converted = convert_pt2e(prepared)
    after = quantgate.executorch.validate(converted, SOC, "warn")
    backend = lower(converted, flow.inputs)
    reported = {stage: report.verdict in FATAL for stage, report in
            (("annotated", before), ("converted", after))}
    expected = flow.mistake is not None
    told_right = all(one == expected for one in reported.values())
    right = told_right and (backend != "taken") == expected
    print(f"{'ok   ' if right else 'WRONG'} {flow.name:24} annotated {before.verdict:12} converted "
          f"{after.verdict:12} backend {backend}", flush=True)
    for finding in after.findings:
        if finding.consequence in FATAL:
            print(f"      {finding.code} {finding.node} {finding.port}: {finding.message}")
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
    flows = [flow for flow in FLOWS if re.search(arguments.select, flow.name)]
    wrong = sum(not run(flow) for flow in flows)
    print(f"{len(flows)} flows, quantgate and the backend differ on {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
