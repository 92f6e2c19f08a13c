"""Encoders of text, and sequence to sequence, of transformers."""

from __future__ import annotations

import torch

from hf import LENGTH, SMALL, VOCABULARY, WIDTH, network, plain, token_inputs
from registry import Flat, architecture, image

CLASSES = {"num_labels": 8}


def _encoder(kind: str, config: str, attention: str | None = "eager", **more):
    net = network(kind, config, attention=attention, **SMALL, **CLASSES, **more)
    return plain(net, "input_ids", "attention_mask"), (*token_inputs(), torch.ones(1, LENGTH, dtype=torch.long))


@architecture
def hf_bert():
    return _encoder("BertForSequenceClassification", "BertConfig")


@architecture
def hf_distilbert():
    return _encoder("DistilBertForSequenceClassification", "DistilBertConfig", "sdpa",
                    dim=WIDTH, n_layers=2, n_heads=4, hidden_dim=2 * WIDTH)


@architecture
def hf_albert():
    return _encoder("AlbertForSequenceClassification", "AlbertConfig", embedding_size=24)


@architecture
def hf_mobilebert():
    return _encoder("MobileBertForSequenceClassification", "MobileBertConfig", embedding_size=24,
                    intra_bottleneck_size=24, true_hidden_size=24)


@architecture
def hf_deberta_v2():
    return _encoder("DebertaV2ForSequenceClassification", "DebertaV2Config", None, relative_attention=True,
                    position_buckets=8, pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm",
                    share_att_key=True, position_biased_input=False)


@architecture
def hf_squeezebert():
    return _encoder("SqueezeBertForSequenceClassification", "SqueezeBertConfig", None, embedding_size=WIDTH)


@architecture
def hf_modernbert():
    return _encoder("ModernBertForMaskedLM", "ModernBertConfig", global_attn_every_n_layers=2, local_attention=8)


@architecture
def hf_mpnet():
    return _encoder("MPNetForSequenceClassification", "MPNetConfig", None)


T5 = {"vocab_size": VOCABULARY, "d_model": WIDTH, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4,
      "feed_forward_proj": "gated-gelu"}


@architecture
def hf_t5_encoder():
    return plain(network("T5EncoderModel", "T5Config", attention=None, **T5), "input_ids"), token_inputs()


@architecture
def hf_t5_decoder():
    net = network("T5ForConditionalGeneration", "T5Config", attention=None, **T5, use_cache=False)

    def call(net, states, ids):
        return net.lm_head(net.decoder(input_ids=ids, encoder_hidden_states=states, return_dict=False)[0])

    return Flat(net, call), (torch.randn(1, LENGTH, WIDTH), *token_inputs(8))


@architecture
def hf_bart():
    net = network("BartModel", "BartConfig", vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=2,
                  decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96,
                  decoder_ffn_dim=96, max_position_embeddings=64, pad_token_id=0, use_cache=False)
    return plain(net, "input_ids", "decoder_input_ids"), (*token_inputs(), *token_inputs(8))


@architecture
def hf_clip_text():
    net = network("CLIPTextModelWithProjection", "CLIPTextConfig", **SMALL, projection_dim=32)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_perceiver():
    net = network("PerceiverForMaskedLM", "PerceiverConfig", attention=None, num_latents=8, d_latents=48, d_model=48,
                  num_blocks=1, num_self_attends_per_block=2, num_self_attention_heads=4,
                  num_cross_attention_heads=4, qk_channels=48, v_channels=48, vocab_size=VOCABULARY,
                  max_position_embeddings=LENGTH)
    return plain(net, "inputs"), token_inputs()


@architecture
def hf_patchtst():
    net = network("PatchTSTForPrediction", "PatchTSTConfig", attention="eager", num_input_channels=3,
                  context_length=32, patch_length=4, patch_stride=4, num_hidden_layers=2, d_model=32,
                  num_attention_heads=4, ffn_dim=64, prediction_length=8)
    return plain(net, "past_values"), (torch.randn(1, 32, 3),)


@architecture
def hf_electra():
    return _encoder("ElectraForSequenceClassification", "ElectraConfig", embedding_size=24)


