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
    net = network(f"{family}ForCausalLM", f"{family}Config", attention=attention, **settings)
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
