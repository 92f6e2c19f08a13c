"""Decoders of transformers: over a prompt, and one step with the cache."""

from __future__ import annotations

import torch

from hf import HEADS, LAYERS, LENGTH, SMALL, VOCABULARY, WIDTH, cached, network, plain, token_inputs
from registry import architecture

HEAD = 16
# These are called with a mask of their tokens, the others without one.
MASKED = {"GPTNeoX", "Mistral", "Qwen3", "Gemma2", "Olmo2", "Mixtral", "Phi", "Phi3",
          "Falcon"}
GROUPED = {"num_key_value_heads": 2, "head_dim": HEAD}


def _prompt(family: str, attention: str | None = "eager", **more):
    settings = SMALL | more
    kind = "LMHeadModel" if family == "CTRL" else "ForCausalLM"
    net = network(f"{family}{kind}", f"{family}Config", attention=attention, **settings)
    if family in MASKED:
        mask = torch.ones(1, LENGTH, dtype=torch.long)
        return plain(net, "input_ids", "attention_mask", use_cache=False), (*token_inputs(), mask)
    return plain(net, "input_ids", use_cache=False), token_inputs()


@architecture
def hf_gpt2():
    net = network("GPT2LMHeadModel", "GPT2Config", vocab_size=VOCABULARY, n_positions=64, n_embd=WIDTH,
                  n_layer=LAYERS, n_head=HEADS)
    return plain(net, "input_ids", use_cache=False), token_inputs()


