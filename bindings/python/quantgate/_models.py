"""From whatever holds a model to Model."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

from quantgate import _core
from quantgate._core import Model
from quantgate._errors import InputError
from quantgate._names import Format


@runtime_checkable
class ProtobufMessage(Protocol):
    """onnx.ModelProto, recognised by what it can do: onnx is never imported."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802


ModelLike: TypeAlias = (Model | str | os.PathLike[str] | bytes | bytearray | memoryview
                        | Mapping[str, Any] | ProtobufMessage)
"""What check() takes: a Model; a path; bytes of ONNX, Model JSON or its protobuf form; a str
that begins with "{" or a dict: Model JSON; an onnx.ModelProto."""


# numpy makes arrays of any size without memory behind them; a list of them would have it.
_MAX_NUMBERS = 1 << 24


def _plain(value: Any) -> Any:
    """JSON's own types: arrays and scalars of numpy as Python's, NaN and infinities as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes, int, float)):
        if math.prod(getattr(value, "shape", ())) > _MAX_NUMBERS:
            raise ValueError(f"an array of shape {tuple(value.shape)} in a dict; at most "
                             f"{_MAX_NUMBERS} numbers are taken, ModelBuilder takes more")
        return _plain(value.tolist())
    return value


def _from_dict(model: Mapping[str, Any]) -> Model:
    source = "model"
    try:
        name = model.get("name")
        if isinstance(name, str) and name:
            source = name
        text = json.dumps(_plain(model), ensure_ascii=False).encode()
    except Exception as error:  # whatever the objects in it raise
        raise InputError(f"the dict isn't JSON: {error}", source) from error
    return Model.from_json(text, name=source)


def _from_proto(proto: ProtobufMessage) -> Model:
    name = "model"
    try:
        graph = getattr(proto, "graph", None)
        if graph is not None:
            name = str(getattr(graph, "name", "") or name)
            data = proto.SerializeToString()
    except Exception as error:  # protobuf's own errors; it isn't imported to name them
        raise InputError(f"the protobuf message can't be serialized: {error}", name) from error
    if graph is None or not isinstance(data, bytes):
        raise TypeError(f"{type(proto).__name__} is no onnx.ModelProto")
    return Model.from_onnx(data, name=name)


# torch is imported only for what comes from it.
_TORCH = ("GraphModule", "ExportedProgram")


def _from_torch(model: Any) -> Model:
    from quantgate import torch as quantgate_torch

    return quantgate_torch.read(model)


def read(path: str | os.PathLike[str], *, format: Format | None = None) -> list[Model]:
    """The models of a file: one, or one for each line of a .jsonl.

    `format` is guessed from the name and the first bytes if not given. Raises InputError with
    file, place and reason for the first model that can't be read.
    """
    return _core.read_file(os.fspath(path), format)


def to_model(model: ModelLike) -> Model:
    """The one model that `model` holds.

    Raises InputError when it can't be read or is a file of several models, TypeError when it is
    nothing that holds a model.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and model.lstrip().startswith("{"):
        return Model.from_json(model)
    if isinstance(model, (str, os.PathLike)):
        if os.fspath(model).endswith(".pt2"):
            return _from_torch(model)
        models = read(model)
        if len(models) != 1:
            raise InputError(f"{len(models)} models in it; quantgate.read gives them all",
                             os.fspath(model))
        return models[0]
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _core.read_bytes(model, "model", "", None)
    if isinstance(model, Mapping):
        return _from_dict(model)
    if isinstance(model, ProtobufMessage):
        return _from_proto(model)
    if any(base.__module__.startswith("torch.") and base.__name__ in _TORCH
           for base in type(model).__mro__):
        return _from_torch(model)
    raise TypeError(f"no model: {type(model).__module__}.{type(model).__qualname__}; give a path, "
                    "bytes, a dict, a quantgate.Model, an onnx.ModelProto or a PyTorch graph")
