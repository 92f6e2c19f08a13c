"""Puts the stand-in where ExecuTorch looks for the vendor's module."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path

_MODULE = "qti.aisw.converters.common.backend_opinfo"
_ADAPTER = "executorch.backends.qualcomm.quantizer.backend_opinfo_adapter"
_RULES = "executorch.backends.qualcomm.quantizer.annotators.htp_rules"


def sdk_root() -> str:
    """A directory fit for QNN_SDK_ROOT: it holds lib/python with the stand-in, no libraries."""
    return str(Path(__file__).parent / "sdk")


def install() -> types.ModuleType:
    """Makes this process use the stand-in, also beside a real SDK; returns the module.

    Of a real SDK nothing but the one module is replaced, and QNN_SDK_ROOT stays as it is: the
    backend's libraries are looked for there. May be called again, before or after ExecuTorch is
    imported, but before the first quantizer is made. Imports nothing of ExecuTorch.
    """
    python = os.path.join(sdk_root(), "lib", "python")
    if python not in sys.path:
        sys.path.append(python)
    module = _load(python)
    parent = _parent(python)
    sys.modules[_MODULE] = module
    parent.backend_opinfo = module  # type: ignore[attr-defined]
    _tell_adapter(module)
    return module


def _load(python: str) -> types.ModuleType:
    known = sys.modules.get(_MODULE)
    path = os.path.join(python, *_MODULE.split(".")) + ".py"
    if known is not None and getattr(known, "__file__", None) == path:
        return known
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"the package lacks {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _parent(python: str) -> types.ModuleType:
    """The package of the module: a real SDK's where that can be imported."""
    package = _MODULE.rpartition(".")[0]
    try:
        return importlib.import_module(package)
    except Exception:  # whatever a broken SDK raises
        names = package.split(".")
        for i in range(1, len(names) + 1):
            name = ".".join(names[:i])
            stand_in = types.ModuleType(name)
            stand_in.__path__ = [os.path.join(python, *names[:i])]
            sys.modules[name] = stand_in
            if i > 1:
                setattr(sys.modules[".".join(names[:i - 1])], names[i - 1], stand_in)
        return sys.modules[package]


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for the adapter to be imported, and tells it of the module then."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module

    def find_spec(self, fullname: str, path: Sequence[str] | None = None,
                  target: types.ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != _ADAPTER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(adapter: types.ModuleType) -> None:
                execute(adapter)
                _tell(adapter, self.module)

            spec.loader.exec_module = executed  # type: ignore[method-assign,assignment]
        return spec


def _tell_adapter(module: types.ModuleType) -> None:
    """The adapter looks for the module when it is imported, and keeps what it found."""
    for finder in [one for one in sys.meta_path if isinstance(one, _Finder)]:
        sys.meta_path.remove(finder)
    adapter = sys.modules.get(_ADAPTER)
    if adapter is None:
        sys.meta_path.insert(0, _Finder(module))
    else:
        _tell(adapter, module)


def _tell(adapter: types.ModuleType, module: types.ModuleType) -> None:
    adapter.backend_opinfo = module  # type: ignore[attr-defined]
    adapter._HAS_BACKEND_OPINFO = True  # type: ignore[attr-defined]
    cached = getattr(adapter, "_get_backend_opinfo_cached", None)
    if cached is not None:
        cached.cache_clear()
    rules = sys.modules.get(_RULES)
    if rules is not None:
        rules.get_constraint_cache()._store.clear()
