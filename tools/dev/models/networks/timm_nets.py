"""Architectures of timm, narrower and shallower than published."""

from __future__ import annotations

import dataclasses

import timm
from timm.models.byoanet import model_cfgs as attention_cfgs
from timm.models.byobnet import ByobNet, model_cfgs
from timm.models.convmixer import ConvMixer
from timm.models.focalnet import FocalNet
from timm.models.gcvit import GlobalContextVit
from timm.models.efficientnet import _gen_mixnet_s
from timm.models.ghostnet import _create_ghostnet
from timm.models.metaformer import (Attention, LayerNorm2dNoBias, LayerNormNoBias, MetaFormer, SepConv)
from timm.models.mlp_mixer import Affine, GatedMlp, MlpMixer, ResBlock, SpatialGatingBlock
from timm.models.mobilenetv3 import _gen_mobilenet_v4
from timm.models.mvitv2 import MultiScaleVit, MultiScaleVitCfg
from timm.models.nest import Nest
from timm.models.nfnet import NfCfg, NormFreeNet
from timm.models.resnetv2 import ResNetV2
from timm.models.vitamin import VitCfg, VitConvCfg
from timm.models.volo import VOLO

from registry import architecture, image

CLASSES = 32


def _net(model: str, size: int = 64, **more):
    return timm.create_model(model, pretrained=False, num_classes=CLASSES, **more), (image(size),)


