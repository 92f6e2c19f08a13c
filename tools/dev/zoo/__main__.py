"""The zoo: real architectures, quantized as people quantize them, put to the real provider.

  qgdev zoo list                the architectures, where each stands
  qgdev zoo make [NAME...]      makes the models of an architecture
  qgdev zoo label [NAME...]     asks the provider about them
  qgdev zoo record [NAME...]    writes tests/conformance/zoo
  qgdev zoo locate [NAME...]    asks again where the errors of recorded models begin
  qgdev zoo variants [SDK...]   puts a sample of recorded models to other providers
  qgdev zoo check               quantgate against what is recorded; --part: a quarter of it
  qgdev zoo score               the held-out architectures, once; then `draw` for the next
  qgdev zoo draw                holds the next architectures out

make and label can be stopped and go on where they were. See docs/records/zoo.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import aimet  # noqa: E402
import compare  # noqa: E402
import draws  # noqa: E402
import figures  # noqa: E402
import known  # noqa: E402
import page  # noqa: E402
import places  # noqa: E402
import recordings  # noqa: E402
import variants  # noqa: E402


def chosen(arguments: argparse.Namespace) -> list[places.Export]:
    state = draws.Draws()
    names = (aimet.load()["architectures"] if arguments.aimet else
             state.held_out() if arguments.held_out else state.development())
    unknown = [name for name in arguments.names if name not in names]
    if unknown:
        raise SystemExit(f"error: {', '.join(unknown)}: not an architecture of this part of the zoo")
    return (places.aimet_exports if arguments.aimet else places.exports)(arguments.names or names)


def recorded_by_aimet() -> list[recordings.Recording]:
    return list(recordings.recordings(aimet.load()["architectures"], recordings.FOLDERS["aimet"]))


def listed(_: argparse.Namespace) -> int:
    state = draws.Draws()
    held_out, development = set(state.held_out()), set(state.development())
    there = {r.export.name for folder in recordings.FOLDERS.values()
             for r in recordings.recordings(state.names, folder)}
    for name, library in draws.libraries().items():
        part = "held out" if name in held_out else "development" if name in development else "reserve"
        print(f"{name:24} {library:12} {part:12} {'recorded' if name in there else ''}")
    return 0


def make(arguments: argparse.Namespace) -> int:
    import making

    return 1 if making.make_all(chosen(arguments), arguments.again) else 0


def label(arguments: argparse.Namespace) -> int:
    import labelling

    labelling.label_all([e for e in chosen(arguments) if e.forms()], arguments.arch, arguments.step, arguments.form)
    return 0


def record(arguments: argparse.Namespace) -> int:
    import labelling

    exports = [str(e) for e in chosen(arguments) if e.forms() and labelling.Labels(e).data]
    part = "held_out" if arguments.held_out else "development"
    status, error = labelling.run("record.py", part, *exports, timeout=3600)
    print(error, end="", file=sys.stderr)
    size = sum(path.stat().st_size for path in places.RECORDED.rglob("*") if path.is_file())
    print(f"{len(exports)} exports; the folder has {size / 1e6:.2f} MB")
    return 1 if status or size > 5_000_000 else 0


def locate(arguments: argparse.Namespace) -> int:
    import locating

    found = list(recordings.recordings(arguments.names or draws.Draws().development(),
                                       recordings.FOLDERS["development"]))
    if not arguments.write:
        locating.locate_all(found, arguments.arch, arguments.form, arguments.missed)
    else:
        print("\n".join(locating.write(found)))
    return 0


def problems(outcome: compare.Outcome, compared: set[tuple[str, str, str]]) -> int:
    """Differences that aren't listed, and listed ones that are gone, of the exports, forms and archs compared."""
    expected = {d for d in known.load() if d[1:4] in compared}
    found = set(outcome.differences)
    for kind, export, form, arch, node in sorted(found - expected):
        print(f"new: {kind} {export} {form} {arch} {node}: "
              f"{outcome.differences[kind, export, form, arch, node]}", file=sys.stderr)
    for difference in sorted(expected - found):
        print("gone:", *difference, file=sys.stderr)
    if expected - found:
        print("differences are gone: tools/dev/qgdev zoo check --shrink takes them off the list", file=sys.stderr)
    return 1 if found ^ expected else 0


