"""Networks of transformers that see: classification, detection, segmentation, depth, points."""

from __future__ import annotations

import torch
import transformers

from hf import HEADS, LAYERS, SMALL, WIDTH, network, plain
from registry import Flat, architecture, image

VIT = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 96,
       "image_size": 64, "patch_size": 16}
RESNET = {"embedding_size": 16, "hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1], "layer_type": "basic",
          "out_features": ["stage2", "stage3", "stage4"]}


def _seen(kind: str, config: str, size: int = 64, attention: str | None = "eager", **settings):
    return plain(network(kind, config, attention=attention, **settings), "pixel_values"), (image(size),)


@architecture
def hf_clip_vision():
    return _seen("CLIPVisionModelWithProjection", "CLIPVisionConfig", **VIT, projection_dim=32)


@architecture
def hf_siglip():
    return _seen("SiglipVisionModel", "SiglipVisionConfig", **VIT)


@architecture
def hf_dinov2():
    return _seen("Dinov2ForImageClassification", "Dinov2Config", attention="sdpa", **VIT, num_labels=8)


@architecture
def hf_beit():
    return _seen("BeitForImageClassification", "BeitConfig", **VIT, num_labels=8, use_relative_position_bias=True)


@architecture
def hf_segformer():
    return _seen("SegformerForSemanticSegmentation", "SegformerConfig", attention=None, num_labels=8,
                 hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 3, 4],
                 decoder_hidden_size=32)


MOBILEVIT = {"hidden_sizes": [24, 32, 40], "neck_hidden_sizes": [8, 8, 16, 24, 32, 40, 64], "image_size": 64,
             "num_labels": 8}


@architecture
def hf_mobilevit():
    return _seen("MobileViTForImageClassification", "MobileViTConfig", attention=None, **MOBILEVIT)


@architecture
def hf_mobilevit_v2():
    return _seen("MobileViTV2ForImageClassification", "MobileViTV2Config", attention=None, image_size=64,
                 width_multiplier=0.35, base_attn_unit_dims=[64, 96, 128], n_attn_blocks=[1, 1, 1], num_labels=8)


def _resnet() -> transformers.ResNetConfig:
    return transformers.ResNetConfig(**RESNET)


@architecture
def hf_detr():
    net = network("DetrForObjectDetection", "DetrConfig", use_timm_backbone=False, use_pretrained_backbone=False,
                  backbone=None, backbone_config=_resnet(), d_model=WIDTH, num_queries=8, encoder_layers=LAYERS,
                  decoder_layers=LAYERS, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
                  encoder_ffn_dim=96, decoder_ffn_dim=96, num_labels=8)
    mask = torch.ones(1, 64, 64, dtype=torch.long)
    return plain(net, "pixel_values", pixel_mask=mask), (image(),)


@architecture
def hf_yolos():
    return _seen("YolosForObjectDetection", "YolosConfig", **VIT | {"image_size": [64, 64]}, num_detection_tokens=8,
                 num_labels=8)


@architecture
def hf_rt_detr():
    backbone = transformers.RTDetrResNetConfig(**RESNET | {"layer_type": "bottleneck"})
    net = network("RTDetrForObjectDetection", "RTDetrConfig", attention=None, backbone_config=backbone,
                  encoder_hidden_dim=32, encoder_in_channels=[24, 32, 48], encoder_ffn_dim=64,
                  encoder_attention_heads=4, d_model=32, num_queries=16, decoder_in_channels=[32, 32, 32],
                  decoder_ffn_dim=64, decoder_layers=2, decoder_attention_heads=4, num_labels=8,
                  anchor_image_size=[64, 64])
    return plain(net, "pixel_values"), (image(),)


@architecture
def hf_dpt():
    return _seen("DPTForDepthEstimation", "DPTConfig", **VIT | {"num_hidden_layers": 4},
                 backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 16, 24, 24], fusion_hidden_size=16,
                 is_hybrid=False)


