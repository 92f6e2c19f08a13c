"""Archives hold the same bytes whenever they are made, and the bill of materials says what is in a release."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tools.dev.dist import archives, materials, page  # noqa: E402

EPOCH = 1_700_000_000


class Archives(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tree(self, name: str, order: list[str], when: int, mask: int) -> Path:
        root = self.folder / name
        old = os.umask(mask)
        for file in order:
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file)
            if file.startswith("bin/"):
                path.chmod(path.stat().st_mode | 0o100)
            os.utime(path, (when, when))
        os.umask(old)
        return root

    def test_order_time_owner_and_mask_make_no_difference(self) -> None:
        files = ["b/2", "bin/tool", "a", "b/1"]
        one = self.tree("one", files, 1, 0o022)
        two = self.tree("two", files[::-1], 99_999, 0o077)
        for tree in (one, two):
            archives.tar_gz(tree, "x-1", self.folder / f"{tree.name}.tar.gz", EPOCH)
        self.assertEqual((self.folder / "one.tar.gz").read_bytes(), (self.folder / "two.tar.gz").read_bytes())
        with tarfile.open(self.folder / "one.tar.gz") as archive:
            modes = {member.name: member.mode for member in archive}
        self.assertEqual(modes, {"x-1": 0o755, "x-1/a": 0o644, "x-1/b": 0o755, "x-1/b/1": 0o644, "x-1/b/2": 0o644, "x-1/bin": 0o755, "x-1/bin/tool": 0o755})

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb")
    def test_a_package_for_debian_has_one_time(self) -> None:
        made = []
        for name, order, when, mask in (("a", ["bin/run", "share/text"], EPOCH - 900, 0o022),
                                        ("b", ["share/text", "bin/run"], EPOCH + 900, 0o077)):
            root = self.tree(name, order, when, mask)
            (root / "DEBIAN").mkdir()
            (root / "DEBIAN/control").write_text("Package: some\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.c>\n"
                                                 "Description: some\n")
            archives.settle(root, EPOCH)
            made.append(self.folder / f"{name}.deb")
            subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, made[-1]], check=True,
                           capture_output=True, env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)})
        self.assertEqual(made[0].read_bytes(), made[1].read_bytes())

    def test_another_file_makes_a_difference(self) -> None:
        for name in ("one", "two"):
            archives.tar_gz(self.tree(name, ["a", name], 1, 0o022), "x", self.folder / f"{name}.tar.gz", EPOCH)
        self.assertNotEqual((self.folder / "one.tar.gz").read_bytes(), (self.folder / "two.tar.gz").read_bytes())

    def test_a_wheel_keeps_its_files_and_its_record_last(self) -> None:
        written = []
        for name, order in (("one", ["q/_core.so", "q/a.py", "q.dist-info/RECORD"]), ("two", ["q.dist-info/RECORD", "q/a.py", "q/_core.so"])):
            source, target = self.folder / f"{name}.whl", self.folder / f"{name}.same.whl"
            with zipfile.ZipFile(source, "w") as wheel:
                for file in order:
                    wheel.writestr(zipfile.ZipInfo(file, (1990 if name == "one" else 2020, 1, 1, 0, 0, 0)), file)
            archives.same_zip(source, target, EPOCH)
            written.append(target.read_bytes())
            with zipfile.ZipFile(target) as wheel:
                self.assertEqual(wheel.namelist(), ["q/_core.so", "q/a.py", "q.dist-info/RECORD"])
                self.assertEqual(wheel.read("q/a.py"), b"q/a.py")
                self.assertTrue(wheel.getinfo("q/_core.so").external_attr >> 16 & 0o100)
                self.assertFalse(wheel.getinfo("q/a.py").external_attr >> 16 & 0o111)
        self.assertEqual(*written)


class Materials(unittest.TestCase):
    def bill(self, hashes: dict[str, str]) -> dict:
        return json.loads(materials.bill("1.2.3", hashes, EPOCH, ROOT / "tools/dev/dist/requirements.txt"))

    def test_the_bill_follows_from_what_is_in_it(self) -> None:
        one, again, other = self.bill({"a": "0"}), self.bill({"a": "0"}), self.bill({"a": "1"})
        self.assertEqual(one, again)
        self.assertNotEqual(one["serialNumber"], other["serialNumber"])
        self.assertEqual(one["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        self.assertIn("pybind11", {each["name"] for each in one["components"]})

    def test_every_library_of_the_programs_is_known(self) -> None:
        """Those of docs/extending/dependencies.md that are built in."""
        text = (ROOT / "tools/setup.sh").read_text()
        for material in materials.MATERIALS:
            self.assertTrue(material.package in text or material.package.startswith("libstdc++") or material.package == "libc6-dev", material.package)
            self.assertLessEqual(set(material.parts), {"cli", "wheel", "web"})

    def test_kinds_of_files(self) -> None:
        for name, kind in (("quantgate-1-linux-x86_64.tar.gz", "static command line"), ("quantgate-1.tar.gz", "sources (sdist)"),
                           ("quantgate_1_amd64.deb", "Debian package"), ("SHA256SUMS", "checksums")):
            self.assertEqual(page.kind_of(name), kind)


if __name__ == "__main__":
    unittest.main()
