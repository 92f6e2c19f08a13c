"""The command line for 64-bit ARM, emulated, says what this machine's says: `tools/dev/qgdev test arm64`.

QUANTGATE_ARM64 is the folder of the build and QUANTGATE_CLI this machine's command line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "dist"))
import roots  # noqa: E402

WORK = Path(os.environ.get("QUANTGATE_ARM64", ROOT / "build" / "arm64"))
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
NATIVE = Path(os.environ.get("QUANTGATE_BUILD", ROOT / "build"))
EMULATOR = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
EXAMPLES = ROOT / "docs" / "examples"
WAYS = (("--format", "json"), ("--soc", "SM8550"), ("--as-run", "--suggest", "--format", "json"), ("--all-socs", "--format", "json"),
        ("--soc", "SM8550", "--format", "html"), ("--arch", "v68", "--sdk", "2.25", "--verbose"))  # fmt: skip


def without_times(text: str) -> str:
    return re.sub(r'"milliseconds": [\d.]+', '"milliseconds": 0', text)


@unittest.skipIf(EMULATOR is None, "no qemu-user here")
class Arm64(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="quantgate-arm64-")))
        with tarfile.open(next((WORK / "files").glob("*-linux-aarch64.tar.gz"))) as archive:
            archive.extractall(self.folder)
            self.tool = self.folder / archive.getnames()[0] / "bin" / "quantgate"

    def emulated(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(EMULATOR), str(self.tool), *map(str, words)], cwd=EXAMPLES, capture_output=True, text=True, timeout=600)

    def native(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([CLI, *map(str, words)], cwd=EXAMPLES, capture_output=True, text=True, timeout=600)

    def test_it_is_a_program_for_arm64_that_loads_nothing(self) -> None:
        shown = subprocess.run(["readelf", "-hld", self.tool], capture_output=True, text=True, check=True).stdout
        self.assertRegex(shown, r"Machine:\s+AArch64")
        self.assertNotIn("INTERP", shown)
        self.assertNotIn("NEEDED", shown)

    def test_examples(self) -> None:
        """Text, JSON and HTML, byte by byte."""
        models = sorted(path.name for path in EXAMPLES.glob("*.onnx"))
        self.assertGreater(len(models), 8)
        for model in models:
            for way in WAYS:
                with self.subTest(model, way=way):
                    expected, done = self.native("check", model, *way), self.emulated("check", model, *way)
                    self.assertEqual((done.returncode, done.stderr), (expected.returncode, expected.stderr))
                    self.assertEqual(without_times(done.stdout), without_times(expected.stdout))
                    self.assertTrue(done.stdout)

    def test_fixed_files(self) -> None:
        for model in ("planted.onnx", "mobilenetv2_16a8w.onnx", "planted_qnn.json"):
            one, two = self.folder / "one", self.folder / "two"
            expected = self.native("fix", model, "--soc", "SM8550", "-o", one)
            done = self.emulated("fix", model, "--soc", "SM8550", "-o", two)
            self.assertEqual(done.returncode, expected.returncode, done.stderr)
            self.assertEqual(one.read_bytes(), two.read_bytes(), model)

    def test_the_database_is_the_same(self) -> None:
        """An opdefc of each processor compiled it."""
        images = [folder / "opdefs" / "opdefs.image" for folder in (WORK / "build", NATIVE)]
        self.assertEqual(images[0].read_bytes(), images[1].read_bytes())

    @unittest.skipIf(roots.missing(), roots.missing())
    def test_in_an_empty_root(self) -> None:
        """The archive, the emulator and a model, and nothing else."""
        shutil.copy(str(EMULATOR), self.folder / "emulator")
        shutil.copy(EXAMPLES / "planted.onnx", self.folder)
        done = roots.enter(self.folder, "/emulator", f"/{self.tool.relative_to(self.folder)}", "check", "/planted.onnx", "--soc", "SM8550")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("error[QG301]", done.stdout)

    def test_debian_package(self) -> None:
        [package] = (WORK / "files").glob("*.deb")
        fields = subprocess.run(["dpkg-deb", "-f", package, "Architecture", "Package"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(fields.split(), ["Architecture:", "arm64", "Package:", "quantgate"])


if __name__ == "__main__":
    unittest.main()
