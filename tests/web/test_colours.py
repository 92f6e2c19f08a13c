"""Colours of a plan's picture stand out from the page and from each other, light and dark, whatever the eye sees of red and
green. They come from the style sheets; distances are those of OKLab (Ottosson 2020), in which 0.02 is just to be seen."""

from __future__ import annotations

import itertools
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLAN = ROOT / "tools" / "quantgate" / "web" / "plan.css"
PAGE = ROOT / "core" / "report" / "web" / "page.css"
SCHEMES = ("light", "dark")
PAIR = r"light-dark\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\)"
# WCAG 2.2, 1.4.11: what has to be seen to understand a picture.
LEAST_CONTRAST = 3.0
LEAST_DISTANCE = 0.09
LEAST_DISTANCE_WITHOUT = 0.045
Colour = tuple[float, float, float]
# Machado, Oliveira and Fernandes 2009, severity 1: linear red, green and blue as they are seen.
EYES = {
    "without green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "without red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566), (0.0883024619, 0.2817188376, 0.6299787005))
OKLAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099), (0.0259040371, 0.7827717662, -0.8086757660))


def times(matrix: tuple[Colour, Colour, Colour], colour: Colour) -> Colour:
    first, second, third = (sum(a * b for a, b in zip(row, colour)) for row in matrix)
    return first, second, third


def linear(text: str) -> Colour:
    red, green, blue = (int(text[i:i + 2], 16) / 255 for i in (1, 3, 5))
    first, second, third = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue))
    return first, second, third


def contrast(one: str, two: str) -> float:
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear, (one, two)))
    return (high + 0.05) / (low + 0.05)


def distance(one: Colour, two: Colour) -> float:
    a, b = (times(OKLAB, tuple(max(c, 0) ** (1 / 3) for c in times(CONES, colour))) for colour in (one, two))  # type: ignore[arg-type]
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def seen(colour: Colour, eye: str) -> Colour:
    first, second, third = (min(max(c, 0), 1) for c in times(EYES[eye], colour))
    return first, second, third


def colours(scheme: int) -> dict[str, str]:
    return {found[1]: found[2 + scheme] for found in re.finditer(rf"\.p-(\w+)\{{--p:{PAIR}\}}", PLAN.read_text())}


class Colours(unittest.TestCase):
    def test_every_precision_has_its_own(self) -> None:
        """Of those that can be wished, alone and without weights, and what stands for none."""
        wished = re.findall(r'\{"(\w+)", \d+, \d+\}', (ROOT / "core" / "plan" / "wish.cc").read_text())
        self.assertGreater(len(wished), 4)
        named = {*wished, *(name[:name.index("a") + 1] for name in wished if "a" in name), "CPU", "unchecked", "plain"}
        for scheme in range(2):
            self.assertEqual(set(colours(scheme)), named)

    def test_they_stand_out_from_the_page(self) -> None:
        pages = re.search(rf"--bg: {PAIR}", PAGE.read_text())
        assert pages is not None
        for i, scheme in enumerate(SCHEMES):
            for name, colour in colours(i).items():
                self.assertGreaterEqual(contrast(colour, pages[1 + i]), LEAST_CONTRAST, f"{scheme} {name}")

    def test_they_differ(self) -> None:
        for i, scheme in enumerate(SCHEMES):
            for (one, a), (two, b) in itertools.combinations(colours(i).items(), 2):
                self.assertGreaterEqual(distance(linear(a), linear(b)), LEAST_DISTANCE, f"{scheme}: {one}, {two}")
                for eye in EYES:
                    self.assertGreaterEqual(distance(seen(linear(a), eye), seen(linear(b), eye)), LEAST_DISTANCE_WITHOUT, f"{scheme} {eye}: {one}, {two}")

    def test_what_is_measured(self) -> None:
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(distance(linear("#000000"), linear("#ffffff")), 1, places=3)
        red, green = linear("#b05000"), linear("#6f7a00")
        self.assertLess(distance(seen(red, "without green"), seen(green, "without green")), distance(red, green) / 3)


if __name__ == "__main__":
    unittest.main()
