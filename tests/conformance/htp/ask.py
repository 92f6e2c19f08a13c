"""Asks a library (qg-oracle) and quantgate about Models of one node."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import store

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "quantgate" / "python")]
from tools.dev.shared.progress import Progress, run_counted  # noqa: E402

EXECUTED_AT_ONCE = 200


def libraries(pairs: list[str]) -> dict[str, str]:
    """SDK=FOLDER or SDK=FILE"""
    named = dict(pair.split("=", 1) for pair in pairs)
    return {sdk: path if path.endswith(".so") else str(Path(path) / "onnxruntime_qnn" / "libQnnHtp.so") for sdk, path in named.items()}


def _write(models: list[dict[str, Any]], stream: Any) -> None:
    for model in models:
        stream.write(json.dumps(model) + "\n")
    stream.flush()


def _line(source: str) -> int:
    return int(source.rsplit(":", 1)[1]) - 1


def record_validation(recording: store.Recording, oracle: str, sdk: str, path: str, arch: str, jobs: int) -> None:
    """Puts what a library's op validation says of a recording's configurations into it."""
    answers, build = library(oracle, path, arch, recording.models, jobs)
    letters = "".join(store.letter(a["validate"]) for a in answers)
    recording.targets[f"{sdk} {arch}"] = {"build": build, "answers": store.pack(letters)}
    print(f"{sdk} {arch}: {len(letters)} configurations asked")


def record_execution(recording: store.Recording, oracle: str, sdk: str, path: str, arch: str, jobs: int) -> None:
    """The same of running them."""
    outcomes, build = executed(oracle, path, arch, recording.configurations, jobs)
    text = "\n".join(json.dumps(o) for o in outcomes)
    recording.targets[f"{sdk} {arch}"] = {"build": build, "answers": store.pack(text)}


def _arch(arch: str) -> list[str]:
    return [] if arch == store.NO_ARCH else ["--arch", arch]


def library(oracle: str, path: str, arch: str, models: list[dict[str, Any]], jobs: int, *flags: str,
            progress: Progress | None = None) -> tuple[list[dict], str]:  # fmt: skip
    """The library's answer to each model, and its build id."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as stream, Progress(f"ask about {arch}", len(models)) as own:
        _write(models, stream)
        run = run_counted([oracle, "--backend-lib", path, *_arch(arch), "--jobs", str(jobs), *flags, stream.name], progress or own)
    if not run.stdout:
        raise SystemExit(f"error: {oracle}: {run.stderr.strip()[-300:]}")
    answers: list[dict[str, Any]] = [{"validate": "not queried"} for _ in models]  # of models that can't be read
    for text in run.stdout.splitlines():
        answer = json.loads(text)
        answers[_line(answer["model"])] = answer
    return answers, run.stderr.splitlines()[0].split()[-1]


def executed(oracle: str, path: str, arch: str, cases: list[dict[str, Any]], jobs: int) -> tuple[list[dict[str, Any]], str]:
    """What running each case gave: {"outcome", "how" | "reason" | "steps", "fraction", "share"}."""
    from cases import with_values
    from reference.judge import judge

    outcomes: list[dict[str, Any]] = []
    build = ""
    with Progress(f"execute on {arch}", len(cases)) as progress:
        for at in range(0, len(cases), EXECUTED_AT_ONCE):
            part = cases[at:at + EXECUTED_AT_ONCE]
            answers, build = library(oracle, path, arch, [with_values(c) for c in part], jobs, "--dump", "--timeout", "60", progress=progress)
            outcomes += [_outcome(case, answer, judge) for case, answer in zip(part, answers)]
    return outcomes, build


def _outcome(case: dict[str, Any], answer: dict[str, Any], judge: Any) -> dict[str, Any]:
    if answer["validate"] != "accepted":
        return {"outcome": "rejected"} | ({} if answer["validate"] == "rejected" else {"how": answer["validate"]})
    if "prepare" not in answer:
        return {"outcome": "not judged", "reason": "a sparse tensor can't be the end of a graph"}
    for stage in ("prepare", "execute"):
        if stage not in answer:
            return {"outcome": "not judged", "reason": "a graph without inputs"}
        if answer[stage] != "ok":
            return {"outcome": "prepare_fails", "how": f"{stage} {answer[stage]}"}
    model = case["model"]
    values = {name: tensor["values"] for name, tensor in answer["tensors"].items()}
    said = judge(model["nodes"][0], {t["name"]: t for t in model["tensors"]}, values)
    if not said.result:
        return {"outcome": "not judged", "reason": said.reason}
    return {"outcome": said.result, "steps": round(said.steps, 1), "fraction": float(f"{said.fraction:.3g}"),
            "share": round(said.share, 3)}  # fmt: skip


def quantgate_command(cli: str, target: str, models: str, backend: str = "htp") -> list[str]:
    """That checks a file of Models of one node."""
    sdk, arch = target.split()
    return [cli, "check", "--backend", backend, "--sdk", sdk, *_arch(arch), "--route", "direct", "--mode", "warn",
            "--format", "json", models]  # fmt: skip


def verdict_of(report: dict[str, Any]) -> dict[str, Any]:
    """Of a JSON report on a Model of one node: {"verdict", "findings": [[consequence, constraint]]}."""
    if "error" in report:  # a model that can't be read is refused
        return {"verdict": "rejected", "findings": [["rejected", "unreadable"]]}
    return {"verdict": report["nodes"][0]["verdict"],
            "findings": [[f["consequence"], f.get("constraint") or f["code"]] for f in report["findings"]]}  # fmt: skip


def quantgate(cli: str, target: str, models: list[dict[str, Any]], backend: str = "htp") -> list[dict[str, Any]]:
    """quantgate's verdict on each model, as verdict_of() gives it."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as stream:
        _write(models, stream)
        command = quantgate_command(cli, target, stream.name, backend)
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = [verdict_of({"error": "no report"}) for _ in models]
        for line, report in _reports(run):
            said[line] = verdict_of(report)
        if run.wait() not in (0, 1, 2):
            raise SystemExit(f"error: {' '.join(command)}: exit status {run.returncode}")
    return said


def _reports(run: "subprocess.Popen[str]") -> Iterator[tuple[int, dict[str, Any]]]:
    assert run.stdout is not None
    for text in run.stdout:
        report = json.loads(text)
        yield _line(report["model"]), report
