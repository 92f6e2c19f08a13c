"""The command line of `python -m quantgate graph`, which `quantgate verify --graph` runs."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from quantgate._core import Target
from quantgate._errors import QuantgateError
from quantgate._graph.errors import GraphError

_UNUSABLE, _INTERRUPTED = 2, 130
_BACKEND = "htp"  # the provider has others, of which quantgate knows no route
_NEEDED = ("numpy", "onnx", "onnxruntime", "onnxruntime_qnn")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise GraphError(message)


def parser() -> argparse.ArgumentParser:
    made = _Parser(prog="quantgate verify --graph", allow_abbrev=False,
                   description="Puts a whole ONNX model to ONNX Runtime's QNN provider and compares.")
    made.add_argument("model")
    made.add_argument("--backend", default=_BACKEND)
    made.add_argument("--soc")
    made.add_argument("--arch")
    made.add_argument("--sdk")
    made.add_argument("--opdefs", action="append", default=[])
    made.add_argument("--inputs", metavar="FILE.npz", help="values of inputs; others are random")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="for one session (600)")
    made.add_argument("--reduce", action="store_true", help="write the smallest model that still fails")
    made.add_argument("-o", "--output", default="", help="of --reduce: the model; otherwise the comparison")
    made.add_argument("--format", default="text", choices=("text", "json"))
    made.add_argument("-v", "--verbose", action="store_true")
    return made


def _needs() -> None:
    missing = []
    for name in _NEEDED:
        try:
            __import__(name)
        except ImportError:
            missing.append(name.replace("_", "-"))
    if missing:
        raise GraphError(f"--graph needs {' and '.join(missing)} in {sys.executable}: "
                         "pip install 'quantgate[provider]', or name another with --python")


def library_sdk(path: str) -> str:
    """The SDK that a library was built with: "2.51". '' = it doesn't say."""
    found = re.search(rb"v(2\.\d+)\.\d+\.\d{6,}", Path(path).read_bytes())
    return found[1].decode() if found else ""


def _target(args: argparse.Namespace) -> tuple[Target, int]:
    """The target and the chip's number; of an arch, the first chip that has it."""
    import onnxruntime_qnn

    from quantgate._knowledge import targets

    sdk = args.sdk or library_sdk(onnxruntime_qnn.get_qnn_htp_path()) or None
    target = Target(soc=args.soc, arch=args.arch, sdk=sdk)
    chips = sorted((soc.id, soc.name) for soc in targets().socs
                   if (soc.name == target.soc if target.soc else soc.arch == target.arch))
    if not chips:
        raise GraphError(f"no chip of {target.arch or target.soc} is known; name one with --soc")
    return target, chips[0][0]


class _Progress:
    """The line that says how far a reduction is, on a terminal."""

    def __init__(self) -> None:
        self._on, self._asked, self._width = sys.stderr.isatty(), 0, 0

    def of_reduction(self, what: str) -> None:
        self._asked += 1
        self.say(f"reducing: {self._asked} models asked, now {what}")

    def say(self, text: str) -> None:
        if self._on:
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def end(self) -> None:
        if self._on and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


def run(args: argparse.Namespace) -> int:
    if args.backend != _BACKEND:
        raise GraphError(f"--graph: ONNX Runtime's provider is asked about {_BACKEND} only, not {args.backend}; "
                         "--backend-lib names a library")
    _needs()
    from quantgate._graph.session import Session

    if args.reduce and not args.output:
        raise GraphError("--reduce: needs -o, the file of the smallest model")
    target, chip = _target(args)
    progress = _Progress()
    with tempfile.TemporaryDirectory(prefix="quantgate-") as folder:
        session = Session(args, target, chip, Path(folder), progress.say)
        try:
            graph = session.compare()
            if args.reduce:
                graph.reduced = session.reduce(graph, progress.of_reduction)
        finally:
            session.close()
            progress.end()
    text = json.dumps(graph.json(), indent=2) + "\n" if args.format == "json" else graph.text(args.verbose)
    if args.output and not args.reduce:
        Path(args.output).write_text(text)
    else:
        print(text, end="")
    return 0 if graph.as_predicted else 1


def main(argv: Sequence[str]) -> int:
    try:
        return run(parser().parse_args(argv))
    except (QuantgateError, ValueError) as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return _INTERRUPTED


def _fail(message: str) -> int:
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return _UNUSABLE