@architecture
def hf_depth_anything():
    backbone = transformers.Dinov2Config(**VIT | {"image_size": 56, "patch_size": 14}, out_indices=[1, 2],
                                         reshape_hidden_states=False, apply_layernorm=True)
    net = network("DepthAnythingForDepthEstimation", "DepthAnythingConfig", backbone_config=backbone, patch_size=14,
                  reassemble_hidden_size=WIDTH, neck_hidden_sizes=[16, 24], reassemble_factors=[2, 1],
                  fusion_hidden_size=16, head_hidden_size=8)
    return plain(net, "pixel_values"), (image(56),)


@architecture
def hf_sam_encoder():
    return _seen("SamVisionModel", "SamVisionConfig", hidden_size=WIDTH, num_hidden_layers=LAYERS,
                 num_attention_heads=HEADS, mlp_dim=96, image_size=64, patch_size=8, window_size=3,
                 global_attn_indexes=[1], output_channels=32, num_pos_feats=16)


SWIN = {"image_size": 64, "patch_size": 4, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}


@architecture
def hf_swin_v2():
    return _seen("Swinv2ForImageClassification", "Swinv2Config", attention=None, **SWIN, num_labels=8)


@architecture
def hf_upernet():
    backbone = transformers.ConvNextConfig(hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1],
                                           out_features=["stage1", "stage2", "stage3", "stage4"])
    net = network("UperNetForSemanticSegmentation", "UperNetConfig", attention=None, backbone_config=backbone,
                  hidden_size=24, pool_scales=[1, 2], use_auxiliary_head=False, num_labels=8)
    return plain(net, "pixel_values"), (image(),)


@architecture
def hf_maskformer_pixels():
    backbone = transformers.SwinConfig(**SWIN | {"depths": [1, 1, 1, 1], "num_heads": [1, 2, 4, 8]},
                                       out_features=["stage1", "stage2", "stage3", "stage4"])
    net = network("MaskFormerModel", "MaskFormerConfig", attention=None, backbone_config=backbone, fpn_feature_size=32,
                  mask_feature_size=32).pixel_level_module
    return Flat(net, lambda net, x: net(x).decoder_last_hidden_state), (image(),)


@architecture
def hf_videomae():
    net = network("VideoMAEForVideoClassification", "VideoMAEConfig", **VIT | {"image_size": 32, "patch_size": 8},
                  num_frames=4, num_labels=8)
    return plain(net, "pixel_values"), (torch.randn(1, 4, 3, 32, 32),)


STAGES = {"hidden_sizes": [16, 24, 32, 48], "depths": [1, 1, 1, 1], "num_labels": 8}


@architecture
def hf_poolformer():
    return _seen("PoolFormerForImageClassification", "PoolFormerConfig", attention=None, **STAGES)


@architecture
def hf_pvt_v2():
    return _seen("PvtV2ForImageClassification", "PvtV2Config", attention=None, image_size=64,
                 num_attention_heads=[1, 2, 2, 4], **STAGES)


@architecture
def hf_cvt():
    return _seen("CvtForImageClassification", "CvtConfig", attention=None, embed_dim=[16, 32, 48], num_heads=[1, 2, 3],
                 depth=[1, 2, 3], num_labels=8)


@architecture
def hf_focalnet():
    return _seen("FocalNetForImageClassification", "FocalNetConfig", attention=None, image_size=64, embed_dim=16,
                 hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], num_labels=8)


@architecture
def hf_convnext_v2():
    return _seen("ConvNextV2ForImageClassification", "ConvNextV2Config", attention=None, **STAGES)


@architecture
def hf_vitpose():
    backbone = transformers.VitPoseBackboneConfig(image_size=[64, 48], patch_size=[8, 8], hidden_size=WIDTH,
                                                  num_hidden_layers=LAYERS, num_attention_heads=HEADS,
                                                  out_indices=[LAYERS])
    net = network("VitPoseForPoseEstimation", "VitPoseConfig", backbone_config=backbone, use_simple_decoder=False,
                  num_labels=8)
    return plain(net, "pixel_values"), (image(64, width=48),)


