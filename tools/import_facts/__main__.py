"""python3 -m tools.import_facts FACTS_DIR -o opdefs: writes the database from the facts."""
import argparse
import pathlib
import sys

from . import chips, emit, judge, operations, ports, shapes, special, supplement, weights
from .constraints import entry, finish
from .documented import DOCS, Documented
from .facts import Facts
from .measured import SOURCES, Measured
from .variants import OPERATION_OPS, Rows

BACKEND = "htp"


def build(facts, op):
    """The document of one op and the counts of what went in and came out."""
    names = ports.port_names(facts, op)
    params = ports.params(facts, op)
    rows = Rows(facts, op)
    documented = Documented(facts, op, names)
    beyond, decided = measured_constraints(facts, op, rows, documented.constraints)
    constraints = [documented_entry(op, c, decided) for c in documented.constraints] + beyond
    items = [("op", op), ("backend", BACKEND)]
    if op in shapes.NOT_FOUND:
        items.append(("until", "2.47"))
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
        "constraints": len(finished), "constraints measured": len(beyond)}
    return items, counts


def measured_constraints(facts, op, rows, documented):
    """What measurement adds, and the operations whose dtype rows it decides."""
    measured = Measured(facts, op, rows)
    result = measured.ranks(documented)
    result += weights.constraints(op)
    result += special.constraints(op, measured.operations)
    same = measured.same_encoding()
    if any(c["body"]["kind"] == "same_encoding" for c in documented):
        # The documented one carries what another scale leads to.
        same = [c for c in same if c.get("aspect") == "offset"]
    result += [shapes.per_tensor(c) if c.get("aspect") == "offset" else c for c in same]
    result += measured.per_channel_activations()
    if op not in weights.ALL:
        result += measured.encoding_defined() + measured.valid_scale()
    result += measured.plain_cases()
    decided = set()
    if op in OPERATION_OPS:
        found, decided = operations.constraints(rows, facts)
        result += found
    result += shapes.constraints(op)
    return result, decided


def documented_entry(op, constraint, decided):
    """A documented constraint with its consequence, and what measurement made of it."""
    body = dict(constraint["body"])
    found = judge.answer(op, constraint)
    if body["kind"] == "note":
        return entry(body, groups=constraint["groups"], consequence="advice", sources=[DOCS])
    chosen = body.get("when", {}).get("param", {}).get("operation", ())
    if body["kind"] == "dtypes" and chosen and set(chosen) <= decided:
        body["until"] = "2.47"  # From then on the measured rows of the operation hold.
    if found is None:
        return entry(body, groups=constraint["groups"], sources=[DOCS])
    consequence, since, note = found
    changed = None
    if consequence != "rejected":
        changed = {"since": since, "consequence": consequence}
    return entry(body, groups=constraint["groups"], measured=changed, note=note,
                 sources=[DOCS] + SOURCES[since])


def main(argv=None):
    parser = argparse.ArgumentParser(prog="import_facts", description=__doc__)
    parser.add_argument("facts", help="folder of facts")
    parser.add_argument("-o", "--output", required=True, help="the opdefs folder to write to")
    args = parser.parse_args(argv)
    facts = Facts(args.facts)
    out = pathlib.Path(args.output)
    totals = {}
    for op in facts.op_names():
        items, counts = build(facts, op)
        write(out, BACKEND, op, items)
        check(f"{BACKEND}/{op}", counts)
        add(totals, counts)
    report(BACKEND, len(facts.op_names()), totals)
    targets = {}
    for name in supplement.BACKENDS:
        backend = supplement.Supplement(facts, name)
        targets[name] = backend.target()
        totals = {sdk: {} for sdk in backend.sdks}
        ops = dict.fromkeys(backend.sdks, 0)
        for op in backend.ops:
            items, by_sdk = backend.build(op)
            write(out, name, op, items)
            for sdk, counts in by_sdk.items():
                check(f"{name}/{op} {sdk}", counts)
                add(totals[sdk], counts)
                ops[sdk] += 1
        for sdk in backend.sdks:
            report(f"{name} {sdk}", ops[sdk], totals[sdk])
    (out / "sources.yaml").write_text(
        emit.document([("sources", chips.SOURCES)]), encoding="utf-8")
    (out / "targets.yaml").write_text(emit.document(chips.targets(facts, targets)),
                                      encoding="utf-8")
    return 0


def write(out, backend, op, items):
    folder = out / backend
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{op}.yaml").write_text(emit.document(items), encoding="utf-8")


def check(what, counts):
    """Nothing documented may be lost."""
    for kind in ("rows", "constraints"):
        if counts[f"{kind} in"] != counts[f"{kind} out"]:
            sys.exit(f"{what}: {counts[f'{kind} in']} documented {kind}, "
                     f"{counts[f'{kind} out']} in the database")


def add(totals, counts):
    for key, count in counts.items():
        totals[key] = totals.get(key, 0) + count


def report(what, ops, totals):
    print(f"{what}: ops {ops}, " + ", ".join(f"{key} {count}" for key, count in totals.items()))


if __name__ == "__main__":
    sys.exit(main())
