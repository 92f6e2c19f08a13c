"""Any PT2E quantizer, with quantgate's opinion before anything is calibrated."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from torch.fx import GraphModule
from torchao.quantization.pt2e.quantizer import Quantizer

from quantgate._core import Target
from quantgate._names import FailOn, Mode, Route
from quantgate._report import Report
from quantgate.executorch._sdk import sdk_for
from quantgate.torch._check import check

_log = logging.getLogger("quantgate")


class QuantizationWarning(UserWarning):
    """Findings of a check in warn mode."""


class ValidatingQuantizer(Quantizer):  # type: ignore[misc]
    """Annotates as `inner` does, then checks the whole graph: all findings at once.

    In strict mode validate() raises ValidationError, which has the report; in warn mode it warns
    and never raises, whatever the graph is. `report` is that of the last validate(). What `inner`
    validates by itself is done too, unless inner_validates is False. sdk, as_run, suggest: as in
    quantgate.torch.check().
    """

    def __init__(self, inner: Any, target: Target | None = None, mode: Mode = "strict", *,
                 soc: str | int | None = None, arch: str | None = None, sdk: str | None = None,
                 backend: str = "htp", route: Route | None = None,
                 fail_on: FailOn = "wrong_values", as_run: bool = False, suggest: bool = False,
                 inner_validates: bool = True) -> None:
        super().__init__()
        self.inner = inner
        self.mode: Mode = mode
        self.report: Report | None = None
        self._target = target or Target(soc=soc, arch=arch, sdk=sdk_for(sdk, backend, route),
                                        backend=backend)
        self._options: dict[str, Any] = {"mode": mode, "route": route, "fail_on": fail_on,
                                         "as_run": as_run, "suggest": suggest}
        self._inner_validates = inner_validates

    def __getattr__(self, name: str) -> Any:
        # Settings of the inner quantizer: set_global(), set_default_quant_config(), ...
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        return self.inner.transform_for_annotation(model)

    def annotate(self, model: GraphModule) -> GraphModule:
        return self.inner.annotate(model)

    def prepare_obs_or_fq_callback(self, *arguments: Any, **keywords: Any) -> None:
        callback = getattr(self.inner, "prepare_obs_or_fq_callback", None)
        if callback is not None:
            callback(*arguments, **keywords)

    def validate(self, model: GraphModule) -> None:
        self.report = None
        if self.mode == "warn":
            try:
                if self._inner_validates:
                    self.inner.validate(model)
            except Exception as error:
                warnings.warn(f"{type(self.inner).__name__}: {error}", QuantizationWarning,
                              stacklevel=2)
            try:
                self.report = check(model, target=self._target, **self._options)
            except Exception as error:
                _log.exception("the graph can't be checked")
                warnings.warn(f"unchecked: {error}", QuantizationWarning, stacklevel=2)
                return
            if self.report.findings:
                warnings.warn(str(self.report), QuantizationWarning, stacklevel=2)
            return
        if self._inner_validates:
            self.inner.validate(model)
        self.report = check(model, target=self._target, **self._options)
        self.report.raise_for_verdict()
