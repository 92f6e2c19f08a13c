"""Checking models."""

from __future__ import annotations

import os
from typing import Any

from quantgate import _core
from quantgate._core import Target
from quantgate._knowledge import EMBEDDED, Database, Folders, folders
from quantgate._models import ModelLike, to_model
from quantgate._names import FailOn, Mode, Route
from quantgate._report import Report


class Validator:
    """Checks models for one target. Immutable: any number of threads may share one, and the
    checks of several run at once, since the interpreter's lock is released meanwhile.

    route: how the file reaches the backend; None: by the model's dialect. mode: 'warn' reports
    all and never fails. fail_on: in strict mode this verdict and worse ones fail. as_run: also
    tell what runs instead of what was written (Report.as_run). suggest: also try what else would
    run each refused node; what does becomes fixes. opdefs: YAML of your own over the target's
    database, see Database. Raises ValueError for unknown words, OpdefsError for wrong YAML.
    """

    __slots__ = ("_core", "_options", "_target")

    def __init__(self, target: Target, *, route: Route | None = None, mode: Mode = "strict",
                 fail_on: FailOn = "wrong_values", as_run: bool = False,
                 suggest: bool = False, opdefs: Folders = ()) -> None:
        over = folders(opdefs)
        if over:
            target = target._overlaid(over)
        self._target = target
        self._options = (route, mode, fail_on, as_run, suggest)
        self._core = _core.Validator(target, *self._options)

    @property
    def target(self) -> Target:
        return self._target

    def check(self, model: ModelLike, *,
              encodings: str | os.PathLike[str] | None = None) -> Report:
        """Never fails on a model that can be read: what can't be checked is 'unchecked'.

        encodings: an encodings file beside the model, as AIMET writes it; what doesn't fit the
        model is in the report. Raises InputError for what can't be read.
        """
        loaded = to_model(model)
        if encodings is None:
            return Report(self._core.check_without_nodes(loaded), loaded, self, listed=False)
        path = os.fspath(encodings)
        return Report(self._core.check_with_encodings(loaded, path), loaded, self, path)

    def __copy__(self) -> Validator:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Validator:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _validator, (self._target, *self._options)

    def __repr__(self) -> str:
        return f"Validator({self._target!r})"


def _validator(target: Target, route: Route | None, mode: Mode, fail_on: FailOn, as_run: bool,
               suggest: bool) -> Validator:
    return Validator(target, route=route, mode=mode, fail_on=fail_on, as_run=as_run,
                     suggest=suggest)


def check(model: ModelLike, *, encodings: str | os.PathLike[str] | None = None, soc: str | int | None = None, arch: str | None = None,
          sdk: str | None = None, backend: str = "htp", route: Route | None = None,
          mode: Mode = "strict", fail_on: FailOn = "wrong_values", as_run: bool = False,
          suggest: bool = False, opdefs: Folders = ()) -> Report:
    """Says whether `model` fits a backend.

    model: a path; bytes of ONNX or Model JSON; a Model; an onnx.ModelProto; a dict as in Model
    JSON, whose shapes are lists of integers (-1: dynamic) in the layout of the model and whose
    real values are scale * (stored value - zeroPoint).
    encodings: an encodings file beside the model, as AIMET writes it.
    soc: a chip's name in any case or its id; arch: 'v73', by default the chip's; sdk:
    'MAJOR.MINOR', by default the newest known. opdefs: see Database. The rest: see Validator.

    Returns the report whatever the verdict is: report.raise_for_verdict() raises. Raises
    InputError (a model can't be read), TargetError (a target isn't known), ValueError (other
    unknown words) and TypeError (nothing that holds a model).
    """
    database = Database(opdefs) if opdefs else EMBEDDED
    target = database.target(soc=soc, arch=arch, sdk=sdk, backend=backend)
    return Validator(target, route=route, mode=mode, fail_on=fail_on, as_run=as_run,
                     suggest=suggest).check(model, encodings=encodings)
