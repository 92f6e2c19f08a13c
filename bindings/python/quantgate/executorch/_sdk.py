"""The version of the backend's library that ExecuTorch would load."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import re
from pathlib import Path

_LIBRARY = "libQnnHtp.so"
_RELEASE = re.compile(r"\d+(\.\d+)+")
_BUILD = re.compile(rb"\bv(\d+)\.(\d+)\.\d+\.\d{6,}")
# Releases of onnxruntime-qnn carry the library: the QNN version of each, from 2.3 (QNN 2.47) on.
_PACKAGE, _FIRST_MINOR, _FIRST_QNN = "onnxruntime-qnn", 3, 47


def library_sdk() -> str | None:
    """'MAJOR.MINOR' of the library on QNN_SDK_ROOT or LD_LIBRARY_PATH, else of the installed
    onnxruntime-qnn; None where there is none, or where it doesn't say."""
    for folder in _folders():
        path = Path(folder) / _LIBRARY
        if path.is_file():
            return _of_package(path) or _of_file(path, path.stat().st_mtime_ns)
    return None


def sdk_for(sdk: str | None, backend: str, route: str | None) -> str | None:
    """`sdk`, and where nobody names one that of the library which ExecuTorch would load."""
    if sdk is None and backend == "htp" and (route is None or route.partition("@")[0] == "executorch"):
        return library_sdk()
    return sdk


def installed_route() -> str:
    """ExecuTorch's route, with the release that is installed: "executorch@1.5.1"."""
    try:
        version = _RELEASE.match(importlib.metadata.version("executorch"))
    except importlib.metadata.PackageNotFoundError:
        version = None
    return f"executorch@{version[0]}" if version else "executorch"


def _folders() -> list[str]:
    root = os.environ.get("QNN_SDK_ROOT")
    folders = [os.path.join(root, "lib", "x86_64-linux-clang")] if root else []
    folders += [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    spec = importlib.util.find_spec("onnxruntime_qnn")
    if spec is not None and spec.origin:
        folders.append(os.path.dirname(spec.origin))
    return folders


def _of_package(path: Path) -> str | None:
    if path.parent.name != "onnxruntime_qnn":
        return None
    try:
        version = importlib.metadata.version(_PACKAGE)
        major, minor = (int(part) for part in version.split(".")[:2])
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return None
    known = major == 2 and minor >= _FIRST_MINOR
    return f"2.{_FIRST_QNN + minor - _FIRST_MINOR}" if known else None


@functools.lru_cache(maxsize=8)
def _of_file(path: Path, _changed: int) -> str | None:
    """The library has its build's name in it: v2.49.0.260601..."""
    try:
        found = _BUILD.search(path.read_bytes())
    except OSError:
        return None
    return f"{int(found[1])}.{int(found[2])}" if found else None
