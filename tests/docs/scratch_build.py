"""A copy of the sources that may be changed, and the command line tool built from it without building everything: what a
change touches is compiled by the commands of the build folder, everything else is that of the build folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUANTGATE_BUILD", ROOT / "build"))
# Folders that recipes change; all others are links to those of the sources.
COPIED = ("core", "opdefs", "tests/fixtures/rules")
RULES = "core/base/rules.def"
RULE = re.compile(r"^RULE\((k\w+), ", re.M)
# What has the list of rules in it, whatever it names.
HAS_THE_LIST = re.compile(r'"core/base/rules\.def"|\bkRuleNames\b|(?<![.\w>])NameOf\(')
# What a file of the build folder that stands for several includes.
INCLUDED = re.compile(r'^#include "(.+\.cc)"$', re.M)
MOST_SECONDS = 900


class CannotBuild(Exception):
    """The build folder is not one of Ninja, or lacks the tool."""


def copy(folder: Path) -> None:
    """The sources in `folder`."""
    for path in ROOT.iterdir():
        if path.name not in (".git", "core", "opdefs", "tests") and path != BUILD:
            (folder / path.name).symlink_to(path)
    (folder / "tests").mkdir()
    for path in (ROOT / "tests").iterdir():
        if path.name != "fixtures":
            (folder / "tests" / path.name).symlink_to(path)
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)


class Unit(NamedTuple):
    """What is compiled at once: a source, or a file of the build folder that includes several."""

    path: str
    words: list[str]  # that compile it, without its output
    text: str  # of a file of the build folder; empty for a source


def units() -> dict[str, Unit]:
    """Source file from the root → what it is compiled in."""
    path = BUILD / "compile_commands.json"
    if not path.exists():
        raise CannotBuild(f"{path} does not exist")
    found = {}
    for entry in json.loads(path.read_text()):
        words = shlex.split(entry["command"])
        at = words.index("-o")
        path = Path(entry["file"])
        text = path.read_text() if path.name.startswith("unity_") else ""
        unit = Unit(str(path), words[:at] + words[at + 2:], text)
        for source in map(Path, INCLUDED.findall(text) or [path]):
            if source.is_relative_to(ROOT):
                found[source.relative_to(ROOT).as_posix()] = unit
    return found


def touched(folder: Path) -> list[str]:
    """Sources of core that differ, are new, or hold a rule whose number has changed."""
    before, now = (RULE.findall((root / RULES).read_text()) for root in (ROOT, folder))
    same = next((i for i, (a, b) in enumerate(zip(before, now)) if a != b), min(len(before), len(now)))
    moved = re.compile(rf"\b({'|'.join(before[same:] + now[same:])})\b") if before != now else None
    found = []
    for path in sorted((folder / "core").rglob("*.cc")):
        text, original = path.read_text(), ROOT / path.relative_to(folder)
        changed = not original.exists() or original.read_text() != text
        if changed or (moved and (moved.search(text) or HAS_THE_LIST.search(text))):
            found.append(path.relative_to(folder).as_posix())
    return found


def link_command() -> list[str]:
    """The words that link bin/quantgate, as Ninja runs them in the build folder."""
    listed = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "bin/quantgate"], capture_output=True, text=True)
    lines = [line for line in listed.stdout.splitlines() if " -o bin/quantgate " in line]
    if not lines:
        raise CannotBuild(f"{BUILD} is no build folder of Ninja")
    words = shlex.split(lines[-1].removeprefix(": && "))
    return words[:words.index("&&")] if "&&" in words else words


def run(words: list[str]) -> None:
    done = subprocess.run(words, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=MOST_SECONDS)
    if done.returncode:
        raise AssertionError(f"{shlex.join(words)}\n{done.stdout[-4000:]}")


def build(folder: Path, output: Path) -> list[str]:
    """Builds the tool from `folder`; the sources that were changed."""
    known, link, sources = units(), link_command(), touched(folder)

    def moved(text: str) -> str:
        return text.replace(str(BUILD), "\0").replace(str(ROOT), str(folder)).replace("\0", str(BUILD))

    def compiled(number: int, unit: Unit, path: str) -> str:
        if unit.text and path == unit.path:
            path = str(folder / "objects" / f"{number}.cc")
            Path(path).write_text(moved(unit.text))
        result = str(folder / "objects" / f"{number}.o")
        # -O1: a quarter less time, and what is precompiled still fits.
        words = ("-O1" if word == "-O2" else moved(path if word == unit.path else word) for word in unit.words)
        run([*words, "-o", result])
        return result

    (folder / "objects").mkdir()
    wanted = {}
    for source in sources:
        # A new file is compiled by itself, like those of its folder.
        unit = known.get(source) or next(unit for name, unit in known.items() if Path(name).parent == Path(source).parent)
        path = unit.path if source in known else str(ROOT / source)
        wanted[path] = unit
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        objects = list(pool.map(compiled, range(len(wanted)), wanted.values(), wanted))
    at = link.index("-o")
    # Before the libraries: theirs of the same sources are then not needed.
    run([*link[:at], *objects, "-o", str(output), *link[at + 2:]])
    return sources
