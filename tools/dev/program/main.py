"""The command line of qgdev: its list of commands, and running one."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
import time
from pathlib import Path

from tools.dev.program import bench, conformance, generate, record, release, tests
from tools.dev.program.command import Command, Group
from tools.dev.program.workshop import ROOT, Failed, Workshop
from tools.dev.shared.progress import seconds

GROUPS: tuple[Group, ...] = (generate.UPDATE, conformance.GROUP, record.GROUP, tests.GROUP, release.GROUP, bench.GROUP, generate.MAKE)
USAGE = "tools/dev/qgdev [--build DIR] [--jobs N] [--dry-run] COMMAND [OPTION ...]"
HEAD = """qgdev: what developers of quantgate measure, record and generate.

Commands build what they need, install Python packages into .venv and libraries into build/, and
run from any folder. `qgdev COMMAND --help` says what one measures and which files it writes. Times
are of two cores, after the build.
"""
TAIL = """Options, before the command
  --build DIR   the build folder; build unless given
  --jobs N      processes at once; as many as there are processors
  --dry-run     print the programs that would run, and run none
  -h, --help    this list; after a command, its page

Exit status: 0 fine, 1 something differs or fails, 2 unusable arguments or something missing.
docs/extending/developer_tools.md tells when to use what.
"""
WIDTH = 100


def commands() -> list[Command]:
    return [command for group in GROUPS for command in group.commands]


def lines(of: list[Command]) -> list[str]:
    """A line a command, in columns."""
    names = max(len(c.name) for c in commands())
    times = max(len(c.takes) for c in commands())
    return [f"  {command.name:{names}}  {command.takes:>{times}}  {command.summary}" for command in of]


def page() -> str:
    """The list of commands."""
    parts = [line for group in GROUPS for line in (group.title, *lines(group.commands), "")]
    return "\n".join([HEAD, *parts, TAIL])


def page_of(verb: str) -> str:
    """Those that begin with this word."""
    listed = "\n".join(lines([command for command in commands() if command.name.split()[0] == verb]))
    return f"usage: tools/dev/qgdev {verb} WHAT [OPTION ...]\n\n{listed}\n\n`tools/dev/qgdev {verb} WHAT --help` has more.\n"


def parser_of(command: Command) -> argparse.ArgumentParser:
    words = f"{command.summary[0].upper()}{command.summary[1:]}.\n\n{textwrap.fill(' '.join(command.text.split()), WIDTH)}\n\n"
    words += textwrap.fill(f"writes  {command.writes or 'nothing: it prints'}", WIDTH, subsequent_indent=" " * 8) + f"\ntakes   {command.takes}, after the build"
    parser = argparse.ArgumentParser(prog=f"tools/dev/qgdev {command.name}", description=words, add_help=True,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    for option in command.options:
        option.add_to(parser)
    return parser


def find(words: list[str]) -> tuple[Command | None, list[str]]:
    """The command that the words begin with, the longest first, and what follows it."""
    for count in (2, 1):
        for command in commands():
            if len(words) >= count and command.name.split() == words[:count]:
                return command, words[count:]
    return None, words


def near(words: list[str]) -> str:
    """What somebody may have meant."""
    import difflib

    known = {command.name: command.name for command in commands()} | {command.name.split()[-1]: command.name for command in commands()}
    same_verb = [command.name for command in commands() if words and command.name.split()[0] == words[0]]
    if same_verb:
        return "; it has " + ", ".join(same_verb)
    found = difflib.get_close_matches(" ".join(words[:2]), known, 1) or difflib.get_close_matches(words[0], known, 1) if words else []
    return f"; did you mean {known[found[0]]}?" if found else ""


def front(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options before the command, and the rest."""
    parser = argparse.ArgumentParser(prog="tools/dev/qgdev", usage=USAGE, add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("QUANTGATE_BUILD") or ROOT / "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    arguments = parser.parse_args(argv)
    return arguments, arguments.words


def main(argv: list[str] | None = None) -> int:
    arguments, words = front(sys.argv[1:] if argv is None else argv)
    if arguments.help or not words:
        print(page(), end="")
        return 0 if arguments.help else 2
    command, rest = find(words)
    if command is None and words[1:] in ([], ["--help"], ["-h"]) and any(c.name.startswith(f"{words[0]} ") for c in commands()):
        print(page_of(words[0]), end="")
        return 0 if words[1:] else 2
    if command is None:
        print(f"qgdev: there is no command {' '.join(words[:2])}{near(words)}\n`tools/dev/qgdev --help` lists them.", file=sys.stderr)
        return 2
    parser = parser_of(command)
    if command.passes_on and not (rest in (["--help"], ["-h"]) and command.name not in ("zoo", "executorch-zoo")):
        parsed, more = ((argparse.Namespace(), rest) if command.name in ("zoo", "executorch-zoo")
                        else parser.parse_known_args(rest))
        parsed.rest = more
    else:
        parsed = parser.parse_args(rest)
        parsed.rest = []
    shop = Workshop(arguments.build, arguments.jobs, arguments.dry_run)
    start = time.monotonic()
    try:
        status = command.run(shop, parsed) or 0
    except Failed as failure:
        print(f"qgdev {command.name}: {failure}", file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        print(f"\nqgdev {command.name}: stopped", file=sys.stderr)
        return 130
    elapsed = time.monotonic() - start
    if elapsed >= 1 and not arguments.dry_run:
        print(f"qgdev {command.name}: {'done' if status == 0 else f'exit status {status}'}, {seconds(elapsed)}", file=sys.stderr)
    return 1 if status < 0 else status
