"""Networks for speech and sound of transformers."""

from __future__ import annotations

import torch
from torch import nn

from hf import HEADS, LAYERS, LENGTH, SMALL, VOCABULARY, WIDTH, network, plain, token_inputs
from registry import Flat, architecture

SAMPLES = 1600
CONVOLUTIONS = {"conv_dim": (32, 32, 32), "conv_stride": (5, 4, 2), "conv_kernel": (10, 8, 4),
                "num_feat_extract_layers": 3, "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4}
WHISPER = {"vocab_size": VOCABULARY, "num_mel_bins": 16, "encoder_layers": LAYERS, "decoder_layers": LAYERS,
           "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": 96,
           "decoder_ffn_dim": 96, "d_model": WIDTH, "max_source_positions": 32, "max_target_positions": 32,
           "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 3,
           "suppress_tokens": None, "begin_suppress_tokens": None}


def _without_weight_norm(net: nn.Module) -> nn.Module:
    for module in net.modules():
        if hasattr(module, "parametrizations"):
            for name in list(module.parametrizations):
                nn.utils.parametrize.remove_parametrizations(module, name)
    return net


@architecture
def hf_whisper_encoder():
    net = network("WhisperModel", "WhisperConfig", **WHISPER).encoder
    return plain(net, "input_features"), (torch.randn(1, 16, 64),)


@architecture
def hf_whisper_decoder():
    net = network("WhisperForConditionalGeneration", "WhisperConfig", **WHISPER)

    def call(net, states, ids):
        return net.proj_out(net.model.decoder(input_ids=ids, encoder_hidden_states=states, use_cache=False,
                                              return_dict=False)[0])

    return Flat(net, call), (torch.randn(1, 32, WIDTH), *token_inputs(8))


@architecture
def hf_moonshine_encoder():
    net = network("MoonshineModel", "MoonshineConfig", vocab_size=VOCABULARY, hidden_size=WIDTH,
                  intermediate_size=96, encoder_num_hidden_layers=LAYERS, decoder_num_hidden_layers=LAYERS,
                  encoder_num_attention_heads=HEADS, decoder_num_attention_heads=HEADS).encoder
    return plain(net, "input_values"), (torch.randn(1, 3 * SAMPLES),)


def _waves(kind: str, config: str, attention: str | None = "eager", **more):
    settings = SMALL | CONVOLUTIONS | {"vocab_size": 24} | more
    net = network(kind, config, attention=attention, **settings)
    return plain(_without_weight_norm(net), "input_values"), (torch.randn(1, SAMPLES),)


@architecture
def hf_wav2vec2():
    return _waves("Wav2Vec2ForCTC", "Wav2Vec2Config")


@architecture
def hf_hubert():
    return _waves("HubertForCTC", "HubertConfig", do_stable_layer_norm=True)


@architecture
def hf_wavlm():
    return _waves("WavLMForCTC", "WavLMConfig", None, num_buckets=16, max_bucket_distance=32)


@architecture
def hf_ast():
    net = network("ASTForAudioClassification", "ASTConfig", **SMALL, num_labels=8, patch_size=8,
                  frequency_stride=8, time_stride=8, max_length=64, num_mel_bins=16)
    return plain(net, "input_values"), (torch.randn(1, 64, 16),)


@architecture
def hf_hifigan():
    net = network("SpeechT5HifiGan", "SpeechT5HifiGanConfig", attention=None, model_in_dim=16,
                  upsample_initial_channel=32, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8],
                  resblock_kernel_sizes=[3, 5], resblock_dilation_sizes=[[1, 3], [1, 3]])
    return Flat(net, lambda net, x: net(x)), (torch.randn(1, 16, 16),)


def _encodec():
    return network("EncodecModel", "EncodecConfig", attention=None, num_filters=8, hidden_size=32,
                   upsampling_ratios=[4, 4], num_residual_layers=1, num_lstm_layers=1, codebook_size=16,
                   codebook_dim=32, use_causal_conv=False)


@architecture
def hf_encodec_encoder():
    return Flat(_without_weight_norm(_encodec().encoder)), (torch.randn(1, 1, 256),)


@architecture
def hf_dac_decoder():
    net = network("DacModel", "DacConfig", attention=None, encoder_hidden_size=8, downsampling_ratios=[2, 4],
                  decoder_hidden_size=32, n_codebooks=2, codebook_size=16, codebook_dim=4, hidden_size=32)
    return Flat(net.decoder), (torch.randn(1, net.config.hidden_size, 16),)


