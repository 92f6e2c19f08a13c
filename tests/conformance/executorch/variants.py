"""Operators of networks in other ranks and with other settings, each a branch as in branches.py."""

from __future__ import annotations

from typing import Any

import torch
from torch import tensor
from torch.nn import functional

Branch = tuple[Any, str]

# Inputs beside those of branches.py: five and six dimensions, whole numbers, three dimensions with channels, a picture.
SHAPES = {"e": (1, 4, 2, 6, 8), "f": (1, 2, 3, 2, 4, 8), "n": (2, 6), "t": (1, 8, 12), "p": (1, 8, 7, 7),
          "z": (8, 8, 3, 3)}
WHOLE = "n"  # of these inputs the numbers are whole

ROW = torch.linspace(-1, 1, 8)
ONE = tensor([0.75])
WHOLE_ROW = torch.arange(6)
LAST = tensor([1, 3, 0])
MASK = torch.arange(8) % 3 != 0
SMALL = torch.linspace(-0.5, 0.5, 8 * 8 * 3).reshape(8, 8, 3)
SQUARE = torch.linspace(-0.5, 0.5, 8 * 8 * 9).reshape(8, 8, 3, 3)
CUBE = torch.linspace(-0.5, 0.5, 4 * 4 * 27).reshape(4, 4, 3, 3, 3)

OTHER = torch.linspace(0.5, 1.5, 8)
TABLE = torch.linspace(-0.5, 0.5, 12).reshape(2, 6)
MATRIX = SMALL[:, :, 0].clone()
FLAT = CUBE[:, :, :1].clone()
HALVES = CUBE[..., :2, :2, :2].clone()
ONES_1D, HALF_1D = SMALL[:, :1].clone(), SMALL[:, :4].clone()
ONES_2D, HALF_2D, EVEN_2D = SQUARE[:, :1].clone(), SQUARE[:, :4].clone(), SQUARE[..., :2].clone()
FOUR = ROW[:4].clone()
SPREAD, FOUR_SPREAD = ROW.abs() + 0.1, FOUR.abs() + 0.1
THIRD, FOUR_OTHER, FOUR_THIRD = ROW * 0.3, FOUR + 1.5, FOUR * 0.3
TWICE_2D = torch.cat((ONES_2D, ONES_2D))

