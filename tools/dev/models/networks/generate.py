#!/usr/bin/env python3
"""Makes an architecture of the zoo as quantized ONNX models.

    generate.py NAME -o FOLDER [--exporter torchscript|dynamo] [--form FORM...]

PyTorch exports the network (either exporter); ONNX Runtime's own QNN path quantizes it: in each form
of FORMS, into FOLDER/FORM.onnx, beside float.onnx and the inputs for running them, inputs.npz. Other
ways of quantizing take `registry.make(NAME)` or float.onnx as their start and add a form.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize
from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

import registry
from coarse import FEW, coarse

EXPORTERS = ("torchscript", "dynamo")
FORMS: dict[str, dict] = {
    "8a8w": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QUInt8},
    "8a8w_per_channel": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "per_channel": True},
    "16a8w": {"activation_type": QuantType.QUInt16, "weight_type": QuantType.QUInt8},
}
CALIBRATION = 3  # samples
OPSET = {"torchscript": 17, "dynamo": 18}
NEWER = {"timm_volo": 18}  # Col2Im
# The first of the architectures, in the order of architectures.txt, whose constants take few values.
FIRST_WITH_FEW = "hf_qwen3_moe"
# The seed of the inputs that models are run with: none of the calibration.
RUN_SEED = 4711


class Samples(CalibrationDataReader):
    def __init__(self, names: list[str], samples: list[registry.Tensors]):
        self._feeds = iter([feeds(names, sample) for sample in samples])

    def get_next(self):
        return next(self._feeds, None)


def feeds(names: list[str], given: registry.Tensors) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in zip(names, given)}


def few(name: str) -> dict[str, int]:
    lines = (Path(__file__).parent / "architectures.txt").read_text().splitlines()
    names = [line.split()[0] for line in lines if line]
    return FEW if names.index(name) >= names.index(FIRST_WITH_FEW) else {}


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


def generate(name: str, exporter: str, forms: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    net, given = registry.make(name)
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        exported, prepared = Path(scratch) / "exported.onnx", folder / "float.onnx"
        export(net, given, exporter, NEWER.get(name, OPSET[exporter]), exported, **few(name))
        if not qnn_preprocess_model(exported, prepared):
            prepared.write_bytes(exported.read_bytes())
        # An input that the network doesn't need is no input of the file.
        names = [i.name for i in onnx.load(prepared, load_external_data=False).graph.input]
        used = tuple(t for i, t in enumerate(given) if f"input_{i}" in names)
        np.savez(folder / "inputs.npz", **feeds(names, registry.sample(used, RUN_SEED)))
        for form in forms:
            samples = [used] + [registry.sample(used, seed) for seed in range(1, CALIBRATION)]
            config = get_qnn_qdq_config(prepared, Samples(names, samples), **FORMS[form])
            quantize(prepared, folder / f"{form}.onnx", config)
    (folder / "made.json").write_text(json.dumps({"name": name, "exporter": exporter, "forms": forms}) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--exporter", choices=EXPORTERS, default=EXPORTERS[0])
    parser.add_argument("--form", nargs="+", choices=FORMS, default=list(FORMS))
    arguments = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    generate(arguments.name, arguments.exporter, arguments.form, arguments.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
