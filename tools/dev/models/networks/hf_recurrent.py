"""State space models and other recurrences of transformers."""

from __future__ import annotations

import torch

from hf import LAYERS, SMALL, VOCABULARY, WIDTH, network, plain, token_inputs
from registry import architecture

LENGTH = 8


def _prompt(kind: str, config: str, **settings):
    net = network(kind, config, attention=None, **settings)
    return plain(net, "input_ids", use_cache=False), token_inputs(LENGTH)


@architecture
def hf_mamba():
    return _prompt("MambaForCausalLM", "MambaConfig", vocab_size=VOCABULARY, hidden_size=32, state_size=8,
                   num_hidden_layers=LAYERS, time_step_rank=4)


@architecture
def hf_mamba2():
    return _prompt("Mamba2ForCausalLM", "Mamba2Config", vocab_size=VOCABULARY, hidden_size=32, state_size=8,
                   num_hidden_layers=LAYERS, num_heads=4, head_dim=16, n_groups=2, chunk_size=8)


@architecture
def hf_falcon_mamba():
    return _prompt("FalconMambaForCausalLM", "FalconMambaConfig", vocab_size=VOCABULARY, hidden_size=32,
                   state_size=8, num_hidden_layers=LAYERS, time_step_rank=4)


@architecture
def hf_rwkv():
    net = network("RwkvForCausalLM", "RwkvConfig", attention=None, vocab_size=VOCABULARY, hidden_size=WIDTH,
                  num_hidden_layers=LAYERS, attention_hidden_size=WIDTH, intermediate_size=96, context_length=64)
    return plain(net, "input_ids", use_cache=False), token_inputs(LENGTH)


@architecture
def hf_recurrent_gemma():
    net = network("RecurrentGemmaForCausalLM", "RecurrentGemmaConfig", attention=None, **SMALL, head_dim=12,
                  lru_width=WIDTH, attention_window_size=16, num_key_value_heads=1,
                  block_types=["recurrent", "attention"])
    mask = torch.ones(1, LENGTH, dtype=torch.long)
    return plain(net, "input_ids", "attention_mask", use_cache=False), (*token_inputs(LENGTH), mask)


@architecture
def hf_lfm2():
    net = network("Lfm2ForCausalLM", "Lfm2Config", **SMALL, num_key_value_heads=2, block_auto_adjust_ff_dim=False,
                  layer_types=["conv", "full_attention"])
    mask = torch.ones(1, LENGTH, dtype=torch.long)
    return plain(net, "input_ids", "attention_mask", use_cache=False), (*token_inputs(LENGTH), mask)


@architecture
def hf_jamba():
    return _prompt("JambaForCausalLM", "JambaConfig", **SMALL, num_key_value_heads=2, attn_layer_period=2,
                   attn_layer_offset=1, num_experts=1, num_experts_per_tok=1, expert_layer_offset=1, mamba_d_state=8,
                   mamba_dt_rank=4, use_mamba_kernels=False)


@architecture
def hf_bamba():
    return _prompt("BambaForCausalLM", "BambaConfig", **SMALL, num_key_value_heads=2, attn_layer_indices=[1],
                   mamba_n_heads=8, mamba_d_head=12, mamba_n_groups=2, mamba_d_state=8, mamba_chunk_size=8,
                   num_logits_to_keep=0)


@architecture
def hf_zamba2():
    return _prompt("Zamba2ForCausalLM", "Zamba2Config", **SMALL, mamba_d_state=8, mamba_ngroups=2, n_mamba_heads=4,
                   mamba_headdim=24, chunk_size=8, layers_block_type=["mamba", "hybrid"], num_mem_blocks=1,
                   use_mem_rope=True, use_mamba_kernels=False)


@architecture
def hf_qwen3_next():
    return _prompt("Qwen3NextForCausalLM", "Qwen3NextConfig", **SMALL, num_key_value_heads=2, head_dim=16,
                   linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
                   layer_types=["linear_attention", "full_attention"], mlp_only_layers=[0, 1])


@architecture
def hf_minimax():
    return _prompt("MiniMaxForCausalLM", "MiniMaxConfig", **SMALL, num_key_value_heads=2, head_dim=12, block_size=4,
                   num_local_experts=2, num_experts_per_tok=1, layer_types=["linear_attention", "full_attention"],
                   experts_implementation="batched_mm")


@architecture
def hf_falcon_h1():
    return _prompt("FalconH1ForCausalLM", "FalconH1Config", **SMALL, num_key_value_heads=2, head_dim=12,
                   mamba_d_ssm=48, mamba_n_heads=4, mamba_d_head=12, mamba_n_groups=1, mamba_d_state=8,
                   mamba_chunk_size=8)


@architecture
def hf_xlstm():
    return _prompt("xLSTMForCausalLM", "xLSTMConfig", vocab_size=VOCABULARY, hidden_size=64, embedding_dim=64,
                   num_hidden_layers=LAYERS, num_blocks=LAYERS, num_heads=2, chunk_size=8,
                   ffn_round_up_to_multiple_of=16, autocast_kernel_dtype="float32")


@architecture
def hf_nemotron_h():
    small = {name: value for name, value in SMALL.items() if name != "num_hidden_layers"}
    return _prompt("NemotronHForCausalLM", "NemotronHConfig", **small,
                   layers_block_type=["linear_attention", "full_attention", "mlp"], num_key_value_heads=2, head_dim=12,
                   ssm_state_size=8, mamba_num_heads=4, mamba_head_dim=24, n_groups=2, chunk_size=8,
                   use_mamba_kernels=False)


@architecture
def hf_granitemoehybrid():
    return _prompt("GraniteMoeHybridForCausalLM", "GraniteMoeHybridConfig", **SMALL, num_key_value_heads=2,
                   layer_types=["linear_attention", "full_attention"], num_local_experts=0, shared_intermediate_size=96,
                   mamba_n_heads=8, mamba_d_head=12, mamba_n_groups=1, mamba_d_state=8, mamba_chunk_size=8,
                   embedding_multiplier=6.0, residual_multiplier=0.3)


@architecture
def hf_qwen3_5():
    return _prompt("Qwen3_5ForCausalLM", "Qwen3_5TextConfig", **SMALL, num_key_value_heads=2, head_dim=16,
                   linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
                   layer_types=["linear_attention", "full_attention"])
