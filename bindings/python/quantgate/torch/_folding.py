"""What convert_pt2e will have folded of an annotated graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Node

from quantgate.torch._specs import annotation, input_spec, output_spec
from quantgate.torch._values import Constant


def is_folded(node: Node, values: Mapping[Node, Any]) -> bool:
    """Whether a node that is not annotated is computed from constants alone, and quantized by all who read it."""
    def of_constants(at: Node, since: Node | None) -> bool:
        sources = at.all_input_nodes
        return bool(sources) and all(
            source is since or isinstance(values.get(source), Constant) for source in sources)

    def is_quantized(at: Node) -> bool:
        return bool(at.users) and all(
            input_spec(at, user) is not None or (is_plain(user) and of_constants(user, at) and is_quantized(user))
            for user in at.users)

    value = node.meta.get("val")
    return (isinstance(value, torch.Tensor) and value.dtype.is_floating_point and is_plain(node)
            and of_constants(node, None) and is_quantized(node))


def is_plain(node: Node) -> bool:
    return (node.op == "call_function" and output_spec(node) is None
            and not getattr(annotation(node), "input_qspec_map", None))
