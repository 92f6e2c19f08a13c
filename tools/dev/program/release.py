"""The files of a release."""

from __future__ import annotations

import argparse
import os
import shutil
import tarfile
from pathlib import Path

from tools.dev.program.command import Group, option
from tools.dev.program.workshop import ROOT, Failed, Workshop

GROUP = Group("Make what users install, and test it where nothing of ours is")
PAGE = "docs/records/reach.md"
REQUIREMENTS = "tools/dev/dist/requirements.txt"
RECORD = option("--record", action="store_true", help=f"write the figures into {PAGE}")


def files_of(shop: Workshop) -> Path:
    return shop.build_folder / "dist" / "files"


# Fails where the interpreter is no CPython or has no headers.
BUILDS = "import sys, sysconfig; open(sysconfig.get_path('include') + '/Python.h').close(); assert sys.implementation.name == 'cpython'"


def interpreters(shop: Workshop) -> list[str]:
    """Of each CPython from 3.11 on one that can build a module: of the system, on PATH, of pyenv."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    chosen = []
    for minor in range(11, 20):
        name = f"python3.{minor}"
        places = [Path("/usr/bin") / name, Path(shutil.which(name) or name), *sorted(versions.glob(f"3.{minor}.*/bin/{name}"))]
        found = (str(path) for path in places if path.is_file() and shop.run([path, "-c", BUILDS], quiet=True, may_fail=True) == 0)
        chosen += [path for path in [next(found, None)] if path]
    return chosen or [shop.python]


def pythons(shop: Workshop) -> list[str]:
    """Of each of them one with what wheels are built with."""
    ready = []
    for name in interpreters(shop):
        short = Path(name).name
        venv = shop.build_folder / "dist" / f"venv-{short}"
        pip = [venv / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install", "-r", REQUIREMENTS]
        steps = (([name, "-m", "venv", venv], f"make an environment of {short}"), (pip, f"install what wheels need for {short}"), (["touch", venv / "ready"], ""))
        if (venv / "ready").exists() or all(shop.run(words, title, quiet=True, may_fail=True) == 0 for words, title in steps):
            ready.append(str(venv / "bin" / "python"))
    return ready


def make_dist(shop: Workshop) -> list[str]:
    """The options that name the Pythons with a wheel."""
    shop.setup()
    options = [word for python in pythons(shop) for word in ("--python", python)]
    if not options:
        print("SKIPPED wheel and sdist: no network or no headers of a Python")
    shop.module("dist", "--out", files_of(shop), "--work", shop.build_folder / "dist" / "work", "--jobs", str(shop.jobs), *options)
    return options


@GROUP.command("dist", "static command line, .deb, wheel, sdist, SBOM, checksums", takes="8 min", writes="build/dist/files")
def dist(shop: Workshop, _: argparse.Namespace) -> None:
    """A command line that is linked statically, as an archive and as a Debian package; the wheel, with the
    libraries it needs; the sources; a bill of materials in the form of CycloneDX; SHA256SUMS. The same sources
    give the same bytes; times in archives are of SOURCE_DATE_EPOCH, else of the newest commit. `make dist` is
    this."""
    make_dist(shop)


@GROUP.command("test dist", "the same, built twice, run where nothing of ours is",
               option("--once", action="store_true", help="without the second build, and without compiling the sdist in a root"), RECORD,
               takes="40 min", writes="build/dist; --record: docs/records/reach.md")  # fmt: skip
def test_dist(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Makes the files, and again from the sdist, in another folder, with an empty cache of the compiler, and
    compares their bytes. Each is then installed and run in a root of a file system that holds nothing of ours: an
    empty one, or one of unpacked Debian packages; the sdist is compiled there. `--once` leaves both out."""
    options = make_dist(shop)
    files, again = files_of(shop), shop.build_folder / "dist" / "again"
    environment = {"QUANTGATE_DIST": str(files), "QUANTGATE_DIST_TIMES": str(files.parent / "times.json"),
                   "QUANTGATE_DIST_PYTHONS": os.pathsep.join(options[1::2])}  # fmt: skip
    if not arguments.once:
        environment["QUANTGATE_DIST_AGAIN"] = str(again / "files")
        build_again(shop, files, again, options)
    shop.script("tests/dist/test_dist.py", title="install and run them", **environment)
    if arguments.record:
        compared = [] if arguments.once else ["--again", again / "files"]
        shop.module("dist.page", "--files", files, *compared, "--times", environment["QUANTGATE_DIST_TIMES"], "--page", PAGE)


def build_again(shop: Workshop, files: Path, again: Path, options: list[str]) -> None:
    """From the sdist, elsewhere, under another time zone and mask. Nothing comes from the first build: the cache of the
    compiler begins empty, and only lets wheels of several Pythons share objects."""
    epoch = "0"
    if not shop.dry:
        shutil.rmtree(again, ignore_errors=True)
        [sdist] = [path for path in files.glob("quantgate-*.tar.gz") if "-linux-" not in path.name]
        with tarfile.open(sdist) as archive:
            epoch = str(int(archive.getmembers()[0].mtime))
            archive.extractall(again / "other" / "place")
        [sources] = (again / "other" / "place").iterdir()
    else:
        sources = ROOT
    words = [shop.python, "-m", "tools.dev.dist", "--out", again / "files", "--work", again / "work", "--jobs", str(shop.jobs), *options]
    shop.run(["sh", "-c", 'umask 077; exec "$@"', "sh", *words], "build again, from the sdist", cwd=sources, PYTHONPATH=str(sources),
             SOURCE_DATE_EPOCH=epoch, CCACHE_DIR=str(again / "ccache"), CCACHE_BASEDIR=str(sources), TZ="Asia/Tokyo")  # fmt: skip


