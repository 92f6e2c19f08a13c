#!/usr/bin/env python3
"""Prints SDK=LIBRARY for the HTP libraries that packages of onnxruntime-qnn carry.

    libraries.py --folder build/qnn 2.47 2.51     downloads what is missing (about 100 MB each)
    libraries.py --installed                      of the package in .venv, if there is one

An SDK whose package can't be had is left out, with a line on stderr. Nothing of the packages is
ever kept in the repository.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Each release of the package carries one QNN (its libraries say which: `build` in recorded/).
RELEASES = {"2.47": "2.3.0", "2.48": "2.4.0", "2.49": "2.5.0", "2.50": "2.6.0", "2.51": "2.7.0"}
LIBRARY = Path("onnxruntime_qnn") / "libQnnHtp.so"


def download(sdk: str, folder: Path) -> Path | None:
    target = folder / sdk
    if not (target / LIBRARY).is_file():
        target.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary", ":all:", "--dest", str(target), f"onnxruntime-qnn=={RELEASES[sdk]}"]  # fmt: skip
        if subprocess.run(command, check=False).returncode != 0:
            print(f"libraries: no onnxruntime-qnn {RELEASES[sdk]} for this system, Python or network: without {sdk}", file=sys.stderr)
            return None
        for wheel in target.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(target)
            wheel.unlink()
    return target / LIBRARY if (target / LIBRARY).is_file() else None


def installed() -> tuple[str, Path] | None:
    for library in sorted(ROOT.glob(f".venv/lib/python3*/site-packages/{LIBRARY}")):
        for info in library.parents[1].glob("onnxruntime_qnn-*.dist-info"):
            release = info.name.split("-")[1].removesuffix(".dist")
            for sdk, known in RELEASES.items():
                if known == release:
                    return sdk, library
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("sdks", nargs="*", choices=[[], *RELEASES])
    args = parser.parse_args()
    found = {}
    if args.installed and (own := installed()):
        found[own[0]] = own[1]
    for sdk in args.sdks:
        if args.folder and (library := download(sdk, args.folder)):
            found[sdk] = library
    print(" ".join(f"{sdk}={path}" for sdk, path in sorted(found.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
