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
        return self.child.query({"model": base64.b64encode(model).decode(),
                               "inputs": [base64.b64encode(value.tobytes()).decode() for value in inputs]})

    def stages(self, request: Json) -> Json:
        from oracles.twin import Twin

        data = base64.b64decode(request["model"])
        try:
            twin = Twin(data, request.get("seed", 1))
        except ValueError as error:
            return {"not_queried": str(error)}
        response = self.run(data, twin.inputs)
        if "refused" in response:
            return {"validate": {"outcome": "fails", "step": "allocate", "message": response["refused"]}}
        if any(words in response.get("fails", "") for words in BY_VALUES):
            return {"validate": OK, "prepare": OK, "values": {"reason": response["fails"]}}
        if "fails" in response:
            return {"validate": OK, "prepare": OK,
                    "execute": {"outcome": "fails", "step": "invoke", "message": response["fails"]}}
        if "error" in response:
            return {"validate": OK, "prepare": failure(response, "invoke")}
        found = {"validate": OK, "prepare": OK, "execute": OK}
        return {**found, "values": self.values(twin, response)} if request.get("values") else found

    def values(self, twin: Any, response: Json) -> Json:
        try:
            model, inputs = twin.in_float()
        except ValueError as error:
            return {"reason": str(error)}
        wanted = self.run(model, inputs)
        if "outputs" not in wanted:
            return {"reason": "there is no float kernel to compare with"}
        decoded = [[base64.b64decode(each) for each in answer["outputs"]] for answer in (response, wanted)]
        found: Json = twin.evaluate(*decoded)
        return found


def main() -> None:
    kernels: list[Kernels] = []

    def answer(request: Json) -> Any:
        if not kernels:
            kernels.append(Kernels(request["seconds"]))
        kernels[0].child.seconds = request["seconds"]
        return kernels[0].stages(request)

    try:
        serve(about, answer)
    finally:
        for each in kernels:
            each.child.stop()


if __name__ == "__main__":
    main()