@architecture
def hf_gpt2_cache():
    net = network("GPT2LMHeadModel", "GPT2Config", vocab_size=VOCABULARY, n_positions=64, n_embd=WIDTH,
                  n_layer=LAYERS, n_head=HEADS)
    return cached(net, HEADS, WIDTH // HEADS)


@architecture
def hf_gpt_neox():
    return _prompt("GPTNeoX", "sdpa")


@architecture
def hf_opt():
    return _prompt("OPT", ffn_dim=96, word_embed_proj_dim=WIDTH)


@architecture
def hf_bloom():
    return _prompt("Bloom", None, n_layer=LAYERS, n_head=HEADS)


@architecture
def hf_llama():
    return _prompt("Llama", **GROUPED)


@architecture
def hf_llama_cache():
    return cached(network("LlamaForCausalLM", "LlamaConfig", **SMALL, **GROUPED), 2, HEAD)


@architecture
def hf_mistral():
    return _prompt("Mistral", "sdpa", sliding_window=8, **GROUPED)


@architecture
def hf_qwen2_cache():
    return cached(network("Qwen2ForCausalLM", "Qwen2Config", **SMALL, num_key_value_heads=2), 2, WIDTH // HEADS)


@architecture
def hf_qwen3():
    return _prompt("Qwen3", **GROUPED)


@architecture
def hf_gemma2():
    return _prompt("Gemma2", sliding_window=8, query_pre_attn_scalar=HEAD, **GROUPED)


@architecture
def hf_gemma3_cache():
    net = network("Gemma3ForCausalLM", "Gemma3TextConfig", **SMALL, **GROUPED, sliding_window=32,
                  query_pre_attn_scalar=HEAD, layer_types=["full_attention"] * LAYERS)
    return cached(net, 2, HEAD)


@architecture
def hf_phi():
    return _prompt("Phi", "sdpa")


@architecture
def hf_phi3():
    return _prompt("Phi3", num_key_value_heads=2, sliding_window=None)


@architecture
def hf_falcon():
    return _prompt("Falcon", "eager", new_decoder_architecture=False, multi_query=True, parallel_attn=True, alibi=False)


@architecture
def hf_olmo2():
    return _prompt("Olmo2", num_key_value_heads=2)


@architecture
def hf_stablelm():
    return _prompt("StableLm", num_key_value_heads=2, hidden_size=64)


@architecture
def hf_mixtral():
    return _prompt("Mixtral", num_local_experts=4, num_experts_per_tok=2, experts_implementation="batched_mm",
                   **GROUPED)


@architecture
def hf_granite_cache():
    net = network("GraniteForCausalLM", "GraniteConfig", **SMALL, num_key_value_heads=2, embedding_multiplier=12.0,
                  attention_multiplier=0.05, residual_multiplier=0.22, logits_scaling=8.0)
    return cached(net, 2, WIDTH // HEADS)


@architecture
def hf_smollm3():
    return _prompt("SmolLM3", "sdpa", num_key_value_heads=2)


@architecture
def hf_gptj():
    return _prompt("GPTJ", n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=64, rotary_dim=8)


@architecture
def hf_mpt():
    return _prompt("Mpt", None, d_model=WIDTH, n_heads=HEADS, n_layers=LAYERS, max_seq_len=64, expansion_ratio=2)


@architecture
def hf_cohere():
    return _prompt("Cohere", num_key_value_heads=2, use_qk_norm=True)


@architecture
def hf_gemma_cache():
    return cached(network("GemmaForCausalLM", "GemmaConfig", **SMALL, num_key_value_heads=1, head_dim=HEAD), 1, HEAD)


@architecture
def hf_gpt_neo():
    return _prompt("GPTNeo", num_layers=LAYERS, attention_types=[[["global", "local"], 1]], num_heads=HEADS,
                   window_size=8, activation_function="gelu_new")


@architecture
def hf_gpt_bigcode():
    return _prompt("GPTBigCode", n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=64, n_inner=96)


@architecture
def hf_codegen():
    return _prompt("CodeGen", None, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=64, n_ctx=64, rotary_dim=8)


@architecture
def hf_xglm():
    return _prompt("XGLM", None, d_model=WIDTH, ffn_dim=96, num_layers=LAYERS, attention_heads=HEADS)


@architecture
def hf_starcoder2_cache():
    return cached(network("Starcoder2ForCausalLM", "Starcoder2Config", **SMALL, num_key_value_heads=2), 2,
                  WIDTH // HEADS)


@architecture
def hf_nemotron():
    return _prompt("Nemotron", None, num_key_value_heads=2, head_dim=12)


@architecture
def hf_olmo_cache():
    return cached(network("OlmoForCausalLM", "OlmoConfig", **SMALL, clip_qkv=4.0), HEADS, WIDTH // HEADS)


@architecture
def hf_deepseek_v3():
    return _prompt("DeepseekV3", num_key_value_heads=HEADS, kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=8,
                   qk_rope_head_dim=8, v_head_dim=12, first_k_dense_replace=LAYERS, head_dim=8)


@architecture
def hf_glm_cache():
    return cached(network("GlmForCausalLM", "GlmConfig", **SMALL, **GROUPED), 2, HEAD)


@architecture
def hf_gpt_oss():
    return _prompt("GptOss", **GROUPED, num_local_experts=4, num_experts_per_tok=2, sliding_window=8,
                   experts_implementation="batched_mm")


@architecture
def hf_diff_llama():
    return _prompt("DiffLlama", num_key_value_heads=2, head_dim=WIDTH // HEADS)


@architecture
def hf_biogpt():
    return _prompt("BioGpt")


@architecture
def hf_trocr_decoder():
    net = network("TrOCRForCausalLM", "TrOCRConfig", vocab_size=VOCABULARY, d_model=WIDTH, decoder_layers=LAYERS,
                  decoder_attention_heads=HEADS, decoder_ffn_dim=96, max_position_embeddings=64,
                  cross_attention_hidden_size=WIDTH,
                  pad_token_id=0, use_cache=False, is_decoder=True, add_cross_attention=True)
    states = torch.randn(1, LENGTH, WIDTH)
    return plain(net, "input_ids", "encoder_hidden_states", use_cache=False), (*token_inputs(8), states)


@architecture
def hf_decision_transformer():
    net = network("DecisionTransformerModel", "DecisionTransformerConfig", state_dim=6, act_dim=3, hidden_size=WIDTH,
                  max_ep_len=64, n_positions=64, n_layer=LAYERS, n_head=HEADS)
    steps = 5
    given = (torch.randn(1, steps, 6), torch.randn(1, steps, 3), torch.randn(1, steps, 1),
             torch.arange(steps).unsqueeze(0))
    return plain(net, "states", "actions", "returns_to_go", "timesteps",
                 attention_mask=torch.ones(1, steps, dtype=torch.long)), given


MIXED = {"num_experts_per_tok": 2, "moe_intermediate_size": 32, "experts_implementation": "batched_mm"}


@architecture
def hf_qwen2_moe():
    return _prompt("Qwen2Moe", num_key_value_heads=2, num_experts=4, shared_expert_intermediate_size=48, **MIXED)


@architecture
def hf_olmoe():
    return _prompt("Olmoe", "sdpa", num_key_value_heads=2, num_experts=4, num_experts_per_tok=2,
                   experts_implementation="batched_mm")


@architecture
def hf_deepseek_v2():
    return _prompt("DeepseekV2", kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=8, qk_rope_head_dim=8,
                   v_head_dim=12, first_k_dense_replace=1, n_routed_experts=4, n_shared_experts=1, **MIXED)


@architecture
def hf_granitemoe():
    return _prompt("GraniteMoe", num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2,
                   embedding_multiplier=6.0, residual_multiplier=0.3)


@architecture
def hf_persimmon():
    return _prompt("Persimmon", qk_layernorm=True)


@architecture
def hf_cohere2_cache():
    net = network("Cohere2ForCausalLM", "Cohere2Config", **SMALL, **GROUPED, sliding_window=32,
                  layer_types=["full_attention"] * LAYERS)
    return cached(net, 2, HEAD)


@architecture
def hf_nanochat():
    return _prompt("NanoChat", num_key_value_heads=2)


@architecture
def hf_exaone4():
    return _prompt("Exaone4", "sdpa", sliding_window=8, sliding_window_pattern=2, **GROUPED)


@architecture
def hf_imagegpt():
    net = network("ImageGPTForCausalImageModeling", "ImageGPTConfig", vocab_size=VOCABULARY, n_positions=64,
                  n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    return plain(net, "input_ids", use_cache=False), token_inputs()


@architecture
def hf_ctrl():
    return _prompt("CTRL", None, n_embd=WIDTH, dff=96, n_layer=LAYERS, n_head=HEADS, n_positions=64)


@architecture
def hf_qwen3_moe():
    return _prompt("Qwen3Moe", **GROUPED, num_experts=4, norm_topk_prob=True, **MIXED)


@architecture
def hf_ernie4_5_cache():
    return cached(network("Ernie4_5ForCausalLM", "Ernie4_5Config", **SMALL, **GROUPED), 2, HEAD)


@architecture
def hf_minicpm3():
    return _prompt("MiniCPM3", kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=12,
                   head_dim=8, num_key_value_heads=HEADS)


@architecture
def hf_olmo3_cache():
    net = network("Olmo3ForCausalLM", "Olmo3Config", **SMALL, num_key_value_heads=2, sliding_window=32,
                  layer_types=["full_attention"] * LAYERS)
    return cached(net, 2, WIDTH // HEADS)


@architecture
def hf_phimoe():
    return _prompt("Phimoe", num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2,
                   experts_implementation="batched_mm")


@architecture
def hf_modernbert_decoder():
    return _prompt("ModernBertDecoder", "sdpa", layer_types=["full_attention", "sliding_attention"], local_attention=8,
                   cls_token_id=1, sep_token_id=2)


@architecture
def hf_bitnet():
    return _prompt("BitNet", num_key_value_heads=2)


@architecture
def hf_vaultgemma_cache():
    net = network("VaultGemmaForCausalLM", "VaultGemmaConfig", **SMALL, **GROUPED, sliding_window=32,
                  query_pre_attn_scalar=HEAD, layer_types=["full_attention"] * LAYERS)
    return cached(net, 2, HEAD)
