"""torchvision from PyPI is built against another torch: its C++ operators are declared here, so that
it can be imported. No model of the zoo calls one of them."""

from __future__ import annotations

import torch

_FORWARD = ("nms", "qnms", "roi_align", "qroi_align", "roi_pool", "ps_roi_align", "ps_roi_pool",
            "deform_conv2d", "box_iou_rotated")
_BACKWARD = ("_roi_align_backward", "_roi_pool_backward", "_ps_roi_align_backward",
             "_ps_roi_pool_backward", "_deform_conv2d_backward")
_library: list[torch.library.Library] = []


def install() -> None:
    if not _library:
        _library.append(torch.library.Library("torchvision", "DEF"))
        for name in _FORWARD + _BACKWARD:
            _library[0].define(f"{name}(Tensor x) -> Tensor")
