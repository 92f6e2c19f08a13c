"""Roots of file systems that hold what a test puts there and nothing else, and programs run inside them.

A root is empty, or made of Debian packages that are unpacked, never installed: their scripts do not run. Packages
come from apt's sources of this machine, into $QUANTGATE_BUILD/roots.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tools.dev.cross.debian import Apt, merged, unpack  # noqa: E402

CACHE = Path(os.environ.get("QUANTGATE_BUILD", "build")).resolve() / "roots"
# Mounts what programs expect, goes in, and runs the rest of the arguments.
ENTER = """
mkdir -p "$1/proc" "$1/dev" "$1/tmp"
mount -t proc proc "$1/proc" 2>/dev/null || mount --rbind /proc "$1/proc"
for device in null urandom; do
  [ -e "$1/dev/$device" ] || : > "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
exec chroot "$@"
"""


def missing() -> str:
    """Why no root can be entered here; "" where one can."""
    if shutil.which("unshare") is None:
        return "no unshare"
    done = subprocess.run(["unshare", "--map-root-user", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/tmp"],
                          capture_output=True, text=True)  # fmt: skip
    return "" if done.returncode == 0 else f"the kernel allows no namespaces here: {done.stderr.strip()}"


def enter(root: Path, *words: str | Path, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """A program of the root, in namespaces of its own: no network, no process but its own."""
    command = ["unshare", "--map-root-user", "--mount", "--pid", "--net", "--fork", "--kill-child", "sh", "-ec", ENTER, "sh", str(root)]
    return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, timeout=timeout, cwd="/",
                          stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "HOME": "/tmp"})  # fmt: skip


def packages(*names: str) -> list[Path]:
    """The .deb files of these packages and of all that they depend on. Raises LookupError where there are none."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise LookupError("no apt-get and dpkg-deb here")
    folder = CACHE / "-".join(names)
    if not (folder / "complete").exists():
        try:
            Apt(folder).closure(*names)
        except SystemExit as failed:
            raise LookupError(str(failed)) from None
        (folder / "complete").touch()
    return sorted((folder / "archives").glob("*.deb"))


def of_packages(root: Path, *names: str) -> None:
    """Packages in an empty root, with the files that dpkg would have written about them."""
    debs = packages(*names)
    merged(root)
    unpack(debs, root)
    dpkg = root / "var" / "lib" / "dpkg"
    for folder in (dpkg / "info", dpkg / "updates", dpkg / "triggers", dpkg / "parts", root / "var" / "log"):
        folder.mkdir(parents=True, exist_ok=True)
    status = ""
    for deb in debs:
        control = subprocess.run(["dpkg-deb", "-f", str(deb)], check=True, capture_output=True, text=True).stdout
        status += f"{control.rstrip()}\nStatus: install ok installed\n\n"
    (dpkg / "status").write_text(status)
    (dpkg / "available").write_text("")
