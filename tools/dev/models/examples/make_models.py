#!/usr/bin/env python3
"""Makes the models of docs/examples and of the conformance test, or, with --full-width, large ones.

PyTorch / transformers architecture with seeded random weights -> torch.onnx.export -> ONNX
Runtime's own QNN configuration (preprocess, get_qnn_qdq_config, quantize), calibrated with seeded
random inputs. Shapes are inferred and kept in the file. Needs tools/dev/models/examples/requirements.txt.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize
from onnxruntime.quantization.execution_providers.qnn import (get_qnn_qdq_config,
                                                              qnn_preprocess_model)

import attributes
import cases
import nets
import planted

ROOT = Path(__file__).resolve().parents[4]
CASES = ROOT / "tests" / "conformance" / "ort" / "models"
SEED = 20250
OPSET = 18
CALIBRATION_RUNS = 4

# Per-channel weights have to be symmetric on the NPU, so they are signed (ONNX Runtime's rule).
FORMS = {
    "8a8w": dict(activation_type=QuantType.QUInt8, weight_type=QuantType.QUInt8),
    "8a8w_per_channel": dict(activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                             per_channel=True),
    "16a8w": dict(activation_type=QuantType.QUInt16, weight_type=QuantType.QUInt8),
}
# What docs/examples holds. Full width makes every net in the two plain forms.
EXAMPLES = [
    ("mobilenetv2", "8a8w"), ("mobilenetv2", "16a8w"),
    ("resnet18", "8a8w_per_channel"), ("resnet18", "16a8w"),
    ("dinov2_with_registers", "8a8w"), ("dinov2_with_registers", "16a8w"),
    ("bert", "8a8w"), ("bert", "16a8w"),
    ("llama_block", "8a8w"), ("llama_block", "16a8w"),
]


class RandomInputs(CalibrationDataReader):
    """Seeded inputs of the kind of the example inputs: token ids, masks of ones, images, states."""

    def __init__(self, names: list[str], examples: tuple[torch.Tensor, ...]):
        rng = np.random.default_rng(SEED)
        self._feeds = []
        for _ in range(CALIBRATION_RUNS):
            feed = {}
            for name, example in zip(names, examples):
                x = example.numpy()
                if not np.issubdtype(x.dtype, np.floating):
                    low, high = int(x.min()), int(x.max()) + 1
                    feed[name] = rng.integers(low, high, x.shape, dtype=x.dtype)
                elif x.min() >= 0:
                    feed[name] = rng.random(x.shape, dtype=np.float32)
                else:
                    feed[name] = rng.standard_normal(x.shape, dtype=np.float32)
            self._feeds.append(feed)
        self._next = 0

    def get_next(self):
        if self._next == len(self._feeds):
            return None
        self._next += 1
        return self._feeds[self._next - 1]


def export(name: str, full: bool, path: Path):
    """Writes the float model and returns what it is called with."""
    torch.manual_seed(SEED)
    model, inputs, names = nets.NETS[name](full)
    with torch.no_grad():
        program = torch.onnx.export(model, inputs, input_names=names, output_names=["output"],
                                    opset_version=OPSET, dynamo=True, verbose=False,
                                    external_data=False)
        program.save(str(path))
    return names, inputs


def strip(model: onnx.ModelProto) -> None:
    """Drops what the exporter says about its own run (stack traces, file names), keeps the graph."""
    model.doc_string = ""
    model.producer_version = ""
    del model.metadata_props[:]
    graph = model.graph
    graph.doc_string = ""
    del graph.metadata_props[:]
    for item in (*graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        item.doc_string = ""
        del item.metadata_props[:]


def infer_shapes(model: onnx.ModelProto) -> onnx.ModelProto:
    """Shapes of every tensor. ONNX knows none of ONNX Runtime's own Q/DQ ops (domain
    com.microsoft, used for 16 bits below opset 21), so they pass for standard ones meanwhile."""
    contrib = [i for i, n in enumerate(model.graph.node)
               if n.domain == "com.microsoft" and n.op_type in ("QuantizeLinear", "DequantizeLinear")]
    for i in contrib:
        model.graph.node[i].domain = ""
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    for i in contrib:
        model.graph.node[i].domain = "com.microsoft"
    return model


def quantize_form(float_path: Path, names, inputs, form: str, out: Path) -> None:
    with tempfile.TemporaryDirectory() as tmp:
        prepared = Path(tmp) / "prepared.onnx"
        source = prepared if qnn_preprocess_model(float_path, prepared) else float_path
        config = get_qnn_qdq_config(source, RandomInputs(names, inputs), **FORMS[form])
        quantized = Path(tmp) / "quantized.onnx"
        quantize(source, quantized, config)
        model = infer_shapes(onnx.load(quantized))
    strip(model)
    model.graph.name = out.stem
    onnx.save(model, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "examples")
    parser.add_argument("--full-width", type=Path, metavar="DIR",
                        help="write published sizes into DIR instead, in 8a8w and 16a8w")
    parser.add_argument("--only", nargs="*", metavar="NAME", help=f"of {' '.join(nets.NETS)}")
    args = parser.parse_args()

    torch.set_num_threads(1)
    out = args.full_width or args.out
    out.mkdir(parents=True, exist_ok=True)
    wanted = EXAMPLES
    if args.full_width:
        wanted = [(name, form) for name in nets.NETS for form in ("8a8w", "16a8w")]
    if args.only:
        wanted = [w for w in wanted if w[0] in args.only]
    with tempfile.TemporaryDirectory() as tmp:
        for name in dict.fromkeys(name for name, _ in wanted):
            float_path = Path(tmp) / f"{name}.onnx"
            names, inputs = export(name, bool(args.full_width), float_path)
            for form in (form for n, form in wanted if n == name):
                target = out / f"{name}_{form}.onnx"
                quantize_form(float_path, names, inputs, form, target)
                nodes = len(onnx.load(target, load_external_data=False).graph.node)
                print(f"{target}  {target.stat().st_size / 1024:.0f} KiB, {nodes} nodes", flush=True)
    if not args.full_width and not args.only:
        planted.write(out)
        print(out / "planted.onnx", out / "planted_qnn.json", sep="\n")
        for path in (*cases.write(CASES), *attributes.write(CASES)):
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
