"""Debian's packages for builds that can't use the installed ones: sources, and packages of another architecture.

Nothing of the system changes: lists of packages, archives and what is unpacked lie in the folder that is given.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path("/etc/apt")


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> None:
    """Its output is shown only where it fails."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")  # fmt: skip
    if done.returncode:
        print(done.stdout[-6000:], file=sys.stderr)
        raise SystemExit(f"error: {' '.join(map(str, words[:4]))} …: exit status {done.returncode}")


class Apt:
    """apt with state of its own. `architecture` is that of the packages; `sources`: source packages too."""

    def __init__(self, folder: Path, architecture: str = "", sources: bool = False) -> None:
        self.folder = folder
        for name in ("lists/partial", "archives/partial", "sources.list.d", "unpacked"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").write_text("")
        self._copy_sources(sources)
        options = {"Dir::State::lists": folder / "lists", "Dir::State::status": folder / "status", "Dir::Cache::archives": folder / "archives",
                   "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": folder / "sources.list.d",
                   "APT::Install-Recommends": "false", "Debug::NoLocking": "true", "APT::Sandbox::User": "root"}  # fmt: skip
        if architecture:
            options |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
        self.options = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]

    def _copy_sources(self, sources: bool) -> None:
        """The system's entries, of both forms."""
        target = self.folder / "sources.list.d"
        for path in [SOURCES / "sources.list", *sorted((SOURCES / "sources.list.d").glob("*"))]:
            if not path.is_file() or path.suffix not in (".list", ".sources"):
                continue
            text = path.read_text()
            if "debian.org" not in text and "ubuntu.com" not in text:
                continue  # of others: nothing is needed from them
            if sources and path.suffix == ".sources":
                text = text.replace("Types: deb\n", "Types: deb deb-src\n")
            elif sources:
                text += "".join(f"deb-src{line[3:]}\n" for line in text.splitlines() if line.startswith("deb "))
            (target / path.name).write_text(text)

    def update(self) -> None:
        if not (self.folder / "updated").exists():
            run("apt-get", *self.options, "--quiet", "update")
            (self.folder / "updated").touch()

    def source(self, name: str) -> Path:
        """The unpacked, patched source package."""
        folder = self.folder / "unpacked" / name
        if not folder.exists():
            self.update()
            fetched = self.folder / "fetched" / name
            shutil.rmtree(fetched, ignore_errors=True)
            fetched.mkdir(parents=True)
            run("apt-get", *self.options, "--quiet", "--download-only", "source", name, cwd=fetched)
            [description] = fetched.glob("*.dsc")
            run("dpkg-source", "--no-check", "-x", description.name, "sources", cwd=fetched)
            (fetched / "sources").rename(folder)
        return folder

    def download(self, *names: str) -> list[Path]:
        """These packages alone."""
        folder = self.folder / "packages"
        folder.mkdir(exist_ok=True)
        self.update()
        missing = [name for name in names if not list(folder.glob(f"{name}_*.deb"))]
        if missing:
            run("apt-get", *self.options, "--quiet", "download", *missing, cwd=folder)
        return [next(folder.glob(f"{name}_*.deb")) for name in names]

    def closure(self, *names: str) -> list[Path]:
        """These packages and all that they depend on."""
        self.update()
        run("apt-get", *self.options, "--quiet", "--yes", "--download-only", "install", *names)
        return sorted((self.folder / "archives").glob("*.deb"))


def unpack(debs: list[Path], root: Path) -> None:
    """Into a root."""
    root.mkdir(parents=True, exist_ok=True)
    for deb in debs:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as content:
            subprocess.run(["tar", "-C", str(root), "-x", "--keep-directory-symlink", "--no-same-owner"], stdin=content.stdout, check=True)
        if content.returncode:
            raise SystemExit(f"error: {deb.name} can't be unpacked")


def merged(root: Path) -> None:
    """The folders of an empty root, where /lib means /usr/lib."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
