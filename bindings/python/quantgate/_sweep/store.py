"""OUT, and what lies beside it until a sweep is finished.

OUT.partial holds `sweep.json` (what was asked for), `inputs.parquet` (the items) and `parts`: for each
chunk that is done a file a table, called after its range of items; that of `models`, written last,
says that the chunk is done. When all are there the tables are put together in OUT.partial/final,
which becomes OUT by one rename. Behind a URL, where nothing can be renamed, `sweep.json` is written
last instead: a folder without it is no sweep.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

from quantgate._sweep.errors import SweepError
from quantgate._sweep.inputs import Item, filesystem, is_url
from quantgate._sweep.work import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

# Of the folders: raised when an older one can't be read any more.
FORMAT = 1
MANIFEST = "sweep.json"
INPUTS = "inputs.parquet"
_PART = re.compile(r"(\d{12})-(\d{12})\.models\.parquet")

Range = tuple[int, int]


class Folder:
    """A folder on disk or behind a URL."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/") or "/"
        self.is_remote = is_url(path)
        if not self.is_remote:
            self.path = os.path.abspath(self.path)

    def __truediv__(self, name: str) -> Folder:
        return Folder(f"{self.path}/{name}")

    def beside(self, ending: str) -> Folder:
        return Folder(self.path + ending)

    def exists(self, name: str = "") -> bool:
        path = f"{self.path}/{name}" if name else self.path
        if self.is_remote:
            fs, inner = filesystem(path)
            return bool(fs.exists(inner))
        return os.path.lexists(path)

    def make(self) -> None:
        if self.is_remote:
            fs, inner = filesystem(self.path)
            fs.makedirs(inner, exist_ok=True)
        else:
            os.makedirs(self.path, exist_ok=True)

    def names(self) -> list[str]:
        if not self.is_remote:
            return os.listdir(self.path) if os.path.isdir(self.path) else []
        fs, inner = filesystem(self.path)
        if not fs.exists(inner):
            return []
        fs.invalidate_cache()
        return [str(name).rstrip("/").rsplit("/", 1)[-1] for name in fs.ls(inner, detail=False)]

    def read(self, name: str) -> IO[bytes]:
        if not self.is_remote:
            return open(f"{self.path}/{name}", "rb")  # noqa: SIM115: the caller's
        fs, inner = filesystem(f"{self.path}/{name}")
        stream: IO[bytes] = fs.open(inner, "rb")
        return stream

    def write(self, name: str, content: bytes | pa.Table) -> None:
        """The whole file or none of it."""
        if self.is_remote:
            fs, inner = filesystem(f"{self.path}/{name}")
            with fs.open(inner, "wb") as stream:
                _put(content, stream)
            return
        temporary = f"{self.path}/.{uuid.uuid4().hex}.tmp"
        try:
            with open(temporary, "wb") as stream:
                _put(content, stream)
            os.replace(temporary, f"{self.path}/{name}")
        except BaseException:
            with _ignored():
                os.unlink(temporary)
            raise

    def remove(self) -> None:
        if self.is_remote:
            fs, inner = filesystem(self.path)
            if fs.exists(inner):
                fs.rm(inner, recursive=True)
        elif self.exists():
            shutil.rmtree(self.path)


