"""Archives that hold the same bytes whenever they are made: names in order, one time, no owner."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path


def files_of(folder: Path) -> list[Path]:
    """Everything below, folders too, in the order of the names."""
    return sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())


def mode_of(path: Path) -> int:
    """As git knows modes: what one may run, and what not."""
    return 0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644


def settle(folder: Path, epoch: int) -> None:
    """One time and git's modes for everything in a folder that another program packs. dpkg-deb itself changes times
    later than SOURCE_DATE_EPOCH only."""
    for path in [*reversed(files_of(folder)), folder]:
        path.chmod(mode_of(path))
        os.utime(path, (epoch, epoch))


def tar_gz(folder: Path, root: str, target: Path, epoch: int) -> None:
    """The folder under the name `root`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in [folder, *files_of(folder)]:
            name = root if path == folder else f"{root}/{path.relative_to(folder).as_posix()}"
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.mode = epoch, mode_of(path)
            if path.is_dir():
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            else:
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    with target.open("wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=epoch) as squeezed:
        squeezed.write(packed.getvalue())


def same_zip(source: Path, target: Path, epoch: int) -> None:
    """A zip (a wheel is one) written again: the same files and modes, one time. The record of a wheel stays last."""
    import time

    when = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in sorted(old.namelist(), key=lambda name: (name.endswith("/RECORD"), name)):
            runs = name.endswith(".so") or old.getinfo(name).external_attr >> 16 & stat.S_IXUSR
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
            new.writestr(entry, old.read(name))
