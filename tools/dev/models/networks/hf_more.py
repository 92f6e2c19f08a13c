"""More networks of transformers: text, decoders with and without cache, pictures, sound, series."""

from __future__ import annotations

import torch
import transformers

from hf import HEADS, LAYERS, LENGTH, SMALL, VOCABULARY, WIDTH, cached, detector, network, plain, token_inputs
from hf_decoders import GROUPED, MIXED, _prompt
from hf_encoders import _encoder
from hf_speech import WHISPER, _waves
from hf_vision import RESNET, STAGES, SWIN, VIT, _seen
from registry import Flat, architecture, image, tokens

SEQ2SEQ = {"vocab_size": VOCABULARY, "d_model": WIDTH, "encoder_layers": 1, "decoder_layers": 1,
           "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": 96,
           "decoder_ffn_dim": 96, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1,
           "eos_token_id": 2, "decoder_start_token_id": 1, "forced_eos_token_id": None, "use_cache": False}


@architecture
def hf_rembert():
    return _encoder("RemBertForSequenceClassification", "RemBertConfig", input_embedding_size=24,
                    output_embedding_size=32)


@architecture
def hf_megatron_bert():
    return _encoder("MegatronBertForSequenceClassification", "MegatronBertConfig")


@architecture
def hf_lilt():
    net = network("LiltModel", "LiltConfig", **SMALL | {"hidden_size": 48}, max_2d_position_embeddings=64,
                  channel_shrink_ratio=4)
    low = torch.randint(0, 30, (1, LENGTH, 2))
    return plain(net, "input_ids", "bbox"), (*token_inputs(), torch.cat([low, low + 20], -1))


@architecture
def hf_roberta_prelayernorm():
    return _encoder("RobertaPreLayerNormForSequenceClassification", "RobertaPreLayerNormConfig")


@architecture
def hf_xmod():
    return _encoder("XmodForSequenceClassification", "XmodConfig", default_language="en_XX")


@architecture
def hf_eurobert():
    return _encoder("EuroBertForMaskedLM", "EuroBertConfig", num_key_value_heads=2)


@architecture
def hf_visual_bert():
    net = network("VisualBertModel", "VisualBertConfig", **SMALL, visual_embedding_dim=24)
    return plain(net, "input_ids", "visual_embeds"), (*token_inputs(8), torch.randn(1, 6, 24))


def _sequences(family: str, kind: str = "Model", **more):
    net = network(f"{family}{kind}", f"{family}Config", **SEQ2SEQ | more)
    return plain(net, "input_ids", "decoder_input_ids"), (*token_inputs(), *token_inputs(8))


@architecture
def hf_pegasus():
    return _sequences("Pegasus")


@architecture
def hf_mbart():
    return _sequences("MBart")


@architecture
def hf_blenderbot_small():
    return _sequences("BlenderbotSmall")


@architecture
def hf_umt5_encoder():
    net = network("UMT5EncoderModel", "UMT5Config", vocab_size=VOCABULARY, d_model=WIDTH, d_kv=12, d_ff=96,
                  num_layers=LAYERS, num_heads=HEADS, initializer_factor=1.0)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_openai_gpt():
    net = network("OpenAIGPTLMHeadModel", "OpenAIGPTConfig", vocab_size=VOCABULARY, n_positions=64, n_embd=WIDTH,
                  n_layer=LAYERS, n_head=HEADS)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_arcee():
    return _prompt("Arcee", num_key_value_heads=2)


@architecture
def hf_apertus():
    return _prompt("Apertus", num_key_value_heads=2, hidden_act="relu2")


@architecture
def hf_doge():
    return _prompt("Doge", num_key_value_heads=2)


@architecture
def hf_glm4_cache():
    return cached(network("Glm4ForCausalLM", "Glm4Config", **SMALL, **GROUPED), 2, 16)


@architecture
def hf_helium():
    return _prompt("Helium", num_key_value_heads=2, head_dim=12)


