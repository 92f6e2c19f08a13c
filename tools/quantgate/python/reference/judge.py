"""Compares what a library computed for a node with the float reference.

What counts as right and as wrong beyond rounding stands in THRESHOLDS and in
docs/records/conformance.md; the database's `wrong_values` were measured with the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import elementwise
from .compute import COMPUTE
from .movement import MOVEMENT, Reals
from .values import NoReference, Tensor, dims, encoding, is_fixed, is_float, number, quantize, real, storage_bits, stored, stored_range

RIGHT, BETWEEN, WRONG = "right", "between", "wrong"


@dataclass(frozen=True)
class Threshold:
    """Right: no element is off by more than `right` (the share `few` of the elements may be).
    Wrong: at least the share `many` of the elements is off by `wrong` or more."""

    right: float
    wrong: float
    few: float = 0.0
    many: float = 0.05


# Errors of fixed-point outputs are steps of the output's encoding, by storage bits.
MOVING = {4: Threshold(1, 4), 8: Threshold(1, 4), 16: Threshold(2, 40), 32: Threshold(1e3, 1e5)}
COMPUTING = {4: Threshold(2, 8), 8: Threshold(2, 8), 16: Threshold(80, 400), 32: Threshold(1e3, 1e5)}
# Errors of float outputs are parts of the largest expected value.
FLOAT = Threshold(0.004, 0.03)
# Results that jump, and integers: an element is off or it is not.
JUMPING = Threshold(0.5, 0.5, few=0.02, many=0.15)
JUMP_OFF = 0.25
THRESHOLDS = {"moves or selects": MOVING, "computes": COMPUTING, "float": FLOAT, "jumps": JUMPING}


@dataclass
class Judgement:
    result: str  # right, between, wrong; "" = no reference
    reason: str = ""  # why there is none
    steps: float = 0.0  # largest error in steps of the output; 0 for outputs without encoding
    fraction: float = 0.0  # largest error as a part of the output's range (float: of the largest value)
    share: float = 0.0  # share of the elements that are not right
    output: str = ""  # the output with the worst result

    def json(self) -> dict[str, Any]:
        if not self.result:
            return {"evaluated": False, "reason": self.reason}
        return {"evaluated": True, "result": self.result, "steps": round(self.steps, 3), "fraction": round(self.fraction, 6),
                "share": round(self.share, 4), "output": self.output}  # fmt: skip


def _operation(op: str, params: dict) -> str:
    """The function behind an element-wise op: "Add" of ElementWiseAdd and of ElementWiseBinary."""
    for name, operations in (
        ("ElementWiseUnary", elementwise.UNARY_OPERATIONS),
        ("ElementWiseBinary", elementwise.BINARY_OPERATIONS),
        ("ElementWiseNeuron", elementwise.NEURON_OPERATIONS),
    ):
        if op == name:
            at = int(params.get("operation", -1))
            return operations[at] if 0 <= at < len(operations) else ""
    return op.removeprefix("ElementWise")


def _param(value: dict[str, Any]) -> Any:
    kind, body = next(iter(value.items()))
    if kind == "tensor":
        flat = body["reals"] if "reals" in body else body.get("ints", [])
        return np.array([float(v) for v in flat]).reshape([int(d) for d in body.get("dims", [len(flat)])])
    return float(body) if kind == "real" else int(body)


def _reference(op: str, R: Reals, p: dict, shapes: list[list[int]]) -> tuple[Reals, dict[int, Threshold] | Threshold]:
    """The expected reals, and how exact they have to be met."""
    operation = _operation(op, p)
    if op == "OneHot":
        return MOVEMENT[op](R, p, shapes), JUMPING
    if op in MOVEMENT:
        return MOVEMENT[op](R, p, shapes), MOVING
    if op in COMPUTE:
        exact = op in ("PoolMax2d", "ReduceMax", "ReduceMin") or (op == "Resize" and not p.get("interpolation_mode"))
        return COMPUTE[op](R, p, shapes), MOVING if exact else COMPUTING
    threshold: Any = JUMPING if operation in elementwise.STEPS else MOVING if operation in elementwise.SELECTS else COMPUTING
    if operation in elementwise.BINARY and len(R) == 2:
        return [np.asarray(elementwise.BINARY[operation](R[0], R[1]), np.float64)], threshold
    if operation in elementwise.NEURON:
        return [elementwise.NEURON[operation](R[0], p)], threshold
    if operation in elementwise.UNARY and len(R) == 1:
        return [np.asarray(elementwise.UNARY[operation](R[0]), np.float64)], threshold
    raise NoReference(f"no float reference of {op}")


def jumps(node: dict[str, Any]) -> bool:
    """Whether the results of a node jump where its inputs change a little."""
    return _operation_of(node) in elementwise.STEPS


def compares(node: dict[str, Any]) -> bool:
    """Whether a node compares two inputs."""
    return _operation_of(node) in elementwise.COMPARISONS


def tells_truth(node: dict[str, Any]) -> bool:
    """Whether a node takes its inputs as true or false."""
    return _operation_of(node) in elementwise.LOGICAL


def _operation_of(node: dict[str, Any]) -> str:
    return _operation(node["op"], {name: _param(value) for name, value in (node.get("params") or {}).items()})


# Ops with a weight at in[1], and the axis of its input channels; a bias at in[2] without scale
# is read in steps of in[0] times in[1].
WEIGHT_INPUT_AXIS = {"Conv2d": 2, "DepthWiseConv2d": 2, "TransposeConv2d": 2, "Conv3d": 3, "TransposeConv3d": 3, "FullyConnected": 1}


def _input_axis(op: str, index: int, params: dict, rank: int) -> int | None:
    if index != 1:
        return None
    if op == "MatMul":
        return rank - 1 if params.get("transpose_in1") else rank - 2
    return WEIGHT_INPUT_AXIS.get(op)


def _product_bias(op: str, tensors: list[Tensor | None], q: np.ndarray) -> np.ndarray | None:
    """A bias whose encoding says nothing, in steps of in[0] times in[1] per channel."""
    bias, weight = tensors[2], tensors[1]
    if tensors[0] is None or weight is None:
        return None
    kind, body = encoding(bias)  # type: ignore[arg-type]
    if not is_fixed(bias) or (kind == "perTensor" and number(body["scale"]) != 0) or kind not in ("", "perTensor"):  # type: ignore[arg-type]
        return None
    if storage_bits(bias) < 32:  # type: ignore[arg-type]
        return None  # no such convention
    activation_kind, activation = encoding(tensors[0])  # type: ignore[arg-type]
    _, scales = encoding(weight)  # type: ignore[arg-type]
    if activation_kind != "perTensor" or not scales:
        return None
    steps = np.array([number(s) for s in (scales.get("scales") or [scales.get("scale", 0)])])
    q = q - int(body.get("zeroPoint", 0))
    return q * steps * number(activation["scale"]) if len(steps) in (1, q.shape[-1] if q.ndim else 1) else None


def expected(node: dict[str, Any], tensors: dict[str, Tensor], values: dict[str, list[Any]]) -> tuple[Reals, Any]:
    """The outputs as real numbers. NoReference where nobody can say what they should be."""
    op, names = node["op"], node["inputs"]
    params = {name: _param(value) for name, value in (node.get("params") or {}).items()}
    given: list[Tensor | None] = [tensors[n] if n else None for n in names]
    while given and given[-1] is None:
        given.pop()
    if not given or any(t is not None and (t.get("unknownRank") or -1 in dims(t)) for t in given):
        raise NoReference("no inputs, or dynamic ones")
    R: list[Any] = []
    for i, tensor in enumerate(given):
        if tensor is None:
            R.append(None)
            continue
        q = stored(tensor, values[names[i]])
        product = _product_bias(op, given, q) if i == 2 and (op in WEIGHT_INPUT_AXIS or op == "MatMul") else None
        R.append(real(tensor, q, _input_axis(op, i, params, q.ndim)) if product is None else product)
    shapes = [dims(tensors[n]) for n in node["outputs"]]
    out = tensors[node["outputs"][0]]
    if op in ("Cast", "Convert") and (out["dtype"] == "BOOL_8" or (op == "Cast" and is_fixed(given[0]) != is_fixed(out))):
        raise NoReference(f"no agreed meaning of {op} from {given[0]['dtype']} to {out['dtype']}")
    try:
        with np.errstate(all="ignore"):
            return _reference(op, R, params, shapes)
    except NoReference:
        raise
    except NotImplementedError as error:
        raise NoReference(f"no float reference of {error}") from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise NoReference(f"the reference does not take these shapes or params: {str(error)[:80]}") from None


def _compare(op: str, index: int, tensor: Tensor, want: np.ndarray, got: np.ndarray, threshold: Any) -> Judgement:
    known = np.isfinite(want)
    if tensor["dtype"] == "FLOAT_16":
        known &= np.abs(want) <= np.finfo(np.float16).max  # beyond, it can't be written down
    if not known.any():
        raise NoReference("the expected values are no finite numbers")
    if is_fixed(tensor):
        low, high = stored_range(tensor)
        error = np.abs(got - quantize(tensor, np.where(known, want, 0)))[known]
        limit = threshold if isinstance(threshold, Threshold) else threshold[storage_bits(tensor)]
        steps, error_fraction = error.max(), error.max() / (high - low)
        if isinstance(threshold, Threshold):
            # A jump is at least 1 high, less where the encoding can't hold that: off is what is nearer to
            # another value, roundings apart. In steps larger than 1 it can't be distinguished from rounding, but for
            # truth values.
            ends = real(tensor, np.array([low, high], np.float64))
            height = min(1.0, float(ends[1] - ends[0]))
            apart = np.abs(real(tensor, got) - np.clip(want, *ends))[known]
            step = number(encoding(tensor)[1]["scale"])
            rounding = 1.05 if step > 1 and np.abs(want[known]).max() > 1 else 0.55
            error = (apart > max(JUMP_OFF * height, rounding * step)).astype(np.float64)
    elif is_float(tensor):
        size = max(1e-6, float(np.abs(want[known]).max()))
        error = (np.abs(np.nan_to_num(got, nan=1e9, posinf=1e9, neginf=-1e9) - want) / size)[known]
        limit, steps, error_fraction = FLOAT, 0.0, error.max()
        if isinstance(threshold, Threshold):
            limit, error = threshold, (error > FLOAT.right).astype(np.float64)
    else:
        error = (np.abs(got - want) >= 1).astype(np.float64)[known]
        limit, steps, error_fraction = JUMPING, 0.0, error.mean()
    off, far = float((error > limit.right).mean()), float((error >= limit.wrong).mean())
    result = RIGHT if off <= limit.few else WRONG if far >= limit.many else BETWEEN
    return Judgement(result, "", float(steps), float(error_fraction), off, f"out[{index}]")


def judge(node: dict[str, Any], tensors: dict[str, Tensor], values: dict[str, list[Any]]) -> Judgement:
    """The worst of a node's outputs. `values`: stored values by tensor, outputs as computed."""
    order = (RIGHT, BETWEEN, WRONG)
    worst: Judgement | None = None
    try:
        wanted, threshold = expected(node, tensors, values)
        for i, name in enumerate(node["outputs"]):
            tensor = tensors[name]
            # Which of equal values an index names is free.
            if i > 0 and node["op"] == "TopK":
                continue
            if i >= len(wanted):
                raise NoReference(f"no reference of out[{i}]")
            want = np.asarray(wanted[i], np.float64)
            shape = dims(tensor)
            if want.shape != tuple(shape):
                if [d for d in want.shape if d != 1] != [d for d in shape if d != 1]:
                    raise NoReference("the reference has another shape than the output")
                want = want.reshape(shape)
            one = _compare(node["op"], i, tensor, want, stored(tensor, values[name]), threshold)
            if worst is None or (order.index(one.result), one.steps) > (order.index(worst.result), worst.steps):
                worst = one
    except NoReference as reason:
        return Judgement("", str(reason))
    return worst or Judgement("", "the node has no output")
