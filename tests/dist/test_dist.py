"""The files of a release, each installed and run where nothing of ours is: `tools/dev/qgdev test dist`.

QUANTGATE_DIST is the folder of `tools/dev/qgdev dist`; QUANTGATE_DIST_AGAIN, where it is given, that of a second
build elsewhere; QUANTGATE_DIST_PYTHONS has the Pythons that wheels were made for. Times go to QUANTGATE_DIST_TIMES
as JSON: `qgdev test dist --record` holds them to their bounds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import roots  # noqa: E402
from tools.dev.dist import page  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DIST = Path(os.environ["QUANTGATE_DIST"])
AGAIN = os.environ.get("QUANTGATE_DIST_AGAIN", "")
PYTHONS = list(filter(None, os.environ.get("QUANTGATE_DIST_PYTHONS", "").split(os.pathsep)))
# Of the sdist's build: what tools/setup.sh installs for it.
BUILD_PACKAGES = ("g++", "cmake", "ninja-build", "libabsl-dev", "libprotobuf-dev", "protobuf-compiler", "libprotozero-dev", "libyaml-cpp-dev",
                  "libfmt-dev", "nlohmann-json3-dev", "libtomlplusplus-dev", "libcli11-dev", "python3-dev", "python3-pip-whl",
                  "coreutils", "dash", "sed", "grep")  # fmt: skip
# What a Python that was built here is linked with.
PYTHON_PACKAGES = ("libc6", "libstdc++6", "zlib1g", "libffi8", "libssl3", "libbz2-1.0", "liblzma5", "coreutils", "dash")
USE = "import quantgate as qg; r = qg.check('/m/planted.onnx', soc='SM8550'); assert r.verdict == 'rejected'; print(len(r.findings))"
REQUIREMENTS = ROOT / "tools" / "dev" / "dist" / "requirements.txt"
MODEL = ROOT / "docs" / "examples" / "planted.onnx"
CHECK = ("check", "/m/planted.onnx", "--soc", "SM8550")
MISSING = roots.missing()
# A device that refuses nothing, to see that a library is loaded.
FAKE = sorted((ROOT / "tests" / "fake_backend").glob("*.cc"))
times: dict[str, float] = {}
# Others work on this machine too: processor time counts, and the least of some runs.
RUNS = 3


class Clock:
    """Processor time of this process and of those that it waited for; and wall time, to be reported."""

    def __init__(self) -> None:
        self.wall, self.processor = time.monotonic(), self.now()

    @staticmethod
    def now() -> float:
        return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

    def stop(self, what: str) -> None:
        for name, seconds in ((what, self.now() - self.processor), (f"{what} wall", time.monotonic() - self.wall)):
            times[name] = min(seconds, times.get(name, seconds))


def one(pattern: str) -> Path:
    [path] = DIST.glob(pattern)
    return path


def needed(program: Path) -> set[str]:
    shown = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"NEEDED.*\[([^\]]+)\]", shown))


def described(python: str) -> tuple[str, tuple[int, ...]]:
    """Where a Python is installed, and its version."""
    shown = subprocess.run([python, "-c", "import sys; print(sys.base_prefix, *sys.version_info[:2])"], capture_output=True, text=True, check=True)
    prefix, *version = shown.stdout.split()
    return prefix, tuple(map(int, version))


def tearDownModule() -> None:
    if name := os.environ.get("QUANTGATE_DIST_TIMES"):
        Path(name).write_text(json.dumps(times))


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="quantgate-dist-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        (self.root / "m").mkdir(parents=True)
        shutil.copy(MODEL, self.root / "m")

    def made_of(self, *names: str) -> None:
        try:
            roots.of_packages(self.root, *names)
        except LookupError as reason:
            self.skipTest(str(reason))

    def finds(self, done: subprocess.CompletedProcess[str]) -> None:
        """What check says of the planted mistakes."""
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("error[QG301]", done.stdout)


class Files(unittest.TestCase):
    def test_sums(self) -> None:
        listed = dict(reversed(line.split("  ")) for line in (DIST / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(listed), {path.name for path in DIST.iterdir()} - {"SHA256SUMS"})
        for name, sha in listed.items():
            self.assertEqual(hashlib.sha256((DIST / name).read_bytes()).hexdigest(), sha, name)

    def test_bill_of_materials(self) -> None:
        bill = json.loads(one("*.cdx.json").read_text())
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        files = {each["name"]: each["hashes"][0]["content"] for each in bill["components"] if each["type"] == "file"}
        for name, sha in files.items():
            self.assertEqual(hashlib.sha256((DIST / name).read_bytes()).hexdigest(), sha, name)
        self.assertEqual(set(files), {path.name for path in DIST.iterdir()} - {"SHA256SUMS", one("*.cdx.json").name})
        libraries = {each["name"]: each for each in bill["components"] if each["type"] == "library"}
        self.assertLessEqual({"abseil-cpp", "fmt", "yaml-cpp", "nlohmann-json", "protozero", "glibc"}, set(libraries))
        for each in libraries.values():
            self.assertTrue(each["version"] and each["licenses"][0]["expression"], each)
        references = {each["bom-ref"] for each in bill["components"]}
        self.assertLessEqual(set(bill["dependencies"][0]["dependsOn"]), references)

    def test_licences_go_along(self) -> None:
        with tarfile.open(one("*-linux-*.tar.gz")) as archive:
            [name] = [name for name in archive.getnames() if name.endswith("/NOTICES")]
            notices = archive.extractfile(name).read().decode()  # type: ignore[union-attr]
        for name in ("abseil-cpp", "fmt", "yaml-cpp", "nlohmann-json", "protozero", "CLI11", "tomlplusplus", "glibc", "libstdc++"):
            self.assertIn(f"\n{name} ", notices)

    def test_archives_have_order_and_one_time(self) -> None:
        for path in DIST.glob("*.tar.gz"):
            with tarfile.open(path) as archive:
                members = archive.getmembers()
            self.assertEqual(len({member.mtime for member in members}), 1, path.name)
            self.assertEqual({(member.uid, member.gid, member.uname) for member in members}, {(0, 0, "")})
            names = [member.name for member in members]
            self.assertEqual(names[1:], sorted(names[1:]))
        for path in DIST.glob("*.whl"):
            entries = zipfile.ZipFile(path).infolist()
            self.assertEqual(len({entry.date_time for entry in entries}), 1)

    def test_names_of_folders_stay_out(self) -> None:
        """Of this checkout and of this build."""
        with tarfile.open(one("*-linux-*.tar.gz")) as archive:
            for member in archive.getmembers():
                if member.isfile():
                    content = archive.extractfile(member).read()  # type: ignore[union-attr]
                    self.assertNotIn(str(ROOT).encode() + b"/", content, member.name)
        for path in DIST.glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    self.assertNotIn(str(ROOT).encode() + b"/", wheel.read(name), name)

    @unittest.skipUnless(AGAIN, "no second build to compare with")
    def test_a_second_build_elsewhere_gives_the_same_bytes(self) -> None:
        one, two = ({name: sha for sha, name in (line.split("  ") for line in (folder / "SHA256SUMS").read_text().splitlines())}
                    for folder in (DIST, Path(AGAIN)))  # fmt: skip
        self.assertEqual(one, two)
        kinds = {page.kind_of(name) for name in one}
        self.assertLessEqual({"static command line", "Debian package", *(["wheel", "sources (sdist)"] if PYTHONS else [])}, kinds)


@unittest.skipIf(MISSING, MISSING)
class Tool(Case):
    def unpack(self) -> str:
        """The archive, at /; the tool's path there."""
        with tarfile.open(one("*-linux-*.tar.gz")) as archive:
            archive.extractall(self.root)
            return f"/{archive.getnames()[0]}/bin/quantgate"

    def test_from_the_archive_to_a_verdict_in_an_empty_root(self) -> None:
        for attempt in range(RUNS):
            self.root = self.root.with_name(f"root{attempt}")
            shutil.copytree(MODEL.parent, self.root / "m", ignore=lambda _, names: set(names) - {MODEL.name})
            clock = Clock()
            tool = self.unpack()
            done = roots.enter(self.root, tool, *CHECK)
            clock.stop("archive")
            self.finds(done)
        self.assertEqual(needed(self.root / tool[1:]), set())
        self.assertEqual(roots.enter(self.root, tool, "explain", "QG301").returncode, 0)
        fixed = roots.enter(self.root, tool, "fix", "/m/planted.onnx", "--soc", "SM8550", "-o", "/m/fixed.onnx")
        self.assertIn(fixed.returncode, (0, 1), fixed.stderr)
        self.assertTrue((self.root / "m/fixed.onnx").is_file())

    def test_verify_says_what_is_missing(self) -> None:
        """Its program needs the C library, which an empty root has not."""
        done = roots.enter(self.root, self.unpack(), "verify", "/m/planted.onnx", "--backend-lib", "/m/none.so")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^error: .*quantgate-verify: needs a system with glibc")

    def test_verify_loads_a_library_where_there_is_a_c_library(self) -> None:
        self.made_of("libc6")
        tool = self.unpack()
        beside = next(self.root.rglob("quantgate-verify"))
        self.assertLessEqual(needed(beside), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
        done = roots.enter(self.root, tool, "verify", "/m/planted.onnx", "--backend-lib", "/m/none.so")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("quantgate-verify", done.stderr)
        built = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC", "-static-libstdc++", "-static-libgcc", f"-I{ROOT}",
                                *map(str, FAKE), "-o", str(self.root / "m" / "libfake.so")], capture_output=True, text=True)  # fmt: skip
        self.assertEqual(built.returncode, 0, built.stderr)
        done = roots.enter(self.root, tool, "verify", "/m/planted.onnx", "--backend-lib", "/m/libfake.so")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("nodes", done.stdout)

    def test_debian_package(self) -> None:
        self.made_of("dpkg", "dash", "coreutils", "tar", "libc-bin", "diffutils", "sed", "grep")
        package = one("*.deb")
        shutil.copy(package, self.root / "m")
        before = {path for path in (self.root / "usr").rglob("*")}
        done = roots.enter(self.root, "/usr/bin/dpkg", "--install", f"/m/{package.name}")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.finds(roots.enter(self.root, "/usr/bin/quantgate", *CHECK))
        there = self.root / "usr/share"
        for file in ("man/man1/quantgate.1", "bash-completion/completions/quantgate", "doc/quantgate/copyright"):
            self.assertTrue((there / file).is_file(), file)
        done = roots.enter(self.root, "/usr/bin/dpkg", "--purge", "quantgate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({path for path in (self.root / "usr").rglob("*")} - before, set())

    def wheel_of(self, version: tuple[int, ...]) -> list[Path]:
        found = list(DIST.glob(f"*-cp{version[0]}{version[1]}-*.whl"))
        if not found:
            self.skipTest(f"no wheel was made for Python {version[0]}.{version[1]}")
        return found

    def tries(self, python: str) -> None:
        """The module and the tool of what pip has installed."""
        done = roots.enter(self.root, python, "-c", USE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stdout), 5)

    def installs(self, python: str, pip: str, *words: str, timeout: float = 300) -> None:
        done = roots.enter(self.root, python, f"{pip}/pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--force-reinstall",
                           *words, timeout=timeout)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def runs_its_tool(self) -> None:
        [tool] = [path for path in self.root.rglob("bin/quantgate") if path.is_file()]
        self.finds(roots.enter(self.root, f"/{tool.relative_to(self.root)}", *CHECK))

    def test_wheel_of_the_system(self) -> None:
        [wheel] = self.wheel_of(sys.version_info[:2])
        # libstdc++ is what the policy of manylinux takes from the system.
        self.made_of("python3", "python3-pip-whl", "libstdc++6", "libc-bin", "coreutils", "dash")
        shutil.copy(wheel, self.root / "m")
        [pip] = (self.root / "usr/share/python-wheels").glob("pip-*.whl")
        for _ in range(RUNS):
            clock = Clock()
            self.installs("/usr/bin/python3", f"/usr/share/python-wheels/{pip.name}", "--break-system-packages", f"/m/{wheel.name}")
            self.tries("/usr/bin/python3")
            clock.stop("wheel")
        self.runs_its_tool()

    def test_wheel_of_each_other_python(self) -> None:
        """In a root with a copy of that Python and what it is linked with."""
        others = [(prefix, version) for prefix, version in map(described, PYTHONS) if not prefix.startswith("/usr")]
        if not others:
            self.skipTest("no Python but the system's")
        self.made_of(*PYTHON_PACKAGES)
        for prefix, version in others:
            with self.subTest(version):
                [wheel] = self.wheel_of(version)
                there = self.root / prefix[1:]
                shutil.copytree(prefix, there, symlinks=True, ignore=shutil.ignore_patterns("site-packages", "test", "__pycache__", "share", "*.a"))
                (there / f"lib/python{version[0]}.{version[1]}/site-packages").mkdir()
                [pip] = there.glob("lib/python*/ensurepip/_bundled/pip-*.whl")
                shutil.copy(wheel, self.root / "m")
                python = f"{prefix}/bin/python3"
                self.installs(python, f"/{pip.relative_to(self.root)}", f"/m/{wheel.name}")
                self.tries(python)
                self.runs_its_tool()
                shutil.rmtree(there)

    def test_every_wheel_has_been_tried(self) -> None:
        """By one of the two tests above."""
        made = {path.name for path in DIST.glob("*.whl")}
        tried = {path.name for version in [sys.version_info[:2], *(version for _, version in map(described, PYTHONS))] for path in self.wheel_of(version)}
        self.assertEqual(made, tried)

    @unittest.skipUnless(AGAIN, "the sdist is compiled with the second build")
    def test_sdist(self) -> None:
        """Compiled in a root with Debian's compiler and libraries; the build's Python packages lie in a folder."""
        [sdist] = [path for path in DIST.glob("quantgate-*.tar.gz") if "-linux-" not in path.name]
        self.made_of(*BUILD_PACKAGES)
        shutil.copy(sdist, self.root / "m")
        got = subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--only-binary=:all:", "-d", self.root / "m" / "with",
                              *[line for line in REQUIREMENTS.read_text().splitlines() if line.startswith(("scikit-build-core", "pybind11"))]],
                             capture_output=True, text=True)  # fmt: skip
        if got.returncode:
            self.skipTest(f"no scikit-build-core to be had: {got.stderr.splitlines()[-1:]}")
        [pip] = (self.root / "usr/share/python-wheels").glob("pip-*.whl")
        clock = Clock()
        self.installs("/usr/bin/python3", f"/usr/share/python-wheels/{pip.name}", "--break-system-packages", "--find-links", "/m/with", f"/m/{sdist.name}",
                      timeout=5400)  # fmt: skip
        clock.stop("sdist")
        self.tries("/usr/bin/python3")
        self.runs_its_tool()


class Sources(unittest.TestCase):
    def test_they_hold_what_a_build_needs(self) -> None:
        """The second build is made from them; without one at least their list is looked at."""
        paths = [path for path in DIST.glob("quantgate-*.tar.gz") if "-linux-" not in path.name]
        if not paths:
            self.skipTest("no sdist was made")
        with tarfile.open(paths[0]) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        for name in ("CMakeLists.txt", "Makefile", "LICENSE", "PKG-INFO", "opdefs/htp/Conv2d.yaml", "tests/fixtures/rules/asymmetric-encoding/bad.json",
                     "tools/dev/dist/__main__.py", "tools/dev/dist/requirements.txt", "core/validate/validator.cc"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if name.startswith((".git/", "build", "tests/golden"))])


if __name__ == "__main__":
    unittest.main()
