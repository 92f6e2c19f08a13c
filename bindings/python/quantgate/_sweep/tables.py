"""Parts into the tables of OUT, row groups at a time, and what is counted on the way."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quantgate._sweep.store import Folder, Range, part_name
from quantgate._sweep.work import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP = 1 << 17
# Verdicts as a page has them; `unreadable` is a row with an error, the last three are of --probe.
VERDICTS = ("unreadable", "rejected", "prepare_fails", "wrong_values", "altered", "undocumented",
            "advice", "unchecked", "accepted", "crash", "hang", "not queried")


@dataclasses.dataclass
class TargetCounts:
    models: int = 0
    failed: int = 0
    verdicts: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


@dataclasses.dataclass
class Counts:
    """Of all rows. `grid`: names of models with a letter a target, `a` for the first of VERDICTS, for
    the page: those that fail and those that don't, `limit` of each at most."""

    limit: int
    rows: int = 0
    models: int = 0
    findings: int = 0
    targets: dict[str, TargetCounts] = dataclasses.field(default_factory=dict)
    kinds: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    rules: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    unreadable: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    failing: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    fine: list[tuple[str, str]] = dataclasses.field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum(target.failed for target in self.targets.values())

    @property
    def unread(self) -> int:
        return sum(target.verdicts["unreadable"] for target in self.targets.values())

    @property
    def exit_status(self) -> int:
        """As of `quantgate check` of all models: the highest."""
        return 2 if self.unread else 1 if self.failed else 0

    def add_models(self, table: pa.Table) -> None:
        names, targets, verdicts, failed, errors = (
            table.column(name).to_pylist()
            for name in ("model", "target", "verdict", "failed", "error"))
        self.rows += len(names)
        if "kind" in table.column_names:
            self.kinds.update(table.column("kind").to_pylist())
        at = 0
        while at < len(names):
            end, letters, fails = at, [], False
            # The rows of a model follow each other, one a target.
            while end < len(names) and names[end] == names[at] and end - at < len(self.targets):
                of_target = self.targets[targets[end]]
                verdict = verdicts[end] or "unreadable"
                of_target.models += 1
                of_target.failed += failed[end]
                of_target.verdicts[verdict] += 1
                letters.append(chr(ord("a") + VERDICTS.index(verdict)))
                fails |= failed[end]
                end += 1
            self.models += 1
            if errors[at] and len(self.unreadable) < 100:
                self.unreadable.append((names[at], errors[at]))
            kept = self.failing if fails else self.fine
            if len(kept) < self.limit:
                kept.append((names[at], "".join(letters)))
            at = end

    def add_findings(self, table: pa.Table) -> None:
        pc = _compute()
        self.findings += table.num_rows
        joined = pc.binary_join_element_wise(table.column("code"), table.column("rule"), " ")
        for one in pc.value_counts(joined.combine_chunks()).to_pylist():
            self.rules[one["values"]] += one["counts"]


def _compute() -> Any:
    import pyarrow.compute as pc

    return pc


class Reader:
    """The rows of one table in the order of items: from the parts of a sweep, or the tables of
    shards."""

    def __init__(self, files: Sequence[tuple[Folder, str]]) -> None:
        self._files = files

    @classmethod
    def of_parts(cls, parts: Folder, ranges: Sequence[Range], table: str) -> Reader:
        return cls([(parts, part_name(*one, table)) for one in ranges])

    def tables(self) -> Iterator[pa.Table]:
        pa = pyarrow()
        import pyarrow.parquet as pq

        for folder, name in self._files:
            with folder.read(name) as stream:
                file = pq.ParquetFile(stream)
                for group in range(file.num_row_groups):
                    yield file.read_row_group(group)
                if file.num_row_groups == 0:
                    yield pa.Table.from_batches([], file.schema_arrow)


def whole_models(tables: Iterator[pa.Table], rows_of_model: int) -> Iterator[pa.Table]:
    """The same rows, cut only between models."""
    pa = pyarrow()
    rest = None
    for table in tables:
        table = table if rest is None else pa.concat_tables([rest, table])
        whole = table.num_rows // rows_of_model * rows_of_model
        yield table.slice(0, whole)
        rest = table.slice(whole)
    if rest is not None and rest.num_rows:
        yield rest


def write(tables: Iterator[pa.Table], folder: Folder, name: str) -> None:
    """One Parquet file with row groups of a size that readers like."""
    pa = pyarrow()
    import pyarrow.parquet as pq

    stream: Any
    if folder.is_remote:
        from quantgate._sweep.inputs import filesystem

        fs, inner = filesystem(f"{folder.path}/{name}")
        stream = fs.open(inner, "wb")
    else:
        stream = open(f"{folder.path}/{name}", "wb")  # noqa: SIM115
    writer, held, rows = None, [], 0
    with stream:
        try:
            for table in tables:
                writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
                held.append(table)
                rows += table.num_rows
                if rows >= _ROW_GROUP:
                    writer.write_table(pa.concat_tables(held), row_group_size=_ROW_GROUP)
                    held, rows = [], 0
            if writer is not None and held:
                writer.write_table(pa.concat_tables(held), row_group_size=_ROW_GROUP)
        finally:
            if writer is not None:
                writer.close()
