"""Time and memory."""

from __future__ import annotations

import argparse

from tools.dev.program.command import Group, option
from tools.dev.program.workshop import VENV_PYTHON, Workshop

GROUP = Group("Measure time and memory")
PAGE, BASELINE = "docs/records/performance.md", "tests/bench/baseline.json"
BENCH = "tests/bench/quantgate_bench"
RECORD = option("--record", action="store_true", help="write the page; on a machine at rest")


@GROUP.command("bench cli", "`quantgate check`, whole processes, 10 to 100,000 nodes", RECORD,
               option("--runs", type=int, default=30, help="30 unless given"), takes="1 min", writes=f"--record: {PAGE}")  # fmt: skip
def bench_cli(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Processor time from start to exit, the least of the runs, and peak memory, on chains of
    convolutions as ONNX and Model JSON. `make bench` is this."""
    shop.build("bin/quantgate")
    shop.module("bench.cli", "--cli", shop.cli, "--runs", str(arguments.runs), *(["--page", PAGE] if arguments.record else []))


@GROUP.command("bench core", "benchmarks of the core; 1.5 times what is recorded fails", RECORD,
               option("--only", metavar="REGEX", default="^BM_", help="benchmarks whose names match"),
               takes="minutes", writes=f"--record: {BASELINE}, {PAGE}")  # fmt: skip
def bench_core(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Google Benchmark programs of tests/bench: an op, a graph of a million nodes, the database, readers,
    reports. Processor time, the least of six repetitions."""
    shop.build(BENCH)
    words = ["--record", BASELINE, "--page", PAGE] if arguments.record else ["--compare", BASELINE]
    return shop.module("bench.core", "--bench", shop.build_folder / BENCH, "--filter", arguments.only, *words, may_fail=True)


@GROUP.command("bench python", "the Python module on a graph of 12,000 nodes", takes="20 s")
def bench_python(shop: Workshop, _: argparse.Namespace) -> None:
    """Making the model, checking it, reading its findings; medians of processor time. Needs the package in
    .venv (`qgdev test python` installs it)."""
    shop.module("bench.python", python=str(VENV_PYTHON))


@GROUP.command("bench sweep", "sweeps of 10,000 models, a million rows, probes", RECORD,
               option("--library", metavar="FILE", help="libQnnHtp.so: --probe is measured too"), takes="20 min",
               writes="--record: docs/records/sweep.md", passes_on=True)  # fmt: skip
def bench_sweep(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Whole sweeps on one core and on two, and the memory of the driver. Wall time, and processor time of
    driver and workers. Needs the package in .venv (`qgdev test python` installs it)."""
    shop.build("bin/quantgate", "bin/qg-oracle", "opdefc")
    words = ["--library", arguments.library] if arguments.library else []
    record = ["--page", "docs/records/sweep.md"] if arguments.record else []
    shop.module("bench.sweep", *words, *record, *arguments.rest, python=str(VENV_PYTHON))


@GROUP.command("bench encodings", "`check --encodings` on AIMET files of 300 MB",
               option("--megabytes", type=int, default=300, help="300 unless given"),
               option("--python", action="store_true", help="also json.load of Python, to compare with"), takes="1 min")  # fmt: skip
def bench_encodings(shop: Workshop, arguments: argparse.Namespace) -> None:
    """Time and peak memory on generated files of versions 0.6.1, 1.0.0 and 2.0.0."""
    shop.build("bin/quantgate")
    shop.module("bench.encodings", "--cli", shop.cli, "--megabytes", str(arguments.megabytes), *(["--python"] if arguments.python else []))


@GROUP.command("bench page", "the HTML report of 10,000 findings, in Chromium", takes="minutes")
def bench_page(shop: Workshop, _: argparse.Namespace) -> None:
    """Opens the page in headless Chromium in real time, filters, scrolls and unfolds."""
    shop.build("bin/quantgate")
    shop.needs_program("chromium", "chromium-browser", "google-chrome", package="Debian package chromium")
    shop.script("tests/web/bench_page.py", "--cli", shop.cli)


@GROUP.command("bench peers", "quantgate next to what else answers such questions", RECORD,
               option("--library", metavar="FILE", help="libQnnHtp.so: its op validation is measured too"),
               option("--winml", metavar="PROGRAM", help="of the PyPI package winml-cli"), takes="minutes",
               writes=f"--record: {PAGE}", passes_on=True)  # fmt: skip
def bench_peers(shop: Workshop, arguments: argparse.Namespace) -> None:
    """onnx.checker, a session of ONNX Runtime's QNN provider, ExecuTorch's validation, winml-cli, the
    vendor's op validation. What isn't installed is n/a with its reason (`qgdev conformance ort` and
    `qgdev test torch` install)."""
    shop.build("bin/quantgate", BENCH)
    words = [word for name in ("library", "winml") if (value := getattr(arguments, name)) for word in (f"--{name}", value)]
    record = ["-o", PAGE] if arguments.record else []
    shop.module("bench.peers", "--cli", shop.cli, "--bench", shop.build_folder / BENCH, *words, *record, *arguments.rest)


@GROUP.command("bench against", "this build against an earlier one, in ratios", RECORD,
               option("--old", metavar="BUILD", required=True, help="build folder of the earlier version, with tests/bench/quantgate_bench"),
               option("--runs", type=int, default=5, help="5 unless given"), takes="minutes", writes=f"--record: {PAGE}")  # fmt: skip
def bench_against(shop: Workshop, arguments: argparse.Namespace) -> int:
    """Runs programs of both builds in turn, so that what else happens on the machine happens to both. Exit
    status 1 where a ratio is above its goal."""
    shop.build("bin/quantgate", BENCH)
    record = ["--page", PAGE] if arguments.record else []
    return shop.module("bench.against", "--old", arguments.old, "--new", shop.build_folder, "--runs", str(arguments.runs), *record, may_fail=True)
