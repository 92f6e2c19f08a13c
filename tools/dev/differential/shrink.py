"""The most frequent disagreements, and all ways in which the library fails, in their smallest form."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from . import summary
from .minimise import minimise
from .verdicts import Both, Verdict

Found = tuple[str, int, "dict[str, Any]", Verdict]  # kind, how many are like it, Model, what is said


def smallest_forms(asked: list[Verdict], both: Both, most: int) -> list[Found]:
    """At most `most` of each kind, one per op and reason."""
    grouped: dict[str, dict[tuple[str, str], list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for v in asked:
        if v.kind().startswith(("false", "unknown", "library crash", "library hang")):
            grouped[v.kind()][(v.configuration.op, summary.reason(v))].append(v)
    found: list[Found] = []
    for kind, by_reason in sorted(grouped.items()):
        for (op, _), members in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
            least = summary.smallest(members)
            model = minimise(least.configuration.model(f"{kind} of {op}"), _same(least, both))
            found.append((kind, len(members), model, both.ask([model])[0]))
    return found


def _same(least: Verdict, both: Both) -> Any:
    wanted = (least.kind(), summary.reason(least))

    def same(models: list[dict[str, Any]]) -> list[bool]:
        return [(said.kind(), summary.reason(said)) == wanted for said in both.ask(models)]

    return same


def json_lines(found: list[Found]) -> str:
    return "".join(json.dumps(model) + "\n" for _, _, model, _ in found)
