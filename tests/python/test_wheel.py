"""The wheel works where nothing of it is installed, once auditwheel has made it self-contained.

$QUANTGATE_WHEEL is the wheel as built; without it, or without auditwheel, nothing is tested.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEEL = os.environ.get("QUANTGATE_WHEEL", "")
MODEL = ROOT / "docs" / "examples" / "planted.onnx"
# What the policy of manylinux lets a wheel take from the system, as far as this one does.
SYSTEM = ("libc.", "libm.", "libstdc++.", "libgcc_s.", "ld-linux", "libpthread.", "libdl.",
          "librt.", "libpython", "libz.", "libexpat.", "libcrypto.", "libssl.", "libffi.",
          "liblzma.", "libbz2.", "libuuid.", "libcrypt.")
# Nothing of Python's own is in this list.
OURS = ("libabsl_*", "libfmt.*", "libyaml-cpp.*", "libprotobuf.*")
SHOW_MAPS = """
import quantgate
report = quantgate.check({model!r}, soc="SM8550")
assert report.verdict == "rejected", report
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split()[-1])
"""
HIDE = """
set -e
for name in {names}; do
  for file in /lib/*/$name /usr/lib/*/$name /usr/local/lib/$name; do
    if [ -f "$file" ]; then mount --bind /dev/null "$file"; fi
  done
done
exec "$@"
"""


def can_hide() -> bool:
    return subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True,
                          check=False).returncode == 0


def repair(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "auditwheel", "repair", "-w", str(folder), WHEEL],
                   check=True, capture_output=True, text=True, timeout=300,
                   env={**os.environ,
                        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    [wheel] = folder.glob("*.whl")
    return wheel


@unittest.skipUnless(sys.platform == "linux" and WHEEL, "no wheel for Linux is given")
@unittest.skipUnless(importlib.util.find_spec("auditwheel"), "auditwheel isn't installed")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        cls.wheel = repair(folder / "repaired")
        cls.venv = folder / "venv"
        venv.create(cls.venv, with_pip=False)
        # What an installer does, without pip: the wheel is unpacked and its script copied.
        [packages] = cls.venv.glob("lib/python*/site-packages")
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(packages)
            [script] = [name for name in archive.namelist() if ".data/scripts/quantgate" in name]
            tool = archive.read(script)
        # The program itself, or where it needs libraries of the wheel a script that starts it.
        if tool.startswith(b"#!python"):
            tool = tool.replace(b"#!python", f"#!{cls.venv}/bin/python".encode(), 1)
        cls.tool = cls.venv / "bin" / "quantgate"
        cls.tool.write_bytes(tool)
        cls.tool.chmod(0o755)
        for binary in packages.glob("quantgate.scripts/*"):
            binary.chmod(0o755)
        cls.python = cls.venv / "bin" / "python"
        print(f"wheel: {Path(WHEEL).stat().st_size / 1e6:.1f} MB, self-contained "
              f"{cls.wheel.stat().st_size / 1e6:.1f} MB ({cls.wheel.name})", file=sys.stderr)

    def run_isolated(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={"PATH": "/usr/bin:/bin"}, cwd=self.venv, check=False)

    def test_name_and_content(self) -> None:
        self.assertIn("manylinux", self.wheel.name)
        names = zipfile.ZipFile(self.wheel).namelist()
        for name in ("quantgate/py.typed", "quantgate/_core.pyi", "quantgate/__init__.py"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if name.endswith((".cc", ".h", ".a"))])
        self.assertLess(self.wheel.stat().st_size, 8e6)

    def test_loads_nothing_else_of_the_system(self) -> None:
        run = self.run_isolated(str(self.python), "-c", SHOW_MAPS.format(model=str(MODEL)))
        self.assertEqual(run.returncode, 0, run.stderr)
        loaded = {Path(line) for line in run.stdout.split()}
        self.assertTrue([path for path in loaded if path.name.startswith("_core")])
        strange = [str(path) for path in loaded if self.venv not in path.parents
                   and "lib-dynload" not in path.parts and not path.name.startswith(SYSTEM)]
        self.assertEqual(strange, [])

    @unittest.skipUnless(sys.platform == "linux" and can_hide(), "no mount namespaces here")
    def test_runs_without_the_libraries_it_was_built_with(self) -> None:
        script = HIDE.format(names=" ".join(f"'{name}'" for name in OURS).replace("'", ""))
        hidden = ("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh")
        run = self.run_isolated(*hidden, str(self.python), "-c", SHOW_MAPS.format(model=str(MODEL)))
        self.assertEqual(run.returncode, 0, run.stderr)
        run = self.run_isolated(*hidden, str(self.tool), "check", str(MODEL), "--soc", "SM8550")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertIn("QG301", run.stdout)

    @unittest.skipUnless(platform.machine() == "x86_64", "only looked at on x86-64")
    def test_exports_nothing_but_its_init(self) -> None:
        [core] = self.venv.glob("lib/python*/site-packages/quantgate/_core*.so")
        run = subprocess.run(["nm", "--dynamic", "--defined-only", str(core)],
                             capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual([line.split()[-1] for line in run.stdout.splitlines()], ["PyInit__core"])


if __name__ == "__main__":
    unittest.main()
