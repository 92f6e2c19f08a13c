"""Runs models of one operator with LiteRT's default kernels, and the same in float: what is refused, fails, is wrong.

ask_litert.py FILE --seeds FIRST COUNT      under a Python with ai-edge-litert

The file has a letter for each seed: k = right, w = wrong numbers, r = refused, f = fails or aborts when run, - = not
comparable (no float kernel, too large, a failure of the values that were drawn).
"""
from __future__ import annotations

import argparse
import base64
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite.configs import draw  # noqa: E402
from tools.dev.tflite.float_twin import INTEGERS, float_twin, is_wrong, with_values  # noqa: E402
from tools.dev.tflite.model_bytes import model_bytes  # noqa: E402
from tools.quantgate.python.oracles.children import Child  # noqa: E402
from tools.quantgate.python.oracles.serve import BY_VALUES  # noqa: E402

Json = dict[str, Any]


def run(child: Child, model: Json, inputs: dict[str, Any]) -> Json:
    used = [name for node in model["nodes"] for name in node["inputs"] if name]
    order = [tensor["name"] for tensor in model["tensors"] if tensor["name"] in inputs and tensor["name"] in used]
    return child.query({"model": base64.b64encode(model_bytes(model)).decode(),
                      "inputs": [base64.b64encode(np.ascontiguousarray(inputs[name]).tobytes()).decode() for name in order]})


def outputs(model: Json, answer: Json) -> list[Any]:
    made = []
    by_name = {tensor["name"]: tensor for tensor in model["tensors"]}
    for name, data in zip(model["nodes"][0]["outputs"], answer["outputs"]):
        made.append(np.frombuffer(base64.b64decode(data), dtype=INTEGERS[by_name[name]["dtype"]]))
    return made


def answer_of(child: Child, seed: int) -> tuple[str, str]:
    """The letter, and the message."""
    try:
        model, inputs = with_values(draw(seed), seed)
    except (ValueError, KeyError) as error:
        return "-", str(error)
    response = run(child, model, inputs)
    if "refused" in response:
        return "r", response["refused"]
    if any(words in response.get("fails", "") for words in BY_VALUES):
        return "-", response["fails"]
    if "outputs" not in response:
        return "f", response.get("fails", response.get("message", ""))
    twin, floats = float_twin(model, inputs)
    if twin == model:
        return "k", ""
    wanted = run(child, twin, floats)
    if "outputs" not in wanted:
        return "-", "no float kernel: " + str(wanted)[:80]
    try:
        pairs = list(zip(model["nodes"][0]["outputs"], outputs(model, response), outputs(twin, wanted)))
        by_name = {tensor["name"]: tensor for tensor in model["tensors"]}
        if any(is_wrong(by_name[name], stored, should) for name, stored, should in pairs):
            return "w", ""
    except ValueError as error:
        return "-", str(error)
    return "k", ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", nargs=2, type=int, default=(1, 1000), metavar=("FIRST", "COUNT"))
    parser.add_argument("--responses", type=Path, help="a line of JSON for each seed, with the message of each")
    arguments = parser.parse_args()
    first, count = arguments.seeds
    letters, lines = "", []
    with Child([sys.executable, str(ROOT / "tools/quantgate/python/oracles/litert_child.py")], 30) as child:
        for seed in range(first, first + count):
            letter, message = answer_of(child, seed)
            letters += letter
            lines.append(json.dumps({"seed": seed, "letter": letter, "message": message[:160]}))
    arguments.file.write_text(json.dumps({"first": first, "count": count, "letters": letters}) + "\n")
    if arguments.responses is not None:
        arguments.responses.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
