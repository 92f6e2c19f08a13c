"""The architectures by name: make(name) -> (module, example inputs).

A maker is a function under @architecture; it returns a module with random weights, in a small size,
and the tensors it is called with. What all of them share is done here: a seed, weights and
statistics like those of a trained network, outputs as a flat tuple of tensors.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator

import torch
from torch import nn

import stand_ins

Tensors = tuple[torch.Tensor, ...]
SEED = 2026
MAKERS: dict[str, Callable[[], tuple[nn.Module, Tensors]]] = {}
MODULES = {"tv": ("torchvision_nets",), "timm": ("timm_nets", "timm_more"), "ul": ("ultralytics_nets",),
           "hf": ("hf_encoders", "hf_decoders", "hf_recurrent", "hf_speech", "hf_vision", "hf_scenes", "hf_more"),
           "pub": ("published_vision", "published_sound", "published_others")}


def architecture(maker):
    MAKERS[maker.__name__] = maker
    return maker


def image(size: int = 64, channels: int = 3, width: int | None = None) -> torch.Tensor:
    """Like a normalized photograph: smooth, and not in the range 0 to 1."""
    coarse = torch.randn(1, channels, max(size // 8, 2), max((width or size) // 8, 2))
    smooth = nn.functional.interpolate(coarse, (size, width or size), mode="bilinear")
    return smooth + 0.3 * torch.randn(1, channels, size, width or size)


def tokens(length: int, vocabulary: int, batch: int = 1) -> torch.Tensor:
    return torch.randint(0, vocabulary, (batch, length))


def flat(value) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from flat(part)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from flat(part)


class Flat(nn.Module):
    """A network called with tensors alone: `call(net, *tensors)`, what it returns is flattened."""

    def __init__(self, net: nn.Module, call=None):
        super().__init__()
        self.net = net
        self._call = call or (lambda net, *given: net(*given))

    def forward(self, *given: torch.Tensor) -> Tensors:
        return tuple(flat(self._call(self.net, *given)))


def _trained_looks(net: nn.Module) -> None:
    """Fresh norms, biases and layer scales are ones and zeros; trained ones are not."""
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if not parameter.is_floating_point():
                continue
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
            elif parameter.numel() and parameter.abs().max() == 0:
                parameter.normal_(0.0, 0.05)


def _statistics(net: nn.Module, given: Tensors) -> None:
    """BatchNorm's statistics, from the inputs: with fresh ones random networks explode or vanish."""
    norms = [m for m in net.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    with torch.no_grad():
        for norm in norms:
            norm.momentum = 0.5
            if norm.affine:  # Trained BatchNorm has some weights below 0.
                norm.weight.normal_(1.0, 0.35)
        first = len(given[0])
        for seed in range(4):
            torch.manual_seed(SEED + seed)
            more = [t for _ in range(3) for t in [sample(given, SEED + 10 * seed + _)]]
            batch = tuple(torch.cat([m[i] for m in more]) if t.dim() and len(t) == first else t
                          for i, t in enumerate(given))
            for norm in norms:
                norm.train()
            try:
                net(*batch)
            except (RuntimeError, ValueError):  # a shape that is fixed to a batch of 1
                net(*given)
            for norm in norms:
                norm.eval()


def sample(given: Tensors, seed: int) -> Tensors:
    """Other inputs of the same kind: numbers of the same mean and spread, tokens of the same range."""
    maker = torch.Generator().manual_seed(seed)
    result = []
    for tensor in given:
        if tensor.dtype == torch.bool or tensor.numel() == 0 or (tensor == tensor.flatten()[0]).all():
            result.append(tensor)
        elif tensor.is_floating_point() and tensor.dim() == 4 and min(tensor.shape[2:]) >= 16:
            coarse = torch.randn(*tensor.shape[:2], tensor.shape[2] // 8, tensor.shape[3] // 8, generator=maker)
            smooth = nn.functional.interpolate(coarse, tensor.shape[2:], mode="bilinear")
            other = smooth + 0.3 * torch.randn(tensor.shape, generator=maker)
            other = (other - other.mean()) / other.std() * tensor.std() + tensor.mean()
            result.append(other.clamp(tensor.min(), tensor.max()).to(tensor.dtype))
        elif tensor.is_floating_point():
            other = tensor.mean() + tensor.std() * torch.randn(tensor.shape, generator=maker)
            result.append(other.clamp(tensor.min(), tensor.max()).to(tensor.dtype))
        elif tensor.dim() and torch.equal(tensor.flatten(), torch.arange(tensor.numel()) + tensor.flatten()[0]):
            result.append(tensor)  # positions
        else:
            low, high = int(tensor.min()), int(tensor.max())
            result.append(torch.randint(low, high + 1, tensor.shape, generator=maker, dtype=tensor.dtype))
    return tuple(result)


def load(name: str) -> None:
    """Registers the makers of a name's library."""
    stand_ins.install()
    for module in MODULES[name.split("_")[0]]:
        importlib.import_module(module)


def make(name: str, seed: int = SEED) -> tuple[nn.Module, Tensors]:
    load(name)
    torch.manual_seed(seed)
    net, given = MAKERS[name]()
    if not isinstance(net, Flat):
        net = Flat(net)
    net.eval().requires_grad_(False)
    _trained_looks(net)
    _statistics(net, given)
    return net.eval(), given
