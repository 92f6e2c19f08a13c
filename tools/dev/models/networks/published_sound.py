"""Networks of papers that hear, speak, count and recommend, in small sizes."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from published_vision import conv
from registry import architecture, tokens


def conv1(before: int, after: int, kernel: int = 1, stride: int = 1, groups: int = 1, dilation: int = 1,
          act: nn.Module | None = None) -> nn.Sequential:
    parts: list[nn.Module] = [nn.Conv1d(before, after, kernel, stride, dilation * (kernel // 2), dilation, groups,
                                        bias=False), nn.BatchNorm1d(after)]
    return nn.Sequential(*parts, *([] if act is None else [act]))


class Wavenet(nn.Module):
    """van den Oord et al. 2016."""

    def __init__(self, width=16, dilations=(1, 2, 4, 8)):
        super().__init__()
        self.dilations = dilations
        self.into = nn.Conv1d(1, width, 1)
        self.gates = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=d) for d in dilations)
        self.through = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in dilations)
        self.skips = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in dilations)
        self.out = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, 32, 1))

    def forward(self, x):
        x, total = self.into(x), 0
        for d, gate, through, skip in zip(self.dilations, self.gates, self.through, self.skips):
            a, b = gate(functional.pad(x, (d, 0))).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            total = total + skip(y)
            x = x + through(y)
        return self.out(total)


@architecture
def pub_wavenet():
    return Wavenet(), (torch.randn(1, 1, 128),)


class Temporal(nn.Module):
    """Bai et al. 2018 (TCN): causal, the end cut off."""

    def __init__(self, before: int, after: int, dilation: int):
        super().__init__()
        self.cut = 2 * dilation
        self.first = nn.Conv1d(before, after, 3, padding=self.cut, dilation=dilation)
        self.second = nn.Conv1d(after, after, 3, padding=self.cut, dilation=dilation)
        self.side = nn.Conv1d(before, after, 1) if before != after else nn.Identity()

    def forward(self, x):
        y = functional.relu(self.first(x)[..., :-self.cut])
        y = functional.relu(self.second(y)[..., :-self.cut])
        return functional.relu(y + self.side(x))


@architecture
def pub_tcn():
    class Tcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(*(Temporal(a, 24, d) for a, d in ((6, 1), (24, 2), (24, 4))))
            self.head = nn.Linear(24, 8)

        def forward(self, x):
            return self.head(self.body(x)[:, :, -1])

    return Tcn(), (torch.randn(1, 6, 64),)


class GlobalNorm(nn.Module):
    """Conv-TasNet's norm over time and channels."""

    def __init__(self, width: int):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(1, width, 1)), nn.Parameter(torch.zeros(1, width, 1))

    def forward(self, x):
        mean = x.mean((1, 2), keepdim=True)
        spread = (x - mean).pow(2).mean((1, 2), keepdim=True)
        return self.weight * (x - mean) / (spread + 1e-8).sqrt() + self.bias


@architecture
def pub_conv_tasnet():
    """Luo and Mesgarani 2019: masks for two speakers."""
    class Block(nn.Module):
        def __init__(self, dilation):
            super().__init__()
            self.body = nn.Sequential(nn.Conv1d(16, 32, 1), nn.PReLU(), GlobalNorm(32),
                                      nn.Conv1d(32, 32, 3, 1, dilation, dilation, 32), nn.PReLU(), GlobalNorm(32))
            self.through, self.skip = nn.Conv1d(32, 16, 1), nn.Conv1d(32, 16, 1)

        def forward(self, x):
            y = self.body(x)
            return x + self.through(y), self.skip(y)

    class TasNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = nn.Conv1d(1, 32, 16, 8), nn.ConvTranspose1d(32, 1, 16, 8)
            self.into = nn.Sequential(GlobalNorm(32), nn.Conv1d(32, 16, 1))
            self.blocks = nn.ModuleList(Block(d) for d in (1, 2, 4))
            self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(16, 64, 1), nn.Sigmoid())

        def forward(self, x):
            coded = functional.relu(self.encoder(x))
            y, total = self.into(coded), 0
            for block in self.blocks:
                y, skip = block(y)
                total = total + skip
            first, second = self.masks(total).chunk(2, 1)
            return self.decoder(coded * first), self.decoder(coded * second)

    return TasNet(), (torch.randn(1, 1, 264),)


@architecture
def pub_ds_cnn():
    """Zhang et al. 2017: keywords."""
    parts = [part for _ in range(3) for part in (conv(32, 32, 3, 1, 32, act=nn.ReLU()), conv(32, 32, 1, act=nn.ReLU()))]
    return nn.Sequential(nn.Conv2d(1, 32, (10, 4), 2, (5, 1)), nn.BatchNorm2d(32), nn.ReLU(), *parts,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 12)), (torch.randn(1, 1, 49, 10),)


