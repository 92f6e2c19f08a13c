"""The deeper check of what ExecuTorch's quantizer annotated."""

from __future__ import annotations

from typing import Any

from quantgate._names import FailOn, Mode
from quantgate._report import Report


def validate(model: Any, soc: str | int, mode: Mode = "strict", *, sdk: str | None = None,
             backend: str = "htp", fail_on: FailOn = "wrong_values", as_run: bool = False,
             suggest: bool = False) -> Report:
    """Checks an annotated, prepared or converted graph as ExecuTorch would lower it.

    soc: a chip's name or number, QcomChipset too. sdk: by default that of the library which
    ExecuTorch would load (QNN_SDK_ROOT, LD_LIBRARY_PATH, onnxruntime-qnn), the newest known where
    none is found. What depends on ExecuTorch's release is that of the one that is installed.
    as_run: also forecast what the lowering does (Report.as_run: what is left to the CPU, the
    partitions, why it fails); suggest: also what else would run each refused node.
    Returns the report in both modes; in strict mode raises ValidationError, with the report inside,
    where the graph fails.
    """
    from quantgate.executorch._sdk import installed_route
    from quantgate.torch import check

    report = check(model, soc=soc if isinstance(soc, str) else int(soc),
                   sdk=sdk, backend=backend, mode=mode, route=installed_route(), fail_on=fail_on,
                   as_run=as_run, suggest=suggest)
    if mode == "strict":
        report.raise_for_verdict()
    return report
