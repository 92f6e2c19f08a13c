"""Recording what the real library says."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.dev.program.command import Group, option
from tools.dev.program.conformance import FIX, HTP, ORT, REFERENCE, SDKS, installed_library, libraries, sdks
from tools.dev.program.workshop import ROOT, Failed, Workshop

GROUP = Group("Record the real library's answers")
VELA, LITERT = "tests/conformance/vela/recorded.json", "tests/conformance/litert/recorded.json"
VELAS = ("4.2", "5.0", "5.2")
RULES, GRAPH, EXECUTORCH = "tests/conformance/rules", "tests/conformance/graph", "tests/conformance/executorch"


@GROUP.command("record ort", "example models, models of single ops: what the provider takes",
               takes="minutes", writes="tests/conformance/ort/recorded, values.json, node_tests.json")  # fmt: skip
def record_ort(shop: Workshop, _: argparse.Namespace) -> None:
    """Asks ONNX Runtime's QNN provider about every model of tests/conformance/ort/models and
    docs/examples on each arch again: after the models have changed (`qgdev models examples`)."""
    python = shop.install(f"{ORT}/requirements.txt")
    shop.script(f"{ORT}/compare.py", "--record", title="ask the provider", python=python)
    shop.script(f"{ORT}/values.py", "--record", title="compare its numbers with the CPU's", python=python)
    shop.script(f"{ORT}/node_tests.py", "--record", title="ask about ONNX's tests of operators", python=python)


@GROUP.command("record htp", "configurations of ops: op validation and execution", sdks(), takes="10 min",
               writes="tests/conformance/htp/recorded, its lists of differences, docs/records/conformance.md")  # fmt: skip
def record_htp(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Makes the configurations of tests/conformance/htp anew, asks op validation of the HTP libraries,
    executes them in the emulator and compares the numbers with the float reference."""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    python = shop.install(REFERENCE)
    shop.script(f"{HTP}/conformance.py", "--record", *libraries(shop, arguments.sdk), "--cli", shop.cli, "--oracle", shop.oracle,
                "--jobs", str(shop.jobs), title="ask and execute", python=python)  # fmt: skip
    shop.script(f"{HTP}/conformance.py", "--update", "--cli", shop.cli, title="list the differences")


@GROUP.command("record edges", "configurations just inside and outside of each constraint", sdks(("2.47", "2.51")), takes="minutes",
               writes="tests/conformance/htp/recorded/edges*, edges_known.json")  # fmt: skip
def record_edges(shop: Workshop, arguments: argparse.Namespace) -> None:
    """For each constraint of opdefs/htp that holds from 2.47 on, makes configurations at its edge, asks
    and executes them: after many new constraints."""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    python = shop.install(REFERENCE)
    shop.script(f"{HTP}/edges.py", "--record", *libraries(shop, arguments.sdk), "--cli", shop.cli, "--oracle", shop.oracle, "--jobs",
                str(shop.jobs), title="ask and execute", python=python)  # fmt: skip
    shop.script(f"{HTP}/edges.py", "--update", "--cli", shop.cli, title="list the differences")


@GROUP.command("record graphs", "whole transformer blocks: preparation and numbers",
               option("--arch", default="v73", help="v73 unless given"), takes="30 min", writes="tests/conformance/graph")  # fmt: skip
