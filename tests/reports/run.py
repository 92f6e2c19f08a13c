#!/usr/bin/env python3
"""Runs quantgate on reported failures: what it reports, understands, and calls wrong (README.md).

  run.py                 the score of every case that is not held out, per project and topic
  run.py --list missed   the cases with that status, and why
  run.py --show ID       one case: input, expectation, quantgate's answer
  run.py --check         fails if a case is worse than in score.json, or is not there, or the page is stale
  run.py --write         writes score.json and the table of docs/records/reports.md; refuses where a case got worse
  run.py --held-out      scores the cases of the oldest draw that is held out, once, and records it in draws.yaml
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import collection
import compact
import scoring
import yaml
from collection import Case, Draw
from scoring import STATUSES, Answer, Outcome

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tools.dev.shared.page_table import replaced  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
SCORE = Path(__file__).with_name("score.json")
PAGE = ROOT / "docs/records/reports.md"
MARKS = ("<!-- table: tests/reports/run.py -->\n", "<!-- end of table -->\n")
HEAD = ("| {} | models | reported | partly | missed | contradicted | working variants | called wrong "
        "| logs | understood | partly | missed |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")


@dataclass
class Result:
    case: Case
    outcome: Outcome
    wrong: str | None  # None: there is no working variant; "": it is accepted


# ---- running ------------------------------------------------------------------------------------

def ask(case: Case, folder: Path) -> Answer:
    """quantgate's answer to a case or a working variant, its files in `folder`."""
    folder.mkdir(parents=True)
    command = [CLI]
    if case.kind == "log":
        (folder / "case.log").write_text("\n".join(case.log) + "\n", encoding="utf-8")
        command += ["explain", "case.log", "--format", "json"]
    else:
        (folder / "model.json").write_text(compact.text(case.model), encoding="utf-8")
        command += ["check", "model.json", "--format", "json"]
        for option, value in case.target.items():
            command += [f"--{option}", value]
        if case.encodings is not None:
            (folder / "case.encodings").write_text(json.dumps(case.encodings), encoding="utf-8")
            command += ["--encodings", "case.encodings"]
    if case.kind == "log" and case.model is not None:
        (folder / "model.json").write_text(compact.text(case.model), encoding="utf-8")
        command += ["--model", "model.json"]
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
    output = run.stdout.decode()
    return Answer(run.returncode, run.stderr.decode(), json.loads(output) if output.strip() else None)


def run_case(case: Case, known: frozenset[str], folder: Path) -> Result:
    outcome = scoring.score(case, ask(case, folder / case.id), known)
    wrong = None
    if case.works is not None:
        wrong = scoring.called_wrong(ask(case.works, folder / f"{case.id}.works"))
    return Result(case, outcome, wrong)


def run_all(cases: list[Case], draws: dict[int, Draw]) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda case: run_case(case, draws[case.draw].known_rules, Path(folder)), cases))


# ---- counting -----------------------------------------------------------------------------------

def counts(results: list[Result]) -> dict[str, int]:
    """The three counts: failures that are reported, working variants called wrong, logs understood."""
    built = [r for r in results if r.case.kind == "model"]
    models = [r for r in built if r.case.contradicted is None]
    logs = [r for r in results if r.case.kind == "log"]
    found = {"models": len(models)}
    found |= {status: sum(r.outcome.status == status for r in models) for status in reversed(STATUSES)}
    found |= {"contradicted": len(built) - len(models)}
    found |= {"works": sum(r.wrong is not None for r in built), "wrong": sum(bool(r.wrong) for r in built)}
    found |= {"logs": len(logs)}
    found |= {f"log_{status}": sum(r.outcome.status == status for r in logs) for status in reversed(STATUSES)}
    return found


def grouped(results: list[Result], key: str) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(getattr(result.case, key), []).append(result)
    if key == "topic":
        return {collection.TOPICS[topic]: groups[topic] for topic in collection.TOPICS if topic in groups}
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0].lower())))


def table(results: list[Result], key: str) -> str:
    rows = [*grouped(results, key).items(), ("all", results)]
    return HEAD.format(key) + "".join(
        f"| {name} | " + " | ".join(str(number) for number in counts(rs).values()) + " |\n" for name, rs in rows)


def sentence(found: dict[str, int]) -> str:
    def part(number: int, of: int) -> str:
        return f"{number} of {of}" + (f" ({100 * number // of} %)" if of else "")

    return (f"{part(found['reported'], found['models'])} models reported at the right node for the right reason, "
            f"{found['partly']} partly, {found['missed']} missed; {found['wrong']} of {found['works']} working "
            f"variants called wrong; {part(found['log_reported'], found['logs'])} logs understood, "
            f"{found['log_partly']} partly, {found['log_missed']} not.")