IN_FIVE: dict[str, Branch] = {
    "e_add": (lambda x: x + x * 0.5, "e"),
    "e_add_row": (lambda x: x + ROW, "e"),
    "e_matmul": (lambda x: x @ x.transpose(-1, -2), "e"),
    "e_softmax": (lambda x: torch.softmax(x, -1), "e"),
    "e_softmax_1": (lambda x: torch.softmax(x, 1), "e"),
    "e_softmax_2": (lambda x: torch.softmax(x, 2), "e"),
    "e_layer_norm": (lambda x: functional.layer_norm(x, (8,), OTHER, ROW), "e"),
    "e_layer_norm_plain": (lambda x: functional.layer_norm(x, (8,)), "e"),
    "e_gelu": (functional.gelu, "e"),
    "e_silu": (functional.silu, "e"),
    "e_sigmoid": (torch.sigmoid, "e"),
    "e_mean": (lambda x: x.mean((2, 3)), "e"),
    "e_mean_kept": (lambda x: x.mean((2, 3, 4), keepdim=True), "e"),
    "e_sum": (lambda x: x.sum(-1), "e"),
    "e_amax": (lambda x: x.amax(-1), "e"),
    "e_permute": (lambda x: x.permute(0, 2, 3, 4, 1), "e"),
    "e_to_channels_first": (lambda x: x.permute(0, 4, 1, 2, 3), "e"),
    "e_flatten": (lambda x: x.flatten(1), "e"),
    "e_cat": (lambda x: torch.cat((x, x * 0.5), 1), "e"),
    "e_slice": (lambda x: x[:, :, :, ::2], "e"),
    "e_select": (lambda x: x[:, 1], "e"),
    "e_unbind": (lambda x: torch.stack(x.unbind(2)[::-1], 1), "e"),
    "e_chunk": (lambda x: x.chunk(2, 1)[1], "e"),
    "e_expand": (lambda x: x[:, :1].expand(1, 4, 2, 6, 8), "e"),
    "e_repeat": (lambda x: x.repeat(1, 1, 2, 1, 1), "e"),
    "e_roll": (lambda x: torch.roll(x, (1, 1), (2, 3)), "e"),
    "e_flip": (lambda x: x.flip((2,)), "e"),
    "e_pad": (lambda x: functional.pad(x, (0, 0, 1, 1, 0, 1)), "e"),
    "e_where": (lambda x: torch.where(x > 0.5, x, x * 0.5), "e"),
    "e_masked_fill": (lambda x: x.masked_fill(MASK, -10.0), "e"),
    "e_index_select": (lambda x: x.index_select(3, LAST), "e"),
    "e_linear": (lambda x: functional.linear(x, MATRIX, ROW), "e"),
    "e_conv3d": (lambda x: functional.conv3d(x, CUBE, padding=1), "e"),
    "e_conv3d_stride": (lambda x: functional.conv3d(x, FLAT, stride=(1, 2, 2), padding=(0, 1, 1)), "e"),
    "e_conv_transpose3d": (lambda x: functional.conv_transpose3d(x, HALVES, stride=2), "e"),
    "e_avg_pool3d": (lambda x: functional.avg_pool3d(x, 2), "e"),
    "e_adaptive_avg_pool3d": (lambda x: functional.adaptive_avg_pool3d(x, (1, 3, 4)), "e"),
    "e_adaptive_avg_pool3d_to_one": (lambda x: functional.adaptive_avg_pool3d(x, 1), "e"),
    "e_adaptive_avg_pool3d_channels_last": (
        lambda x: functional.adaptive_avg_pool3d(x.permute(0, 4, 1, 2, 3), 1), "e"),
    "e_adaptive_avg_pool2d_channels_last": (
        lambda x: functional.adaptive_avg_pool2d(x.permute(0, 3, 1, 2), 1), "a"),
    "e_batch_norm": (lambda x: functional.batch_norm(x, FOUR, FOUR_SPREAD, FOUR_OTHER, FOUR_THIRD), "e"),
    "e_group_norm": (lambda x: functional.group_norm(x, 2, FOUR_OTHER, FOUR), "e"),
    "e_instance_norm": (functional.instance_norm, "e"),
    "e_cumsum": (lambda x: x.cumsum(-1), "e"),
    "e_topk": (lambda x: x.topk(3)[0], "e"),
    "e_normalize": (lambda x: functional.normalize(x, dim=-1), "e"),
    "e_rms": (lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), "e"),
    "e_scaled_dot_product": (lambda x: functional.scaled_dot_product_attention(x, x, x), "e"),
    "e_windows": (lambda x: x.view(1, 4, 1, 2, 2, 3, 8).permute(0, 1, 2, 4, 3, 5, 6).reshape(1, 4, 2, 6, 8), "e"),
    "e_qkv": (lambda x: torch.stack(x.permute(2, 0, 3, 1, 4).unbind(0)), "e"),
    "f_add": (lambda x: x + x * 0.5, "f"),
    "f_permute": (lambda x: x.permute(0, 1, 3, 2, 4, 5), "f"),
    "f_reshape": (lambda x: x.reshape(1, 2, 6, 4, 8), "f"),
    "f_windows": (lambda x: x.permute(0, 1, 3, 2, 4, 5).reshape(4, 12, 8), "f"),
    "f_relu": (torch.relu, "f"),
    "f_sum": (lambda x: x.sum(2), "f"),
    "f_matmul": (lambda x: x @ x.transpose(-1, -2), "f"),
    "f_softmax": (lambda x: torch.softmax(x, -1), "f"),
    "f_layer_norm": (lambda x: functional.layer_norm(x, (8,), OTHER, ROW), "f"),
    "f_linear": (lambda x: functional.linear(x, MATRIX, ROW), "f"),
    "f_slice": (lambda x: x[:, :, :, :, 1:], "f"),
    "f_expand": (lambda x: x[:, :, :1].expand(1, 2, 3, 2, 4, 8), "f"),
    "f_cat": (lambda x: torch.cat((x, x), 3), "f"),
}

