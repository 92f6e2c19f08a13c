"""Findings about single ops that need words (`notes`, and probes of params and of norms)."""
from .measured import TRUTH_OPERATIONS, TRUTH_OUTPUTS, finding

U8, S8 = "UFIXED_POINT_8", "SFIXED_POINT_8"
U16, S16 = "UFIXED_POINT_16", "SFIXED_POINT_16"


def constraints(op, operations):
    result = []
    if op in TRUTH_OUTPUTS or op in TRUTH_OPERATIONS:
        param = {"param": {"operation": TRUTH_OPERATIONS[op]}} if op in TRUTH_OPERATIONS else {}
        note = "the raw numbers 0 and 1 are written, the encoding is not read"
        # OneHot writes 0 and 1 whatever the type is.
        raw_0 = [U8, U16, S16] + ([S8] if op == "OneHot" else [])
        result.append(finding("out[0]", "fixed_encoding", "wrong_values", scale="1", offset=0, max=1,
                              when=dict(param, dtype=raw_0), note=note))
        if S8 not in raw_0:
            result.append(finding("out[0]", "fixed_encoding", "wrong_values", scale="1",
                                  offset=128, max=1, when=dict(param, dtype=[S8]), note=note))
    result += _BY_OP.get(op, lambda: [])()
    return result


def _softmax():
    note = "the offset is not read: the kernel writes with this one; any scale is right"
    return [finding("out[0]", "fixed_encoding", "wrong_values", offset=0, when={"dtype": [U8]},
                    note=note),
            finding("out[0]", "fixed_encoding", "wrong_values", offset=128, when={"dtype": [S8]},
                    note=note)]


def _neuron():
    return _softplus() + [finding("out[0]", "fixed_encoding", "wrong_values", scale="1/65536", offset=0,
                    when={"param": {"operation": ["HARD_SIGMOID"]}, "dtype": [U16]},
                    note="the encoding is not read: this one is written")]


def _log(operation=None):
    when = {"dtype": [U16]}
    if operation:
        when["param"] = {"operation": [operation]}
    return [finding("out[0]", "scale_range", "wrong_values", since="2.51", min=6.1e-05, when=when,
                    note="with a scale below about 1/16384 the output is constant")]


def _sigmoid():
    return [finding("out[0]", "scale_range", "rejected", max=0.999998, when={"dtype": [U16, S16]},
                    note="scales are compared as whole numbers")]


def _tanh():
    return _sigmoid() + [finding("out[0]", "fixed_encoding", "rejected", offset=-32768,
                                 when={"dtype": [U16]}, slug="fixed-offset")]


def _wraps():
    return [finding("out[0]", "note", "advice", since="2.51", topic="output-range",
                    text="16-bit results beyond the output range wrap around instead of "
                         "saturating")]


def _cumulative():
    return [finding("out[0]", "note", "advice", since="2.51", topic="output-range",
                    text="the running sum saturates while adding: one overflow spoils the rest "
                         "of the row")]


def _noop(when, dtypes=None, port="out[0]"):
    when = dict(when)
    if dtypes:
        when["dtype"] = dtypes
    return finding(port, "same_encoding", "wrong_values", since="2.51", when=when,
                   slug="same-encoding-noop", note="an op that does nothing copies raw values",
                   **{"as": "in[0]"})


def _tile():
    return [_noop({"noop": True}),
            finding("in[0]", "rank", "prepare_fails", max=4, when={"noop": True},
                    slug="rank-noop", note="rank 5 with all multiples 1 crashes in preparation")]


def _slice():
    return [_noop({"noop": True})]


def _shuffle():
    return [_noop({"param": {"num_groups": [1]}})]


def _pack():
    return [finding("in[0]", "same_dtype", "rejected", **{"as": "out[0]"}),
            finding("in[0..m]", "same_dtype", "wrong_values", when=_FLOATS,
                    **{"as": "out[0]"}),
            finding("out[0]", "same_encoding", "wrong_values", since="2.51", when={"m": [0]},
                    slug="same-encoding-single", note="one input alone is copied raw",
                    **{"as": "in[0]"})]


def _unpack():
    return [finding("in[0]", "any_of", "wrong_values", since="2.51", slug="same-encoding-single",
                    note="a single output is copied raw",
                    of=[[{"port": "in[0]", "kind": "dim", "dim": "param:axis", "min": 2}],
                        [{"port": "out[0..m]", "kind": "same_encoding", "as": "in[0]"}]])]


def _pad():
    return [finding("out[0]", "same_encoding", "wrong_values",
                    when={"param": {"scheme": ["MIRROR_SYMMETRIC", "MIRROR_REFLECT", "EDGE"]}},
                    note="only CONSTANT requantizes, the other schemes copy raw values",
                    **{"as": "in[0]"})]


