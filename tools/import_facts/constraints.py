"""Ids, order and YAML form of the constraints of one op."""
import json
import re

_GROUPS = ("FP16", "INT16", "INT8", "OTHERS", "fp32", "int8")
_KEYS = ("id", "port", "kind")
_TAIL = ("groups", "when", "since", "until", "arch", "consequence", "measured", "sources", "note")
_RANGE = ("since", "until", "arch")


def entry(body, *, groups=(), consequence="rejected", measured=None, sources=(), note=None):
    """A constraint before it has an id."""
    result = dict(body)
    if groups and "All" not in groups:
        result["groups"] = [g for g in _GROUPS if g in groups]
    result["consequence"] = consequence
    if measured:
        result["measured"] = measured
    result["sources"] = list(sources)
    if note:
        result["note"] = note
    return result


def _slug(text):
    return re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-")


_SHORT = {
    "AXIS_SCALE_OFFSET": "per-channel", "BW_AXIS_SCALE_OFFSET": "bw-per-channel",
    "BW_SCALE_OFFSET": "bw", "BLOCKWISE_EXPANSION": "lpbq", "BLOCK": "block",
    "SCALE_OFFSET": "per-tensor", "FLOAT_16": "f16", "FLOAT_32": "f32",
    "UFIXED_POINT_8": "u8", "SFIXED_POINT_8": "s8", "UFIXED_POINT_16": "u16",
    "SFIXED_POINT_16": "s16", "SFIXED_POINT_32": "s32", "INT_32": "i32", "UINT_32": "ui32",
    "BOOL_8": "bool"}


def _words(value, most=3):
    values = value if isinstance(value, list) else [value]
    if len(values) > most:
        return [f"{len(values)}-of"]
    return [_SHORT.get(v, _slug(v)) for v in values]


def _qualifiers(constraint):
    """What tells a constraint from its namesakes, most telling first."""
    when = constraint.get("when", {})
    result = []
    for key in ("param", "param_not"):
        for values in when.get(key, {}).values():
            result.append("-".join((["not"] if key == "param_not" else []) + _words(values)))
    for key in ("encoding", "dtype", "dtype_not"):
        if key in when:
            result.append("-".join(_words(when[key])))
    if "bits" in when:
        result.append("-".join(f"{b}bit" for b in _as_list(when["bits"])))
    for key in ("dtype_of", "bits_of", "encoding_of", "rank", "static_of", "present"):
        for port, values in when.get(key, {}).items():
            result.append("-".join([_slug(port)] + _words(values)))
    if "static" in when:
        result.append("static" if when["static"] else "dynamic")
    for key in ("noop", "m", "m_min", "axes_include", "dim_eq"):
        if key in when:
            result.append(key.replace("_", "-"))
    if "arch" in constraint:
        result.append(_slug(constraint["arch"]))
    if "groups" in constraint:
        # Pages of 2.13 name no more of a constraint that 2.25 has too.
        groups = [g for g in constraint["groups"] if not g.startswith("HTP")]
        result.append("-".join(_slug(g) for g in groups or constraint["groups"]))
    return result


def _as_list(value):
    return value if isinstance(value, list) else [value]


def finish(constraints, names, params):
    """Sorted by port, then as they came; with ids; keys in the order of the README."""
    order = {name: i for i, name in enumerate(list(names) + ["all"] + list(params))}
    ordered = sorted(constraints, key=lambda c: order.get(c["port"], len(order)))
    used = set()
    result = []
    for constraint in ordered:
        base = f"{constraint['port']}/" + constraint.pop("slug", _slug(constraint["kind"]))
        candidates = [base]
        for qualifier in _qualifiers(constraint):
            candidates.append(f"{candidates[-1]}-{qualifier}")
        name = next((c for c in candidates if c not in used), None)
        number = 2
        while name is None:
            attempt = f"{candidates[-1]}-{number}"
            name = attempt if attempt not in used else None
            number += 1
        used.add(name)
        body = dict(constraint, id=name)
        keys = [k for k in _KEYS if k in body]
        keys += [k for k in body if k not in _KEYS and k not in _TAIL]
        keys += [k for k in _TAIL if k in body]
        result.append({k: body[k] for k in keys})
    return result


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
