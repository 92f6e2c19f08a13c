"""Networks of papers that see and draw, in small sizes: restoration, segmentation, detection, generation."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from registry import architecture, image


def conv(before: int, after: int, kernel: int = 3, stride: int = 1, groups: int = 1, dilation: int = 1,
         act: nn.Module | None = None, norm: bool = True) -> nn.Sequential:
    parts: list[nn.Module] = [nn.Conv2d(before, after, kernel, stride, dilation * (kernel // 2), dilation, groups,
                                        bias=not norm)]
    if norm:
        parts.append(nn.BatchNorm2d(after))
    if act is not None:
        parts.append(act)
    return nn.Sequential(*parts)


class Unet(nn.Module):
    """Ronneberger et al. 2015."""

    def __init__(self, widths=(8, 16, 24, 32)):
        super().__init__()
        double = [nn.Sequential(conv(a, b, act=nn.ReLU()), conv(b, b, act=nn.ReLU()))
                  for a, b in zip((3, *widths), widths)]
        self.down = nn.ModuleList(double)
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.merge = nn.ModuleList(conv(2 * a, a, act=nn.ReLU()) for a in widths[:-1])
        self.head = nn.Conv2d(widths[0], 4, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else functional.max_pool2d(x, 2))
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([kept[i], self.up[i](x)], 1))
        return self.head(x)


@architecture
def pub_unet():
    return Unet(), (image(),)


class DnCnn(nn.Module):
    """Zhang et al. 2017: predicts the noise."""

    def __init__(self, width=24, depth=4):
        super().__init__()
        body = [conv(width, width, act=nn.ReLU()) for _ in range(depth)]
        self.body = nn.Sequential(nn.Conv2d(1, width, 3, 1, 1), nn.ReLU(), *body, nn.Conv2d(width, 1, 3, 1, 1))

    def forward(self, x):
        return x - self.body(x)


@architecture
def pub_dncnn():
    return DnCnn(), (image(32, channels=1),)


@architecture
def pub_fsrcnn():
    """Dong et al. 2016."""
    body = [part for _ in range(3) for part in (nn.Conv2d(8, 8, 3, 1, 1), nn.PReLU(8))]
    return nn.Sequential(nn.Conv2d(1, 24, 5, 1, 2), nn.PReLU(24), nn.Conv2d(24, 8, 1), nn.PReLU(8), *body,
                         nn.Conv2d(8, 24, 1), nn.PReLU(24), nn.ConvTranspose2d(24, 1, 9, 2, 4, 1)), (
                             image(32, channels=1),)


@architecture
def pub_espcn():
    """Shi et al. 2016."""
    return nn.Sequential(nn.Conv2d(1, 32, 5, 1, 2), nn.Tanh(), nn.Conv2d(32, 16, 3, 1, 1), nn.Tanh(),
                         nn.Conv2d(16, 9, 3, 1, 1), nn.PixelShuffle(3)), (image(32, channels=1),)


class Residual(nn.Module):
    def __init__(self, *body: nn.Module, scale: float = 1.0):
        super().__init__()
        self.body, self.scale = nn.Sequential(*body), scale

    def forward(self, x):
        return x + self.body(x) * self.scale if self.scale != 1.0 else x + self.body(x)


@architecture
def pub_edsr():
    """Lim et al. 2017."""
    blocks = [Residual(nn.Conv2d(24, 24, 3, 1, 1), nn.ReLU(), nn.Conv2d(24, 24, 3, 1, 1), scale=0.1) for _ in range(3)]
    return nn.Sequential(nn.Conv2d(3, 24, 3, 1, 1), Residual(*blocks, nn.Conv2d(24, 24, 3, 1, 1)),
                         nn.Conv2d(24, 96, 3, 1, 1), nn.PixelShuffle(2), nn.Conv2d(24, 3, 3, 1, 1)), (image(32),)


class ChannelAttention(nn.Module):
    def __init__(self, width: int, by: int = 4):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width // by, 1), nn.ReLU(),
                                  nn.Conv2d(width // by, width, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.gate(x)


@architecture
def pub_rcan():
    """Zhang et al. 2018."""
    def block():
        return Residual(nn.Conv2d(24, 24, 3, 1, 1), nn.ReLU(), nn.Conv2d(24, 24, 3, 1, 1), ChannelAttention(24))

    groups = [Residual(block(), block(), nn.Conv2d(24, 24, 3, 1, 1)) for _ in range(2)]
    return nn.Sequential(nn.Conv2d(3, 24, 3, 1, 1), Residual(*groups, nn.Conv2d(24, 24, 3, 1, 1)),
                         nn.Conv2d(24, 96, 3, 1, 1), nn.PixelShuffle(2), nn.Conv2d(24, 3, 3, 1, 1)), (image(32),)


class ChannelNorm(nn.Module):
    """A LayerNorm over the channels of a picture."""

    def __init__(self, width: int):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        spread = (x - mean).pow(2).mean(1, keepdim=True)
        x = (x - mean) / (spread + 1e-6).sqrt()
        return x * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)


class NafBlock(nn.Module):
    """Chen et al. 2022: gates instead of activations."""

    def __init__(self, width: int):
        super().__init__()
        self.first = nn.Sequential(ChannelNorm(width), nn.Conv2d(width, 2 * width, 1),
                                   nn.Conv2d(2 * width, 2 * width, 3, 1, 1, groups=2 * width))
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width, 1))
        self.second = nn.Conv2d(width, width, 1)
        self.third = nn.Sequential(ChannelNorm(width), nn.Conv2d(width, 2 * width, 1))
        self.last = nn.Conv2d(width, width, 1)

    def forward(self, x):
        a, b = self.first(x).chunk(2, 1)
        y = a * b
        x = x + self.second(y * self.gate(y))
        a, b = self.third(x).chunk(2, 1)
        return x + self.last(a * b)


@architecture
def pub_nafnet():
    class NafNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.intro, self.down = nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 32, 2, 2)
            self.first, self.middle, self.after = NafBlock(16), NafBlock(32), NafBlock(16)
            self.up = nn.Sequential(nn.Conv2d(32, 64, 1, bias=False), nn.PixelShuffle(2))
            self.end = nn.Conv2d(16, 3, 3, 1, 1)

        def forward(self, x):
            kept = self.first(self.intro(x))
            return x + self.end(self.after(self.up(self.middle(self.down(kept))) + kept))

    return NafNet(), (image(32),)


class TransposedAttention(nn.Module):
    """Zamir et al. 2022 (Restormer): attention over channels."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.temperature = heads, nn.Parameter(torch.ones(heads, 1, 1))
        self.qkv = nn.Sequential(nn.Conv2d(width, 3 * width, 1), nn.Conv2d(3 * width, 3 * width, 3, 1, 1,
                                                                           groups=3 * width))
        self.out = nn.Conv2d(width, width, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (t.reshape(b, self.heads, c // self.heads, h * w) for t in self.qkv(x).chunk(3, 1))
        q, k = functional.normalize(q, dim=-1), functional.normalize(k, dim=-1)
        weights = (q @ k.transpose(-2, -1) * self.temperature).softmax(-1)
        return self.out((weights @ v).reshape(b, c, h, w))


class GatedConvolutions(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.into = nn.Sequential(nn.Conv2d(width, 4 * width, 1), nn.Conv2d(4 * width, 4 * width, 3, 1, 1,
                                                                            groups=4 * width))
        self.out = nn.Conv2d(2 * width, width, 1)

    def forward(self, x):
        a, b = self.into(x).chunk(2, 1)
        return self.out(functional.gelu(a) * b)


@architecture
def pub_restormer():
    def block(width, heads):
        return nn.Sequential(Residual(ChannelNorm(width), TransposedAttention(width, heads)),
                             Residual(ChannelNorm(width), GatedConvolutions(width)))

    return Residual(nn.Conv2d(3, 16, 3, 1, 1), block(16, 1), nn.Conv2d(16, 8, 3, 1, 1), nn.PixelUnshuffle(2),
                    block(32, 2), nn.Conv2d(32, 64, 3, 1, 1), nn.PixelShuffle(2), nn.Conv2d(16, 3, 3, 1, 1)), (
                        image(32),)


@architecture
def pub_zero_dce():
    """Guo et al. 2020: light curves, applied again and again."""
    class ZeroDce(nn.Module):
        def __init__(self):
            super().__init__()
            self.into = nn.ModuleList(nn.Conv2d(a, 16, 3, 1, 1) for a in (3, 16, 16))
            self.out = nn.ModuleList(nn.Conv2d(32, b, 3, 1, 1) for b in (16, 12))

        def forward(self, x):
            kept = []
            y = x
            for part in self.into:
                y = functional.relu(part(y))
                kept.append(y)
            y = functional.relu(self.out[0](torch.cat([kept[1], kept[2]], 1)))
            for curve in torch.tanh(self.out[1](torch.cat([kept[0], y], 1))).split(3, 1):
                x = x + curve * (torch.pow(x, 2) - x)
            return x

    return ZeroDce(), (image(32).sigmoid(),)


class Shuffled(nn.Module):
    """U^2-Net's residual block of U shape (Qin et al. 2020)."""

    def __init__(self, before: int, middle: int, after: int):
        super().__init__()
        act = nn.ReLU
        self.into = conv(before, after, act=act())
        self.down = nn.ModuleList([conv(after, middle, act=act()), conv(middle, middle, act=act()),
                                   conv(middle, middle, dilation=2, act=act())])
        self.up = nn.ModuleList([conv(2 * middle, after, act=act()), conv(2 * middle, middle, act=act())])

    def forward(self, x):
        x = self.into(x)
        a = self.down[0](x)
        b = self.down[1](functional.max_pool2d(a, 2, 2, ceil_mode=True))
        c = self.up[1](torch.cat([self.down[2](b), b], 1))
        c = functional.interpolate(c, size=a.shape[2:], mode="bilinear", align_corners=False)
        return self.up[0](torch.cat([c, a], 1)) + x


@architecture
def pub_u2net():
    class U2Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = Shuffled(3, 8, 16), Shuffled(16, 8, 24), Shuffled(40, 8, 16)
            self.sides = nn.ModuleList([nn.Conv2d(16, 1, 3, 1, 1), nn.Conv2d(24, 1, 3, 1, 1)])
            self.out = nn.Conv2d(2, 1, 1)

        def forward(self, x):
            a = self.first(x)
            b = self.second(functional.max_pool2d(a, 2))
            size = a.shape[2:]
            wide = functional.interpolate(b, size=size, mode="bilinear", align_corners=False)
            c = self.third(torch.cat([wide, a], 1))
            side = functional.interpolate(self.sides[1](b), size=size, mode="bilinear", align_corners=False)
            return torch.sigmoid(self.out(torch.cat([self.sides[0](c), side], 1)))

    return U2Net(), (image(),)


def _separable(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(conv(before, before, 3, stride, before, act=nn.ReLU()), conv(before, after, 1, act=nn.ReLU()))


@architecture
def pub_fast_scnn():
    """Poudel et al. 2019."""
    class FastScnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.learn = nn.Sequential(conv(3, 8, 3, 2, act=nn.ReLU()), _separable(8, 12, 2), _separable(12, 16, 2))
            self.deep = nn.Sequential(conv(16, 64, 1, act=nn.ReLU()), conv(64, 64, 3, 2, 64, act=nn.ReLU()),
                                      conv(64, 32, 1), Residual(conv(32, 96, 1, act=nn.ReLU()),
                                                                conv(96, 96, 3, 1, 96, act=nn.ReLU()), conv(96, 32, 1)))
            self.pools = nn.ModuleList(nn.Sequential(nn.AdaptiveAvgPool2d(s), conv(32, 8, 1, act=nn.ReLU()))
                                       for s in (1, 2, 4))
            self.mix = conv(32 + 24, 32, 1, act=nn.ReLU())
            self.low, self.high = nn.Sequential(conv(32, 32, 3, 1, 32, act=nn.ReLU()), nn.Conv2d(32, 32, 1)), nn.Conv2d(
                16, 32, 1)
            self.head = nn.Sequential(_separable(32, 32), nn.Conv2d(32, 8, 1))

        def forward(self, x):
            high = self.learn(x)
            low = self.deep(high)
            pools = [functional.interpolate(p(low), low.shape[2:], mode="bilinear", align_corners=True)
                     for p in self.pools]
            low = self.mix(torch.cat([low, *pools], 1))
            low = functional.interpolate(low, scale_factor=2.0, mode="bilinear", align_corners=True)
            y = self.head(functional.relu(self.low(low) + self.high(high)))
            return functional.interpolate(y, x.shape[2:], mode="bilinear", align_corners=True)

    return FastScnn(), (image(),)


class Bottleneck(nn.Module):
    """ENet's (Paszke et al. 2016), without unpooling."""

    def __init__(self, width: int, middle: nn.Module):
        super().__init__()
        self.body = nn.Sequential(conv(width, width // 4, 1, act=nn.PReLU(width // 4)), middle,
                                  conv(width // 4, width, 1))
        self.act = nn.PReLU(width)

    def forward(self, x):
        return self.act(x + self.body(x))


@architecture
def pub_enet():
    def sides():
        return nn.Sequential(nn.Conv2d(8, 8, (5, 1), 1, (2, 0), bias=False), nn.Conv2d(8, 8, (1, 5), 1, (0, 2)),
                             nn.BatchNorm2d(8), nn.PReLU(8))

    class Enet(nn.Module):
        def __init__(self):
            super().__init__()
            self.start, self.down = nn.Conv2d(3, 13, 3, 2, 1), conv(16, 32, 2, 2, act=nn.PReLU(32))
            self.body = nn.Sequential(*(Bottleneck(32, conv(8, 8, dilation=d, act=nn.PReLU(8))) for d in (1, 2)),
                                      Bottleneck(32, sides()), Bottleneck(32, conv(8, 8, dilation=4, act=nn.PReLU(8))))
            self.up = nn.Sequential(nn.ConvTranspose2d(32, 16, 3, 2, 1, 1), nn.BatchNorm2d(16), nn.PReLU(16),
                                    nn.ConvTranspose2d(16, 8, 2, 2))

        def forward(self, x):
            x = torch.cat([self.start(x), functional.max_pool2d(x, 2)], 1)
            return self.up(self.body(self.down(x)))

    return Enet(), (image(),)
