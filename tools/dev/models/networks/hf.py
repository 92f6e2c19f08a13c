"""What the makers of transformers' networks share: a small configuration, a call with tensors alone."""

from __future__ import annotations

import torch
import transformers
from torch import nn

from registry import Flat, Tensors, image, tokens

VOCABULARY = 96
WIDTH, LAYERS, HEADS, LENGTH = 48, 2, 4, 16
# The names that most encoders give these; a configuration ignores what it doesn't know.
SMALL = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
         "num_attention_heads": HEADS, "intermediate_size": 2 * WIDTH, "max_position_embeddings": 64,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def network(kind: str, config: str, *, attention: str | None = "eager", **settings) -> nn.Module:
    """A model class of transformers with random weights."""
    # Published networks are wide: with their spread of weights a narrow one would compute nothing.
    settings = {"initializer_range": 0.12, "init_std": 0.12} | settings
    configuration = getattr(transformers, config)(**settings)
    if attention:
        configuration._attn_implementation = attention
    for part in vars(configuration).values():
        if attention and isinstance(part, transformers.PretrainedConfig):
            part._attn_implementation = attention
    return getattr(transformers, kind)(configuration)


def plain(net: nn.Module, *names: str, **fixed) -> Flat:
    """Called with tensors under these names."""
    def call(net, *given):
        return net(**dict(zip(names, given)), **fixed, return_dict=False)

    return Flat(net, call)


def detector(net: nn.Module) -> tuple[nn.Module, Tensors]:
    """With an image and a mask of all of it; logits and boxes."""
    def call(net, x):
        out = net(x, pixel_mask=torch.ones(1, 64, 64, dtype=torch.long))
        return out.logits, out.pred_boxes

    return Flat(net, call), (image(),)


def token_inputs(length: int = LENGTH, vocabulary: int = VOCABULARY) -> Tensors:
    return (tokens(length, vocabulary),)


class Cached(nn.Module):
    """One step of a decoder: the new token, its mask, and the cache of every layer, in and out."""

    def __init__(self, net: nn.Module, layers: int):
        super().__init__()
        self.net, self.layers = net, layers

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, position: torch.Tensor,
                *pairs: torch.Tensor) -> list[torch.Tensor]:
        cache = transformers.DynamicCache()
        for i in range(self.layers):
            cache.update(pairs[2 * i], pairs[2 * i + 1], i)
        given = {"position_ids": position} if position.numel() else {}
        out = self.net(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True, **given)
        new = out.past_key_values
        return [out.logits, *(t for layer in new.layers for t in (layer.keys, layer.values))]


def cached(net: nn.Module, heads: int, head: int, past: int = 15) -> tuple[nn.Module, Tensors]:
    """A step with `past` tokens in the cache; the mask is additive, as deployed decoders have it."""
    mask = torch.zeros(1, 1, 1, past + 1)
    mask[..., :2] = -100.0
    pairs = [torch.randn(1, heads, past, head) for _ in range(2 * LAYERS)]
    position = torch.full((1, 1), past)
    return Cached(net, LAYERS), (tokens(1, VOCABULARY), mask, position, *pairs)
