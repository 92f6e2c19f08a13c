"""Architectures of torchvision, narrower and shallower than published where its classes let them be."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torchvision.models import (VGG, ConvNeXt, DenseNet, EfficientNet, GoogLeNet, Inception3, MaxVit, MNASNet,
                                MobileNetV2, MobileNetV3, RegNet, ResNet, ShuffleNetV2, SqueezeNet,
                                SwinTransformer, VisionTransformer)
from torchvision.models.convnext import CNBlockConfig
from torchvision.models.alexnet import AlexNet
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.fcos import FCOSHead
from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.detection.retinanet import RetinaNetHead
from torchvision.models.detection.rpn import RPNHead
from torchvision.models.detection.ssd import SSDHead
from torchvision.models.detection.ssdlite import SSDLiteHead
from torchvision.models.efficientnet import FusedMBConvConfig, MBConvConfig
from torchvision.models.mobilenetv3 import _mobilenet_v3_conf
from torchvision.models.optical_flow import raft_large, raft_small
from torchvision.models.regnet import BlockParams
from torchvision.models.resnet import BasicBlock, Bottleneck
from torchvision.models.segmentation.deeplabv3 import DeepLabHead
from torchvision.models.segmentation.fcn import FCNHead
from torchvision.models.segmentation.lraspp import LRASPPHead
from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformerBlockV2
from torchvision.models.vgg import make_layers
from torchvision.models.video.mvit import MSBlockConfig, MViT
from torchvision.models.video.resnet import BasicBlock as VideoBlock
from torchvision.models.video.resnet import (BasicStem, Conv2Plus1D, Conv3DNoTemporal, Conv3DSimple, R2Plus1dStem,
                                             VideoResNet)
from torchvision.models.video.s3d import S3D
from torchvision.models.video.swin_transformer import SwinTransformer3d
from torchvision.ops import FeaturePyramidNetwork

from registry import Flat, architecture, image

CLASSES = 32


class Narrow(ResNet):
    """A ResNet whose stages have a quarter of the width."""

    def __init__(self, block: type, repeats: list[int], **more):
        super().__init__(block, repeats, num_classes=CLASSES, **more)
        self.fc = nn.Linear(128 * block.expansion, CLASSES)

    def _make_layer(self, block, planes, *more, **named):
        return super()._make_layer(block, planes // 4, *more, **named)


def _mobilenet_v3_features(width: float = 0.5, dilated: bool = False) -> nn.Module:
    setting, last = _mobilenet_v3_conf("mobilenet_v3_small", width_mult=width, dilated=dilated)
    return MobileNetV3(setting, last, num_classes=CLASSES)


@architecture
def tv_resnet():
    return Narrow(BasicBlock, [1, 1, 1, 1]), (image(),)


@architecture
def tv_resnext():
    return Narrow(Bottleneck, [1, 1, 1, 1], groups=4, width_per_group=32), (image(),)


@architecture
def tv_squeezenet():
    return SqueezeNet("1_1", num_classes=CLASSES), (image(),)


@architecture
def tv_densenet():
    return DenseNet(8, (2, 3, 3, 2), 16, num_classes=CLASSES), (image(),)


@architecture
def tv_googlenet():
    return GoogLeNet(num_classes=CLASSES, aux_logits=False, init_weights=False), (image(),)


@architecture
def tv_mobilenet_v2():
    return MobileNetV2(CLASSES, width_mult=0.35), (image(),)


@architecture
def tv_mobilenet_v3():
    return _mobilenet_v3_features(), (image(),)


@architecture
def tv_mnasnet():
    return MNASNet(0.35, num_classes=CLASSES), (image(),)


@architecture
def tv_shufflenet_v2():
    return ShuffleNetV2([2, 3, 2], [16, 24, 48, 96, 128], num_classes=CLASSES), (image(),)


@architecture
def tv_efficientnet():
    small = partial(MBConvConfig, width_mult=0.35, depth_mult=0.6)
    setting = [small(1, 3, 1, 32, 16, 1), small(6, 3, 2, 16, 24, 2), small(6, 5, 2, 24, 40, 2),
               small(6, 3, 2, 40, 80, 2), small(6, 5, 1, 80, 112, 2)]
    return EfficientNet(setting, dropout=0.0, last_channel=128, num_classes=CLASSES), (image(),)


@architecture
def tv_efficientnet_v2():
    setting = [FusedMBConvConfig(1, 3, 1, 16, 16, 1), FusedMBConvConfig(4, 3, 2, 16, 24, 2),
               MBConvConfig(4, 3, 2, 24, 40, 2), MBConvConfig(6, 3, 1, 40, 48, 1)]
    return EfficientNet(setting, dropout=0.0, last_channel=128, num_classes=CLASSES), (image(),)


@architecture
def tv_regnet_y():
    params = BlockParams.from_init_params(depth=6, w_0=24, w_a=14.0, w_m=2.0, group_width=8, se_ratio=0.25)
    return RegNet(params, num_classes=CLASSES), (image(),)


@architecture
def tv_convnext():
    setting = [CNBlockConfig(16, 32, 1), CNBlockConfig(32, 48, 2), CNBlockConfig(48, None, 1)]
    return ConvNeXt(setting, layer_scale=0.5, num_classes=CLASSES), (image(),)


def _swin(**more) -> nn.Module:
    return SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=CLASSES,
                           stochastic_depth_prob=0.0, **more)


@architecture
def tv_swin():
    return _swin(), (image(),)


@architecture
def tv_swin_v2():
    return _swin(block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2), (image(),)


@architecture
def tv_vit():
    return VisionTransformer(64, 16, 2, 4, 48, 96, num_classes=CLASSES), (image(),)


@architecture
def tv_maxvit():
    net = MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 16, 0.0, num_classes=CLASSES)
    return net, (image(),)


class _Pyramid(nn.Module):
    """Features of three strides, all of one width."""

    def __init__(self, width: int = 32):
        super().__init__()
        net = Narrow(BasicBlock, [1, 1, 1, 1])
        self.stem = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1)
        self.layer2, self.layer3, self.layer4 = net.layer2, net.layer3, net.layer4
        self.fpn = FeaturePyramidNetwork([32, 64, 128], width)

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        c3 = self.layer2(self.stem(x))
        c4 = self.layer3(c3)
        return list(self.fpn({"3": c3, "4": c4, "5": self.layer4(c4)}).values())


@architecture
def tv_retinanet():
    net = nn.Sequential(_Pyramid(), RetinaNetHead(32, 3, 6))
    return Flat(net), (image(128),)


@architecture
def tv_fcos():
    net = nn.Sequential(_Pyramid(), FCOSHead(32, 1, 6, num_convs=2))
    return Flat(net), (image(128),)


@architecture
def tv_ssdlite():
    features = _mobilenet_v3_features().features
    norm = partial(nn.BatchNorm2d, eps=0.001, momentum=0.03)
    net = nn.ModuleList([features[:9], features[9:], SSDLiteHead([24, 288], [6, 6], 8, norm)])

    def call(net, x):
        early = net[0](x)
        return net[2]([early, net[1](early)])

    return Flat(net, call), (image(128),)


def _segmented(net, x: torch.Tensor) -> torch.Tensor:
    return nn.functional.interpolate(net[1](net[0](x)), x.shape[-2:], mode="bilinear", align_corners=False)


@architecture
def tv_deeplab_v3():
    net = nn.Sequential(_mobilenet_v3_features(dilated=True).features, DeepLabHead(288, CLASSES, (2, 3, 4)))
    return Flat(net, _segmented), (image(),)


@architecture
def tv_fcn():
    net = Narrow(BasicBlock, [1, 1, 1, 1])
    body = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2)
    return Flat(nn.Sequential(body, FCNHead(32, CLASSES)), _segmented), (image(),)


@architecture
def tv_lraspp():
    features = _mobilenet_v3_features(dilated=True).features
    net = nn.ModuleList([features[:4], features[4:], LRASPPHead(16, 288, CLASSES, 32)])

    def call(net, x):
        low = net[0](x)
        out = net[2]({"low": low, "high": net[1](low)})
        return nn.functional.interpolate(out, x.shape[-2:], mode="bilinear", align_corners=False)

    return Flat(net, call), (image(),)


@architecture
def tv_raft():
    def call(net, first, second):
        return net(first, second, num_flow_updates=2)[-1]

    return Flat(raft_small(), call), (image(128), image(128))


@architecture
def tv_r3d():
    net = VideoResNet(VideoBlock, [Conv3DSimple] * 4, [1, 1, 1, 1], BasicStem, num_classes=CLASSES)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_mvit_v2():
    def block(heads, inputs, outputs, q, kv):
        return MSBlockConfig(heads, inputs, outputs, [3, 3, 3], [3, 3, 3], q, kv)

    setting = [block(1, 16, 16, [1, 1, 1], [1, 2, 2]), block(2, 16, 32, [1, 2, 2], [1, 1, 1])]
    net = MViT((32, 32), 4, setting, True, True, True, True, num_classes=CLASSES)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_vgg():
    net = VGG(make_layers([8, "M", 16, "M", 24, 24, "M", 32, 32, "M"]), num_classes=CLASSES, init_weights=False)
    net.avgpool = nn.AdaptiveAvgPool2d(2)
    net.classifier = nn.Sequential(nn.Linear(128, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, CLASSES))
    return net, (image(),)


@architecture
def tv_inception_v3():
    return Inception3(num_classes=CLASSES, aux_logits=False, transform_input=True, init_weights=False), (image(96),)


@architecture
def tv_s3d():
    net = S3D(num_classes=CLASSES)
    net.avgpool = nn.AvgPool3d(2, stride=1)
    return net, (torch.randn(1, 3, 16, 64, 64),)


@architecture
def tv_r2plus1d():
    net = VideoResNet(VideoBlock, [Conv2Plus1D] * 4, [1, 1, 1, 1], R2Plus1dStem, num_classes=CLASSES)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_alexnet():
    net = AlexNet(num_classes=CLASSES)
    net.avgpool = nn.AdaptiveAvgPool2d(1)
    net.classifier = nn.Sequential(nn.Dropout(), nn.Linear(256, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, 48),
                                   nn.ReLU(True), nn.Linear(48, CLASSES))
    return net, (image(96),)


@architecture
def tv_mc3():
    net = VideoResNet(VideoBlock, [Conv3DSimple] + [Conv3DNoTemporal] * 3, [1, 1, 1, 1], BasicStem,
                      num_classes=CLASSES)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_swin_3d():
    net = SwinTransformer3d([2, 4, 4], 16, [2, 2], [2, 4], [2, 4, 4], num_classes=CLASSES, stochastic_depth_prob=0.0)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_rpn():
    net = nn.Sequential(_Pyramid(), RPNHead(32, 3, conv_depth=2))
    return Flat(net), (image(128),)


@architecture
def tv_box_and_mask_heads():
    """The second stage of Mask R-CNN, on regions that are given."""
    net = nn.ModuleList([nn.Sequential(TwoMLPHead(16 * 7 * 7, 48), FastRCNNPredictor(48, 8)),
                         nn.Sequential(MaskRCNNHeads(16, (24, 24), 1), MaskRCNNPredictor(24, 16, 8))])
    regions = torch.cat([image(14, 16) for _ in range(4)])

    def call(net, boxes, masks):
        return net[0](boxes), net[1](masks)

    return Flat(net, call), (nn.functional.avg_pool2d(regions, 2), regions)


@architecture
def tv_keypoint_heads():
    """The same of Keypoint R-CNN."""
    net = nn.Sequential(KeypointRCNNHeads(16, (24, 24)), KeypointRCNNPredictor(24, 6))
    return net, (torch.cat([image(14, 16) for _ in range(3)]),)


@architecture
def tv_regnet_x():
    params = BlockParams.from_init_params(depth=6, w_0=24, w_a=14.0, w_m=2.0, group_width=8)
    return RegNet(params, num_classes=CLASSES), (image(),)


@architecture
def tv_deeplab_resnet():
    net = Narrow(Bottleneck, [1, 1, 1, 1], replace_stride_with_dilation=[False, True, True])
    body = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2, net.layer3, net.layer4)
    return Flat(nn.Sequential(body, DeepLabHead(512, CLASSES, (2, 4, 6))), _segmented), (image(),)


@architecture
def tv_mvit_v1():
    def block(heads, inputs, outputs, q, kv):
        return MSBlockConfig(heads, inputs, outputs, [3, 3, 3], [3, 3, 3], q, kv)

    setting = [block(1, 16, 32, [1, 1, 1], [1, 2, 2]), block(2, 32, 32, [1, 2, 2], [1, 1, 1])]
    net = MViT((32, 32), 4, setting, False, False, False, False, num_classes=CLASSES)
    return net, (torch.randn(1, 3, 4, 32, 32),)


@architecture
def tv_ssd():
    net = nn.ModuleList([make_layers([8, "M", 16, "M", 24, 24, "M", 32, 32]), nn.Sequential(nn.MaxPool2d(2),
                         nn.Conv2d(32, 48, 3, padding=6, dilation=6), nn.ReLU()), SSDHead([32, 48], [4, 6], 8)])

    def call(net, x):
        early = nn.functional.normalize(net[0](x)) * 20.0
        return net[2]([early, net[1](early)])

    return Flat(net, call), (image(),)


@architecture
def tv_raft_large():
    def call(net, first, second):
        return net(first, second, num_flow_updates=1)[-1]

    return Flat(raft_large(), call), (image(128), image(128))
