"""python3 -m tools.import_facts FACTS_DIR -o opdefs: writes the database from the facts."""
import argparse
import pathlib
import sys

from . import (
    agreed, chips, computed, cpu_rows, emit, judge, operations, ports, shapes, special, supplement, weights)
from .constraints import entry, finish
from .documented import DOCS, Documented
from .facts import Facts
from .measured import SOURCES, Measured
from .older import FIRST, Older
from .revisions import Revisions
from .variants import OPERATION_OPS, Rows

BACKEND = "htp"
_VARIANT_TAIL = ("since", "until", "undocumented_until", "arch", "consequence", "sources")


def build(facts, op, older):
    """The document of one op and the counts of what went in and came out."""
    names = ports.port_names(facts, op)
    params = ports.params(facts, op) + agreed.params(op)
    rows = Rows(facts, op)
    documented = Documented(facts, op, names)
    beyond, decided = measured_constraints(facts, op, rows, documented.constraints)
    constraints = [documented_entry(op, c, decided) for c in documented.constraints]
    variants = rows.entries()
    counts_2_13, earlier, before, op_range = older.merge(
        op, names, documented.constraints, variants, constraints)
    constraints += beyond + before + older.revisions.notes(op)
    variants += earlier
    items = [("op", op), ("backend", BACKEND)]
    if "since" in op_range:
        items.append(("since", op_range["since"]))
    if op in shapes.NOT_FOUND:
        items.append(("until", "2.47"))
    sources = {s for v in variants for s in v["sources"]} | {
        s for c in constraints for s in c["sources"]}
    items.append(("sources", [s["id"] for s in chips.sources(facts) if s["id"] in sources] or [DOCS]))
    items.append(("inputs", ports.ports(facts, op, "inputs")))
    items.append(("outputs", ports.ports(facts, op, "outputs")))
    if params:
        items.append(("params", params))
    if variants:
        items.append(("variants", [ordered(v) for v in variants]))
    finished = agreed.amend(op, finish(constraints, names, [p["name"] for p in params]))
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
    return items, {"2.25": counts, **{f"{FIRST} {page}": c for page, c in counts_2_13.items()}}


def ordered(variant):
    """Ranges before sources."""
    keys = [k for k in variant if k not in _VARIANT_TAIL] + [
        k for k in _VARIANT_TAIL if k in variant]
    return {k: variant[k] for k in keys}


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
    per_channel = measured.per_channel_activations()
    result += per_channel + measured.prepared_encodings(
        {c["port"] for c in per_channel if c["consequence"] == "prepare_fails" and "when" not in c})
    if op not in weights.ALL:
        result += measured.encoding_defined() + measured.valid_scale()
    result += measured.plain_cases()
    decided = set()
    if op in OPERATION_OPS:
        found, decided = operations.constraints(rows, facts)
        result += found
    result += shapes.constraints(op) + agreed.additions(op) + computed.constraints(op)
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
    revisions = {name: Revisions(facts, name, ()) for name in ("htp", *supplement.BACKENDS)}
    revisions["htp"].ops = set(facts.op_names())
    older = Older(facts, revisions["htp"])
    totals = {}
    ops = {}
    for op in facts.op_names():
        items, by_sdk = build(facts, op, older)
        write(out, BACKEND, op, items)
        for sdk, counts in by_sdk.items():
            check(f"{BACKEND}/{op} {sdk}", counts)
            add(totals.setdefault(sdk, {}), counts)
            ops[sdk] = ops.get(sdk, 0) + 1
    for sdk in sorted(totals):
        report(f"{BACKEND} {sdk}", ops[sdk], totals[sdk])
    targets = {}
    for name in supplement.BACKENDS:
        backend = cpu_rows.Cpu(facts) if name == cpu_rows.BACKEND else supplement.Supplement(facts, name)
        revisions[name].ops = set(backend.ops)
        targets[name] = backend.target()
        totals = {sdk: {} for sdk in backend.sdks}
        ops = dict.fromkeys(backend.sdks, 0)
        for op in backend.ops:
            items, by_sdk = backend.build(op, revisions[name].notes(op))
            write(out, name, op, items)
            for sdk, counts in by_sdk.items():
                check(f"{name}/{op} {sdk}", counts)
                add(totals[sdk], counts)
                ops[sdk] += 1
        for sdk in backend.sdks:
            report(f"{name} {sdk}", ops[sdk], totals[sdk])
    for name, known in revisions.items():
        entries, listed, used, elsewhere = known.counts()
        if entries != listed + used + elsewhere:
            sys.exit(f"{name}: {entries} revisions, {listed + used + elsewhere} accounted for")
        if entries:
            print(f"{name} revisions: {entries}, in pages {listed}, ranges and notes {used}, "
                  f"of ops without rows {elsewhere}")
    (out / "sources.yaml").write_text(
        emit.document([("sources", chips.sources(facts))]), encoding="utf-8")
    (out / "targets.yaml").write_text(emit.document(chips.targets(facts, targets, revisions["htp"].sdks())),
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
