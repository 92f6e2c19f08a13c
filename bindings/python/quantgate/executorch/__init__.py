"""quantgate in the place of the closed library that ExecuTorch's QnnQuantizer asks.

    import quantgate.executorch
    quantgate.executorch.install()          # before the first QnnQuantizer is made
    quantgate.executorch.validate(model, "SM8550")   # more than that interface can say

In another process: QNN_SDK_ROOT=$(python -m quantgate.executorch --print-sdk-root)
"""

from quantgate.executorch._install import install, sdk_root
from quantgate.executorch._validate import validate

__all__ = ["install", "sdk_root", "validate"]
