"""What executing single-op graphs showed beyond the folder of facts, as data: computed.yaml."""
import pathlib

import yaml

from .measured import finding
from .variants import OPERATION_OPS, operation_name

_PATH = pathlib.Path(__file__).parent / "computed.yaml"
_ENTRIES = yaml.load(_PATH.read_text(encoding="utf-8"),
                     Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
# The operations of generic ops as the names of ops write them.
_TAGS = {
    "ElementWiseBinary": """Add And Divide Equal FloorDiv Greater GreaterEqual Less LessEqual Maximum Minimum Mod
        Multiply NotEqual Or Power SquaredDifference Subtract Xor""".split(),
    "ElementWiseUnary": """Abs Asin Atan Ceil Cos Exp Floor Log Neg Not Round Rsqrt Sign Sin SquareRoot""".split(),
    "ElementWiseNeuron": "Elu Gelu HardSwish Relu ReluMinMax Sigmoid Tanh".split()}
_OWN = ("ops", "port", "kind", "consequence")


# Of a kernel, whichever op asks for it.
_OF_KERNELS = ("offset_range", "scale_range", "bit_width", "encodings", "any_of")


def constraints(op):
    result = [_constraint(entry) for entry in _ENTRIES if op in entry["ops"]]
    if op in OPERATION_OPS:
        result += [_constraint(mirrored) for entry in _ENTRIES if (mirrored := _mirrored(op, entry))]
    return result


def _constraint(entry):
    return finding(entry["port"], entry["kind"], entry.get("consequence", "wrong_values"),
                   **{k: v for k, v in entry.items() if k not in _OWN})


def _mirrored(op, entry):
    """The same of the operations of a generic op that ops of their own have as well."""
    when = entry.get("when", {})
    if op in entry["ops"] or entry["kind"] not in _OF_KERNELS or "param" in when:
        return None
    names = _operations(op)
    chosen = sorted(names[name] for name in entry["ops"] if name in names)
    return dict(entry, when={**when, "param": {"operation": chosen}}) if chosen else None


def _operations(op):
    """{op of its own: enumerator of the operation}"""
    side = {"ElementWiseNeuron": ""}.get(op, "ElementWise")
    return {f"{side}{tag}": operation_name(tag) for tag in _TAGS[op]}