def check(arguments: argparse.Namespace) -> int:
    state = draws.Draws()
    everything = list(recordings.recordings(state.development(), recordings.FOLDERS["development"]))
    found = everything[::4] if arguments.part else everything
    others = recorded_by_aimet()
    archs = sorted(places.ARCHS)
    outcome = compare.compare(arguments.cli, found, archs, progress=True)
    by_aimet = compare.compare(arguments.cli, others, archs, progress=True)
    outcome.differences |= by_aimet.differences
    sampled, by_variant = variants.sample(everything), {}
    for title in variants.load()["scored"]:
        of_variant = variants.compared(arguments.cli, sampled, title)
        by_variant[title] = of_variant.counts
        outcome.differences |= of_variant.differences
    print("\n".join((*figures.lines(outcome.counts), "AIMET:", *figures.lines(by_aimet.counts))))
    if arguments.list:
        for difference, why in sorted(outcome.differences.items()):
            if difference[0] in arguments.list:
                print(*difference, "|", why)
    whole = not arguments.part
    if arguments.adopt:
        known.PATH.write_text(known.text(set(outcome.differences)))
    elif arguments.shrink and whole:
        print(f"{known.shrink(set(outcome.differences))} differences are gone")
    measured = page.Measured(outcome.counts, len({r.export.name for r in found}), by_aimet.counts, by_variant)
    if whole and (arguments.shrink or arguments.adopt):
        page.write(measured, state)
    models = {(str(r.export), form) for r in found + others for form in places.FORMS}
    status = problems(outcome, {(*model, arch) for model in models for arch in archs}
                      | {(str(r.export), form, title) for r, form in sampled for title in by_variant})
    if whole and not page.current(measured, state):
        print("docs/records/zoo.md is not up to date: tools/dev/qgdev zoo check --shrink", file=sys.stderr)
        status = 1
    return status


def score_aimet(cli: Path) -> int:
    found = recorded_by_aimet()
    outcome = compare.compare(cli, found, sorted(places.ARCHS), progress=True)
    print("\n".join(figures.lines(outcome.counts)))
    aimet.record({"recorded": sorted({r.export.name for r in found}), "counts": dict(sorted(outcome.counts.items()))})
    known.PATH.write_text(known.text(known.load() | set(outcome.differences)))
    return 0


def score(arguments: argparse.Namespace) -> int:
    """The only look at the held-out part: what it says is recorded with the salt."""
    if arguments.aimet:
        return score_aimet(arguments.cli)
    state = draws.Draws()
    if arguments.variants:
        found = list(recordings.recordings(state.development(), recordings.FOLDERS["development"]))
        known.PATH.write_text(known.text(known.load() | variants.score(arguments.cli, found)))
        return 0
    names = state.held_out()
    if not names:
        raise SystemExit("error: the last draw is scored; tools/dev/qgdev zoo draw makes the next")
    found = list(recordings.recordings(names, recordings.FOLDERS["held_out"]))
    recorded = sorted({r.export.name for r in found})
    if len(recorded) < 12:
        raise SystemExit(f"error: {len(recorded)} of {len(names)} held-out architectures are recorded, 12 are needed")
    outcome = compare.compare(arguments.cli, found, sorted(places.ARCHS), progress=True)
    print("\n".join(figures.lines(outcome.counts)))
    state.record({"architectures": recorded, "counts": dict(sorted(outcome.counts.items())),
                  "figures": {f.what: [f.part, f.of] for f in figures.figures(outcome.counts)}})
    for path in recordings.FOLDERS["held_out"].glob(f"*{recordings.ENDING}"):
        recordings.add(recordings.read(path), held_out=False)
        path.unlink()
    known.PATH.write_text(known.text(known.load() | set(outcome.differences)))
    print("recorded; its misses joined the known differences: tools/dev/qgdev zoo check --shrink writes the page")
    return 0


