"""Where in the user's code a node was made."""

from __future__ import annotations

import functools
import os
import re

import torch
from torch.fx import Node

# Frames of these files are no line of the user.
LIBRARY = os.path.dirname(torch.__file__) + os.sep

# How tracing writes the path of a module: L['self']._modules['net'].0, getattr(L['self'], '0').
_STEP = re.compile(r"getattr\(|L\['self'\]|L__self__|\._modules\['([^']*)'\]|, '([^']*)'\)|\['([^']*)'\]")


@functools.lru_cache(maxsize=4096)
def module_path(text: str) -> str:
    """'net.0': as named_modules() has it."""
    if "self" not in text:
        return text
    path = _STEP.sub(lambda step: next((f".{name}" for name in step.groups() if name), ""), text)
    return path.strip("._") or text


@functools.lru_cache(maxsize=4096)
def _line_in(trace: str) -> str:
    """'model.py:42', the innermost line of a stack trace that isn't PyTorch's; '' where all are."""
    end = len(trace)
    while (begin := trace.rfind('File "', 0, end)) >= 0:
        file_end = trace.find('", line ', begin)
        line_end = file_end + 8
        while line_end < len(trace) and trace[line_end].isdigit():
            line_end += 1
        if LIBRARY not in trace[begin + 6:file_end]:
            return f"{trace[begin + 6:file_end]}:{trace[file_end + 8:line_end]}"
        end = begin
    return ""


def location_of(node: Node) -> str:
    """'model.py:42 in net.0', the user's line that made the node, and the path of its module."""
    trace = node.meta.get("stack_trace")
    place = _line_in(trace) if isinstance(trace, str) else ""
    modules = node.meta.get("nn_module_stack")
    if isinstance(modules, dict) and modules:
        last = next(reversed(modules.values()))
        if isinstance(last, (tuple, list)) and last and last[0]:
            path = module_path(str(last[0]))
            return f"{place} in {path}" if place else path
    return place
