"""The command line for 64-bit ARM Linux: `python -m tools.dev.cross.arm64 --work build/arm64 -o build/arm64/files`.

Debian's cross compiler builds it with headers and libraries of arm64 packages, which are unpacked into a folder: nothing
of another architecture is installed. Programs of the build, its tests too, run under qemu-user.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from tools.dev.cross.debian import Apt, merged, run, unpack
from tools.dev.dist.__main__ import Dist, print_sums

ROOT = Path(__file__).resolve().parents[3]
TOOLCHAIN = ROOT / "cmake" / "toolchains" / "arm64.cmake"
PACKAGES = ("libc6-dev", "libabsl-dev", "libprotobuf-dev", "libprotozero-dev", "libyaml-cpp-dev", "libfmt-dev", "nlohmann-json3-dev",
            "libtomlplusplus-dev", "libxml2-dev", "libcli11-dev", "libgtest-dev", "libgmock-dev")  # fmt: skip


class Arm64:
    def __init__(self, work: Path, jobs: int) -> None:
        self.work, self.jobs = work, jobs
        self.sysroot, self.build = work / "sysroot", work / "build"

    def packages(self) -> None:
        """What this machine's own packages are, for arm64."""
        stamp = self.work / "unpacked"
        if stamp.exists() and stamp.read_text() == " ".join(PACKAGES):
            return
        shutil.rmtree(self.sysroot, ignore_errors=True)
        debs = Apt(self.work / "debian", architecture="arm64").closure(*PACKAGES)
        merged(self.sysroot)
        unpack(debs, self.sysroot)
        stamp.write_text(" ".join(PACKAGES))

    def compile(self, *targets: str) -> None:
        """Its opdefc compiles the database too, emulated: what it writes is compared with this machine's."""
        run("cmake", "-S", ROOT, "-B", self.build, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", f"-DQUANTGATE_SYSROOT={self.sysroot}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_PREFIX=/usr", "-DQUANTGATE_STATIC=ON", "-DQUANTGATE_BENCHMARKS=OFF",
            f"-DPython3_EXECUTABLE={sys.executable}")  # fmt: skip
        run("cmake", "--build", self.build, "-j", str(self.jobs), *(["--target", *targets] if targets else []))

    def files(self, out: Path) -> None:
        """As `qgdev dist` makes them for the machine that it runs on."""
        prefix = self.work / "prefix"
        shutil.rmtree(prefix, ignore_errors=True)
        run("cmake", "--install", self.build, "--prefix", prefix, "--component", "cli", "--strip")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        dist = Dist(out, self.work / "files of a release", self.jobs, [], machine="aarch64")
        dist.archive(prefix)
        dist.debian(prefix)
        print_sums(dist.sums(), out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tests", action="store_true", help="build them too")
    arguments = parser.parse_args()
    os.umask(0o022)
    arm64 = Arm64(arguments.work.resolve(), arguments.jobs)
    arm64.work.mkdir(parents=True, exist_ok=True)
    arm64.packages()
    arm64.compile(*([] if arguments.tests else ["quantgate_cli", "quantgate_printed"]))
    arm64.files(arguments.out.resolve())


if __name__ == "__main__":
    main()
