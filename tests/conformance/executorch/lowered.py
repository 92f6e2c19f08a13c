"""What ExecuTorch hands to the backend of small quantized graphs, against `check --as-run`.

    lowered.py --record      asks executorch and the backend's libraries, writes lowered/ (minutes)
    lowered.py [--cli build/bin/quantgate] [--list]     recorded answers, standard library only

A graph is recorded as Model JSON (what quantgate reads) and as what its partitioner and lowering
made of it: the QNN ops that the backend compiled, the operators left to the CPU, the number of
delegated partitions. Counted: nodes delegated or left, partitions, QNN ops, inserted Converts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RECORD = HERE / "lowered.json"
SOCS = {"v68": "SM8350", "v73": "SM8550"}
# Put around by the lowering: at the ends of the graph, for the layout, for the rank of an op's input.
BOOKKEEPING = ("Quantize", "Dequantize", "Transpose", "Reshape")
APART = "apart_"  # the beginning of their names
ON_NPU = ("npu_quantized", "npu_float", "npu_integer")


def graphs():
    """{name: (module, inputs)}"""
    import torch
    from torch import nn

    def function(call):
        class Module(nn.Module):
            def forward(self, *inputs):
                return call(*inputs)
        return Module()

    torch.manual_seed(7)
    image, flat, tokens = torch.randn(1, 8, 12, 12), torch.randn(4, 32), torch.randn(1, 16, 32)
    f = torch.nn.functional

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

        def forward(self, x):
            q, k, v = (t.reshape(1, 16, 4, 8).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
            p = torch.softmax(q @ k.transpose(-2, -1) * 0.35, -1)
            return self.out((p @ v).transpose(1, 2).reshape(1, 16, 32))

    class Swiglu(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Linear(32, 64), nn.Linear(32, 64), nn.Linear(64, 32)

        def forward(self, x):
            return self.c(f.silu(self.a(x)) * self.b(x))

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)

        def forward(self, x):
            return torch.relu(self.b(torch.relu(self.a(x))) + x)

    return {
        "conv": (nn.Conv2d(8, 16, 3), (image,)),
        "conv_relu": (nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU()), (image,)),
        "conv_hardtanh": (nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU6()), (image,)),
        "conv_sigmoid": (nn.Sequential(nn.Conv2d(8, 16, 3), nn.Sigmoid()), (image,)),
        "depthwise": (nn.Conv2d(8, 8, 3, groups=8), (image,)),
        "conv_transpose": (nn.ConvTranspose2d(8, 8, 2, stride=2), (image,)),
        "batch_norm": (nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)).eval(), (image,)),
        "linear": (nn.Linear(32, 8), (flat,)),
        "mlp": (nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 8)), (tokens,)),
        "matmul": (function(torch.matmul), (tokens, torch.randn(1, 32, 8))),
        "bmm": (function(torch.bmm), (tokens, torch.randn(1, 32, 8))),
        "attention": (Attention(), (tokens,)),
        "swiglu": (Swiglu(), (tokens,)),
        "residual": (Residual(), (image,)),
        "softmax": (nn.Softmax(-1), (tokens,)),
        "log_softmax": (nn.LogSoftmax(-1), (tokens,)),
        "layer_norm": (nn.LayerNorm(32), (tokens,)),
        "rms_norm": (nn.RMSNorm(32, eps=1e-5), (tokens,)),
        "group_norm": (nn.GroupNorm(2, 8), (image,)),
        "sigmoid": (nn.Sigmoid(), (flat,)),
        "tanh": (nn.Tanh(), (flat,)),
        "hardswish": (nn.Hardswish(), (image,)),
        "hardsigmoid": (nn.Hardsigmoid(), (image,)),
        "leaky_relu": (nn.LeakyReLU(0.1), (image,)),
        "prelu": (nn.PReLU(), (image,)),
        "elu": (nn.ELU(), (image,)),
        "erf": (function(torch.erf), (flat,)),
        "add": (function(torch.add), (flat, flat * 3)),
        "add_one": (function(lambda x: x + 1.5), (flat,)),
        "mul_broadcast": (function(torch.mul), (image, torch.randn(1, 8, 1, 1))),
        "div": (function(torch.div), (flat, flat.abs() + 1)),
        "cat": (function(lambda x, y: torch.cat([x, y], 1)), (image, image * 4)),
        "cat_conv": (nn.Sequential(nn.Conv2d(8, 8, 1), function(lambda x: torch.cat([x, x * 2], 1))), (image,)),
        "reshape": (function(lambda x: x.reshape(1, 64, 18)), (image,)),
        "permute": (function(lambda x: x.permute(0, 2, 3, 1)), (image,)),
        "conv_permute": (nn.Sequential(nn.Conv2d(8, 8, 1), function(lambda x: x.permute(0, 2, 3, 1))), (image,)),
        "slice": (function(lambda x: x[:, 2:6]), (image,)),
        "pad": (function(lambda x: f.pad(x, (1, 1, 1, 1))), (image,)),
        "max_pool": (nn.MaxPool2d(2), (image,)),
        "avg_pool": (nn.AvgPool2d(2), (image,)),
        "adaptive_pool": (nn.AdaptiveAvgPool2d(1), (image,)),
        "mean": (function(lambda x: x.mean((2, 3))), (image,)),
        "nearest": (nn.Upsample(scale_factor=2), (image,)),
        "bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), (image,)),
        "pixel_shuffle": (nn.PixelShuffle(2), (image,)),
        "topk": (function(lambda x: torch.topk(x, 3)[0]), (flat,)),
        "cumsum": (function(lambda x: torch.cumsum(x, 1)), (flat,)),
        "clamp": (function(lambda x: x.clamp(-1, 1)), (flat,)),
        "linalg_inv": (function(lambda x: torch.relu(torch.linalg.det(x)[:, None] + x[0])), (torch.randn(2, 4, 4),)),
        "flip": (function(lambda x: x.flip(1)), (flat,)),
        "conv_flip": (nn.Sequential(nn.Conv2d(8, 8, 1), function(lambda x: x.flip(3))), (image,)),
        "scatter_value": (function(lambda x, i: x.scatter(1, i, 0.5)), (flat, torch.tensor([[0, 1], [2, 3]]))),
        "slice_scatter": (function(lambda x, y: x.slice_scatter(y, 1, 2, 10, 2)), (flat, torch.randn(4, 4))),
        "select_scatter": (function(lambda x, y: x.select_scatter(y, 1, 3)), (flat, torch.randn(4))),
        "any": (function(lambda x: torch.where((x > 0.5).any(), x, -x)), (flat,)),
        "any_dim": (function(lambda x: torch.where((x > 0.5).any(1, keepdim=True), x, -x)), (flat,)),
        "all_dim": (function(lambda x, y: torch.where((x > y).all(1, keepdim=True), x, y)), (flat, flat.flip(0))),
        **taken_apart(function, image, flat),
    }


def taken_apart(function, image, flat):
    """What ExecuTorch takes apart into ops of which one has no builder: only what is left is compared."""
    import torch

    f, other, whole, matrix = torch.nn.functional, flat.flip(0), torch.arange(32), torch.randn(8, 8)
    graphs = {
        "bicubic_aa": (lambda x: f.interpolate(x, size=(6, 6), mode="bicubic", antialias=True), image),
        "bilinear_aa": (lambda x: f.interpolate(x, size=(6, 6), mode="bilinear", antialias=True), image),
        "and_scalar": (lambda x, i: x * (i & 3), flat, whole),
        "bitwise_and_scalar": (lambda x, i: x * torch.bitwise_and(i, 3), flat, whole),
        "lshift": (lambda x, i: x * (i << 1), flat, whole),
        "rshift": (lambda x, i: x * (i >> 1), flat, whole),
        "celu": (f.celu, flat),
        "clamp_tensor": (lambda x, y: torch.clamp(x, min=y), flat, other),
        "copysign": (torch.copysign, flat, other),
        "diagonal_scatter": (torch.diagonal_scatter, matrix, matrix[0]),
        "exp2": (torch.exp2, flat),
        "fmax": (torch.fmax, flat, other),
        "fmin": (torch.fmin, flat, other),
        "hardshrink": (f.hardshrink, flat),
        "hypot": (torch.hypot, flat, other),
        "isfinite": (lambda x: torch.where(torch.isfinite(x), x, -x), flat),
        "lerp": (lambda x, y: torch.lerp(x, y, 0.3), flat, other),
        "logaddexp": (torch.logaddexp, flat, other),
        "logit": (torch.logit, flat.sigmoid()),
        "logsumexp": (lambda x: torch.logsumexp(x, 1), flat),
        "mish": (f.mish, flat),
        "nan_to_num": (torch.nan_to_num, flat),
        "one_hot": (lambda x, i: x @ f.one_hot(i, 32).float().t(), flat, whole[:8]),
        "sinc": (torch.sinc, flat),
        "softshrink": (f.softshrink, flat),
        "std": (torch.std, flat),
        "std_dim": (lambda x: torch.std(x, 1), flat),
        "std_correction": (lambda x: torch.std(x, dim=1, correction=0), flat),
        "tril": (torch.tril, flat),
        "unfold": (lambda x: x.unfold(1, 4, 2), flat),
        "var_mean": (lambda x: torch.var_mean(x)[0], flat),
        "var_mean_dim": (lambda x: torch.var_mean(x, 1)[0], flat),
        "var_mean_correction": (lambda x: torch.var_mean(x, dim=1, correction=0)[0], flat),
        "xlogy": (torch.xlogy, flat.abs(), other.abs() + 1),
    }
    return {f"{APART}{name}": (function(call), tuple(inputs)) for name, (call, *inputs) in graphs.items()}


def without_folders(location: str) -> str:
    """A place of the source as any machine would tell it."""
    return location.rpartition("/site-packages/")[2].removeprefix(f"{ROOT}/")


def record() -> None:
    import logging
    import warnings

    from own_models import with_libraries

    with_libraries()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    import quantgate.torch
    import torch
    import executorch.backends.qualcomm.python.PyQnnManagerAdaptor as adaptor
    from executorch.backends.qualcomm import qnn_preprocess
    from executorch.backends.qualcomm.quantizer.quantizer import QnnQuantizer, QuantDtype
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from executorch.backends.qualcomm.utils.utils import (
        generate_htp_compiler_spec,
        generate_qnn_executorch_compiler_spec,
        to_edge_transform_and_lower_to_qnn,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    handed: list[str] = []
    build, make = qnn_preprocess.QnnBackend._build_op_wrappers, adaptor.PyQnnOpWrapper

    def noted(name, package, op):
        handed.append(op)
        return make(name, package, op)

    def watched(*arguments, **keywords):
        adaptor.PyQnnOpWrapper = noted
        try:
            return build(*arguments, **keywords)
        finally:
            adaptor.PyQnnOpWrapper = make

    qnn_preprocess.QnnBackend._build_op_wrappers = staticmethod(watched)
    answers = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name, (module, inputs) in graphs().items():
        for precision in ("use_8a8w", "use_16a8w"):
            for arch, soc in SOCS.items():
                key = f"{name}.{precision[4:]}.{arch}"
                if key in answers:
                    continue
                handed.clear()
                chip = getattr(QcomChipset, soc)
                answer: dict = {}
                try:
                    graph = torch.export.export(module.eval(), inputs, strict=True).module()
                    quantizer = QnnQuantizer(soc_model=chip)
                    quantizer.set_default_quant_config(getattr(QuantDtype, precision))
                    prepared = prepare_pt2e(graph, quantizer)
                    prepared(*inputs)
                    converted = convert_pt2e(prepared)
                    answer["model"] = json.loads(quantgate.torch.read(converted, name=key).to_json())
                    for node in answer["model"]["nodes"]:
                        if "location" in node:
                            node["location"] = without_folders(node["location"])
                    specs = generate_qnn_executorch_compiler_spec(
                        soc_model=chip, backend_options=generate_htp_compiler_spec(use_fp16=False))
                    program = to_edge_transform_and_lower_to_qnn(converted, inputs, specs).exported_program()
                    called = [n for n in program.graph.nodes if n.op == "call_function"]
                    answer["partitions"] = sum("executorch_call_delegate" in str(n.target) for n in called)
                    answer["cpu"] = sorted(str(n.target.__name__) for n in called
                                           if not any(s in str(n.target) for s in ("delegate", "getitem", "quantize")))
                    answer["ops"] = dict(sorted(Counter(handed).items()))
                except Exception as error:
                    answer["error"] = f"{type(error).__name__}: {str(error)[:160]}"
                answers[key] = answer
                print(key, {k: v for k, v in answer.items() if k != "model"}, flush=True)
                RECORD.write_text(json.dumps(answers) + "\n")


def compare(answers: dict, cli: Path, reported: bool) -> Counter:
    seen: Counter = Counter()

    def count(what: str, key: str, agrees: bool, detail: str) -> None:
        seen[f"{what}_{'ok' if agrees else 'wrong'}"] += 1
        if reported and not agrees:
            print(f"{what}: {key} {detail}")

    for arch, soc in SOCS.items():
        asked = {k: a for k, a in answers.items() if k.endswith(arch) and "ops" in a}
        lines = "\n".join(json.dumps(a["model"]) for a in asked.values())
        out = subprocess.run([str(cli), "check", "-", "--input-format", "jsonl", "--route", "executorch", "--sdk",
                              "2.49", "--soc", soc, "--mode", "warn", "--as-run", "--format", "json"],
                             input=lines, capture_output=True, text=True, timeout=120)
        if out.returncode != 0:
            sys.exit(f"error: quantgate check: exit status {out.returncode}\n{out.stderr}")
        for (key, answer), line in zip(asked.items(), out.stdout.splitlines(), strict=True):
            run = json.loads(line)["asRun"]
            left = sum(n["placement"] == "cpu" for n in run["nodes"])
            count("left", key, (left > 0) == (len(answer["cpu"]) > 0), f"{left}, seen {answer['cpu']}")
            if key.startswith(APART):
                continue
            count("partitions", key, len(run["partitions"]) == answer["partitions"],
                  f"{len(run['partitions'])}, seen {answer['partitions']}")
            ops = Counter(op for n in run["nodes"] if n["placement"] in ON_NPU for op in n["ops"])
            seen_ops = Counter(answer["ops"])
            for op in BOOKKEEPING:
                ops.pop(op, None)
            computing = Counter({op: n for op, n in seen_ops.items() if op not in BOOKKEEPING})
            count("ops", key, ops == computing, f"{dict(ops)}, seen {dict(computing)}")
            count("converts", key, ops["Convert"] == seen_ops["Convert"],
                  f"{ops['Convert']}, seen {seen_ops['Convert']}")
    return seen


def parsed(doc: str) -> argparse.Namespace:
    """What a comparison of recorded answers is started with."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "bin" / "quantgate")
    parser.add_argument("--list", action="store_true", help="name every disagreement")
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


def main() -> int:
    arguments = parsed(__doc__)
    if arguments.record:
        record()
    answers = json.loads(RECORD.read_text())
    seen = compare(answers, arguments.cli.resolve(), arguments.list)
    for what in ("left", "partitions", "ops", "converts"):
        print(f"{what:10} {seen[what + '_ok']} of {seen[what + '_ok'] + seen[what + '_wrong']}")
    failed = sorted(key for key, a in answers.items() if "error" in a)
    print(f"lowering fails: {len(failed)}: {', '.join(failed)}")
    return 1 if any(count for what, count in seen.items() if what.endswith("_wrong")) else 0


if __name__ == "__main__":
    sys.exit(main())
