"""The deeper check of what ExecuTorch's quantizer annotated."""

from __future__ import annotations

from typing import Any

from quantgate._names import Mode
from quantgate._report import Report


def validate(model: Any, soc: str | int, mode: Mode = "strict", *, sdk: str | None = None,
             backend: str = "htp") -> Report:
    """Checks an annotated, prepared or converted graph as ExecuTorch would lower it.

    soc: a chip's name or number, QcomChipset too. Returns the report in both modes; in strict mode
    raises ValidationError, with the report inside, where the graph fails.
    """
    from quantgate.torch import check

    report = check(model, soc=soc if isinstance(soc, str) else int(soc), sdk=sdk, backend=backend,
                   mode=mode, route="executorch")
    if mode == "strict":
        report.raise_for_verdict()
    return report
