"""One HTML page: models by targets, filters, what changed. It loads nothing."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from quantgate._sweep.changes import KINDS
from quantgate._sweep.tables import VERDICTS, Counts

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that a browser opens without a pause; of more, those that changed or fail come first.
LIMIT = 20_000


def html(counts: Counts, changed: pa.Table | None, against: str, head: dict[str, Any]) -> str:
    targets = list(counts.targets)
    marks: dict[str, dict[str, tuple[int, str]]] = {}
    gone = 0
    if changed is not None:
        for row in changed.slice(0, 10 * LIMIT).to_pylist():
            if row["change"] == "gone":
                gone += 1
                continue
            at = targets.index(row["target"]) if row["target"] in targets else -1
            if at >= 0:
                marks.setdefault(row["model"], {})[str(at)] = (KINDS.index(row["change"]),
                                                               row["before"] or "")
    rows = sorted([*counts.failing, *counts.fine], key=lambda row: row[0] not in marks)[:LIMIT]
    rows.sort(key=lambda row: row[0])
    data = {"head": head, "targets": targets, "verdicts": VERDICTS, "kinds": KINDS,
            "rows": [[name, letters, marks.get(name, 0)] for name, letters in rows],
            "models": counts.models, "against": against, "compared": changed is not None,
            "gone": gone,
            "failed": [counts.targets[name].failed for name in targets]}
    # Inside <script> nothing may look like a tag.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    template = resources.files("quantgate._sweep").joinpath("page.html").read_text("utf-8")
    return template.replace("/*DATA*/null", text)
