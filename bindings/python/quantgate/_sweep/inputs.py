"""From paths to items: files, lines of .jsonl files, members of archives.

A path is a file, a folder (all models in it and below), a glob, an archive (.zip, .tar, .tar.gz,
.tgz, .tar.bz2, .tar.xz), or any of these behind a URL that fsspec opens.
"""

from __future__ import annotations

import glob
import mmap
import os
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from quantgate import _core
from quantgate._errors import InputError
from quantgate._sweep.errors import SweepError

_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_GLOB = frozenset("*?[")


class Item(NamedTuple):
    """What is read at once. `member`: of the archive `path`. `line` > 0: of a .jsonl, at `offset`.
    `size`: bytes that must be held in memory to read it; 0 where the file is read in place."""

    path: str
    member: str = ""
    line: int = 0
    offset: int = 0
    length: int = 0
    size: int = 0

    @property
    def source(self) -> str:
        """What the column `model` says, but for files that hold several."""
        if self.member:
            return f"{self.path}/{self.member}"
        return f"{self.path}:{self.line}" if self.line else self.path


def is_url(path: str) -> bool:
    return "://" in path


def is_archive(path: str) -> bool:
    return path.lower().endswith((".zip", *_TARS))


def filesystem(url: str) -> tuple[Any, str]:
    """The filesystem of fsspec for a URL, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise SweepError(f"{url}: URLs need fsspec: pip install fsspec") from None
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise SweepError(f"{url}: {error}") from error
    return fs, str(path)


def open_binary(path: str) -> IO[bytes]:
    """A local file or a URL, to read from anywhere."""
    if not is_url(path):
        return open(path, "rb")  # noqa: SIM115: the caller's
    fs, inner = filesystem(path)
    stream: IO[bytes] = fs.open(inner, "rb")
    return stream


def expand(paths: Sequence[str]) -> Iterator[Item]:
    """The items of all paths, in their order; folders and globs sorted. Raises SweepError for what
    isn't there or holds no model; files that turn out broken are for the worker to report."""
    for path in paths:
        for file in _files(path):
            if is_archive(file):
                yield from _members(file)
            elif file.lower().endswith(".jsonl") and not is_url(file):
                yield from _lines(file)
            else:
                yield Item(file, size=_remote_size(file))


def _files(path: str) -> Sequence[str]:
    if is_url(path):
        return _remote_files(path)
    if os.path.isdir(path):
        return _folder(path)
    if os.path.exists(path):
        return [path]
    if not _GLOB & set(path):
        raise SweepError(f"{path}: no such file or folder")
    found: list[str] = []
    for one in sorted(glob.glob(path, recursive=True)):
        if not os.path.isdir(one):
            if _core.has_model_ending(one) or is_archive(one):
                found.append(one)
    if not found:
        raise SweepError(f"{path}: no file matches that holds a model")
    return found


def _folder(path: str) -> Sequence[str]:
    archives = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path)
                      for name in names if is_archive(name))
    try:
        return sorted([*_core.expand_folder(path), *archives])
    except InputError as error:
        if archives and os.access(path, os.R_OK):
            return archives
        raise SweepError(str(error)) from error


def _remote_files(url: str) -> Sequence[str]:
    fs, path = filesystem(url)
    try:
        if _GLOB & set(path):
            found = fs.glob(path)
        elif fs.isdir(path):
            found = fs.find(path)
        elif fs.exists(path):
            return [url]
        else:
            raise SweepError(f"{url}: no such file or folder")
    except OSError as error:
        raise SweepError(f"{url}: {error}") from error
    kept = sorted(name for name in found if _core.has_model_ending(name) or is_archive(name))
    if not kept:
        raise SweepError(f"{url}: holds no model")
    return [fs.unstrip_protocol(name) for name in kept]


def _remote_size(path: str) -> int:
    if not is_url(path):
        return 0
    fs, inner = filesystem(path)
    try:
        return int(fs.size(inner) or 0)
    except OSError:
        return 0


def _lines(path: str) -> Iterator[Item]:
    """An item a line that isn't blank; the whole file where it can't be read or has none, so that
    the row says why."""
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0,
                                                   access=mmap.ACCESS_READ) as text:
            any_line = False
            begin, line, size = 0, 0, len(text)
            while begin < size:
                end = text.find(b"\n", begin)
                end = size if end < 0 else end
                line += 1
                # As ReadInput has it: a line of nothing but blanks is none.
                if end - begin > 64 or text[begin:end].strip(b" \t\r"):
                    any_line = True
                    yield Item(path, "", line, begin, end - begin)
                begin = end + 1
    except (OSError, ValueError):
        yield Item(path)
        return
    if not any_line:
        yield Item(path)


def _members(path: str) -> Iterator[Item]:
    sizes: dict[str, int] = {}
    try:
        with open_binary(path) as stream:
            # In the archive's order, in which a tar is read fastest.
            for name, size in _names(path, stream):
                if _core.has_model_ending(name):
                    sizes[name] = size
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, ValueError) as error:
        raise SweepError(f"{path}: no archive that can be read: {error}") from error
    if not sizes:
        raise SweepError(f"{path}: holds no model (.onnx, .tflite, .pt2, .jsonl, .binpb, .json)")
    for name, size in sizes.items():
        yield Item(path, name, size=size)


def _names(path: str, stream: IO[bytes]) -> Iterator[tuple[str, int]]:
    if path.lower().endswith(".zip"):
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, info.file_size
        return
    with tarfile.open(fileobj=stream) as tar:
        for member in tar:
            if member.isfile():
                yield member.name, member.size


def read_members(path: str, wanted: Sequence[str]) -> Iterator[tuple[str, bytes | str]]:
    """Each wanted member with its bytes, or with the reason why it can't be read. A compressed tar
    is read from its beginning."""
    left = set(wanted)
    reason = "no longer in the archive"
    try:
        with open_binary(path) as stream:
            if path.lower().endswith(".zip"):
                with zipfile.ZipFile(stream) as archive:
                    for name in wanted:
                        try:
                            data: bytes | str = archive.read(name)
                        except (KeyError, RuntimeError, NotImplementedError,
                                zipfile.BadZipFile, EOFError, OSError) as error:
                            data = f"can't be unpacked: {error}"
                        except Exception as error:  # zlib.error, lzma's own
                            data = f"can't be unpacked: {error}"
                        left.discard(name)
                        yield name, data
            else:
                with tarfile.open(fileobj=stream) as tar:
                    for member in tar:
                        if member.name not in left or not member.isfile():
                            continue
                        opened = tar.extractfile(member)
                        if opened is not None:
                            left.discard(member.name)
                            yield member.name, opened.read()
                        if not left:
                            return
    except Exception as error:  # of the archive as a whole, or of whatever filesystem it lies in
        reason = f"the archive can't be read: {error}"
    for name in wanted:
        if name in left:
            yield name, reason
