"""Counts of what the database holds, per backend and SDK version: the tables of docs/records/database.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tools.dev.shared import opdefs_json
from tools.dev.shared.page_table import replaced

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "records" / "database.md"
MARKS = ("<!-- counts: written by qgdev update counts -->", "<!-- end of counts -->")


def key(sdk: str) -> tuple[int, ...]:
    return tuple(int(n) for n in sdk.split("."))


def valid(entry: dict[str, Any], sdk: str) -> bool:
    """Whether an op, row or constraint holds for a version."""
    reach = entry.get("range", {})
    return key(reach.get("since", "0.0")) <= key(sdk) < key(reach.get("until", "9999.0"))


def counts(backend: dict[str, Any], sdk: str) -> tuple[int, ...]:
    ops = [op for op in backend["ops"] if valid(op, sdk)]
    rows = [v for op in ops for v in op.get("variants", ()) if valid(v, sdk)]
    constraints = [c for op in ops for c in op.get("constraints", ()) if valid(c, sdk)]
    notes = sum(c["kind"] == "note" for c in constraints)
    measured = [e for e in rows + constraints
                if any(s.startswith("measured-") for s in e.get("sources", ()))]
    return (len(ops), len(rows), len(constraints) - notes, notes, len(measured))


def tables(database: dict[str, Any]) -> str:
    lines = ["| backend | SDK | ops | rows | constraints | notes | with a measured source, of "
             "any version |", "|---|---|---|---|---|---|---|"]
    for backend in database["backends"]:
        for sdk in backend["sdks"]:
            lines.append(f"| {backend['name']} | {sdk} | "
                         + " | ".join(str(n) for n in counts(backend, sdk)) + " |")
    whole = [(len(b["ops"]), sum(len(op.get("variants", ())) for op in b["ops"]),
              sum(len(op.get("constraints", ())) for op in b["ops"]))
             for b in database["backends"]]
    total = [sum(column) for column in zip(*whole)]
    lines += ["", f"All versions together: {total[0]} op files, {total[1]} rows, "
              f"{total[2]} constraints and notes, {len(database['socs'])} socs, "
              f"{len(database['sources'])} sources."]
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """The page with the tables of the database as it is."""
    return replaced(text, MARKS, "\n" + tables(opdefs_json.load()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", type=Path, default=PAGE, help="the file whose tables are written")
    arguments = parser.parse_args()
    text = page(arguments.page.read_text())
    arguments.page.write_text(text)
    print(text.split(MARKS[0])[1].split(MARKS[1])[0].strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
