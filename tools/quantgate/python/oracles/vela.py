"""python -m oracles.vela: what Arm's Vela does with an operator: NPU, CPU, or no compiled model at all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from oracles.children import Child
from oracles.serve import OK, Json, failure, serve, version_of

PACKAGE = "ethos-u-vela"


def about() -> Json:
    return {"backend": "ethosu", "version": version_of(PACKAGE), "what": "a compiler, not a chip"}


def stages(answer: Json) -> Json:
    if "error" in answer:
        return {"validate": OK, "prepare": failure(answer, "compile")}
    places = answer["places"]
    if set(places) <= {"npu"}:
        return {"validate": OK, "prepare": OK}
    part = f"{places.count('cpu')} of {len(places)} parts" if "npu" in places else "the operator"
    return {"validate": {"outcome": "fails", "step": "place", "message": answer.get("why") or f"leaves {part} to the CPU"}}


def main() -> None:
    child: list[Child] = []

    def answer(request: Json) -> Any:
        if not child:
            child.append(Child([sys.executable, str(Path(__file__).with_name("vela_child.py"))]))
        child[0].seconds = request["seconds"]
        return stages(child[0].query({"arch": request["arch"], "model": request["model"]}))

    try:
        serve(about, answer)
    finally:
        for each in child:
            each.stop()


if __name__ == "__main__":
    main()