IN_ONE: dict[str, Branch] = {
    "v_add": (lambda x: x + x * 0.5, "v"),
    "v_softmax": (lambda x: torch.softmax(x, -1), "v"),
    "v_log_softmax": (lambda x: torch.log_softmax(x, 0), "v"),
    "v_layer_norm": (lambda x: functional.layer_norm(x, (8,), OTHER, ROW), "v"),
    "v_rms_norm": (lambda x: functional.rms_norm(x, (8,), ROW), "v"),
    "v_linear": (lambda x: functional.linear(x, MATRIX, ROW), "v"),
    "v_matmul": (lambda x, y: x @ y, "vd"),
    "v_matmul_from_right": (lambda x, y: y @ x, "vd"),
    "v_cat": (lambda x, y: torch.cat((x, y)), "vw"),
    "v_slice": (lambda x: x[2:6], "v"),
    "v_select": (lambda x: x[3], "v"),
    "v_mean": (lambda x: x.mean(0), "v"),
    "v_sum_kept": (lambda x: x.sum(0, keepdim=True), "v"),
    "v_amax": (lambda x: x.amax(0), "v"),
    "v_cumsum": (lambda x: x.cumsum(0), "v"),
    "v_topk": (lambda x: x.topk(3)[0], "v"),
    "v_sort": (lambda x: x.sort()[0], "v"),
    "v_argmax": (lambda x: x.argmax(0), "v"),
    "v_flip": (lambda x: x.flip(0), "v"),
    "v_roll": (lambda x: x.roll(2), "v"),
    "v_gather": (lambda x: x.gather(0, LAST), "v"),
    "v_index": (lambda x: x[LAST], "v"),
    "v_stack": (lambda x: torch.stack((x, x * 2)), "v"),
    "v_expand": (lambda x: x.expand(3, 8), "v"),
    "v_repeat": (lambda x: x.repeat(2), "v"),
    "v_repeat_into_new": (lambda x: x.repeat(2, 1), "v"),
    "v_unsqueeze": (lambda x: x[None, :, None], "v"),
    "v_where": (lambda x: torch.where(x > 0.5, x, 0.0), "v"),
    "v_norm": (lambda x: x.norm(), "v"),
    "v_pad": (lambda x: functional.pad(x, (1, 2)), "v"),
    "v_split": (lambda x: x.split(4)[1], "v"),
    "v_unbind": (lambda x: x.unbind(0)[2], "v"),
    "v_sigmoid": (torch.sigmoid, "v"),
    "v_gelu": (functional.gelu, "v"),
    "scalar_of_mean": (lambda x: x * x.mean(), "c"),
    "scalar_of_sum_root": (lambda x: x / x.pow(2).sum().sqrt(), "c"),
    "scalar_of_max": (lambda x: x / x.abs().max(), "c"),
    "scalar_exp": (lambda x: x * ONE[0].exp(), "c"),
    "scalar_clamped": (lambda x: x.mean().clamp(0.1, 0.9) + x, "c"),
}

