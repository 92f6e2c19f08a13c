"""Markdown pages of the whole database: `python3 -m tools.dev.reference --cli build/bin/quantgate -o DIR`.

A page per op and backend, rule and JSON Schema, the command line, the sources, the coverage.
Everything comes from the tool itself, so the pages say what it says. With --coverage FILE only the
coverage table is written.
"""
import argparse
import pathlib
import sys

from . import coverage, pages
from .database import Database


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tools.dev.reference", description=__doc__.split("\n")[0])
    parser.add_argument("--cli", default="build/bin/quantgate", help="the command line tool")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder for the pages")
    parser.add_argument("--coverage", type=pathlib.Path, help="file for the coverage table alone")
    arguments = parser.parse_args()
    if (arguments.output is None) == (arguments.coverage is None):
        parser.error("give one of --output and --coverage")
    try:
        database = Database(arguments.cli)
    except OSError as error:
        print(f"error: {arguments.cli}: {error.strerror}", file=sys.stderr)
        return 2
    if arguments.coverage:
        arguments.coverage.write_text(coverage.page(database), encoding="utf-8")
        return 0
    written = pages.write(database, arguments.output)
    print(f"{len(written)} pages in {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
