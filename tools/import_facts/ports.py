"""Ports, roles, params and examples of an op."""
import ast
import re

# Layout of an activation whose page gives no dims.
_CHANNEL_LAST = ("batch", "height", "width", "channel")
_NORMS = {"LayerNorm", "RmsNorm", "GroupNorm", "InstanceNorm", "Batchnorm"}
_WEIGHTS = {"Conv2d", "Conv3d", "DepthWiseConv2d", "TransposeConv2d", "TransposeConv3d",
            "FullyConnected", "MatMul"}
_ROLES = {
    "Gather": {"in[1]": "indices"},
    "GatherElements": {"in[1]": "indices"},
    "GatherNd": {"in[1]": "indices"},
    "ScatterElements": {"in[1]": "indices", "in[2]": "updates"},
    "ScatterNd": {"in[1]": "indices", "in[2]": "updates"},
    "CreateSparse": {"in[0]": "indices"},
    "GetSparseIndices": {"out[0]": "indices"},
    "NonZero": {"out[0]": "indices"},
    "OneHot": {"in[0]": "indices"},
    "Argmax": {"out[0]": "indices"},
    "Argmin": {"out[0]": "indices"},
    "TopK": {"out[1]": "indices"},
    "ElementWiseSelect": {"in[0]": "condition"},
    "Prelu": {"in[1]": "alpha"},
    "GridSample": {"in[1]": "grid"},
    "RoiAlign": {"in[1]": "boxes", "in[2]": "indices"},
    "NonMaxSuppression": {"in[0]": "boxes", "in[1]": "scores", "out[0]": "indices"},
    "MaskedSoftmax": {"in[1]": "mask"},
    "Reshape": {"in[1]": "shape"},
}


def role(op, port):
    if port in _ROLES.get(op, {}):
        return _ROLES[op][port]
    if op in _WEIGHTS:
        return {"in[1]": "weight", "in[2]": "bias"}.get(port, "activation")
    if op in _NORMS:
        return {"in[1]": "gamma", "in[2]": "beta"}.get(port, "activation")
    return "activation"


def channel_axis(facts, op, port):
    for layout in facts.types["weight_layouts"]:
        if layout["op"] == op and layout["port"] == port:
            axis = layout["channel_axis"]
            # MatMul's axis follows transpose_in1; its constraints say so, the default stands here.
            return axis["transpose_in1=false"] if isinstance(axis, dict) else axis
    return None


def ports(facts, op, side):
    """The YAML entries of `inputs` or `outputs`."""
    result = []
    for entry in facts.master[op][side]:
        name = entry["name"].replace("..M]", "..m]")
        port = {"port": name, "role": role(op, name)}
        axis = channel_axis(facts, op, name)
        if axis is not None:
            port["channel_axis"] = axis
        if not entry["required"]:
            port["optional"] = True
        result.append(port)
    return result


def port_names(facts, op):
    return [p["port"] for side in ("inputs", "outputs") for p in ports(facts, op, side)]


def _default(text):
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None  # A rank ("N-1") or "none": no constant.
    return value


def _template_rank(facts, op, name):
    for template in facts.templates.get(op, ()):
        for param in template["params"]:
            if isinstance(param, dict) and param["name"] == name:
                return len(param.get("dims", ()))
    return 0


def params(facts, op):
    result = []
    for entry in facts.master[op]["params"]:
        dtype = entry["dtypes"][0]
        # The documents leave the type of some values to the backend; it is then the type of the
        # tensor they fill, and a plain number in a model.
        param = {"name": entry["name"], "dtype": "UNDEFINED" if dtype == "backend" else dtype}
        rank = entry.get("shape", {}).get("rank")
        if not isinstance(rank, int):  # A formula on the page: as the minimal shapes have it.
            rank = _template_rank(facts, op, entry["name"])
        if rank > 0:
            param["rank"] = rank
        if entry["required"]:
            param["required"] = True
        if entry.get("default") is not None:
            value = _default(entry["default"])
            if value is not None:
                if dtype == "FLOAT_32":
                    value = [float(v) for v in value] if isinstance(value, list) else float(value)
                if dtype == "BOOL_8":
                    value = int(value)
                param["default"] = value
        if "enum" in entry:
            param["values"] = dict(entry["enum"])
        result.append(param)
    return result


def enum_values(facts, op, param):
    for entry in facts.master[op]["params"]:
        if entry["name"] == param:
            return entry.get("enum", {})
    return {}


def element_index(facts, op, param, name):
    """The flat element of a tensor param called `name` ("height" of [height_stride, ...])."""
    for entry in facts.master[op]["params"]:
        if entry["name"] == param:
            names = re.findall(r"\w+", entry["shape"]["elements"])
            return next(i for i, n in enumerate(names) if n.startswith(name))
    raise KeyError((op, param))


def dim_index(facts, op, port, name):
    if not isinstance(name, str) or name in ("all",) or name.startswith("param:"):
        return name
    for side in ("inputs", "outputs"):
        for entry in facts.master[op][side]:
            if entry["name"].replace("..M]", "..m]") == port:
                names = entry.get("shape", {}).get("dims", _CHANNEL_LAST)
                return names.index(name)
    raise KeyError((op, port, name))


def _nest(flat, dims):
    if len(dims) <= 1:
        return list(flat)
    step = len(flat) // dims[0]
    return [_nest(flat[i * step:(i + 1) * step], dims[1:]) for i in range(dims[0])]


def _param_value(param):
    if isinstance(param, list):  # A value of the output's datatype: ["ON", name, value].
        return param[1], param[2]
    if "value" in param:
        return param["name"], param["value"]
    return param["name"], _nest(param["data"], param["dims"])


def _set_params(values, declared):
    """Without defaults in the dtype of a tensor: the number alone would be of another dtype."""
    defaults = {p["name"]: p["default"] for p in declared
                if p["dtype"] == "UNDEFINED" and "default" in p}
    return {name: value for name, value in values.items()
            if name not in defaults or defaults[name] != value}


def examples(facts, op):
    result = []
    for template in facts.templates.get(op, ()):
        example = {}
        if "tag" in template:
            example["tag"] = template["tag"]
        example["inputs"] = template["inputs"]
        example["outputs"] = template["outputs"]
        for key in ("static", "sparse_inputs", "sparse_outputs"):
            if key in template:
                value = template[key]
                example[key] = {int(k): v for k, v in value.items()} if isinstance(value, dict) else value
        if template["params"]:
            example["params"] = _set_params(dict(_param_value(p) for p in template["params"]),
                                            params(facts, op))
            if not example["params"]:
                del example["params"]
        result.append(example)
    return result
