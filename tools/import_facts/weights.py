"""What was measured of weights and biases: encodings, bitwidths, symmetry, LPBQ, bias scales.

A table of findings rather than a translation: the measured cases (`validator` probes enc, bw,
lpbq, axis, symm, bias; `entries` on in[1] and in[2]) vary one thing at a time, and a rule is
what many of them show together. tests/opdefs/test_measured.py holds the cases against it.
"""
from .measured import finding

S8, U8 = "SFIXED_POINT_8", "UFIXED_POINT_8"
S16, U16 = "SFIXED_POINT_16", "UFIXED_POINT_16"
PER_TENSOR = ["SCALE_OFFSET", "BW_SCALE_OFFSET"]
BW = ["BW_SCALE_OFFSET", "BW_AXIS_SCALE_OFFSET"]
PER_CHANNEL = ["AXIS_SCALE_OFFSET", "BW_AXIS_SCALE_OFFSET"]
LPBQ = "BLOCKWISE_EXPANSION"

FLAT = ("Conv2d", "DepthWiseConv2d", "TransposeConv2d", "FullyConnected", "MatMul")
DEEP = ("Conv3d", "TransposeConv3d")
ALL = FLAT + DEEP
CHANNELS = {"Conv2d": 3, "DepthWiseConv2d": 3, "FullyConnected": 0, "Conv3d": 4}


def constraints(op):
    if op not in ALL:
        return []
    result = _encodings(op) + _lpbq(op) + _precision(op) + _missing(op)
    result += _matmul_bias() if op == "MatMul" else _bias(op)
    return result


def _encodings(op):
    result = []
    if op in DEEP:
        # Accepted by op validation in any form, refused when the node is added.
        result.append(finding("in[1]", "encodings", "prepare_fails", denied=BW,
                              when={"dtype": [S8]}))
        result.append(finding("in[1]", "encodings", "wrong_values",
                              denied=["BW_AXIS_SCALE_OFFSET"], when={"dtype": [U8]}))
    else:
        narrow = {"encoding": BW, "dtype": [S8, U8]}
        result.append(finding("in[1]", "bit_width", "rejected", allowed=[4],
                              when=dict(narrow, dtype_of={"in[0]": [U8, S8]})
                              if op != "FullyConnected" else
                              {"encoding": ["BW_SCALE_OFFSET"], "dtype": [S8, U8],
                               "dtype_of": {"in[0]": [U8, S8]}}))
        result.append(finding("in[1]", "bit_width", "rejected", allowed=[2, 4],
                              when=dict(narrow, dtype_of={"in[0]": [U16, S16]})))
        if op == "FullyConnected":
            wide = {"encoding": ["BW_AXIS_SCALE_OFFSET"], "dtype": [S8]}
            result.append(finding("in[1]", "bit_width", "rejected", until="2.49", allowed=[4],
                                  when=dict(wide, dtype_of={"in[0]": [U8, S8]})))
            result.append(finding("in[1]", "bit_width", "rejected", since="2.49",
                                  allowed=[2, 4], when=dict(wide, dtype_of={"in[0]": [U8, S8]})))
            result.append(finding("in[1]", "bit_width", "prepare_fails", allowed=[4],
                                  when=dict(wide, dtype_of={"in[0]": [S8, S16]})))
            result.append(finding("in[1]", "bit_width", "wrong_values", since="2.51", arch="v68",
                                  allowed=[4], when=dict(wide, dtype_of={"in[0]": [U16]})))
            result.append(finding("in[1]", "symmetric", "wrong_values",
                                  when={"encoding": ["BW_SCALE_OFFSET"], "dtype": [S8],
                                        "dtype_of": {"in[0]": [U16, S16]}}))
        if op == "Conv2d":
            result.append(finding("in[1]", "bit_width", "rejected", arch="v68..v69", allowed=[4],
                                  when={"encoding": BW, "dtype": [S8],
                                        "dtype_of": {"in[0]": [U16]}}))
        if op == "DepthWiseConv2d":
            result.append(finding("in[1]", "bit_width", "rejected", allowed=[4],
                                  when={"encoding": BW, "dtype": [S16]}))
        else:
            result.append(finding("in[1]", "bit_width", "rejected",
                                  allowed=[4] if op == "TransposeConv2d" else [4, 16],
                                  when={"encoding": BW, "dtype": [S16]}))
        # Unsigned per-channel weights work with centred offsets, but not with a bitwidth.
        result.append(finding("in[1]", "signed", "rejected",
                              when={"encoding": ["BW_AXIS_SCALE_OFFSET"]}))
        result.append(finding("in[1]", "value_range", "wrong_values", min=-8, max=7,
                              when={"encoding": ["BW_AXIS_SCALE_OFFSET"], "dtype": [S8],
                                    "bits": [4]},
                              note="stored values beyond 4 bits are not computed right"))
    if op in ("Conv2d", "FullyConnected", "MatMul"):
        result.append(finding("in[1]", "symmetric", "wrong_values", since="2.51",
                              when={"encoding": PER_CHANNEL, "dtype_of": {"in[0]": ["FLOAT_16"]}}))
        result.append(finding("in[1]", "encodings", "rejected", arch="v68", denied=["BLOCK"],
                              when={"dtype_of": {"in[0]": ["FLOAT_16"]}}))
        result.append(finding("in[1]", "bit_width", "prepare_fails", since="2.51", allowed=[2, 4],
                              when={"encoding": ["BW_AXIS_SCALE_OFFSET"],
                                    "dtype_of": {"in[0]": ["FLOAT_16"]}}))
    if op == "FullyConnected":
        result.append(finding("in[1]", "quant_axis", "wrong_values", since="2.51", axis=0,
                              when={"encoding": PER_CHANNEL, "dtype_of": {"in[0]": ["FLOAT_16"]}}))
    if op == "MatMul":
        result.append(finding("in[1]", "quant_axis", "wrong_values", since="2.51", axis=-1,
                              when={"encoding": PER_CHANNEL, "dtype_of": {"in[0]": ["FLOAT_16"]},
                                    "param": {"transpose_in1": [0]}}))
    result += _block(op)
    return result