@architecture
def hf_hunyuan_cache():
    return cached(network("HunYuanDenseV1ForCausalLM", "HunYuanDenseV1Config", **SMALL, **GROUPED), 2, 16)


@architecture
def hf_seed_oss():
    return _prompt("SeedOss", **GROUPED)


@architecture
def hf_jais2():
    return _prompt("Jais2", num_key_value_heads=2)


@architecture
def hf_qwen3_cache():
    return cached(network("Qwen3ForCausalLM", "Qwen3Config", **SMALL, **GROUPED), 2, 16)


@architecture
def hf_youtu():
    return _prompt("Youtu", num_key_value_heads=HEADS, kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=8,
                   qk_rope_head_dim=8, v_head_dim=12, head_dim=8)


@architecture
def hf_lfm2_moe():
    return _prompt("Lfm2Moe", None, num_key_value_heads=2, num_experts=4, num_dense_layers=1,
                   layer_types=["conv", "full_attention"], **MIXED)


@architecture
def hf_vit():
    return _seen("ViTForImageClassification", "ViTConfig", **VIT, num_labels=8)


@architecture
def hf_deit():
    return _seen("DeiTForImageClassificationWithTeacher", "DeiTConfig", **VIT, num_labels=8)


@architecture
def hf_swin():
    return _seen("SwinForImageClassification", "SwinConfig", attention=None, **SWIN, num_labels=8)


@architecture
def hf_resnet():
    return _seen("ResNetForImageClassification", "ResNetConfig", attention=None, **RESNET, num_labels=8)


@architecture
def hf_regnet():
    return _seen("RegNetForImageClassification", "RegNetConfig", attention=None, **STAGES, embedding_size=16,
                 groups_width=8)


@architecture
def hf_swiftformer():
    return _seen("SwiftFormerForImageClassification", "SwiftFormerConfig", attention=None, depths=[1, 1, 1, 1],
                 embed_dims=[16, 24, 32, 48], num_labels=8)


@architecture
def hf_pvt():
    return _seen("PvtForImageClassification", "PvtConfig", attention=None, image_size=64,
                 num_attention_heads=[1, 2, 2, 4], **STAGES)


@architecture
def hf_dinov2_with_registers():
    return _seen("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig", **VIT, num_register_tokens=2,
                 use_swiglu_ffn=True)


@architecture
def hf_blip_vision():
    return _seen("BlipVisionModel", "BlipVisionConfig", **VIT, initializer_range=0.12)


@architecture
def hf_chinese_clip_vision():
    return _seen("ChineseCLIPVisionModel", "ChineseCLIPVisionConfig", **VIT)


@architecture
def hf_internvl_vision():
    sizes = VIT | {"image_size": [64, 64], "patch_size": [16, 16]}
    return _seen("InternVLVisionModel", "InternVLVisionConfig", **sizes, use_qk_norm=True, norm_type="rms_norm")


@architecture
def hf_pixio():
    return _seen("PixioModel", "PixioConfig", **VIT, n_cls_tokens=2, mlp_ratio=2)


@architecture
def hf_qformer():
    """What stands between the eyes and the words of BLIP-2."""
    net = network("Blip2QFormerModel", "Blip2QFormerConfig", **SMALL, encoder_hidden_size=32,
                  cross_attention_frequency=1)
    return plain(net, "query_embeds", "encoder_hidden_states"), (torch.randn(1, 6, WIDTH), torch.randn(1, 10, 32))


@architecture
def hf_pp_lcnet():
    return _seen("PPLCNetForImageClassification", "PPLCNetConfig", attention=None, scale=0.35, class_expand=64,
                 num_labels=8)


