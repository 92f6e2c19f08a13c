"""The recordings: models and labels of exports, in bundles, without anything but the standard library.

A bundle is a .tar.xz with NAME-EXPORTER/FORM.onnx and NAME-EXPORTER/labels.json of many exports: what networks
have in common is stored once. models/ has one for the architectures of each library that were never held out,
and one for each draw; what is held out lies in held_out/ until it is scored.
"""

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
ENDING = ".tar.xz"
# Nothing in these files is aligned: without the bits of the position they are 2 % smaller.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 27, "pb": 0}]


@dataclass(frozen=True)
class Recording:
    export: Export
    files: dict[str, bytes]

    def labels(self) -> dict:
        return json.loads(self.files["labels.json"])

    def models(self) -> dict[str, bytes]:
        return {Path(name).stem: data for name, data in self.files.items() if name.endswith(".onnx")}


def bundle_of(export: Export, drawn: list[list[str]]) -> str:
    """The bundle that an export lies in: that of its draw, or of its library."""
    draw = next((i for i, names in enumerate(drawn, 1) if export.name in names), 0)
    return f"draw_{draw}" if draw else export.name.split("_")[0]


def read(path: Path) -> dict[str, dict[str, bytes]]:
    """{export: {file: content}} of a bundle; nothing where there is none."""
    exports: dict[str, dict[str, bytes]] = {}
    if path.exists():
        with tarfile.open(fileobj=io.BytesIO(lzma.decompress(path.read_bytes()))) as tar:
            for entry in tar:
                export, name = entry.name.split("/")
                exports.setdefault(export, {})[name] = tar.extractfile(entry).read()
    return exports


def write(path: Path, exports: dict[str, dict[str, bytes]]) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for export, files in sorted(exports.items()):
            for name, data in files.items():
                entry = tarfile.TarInfo(f"{export}/{name}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(packed.getvalue(), check=lzma.CHECK_CRC32, filters=FILTERS))


def recordings(names: list[str], folder: Path) -> Iterator[Recording]:
    """Of architectures, in the order of the exports' names."""
    found = {}
    for path in folder.glob(f"*{ENDING}"):
        found |= read(path)
    for text in sorted(found):
        name, exporter = text.rsplit("-", 1)
        if name in names:
            yield Recording(Export(name, exporter), found[text])
