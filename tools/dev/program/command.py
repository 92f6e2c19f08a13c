"""What a command of qgdev is, and the list of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.dev.program.workshop import Workshop

Run = Callable[[Workshop, argparse.Namespace], int | None]


@dataclass(frozen=True)
class Option:
    """Arguments of ArgumentParser.add_argument."""

    names: tuple[str, ...]
    settings: dict[str, Any]

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(*self.names, **self.settings)


def option(*names: str, **settings: Any) -> Option:
    return Option(names, settings)


@dataclass(frozen=True)
class Command:
    name: str  # one word, or a verb and what it is about: "record htp"
    summary: str  # one line of the list
    takes: str  # on two cores: "20 s", "10 min"
    text: str  # what it measures or writes, in full: the docstring of its function
    writes: str  # files of the repository or the build folder, "" = only what it prints
    run: Run
    options: tuple[Option, ...] = ()
    passes_on: bool = False  # arguments it doesn't know go to the program it runs


@dataclass
class Group:
    title: str
    commands: list[Command] = field(default_factory=list)

    def command(self, name: str, summary: str, *options: Option, takes: str, writes: str = "",
                passes_on: bool = False) -> Callable[[Run], Run]:  # fmt: skip
        """Decorates the function that does it; its docstring is the text of --help."""

        def add(run: Run) -> Run:
            text = "\n".join(line.strip() for line in (run.__doc__ or "").strip().splitlines())
            self.commands.append(Command(name, summary, takes, text, writes, run, options, passes_on))
            return run

        return add
