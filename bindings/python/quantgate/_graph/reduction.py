"""The smallest model that still fails in the same way: delta debugging over ops, then over shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quantgate._graph import cutting
from quantgate._graph.cutting import Cut, Cutter

Answer = dict[str, Any]
Fails = Callable[[Cut], bool]

OFF, NOISES = 0.05, 3.0


def is_off(answer: Answer) -> bool:
    """An output is more than 5 % off and above three times the noise."""
    return any(one["off"] > OFF and one["off"] > NOISES * one["noise"]
               for one in (answer.get("outputs") or {}).values())


def kind_of(answer: Answer) -> str:
    """What has to stay the same: the way a session fails with its code, or numbers that are off; '' = fine."""
    state = str(answer["state"])
    if state == "ok":
        return "numbers" if is_off(answer) else ""
    return "" if state == "cpu_fails" else f"{state} {answer.get('code', '')}".strip()


def smallest_set(items: list[int], fails: Callable[[list[int]], bool]) -> list[int]:
    """Zeller's ddmin: no single one of the result can be left out. `items` fail together."""
    parts = 2
    while len(items) > 1:
        size = -(-len(items) // parts)
        chunks = [items[i:i + size] for i in range(0, len(items), size)]
        found = next((chunk for chunk in chunks if fails(chunk)), None)
        if found is not None:
            items, parts = found, 2
            continue
        rests = ([i for i in items if i not in set(chunk)] for chunk in chunks)
        rest = next((rest for rest in rests if rest and fails(rest)), None) if parts > 2 else None
        if rest is not None:
            items, parts = rest, max(parts - 1, 2)
            continue
        if parts >= len(items):
            break
        parts = min(len(items), parts * 2)
    return items


def reduce(cutter: Cutter, fails: Fails, say: Callable[[str], None]) -> Cut | None:
    """None: the ops alone, with the inputs they get in the model, do not fail."""
    if not fails(cutter.cut(cutter.ops)):
        return None

    def part_fails(ops: list[int]) -> bool:
        say(f"{len(ops)} of {len(cutter.ops)} ops")
        return fails(cutter.cut(ops))

    return smaller_shapes(cutter.cut(smallest_set(cutter.ops, part_fails)), fails, say)


def smaller_shapes(cut: Cut, fails: Fails, say: Callable[[str], None]) -> Cut:
    """Halves dimensions, equal ones together and then each alone, as long as it fails."""

    def candidates() -> list[Callable[[], Cut | None]]:
        now = cut
        together = [lambda size=size: cutting.halved_together(now, size) for size in cutting.sizes(now)]
        alone = [lambda name=name, axis=axis: cutting.halved(now, name, axis)
                 for name, value in now.feeds.items() for axis in range(value.ndim)]
        return [*together, *alone]

    while True:
        for make in candidates():
            smaller = make()
            if smaller is None:
                continue
            say("smaller shapes")
            if fails(smaller):
                cut = smaller
                break
        else:
            return cut
