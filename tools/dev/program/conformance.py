"""Comparing quantgate with the real library."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tools.dev.program.command import Group, option
from tools.dev.program.workshop import VENV_PYTHON, Workshop

GROUP = Group("Compare with the real library")
ORT, HTP, FIX = "tests/conformance/ort", "tests/conformance/htp", "tests/conformance/fix"
REFERENCE = "tools/quantgate/python/reference/requirements.txt"
SDKS = ("2.47", "2.48", "2.49", "2.50", "2.51")
SEEDS = option("--seed", type=int, nargs="+", default=[1], metavar="N", help="seeds of the configurations, 1 unless given")


def sdks(default: Sequence[str] = SDKS) -> object:
    return option("--sdk", nargs="+", default=list(default), choices=SDKS, metavar="SDK", help=f"of {', '.join(SDKS)}; {' '.join(default)} unless given")


def libraries(shop: Workshop, of: Sequence[str]) -> list[str]:
    """`SDK=FOLDER` of each, downloaded into build/qnn where it isn't there yet."""
    return shop.output(shop.python, f"{HTP}/libraries.py", "--folder", str(shop.build_folder / "qnn"), *of).split()


def installed_library(shop: Workshop) -> list[str]:
    """That of the package in .venv, as `SDK=FILE`; none where it isn't installed."""
    return shop.output(shop.python, f"{HTP}/libraries.py", "--installed").split()


@GROUP.command("conformance ort", "example models and fixed models, by ONNX Runtime's QNN provider",
               option("--all", action="store_true", help="ask about the models of single ops again too, not only compare with what is recorded"),
               takes="1 min")  # fmt: skip