@architecture
def hf_nystromformer():
    return _encoder("NystromformerForSequenceClassification", "NystromformerConfig", None, num_landmarks=4,
                    segment_means_seq_len=LENGTH, conv_kernel_size=5)


@architecture
def hf_marian():
    net = network("MarianModel", "MarianConfig", vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=2,
                  decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96,
                  decoder_ffn_dim=96, max_position_embeddings=64, pad_token_id=0, decoder_start_token_id=0,
                  activation_function="swish", scale_embedding=True, use_cache=False)
    return plain(net, "input_ids", "decoder_input_ids"), (*token_inputs(), *token_inputs(8))


@architecture
def hf_patchtsmixer():
    net = network("PatchTSMixerForPrediction", "PatchTSMixerConfig", attention=None, num_input_channels=3,
                  context_length=32, patch_length=8, patch_stride=8, d_model=16, num_layers=2, mode="mix_channel",
                  prediction_length=8)
    return plain(net, "past_values"), (torch.randn(1, 32, 3),)


@architecture
def hf_xlnet():
    net = network("XLNetForSequenceClassification", "XLNetConfig", attention=None, vocab_size=VOCABULARY, d_model=WIDTH,
                  n_layer=2, n_head=4, d_inner=96, **CLASSES)
    return plain(net, "input_ids", use_mems=False), token_inputs()


@architecture
def hf_funnel():
    net = network("FunnelBaseModel", "FunnelConfig", attention=None, vocab_size=VOCABULARY, block_sizes=[1, 1],
                  d_model=WIDTH,
                  n_head=4, d_head=12, d_inner=96)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_convbert():
    return _encoder("ConvBertForSequenceClassification", "ConvBertConfig", None, embedding_size=24, conv_kernel_size=5)


@architecture
def hf_roformer():
    return _encoder("RoFormerForSequenceClassification", "RoFormerConfig", None, embedding_size=WIDTH)


@architecture
def hf_deberta():
    return _encoder("DebertaForSequenceClassification", "DebertaConfig", None, relative_attention=True,
                    pos_att_type=["p2c", "c2p"], max_relative_positions=16, position_biased_input=False)


@architecture
def hf_esm():
    return _encoder("EsmForMaskedLM", "EsmConfig", position_embedding_type="rotary", mask_token_id=3,
                    token_dropout=True)


@architecture
def hf_layoutlm():
    net = network("LayoutLMForTokenClassification", "LayoutLMConfig", **SMALL, **CLASSES, max_2d_position_embeddings=64)
    boxes = torch.randint(0, 32, (1, LENGTH, 2)).repeat(1, 1, 2) + torch.tensor([0, 0, 8, 8])
    return plain(net, "input_ids", "bbox"), (*token_inputs(), boxes)


@architecture
def hf_switch_transformer():
    net = network("SwitchTransformersEncoderModel", "SwitchTransformersConfig", attention=None, vocab_size=VOCABULARY,
                  d_model=WIDTH, d_kv=12, d_ff=96, num_layers=2, num_sparse_encoder_layers=1, num_heads=4,
                  num_experts=2, expert_capacity=LENGTH)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_longt5_encoder():
    net = network("LongT5EncoderModel", "LongT5Config", attention=None, **T5, local_radius=4,
                  encoder_attention_type="local")
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_timesfm():
    net = network("TimesFmModel", "TimesFmConfig", patch_length=8, context_length=32, horizon_length=8,
                  num_hidden_layers=2, hidden_size=WIDTH, intermediate_size=96, head_dim=12, num_attention_heads=4)

    def call(net, values):
        return net(past_values=values, past_values_padding=torch.zeros(1, 32), freq=torch.zeros(1, 1, dtype=torch.long),
                   return_dict=True).last_hidden_state

    return Flat(net, call), (torch.randn(1, 32),)


@architecture
def hf_big_bird():
    return _encoder("BigBirdForSequenceClassification", "BigBirdConfig", attention_type="original_full")


