"""The parts of docs/records/reach.md about browsers (`--figures FILE`) and arm64 (`--results FILE --files FOLDER --built FOLDER`)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tools.dev.cross.emulated import KINDS, counts, left_out, names_of
from tools.dev.shared.page_table import replaced
from tools.dev.shared.this_machine import described

MARKS = {part: (f"<!-- table: qgdev test {part} -->", f"<!-- end of {part} -->") for part in ("web", "arm64")}


def table(head: str, rows: list[tuple[str, ...]]) -> str:
    columns = head.count("|") + 1
    return "\n".join([f"| {head} |", "|" + "|".join(["---"] + ["--:"] * (columns - 1)) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def web(figures: dict) -> str:
    large, thousand = figures["large"], figures["thousand"]
    rows = [("the page, all of it", f"{figures['bytes'] / 1e6:.2f} MB", "3 MB"),
            ("the same as a server sends it (gzip)", f"{figures['compressed'] / 1e6:.2f} MB", "3 MB"),
            ("from opening the page to the verdict on MobileNetV2", f"{figures['first_verdict_ms'] / 1000:.2f} s", "1.5 s"),
            (f"a check of {thousand['nodes']:,} nodes, each with a finding", f"{thousand['milliseconds']:.0f} ms", "100 ms"),
            (f"a check of an ONNX file of {large['bytes'] / 1e9:.1f} GB", f"{large['milliseconds']:.0f} ms", ""),
            ("memory of the program after that", f"{large['memory'] / 2**20:.0f} MiB", "128 MiB"),
            ("example models with the same JSON, text and HTML as on the command line", f"{figures['examples']}", "all"),
            ("models of the zoo with the same JSON", f"{figures['zoo']}", "")]  # fmt: skip
    return f"On {described()}.\n\n" + table("what | measured | bound", rows)


# Milliseconds of the table that may not be more.
BOUNDS = {"from opening the page to the first verdict": (lambda figures: figures["first_verdict_ms"], 1500),
          "a check of 1,000 nodes": (lambda figures: figures["thousand"]["milliseconds"], 100)}  # fmt: skip


def beyond(figures: dict) -> list[str]:
    """What takes longer than it may, of a record on a machine at rest."""
    return [f"{what}: {value(figures):.0f} ms, at most {most} ms" for what, (value, most) in BOUNDS.items() if value(figures) > most]


def arm64(results: Path, files: Path, build: Path) -> str:
    found = counts(results)
    rows = [(words, *(str(found[kind][status]) for status in ("passed", "failed", "skipped"))) for kind, words in KINDS.items() if kind in found]
    sizes = ", ".join(f"`{path.name}` {path.stat().st_size / 1e6:.2f} MB" for path in sorted(files.iterdir()))
    without = [f"- {reason}: {', '.join(f'`{name}`' for name in names)}" for reason, names in left_out(names_of(build)).items()]
    return "\n\n".join([sizes, table("entries of ctest, emulated | passed | failed | skipped", rows), "Left out:", "\n".join(without)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--built", type=Path)
    parser.add_argument("--page", type=Path, required=True)
    arguments = parser.parse_args()
    text = arguments.page.read_text()
    if arguments.figures:
        text = replaced(text, MARKS["web"], f"\n\n{web(json.loads(arguments.figures.read_text()))}\n\n")
    if arguments.results:
        text = replaced(text, MARKS["arm64"], f"\n\n{arm64(arguments.results, arguments.files, arguments.built)}\n\n")
    arguments.page.write_text(text)
    if arguments.figures and (slow := beyond(json.loads(arguments.figures.read_text()))):
        raise SystemExit(f"error: beyond the bound: {'; '.join(slow)}")


if __name__ == "__main__":
    main()
