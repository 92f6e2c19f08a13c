"""Writes YAML with one constraint, variant or port a line; the order of keys is the reader's."""
import json
import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_+./-]*\Z")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"}


def scalar(value):
    if value is None:
        return "~"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        if "e" in text and "." not in text:  # YAML 1.1 wants a dot in a number with an exponent.
            text = text.replace("e", ".0e")
        return text
    if _PLAIN.match(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def document(items, comment=None):
    """`items`: top-level (key, value) pairs; a list of maps becomes one line per entry."""
    lines = [f"# {line}" for line in comment or ()]
    for key, value in items:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{key}:")
            lines += [f"  - {flow(entry)}" for entry in value]
        elif isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
            lines.append(f"{key}:")
            lines += [f"  {scalar(name)}: {flow(entry)}" for name, entry in value.items()]
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"