@architecture
def hf_superpoint():
    net = network("SuperPointForKeypointDetection", "SuperPointConfig", attention=None,
                  encoder_hidden_sizes=[16, 16, 24, 24], decoder_hidden_size=32, keypoint_decoder_dim=65,
                  descriptor_decoder_dim=32)

    def call(net, x):
        hidden = net.encoder(x, return_dict=False)[0]
        scores = net.keypoint_decoder._get_pixel_scores(hidden)
        return scores, hidden

    return Flat(net, call), (image(64, channels=1),)


DETR = {"d_model": WIDTH, "num_queries": 8, "encoder_layers": LAYERS, "decoder_layers": LAYERS,
        "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": 96,
        "decoder_ffn_dim": 96, "num_labels": 8}


def _queried(family: str, **more):
    """A detector of the family of DETR, over a small ResNet."""
    net = network(f"{family}ForObjectDetection", f"{family}Config", backbone_config=_resnet(), **DETR | more)
    return plain(net, "pixel_values", pixel_mask=torch.ones(1, 64, 64, dtype=torch.long)), (image(),)


@architecture
def hf_conditional_detr():
    return _queried("ConditionalDetr")


@architecture
def hf_deformable_detr():
    return _queried("DeformableDetr", d_model=64, num_feature_levels=3, encoder_n_points=2, decoder_n_points=2)


@architecture
def hf_glpn():
    return _seen("GLPNForDepthEstimation", "GLPNConfig", attention=None, hidden_sizes=[16, 32, 48, 64],
                 depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 3, 4], decoder_hidden_size=16)


@architecture
def hf_timesformer():
    net = network("TimesformerForVideoClassification", "TimesformerConfig", attention=None, num_frames=4, num_labels=8,
                  **VIT | {"image_size": 32})
    return plain(net, "pixel_values"), (torch.randn(1, 4, 3, 32, 32),)


@architecture
def hf_owlvit():
    net = network("OwlViTForObjectDetection", "OwlViTConfig", vision_config=VIT | {"initializer_range": 0.12},
                  text_config=SMALL | {"max_position_embeddings": 16, "initializer_range": 0.12}, projection_dim=WIDTH)

    def call(net, pixels, ids):
        return net(input_ids=ids, pixel_values=pixels, return_dict=False)[:3]

    return Flat(net, call), (image(), torch.randint(3, 96, (2, 8)))


@architecture
def hf_swin2sr():
    return _seen("Swin2SRForImageSuperResolution", "Swin2SRConfig", 16, attention=None, image_size=16, embed_dim=24,
                 depths=[2, 2], num_heads=[2, 2], window_size=4)


@architecture
def hf_table_transformer():
    return _queried("TableTransformer", use_timm_backbone=False, use_pretrained_backbone=False, backbone=None)


@architecture
def hf_rt_detr_v2():
    backbone = transformers.RTDetrResNetConfig(**RESNET)
    net = network("RTDetrV2ForObjectDetection", "RTDetrV2Config", attention=None, backbone_config=backbone,
                  encoder_hidden_dim=32, encoder_in_channels=[24, 32, 48], encoder_ffn_dim=64,
                  encoder_attention_heads=4, d_model=32, num_queries=16, decoder_in_channels=[32, 32, 32],
                  decoder_ffn_dim=64, decoder_layers=2, decoder_attention_heads=4, num_labels=8,
                  decoder_method="discrete", anchor_image_size=[64, 64])
    return plain(net, "pixel_values"), (image(),)


@architecture
def hf_mobilenet_v1():
    return _seen("MobileNetV1ForImageClassification", "MobileNetV1Config", attention=None, depth_multiplier=0.25,
                 num_labels=8)


@architecture
def hf_vilt():
    net = network("ViltModel", "ViltConfig", **SMALL | {"max_position_embeddings": 16}, image_size=32, patch_size=8,
                  max_image_length=16)
    return plain(net, "input_ids", "pixel_values"), (torch.randint(3, 96, (1, 8)), image(32))


@architecture
def hf_groupvit_vision():
    return _seen("GroupViTVisionModel", "GroupViTVisionConfig", attention=None, image_size=64, patch_size=8,
                 hidden_size=WIDTH,
                 intermediate_size=96, depths=[1, 1, 1], num_group_tokens=[8, 4, 0], num_output_groups=[8, 4, 0],
                 num_attention_heads=HEADS)


