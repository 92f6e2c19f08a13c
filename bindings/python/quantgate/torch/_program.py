"""Exported programs: parameters, buffers and constants are placeholders there."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.export import ExportedProgram

from quantgate._core import Model
from quantgate._errors import InputError
from quantgate.torch._reader import Reader


def load(path: str | os.PathLike[str]) -> ExportedProgram:
    """A .pt2 file. Raises InputError."""
    source = os.fspath(path)
    if not os.path.exists(source):
        raise InputError("no such file", source)
    try:
        return torch.export.load(source)
    except Exception as error:  # whatever a damaged archive leads to
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"no exported program: {reason}", source) from error


def read_program(program: ExportedProgram, name: str) -> Model:
    signature = program.graph_signature
    # A buffer that the program writes to (a cache) is no constant.
    written = set(signature.buffers_to_mutate.values())
    constants: dict[str, Any] = {}
    for names in (signature.inputs_to_parameters, signature.inputs_to_buffers,
                  signature.inputs_to_lifted_tensor_constants):
        for placeholder, target in names.items():
            data = program.state_dict.get(target, program.constants.get(target))
            if isinstance(data, torch.Tensor) and target not in written:
                constants[placeholder] = data
    return Reader(program.graph_module, program.graph_module.graph, name, constants).read()