@architecture
def hf_speech_to_text():
    net = network("Speech2TextModel", "Speech2TextConfig", vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=LAYERS,
                  decoder_layers=LAYERS, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
                  encoder_ffn_dim=96, decoder_ffn_dim=96, max_source_positions=64, max_target_positions=64,
                  conv_channels=32, input_feat_per_channel=16, use_cache=False)
    return plain(net, "input_features", "decoder_input_ids"), (torch.randn(1, 64, 16), *token_inputs(8))


@architecture
def hf_wav2vec2_conformer():
    return _waves("Wav2Vec2ConformerForCTC", "Wav2Vec2ConformerConfig", None, conv_depthwise_kernel_size=7)


@architecture
def hf_sew():
    return _waves("SEWForCTC", "SEWConfig", squeeze_factor=2)


@architecture
def hf_data2vec_audio():
    return _waves("Data2VecAudioForCTC", "Data2VecAudioConfig", conv_pos_kernel_size=5)


@architecture
def hf_wav2vec2_bert():
    net = network("Wav2Vec2BertForCTC", "Wav2Vec2BertConfig", attention=None, **SMALL | {"vocab_size": 24},
                  feature_projection_input_dim=32, conv_depthwise_kernel_size=7, left_max_position_embeddings=8,
                  right_max_position_embeddings=4)
    return plain(net, "input_features"), (torch.randn(1, 32, 32),)


@architecture
def hf_parakeet():
    net = network("ParakeetEncoder", "ParakeetEncoderConfig", hidden_size=WIDTH, num_hidden_layers=LAYERS,
                  num_attention_heads=HEADS, intermediate_size=96, num_mel_bins=16, subsampling_conv_channels=16,
                  conv_kernel_size=5, max_position_embeddings=64)
    return plain(net, "input_features"), (torch.randn(1, 64, 16),)


@architecture
def hf_speecht5_encoder():
    net = network("SpeechT5ForSpeechToText", "SpeechT5Config", attention=None, **SMALL | CONVOLUTIONS,
                  encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_attention_heads=HEADS,
                  decoder_attention_heads=HEADS, encoder_ffn_dim=96, decoder_ffn_dim=96,
                  encoder_max_relative_position=8, max_speech_positions=64, apply_spec_augment=False)
    return plain(_without_weight_norm(net.speecht5.encoder), "input_values"), (torch.randn(1, SAMPLES),)


@architecture
def hf_clap_audio():
    net = network("ClapAudioModel", "ClapAudioConfig", attention=None, spec_size=64, num_mel_bins=16, window_size=4,
                  patch_size=4,
                  patch_stride=[4, 4], patch_embeds_hidden_size=16, hidden_size=32, depths=[2, 2],
                  num_attention_heads=[2, 4], enable_fusion=False)
    return plain(net, "input_features"), (torch.randn(1, 1, 64, 16),)


@architecture
def hf_musicgen_decoder():
    net = network("MusicgenForCausalLM", "MusicgenDecoderConfig", vocab_size=VOCABULARY, hidden_size=WIDTH,
                  num_hidden_layers=LAYERS, num_attention_heads=HEADS, ffn_dim=96, num_codebooks=2,
                  max_position_embeddings=64, audio_channels=1, pad_token_id=0, bos_token_id=0)
    return (plain(net, "input_ids", "encoder_hidden_states", use_cache=False),
            (torch.randint(1, VOCABULARY, (2, 8)), torch.randn(1, LENGTH, WIDTH)))


@architecture
def hf_moonshine_decoder():
    net = network("MoonshineModel", "MoonshineConfig", vocab_size=VOCABULARY, hidden_size=WIDTH,
                  intermediate_size=96, encoder_num_hidden_layers=LAYERS, decoder_num_hidden_layers=LAYERS,
                  encoder_num_attention_heads=HEADS, decoder_num_attention_heads=HEADS).decoder

    def call(net, ids, states):
        return net(input_ids=ids, encoder_hidden_states=states, use_cache=False).last_hidden_state

    return Flat(net, call), (*token_inputs(8), torch.randn(1, LENGTH, WIDTH))


@architecture
def hf_unispeech():
    return _waves("UniSpeechForCTC", "UniSpeechConfig")


