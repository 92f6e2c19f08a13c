"""Turns the measured cases of the folder of facts into Models with the verdict to expect.

A case of `consequences.json` says in words what was done to a plain one-op graph; this module
does the same to a Model. Cases whose words it does not know are counted, not guessed.
"""
import copy
import functools
import re
from pathlib import Path

import yaml

OPDEFS = Path(__file__).resolve().parents[2] / "opdefs" / "htp"

U8, S8, U16, S16 = "UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "SFIXED_POINT_16"
SHORT = {"U8": U8, "S8": S8, "U16": U16, "S16": S16, "S32": "SFIXED_POINT_32"}
CENTRES = {U8: 128, U16: 32768}
WEIGHT_OPS = {"Conv2d": (3, 2), "DepthWiseConv2d": (3, 2), "TransposeConv2d": (3, 2),
              "FullyConnected": (0, 1), "MatMul": (2, 1), "Conv3d": (4, 3),
              "TransposeConv3d": (4, 3)}
TRUTH = re.compile(r"ElementWise(And|Or|Xor|Not|Equal|NotEqual|Greater|GreaterEqual|Less|LessEqual)"
                   r"\Z|ElementWise(Binary|Unary)/(And|Or|Xor|Not|Equal|NotEqual|Greater\w*|Less\w*)\Z")


@functools.cache
def flags_of(op):
    """Params of an HTP op that are flags and false by default."""
    page = yaml.safe_load((OPDEFS / f"{op}.yaml").read_text())
    return [p["name"] for p in page.get("params", ())
            if p.get("dtype") == "BOOL_8" and p.get("default") == 0]


class Unknown(Exception):
    """The words of a case are not known here."""


def fixed(dtype):
    return "FIXED" in dtype


def bits(dtype):
    return int(dtype.rsplit("_", 1)[1])


def per_tensor(scale, zero_point):
    return {"perTensor": {"scale": scale, "zeroPoint": zero_point}}


def plain_encoding(dtype):
    return per_tensor(0.02 if bits(dtype) == 8 else 0.0002, CENTRES.get(dtype, 0))


class Case:
    """A one-op Model under construction."""

    def __init__(self, facts, key, dtypes):
        self.key = key
        self.op = key.split("/")[0]
        template = facts.template(key)
        self.inputs = [{"name": f"in{i}", "dtype": d, "dims": list(dims)}
                       for i, (d, dims) in enumerate(zip(dtypes, template["inputs"]))]
        self.outputs = [{"name": f"out{i}", "dtype": d, "dims": list(dims)}
                        for i, (d, dims) in enumerate(
                            zip(dtypes[len(template["inputs"]):], template["outputs"]))]
        for index in template.get("static", ()):
            self.inputs[index]["isStatic"] = True
        self.params = dict(self._param(p) for p in template["params"] if isinstance(p, dict))
        # The cases were asked with their flags given, which some constraints want.
        for name in flags_of(self.op):
            self.params.setdefault(name, {"flag": False})
        for tensor in self.inputs + self.outputs:
            if fixed(tensor["dtype"]):
                tensor["encoding"] = plain_encoding(tensor["dtype"])
        self._right()

    @staticmethod
    def _param(param):
        if "dims" in param:
            values = param["data"]
            key = "reals" if param["dtype"].startswith("FLOAT") else "ints"
            return param["name"], {"tensor": {"dtype": param["dtype"], "dims": param["dims"],
                                              key: values}}
        kind = {"FLOAT_32": "real", "BOOL_8": "flag", "INT_32": "int"}.get(param["dtype"], "uint")
        value = bool(param["value"]) if kind == "flag" else param["value"]
        return param["name"], {kind: value}

    def _right(self):
        """The encodings that the op itself dictates."""
        out = self.outputs[0]
        if not fixed(out["dtype"]):
            return
        if TRUTH.match(self.key):
            out["encoding"] = per_tensor(1.0, -128 if out["dtype"] == S8 else 0)
        elif self.key == "ElementWiseNeuron/HardSigmoid" and out["dtype"] == U16:
            out["encoding"] = per_tensor(1 / 65536, 0)
        elif self.op == "Softmax":
            out["encoding"] = per_tensor(1 / 2 ** bits(out["dtype"]),
                                         -2 ** (bits(out["dtype"]) - 1) if out["dtype"][0] == "S"
                                         else 0)
        elif self.op in WEIGHT_OPS or self.op in ("LayerNorm", "RmsNorm", "Batchnorm"):
            for tensor in self.inputs[2:]:
                if tensor["dtype"] == "SFIXED_POINT_32":
                    tensor["encoding"] = per_tensor(0.0004 if bits(self.inputs[0]["dtype"]) == 8
                                                    else 0.000004, 0)

    def port(self, name):
        side, index = re.match(r"(in|out)\[(\d+)\]", name).groups()
        return (self.inputs if side == "in" else self.outputs)[int(index)]

    def scaled(self, name, factor, steps=0):
        tensor = self.port(name)
        encoding = tensor["encoding"]["perTensor"]
        encoding["scale"] *= factor
        encoding["zeroPoint"] += steps * (1 if bits(tensor["dtype"]) == 8 else 256)

    def model(self, name):
        tensors = [t for t in self.inputs + self.outputs]
        return {"name": name, "dialect": "qnn",
                "inputs": [t["name"] for t in self.inputs if not t.get("isStatic")],
                "outputs": [t["name"] for t in self.outputs], "tensors": tensors,
                "nodes": [{"name": "n", "op": self.op, "inputs": [t["name"] for t in self.inputs],
                           "outputs": [t["name"] for t in self.outputs], "params": self.params}]}


