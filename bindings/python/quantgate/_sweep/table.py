"""quantgate.sweep(): a sweep in this process, as one table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from quantgate._knowledge import Folders, folders
from quantgate._names import FailOn, Mode, Route
from quantgate._sweep import inputs, work

if TYPE_CHECKING:
    import pyarrow as pa

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

# Items between two looks at signals: Ctrl+C.
_AT_ONCE = 1024


def sweep(paths: Paths, targets: str | Sequence[str], *, sdk: str | Sequence[str] = (),
          table: Literal["models", "findings", "nodes"] = "models", backend: str = "htp",
          route: Route | None = None, mode: Mode = "strict", fail_on: FailOn = "wrong_values",
          opdefs: Folders = (), threads: int | None = None) -> pa.Table:
    """What many models are on many targets: a row for each pair.

    paths: files, folders, globs, archives (.zip, .tar, .tar.gz ...) and URLs that fsspec opens.
    targets: 'SM8550', 'arch:v79' (of `backend`), 'ethosu:u55', each '@SDK' where it differs from
    `sdk`, which may be several; as a list or comma separated. table: 'findings' and 'nodes' have a
    row for each of these instead. threads: by default as many as there are cores; no Python runs in
    them. The rest as for check().

    A model that can't be read is a row with its `error`. Everything is held in memory;
    `quantgate sweep` writes Parquet instead, survives crashes and continues what was interrupted.

    Raises TargetError, ValueError and OpdefsError as check() does, and SweepError for paths that
    hold no model or without pyarrow.
    """
    pa = work.pyarrow()
    if table not in work.TABLES:
        raise ValueError(f"table: unknown value {table!r}; known: {', '.join(work.TABLES)}")
    job = work.Job(targets=targets if isinstance(targets, str) else ",".join(targets),
                   sdks=(sdk,) if isinstance(sdk, str) else tuple(sdk), backend=backend,
                   route=route, mode=mode, fail_on=fail_on, opdefs=tuple(folders(opdefs)),
                   findings=table == "findings", nodes=table == "nodes")
    work.sweeper(job)  # what is wrong with the arguments comes before what is wrong with paths
    of_paths = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    items = list(inputs.expand([os.fspath(path) for path in of_paths]))
    cores = threads or len(os.sched_getaffinity(0))
    parts = [work.run(job, items[at:at + _AT_ONCE], cores)[table]
             for at in range(0, max(len(items), 1), _AT_ONCE)]
    return pa.concat_tables(parts)
