"""The backend libraries of the package onnxruntime-qnn, one release for each QNN SDK."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import zipfile

PACKAGE = "onnxruntime-qnn"
RELEASES = {"2.47": "2.3.0", "2.48": "2.4.0", "2.49": "2.5.0", "2.50": "2.6.0", "2.51": "2.7.0"}
LIBRARIES = {"htp": "libQnnHtp.so", "cpu": "libQnnCpu.so"}


def library(folder: pathlib.Path, sdk: str, backend: str = "htp") -> pathlib.Path:
    """The library under `folder`, fetched with pip where it isn't there yet."""
    if sdk not in RELEASES:
        raise ValueError(f"no release of {PACKAGE} carries SDK {sdk}: {', '.join(RELEASES)}")
    unpacked = folder / sdk
    path = unpacked / "onnxruntime_qnn" / LIBRARIES[backend]
    if path.exists():
        return path
    unpacked.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "3.11",
         "-d", str(unpacked), f"{PACKAGE}=={RELEASES[sdk]}"],
        check=True,
    )  # fmt: skip
    for wheel in unpacked.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        wheel.unlink()
    if not path.exists():
        raise ValueError(f"{PACKAGE} {RELEASES[sdk]} has no {LIBRARIES[backend]}")
    return path
