"""The differences known: tests/conformance/zoo/known.json. The list may only shrink.

{kind: {export: {node: "8a8w:v68,v73 16a8w:v73"}}}; a difference of a whole model has the node "".
"""

from __future__ import annotations

import json
from pathlib import Path

from compare import Difference
from places import ARCHS, FORMS, RECORDED

PATH = RECORDED / "known.json"


def load(path: Path = PATH) -> set[Difference]:
    if not path.exists():
        return set()
    return {(kind, export, part.split(":")[0], arch, node)
            for kind, by_export in json.loads(path.read_text()).items()
            for export, by_node in by_export.items()
            for node, where in by_node.items()
            for part in where.split()
            for arch in part.split(":")[1].split(",")}


def text(differences: set[Difference]) -> str:
    where: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for kind, export, form, arch, node in differences:
        where.setdefault((kind, export, node), {}).setdefault(form, []).append(arch)
    result: dict[str, dict[str, dict[str, str]]] = {}
    for (kind, export, node), forms in sorted(where.items()):
        said = " ".join(f"{form}:{','.join(sorted(forms[form]))}" for form in FORMS if form in forms)
        result.setdefault(kind, {}).setdefault(export, {})[node] = said
    return json.dumps(result, indent=0, ensure_ascii=False) + "\n"


def shrink(found: set[Difference], path: Path = PATH) -> int:
    """Takes out what is gone; adds nothing. -> how many went."""
    listed = load(path)
    path.write_text(text(listed & found))
    return len(listed - found)


__all__ = ["ARCHS", "PATH", "load", "shrink", "text"]
