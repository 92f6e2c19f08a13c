"""The networks behind the example models: real architectures, random weights.

Each function returns (module, example inputs, input names). `full` gives the published width and
depth, otherwise a width that keeps the quantized file below a megabyte.
"""

from __future__ import annotations

import torch
from torch import nn


def _randomize_batchnorm(model: nn.Module) -> nn.Module:
    """Gives BatchNorm the statistics of a trained network's magnitude, so that folding shows."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0.0, 0.1)
            module.running_var.uniform_(0.8, 1.2)
            module.weight.data.uniform_(0.9, 1.1)
            module.bias.data.normal_(0.0, 0.1)
    return model


def _randomize_affine(model: nn.Module) -> nn.Module:
    """Gives norms, layer scales and biases values of their own. Fresh ones are all ones and zeros,
    which the exporter stores once for the whole model; trained ones never share a tensor."""
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            with torch.no_grad():
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model


class _ConvBn(nn.Sequential):
    def __init__(self, cin: int, cout: int, kernel: int, stride: int = 1, groups: int = 1,
                 act: type[nn.Module] | None = nn.ReLU6):
        layers = [
            nn.Conv2d(cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(cout),
        ]
        super().__init__(*layers, *([act()] if act else []))


class _InvertedResidual(nn.Module):
    def __init__(self, cin: int, cout: int, stride: int, expand: int):
        super().__init__()
        hidden = cin * expand
        self.skip = stride == 1 and cin == cout
        self.body = nn.Sequential(
            *([_ConvBn(cin, hidden, 1)] if expand != 1 else []),
            _ConvBn(hidden, hidden, 3, stride, groups=hidden),
            _ConvBn(hidden, cout, 1, act=None),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.skip else self.body(x)


class MobileNetV2(nn.Module):
    """Sandler et al. 2018, table 2."""

    _STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
               (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, width: float, classes: int):
        super().__init__()

        def channels(n: int) -> int:
            return max(8, int(n * width + 4) // 8 * 8)

        cin = channels(32)
        layers: list[nn.Module] = [_ConvBn(3, cin, 3, 2)]
        for expand, c, repeat, stride in self._STAGES:
            for i in range(repeat):
                layers.append(_InvertedResidual(cin, channels(c), stride if i == 0 else 1, expand))
                cin = channels(c)
        last = channels(1280)
        layers.append(_ConvBn(cin, last, 1))
        self.features = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(last, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.pool(self.features(x)), 1))


class _BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, cin: int, c: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(_ConvBn(cin, c, 3, stride, act=nn.ReLU),
                                  _ConvBn(c, c, 3, act=None))
        self.down = _ConvBn(cin, c, 1, stride, act=None) if stride != 1 or cin != c else nn.Identity()
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.body(x) + self.down(x))


class _Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, cin: int, c: int, stride: int):
        super().__init__()
        cout = c * self.expansion
        self.body = nn.Sequential(_ConvBn(cin, c, 1, act=nn.ReLU),
                                  _ConvBn(c, c, 3, stride, act=nn.ReLU),
                                  _ConvBn(c, cout, 1, act=None))
        self.down = _ConvBn(cin, cout, 1, stride, act=None) if stride != 1 or cin != cout else nn.Identity()
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.body(x) + self.down(x))


class ResNet(nn.Module):
    """He et al. 2015, table 1; the stride of a bottleneck on its 3x3, as everybody runs it."""

    def __init__(self, block: type, repeats: tuple[int, ...], width: int, classes: int):
        super().__init__()
        self.stem = nn.Sequential(_ConvBn(3, width, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1))
        layers = []
        cin = width
        for stage, repeat in enumerate(repeats):
            for i in range(repeat):
                c = width << stage
                layers.append(block(cin, c, 2 if i == 0 and stage else 1))
                cin = c * block.expansion
        self.stages = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(cin, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(self.pool(self.stages(self.stem(x))), 1))


def mobilenetv2(full: bool):
    net = MobileNetV2(1.0, 1000) if full else MobileNetV2(0.25, 32)
    size = 224 if full else 64
    return _randomize_batchnorm(net).eval(), (torch.rand(1, 3, size, size),), ["image"]


def resnet18(full: bool):
    net = ResNet(_BasicBlock, (2, 2, 2, 2), 64 if full else 12, 1000 if full else 32)
    size = 224 if full else 64
    return _randomize_batchnorm(net).eval(), (torch.rand(1, 3, size, size),), ["image"]


def resnet50(full: bool):
    net = ResNet(_Bottleneck, (3, 4, 6, 3), 64 if full else 8, 1000 if full else 32)
    size = 224 if full else 64
    return _randomize_batchnorm(net).eval(), (torch.rand(1, 3, size, size),), ["image"]


class _First(nn.Module):
    """Only the last hidden state of a transformers model, so that the graph has one output."""

    def __init__(self, model: nn.Module, names: list[str]):
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *args: torch.Tensor) -> torch.Tensor:
        return self.model(**dict(zip(self.names, args)), return_dict=True).last_hidden_state


def dinov2_with_registers(full: bool):
    from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

    size = 224 if full else 56
    config = Dinov2WithRegistersConfig(
        hidden_size=384 if full else 64, num_hidden_layers=12 if full else 3,
        num_attention_heads=6 if full else 4, image_size=size, patch_size=14,
        num_register_tokens=4, attn_implementation="eager")
    model = _randomize_affine(Dinov2WithRegistersModel(config))
    return _First(model, ["pixel_values"]).eval(), (
        torch.rand(1, 3, size, size),), ["pixel_values"]


def bert(full: bool):
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=30522 if full else 512, hidden_size=768 if full else 64,
        num_hidden_layers=12 if full else 2, num_attention_heads=12 if full else 4,
        intermediate_size=3072 if full else 256, max_position_embeddings=512 if full else 64,
        attn_implementation="eager")
    tokens = 128 if full else 32
    ids = torch.randint(0, config.vocab_size, (1, tokens))
    return _First(BertModel(config, add_pooling_layer=False), ["input_ids", "attention_mask"]).eval(), (
        ids, torch.ones(1, tokens, dtype=torch.int64)), ["input_ids", "attention_mask"]


def llama_block(full: bool):
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        vocab_size=32, hidden_size=2048 if full else 64, intermediate_size=8192 if full else 176,
        num_hidden_layers=1, num_attention_heads=32 if full else 4,
        num_key_value_heads=8 if full else 2, use_cache=False, attn_implementation="eager")
    tokens = 128 if full else 32
    model = _randomize_affine(LlamaModel(config))
    return _First(model, ["inputs_embeds"]).eval(), (
        torch.randn(1, tokens, config.hidden_size),), ["inputs_embeds"]


NETS = {
    "mobilenetv2": mobilenetv2,
    "resnet18": resnet18,
    "resnet50": resnet50,
    "dinov2_with_registers": dinov2_with_registers,
    "bert": bert,
    "llama_block": llama_block,
}