@architecture
def pub_tc_resnet():
    """Choi et al. 2019: keywords, the frequencies as channels."""
    class Block(nn.Module):
        def __init__(self, before, after):
            super().__init__()
            self.body = nn.Sequential(conv1(before, after, 9, 2, act=nn.ReLU()), conv1(after, after, 9))
            self.side = conv1(before, after, 1, 2, act=nn.ReLU())

        def forward(self, x):
            return functional.relu(self.body(x) + self.side(x))

    return nn.Sequential(nn.Conv1d(40, 16, 3, 1, 1, bias=False), Block(16, 24), Block(24, 32), Block(32, 48),
                         nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(48, 12)), (torch.randn(1, 40, 98),)


@architecture
def pub_bc_resnet():
    """Kim et al. 2021: a part in one dimension, broadcast over the frequencies."""
    class Block(nn.Module):
        def __init__(self, width, dilation):
            super().__init__()
            self.two = nn.Sequential(nn.Conv2d(width, width, (3, 1), 1, (1, 0), groups=width), nn.BatchNorm2d(width))
            self.one = nn.Sequential(nn.Conv2d(width, width, (1, 3), 1, (0, dilation), (1, dilation), width),
                                     nn.BatchNorm2d(width), nn.SiLU(), nn.Conv2d(width, width, 1))

        def forward(self, x):
            y = self.two(x)
            return functional.relu(self.one(y.mean(2, keepdim=True)) + y + x)

    return nn.Sequential(conv(1, 16, 5, (2, 1), act=nn.ReLU()), Block(16, 1), Block(16, 1), conv(16, 24, 1, (2, 1)),
                         Block(24, 2), Block(24, 4), nn.Conv2d(24, 24, 5, 1, (0, 2), groups=24), nn.Conv2d(24, 32, 1),
                         nn.AdaptiveAvgPool2d(1), nn.Conv2d(32, 12, 1), nn.Flatten()), (torch.randn(1, 1, 40, 50),)


@architecture
def pub_quartznet():
    """Kriman et al. 2020."""
    class Block(nn.Module):
        def __init__(self, width, kernel):
            super().__init__()
            self.body = nn.Sequential(nn.Conv1d(width, width, kernel, 1, kernel // 2, groups=width), conv1(
                width, width, act=nn.ReLU()), nn.Conv1d(width, width, kernel, 1, kernel // 2, groups=width), conv1(
                    width, width))
            self.side = conv1(width, width)

        def forward(self, x):
            return functional.relu(self.body(x) + self.side(x))

    return nn.Sequential(conv1(32, 32, 33, 2, 1, act=nn.ReLU()), Block(32, 33), Block(32, 39),
                         conv1(32, 32, 29, groups=32, dilation=2, act=nn.ReLU()), nn.Conv1d(32, 29, 1),
                         nn.LogSoftmax(1)), (torch.randn(1, 32, 96),)


@architecture
def pub_crnn():
    """Shi et al. 2015: a line of text."""
    class Crnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.seen = nn.Sequential(conv(1, 8, act=nn.ReLU()), nn.MaxPool2d(2), conv(8, 16, act=nn.ReLU()),
                                      nn.MaxPool2d(2), conv(16, 24, act=nn.ReLU()), nn.MaxPool2d((2, 1)),
                                      conv(24, 32, act=nn.ReLU()), nn.MaxPool2d((4, 1)))
            self.read, self.head = nn.LSTM(32, 16, bidirectional=True), nn.Linear(32, 37)

        def forward(self, x):
            return self.head(self.read(self.seen(x).squeeze(2).permute(2, 0, 1))[0])

    return Crnn(), (torch.randn(1, 1, 32, 64),)


@architecture
def pub_deepspeech2():
    """Amodei et al. 2016."""
    class DeepSpeech(nn.Module):
        def __init__(self):
            super().__init__()
            act = nn.Hardtanh(0, 20)
            self.seen = nn.Sequential(nn.Conv2d(1, 8, (11, 5), (2, 2), (5, 2)), nn.BatchNorm2d(8), act,
                                      nn.Conv2d(8, 8, (7, 5), (2, 1), (3, 2)), nn.BatchNorm2d(8), act)
            self.heard, self.head = nn.GRU(64, 24), nn.Linear(24, 29)

        def forward(self, x):
            y = self.seen(x)
            return self.head(self.heard(y.flatten(1, 2).permute(2, 0, 1))[0]).log_softmax(-1)

    return DeepSpeech(), (torch.randn(1, 1, 32, 48),)


