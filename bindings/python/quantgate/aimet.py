"""From a plan to an AIMET simulation (aimet-onnx).

    plan = quantgate.plan(model, precision="16a8w", soc="SM8550", route="qairt")
    sim = quantgate.aimet.simulation(model, plan)
    sim.compute_encodings(samples)
    quantgate.aimet.share(sim, plan)
    sim.export("out", "model")

AIMET trains and calibrates as usual; what the plan says of types, forms and fixed encodings is set,
and share() gives tensors that must have one encoding that of all of them. Needs aimet-onnx only
when it is called.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from quantgate._numbers import classes, ends, fitted, middle
from quantgate._plan import Plan, PlannedTensor
from quantgate.ort import PlanError
def configuration(plan: Plan) -> dict[str, Any]:
    """What AIMET reads as config_file: everything has a quantizer, which apply() sets up."""
    return {
        "defaults": {"hw_version": plan.arch.upper(), "ops": {"is_output_quantized": "True"},
                     "params": {"is_quantized": "True", "is_symmetric": "True"},
                     "strict_symmetric": "False", "unsigned_symmetric": "False",
                     "per_channel_quantization": "True"},
        "params": {"bias": {"is_quantized": "False"}},
        "op_type": {},
        "supergroups": [],
        "model_input": {"is_input_quantized": "True"},
        "model_output": {},
    }


def simulation(model: Any, plan: Plan, **options: Any) -> Any:
    """A QuantizationSimModel of the float model (an onnx.ModelProto), set up as planned.

    options: those of QuantizationSimModel.
    """
    from aimet_onnx.quantsim import QuantizationSimModel

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(configuration(plan)), encoding="utf-8")
        sim = QuantizationSimModel(model, config_file=str(path), **options)
    apply(sim, plan)
    return sim


def apply(sim: Any, plan: Plan) -> None:
    """Sets every quantizer of a simulation: on or off, width, symmetry, channels, fixed range.

    Raises PlanError for LPBQ, for which AIMET has functions of its own.
    """
    quantizers = sim.qc_quantize_op_dict
    for tensor in plan.tensors:
        quantizer = quantizers.get(tensor.name)
        if quantizer is None:
            continue
        quantizer.enabled = bool(tensor.encoding) and tensor.dtype != "SFIXED_POINT_32"
        if not quantizer.enabled:
            continue
        if tensor.encoding == "lpbq":
            raise PlanError(f"{tensor.name} is planned as LPBQ: set it with AIMET's "
                            "set_grouped_blockwise_quantization_for_weights")
        bits = tensor.bits or int(tensor.dtype.rsplit("_", 1)[1])
        quantizer.set_bitwidth(bits)
        quantizer.use_symmetric_encodings = tensor.symmetric
        if tensor.role in ("weight", "constant"):
            quantizer.enable_per_channel_quantization(tensor.encoding == "perChannel")
        low, high = ends(tensor.dtype, bits)
        if tensor.scale is not None and tensor.zero_point is not None:
            quantizer.set_fixed_encoding_range(((low - tensor.zero_point) * tensor.scale,
                                                (high - tensor.zero_point) * tensor.scale))
        elif tensor.zero_point == low and not tensor.symmetric and low != middle(tensor.dtype, bits):
            quantizer.set_fixed_encoding_range((0.0, None))


def share(sim: Any, plan: Plan) -> None:
    """Gives tensors that share an encoding that of all of them; after compute_encodings()."""
    from aimet_onnx.common import libpymo

    quantizers = sim.qc_quantize_op_dict
    for members in classes({tensor.name: tensor for tensor in plan.tensors}).values():
        own = [(tensor, quantizers[tensor.name]) for tensor in members
               if tensor.name in quantizers and quantizers[tensor.name].enabled]
        if len(own) < 2 or own[0][0].scale is not None:
            continue
        ranges = [encoding for _, quantizer in own for encoding in (quantizer.get_encodings() or ())]
        if not ranges:
            continue
        encoding = _encoding(libpymo, own[0][0], min(r.min for r in ranges), max(r.max for r in ranges))
        for _, quantizer in own:
            quantizer.load_encodings([encoding])


def _encoding(libpymo: Any, tensor: PlannedTensor, least: float, most: float) -> Any:
    bits = tensor.bits or int(tensor.dtype.rsplit("_", 1)[1])
    low, high = ends(tensor.dtype, bits)
    numbers = fitted(tensor, least, most)
    encoding = libpymo.TfEncoding()
    encoding.bw = bits
    encoding.delta = numbers.scale
    encoding.offset = low - numbers.zero_point
    encoding.min = encoding.offset * numbers.scale
    encoding.max = (high - low + encoding.offset) * numbers.scale
    return encoding