def _scatter_nd():
    return [finding("out[0]", "same_encoding", "wrong_values",
                    aspect="equal_or_larger_scale",
                    note="requantized only when the output scale is above in[0]'s, else copied raw",
                    **{"as": "in[0]"}),
            finding("in[2]", "same_encoding", "wrong_values",
                    aspect="equal_or_smaller_scale",
                    note="requantized only when its scale is below in[0]'s, else read with in[0]'s",
                    **{"as": "in[0]"})]


def _resize():
    return [finding("nearest_mode", "default_only", "rejected",
                    when={"param": {"interpolation_mode": ["LINEAR"]}})]


def _multiply():
    return [finding(port, "valid_scale", "rejected", aspect="finite", slug="finite-scale")
            for port in ("in[0]", "in[1]")]


def _gamma_per_channel():
    return [finding("in[1]", "encodings", "rejected", denied=["AXIS_SCALE_OFFSET"])]


def _layer_norm():
    axes = [[{"port": "axes", "kind": "param_value", "eq": ["rank(in[0])-1"]}],
            [{"port": "axes", "kind": "param_value",
              "eq": ["rank(in[0])-3", "rank(in[0])-2", "rank(in[0])-1"]}]]
    return _gamma_per_channel() + [
        finding("in[1]", "port_optional", "prepare_fails", allowed=False,
                note="accepted without gamma and beta, fails at finalize"),
        finding("axes", "any_of", "rejected", of=axes, slug="axes-measured",
                note="the last axis, or the last three; the latter was never executed"),
    ]


def _rms_norm():
    return _gamma_per_channel() + [
        finding("in[2]", "port_unsupported", "wrong_values",
                when={"dtype_of": {"in[0]": ["FLOAT_16"]}},
                note="beta is accepted and not added"),
        dict(finding("in[2]", "port_optional", "prepare_fails", until="2.51", allowed=False,
                     when={"dtype_of": {"in[0]": [U8, U16]}}), sources=["measured-2.47"]),
        finding("in[1]", "symmetric", "rejected", when={"dtype": [S16]}),
        finding("in[2]", "symmetric", "rejected", when={"dtype": ["SFIXED_POINT_32"]},
                slug="symmetric-measured"),
    ]


def _group_norm():
    return [finding("in[0]", "dim", "rejected", dim=-1, multiple_of="param:group"),
            finding("group", "param_value", "rejected", min_exclusive=0)]


def _binary():
    """The documents refuse FMOD and MOD; MOD is taken all the same, FMOD was never seen taken."""
    return [dict(finding("operation", "param_value", "rejected", denied=["FMOD"], slug="fmod"),
                 sources=["docs-2.25"])]


def _moved(dtypes):
    """Where the datatype changes too, the integers are shifted or widened: other encodings are
    right there."""
    return [finding("out[0]", "same_encoding", "wrong_values",
                    when={"dtype": [dtype], "dtype_of": {"in[0]": [dtype]}},
                    note="integers are copied as they are", **{"as": "in[0]"})
            for dtype in dtypes]


_FLOATS = {"dtype_of": {"out[0]": ["FLOAT_16", "FLOAT_32"]}}


def _concat():
    """Op validation looks at the first input only."""
    return [finding("in[0]", "same_dtype", "rejected", **{"as": "out[0]"}),
            finding("in[0..m]", "same_dtype", "prepare_fails", since="2.51", when=_FLOATS,
                    **{"as": "out[0]"}),
            finding("in[0..m]", "dtypes", "wrong_values", since="2.51", denied=[U8, S8],
                    when={"dtype_of": {"out[0]": [U16]}})]


def _softplus():
    return [finding("in[0]", "dtypes", "advice", denied=[U16, S16],
                    when={"param": {"operation": ["SOFTPLUS"]}}, slug="precision",
                    note="right to about 7 bits only")]


_BY_OP = {
    "Cast": lambda: _moved((U8, S8, U16)), "Reshape": lambda: _moved((U8, S8, U16, S16)),
    "Concat": _concat,
    "Softmax": _softmax, "ElementWiseNeuron": _neuron, "ElementWiseLog": _log,
    "ElementWiseUnary": lambda: _log("LOG"), "Sigmoid": _sigmoid, "Tanh": _tanh, "L2Norm": _wraps,
    "CumulativeSum": _cumulative, "Tile": _tile, "StridedSlice": _slice,
    "ChannelShuffle": _shuffle, "Pack": _pack, "UnPack": _unpack, "Pad": _pad,
    "ScatterNd": _scatter_nd, "Resize": _resize, "ElementWiseMultiply": _multiply,
    "LayerNorm": _layer_norm, "RmsNorm": _rms_norm, "InstanceNorm": _gamma_per_channel,
    "Batchnorm": _gamma_per_channel, "GroupNorm": _group_norm, "ElementWiseBinary": _binary,
}
