"""How much of the database is checked, tested, measured; what can't be checked, and why.

A constraint is enforced when its kind has a rule. A rule is tested when fixtures break it; a
constraint is tested by itself when a recorded report of the tests names it.
"""
import collections
import json

from .database import ROOT, Database
from .markdown import code, plain, table


def broken_in_tests() -> set[str]:
    """Ids of the constraints that recorded reports of the tests name."""
    ids = set()
    for path in sorted((ROOT / "tests" / "golden").glob("**/*.json")):
        for line in path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else [
                path.read_text(encoding="utf-8")]:
            ids |= _constraints(json.loads(line))
    return ids


def _constraints(node: object) -> set[str]:
    if isinstance(node, dict):
        found = {node["constraint"]} if isinstance(node.get("constraint"), str) else set()
        return found.union(*(_constraints(v) for v in node.values()))
    if isinstance(node, list):
        return set().union(*(_constraints(v) for v in node))
    return set()


def rules_with_fixtures(database: Database) -> set[str]:
    folder = ROOT / "tests" / "fixtures" / "rules"
    return {code for code, rule in database.rules.items() if any((folder / rule["slug"]).glob("bad*"))}


def page(database: Database) -> str:
    measured = {s["id"] for s in database.sources if s.get("measured")}
    broken, fixtures = broken_in_tests(), rules_with_fixtures(database)
    everything = [(b, op, c) for b in database.backends for op in database.ops[b]
                  for c in op["constraints"]]

    def counts(entries: list) -> list[str]:
        rules = [c for c in entries if c["rule"]]
        return [str(n) for n in (
            len(entries), len(rules), len(entries) - len(rules),
            sum(any(s not in measured for s in c["sources"]) for c in entries),
            sum(any(s in measured for s in c["sources"]) for c in entries),
            sum(c["rule"] in fixtures for c in rules), sum(c["id"] in broken for c in rules))]

    titles = ["constraints", "enforced", "not checkable", "documented", "measured",
              "by a tested rule", "broken in a recorded test"]
    text = ("# Coverage\n\nHow many constraints of the database the rules enforce, where they are "
            "from, and what tests break. Recorded by `tools/dev/qgdev update coverage`; a test holds it to the "
            "database.\n\n- enforced: a rule checks it; not checkable: kept in words, which "
            "`quantgate query` shows.\n- documented, measured: by its sources; some are both.\n"
            "- by a tested rule: fixtures keep and break the rule that checks it. Broken in a "
            "recorded test: a recorded report of the tests names this very constraint.\n")
    text += "\n## By backend\n\n"
    rows = [[b] + counts([c for x, _, c in everything if x == b]) for b in database.backends]
    rows.append(["all"] + counts([c for _, _, c in everything]))
    text += table(["backend"] + titles, rows)
    text += "\n## Dtype rows\n\n"
    variant_rows = []
    for backend in database.backends:
        variants = [v for op in database.ops[backend] for v in op["variants"]]
        variant_rows.append([backend, str(len(database.ops[backend])), str(len(variants)),
                             str(sum(any(s not in measured for s in v["sources"]) for v in variants)),
                             str(sum(any(s in measured for s in v["sources"]) for v in variants))])
    text += table(["backend", "ops", "rows", "documented", "measured"], variant_rows)
    text += "\n## By kind\n\n"
    kinds = collections.defaultdict(list)
    for _, _, c in everything:
        kinds[c["kind"]].append(c)
    text += table(["kind", "rule"] + titles[:1] + titles[3:], [
        [code(kind), " ".join(sorted({c["rule"] for c in entries if c["rule"]})) or "none"]
        + [n for i, n in enumerate(counts(entries)) if i not in (1, 2)]
        for kind, entries in sorted(kinds.items())])
    return text + not_checkable(everything)


def not_checkable(everything: list) -> str:
    words = collections.defaultdict(set)
    for backend, op, c in everything:
        if not c["rule"]:
            words[backend, c["text"], c["note"]].add(op["op"])
    text = "\n## Not checkable\n\nNo rule can decide these from a model file; `quantgate query` shows them.\n\n"
    rows = []
    for (backend, said, note), ops in sorted(words.items()):
        names = sorted(ops)
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        rows.append([backend, plain(said), plain(note), shown])
    return text + table(["backend", "what", "why", "ops"], rows)
