"""The models that the tests of PyTorch and ExecuTorch share."""

from __future__ import annotations

from typing import Any

import torch


class Cnn(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.second = torch.nn.Conv2d(16, 16, 3, groups=16, padding=1)
        self.head = torch.nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x))
        x = torch.nn.functional.max_pool2d(x, 2, 2)
        x = torch.relu(self.second(x)) + x
        x = torch.nn.functional.adaptive_avg_pool2d(x, 1).flatten(1)
        return torch.softmax(self.head(x), -1)


class Block(torch.nn.Module):
    """A transformer block whose attention is written out."""

    def __init__(self, width: int = 32, heads: int = 4) -> None:
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

        def split(t: torch.Tensor) -> torch.Tensor:
            return t.view(batch, length, self.heads, -1).transpose(1, 2)

        q, k, v = split(self.q(y)), split(self.k(y)), split(self.v(y))
        scores = torch.softmax(torch.matmul(q, k.transpose(2, 3)), -1)
        mixed = torch.matmul(scores, v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.down(torch.relu(self.up(x)))


IMAGE = (torch.randn(1, 3, 32, 32),)
TOKENS = (torch.randn(1, 8, 32),)


def exported(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> torch.fx.GraphModule:
    return torch.export.export(module.eval(), inputs, strict=True).module()


def long_graph(nodes: int) -> torch.fx.GraphModule:
    """Copies of one exported block, chained."""
    block = exported(Block(64), (torch.randn(1, 16, 64),))
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


def left_by(program: Any) -> str:
    """What the lowering of a program left to the CPU; empty: the backend took all of it."""
    # An operator of the edge dialect says "<EdgeOpOverload: ...>" of itself.
    names = [getattr(node.target, "__name__", str(node.target))
             for node in program.exported_program().graph.nodes if node.op == "call_function"]
    left = sorted({name for name in names if name.startswith("aten")})
    if left:
        return f"{', '.join(left)} left to the CPU"
    return "" if any("delegate" in name for name in names) else "nothing delegated"
