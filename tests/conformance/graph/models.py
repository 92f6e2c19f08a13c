"""The models that quantgate's findings are compared with the provider's doings on."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx

import nets

VIT = {"dinov2_1028": (1, 1028), "dinov2_4x257": (4, 257)}
EXCLUDED = {
    "whole": (),
    "no_norm1": ("norm1",),
    "no_add1": ("add1",),
    "no_gelu": ("mlp.gelu",),
    "no_softmax": ("attn.softmax",),
    "no_attention": ("attn.",),
}


def names() -> list[str]:
    vit = [f"{shape}_{bits}a8w_{part}" for shape in VIT for bits in (8, 16) for part in EXCLUDED]
    return vit + [f"llama_kv_{bits}a8w" for bits in (8, 16)]


def make(name: str) -> onnx.ModelProto:
    bits = 16 if "_16a8w" in name else 8
    with tempfile.TemporaryDirectory() as folder:
        if name.startswith("llama"):
            return nets.quantize(nets.llama_block(), Path(folder), bits)
        shape, part = name.split(f"_{bits}a8w_")
        return nets.quantize(nets.vit_block(*VIT[shape]), Path(folder), bits, EXCLUDED[part])