def contradicted_part(results: list[Result]) -> str:
    """Cases that are counted apart, with what was measured."""
    apart = sorted((r for r in results if r.case.contradicted), key=lambda r: r.case.id)
    if not apart:
        return ""
    rows = "".join(f"| [{r.case.id}]({r.case.link}) | {r.case.title} | {r.case.contradicted['libraries']} "
                   f"| {r.case.contradicted['measured']} | {r.outcome.status} |\n" for r in apart)
    return (f"{len(apart)} more models are of threads whose claim the libraries at hand contradict. Their "
            "expectations stand as they were committed, and they count apart, as *contradicted*:\n\n"
            f"| case | what the thread is about | asked | what was measured | quantgate |\n|---|---|---|---|---|\n{rows}\n")


def confirmed_part(score: dict) -> str:
    """The models of a scored draw that more than the place itself confirms; "" where nobody asked."""
    found = score.get("confirmed")
    if found is None:
        return ""
    return (f" Of the {found['models']} models that somebody can confirm {found['reported']} "
            f"({100 * found['reported'] // found['models']} %) are reported, {found['partly']} partly, "
            f"{found['missed']} missed.")


def page_part(results: list[Result], held: list[Case], draws: dict[int, Draw]) -> str:
    text = f"\n{len(results) + len(held)} cases. "
    if held:
        logs = sum(case.kind == "log" for case in held)
        text += f"{len(held)} of them, {len(held) - logs} models and {logs} logs, are held out and not scored yet. "
    text += f"The others: {sentence(counts(results))}\n\n{contradicted_part(results)}"
    text += f"{table(results, 'project')}\n{table(results, 'topic')}\n"
    for draw in draws.values():
        if draw.score is not None:
            text += f"Draw {draw.draw}, held out until {draw.score['date']}: {sentence(draw.score['counts'])}"
            text += f"{confirmed_part(draw.score)}\n\n"
    return text


# ---- the record ---------------------------------------------------------------------------------

def record_of(results: list[Result]) -> dict:
    """score.json: what passes, what doesn't and why."""
    def ids(status: str) -> list[Result]:
        return sorted((r for r in results if r.outcome.status == status and r.case.contradicted is None),
                      key=lambda r: r.case.id)

    apart = sorted((r for r in results if r.case.contradicted), key=lambda r: r.case.id)
    return {"reported": [r.case.id for r in ids("reported")],
            "partly": {r.case.id: r.outcome.why for r in ids("partly")},
            "missed": {r.case.id: r.outcome.why for r in ids("missed")},
            "contradicted": {r.case.id: r.outcome.status for r in apart},
            "called_wrong": {r.case.id: r.wrong for r in sorted(results, key=lambda r: r.case.id) if r.wrong}}


def rank(status: str) -> int:
    """Of a status in the record; what is counted apart is never worse."""
    return STATUSES.index(status) if status in STATUSES else len(STATUSES)


def changes(results: list[Result], record: dict) -> tuple[list[str], list[str]]:
    """What is worse than recorded, and what only isn't recorded: better or without an entry."""
    listed = {name: status for status in STATUSES for name in record[status]}
    listed |= {name: f"contradicted, {status}" for name, status in record["contradicted"].items()}
    worse, other = [], []
    for result in results:
        name, now, why = result.case.id, result.outcome.status, result.outcome.why
        if result.case.contradicted is not None:
            now, why = f"contradicted, {now}", ""
        was = listed.pop(name, None)
        if was is None:
            other.append(f"{name}: {now}, but score.json has no such case" + (f" ({why})" if why else ""))
        elif rank(now) < rank(was):
            worse.append(f"{name}: was {was}, now {now}: {why}")
        elif now != was:
            other.append(f"{name}: was {was}, now {now}")
        if result.wrong and name not in record["called_wrong"]:
            (other if was is None else worse).append(f"{name}: its working variant is called wrong: {result.wrong}")
        if not result.wrong and name in record["called_wrong"]:
            other.append(f"{name}: its working variant isn't called wrong any more")
    other += [f"{name}: in score.json, but there is no such case" for name in sorted(listed)]
    return worse, other


