"""One change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Mutant:
    file: str  # from the root of the sources
    line: int  # from 1
    begin: int  # columns of the line that `becomes` replaces, from 0
    end: int
    was: str
    becomes: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.begin + 1}"

    def apply(self, text: str) -> str:
        lines = text.split("\n")
        line = lines[self.line - 1]
        assert line[self.begin:self.end] == self.was, self.place
        lines[self.line - 1] = line[:self.begin] + self.becomes + line[self.end:]
        return "\n".join(lines)
