"""The recordings: of every case a CASE.xz under tests/conformance/executorch/zoo, written as in packing.py.

{"annotated": Model JSON, "converted": Model JSON, "labels": {...}} without the numbers of weights, with
  nodes      {name in the converted graph: "a" or "r"} of those that the partitioner evaluated
  unstable   nodes that were evaluated one way and then the other when the partitioner was asked again, which are not
             among `nodes`
  delegates  how many partitions the backend compiled
  cpu        nodes of the converted graph that were left out
  failure    null, or {"type", "message", "at"}: why nothing could be lowered
Reading needs the standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import packing
import places
from labelling import steps_of

ENDING = ".xz"
_PACKAGES = re.compile(r"^.*/site-packages/")


def folder_of(part: str) -> Path:
    """Of "development", or of a draw by the name of its folder."""
    return places.RECORDED / ("models" if part == "development" else part)


def names() -> set[str]:
    """Every architecture that is recorded."""
    return {path.name.rsplit("-", 1)[0] for path in places.RECORDED.glob(f"*/*{ENDING}")}


def states(queried: list[dict]) -> dict[str, str]:
    """A node of the converted graph is refused where any that came of it is."""
    found: dict[str, str] = {}
    for node in queried:
        if not node["from"] or node["bypass"] or node["supported"] is None:
            continue
        state = "a" if node["supported"] else "r"
        if found.get(node["from"]) != "r":
            found[node["from"]] = state
    return found


def labels_of(case: places.Case) -> dict | None:
    """Null: it never got to the lowering."""
    last = [step for step in steps_of(case) if step["step"] in ("lowered", "failed")][-1]  # it may be read again later
    queried = case.folder / "queried.json"
    if last["step"] == "failed" and not last["why"].startswith("signal") or not (case.folder / "converted.json").exists():
        return None
    if last["step"] == "failed":
        return {"nodes": {}, "delegates": 0, "cpu": [],
                "failure": {"type": "crash", "message": last["why"], "at": ""}}
    failure = last["failure"]
    if failure:
        failure = {"type": failure["type"], "message": failure["message"][:200], "at": failure["at"]}
    called = [node for node in last.get("cpu", ()) if "quantize_per" not in node["target"]]
    nodes = states(json.loads(queried.read_text()))
    others = [states(json.loads(path.read_text())) for path in
              (case.folder / "queried_again.json", case.lowered_again().folder / "queried.json") if path.exists()]
    unstable = sorted(name for name, state in nodes.items() if any(other.get(name, state) != state for other in others))
    nodes = {name: state for name, state in nodes.items() if name not in unstable}
    return {"nodes": nodes, **({"unstable": unstable} if unstable else {}), "delegates": last.get("delegates", 0),
            "cpu": sorted({node["from"] or node["target"] for node in called}), "failure": failure}


WEIGHT_BITS = ("FIXED_POINT_4", "FIXED_POINT_8", "FIXED_POINT_16")


def portable(model: dict) -> dict:
    """Places in the source as any machine has them, and no numbers of weights: matrices of quantized constants, of
    which nothing is asked but their encodings."""
    for tensor in model["tensors"]:
        if len(tensor.get("dims", ())) > 1 and tensor.get("dtype", "").endswith(WEIGHT_BITS):
            tensor.pop("values", None)
    for node in model["nodes"]:
        if "location" in node:
            node["location"] = _PACKAGES.sub("", node["location"]).replace(f"{places.ROOT}/", "")
    return model


def write(case: places.Case, folder: Path) -> int:
    labels = labels_of(case)
    if labels is None:
        return 0
    recorded = {"labels": labels}
    for stage in ("annotated", "converted"):
        recorded[stage] = portable(json.loads((case.folder / f"{stage}.json").read_text()))
    folder.mkdir(parents=True, exist_ok=True)
    data = packing.packed(recorded)
    (folder / f"{case}{ENDING}").write_bytes(data)
    return len(data)


def recordings(folder: Path) -> Iterator[tuple[places.Case, dict]]:
    for path in sorted(folder.glob(f"*{ENDING}")):
        name, precision = path.name.removesuffix(ENDING).rsplit("-", 1)
        yield places.Case(name, precision), packing.unpacked(path.read_bytes())