def _dtypes(facts, key, entry, activation):
    """The datatypes of all ports: the case's own, else the plainest row."""
    when = entry["when"]
    rows = facts.rows["2.51", "v73"].get(key) or []
    if "ports" in when:
        # One example stands for all activations.
        example = [d for d in when["ports"] if d in when["activation"]]
        old = example[0] if example else None
        row = [activation if d == old else d for d in when["ports"]]
        if tuple(row) in rows:
            return row
        # Other ports follow the activation too.
    if "v68" in entry["arch"]:
        rows = facts.rows["2.51", "v68"].get(key) or rows
    candidates = [r for r in rows if r[0] == activation] or [r for r in rows if activation in r]
    if not candidates:
        raise Unknown("no row")
    row = list(min(candidates, key=lambda r: len(set(r))))
    if TRUTH.match(key) and (*row[:-1], activation) in rows:
        row[-1] = activation
    return row


def _generic(case, entry, breach):
    port = entry["port"]
    if breach in ("none",) or breach == "encoding on a float tensor":
        return
    if breach.startswith("scale of the output times 1.7"):
        case.scaled("out[0]", 1.7)
    elif breach.startswith("scale of the output times 1.3 and"):
        case.scaled("out[0]", 1.3, 17)
    elif match := re.match(r"scale of the output times ([\d.]+)(, in\[0\] unchanged)?\Z", breach):
        case.scaled("out[0]", float(match[1]))
    elif breach.startswith("output offset moved by 19"):
        case.scaled("out[0]", 1, 19)
    elif breach.startswith("output scale times 0.3"):
        if entry["kind"] == "output_range" and entry["consequence"] != "harmless":
            raise Unknown(breach)  # Whether results fit the range is not to be seen in a graph.
        case.scaled("out[0]", 0.3)
    elif match := re.match(r"scale of (in\[\d\]) times ([\d.]+)\Z", breach):
        case.scaled(match[1], float(match[2]))
    elif match := re.match(r"offset of (in\[\d\]) moved by 17", breach):
        case.scaled(match[1], 1, 17)
    elif breach.startswith("AXIS_SCALE_OFFSET on an activation"):
        tensor = case.port(port)
        count = tensor["dims"][-1]
        tensor["encoding"] = {"perChannel": {
            "axis": len(tensor["dims"]) - 1, "scales": [0.02 + 0.001 * i for i in range(count)],
            "zeroPoints": [CENTRES.get(tensor["dtype"], 0)] * count}}
    elif breach == "negative scale":
        case.scaled(port, -1)
    elif breach == "scale 0":
        case.scaled(port, 0)
    elif breach == "every encoding undefined":
        for tensor in case.inputs + case.outputs:
            tensor.pop("encoding", None)
    elif match := re.match(r"(input|output|in\[\d\]) encoding undefined\Z", breach):
        case.port({"input": port, "output": "out[0]"}.get(match[1], match[1])).pop(
            "encoding", None)
    else:
        raise Unknown(breach)


def _channels(case, index):
    axis = WEIGHT_OPS[case.op][0]
    return axis, case.inputs[index]["dims"][axis]


