"""The rules' fixtures as questions: Model JSON for the HTP library, ONNX for ONNX Runtime's provider."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "fixtures" / "rules"


@dataclass(frozen=True)
class Fixture:
    slug: str
    name: str  # bad, ok, bad_strong
    path: Path

    @property
    def flags(self) -> dict[str, str]:
        file = self.path.with_suffix(".args")
        words = shlex.split(file.read_text()) if file.exists() else ["--sdk", "2.51", "--arch", "v73"]
        return dict(zip(words[::2], words[1::2]))

    @property
    def native(self) -> tuple[str, ...]:
        """Tensors that the library is asked about in the matrix unit's layout too."""
        file = self.path.with_suffix(".native")
        return tuple(file.read_text().split()) if file.exists() else ()

    @property
    def model(self) -> dict[str, Any]:
        return json.loads(self.path.read_text())

    def reason_not_to_ask(self) -> str:
        """Why no library or provider can say anything; empty = one can."""
        flags = self.flags
        if "--encodings" in flags:
            return "about a file that no backend sees"
        if "--opdefs" in flags:
            return "shown with an invented backend"
        if flags.get("--backend", "htp") != "htp":
            return "no library of this backend"
        if self.slug == "graph-size":
            return "more than 1 GiB of constants, which are not made here"
        if self.path.suffix == ".json" and self.model.get("dialect", "qnn") not in ("qnn", "onnx"):
            return "a PyTorch graph, which no backend reads"
        return ""


def all_fixtures() -> Iterator[Fixture]:
    for path in sorted(FIXTURES.glob("*/*.json")):
        if path.stem.startswith(("bad", "ok")):
            yield Fixture(path.parent.name, path.stem, path)


def to_onnx(model: dict[str, Any]) -> Any:
    """A Model JSON of dialect onnx as a ModelProto; constants without values are drawn."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    types = {"FLOAT_32": TensorProto.FLOAT, "FLOAT_16": TensorProto.FLOAT16, "UINT_8": TensorProto.UINT8,
             "INT_8": TensorProto.INT8, "UINT_16": TensorProto.UINT16, "INT_16": TensorProto.INT16,
             "INT_32": TensorProto.INT32, "INT_64": TensorProto.INT64, "BOOL_8": TensorProto.BOOL}
    rng = np.random.default_rng(1)
    tensors = {t["name"]: t for t in model["tensors"]}

    def dims(tensor: dict[str, Any]) -> list[int]:
        return [int(d) for d in tensor.get("dims", [])]

    initializers = []
    for tensor in model["tensors"]:
        if not tensor.get("isStatic"):
            continue
        dtype = helper.tensor_dtype_to_np_dtype(types[tensor["dtype"]])
        values = tensor.get("values") or tensor.get("realValues")
        if values is None:
            drawn = rng.standard_normal(dims(tensor)) if dtype.kind == "f" else rng.integers(0, 100, dims(tensor))
            array = np.asarray(drawn, dtype)
        else:
            array = np.broadcast_to(np.array([float(v) for v in values], dtype).reshape(
                dims(tensor) if len(values) > 1 else []), dims(tensor))
        initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), tensor["name"]))

    nodes = []
    for node in model["nodes"]:
        attributes = {}
        for name, value in node.get("params", {}).items():
            kind, body = next(iter(value.items()))
            if kind in ("int", "uint"):
                body = int(body)
            elif kind in ("ints", "tensor"):
                body = [int(v) for v in (body["ints"] if isinstance(body, dict) else body)]
            attributes[name] = body
        nodes.append(helper.make_node(node["op"], node["inputs"], node["outputs"], name=node["name"],
                                      domain=node.get("domain", ""), **attributes))

    def ends(names: list[str]) -> list[Any]:
        return [helper.make_tensor_value_info(n, types[tensors[n]["dtype"]],
                                              [d if d >= 0 else "n" for d in dims(tensors[n])]) for n in names]

    graph = helper.make_graph(nodes, model.get("name", "t"), ends(model["inputs"]), ends(model["outputs"]), initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
