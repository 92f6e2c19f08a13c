#!/usr/bin/env python3
"""Puts the rules' fixtures to the real HTP library, or to ONNX Runtime's QNN provider.

    judge.py --oracle build/bin/qg-oracle --backend-lib libQnnHtp.so --name "libQnnHtp 2.51.0" [--provider] [--again]

Only fixtures that are new or changed are asked about, unless `--again` says otherwise.

Fixtures of QNN ops become one graph each: op validation of every op, preparation, a run, and the
numbers against the float reference of `quantgate verify` from node to node. ONNX fixtures go to the
provider (--provider: onnxruntime and onnxruntime-qnn must be importable), whose numbers are compared
with the CPU provider's. The answers are written into opdefs/rules/judged.yaml, from where the rules'
pages and `quantgate explain` take them; tests/conformance/rules/test_judged.py holds the rules to
them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fixtures import ROOT, Fixture, all_fixtures, to_onnx

sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "quantgate" / "python")]
from tools.dev.shared import opdefs_json  # noqa: E402
from tools.dev.shared.progress import Progress, run_counted  # noqa: E402

KNOWN = Path(__file__).parent / "known.json"
JUDGED = ROOT / "opdefs" / "rules" / "judged.yaml"
HEAD = """# What the real library, or ONNX Runtime's QNN provider, said about the smallest models of each rule
# (tests/fixtures/rules). Written by tests/conformance/rules/judge.py, `tools/dev/qgdev record rules`.
"""


# The order of an answer's keys, whether it was given now or read from the file.
KEYS = ("digest", "by", "arch", "session", "validate", "prepare", "execute", "numbers", "steps", "native", "on_cpu", "in_float", "ops", "off", "why")
REAL = ("steps", "off")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def chained(model: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """Judges the ends of a graph: the reference goes from node to node, rounding where the graph
    stores. `seen`: what the library read and wrote."""
    from reference.judge import expected, judge
    from reference.values import NoReference, is_fixed, quantize

    tensors = {t["name"]: t for t in model["tensors"]}
    values = {name: t["values"] for name, t in seen.items()}
    ends = set(model["outputs"])
    worst: dict[str, Any] = {}
    try:
        for node in model["nodes"]:
            node = {"params": {}, **node}
            if ends & set(node["outputs"]):
                said = judge(node, tensors, values).json()
                if not said["evaluated"]:
                    return {"numbers": "not judged", "why": said["reason"]}
                order = ("right", "between", "wrong")
                if not worst or order.index(said["result"]) > order.index(worst["numbers"]):
                    worst = {"numbers": said["result"], "steps": round(said["steps"], 1)}
                continue
            reals, _ = expected(node, tensors, values)
            for name, real in zip(node["outputs"], reals):
                stored = quantize(tensors[name], real) if is_fixed(tensors[name]) else real
                values[name] = [float(v) for v in stored.ravel()]
    except (NoReference, KeyError, ValueError) as reason:
        return {"numbers": "not judged", "why": str(reason)[:100]}
    return worst


def by_target(fixtures: list[Fixture]) -> dict[tuple[str, ...], list[Fixture]]:
    """Fixtures of one device together: a library is started once for them."""
    groups: dict[tuple[str, ...], list[Fixture]] = {}
    for fixture in fixtures:
        flags = fixture.flags
        ids = {soc["name"]: str(soc["id"]) for soc in opdefs_json.load()["socs"]}
        target = ("--soc", ids[flags["--soc"]]) if "--soc" in flags else ("--arch", flags.get("--arch", "v73"))
        groups.setdefault(target, []).append(fixture)
    return groups


def ask_library(oracle: str, library: str, name: str, fixtures: list[Fixture]) -> dict[Fixture, dict[str, Any]]:
    answers = {}
    for target, group in by_target(fixtures).items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "models.jsonl"
            path.write_text("".join(json.dumps(f.model) + "\n" for f in group))
            with Progress(f"ask the library, {' '.join(target)}", len(group)) as progress:
                run = run_counted([oracle, "--backend-lib", library, *target, "--graph", "--dump", path], progress, 1800)
        lines = {}
        for line in map(json.loads, run.stdout.splitlines()):
            lines[int(line["model"].rsplit(":", 1)[1]) - 1] = line
        for i, fixture in enumerate(group):
            if i not in lines:
                why = next((l for l in run.stderr.splitlines() if f":{i + 1}:" in l), "no graph")
                answers[fixture] = {"by": name, "validate": "not queried", "why": why.split(f":{i + 1}:")[-1].strip()[:100]}
                continue
            line = lines[i]
            said = {"by": name, "arch": fixture.flags.get("--arch", "v73"), "validate": line["validate"]}
            if line["validate"] == "not queried":
                said["why"] = line.get("message", "")
            for stage in ("prepare", "execute"):
                if stage in line:
                    said[stage] = line[stage]
            if line.get("execute") == "ok":
                said |= chained(fixture.model, line["tensors"])
            answers[fixture] = said
    return answers


def ask_native(oracle: str, library: str, fixtures: list[Fixture]) -> dict[Fixture, str]:
    """Whether the library prepares the graph when caches are handed over in the matrix unit's layout."""
    answers = {}
    for fixture in fixtures:
        names = [word for name in fixture.native for word in ("--native", name)]
        run = subprocess.run([oracle, "--backend-lib", library, "--arch", fixture.flags.get("--arch", "v73"), "--graph",
                              "--prepare", *names, str(fixture.path)], capture_output=True, text=True, timeout=1800)
        line = json.loads(run.stdout)
        answers[fixture] = line.get("prepare", line["validate"])
    return answers