def _weight(case, breach):
    """`w <dtype> <encoding> [offset n] [dynamic]` on in[1]."""
    tensor = case.inputs[1]
    if breach == "w FLOAT_16 dynamic":
        tensor.pop("isStatic", None)
        return
    words = re.match(r"w (U8|S8|U16|S16)(?: (bw\d+))?(?: (per-tensor|per-channel|no encoding))?"
                     r"(?: axis (-?\d)(?: \(same\))?)?(?: symmetric)?(?: offset (-?\d+))?"
                     r"(?: (dynamic|data beyond 4 bits|with 8-bit activations"
                     r"|(?:all|above) -?\d+(?: mixed)?))?\Z", breach)
    if not words:
        raise Unknown(breach)
    dtype, bw, kind, axis, offset, more = words.groups()
    tensor["dtype"] = SHORT[dtype]
    tensor["isStatic"] = True
    width = int(bw[2:]) if bw else None
    centre = CENTRES.get(tensor["dtype"], 0)
    if width and dtype[0] == "U":
        centre = 2 ** (width - 1)
    zero_point = -int(offset) if offset is not None else centre
    if kind == "no encoding":
        tensor.pop("encoding")
    elif kind == "per-channel":
        where, count = _channels(case, 1)
        if axis is not None:
            where = int(axis)
            count = tensor["dims"][where]
        tensor["encoding"] = {"perChannel": {"axis": where, "scales": [0.01 + 0.001 * i for i in range(count)],
                                             "zeroPoints": [zero_point] * count}}
        for bias in case.inputs[2:]:
            bias["encoding"] = per_tensor(0.0, 0)
    else:
        tensor["encoding"] = per_tensor(0.02, zero_point)
    if width:
        next(iter(tensor["encoding"].values()))["bitwidth"] = width
        edge = 2 ** (width - 1)
        low, high = (0, 2 * edge - 1) if dtype[0] == "U" else (-edge, edge - 1)
        _values(tensor, low, high)
    if more == "dynamic":
        tensor.pop("isStatic")
        tensor.pop("values", None)
    elif more == "data beyond 4 bits":
        _values(tensor, -100, 100)
    elif more and more.startswith(("all", "above")):
        value = int(more.split()[1])
        _values(tensor, value if "all" in more else -100, max(value, 1) if "all" in more else 32700)


def _values(tensor, low, high):
    count = 1
    for dim in tensor["dims"]:
        count *= dim
    tensor["values"] = [low if i % 2 else high for i in range(count)]


def _lpbq(case, breach):
    tensor = case.inputs[1]
    tensor["isStatic"] = True
    axis, along = WEIGHT_OPS[case.op]
    words = re.match(r"LPBQ(?: group (\d+))?(?: (3x3))?(?: \+ bias S32 (zero|axis))?"
                     r"(?: (S16 container|U8 container offset -?\d+|block scale bitwidth 8|storage 16"
                     r"|block scales \d+|data beyond 4 bits|data -8|offset 2))?\Z", breach)
    if not words or case.op not in ("Conv2d", "FullyConnected", "MatMul", "TransposeConv2d"):
        raise Unknown(breach)
    group, large, bias, more = words.groups()
    if more in ("block scale bitwidth 8", "storage 16"):
        raise Unknown(breach)  # No constraint kind speaks of it.
    group = int(group or 32)
    depth = 64
    tensor["dtype"] = S8
    tensor["dims"][along] = depth
    for key in range(len(tensor["dims"])):
        if key not in (axis, along) and case.op in ("Conv2d", "TransposeConv2d"):
            tensor["dims"][key] = 3 if large else 1
    case.inputs[0]["dims"][-1] = depth
    if case.op in ("Conv2d", "TransposeConv2d") and not large:
        case.outputs[0]["dims"][1:3] = case.inputs[0]["dims"][1:3]
    count = tensor["dims"][axis]
    blocks = depth // group
    zero_point = 0
    if more == "S16 container":
        tensor["dtype"] = S16
    elif more and more.startswith("U8"):
        tensor["dtype"], zero_point = U8, -int(more.split()[-1])
    elif more == "offset 2":
        zero_point = -2
    tensor["encoding"] = {"lpbq": {
        "axis": axis, "scales": [0.01] * count, "zeroPoints": [zero_point] * count,
        "numBlocks": blocks, "blockScales": [3] * (count * blocks), "blockScaleBitwidth": 4,
        "blockScaleStorageBits": 8}}
    if fixed(tensor["dtype"]) and tensor["dtype"] == S8:
        _values(tensor, *((-100, 100) if more == "data beyond 4 bits" else (-8, 7)))
    if len(case.inputs) > 2 and not bias:
        del case.inputs[2]
    if bias:
        if len(case.inputs) < 3:
            raise Unknown(breach)
        scale = case.inputs[0]["encoding"]["perTensor"]["scale"]
        case.inputs[2]["encoding"] = per_tensor(0.0, 0) if bias == "zero" else {"perChannel": {
            "axis": 0, "scales": [0.01 * scale] * count, "zeroPoints": [0] * count}}


