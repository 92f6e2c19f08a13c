"""More architectures of timm, narrower and shallower than published."""

from __future__ import annotations

from timm.models.byobnet import model_cfgs
from timm.models.efficientnet import _gen_efficientnet_lite, _gen_fbnetc, _gen_tinynet
from timm.models.metaformer import MetaFormer, Pooling, SepConv
from timm.models.mlp_mixer import GluMlp, MlpMixer
from timm.models.mvitv2 import MultiScaleVit, MultiScaleVitCfg

from registry import architecture, image
from timm_nets import CLASSES, _maker, _net, _smaller

SETTINGS: dict[str, tuple[str, int, dict]] = {
    "timm_lowformer": ("lowformer_b0", 64, {"width_list": [8, 12, 16, 24, 32], "depth_list": [0, 1, 1, 2, 2],
                                            "head_widths": (64, 64)}),
    "timm_cpubone": ("cpubone_nano", 64, {"width_list": [8, 12, 16, 24, 32], "depth_list": [0, 1, 1, 2, 2],
                                          "head_widths": (64, 64)}),
    "timm_csatv2": ("csatv2", 128, {"dims": (16, 24, 32, 48), "depths": (1, 1, 2, 2),
                                    "transformer_depths": (0, 0, 1, 1)}),
    "timm_lcnet_v2": ("lcnetv2_small", 64, {"depths": (1, 1, 2, 1), "scale": 0.5, "head_hidden_size": 128}),
    "timm_qwen3_vit": ("qwen3_vit_88m", 64, {"img_size": 64, "embed_dim": 48, "depth": 2, "num_heads": 3,
                                             "mlp_ratio": 2.0, "pos_embed_grid_size": 8}),
    "timm_deepseek_vit": ("deepseek_vit_412m", 56, {"img_size": 56, "embed_dim": 48, "depth": 2, "num_heads": 3}),
    "timm_gemma4_vit": ("gemma4_vit_167m", 96, {"img_size": 96, "embed_dim": 48, "depth": 2, "num_heads": 3,
                                                "head_dim": 16, "intermediate_size": 96,
                                                "position_embedding_size": 64}),
    "timm_nf_regnet": ("nf_regnet_b0", 64, {"depths": (1, 1, 1, 1), "channels": (16, 32, 48, 64), "group_size": 8,
                                            "num_features": 64}),
    "timm_beit_v2": ("beitv2_base_patch16_224", 64, {"img_size": 64, "embed_dim": 48, "depth": 2, "num_heads": 3}),
    "timm_vit_gap": ("vit_pwee_patch16_reg1_gap_256", 64, {"img_size": 64, "embed_dim": 48, "depth": 2,
                                                           "num_heads": 3}),
    "timm_swin_v2": ("swinv2_tiny_window8_256", 64, {"img_size": 64, "embed_dim": 16, "depths": (2, 2),
                                                     "num_heads": (2, 4), "window_size": 4}),
    "timm_res2next": ("res2next50", 64, {"layers": (1, 1, 1, 1), "channels": (16, 32, 48, 64), "cardinality": 4}),
    "timm_resnet_aa": ("resnetaa50", 64, {"layers": (1, 1, 1, 1), "channels": (16, 32, 48, 64), "stem_width": 16}),
}

for _name, _setting in SETTINGS.items():
    _maker(_name, *_setting)


@architecture
def timm_gernet():
    return _smaller(model_cfgs["gernet_s"], 8, num_features=64)


@architecture
def timm_regnet_z():
    return _smaller(model_cfgs["regnetz_b16"], 3, stem_chs=16, num_features=64)


@architecture
def timm_fbnet():
    return _gen_fbnetc("fbnetc_100", 0.35, num_classes=CLASSES), (image(),)


@architecture
def timm_tinynet():
    return _gen_tinynet("tinynet_e", 0.25, 0.5, num_classes=CLASSES), (image(),)


@architecture
def timm_efficientnet_lite():
    return _gen_efficientnet_lite("tf_efficientnet_lite0", 0.35, 0.5, num_classes=CLASSES), (image(),)


@architecture
def timm_poolformer_v2():
    return MetaFormer(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), num_classes=CLASSES, token_mixers=Pooling), (image(),)


@architecture
def timm_convformer():
    return MetaFormer(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), num_classes=CLASSES, token_mixers=SepConv), (image(),)


@architecture
def timm_gmixer():
    return MlpMixer(num_classes=CLASSES, img_size=64, patch_size=16, num_blocks=2, embed_dim=48,
                    mlp_ratio=(1.0, 4.0), mlp_layer=GluMlp), (image(),)


@architecture
def timm_mobilevit_v2():
    return _net("mobilevitv2_050")


@architecture
def timm_mvit_v2_token():
    config = MultiScaleVitCfg(depths=(1, 1, 1, 1), embed_dim=16, num_heads=1, use_cls_token=True)
    return MultiScaleVit(config, img_size=(64, 64), num_classes=CLASSES), (image(),)
