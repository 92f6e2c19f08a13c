"""The files of a release, each installed and run where nothing of ours is: `tools/dev/qgdev test dist`.

QUANTGATE_DIST is the folder of `tools/dev/qgdev dist`; QUANTGATE_DIST_AGAIN, where it is given, that of a second
build elsewhere. Times go to QUANTGATE_DIST_TIMES as JSON.
"""

from __future__ import annotations

import glob
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

ROOT = Path(__file__).resolve().parents[2]
DIST = Path(os.environ["QUANTGATE_DIST"])
AGAIN = os.environ.get("QUANTGATE_DIST_AGAIN", "")
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
        self.assertEqual((Path(AGAIN) / "SHA256SUMS").read_text(), (DIST / "SHA256SUMS").read_text())


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
        self.assertLess(times["archive"], 1.0)
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

    def test_wheel(self) -> None:
        wheels = glob.glob(str(DIST / f"*-cp{sys.version_info[0]}{sys.version_info[1]}-*.whl"))
        if not wheels:
            self.skipTest("no wheel was made")
        # libstdc++ is what the policy of manylinux takes from the system.
        self.made_of("python3", "python3-pip-whl", "libstdc++6", "libc-bin", "coreutils", "dash")
        for wheel in wheels:
            shutil.copy(wheel, self.root / "m")
        [pip] = (self.root / "usr/share/python-wheels").glob("pip-*.whl")
        name = Path(wheels[0]).name
        script = "import quantgate as qg; r = qg.check('/m/planted.onnx', soc='SM8550'); assert r.verdict == 'rejected'; print(len(r.findings))"
        for _ in range(RUNS):
            clock = Clock()
            done = roots.enter(self.root, "/usr/bin/python3", f"/usr/share/python-wheels/{pip.name}/pip", "--disable-pip-version-check", "install",
                               "--quiet", "--no-index", "--break-system-packages", "--force-reinstall", f"/m/{name}")  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            done = roots.enter(self.root, "/usr/bin/python3", "-c", script)
            clock.stop("wheel")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(int(done.stdout), 5)
        self.assertLess(times["wheel"], 10.0)
        [tool] = [path for path in self.root.rglob("bin/quantgate") if path.is_file()]
        self.finds(roots.enter(self.root, f"/{tool.relative_to(self.root)}", *CHECK))


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
