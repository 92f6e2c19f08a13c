"""The part of docs/records/reach.md about the files of a release: sizes, and times in roots without our packages."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tools.dev.shared.page_table import replaced
from tools.dev.shared.this_machine import described

MARKS = ("<!-- table: qgdev test dist -->", "<!-- end of dist -->")
KINDS = ((".deb", "Debian package"), (".whl", "wheel"), (".cdx.json", "bill of materials"), ("SHA256SUMS", "checksums"))


def kind_of(name: str) -> str:
    for ending, kind in KINDS:
        if name.endswith(ending):
            return kind
    return "static command line" if "-linux-" in name else "sources (sdist)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--times", type=Path, required=True)
    parser.add_argument("--page", type=Path, required=True)
    arguments = parser.parse_args()
    times = json.loads(arguments.times.read_text())
    took = {"static command line": ("archive", "unpacking to the first verdict, in an empty root", 1.0),
            "wheel": ("wheel", "`pip install` and the first verdict, in a root with Python alone", 10.0)}  # fmt: skip
    lines = [f"On {described()}; processor time, the least of three runs.", "", "| file | size | time | bound |", "|---|--:|---|--:|"]
    for path in sorted(arguments.files.iterdir()):
        kind = kind_of(path.name)
        time, bound = "", ""
        if kind in took and took[kind][0] in times:
            key, words, most = took[kind]
            time, bound = f"{words}: {times[key]:.2f} s ({times[f'{key} wall']:.2f} s on the clock)", f"{most:.0f} s"
        lines.append(f"| {kind} `{path.name}` | {path.stat().st_size / 1e6:.2f} MB | {time} | {bound} |")
    text = arguments.page.read_text()
    arguments.page.write_text(replaced(text, MARKS, "\n\n" + "\n".join(lines) + "\n\n"))


if __name__ == "__main__":
    main()
