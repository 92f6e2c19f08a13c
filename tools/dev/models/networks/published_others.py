"""Networks of papers for points, graphs, series, scenes and pictures made of noise, in small sizes."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from published_vision import Residual, conv
from registry import architecture, image, tokens


@architecture
def pub_pointnet():
    """Qi et al. 2017, with its transform of the input."""
    def shared(*widths):
        return nn.Sequential(*(part for a, b in zip(widths, widths[1:])
                               for part in (nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU())))

    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.turn = shared(3, 16, 32)
            self.matrix = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 9))
            self.body = shared(3, 16, 24, 48)
            self.head = nn.Sequential(nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 10))

        def forward(self, x):
            matrix = self.matrix(self.turn(x).max(2)[0]).view(-1, 3, 3) + torch.eye(3)
            x = torch.bmm(x.transpose(1, 2), matrix).transpose(1, 2)
            return self.head(self.body(x).max(2)[0]).log_softmax(1)

    return PointNet(), (torch.randn(1, 3, 64),)


@architecture
def pub_mobilefacenet():
    """Chen et al. 2018."""
    def block(width):
        return Residual(conv(width, 2 * width, 1, act=nn.PReLU(2 * width)),
                        conv(2 * width, 2 * width, 3, 1, 2 * width, act=nn.PReLU(2 * width)), conv(2 * width, width, 1))

    class Face(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(conv(3, 16, 3, 2, act=nn.PReLU(16)), conv(16, 16, 3, 1, 16, act=nn.PReLU(16)),
                                      conv(16, 32, 3, 2, act=nn.PReLU(32)), block(32), block(32),
                                      conv(32, 64, 1, act=nn.PReLU(64)))
            self.whole = nn.Sequential(nn.Conv2d(64, 64, 16, groups=64, bias=False), nn.BatchNorm2d(64),
                                       nn.Conv2d(64, 32, 1, bias=False), nn.BatchNorm2d(32), nn.Flatten())

        def forward(self, x):
            return functional.normalize(self.whole(self.body(x)))

    return Face(), (image(),)


@architecture
def pub_blazeface():
    """Bazarevsky et al. 2019: channels padded where blocks widen."""
    class Blaze(nn.Module):
        def __init__(self, before, after, stride=1):
            super().__init__()
            self.stride, self.more = stride, after - before
            self.body = nn.Sequential(nn.Conv2d(before, before, 5, stride, 2, groups=before),
                                      nn.Conv2d(before, after, 1))

        def forward(self, x):
            y = functional.max_pool2d(x, 2) if self.stride == 2 else x
            y = functional.pad(y, (0, 0, 0, 0, 0, self.more)) if self.more else y
            return functional.relu(self.body(x) + y)

    class Face(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 16, 5, 2, 2), nn.ReLU(), Blaze(16, 16), Blaze(16, 24),
                                      Blaze(24, 32, 2), Blaze(32, 32), Blaze(32, 48, 2))
            self.scores, self.boxes = nn.Conv2d(48, 2, 1), nn.Conv2d(48, 32, 1)

        def forward(self, x):
            y = self.body(x)
            scores, boxes = self.scores(y).permute(0, 2, 3, 1), self.boxes(y).permute(0, 2, 3, 1)
            return torch.sigmoid(scores.reshape(1, -1, 1)), boxes.reshape(1, -1, 16)

    return Face(), (image(),)


@architecture
def pub_centernet():
    """Zhou et al. 2019: peaks of a heat map."""
    class CenterNet(nn.Module):
        def __init__(self):
            super().__init__()
            act = nn.ReLU()
            self.body = nn.Sequential(conv(3, 16, 3, 2, act=act), conv(16, 24, 3, 2, act=act),
                                      conv(24, 32, 3, 2, act=act))
            self.up = nn.Sequential(nn.ConvTranspose2d(32, 24, 4, 2, 1), nn.BatchNorm2d(24), act)
            self.heads = nn.ModuleList(nn.Sequential(nn.Conv2d(24, 16, 3, 1, 1), act, nn.Conv2d(16, n, 1))
                                       for n in (4, 2, 2))

        def forward(self, x):
            y = self.up(self.body(x))
            heat, size, offset = (head(y) for head in self.heads)
            heat = torch.sigmoid(heat)
            peaks = heat * (functional.max_pool2d(heat, 3, 1, 1) == heat).float()
            scores, at = peaks.flatten(1).topk(16)
            at = (at % (16 * 16)).unsqueeze(1).expand(-1, 2, -1)
            return scores, size.flatten(2).gather(2, at), offset.flatten(2).gather(2, at)

    return CenterNet(), (image(),)


@architecture
def pub_hourglass():
    """Newell et al. 2016."""
    def block():
        return Residual(conv(24, 12, 1, act=nn.ReLU()), conv(12, 12, act=nn.ReLU()), conv(12, 24, 1))

    class Hourglass(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(conv(3, 24, 7, 2, act=nn.ReLU()), nn.MaxPool2d(2))
            self.side, self.down, self.up = (nn.ModuleList(block() for _ in range(3)) for _ in range(3))
            self.middle, self.heat = block(), nn.Conv2d(24, 8, 1)

        def inner(self, x, depth):
            y = self.down[depth](functional.max_pool2d(x, 2))
            y = self.inner(y, depth + 1) if depth < 2 else self.middle(y)
            return self.side[depth](x) + functional.interpolate(self.up[depth](y), scale_factor=2)

        def forward(self, x):
            return self.heat(self.inner(self.stem(x), 0))

    return Hourglass(), (image(),)


@architecture
def pub_gcn():
    """Kipf and Welling 2017, with a dense, normalized adjacency."""
    class Gcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(16, 24), nn.Linear(24, 7)

        def forward(self, x, links):
            links = links + torch.eye(20)
            degree = links.sum(-1).pow(-0.5)
            links = degree.unsqueeze(-1) * links * degree.unsqueeze(-2)
            return (links @ self.second(torch.relu(links @ self.first(x)))).log_softmax(-1)

    links = (torch.rand(1, 20, 20) < 0.2).float()
    return Gcn(), (torch.randn(1, 20, 16), torch.maximum(links, links.transpose(1, 2)))


@architecture
def pub_gat():
    """Velickovic et al. 2018, dense."""
    class Gat(nn.Module):
        def __init__(self):
            super().__init__()
            self.into, self.out = nn.Linear(16, 32, bias=False), nn.Linear(32, 7)
            self.source, self.target = nn.Parameter(torch.randn(4, 8, 1)), nn.Parameter(torch.randn(4, 8, 1))

        def forward(self, x, links):
            h = self.into(x).view(1, 20, 4, 8).permute(0, 2, 1, 3)
            scores = functional.leaky_relu(h @ self.source + (h @ self.target).transpose(2, 3), 0.2)
            weights = scores.masked_fill(links.unsqueeze(1) == 0, -100.0).softmax(-1)
            return self.out(functional.elu((weights @ h).transpose(1, 2).reshape(1, 20, 32)))

    links = (torch.rand(1, 20, 20) < 0.3).float()
    return Gat(), (torch.randn(1, 20, 16), torch.maximum(links, torch.eye(20).unsqueeze(0)))


@architecture
def pub_stgcn():
    """Yan et al. 2018: skeletons over time."""
    class StGcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("links", torch.rand(3, 14, 14).softmax(-1))
            self.weigh = nn.ParameterList(nn.Parameter(torch.ones(3, 14, 14)) for _ in range(2))
            self.space = nn.ModuleList(nn.Conv2d(a, 3 * b, 1) for a, b in ((3, 16), (16, 24)))
            self.time = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, (9, 1), 1, (4, 0)),
                                                    nn.BatchNorm2d(b)) for b in (16, 24))
            self.head = nn.Conv2d(24, 10, 1)

        def forward(self, x):
            for weigh, space, time in zip(self.weigh, self.space, self.time):
                y = space(x)
                y = y.view(1, 3, -1, *y.shape[2:])
                x = functional.relu(time(torch.einsum("nkctv,kvw->nctw", y, self.links * weigh)))
            return self.head(x.mean((2, 3), keepdim=True)).flatten(1)

    return StGcn(), (torch.randn(1, 3, 16, 14),)


@architecture
def pub_nbeats():
    """Oreshkin et al. 2020."""
    class Beats(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(32, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(),
                                                      nn.Linear(48, 40)) for _ in range(3))

        def forward(self, x):
            total = 0
            for block in self.blocks:
                back, ahead = block(x).split((32, 8), 1)
                x, total = torch.relu(x - back), total + ahead
            return total

    return Beats(), (torch.randn(1, 32),)


@architecture
def pub_dlinear():
    """Zeng et al. 2023: the trend is a moving average over repeated ends."""
    class DLinear(nn.Module):
        def __init__(self):
            super().__init__()
            self.season, self.trend = nn.Linear(48, 16), nn.Linear(48, 16)

        def forward(self, x):
            x = x.transpose(1, 2)
            trend = functional.avg_pool1d(functional.pad(x, (6, 6), mode="replicate"), 13, 1)
            return (self.season(x - trend) + self.trend(trend)).transpose(1, 2)

    return DLinear(), (torch.randn(1, 48, 7),)


@architecture
def pub_tsmixer():
    """Chen et al. 2023."""
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.LayerNorm(8), nn.LayerNorm(8)
            self.time, self.features = nn.Linear(32, 32), nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8))

        def forward(self, x):
            x = x + torch.relu(self.time(self.first(x).transpose(1, 2))).transpose(1, 2)
            return x + self.features(self.second(x))

    class TsMixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Sequential(Mix(), Mix()), nn.Linear(32, 12)

        def forward(self, x):
            return self.head(self.body(x).transpose(1, 2)).transpose(1, 2)

    return TsMixer(), (torch.randn(1, 32, 8),)


class Waves(nn.Module):
    """Sines and cosines of powers of two, of places (Mildenhall et al. 2020) or steps."""

    def __init__(self, count: int):
        super().__init__()
        self.register_buffer("rates", math.pi * 2.0 ** torch.arange(count))

    def forward(self, x):
        at = (x.unsqueeze(-1) * self.rates).flatten(-2)
        return torch.cat([x, torch.sin(at), torch.cos(at)], -1)


@architecture
def pub_nerf():
    class Nerf(nn.Module):
        def __init__(self):
            super().__init__()
            self.place, self.look = Waves(4), Waves(2)
            self.first = nn.Sequential(nn.Linear(27, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
            self.second = nn.Sequential(nn.Linear(75, 48), nn.ReLU())
            self.dense, self.colour = nn.Linear(48, 1), nn.Sequential(nn.Linear(63, 24), nn.ReLU(), nn.Linear(24, 3),
                                                                      nn.Sigmoid())

        def forward(self, x, d):
            x = self.place(x)
            y = self.second(torch.cat([x, self.first(x)], -1))
            return torch.relu(self.dense(y)), self.colour(torch.cat([y, self.look(d)], -1))

    return Nerf(), (torch.rand(64, 3) * 2 - 1, functional.normalize(torch.randn(64, 3)))


@architecture
def pub_siren():
    """Sitzmann et al. 2020: sines as activations."""
    class Siren(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(a, 32) for a in (2, 32, 32))
            self.out = nn.Linear(32, 3)

        def forward(self, x):
            for i, layer in enumerate(self.layers):
                x = torch.sin((5.0 if i == 0 else 2.0) * layer(x))
            return self.out(x)

    return Siren(), (torch.rand(64, 2) * 2 - 1,)


@architecture
def pub_dcgan():
    """Radford et al. 2016: the generator."""
    def up(before, after, stride=2, padding=1):
        return nn.ConvTranspose2d(before, after, 4, stride, padding, bias=False), nn.BatchNorm2d(after), nn.ReLU()

    return nn.Sequential(*up(32, 48, 1, 0), *up(48, 32), *up(32, 16), nn.ConvTranspose2d(16, 3, 4, 2, 1),
                         nn.Tanh()), (torch.randn(1, 32, 1, 1),)


@architecture
def pub_cyclegan():
    """Zhu et al. 2017: the generator, norms of instances and mirrored edges."""
    def norm(width):
        return nn.InstanceNorm2d(width, affine=True), nn.ReLU()

    def block(width):
        return Residual(nn.ReflectionPad2d(1), nn.Conv2d(width, width, 3), *norm(width), nn.ReflectionPad2d(1),
                        nn.Conv2d(width, width, 3), nn.InstanceNorm2d(width, affine=True))

    return nn.Sequential(nn.ReflectionPad2d(3), nn.Conv2d(3, 12, 7), *norm(12), nn.Conv2d(12, 24, 3, 2, 1), *norm(24),
                         block(24), block(24), nn.ConvTranspose2d(24, 12, 3, 2, 1, 1), *norm(12), nn.ReflectionPad2d(3),
                         nn.Conv2d(12, 3, 7), nn.Tanh()), (image(32),)


class Step(nn.Module):
    """A residual block that gets the step of the diffusion."""

    def __init__(self, before: int, after: int, of_step: int):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(4, before), nn.SiLU(), nn.Conv2d(before, after, 3, 1, 1))
        self.step = nn.Sequential(nn.SiLU(), nn.Linear(of_step, after))
        self.second = nn.Sequential(nn.GroupNorm(4, after), nn.SiLU(), nn.Conv2d(after, after, 3, 1, 1))
        self.side = nn.Conv2d(before, after, 1) if before != after else nn.Identity()

    def forward(self, x, step):
        return self.side(x) + self.second(self.first(x) + self.step(step)[:, :, None, None])


@architecture
def pub_ddpm_unet():
    """Ho et al. 2020, as in latent diffusion: a step, attention in the middle."""
    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rates", torch.exp(-math.log(10000.0) * torch.arange(8) / 8))
            self.step = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
            self.into, self.down = nn.Conv2d(4, 16, 3, 1, 1), nn.Conv2d(16, 16, 3, 2, 1)
            self.first, self.second, self.third = Step(16, 16, 32), Step(16, 32, 32), Step(48, 16, 32)
            self.norm, self.attend = nn.GroupNorm(4, 32), nn.MultiheadAttention(32, 4, batch_first=True)
            self.up = nn.Conv2d(32, 32, 3, 1, 1)
            self.out = nn.Sequential(nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 4, 3, 1, 1))

        def forward(self, x, t):
            at = t.unsqueeze(-1) * self.rates
            step = self.step(torch.cat([torch.sin(at), torch.cos(at)], -1))
            kept = self.first(self.into(x), step)
            y = self.second(self.down(kept), step)
            b, c, h, w = y.shape
            z = self.norm(y).flatten(2).transpose(1, 2)
            y = y + self.attend(z, z, z, need_weights=False)[0].transpose(1, 2).reshape(b, c, h, w)
            y = self.up(functional.interpolate(y, scale_factor=2.0))
            return self.out(self.third(torch.cat([y, kept], 1), step))

    return Denoiser(), (torch.randn(1, 4, 16, 16), torch.tensor([37.0]))


@architecture
def pub_dit():
    """Peebles and Xie 2023: norms shifted and scaled by the step."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = (nn.LayerNorm(48, elementwise_affine=False) for _ in range(2))
            self.qkv, self.out = nn.Linear(48, 144), nn.Linear(48, 48)
            self.mlp = nn.Sequential(nn.Linear(48, 96), nn.GELU("tanh"), nn.Linear(96, 48))
            self.shift = nn.Sequential(nn.SiLU(), nn.Linear(48, 288))

        def forward(self, x, c):
            a, b, gate, d, e, last = self.shift(c).unsqueeze(1).chunk(6, -1)
            q, k, v = self.qkv(self.first(x) * (1 + b) + a).view(1, 16, 3, 4, 12).permute(2, 0, 3, 1, 4)
            y = (q @ k.transpose(-2, -1) * 12 ** -0.5).softmax(-1) @ v
            x = x + gate * self.out(y.transpose(1, 2).reshape(1, 16, 48))
            return x + last * self.mlp(self.second(x) * (1 + e) + d)

    class Dit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.class_ = nn.Conv2d(4, 48, 2, 2), nn.Embedding(11, 48)
            self.place = nn.Parameter(torch.randn(1, 16, 48) * 0.1)
            self.blocks = nn.ModuleList([Block(), Block()])
            self.norm, self.head = nn.LayerNorm(48, elementwise_affine=False), nn.Linear(48, 16)

        def forward(self, x, label):
            x, c = self.patch(x).flatten(2).transpose(1, 2) + self.place, self.class_(label)
            for block in self.blocks:
                x = block(x, c)
            x = self.head(self.norm(x)).view(1, 4, 4, 2, 2, 4)
            return x.permute(0, 5, 1, 3, 2, 4).reshape(1, 4, 8, 8)

    return Dit(), (torch.randn(1, 4, 8, 8), torch.tensor([3]))