def conformance_ort(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Builds sessions of ONNX Runtime's QNN provider and compares, unit by unit, what it puts on the
    HTP with what quantgate says; holds the models of ONNX's own tests of operators and tests/conformance/fix
    to what is recorded; runs chains of ops before and after `quantgate fix`. `make conformance` is this. Where onnxruntime-qnn can't
    be installed, recorded answers are compared instead."""
    shop.build("bin/quantgate")
    if not shop.can_install(f"{ORT}/requirements.txt"):
        print("SKIPPED live part: no onnxruntime-qnn for this system, Python or network; recorded answers:")
        shop.script(f"{ORT}/compare.py", "--cli", shop.cli)
        return
    python = str(VENV_PYTHON)
    every = ["--all"] if arguments.all else []
    shop.script(f"{ORT}/compare.py", "--live", *every, "--cli", shop.cli, title="ask the provider", python=python)
    shop.script(f"{ORT}/node_tests.py", "--cli", shop.cli, title="compare ONNX's tests of operators with what is recorded", python=python)
    shop.script(f"{FIX}/test_chains.py", title="run chains of ops before and after fix", python=python)
    shop.script(f"{FIX}/measure.py", "--check", "--cli", shop.cli, title="compare fixed models with what is recorded", python=python)


@GROUP.command("conformance htp", "recorded configurations of ops, by HTP libraries 2.47 to 2.51", sdks(),
               option("--installed", action="store_true", help="only the library of .venv, nothing is downloaded"),
               option("--every", type=int, default=1, metavar="N", help="every Nth configuration"), takes="minutes")  # fmt: skip
def conformance_htp(shop: Workshop, arguments: argparse.Namespace) -> int | None:
    """Asks op validation of each library about every configuration of tests/conformance/htp again:
    does it still answer what is recorded, and does quantgate agree but for what is listed? Libraries
    come from releases of the package onnxruntime-qnn, into build/qnn, about 100 MB each."""
    shop.build("bin/quantgate", "bin/qg-oracle")
    found = installed_library(shop) if arguments.installed else libraries(shop, arguments.sdk)
    if arguments.installed and not found and not shop.dry:
        print("SKIPPED: no HTP library installed; its recorded answers were replayed")
        return 0
    only = ["--asked-only", "--every", str(arguments.every)] if arguments.installed or arguments.every > 1 else []
    return shop.script(f"{HTP}/conformance.py", "--cli", shop.cli, "--oracle", shop.oracle, *only, "--live", *found,
                       "--jobs", str(shop.jobs), title="ask the libraries")  # fmt: skip


@GROUP.command("conformance as-run", "what is left to the CPU: every 20th small model, by the provider",
               option("--arch", nargs="+", default=["v68", "v73"], metavar="ARCH", help="v68 v73 unless given"),
               option("--every", type=int, default=20, metavar="N", help="every Nth model, 20 unless given"), takes="1 min")  # fmt: skip
def conformance_as_run(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Asks ONNX Runtime's QNN provider about small models whose partitions are recorded in
    tests/conformance/ort/as_run, and lists what it answers otherwise now. Writes nothing."""
    python = shop.install(f"{ORT}/requirements.txt")
    shop.script(f"{ORT}/as_run/record.py", *arguments.arch, "--check", str(arguments.every), title="ask the provider", python=python)


@GROUP.command("agree", "random configurations of ops: wrong rejections and acceptances",
               sdks(("2.47", "2.51")), SEEDS,
               option("--arch", nargs="+", default=["v68", "v73", "v79"], metavar="ARCH", help="v68 v73 v79 unless given"),
               option("--count", type=int, default=20000, metavar="N", help="configurations, 20000 unless given"),
               option("--op", action="append", default=[], help="only this op; may be repeated"),
               takes="5 min", writes="build/agree", passes_on=True)  # fmt: skip
def agree(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Makes configurations from the rows and examples of opdefs/htp, with random changes, asks op
    validation of the real library and quantgate about each, and counts where they differ. In
    build/agree: for each SDK and arch a page of the classes of differences, their models, the
    smallest form of the most frequent ones, and edits for `opdefc propose` that settle them. Other
    options go to tools.dev.differential: --prepare, --cross, --backend cpu, --backend-lib FILE …"""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    status = 0
    for seed in arguments.seed:
        ops = [word for op in arguments.op for word in ("--op", op)]
        status |= shop.module("differential", "--oracle", shop.oracle, "--quantgate", shop.cli, "--libraries",
                              shop.build_folder / "backends", "--opdefs", "opdefs/htp", "--sdk", *arguments.sdk,
                              "--arch", *arguments.arch, "--seed", str(seed), "--count", str(arguments.count), *ops,
                              "--jobs", str(shop.jobs), "--minimise", "3", "--propose", "3", "-o",
                              shop.build_folder / "agree", *arguments.rest, title=f"ask about configurations of seed {seed}",
                              may_fail=True)  # fmt: skip
    return status


@GROUP.command("fresh", "random configurations, executed: missed faults, false alarms",
               sdks(("2.47", "2.51")), SEEDS, takes="3 min", writes="build/fresh")  # fmt: skip
def fresh(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Executes random configurations in the library's emulator and compares the numbers with a float
    reference: where they are wrong and quantgate says nothing, where it warns and they are right.
    Use each seed once: the database must not be fitted to it."""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    python = shop.install(REFERENCE)
    return shop.script(f"{HTP}/fresh.py", *map(str, arguments.seed), "--libraries", *libraries(shop, arguments.sdk), "--cli",
                       shop.cli, "--oracle", shop.oracle, "--jobs", str(shop.jobs), title="execute configurations", python=python)  # fmt: skip


@GROUP.command("plan", "models quantized as planned, beside the official way", takes="2 h",
               writes="build/zoo/plan, docs/records/plan.md", passes_on=True)  # fmt: skip
def plan(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Plans on the model zoo: `make` quantizes its float models as `quantgate plan` says, `label` asks
    the provider, `record` writes docs/records/plan.md. Needs what `qgdev zoo make` and `qgdev zoo
    label` leave in build/zoo, and the Python package in build/python."""
    return shop.script("tools/dev/plan", *arguments.rest, may_fail=True)


@GROUP.command("zoo", "whole networks by the provider; `qgdev zoo --help`", takes="20 s",
               writes="tests/conformance/zoo, docs/records/zoo.md", passes_on=True)  # fmt: skip
def zoo(shop: Workshop, arguments: argparse.Namespace) -> int:
    """The model zoo: `qgdev zoo check` holds quantgate to everything recorded of it in seconds;
    make, label and record make networks with PyTorch, quantize them and ask the provider, an hour
    for a few. `qgdev zoo --help` has the commands and docs/records/zoo.md the method."""
    if not {"make", "label", "record"}.isdisjoint(arguments.rest[:1]) and "--help" not in arguments.rest:
        shop.run(["tools/dev/models/networks/setup.sh", "build/zoo/venv"], "install the libraries of the zoo into build/zoo/venv", quiet=True)
    if {"check", "score"} & set(arguments.rest[:1]):
        shop.build("bin/quantgate")
        return shop.script("tools/dev/zoo", *arguments.rest, "--cli", shop.cli, may_fail=True)
    return shop.script("tools/dev/zoo", *arguments.rest, may_fail=True)


@GROUP.command("executorch-zoo", "networks by ExecuTorch; `qgdev executorch-zoo --help`", takes="20 s",
               writes="tests/conformance/executorch/zoo, docs/records/executorch.md", passes_on=True)  # fmt: skip
def executorch_zoo(shop: Workshop, arguments: argparse.Namespace) -> int:
    """The zoo's networks, quantized by ExecuTorch and lowered: `qgdev executorch-zoo check` holds quantgate to
    everything recorded of them; label and record make them with PyTorch and ask the real lowering."""
    if "label" in arguments.rest[:1] and "--help" not in arguments.rest:
        shop.run(["tools/dev/zoo_executorch/setup.sh", "build/zoo_executorch/venv"], "install the libraries of the zoo", quiet=True)
    if {"check", "score", "execute"} & set(arguments.rest[:1]):
        shop.build("bin/quantgate")
        return shop.script("tools/dev/zoo_executorch", *arguments.rest, "--cli", shop.cli, may_fail=True)
    return shop.script("tools/dev/zoo_executorch", *arguments.rest, may_fail=True)
