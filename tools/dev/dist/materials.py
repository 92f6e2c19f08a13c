"""What of others is in the files of a release: licences, and a bill of materials in the form of CycloneDX."""

from __future__ import annotations

import json
import re
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Material:
    name: str  # what people call it
    package: str  # Debian's, whose version and copyright file are those of what is built in
    licence: str  # an SPDX expression
    parts: tuple[str, ...]  # "cli", "wheel", "web"


MATERIALS = (
    Material("abseil-cpp", "libabsl-dev", "Apache-2.0", ("cli", "wheel", "web")),
    Material("fmt", "libfmt-dev", "MIT", ("cli", "wheel", "web")),
    Material("yaml-cpp", "libyaml-cpp-dev", "MIT", ("cli", "wheel", "web")),
    Material("nlohmann-json", "nlohmann-json3-dev", "MIT", ("cli", "wheel", "web")),
    Material("protozero", "libprotozero-dev", "BSD-2-Clause", ("cli", "wheel", "web")),
    Material("tomlplusplus", "libtomlplusplus-dev", "MIT", ("cli", "web")),
    Material("CLI11", "libcli11-dev", "BSD-3-Clause", ("cli", "wheel", "web")),
    Material("libstdc++", "libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1", ("cli",)),
    Material("emscripten", "emscripten", "MIT", ("web",)),
    Material("glibc", "libc6-dev", "LGPL-2.1-or-later", ("cli",)),
)


def version_of(package: str) -> str:
    """Of the system's package; "" where it is not installed, or this is no Debian."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def used(*parts: str) -> list[Material]:
    return [material for material in MATERIALS if set(parts) & set(material.parts) and version_of(material.package)]


def notices(*parts: str) -> str:
    """The licences of what is built in, as the system's packages carry them."""
    text = "What of others is in the programs of this archive, with its licence as Debian's package carries it.\n"
    for material in used(*parts):
        copyright = Path("/usr/share/doc") / material.package / "copyright"
        if not copyright.is_file():
            raise SystemExit(f"error: {copyright} is missing: the licence of {material.name} has to go along")
        text += f"\n{'=' * 78}\n{material.name} {version_of(material.package)} ({material.licence})\n{'=' * 78}\n\n"
        text += copyright.read_text(errors="replace").rstrip() + "\n"
    return text


def python_materials(requirements: Path) -> list[dict[str, object]]:
    """pybind11 is built into the module of the wheel."""
    found = re.search(r"^pybind11==([\w.]+)$", requirements.read_text(), re.M)
    if found is None:
        return []
    return [{"type": "library", "bom-ref": "pkg:pypi/pybind11", "name": "pybind11", "version": found[1],
             "purl": f"pkg:pypi/pybind11@{found[1]}", "licenses": [{"expression": "BSD-3-Clause"}],
             "properties": [{"name": "quantgate:part", "value": "wheel"}]}]  # fmt: skip


def component(material: Material, distribution: str) -> dict[str, object]:
    version = version_of(material.package)
    return {"type": "library", "bom-ref": f"pkg:deb/{material.package}", "name": material.name, "version": version,
            "purl": f"pkg:deb/debian/{material.package}@{version}?distro={distribution}",
            "licenses": [{"expression": material.licence}],
            "properties": [{"name": "quantgate:part", "value": part} for part in material.parts]}  # fmt: skip


def distribution() -> str:
    text = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    found = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)', text, re.M))
    return "-".join(filter(None, (found.get("ID", "linux"), found.get("VERSION_ID", ""))))


def bill(version: str, hashes: dict[str, str], epoch: int, requirements: Path) -> str:
    """CycloneDX 1.5 of a release: its files by SHA-256, and what is built into them."""
    own = [{"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": [{"alg": "SHA-256", "content": sha}]}
           for name, sha in sorted(hashes.items())]  # fmt: skip
    libraries = [component(material, distribution()) for material in used("cli", "wheel")] + python_materials(requirements)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    tool = {"type": "application", "bom-ref": "quantgate", "name": "quantgate", "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}], "purl": f"pkg:generic/quantgate@{version}"}  # fmt: skip
    body = {"metadata": {"timestamp": when, "component": tool}, "components": libraries + own,
            "dependencies": [{"ref": "quantgate", "dependsOn": [each["bom-ref"] for each in libraries]}]}  # fmt: skip
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return json.dumps({**head, **body}, indent=1) + "\n"
