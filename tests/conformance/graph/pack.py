#!/usr/bin/env python3
"""Packs the models of models.py, without their weights, into models.tar.xz: pack.py CLI."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import onnx
from models import make, names


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, tarfile.open(Path(__file__).parent / "models.tar.xz", "w:xz") as packed:
        for name in names():
            path = Path(folder) / f"{name}.onnx"
            onnx.save(make(name), path)
            text = subprocess.run([sys.argv[1], "convert", str(path)], check=True, capture_output=True).stdout
            entry = tarfile.TarInfo(f"{name}.json")
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
