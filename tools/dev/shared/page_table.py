"""The part of a page that a program writes: what stands between two marks."""

from __future__ import annotations


def replaced(text: str, marks: tuple[str, str], part: str) -> str:
    """`text` with `part` between the marks. Raises SystemExit where they are not in it."""
    begin, end = marks
    if begin not in text or end not in text:
        raise SystemExit(f"error: the file lacks the lines {begin} and {end}")
    before, rest = text.split(begin, 1)
    return before + begin + part + end + rest.split(end, 1)[1]
