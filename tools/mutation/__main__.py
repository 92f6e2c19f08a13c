"""Breaks one thing at a time and looks whether a test notices.

    python3 -m tools.mutation rules    [--sample N] [--seed S] [-o FILE.json]
    python3 -m tools.mutation database [--sample N] [--seed S] [-o FILE.json]

`rules` negates one comparison of core/rules at a time, in a copy of the sources with a build of its
own; `database` changes one value of opdefs/htp at a time (a number, a consequence, a datatype taken
out of a row) in a folder laid over the built-in database. A mutant that no test notices survives and
is listed with its place. Without --sample every comparison is tried, and 400 values of the database.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path

from tools.mutation import database, rules
from tools.mutation.tests import Suite

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["rules", "database"])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()

    module = {"rules": rules, "database": database}[arguments.what]
    mutants = module.mutants(ROOT)
    total = len(mutants)
    size = arguments.sample or (total if arguments.what == "rules" else 400)
    if size < total:
        mutants = sorted(random.Random(arguments.seed).sample(mutants, size))
    bench = module.Bench(ROOT, arguments.build.resolve())
    if failing := Suite(bench.program).first_failure():
        print(f"error: {failing} fails without a mutant", file=sys.stderr)
        return 2

    results: list[dict[str, object]] = []
    started = time.monotonic()
    for number, mutant in enumerate(mutants, 1):
        outcome = bench.outcome(mutant)
        results.append({"place": mutant.place, "was": mutant.was, "becomes": mutant.becomes, "outcome": outcome})
        print(f"\r{number}/{len(mutants)} {mutant.place}: {outcome}\x1b[K", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)

    survivors = [r for r in results if r["outcome"] == "survived"]
    tried = [r for r in results if r["outcome"] != "invalid"]
    print(f"{arguments.what}: {len(tried)} mutants of {total} tried, {len(tried) - len(survivors)} noticed, "
          f"{len(survivors)} survived, {len(results) - len(tried)} not valid; {time.monotonic() - started:.0f} s")
    for survivor in survivors:
        print(f"  {survivor['place']}: {survivor['was']} -> {survivor['becomes']}")
    if arguments.output:
        summary = {"seed": arguments.seed, "possible": total, "tried": len(tried), "survived": len(survivors)}
        arguments.output.write_text(json.dumps({**summary, "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
