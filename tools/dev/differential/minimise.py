"""Shrinks a Model of one node as long as what is said about it stays the same."""

from __future__ import annotations

import copy
from typing import Any, Callable, Iterator

Model = dict[str, Any]
MOST_STEPS = 60


def _fewer_params(model: Model) -> Iterator[Model]:
    for name in model["nodes"][0].get("params") or {}:
        smaller = copy.deepcopy(model)
        del smaller["nodes"][0]["params"][name]
        yield smaller


def _fewer_inputs(model: Model) -> Iterator[Model]:
    inputs = model["nodes"][0]["inputs"]
    for at in range(len(inputs) - 1, 0, -1):
        if not inputs[at]:
            continue
        smaller = copy.deepcopy(model)
        node = smaller["nodes"][0]
        node["inputs"][at] = ""
        while node["inputs"] and not node["inputs"][-1]:
            node["inputs"].pop()
        smaller["tensors"] = [t for t in smaller["tensors"] if t["name"] in node["inputs"] + node["outputs"]]
        yield smaller


def _plainer_tensors(model: Model) -> Iterator[Model]:
    """Without encoding, then with one scale for all, then with a plain per-tensor encoding, not
    constant."""
    for i, tensor in enumerate(model["tensors"]):
        encoding = tensor.get("encoding") or {}
        if encoding:
            smaller = copy.deepcopy(model)
            del smaller["tensors"][i]["encoding"]
            yield smaller
        for kind, body in encoding.items():
            if len(body.get("scales", [])) > 1:
                smaller = copy.deepcopy(model)
                smaller["tensors"][i]["encoding"][kind]["scales"] = body["scales"][:1]
                yield smaller
            unsigned = tensor["dtype"].startswith("UFIXED")
            bits = int(tensor["dtype"].rsplit("_", 1)[-1])
            plain = {"perTensor": {"scale": 1.0, "zeroPoint": 1 << bits - 1 if unsigned and bits < 32 else 0}}
            if encoding != plain:
                smaller = copy.deepcopy(model)
                smaller["tensors"][i]["encoding"] = plain
                yield smaller
        if tensor.get("isStatic") and "values" not in tensor:
            smaller = copy.deepcopy(model)
            del smaller["tensors"][i]["isStatic"]
            yield smaller


def _smaller_shapes(model: Model) -> Iterator[Model]:
    if any("values" in t or "realValues" in t for t in model["tensors"]):
        return
    for size in sorted({d for t in model["tensors"] for d in t["dims"] if d > 1}, reverse=True):
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


def candidates(model: Model) -> Iterator[Model]:
    """Models that are one step smaller."""
    yield from _fewer_params(model)
    yield from _fewer_inputs(model)
    yield from _plainer_tensors(model)
    yield from _smaller_shapes(model)


def minimise(model: Model, same: Callable[[list[Model]], list[bool]]) -> Model:
    """`same` says of each candidate whether all is said of it that was said of the model."""
    for _ in range(MOST_STEPS):
        tried = list(candidates(model))
        kept = [c for c, ok in zip(tried, same(tried)) if ok] if tried else []
        if not kept:
            break
        model = kept[0]
    return model
