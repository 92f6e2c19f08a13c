#!/usr/bin/env python3
"""Makes the picture of a command's coloured output.

    python3 -m tools.dev.pictures.terminal -o picture.svg --head 30 --tail 8 -- \
        build/bin/quantgate check docs/examples/planted.onnx --soc SM8550

Runs the command with colours and writes its output as SVG: text that can be selected and
searched, no script, no font to download. --head N and --tail N keep the first and last lines. The pictures of the
pages are made by `make docs-output`, out of a comment before the command (tests/docs/blocks.py).
"""

from __future__ import annotations

import argparse
import html
import os
import re
import subprocess
import sys
from pathlib import Path

COLUMN, LINE, MARGIN = 8.4, 19, 20
BACKGROUND, FOREGROUND = "#0d1117", "#d1d7e0"
COLORS = {31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff",
          36: "#39c5cf", 90: "#8b949e"}
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def spans(line: str, color: str = "", bold: bool = False) -> tuple[list[tuple[str, str]], str, bool]:
    """(SVG attributes, text) of the pieces of a line, and the look that the next line begins with."""
    pieces, start = [], 0
    for match in [*SGR.finditer(line), None]:
        text = line[start:match.start() if match else len(line)]
        if text:
            attributes = (f' fill="{color}"' if color else "") + (
                ' font-weight="bold"' if bold else "")
            pieces.append((attributes, text))
        if match is None:
            break
        start = match.end()
        for code in (int(c or 0) for c in match[1].split(";")):
            if code == 0:
                color, bold = "", False
            elif code == 1:
                bold = True
            else:
                color = COLORS.get(code, color)
    return pieces, color, bold


def svg(title: str, lines: list[str]) -> str:
    columns = max(len(SGR.sub("", line)) for line in [title, *lines])
    width = round(columns * COLUMN + 2 * MARGIN)
    height = (len(lines) + 2) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'width="{width}" height="{height}" role="img">',
           f"<title>{html.escape(title)}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
           '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, '
           f'monospace" font-size="14" fill="{FOREGROUND}">']
    color, bold = "", False
    for index, line in enumerate([f"\x1b[90m$\x1b[0m \x1b[1m{title}\x1b[0m", "", *lines]):
        y, column = MARGIN + (index + 0.75) * LINE, 0
        # Each piece has its own place, so that a font of another width keeps the columns.
        pieces, color, bold = spans(line, color, bold)
        for attributes, text in pieces:
            # Renderers differ about runs of spaces: only words are drawn.
            for words in re.finditer(r"\S+(?: \S+)*", text):
                x, size = MARGIN + (column + words.start()) * COLUMN, len(words[0]) * COLUMN
                out.append(f'<text x="{x:.1f}" y="{y:.1f}" textLength="{size:.1f}"'
                           f"{attributes}>{html.escape(words[0])}</text>")
            column += len(text)
    return "\n".join([*out, "</g>", "</svg>", ""])


def cut(lines: list[str], head: int, tail: int) -> list[str]:
    """The first and last lines, where there are more."""
    if not head or len(lines) <= head + tail:
        return lines
    return [*lines[:head], "\x1b[90m…\x1b[0m", *lines[len(lines) - tail:]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--head", type=int, default=0)
    parser.add_argument("--tail", type=int, default=0)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    result = subprocess.run(arguments.command, capture_output=True, text=True,
                            env={**os.environ, "CLICOLOR_FORCE": "1", "NO_COLOR": ""})
    if result.returncode not in (0, 1):
        print(result.stderr, file=sys.stderr, end="")
        return 2
    lines = cut(result.stdout.rstrip("\n").split("\n"), arguments.head, arguments.tail)
    words = [Path(arguments.command[0]).name, *arguments.command[1:]]
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(svg(" ".join(words), lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
