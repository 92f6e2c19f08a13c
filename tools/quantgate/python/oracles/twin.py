"""The same model in float, and how far the numbers of a quantized one are from its numbers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
MOST = 2_000_000  # elements of one tensor


def evaluated(stored: Array, wanted: Array, scale: Array, zero: Array) -> dict[str, Any]:
    """Of one output: wrong where over 1 % of the elements are off by more than 4 steps and 3 % of the range."""
    limits = np.iinfo(stored.dtype)
    with np.errstate(all="ignore"):
        should = np.clip(np.round(wanted.astype(np.float64) / scale + zero), limits.min, limits.max)
    # What float has no number for (the logarithm of a negative one), no encoding has.
    known = np.isfinite(wanted)
    should, stored = should[known], stored[known]
    if not should.size:
        return {"result": "right", "steps": 0.0, "fraction": 0.0, "share": 0.0}
    off = np.abs(stored.astype(np.float64) - should)
    allowed = max(4.0, 0.03 * float(should.max() - should.min()))
    share = float(np.mean(off > allowed))
    worst = float(off.max())
    return {"result": "wrong" if share > 0.01 else "right", "steps": worst,
            "fraction": worst / float(limits.max - limits.min), "share": share}


class Twin:
    """A .tflite model, and what it would be without quantization; both by the schema of ai-edge-litert."""

    def __init__(self, data: bytes, seed: int) -> None:
        import flatbuffers  # type: ignore[import-not-found]
        from ai_edge_litert import schema_py_generated as schema  # type: ignore[import-not-found]

        self.flatbuffers, self.schema = flatbuffers, schema
        self.model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(bytearray(data), 0))
        self.graph = self.model.subgraphs[0]
        names = {value: name for name, value in vars(schema.TensorType).items() if isinstance(value, int)}
        self.kinds = {value: np.dtype(name.lower() if name != "BOOL" else "bool")
                      for value, name in names.items() if name in ("INT8", "UINT8", "INT16", "INT32", "INT64", "FLOAT32", "BOOL")}
        chance = np.random.default_rng(seed)
        self.inputs = [self.drawn(self.graph.tensors[i], chance) for i in self.graph.inputs]

    def drawn(self, tensor: Any, chance: np.random.Generator) -> Array:
        kind, shape = self.kind(tensor), [int(dim) for dim in tensor.shape] if tensor.shape is not None else []
        if int(np.prod(shape or [1])) > MOST:
            raise ValueError("a tensor is too large")
        if kind.kind == "f":
            return chance.uniform(-1, 1, shape).astype(kind)
        if kind.kind == "b":
            return chance.integers(0, 2, shape).astype(kind)
        if kind.itemsize > 2:
            return chance.integers(-200, 200, shape).astype(kind)
        limits = np.iinfo(kind)
        return chance.integers(limits.min + (limits.min < 0), limits.max, shape, endpoint=True).astype(kind)

    def kind(self, tensor: Any) -> np.dtype[Any]:
        if tensor.type not in self.kinds:
            raise ValueError("a tensor of a type that is not compared")
        return self.kinds[tensor.type]

    @staticmethod
    def numbers(tensor: Any) -> tuple[Array, Array] | None:
        """Scales and zero points, to be broadcast over the tensor; None: not quantized."""
        given = tensor.quantization
        if given is None or given.scale is None or not len(given.scale):
            return None
        scale = np.asarray(given.scale, np.float64)
        zero = np.asarray(given.zeroPoint if given.zeroPoint is not None else [0], np.float64)
        if scale.size > 1:
            wide = [1] * len(tensor.shape)
            wide[given.quantizedDimension] = -1
            scale, zero = scale.reshape(wide), np.broadcast_to(zero, scale.size).reshape(wide)
        return scale, zero

    def in_float(self) -> tuple[bytes, list[Array]]:
        """The model with each quantized tensor in float, and the inputs for it."""
        twin = copy.deepcopy(self.model)
        graph = twin.subgraphs[0]
        inputs = list(self.inputs)
        for i, tensor in enumerate(graph.tensors):
            numbers = self.numbers(tensor)
            if numbers is None:
                continue
            scale, zero = numbers
            stored = twin.buffers[tensor.buffer].data
            if stored is not None and len(stored):
                values = np.frombuffer(bytes(stored), self.kind(tensor)).reshape(tensor.shape)
                real = ((values.astype(np.float64) - zero) * scale).astype(np.float32)
                twin.buffers[tensor.buffer].data = np.frombuffer(real.tobytes(), np.uint8)
            for k, at in enumerate(graph.inputs):
                if at == i:
                    inputs[k] = ((inputs[k].astype(np.float64) - zero) * scale).astype(np.float32)
            tensor.type, tensor.quantization = self.schema.TensorType.FLOAT32, None
        builder = self.flatbuffers.Builder(1024)
        builder.Finish(twin.Pack(builder), b"TFL3")
        return bytes(builder.Output()), inputs

    def evaluate(self, outputs: list[bytes], wanted: list[bytes]) -> dict[str, Any]:
        """The worst of the outputs; {"reason"} where none is quantized."""
        worst: dict[str, Any] = {"reason": "no output is quantized"}
        for at, data, should in zip(self.graph.outputs, outputs, wanted):
            tensor = self.graph.tensors[at]
            numbers = self.numbers(tensor)
            if numbers is None:
                continue
            stored, real = np.frombuffer(data, self.kind(tensor)), np.frombuffer(should, np.float32)
            if stored.size != real.size:
                return {"reason": "the output has another size"}
            shape = tensor.shape if numbers[0].size > 1 else [stored.size]
            found = evaluated(stored.reshape(shape), real.reshape(shape), *numbers)
            if "result" not in worst or found["share"] > worst["share"]:
                worst = found
        return worst