@architecture
def hf_vivit():
    net = network("VivitForVideoClassification", "VivitConfig", num_frames=4, tubelet_size=[2, 8, 8], num_labels=8,
                  **{k: v for k, v in VIT.items() if k != "patch_size"} | {"image_size": 32})
    return plain(net, "pixel_values"), (torch.randn(1, 4, 3, 32, 32),)


@architecture
def hf_sam2_encoder():
    backbone = transformers.Sam2HieraDetConfig(hidden_size=16, image_size=[64, 64], blocks_per_stage=[1, 1, 2, 1],
                                               embed_dim_per_stage=[16, 32, 48, 64], num_attention_heads_per_stage=[1,
                                                                                                                    2,
                                                                                                                    3,
                                                                                                                    4],
                                               window_size_per_stage=[4, 2, 2, 2], global_attention_blocks=[3],
                                               window_positional_embedding_background_size=[4, 4])
    net = network("Sam2VisionModel", "Sam2VisionConfig", backbone_config=backbone, backbone_channel_list=[64, 48, 32,
                                                                                                          16],
                  backbone_feature_sizes=[[16, 16], [8, 8], [4, 4]], fpn_hidden_size=24)
    return plain(net, "pixel_values"), (image(),)


@architecture
def hf_aimv2_vision():
    return _seen("Aimv2VisionModel", "Aimv2VisionConfig", **VIT)


@architecture
def hf_textnet():
    return _seen("TextNetForImageClassification", "TextNetConfig", attention=None, stem_out_channels=16,
                 hidden_sizes=[16, 16, 24, 32, 48], image_size=[64, 64], num_labels=8,
                 conv_layer_kernel_sizes=[[[3, 3]], [[3, 3], [1, 3]], [[3, 1], [3, 3]], [[3, 3], [3, 1]]],
                 conv_layer_strides=[[1], [2, 1], [2, 1], [2, 1]])


@architecture
def hf_dinov3_convnext():
    return _seen("DINOv3ConvNextModel", "DINOv3ConvNextConfig", attention=None, hidden_sizes=[16, 24, 32, 48],
                 depths=[1, 1, 1, 1], image_size=64)


@architecture
def hf_eomt():
    return _seen("EomtForUniversalSegmentation", "EomtConfig", **VIT, num_blocks=1, num_queries=8, num_upscale_blocks=1,
                 num_register_tokens=2, num_labels=8, use_pretrained_backbone=False)


@architecture
def hf_clipseg():
    part = {"initializer_range": 0.12}
    net = network("CLIPSegForImageSegmentation", "CLIPSegConfig", vision_config=VIT | part | {"num_hidden_layers": 3},
                  text_config=SMALL | part | {"max_position_embeddings": 16}, projection_dim=32, extract_layers=[1, 2],
                  reduce_dim=16, decoder_num_attention_heads=2, decoder_intermediate_size=32, conditional_layer=0)
    return plain(net, "input_ids", "pixel_values"), (torch.randint(3, 96, (1, 8)), image())


@architecture
def hf_donut_swin():
    return _seen("DonutSwinModel", "DonutSwinConfig", attention=None, **SWIN)


@architecture
def hf_zoedepth():
    backbone = transformers.BeitConfig(**VIT | {"num_hidden_layers": 4, "patch_size": 8, "image_size": 32},
                                       use_relative_position_bias=True, reshape_hidden_states=False,
                                       out_features=["stage1", "stage2", "stage3", "stage4"])
    net = network("ZoeDepthForDepthEstimation", "ZoeDepthConfig", attention=None, backbone_config=backbone,
                  neck_hidden_sizes=[8, 16, 24, 24], fusion_hidden_size=16, bottleneck_features=16, num_attractors=[4,
                                                                                                                    2,
                                                                                                                    2,
                                                                                                                    1],
                  bin_embedding_dim=16, bin_configurations=[{"n_bins": 8, "min_depth": 0.001, "max_depth": 10.0,
                                                             "name": "near"}])
    return plain(net, "pixel_values"), (image(32),)


