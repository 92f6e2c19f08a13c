"""python -m quantgate.executorch --print-sdk-root"""

import argparse

from quantgate.executorch._install import sdk_root

parser = argparse.ArgumentParser(prog="python -m quantgate.executorch", description=(
    "quantgate in the place of the closed library that ExecuTorch's QnnQuantizer asks"))
parser.add_argument("--print-sdk-root", action="store_true", required=True,
                    help="print a directory fit for QNN_SDK_ROOT")
parser.parse_args()
print(sdk_root())
