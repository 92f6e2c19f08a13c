"""A sweep from its arguments to OUT."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

from quantgate._core import __version__
from quantgate._sweep import changes, driver, engines, page, probe, store, summary, tables, work
from quantgate._sweep.errors import SweepError
from quantgate._sweep.inputs import expand
from quantgate._sweep.store import Folder, Items

PARTIAL = ".partial"
# A chunk of --probe loads the library anew.
_PROBE_SECONDS = 3.0


@dataclasses.dataclass(frozen=True)
class Request:
    """`quantgate sweep`, its arguments understood."""

    paths: tuple[str, ...]
    job: work.Job
    out: str
    resume: bool = False
    against: str = ""
    shard: tuple[int, int] | None = None
    engine: str = "local"
    scheduler: str = ""
    jobs: int = 1
    quiet: bool = False

    def asked(self) -> dict[str, Any]:
        """What --resume must find again, as JSON gives it back."""
        said = {"paths": self.paths, "job": dataclasses.asdict(self.job), "shard": self.shard}
        return dict(json.loads(json.dumps(said)))


@dataclasses.dataclass(frozen=True)
class Finished:
    text: str
    exit_status: int


def run(request: Request) -> Finished:
    """Raises SweepError, TargetError, OpdefsError, ValueError and OSError."""
    work.pyarrow()
    labels = [target[0] for target in work.sweeper(request.job).targets]
    out = Folder(request.out)
    old = Folder(request.against) if request.against else None
    if old is not None:
        store.manifest(old)
    if request.resume and out.exists(store.MANIFEST) and not partial_of(out).exists():
        return _finished_before(out, request)
    check_free(out)
    partial = _begin(request, out)
    items = Items.read(partial)
    with _removed_on_failure(partial):
        _work_off(request, partial, items)
    known = {**store.manifest(partial), "targets": labels}
    ranges = store.cover(store.done_ranges(partial / "parts"), len(items))
    readers = {name: tables.Reader.of_parts(partial / "parts", ranges, name)
               for name in request.job.tables}
    return assemble(readers, known, partial, out, old)


def partial_of(out: Folder) -> Folder:
    return out.beside(PARTIAL)


def check_free(out: Folder) -> None:
    """OUT is not there, or a sweep that will be replaced, or an empty folder."""
    if out.exists() and out.names() and not out.exists(store.MANIFEST):
        raise SweepError(f"{out.path}: exists and is no sweep; give another -o")
    if not out.is_remote:
        above = os.path.dirname(out.path)
        if not os.path.isdir(above):
            raise SweepError(f"{above}: no such folder")


def _begin(request: Request, out: Folder) -> Folder:
    """OUT.partial with its list of items: a new one, or that of --resume."""
    partial = partial_of(out)
    if request.resume and partial.exists(store.MANIFEST):
        known = store.manifest(partial)
        if known["version"] != __version__:
            raise SweepError(f"{partial.path}: was begun by quantgate {known['version']}, this is "
                             f"{__version__}; remove it to begin anew")
        for name, asked in request.asked().items():
            if known.get(name) != asked:
                raise SweepError(f"{partial.path}: was begun with other arguments ({name}); "
                                 "give the same, or remove it to begin anew")
        return partial
    if partial.exists(store.MANIFEST):
        raise SweepError(f"{partial.path}: an unfinished sweep; --resume continues it, or remove it")
    of_probe = request.job.probe
    items = Items.of(probe.items(of_probe) if of_probe else expand(request.paths))
    every = items.fingerprint()
    if request.shard:
        items = items.shard(*request.shard)
    with _removed_on_failure(partial):
        (partial / "parts").make()
        partial.write(store.INPUTS, items.table)
        # Last: what has no manifest has not begun.
        partial.write(store.MANIFEST, _json({"format": store.FORMAT, "version": __version__,
                                             **request.asked(), "items": len(items), "all": every}))
    return partial


@contextlib.contextmanager
def _removed_on_failure(partial: Folder) -> Iterator[None]:
    """Where nothing was done that --resume could go on from."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            if not store.done_ranges(partial / "parts"):
                partial.remove()
        raise


def _work_off(request: Request, partial: Folder, items: Items) -> None:
    parts = partial / "parts"
    left = store.gaps(store.done_ranges(parts), len(items))
    if not left:
        return
    engine = engine_of(request, parts.path)
    progress = driver.Progress(len(items), len(items) - sum(b - a for a, b in left), request.quiet)
    try:
        seconds = _PROBE_SECONDS if request.job.probe else driver.CHUNK_SECONDS
        driver.drive(engine, items, left, progress.add, seconds)
    finally:
        progress.close()
        engine.close()