@architecture
def hf_prompt_depth_anything():
    backbone = transformers.Dinov2Config(**VIT | {"image_size": 56, "patch_size": 14}, out_indices=[1, 2],
                                         reshape_hidden_states=False, apply_layernorm=True)
    net = network("PromptDepthAnythingForDepthEstimation", "PromptDepthAnythingConfig", backbone_config=backbone,
                  patch_size=14, reassemble_hidden_size=WIDTH, neck_hidden_sizes=[16, 24], reassemble_factors=[2, 1],
                  fusion_hidden_size=16, head_hidden_size=8)
    return plain(net, "pixel_values"), (image(56),)


@architecture
def hf_unispeech_sat():
    return _waves("UniSpeechSatForCTC", "UniSpeechSatConfig")


@architecture
def hf_qwen2_audio_encoder():
    small = {k: v for k, v in WHISPER.items() if k.startswith("encoder") or k in ("num_mel_bins", "d_model",
                                                                                 "max_source_positions")}
    net = network("Qwen2AudioEncoder", "Qwen2AudioEncoderConfig", **small)
    return plain(net, "input_features"), (torch.randn(1, 16, 64),)


@architecture
def hf_musicgen_melody():
    net = network("MusicgenMelodyModel", "MusicgenMelodyDecoderConfig", vocab_size=VOCABULARY, hidden_size=WIDTH,
                  num_hidden_layers=LAYERS, ffn_dim=96, num_attention_heads=HEADS, num_codebooks=2, pad_token_id=0,
                  use_cache=False)
    return plain(net, "input_ids", use_cache=False), (tokens(LENGTH, VOCABULARY, 2),)


@architecture
def hf_granite_speech_ctc():
    from transformers.models.granite_speech.modeling_granite_speech import GraniteSpeechCTCEncoder

    config = transformers.GraniteSpeechConfig(encoder_config={
        "input_dim": 32, "num_layers": 2, "hidden_dim": WIDTH, "feedforward_mult": 2, "num_heads": HEADS,
        "dim_head": 12, "output_dim": 24, "context_size": 16, "max_pos_emb": 16, "conv_kernel_size": 7}).encoder_config
    return Flat(GraniteSpeechCTCEncoder(config), lambda net, x: net(x)[0]), (torch.randn(1, 32, 32),)


@architecture
def hf_lasr_encoder():
    return plain(network("LasrEncoder", "LasrEncoderConfig", hidden_size=WIDTH, num_hidden_layers=LAYERS,
                         num_attention_heads=HEADS, intermediate_size=96, num_mel_bins=16, conv_kernel_size=8,
                         subsampling_conv_channels=16), "input_features"), (torch.randn(1, 64, 16),)


@architecture
def hf_lw_detr():
    backbone = transformers.LwDetrViTConfig(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS,
                                            mlp_ratio=2, image_size=64, pretrain_image_size=64, patch_size=8,
                                            window_block_indices=[0], num_windows=4, out_indices=[1, 2])
    net = network("LwDetrForObjectDetection", "LwDetrConfig", attention=None, backbone_config=backbone, d_model=32,
                  projector_scale_factors=[1.0], c2f_num_blocks=1, decoder_ffn_dim=64, decoder_n_points=2,
                  decoder_layers=2, decoder_self_attention_heads=4, decoder_cross_attention_heads=4, num_queries=16,
                  group_detr=1, num_labels=8)
    return detector(net)


@architecture
def hf_time_series_transformer():
    net = network("TimeSeriesTransformerModel", "TimeSeriesTransformerConfig", prediction_length=8, context_length=16,
                  lags_sequence=[1, 2, 3], num_time_features=2, encoder_layers=1, decoder_layers=1, d_model=32,
                  encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
                  use_cache=False)
    seen = torch.rand(1, 19) + 0.5
    return plain(net, "past_values", "past_time_features", "past_observed_mask", "future_values",
                 "future_time_features"), (seen, torch.rand(1, 19, 2), torch.ones(1, 19), torch.rand(1, 8) + 0.5,
                                           torch.rand(1, 8, 2))
