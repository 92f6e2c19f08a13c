"""What LiteRT's default kernels did with models of one operator, and what quantgate says of them.

agree_litert.py FILE --cli quantgate [--page docs/records/tflite.md]      FILE: of ask_litert.py
"""
from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
# Earlier scores, which no record can make again: what was scored joins what is repaired.
EARLIER = ROOT / "tests/conformance/litert/earlier.json"
sys.path.insert(0, str(ROOT))

from tools.dev.tflite.configs import draw  # noqa: E402

Json = dict[str, Any]
VERDICTS = {"accepted": "k", "advice": "k", "altered": "k", "undocumented": "k", "rejected": "r", "prepare_fails": "f",
            "wrong_values": "w", "unchecked": "?"}
WORDS = {"r": "refused", "f": "fails or aborts when run", "w": "runs, numbers are wrong", "k": "runs, numbers are right"}


def compare(record: Json, cli: str) -> tuple[collections.Counter[tuple[str, str]], collections.Counter[str]]:
    """What happened and what quantgate says, counted; the operators that differ. Not comparable ones are left out."""
    seeds = [record["first"] + i for i, letter in enumerate(record["letters"]) if letter != "-"]
    letters = [letter for letter in record["letters"] if letter != "-"]
    models = [draw(seed) for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models.jsonl"
        path.write_text("".join(json.dumps(model) + "\n" for model in models))
        done = subprocess.run([cli, "check", str(path), "--backend", "tflite", "--format", "json"], capture_output=True,
                              text=True, check=False)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if len(reports) != len(models):
        raise SystemExit(f"{len(reports)} reports of {len(models)} models: {done.stderr[:500]}")
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    differ: collections.Counter[str] = collections.Counter()
    for letter, model, report in zip(letters, models, reports):
        verdict = VERDICTS[report["nodes"][0]["verdict"]]
        counts[letter, verdict] += 1
        if verdict != letter:
            differ[model["name"]] += 1
    return counts, differ


def share(counts: collections.Counter[tuple[str, str]], happened: str, verdicts: str) -> float:
    """Of the models to which this happened, how many quantgate says one of these letters of, in percent."""
    known = sum(n for (letter, _), n in counts.items() if letter == happened)
    return 100 * sum(n for (letter, verdict), n in counts.items() if letter == happened and verdict in verdicts) / max(known, 1)


def page(counts: collections.Counter[tuple[str, str]], differ: collections.Counter[str], record: Json) -> str:
    first, count = record["first"], record["count"]
    lines = ["# Agreement with LiteRT", "",
             f"{count:,} models of one operator each (seeds {first} to {first + count - 1} of `tools/dev/tflite/configs.py`), "
             "run by the default kernels of ai-edge-litert 2.3.0 and, for the numbers, in float; "
             f"{record['letters'].count('-'):,} can't be compared: no float kernel, too large, or a failure of the values that "
             "were drawn. Recorded by `tools/dev/qgdev record litert`.", "",
             "| what happens | quantgate: refused | fails | wrong numbers | accepted | unchecked |", "|---|---:|---:|---:|---:|---:|"]
    for letter, words in WORDS.items():
        lines.append(f"| {words} | " + " | ".join(f"{counts[letter, verdict]:,}" for verdict in "rfwk?") + " |")
    lines += ["", f"Refusals found: {share(counts, 'r', 'r'):.1f} %. Wrong numbers found: {share(counts, 'w', 'w'):.1f} %. Right "
              f"ones accused: {share(counts, 'k', 'rfw'):.1f} %.", "",
              "Operators that differ: " + (", ".join(f"{op} {n}" for op, n in differ.most_common(16)) or "none") + "."]
    lines += ["", "Seeds that were scored before, once each; the causes of differences among them were repaired before the next "
              "were drawn:", "",
              "| seeds | refusals found | wrong numbers found | right ones accused |", "|---|---:|---:|---:|"]
    for one in json.loads(EARLIER.read_text()):
        lines.append(f"| {one['first']} to {one['first'] + one['count'] - 1} | {one['refused']} % | {one['wrong']} % | "
                     f"{one['accused']} % |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--cli", default="quantgate")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    record = json.loads(arguments.file.read_text())
    text = page(*compare(record, arguments.cli), record)
    if arguments.page is not None:
        arguments.page.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