def engine_of(request: Request, parts: str) -> engines.Engine:
    if request.engine == "dask":
        from quantgate._sweep.dask_engine import Dask

        return Dask(request.job, parts, request.jobs, request.scheduler)
    return engines.Local(request.job, parts, request.jobs)


def assemble(readers: dict[str, tables.Reader], known: dict[str, Any], partial: Folder,
             out: Folder, old: Folder | None) -> Finished:
    """The tables, the summary and the page, in OUT all at once."""
    final = partial / "final" if not out.is_remote else out
    final.remove()
    final.make()
    targets = list(known["targets"])
    counts = tables.Counts(page.LIMIT, targets={name: tables.TargetCounts() for name in targets})

    def counted(table: Any, add: Any) -> Any:
        add(table)
        return table

    for name, reader in readers.items():
        rows = reader.tables()
        if name == "models":
            rows = (counted(table, counts.add_models)
                    for table in tables.whole_models(rows, len(targets)))
        elif name == "findings":
            rows = (counted(table, counts.add_findings) for table in rows)
        tables.write(rows, final, f"{name}.parquet")
    changed = None
    if old is not None:
        both = dict.fromkeys([*targets, *store.manifest(old)["targets"]])
        changed = changes.compare(old, final, list(both))
        final.write("changes.parquet", changed)
    against = old.path if old is not None else ""
    text = summary.text(counts, changed, against)
    final.write("summary.txt", text.encode())
    final.write("index.html", page.html(counts, changed, against,
                                        {"version": __version__}).encode())
    said = {**known, "rows": counts.rows, "models": counts.models, "findings": counts.findings,
            "failed": counts.failed, "unreadable": counts.unread,
            "exitStatus": counts.exit_status}
    final.write(store.MANIFEST, _json(said))
    if not out.is_remote:
        _rename(final, out, partial)
    partial.remove()
    return Finished(text, counts.exit_status)


def _rename(final: Folder, out: Folder, partial: Folder) -> None:
    if out.exists():
        replaced = partial / f"replaced-{time.time_ns()}"
        os.rename(out.path, replaced.path)
        try:
            os.rename(final.path, out.path)
        except OSError:
            os.rename(replaced.path, out.path)
            raise
        return
    os.rename(final.path, out.path)


def _finished_before(out: Folder, request: Request) -> Finished:
    known = store.manifest(out)
    if any(known.get(name) != asked for name, asked in request.asked().items()):
        raise SweepError(f"{out.path}: is finished, and was made with other arguments")
    with out.read("summary.txt") as stream:
        return Finished(stream.read().decode(), int(known["exitStatus"]))


def merge(shards: Sequence[str], destination: str, against: str = "") -> Finished:
    """Finished shards of one sweep as one. Raises SweepError where they aren't all of one."""
    work.pyarrow()
    folders = [Folder(path) for path in shards]
    out, old = Folder(destination), Folder(against) if against else None
    if old is not None:
        store.manifest(old)
    check_free(out)
    known = [store.manifest(folder) for folder in folders]
    for folder, one in zip(folders, known):
        if not one.get("shard"):
            raise SweepError(f"{folder.path}: no shard of a sweep")
        for name in ("version", "paths", "job"):
            if one[name] != known[0][name]:
                raise SweepError(f"{folder.path}: another sweep than {folders[0].path}: {name}")
        if one["shard"][1] != known[0]["shard"][1]:
            raise SweepError(f"{folder.path}: a shard of {one['shard'][1]}, {folders[0].path} is "
                             f"one of {known[0]['shard'][1]}")
    numbers = [one["shard"][0] for one in known]
    of = known[0]["shard"][1]
    missing = sorted(set(range(1, of + 1)) - set(numbers))
    if missing:
        raise SweepError(f"shard {missing[0]}/{of} is missing"
                         + (f", and {len(missing) - 1} more" if len(missing) > 1 else ""))
    if len(numbers) > len(set(numbers)):
        raise SweepError(f"a shard is given twice: {max(numbers, key=numbers.count)}/{of}")
    lists = {one["all"] for one in known}
    if len(lists) > 1:
        raise SweepError("the shards saw different lists of models: files came or went meanwhile")
    partial = partial_of(out)
    if partial.exists(store.MANIFEST):
        raise SweepError(f"{partial.path}: an unfinished sweep; remove it")
    partial.make()
    ordered = [folder for _, folder in sorted(zip(numbers, folders), key=lambda one: one[0])]
    job = known[0]["job"]
    names = [name for name in work.TABLES if name == "models" or job[name]]
    readers = {name: tables.Reader([(folder, f"{name}.parquet") for folder in ordered])
               for name in names}
    said = {name: known[0][name] for name in ("format", "version", "paths", "job", "targets")}
    said.update(shard=None, items=sum(one["items"] for one in known))
    return assemble(readers, said, partial, out, old)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"
