"""Reads the recordings: models and labels of exports, without anything but the standard library."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from places import RECORDED, Export

FOLDERS = {"development": RECORDED / "models", "held_out": RECORDED / "held_out"}


@dataclass(frozen=True)
class Recording:
    export: Export
    folder: Path

    def labels(self) -> dict:
        return json.loads(lzma.decompress((self.folder / f"{self.export}.labels.json.xz").read_bytes()))

    def models(self) -> dict[str, bytes]:
        packed = lzma.decompress((self.folder / f"{self.export}.models.tar.xz").read_bytes())
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            return {Path(entry.name).stem: tar.extractfile(entry).read() for entry in tar}


def recordings(names: list[str], folder: Path) -> Iterator[Recording]:
    for path in sorted(folder.glob("*.models.tar.xz")):
        name, exporter = path.name.split(".")[0].rsplit("-", 1)
        if name in names:
            yield Recording(Export(name, exporter), folder)
