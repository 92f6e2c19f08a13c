"""What measurement says about the documented constraints.

Each answer is (consequence from an SDK on, since which SDK, note); a consequence equal to the
documented one means: confirmed.
"""
from .weights import ALL as WEIGHT_OPS, DEEP

CONFIRMED = ("rejected", "2.47", None)
HARMLESS = ("undocumented", "2.47", None)
NORMS = ("Batchnorm", "LayerNorm", "RmsNorm", "InstanceNorm", "GroupNorm")


def answer(op, constraint):
    """The measured answer on a documented constraint, or None: nobody asked."""
    body = constraint["body"]
    kind, when = body["kind"], body.get("when", {})
    if kind == "rank" and "ranks" in constraint:
        if "relaxed" in constraint["ranks"]:
            return ("undocumented", "2.47", None)
        return ("rejected", "2.47", None)
    if op in WEIGHT_OPS:
        return _weights(op, body, when)
    if op in NORMS:
        return _norms(op, body)
    return _OTHERS.get((op, body["port"], kind), lambda body: None)(body)


def _weights(op, body, when):
    kind, port = body["kind"], body["port"]
    encoding = when.get("encoding", [])
    lpbq = "BLOCKWISE_EXPANSION" in encoding
    if port == "in[2]":
        if kind == "symmetric":
            return ("undocumented", "2.47", "the bias is not added at all") \
                if op == "MatMul" else CONFIRMED
        if kind == "fixed_encoding":
            return ("undocumented", "2.47",
                    "no encoding, or input scale x weight scale per channel, is right too")
    if port == "in[1]":
        if kind == "quant_axis":
            return ("wrong_values", "2.47", "the axis is not looked at") \
                if op == "FullyConnected" and not lpbq else CONFIRMED
        if kind == "signed":
            return ("wrong_values", "2.47", None) if lpbq else (
                "undocumented", "2.47", "unsigned weights with centred offsets are right too")
        if kind == "symmetric":
            return ("wrong_values", "2.47", "signed weights are refused, unsigned ones taken") \
                if lpbq else CONFIRMED
        if kind == "static":
            if body["level"] == "tensor_or_const_chain" and not lpbq:
                return ("undocumented", "2.47", None)
            return CONFIRMED
        if kind == "encodings" and "denied" in body:  # LPBQ below v79
            return ("undocumented", "2.47",
                    "runs right from v68 on; v68 and v69 err by 20 steps with 16-bit activations")
        if kind in ("encodings", "dtypes", "peer_dtype"):
            return CONFIRMED
        if kind == "bit_width":
            return ("undocumented", "2.47", "2 bits are accepted, never executed")
    if op == "MatMul" and port == "transpose_in1":
        return ("undocumented", "2.47", "accepted, never executed")
    if op == "FullyConnected" and port == "keep_dims":
        return CONFIRMED
    if op == "DepthWiseConv2d" and kind == "any_of":
        return CONFIRMED
    return None


def _norms(op, body):
    kind, port = body["kind"], body["port"]
    if port in ("in[1]", "in[2]") and kind in ("symmetric", "peer_dtype", "dtypes"):
        return CONFIRMED
    if port == "axes":
        return CONFIRMED if op == "RmsNorm" else (
            "undocumented", "2.47", "the last three axes are accepted, never executed")
    if op == "InstanceNorm" and (kind == "any_of" or port in ("mode", "region")):
        return CONFIRMED
    return None


def _moved(body):
    return ("wrong_values", "2.47", "integers are copied as they are")


_OTHERS = {
    ("Gather", "out[0]", "same_encoding"): lambda body: (
        "undocumented", "2.47", "another scale is requantized, another offset refused"),
    ("GatherElements", "out[0]", "same_encoding"): _moved,
    ("GatherNd", "out[0]", "same_encoding"): _moved,
    ("TopK", "out[0]", "same_encoding"): _moved,
    ("Transpose", "in[0]", "dtypes"): lambda body: (
        "undocumented", "2.51", "all datatypes are taken with rank 4; see rank-measured"),
    ("Sigmoid", "out[0]", "fixed_encoding"): lambda body: HARMLESS,
    ("Tanh", "out[0]", "fixed_encoding"): lambda body: (
        "undocumented", "2.47", "another scale is right too"),
    ("Softmax", "axis", "param_value"): lambda body: CONFIRMED,
    ("LogSoftmax", "axis", "param_value"): lambda body: CONFIRMED,
    ("TopK", "largest", "param_value"): lambda body: (
        "undocumented", "2.47", "accepted, never executed"),
    ("Pad", "scheme", "param_value"): lambda body: (
        "undocumented", "2.47", "accepted, never executed in float"),
    ("Resize", "nearest_mode", "param_value"): lambda body: CONFIRMED,
    ("ScatterElements", "reduction", "param_value"): lambda body: (
        CONFIRMED if "when" in body else None),
    ("ElementWiseNeuron", "operation", "param_value"): lambda body: HARMLESS,
    ("ElementWiseBinary", "operation", "param_value"): lambda body: (
        "undocumented", "2.47", "MOD of INT_32 is taken; the dtypes of an operation decide")
        if "MOD" in body["denied"] else None,
}
