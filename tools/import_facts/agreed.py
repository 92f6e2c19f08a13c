"""What tools/verify/agree found, as data: agreed.yaml beside this file.

Constraints added to what documents and earlier measurements say, and what becomes of those they
contradict. Patterns are regular expressions over ids as finish() gives them.
"""
import pathlib
import re

import yaml

from .measured import finding

_PATH = pathlib.Path(__file__).parent / "agreed.yaml"
_DATA = yaml.load(_PATH.read_text(encoding="utf-8"),
                  Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _listed(value):
    return value if isinstance(value, list) else [value]


def _of(op, section):
    return [item for item in _DATA[section] if _names(item, op)]


def _names(item, op):
    return op not in item["except"] if item["op"] == "every" else op in _listed(item["op"])


def additions(op):
    """Constraints of an op, without ids; a list of ports means one each."""
    result = []
    for item in _of(op, "added"):
        fields = {k: v for k, v in item.items() if k not in ("op", "except", "port", "kind", "consequence")}
        for port in _listed(item["port"]):
            since = fields.pop("since", "2.47")
            made = finding(port, item["kind"], item.get("consequence", "rejected"),
                           **dict(fields, since=since or "2.47"))
            made["sources"] = fields.get("sources", made["sources"])
            if since is None:  # Documented from the first version on.
                del made["since"]
            result.append(made)
    return result


def params(op):
    """Params beside those of the documents."""
    return [{k: v for k, v in item.items() if k != "op"} for item in _of(op, "params")]


def amend(op, constraints):
    """The finished constraints without those that measurement refutes, the others with their
    range or consequence changed."""
    for item in _of(op, "amended"):
        pattern = re.compile(item["id"])
        hit = [c for c in constraints if pattern.fullmatch(c["id"])]
        if not hit:
            raise ValueError(f"agreed.yaml: no constraint {item['id']} of {op}")
        for constraint in hit:
            if "drop" in item:
                constraints.remove(constraint)
            elif "relaxed_since" in item:
                _relax(constraint, item)
            else:
                constraint.update(item["set"])
    return constraints


def _relax(constraint, item):
    """Documented, and not looked at by the library from an SDK on."""
    since = item["relaxed_since"]
    known = constraint.get("measured")
    consequence = item.get("consequence", known["consequence"] if known else "undocumented")
    constraint["measured"] = {"since": since, "consequence": consequence}
    sources = [s for s in constraint["sources"] if not s.startswith("measured")]
    constraint["sources"] = sources + finding("", "", "", since=since)["sources"]
    if "note" in item:
        constraint["note"] = item["note"]
    for key in ("sources", "note"):  # Last, in this order.
        if key in constraint:
            constraint[key] = constraint.pop(key)
