"""The files of a release."""

from __future__ import annotations

import argparse
import shutil
import tarfile
from pathlib import Path

from tools.dev.program.command import Group, option
from tools.dev.program.workshop import ROOT, Workshop

GROUP = Group("Make what users install, and test it where nothing of ours is")
PAGE = "docs/records/reach.md"
REQUIREMENTS = "tools/dev/dist/requirements.txt"
RECORD = option("--record", action="store_true", help=f"write the figures into {PAGE}")


def files_of(shop: Workshop) -> Path:
    return shop.build_folder / "dist" / "files"


HAS_HEADERS = "import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))"


def pythons(shop: Workshop) -> list[str]:
    """Of each CPython from 3.11 on that can build a module, one with what wheels are built with."""
    ready = []
    for name in [found for minor in range(11, 20) if (found := shutil.which(f"python3.{minor}"))] or [shop.python]:
        venv = shop.build_folder / "dist" / f"venv-{Path(name).name}"
        if shop.run([name, "-c", HAS_HEADERS], may_fail=True):
            continue
        made = (venv / "ready").exists() or not shop.run([name, "-m", "venv", venv], quiet=True, may_fail=True) and not shop.run(
            [venv / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install", "-r", REQUIREMENTS], "install what wheels need", quiet=True,
            may_fail=True)  # fmt: skip
        if made:
            shop.run(["touch", venv / "ready"])
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
               option("--once", action="store_true", help="without the second build"), RECORD, takes="20 min",
               writes="build/dist; --record: docs/records/reach.md")  # fmt: skip
def test_dist(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Makes the files, and again from the sdist, in another folder, without the compiler's cache, and compares
    their bytes. Each is then installed and run in a root of a file system that holds nothing of ours: an empty
    one, or one of unpacked Debian packages."""
    options = make_dist(shop)
    files, again = files_of(shop), shop.build_folder / "dist" / "again"
    environment = {"QUANTGATE_DIST": str(files), "QUANTGATE_DIST_TIMES": str(files.parent / "times.json")}
    if not arguments.once:
        environment["QUANTGATE_DIST_AGAIN"] = str(again / "files")
        build_again(shop, files, again, options)
    shop.script("tests/dist/test_dist.py", title="install and run them", **environment)
    if arguments.record:
        shop.module("dist.page", "--files", files, "--times", environment["QUANTGATE_DIST_TIMES"], "--page", PAGE)


def build_again(shop: Workshop, files: Path, again: Path, options: list[str]) -> None:
    """From the sdist, elsewhere, under another time zone and mask."""
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
             SOURCE_DATE_EPOCH=epoch, CCACHE_DISABLE="1", TZ="Asia/Tokyo")  # fmt: skip


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
    """Builds Abseil, fmt and yaml-cpp of Debian's source packages with its emscripten, then `check`
    and `fix` of the command line, and packs them into build/web/page/index.html, which works from a disk and from any web server. `make web` is
    this."""
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
    shop.script("tests/web/test_page.py", title="test the page", **environment)
    if arguments.record:
        shop.module("cross.page", "--figures", figures, "--page", PAGE)