def _block(op):
    """BLOCK encodings: signed ones of 8 bits with quantized activations accepted and not preparable; with float
    activations 4-bit values of convolutions with a 1x1 filter and of FullyConnected."""
    if op == "TransposeConv3d":
        return []
    when = {"encoding": ["BLOCK"], "dtype": [S8], "dtype_of": {"in[0]": ["FLOAT_16"]}}
    result = []
    if op == "Conv2d":
        result.append(finding("in[1]", "encodings", "rejected", since="2.51", arch="v68..v79",
                              denied=["BLOCK"], when={"dtype": [S8], "dtype_of": {"in[0]": [U16]}}))
        result.append(finding("in[1]", "encodings", "prepare_fails", since="2.51",
                              denied=["BLOCK"], slug="block-encoding",
                              when={"dtype": [S8], "dtype_of": {"in[0]": [U8, S8]}}))
        result.append(finding("in[1]", "dim", "rejected", dim=[0, 1], eq=1, slug="float-filter",
                              when={"dtype": [S8], "dtype_of": {"in[0]": ["FLOAT_16"]}}))
    else:
        result.append(finding("in[1]", "encodings", "prepare_fails", since="2.51",
                              denied=["BLOCK"], slug="block-encoding",
                              when={"dtype": [S8], "dtype_of": {"in[0]": [U8, S8, U16, S16]}}))
    if op in ("Conv2d", "FullyConnected"):
        result.append(finding("in[1]", "value_range", "wrong_values", since="2.51", min=-8, max=7,
                              when=when, slug="block-values",
                              note="stored values beyond 4 bits are not computed right"))
    if op == "MatMul":
        result.append(finding("in[1]", "encodings", "wrong_values", since="2.51",
                              denied=["BLOCK"], when={"dtype_of": {"in[0]": ["FLOAT_16"]}}))
    return result


def _lpbq(op):
    when = {"encoding": [LPBQ]}
    if op in ("DepthWiseConv2d", "Conv3d", "TransposeConv2d"):
        since = "2.47" if op == "TransposeConv2d" else "2.51"
        result = [finding("in[1]", "encodings", "prepare_fails", since=since, denied=[LPBQ],
                          when={"dtype": [S8]}, slug="lpbq")]
        if op == "TransposeConv2d":
            result.append(finding("in[1]", "dtypes", "wrong_values", allowed=[S8], when=when,
                                  slug="lpbq-dtype"))
        return result
    if op == "TransposeConv3d":
        return []
    result = [
        finding("in[1]", "symmetric", "rejected", when=dict(when, dtype=[S8]), slug="lpbq-offset"),
        finding("in[1]", "dtypes", "wrong_values", allowed=[S8], when=when, slug="lpbq-dtype"),
        finding("in[1]", "block_size", "wrong_values", multiple_of=8, when=when,
                note="multiples of 8 input channels that divide them compute right"),
        finding("in[1]", "value_range", "wrong_values", min=-8, max=7,
                when=dict(when, dtype=[S8]), slug="lpbq-values",
                note="stored values beyond 4 bits are not computed right"),
    ]
    if op == "Conv2d":
        result.append(finding("in[1]", "dim", "wrong_values", dim=[0, 1], eq=1, when=when,
                              slug="lpbq-filter", note="LPBQ computes right with a 1x1 filter only"))
    return result


def _precision(op):
    result = [finding("in[1]", "symmetric", "advice",
                      when={"encoding": ["SCALE_OFFSET"], "dtype": [S8, U8],
                            "dtype_of": {"in[0]": [U16, S16]}}, slug="precision",
                      note="right, but to about 8 bits only; centred weights keep 16")]
    if op in FLAT:
        result.append(finding("in[1]", "value_range", "advice", max=32639, when={"dtype": [S16]},
                              slug="clamped", note="larger values are clamped to 32639"))
        result.append(finding("in[1]", "value_range", "advice", max=65407, when={"dtype": [U16]},
                              slug="clamped-unsigned",
                              note="larger values are clamped to 65407, 32639 above the middle"))
    return result