@architecture
def hf_sew_d():
    return _waves("SEWDForCTC", "SEWDConfig", None, squeeze_factor=2, max_position_embeddings=64, position_buckets=8,
                  share_att_key=True, relative_attention=True, pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm")


@architecture
def hf_mimi_encoder():
    net = network("MimiModel", "MimiConfig", num_filters=8, hidden_size=WIDTH, num_hidden_layers=1,
                  num_attention_heads=HEADS, num_key_value_heads=HEADS, head_dim=12, intermediate_size=96,
                  upsampling_ratios=[4, 4], codebook_dim=16, upsample_groups=WIDTH,
                  vector_quantization_hidden_dimension=16).encoder
    return Flat(_without_weight_norm(net), lambda net, x: net(x)[0]), (torch.randn(1, 1, SAMPLES),)


@architecture
def hf_fastspeech2():
    """The encoder, and the decoder on states that have the length of the speech."""
    net = network("FastSpeech2ConformerModel", "FastSpeech2ConformerConfig", attention=None, hidden_size=WIDTH,
                  vocab_size=24, num_mel_bins=16, encoder_layers=1, decoder_layers=1, encoder_linear_units=96,
                  decoder_linear_units=96, speech_decoder_postnet_layers=2, speech_decoder_postnet_units=32,
                  decoder_kernel_size=7, duration_predictor_channels=32, pitch_predictor_channels=32,
                  energy_predictor_channels=32)

    def call(net, ids, states):
        hidden = net.encoder(ids, return_dict=False)[0]
        speech = net.decoder(states, return_dict=False)[0]
        return hidden, net.duration_predictor.conv_layers[0](hidden.transpose(1, 2)), net.speech_decoder_postnet(speech)

    return Flat(net, call), (torch.randint(1, 24, (1, 12)), torch.randn(1, 24, WIDTH))


@architecture
def hf_univnet():
    net = network("UnivNetModel", "UnivNetConfig", attention=None, model_in_channels=8, model_hidden_channels=8,
                  num_mel_bins=16, resblock_kernel_sizes=[3, 3], resblock_stride_sizes=[4, 4],
                  resblock_dilation_sizes=[[1, 3], [1, 3]], kernel_predictor_num_blocks=1,
                  kernel_predictor_hidden_channels=8, initializer_range=0.1)
    _without_weight_norm(net)
    return plain(net, "input_features", "noise_sequence"), (torch.randn(1, 16, 16), torch.randn(1, 16, 8))


@architecture
def hf_seamless_encoder():
    net = network("SeamlessM4TForSpeechToText", "SeamlessM4TConfig", attention=None, hidden_size=WIDTH, vocab_size=96,
                  t2u_vocab_size=32, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=96, decoder_ffn_dim=96,
                  encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, speech_encoder_layers=LAYERS,
                  speech_encoder_attention_heads=HEADS, speech_encoder_intermediate_size=96,
                  feature_projection_input_dim=32, conv_depthwise_kernel_size=7, max_source_positions=64).speech_encoder
    return plain(net, "input_features"), (torch.randn(1, 32, 32),)


@architecture
def hf_encodec_decoder():
    return Flat(_without_weight_norm(_encodec().decoder)), (torch.randn(1, 32, 16),)


@architecture
def hf_vits_flow():
    """From the text's prior to the wave: the flow, and the vocoder."""
    net = network("VitsModel", "VitsConfig", attention=None, vocab_size=24, hidden_size=WIDTH, num_hidden_layers=1,
                  num_attention_heads=2, ffn_dim=96, flow_size=16, spectrogram_bins=17, upsample_initial_channel=32,
                  upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8], resblock_kernel_sizes=[3],
                  resblock_dilation_sizes=[[1, 3]], prior_encoder_num_flows=2, prior_encoder_num_wavenet_layers=2,
                  posterior_encoder_num_wavenet_layers=1)

    def call(net, ids, latents):
        length = ids.shape[1]
        text = net.text_encoder(ids, torch.ones(1, length, 1), return_dict=False)[0]
        flowed = net.flow(latents, torch.ones(1, 1, latents.shape[2]), reverse=True)
        return text, net.decoder(flowed)

    return Flat(_without_weight_norm(net), call), (torch.randint(1, 24, (1, 12)), torch.randn(1, 16, 24))
