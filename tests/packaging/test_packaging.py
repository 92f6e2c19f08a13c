"""What is installed: a program outside of quantgate is built against it and run.

QUANTGATE_BUILD names the build to install from. QUANTGATE_COMPILERS (default: c++) is a list of
compilers to build that program with; QUANTGATE_SUBDIRECTORY=1 also builds it with the sources of
quantgate as a folder of its build, which compiles all of quantgate again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests/packaging/consumer"
EXAMPLE = ROOT / "docs/examples/embed/check.cpp"
MODEL = ROOT / "docs/examples/planted.onnx"
BUILD = Path(os.environ["QUANTGATE_BUILD"])
CLI = os.environ["QUANTGATE_CLI"]
COMPILERS = os.environ.get("QUANTGATE_COMPILERS", "c++").split()


def run(*command: object, **options: object) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options  # type: ignore[call-overload]
    )
    if done.returncode not in (0, 1):
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Packaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="quantgate-packaging-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "usr"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.library = next(cls.prefix.rglob("libquantgate.so"))
        cls.environment = dict(os.environ, LD_LIBRARY_PATH=str(cls.library.parent))

    def answers_as_the_tool(self, program: Path) -> None:
        report = json.loads(run(program, "SM8550", MODEL, env=self.environment))
        expected = json.loads(run(CLI, "check", MODEL, "--soc", "SM8550", "--isolated", "--format", "json"))
        expected["tool"] = report["tool"]
        self.assertEqual(report, expected)
        self.assertTrue(report["findings"])

    def build(self, compiler: str, *arguments: object) -> Path:
        build = Path(tempfile.mkdtemp(dir=self.folder))
        run("cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DEXAMPLE={EXAMPLE}", *arguments)
        run("cmake", "--build", build)
        # What the umbrella header leaves out is linked by a program of its own.
        subprocess.run([build / "tour"], check=True, env=self.environment)
        return build / "consumer"

    def test_the_float_reference_is_where_the_tool_looks(self) -> None:
        """bin/../share/quantgate (core/oracle/python_module.cc), whole and without what Python leaves there."""
        folder = self.prefix / "share" / "quantgate" / "reference"
        source = ROOT / "tools" / "quantgate" / "python" / "reference"
        self.assertEqual({path.name for path in folder.iterdir()}, {path.name for path in source.iterdir() if path.suffix in (".py", ".txt")})

    def test_find_package(self) -> None:
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.answers_as_the_tool(self.build(compiler, f"-DCMAKE_PREFIX_PATH={self.prefix}"))

    @unittest.skipUnless(os.environ.get("QUANTGATE_SUBDIRECTORY"), "tools/dev/qgdev test packaging does it")
    def test_add_subdirectory(self) -> None:
        self.answers_as_the_tool(self.build(COMPILERS[0], f"-DQUANTGATE_SOURCE={ROOT}"))

    @unittest.skipUnless(os.environ.get("QUANTGATE_SUBDIRECTORY"), "tools/dev/qgdev test packaging does it")
    def test_static_library(self) -> None:
        build, prefix = self.folder / "static", self.folder / "static_usr"
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILERS[0]}",
            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DQUANTGATE_TESTS=OFF",
            "-DQUANTGATE_BENCHMARKS=OFF", "-DQUANTGATE_CLI=OFF")
        run("cmake", "--build", build)
        run("cmake", "--install", build, "--prefix", prefix)
        self.assertTrue(list(prefix.rglob("libquantgate.a")))
        self.answers_as_the_tool(self.build(COMPILERS[0], f"-DCMAKE_PREFIX_PATH={prefix}"))

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self) -> None:
        found = dict(os.environ, PKG_CONFIG_PATH=str(self.library.parent / "pkgconfig"))
        # The .pc file names the prefix that CMake was configured with.
        define = f"--define-variable=prefix={self.prefix}"
        flags = run("pkg-config", define, "--cflags", "--libs", "quantgate", env=found).split()
        program = self.folder / "with_pkg_config"
        run(COMPILERS[0], "-std=c++20", CONSUMER / "consumer.cc", "-o", program, *flags)
        self.answers_as_the_tool(program)

    def test_the_example_links_the_c_library_alone(self) -> None:
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                program = self.folder / "example"
                run(compiler, "-std=c++17", "-fno-exceptions", "-Wall", "-Wextra", "-Werror", EXAMPLE,
                    f"-I{self.prefix}/include", f"-L{self.library.parent}", "-lquantgate_c", "-o", program)
                self.answers_as_the_tool(program)
                needed = set(re.findall(r"NEEDED.*\[([\w+-]+)\.so", run("readelf", "-d", program)))
                self.assertLessEqual(needed, {"libquantgate_c", "libstdc++", "libgcc_s", "libm", "libc"})

    def test_the_library_shows_public_symbols_only(self) -> None:
        headers = "".join(path.read_text() for path in (self.prefix / "include/quantgate").glob("*.h*"))
        shown = run("nm", "-DC", "--defined-only", self.library).splitlines()
        self.assertGreater(len(shown), 50)
        for line in shown:
            name = line.split(" ", 2)[2]
            words = re.match(r"(?:std::[^()]*? )?quantgate::(\w+)(?:\[abi:\w+\])?(?:::~?(\w+))?", name)
            self.assertIsNotNone(words, name)
            assert words is not None
            self.assertIn(words.group(1), headers, name)

    def test_the_library_has_a_version(self) -> None:
        version = run(CLI, "--version").split()[1]
        soname = run("readelf", "-d", self.library)
        self.assertIn(f"libquantgate.so.{version.rpartition('.')[0]}]", soname)
        self.assertTrue((self.library.parent / f"libquantgate.so.{version}").is_file())

    def test_headers_stand_alone(self) -> None:
        headers = sorted(path.name for path in (self.prefix / "include/quantgate").glob("*.h*"))
        self.assertLessEqual({"quantgate.h", "quantgate.hpp", "policy.h", "report_formats.h"}, set(headers))
        page = (ROOT / "docs/guide/embedding.md").read_text()
        for header in set(headers) - {"export.h", "as_run.h", "consequence.h", "version.h"}:
            self.assertIn(header, page)
        for header in headers:
            with self.subTest(header=header):
                run(COMPILERS[0], "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++",
                    f"-I{self.prefix}/include", self.prefix / "include/quantgate" / header)

    @unittest.skipUnless(shutil.which("conan"), "tools/dev/qgdev test packaging installs Conan")
    def test_the_conan_recipe_resolves(self) -> None:
        recipe = ROOT / "tools/packaging/conan"
        home = dict(os.environ, CONAN_HOME=str(self.folder / "conan"))
        graph = json.loads(run("conan", "graph", "info", recipe, "-pr:a", recipe / "debian12.profile",
                               "--no-remote", "--format", "json", env=home))
        root = graph["graph"]["nodes"]["0"]
        self.assertEqual(root["version"], run(CLI, "--version").split()[1])
        self.assertIn("abseil", {node["ref"].split("/")[0] for node in root["dependencies"].values()})

    def test_the_vcpkg_port_has_its_parts(self) -> None:
        port = ROOT / "tools/packaging/vcpkg/ports/quantgate"
        manifest = json.loads((port / "vcpkg.json").read_text())
        self.assertEqual(manifest["version"], run(CLI, "--version").split()[1])
        script = (port / "portfile.cmake").read_text()
        for call in ("vcpkg_cmake_configure(", "vcpkg_cmake_install(", "vcpkg_install_copyright("):
            self.assertIn(call, script)
        for feature in manifest["features"]:
            self.assertIn(f"  {feature} QUANTGATE_CLI", script)
        source = re.search(r'CMAKE_CURRENT_LIST_DIR}/([./]+)"', script)
        assert source is not None
        self.assertTrue((port / source.group(1) / "CMakeLists.txt").samefile(ROOT / "CMakeLists.txt"))

    def test_the_command_line_comes_with_it(self) -> None:
        self.assertTrue((self.prefix / "bin/quantgate").is_file())
        self.assertTrue((self.prefix / "libexec/quantgate/quantgate-import").is_file())
        share = self.prefix / "share"
        self.assertIn(".TH QUANTGATE 1", (share / "man/man1/quantgate.1").read_text())
        for file in ("bash-completion/completions/quantgate", "zsh/site-functions/_quantgate",
                     "fish/vendor_completions.d/quantgate.fish"):
            self.assertIn("quantgate", (share / file).read_text())


if __name__ == "__main__":
    unittest.main()
