"""Where commands work: the build, the Python environment, and how programs are run and shown."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tools.dev.shared.progress import seconds

ROOT = Path(__file__).resolve().parents[3]
VENV_PYTHON = ROOT / ".venv" / "bin" / "python"
SHOWN_AFTER = 1.0  # seconds


class Failed(Exception):
    """A program failed; the status is that of qgdev."""

    def __init__(self, words: str, status: int = 1) -> None:
        super().__init__(words)
        self.status = status


class Workshop:
    """Runs programs from the root of the sources. With `dry` it prints them and runs none."""

    def __init__(self, build: Path, jobs: int, dry: bool = False) -> None:
        self.build_folder = build.resolve()
        self.jobs = jobs
        self.dry = dry
        # The system's Python has the packages of tools/setup.sh, whatever is first on PATH.
        system = Path("/usr/bin/python3")
        self.python = os.environ.get("PYTHON") or (str(system) if system.exists() else sys.executable)
        self._built: set[str] = set()

    # ---- places ---------------------------------------------------------------------------------

    @property
    def cli(self) -> str:
        return str(self.build_folder / "bin" / "quantgate")

    @property
    def oracle(self) -> str:
        return str(self.build_folder / "bin" / "qg-oracle")

    @property
    def opdefc(self) -> str:
        return str(self.build_folder / "tools" / "opdefc" / "opdefc")

    # ---- what is needed first ---------------------------------------------------------------------

    def build(self, *targets: str, folder: Path | None = None, preset: str = "") -> None:
        """Builds targets of CMake, or everything; a preset has a build folder of its own."""
        folder = folder or self.build_folder
        if set(targets) <= self._built and targets:
            return
        self.setup()
        if preset:
            self.run(["cmake", "--preset", preset, f"-DPython3_EXECUTABLE={self.python}"], f"configure {preset}", quiet=True)
        elif not (folder / "CMakeCache.txt").exists():
            self.run(["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                      f"-DPython3_EXECUTABLE={self.python}"], "configure", quiet=True)  # fmt: skip
        command = ["cmake", "--build", str(folder), "-j", str(self.jobs)]
        self.run(command + (["--target", *targets] if targets else []), f"build {' '.join(targets) or 'everything'}")
        self._built |= set(targets)

    def setup(self, more: str = "") -> None:
        """Packages of the system: `clang`, `gcovr`, or those that every build needs."""
        if more not in self._built:
            self.run(["tools/setup.sh", *([more] if more else [])])
            self._built.add(more)

    def install(self, *requirements: str) -> str:
        """Python packages, into .venv; the Python that has them."""
        for file in requirements:
            self.run(["tools/dev/setup/venv.sh", file], f"install {file}", quiet=True)
        return str(VENV_PYTHON)

    def can_install(self, *requirements: str) -> bool:
        """Installs them; false where this system, Python or network has them not."""
        return all(self.run(["tools/dev/setup/venv.sh", file], f"install {file}", quiet=True, may_fail=True) == 0
                   for file in requirements)  # fmt: skip

    # ---- running ----------------------------------------------------------------------------------

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        return {**os.environ, "PYTHON": self.python, "PYTHONPATH": path, "QUANTGATE_BUILD": str(self.build_folder),
                "QUANTGATE_CLI": self.cli, "QUANTGATE_OPDEFC": self.opdefc, **more}  # fmt: skip

    def run(self, command: Sequence[str | Path], title: str = "", *, quiet: bool = False, may_fail: bool = False,
            cwd: Path = ROOT, **environment: str) -> int:  # fmt: skip
        """The exit status. `quiet`: the output is shown only where it fails, and a title with a clock
        where it takes longer than a second. Raises Failed unless it `may_fail`."""
        words = [str(word) for word in command]
        if self.dry:
            if cwd != ROOT:
                words = ["cd", self.relative(cwd), "&&", *words]
            changed = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
            print(" ".join(filter(None, [changed, shlex.join(words).replace("'&&'", "&&")])))
            return 0
        if title and not quiet:
            print(f"qgdev: {title}", file=sys.stderr, flush=True)
        status, output = _quietly(title, words, cwd, self.environment(**environment)) if quiet else (
            subprocess.run(words, cwd=cwd, env=self.environment(**environment)).returncode, "")  # fmt: skip
        if status and not may_fail:
            if output:
                print(output, file=sys.stderr, end="")
            raise Failed(f"{title or words[0]}: exit status {status}", 1 if status < 0 or status > 2 else status)
        return status

    def module(self, name: str, *arguments: str | Path, title: str = "", python: str = "", may_fail: bool = False,
               **environment: str) -> int:  # fmt: skip
        """`python -m tools.dev.NAME`"""
        return self.run([python or self.python, "-m", f"tools.dev.{name}", *arguments], title, may_fail=may_fail, **environment)

    def script(self, path: str, *arguments: str | Path, title: str = "", python: str = "", may_fail: bool = False,
               **environment: str) -> int:  # fmt: skip
        """A Python script of the repository."""
        return self.run([python or self.python, path, *arguments], title, may_fail=may_fail, **environment)

    def relative(self, path: str | Path) -> str:
        """As it is named from the root, where it lies below."""
        path = Path(path)
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)

    def output(self, *command: str) -> str:
        """What a program prints; "" in a dry run."""
        if self.dry:
            print(shlex.join(command))
            return ""
        done = subprocess.run(command, cwd=ROOT, env=self.environment(), stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failed(f"{command[0]}: exit status {done.returncode}")
        return done.stdout.strip()

    def needs_program(self, *names: str, package: str) -> str:
        """The first of these programs that is there."""
        found = next(filter(None, map(shutil.which, names)), None)
        if found is None and not self.dry:
            raise Failed(f"{names[0]} is not installed: {package}", 2)
        return found or names[0]


def _quietly(title: str, words: list[str], cwd: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and output, with a clock on a terminal where it takes long."""
    ended = threading.Event()
    start = time.monotonic()

    def clock() -> None:
        if ended.wait(SHOWN_AFTER):
            return
        if not sys.stderr.isatty():
            print(f"qgdev: {title}", file=sys.stderr, flush=True)
            return
        while not ended.wait(0.2):
            print(f"\r\x1b[Kqgdev: {title}, {seconds(time.monotonic() - start)}", file=sys.stderr, end="", flush=True)
        print("\r\x1b[K", file=sys.stderr, end="", flush=True)

    watch = threading.Thread(target=clock, daemon=True)
    watch.start()
    try:
        done = subprocess.run(words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")  # fmt: skip
    finally:
        ended.set()
        watch.join()
    return done.returncode, done.stdout