@architecture
def pub_vqvae():
    """van den Oord et al. 2017: the nearest of a book of codes, and back."""
    class VqVae(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 24, 4, 2, 1), nn.ReLU(),
                                         nn.Conv2d(24, 16, 1))
            self.book = nn.Embedding(32, 16)
            self.decoder = nn.Sequential(nn.ConvTranspose2d(16, 24, 4, 2, 1), nn.ReLU(),
                                         nn.ConvTranspose2d(24, 3, 4, 2, 1))

        def forward(self, x):
            z = self.encoder(x).permute(0, 2, 3, 1)
            flat = z.reshape(-1, 16)
            book = self.book.weight
            far = flat.pow(2).sum(1, keepdim=True) + book.pow(2).sum(1) - 2 * flat @ book.t()
            found = self.book(far.argmin(1)).view(z.shape)
            return self.decoder(found.permute(0, 3, 1, 2)), far

    return VqVae(), (image(32),)


@architecture
def pub_sasrec():
    """Kang and McAuley 2018: what comes next."""
    class SasRec(nn.Module):
        def __init__(self):
            super().__init__()
            self.items, self.place = nn.Embedding(96, 32), nn.Parameter(torch.randn(1, 12, 32) * 0.1)
            self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(3))
            self.attend = nn.MultiheadAttention(32, 2, batch_first=True)
            self.layers = nn.Sequential(nn.Conv1d(32, 32, 1), nn.ReLU(), nn.Conv1d(32, 32, 1))
            self.register_buffer("mask", torch.triu(torch.full((12, 12), -100.0), 1))

        def forward(self, ids):
            x = self.items(ids) * 32 ** 0.5 + self.place
            q = self.norms[0](x)
            x = q + self.attend(q, x, x, attn_mask=self.mask, need_weights=False)[0]
            x = self.norms[1](x)
            x = self.norms[2](x + self.layers(x.transpose(1, 2)).transpose(1, 2))
            return x[:, -1] @ self.items.weight.t()

    return SasRec(), (tokens(12, 96),)