def record_graphs(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Asks the provider to prepare and run whole transformer blocks, and keeps the models without
    their weights."""
    shop.build("bin/quantgate")
    python = shop.install(f"{ORT}/requirements.txt")
    shop.script(f"{GRAPH}/ask_graphs.py", arguments.arch, title="ask the provider", python=python)
    shop.script(f"{GRAPH}/pack.py", shop.cli, title="pack the models", python=python)


@GROUP.command("record as-run", "small models: partitions, and what is left to the CPU",
               option("--arch", nargs="+", default=["v68", "v69", "v73", "v79", "v73-default"], metavar="ARCH", help="all five unless given"),
               takes="30 min", writes="tests/conformance/ort/as_run")  # fmt: skip
def record_as_run(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Asks the provider about the small models of tests/conformance/ort/as_run, architecture by
    architecture. `qgdev update as-run` then compares and writes the page."""
    shop.script(f"{ORT}/as_run/record.py", *arguments.arch, title="ask the provider", python=shop.install(f"{ORT}/requirements.txt"))


@GROUP.command("record rules", "the rules' smallest models: the library and the provider",
               option("--again", default=None, nargs="?", const="", metavar="TEXT",
                      help="every fixture of the rules with this in their name (of all), not only new and changed ones"),
               takes="2 min", writes="opdefs/rules/judged.yaml")  # fmt: skip
def record_rules(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Puts new and changed fixtures of the rules to the HTP library (op validation, preparation, a run, the
    numbers) and to ONNX Runtime's QNN provider. `quantgate explain` and the pages of the rules show
    what they said; a test holds the rules to it."""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    python = shop.install(f"{ORT}/requirements.txt", REFERENCE)
    found = installed_library(shop)
    if not found and not shop.dry:
        raise Failed("onnxruntime-qnn is not installed in .venv", 2)
    sdk, _, library = found[-1].partition("=") if found else (SDKS[-1], "=", "LIBRARY")
    if sdk != SDKS[-1]:
        raise Failed(f"the library in .venv is of SDK {sdk}, and the answers are those of {SDKS[-1]}", 2)
    again = ["--again", arguments.again] if arguments.again is not None else []
    shop.script(f"{RULES}/judge.py", "--oracle", shop.oracle, "--provider", "--backend-lib", library, *again,
                title="ask about the rules' fixtures", python=python)  # fmt: skip
    shop.run([shop.opdefc, "fmt", "opdefs/rules/judged.yaml"])


@GROUP.command("record fixes", "models with planted faults, before and after `quantgate fix`", takes="minutes",
               writes="tests/conformance/fix/recorded.json, docs/records/fix.md")  # fmt: skip
def record_fixes(shop: Workshop, _: argparse.Namespace) -> None:
    """Fixes bad variants of the example models, asks and runs the provider before and after, and
    writes the table of the page."""
    shop.build("bin/quantgate")
    shop.script(f"{FIX}/measure.py", "--record", "--cli", shop.cli, title="fix, ask and run", python=shop.install(f"{ORT}/requirements.txt"))


@GROUP.command("record executorch", "what ExecuTorch lowers, and which annotations it lets through", takes="minutes",
               writes="tests/conformance/executorch/*.json")  # fmt: skip
def record_executorch(shop: Workshop, _: argparse.Namespace) -> None:
    """Lowers small graphs with the unmodified ExecuTorch and asks its backend about annotations that
    it should refuse; installs PyTorch and ExecuTorch into .venv."""
    from tools.dev.program.tests import install_torch

    shop.build("bin/quantgate")
    python = install_torch(shop)
    for script in ("lowered.py", "slips.py"):
        shop.run([python, script, "--record"], f"record {script}", cwd=ROOT / EXECUTORCH)


def environment(shop: Workshop, folder: Path, what: str, *packages: str) -> str:
    """The Python of an environment of its own, with these packages."""
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        shop.run([sys.executable, "-m", "venv", str(folder)], title=f"make an environment for {what}")
    shop.run([python, "-m", "pip", "install", "-q", *packages], title=f"install {what}")
    return python


@GROUP.command("record vela", "models of one operator: what Vela puts on the NPU",
               option("--first", type=int, default=50000, metavar="SEED", help="first seed, 50000 unless given"),
               option("--count", type=int, default=3000, metavar="N", help="number of models, 3000 unless given"), takes="20 min",
               writes="tests/conformance/vela, docs/records/ethosu.md")  # fmt: skip
def record_vela(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Installs the versions of Vela that quantgate knows, each into an environment of its own below build/vela,
    asks them about models of one operator drawn by chance, and writes how far quantgate agrees."""
    shop.build("bin/quantgate")
    # The core of 4.2 was written for NumPy 1.
    pythons = {sdk: environment(shop, shop.build_folder / "vela" / sdk, f"Vela {sdk}", f"ethos-u-vela=={sdk}.0",
                                "numpy<2" if sdk == "4.2" else "ai-edge-litert==2.3.0") for sdk in VELAS}
    asked = [f"{sdk}={python}" for sdk, python in pythons.items()]
    shop.script("tools/dev/tflite/agree_vela.py", "ask", VELA, "--vela", *asked, "--seeds", str(arguments.first),
                str(arguments.count), title="ask Vela", python=pythons["5.2"])
    shop.script("tools/dev/tflite/limits.py", "tests/conformance/vela/limits.json", "--vela", *asked,
                title="ask Vela about large numbers", python=pythons["5.2"])
    shop.script("tools/dev/tflite/networks.py", "ask", "tests/conformance/vela/networks.json", "--vela", *asked,
                title="ask Vela about whole networks", python=pythons["5.2"])
    shop.script("tools/dev/tflite/agree_vela.py", "compare", VELA, "--cli", shop.cli, "--page", "docs/records/ethosu.md",
                title="compare")


@GROUP.command("record converted", "networks of TensorFlow's converter, node by node", takes="60 min",
               writes="tests/conformance/vela/converted.json.gz, docs/records/ethosu.md")  # fmt: skip
def record_converted(shop: Workshop, _: argparse.Namespace) -> None:
    """Installs tensorflow-cpu below build/tensorflow, makes and quantizes networks of published architectures, and asks
    the versions of Vela that `record vela` installed."""
    shop.build("bin/quantgate")
    python = environment(shop, shop.build_folder / "tensorflow", "TensorFlow", "tensorflow-cpu==2.21.0")
    networks = str(shop.build_folder / "networks")
    shop.script("tools/dev/tflite/converted.py", "make", networks, title="convert", python=python)
    asked = [f"{sdk}={shop.build_folder / 'vela' / sdk / 'bin' / 'python'}" for sdk in VELAS]
    shop.script("tools/dev/tflite/converted.py", "ask", networks, "tests/conformance/vela/converted.json.gz", "--cli", shop.cli,
                "--vela", *asked, title="ask Vela")
    shop.script("tools/dev/tflite/agree_vela.py", "compare", VELA, "--cli", shop.cli, "--page", "docs/records/ethosu.md",
                title="compare")


@GROUP.command("record litert", "models of one operator: what LiteRT's kernels refuse or compute",
               option("--first", type=int, default=40000, metavar="SEED", help="first seed, 40000 unless given"),
               option("--count", type=int, default=2000, metavar="N", help="number of models, 2000 unless given"), takes="20 min",
               writes="tests/conformance/litert/recorded.json, docs/records/tflite.md")  # fmt: skip
def record_litert(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Installs ai-edge-litert below build/litert, runs models of one operator drawn by chance with its default
    kernels and the same in float, and writes how far quantgate agrees."""
    shop.build("bin/quantgate")
    python = environment(shop, shop.build_folder / "litert", "LiteRT", "ai-edge-litert==2.3.0")
    shop.script("tools/dev/tflite/ask_litert.py", LITERT, "--seeds", str(arguments.first), str(arguments.count),
                title="run the kernels", python=python)
    shop.script("tools/dev/tflite/agree_litert.py", LITERT, "--cli", shop.cli, "--page", "docs/records/tflite.md", title="compare")
