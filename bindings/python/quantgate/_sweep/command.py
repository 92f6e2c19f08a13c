"""The command line of `python -m quantgate sweep`, which `quantgate sweep` runs."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from quantgate._errors import QuantgateError
from quantgate._sweep import probe, run
from quantgate._sweep.errors import SweepError
from quantgate._sweep.summary import printable
from quantgate._sweep.work import Job

_UNUSABLE = 2
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SweepError(message)


def parser() -> argparse.ArgumentParser:
    made = _Parser(prog="quantgate sweep", allow_abbrev=False,
                   description="Checks many models on many targets and writes tables.",
                   epilog="Exit status: 0 fine, 1 findings that fail the mode, 2 unusable input or "
                          "arguments, or models that can't be read.")
    made.add_argument("paths", nargs="*", metavar="PATH",
                      help="models, folders, globs, .jsonl files, archives, URLs; with --merge: shards")
    made.add_argument("--targets", default="", metavar="LIST",
                      help="SM8550,arch:v79@2.25,cpu: chips, archs, BACKEND:ARCH, each @SDK where it "
                           "differs from --sdk")
    made.add_argument("--sdk", default="", metavar="LIST", help="SDKs, each for every target; newest")
    made.add_argument("--backend", default="htp", help="of arch:ARCH (htp)")
    made.add_argument("--route", help="by kind of input")
    made.add_argument("--mode", default="strict", help="strict or warn")
    made.add_argument("--fail-on", default="wrong_values", metavar="CONSEQUENCE")
    made.add_argument("--opdefs", action="append", default=[], metavar="DIR",
                      help="YAML of your own over the database")
    made.add_argument("--nodes", action="store_true", help="also a table of all nodes")
    made.add_argument("-o", "--output", default="", metavar="OUT",
                      help="folder for the tables, summary.txt and index.html")
    made.add_argument("--resume", action="store_true", help="go on with what was interrupted")
    made.add_argument("--against", default="", metavar="OLD", help="a sweep to compare with")
    made.add_argument("--shard", default="", metavar="K/N", help="only this share of the models")
    made.add_argument("--merge", action="store_true", help="put finished shards together")
    made.add_argument("--engine", default="local", help="local or dask")
    made.add_argument("--scheduler", default="", metavar="ADDRESS", help="of Dask: tcp://HOST:PORT")
    made.add_argument("--probe", default="", metavar="BACKEND",
                      help="put configurations of ops to a real library: htp")
    made.add_argument("--backend-lib", default="", metavar="LIB", help="that library")
    made.add_argument("--count", type=int, default=20_000, metavar="N", help="configurations (20000)")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="they are drawn by (1)")
    made.add_argument("-j", "--jobs", type=int, default=0, metavar="N", help="as many as cores")
    made.add_argument("-q", "--quiet", action="store_true", help="no progress")
    return made


def request_of(args: argparse.Namespace) -> run.Request:
    if args.probe and args.paths:
        raise SweepError("--probe: makes its own configurations, no PATH is read")
    if args.backend_lib and not args.probe:
        raise SweepError("--backend-lib: is for --probe")
    if not args.paths and not args.probe:
        raise SweepError("PATH: nothing to check is given")
    if not args.targets:
        raise SweepError("--targets: is needed, such as SM8550,arch:v79")
    if args.engine not in ("local", "dask"):
        raise SweepError(f"--engine: unknown value '{args.engine}'; known: local, dask")
    if args.scheduler and args.engine != "dask":
        raise SweepError("--scheduler: is for --engine dask")
    if args.jobs < 0:
        raise SweepError("--jobs: can't be negative")
    asked = (probe.make(args.probe, args.backend_lib, args.count, args.seed) if args.probe
             else None)
    job = Job(targets=args.targets, sdks=tuple(filter(None, args.sdk.split(","))),
              backend=args.backend, route=args.route, mode=args.mode, fail_on=args.fail_on,
              opdefs=tuple(os.path.abspath(folder) for folder in args.opdefs),
              findings=not args.probe, nodes=args.nodes and not args.probe, probe=asked)
    return run.Request(paths=tuple(args.paths), job=job, out=args.output, resume=args.resume,
                       against=args.against, shard=shard_of(args.shard), engine=args.engine,
                       scheduler=args.scheduler,
                       jobs=args.jobs or len(os.sched_getaffinity(0)), quiet=args.quiet)


def shard_of(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise SweepError(f"--shard: '{text}' is not K/N with K from 1 to N")
    return int(match[1]), int(match[2])


def main(argv: Sequence[str]) -> int:
    try:
        args = parser().parse_args(argv)
        if not args.output:
            raise SweepError("-o: is needed")
        if args.merge:
            finished = run.merge(args.paths, args.output, args.against)
        else:
            finished = run.run(request_of(args))
    except (QuantgateError, ValueError) as error:
        return _fail(str(error))
    except OSError as error:
        reason = "no space left on the device" if error.errno == errno.ENOSPC else (
            error.strerror or str(error))
        return _fail(f"{error.filename or args.output}: {reason}")
    except KeyboardInterrupt:
        print("interrupted; --resume goes on", file=sys.stderr)
        return _INTERRUPTED
    print(finished.text, end="")
    return finished.exit_status


def _fail(message: str) -> int:
    print("error: " + printable(" ".join(message.split())), file=sys.stderr)
    return _UNUSABLE
