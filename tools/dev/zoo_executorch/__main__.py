"""The zoo through PyTorch and ExecuTorch: real architectures, quantized by ExecuTorch's QnnQuantizer, put to the real
lowering.

  qgdev executorch-zoo list             the architectures, where each stands
  qgdev executorch-zoo label [NAME...]  makes, quantizes and lowers them
  qgdev executorch-zoo record           writes tests/conformance/executorch/zoo
  qgdev executorch-zoo check            quantgate against what is recorded
  qgdev executorch-zoo execute          nodes with wrong_values, on the emulator
  qgdev executorch-zoo draw             draws architectures to hold out; commit that before they are lowered
  qgdev executorch-zoo score            the held-out architectures of the last draw, once

Names are those of the zoo (docs/records/zoo.md). label can be stopped and goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compare  # noqa: E402
import execution  # noqa: E402
import figures  # noqa: E402
import held_out  # noqa: E402
import labelling  # noqa: E402
import places  # noqa: E402
import recordings  # noqa: E402

KNOWN = places.RECORDED / "known.json"
LIMIT = 5_000_000


def part_of(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    drawn = held_out.draws()[-1]
    part = drawn.folder.name if arguments.held_out else "development"
    names = drawn.names if arguments.held_out else held_out.development()
    unknown = [name for name in arguments.names if name not in names]
    if unknown:
        raise SystemExit(f"error: {', '.join(unknown)}: not an architecture of this part of the zoo")
    return part, arguments.names or names


def listed(_: argparse.Namespace) -> int:
    there = recordings.names()
    free = held_out.development()
    drawn = {name: f"draw {draw.number}" for draw in held_out.draws() for name in draw.names}
    for name, library in places.draws().libraries().items():
        part = drawn.get(name) or ("development" if name in free else "reserve")
        print(f"{name:24} {library:12} {part:12} {'recorded' if name in there else ''}")
    return 0


def label(arguments: argparse.Namespace) -> int:
    cases = places.cases(part_of(arguments)[1])
    labelling.label_all(cases, arguments.read, " --once" if arguments.once else "", timeout=arguments.timeout)
    if arguments.twice:
        again = [case.lowered_again() for case in cases if labelling.is_done(case)]
        labelling.label_all(again, timeout=arguments.timeout)
    return 0


def record(arguments: argparse.Namespace) -> int:
    part, names = part_of(arguments)
    for case in places.cases(names):
        if labelling.is_done(case):
            size = recordings.write(case, recordings.folder_of(part))
            print(case, size or "never got to the lowering", file=sys.stderr)
    size = sum(path.stat().st_size for path in places.RECORDED.rglob("*") if path.is_file())
    print(f"the folder has {size / 1e6:.2f} MB")
    return 1 if size > LIMIT else 0


def known() -> set[compare.Difference]:
    if not KNOWN.exists():
        return set()
    return {(kind, case, node) for kind, by_case in json.loads(KNOWN.read_text()).items()
            for case, nodes in by_case.items() for node in nodes}


def write_known(differences: set[compare.Difference]) -> None:
    result: dict[str, dict[str, list[str]]] = {}
    for kind, case, node in sorted(differences):
        result.setdefault(kind, {}).setdefault(case, []).append(node)
    KNOWN.write_text(json.dumps(result, indent=0) + "\n")


def development() -> list:
    """All that may be looked at: a draw too, once it is scored."""
    folders = [recordings.folder_of("development"), *(draw.folder for draw in held_out.draws() if draw.result)]
    return [one for folder in folders for one in recordings.recordings(folder)]


def check(arguments: argparse.Namespace) -> int:
    outcome = compare.compare(arguments.cli, development(), execution.executed())
    print("\n".join(figures.table({"graphs": outcome.counts})))
    for difference, why in sorted(outcome.differences.items()):
        if arguments.list is not None and (not arguments.list or difference[0] in arguments.list):
            print(*difference, "|", why)
    found, expected = set(outcome.differences), known()
    if arguments.adopt:
        write_known(found)
    elif arguments.shrink:
        write_known(found & expected)
    if arguments.adopt or arguments.shrink:
        figures.write(outcome.counts)
        expected = known()
    for difference in sorted(found - expected):
        print("new:", *difference, "|", outcome.differences[difference], file=sys.stderr)
    for difference in sorted(expected - found):
        print("gone:", *difference, file=sys.stderr)
    if expected - found:
        print("differences are gone: tools/dev/qgdev executorch-zoo check --shrink takes them off the list", file=sys.stderr)
    current = figures.current(outcome.counts)
    if not current:
        print("docs/records/executorch.md is not up to date: tools/dev/qgdev executorch-zoo check --shrink", file=sys.stderr)
    return 0 if found == expected and current else 1


def execute(arguments: argparse.Namespace) -> int:
    execution.run_all(arguments.cli, development())
    return 0


def draw(arguments: argparse.Namespace) -> int:
    """Names that nobody has looked at here; what is recorded can't be drawn."""
    try:
        print("\n".join(held_out.draw(arguments.count, dict(arguments.share), recordings.names()).names))
    except ValueError as error:
        raise SystemExit(f"error: {error}") from None
    return 0