@architecture
def hf_dab_detr():
    return _queried("DabDetr", hidden_size=WIDTH, activation_function="prelu")


@architecture
def hf_levit():
    return _seen("LevitForImageClassification", "LevitConfig", attention=None, image_size=64,
                 hidden_sizes=[32, 48, 64], num_attention_heads=[2, 3, 4], depths=[1, 1, 1], key_dim=[8, 8, 8],
                 num_labels=8)


@architecture
def hf_efficientnet():
    return _seen("EfficientNetForImageClassification", "EfficientNetConfig", attention=None, image_size=64,
                 width_coefficient=0.35, depth_coefficient=0.5, hidden_dim=448, num_labels=8)


@architecture
def hf_mgp_str():
    net = network("MgpstrForSceneTextRecognition", "MgpstrConfig", image_size=[32, 64], patch_size=8,
                  max_token_length=6, num_bpe_labels=64, num_wordpiece_labels=64, hidden_size=WIDTH,
                  num_hidden_layers=LAYERS, num_attention_heads=HEADS, mlp_ratio=2.0)
    return plain(net, "pixel_values"), (image(32, width=64),)


@architecture
def hf_vjepa2():
    net = network("VJEPA2Model", "VJEPA2Config", patch_size=8, crop_size=32, frames_per_clip=4, hidden_size=WIDTH,
                  num_attention_heads=HEADS, num_hidden_layers=LAYERS, mlp_ratio=2.0, pred_hidden_size=24,
                  pred_num_attention_heads=2, pred_num_hidden_layers=1)
    return Flat(net, lambda net, x: net(pixel_values_videos=x, skip_predictor=True).last_hidden_state), (
        torch.randn(1, 4, 3, 32, 32),)


@architecture
def hf_vitmatte():
    backbone = transformers.VitDetConfig(**VIT | {"num_channels": 4}, window_size=2, mlp_ratio=2,
                                         residual_block_indices=[1], window_block_indices=[0],
                                         out_features=["stage2"])
    net = network("VitMatteForImageMatting", "VitMatteConfig", attention=None, backbone_config=backbone,
                  hidden_size=WIDTH, convstream_hidden_sizes=[8, 16, 24], fusion_hidden_sizes=[32, 24, 16, 8])
    return plain(net, "pixel_values"), (image(channels=4),)


@architecture
def hf_ijepa():
    return _seen("IJepaModel", "IJepaConfig", **VIT)


@architecture
def hf_seggpt():
    net = network("SegGptForImageSegmentation", "SegGptConfig", attention=None, hidden_size=WIDTH,
                  num_hidden_layers=LAYERS, num_attention_heads=HEADS, image_size=[64, 32], patch_size=8,
                  pretrain_image_size=32, mlp_dim=96, decoder_hidden_size=16, merge_index=0,
                  intermediate_hidden_state_indices=[0, 1])
    return plain(net, "pixel_values", "prompt_pixel_values", "prompt_masks"), (image(32), image(32), image(32))


@architecture
def hf_d_fine():
    backbone = transformers.HGNetV2Config(stem_channels=[3, 8, 16], stage_in_channels=[16, 16, 24, 32],
                                          stage_mid_channels=[8, 8, 16, 16], stage_out_channels=[16, 24, 32, 48],
                                          stage_num_blocks=[1, 1, 1, 1], stage_numb_of_layers=[2, 2, 2, 2],
                                          embedding_size=16, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1],
                                          out_features=["stage2", "stage3", "stage4"])
    net = network("DFineForObjectDetection", "DFineConfig", attention=None, backbone_config=backbone,
                  encoder_hidden_dim=32, encoder_in_channels=[24, 32, 48], encoder_ffn_dim=64,
                  encoder_attention_heads=4, d_model=32, num_queries=16, decoder_in_channels=[32, 32, 32],
                  decoder_ffn_dim=64, decoder_layers=2, decoder_attention_heads=4, decoder_n_points=4, num_labels=8,
                  anchor_image_size=[64, 64], eval_size=None)
    return plain(net, "pixel_values"), (image(),)