@architecture
def pub_ecapa_tdnn():
    """Desplanques et al. 2020: speakers, by statistics that attention weighs."""
    class Res2(nn.Module):
        def __init__(self, width, dilation):
            super().__init__()
            self.into, self.out = conv1(width, width, act=nn.ReLU()), conv1(width, width, act=nn.ReLU())
            self.parts = nn.ModuleList(conv1(width // 4, width // 4, 3, dilation=dilation, act=nn.ReLU())
                                       for _ in range(3))
            self.gate = nn.Sequential(nn.Conv1d(width, 8, 1), nn.ReLU(), nn.Conv1d(8, width, 1), nn.Sigmoid())

        def forward(self, x):
            first, *rest = self.into(x).chunk(4, 1)
            kept = [first]
            for part, piece in zip(self.parts, rest):
                kept.append(part(piece if len(kept) == 1 else piece + kept[-1]))
            y = self.out(torch.cat(kept, 1))
            return x + y * self.gate(y.mean(2, keepdim=True))

    class Ecapa(nn.Module):
        def __init__(self):
            super().__init__()
            self.into, self.blocks = conv1(24, 32, 5, act=nn.ReLU()), nn.ModuleList(Res2(32, d) for d in (2, 3, 4))
            self.mix = nn.Sequential(nn.Conv1d(96, 48, 1), nn.ReLU())
            self.weigh = nn.Sequential(nn.Conv1d(144, 16, 1), nn.ReLU(), nn.Tanh(), nn.Conv1d(16, 48, 1), nn.Softmax(2))
            self.head = nn.Sequential(nn.BatchNorm1d(96), nn.Linear(96, 32))

        def forward(self, x):
            kept = [self.into(x)]
            for block in self.blocks:
                kept.append(block(kept[-1]))
            x = self.mix(torch.cat(kept[1:], 1))
            mean = x.mean(2, keepdim=True)
            spread = (x - mean).pow(2).mean(2, keepdim=True).clamp(min=1e-4).sqrt()
            weights = self.weigh(torch.cat([x, mean.expand_as(x), spread.expand_as(x)], 1))
            mean = (x * weights).sum(2)
            spread = ((x * x * weights).sum(2) - mean * mean).clamp(min=1e-4).sqrt()
            return self.head(torch.cat([mean, spread], 1))

    return Ecapa(), (torch.randn(1, 24, 64),)


@architecture
def pub_rnnoise():
    """Valin 2018: gains of bands."""
    class RnNoise(nn.Module):
        def __init__(self):
            super().__init__()
            self.into = nn.Linear(42, 24)
            self.voice, self.noise, self.remove = nn.GRU(24, 24), nn.GRU(90, 48), nn.GRU(114, 96)
            self.active, self.gains = nn.Linear(24, 1), nn.Linear(96, 22)

        def forward(self, x):
            y = torch.tanh(self.into(x))
            voice = self.voice(y)[0]
            noise = torch.relu(self.noise(torch.cat([y, voice, x], -1))[0])
            gains = self.remove(torch.cat([voice, noise, x], -1))[0]
            return torch.sigmoid(self.gains(gains)), torch.sigmoid(self.active(voice))

    return RnNoise(), (torch.randn(12, 1, 42),)


@architecture
def pub_dtln():
    """Westhausen and Meyer 2020: the second of its two cores."""
    class Dtln(nn.Module):
        def __init__(self):
            super().__init__()
            self.into, self.out = nn.Conv1d(128, 48, 1, bias=False), nn.Conv1d(48, 128, 1, bias=False)
            self.norm, self.heard, self.mask = nn.LayerNorm(48), nn.LSTM(48, 32, 2, batch_first=True), nn.Linear(32, 48)

        def forward(self, x):
            coded = self.into(x)
            y = self.heard(self.norm(coded.transpose(1, 2)))[0]
            return self.out(coded * torch.sigmoid(self.mask(y)).transpose(1, 2))

    return Dtln(), (torch.randn(1, 128, 8),)


@architecture
def pub_deepfm():
    """Guo et al. 2017: pairs of features by sums of squares, beside layers."""
    class DeepFm(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.single = nn.Embedding(64, 8), nn.Embedding(64, 1)
            self.deep = nn.Sequential(nn.Linear(80, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

        def forward(self, ids):
            e = self.embed(ids)
            pairs = 0.5 * (e.sum(1).pow(2) - e.pow(2).sum(1)).sum(1, keepdim=True)
            return torch.sigmoid(self.single(ids).sum(1) + pairs + self.deep(e.flatten(1)))

    return DeepFm(), (tokens(10, 64),)


@architecture
def pub_dlrm():
    """Naumov et al. 2019: dot products of all pairs."""
    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(64, 16)
            self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(16 + 21, 32), nn.ReLU(), nn.Linear(32, 1))
            at = torch.tril_indices(7, 7, -1)
            self.register_buffer("pairs", at[0] * 7 + at[1])

        def forward(self, dense, ids):
            x = self.bottom(dense)
            all_ = torch.cat([x.unsqueeze(1), self.embed(ids)], 1)
            dots = torch.bmm(all_, all_.transpose(1, 2)).flatten(1)
            return torch.sigmoid(self.top(torch.cat([x, dots[:, self.pairs]], 1)))

    return Dlrm(), (torch.rand(1, 13), tokens(6, 64))


@architecture
def pub_dcn_v2():
    """Wang et al. 2021: crosses of features, by mixtures of low rank."""
    class Dcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(64, 6)
            self.down = nn.ModuleList(nn.Linear(48, 12, bias=False) for _ in range(2))
            self.up = nn.ModuleList(nn.Linear(12, 48) for _ in range(2))
            self.head = nn.Linear(48, 1)

        def forward(self, ids):
            first = x = self.embed(ids).flatten(1)
            for down, up in zip(self.down, self.up):
                x = first * up(torch.tanh(down(x))) + x
            return torch.sigmoid(self.head(x))

    return Dcn(), (tokens(8, 64),)
