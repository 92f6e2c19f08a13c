"""Tests that need more than the build: other Pythons, compilers and package managers."""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import sys
from pathlib import Path

from tools.dev.program.command import Group, option
from tools.dev.program.workshop import ROOT, VENV_PYTHON, Workshop

GROUP = Group("Test what needs more than the build")
PYTHON_TESTS = "tests/python/requirements.txt"
EXECUTORCH = ROOT / "tests" / "conformance" / "executorch"
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
SOME_MODELS = "_(add|cat|conv2d_bl|linear|reshape)"


def install_torch(shop: Workshop) -> str:
    """PyTorch and ExecuTorch; the Python that has them."""
    shop.run(["tools/dev/setup/torch.sh"], "install PyTorch and ExecuTorch, minutes the first time", quiet=True)
    return str(VENV_PYTHON)


def built_already(shop: Workshop) -> list[str]:
    """Options of pip for a wheel out of the build folder, with a folder of its own for the rest."""
    shop.build("quantgate_built")
    settings = {"build-dir": "build-wheel", "build.targets": "quantgate_python", "cmake.define.QUANTGATE_BUILT": shop.build_folder.resolve()}
    return [word for key, value in settings.items() for word in ("--config-settings", f"{key}={value}")]


@GROUP.command("test python", "the Python wheel: built, installed, tested, type-checked", takes="3 min", writes="build/wheel",
               *[option("--from-source", action="store_true", help="compile all of it, as pip does: minutes more")])  # fmt: skip
