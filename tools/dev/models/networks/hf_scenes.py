"""More networks of transformers that see: detectors, readers of text, matchers, masks, encoders of language models."""

from __future__ import annotations

import torch
import transformers
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VisionTransformerPretrainedModel

from hf import HEADS, LAYERS, WIDTH, detector, network, plain
from hf_vision import VIT, _seen
from registry import Flat, architecture, image

def _lcnet(*strides) -> transformers.PPLCNetV3Config:
    """A backbone of PaddleOCR; a block is a kernel, channels in and out, a stride, squeeze and excite."""
    blocks = [[[3, 16, 32, strides[0], False]], [[3, 32, 64, strides[1], False]], [[3, 64, 128, strides[2], False]],
              [[5, 128, 128, strides[3], False]], [[5, 128, 256, strides[4], True]]]
    return transformers.PPLCNetV3Config(scale=0.5, block_configs=blocks,
                                        out_features=["stage2", "stage3", "stage4", "stage5"])


@architecture
def hf_dinov3_vit():
    return _seen("DINOv3ViTModel", "DINOv3ViTConfig", **VIT, num_register_tokens=2)


@architecture
def hf_vit_mae_decoder():
    net = network("ViTMAEForPreTraining", "ViTMAEConfig", **VIT, decoder_num_attention_heads=HEADS,
                  decoder_hidden_size=32, decoder_num_hidden_layers=1, decoder_intermediate_size=64)

    def call(net, hidden):
        return net.decoder(hidden, torch.arange(16).unsqueeze(0)).logits

    return Flat(net, call), (torch.randn(1, 5, WIDTH),)


@architecture
def hf_mask2former():
    backbone = transformers.SwinConfig(image_size=64, patch_size=4, embed_dim=16, depths=[1, 1, 1, 1],
                                       num_heads=[1, 2, 4, 8], window_size=4,
                                       out_features=["stage1", "stage2", "stage3", "stage4"])
    net = network("Mask2FormerForUniversalSegmentation", "Mask2FormerConfig", attention=None, backbone_config=backbone,
                  feature_size=32, mask_feature_size=32, hidden_dim=32, encoder_feedforward_dim=64, encoder_layers=1,
                  decoder_layers=2, num_attention_heads=4, dim_feedforward=64, num_queries=8, num_labels=8)

    def call(net, x):
        out = net(x)
        return out.class_queries_logits, out.masks_queries_logits

    return Flat(net, call), (image(),)


@architecture
def hf_rf_detr():
    backbone = transformers.RfDetrDinov2Config(hidden_size=WIDTH, num_hidden_layers=4, num_attention_heads=HEADS,
                                               mlp_ratio=2, image_size=64, patch_size=8, num_windows=2,
                                               window_block_indexes=[0, 2], out_features=["stage2", "stage4"])
    net = network("RfDetrForObjectDetection", "RfDetrConfig", attention=None, backbone_config=backbone, d_model=32,
                  decoder_ffn_dim=64, decoder_n_points=2, decoder_layers=2, decoder_self_attention_heads=4,
                  decoder_cross_attention_heads=4, num_queries=16, group_detr=1, c2f_num_blocks=1, num_labels=8)
    return detector(net)


@architecture
def hf_pp_ocr_det():
    net = network("PPOCRV5MobileDetForObjectDetection", "PPOCRV5MobileDetConfig", attention=None,
                  backbone_config=_lcnet(1, 2, 2, 2, 2), neck_out_channels=24, layer_list_out_channels=[8, 12, 16, 32])
    return plain(net, "pixel_values"), (image(),)


@architecture
def hf_pp_ocr_rec():
    net = network("PPOCRV5MobileRecForTextRecognition", "PPOCRV5MobileRecConfig",
                  backbone_config=_lcnet(1, [2, 1], [2, 1], [1, 2], [2, 1]), hidden_size=32, depth=1,
                  num_attention_heads=4, head_out_channels=96)
    return plain(net, "pixel_values"), (image(48, width=96),)


@architecture
def hf_efficientloftr():
    net = network("EfficientLoFTRModel", "EfficientLoFTRConfig", stage_num_blocks=[1, 1, 1, 1],
                  out_features=[16, 16, 24, 32], hidden_size=32, num_attention_layers=1, num_attention_heads=4,
                  rope_parameters={"rope_theta": 10000.0, "rope_type": "default", "partial_rotary_factor": 2.0})
    return plain(net, "pixel_values"), (torch.stack([image(64), image(64)], 1),)


@architecture
def hf_sam_decoder():
    """What runs for each click: the prompt, and the masks."""
    net = network("SamModel", "SamConfig",
                  vision_config={"hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": HEADS,
                                 "mlp_dim": 96, "image_size": 64, "patch_size": 8, "window_size": 4,
                                 "global_attn_indexes": [0], "output_channels": 32, "num_pos_feats": 16},
                  prompt_encoder_config={"hidden_size": 32, "image_size": 64, "patch_size": 8,
                                         "image_embedding_size": 8},
                  mask_decoder_config={"hidden_size": 32, "mlp_dim": 64, "num_attention_heads": HEADS,
                                       "iou_head_hidden_dim": 32})

    def call(net, embeddings, points):
        out = net(image_embeddings=embeddings, input_points=points, multimask_output=True)
        return out.pred_masks, out.iou_scores

    return Flat(net, call), (torch.randn(1, 32, 8, 8), torch.rand(1, 1, 2, 2) * 60)


@architecture
def hf_mobilenet_v2():
    return _seen("MobileNetV2ForImageClassification", "MobileNetV2Config", attention=None, depth_multiplier=0.35,
                 num_labels=8)


@architecture
def hf_qwen2_5_vl_vision():
    config = transformers.Qwen2_5_VLConfig(
        vision_config={"depth": LAYERS, "hidden_size": WIDTH, "intermediate_size": 96, "num_heads": HEADS,
                       "out_hidden_size": 64, "patch_size": 8, "window_size": 32, "fullatt_block_indexes": [1],
                       "initializer_range": 0.12})
    config.vision_config._attn_implementation = "eager"
    net = Qwen2_5_VisionTransformerPretrainedModel(config.vision_config)
    grid = torch.tensor([[1, 8, 8]])
    return Flat(net, lambda net, x: net(x, grid_thw=grid).last_hidden_state), (torch.randn(64, 3 * 2 * 8 * 8),)


@architecture
def hf_hiera():
    return _seen("HieraForImageClassification", "HieraConfig", attention=None, embed_dim=16, image_size=[64, 64],
                 depths=[1, 1, 1, 1], num_labels=8)


@architecture
def hf_owlv2():
    part = {"initializer_range": 0.12}
    net = network("Owlv2ForObjectDetection", "Owlv2Config", vision_config=VIT | part, projection_dim=WIDTH,
                  text_config={"vocab_size": 96, "hidden_size": WIDTH, "num_hidden_layers": 1, "intermediate_size": 96,
                               "num_attention_heads": HEADS, "eos_token_id": 2, "pad_token_id": 0} | part)

    def call(net, x):
        features = net.image_embedder(x)[0]
        flat = features.reshape(1, -1, features.shape[-1])
        return net.box_head(flat), net.objectness_predictor(flat)

    return Flat(net, call), (image(),)