def share(text: str) -> tuple[str, int]:
    library, _, count = text.partition("=")
    if library not in set(places.draws().libraries().values()) or not count.isdigit():
        raise argparse.ArgumentTypeError(f"{text}: not LIBRARY=COUNT")
    return library, int(count)


def score(arguments: argparse.Namespace) -> int:
    """The only look at the last draw; what it says is kept, with all its misses."""
    last = held_out.open_draw()
    if last is None:
        raise SystemExit("error: all draws are scored")
    found = list(recordings.recordings(last.folder))
    if len({case.name for case, _ in found}) < 12:
        raise SystemExit("error: at least 12 held-out architectures must be recorded")
    outcome = compare.compare(arguments.cli, found, {})
    print("\n".join(figures.table({"held out": outcome.counts})))
    for difference, why in sorted(outcome.differences.items()):
        print(*difference, "|", why)
    held_out.keep({"architectures": sorted({case.name for case, _ in found}),
                   "counts": dict(sorted(outcome.counts.items()))})
    write_known(known() | set(outcome.differences))
    return 0


def parsed(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/dev/qgdev executorch-zoo", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")
    cli = places.ROOT / "build" / "bin" / "quantgate"

    def verb(function, text: str) -> argparse.ArgumentParser:
        name = {"listed": "list"}.get(function.__name__, function.__name__)
        sub = verbs.add_parser(name, help=text, description=text)
        sub.set_defaults(run=function)
        return sub

    verb(listed, "the architectures, and where each stands")
    for function, text in ((label, "makes, quantizes and lowers graphs"),
                           (record, "writes tests/conformance/executorch/zoo")):
        sub = verb(function, text)
        sub.add_argument("names", nargs="*", metavar="NAME", help="architectures; all of the part without")
        sub.add_argument("--held-out", action="store_true", help="those of the last draw instead of the others")
        if function is label:
            sub.add_argument("--read", action="store_true", help="only read the graphs again, of what was lowered before")
            sub.add_argument("--timeout", type=int, default=1500, metavar="SECONDS", help="of one case (default: 1500)")
            sub.add_argument("--once", action="store_true", help="ask the partitioner once only: a third less time")
            sub.add_argument("--twice", action="store_true", help="lower each a second time: what isn't answered alike counts for nothing")
    sub = verb(check, "quantgate against the recordings; exit status 1 on an unlisted difference")
    sub.add_argument("--list", nargs="*", metavar="KIND", choices=compare.KINDS, help="print the differences of a kind")
    sub.add_argument("--shrink", action="store_true", help="take what is gone off the list, write docs/records/executorch.md")
    sub.add_argument("--adopt", action="store_true", help="after new recordings: list every difference anew")
    sub.add_argument("--cli", type=Path, default=cli)
    sub = verb(execute, "runs every node with wrong_values on the emulator, and keeps what came out")
    sub.add_argument("--cli", type=Path, default=cli)
    sub = verb(draw, "draws architectures to hold out, after the last ones were scored")
    sub.add_argument("--count", type=int, default=16)
    sub.add_argument("--share", type=share, action="append", default=[], metavar="LIBRARY=COUNT",
                     help="so many of a library, instead of --count of all")
    sub = verb(score, "scores the last draw, once, and keeps the result")
    sub.add_argument("--cli", type=Path, default=cli)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    arguments = parsed(argv)
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
