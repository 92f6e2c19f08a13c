#!/usr/bin/env python3
"""Makes a model of the linear layers of a language model as an mllm quantization recipe builds them.

    tools/mllm_recipe.py CONFIG LAYERS [-o MODEL.json] [--cli CLI] [--tokens 32]
    quantgate check MODEL.json --soc SM8750

CONFIG: JSON with a "quant_recipe", as mllm's AOT compiler reads it. LAYERS: a JSON list of
{"name", "in", "out"} or {"name", "weight": [in, out] or [1, 1, in, out]}, in
{"layers": [...]} or bare; or a model that quantgate reads, whose matrix products and 1x1
convolutions are the layers. What a layer becomes is data: tools/mllm_layers.json.

Scales are not in a recipe: the model has one of 0.001 everywhere, and its notes say so. What mllm
would not build is one line each on stderr, and exit status 1; unusable files give exit status 2.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = json.loads((Path(__file__).with_name("mllm_layers.json")).read_text())
SCALE = 0.001
SECTIONS = ("lm_head", "linear")  # of builtin_llm_pass; a layer named like a section is its own
SPEC_KEYS = {"method", "sym", "precision", "block_size"}


class Unusable(Exception):
    """A file that can't be used: one line."""


class Layer(NamedTuple):
    name: str
    inputs: int
    outputs: int