IN_THREE: dict[str, Branch] = {
    "t_conv1d": (lambda x: functional.conv1d(x, SMALL, ROW, padding=1), "t"),
    "t_conv1d_dilated": (lambda x: functional.conv1d(x, SMALL, ROW, dilation=2), "t"),
    "t_conv1d_depthwise": (lambda x: functional.conv1d(x, ONES_1D, ROW, padding=1, groups=8), "t"),
    "t_conv1d_grouped": (lambda x: functional.conv1d(x, HALF_1D, ROW, groups=2), "t"),
    "t_conv1d_same": (lambda x: functional.conv1d(x, SMALL, ROW, padding="same"), "t"),
    "t_conv1d_no_bias": (lambda x: functional.conv1d(x, SMALL, stride=2), "t"),
    "t_conv1d_of_computed": (lambda x: functional.conv1d(x, SMALL / SMALL.norm(dim=(1, 2), keepdim=True)), "t"),
    "t_conv_transpose1d": (lambda x: functional.conv_transpose1d(x, SMALL, ROW, stride=2, padding=1), "t"),
    "t_conv_transpose1d_padded": (
        lambda x: functional.conv_transpose1d(x, SMALL, ROW, stride=2, padding=1, output_padding=1), "t"),
    "t_conv_transpose1d_grouped": (lambda x: functional.conv_transpose1d(x, HALF_1D, stride=2, groups=2), "t"),
    "t_max_pool1d": (lambda x: functional.max_pool1d(x, 2), "t"),
    "t_avg_pool1d_padded": (lambda x: functional.avg_pool1d(x, 3, 2, 1), "t"),
    "t_adaptive_avg_pool1d": (lambda x: functional.adaptive_avg_pool1d(x, 4), "t"),
    "t_adaptive_avg_pool1d_to_one": (lambda x: functional.adaptive_avg_pool1d(x, 1), "t"),
    "t_batch_norm": (lambda x: functional.batch_norm(x, ROW, SPREAD, OTHER, THIRD), "t"),
    "t_batch_norm_of_two": (lambda x: functional.batch_norm(x, ROW, SPREAD, OTHER, THIRD), "c"),
    "t_batch_norm_plain": (lambda x: functional.batch_norm(x, ROW, SPREAD), "t"),
    "t_group_norm": (lambda x: functional.group_norm(x, 2, OTHER, ROW), "t"),
    "t_group_norm_plain": (lambda x: functional.group_norm(x, 4), "t"),
    "t_group_norm_of_two": (lambda x: functional.group_norm(x, 2, OTHER, ROW), "c"),
    "t_instance_norm": (functional.instance_norm, "t"),
    "t_instance_norm_affine": (lambda x: functional.instance_norm(x, weight=OTHER, bias=ROW), "t"),
    "t_pad_reflect": (lambda x: functional.pad(x, (2, 2), mode="reflect"), "t"),
    "t_pad_replicate": (lambda x: functional.pad(x, (2, 2), mode="replicate"), "t"),
    "t_pad_value": (lambda x: functional.pad(x, (2, 2), value=0.5), "t"),
    "t_pad_negative": (lambda x: functional.pad(x, (-1, -1)), "t"),
    "t_nearest1d": (lambda x: functional.interpolate(x, scale_factor=2), "t"),
    "t_glu": (lambda x: functional.glu(x, 1), "t"),
    "t_prelu": (lambda x: functional.prelu(x - 0.5, ROW), "t"),
    "t_prelu_of_one": (lambda x: functional.prelu(x - 0.5, ONE), "t"),
    "t_softmax_1": (lambda x: torch.softmax(x, 1), "t"),
    "t_softmax_0": (lambda x: torch.softmax(x, 0), "c"),
    "t_log_softmax_1": (lambda x: torch.log_softmax(x, 1), "t"),
    "t_layer_norm_of_two": (lambda x: functional.layer_norm(x, (8, 12)), "t"),
    "t_layer_norm_no_bias": (lambda x: functional.layer_norm(x, (8,), ROW), "b"),
    "t_rms_norm": (lambda x: functional.rms_norm(x, (8,), ROW), "b"),
    "t_cumsum_1": (lambda x: x.cumsum(1), "t"),
    "t_matmul_of_matrix": (lambda x, y: x @ y, "bd"),
    "t_matmul_to_batch": (lambda x, y: y @ x.mT, "bd"),
    "t_bmm": (lambda x: torch.bmm(x, x.mT), "b"),
    "t_einsum": (lambda x: torch.einsum("bnd,bmd->bnm", x, x), "b"),
    "t_einsum_of_four": (lambda x: torch.einsum("bchw,bcij->bhwij", x, x), "a"),
    "t_std": (lambda x: x.std(-1), "b"),
    "t_unfold_windows": (lambda x: x.unfold(2, 4, 4), "t"),
    "t_permute": (lambda x: x.permute(2, 0, 1), "t"),
    "t_attention": (lambda x: torch.softmax(x @ x.mT * 0.3 + MASK[:6].float() * -5, -1) @ x, "b"),
    "t_attention_filled": (
        lambda x: torch.softmax((x @ x.mT).masked_fill(MASK[:6], float("-inf")), -1) @ x, "b"),
    "t_attention_causal": (
        lambda x: functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True), "b"),
    "t_attention_masked": (
        lambda x: functional.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=MASK[:6].expand(6, 6)),
        "b"),
    "t_rotated": (lambda x: x * ROW.cos() + torch.cat((-x[..., 4:], x[..., :4]), -1) * ROW.sin(), "b"),
    "t_rotated_in_pairs": (lambda x: torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2) * ROW, "b"),
    "t_decay": (lambda x: torch.exp(-torch.exp(x)) * x, "b"),
}