def ask_variants(arguments: argparse.Namespace) -> int:
    import labelling

    status, error = labelling.run("ask_variants.py", *arguments.titles, timeout=7200)
    print(error, end="", file=sys.stderr)
    return status


def draw(arguments: argparse.Namespace) -> int:
    print("\n".join(draws.Draws().draw(arguments.count, arguments.rest)))
    return 0


def parsed(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/dev/qgdev zoo", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")
    cli = places.ROOT / "build" / "bin" / "quantgate"

    def verb(function, name: str, text: str) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=text, description=text)
        sub.set_defaults(run=function)
        return sub

    verb(listed, "list", "the architectures, and where each stands")
    for function, name, text in ((make, "make", "makes the models"), (label, "label", "asks the provider"),
                                 (record, "record", "writes tests/conformance/zoo")):
        sub = verb(function, name, text)
        sub.add_argument("names", nargs="*", metavar="NAME", help="architectures; all of the part without")
        sub.add_argument("--held-out", action="store_true", help="the held-out part instead of the others")
        sub.add_argument("--aimet", action="store_true", help="what AIMET quantizes instead")
        if name == "make":
            sub.add_argument("--again", action="store_true", help="try again what failed")
        if name == "label":
            sub.add_argument("--arch", nargs="+", choices=places.ARCHS, default=list(places.ARCHS))
            sub.add_argument("--form", nargs="+", choices=places.FORMS, default=list(places.FORMS))
            sub.add_argument("--step", nargs="+", choices=("session", "numbers", "strict", "first", "alone"),
                             default=["session", "numbers", "strict", "first"])
    sub = verb(locate, "locate", "asks again where the errors of recorded models begin")
    sub.add_argument("names", nargs="*", metavar="NAME", help="architectures, made before; all without")
    sub.add_argument("--arch", nargs="+", choices=places.ARCHS, default=list(places.ARCHS))
    sub.add_argument("--form", nargs="+", choices=places.FORMS, default=list(places.FORMS))
    sub.add_argument("--missed", action="store_true", help="only where a finding is missing")
    sub.add_argument("--write", action="store_true", help="write what was asked into the recordings")
    sub = verb(check, "check", "quantgate against the recordings; exit status 1 on an unlisted difference")
    sub.add_argument("--cli", type=Path, default=cli)
    sub.add_argument("--part", action="store_true", help="every fourth export")
    sub.add_argument("--list", nargs="*", metavar="KIND", choices=compare.KINDS, help="print the differences of a kind")
    sub.add_argument("--shrink", action="store_true", help="take what is gone off the list, write docs/records/zoo.md")
    sub.add_argument("--adopt", action="store_true", help="after new recordings: list every difference anew")
    sub = verb(score, "score", "scores the held-out part, once, and records the result")
    sub.add_argument("--cli", type=Path, default=cli)
    sub.add_argument("--aimet", action="store_true", help="the draw of what AIMET quantizes instead")
    sub.add_argument("--variants", action="store_true", help="other providers instead, where all was asked")
    sub = verb(ask_variants, "variants", "puts a sample of the recorded models to other providers")
    sub.add_argument("titles", nargs="*", metavar="SDK", choices=variants.VARIANTS, default=list(variants.VARIANTS))
    sub = verb(draw, "draw", "holds the next architectures of the reserve out")
    size = sub.add_mutually_exclusive_group()
    size.add_argument("--count", type=int, metavar="N", help="how many; as many as the draw before without")
    size.add_argument("--rest", action="store_true", help="all that are left")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    arguments = parsed(argv)
    try:
        return arguments.run(arguments)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
