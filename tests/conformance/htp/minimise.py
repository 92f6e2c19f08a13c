"""Shrinks a configuration as long as the library's answer stays the same."""

from __future__ import annotations

import copy
from typing import Any, Callable, Iterator

Model = dict[str, Any]


def candidates(model: Model) -> Iterator[Model]:
    """Models that are one step smaller."""
    node = model["nodes"][0]
    for name in node.get("params") or {}:
        smaller = copy.deepcopy(model)
        del smaller["nodes"][0]["params"][name]
        yield smaller
    for at in range(len(node["inputs"]) - 1, 0, -1):
        smaller = copy.deepcopy(model)
        gone = smaller["nodes"][0]["inputs"][at]
        if at == len(node["inputs"]) - 1:
            smaller["nodes"][0]["inputs"].pop()
        elif gone:
            smaller["nodes"][0]["inputs"][at] = ""
        else:
            continue
        smaller["tensors"] = [t for t in smaller["tensors"] if t["name"] != gone]
        yield smaller
    for i, tensor in enumerate(model["tensors"]):
        for kind, body in (tensor.get("encoding") or {}).items():
            if len(body.get("scales", [])) > 1:
                smaller = copy.deepcopy(model)
                smaller["tensors"][i]["encoding"][kind]["scales"] = body["scales"][:1]
                yield smaller
    sizes = sorted({d for t in model["tensors"] for d in t["dims"] if d > 1}, reverse=True)
    for size in sizes:
        for new in (1, 2, size // 2):
            if new < size:
                smaller = copy.deepcopy(model)
                for tensor in smaller["tensors"]:
                    tensor["dims"] = [new if d == size else d for d in tensor["dims"]]
                yield smaller
    rank = max((len(t["dims"]) for t in model["tensors"]), default=0)
    for at in range(rank):
        smaller = copy.deepcopy(model)
        for tensor in smaller["tensors"]:
            if len(tensor["dims"]) == rank and tensor["dims"][at] == 1:
                del tensor["dims"][at]
        if smaller != model:
            yield smaller


def minimise(model: Model, same: Callable[[list[Model]], list[bool]]) -> Model:
    """`same` says of each candidate whether the library still answers as it did."""
    for _ in range(40):
        tried = list(candidates(model))
        if not tried:
            break
        kept = [c for c, ok in zip(tried, same(tried)) if ok]
        if not kept:
            break
        model = kept[0]
    return model