def _missing(op):
    """Scales and missing encodings by port: a bias may have none where the library gives it
    input scale x weight scale."""
    result = []
    for port in ("in[0]", "in[1]", "out[0]"):
        result.append(finding(port, "encoding_defined", "wrong_values"))
        result += _bad_scales(op, port)
        result.append(finding(port, "valid_scale", "wrong_values", since="2.51",
                              aspect="nonzero", slug="zero-scale"))
    result.append(finding("all", "valid_scale", "undocumented", since="2.51", aspect="nonnegative",
                          slug="negative-scale-unjudged", note="where it is prepared it was never judged"))
    if op != "MatMul":
        when = {"encoding_of": {"in[1]": PER_TENSOR}}
        result.append(finding("in[2]", "encoding_defined", "wrong_values", when=when))
        result.append(finding("in[2]", "valid_scale", "wrong_values", aspect="nonzero", when=when,
                              slug="zero-scale"))
    return result


def _bad_scales(op, port):
    """Constant weights are prepared whatever their scale is; MatMul's second input is no weight to it."""
    if port == "in[1]" and op != "MatMul":
        return []
    bits = [finding(port, "bit_width", "prepare_fails", denied=[3, 5, 6, 7], slug="bits-prepared-s8",
                    when={"dtype": [S8], "encoding": ["BW_SCALE_OFFSET"]})] if port == "in[0]" else []
    return bits + [finding(port, "any_of", "prepare_fails", since="2.51", slug="negative-scale",
                    of=[[{"port": port, "kind": "valid_scale", "aspect": "nonnegative"}],
                        [{"port": port, "kind": "fixed_encoding", "offset": 0}]]),
            finding(port, "valid_scale", "prepare_fails", aspect="finite", slug="finite-scale-prepared")]


def _bias(op):
    many = PER_CHANNEL + ([LPBQ] if op in ("Conv2d", "FullyConnected") else [])
    if op in DEEP:
        many = ["AXIS_SCALE_OFFSET"]
    result = [
        finding("in[2]", "fixed_encoding", "wrong_values", scale="0",
                when={"encoding": PER_TENSOR, "dtype": ["SFIXED_POINT_32"],
                      "encoding_of": {"in[1]": many}}, slug="dropped",
                note="with another per-tensor scale the bias is dropped"),
        finding("in[2]", "bias_scale", "wrong_values", **{"as": ["in[0]", "in[1]"]},
                when={"encoding": ["AXIS_SCALE_OFFSET"], "encoding_of": {"in[1]": many}},
                note="read as input scale x weight scale per channel whatever is given"),
        finding("in[2]", "encodings", "wrong_values", denied=["AXIS_SCALE_OFFSET"],
                when={"encoding_of": {"in[1]": PER_TENSOR}}, note="read as scale 1"),
        finding("in[2]", "dtypes", "wrong_values" if op == "FullyConnected" else "rejected",
                denied=[U8], when={"encoding_of": {"in[1]": PER_CHANNEL}}),
    ]
    if op in CHANNELS:
        channels = {"port": "in[2]", "kind": "dim", "dim": 0, "eq": f"dim(in[1],{CHANNELS[op]})"}
        if op == "Conv3d":
            result.append(finding("in[2]", "any_of", "rejected", slug="length-or-1",
                                  of=[[channels], [{"port": "in[2]", "kind": "rank", "max": 1}, dict(channels, eq=1)]]))
            result.append(finding(consequence="wrong_values", **channels, slug="length",
                                  note="one element is taken, and not added to all channels"))
        else:
            result.append(finding(consequence="rejected", **channels, slug="length"))
    return result


def _matmul_bias():
    fixed = [U8, S8, U16, S16]
    return [
        finding("in[2]", "port_unsupported", "wrong_values",
                when={"dtype_of": {"in[0]": fixed, "in[1]": [U8, S8]}, "encoding_of": {"in[1]": PER_TENSOR}},
                note="the bias is accepted and never added"),
        finding("in[2]", "port_unsupported", "wrong_values", since="2.49", slug="port-unsupported-16",
                when={"dtype_of": {"in[0]": fixed, "in[1]": [U16, S16]}, "encoding_of": {"in[1]": PER_TENSOR}},
                note="the bias is accepted and never added; 2.47 and 2.48 added it"),
        finding("in[2]", "dtypes", "wrong_values", denied=[U8],
                when={"dtype_of": {"in[0]": fixed}, "encoding_of": {"in[1]": PER_CHANNEL}},
                note="the bias is accepted and never added"),
        finding("in[2]", "fixed_encoding", "wrong_values", scale="0",
                when={"encoding": PER_TENSOR, "dtype": ["SFIXED_POINT_32"],
                      "encoding_of": {"in[1]": PER_CHANNEL + [LPBQ]}}, slug="dropped",
                note="with another per-tensor scale the bias is dropped"),
        finding("in[2]", "encodings", "prepare_fails", denied=["AXIS_SCALE_OFFSET"],
                when={"encoding_of": {"in[1]": PER_CHANNEL + [LPBQ]}}),
    ]
