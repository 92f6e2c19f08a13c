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
Route: TypeAlias = Literal["direct", "onnxruntime", "executorch", "qairt"]
"""How the file reaches the backend."""

Dialect: TypeAlias = Literal["qnn", "onnx", "aten"]
Format: TypeAlias = Literal["onnx", "model", "jsonl", "binpb", "qnn", "pt2"]
