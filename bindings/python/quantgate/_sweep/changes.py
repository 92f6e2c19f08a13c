"""What changed between two sweeps: a row for each model and target whose verdict, counts or error
differ, or that only one of them has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quantgate._sweep.store import Folder
from quantgate._sweep.work import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

# What happened, worst first.
KINDS = ("breaks", "changed", "fixed", "new", "gone")
_COUNTS = ("accepted", "advice", "undocumented", "altered", "wrong_values", "prepare_fails",
           "rejected", "unchecked")
_VALUES = ("verdict", "failed", "error", *_COUNTS)


def schema() -> Any:
    pa = pyarrow()
    return pa.schema([("model", pa.string()), ("target", pa.string()), ("change", pa.string()),
                      ("before", pa.string()), ("after", pa.string())])


def compare(old: Folder, new: Folder, targets: Sequence[str]) -> pa.Table:
    """Target by target, so that a million rows need no more memory than a part of them. `targets`
    are those of both."""
    pa = pyarrow()
    found = [_of_target(old, new, target) for target in targets]
    return pa.concat_tables([schema().empty_table(), *found])


def _of_target(old: Folder, new: Folder, target: str) -> pa.Table:
    pa = pyarrow()
    import pyarrow.compute as pc

    before, after = _rows(old, target), _rows(new, target)
    joined = after.join(before, "model", join_type="full outer", right_suffix="_before")
    joined = joined.sort_by("model")

    def differs(name: str) -> Any:
        new_value, old_value = joined.column(name), joined.column(name + "_before")
        unequal = pc.fill_null(pc.not_equal(new_value, old_value), False)
        return pc.or_(unequal, pc.xor(pc.is_null(new_value), pc.is_null(old_value)))

    here, there = pc.is_valid(joined.column("failed")), pc.is_valid(joined.column("failed_before"))
    worse = pc.and_(joined.column("failed"), pc.invert(joined.column("failed_before")))
    better = pc.and_(joined.column("failed_before"), pc.invert(joined.column("failed")))
    any_difference = differs("verdict")
    for name in _VALUES[1:]:
        any_difference = pc.or_(any_difference, differs(name))
    false = pa.scalar(False)
    kind = pc.case_when(
        pc.make_struct(pc.invert(there), pc.invert(here), pc.coalesce(worse, false),
                       pc.coalesce(better, false), any_difference),
        "new", "gone", "breaks", "fixed", "changed", pa.scalar(None, pa.string()))

    def said(suffix: str, present: Any) -> Any:
        verdict = pc.coalesce(joined.column("verdict" + suffix), pa.scalar("unreadable"))
        return pc.if_else(present, verdict, pa.scalar(None, pa.string()))

    table = pa.table([joined.column("model"),
                      pa.array([target] * joined.num_rows, pa.string()), kind,
                      said("_before", there), said("", here)], schema=schema())
    return table.filter(pc.is_valid(kind))


def _rows(folder: Folder, target: str) -> pa.Table:
    """Of one target; a model that is listed twice counts once."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    kept = []
    with folder.read("models.parquet") as stream:
        file = pq.ParquetFile(stream)
        for batch in file.iter_batches(columns=["model", "target", *_VALUES]):
            kept.append(batch.filter(pc.equal(batch.column("target"), target)))
        pa = pyarrow()
        table = pa.Table.from_batches(kept, file.schema_arrow.empty_table()
                                      .select(["model", "target", *_VALUES]).schema)
    names = table.column("model")
    if pc.count_distinct(names).as_py() == table.num_rows:
        return table.drop_columns(["target"])
    first = table.append_column("at", pa.array(range(table.num_rows), pa.int64()))
    firsts = first.group_by("model").aggregate([("at", "min")]).column("at_min")
    return table.take(firsts).drop_columns(["target"])
