"""Plans on the zoo: models quantized as `quantgate plan` says, beside ONNX Runtime's own configuration.

  qgdev plan make [NAME...]     quantizes the zoo's float models as planned, into build/zoo/plan
  qgdev plan label [NAME...]    asks the real provider about them
  qgdev plan record             writes docs/records/plan.md

make and label can be stopped and go on where they were. The models and answers of the official
configuration are those of `qgdev zoo make` and `qgdev zoo label`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "zoo"))

import labelling  # noqa: E402
import places  # noqa: E402
import side_by_side  # noqa: E402

OFFICIAL = places.MODELS
FORMS = {"8a8w": "8a8w_per_channel", "16a8w": "16a8w"}  # and what each is compared with
ARCH, SOC = "v73", "SM8550"
TIMEOUT_S = 600


def chosen(names: list[str]) -> list[places.Export]:
    """The exports that the official configuration was quantized for, small ones first."""
    found = []
    for folder in OFFICIAL.iterdir():
        export = places.exported(folder.name)
        if (folder / "float.onnx").is_file() and not export.by_aimet and (not names or export.name in names):
            found.append(((folder / "float.onnx").stat().st_size, export))
    return [export for _, export in sorted(found)]


def quantize(export: places.Export, form: str) -> str:
    """Empty when the model is there, otherwise why not."""
    output = export.folder / f"{form}.onnx"
    if output.is_file():
        return ""
    failed = output.with_suffix(".failed")
    if failed.is_file():
        return failed.read_text()
    export.folder.mkdir(parents=True, exist_ok=True)
    for name in ("float.onnx", "inputs.npz"):
        if not (export.folder / name).exists():
            shutil.copyfile(OFFICIAL / str(export) / name, export.folder / name)
    part = output.with_suffix(".part.onnx")
    command = [str(places.PYTHON), str(HERE / "quantize.py"), export.name, str(export.folder / "float.onnx"),
               str(part), form, SOC]
    paths = os.pathsep.join([str(places.ROOT / "build" / "python"), os.environ.get("PYTHONPATH", "")])
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S,
                             env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": paths})
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        why = (lines[-1] if lines else "no message")[:300] if run.returncode else ""
    except subprocess.TimeoutExpired:
        why = f"not made in {TIMEOUT_S} s"
    if part.with_suffix(".plan.json").is_file():
        part.with_suffix(".plan.json").replace(output.with_suffix(".plan.json"))
    if why:
        part.unlink(missing_ok=True)
        failed.write_text(why + "\n")
    else:
        part.replace(output)
    return why


def make(arguments: argparse.Namespace) -> int:
    exports = chosen(arguments.names)
    for i, export in enumerate(exports):
        started = time.monotonic()
        for form in FORMS:
            why = quantize(export, form)
            print(f"{i + 1}/{len(exports)} {export} {form}: {why.strip() or 'made'} "
                  f"({time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
    return 0


def label(arguments: argparse.Namespace) -> int:
    for export in chosen(arguments.names):
        made = [form for form in FORMS if (export.folder / f"{form}.onnx").is_file()]
        labelling.label_all([export], [ARCH], ["session", "numbers", "strict"], made)
    return 0


def record(_: argparse.Namespace) -> int:
    side_by_side.write(chosen([]), FORMS, ARCH, OFFICIAL)
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools/dev/qgdev plan", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")
    for run, text in ((make, "quantizes as planned"), (label, "asks the provider"), (record, "writes the page")):
        verb = verbs.add_parser(run.__name__, help=text, description=text)
        verb.set_defaults(run=run)
        if run is not record:
            verb.add_argument("names", nargs="*", metavar="NAME", help="architectures; all without")
    arguments = parser.parse_args(argv)
    if not OFFICIAL.is_dir():
        print(f"error: {OFFICIAL} is not there: tools/dev/qgdev zoo make", file=sys.stderr)
        return 2
    # From here on folders and answers are those of the planned models.
    places.MODELS = places.BUILD / "plan" / "models"
    side_by_side.OFFICIAL_LABELS, places.LABELS = places.LABELS, places.BUILD / "plan" / "labels"
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