def load(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text())
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise Unusable(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: not UTF-8") from error


def recipes(path: str) -> dict[str, dict[str, Any]]:
    """Sections of the recipe: pattern -> specification."""
    config = load(path)
    recipe = config.get("quant_recipe") if isinstance(config, dict) else None
    if not isinstance(recipe, dict):
        raise Unusable(f'{path}: there is no "quant_recipe" in it')
    recipe = recipe.get("builtin_llm_pass", recipe)
    found = {s: recipe[s] for s in SECTIONS if isinstance(recipe.get(s), dict)}
    if not found:
        raise Unusable(f"{path}: quant_recipe has no {' or '.join(SECTIONS)}")
    for section, patterns in found.items():
        if SPEC_KEYS & patterns.keys():  # one specification without patterns
            patterns = found[section] = {"fallback": patterns}
        for pattern, spec in patterns.items():
            if not isinstance(spec, dict):
                raise Unusable(f"{path}: {section}.{pattern}: must be an object")
    return found


def positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def listed_layers(path: str, items: list[Any]) -> list[Layer]:
    layers = []
    for index, item in enumerate(items):
        where = f"{path}: layers[{index}]"
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise Unusable(f"{where}: a layer needs a \"name\"")
        sides = [item.get("in"), item.get("out")]
        if "weight" in item:
            dims = item["weight"]
            if not isinstance(dims, list) or len(dims) not in (2, 4) or dims[:-2] not in ([], [1, 1]):
                raise Unusable(f"{where}: \"weight\" is neither [in, out] nor [1, 1, in, out]")
            sides = dims[-2:]
        if not all(positive(side) for side in sides):
            raise Unusable(f"{where}: a layer needs \"in\" and \"out\", or \"weight\"")
        layers.append(Layer(item["name"], sides[0], sides[1]))
    return layers


def model_layers(path: str, cli: str) -> list[Layer]:
    run = subprocess.run([cli, "convert", path], capture_output=True, text=True)
    if run.returncode != 0:
        raise Unusable(run.stderr.strip().removeprefix("error: "))
    model = json.loads(run.stdout)
    tensors = {t["name"]: t for t in model.get("tensors", [])}
    makers = {o: n for n in model.get("nodes", []) for o in n.get("outputs", [])}
    kinds = DATA["models"].get(model.get("dialect", "qnn"), {})
    layers = []
    for node in model.get("nodes", []):
        kind = kinds.get(node["op"])
        if kind is None or len(node.get("inputs", [])) <= kind["weight"]:
            continue
        weight = tensors.get(node["inputs"][kind["weight"]])
        # A weight may come through the DequantizeLinear that the file has for it.
        maker = makers.get(weight["name"]) if weight else None
        if maker and maker.get("inputs"):
            weight = tensors[maker["inputs"][0]]
        dims = weight.get("dims", []) if weight and weight.get("isStatic") else []
        if len(dims) <= max(kind["in"], kind["out"], 1):
            continue
        if any(dims[axis] != 1 for axis in kind.get("ones", [])):
            continue
        swapped = node.get("params", {}).get(kind.get("swapped_by", ""), {}).get("int", 0)
        inputs, outputs = dims[kind["in"]], dims[kind["out"]]
        layers.append(Layer(node["name"], outputs, inputs) if swapped
                      else Layer(node["name"], inputs, outputs))
    return layers


def read_layers(path: str, cli: str) -> list[Layer]:
    if path.endswith(".json"):
        content = load(path)
        items = content.get("layers") if isinstance(content, dict) else content
        if isinstance(items, list):
            return listed_layers(path, items)
    return model_layers(path, cli)


def spec_of(layer: Layer, sections: dict[str, dict[str, Any]]) -> tuple[str, dict[str, Any]] | None:
    """The first pattern that matches the whole name, in the order of mllm's sorted map."""
    own = [s for s in sections if layer.name.split(".")[-1] == s]
    for section in own or [s for s in sections if s == SECTIONS[-1]]:
        patterns = sections[section]
        for pattern in sorted(patterns):
            if pattern == "fallback":
                continue
            try:
                if re.fullmatch(pattern, layer.name):
                    return f"{section}.{pattern}", patterns[pattern]
            except re.error:
                continue  # mllm passes over what is no pattern
        if "fallback" in patterns:
            return f"{section}.fallback", patterns["fallback"]
    return None


def problem_of(layer: Layer, spec: dict[str, Any]) -> str | None:
    """Why mllm builds nothing, or something else, of the layer."""
    method = DATA["methods"].get(spec.get("method"))
    if method is None:
        return f"method {spec.get('method')!r} is not known (known: {', '.join(DATA['methods'])})"
    if spec.get("precision") not in method["precisions"]:
        return (f"precision {spec.get('precision')!r} leaves the weight without a specification "
                f"(known: {', '.join(method['precisions'])})")
    if spec.get("sym") is not True:
        return "sym is not true: the recipe is not applied"
    block = spec.get("block_size")
    if not positive(block):
        return f"block_size {block!r} is no size"
    if layer.inputs % block:
        return f"block_size {block} does not divide {layer.inputs} input channels"
    if block not in method["groups"]:
        return (f"no layer kind for groups of {block} "
                f"(known: {', '.join(map(str, method['groups']))})")
    return None


def tensor(name: str, dtype: str, dims: list[int]) -> dict[str, Any]:
    encoding = {"scale": SCALE, "zeroPoint": DATA["zero_points"].get(dtype, 0)}
    return {"name": name, "dtype": dtype, "dims": dims, "encoding": {"perTensor": encoding}}


def build(layers: list[tuple[Layer, dict[str, Any]]], tokens: int) -> dict[str, Any]:
    form = DATA["layer"]
    tensors: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    for layer, spec in layers:
        precision = DATA["methods"][spec["method"]]["precisions"][spec["precision"]]
        sizes = {"batch": 1, "tokens": tokens, "in": layer.inputs, "out": layer.outputs}

        def dims(template: list[Any]) -> list[int]:
            return [sizes.get(d, d) for d in template]

        names = [f"{layer.name}.{port}" for port in ("input", "weight", "output")]
        tensors.append(tensor(names[0], precision["activation"], dims(form["activation"])))
        tensors.append({
            "name": names[1], "dtype": precision["weight"], "dims": dims(form["weight"]),
            "isStatic": True,
            "encoding": {"lpbq": {
                "axis": form["channel_axis"], "scales": [SCALE], "zeroPoints": [0],
                "bitwidth": precision["weight_bits"],
                "numBlocks": layer.inputs // spec["block_size"], "blockScales": [1],
                "blockScaleBitwidth": precision["factor_bits"],
                "blockScaleStorageBits": precision["factor_storage_bits"]}}})
        tensors.append(tensor(names[2], precision["activation"], dims(form["output"])))
        nodes.append({"name": layer.name, "op": form["op"], "inputs": names[:2],
                      "outputs": names[2:], "params": form["params"]})
    return {"name": "mllm recipe", "dialect": "qnn", "tensors": tensors, "nodes": nodes,
            "notes": [f"made of an mllm recipe: every scale is {SCALE}"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", metavar="CONFIG")
    parser.add_argument("layers", metavar="LAYERS")
    parser.add_argument("-o", "--output", default="-")
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--tokens", type=int, default=32)
    flags = parser.parse_args()
    try:
        sections = recipes(flags.config)
        layers = read_layers(flags.layers, flags.cli)
        if not layers:
            raise Unusable(f"{flags.layers}: there is no linear layer in it")
    except Unusable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    good: list[tuple[Layer, dict[str, Any]]] = []
    for layer in layers:
        found = spec_of(layer, sections)
        if found is None:
            print(f"{layer.name}: no recipe fits", file=sys.stderr)
            continue
        where, spec = found
        if problem := problem_of(layer, spec):
            print(f"{layer.name}: {where}: {problem}", file=sys.stderr)
        else:
            good.append((layer, spec))
    text = json.dumps(build(good, flags.tokens), indent=1) + "\n"
    if flags.output == "-":
        sys.stdout.write(text)
    else:
        Path(flags.output).write_text(text)
    return 0 if len(good) == len(layers) else 1


if __name__ == "__main__":
    sys.exit(main())
