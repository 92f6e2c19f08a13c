"""The recordings: models and labels of exports, in bundles, without anything but the standard library.

A bundle holds NAME-EXPORTER/FORM.onnx and NAME-EXPORTER/labels.json of many exports: what networks have in common is
stored once. It begins with a line a file, its name and its length, and an empty line, then come the files; the columns
follow in the same way. The columns of floats are an xz stream of their own. The models in it are written as in
forms.py, vectors.py, columns.py and names.py, in this order.
models/ has a bundle for each library, aimet/ one for what AIMET quantized; what is held out lies in held_out/ until
it is scored.
"""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

import columns
import forms
import names
import vectors
from places import RECORDED, Export, exported

FOLDERS = {"development": RECORDED / "models", "held_out": RECORDED / "held_out", "aimet": RECORDED / "aimet"}
ENDING = ".xz"
LZMA = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}
# Nothing in models without their numbers is aligned: without the bits of the position, and with more of the byte
# before, they are 2 % smaller.
BYTES = [LZMA | {"dict_size": 1 << 27, "pb": 0, "lc": 4}]
# Of the columns those of floats are words of 4 bytes.
WORDS = [LZMA | {"dict_size": 1 << 22, "pb": 2, "lp": 2, "lc": 0}]
FLOATS = (f"{vectors.FLOAT}.{vectors.FLOATS}", f"{vectors.FLOAT}.{vectors.RAW}")


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
    """The bundle that an export lies in: that of AIMET, of its library, or of what is held out."""
    if exported(text).by_aimet:
        return FOLDERS["aimet"] / ("aimet" + ENDING)
    part = "held_out" if held_out else "development"
    return FOLDERS[part] / ((part if held_out else text.split("_")[0]) + ENDING)


def _listed(parts: list[tuple[str, bytes]]) -> bytes:
    head = "".join(f"{name} {len(data)}\n" for name, data in parts).encode()
    return head + b"\n" + b"".join(data for _, data in parts)


def _parts(data: bytes) -> tuple[list[tuple[str, bytes]], bytes]:
    """What `_listed` has written, and what follows."""
    head, _, rest = (b"\n" + data).partition(b"\n\n")
    parts, at = [], 0
    for line in head.decode().split("\n")[1:]:
        name, length = line.split(" ")
        parts.append((name, rest[at:at + int(length)]))
        at += int(length)
    return parts, rest[at:]


def _entries(path: Path) -> Files:
    """What a bundle holds, its models with their numbers and names; nothing where there is none."""
    if not path.exists():
        return {}
    parts, rest = _parts(lzma.decompress(path.read_bytes()))
    numbers, rest = _parts(rest)
    joiner = columns.Joiner(dict(numbers + _parts(rest)[0]))
    exports: Files = {}
    for place, data in parts:
        export, name = place.split("/")
        exports.setdefault(export, {})[name] = joiner.joined(names.unpacked(data)) if _is_model(name) else data
    return exports


def _is_model(name: str) -> bool:
    return name.endswith(".onnx")


def _packed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: vectors.packed(data) if _is_model(name) else data for name, data in forms.packed(files).items()}


def _unpacked(files: dict[str, bytes]) -> dict[str, bytes]:
    return forms.unpacked({name: vectors.unpacked(data) if _is_model(name) else data for name, data in files.items()})


def read(path: Path, architectures: Container[str] | None = None) -> Files:
    """{export: {file: content}} of a bundle, or of these architectures in it."""
    return {export: _unpacked(files) for export, files in _entries(path).items()
            if architectures is None or exported(export).name in architectures}


def _write(path: Path, exports: Files) -> None:
    numbers: columns.Columns = defaultdict(bytearray)
    parts = [(f"{export}/{name}", names.packed(columns.split(data, numbers)) if _is_model(name) else data)
             for export, files in sorted(exports.items()) for name, data in files.items()]
    floats = [(name, bytes(numbers.pop(name))) for name in FLOATS if name in numbers]
    streams = ((BYTES, _listed(parts) + _listed([(name, bytes(data)) for name, data in sorted(numbers.items())])),
               (WORDS, _listed(floats)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lzma.compress(stream, check=lzma.CHECK_CRC32, filters=how) for how, stream in streams))


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
        yield Recording(exported(text), found[text])
