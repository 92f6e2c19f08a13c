"""The crashes of the libraries: crashes.json lists the smallest configuration found of each.

{"crashes": [{"backend": "htp", "sdks": ["2.51"], "archs": ["v73"], "signal": "SIGFPE", "stage": "validate" |
"prepare" | "execute", "what": words, "model": Model}]}
quantgate has to refuse or warn of each: its verdict must be rejected, prepare_fails or wrong_values; where data
that is not in the model decides, `altered`, which is shown as a warning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ask
import store

PATH = Path(__file__).resolve().parent / "crashes.json"
WARNINGS = ("rejected", "prepare_fails", "wrong_values")
STAGES = ("validate", "prepare", "execute")
UNEXPLAINED = "not explained"


def load() -> list[dict[str, Any]]:
    return json.loads(PATH.read_text())["crashes"]


def warned(crash: dict[str, Any], said: dict[str, Any]) -> bool:
    return said["verdict"] in WARNINGS or (crash["stage"] == "execute" and said["verdict"] == "altered")


def problems(cli: str) -> list[str]:
    found = []
    crashes = load()
    for backend, target in sorted({(c["backend"], f"{sdk} {arch}") for c in crashes for sdk in c["sdks"] for arch in c["archs"]}):
        sdk, arch = target.split()
        mine = [c for c in crashes if c["backend"] == backend and sdk in c["sdks"] and arch in c["archs"]]
        for crash, said in zip(mine, ask.quantgate(cli, target, [c["model"] for c in mine], backend)):
            if not warned(crash, said):
                found.append(f"crash of {crash['model']['nodes'][0]['op']} on {backend} {target} ({crash['what']}): "
                             f"quantgate says {said['verdict']}")  # fmt: skip
    return found


def of_answer(answer: dict[str, Any]) -> tuple[str, str] | None:
    """(stage, signal) of an answer of the oracle that is a crash."""
    for stage in STAGES:
        text = answer.get(stage, "")
        if text.startswith("crash"):
            return stage, text.removeprefix("crash").strip()
    return None


def recorded() -> Iterator[tuple[str, dict[str, Any]]]:
    """(backend, Model) of every recorded crash."""
    for name in ("validation", "cpu"):
        recording = store.Recording.load(name)
        for target in recording.targets:
            for model, answer in zip(recording.configurations, recording.validation(target)):
                if answer.startswith("crash"):
                    yield "cpu" if name == "cpu" else "htp", model
    recording = store.Recording.load("execution")
    for target in recording.targets:
        for case, got in zip(recording.configurations, recording.execution(target)):
            if "crash" in got.get("how", ""):
                yield "htp", case["model"]


def record(oracle: str, libs: dict[str, str], archs: tuple[str, ...], more: list[dict[str, Any]], jobs: int) -> None:
    """Shrinks every recorded crash, and those of `more` (Models asked of HTP), and writes one of each
    op, stage, signal and cause that quantgate names; words of those listed are kept."""
    from tools.dev.differential.minimise import minimise

    def asked(backend: str, library: str, arch: str, models: list[dict[str, Any]]) -> list[tuple[str, str] | None]:
        answers, _ = ask.library(oracle, library, arch, models, jobs, "--execute", "--timeout", "30")
        return [of_answer(a) for a in answers]

    cli = str(ask.ROOT / "build" / "bin" / "quantgate")
    words = {(c["backend"], c["model"]["nodes"][0]["op"], c["stage"], c["signal"], json.dumps(c["model"])): c["what"] for c in load()}
    listed = [(c["backend"], c["model"]) for c in load()]
    found = list({store.digest(m): (b, m) for b, m in [*listed, *recorded(), *(("htp", m) for m in more)]}.values())
    out: dict[tuple[str, ...], dict[str, Any]] = {}
    for backend in ("cpu", "htp"):
        newest = max(libs, key=lambda sdk: [int(n) for n in sdk.split(".")])
        libraries = {sdk: str(Path(path).with_name("libQnnCpu.so")) if backend == "cpu" else path for sdk, path in libs.items()}
        libraries = {sdk: path for sdk, path in libraries.items() if Path(path).is_file()}
        sdk = newest if newest in libraries else next(iter(libraries))
        mine = (store.NO_ARCH,) if backend == "cpu" else archs
        arch = mine[len(mine) // 2]
        models = [m for b, m in found if b == backend]
        said = ask.quantgate(cli, f"{sdk} {arch}", models, backend)
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for model, crash, ours in zip(models, asked(backend, libraries[sdk], arch, models), said):
            if crash:
                causes = sorted({c for consequence, c in ours["findings"] if consequence == ours["verdict"]})
                groups.setdefault((model["nodes"][0]["op"], *crash, *causes[:1]), []).append(model)
        for key, members in sorted(groups.items()):
            crash = (key[1], key[2])
            least = minimise(min(members, key=lambda m: len(json.dumps(m))),
                             lambda models, crash=crash: [c == crash for c in asked(backend, libraries[sdk], arch, models)])
            least["name"] = key[0]
            where = [(s, a) for s, path in libraries.items() for a in mine if asked(backend, path, a, [least])[0] == crash]
            text = json.dumps(least)
            out.setdefault((backend, key[0], *crash, text), {
                "backend": backend, "sdks": sorted({s for s, _ in where}), "archs": sorted({a for _, a in where}), "signal": crash[1],
                "stage": crash[0], "what": words.get((backend, key[0], *crash, text), UNEXPLAINED), "model": least})  # fmt: skip
            print(f"{backend} {key[0]} {crash[0]} {crash[1]}: {len(members)} configurations", flush=True)
    PATH.write_text('{"crashes": [\n' + ",\n".join("  " + json.dumps(c) for _, c in sorted(out.items())) + "\n ]\n}\n")
