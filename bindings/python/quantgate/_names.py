"""The words of arguments and reports."""

from __future__ import annotations

from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["accepted", "advice", "undocumented", "altered", "wrong_values",
                             "prepare_fails", "rejected", "unchecked"]
"""From harmless to fatal; 'unchecked' stands outside: nothing is known, with the reason."""

FailOn: TypeAlias = Literal["advice", "undocumented", "altered", "wrong_values", "prepare_fails",
                            "rejected", "unchecked"]
"""This verdict and worse ones fail a strict check."""

Mode: TypeAlias = Literal["strict", "warn"]
Level: TypeAlias = Literal["note", "warning", "error"]
Route: TypeAlias = str  # a name of opdefs/routes
"""How the file reaches the backend."""

Dialect: TypeAlias = Literal["qnn", "onnx", "aten"]
Format: TypeAlias = Literal["onnx", "model", "jsonl", "binpb", "qnn", "layers", "pt2", "tflite"]
EncodingKind: TypeAlias = Literal["per-tensor", "per-channel", "block", "LPBQ", "no encoding"]
DtypeName: TypeAlias = Literal[
    "UNDEFINED", "INT_8", "INT_16", "INT_32", "INT_64", "UINT_8", "UINT_16", "UINT_32", "UINT_64",
    "FLOAT_16", "FLOAT_32", "FLOAT_64", "SFIXED_POINT_4", "SFIXED_POINT_8", "SFIXED_POINT_16",
    "SFIXED_POINT_32", "UFIXED_POINT_4", "UFIXED_POINT_8", "UFIXED_POINT_16", "UFIXED_POINT_32",
    "BOOL_8", "STRING"]
"""QNN's datatypes, without their prefix."""
