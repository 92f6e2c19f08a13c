#!/usr/bin/env python3
"""Operators that networks seldom have, many in one graph, each a branch of its own: what ExecuTorch's partitioner says of
them, and quantgate.

    operators.py [--cli PATH] [--list]      compares with what is recorded
    operators.py --record                   asks the real partitioner about what is not recorded yet (needs PyTorch,
                                            ExecuTorch and the libraries)

Recorded twice, since it makes a difference: alone, and between two operators that the quantizer annotates; variants.py
(other ranks, whole numbers, numbers on either side, as networks write them) only so.
"""

from __future__ import annotations

import json
import subprocess
import sys
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
# Results of which not all are read: the reader gives those that aren't no encoding, and the lowering that of the others.
KNOWN = {("between", name, "called refused") for name in ("hsplit", "split_with_sizes", "aminmax")}


def parts() -> dict[str, dict[str, Any]]:
    """The branches that are recorded in each way."""
    from branches import BRANCHES
    from variants import SHAPED
    from variants_of_numbers import OF_NUMBERS

    return {"between": BRANCHES, "alone": BRANCHES, "variants": SHAPED | OF_NUMBERS}


def network(branches: dict[str, Any], between: bool) -> tuple[Any, tuple[Any, ...]]:
    import branches as common
    import torch
    import variants

    shapes = common.SHAPES | variants.SHAPES
    used = sorted({letter for _, letters in branches.values() for letter in letters})

    class Branches(torch.nn.Module):
        def forward(self, *given: Any) -> tuple[Any, ...]:
            inputs = dict(zip(used, given))
            found = []
            for function, names in branches.values():
                tensors = [torch.relu(inputs[name]) if between and name not in variants.WHOLE else inputs[name]
                           for name in names]
                result = function(*tensors)
                found.append(torch.relu(result) if between and result.is_floating_point() else result.clone())
            return tuple(found)

    torch.manual_seed(0)
    return Branches().eval(), tuple(
        torch.randint(0, 6, shapes[name]) if name in variants.WHOLE else torch.rand(shapes[name]) for name in used)


def asked(branches: dict[str, Any], between: bool) -> dict[str, Any]:
    import lower
    import pt2e
    import recordings

    import quantgate.torch

    net, given = network(branches, between)
    converted = pt2e.convert(pt2e.exported(net, given), given, "8a8w")
    model = json.loads(quantgate.torch.read(converted, name="between" if between else "alone").to_json())
    for node in model["nodes"]:
        node.pop("location", None)
    lower.tag(converted)
    queried, failure = lower.asked(converted, given)
    left: dict[str, list[str]] = {}
    for node in queried:
        if node["supported"] is False and not node["bypass"] and node["from"]:
            left.setdefault(node["from"], []).append(node["target"])
    return {"model": recordings.portable(model), "nodes": recordings.states(queried), "left": left,
            "failure": failure[:140]}


def asked_in_groups(branches: dict[str, Any], between: bool) -> list[dict[str, Any]]:
    """A group that its passes don't get through is asked about again, half by half; what its quantizer doesn't get
    through gives no model, and isn't recorded."""
    try:
        found = asked(branches, between)
        if not found["failure"] or len(branches) == 1:
            return [{"branches": list(branches), **found}]
    except Exception as error:  # of any kind, from deep inside the quantizer
        if len(branches) == 1:
            print(f"no model: {', '.join(branches)}: {type(error).__name__}: {str(error)[:140]}")
            return []
    names = list(branches)
    halves = (names[:len(names) // 2], names[len(names) // 2:])
    return [group for half in halves for group in asked_in_groups({name: branches[name] for name in half}, between)]


def record() -> None:
    import lower

    lower.with_libraries()
    lower.prepare()
    recorded: dict[str, list[dict[str, Any]]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for where, branches in parts().items():
        groups = recorded.setdefault(where, [])
        known = {name for group in groups for name in group["branches"]}
        names = [name for name in branches if name not in known]
        for first in range(0, len(names), GROUP):
            groups += asked_in_groups({name: branches[name] for name in names[first:first + GROUP]}, where != "alone")
            RECORD.write_text(json.dumps(recorded) + "\n")


def has_doubles(model: dict[str, Any], node: dict[str, Any]) -> bool:
    """Whether it reads or writes floats of 64 bits, which the lowering hands over in 32."""
    wide = {tensor["name"] for tensor in model["tensors"] if tensor.get("dtype") == "FLOAT_64"}
    return not wide.isdisjoint(node["inputs"] + node["outputs"])


def compare(cli: Path, listed: bool) -> Counter:
    seen: Counter = Counter()
    groups = [(where, group) for where, found in json.loads(RECORD.read_text()).items() for group in found]
    for where, recorded in groups:
        command = [str(cli), "check", "-", "--input-format", "model", *TARGET, "--mode", "warn", "--as-run",
                   "--format", "json"]
        done = subprocess.run(command, input=json.dumps(recorded["model"]), capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        doubles = {node["name"] for node in recorded["model"]["nodes"] if has_doubles(recorded["model"], node)}
        if recorded["failure"]:
            ended = "reason" in report["asRun"]["session"]
            seen["failures predicted" if ended else "failures missed"] += 1
            if listed and not ended:
                print(f"failure missed: {where} {', '.join(recorded['branches'])}: {recorded['failure']}")
        for node in report["nodes"]:
            state = recorded["nodes"].get(node["name"])
            if state is None:
                continue
            # A node at which the lowering ends may be accepted in part before.
            refused = node["verdict"] in REFUSED and not (recorded["failure"] and state == "a" and
                                                          node["verdict"] == "prepare_fails")
            kind = ("unchecked" if node["verdict"] == "unchecked" else "right" if refused == (state == "r") else
                    "missed" if state == "r" else "called refused")
            if (where, node["name"], kind) in KNOWN or kind == "called refused" and node["name"] in doubles:
                kind = "known"
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
    return 1 if seen["missed"] or seen["called refused"] or seen["failures missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
