"""The pages of the rules: what a rule checks, an example that breaks it, where it applies."""
import collections
import pathlib
import textwrap

from .database import ROOT, Database
from .markdown import code, plain, table

AREAS = {"1": "Op and target", "2": "Rows of datatypes", "3": "Encoding of one port",
         "4": "Relations between ports", "5": "Shape and params", "6": "Graph",
         "7": "Encodings files", "8": "Other", "9": "Input"}
# Longer files say less on a page than their name.
LONGEST_EXAMPLE = 120


def file_name(rule: dict) -> str:
    return f"{rule['slug']}.md"


def index(database: Database) -> str:
    text = ("# Rules\n\nA rule is a kind of check; the constraints it enforces are data of each op. "
            "`quantgate explain CODE` prints the same. Codes and names are never reused.\n")
    counted = collections.Counter(c["rule"] for b in database.backends for op in database.ops[b]
                                  for c in op["constraints"] if c["rule"])
    for digit, title in AREAS.items():
        rules = [r for c, r in sorted(database.rules.items()) if c.startswith("QG" + digit)]
        if rules:
            text += f"\n## {title}\n\n" + table(["code", "rule", "finds", "constraints"], [
                [code(r["code"]), f"[{r['slug']}]({file_name(r)})", plain(r["summary"]),
                 str(counted[r["code"]] or "")] for r in rules])
    return text


def page(database: Database, rule: dict) -> str:
    text = f"# {rule['code']} {rule['slug']}\n\n{plain(rule['summary']).capitalize()}.\n"
    if rule["status"] != "stable":
        text += f"\nStatus: {rule['status']}.\n"
    text += "\n" + rule["explanation"].strip() + "\n"
    return text + example(database, rule) + where(database, rule) + reported(rule) + judged(rule)


def example(database: Database, rule: dict) -> str:
    text = ""
    fixtures = ROOT / "tests" / "fixtures" / "rules" / rule["slug"]
    golden = ROOT / "tests" / "golden" / "rules" / rule["slug"] / "bad.txt"
    changed = difference(database.explained(rule["code"]))
    if changed:
        text += f"```text\n{changed}\n```\n"
    if golden.exists():
        text += (f"\nThe report on the bad model:\n\n```text\n"
                 f"{golden.read_text(encoding='utf-8').strip()}\n```\n")
    for kind, title in (("bad", "The bad model"), ("ok", "The good model")):
        for path in sorted(fixtures.glob(f"{kind}.*")):
            if path.suffix in (".json", ".encodings"):
                text += folded(path, title)
    return f"\n## Example\n\n{text}" if text else ""


def difference(explained: str) -> str:
    """What differs between the bad and the good model, out of the text of `explain`."""
    _, found, after = explained.partition("\nExample\n")
    if not found:
        return ""
    return textwrap.dedent(after.split("\n\n")[0].strip("\n"))


def folded(path: pathlib.Path, title: str) -> str:
    text = path.read_text(encoding="utf-8").strip()
    if path.suffix == ".encodings":
        title += ", its encodings file"
    if text.count("\n") > LONGEST_EXAMPLE:
        return f"\n{title}: `{path.relative_to(ROOT).as_posix()}`.\n"
    return (f'\n<details markdown="1">\n<summary>{title}</summary>\n\n```json\n{text}\n```\n\n'
            "</details>\n")


def where(database: Database, rule: dict) -> str:
    measured = {s["id"] for s in database.sources if s.get("measured")}
    rows = []
    for backend in database.backends:
        found = [(op["op"], c) for op in database.ops[backend] for c in op["constraints"]
                 if c["rule"] == rule["code"]]
        if not found:
            continue
        names = sorted({name for name, _ in found})
        shown = ", ".join(f"[{n}](../{backend}/{n}.md)" for n in names[:8])
        if len(names) > 8:
            shown += f" and {len(names) - 8} more"
        consequences = collections.Counter(
            (c["measured"] or c)["consequence"] for _, c in found)
        rows.append([backend, str(len(found)),
                     str(sum(any(s not in measured for s in c["sources"]) for _, c in found)),
                     str(sum(any(s in measured for s in c["sources"]) for _, c in found)),
                     ", ".join(f"{name} {n}" for name, n in consequences.most_common()), shown])
    if not rows:
        return ""
    return ("\n## Evidence\n\nConstraints of the database that this rule enforces: how many are "
            "documented, how many were measured with the real library (some are both), and what "
            "breaking them leads to.\n\n" +
            table(["backend", "constraints", "documented", "measured", "breaking them", "ops"], rows))


def reported(rule: dict) -> str:
    known = rule["evidence"]
    if not known["reported"]:
        return ""
    text = f"\n## Reported\n\nBasis of the check: {plain(known['basis'])}.\n\n"
    return text + table(["where", "what"], [[plain(r["where"]), plain(r["what"])] for r in known["reported"]])


def judged(rule: dict) -> str:
    """What a real library or provider said about the examples."""
    answers = rule["evidence"]["judged"]
    if not answers:
        return ""
    return "\n## Judged\n\nWhat the real library or provider did with the examples (`tools/dev/qgdev record rules`).\n\n" + table(
        ["example", "asked", "answer"],
        [[plain(a["example"]), plain(a["by"]) or "nobody", plain(a["said"])] for a in answers])
