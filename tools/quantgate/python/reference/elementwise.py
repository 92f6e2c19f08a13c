"""References of ops that work element by element."""

from __future__ import annotations

import math
from typing import Callable

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softplus(x: np.ndarray, beta: float, threshold: float) -> np.ndarray:
    """Beyond a positive threshold the function is the identity."""
    beta = beta or 1.0
    smooth = np.logaddexp(0, beta * x) / beta
    return np.where(beta * x > threshold, x, smooth) if threshold > 0 else smooth


UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Abs": np.abs, "Asin": np.arcsin, "Atan": np.arctan, "Ceil": np.ceil, "Cos": np.cos, "Exp": np.exp,
    "Floor": np.floor, "Log": np.log, "Neg": np.negative, "Not": lambda x: x == 0,
    "Reciprocal": lambda x: 1 / x, "Round": np.rint, "Rsqrt": lambda x: 1 / np.sqrt(x), "Sign": np.sign,
    "Sin": np.sin, "SquareRoot": np.sqrt, "Softplus": lambda x: np.logaddexp(0, x),
}  # fmt: skip
def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scales are single precision: what differs by less than 1e-6 of its size is the same number."""
    return np.abs(a - b) <= 1e-6 * np.maximum(np.abs(a), np.abs(b))


BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "Add": np.add, "And": lambda a, b: (a != 0) & (b != 0), "Divide": np.divide, "Equal": _equal,
    "FloorDiv": lambda a, b: np.floor(a / b), "Fmod": np.fmod, "Greater": lambda a, b: (a > b) & ~_equal(a, b),
    "GreaterEqual": lambda a, b: (a > b) | _equal(a, b), "Less": lambda a, b: (a < b) & ~_equal(a, b),
    "LessEqual": lambda a, b: (a < b) | _equal(a, b), "Maximum": np.maximum,
    "Minimum": np.minimum, "Mod": np.mod, "Multiply": np.multiply, "NotEqual": lambda a, b: ~_equal(a, b),
    "Or": lambda a, b: (a != 0) | (b != 0), "Power": np.power,
    "SquaredDifference": lambda a, b: (a - b) ** 2, "Subtract": np.subtract,
    "Xor": lambda a, b: (a != 0) ^ (b != 0),
}  # fmt: skip
NEURON: dict[str, Callable[[np.ndarray, dict], np.ndarray]] = {
    "Elu": lambda x, p: np.where(x > 0, x, p.get("alpha", 1.0) * np.expm1(np.minimum(x, 0))),
    "Gelu": lambda x, p: 0.5 * x * (1 + _erf(x / math.sqrt(2))),
    "HardSigmoid": lambda x, p: np.clip(p["alpha"] * x + p["beta"], 0, 1),
    "HardSwish": lambda x, p: x * np.clip(x + 3, 0, 6) / 6,
    "Relu": lambda x, p: np.maximum(x, 0),
    "ReluMinMax": lambda x, p: np.clip(x, p["min_value"], p["max_value"]),
    "Sigmoid": lambda x, p: sigmoid(x),
    "Softplus": lambda x, p: softplus(x, p.get("beta", 1.0), p.get("threshold", -1.0)),
    "Tanh": lambda x, p: np.tanh(x),
    "Relu1": lambda x, p: np.clip(x, -1, 1),
    "Relu6": lambda x, p: np.clip(x, 0, 6),
}  # fmt: skip
# The numbers of the param `operation`: QnnOpDef.h of the SDK lists them in this order.
UNARY_OPERATIONS = "Abs Asin Atan Ceil Cos Exp Floor Log Neg Not Reciprocal Round Rsqrt Sign Sin SquareRoot".split()
NEURON_OPERATIONS = "Elu Gelu HardSigmoid HardSwish Relu ReluMinMax Sigmoid Softplus Tanh".split()
BINARY_OPERATIONS = (
    "Add And Divide Equal FloorDiv Fmod Greater GreaterEqual Less LessEqual Maximum Minimum Mod Multiply NotEqual Or "
    "Power SquaredDifference Subtract Xor"
).split()
# Results that jump: near a jump a rounded input decides.
STEPS = {
    "Ceil", "Floor", "Round", "Sign", "FloorDiv", "Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual",
    "Mod", "Fmod", "Not", "And", "Or", "Xor",
}  # fmt: skip
COMPARISONS = {"Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"}
# Inputs are true or false.
LOGICAL = {"Not", "And", "Or", "Xor"}
# Results that are inputs or their negatives.
SELECTS = {"Abs", "Neg", "Maximum", "Minimum", "Relu", "Relu1", "Relu6", "ReluMinMax"}
