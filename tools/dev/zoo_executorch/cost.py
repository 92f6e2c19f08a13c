#!/usr/bin/env python3
"""What nodes with wrong_values cost a whole network.

    build/zoo_executorch/venv/bin/python tools/dev/zoo_executorch/cost.py --cli build/bin/quantgate CASE...

Runs the float network, the converted graph as PyTorch understands it, and the converted graph as it is lowered: integers
are copied where a node was executed to copy them, and a bias has the scale of input x weight. Prints how far the outputs
of both are off the float ones, of the output that is off most as lowered: the norm of the difference as a part of the
norm of the float output. Needs what lower.py needs.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "models" / "networks")]

import compare  # noqa: E402
import lower  # noqa: E402
import places  # noqa: E402
import pt2e  # noqa: E402
import registry  # noqa: E402
import torch  # noqa: E402

BIAS, MOVED = "QG402", "QG401"


def scales(tensor: dict) -> tuple[torch.Tensor, float]:
    form = next(iter(tensor["encoding"].values()))
    zero_points = form.get("zeroPoints", [form.get("zeroPoint", 0)])
    return torch.tensor(form.get("scales", [form.get("scale")])), float(zero_points[0])


def copied(graph: Any, node: Any, given: dict, result: dict) -> None:
    """The integers of what the node is given, read as the result is."""
    (scale_in, zero_in), (scale_out, zero_out) = scales(given), scales(result)
    with graph.inserting_after(node):
        stored = graph.call_function(torch.ops.aten.div.Scalar, (node, float(scale_in[0])))
    node.replace_all_uses_with(stored, delete_user_cb=lambda user: user is not stored)
    with graph.inserting_after(stored):
        shifted = graph.call_function(torch.ops.aten.add.Scalar, (stored, zero_in - zero_out))
        stored.replace_all_uses_with(shifted, delete_user_cb=lambda user: user is not shifted)
    with graph.inserting_after(shifted):
        read = graph.call_function(torch.ops.aten.mul.Scalar, (shifted, float(scale_out[0])))
        shifted.replace_all_uses_with(read, delete_user_cb=lambda user: user is not read)


def rescaled_bias(graph: Any, module: Any, node: Any, tensors: list[dict]) -> None:
    x, w, b = (scales(tensor)[0] for tensor in tensors)
    name = f"{node.name}_factor"
    module.register_buffer(name, x * w / b)
    with graph.inserting_before(node):
        factor = graph.get_attr(name)
        node.update_arg(2, graph.call_function(torch.ops.aten.mul.Tensor, (node.args[2], factor)))


def as_lowered(converted: Any, model: dict, report: dict) -> Any:
    lowered = copy.deepcopy(converted)
    nodes = {node.name: node for node in lowered.graph.nodes}
    tensors = {tensor["name"]: tensor for tensor in model["tensors"]}
    given = {node["name"]: node for node in model["nodes"]}
    for finding in report["findings"]:
        if finding["consequence"] != "wrong_values":
            continue
        node, written = nodes[finding["node"]], given[finding["node"]]
        inputs = [tensors[name] for name in written["inputs"]]
        if finding["code"] == MOVED:
            copied(lowered.graph, node, inputs[0], tensors[written["outputs"][0]])
        elif finding["code"] == BIAS:
            rescaled_bias(lowered.graph, lowered, node, inputs[:3])
        else:
            raise SystemExit(f"error: {finding['node']}: {finding['code']} isn't modelled here")
    lowered.recompile()
    return lowered


def reals(outputs: Any) -> list[torch.Tensor]:
    leaves = torch.utils._pytree.tree_leaves(outputs)
    return [leaf.double() for leaf in leaves if torch.is_tensor(leaf) and leaf.is_floating_point()]


def off(found: list[torch.Tensor], wanted: list[torch.Tensor]) -> list[float]:
    return [float((a - b).norm() / b.norm()) for a, b in zip(found, wanted, strict=True)]


def cost(cli: Path, case: str) -> str:
    from quantgate.torch import read

    name, precision = case.rsplit("-", 1)
    net, given = registry.make(name)
    with torch.no_grad():
        wanted = reals(net(*given))
        converted = pt2e.convert(pt2e.exported(net, given), given, precision)
        model = json.loads(read(converted, name=case).to_json())
        report = compare.reports(cli, [model])[0]
        lowered = as_lowered(converted, model, report)
        meant, made = off(reals(converted(*given)), wanted), off(reals(lowered(*given)), wanted)
    count = len(compare.wrong_nodes(report))
    most = made.index(max(made))
    return f"{case}: {count} nodes, output {most}: {meant[most]:.5f} off as PyTorch has it, {made[most]:.5f} as lowered"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", type=Path, default=places.ROOT / "build" / "bin" / "quantgate")
    parser.add_argument("cases", nargs="+", metavar="CASE", help="NAME-PRECISION")
    arguments = parser.parse_args()
    lower.with_libraries()
    warnings.simplefilter("ignore")
    for case in arguments.cases:
        print(cost(arguments.cli, case), flush=True)


if __name__ == "__main__":
    main()
