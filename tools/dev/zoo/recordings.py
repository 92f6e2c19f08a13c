"""The recordings: models and labels of exports, in bundles, without anything but the standard library.

A bundle, compressed by xz, holds NAME-EXPORTER/FORM.onnx and NAME-EXPORTER/labels.json of many exports: what networks
have in common is stored once. It begins with a line a file, its name and its length, and an empty line; then come the
files. The models in it are written as in forms.py, vectors.py and names.py, in this order.
models/ has a bundle for each library; what is held out lies in held_out/ until it is scored.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

import forms
import names
import vectors
from places import RECORDED, Export

FOLDERS = {"development": RECORDED / "models", "held_out": RECORDED / "held_out"}
ENDING = ".xz"
# Nothing in these files is aligned: without the bits of the position, and with more of the byte before, they are 2 %
# smaller.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 27, "pb": 0, "lc": 4}]


Files = dict[str, dict[str, bytes]]  # {export: {file: content}}


@dataclass(frozen=True)
class Recording:
    export: Export
    files: dict[str, bytes]

    def labels(self) -> dict:
        return json.loads(self.files["labels.json"])

    def models(self) -> dict[str, bytes]:
        return {Path(name).stem: data for name, data in self.files.items() if name.endswith(".onnx")}


def bundle_of(text: str, held_out: bool) -> Path:
    """The bundle that an export lies in: that of its library, or of what is held out."""
    part = "held_out" if held_out else "development"
    return FOLDERS[part] / ((part if held_out else text.split("_")[0]) + ENDING)


def architecture(text: str) -> str:
    """That of an export."""
    return text.rsplit("-", 1)[0]


def _entries(path: Path, architectures: Container[str] | None = None) -> Files:
    """What a bundle holds, as it is stored; nothing where there is none."""
    exports: Files = {}
    if path.exists():
        head, _, content = lzma.decompress(path.read_bytes()).partition(b"\n\n")
        at = 0
        for line in head.decode().splitlines():
            place, length = line.split(" ")
            export, name = place.split("/")
            if architectures is None or architecture(export) in architectures:
                exports.setdefault(export, {})[name] = content[at:at + int(length)]
            at += int(length)
    return exports


def _packed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: names.packed(vectors.packed(data)) if name.endswith(".onnx") else data
            for name, data in forms.packed(files).items()}


def _unpacked(files: dict[str, bytes]) -> dict[str, bytes]:
    return forms.unpacked({name: vectors.unpacked(names.unpacked(data)) if name.endswith(".onnx") else data
                           for name, data in files.items()})


def read(path: Path, architectures: Container[str] | None = None) -> Files:
    """{export: {file: content}} of a bundle, or of these architectures in it."""
    return {export: _unpacked(files) for export, files in _entries(path, architectures).items()}


def _write(path: Path, exports: Files) -> None:
    parts = [(f"{export}/{name}", data) for export, files in sorted(exports.items()) for name, data in files.items()]
    head = "".join(f"{place} {len(data)}\n" for place, data in parts).encode()
    packed = head + b"\n" + b"".join(data for _, data in parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(packed, check=lzma.CHECK_CRC32, filters=FILTERS))


def write(path: Path, exports: Files) -> None:
    _write(path, {export: _packed(files) for export, files in exports.items()})


def add(exports: Files, held_out: bool) -> list[Path]:
    """Writes exports into the bundles that they belong in, and says which."""
    bundles: dict[Path, Files] = {}
    for text, files in exports.items():
        bundles.setdefault(bundle_of(text, held_out), {})[text] = _packed(files)
    for path, more in bundles.items():
        _write(path, _entries(path) | more)
    return list(bundles)


def recordings(architectures: list[str], folder: Path) -> Iterator[Recording]:
    """Of architectures, in the order of the exports' names."""
    found = {}
    libraries = {name.split("_")[0] for name in architectures}
    for path in folder.glob(f"*{ENDING}"):
        if folder != FOLDERS["development"] or path.name.removesuffix(ENDING) in libraries:
            found |= read(path, set(architectures))
    for text in sorted(found):
        name, exporter = text.rsplit("-", 1)
        yield Recording(Export(name, exporter), found[text])
