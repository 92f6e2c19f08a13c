"""The effective database as a sorted list of entries, one line of JSON each.

What `opdefc compile --format json` says of ops, rows and constraints, in the smallest pieces that mean
something alone: a constraint for two datatypes is two entries, since a tensor has one of them. Two
databases that accept the same for the same reasons have the same entries, however their files divide
them. Ids of constraints are left out; `pieces()` pairs entries with them.
"""
import itertools
import json

# Conditions and arguments of which exactly one value holds for a tensor or node at a time.
SPLIT_CONDITIONS = ("dtype", "encoding")
SPLIT_ARGUMENT_KINDS = ("encodings", "bit_width", "dtypes")
NO_RANGE = {}


def entries(database):
    """Sorted, without duplicates."""
    return sorted(set(_of_everything(database)))


def pieces(database):
    """{entry of a constraint: its ids}, ids as BACKEND/OP/PORT/NAME."""
    found = {}
    for backend in database["backends"]:
        for op in backend["ops"]:
            for constraint in op.get("constraints", []):
                for entry in _constraint(backend["name"], op["name"], constraint):
                    found.setdefault(entry, []).append(f"{backend['name']}/{op['name']}/{constraint['id']}")
    return found


def _line(*parts):
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))


def _of_everything(database):
    for source in database["sources"]:
        yield _line("source", {key: source[key] for key in ("id", "title", "sdk", "measured") if key in source})
    for soc in database["socs"]:
        yield _line("soc", soc)
    for backend in database["backends"]:
        yield _line("backend", {key: value for key, value in backend.items() if key != "ops"})
        for op in backend["ops"]:
            yield from _op(backend["name"], op)
            for constraint in op.get("constraints", []):
                yield from _constraint(backend["name"], op["name"], constraint)


def _op(backend, op):
    head = {key: op[key] for key in ("range", "inputs", "outputs", "params", "examples") if key in op}
    yield _line("op", backend, op["name"], head)
    for row in op.get("variants", []):
        row = dict(row, sources=sorted(row["sources"]))
        yield _line("row", backend, op["name"], row)


def _plain(constraint):
    """A constraint of any_of: what it says, without its text for people."""
    plain = {key: value for key, value in constraint.items() if key not in ("text", "rule", "id")}
    if "when" in plain:
        plain["when"] = sorted(plain["when"], key=json.dumps)
    return plain


def _constraint(backend, op, constraint):
    body = {key: value for key, value in constraint.items()
            if key not in ("id", "text", "rule", "when", "any_of", "sources", "groups", "profile")}
    body["sources"] = sorted(constraint.get("sources", []))
    body["groups"] = sorted(constraint.get("groups", []))
    if constraint["kind"] != "note":
        body["any_of"] = [[_plain(one) for one in alternative["all_of"]]
                          for alternative in constraint.get("any_of", [])]
    conditions = constraint.get("when", [])
    choices = [_choices(condition, conditions) for condition in conditions]
    denied = [None]
    args = constraint.get("args", {})
    if constraint["kind"] in SPLIT_ARGUMENT_KINDS and "denied" in args:
        denied = args["denied"] if isinstance(args["denied"], list) else [args["denied"]]
    for one in denied:
        if one is not None:
            body["args"] = dict(args, denied=[one])
        for when in itertools.product(*choices):
            yield _line("constraint", backend, op, dict(body, when=sorted(when, key=json.dumps)))


def _choices(condition, conditions):
    params = [other for other in conditions if other["key"] == "param"]
    if condition["key"] == "param" and len(params) == 1:
        return [dict(condition, numbers=[number]) for number in condition["numbers"]]
    if condition["key"] in SPLIT_CONDITIONS and "port" not in condition:
        return [dict(condition, names=[name]) for name in condition["names"]]
    for key in ("names", "numbers"):
        if key in condition:
            condition = dict(condition, **{key: sorted(condition[key])})
    return [condition]