@architecture
def hf_canine():
    net = network("CanineModel", "CanineConfig", **SMALL, num_hash_buckets=64, local_transformer_stride=8)
    return plain(net, "input_ids", "attention_mask"), (*token_inputs(), torch.ones(1, LENGTH, dtype=torch.long))


@architecture
def hf_tapas():
    net = network("TapasForSequenceClassification", "TapasConfig", **SMALL, **CLASSES,
                  type_vocab_sizes=[2, 8, 8, 2, 8, 8, 4])
    kinds = torch.randint(0, 2, (1, LENGTH, 7))
    return plain(net, "input_ids", "token_type_ids"), (*token_inputs(), kinds)


@architecture
def hf_xlm():
    net = network("XLMForSequenceClassification", "XLMConfig", vocab_size=VOCABULARY, emb_dim=WIDTH, n_layers=2,
                  n_heads=4, max_position_embeddings=64, pad_token_id=0, n_langs=1, use_lang_emb=False, **CLASSES)
    return plain(net, "input_ids"), token_inputs()


@architecture
def hf_autoformer():
    net = network("AutoformerModel", "AutoformerConfig", attention=None, prediction_length=4, context_length=16,
                  lags_sequence=[1, 2], d_model=WIDTH, encoder_attention_heads=4, decoder_attention_heads=4,
                  encoder_layers=1, decoder_layers=1, moving_average=5, use_cache=False)
    return _forecast(net, 16 + 2)


@architecture
def hf_informer():
    net = network("InformerModel", "InformerConfig", prediction_length=4, context_length=16, lags_sequence=[1, 2],
                  d_model=WIDTH, encoder_attention_heads=4, decoder_attention_heads=4, encoder_layers=1,
                  decoder_layers=1, attention_type="full", use_cache=False)
    return _forecast(net, 16 + 2)


def _forecast(net, past: int):
    """A forecaster of one series with a time feature and nothing else known."""
    def call(net, values, times):
        return net(past_values=values, past_time_features=times, past_observed_mask=torch.ones_like(values),
                   return_dict=True).encoder_last_hidden_state

    return Flat(net, call), (torch.randn(1, past), torch.randn(1, past, net.config.num_time_features))


@architecture
def hf_xlm_roberta():
    return _encoder("XLMRobertaForTokenClassification", "XLMRobertaConfig", "sdpa")


@architecture
def hf_layoutlmv3():
    net = network("LayoutLMv3ForTokenClassification", "LayoutLMv3Config", attention=None, **SMALL, **CLASSES,
                  max_2d_position_embeddings=64, coordinate_size=8, shape_size=8, rel_pos_bins=8, max_rel_pos=16,
                  rel_2d_pos_bins=8, max_rel_2d_pos=32, input_size=32, patch_size=8)
    boxes = torch.randint(0, 32, (1, LENGTH, 2)).repeat(1, 1, 2) + torch.tensor([0, 0, 8, 8])
    return plain(net, "input_ids", "bbox", "pixel_values"), (*token_inputs(), boxes, image(32))


@architecture
def hf_nomic_bert():
    net = network("NomicBertModel", "NomicBertConfig", **SMALL, head_dim=12)
    return plain(net, "input_ids", "attention_mask"), (*token_inputs(), torch.ones(1, LENGTH, dtype=torch.long))


@architecture
def hf_lxmert():
    small = {name: value for name, value in SMALL.items() if name != "num_hidden_layers"}
    net = network("LxmertModel", "LxmertConfig", attention=None, **small, l_layers=1, x_layers=1, r_layers=1,
                  visual_feat_dim=32)
    return plain(net, "input_ids", "visual_feats", "visual_pos"), (*token_inputs(), torch.randn(1, 6, 32),
                                                                   torch.rand(1, 6, 4))


@architecture
def hf_m2m_100():
    net = network("M2M100Model", "M2M100Config", vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=1,
                  decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96,
                  decoder_ffn_dim=96, max_position_embeddings=64, pad_token_id=0, decoder_start_token_id=2,
                  use_cache=False)
    return plain(net, "input_ids", "decoder_input_ids"), (*token_inputs(), *token_inputs(8))
