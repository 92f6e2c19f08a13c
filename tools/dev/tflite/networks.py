"""Whole TFLite networks of well-known shapes, quantized to 8 bits: what of each stays on the CPU?

networks.py ask FILE --vela 5.2=PYTHON …     under a Python with ai-edge-litert
networks.py compare FILE --cli quantgate

The file has, for each version and chip, the results that Vela left to the CPU, by network.
"""
from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.quantgate.python.oracles.children import Child  # noqa: E402

Json = dict[str, Any]
ARCHS = ("u55", "u65", "u85")


class Net:
    """A network, layer by layer; each returns the name of its result."""

    def __init__(self, name: str, dims: list[int], dtype: str = "SFIXED_POINT_8") -> None:
        self.dtype, self.count = dtype, 0
        self.model: Json = {"name": name, "dialect": "tflite", "tensors": [], "nodes": []}
        self.dims: dict[str, list[int]] = {}
        self.input = self.tensor("input", dims)

    def tensor(self, name: str, dims: list[int], like: str | None = None, **more: Any) -> str:
        self.count += 1
        encodings = {tensor["name"]: tensor.get("encoding") for tensor in self.model["tensors"]}
        zero = self.count % 50 - 25 if self.dtype.endswith("_8") else 0
        fresh = {"perTensor": {"scale": round(0.02 + 0.001 * (self.count % 17), 6), "zeroPoint": zero}}
        self.model["tensors"].append({"name": name, "dtype": self.dtype, "dims": dims,
                                      "encoding": encodings[like] if like else fresh, **more})
        self.dims[name] = dims
        return name

    def constant(self, values: list[int], dims: list[int] | None = None) -> str:
        name = f"constant_{len(self.model['tensors'])}"
        self.model["tensors"].append({"name": name, "dtype": "INT_32", "dims": [len(values)] if dims is None else dims,
                                      "isStatic": True, "values": values})
        return name

    def node(self, op: str, inputs: list[str], dims: list[int], like: str | None = None, **params: int | float) -> str:
        out = self.tensor(f"{op.lower()}_{len(self.model['nodes'])}", dims, like)
        written = {name: {"real": value} if isinstance(value, float) else {"int": value} for name, value in params.items()}
        self.model["nodes"].append({"op": op, "inputs": inputs, "outputs": [out], "params": written})
        return out

    def weights(self, dims: list[int], axis: int, bias: int) -> list[str]:
        count = dims[axis]
        scales = [round(0.005 + 0.0003 * (i % 11), 6) for i in range(count)]
        name = f"weights_{len(self.model['tensors'])}"
        self.model["tensors"].append({"name": name, "dtype": "SFIXED_POINT_8", "dims": dims, "isStatic": True,
                                      "encoding": {"perChannel": {"axis": axis, "scales": scales, "zeroPoints": [0] * count}}})
        wide = "INT_64" if self.dtype == "SFIXED_POINT_16" else "SFIXED_POINT_32"
        encoding = {"perChannel": {"axis": 0, "scales": [scale * 0.02 for scale in scales], "zeroPoints": [0] * count}}
        self.model["tensors"].append({"name": f"{name}/bias", "dtype": wide, "dims": [bias], "isStatic": True,
                                      "encoding": encoding})
        return [name, f"{name}/bias"]

    def conv(self, x: str, channels: int, kernel: int = 3, stride: int = 1, dilation: int = 1, act: int = 1) -> str:
        n, h, w, c = self.dims[x]
        return self.node("CONV_2D", [x, *self.weights([channels, kernel, kernel, c], 0, channels)],
                         [n, -(-h // stride), -(-w // stride), channels], stride_h=stride, stride_w=stride, padding=0,
                         dilation_h_factor=dilation, dilation_w_factor=dilation, fused_activation_function=act)

    def depthwise(self, x: str, kernel: int = 3, stride: int = 1) -> str:
        n, h, w, c = self.dims[x]
        return self.node("DEPTHWISE_CONV_2D", [x, *self.weights([1, kernel, kernel, c], 3, c)],
                         [n, -(-h // stride), -(-w // stride), c], stride_h=stride, stride_w=stride, padding=0,
                         depth_multiplier=1, fused_activation_function=3)

    def up(self, x: str, channels: int) -> str:
        n, h, w, c = self.dims[x]
        shape = [n, 2 * h, 2 * w, channels]
        weights, bias = self.weights([channels, 2, 2, c], 0, channels)
        return self.node("TRANSPOSE_CONV", [self.constant(shape), weights, x, bias], shape, stride_h=2, stride_w=2, padding=0)

    def resize(self, x: str, factor: int) -> str:
        n, h, w, c = self.dims[x]
        return self.node("RESIZE_BILINEAR", [x, self.constant([factor * h, factor * w])], [n, factor * h, factor * w, c], x,
                         half_pixel_centers=1)

    def pool(self, x: str, op: str = "MAX_POOL_2D", kernel: int = 2, stride: int = 2) -> str:
        n, h, w, c = self.dims[x]
        return self.node(op, [x], [n, -(-h // stride), -(-w // stride), c], x, stride_h=stride, stride_w=stride, padding=0,
                         filter_height=kernel, filter_width=kernel)

    def both(self, op: str, a: str, b: str) -> str:
        return self.node(op, [a, b], self.dims[a])

    def join(self, *parts: str) -> str:
        dims = list(self.dims[parts[0]])
        dims[-1] = sum(self.dims[part][-1] for part in parts)
        return self.node("CONCATENATION", list(parts), dims, axis=len(dims) - 1)

    def unary(self, op: str, x: str, **params: float) -> str:
        return self.node(op, [x], self.dims[x], **params)

    def dense(self, x: str, count: int, act: int = 0) -> str:
        *batch, width = self.dims[x]
        return self.node("FULLY_CONNECTED", [x, *self.weights([count, width], 0, count)], [*batch, count],
                         keep_num_dims=int(len(batch) > 1), fused_activation_function=act)

    def head(self, x: str, classes: int) -> Json:
        n, _, _, c = self.dims[x]
        mean = self.node("MEAN", [x, self.constant([1, 2])], [n, c])
        self.unary("SOFTMAX", self.dense(mean, classes), beta=1.0)
        return self.model


def mobilenet_v1(width: int, dtype: str) -> Json:
    net = Net("mobilenet_v1", [1, 96, 96, 3], dtype)
    x = net.conv(net.input, width, 3, 2)
    for channels, stride in ((2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2)):
        x = net.conv(net.depthwise(x, 3, stride), width * channels, 1)
    return net.head(x, 10)


def mobilenet_v2(width: int, dtype: str) -> Json:
    net = Net("mobilenet_v2", [1, 64, 64, 3], dtype)
    x = net.conv(net.input, width, 3, 2)
    for channels, stride in ((width, 1), (2 * width, 2), (2 * width, 1), (4 * width, 2), (4 * width, 1)):
        y = net.conv(net.depthwise(net.conv(x, 6 * net.dims[x][3], 1), 3, stride), channels, 1, act=0)
        x = net.both("ADD", x, y) if stride == 1 and net.dims[x][3] == channels else y
    return net.head(x, 10)


def mobilenet_v3(width: int, dtype: str) -> Json:
    net = Net("mobilenet_v3", [1, 64, 64, 3], dtype)
    x = net.unary("HARD_SWISH", net.conv(net.input, width, 3, 2, act=0))
    for stride in (2, 1, 2):
        y = net.unary("HARD_SWISH", net.depthwise(x, 5, stride))
        n, h, w, c = net.dims[y]
        gate = net.node("MEAN", [y, net.constant([1, 2])], [n, 1, 1, c], keep_dims=1)
        gate = net.unary("LOGISTIC", net.conv(net.conv(gate, c // 4, 1), c, 1, act=0))
        x = net.conv(net.node("MUL", [y, gate], [n, h, w, c]), 2 * c, 1, act=0)
    return net.head(x, 10)


def resnet(width: int, dtype: str) -> Json:
    net = Net("resnet", [1, 32, 32, 3], dtype)
    x = net.conv(net.input, width)
    for channels, stride in ((width, 1), (2 * width, 2), (4 * width, 2)):
        short = x if stride == 1 else net.conv(x, channels, 1, stride, act=0)
        x = net.both("ADD", net.conv(net.conv(x, channels, 3, stride), channels, act=0), short)
        x = net.unary("RELU", x)
    return net.head(x, 10)


def unet(width: int, dtype: str) -> Json:
    net = Net("unet", [1, 64, 64, 3], dtype)
    a = net.conv(net.input, width)
    b = net.conv(net.pool(a), 2 * width)
    c = net.conv(net.pool(b), 4 * width)
    x = net.conv(net.join(net.up(c, 2 * width), b), 2 * width)
    x = net.conv(net.join(net.up(x, width), a), width)
    net.unary("LOGISTIC", net.conv(x, 1, 1, act=0))
    return net.model


def deeplab(width: int, dtype: str) -> Json:
    net = Net("deeplab", [1, 64, 64, 3], dtype)
    x = net.conv(net.conv(net.input, width, 3, 2), 2 * width, 3, 2)
    x = net.join(*(net.conv(x, width, 3, 1, rate) for rate in (1, 2, 4)), net.conv(x, width, 1))
    x = net.resize(net.resize(net.conv(x, 8, 1, act=0), 2), 4)
    n, h, w, _ = net.dims[x]
    net.model["tensors"].append({"name": "classes", "dtype": "INT_32", "dims": [n, h, w]})
    net.model["nodes"].append({"op": "ARG_MAX", "inputs": [x, net.constant([3], [])], "outputs": ["classes"],
                               "params": {"output_type": {"int": 2}}})
    return net.model


def inception(width: int, dtype: str) -> Json:
    net = Net("inception", [1, 56, 56, 3], dtype)
    x = net.pool(net.conv(net.input, width, 7, 2), kernel=3)
    for _ in range(2):
        x = net.join(net.conv(x, width, 1), net.conv(net.conv(x, width, 1), width), net.conv(net.conv(x, width, 1), width, 5),
                     net.conv(net.pool(x, kernel=3, stride=1), width, 1))
    return net.head(net.pool(x, "AVERAGE_POOL_2D", 3, 2), 10)


def autoencoder(width: int, dtype: str) -> Json:
    net = Net("autoencoder", [1, 640], dtype)
    x = net.input
    for count in (8 * width, 8 * width, 8, 8 * width, 8 * width):
        x = net.dense(x, count, 1)
    net.dense(x, 640)
    return net.model


def prelu_faces(width: int, dtype: str) -> Json:
    net = Net("prelu_faces", [1, 48, 48, 3], dtype)
    x = net.input
    for i in range(3):
        x = net.conv(x, width << i, 3, 2, act=0)
        alpha = net.tensor(f"alpha_{i}", [1, 1, width << i], isStatic=True)
        x = net.node("PRELU", [x, alpha], net.dims[x])
    return net.head(x, 2)


def attention(width: int, dtype: str) -> Json:
    net = Net("attention", [1, 49, 4 * width], dtype)
    q, k, v = (net.dense(net.input, 4 * width) for _ in range(3))
    kt = net.node("TRANSPOSE", [k, net.constant([0, 2, 1])], [1, 4 * width, 49], k)
    scores = net.node("BATCH_MATMUL", [q, kt], [1, 49, 49])
    mixed = net.node("BATCH_MATMUL", [net.unary("SOFTMAX", scores, beta=1.0), v], [1, 49, 4 * width])
    x = net.both("ADD", net.dense(mixed, 4 * width), net.input)
    net.both("ADD", net.dense(net.unary("GELU", net.dense(x, 8 * width)), 4 * width), x)
    return net.model


FAMILIES: tuple[Callable[[int, str], Json], ...] = (mobilenet_v1, mobilenet_v2, mobilenet_v3, resnet, unet, deeplab, inception,
                                                    autoencoder, prelu_faces, attention)


def networks() -> dict[str, Json]:
    made = {}
    for family in FAMILIES:
        for width, dtype in ((8, "SFIXED_POINT_8"), (16, "SFIXED_POINT_16")):
            made[f"{family.__name__}_{width}_{'int8' if dtype[-1] == '8' else 'int16'}"] = family(width, dtype)
    return made


def ask(out: Path, pythons: dict[str, str]) -> None:
    from tools.dev.tflite.model_bytes import model_bytes

    record: Json = {}
    for sdk, python in pythons.items():
        with Child([python, str(ROOT / "tools/quantgate/python/oracles/vela_child.py")], 120) as child:
            for name, model in networks().items():
                data = base64.b64encode(model_bytes(model)).decode()
                for arch in ARCHS:
                    answer = child.query({"arch": arch, "model": data, "results": True})
                    record.setdefault(f"{sdk} {arch}", {})[name] = answer.get("cpu", answer.get("error"))
    out.write_text(json.dumps(record, indent=1) + "\n")


def compare(record: Json, cli: str, models: dict[str, Json] | None = None) -> dict[str, tuple[int, int, list[str]]]:
    """Per target: nodes with the same place, all nodes, and which differ."""
    made = models if models is not None else networks()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "networks.jsonl"
        path.write_text("".join(json.dumps(model) + "\n" for model in made.values()))
        for target, places in record.items():
            sdk, arch = target.split()
            done = subprocess.run([cli, "check", str(path), "--backend", "ethosu", "--arch", arch, "--sdk", sdk, "--format",
                                   "json"], capture_output=True, text=True, check=False)
            same, total, differ = 0, 0, []
            for (name, model), line in zip(made.items(), done.stdout.splitlines()):
                verdicts, cpu = [node["verdict"] for node in json.loads(line)["nodes"]], places[name]
                total += len(verdicts)
                # A network is lost as a whole, by whichever of its nodes.
                is_lost = "prepare_fails" in verdicts
                if is_lost or isinstance(cpu, str):
                    same += len(verdicts) if is_lost and isinstance(cpu, str) else 0
                    if is_lost != isinstance(cpu, str):
                        differ.append(f"{name}: {cpu if isinstance(cpu, str) else 'compiles'}")
                    continue
                for node, verdict in zip(model["nodes"], verdicts):
                    wanted, found_cpu = node["outputs"][0] in cpu, verdict == "rejected"
                    same += found_cpu == wanted
                    if found_cpu != wanted:
                        differ.append(f"{name} {node['outputs'][0]}: {'CPU' if wanted else 'NPU'}")
            found[target] = (same, total, differ)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("ask", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--vela", nargs="+", default=[], metavar="VERSION=PYTHON")
    parser.add_argument("--cli", default="quantgate")
    arguments = parser.parse_args()
    if arguments.verb == "ask":
        ask(arguments.file, dict(each.split("=", 1) for each in arguments.vela))
        return
    for target, (same, total, differ) in compare(json.loads(arguments.file.read_text()), arguments.cli).items():
        print(f"{target}: {same} of {total} nodes, {100 * same / total:.1f} %", *differ[:12], sep="\n  ")


if __name__ == "__main__":
    main()