def page_of(shop: Workshop) -> Path:
    return shop.build_folder / "web" / "page"


def make_page(shop: Workshop) -> bool:
    """False where emscripten is not to be had."""
    if shop.run(["tools/setup.sh", "web"], may_fail=True) != 0:
        print("SKIPPED the page for browsers: emscripten 3.1 can't be installed")
        return False
    shop.build("bin/quantgate", "opdefc")
    shop.module("cross.web", "--work", shop.build_folder / "web", "--out", page_of(shop), "--opdefc", shop.opdefc, "--jobs", str(shop.jobs),
                title="build the page")  # fmt: skip
    return True


@GROUP.command("web", "the page for browsers, one file that needs no server", takes="15 min", writes="build/web/page")
def web(shop: Workshop, _: argparse.Namespace) -> None:
    """Builds Abseil, fmt and yaml-cpp of Debian's source packages with its emscripten, then `check`,
    `fix` and `plan` of the command line, and packs them into build/web/page/index.html, which works from a disk and
    from any web server. `make web` is this."""
    make_page(shop)


@GROUP.command("test web", "the page in Chromium: same answers, no request, keyboard", RECORD,
               option("--screenshots", metavar="DIR", help="keep the pictures of the page"), takes="5 min",
               writes="build/web; --record: docs/records/reach.md")  # fmt: skip
def test_web(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Opens the page in headless Chromium from a disk and from a web server. What it says of all example models
    and of a part of the zoo is compared with the command line, byte by byte."""
    if not make_page(shop):
        return
    figures = shop.build_folder / "web" / "figures.json"
    environment = {"QUANTGATE_PAGE": str(page_of(shop)), "QUANTGATE_PAGE_FIGURES": str(figures)}
    if arguments.screenshots:
        environment["QUANTGATE_SCREENSHOTS"] = arguments.screenshots
    failed = [shop.script(f"tests/web/{name}.py", title=title, may_fail=True, **environment)
              for name, title in (("test_page", "test the page"), ("test_page_use", "use the page"))]  # fmt: skip
    if any(failed):
        raise Failed("the page differs")
    if arguments.record:
        shop.module("cross.page", "--figures", figures, "--page", PAGE)


def arm64_of(shop: Workshop) -> Path:
    return shop.build_folder / "arm64"


def make_arm64(shop: Workshop, tests: bool) -> bool:
    """False where there is no cross compiler to be had."""
    if shop.run(["tools/setup.sh", "arm64"], may_fail=True) != 0:
        print("SKIPPED arm64: Debian's cross compiler and qemu-user can't be installed")
        return False
    work = arm64_of(shop)
    shop.module("cross.arm64", "--work", work, "--out", work / "files", "--jobs", str(shop.jobs), *(["--tests"] if tests else []),
                title="build for arm64")  # fmt: skip
    return True


@GROUP.command("arm64", "the same command line and .deb for 64-bit ARM, cross-built", takes="15 min", writes="build/arm64/files")
def arm64(shop: Workshop, _: argparse.Namespace) -> None:
    """Debian's cross compiler builds a command line that is linked statically, with arm64 packages that are unpacked
    into build/arm64/sysroot: nothing of another architecture is installed."""
    make_arm64(shop, tests=False)


@GROUP.command("test arm64", "unit, golden and recorded tests of it under qemu-user", RECORD, takes="20 min",
               writes="build/arm64; --record: docs/records/reach.md")  # fmt: skip
def test_arm64(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Builds it with its tests and runs, emulated, those of the core, of the C interface, of the files that fuzzing
    found, of golden outputs and recorded answers. What it says of all example models is compared with this machine's
    command line, byte by byte, and so is the database that its opdefc compiles. `make arm64` is this."""
    shop.build("bin/quantgate", "opdefc")
    if not make_arm64(shop, tests=True):
        return
    results = arm64_of(shop) / "results.xml"
    shop.module("cross.emulated", "--build", arm64_of(shop) / "build", "--results", results, "--jobs", str(shop.jobs), title="test it under qemu-user")
    shop.script("tests/arm64/test_arm64.py", title="compare it with this machine's", QUANTGATE_ARM64=str(arm64_of(shop)))
    if arguments.record:
        shop.module("cross.page", "--results", results, "--files", arm64_of(shop) / "files",
                    "--built", arm64_of(shop) / "build", "--page", PAGE)  # fmt: skip


@GROUP.command("test release", "all steps of the release workflow, in a clean clone", takes="2 h", writes="build/release-workflow")
def test_release(shop: Workshop, _: argparse.Namespace) -> None:
    """Runs each step of .github/workflows/release.yml as a runner would, in a clone of the newest commit: what it would
    upload is kept, and the draft of the release is made by a stand-in that writes down what it is given."""
    shop.script("tests/ci/test_workflows.py", "Release", title="run the workflow", QUANTGATE_RELEASE=str(shop.build_folder / "release-workflow"))
