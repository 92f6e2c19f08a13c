"""Files that are generated and committed; models, pictures and the site."""

from __future__ import annotations

import argparse
import subprocess

from tools.dev.program.command import Group, option
from tools.dev.program.conformance import HTP, ORT, REFERENCE
from tools.dev.program.workshop import ROOT, Workshop

UPDATE = Group("Write what is generated and committed; a test holds each to its source")
MAKE = Group("Make models, pictures and the site")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@UPDATE.command("update", "everything of this list: after a change of data, rules or messages", takes="50 s",
                writes="as below; ends with what git says has changed")  # fmt: skip
def update(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Runs every command of this group and prints the files that changed. Read the diff: each changed
    line must be meant."""
    for command in UPDATE.commands[1:]:
        command.run(shop, arguments)
    if not shop.dry:
        changed = subprocess.run(["git", "status", "--short"], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
        print(changed or "nothing has changed", end="" if changed else "\n")


@UPDATE.command("update goldens", "what `check` says of the rules' fixtures, in every format", takes="5 s", writes="tests/golden")
def goldens(shop: Workshop, _: argparse.Namespace) -> None:
    """Text and JSON of each fixture of tests/fixtures/rules, two models in every format, and what
    the database says of each op on each SDK, as digests. `make golden` is this."""
    shop.build("bin/quantgate", "opdefc")
    shop.module("record.goldens", shop.cli)
    shop.module("record.snapshot", shop.cli)


@UPDATE.command("update differences", "where quantgate and the recorded answers differ", takes="20 s",
                writes="docs/records/conformance.md, known_differences.json, edges_known.json")  # fmt: skip
def differences(shop: Workshop, _: argparse.Namespace) -> None:
    """Replays tests/conformance/htp and writes the lists of differences and the page. It never invents a
    reason: what nobody explained is listed as such, with what both sides said."""
    shop.build("bin/quantgate", "opdefc")
    shop.script(f"{HTP}/edges.py", "--update", "--cli", shop.cli, title="replay the configurations at edges")
    shop.script(f"{HTP}/conformance.py", "--update", "--cli", shop.cli, title="replay the configurations")


@UPDATE.command("update as-run", "what `--as-run` predicts, and `--all-socs` of the examples",
                option("--times", action="store_true", help="write times even where nothing else has changed"), takes="5 s",
                writes="docs/records/as_run.md, tests/conformance/ort/as_run/expected.json")  # fmt: skip
def as_run(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Compares with what is recorded of the provider and writes the tables of the page."""
    times = ["--times"] if getattr(arguments, "times", False) else []
    shop.build("bin/quantgate")
    shop.script(f"{ORT}/as_run/compare.py", "--cli", shop.cli, "--shrink", "--write", "docs/records/as_run.md", title="compare with recorded partitions")
    shop.module("record.all_socs", shop.cli, "docs/records/as_run.md", *times, title="survey the example models")


@UPDATE.command("update zoo", "the figures of the model zoo, without differences that are gone", takes="10 s",
                writes="docs/records/zoo.md, tests/conformance/zoo/known.json")  # fmt: skip
def zoo_figures(shop: Workshop, _: argparse.Namespace) -> None:
    """Holds quantgate to everything recorded of the zoo. New differences fail: `qgdev zoo check --list`."""
    shop.build("bin/quantgate")
    shop.script("tools/dev/zoo", "check", "--shrink", "--cli", shop.cli, title="compare with the zoo")


@UPDATE.command("update reports", "the score on failures that people reported", takes="5 s", writes="docs/records/reports.md, tests/reports/score.json")
def reports(shop: Workshop, _: argparse.Namespace) -> None:
    """Runs the cases of tests/reports; refuses where a case got worse."""
    shop.build("bin/quantgate")
    shop.script("tests/reports/run.py", "--write", title="run the reported cases")


@UPDATE.command("update coverage", "how many constraints are enforced and tested", takes="2 s", writes="docs/records/coverage.md")
def coverage(shop: Workshop, _: argparse.Namespace) -> None:
    """The table of the page, out of the database."""
    shop.build("bin/quantgate", "opdefc")
    shop.module("reference", "--cli", shop.cli, "--coverage", "docs/records/coverage.md", title="write docs/records/coverage.md")


@UPDATE.command("update counts", "what the database holds, per backend and SDK version", takes="1 s", writes="docs/records/database.md")
def counts(shop: Workshop, _: argparse.Namespace) -> None:
    """The tables of the page, out of the compiled database; printed too."""
    shop.build("opdefc")
    shop.module("record.counts")


@UPDATE.command("update output", "what the commands of the documentation print, and its pictures", takes="10 s",
                writes="docs, README.md, docs/images")  # fmt: skip
def output(shop: Workshop, _: argparse.Namespace) -> None:
    """Runs the shell blocks of every page and writes what they print into the `text` block that follows,
    except around a line `…`, and draws the pictures of those with a comment that says so. `make
    docs-output` is this."""
    shop.build("bin/quantgate", "opdefc")
    shop.script("tests/docs/test_docs.py", "--update", title="run the blocks of the documentation")


@MAKE.command("models examples", "docs/examples and the models of single ops, out of PyTorch", takes="minutes",
              *[option("--full-width", metavar="DIR", help="networks of published sizes into DIR instead")],
              writes="docs/examples, tests/conformance/ort/models")  # fmt: skip
def models_examples(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Real architectures of reduced width, exported by PyTorch and quantized by ONNX Runtime's QNN
    configuration; models with planted mistakes; a model an op. Installs PyTorch into .venv."""
    shop.setup()
    python = shop.install("tools/dev/models/examples/requirements.txt")
    wide = ["--full-width", arguments.full_width] if arguments.full_width else []
    shop.script("tools/dev/models/examples/make_models.py", *wide, title="make models", python=python)


@MAKE.command("models aimet", "encodings files as AIMET itself writes them", takes="minutes", writes="tests/data/aimet")
def models_aimet(shop: Workshop, _: argparse.Namespace) -> None:
    """With aimet-onnx, in an environment of its own in build/aimet: its releases of torch and onnx are
    not those of .venv."""
    shop.build("bin/quantgate")
    venv = shop.build_folder / "aimet"
    shop.run(["tools/dev/models/aimet/setup.sh", venv], "install AIMET into build/aimet", quiet=True)
    shop.script("tools/dev/models/aimet/make_aimet.py", "--cli", shop.cli, title="make encodings", python=str(venv / "bin" / "python"))


@MAKE.command("pictures", "pictures of the HTML report and of `matrix`; needs Chromium",
              option("which", nargs="*", choices=[[], "matrix", "report"], metavar="WHICH", help="matrix or report; both without"),
              takes="30 s", writes="docs/images")  # fmt: skip
def pictures(shop: Workshop, arguments: argparse.Namespace) -> None:
    """matrix: the page of `quantgate matrix --by backend`. report: the HTML report, light and dark,
    wide and narrow. Pictures of a terminal come from `qgdev update output`."""
    shop.build("bin/quantgate")
    which = arguments.which or ["matrix", "report"]
    shop.needs_program(*CHROMIUM, package="Debian package chromium")
    if "matrix" in which:
        shop.module("pictures.matrix", shop.cli, "docs/images/matrix.png", title="draw docs/images/matrix.png")
    if "report" in which:
        shop.script("tests/web/test_html.py", "Browser.test_screenshots", title="draw the HTML report", QUANTGATE_SCREENSHOTS=str(ROOT / "docs/images"))


@MAKE.command("site", "the documentation site; links that lead nowhere fail", takes="1 min", writes="build/docs/site")
def site(shop: Workshop, _: argparse.Namespace) -> None:
    """Gathers the pages of the repository, generates one per op, rule and JSON format, and lets mkdocs,
    installed into .venv, write the site. `make docs` is this."""
    shop.build("bin/quantgate", "opdefc")
    python = shop.install("tools/dev/site/requirements.txt")
    mkdocs = python.removesuffix("python") + "mkdocs"
    shop.module("site", "--cli", shop.cli, "--mkdocs", mkdocs, "-o", shop.build_folder / "docs", "--page",
                shop.build_folder / "web" / "page" / "index.html", title="write the site")  # fmt: skip


@MAKE.command("reference", "a Markdown page per op, rule and JSON format", takes="10 s", writes="build/docs/reference")
def reference(shop: Workshop, _: argparse.Namespace) -> None:
    """The generated part of the site alone. Everything in it comes from what the tool itself prints."""
    shop.build("bin/quantgate", "opdefc")
    shop.module("reference", "--cli", shop.cli, "-o", shop.build_folder / "docs" / "reference")


@MAKE.command("install", "Python packages that other commands need, ahead of them",
              option("what", choices=["provider", "reference", "torch", "zoo"], metavar="WHAT", help="provider: onnxruntime-qnn; reference: "
                     "NumPy, for `quantgate verify --execute`; torch: PyTorch and ExecuTorch; zoo: the libraries of the zoo"),
              takes="minutes", writes=".venv; build/zoo/venv")  # fmt: skip
def install(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Into .venv, the libraries of the zoo into build/zoo/venv. Commands install what they need by
    themselves; this is for working on without a network."""
    from tools.dev.program.tests import install_torch

    if arguments.what == "zoo":
        shop.run(["tools/dev/models/networks/setup.sh", "build/zoo/venv"], "install the libraries of the zoo", quiet=True)
    elif arguments.what == "torch":
        install_torch(shop)
    else:
        shop.install(REFERENCE if arguments.what == "reference" else f"{ORT}/requirements.txt")