PICTURES: dict[str, Branch] = {
    "p_max_pool_ceil": (lambda x: functional.max_pool2d(x, 3, 2, 1, ceil_mode=True), "p"),
    "p_max_pool_plain": (lambda x: functional.max_pool2d(x, 2), "p"),
    "p_max_pool_plain_ceil": (lambda x: functional.max_pool2d(x, 2, ceil_mode=True), "p"),
    "p_avg_pool_plain": (lambda x: functional.avg_pool2d(x, 2), "p"),
    "p_avg_pool_plain_padded": (lambda x: functional.avg_pool2d(x, 2, padding=1), "p"),
    "p_max_pool_same": (lambda x: functional.max_pool2d(x, 5, 1, 2), "p"),
    "p_max_pool_dilated": (lambda x: functional.max_pool2d(x, 2, 1, dilation=2), "p"),
    "p_max_pool_indices": (lambda x: functional.max_pool2d(x, 2, return_indices=True)[1], "p"),
    "p_max_unpool": (lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), 2), "a"),
    "p_avg_pool_ceil": (lambda x: functional.avg_pool2d(x, 2, ceil_mode=True), "p"),
    "p_avg_pool_counted": (lambda x: functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False), "p"),
    "p_adaptive_avg_uneven": (lambda x: functional.adaptive_avg_pool2d(x, 3), "p"),
    "p_adaptive_avg_one_way": (lambda x: functional.adaptive_avg_pool2d(x, (None, 1)), "p"),
    "p_adaptive_avg_larger": (lambda x: functional.adaptive_avg_pool2d(x, 14), "p"),
    "p_adaptive_max": (lambda x: functional.adaptive_max_pool2d(x, 1), "p"),
    "p_fold": (lambda x: functional.fold(functional.unfold(x, 2, stride=2), (8, 8), 2, stride=2), "a"),
    "p_unfold": (lambda x: functional.unfold(x, 3, padding=1), "a"),
    "p_bilinear": (lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"), "p"),
    "p_bilinear_corners": (lambda x: functional.interpolate(x, (9, 11), mode="bilinear", align_corners=True), "p"),
    "p_bilinear_smaller": (lambda x: functional.interpolate(x, (3, 3), mode="bilinear"), "p"),
    "p_bilinear_antialias": (lambda x: functional.interpolate(x, (3, 3), mode="bilinear", antialias=True), "p"),
    "p_bicubic": (lambda x: functional.interpolate(x, (9, 9), mode="bicubic"), "p"),
    "p_nearest_size": (lambda x: functional.interpolate(x, (10, 10)), "p"),
    "p_nearest_exact": (lambda x: functional.interpolate(x, scale_factor=2, mode="nearest-exact"), "p"),
    "p_grid_sample": (lambda x: functional.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False), "p"),
    "p_grid_sample_border": (
        lambda x: functional.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), padding_mode="border", align_corners=True),
        "p"),
    "p_conv_transposed": (lambda x: functional.conv_transpose2d(x, SQUARE, ROW, stride=2, padding=1), "p"),
    "p_conv_transposed_depthwise": (lambda x: functional.conv_transpose2d(x, ONES_2D, stride=2, groups=8), "p"),
    "p_conv_transposed_dilated": (lambda x: functional.conv_transpose2d(x, SQUARE, dilation=2), "p"),
    "p_conv_multiplied": (
        lambda x: functional.conv2d(x, TWICE_2D, padding=1, groups=8), "p"),
    "p_conv_of_two_groups": (lambda x: functional.conv2d(x, HALF_2D, padding=1, groups=2), "p"),
    "p_conv_one_sided": (lambda x: functional.conv2d(x, SQUARE, stride=(2, 1), padding=(1, 0)), "p"),
    "p_conv_same": (lambda x: functional.conv2d(x, EVEN_2D, padding="same"), "p"),
    "p_conv_dilated": (lambda x: functional.conv2d(x, SQUARE, dilation=2, padding=2), "p"),
    "p_conv_by_input": (lambda x, y: functional.conv2d(x, y, padding=1), "pz"),
    "p_conv_standardized": (
        lambda x, y: functional.conv2d(x, (y - y.mean((1, 2, 3), keepdim=True)) * 2, padding=1), "pz"),
    "p_batch_norm_alone": (lambda x: functional.batch_norm(x, ROW, SPREAD, OTHER, THIRD), "p"),
    "p_batch_norm_plain": (lambda x: functional.batch_norm(x, ROW, SPREAD), "p"),
    "p_batch_norm_by_batch": (lambda x: functional.batch_norm(x, None, None, training=True), "p"),
    "p_instance_norm": (lambda x: functional.instance_norm(x, weight=OTHER, bias=ROW), "p"),
    "p_group_norm_of_one": (lambda x: functional.group_norm(x, 1, OTHER, ROW), "p"),
    "p_layer_norm_of_channels": (
        lambda x: functional.layer_norm(x.permute(0, 2, 3, 1), (8,), OTHER, ROW).permute(0, 3, 1, 2), "p"),
    "p_layer_norm_by_hand": (
        lambda x: (x - x.mean(1, keepdim=True)) / torch.sqrt((x - x.mean(1, keepdim=True)).pow(2).mean(1, keepdim=True)
                                                             + 1e-6), "p"),
    "p_response_norm": (lambda x: x * (x.norm(dim=(2, 3), keepdim=True) / 2), "p"),
    "p_squeeze_excite": (lambda x: x * torch.sigmoid(x.mean((2, 3), keepdim=True)), "p"),
    "p_scaled_by_layer": (lambda x: x * ROW[:, None, None], "p"),
    "p_softmax_1": (lambda x: torch.softmax(x, 1), "p"),
    "p_softmax_2": (lambda x: torch.softmax(x, 2), "p"),
    "p_cat_channels": (lambda x: torch.cat((x, x.mean((2, 3), keepdim=True).expand(1, 8, 7, 7)), 1), "p"),
    "p_pixel_shuffle": (lambda x: functional.pixel_shuffle(x, 2), "p"),
    "p_channel_shuffle": (lambda x: functional.channel_shuffle(x, 2), "p"),
    "p_channel_shuffle_by_hand": (lambda x: x.view(1, 2, 4, 7, 7).transpose(1, 2).reshape(1, 8, 7, 7), "p"),
    "p_windows": (lambda x: x.view(1, 4, 2, 4, 2, 4).permute(0, 2, 4, 3, 5, 1).reshape(4, 16, 4), "a"),
    "p_slices_joined": (lambda x: torch.cat((x[..., ::2, ::2], x[..., 1::2, ::2]), 1), "a"),
    "p_reflect": (lambda x: functional.pad(x, (1, 1, 1, 1), mode="reflect"), "p"),
    "p_pad_channels": (lambda x: functional.pad(x, (0, 0, 0, 0, 0, 8)), "p"),
    "p_pad_minus_infinity": (lambda x: functional.max_pool2d(functional.pad(x, (0, 1, 0, 1), value=float("-inf")), 2),
                             "p"),
    "p_crop": (lambda x: functional.pad(x, (-1, -1, -1, -1)), "p"),
    "p_max_of_channels": (lambda x: x.max(1, keepdim=True)[0], "p"),
    "p_mean_and_max": (lambda x: torch.cat((x.mean(1, keepdim=True), x.amax(1, keepdim=True)), 1), "p"),
    "p_prelu": (lambda x: functional.prelu(x - 0.5, ROW), "p"),
    "p_dropout_2d": (lambda x: functional.dropout2d(x, 0.1, training=False), "p"),
    "p_gram": (lambda x: x.flatten(2) @ x.flatten(2).mT, "p"),
    "p_normalized_channels": (lambda x: functional.normalize(x, dim=1), "p"),
    "p_cosine": (lambda x: functional.normalize(x.flatten(2), dim=-1) @ functional.normalize(x.flatten(2), dim=-1).mT,
                 "p"),
    "p_grid": (
        lambda x: torch.stack(torch.meshgrid(torch.arange(7), torch.arange(7), indexing="ij")).float() + x[:, :2], "p"),
    "p_attention": (lambda x: torch.softmax(x.flatten(2).mT @ x.flatten(2) * 0.1, -1) @ x.flatten(2).mT, "p"),
    "p_channel_attention": (lambda x: torch.softmax(x.flatten(2) @ x.flatten(2).mT * 0.1, -1) @ x.flatten(2), "p"),
    "p_relative_bias": (lambda x: x + 0.1, "p"),
}

# What reads them stays on the CPU.
LEFT_OUT: dict[str, Branch] = {
    "c_norm_permuted_5": (lambda x: torch.erf(functional.layer_norm(x, (8,), OTHER, ROW).permute(0, 4, 1, 2, 3)), "e"),
    "c_norm_5": (lambda x: torch.erf(functional.layer_norm(x, (8,), OTHER, ROW)), "e"),
    "c_linear_permuted_5": (lambda x: torch.erf(functional.linear(x, MATRIX, ROW).permute(0, 4, 1, 2, 3)), "e"),
    "c_norm_4": (lambda x: torch.erf(functional.layer_norm(x, (8,), OTHER, ROW)), "a"),
    "c_rms_5": (lambda x: torch.erf(functional.rms_norm(x, (8,), ROW)), "e"),
    "c_whole_times_table": (lambda x, y: torch.relu(x * TABLE) + y, "nw"),
    "c_whole_times_number": (lambda x, y: torch.relu(x * 0.25) + y, "nw"),
}

SHAPED = IN_FIVE | IN_ONE | IN_THREE | PICTURES | LEFT_OUT
