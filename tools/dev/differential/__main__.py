"""python -m agree: quantgate's verdicts against a backend library's op validation.

Invariant: a node is `rejected` by quantgate exactly where the library's op validation refuses
it. Prints false rejections, false acceptances and unknowns; writes a page of their classes and
every disagreement with its Model. Exit status 1 when the counts exceed the given limits.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from collections import Counter

from . import backends, database, generate, propose, shrink, summary, verdicts
from .configuration import Configuration
from .database import opdefs_json


def main() -> int:
    parser = argparse.ArgumentParser(prog="agree", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", default="qg-oracle", help="the qg-oracle executable")
    parser.add_argument("--quantgate", default="quantgate", help="the quantgate executable; empty = ask only the library")
    parser.add_argument("--backend-lib", help="the library; else that of the package onnxruntime-qnn, fetched into --libraries")
    parser.add_argument("--libraries", type=pathlib.Path, default=pathlib.Path("build/backends"))
    parser.add_argument("--opdefs", type=pathlib.Path, required=True, help="folder of a backend's op files, opdefs/htp")
    parser.add_argument("--examples", type=pathlib.Path, help="folder of another backend's op files: examples for ops without any")
    parser.add_argument("--sdk", required=True, nargs="+")
    parser.add_argument("--arch", default=["v73"], nargs="+")
    parser.add_argument("--backend", default="htp")
    parser.add_argument("--op", action="append", help="only this op (may be repeated)")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=25, help="length of the tables")
    parser.add_argument("--prepare", action="store_true", help="also compare graph preparation with `prepare_fails`")
    parser.add_argument("--propose", type=int, metavar="N", help="propose edits of the YAML that settle at least N disagreements each, for opdefc propose")
    parser.add_argument("--minimise", type=int, metavar="N", help="shrink the N most frequent disagreements of each kind to their smallest form")
    parser.add_argument("--cross", type=int, metavar="N", default=0, help="also all combinations of datatypes of an example's ports where they are at most N")
    parser.add_argument("--max-false-rejections", type=float, help="per cent")
    parser.add_argument("--max-false-acceptances", type=float, help="per cent")
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="folder for <sdk>-<arch>.md and .jsonl")
    args = parser.parse_args()

    ops = generate.current(database.load(args.opdefs, args.examples), args.sdk)
    if args.op:
        ops = [op for op in ops if op.name in args.op]
    if not ops:
        parser.error(f"no op files with examples in {args.opdefs}")
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    models = args.out / f"seed-{args.seed}.models.jsonl"
    made = list(generate.configurations(ops, args.count, args.seed, args.cross))
    verdicts.write(made, models)
    print(f"{len(made)} configurations, seed {args.seed}, {time.monotonic() - started:.1f} s", flush=True)
    exceeded = False
    for sdk in args.sdk:
        library = args.backend_lib or str(backends.library(args.libraries, sdk, args.backend))
        for arch in args.arch if args.backend == "htp" else [""]:
            exceeded |= compare(args, ops, made, models, library, sdk, arch)
    return 1 if exceeded else 0


def compare(args: argparse.Namespace, ops: list[database.Op], made: list[Configuration], models: pathlib.Path, library: str, sdk: str, arch: str) -> bool:
    """Asks about one target and writes its page; whether the limits are exceeded."""
    stem = "-".join(part for part in (sdk, arch) if part)
    asked = [verdicts.Verdict(configuration, line=line) for line, configuration in enumerate(made, 1)]
    started = time.monotonic()
    verdicts.ask_library(args.oracle, library, arch, models, asked, args.jobs, args.prepare)
    library_done = time.monotonic()
    target = ["--backend", args.backend, "--sdk", sdk] + (["--arch", arch] if arch else [])
    if args.quantgate:
        verdicts.ask_quantgate(args.quantgate, target, models, asked)
    done = time.monotonic()

    head = f"Agreement with {args.backend} {sdk} {arch}, seed {args.seed}"
    page = summary.page(asked, head, args.limit)
    if args.minimise:
        found = shrink.smallest_forms(asked, verdicts.Both(args.oracle, library, arch, args.quantgate, target), args.minimise)
        page += "\n" + "\n".join(summary.smallest_forms(found))
        (args.out / f"{stem}.smallest.jsonl").write_text(shrink.json_lines(found))
    (args.out / f"{stem}.md").write_text(page)
    (args.out / f"{stem}.jsonl").write_text("\n".join(summary.records(asked)) + "\n")
    if args.propose:
        edits = propose.edits(asked, ops, args.backend, sdk, args.propose, opdefs_json.load(args.opdefs.parent))
        lines = ",\n".join(json.dumps(edit) for edit in edits)
        (args.out / f"{stem}.proposals.json").write_text(f"[\n{lines}\n]\n")
    counted = verdicts.counts(asked)
    shown = ", ".join(f"{counted[kind]} {kind}" for kind in ("false rejection", "false acceptance", "unknown"))
    rest = ", ".join(f"{n} {kind}" for kind, n in sorted(counted.items()) if kind.startswith(("library", "refused")))
    print(f"{stem}: {len(asked)} configurations: {shown}; {counted['agrees']} agree; {rest}")
    prepared = Counter(v.preparation() for v in asked if v.preparation())
    if prepared:
        print(f"{stem}: preparation: " + ", ".join(f"{n} {kind}" for kind, n in sorted(prepared.items())))
    print(f"{stem}: seconds: library {library_done - started:.1f}, quantgate {done - library_done:.1f}", flush=True)
    limits = {"false rejection": args.max_false_rejections, "false acceptance": args.max_false_acceptances}
    return any(most is not None and counted[k] > most / 100 * len(asked) for k, most in limits.items())


if __name__ == "__main__":
    sys.exit(main())
