"""Pages of the JSON Schemas in docs/schemas: a table of fields for each object."""
import json
import pathlib

from .database import ROOT
from .markdown import code, codes, plain, table


def files() -> list[pathlib.Path]:
    return sorted((ROOT / "docs" / "schemas").glob("*.schema.json"))


def page(path: pathlib.Path) -> str:
    schema = json.loads(path.read_text(encoding="utf-8"))
    parts = [f"# {path.name}", said(schema), f"The schema itself: [{path.name}]({path.name})."]
    named = schema.get("$defs", {})
    todo = [("The whole", schema)] if "properties" in schema else []
    if not todo:
        parts.append(f"The whole: {kind(schema)}.")
    todo += [(name, part) for name, part in named.items() if "properties" in part]
    while todo:
        title, part = todo.pop(0)
        parts += [f"## {title}", said(part), fields(title, part, todo)]
    for title, part in named.items():
        if "properties" not in part:
            parts += [f"## {title}", said(part), kind(part)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def fields(title: str, part: dict, todo: list) -> str:
    rows = []
    inner = []
    for name, field in part["properties"].items():
        field = field if isinstance(field, dict) else {}  # true: anything
        item = field["items"] if isinstance(field.get("items"), dict) else field
        if "properties" in item:
            place = name if title == "The whole" else f"{title}.{name}"
            inner.append((place, item))
            what = f"{'list of ' if item is not field else ''}[{place}](#{place.lower().replace('.', '')})"
        else:
            what = kind(field)
        rows.append([code(name), what, "yes" if name in part.get("required", []) else "", said(field)])
    todo[:0] = inner
    return table(["field", "what", "always", "meaning"], rows)


def said(part: dict) -> str:
    """A description: Markdown of one line, whose brackets are meant as such."""
    return part.get("description", "").replace("|", "\\|").replace("[", "\\[").replace("<", "&lt;")


def kind(part: object) -> str:
    if not isinstance(part, dict):
        return "anything"
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "enum" in part:
        return codes([str(v) for v in part["enum"]])
    if "const" in part:
        return code(json.dumps(part["const"]))
    for key, joined in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
        if key in part and "type" not in part:
            # Alternatives may be conditions (required) rather than shapes.
            shapes = dict.fromkeys(kind(p) for p in part[key])
            return joined.join(shapes)
    types = part.get("type", [])
    types = [types] if isinstance(types, str) else types
    words = []
    for name in types:
        if name == "array":
            words.append(f"list of {kind(part['items'])}" if "items" in part else "list")
        elif name == "object" and isinstance(part.get("additionalProperties"), dict):
            words.append(f"object, by name: {kind(part['additionalProperties'])}")
        else:
            words.append({"string": "text"}.get(name, plain(name)))
    return " or ".join(words) or "anything"