@architecture
def pub_c3d():
    """Tran et al. 2015."""
    def part(before, after, pool):
        return nn.Conv3d(before, after, 3, 1, 1), nn.ReLU(), nn.MaxPool3d(pool, pool)

    return nn.Sequential(*part(3, 8, (1, 2, 2)), *part(8, 16, 2), *part(16, 24, 2), nn.Flatten(), nn.Linear(
        24 * 2 * 4 * 4, 32), nn.ReLU(), nn.Linear(32, 10)), (torch.randn(1, 3, 8, 32, 32),)


@architecture
def pub_tsm():
    """Lin et al. 2019: a part of the channels moves in time."""
    class Shift(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = conv(width, width, act=nn.ReLU())

        def forward(self, x):
            part = x.shape[1] // 8
            ahead, back, rest = x[:, :part], x[:, part:2 * part], x[:, 2 * part:]
            ahead = torch.cat([ahead[1:], torch.zeros_like(ahead[:1])])
            back = torch.cat([torch.zeros_like(back[:1]), back[:-1]])
            return x + self.body(torch.cat([ahead, back, rest], 1))

    class Tsm(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(conv(3, 16, 3, 2, act=nn.ReLU()), Shift(16), conv(16, 32, 3, 2, act=nn.ReLU()),
                                      Shift(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))

        def forward(self, x):
            return self.body(x).mean(0, keepdim=True)

    return Tsm(), (torch.randn(4, 3, 32, 32),)
