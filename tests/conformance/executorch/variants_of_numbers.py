"""Operators of whole numbers and truth values, and with numbers on either side, as networks write them; each a branch
as in branches.py."""

from __future__ import annotations

from typing import Any

import torch
from torch import tensor
from torch.nn import functional
from variants import LAST, MASK, MATRIX, ONE, ROW, WHOLE_ROW, Branch


def _regions(x: Any) -> Any:
    at = torch.arange(6)
    region = ((at >= 2).long() + (at >= 4).long())[None][..., None]
    return region * 3 + x[:1, :, None]


def _padding(x: Any) -> Any:
    mask = x.ne(1).int()
    return ((torch.cumsum(mask, dim=1).type_as(mask) + 0) * mask).long() + 1


def _written(x: Any) -> Any:
    made = torch.zeros(6, 8)
    made[:, :4] = x[:, 4:]
    return made


def _row_written(x: Any) -> Any:
    made = x.clone()
    made[0] = 0.5
    return made


def _column_added(x: Any) -> Any:
    made = x.clone()
    made[:, 2:4] += 1
    return made


WHOLE_NUMBERS: dict[str, Branch] = {
    "n_add": (lambda x: x + 1, "n"),
    "n_add_both": (lambda x: x + x, "n"),
    "n_sub": (lambda x: 5 - x, "n"),
    "n_mul": (lambda x: x * 3, "n"),
    "n_mul_both": (lambda x: x * x, "n"),
    "n_floor_divide": (lambda x: x // 2, "n"),
    "n_remainder": (lambda x: x % 3, "n"),
    "n_div": (lambda x: x / 2, "n"),
    "n_div_floor": (lambda x: torch.div(x, 2, rounding_mode="floor"), "n"),
    "n_div_trunc": (lambda x: torch.div(x, 2, rounding_mode="trunc"), "n"),
    "n_neg": (lambda x: -x, "n"),
    "n_abs": (lambda x: (x - 3).abs(), "n"),
    "n_clamp": (lambda x: x.clamp(1, 4), "n"),
    "n_clamp_min": (lambda x: x.clamp(min=1), "n"),
    "n_minimum": (lambda x: torch.minimum(x, WHOLE_ROW), "n"),
    "n_maximum": (lambda x: torch.maximum(x, WHOLE_ROW), "n"),
    "n_cumsum": (lambda x: x.cumsum(1), "n"),
    "n_sum": (lambda x: x.sum(1), "n"),
    "n_sum_of_all": (lambda x: x.sum(), "n"),
    "n_max": (lambda x: x.max(1)[0], "n"),
    "n_amax": (lambda x: x.amax(1), "n"),
    "n_argmax": (lambda x: x.argmax(1), "n"),
    "n_prod": (lambda x: x.prod(1), "n"),
    "n_equal": (lambda x: x == 2, "n"),
    "n_not_equal_whole": (lambda x: (x != 1).int(), "n"),
    "n_greater": (lambda x: x > WHOLE_ROW, "n"),
    "n_positions": (lambda x: (x.ne(1).int().cumsum(1) * x.ne(1).int()).long() + 1, "n"),
    "n_mask": (lambda x: (1.0 - (x != 1).float()) * -1e4, "n"),
    "n_mask_filled": (lambda x: (1.0 - x.ne(1).float()).masked_fill((1.0 - x.ne(1).float()).bool(), -1e4), "n"),
    "n_mask_of_four": (lambda x: x.ne(1)[:, None, None, :].expand(2, 1, 6, 6), "n"),
    "n_mask_causal": (lambda x: x.ne(1)[:, None, None, :] & torch.ones(6, 6).tril().bool(), "n"),
    "n_mask_inverted": (lambda x: ~x.ne(1), "n"),
    "n_mask_where": (lambda x: torch.where(x.ne(1), 0.0, -1e4), "n"),
    "n_where": (lambda x: torch.where(x > 2, x, 0), "n"),
    "n_where_both": (lambda x: torch.where(x > 2, x, x + 1), "n"),
    "n_masked_fill": (lambda x: x.masked_fill(x == 2, 0), "n"),
    "n_embedding": (lambda x: functional.embedding(x, MATRIX), "n"),
    "n_embedding_of_sum": (lambda x: functional.embedding(x + 1, MATRIX), "n"),
    "n_one_hot": (lambda x: functional.one_hot(x, 8), "n"),
    "n_cat": (lambda x: torch.cat((x, x + 1), 1), "n"),
    "n_stack": (lambda x: torch.stack((x, x + 1)), "n"),
    "n_unbind": (lambda x: (x + 1).unbind(0)[1], "n"),
    "n_flip": (lambda x: x.flip(1), "n"),
    "n_roll": (lambda x: x.roll(1, 1), "n"),
    "n_slice": (lambda x: x[:, 1:] + 1, "n"),
    "n_shifted": (lambda x: functional.pad(x[:, :-1], (1, 0)), "n"),
    "n_gather": (lambda x: x.gather(1, tensor([[1, 0], [2, 3]])), "n"),
    "n_gather_by": (lambda x, y: y.expand(2, 8).gather(1, x), "nv"),
    "n_index": (lambda x: x[:, LAST], "n"),
    "n_repeat": (lambda x: x.repeat(1, 2), "n"),
    "n_expand": (lambda x: x[:, :, None].expand(2, 6, 3), "n"),
    "n_transpose": (lambda x: x.t() + 1, "n"),
    "n_reshape": (lambda x: x.reshape(3, 4) + 1, "n"),
    "n_sort": (lambda x: x.sort(1)[0], "n"),
    "n_topk": (lambda x: x.topk(2, 1)[0], "n"),
    "n_float": (lambda x: x.float() * 0.5, "n"),
    "n_log": (lambda x: torch.log(x.float() + 1), "n"),
    "n_buckets": (
        lambda x: torch.where(x < 4, x, 4 + (torch.log((x + 1).float() / 4) * 2).to(torch.int64)), "n"),
    "n_relative": (lambda x: (x[:, None, :] - x[:, :, None]).abs(), "n"),
    "n_and": (lambda x: (x > 1) & (x < 4), "n"),
    "n_or": (lambda x: (x > 1) | (x < 4), "n"),
    "n_xor": (lambda x: (x > 1) ^ (x < 4), "n"),
    "n_and_bits": (lambda x: x & WHOLE_ROW, "n"),
    "n_any": (lambda x: (x > 1).any(1), "n"),
    "n_all": (lambda x: (x > 1).all(1), "n"),
    "n_count": (lambda x: (x > 1).sum(1), "n"),
    "n_count_whole": (lambda x: (x > 1).long().sum(-1), "n"),
    "n_truth_cumsum": (lambda x: (x > 1).cumsum(1), "n"),
    "n_truth_to_whole": (lambda x: (x > 1).long(), "n"),
    "n_truth_times": (lambda x, y: (x > 1)[0].float() * y, "nw"),
    "n_truth_product": (lambda x, y: y * (x > 1)[0], "nw"),
    "n_whole_product": (lambda x, y: y * x[0], "nw"),
    "n_truth_stacked": (lambda x: torch.stack((x > 1, x > 2)), "n"),
    "n_truth_joined": (lambda x: torch.cat((x > 1, x > 2)), "n"),
    "n_scatter": (lambda x: torch.zeros(2, 8).scatter(1, x, 1.0), "n"),
    "n_scatter_add": (lambda x: torch.zeros(2, 8).scatter_add(1, x, torch.ones(2, 6)), "n"),
    "n_bincount_like": (lambda x: (x[..., None] == torch.arange(8)).sum(1), "n"),
    "n_square": (lambda x: x**2, "n"),
    "n_sign": (lambda x: torch.sign(x - 2), "n"),
    "n_fill": (lambda x: torch.full_like(x, 3) + x, "n"),
    "n_zeros": (lambda x: torch.zeros_like(x) + x, "n"),
    "n_arange": (lambda x: torch.arange(6)[None] + x, "n"),
    "n_mean": (lambda x: x.float().mean(1), "n"),
    "n_regions": (lambda x: _regions(x), "n"),
    "n_positions_of_padding": (lambda x: _padding(x), "n"),
    "n_sinus": (lambda x: torch.sin(x[..., None] * ROW), "n"),
}

WITH_NUMBERS: dict[str, Branch] = {
    "s_times": (lambda x: 2 * x, "c"),
    "s_times_whole": (lambda x: x * 3, "c"),
    "s_over": (lambda x: 2 / (x + 1), "c"),
    "s_divided": (lambda x: x / 3, "c"),
    "s_from": (lambda x: 1.5 - x, "c"),
    "s_minus": (lambda x: x - 0.5, "c"),
    "s_squared": (lambda x: x**2, "c"),
    "s_cubed": (lambda x: x**3, "c"),
    "s_rooted": (lambda x: x**0.5, "c"),
    "s_inverted": (lambda x: (x + 1) ** -1, "c"),
    "s_inverse_root": (lambda x: (x + 1) ** -0.5, "c"),
    "s_floor_divide": (lambda x: x // 0.25, "c"),
    "s_remainder": (lambda x: x % 0.25, "c"),
    "s_fmod": (lambda x: torch.fmod(x, 0.25), "c"),
    "s_less": (lambda x: 0.5 < x, "c"),
    "s_equal": (lambda x: x == 0.5, "c"),
    "s_not_equal": (lambda x: x != 0.5, "c"),
    "s_clamp": (lambda x: x.clamp(0.2, 0.8), "c"),
    "s_clamp_max": (lambda x: x.clamp(max=0.8), "c"),
    "s_where_number": (lambda x: torch.where(x > 0.5, x, 0.0), "c"),
    "s_where_numbers": (lambda x: torch.where(x > 0.5, 1.0, 0.0), "c"),
    "s_where_of_constants": (lambda x: torch.where(MASK, x, ROW), "c"),
    "s_maximum_of_row": (lambda x: torch.maximum(x, ROW), "c"),
    "s_row_minus": (lambda x: ROW - x, "c"),
    "s_row_divided": (lambda x: ROW / (x + 1), "c"),
    "s_times_one": (lambda x: x * ONE, "c"),
    "s_times_scalar": (lambda x: x * ONE[0], "c"),
    "s_times_mask": (lambda x: x * MASK, "c"),
    "s_times_mask_in_float": (lambda x: x * MASK.float(), "c"),
    "s_plus_whole_row": (lambda x: x + torch.arange(8), "c"),
    "s_times_identity": (lambda x: x @ torch.eye(8), "c"),
    "s_alpha": (lambda x: torch.add(x, x, alpha=0.5), "c"),
    "s_alpha_sub": (lambda x: torch.sub(x, ROW, alpha=2), "c"),
    "s_masked_fill": (lambda x: x.masked_fill(x > 0.5, 0.0), "c"),
    "s_masked_minus_infinity": (lambda x: torch.softmax(x.masked_fill(MASK, float("-inf")), -1), "c"),
    "s_is_nan": (lambda x: torch.where(torch.isnan(x), 0.0, x), "c"),
    "s_truth_as_float": (lambda x: (x > 0.5).float(), "c"),
    "s_truth_times": (lambda x: x * (x > 0.5), "c"),
    "s_not": (lambda x: ~(x > 0.5), "c"),
    "s_ceil": (torch.ceil, "c"),
    "s_round": (torch.round, "c"),
    "s_trunc": (torch.trunc, "c"),
    "s_to_whole": (lambda x: (x * 8).to(torch.int64), "c"),
    "s_to_whole_32": (lambda x: (x * 8).int(), "c"),
    "s_to_whole_and_back": (lambda x: (x * 8).long().float() * 0.1, "c"),
    "s_to_double": (lambda x: x.double().float(), "c"),
    "s_to_half": (lambda x: x.half().float(), "c"),
    "s_log": (lambda x: torch.log(x + 1e-6), "c"),
    "s_log1p": (torch.log1p, "c"),
    "s_log2": (lambda x: torch.log2(x + 1), "c"),
    "s_expm1": (torch.expm1, "c"),
    "s_tan": (torch.tan, "c"),
    "s_sinh": (torch.sinh, "c"),
    "s_atan2": (lambda x: torch.atan2(x, x + 1), "c"),
    "s_erf": (torch.erf, "c"),
    "s_gelu_tanh": (lambda x: functional.gelu(x, approximate="tanh"), "c"),
    "s_gelu_by_hand": (lambda x: 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.04 * x**3))), "c"),
    "s_gelu_by_erf": (lambda x: x * 0.5 * (1.0 + torch.erf(x / 1.414)), "c"),
    "s_quick_gelu": (lambda x: x * torch.sigmoid(1.702 * x), "c"),
    "s_squared_relu": (lambda x: torch.relu(x - 0.5).square(), "c"),
    "s_mish": (functional.mish, "c"),
    "s_hardswish": (functional.hardswish, "c"),
    "s_hardsigmoid": (functional.hardsigmoid, "c"),
    "s_elu": (lambda x: functional.elu(x - 0.5), "c"),
    "s_elu_plus": (lambda x: functional.elu(x - 0.5) + 1, "c"),
    "s_leaky": (lambda x: functional.leaky_relu(x - 0.5, 0.1), "c"),
    "s_soft_capped": (lambda x: torch.tanh(x / 30) * 30, "c"),
    "s_dropout": (lambda x: functional.dropout(x, 0.1, training=False), "c"),
    "s_logsumexp": (lambda x: torch.logsumexp(x, -1), "c"),
    "s_cumprod": (lambda x: x.cumprod(-1), "c"),
    "s_diff": (lambda x: torch.diff(x), "c"),
    "s_linspace": (lambda x: x + torch.linspace(-3, 3, 8), "c"),
    "s_linspace_of_grid": (lambda x: torch.stack(torch.meshgrid(
        torch.linspace(-3, 3, 6), torch.linspace(-3, 3, 8), indexing="ij")) + x, "c"),
    "s_ones_like": (lambda x: x + torch.ones_like(x), "c"),
    "s_new_zeros": (lambda x: torch.cat((x, x.new_zeros(2, 8))), "c"),
    "s_zeros_written": (lambda x: _written(x), "c"),
    "s_row_written": (lambda x: _row_written(x), "c"),
    "s_column_added": (lambda x: _column_added(x), "c"),
    "s_index_put": (lambda x: x.clone().index_put((LAST,), x[:3]), "c"),
    "s_slice_scatter": (lambda x: torch.slice_scatter(x, x[:2] * 2, 0, 1, 3), "c"),
    "s_scatter": (lambda x: x.scatter(1, LAST.expand(6, 3), 0.0), "c"),
    "s_scatter_of": (lambda x: x.scatter(1, LAST.expand(6, 3), x[:, :3] * 2), "c"),
    "s_gather": (lambda x: x.gather(1, LAST.expand(6, 3)), "c"),
    "s_argmax_gathered": (lambda x: x.gather(1, x.argmax(1, keepdim=True)), "c"),
    "s_topk_masked": (lambda x: x * (x >= x.topk(3)[0][:, -1:]), "c"),
    "s_sort_descending": (lambda x: x.sort(-1, descending=True)[0], "c"),
    "s_max_with_index": (lambda x: x.max(-1)[0], "c"),
    "s_index_of_mask": (lambda x: x[:, MASK], "c"),
    "s_last": (lambda x: x[-1], "c"),
    "s_stepped": (lambda x: x[1::2], "c"),
    "s_new_axis": (lambda x: x[:, None, :] + x[None], "c"),
    "s_narrow": (lambda x: x.narrow(1, 2, 4), "c"),
    "s_squeeze": (lambda x: x.squeeze(), "b"),
    "s_unflatten": (lambda x: x.unflatten(1, (2, 4)), "c"),
    "s_repeat_interleave_rows": (lambda x: x.repeat_interleave(2, 0), "c"),
    "s_repeat_interleave_last": (lambda x: x * x[..., :4].repeat_interleave(2, -1), "a"),
    "s_expand_heads": (lambda x: x[:, :, None].expand(1, 4, 2, 8, 8).reshape(1, 8, 8, 8), "a"),
    "s_flip_two": (lambda x: x.flip((2, 3)), "a"),
    "s_roll_two": (lambda x: x.roll((1, 2), (2, 3)), "a"),
    "s_diagonal": (torch.diagonal, "d"),
    "s_tril_masked": (lambda x: x.masked_fill(torch.ones(8, 8).tril() == 0, -10.0), "d"),
    "s_triu_of_ones": (lambda x: x + torch.triu(torch.ones(8, 8), 1) * -5, "d"),
    "s_rfft": (lambda x: torch.fft.rfft(x).abs(), "c"),
    "s_complex": (lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(6, 4, 2))), "c"),
    "s_bucketed": (lambda x: torch.searchsorted(ROW, x), "c"),
    "s_bmm_by_hand": (lambda x: (x[:, :, None] * x.t()[None]).sum(1), "c"),
    "s_mean_of_none": (lambda x: x.mean(), "c"),
    "s_var_biased": (lambda x: x.var(-1, correction=0), "c"),
    "s_standardized": (lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6), "c"),
    "s_norm_of_one": (lambda x: x.norm(p=1, dim=-1), "c"),
    "s_softmax_of_two": (lambda x: torch.softmax(x.flatten(-2), -1).view(1, 4, 8, 8), "a"),
}

OF_NUMBERS = WHOLE_NUMBERS | WITH_NUMBERS