class _ignored:
    """OSErrors of clearing up hide nothing that matters more."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, OSError)


def _put(content: bytes | pa.Table, stream: IO[bytes]) -> None:
    if isinstance(content, bytes):
        stream.write(content)
        return
    import pyarrow.parquet as pq

    pq.write_table(content, stream, compression="zstd")


def manifest(folder: Folder) -> dict[str, Any]:
    """What a sweep says about itself. Raises SweepError where there is none of this version."""
    if not folder.exists():
        raise SweepError(f"{folder.path}: no such folder")
    if not folder.exists(MANIFEST):
        raise SweepError(f"{folder.path}: no sweep: {MANIFEST} is missing")
    try:
        with folder.read(MANIFEST) as stream:
            known = json.load(stream)
        of_format = known["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise SweepError(f"{folder.path}/{MANIFEST}: can't be read: {error}") from error
    if of_format != FORMAT:
        raise SweepError(f"{folder.path}: a sweep of another version: its format is {of_format}, "
                         f"this version of quantgate reads and writes {FORMAT}")
    return dict(known)


class Items:
    """All items, in columns: a million take some ten megabytes."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    @classmethod
    def of(cls, items: Iterable[Item]) -> Items:
        pa = pyarrow()
        fields = [("path", pa.dictionary(pa.int32(), pa.string())), ("member", pa.string()),
                  ("line", pa.int64()), ("offset", pa.int64()), ("length", pa.int64()),
                  ("size", pa.int64())]
        schema = pa.schema(fields)
        batches, rows = [], []
        for item in items:
            rows.append(item)
            if len(rows) == 65536:
                batches.append(_batch(rows, schema))
                rows = []
        batches.append(_batch(rows, schema))
        return cls(pa.Table.from_batches(batches).unify_dictionaries())

    @classmethod
    def read(cls, folder: Folder) -> Items:
        import pyarrow.parquet as pq

        with folder.read(INPUTS) as stream:
            return cls(pq.read_table(stream, read_dictionary=["path"]))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def slice(self, start: int, stop: int) -> list[Item]:
        columns = [column.to_pylist() for column in self.table.slice(start, stop - start).columns]
        return [Item(*row) for row in zip(*columns)]

    def shard(self, number: int, of: int) -> Items:
        """Every `of`-th one, so that shards take about as long as each other."""
        pa = pyarrow()
        return Items(self.table.take(pa.array(range(number - 1, len(self), of), pa.int64())))

    def fingerprint(self) -> str:
        """Equal for equal lists."""
        import hashlib

        seen = hashlib.sha256()
        for at in range(0, len(self), 65536):
            for item in self.slice(at, at + 65536):
                seen.update(f"{item.source}\0".encode("utf-8", "surrogateescape"))
        return seen.hexdigest()[:16]


def _batch(rows: Sequence[Item], schema: Any) -> Any:
    pa = pyarrow()
    columns = zip(*rows) if rows else [()] * len(schema)
    return pa.RecordBatch.from_arrays(
        [pa.array(list(column), field.type) for column, field in zip(columns, schema)],
        schema=schema)


def part_name(start: int, stop: int, table: str) -> str:
    return f"{start:012}-{stop:012}.{table}.parquet"


def write_part(parts: Folder, start: int, stop: int, tables: dict[str, pa.Table]) -> None:
    for name in reversed(tables):
        parts.write(part_name(start, stop, name), tables[name])


def done_ranges(parts: Folder) -> list[Range]:
    """Ranges of items that have their part."""
    found = filter(None, map(_PART.fullmatch, parts.names()))
    return sorted((int(match[1]), int(match[2])) for match in found)


def gaps(done: Sequence[Range], total: int) -> list[Range]:
    """What is left of [0, total). Where ranges overlap, as after a worker that was thought dead
    finished all the same, the longer one counts."""
    left, at = [], 0
    for start, stop in sorted(done, key=lambda r: (r[0], -r[1])):
        if start < at:
            continue
        if start > at:
            left.append((at, start))
        at = stop
    if at < total:
        left.append((at, total))
    return left


def cover(done: Sequence[Range], total: int) -> list[Range]:
    """Ranges that are all of [0, total), each item once."""
    following: dict[int, Range] = {}
    for one in sorted(done, reverse=True):
        if one[1] == total or one[1] in following:
            following[one[0]] = one
    chosen, at = [], 0
    while at < total:
        if at not in following:
            raise SweepError(f"internal: no part begins with item {at}")
        chosen.append(following[at])
        at = following[at][1]
    return chosen