def _bias(case, breach):
    words = re.match(r"b (S32|U8)(?: (a\*w|3\*a\*w|axis a\*w|scale 0|no encoding|offset -?\d+"
                     r"|scale 3\*mean\(a\*w\)))?( dynamic)?(?:, weights (bw4 )?(per-channel))?\Z", breach)
    if not words or len(case.inputs) < 3:
        raise Unknown(breach)
    dtype, form, dynamic, bw, channel = words.groups()
    weight, bias = case.inputs[1], case.inputs[2]
    weight["dtype"] = S8
    weight["isStatic"] = True
    bias["dtype"] = SHORT[dtype]
    axis, count = _channels(case, 1)
    scale = case.inputs[0]["encoding"]["perTensor"]["scale"]
    weight["encoding"] = per_tensor(0.02, 0)
    if channel:
        weight["encoding"] = {"perChannel": {"axis": axis, "scales": [0.02] * count,
                                             "zeroPoints": [0] * count}}
        if bw:
            weight["encoding"]["perChannel"]["bitwidth"] = 4
            _values(weight, -8, 7)
    bias["encoding"] = per_tensor(0.02 * scale if dtype == "S32" else 0.01, 0 if dtype == "S32" else 128)
    if form == "no encoding":
        bias.pop("encoding")
    elif form == "scale 0":
        bias["encoding"]["perTensor"]["scale"] = 0.0
    elif form in ("3*a*w", "scale 3*mean(a*w)"):
        bias["encoding"]["perTensor"]["scale"] *= 3
    elif form == "axis a*w":
        bias["encoding"] = {"perChannel": {"axis": 0, "scales": [0.02 * scale] * count,
                                           "zeroPoints": [0] * count}}
    elif form and form.startswith("offset"):
        bias["encoding"]["perTensor"]["zeroPoint"] = -int(form.split()[1])
    if dynamic:
        bias.pop("isStatic", None)


def cases(facts):
    """(name, model, sdk, arch, consequence) of every case whose words are known, and the rest
    as (words, None, ...)."""
    for number, entry in enumerate(facts.measured["entries"]):
        key = entry["op"]
        if "operation" in entry:
            key += "/" + entry["operation"]
        if "variant" in entry:
            key += "/" + entry["variant"]
        on_weights = "dtype_of" in entry["when"]
        if on_weights and any(b.startswith("b ") or "bias" in b for b in entry["breach"]) \
                and key == "MatMul":
            key = "MatMul/bias"
        for activation in entry["when"]["activation"]:
            for breach in entry["breach"]:
                name = f"{number} {key} {activation} {breach}"
                try:
                    if on_weights:
                        case = Case(facts, key, _weight_row(facts, key, entry, activation))
                        (_lpbq if breach.startswith("LPBQ") else
                         _bias if breach.startswith("b ") else _weight)(case, breach)
                    else:
                        case = Case(facts, key, _dtypes(facts, key, entry, activation))
                        if "param" in entry["when"]:
                            for param, values in entry["when"]["param"].items():
                                case.params[param] = {"uint": values[0]}
                        _generic(case, entry, breach)
                except (Unknown, KeyError, IndexError) as error:
                    yield breach, None, None, None, str(error)
                    continue
                for arch in entry["arch"]:
                    yield (name, copy.deepcopy(case.model(name)),
                           ".".join(entry["sdk"].split(".")[:2]), arch, entry["consequence"])


def _weight_row(facts, key, entry, activation):
    op = key.split("/")[0]
    template = facts.template(key)
    row = [activation, S8 if fixed(activation) else activation]
    if len(template["inputs"]) > 2:
        row.append("SFIXED_POINT_32" if fixed(activation) else activation)
    of = entry["when"]["dtype_of"]
    row[1] = of.get("in[1]", row[1:2])[0]
    if "in[2]" in of and len(row) > 2:
        row[2] = of["in[2]"][0]
    if op not in WEIGHT_OPS:
        raise Unknown(op)
    return row + [activation] * len(template["outputs"])