def test_python(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Builds the Python package as a wheel, installs it into .venv and runs tests/python. The module is
    linked with the libraries of the build folder, and the command line is taken from there. `make
    test-python` is this."""
    shop.build("bin/quantgate")
    if not shop.can_install(PYTHON_TESTS):
        print("SKIPPED Python package: no pybind11, mypy or onnx for this Python, or no network")
        return
    wheels = shop.build_folder / "wheel"
    if not shop.dry:
        shutil.rmtree(wheels, ignore_errors=True)
    python = str(VENV_PYTHON)
    build = {"CXX": os.environ.get("CXX", "c++"), "CMAKE_BUILD_PARALLEL_LEVEL": str(shop.jobs), "QUANTGATE_WERROR": "ON"}
    built = [] if arguments.from_source else built_already(shop)
    shop.run([python, *PIP, "wheel", "--no-build-isolation", "--no-deps", "--no-index", *built, "-w", wheels, "."], "build the wheel", quiet=True,
             **build)  # fmt: skip
    wheel = (glob.glob(f"{wheels}/*.whl") or [f"{wheels}/quantgate.whl"])[0]
    shop.run([python, *PIP, "install", "--force-reinstall", "--no-deps", "--no-index", wheel], "install the wheel", quiet=True)
    shop.run([python, "-m", "pytest", "--quiet", "--numprocesses", str(shop.jobs), "--dist", "loadfile", "tests/python"], "test",
             QUANTGATE_WHEEL=wheel)  # fmt: skip


@GROUP.command("test torch", "PyTorch and ExecuTorch, by the real backend", takes="minutes",
               *[option("--all", action="store_true", help="all of ExecuTorch's own test models, not only some")])  # fmt: skip
def test_torch(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Installs PyTorch and ExecuTorch into .venv, runs their tests and the blocks of docs/guide/pytorch.md and
    docs/guide/executorch.md, and asks the backend about annotations that are wrong. `make test-torch` is
    this."""
    shop.build("bin/quantgate")
    there = shop.run(["tools/dev/setup/torch.sh"], "install PyTorch and ExecuTorch, minutes the first time", quiet=True, may_fail=True) == 0
    if not there or not shop.can_install(PYTHON_TESTS):
        print("SKIPPED PyTorch and ExecuTorch: not for this system or Python, or no network")
        return
    python = str(VENV_PYTHON)
    shop.run([python, *PIP, "install", "--no-build-isolation", "--no-deps", "--no-index", "."], "build and install the package", quiet=True,
             CXX=os.environ.get("CXX", "c++"))  # fmt: skip
    for name in ("test_torch", "test_torch_plan", "test_torch_docs", "test_plan_docs"):
        shop.script(f"tests/python/{name}.py", title=name, python=python)
    select = "test" if arguments.all else SOME_MODELS
    for script, *words in (["slips.py", "--live"], ["flows.py"], ["planned.py"], ["speed.py"], ["own_models.py", "--select", select]):
        shop.run([python, script, *words], script, cwd=EXECUTORCH)


@GROUP.command("test ci", "the workflow and the hook of the CI guide, in a clean clone", takes="minutes")
def test_ci(shop: Workshop, _: argparse.Namespace) -> None:
    """Runs what docs/guide/ci.md tells a new user to do: the GitHub workflow's steps on a repository made for
    it, and the hook under the real pre-commit."""
    shop.build("bin/quantgate")
    if not shop.can_install("tests/ci/requirements.txt"):
        print("SKIPPED pre-commit and workflow: no network")
        return
    shop.run([VENV_PYTHON, "-m", "unittest", "discover", "--start-directory", "tests/ci"], "test")


@GROUP.command("test aimet", "plans in AIMET's simulation", takes="minutes", writes="build/aimet")
def test_aimet(shop: Workshop, _: argparse.Namespace) -> None:
    """Installs aimet-onnx, 2 GB with PyTorch, into build/aimet, and runs what plans are to it: simulations
    whose export is accepted, and docs/guide/plan_aimet.md."""
    venv = f"{shop.build_folder}/aimet"
    python = f"{venv}/bin/python"
    there = shop.run([sys.executable, "-m", "venv", venv], "make a place for AIMET", quiet=True, may_fail=True) == 0
    if not there or shop.run([python, *PIP, "install", "aimet-onnx"], "install AIMET, minutes the first time", quiet=True, may_fail=True):
        print("SKIPPED AIMET: not for this system or Python, or no network")
        return
    shop.run([python, *PIP, "install", "."], "build and install the package", quiet=True, CXX=os.environ.get("CXX", "c++"))
    for name in ("test_plan", "test_plan_docs"):
        shop.script(f"tests/python/{name}.py", title=name, python=python)


@GROUP.command("test packaging", "what is installed, used by projects built with GCC and Clang", takes="minutes")
def test_packaging(shop: Workshop, _: argparse.Namespace) -> None:
    """Installs the libraries, builds consumer projects with them in C and C++, as a subfolder too, and
    looks at the recipes of Conan and vcpkg."""
    shop.setup("clang")
    shop.build()
    venv = f"{ROOT / '.venv' / 'bin'}{os.pathsep}" if shop.can_install("tools/packaging/requirements.txt") else ""
    shop.script("tests/packaging/test_packaging.py", title="test", PATH=venv + os.environ["PATH"],
                QUANTGATE_COMPILERS="g++ clang++-14", QUANTGATE_SUBDIRECTORY="1")  # fmt: skip


@GROUP.command("mutation", "comparisons and data changed: does a test notice?", takes="60 min",
               writes="tests/mutation, docs/records/robustness.md", passes_on=True)  # fmt: skip
def mutation(shop: Workshop, arguments: argparse.Namespace) -> int:
    """`qgdev mutation` runs both parts. `qgdev mutation rules` negates each comparison of core/rules and
    core/validate and moves the boundary of each that has one; `qgdev mutation database` changes 400
    values of opdefs/htp, drawn with a seed; `qgdev mutation page` writes the tables of the page. What no
    test notices has to stand in tests/mutation/accepted.yaml with its reason. Options: --only TEXT,
    --again, --untried, --tests TEXT, --sample N, --seed N."""
    if arguments.rest[:1] == ["page"]:
        return shop.module("mutation", "page")
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    known = [part for part in ("rules", "database") if part in arguments.rest]
    rest = [word for word in arguments.rest if word not in known]
    status = 0
    for part in known or ["rules", "database"]:
        status |= shop.module("mutation", part, "--build", shop.build_folder, "--jobs", str(shop.jobs), *rest, may_fail=True)
    return status


@GROUP.command("fuzz", "libFuzzer with sanitizers, 30 minutes of processor time a target",
               option("targets", nargs="*", metavar="TARGET", help="such as onnx_reader; all of tests/fuzz without"),
               option("--minutes", type=float, default=30, help="processor time of each target, 30 unless given"),
               option("--fresh", action="store_true", help="count from nothing, not on from tests/fuzz/runs.json"),
               option("--minimise", action="store_true", help="instead add inputs that reach more to tests/fuzz/corpus"),
               takes="5 h", writes="tests/fuzz/runs.json, docs/records/robustness.md; findings in build/fuzz/found")  # fmt: skip
def fuzz(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Builds the fuzz targets with Clang 14, AddressSanitizer and UndefinedBehaviorSanitizer and runs
    them in turns, the one with the least time first. Can be stopped: the record counts on. What is
    found makes the exit status 1 and belongs into tests/fuzz/corpus, where `make test` replays it.
    `make fuzz` is this."""
    folder = ROOT / "build" / "fuzz"
    fuzzers = folder / "tests" / "fuzz"
    if arguments.minimise:
        return shop.module("robustness.fuzz", "--fuzzers", fuzzers, "--minimise", *arguments.targets)
    shop.setup("clang")
    every = sorted(Path(path).name.removesuffix("_fuzz.cc") for path in glob.glob(str(ROOT / "tests/fuzz/*_fuzz.cc")))
    shop.build(*(f"{name}_fuzz" for name in arguments.targets or every), folder=folder, preset="fuzz")
    fresh = ["--fresh"] if arguments.fresh else []
    return shop.module("robustness.fuzz", "--fuzzers", fuzzers, "--minutes", str(arguments.minutes), "--jobs", str(shop.jobs),
                       "--page", "docs/records/robustness.md", *fresh, *arguments.targets, may_fail=True)  # fmt: skip


@GROUP.command("code-coverage", "lines and branches of core that tests reach, 95 % at least",
               option("--lines", action="store_true", help="list the lines that no test reaches"), takes="40 min",
               writes="docs/records/robustness.md")  # fmt: skip
def code_coverage(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Builds with GCC's counters into build/coverage, runs every test of ctest and `qgdev conformance
    ort`, and counts with gcovr."""
    shop.setup("gcovr")
    folder = ROOT / "build" / "coverage"
    shop.build(folder=folder, preset="coverage")
    for path in glob.glob(f"{folder}/**/*.gcda", recursive=True):
        os.unlink(path)
    # Tests that make writing fail don't expect that counts are written too.
    shop.run(["ctest", "--test-dir", folder, "--output-on-failure", "-j", str(shop.jobs)], "run the tests", GCOV_ERROR_FILE="/dev/null")
    shop.run(["tools/dev/qgdev", "--build", folder, "conformance", "ort"])
    lines = ["--lines"] if arguments.lines else []
    return shop.module("robustness.code_coverage", "--build", folder, "--jobs", str(shop.jobs), "--least", "95", "--page",
                       "docs/records/robustness.md", *lines, title="count", may_fail=True)  # fmt: skip