def ask_provider(fixtures: list[Fixture]) -> dict[Fixture, dict[str, Any]]:
    import onnx

    answers = {}
    by = "onnxruntime-qnn 2.7.0"
    script = ROOT / "tests" / "conformance" / "ort" / "as_run" / "ask.py"
    for arch in sorted({f.flags.get("--arch", "v73") for f in fixtures}):
        with tempfile.TemporaryDirectory() as folder:
            todo = []
            for i, fixture in enumerate(f for f in fixtures if f.flags.get("--arch", "v73") == arch):
                path = Path(folder) / f"{i}.onnx"
                try:
                    onnx.save(to_onnx(fixture.model), path)
                    todo.append((fixture, path))
                except (KeyError, ValueError, TypeError) as error:
                    answers[fixture] = {"by": by, "session": "not asked", "why": f"no ONNX file: {error}"[:100]}
            # A process that dies is an answer of the model it was at; the others go on.
            while todo:
                with Progress(f"ask the provider, {arch}", len(todo)) as progress:
                    run = run_counted([sys.executable, script, arch, *(p for _, p in todo)], progress, 1800)
                lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
                for (fixture, _), line in zip(todo, lines):
                    answers[fixture] = provider_answer(by, arch, line)
                if len(lines) < len(todo):
                    why = (run.stderr.strip().splitlines() or [""])[-1][:100]
                    answers[todo[len(lines)][0]] = {"by": by, "arch": arch, "why": why,
                                                    "session": "crashes" if run.returncode < 0 else "not asked"}
                todo = todo[len(lines) + 1:]
    return answers


def provider_answer(by: str, arch: str, line: dict[str, Any]) -> dict[str, Any]:
    said = {"by": by, "arch": arch, "session": line["session"]}
    refused = sorted(n for n, v in line["units"].items() if v == "refused")
    if refused:
        said["on_cpu"] = refused
    if line["float"]:
        said["in_float"] = line["float"]
    if line["graph"]:
        said["ops"] = line["graph"]
    if line["error"] is not None:
        said["off"] = line["error"]
    return said


def emit(entries: dict[str, dict[str, dict[str, Any]]]) -> str:
    lines = [HEAD + "judged:"]
    for slug, fixtures in sorted(entries.items()):
        lines.append(f"  {slug}:")
        for name, said in sorted(fixtures.items()):
            said = {key: float(said[key]) if key in REAL else said[key] for key in sorted(said, key=KEYS.index)}
            lines.append(f"    - {json.dumps({'fixture': name, **said}, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--oracle", default=str(ROOT / "build" / "bin" / "qg-oracle"))
    parser.add_argument("--backend-lib", required=True)
    parser.add_argument("--name", default="libQnnHtp 2.51.0", help="how the library is called in the answers")
    parser.add_argument("--provider", action="store_true", help="ask ONNX Runtime's QNN provider too")
    parser.add_argument("--again", default=None, nargs="?", const="", metavar="RULES",
                        help="ask about every fixture of the rules with this in their name (of all), not only about "
                             "new and changed ones")
    arguments = parser.parse_args()

    judged = opdefs_json.document("rules/judged")["judged"] if JUDGED.exists() else {}
    before = {(slug, e["fixture"]): e for slug, listed in judged.items() for e in listed}
    entries: dict[str, dict[str, dict[str, Any]]] = {}
    library, provider = [], []
    for fixture in all_fixtures():
        said = before.get((fixture.slug, fixture.name), {})
        ask_again = arguments.again is not None and arguments.again in fixture.slug
        if said.get("digest") == digest(fixture.path) and not ask_again:
            entries.setdefault(fixture.slug, {})[fixture.name] = {k: v for k, v in said.items() if k != "fixture"}
            continue
        if reason := fixture.reason_not_to_ask():
            entries.setdefault(fixture.slug, {})[fixture.name] = {"digest": digest(fixture.path), "why": reason}
        elif fixture.model.get("dialect", "qnn") == "onnx":
            provider.append(fixture)
        else:
            library.append(fixture)
    answers = ask_library(arguments.oracle, arguments.backend_lib, arguments.name, library)
    answers |= ask_provider(provider) if arguments.provider else {}
    for fixture, said in ask_native(arguments.oracle, arguments.backend_lib, [f for f in library if f.native]).items():
        answers[fixture]["native"] = said
    known = {(k["rule"], k["fixture"]): k["reason"] for k in json.loads(KNOWN.read_text())}
    for fixture, said in answers.items():
        if reason := known.get((fixture.slug, fixture.name)):
            said["why"] = reason
        entries.setdefault(fixture.slug, {})[fixture.name] = {"digest": digest(fixture.path), **said}
    JUDGED.write_text(emit(entries))
    print(f"{len(answers)} fixtures asked, {sum(len(f) for f in entries.values())} listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
