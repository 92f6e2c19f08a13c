"""check() of what PyTorch has in memory."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

from torch.export import ExportedProgram
from torch.fx import GraphModule

from quantgate._core import Model, Target
from quantgate._names import FailOn, Mode, Route
from quantgate._report import Report
from quantgate._validator import Validator
from quantgate.executorch._sdk import sdk_for
from quantgate.torch._program import load, read_program
from quantgate.torch._reader import read_graph

TorchModel: TypeAlias = GraphModule | ExportedProgram | str | os.PathLike[str]
"""A graph before or after prepare_pt2e or convert_pt2e, a program, or a .pt2 file."""


def read(model: TorchModel, *, name: str = "") -> Model:
    """The Model that a graph is checked as.

    Raises InputError for a file that can't be read, TypeError for what is no graph. A graph that
    is odd in itself is no error: what can't be determined is `unchecked` in the report.
    """
    if isinstance(model, (str, os.PathLike)):
        return read_program(load(model), name or os.fspath(model))
    if isinstance(model, ExportedProgram):
        return read_program(model, name or "program")
    if isinstance(model, GraphModule):
        return read_graph(model, name or type(model).__name__)
    raise TypeError(f"no graph: {type(model).__module__}.{type(model).__qualname__}; give a "
                    "torch.fx.GraphModule, an ExportedProgram or a .pt2 file")


def check(model: TorchModel, *, soc: str | int | None = None, arch: str | None = None,
          sdk: str | None = None, backend: str = "htp", target: Target | None = None,
          mode: Mode = "strict", route: Route | None = None, fail_on: FailOn = "wrong_values",
          as_run: bool = False, suggest: bool = False, name: str = "") -> Report:
    """Checks a graph; findings name the line of the user's model and the module.

    Annotated (before prepare_pt2e), prepared (calibrated or not) and converted graphs are read
    alike. sdk: by default that of the library which ExecuTorch would load (QNN_SDK_ROOT,
    LD_LIBRARY_PATH, onnxruntime-qnn), the newest known where none is found. as_run, suggest: as in
    quantgate.check(). Raises what read() raises, and TargetError.
    """
    if target is None:
        target = Target(soc=soc, arch=arch, sdk=sdk_for(sdk, backend, route), backend=backend)
    validator: Any = Validator(target, mode=mode, route=route, fail_on=fail_on, as_run=as_run,
                               suggest=suggest)
    report: Report = validator.check(read(model, name=name))
    return report
