"""Model JSON of the dialect tflite -> a .tflite file, by the schema that ai-edge-litert brings.

Another hand than the program's own writer (core/readers/tflite): a mistake of its tables shows.
"""
from __future__ import annotations

import random
import struct
from typing import Any

import flatbuffers  # type: ignore[import-not-found]
from ai_edge_litert import schema_py_generated as schema  # type: ignore[import-not-found]

TYPES = {"FLOAT_32": "FLOAT32", "FLOAT_16": "FLOAT16", "FLOAT_64": "FLOAT64", "INT_32": "INT32", "INT_64": "INT64",
         "INT_16": "INT16", "INT_8": "INT8", "UINT_8": "UINT8", "UINT_16": "UINT16", "UINT_32": "UINT32",
         "BOOL_8": "BOOL", "SFIXED_POINT_8": "INT8", "UFIXED_POINT_8": "UINT8", "SFIXED_POINT_16": "INT16",
         "UFIXED_POINT_16": "UINT16", "SFIXED_POINT_32": "INT32", "SFIXED_POINT_4": "INT4"}
FORMATS = {"FLOAT32": "f", "FLOAT64": "d", "INT32": "i", "UINT32": "I", "INT64": "q", "INT16": "h", "UINT16": "H",
           "INT8": "b", "UINT8": "B", "BOOL": "B", "FLOAT16": "e"}
POOLS = {"AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"}
REDUCERS = {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"}


def _options_name(op: str) -> str | None:
    if op in POOLS:
        return "Pool2DOptions"
    if op in REDUCERS:
        return "ReducerOptions"
    if op in ("MAXIMUM", "MINIMUM"):
        return "MaximumMinimumOptions"
    wanted = op.replace("_", "").lower() + "options"
    special = {"l2normalizationoptions": "L2NormOptions"}
    if wanted in special:
        return special[wanted]
    for name in vars(schema.BuiltinOptions):
        if name.lower() == wanted:
            return name
    return None


def _field(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _value(param: dict[str, Any]) -> Any:
    for kind in ("int", "uint", "real", "flag"):
        if kind in param:
            return param[kind]
    return param["tensor"].get("ints", []) if "tensor" in param else param.get("ints", [])


def _elements(dims: list[int]) -> int:
    count = 1
    for dim in dims:
        count *= max(dim, 0) if dim >= 0 else 1
    return count


def _data(tensor: dict[str, Any], kind: str) -> bytes:
    count = _elements(tensor.get("dims", []))
    if kind == "INT4":
        return random.Random(1).randbytes((count + 1) // 2)
    values = tensor.get("values", tensor.get("realValues"))
    if values is None:
        chance = random.Random(1)
        if kind in ("INT8", "UINT8", "BOOL"):
            data = chance.randbytes(count)
            if kind == "BOOL":
                return bytes(byte & 1 for byte in data)
            return data.replace(b"\x80", b"\x7f") if kind == "INT8" else data
        values = [chance.uniform(-1, 1) if kind.startswith("FLOAT") else
                  chance.randint(0 if kind.startswith("U") else -100, 100) for _ in range(count)]
    if len(values) == 1 and count != 1:
        values = values * count
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def _quantization(encoding: dict[str, Any]) -> Any:
    made = schema.QuantizationParametersT()
    if "perTensor" in encoding:
        given = encoding["perTensor"]
        made.scale, made.zeroPoint = [float(given["scale"])], [int(given.get("zeroPoint", 0))]
    else:
        given = encoding["perChannel"]
        made.scale = [float(scale) for scale in given["scales"]]
        made.zeroPoint = [int(zero) for zero in given.get("zeroPoints", [])] or [0] * len(made.scale)
        made.quantizedDimension = given.get("axis", 0)
    return made


def model_bytes(model: dict[str, Any]) -> bytes:
    made = schema.ModelT()
    made.version, made.description = 3, b"quantgate"
    empty = schema.BufferT()
    made.buffers, made.operatorCodes = [empty], []
    graph = schema.SubGraphT()
    graph.name, graph.tensors, graph.operators = b"main", [], []
    index = {tensor["name"]: i for i, tensor in enumerate(model["tensors"])}
    for tensor in model["tensors"]:
        kind = TYPES[tensor["dtype"]]
        table = schema.TensorT()
        dims = [int(dim) for dim in tensor.get("dims", [])]
        table.name, table.shape, table.hasRank = tensor["name"].encode(), [abs(dim) for dim in dims], True
        if any(dim < 0 for dim in dims):
            table.shapeSignature = dims
        table.type = getattr(schema.TensorType, kind)
        if tensor.get("encoding"):
            table.quantization = _quantization(tensor["encoding"])
        if tensor.get("isStatic"):
            buffer = schema.BufferT()
            buffer.data = list(_data(tensor, kind))
            table.buffer = len(made.buffers)
            made.buffers.append(buffer)
        graph.tensors.append(table)
    produced = {name for node in model["nodes"] for name in node["outputs"]}
    static = {tensor["name"] for tensor in model["tensors"] if tensor.get("isStatic")}
    used = {name for node in model["nodes"] for name in node["inputs"] if name}
    graph.inputs = [index[name] for name in index if name in used and name not in produced | static]
    graph.outputs = [index[name] for node in model["nodes"] for name in node["outputs"] if name not in used]
    codes: dict[tuple[str, int], int] = {}
    for node in model["nodes"]:
        params = node.get("params", {})
        version = _value(params["version"]) if "version" in params else 1
        number = getattr(schema.BuiltinOperator, node["op"])
        key = (node["op"], version)
        if key not in codes:
            code = schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), version
            codes[key] = len(made.operatorCodes)
            made.operatorCodes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = codes[key]
        operator.inputs = [index[name] if name else -1 for name in node["inputs"]]
        operator.outputs = [index[name] for name in node["outputs"]]
        options = _options_name(node["op"])
        if options is not None:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + "T")()
            for name, value in params.items():
                if name != "version" and hasattr(operator.builtinOptions, _field(name)):
                    setattr(operator.builtinOptions, _field(name), _value(value))
        graph.operators.append(operator)
    made.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(made.Pack(builder), b"TFL3")
    return bytes(builder.Output())
