"""python -m oracles.litert: what LiteRT's default kernels do with an operator: refuse, fail, run; and with which numbers."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

from oracles.children import Child
from oracles.serve import BY_VALUES, OK, Json, failure, serve, version_of

PACKAGE = "ai-edge-litert"


def about() -> Json:
    return {"backend": "tflite", "version": version_of(PACKAGE), "what": "its default kernels, on this processor"}


class Kernels:
    def __init__(self, seconds: float) -> None:
        self.child = Child([sys.executable, str(Path(__file__).with_name("litert_child.py"))], seconds)

    def run(self, model: bytes, inputs: list[Any]) -> Json:
        return self.child.ask({"model": base64.b64encode(model).decode(),
                               "inputs": [base64.b64encode(value.tobytes()).decode() for value in inputs]})

    def stages(self, asked: Json) -> Json:
        from oracles.twin import Twin

        data = base64.b64decode(asked["model"])
        try:
            twin = Twin(data, asked.get("seed", 1))
        except ValueError as error:
            return {"not_queried": str(error)}
        said = self.run(data, twin.inputs)
        if "refused" in said:
            return {"validate": {"outcome": "fails", "step": "allocate", "message": said["refused"]}}
        if any(words in said.get("fails", "") for words in BY_VALUES):
            return {"validate": OK, "prepare": OK, "values": {"reason": said["fails"]}}
        if "fails" in said:
            return {"validate": OK, "prepare": OK,
                    "execute": {"outcome": "fails", "step": "invoke", "message": said["fails"]}}
        if "error" in said:
            return {"validate": OK, "prepare": failure(said, "invoke")}
        found = {"validate": OK, "prepare": OK, "execute": OK}
        return {**found, "values": self.values(twin, said)} if asked.get("values") else found

    def values(self, twin: Any, said: Json) -> Json:
        try:
            model, inputs = twin.in_float()
        except ValueError as error:
            return {"reason": str(error)}
        wanted = self.run(model, inputs)
        if "outputs" not in wanted:
            return {"reason": "there is no float kernel to compare with"}
        decoded = [[base64.b64decode(each) for each in answer["outputs"]] for answer in (said, wanted)]
        found: Json = twin.judge(*decoded)
        return found


def main() -> None:
    kernels: list[Kernels] = []

    def answer(asked: Json) -> Any:
        if not kernels:
            kernels.append(Kernels(asked["seconds"]))
        kernels[0].child.seconds = asked["seconds"]
        return kernels[0].stages(asked)

    try:
        serve(about, answer)
    finally:
        for each in kernels:
            each.child.stop()


if __name__ == "__main__":
    main()
