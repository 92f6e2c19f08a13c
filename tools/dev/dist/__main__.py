"""Builds the files of a release into a folder: `python -m tools.dev.dist -o build/dist/files`.

The same sources give the same bytes, wherever and whenever: times are those of SOURCE_DATE_EPOCH (else of the
newest commit), no program holds the name of a folder (there is no debug information and no assertion in it),
archives are written in order. `qgdev test dist` builds a second time, elsewhere, and compares.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.dev.dist import archives, materials

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = ROOT / "tools" / "dev" / "dist" / "requirements.txt"
# Debian's names of processors.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def run(*words: str | Path, **environment: str) -> str:
    done = subprocess.run([str(word) for word in words], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout, file=sys.stderr, end="")
        raise SystemExit(f"error: {words[0]}: exit status {done.returncode}")
    return done.stdout


def version() -> str:
    found = re.search(r"project\(quantgate VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


def epoch() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    if (ROOT / ".git").exists():
        return int(run("git", "log", "-1", "--format=%ct"))
    raise SystemExit("error: no git repository: set SOURCE_DATE_EPOCH to the time of the release, in seconds")


class Dist:
    def __init__(self, out: Path, work: Path, jobs: int, pythons: list[str], machine: str = "") -> None:
        self.out, self.work, self.jobs, self.pythons = out, work, jobs, pythons
        self.version, self.epoch = version(), epoch()
        self.machine = machine or os.uname().machine
        work.mkdir(parents=True, exist_ok=True)
        self.environment = {"SOURCE_DATE_EPOCH": str(self.epoch), "TZ": "UTC",
                            # Of a file that is compiled by itself it is known that it has the same bytes each time.
                            "CMAKE_ARGS": "-DQUANTGATE_PRECOMPILED=OFF",
                            "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs),
                            "CXX": os.environ.get("CXX", "c++"), "CXXFLAGS": "", "LDFLAGS": "", "QUANTGATE_WERROR": "ON"}  # fmt: skip

    def run(self, *words: str | Path) -> str:
        return run(*words, **self.environment)

    # ---- the command line -------------------------------------------------------------------------

    def programs(self) -> Path:
        """What a prefix holds: bin, libexec, share."""
        # At the depth of build/: ccache tells objects apart by relative paths.
        build, prefix = ROOT / "build-dist", self.work / "prefix"
        shutil.rmtree(prefix, ignore_errors=True)
        self.run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_PREFIX=/usr",
                 "-DQUANTGATE_STATIC=ON", "-DQUANTGATE_TESTS=OFF", "-DQUANTGATE_BENCHMARKS=OFF", self.environment["CMAKE_ARGS"])  # fmt: skip
        self.run("cmake", "--build", build, "-j", str(self.jobs), "--target", "quantgate_cli", "quantgate_printed")
        self.run("cmake", "--install", build, "--prefix", prefix, "--component", "cli", "--strip")
        return prefix

    def archive(self, prefix: Path) -> None:
        name = f"quantgate-{self.version}-linux-{self.machine}"
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prefix, folder)
        for file in ("LICENSE", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / file, folder / file)
        (folder / "NOTICES").write_text(materials.notices("cli"))
        archives.tar_gz(folder, name, self.out / f"{name}.tar.gz", self.epoch)

    def debian(self, prefix: Path) -> None:
        machine = DEBIAN.get(self.machine, self.machine)
        folder = self.work / "debian"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prefix, folder / "usr")
        doc = folder / "usr/share/doc/quantgate"
        doc.mkdir(parents=True)
        (doc / "copyright").write_text(f"{(ROOT / 'LICENSE').read_text().rstrip()}\n\n{materials.notices('cli')}")
        (doc / "NEWS").write_text((ROOT / "CHANGELOG.md").read_text())
        size = sum(path.stat().st_size for path in archives.files_of(folder) if path.is_file()) // 1024
        sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
                       for path in archives.files_of(folder) if path.is_file())  # fmt: skip
        control = folder / "DEBIAN"
        control.mkdir()
        (control / "md5sums").write_text(sums)
        (control / "control").write_text(
            f"Package: quantgate\nVersion: {self.version}\nArchitecture: {machine}\nMaintainer: quantgate <noreply@users.noreply.github.com>\n"
            f"Installed-Size: {size}\nSection: devel\nPriority: optional\nRecommends: libxml2\nSuggests: python3\n"
            "Description: Checks whether a quantized model fits an NPU\n"
            " Says which nodes a chip refuses, which run and compute wrong numbers, and\n"
            " what to change. libxml2 is for `quantgate import` alone, Python for sweeps\n"
            " and for `quantgate verify --execute`.\n")  # fmt: skip
        archives.settle(folder, self.epoch)
        target = self.out / f"quantgate_{self.version}_{machine}.deb"
        self.run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, target)

    # ---- Python ---------------------------------------------------------------------------------

    def sdist(self) -> None:
        code = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
        name = self.run(self.pythons[0], "-c", code, self.work).strip().splitlines()[-1]
        folder = self.work / "sdist"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.unpack_archive(self.work / name, folder)
        archives.tar_gz(next(folder.iterdir()), name.removesuffix(".tar.gz"), self.out / name, self.epoch)

    def wheel(self, python: str) -> None:
        raw, repaired = self.work / "wheel", self.work / "repaired"
        for folder in (raw, repaired):
            shutil.rmtree(folder, ignore_errors=True)
        self.run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps",
                 "--no-index", "--config-settings=build-dir=build-dist-python-{wheel_tag}", "-w", raw, ".")  # fmt: skip
        [wheel] = glob.glob(f"{raw}/*.whl")
        self.environment["PATH"] = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        self.run(python, "-m", "auditwheel", "repair", "-w", repaired, wheel)
        [wheel] = glob.glob(f"{repaired}/*.whl")
        archives.same_zip(Path(wheel), self.out / Path(wheel).name, self.epoch)

    # ---- what says what is in it ------------------------------------------------------------------

    def sums(self) -> dict[str, str]:
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(self.out.iterdir())}

    def finish(self) -> None:
        bill = self.out / f"quantgate-{self.version}.cdx.json"
        bill.write_text(materials.bill(self.version, self.sums(), self.epoch, REQUIREMENTS))
        (self.out / "SHA256SUMS").write_text("".join(f"{sha}  {name}\n" for name, sha in self.sums().items()))


def print_sums(sums: dict[str, str], folder: Path) -> None:
    for name, sha in sums.items():
        print(f"{(folder / name).stat().st_size / 1e6:8.2f} MB  {sha[:12]}  {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="of what is built on the way; beside OUT unless given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--python", action="append", default=[], help="with scikit-build-core, pybind11 and auditwheel; no wheel and sdist without; may be repeated")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    work = (arguments.work or out.parent / "work").resolve()
    shutil.rmtree(out, ignore_errors=True)
    os.umask(0o022)
    out.mkdir(parents=True)
    dist = Dist(out, work, arguments.jobs, arguments.python)
    prefix = dist.programs()
    dist.archive(prefix)
    dist.debian(prefix)
    if arguments.python:
        dist.sdist()
        for python in arguments.python:
            dist.wheel(python)
    dist.finish()
    print_sums({name: sha for name, sha in dist.sums().items() if name != "SHA256SUMS"}, out)


if __name__ == "__main__":
    main()