def dump(record: dict) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def check(results: list[Result], held: list[Case], draws: dict[int, Draw]) -> int:
    worse, other = changes(results, json.loads(SCORE.read_text(encoding="utf-8")))
    for line in worse + other:
        print(line, file=sys.stderr)
    page = PAGE.read_text(encoding="utf-8")
    stale = not (worse or other) and replaced(page, MARKS, page_part(results, held, draws)) != page
    if stale:
        print(f"{PAGE.relative_to(ROOT)} is stale", file=sys.stderr)
    if (other or stale) and not worse:
        print("tests/reports/run.py --write records it", file=sys.stderr)
    return 1 if worse or other or stale else 0


def write(results: list[Result], held: list[Case], draws: dict[int, Draw]) -> int:
    if SCORE.exists():
        worse, _ = changes(results, json.loads(SCORE.read_text(encoding="utf-8")))
        if worse:
            print("error: nothing is written, cases got worse:", *worse, sep="\n", file=sys.stderr)
            return 1
    SCORE.write_text(dump(record_of(results)), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(replaced(page, MARKS, page_part(results, held, draws)), encoding="utf-8")
    return 0


# ---- what is held out ---------------------------------------------------------------------------

def score_held_out(held: list[Case], draws: dict[int, Draw]) -> int:
    """Scores the oldest draw that is held out, prints counts only, and records them: there is no second time."""
    if not held:
        print("error: every draw is scored already", file=sys.stderr)
        return 1
    oldest = min(case.draw for case in held)
    results = run_all([case for case in held if case.draw == oldest], draws)
    found = counts(results)
    confirmed = counts([result for result in results if result.case.confirmed not in ("", "nobody")])
    text = collection.DRAWS.read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    for raw in document["draws"]:
        if raw["draw"] == oldest:
            raw["score"] = {"date": datetime.date.today().isoformat(), "counts": found}
            if confirmed["models"]:
                raw["score"]["confirmed"] = {key: confirmed[key] for key in ("models", *reversed(STATUSES))}
    comment = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    collection.DRAWS.write_text(comment + yaml.safe_dump(document, sort_keys=False, default_flow_style=None,
                                                         width=110), encoding="utf-8")
    print(f"draw {oldest}: {sentence(found)}")
    return 0


# ---- looking ------------------------------------------------------------------------------------

def show(case: Case, known: frozenset[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answer = ask(case, Path(folder) / "case")
        works = ask(case.works, Path(folder) / "works") if case.works else None
    outcome = scoring.score(case, answer, known)
    print(f"{case.id}: {case.title}\n{case.link}\n")
    print("\n".join(case.log) if case.log else json.dumps({"target": case.target, "model": case.model}))
    print(f"\nexpected: {json.dumps(case.expect, ensure_ascii=False)}\n")
    print(f"answer: exit status {answer.exit} {answer.stderr}")
    for finding in (answer.report or {}).get("findings", []):
        kept = {key: value for key, value in finding.items() if key not in ("fixes", "sources") and value}
        print(json.dumps(kept, ensure_ascii=False))
    print(f"\n{outcome.status} {outcome.why}")
    if works is not None:
        print(f"working variant: {scoring.called_wrong(works) or 'accepted'}")


def list_cases(results: list[Result], what: str) -> None:
    for result in results:
        if what == "wrong" and result.wrong:
            print(f"{result.case.id} [{result.case.topic}]: {result.wrong}")
        elif result.outcome.status == what:
            print(f"{result.case.id} [{result.case.topic}] {result.outcome.why}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--list", choices=(*STATUSES, "wrong"))
    action.add_argument("--show", metavar="ID")
    for name in ("--check", "--write", "--held-out"):
        action.add_argument(name, action="store_true")
    options = parser.parse_args()
    try:
        cases, draws = collection.load(), collection.load_draws()
        held = [case for case in cases if collection.held_out(case, draws)]
    except collection.Mistake as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        return 2
    if options.held_out:
        return score_held_out(held, draws)
    names = {case.id for case in held}
    cases = [case for case in cases if case.id not in names]
    if options.show:
        if options.show in names or options.show not in {case.id for case in cases}:
            print(f"error: {options.show} is {'held out' if options.show in names else 'no case'}", file=sys.stderr)
            return 2
        case = next(case for case in cases if case.id == options.show)
        show(case, draws[case.draw].known_rules)
        return 0
    results = run_all(cases, draws)
    if options.list:
        list_cases(results, options.list)
        return 0
    print(table(results, "project"), table(results, "topic"), sentence(counts(results)), sep="\n")
    return check(results, held, draws) if options.check else (
        write(results, held, draws) if options.write else 0)


if __name__ == "__main__":
    sys.exit(main())
