"""The same annotated graph validated by ExecuTorch's quantizer and by quantgate, in one process.

    speed.py [--nodes 12000] [--repeat 7] [--profile]

Blocks of a transformer, one behind the other, annotated by QnnQuantizer. Prints the best of the
repetitions, in processor time (other work on the machine doesn't count), for: the client's validation with quantgate's stand-in, quantgate's check as a whole
(reading the FX graph, checking, making the report), and its part in C++ alone.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch


class Block(torch.nn.Module):
    def __init__(self, width: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.LayerNorm(width)
        self.q, self.k, self.v, self.out, self.up, self.down = (
            torch.nn.Linear(a, b) for a, b in
            ((width, width), (width, width), (width, width), (width, width),
             (width, 4 * width), (4 * width, width)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        y = self.norm(x)
        q, k, v = (layer(y).view(batch, length, self.heads, -1).transpose(1, 2)
                   for layer in (self.q, self.k, self.v))
        scores = torch.softmax(torch.matmul(q, k.transpose(2, 3)), -1)
        mixed = torch.matmul(scores, v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.down(torch.relu(self.up(x)))


def long_graph(nodes: int) -> torch.fx.GraphModule:
    """Copies of one exported block, chained."""
    block = torch.export.export(Block().eval(), (torch.randn(1, 16, 64),), strict=True).module()
    graph = torch.fx.Graph()
    current: Any = None
    made = 0
    while made < nodes:
        environment: dict[Any, Any] = {}
        for node in block.graph.nodes:
            if node.op == "placeholder":
                if current is None:
                    current = graph.node_copy(node, lambda n: environment[n])
                environment[node] = current
            elif node.op == "output":
                found = node.args[0]
                current = environment[found[0] if isinstance(found, (tuple, list)) else found]
            elif node.op == "call_module":
                continue  # guards
            else:
                environment[node] = graph.node_copy(node, lambda n: environment[n])
                made += node.op == "call_function"
    graph.output((current,))
    return torch.fx.GraphModule(block, graph)


def best(repeat: int, function: Callable[[], Any]) -> float:
    times = []
    for _ in range(repeat):
        gc.collect()
        begin = time.thread_time()
        function()
        times.append(time.thread_time() - begin)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=12000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--profile", action="store_true", help="where the FX walk spends its time")
    arguments = parser.parse_args()
    os.environ.setdefault("QNN_SDK_ROOT", "")  # no library is asked here
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)

    import quantgate as qg
    import quantgate.executorch
    import quantgate.torch

    quantgate.executorch.install()
    from executorch.backends.qualcomm.export_utils import make_quantizer

    model = long_graph(arguments.nodes)
    quantizer = make_quantizer(soc_model="SM8550")
    quantizer.annotate(model)
    count = sum(node.op == "call_function" for node in model.graph.nodes)
    target = qg.Target(soc="SM8550")
    validator = qg.Validator(target, mode="warn", route="executorch")
    read = quantgate.torch.read(model)

    if arguments.profile:
        import cProfile
        import pstats

        with cProfile.Profile() as profile:
            quantgate.torch.read(model)
        pstats.Stats(profile).sort_stats("tottime").print_stats(15)

    client = best(arguments.repeat, lambda: quantizer.validate(model))
    whole = best(arguments.repeat, lambda: quantgate.torch.check(
        model, target=target, mode="warn", route="executorch").verdict)
    walk = best(arguments.repeat, lambda: quantgate.torch.read(model))
    core = best(arguments.repeat, lambda: validator.check(read).verdict)
    report = validator.check(read)

    print(f"{count} annotated nodes, best of {arguments.repeat}; verdict {report.verdict}")
    for name, seconds, of in (("ExecuTorch's validation", client, None),
                              ("quantgate, whole call", whole, client),
                              ("  reading the FX graph", walk, None),
                              ("  the part in C++", core, client)):
        ratio = f"{of / seconds:8.1f} times as fast" if of else ""
        print(f"{name:26} {seconds * 1e3:9.2f} ms {seconds / count * 1e6:8.3f} µs a node {ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
