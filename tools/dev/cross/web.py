"""The page for browsers: `python -m tools.dev.cross.web --work build/web -o build/web/page`.

Libraries are built of Debian's source packages by its emscripten, into a prefix that cmake/toolchains/web.cmake
looks into; those that are headers alone are unpacked. Nothing is copied into the sources.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from pathlib import Path

from tools.dev.cross.debian import Apt, run, unpack

ROOT = Path(__file__).resolve().parents[3]
TOOLCHAIN = ROOT / "cmake" / "toolchains" / "web.cmake"
# Source package, and what its build needs.
BUILT = {
    "abseil": ["-DABSL_PROPAGATE_CXX_STD=ON", "-DBUILD_TESTING=OFF"],
    "fmtlib": ["-DFMT_TEST=OFF", "-DFMT_DOC=OFF"],
    "yaml-cpp": ["-DCMAKE_POLICY_VERSION_MINIMUM=3.5", "-DYAML_CPP_BUILD_TESTS=OFF", "-DYAML_CPP_BUILD_TOOLS=OFF", "-DYAML_CPP_BUILD_CONTRIB=OFF"],
}
HEADERS = ("nlohmann-json3-dev", "libprotozero-dev", "libtomlplusplus-dev", "libcli11-dev")


class Web:
    def __init__(self, work: Path, jobs: int, exceptions: str, optimize: str) -> None:
        self.work, self.jobs = work, jobs
        self.prefix = work / "prefix"
        # Without a run of the preprocessor of its own: that of emscripten takes as long as a compilation.
        self.environment = {"CCACHE_COMPILERTYPE": "clang", "CCACHE_DEPEND": "1", "NODE_PATH": "/usr/share/nodejs"}
        self.settings = [f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", f"-DQUANTGATE_SYSROOT={self.prefix}", "-DCMAKE_BUILD_TYPE=Release",
                         f"-DQUANTGATE_WEB_EXCEPTIONS={exceptions}", f"-DCMAKE_CXX_FLAGS_RELEASE={optimize} -DNDEBUG",
                         f"-DCMAKE_C_FLAGS_RELEASE={optimize} -DNDEBUG", "-DCMAKE_CXX_STANDARD=17"]  # fmt: skip
        if shutil.which("ccache"):
            self.settings.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")

    def cmake(self, source: Path, build: Path, *settings: str, targets: tuple[str, ...] = ()) -> None:
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", *self.settings, *settings, **self.environment)
        run("cmake", "--build", build, "-j", str(self.jobs), *(["--target", *targets] if targets else []), *(["--", "-k", "0"] if targets else []), **self.environment)

    def libraries(self) -> None:
        apt = Apt(self.work / "debian", sources=True)
        for name, settings in BUILT.items():
            stamp = self.prefix / f".{name}"
            if not stamp.exists():
                build = self.work / name
                self.cmake(apt.source(name), build, "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_INSTALL_PREFIX=/", *settings)
                run("cmake", "--install", build, "--prefix", self.prefix, **self.environment)
                self.without_gcc(self.prefix / "usr" / "lib" / "cmake")
                stamp.touch()
        if not (self.prefix / ".headers").exists():
            unpack(apt.download(*HEADERS), self.prefix)
            (self.prefix / ".headers").touch()
        # Headers that stand before those of the compiler's library.
        shutil.copytree(TOOLCHAIN.with_suffix(""), self.prefix / "usr" / "include", dirs_exist_ok=True)

    @staticmethod
    def without_gcc(folder: Path) -> None:
        """Debian's Abseil asks for a library of GCC, which the linker of WebAssembly has not."""
        for path in folder.rglob("*.cmake"):
            text = path.read_text()
            path.write_text(re.sub(r";?(-Wl,--push-state,--as-needed|-latomic|\\\$<LINK_ONLY:-latomic>|-Wl,--pop-state)(?=[;\"])", "", text))

    def page(self, out: Path, opdefc: str) -> None:
        build = self.work / "build"
        self.cmake(ROOT, build, "-DCMAKE_CXX_STANDARD=20", f"-DQUANTGATE_OPDEFC={opdefc}", targets=("quantgate_page",))
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(build / "tools" / "web" / "page", out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--opdefc", required=True, help="of a build for this machine")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--exceptions", default="-fwasm-exceptions", help="-fwasm-exceptions unless given")
    parser.add_argument("--optimize", default="-Oz", help="-Oz unless given")
    parser.add_argument("--libraries-only", action="store_true", help="build no page")
    arguments = parser.parse_args()
    web = Web(arguments.work.resolve(), arguments.jobs, arguments.exceptions, arguments.optimize)
    web.libraries()
    if not arguments.libraries_only:
        web.page(arguments.out.resolve(), arguments.opdefc)


if __name__ == "__main__":
    main()
