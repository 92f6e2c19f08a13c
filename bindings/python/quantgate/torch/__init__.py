"""PyTorch graphs on their way to an NPU: annotated, prepared, converted, exported.

    import quantgate.torch as qgt
    report = qgt.check(model, soc="SM8550", mode="warn")        # GraphModule, ExportedProgram, .pt2
    quantizer = qgt.Quantizer(precision="16a8w", soc="SM8550")  # annotates from the database
    quantizer = qgt.ValidatingQuantizer(inner, soc="SM8550")    # any PT2E quantizer

Findings name the line of the user's model. torch is needed; nothing else is imported.
"""

from quantgate.torch._check import check, read
from quantgate.torch._plan_quantizer import Quantizer
from quantgate.torch._quantizer import ValidatingQuantizer

__all__ = ["Quantizer", "ValidatingQuantizer", "check", "read"]
