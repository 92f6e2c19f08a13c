#!/usr/bin/env python3
"""Makes an architecture of the zoo as quantized ONNX models.

    generate.py NAME -o FOLDER [--exporter torchscript|dynamo] [--quantizer onnxruntime|aimet]

PyTorch exports the network (either exporter); ONNX Runtime's own QNN path or AIMET quantizes it: in each
of its forms in FORMS, into FOLDER/FORM.onnx, beside float.onnx and the inputs for running them, inputs.npz.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize
from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

import registry
from coarse import FEW, coarse

EXPORTERS = ("torchscript", "dynamo")
CALIBRATION = 3  # samples
OPSET = {"torchscript": 17, "dynamo": 18}
NEWER = {"timm_volo": 18}  # Col2Im
# The first of the architectures, in the order of architectures.txt, whose constants take few values; AIMET's all do.
FIRST_WITH_FEW = "hf_qwen3_moe"
# The seed of the inputs that models are run with: none of the calibration.
RUN_SEED = 4711


class Samples(CalibrationDataReader):
    def __init__(self, names: list[str], samples: list[registry.Tensors]):
        self._feeds = iter([feeds(names, sample) for sample in samples])

    def get_next(self):
        return next(self._feeds, None)


@dataclass(frozen=True)
class OnnxRuntime:
    """ONNX Runtime's own configuration for the QNN provider."""

    activation_type: QuantType
    weight_type: QuantType = QuantType.QUInt8
    per_channel: bool = False

    def quantize(self, prepared: Path, path: Path, names: list[str], samples: list[registry.Tensors]) -> None:
        quantize(prepared, path, get_qnn_qdq_config(prepared, Samples(names, samples), **vars(self)))


@dataclass(frozen=True)
class Aimet:
    """AIMET's simulation with its configuration for HTP v73: weights of convolutions and products per channel."""

    activation_type: str

    def quantize(self, prepared: Path, path: Path, names: list[str], samples: list[registry.Tensors]) -> None:
        import aimet_onnx

        model = onnx.load(prepared)
        aimet_onnx.utils.duplicate_shared_initializers(model.graph)  # AIMET asks for it
        sim = aimet_onnx.QuantizationSimModel(model, param_type="int8", activation_type=self.activation_type,
                                              config_file="htp_v73", providers=["CPUExecutionProvider"])
        sim.compute_encodings([feeds(names, sample) for sample in samples])
        quantized = sim.to_onnx_qdq(export_int32_bias=True, prequantize_constants=True)
        cleaned(quantized)
        onnx.save(quantized, path)


FORMS: dict[str, dict[str, OnnxRuntime | Aimet]] = {
    "onnxruntime": {"8a8w": OnnxRuntime(QuantType.QUInt8),
                    "8a8w_per_channel": OnnxRuntime(QuantType.QUInt8, QuantType.QInt8, per_channel=True),
                    "16a8w": OnnxRuntime(QuantType.QUInt16)},
    "aimet": {"8a8w_per_channel": Aimet("int8"), "16a8w": Aimet("int16")},
}


def feeds(names: list[str], given: registry.Tensors) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in zip(names, given)}


def few(name: str, quantizer: str) -> dict[str, int]:
    lines = (Path(__file__).parent / "architectures.txt").read_text().splitlines()
    names = [line.split()[0] for line in lines if line]
    return FEW if quantizer == "aimet" or names.index(name) >= names.index(FIRST_WITH_FEW) else {}


def export(net: torch.nn.Module, given: registry.Tensors, exporter: str, opset: int, path: Path, **values: int) -> None:
    names = [f"input_{i}" for i in range(len(given))]
    if exporter == "dynamo":
        torch.onnx.export(net, given, path, dynamo=True, input_names=names, external_data=False,
                          opset_version=opset, verbose=False)
    else:
        torch.onnx.export(net, given, path, dynamo=False, input_names=names,
                          opset_version=opset, do_constant_folding=True)
    model = onnx.load(path)
    cleaned(model)
    coarse(model, **values)
    onnx.save(model, path)


def cleaned(model: onnx.ModelProto) -> None:
    """Takes out what tells of this machine and of the libraries' code: stack traces, paths."""
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.initializer,
                 *model.graph.input, *model.graph.output, *model.functions):
        if hasattr(part, "metadata_props"):
            del part.metadata_props[:]
        part.ClearField("doc_string")


def generate(name: str, exporter: str, quantizer: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    net, given = registry.make(name)
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        exported, prepared = Path(scratch) / "exported.onnx", folder / "float.onnx"
        export(net, given, exporter, NEWER.get(name, OPSET[exporter]), exported, **few(name, quantizer))
        if not qnn_preprocess_model(exported, prepared):
            prepared.write_bytes(exported.read_bytes())
        # An input that the network doesn't need is no input of the file.
        names = [i.name for i in onnx.load(prepared, load_external_data=False).graph.input]
        used = tuple(t for i, t in enumerate(given) if f"input_{i}" in names)
        np.savez(folder / "inputs.npz", **feeds(names, registry.sample(used, RUN_SEED)))
        for form, how in FORMS[quantizer].items():
            samples = [used] + [registry.sample(used, seed) for seed in range(1, CALIBRATION)]
            how.quantize(prepared, folder / f"{form}.onnx", names, samples)
    (folder / "made.json").write_text(json.dumps({"name": name, "exporter": exporter, "forms": list(FORMS[quantizer])}) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--exporter", choices=EXPORTERS, default=EXPORTERS[0])
    parser.add_argument("--quantizer", choices=FORMS, default="onnxruntime")
    arguments = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    generate(arguments.name, arguments.exporter, arguments.quantizer, arguments.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