# name: (the published model, the size of the picture, what makes it small)
SETTINGS: dict[str, tuple[str, int, dict]] = {
    "timm_cait": ("cait_xxs24_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 3, "num_heads": 4}),
    "timm_xcit": ("xcit_nano_12_p16_224", 64, {"img_size": 64, "embed_dim": 64, "depth": 2}),
    "timm_edgenext": ("edgenext_xx_small", 64, {"dims": (16, 24, 32, 48), "depths": (1, 1, 2, 1)}),
    "timm_fastvit": ("fastvit_t8", 64, {"embed_dims": (16, 32, 64, 128), "layers": (1, 1, 1, 1)}),
    "timm_hrnet": ("hrnet_w18_small", 64, {}),
    "timm_repvgg": ("repvgg_a0", 64, {}),
    "timm_res2net": ("res2net50_26w_4s", 64, {"layers": (1, 1, 1, 1), "channels": (16, 32, 48, 64)}),
    "timm_resnest": ("resnest14d", 64, {"channels": (16, 32, 48, 64), "stem_width": 16}),
    "timm_starnet": ("starnet_s050", 64, {}),
    "timm_tiny_vit": ("tiny_vit_5m_224", 64, {"embed_dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1),
                                              "num_heads": (1, 2, 3, 4), "window_sizes": (4, 4, 4, 2)}),
    "timm_twins": ("twins_svt_small", 64, {"embed_dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1),
                                           "num_heads": (1, 2, 3, 4)}),
    "timm_visformer": ("visformer_tiny", 64, {"img_size": 64, "embed_dim": 48, "depth": (1, 1, 1), "init_channels": 8}),
    "timm_pit": ("pit_ti_224", 64, {"img_size": 64, "base_dims": (16, 16, 16), "depth": (1, 1, 1)}),
    "timm_crossvit": ("crossvit_tiny_240", 120, {"img_size": 120, "embed_dim": (24, 48),
                                                 "depth": ((1, 1, 0), (1, 1, 0)), "num_heads": (3, 3)}),
    "timm_davit": ("davit_tiny", 64, {"embed_dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1),
                                      "num_heads": (1, 2, 3, 4), "window_size": 2}),
    "timm_dla": ("dla46_c", 64, {}),
    "timm_eva02": ("eva02_tiny_patch14_224", 56, {"img_size": 56, "embed_dim": 48, "depth": 2, "num_heads": 3}),
    "timm_hiera": ("hiera_tiny_224", 64, {"img_size": (64, 64), "embed_dim": 16, "stages": (1, 1, 1, 1)}),
    "timm_inception_next": ("inception_next_atto", 64, {"dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1)}),
    "timm_lcnet": ("lcnet_050", 64, {}),
    "timm_mambaout": ("mambaout_femto", 64, {"dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1)}),
    "timm_rexnet": ("rexnet_100", 64, {"width_mult": 0.35}),
    "timm_sequencer": ("sequencer2d_s", 64, {"img_size": 64, "embed_dims": (24, 32, 32, 32), "layers": (1, 1, 1, 1),
                                             "hidden_sizes": (8, 16, 16, 16)}),
    "timm_vovnet": ("ese_vovnet19b_slim_dw", 64, {}),
    "timm_levit": ("levit_128s", 64, {"img_size": 64, "embed_dim": (32, 48, 64), "key_dim": 8,
                                      "num_heads": (2, 3, 4), "depth": (1, 1, 1)}),
    "timm_efficientvit": ("efficientvit_b0", 64, {}),
    "timm_coatnet": ("coatnet_nano_rw_224", 64, {"img_size": 64, "embed_dim": (32, 32, 64, 64),
                                                 "depths": (1, 1, 1, 1), "stem_width": (8, 16)}),
    "timm_vit_registers": ("vit_small_patch14_reg4_dinov2", 56, {"img_size": 56, "embed_dim": 48, "depth": 2,
                                                                 "num_heads": 3}),
    "timm_efficientformer_v2": ("efficientformerv2_s0", 64, {"img_size": 64, "embed_dims": (16, 24, 32, 48),
                                                             "depths": (1, 1, 2, 2)}),
    "timm_convit": ("convit_tiny", 64, {"img_size": 64, "embed_dim": 12, "depth": 3, "local_up_to_layer": 2}),
    "timm_skresnet": ("skresnet18", 64, {"channels": (16, 32, 48, 64), "layers": (1, 1, 1, 1)}),
    "timm_cspdarknet": ("cs3darknet_focus_s", 64, {}),
    "timm_hgnet_v2": ("hgnetv2_b0", 64, {}),
    "timm_tnt": ("tnt_s_patch16_224", 64, {"img_size": 64, "embed_dim": 48, "inner_dim": 12, "depth": 2,
                                           "num_heads_outer": 4}),
    "timm_swiftformer": ("swiftformer_xs", 64, {"embed_dims": (16, 24, 32, 48), "layers": (1, 1, 1, 1)}),
    "timm_ecaresnet": ("ecaresnet26t", 64, {"channels": (16, 32, 48, 64), "layers": (1, 1, 1, 1), "stem_width": 16}),
    "timm_xception": ("xception41p", 64, {"block_cfg": [
        dict(in_chs=64, out_chs=48, stride=2), dict(in_chs=48, out_chs=64, stride=2),
        dict(in_chs=64, out_chs=(64, 96, 96), stride=1, no_skip=True)]}),
    "timm_dpn": ("dpn48b", 64, {"k_sec": (1, 1, 1, 1), "inc_sec": (8, 8, 8, 8), "k_r": 16, "groups": 4}),
    "timm_swin_v2_cr": ("swinv2_cr_tiny_ns_224", 64, {"img_size": 64, "embed_dim": 16, "depths": (2, 2),
                                                      "num_heads": (2, 4), "window_size": 4}),
    "timm_shvit": ("shvit_s1", 64, {"embed_dim": (32, 48, 64), "partial_dim": (8, 12, 16)}),
    "timm_rdnet": ("rdnet_tiny", 64, {"num_init_features": 16, "growth_rates": (8, 16, 16, 24),
                                      "num_blocks_list": (1, 1, 2, 1), "is_downsample_block": (None, True, True, True),
                                      "block_type": ("Block", "Block", "BlockESE", "BlockESE")}),
    "timm_efficientvit_msra": ("efficientvit_m0", 64, {"img_size": 128, "embed_dim": (16, 32, 48),
                                                       "key_dim": (8, 8, 8), "num_heads": (2, 2, 3)}),
    "timm_coat": ("coat_lite_tiny", 64, {"img_size": 64, "embed_dims": (16, 32, 48, 64),
                                         "serial_depths": (1, 1, 1, 1)}),
    "timm_tresnet": ("tresnet_m", 64, {"layers": [1, 1, 1, 1], "width_factor": 0.25}),
    "timm_fasternet": ("fasternet_t0", 64, {"embed_dim": 16, "depths": (1, 1, 1, 1), "feature_dim": 64}),
    "timm_vit_relpos": ("vit_relpos_small_patch16_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 2,
                                                             "num_heads": 3}),
    "timm_deit_distilled": ("deit_tiny_distilled_patch16_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 2,
                                                                    "num_heads": 3}),
    "timm_vit_rope": ("vit_small_patch16_dinov3", 64, {"img_size": 64, "embed_dim": 48, "depth": 2, "num_heads": 3}),
    "timm_selecsls": ("selecsls42", 64, {}),
    "timm_hgnet": ("hgnet_tiny", 64, {}),
    "timm_repghost": ("repghostnet_050", 64, {}),
    "timm_efficientvim": ("efficientvim_m1", 128, {"embed_dim": (32, 48, 64), "depths": (1, 1, 1)}),
    "timm_maxxvit": ("maxxvit_rmlp_nano_rw_256", 64, {"img_size": 64, "embed_dim": (32, 32, 64, 64),
                                                      "depths": (1, 1, 1, 1), "stem_width": (8, 16)}),
    "timm_swin_s3": ("swin_s3_tiny_224", 64, {"img_size": 64, "embed_dim": 16, "depths": (1, 2), "num_heads": (2, 4),
                                              "window_size": (4, 4)}),
    "timm_senet": ("seresnext26t_32x4d", 64, {"channels": (16, 32, 48, 64), "layers": (1, 1, 1, 1), "stem_width": 16,
                                              "cardinality": 8}),
    "timm_repvit": ("repvit_m0_9", 64, {"embed_dim": (16, 24, 32, 48), "depth": (1, 1, 2, 1)}),
    "timm_nextvit": ("nextvit_small", 64, {"depths": (1, 1, 5, 1)}),
    "timm_efficientformer": ("efficientformer_l1", 224, {"embed_dims": (16, 24, 32, 48), "depths": (1, 1, 1, 2)}),
    "timm_pvt_v2": ("pvt_v2_b0", 64, {"embed_dims": (16, 32, 48, 64), "depths": (1, 1, 1, 1),
                                      "num_heads": (1, 2, 3, 4)}),
    "timm_sam_vit": ("samvit_base_patch16_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 2, "num_heads": 4,
                                                     "global_attn_indexes": (1,), "window_size": 3, "neck_chans": 32}),
    "timm_hieradet_sam2": ("sam2_hiera_tiny", 64, {"embed_dim": 16, "stages": (1, 1, 2, 1),
                                                   "global_att_blocks": (3,)}),
    "timm_mobilevit": ("mobilevit_xxs", 64, {}),
    "timm_iformer": ("iformer_t", 64, {"dims": (16, 24, 32, 64), "depths": (1, 1, 4, 4), "attn_groups": (0, 0, 1, 1)}),
    "timm_densenet": ("densenetblur121d", 64, {"growth_rate": 8, "block_config": (1, 2, 2, 1)}),
    "timm_vit_hybrid": ("vit_tiny_r_s16_p8_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 2, "num_heads": 3}),
    "timm_cspnext": ("cspnext_tiny", 64, {}),
}


def _maker(name: str, model: str, size: int, more: dict):
    def make():
        return _net(model, size, **more)

    make.__name__ = name
    return architecture(make)


for _name, _setting in SETTINGS.items():
    _maker(_name, *_setting)


def _mixer(**more):
    return MlpMixer(num_classes=CLASSES, img_size=64, patch_size=16, num_blocks=3, embed_dim=48, **more), (image(),)


@architecture
def timm_resmlp():
    return _mixer(mlp_ratio=4, block_layer=ResBlock, norm_layer=Affine)


@architecture
def timm_mixer():
    return _mixer()


@architecture
def timm_gmlp():
    return _mixer(mlp_ratio=6, block_layer=SpatialGatingBlock, mlp_layer=GatedMlp)


@architecture
def timm_convmixer():
    return ConvMixer(48, 3, kernel_size=7, patch_size=8, num_classes=CLASSES), (image(),)


@architecture
def timm_ghostnet_v2():
    return _create_ghostnet("ghostnetv2_100", width=0.2, version="v2", num_classes=CLASSES), (image(),)


@architecture
def timm_nfnet():
    config = NfCfg((1, 1, 1, 1), (32, 48, 64, 96), stem_type="deep_quad", stem_chs=32, group_size=16,
                   attn_layer="se", attn_kwargs={"rd_ratio": 0.5}, extra_conv=True, num_features=128,
                   act_layer="gelu")
    return NormFreeNet(config, num_classes=CLASSES), (image(),)


@architecture
def timm_mobilenet_v4():
    return _gen_mobilenet_v4("mobilenetv4_hybrid_medium", 0.35, num_classes=CLASSES), (image(),)


@architecture
def timm_volo():
    return VOLO([1, 1, 1, 1], 64, num_classes=CLASSES, stem_hidden_dim=16, embed_dims=[32, 48, 48, 48],
                num_heads=[2, 4, 4, 4]), (image(),)


@architecture
def timm_caformer():
    return MetaFormer(depths=(1, 1, 1, 1), dims=(32, 32, 64, 64), num_classes=CLASSES,
                      token_mixers=[SepConv, SepConv, Attention, Attention],
                      norm_layers=[LayerNorm2dNoBias] * 2 + [LayerNormNoBias] * 2), (image(),)


@architecture
def timm_gcvit():
    return GlobalContextVit(num_classes=CLASSES, img_size=64, window_ratio=(16, 16, 16, 32), embed_dim=16,
                            depths=(1, 1, 1, 1), num_heads=(1, 2, 4, 8)), (image(),)


def _smaller(published, by: int, **more):
    """A network of blocks with one block a stage and a part of the width."""
    def smaller(block):
        if isinstance(block, (tuple, list)):
            return tuple(smaller(part) for part in block)
        return dataclasses.replace(block, d=1, c=max(8, block.c // by))

    size = {"img_size": 64} if published.fixed_input_size else {}
    return ByobNet(dataclasses.replace(published, blocks=smaller(published.blocks), **more),
                   num_classes=CLASSES, **size), (image(),)


@architecture
def timm_mobileone():
    return _smaller(model_cfgs["mobileone_s0"], 8, stem_chs=8)


@architecture
def timm_halonet():
    return _smaller(attention_cfgs["halonet26t"], 8, stem_chs=16,
                    self_attn_kwargs={"block_size": 4, "halo_size": 2, "dim_head": 8})


@architecture
def timm_lambda_resnet():
    return _smaller(attention_cfgs["lambda_resnet26t"], 8, stem_chs=16, self_attn_kwargs={"r": 5})


@architecture
def timm_nest():
    return Nest(img_size=64, embed_dims=(16, 32, 48), depths=(1, 1, 1), num_heads=(1, 2, 3),
                num_classes=CLASSES), (image(),)


@architecture
def timm_botnet():
    return _smaller(attention_cfgs["botnet26t"], 8, stem_chs=16, self_attn_kwargs={"dim_head": 8})


@architecture
def timm_gcresnet():
    return _smaller(model_cfgs["gcresnet33ts"], 8, stem_chs=16)


@architecture
def timm_mvit_v2():
    config = MultiScaleVitCfg(depths=(1, 1, 1, 1), embed_dim=16, num_heads=1)
    return MultiScaleVit(config, img_size=(64, 64), num_classes=CLASSES), (image(),)


@architecture
def timm_mixnet():
    return _gen_mixnet_s("mixnet_s", channel_multiplier=0.35, num_classes=CLASSES), (image(),)


@architecture
def timm_ghostnet_v3():
    return _create_ghostnet("ghostnetv3_100", width=0.2, version="v3", num_classes=CLASSES), (image(),)


@architecture
def timm_bit():
    return ResNetV2([1, 1, 1, 1], channels=(128, 128, 128, 256), num_classes=CLASSES, stem_type="fixed"), (image(),)


@architecture
def timm_focalnet():
    return FocalNet(embed_dim=16, depths=(1, 1, 1, 1), num_classes=CLASSES), (image(),)


@architecture
def timm_vitamin():
    stem = VitCfg(embed_dim=(16, 32, 48), depths=(1, 1, 1), stem_width=16, head_type="1d",
                  conv_cfg=VitConvCfg(norm_layer="layernorm2d", norm_eps=1e-6))
    return _net("vitamin_small_224", img_size=64, embed_dim=48, depth=2, num_heads=3, embed_cfg=stem)
