"""The part of docs/records/reach.md about the files of a release: sizes, and times in roots without our packages."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tools.dev.shared.page_table import replaced
from tools.dev.shared.this_machine import described

MARKS = ("<!-- table: qgdev test dist -->", "<!-- end of dist -->")
KINDS = ((".deb", "Debian package"), (".whl", "wheel"), (".cdx.json", "bill of materials"), ("SHA256SUMS", "checksums"))


# What is timed of a kind of file, in which words, and its bound in seconds (0: none).
TOOK = {"static command line": ("archive", "unpacking to the first verdict, in an empty root", 1.0),
        "wheel": ("wheel", "`pip install` and the first verdict, in a root with Python alone", 10.0),
        "sources (sdist)": ("sdist", "`pip install`, in a root with compiler and libraries", 0.0)}  # fmt: skip


def kind_of(name: str) -> str:
    for ending, kind in KINDS:
        if name.endswith(ending):
            return kind
    return "static command line" if "-linux-" in name else "sources (sdist)"


def again(path: Path, second: Path | None) -> str:
    if second is None:
        return "not compared"
    same = (second / path.name).is_file() and (second / path.name).read_bytes() == path.read_bytes()
    return "same bytes" if same else "DIFFERS"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--again", type=Path, help="files of a second build, which are the same")
    parser.add_argument("--times", type=Path, required=True)
    parser.add_argument("--page", type=Path, required=True)
    arguments = parser.parse_args()
    times = json.loads(arguments.times.read_text())
    lines = [f"On {described()}; processor time, the least of three runs, of the sdist of one.", "",
             "| file | size | second build | time | bound |", "|---|--:|---|---|--:|"]  # fmt: skip
    slow = []
    for path in sorted(arguments.files.iterdir()):
        kind = kind_of(path.name)
        time, bound = "", ""
        key, words, most = TOOK.get(kind, ("", "", 0.0))
        if key in times and (key != "wheel" or f"-cp{sys.version_info[0]}{sys.version_info[1]}-" in path.name):
            time = f"{words}: {times[key]:.2f} s ({times[f'{key} wall']:.2f} s on the clock)"
            bound = f"{most:.0f} s" if most else ""
            slow += [path.name] if most and times[key] > most else []
        lines.append(f"| {kind} `{path.name}` | {path.stat().st_size / 1e6:.2f} MB | {again(path, arguments.again)} | {time} | {bound} |")
    text = arguments.page.read_text()
    arguments.page.write_text(replaced(text, MARKS, "\n\n" + "\n".join(lines) + "\n\n"))
    if slow:
        raise SystemExit(f"error: beyond the bound: {', '.join(slow)}")


if __name__ == "__main__":
    main()
