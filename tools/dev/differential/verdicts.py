"""Asks quantgate and a backend library about the same configurations."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterable

from tools.dev.shared.progress import Progress, run_counted

from .configuration import Configuration

# Verdicts under which the backend's own op validation accepts.
ACCEPTING = {"accepted", "advice", "undocumented", "altered", "wrong_values", "prepare_fails"}


@dataclass
class Verdict:
    """What both said about one configuration."""

    configuration: Configuration
    library: str = ""  # accepted, rejected, crash SIGFPE, hang, not queried
    message: str = ""  # of the library
    quantgate: str = ""  # quantgate's verdict
    constraints: list[str] = field(default_factory=list)  # rejecting findings: constraint or rule
    line: int = 0
    prepare: str = ""  # of the library, where it was asked: ok, fails <step> <code>, crash SIGSEGV, hang
    prepare_message: str = ""

    def kind(self) -> str:
        """agrees, false rejection, false acceptance, unknown, or the library's own failure."""
        if not self.library:
            return "refused input" if self.constraints == ["not readable"] else "library not queried"
        if self.library not in ("accepted", "rejected"):
            return "library " + self.library
        if self.quantgate in ("", "unchecked"):
            return "unknown"
        if (self.quantgate in ACCEPTING) == (self.library == "accepted"):
            return "agrees"
        return "false rejection" if self.library == "accepted" else "false acceptance"

    def preparation(self) -> str:
        """The same about graph preparation, of what op validation accepts and quantgate does
        not reject; empty elsewhere."""
        if not self.prepare or self.quantgate in ("", "unchecked", "rejected"):
            return ""
        if (self.prepare == "ok") == (self.quantgate != "prepare_fails"):
            return "agrees"
        return "missed failure" if self.prepare != "ok" else "false failure"


def write(configurations: Iterable[Configuration], path: pathlib.Path) -> list[Verdict]:
    verdicts = []
    with path.open("w") as stream:
        for line, configuration in enumerate(configurations, 1):
            name = f"{configuration.op} {configuration.variant} {configuration.example}: {', '.join(configuration.mutations)}"
            stream.write(json.dumps(configuration.model(name)) + "\n")
            verdicts.append(Verdict(configuration, line=line))
    return verdicts


def _line_of(report: dict[str, Any]) -> int:
    return int(str(report["model"]).rsplit(":", 1)[1])


def ask_library(oracle: str, library: str, arch: str, models: pathlib.Path, verdicts: list[Verdict], jobs: int, prepare: bool) -> None:
    command = [oracle, "--backend-lib", library, "--jobs", str(jobs), str(models)]
    if arch:
        command[1:1] = ["--arch", arch]
    if prepare:
        command[1:1] = ["--prepare"]
    with Progress(f"ask the library {arch}".rstrip(), len(verdicts)) as progress:
        run = run_counted(command, progress)
    # 2: models that can't be read are among them; nobody was asked about these.
    if run.returncode not in (0, 2) or not run.stdout:
        raise RuntimeError(f"{oracle}: {run.stderr.strip()[-500:]}")
    for text in run.stdout.splitlines():
        answer = json.loads(text)
        verdict = verdicts[_line_of(answer) - 1]
        verdict.library = answer["validate"]
        verdict.message = answer.get("message", "")
        verdict.prepare = answer.get("prepare", "")
        verdict.prepare_message = answer.get("prepare_message", "")


def ask_quantgate(quantgate: str, target: list[str], models: pathlib.Path, verdicts: list[Verdict]) -> None:
    command = [quantgate, "check", "--route", "direct", "--format", "json", *target, str(models)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    # 2: models that can't be read are among them, which is a refusal of these.
    if run.returncode not in (0, 1, 2) or not run.stdout:
        raise RuntimeError(f"{quantgate}: exit {run.returncode}: {run.stderr.strip()[-500:]}")
    for text in run.stdout.splitlines():
        report = json.loads(text)
        verdict = verdicts[_line_of(report) - 1]
        if "error" in report:
            verdict.quantgate = "rejected"
            verdict.constraints = ["not readable"]
            continue
        verdict.quantgate = report["nodes"][0]["verdict"]
        verdict.constraints = sorted(
            {f.get("constraint") or f"{f['code']} {f['rule']}" for f in report["findings"] if f["consequence"] == "rejected"}
        )


@dataclass
class Both:
    """The library and quantgate, asked about Models again."""

    oracle: str
    library: str
    arch: str
    quantgate: str
    target: list[str]

    def ask(self, models: list[dict[str, Any]]) -> list[Verdict]:
        asked = [Verdict(Configuration(m["nodes"][0]["op"], "", "", [], [], {}), line=n) for n, m in enumerate(models, 1)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "models.jsonl"
            path.write_text("".join(json.dumps(m) + "\n" for m in models))
            ask_library(self.oracle, self.library, self.arch, path, asked, 1, False)
            if self.quantgate:
                ask_quantgate(self.quantgate, self.target, path, asked)
        return asked


def counts(verdicts: Iterable[Verdict]) -> Counter[str]:
    return Counter(v.kind() for v in verdicts)
