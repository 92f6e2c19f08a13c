"""Stands in for the vendor's module of this name: quantgate answers."""

from quantgate._backend_op_info import (
    CPU,
    DSP,
    GPU,
    HTA,
    HTP,
    LPAI,
    BackendOpInfo,
    BackendType,
    DatatypeInfo,
    OpInfo,
    QuantConstraintInfo,
)

# ExecuTorch has a backend of this name and looks every name up.
UNDEFINED = None

__all__ = ["CPU", "DSP", "GPU", "HTA", "HTP", "LPAI", "UNDEFINED", "BackendOpInfo", "BackendType",
           "DatatypeInfo", "OpInfo", "QuantConstraintInfo"]
