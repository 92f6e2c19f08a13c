"""What a sweep found, in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quantgate._sweep.changes import KINDS
from quantgate._sweep.tables import VERDICTS, Counts

if TYPE_CHECKING:
    import pyarrow as pa

_LISTED = 10


def printable(text: str) -> str:
    """On one line and without control characters."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def text(counts: Counts, changed: pa.Table | None, against: str) -> str:
    lines = [_probed(counts) if counts.kinds else _checked(counts), "", *_targets(counts)]
    if counts.rules:
        lines += ["", f"{_many(counts.findings, 'finding')}; most often:"]
        lines += [f"  {number:>11,}  {rule}" for rule, number in counts.rules.most_common(_LISTED)]
    if counts.unreadable:
        models = counts.unread // max(len(counts.targets), 1)
        lines += ["", f"{_many(models, 'model')} can't be read:"]
        lines += [f"  {printable(model)}: {printable(error)}"
                  for model, error in counts.unreadable[:_LISTED]]
        if models > _LISTED:
            lines.append(f"  … and {models - _LISTED:,} more: `error` of models.parquet")
    if changed is not None:
        lines += ["", *_changes(changed, against)]
    return "\n".join(lines) + "\n"


def _checked(counts: Counts) -> str:
    return (f"{_many(counts.models, 'model')} on {_many(len(counts.targets), 'target')}: "
            f"{counts.failed:,} of {counts.rows:,} fail"
            + (f", {counts.unread:,} of them can't be read" if counts.unread else ""))


def _probed(counts: Counts) -> str:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in counts.kinds.most_common())
    return (f"{_many(counts.models, 'configuration')} put to a library for "
            f"{_many(len(counts.targets), 'target')}: {kinds}")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _targets(counts: Counts) -> list[str]:
    """A table with a column for each verdict that occurs."""
    shown = [verdict for verdict in VERDICTS
             if any(target.verdicts[verdict] for target in counts.targets.values())]
    rows = [["target", "models", "differ" if counts.kinds else "fail", *shown]]
    for name, target in counts.targets.items():
        cells = [target.models, target.failed, *(target.verdicts[verdict] for verdict in shown)]
        rows.append([name, *(f"{cell:,}" if cell else "·" for cell in cells)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]),
                       *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
            for row in rows]


def _changes(changed: pa.Table, against: str) -> list[str]:
    if changed.num_rows == 0:
        return [f"nothing changed against {against}"]
    rows = changed.to_pylist() if changed.num_rows <= 100_000 else changed.slice(0, 100_000).to_pylist()
    counted = {one["values"]: one["counts"]
               for one in changed.column("change").value_counts().to_pylist()}
    lines = [f"against {against}: " + ", ".join(f"{counted[kind]:,} {kind}" for kind in KINDS
                                                if kind in counted)]
    for kind in ("breaks", "fixed"):
        of_kind = [row for row in rows if row["change"] == kind]
        lines += [f"  {kind}  {printable(row['model'])}  {row['target']}: {row['before']}, now "
                  f"{row['after']}" for row in of_kind[:_LISTED]]
        if len(of_kind) > _LISTED:
            lines.append(f"  … and {counted[kind] - _LISTED:,} more: changes.parquet")
    return lines
