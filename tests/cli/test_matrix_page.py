"""The page of `quantgate matrix` in headless Chromium: what it draws, filters, and how it looks.

Needs Chromium (Debian package chromium); else it is skipped and says so. With
QUANTGATE_IMAGES=FOLDER the screenshots are left there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from cli_case import CliCase

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
DARK, LIGHT = 0, 1  # Blink's numbers of a preferred colour scheme.


def png(path: Path) -> tuple[int, int, tuple[int, ...], int]:
    """Width, height, the colour in the upper left corner, number of distinct rows of pixels."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed, head = 8, b"", b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            head = data[at + 8:at + 8 + size]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, color = struct.unpack(">IIBB", head[:10])
    assert depth == 8 and color in (2, 6), (depth, color)
    channels = 3 if color == 2 else 4
    raw, stride = zlib.decompress(packed), width * channels + 1
    # The first pixel of an image has no neighbours: every filter leaves it as it is.
    rows = {raw[i * stride:(i + 1) * stride] for i in range(height)}
    return width, height, tuple(raw[1:4]), len(rows)


@unittest.skipUnless(CHROMIUM, "SKIPPED: no Chromium on this machine (Debian package chromium)")
class MatrixPage(CliCase):
    def setUp(self) -> None:
        super().setUp()
        self.matrix = {}
        self.pages = {}

    def page(self, *arguments: str) -> str:
        if arguments not in self.pages:
            file = self.folder / f"matrix{len(self.pages)}.html"
            done = self.run_cli("matrix", *arguments, "--format", "html", "-o", str(file))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.pages[arguments] = file.as_uri()
            self.matrix[arguments] = json.loads(
                self.run_cli("matrix", *arguments, "--format", "json").stdout)
        return self.pages[arguments]

    def chromium(self, *arguments: str) -> str:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", f"--user-data-dir={self.folder / 'profile'}",
             "--host-resolver-rules=MAP * ~NOTFOUND", *arguments],
            capture_output=True, timeout=240, cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout.decode()

    def dom(self, uri: str, width: int = 1600) -> tuple[str, int, int]:
        """The page as drawn; ops and cells by the page's own count, which must be what is there."""
        dom = self.chromium(f"--window-size={width},1000", "--dump-dom", uri)
        found = re.search(r'id="count" data-ops="(\d+)" data-cells="(\d+)"', dom)
        self.assertIsNotNone(found, dom[-1500:])
        ops, cells = map(int, found.groups())
        self.assertEqual(len(re.findall(r'<th scope="row"', dom)), ops)
        self.assertEqual(len(re.findall(r'class="cell[ "]', dom)), cells)
        return dom, ops, cells

    def test_draws_every_cell(self) -> None:
        for arguments in ((), ("--by", "backend"), ("--by", "soc")):
            with self.subTest(arguments=arguments):
                dom, ops, cells = self.dom(self.page(*arguments))
                matrix = self.matrix[arguments]
                self.assertEqual(ops, len(matrix["rows"]))
                self.assertEqual(cells, len(matrix["rows"]) * len(matrix["columns"]))
                absent = sum(c is None for r in matrix["rows"] for c in r["cells"])
                self.assertEqual(len(re.findall(r'class="cell absent"', dom)), absent)
                best = [c["best"] for r in matrix["rows"] for c in r["cells"] if c and c["best"]]
                drawn = re.findall(
                    r'class="cell (?:un)?(?:measured|documented)"[^>]*><div class="best"[^>]*>([^<]+)<', dom)
                self.assertEqual(sorted(drawn), sorted(best))

    def test_filters(self) -> None:
        uri = self.page()
        rows = self.matrix[()]["rows"]
        takes = lambda row, p: any(c and any(t["precision"] == p for t in c["supported"])
                                   for c in row["cells"])
        _, ops, _ = self.dom(uri + "#p=16a16w")
        self.assertEqual(ops, sum(takes(row, "16a16w") for row in rows))
        self.assertLess(ops, len(rows))
        _, ops, _ = self.dom(uri + "#q=conv")
        self.assertEqual(ops, sum("conv" in row["op"].lower() for row in rows))
        dom, ops, _ = self.dom(uri + "#q=conv&p=LPBQ")
        self.assertEqual(ops, sum("conv" in r["op"].lower() and takes(r, "LPBQ") for r in rows))
        self.assertIn('data-precision="LPBQ" aria-pressed="true"', re.sub(r' style="[^"]*"| title="[^"]*"', "", dom))
        dom, ops, _ = self.dom(uri + "#q=nosuchop")
        self.assertEqual(ops, 0)
        self.assertIn("No op fits this filter.", dom)

    def test_finds_a_chip(self) -> None:
        dom, ops, _ = self.dom(self.page("--by", "soc") + "#q=sm8550")
        self.assertEqual(ops, len(self.matrix["--by", "soc"]["rows"]))
        self.assertRegex(dom, r'class="chip hit"[^>]*>SM8550<')

    def test_looks_like_something_in_dark_and_light_wide_and_narrow(self) -> None:
        corners = {}
        keep = os.environ.get("QUANTGATE_IMAGES")
        for name, scheme, width, height in (("light-wide", LIGHT, 1800, 1300), ("dark-wide", DARK, 1800, 1300),
                                            ("light-narrow", LIGHT, 520, 900), ("dark-narrow", DARK, 520, 900)):
            with self.subTest(name=name):
                image = self.folder / f"matrix-{name}.png"
                self.chromium(f"--window-size={width},{height}", f"--screenshot={image}",
                              f"--blink-settings=preferredColorScheme={scheme}", self.page())
                seen_width, seen_height, corner, rows = png(image)
                self.assertEqual((seen_width, seen_height), (width, height))
                self.assertGreater(rows, height // 4, "blank")
                corners[name] = sum(corner)
                if keep:
                    shutil.copy(image, keep)
        self.assertGreater(corners["light-wide"], 3 * 230)
        self.assertLess(corners["dark-wide"], 3 * 50)


if __name__ == "__main__":
    unittest.main()
