"""python3 -m tools.import_facts FACTS_DIR -o opdefs: writes the HTP database from the facts."""
import argparse
import pathlib
import sys

from . import chips, emit, ports
from .constraints import entry, finish
from .documented import DOCS, Documented
from .facts import Facts
from .variants import Rows

BACKEND = "htp"


def build(facts, op):
    """The document of one op and the counts of what went in and came out."""
    names = ports.port_names(facts, op)
    params = ports.params(facts, op)
    rows = Rows(facts, op)
    documented = Documented(facts, op, names)
    constraints = [
        entry(c["body"], groups=c["groups"], sources=[DOCS],
              consequence="advice" if c["body"]["kind"] == "note" else "rejected")
        for c in documented.constraints]
    items = [("op", op), ("backend", BACKEND)]
    sources = {s for v in rows.variants for s in v["sources"]} | {
        s for c in constraints for s in c["sources"]}
    items.append(("sources", [s["id"] for s in chips.SOURCES if s["id"] in sources] or [DOCS]))
    items.append(("inputs", ports.ports(facts, op, "inputs")))
    items.append(("outputs", ports.ports(facts, op, "outputs")))
    if params:
        items.append(("params", params))
    variants = rows.entries()
    if variants:
        items.append(("variants", variants))
    finished = finish(constraints, names, [p["name"] for p in params])
    if finished:
        items.append(("constraints", finished))
    examples = ports.examples(facts, op)
    if examples:
        items.append(("examples", examples))
    counts = {
        "rows in": rows.documented_rows, "rows out": sum(v["rows"] for v in rows.variants),
        "variants": len(variants), "variants beyond": sum(not v["rows"] for v in rows.variants),
        "constraints in": documented.facts_in, "constraints out": documented.facts_out(),
        "constraints": len(finished)}
    return items, counts


def main(argv=None):
    parser = argparse.ArgumentParser(prog="import_facts", description=__doc__)
    parser.add_argument("facts", help="folder of facts")
    parser.add_argument("-o", "--output", required=True, help="the opdefs folder to write to")
    args = parser.parse_args(argv)
    facts = Facts(args.facts)
    out = pathlib.Path(args.output)
    folder = out / BACKEND
    folder.mkdir(parents=True, exist_ok=True)
    totals = {}
    for op in facts.op_names():
        items, counts = build(facts, op)
        for key, count in counts.items():
            totals[key] = totals.get(key, 0) + count
        for what in ("rows", "constraints"):
            if counts[f"{what} in"] != counts[f"{what} out"]:
                sys.exit(f"{op}: {counts[f'{what} in']} documented {what}, "
                         f"{counts[f'{what} out']} in the database")
        (folder / f"{op}.yaml").write_text(emit.document(items), encoding="utf-8")
    (out / "sources.yaml").write_text(
        emit.document([("sources", chips.SOURCES)]), encoding="utf-8")
    (out / "targets.yaml").write_text(emit.document(chips.targets(facts)), encoding="utf-8")
    print(f"ops: {len(facts.op_names())}")
    for key, count in totals.items():
        print(f"{key}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
