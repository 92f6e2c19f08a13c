"""Says whether a quantized neural network fits an NPU backend, and why not.

    import quantgate as qg
    report = qg.check("model.onnx", soc="SM8550")
    print(report)
    report.raise_for_verdict()
"""

from quantgate._backend_op_info import CPU, DSP, GPU, HTA, HTP, LPAI, BackendOpInfo, BackendType
from quantgate._core import (
    Constraint,
    Edit,
    Encoding,
    EncodingRule,
    Finding,
    Fix,
    Model,
    ModelBuilder,
    Node,
    NodeReport,
    OpInfo,
    Param,
    Port,
    Target,
    Tensor,
    Variant,
    __version__,
)
from quantgate._errors import (
    InputError,
    OpdefsError,
    QuantgateError,
    TargetError,
    UnknownNameError,
    ValidationError,
)
from quantgate._knowledge import (
    Backend,
    Database,
    Judged,
    Reported,
    Rule,
    RuleEvidence,
    Soc,
    Targets,
    explain,
    ops,
    query,
    rules,
    targets,
)
from quantgate._models import ModelLike, read
from quantgate._names import Dialect, FailOn, Format, Level, Mode, Route, Verdict
from quantgate._plan import (
    Plan,
    PlannedConvert,
    PlannedNode,
    PlannedOp,
    PlannedTensor,
    plan,
)
from quantgate._report import AsRun, Basis, Partition, Report, RunChange, RunNode
from quantgate._sweep.errors import SweepError
from quantgate._sweep.table import sweep
from quantgate._validator import Validator, check
from quantgate._views import (
    ArchFit,
    Change,
    Column,
    Diff,
    Fits,
    Gain,
    Matrix,
    MatrixBy,
    MatrixRow,
    OpDiff,
    Precision,
    Supported,
    Survey,
    diff,
    matrix,
    survey,
)

__all__ = [
    "CPU", "DSP", "GPU", "HTA", "HTP", "LPAI", "ArchFit", "AsRun", "Backend", "BackendOpInfo",
    "BackendType", "Basis", "Change", "Column", "Constraint", "Database", "Dialect", "Diff",
    "Edit", "Encoding", "EncodingRule", "FailOn", "Finding", "Fits", "Fix", "Format", "Gain",
    "InputError", "Judged", "Level", "Matrix", "MatrixBy", "MatrixRow", "Mode", "Model",
    "ModelBuilder", "ModelLike", "Node", "NodeReport", "OpDiff", "OpInfo", "OpdefsError",
    "Param", "Partition", "Plan", "PlannedConvert", "PlannedNode", "PlannedOp", "PlannedTensor",
    "Port", "Precision", "QuantgateError", "Report", "Reported", "Route",
    "Rule", "RuleEvidence", "RunChange", "RunNode", "Soc", "Supported", "Survey", "SweepError",
    "Target", "TargetError", "Targets", "Tensor", "UnknownNameError", "ValidationError", "Validator",
    "Variant", "Verdict", "__version__", "check", "diff", "explain", "matrix", "ops", "plan", "query",
    "read", "rules", "survey", "sweep", "targets",
]
