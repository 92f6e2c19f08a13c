#!/usr/bin/env python3
"""Operators that networks seldom have, many in one graph, each a branch of its own: what ExecuTorch's partitioner says of
them, and quantgate.

    operators.py [--cli PATH] [--list]      compares with what is recorded
    operators.py --record                   asks the real partitioner (needs PyTorch, ExecuTorch and the libraries)

Recorded twice, since it makes a difference: alone, and between two operators that the quantizer annotates.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from lowered import parsed

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RECORD = HERE / "operators.json"
sys.path[:0] = [str(HERE), str(ROOT / "tools" / "dev" / "zoo_executorch"), str(ROOT / "tools" / "dev" / "models" / "networks")]
TARGET = ("--route", "executorch", "--sdk", "2.49", "--soc", "SM8550")
REFUSED = ("rejected", "prepare_fails")
GROUP = 17  # branches in a graph
# A Relu of floats of 64 bits, which the lowering hands over in 32; results of which not all are read: the reader gives
# those that aren't no encoding, and the lowering that of the others.
KNOWN = {("between", name, "called refused") for name in ("relu_6", "hsplit", "split_with_sizes", "aminmax")}


class Asked(Exception):
    """The partitioner was asked; nothing needs to be compiled."""


def network(branches: dict[str, Any], between: bool) -> tuple[Any, tuple[Any, ...]]:
    import torch
    from branches import SHAPES

    class Branches(torch.nn.Module):
        def forward(self, *given: Any) -> tuple[Any, ...]:
            inputs = dict(zip(SHAPES, given))
            found = []
            for function, names in branches.values():
                tensors = [torch.relu(inputs[name]) if between else inputs[name] for name in names]
                result = function(*tensors)
                found.append(torch.relu(result) if between and result.is_floating_point() else result.clone())
            return tuple(found)

    torch.manual_seed(0)
    return Branches().eval(), tuple(torch.rand(shape) for shape in SHAPES.values())


def asked(branches: dict[str, Any], between: bool) -> dict[str, Any]:
    import lower
    import pt2e
    import recordings
    from executorch.backends.qualcomm import qnn_preprocess

    import quantgate.torch

    def stop(*_: Any, **__: Any) -> None:
        raise Asked

    net, given = network(branches, between)
    converted = pt2e.convert(pt2e.exported(net, given), given, "8a8w")
    model = json.loads(quantgate.torch.read(converted, name="between" if between else "alone").to_json())
    for node in model["nodes"]:
        node.pop("location", None)
    lower.tag(converted)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qnn_preprocess.QnnBackend._build_op_wrappers = staticmethod(stop)
        lower.lower(converted, given, folder, lower.Steps(folder))
        failure = json.loads((folder / "steps.jsonl").read_text())["failure"] or {"type": "Asked"}
        queried = json.loads((folder / "queried.json").read_text())
    left: dict[str, list[str]] = {}
    for node in queried:
        if node["supported"] is False and not node["bypass"] and node["from"]:
            left.setdefault(node["from"], []).append(node["target"])
    ended = "" if failure["type"] == "Asked" else f"{failure['type']}: {failure['message'][:120]}"
    return {"model": recordings.portable(model), "nodes": recordings.states(queried), "left": left, "failure": ended}


def asked_in_groups(names: list[str], between: bool) -> list[dict[str, Any]]:
    """A group that its passes don't get through is asked about again, half by half."""
    from branches import BRANCHES

    found = asked({name: BRANCHES[name] for name in names}, between)
    if not found["failure"] or len(names) == 1:
        return [{"branches": names, **found}]
    half = len(names) // 2
    return asked_in_groups(names[:half], between) + asked_in_groups(names[half:], between)


def record() -> None:
    import lower

    lower.with_libraries()
    lower.prepare()
    from branches import BRANCHES

    names = list(BRANCHES)
    recorded: dict[str, list[dict[str, Any]]] = {"between": [], "alone": []}
    for where, groups in recorded.items():
        for first in range(0, len(names), GROUP):
            groups += asked_in_groups(names[first:first + GROUP], where == "between")
            RECORD.write_text(json.dumps(recorded) + "\n")


def compare(cli: Path, listed: bool) -> Counter:
    seen: Counter = Counter()
    groups = [(where, group) for where, found in json.loads(RECORD.read_text()).items() for group in found]
    for where, recorded in groups:
        done = subprocess.run([str(cli), "check", "-", "--input-format", "model", *TARGET, "--mode", "warn", "--format", "json"],
                              input=json.dumps(recorded["model"]), capture_output=True, text=True, check=True)
        for node in json.loads(done.stdout)["nodes"]:
            state = recorded["nodes"].get(node["name"])
            if state is None:
                continue
            refused = node["verdict"] in REFUSED
            kind = ("unchecked" if node["verdict"] == "unchecked" else "right" if refused == (state == "r") else
                    "missed" if state == "r" else "called refused")
            kind = "known" if (where, node["name"], kind) in KNOWN else kind
            seen[kind] += 1
            if listed and kind != "right":
                print(f"{kind}: {where} {node['name']} {node['op']} {node['verdict']} {node.get('reason', '')[:80]} "
                      f"{recorded['left'].get(node['name'], '')}")
    return seen


def main() -> int:
    arguments = parsed(__doc__)
    if arguments.record:
        record()
    seen = compare(arguments.cli.resolve(), arguments.list)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(seen.items())))
    return 1 if seen["missed"] or seen["called refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
