"""Translates the documented constraints of an op into those of the YAML schema."""
import re

from . import ports as port_tools

DOCS = "docs-2.25"
_NOT_FIELDS = {"src", "config", "port", "kind", "when", "stated_on", "source_offset", "dim_name",
               "values", "absent_ok", "required"}
_MAX_RANK = 8
_PADDED_RANKS = range(1, 6)
_OWN = ("dtype", "dtype_not", "bits", "encoding")


class Documented:
    """The constraints of one op; `facts_in` documented ones became `constraints`."""

    def __init__(self, facts, op, names):
        self.facts = facts
        self.op = op
        self.names = names
        self.params = {p["name"] for p in facts.master[op]["params"]}
        self.constraints = []
        self.roles = {}
        self.facts_in = 0
        for fact in facts.documented.get(op, {}).get("constraints", ()):
            self.facts_in += 1
            for translated in self._translate(fact):
                self._add(translated, fact)

    def facts_out(self):
        """Documented constraints that some output, or the role of a port, stands for."""
        return len({index for c in self.constraints for index in c["facts"]}) + len(self.roles)

    def _add(self, constraint, fact):
        """Merges a constraint that several groups, or several sentences, state alike."""
        body = {k: v for k, v in constraint.items()}
        group = fact["config"]
        for known in self.constraints:
            if known["body"] == body:
                known["groups"].add(group)
                known["facts"].append(self.facts_in)
                return
        self.constraints.append({"body": body, "groups": {group}, "facts": [self.facts_in]})

    # -- one constraint ---------------------------------------------------------------------

    def port(self, name):
        """The declared port: the pages also name single tensors of a variadic one."""
        name = name.replace("..M]", "..m]")
        if name in self.names or name in self.params or name == "in[0]":
            return name
        side, index = re.match(r"(in|out)\[(\d+)", name).groups()
        for declared in self.names:
            found = re.match(rf"{side}\[(\d+)\.\.m\]", declared)
            if found and int(found[1]) <= int(index):
                return declared
        raise KeyError((self.op, name))

    def _translate(self, fact):
        kind = fact["kind"]
        base = {"port": self.port(fact["port"])}
        if kind == "role" and base["port"] in self.names:
            self.roles[base["port"]] = fact["name"]
            return
        when = self._when(fact.get("when", {}))
        if fact["port"] in self.params and "stated_on" in fact:
            # A param has no encoding: the condition is about the port the sentence stands at.
            for key in ("encoding", "dtype", "bits"):
                if key in when:
                    when[f"{key}_of"] = {self.port(fact["stated_on"]): when.pop(key)}
        special = {"min_arch": self._min_arch, "quant_axis": self._quant_axis,
                   "same_dims": self._same_dims, "scale_ratio": self._scale_ratio,
                   "pad_axes": self._pad_axes, "equal_elements": self._equal_elements,
                   "param_count": self._param_count}.get(kind)
        if kind == "param_value" and isinstance(fact.get("index"), str):
            special = self._index_range
        if special is not None:
            yield from special(base, fact, when)
            return
        text = self._words(base["port"], fact)
        if text is not None:
            result = dict(base, kind="note", topic=text[0], text=text[1])
            if base["port"] in self.params:
                own = [str(v) for key in _OWN for v in when.pop(key, ())]
                result["text"] += f" ({', '.join(own)})" if own else ""
        elif kind == "any_of":
            result = dict(base, kind=kind, of=[
                [self._inner(base["port"], inner) for inner in branch] for branch in fact["of"]])
        elif kind == "dtypes" and base["port"] in self.params and len(fact["allowed"]) == 1:
            result = dict(base, kind="storage_dtype", dtype=fact["allowed"][0])
        else:
            result = dict(base, **self._fields(base["port"], fact))
        if when:
            result["when"] = when
        yield result

    def _words(self, port, fact):
        """(topic, text) of what no rule can check."""
        kind = fact["kind"]
        if kind == "param_ignored":
            return "param-ignored", "its value has no effect"
        if kind == "updatable_quant":
            return "updatable-quant", "its encoding may be updated after preparation"
        if kind == "same_encoding" and port not in self.names and port != "in[0]":
            return "encoding-of-param", f"the value is read with the encoding of {fact['as']}"
        if kind == "storage_dtype" and fact["dtype"].startswith("as "):
            return "datatype-of-param", f"stored in the datatype of {fact['dtype'][3:]}"
        if kind == "role":
            return "role", fact["name"].replace("_", " ")
        if kind == "broadcast" and fact.get("required"):
            return "broadcast", "taken only where inputs are broadcast"
        if kind == "rank" and port in self.params:
            return "rank-of-param", f"at most {fact['max']} dimensions"
        if kind == "dim" and not self._is_dim(port, fact["dim"]):
            limit = ", ".join(f"{key} {fact[key]}" for key in ("eq", "min", "max") if key in fact)
            bits = fact.get("when", {}).get("bits")
            return "dimension-name", (
                f"dimension {fact['dim']}: {limit}" + (f" with {bits} bits" if bits else "")
                + "; the documents don't say which index that is")
        return None

    def _is_dim(self, port, dim):
        try:
            port_tools.dim_index(self.facts, self.op, port, dim[0] if isinstance(dim, list) else dim)
        except ValueError:
            return False
        return True

    def _inner(self, port, fact):
        port = self.port(fact.get("port", port))
        return {"port": port, **self._fields(port, fact)}

    def _fields(self, port, fact):
        """Kind and fields, names of elements and dims turned into numbers."""
        result = {"kind": fact["kind"]}
        if fact["kind"] == "port_optional":
            result["allowed"] = True
        for key, value in fact.items():
            if key in _NOT_FIELDS:
                continue
            if fact["kind"] == "param_value":
                if isinstance(value, float) and self._follows_a_tensor(port):
                    value = int(value)
                if key == "index":
                    value = [port_tools.element_index(self.facts, self.op, port, n) for n in value]
                if key == "default" and isinstance(fact["eq"], str):
                    continue  # The default is a formula, which `eq` says.
                if isinstance(value, bool) and key != "default":
                    value = int(value)
                if "values" in fact and isinstance(value, list):
                    known = port_tools.enum_values(self.facts, self.op, port)
                    value = [v if v in known else fact["values"].get(v, v) for v in value]
            if key == "dim":
                value = [port_tools.dim_index(self.facts, self.op, port, n) for n in value] \
                    if isinstance(value, list) \
                    else port_tools.dim_index(self.facts, self.op, port, value)
            if key in ("as", "peer") and isinstance(value, str):
                value = self.port(value)
            result[key] = self._expression(value)
        return result

    def _follows_a_tensor(self, param):
        """Whether a param has the type of a tensor; its documented numbers are whole."""
        return any(p["name"] == param and p["dtypes"] == ["backend"]
                   for p in self.facts.master[self.op]["params"])

    def _expression(self, value):
        """Names of dims within an expression turned into numbers."""
        if not isinstance(value, str):
            return value

        def index(found):
            port, name = found[1], found[2]
            if name in self.params:
                return found[0]
            return f"dim({port},{port_tools.dim_index(self.facts, self.op, port, name)})"
        return re.sub(r"dim\(((?:in|out)\[\d+\]),([a-z]\w*)\)", index, value)

    def _when(self, when):
        result = {}
        for key, value in when.items():
            if key == "peer_bits":
                result["bits_of"] = {port: [bits] for port, bits in value.items()}
            elif key == "bits":
                result[key] = [value]
            elif key == "rank":
                result[key] = {port: [rank] for port, rank in value.items()}
            elif key == "peer_encoding":
                result["encoding_of"] = value
            elif key in ("param", "param_not"):
                result[key] = {name: [int(v) if isinstance(v, bool) else v for v in values]
                               for name, values in value.items()}
            elif key == "axes_include":
                result[key] = [port_tools.dim_index(self.facts, self.op, "in[0]", value)]
            elif key == "any_dim_not_multiple":
                result[key] = {
                    port: {port_tools.dim_index(self.facts, self.op, port, n): size
                           for n, size in dims.items()} for port, dims in value.items()}
            elif key == "mode":
                name = next(p["name"] for p in self.facts.master[self.op]["params"]
                            if value.upper() in p.get("enum", {}))
                result["param"] = dict(result.get("param", {}), **{name: [value.upper()]})
            else:
                result[key] = value
        return result

    # -- facts that take several constraints, or another kind -----------------------------

    def _same_dims(self, base, fact, when):
        dims = fact["dims"]
        if dims == "last":
            dims = [-1]
        elif dims == "outer(N-2)":  # A dimension that a tensor doesn't have isn't compared.
            dims = list(range(-3, -_MAX_RANK - 1, -1))
        elif dims == "all_but(param:axis)":
            dims = [f"{i}+min(max({i}-param:axis+1,0),1)" for i in range(_MAX_RANK - 1)]
        others = fact["as"] if isinstance(fact["as"], list) else [fact["as"]]
        for other in others:
            result = dict(base, kind="same_dims", dims=dims, **{"as": self.port(other)})
            if "broadcast" in fact:
                result["broadcast"] = fact["broadcast"]
            yield dict(result, when=when) if when else result

    def _scale_ratio(self, base, fact, when):
        """Output sizes are whole multiples of the input's, the same in every dimension."""
        if not (fact["integer"] and fact["uniform"] and fact["min"] == 1):
            raise ValueError(f"{self.op}: {fact}")
        dims = [port_tools.dim_index(self.facts, self.op, "in[0]", n) for n in fact["dim"]]
        found = [dict(base, kind="dim", dim=d, multiple_of=f"dim(in[0],{d})") for d in dims]
        first = dims[0]
        found += [dict(base, kind="dim", dim=d,
                       eq=f"dim(in[0],{d})*dim({base['port']},{first})/dim(in[0],{first})")
                  for d in dims[1:]]
        for result in found:
            yield dict(result, when=when) if when else result

    def _pad_axes(self, base, fact, when):
        """No padding in front of or behind any other axis."""
        named = isinstance(fact["allowed"][0], str)
        allowed = [port_tools.dim_index(self.facts, self.op, "in[0]", n) for n in fact["allowed"]]
        for rank in (4,) if named else _PADDED_RANKS:
            elements = [e for axis in range(rank) if axis not in allowed
                        for e in (2 * axis, 2 * axis + 1)]
            yield {"port": "pad_amount", "kind": "param_value", "index": elements, "eq": 0,
                   "when": dict(when, rank={"in[0]": [rank]})}

    def _equal_elements(self, base, fact, when):
        for group in fact["groups"]:
            result = dict(base, kind="param_value", index=group[1:],
                          eq=f"param:{fact['port']}[{group[0]}]")
            yield dict(result, when=when) if when else result

    def _param_count(self, base, fact, when):
        """One element: where that is told of an axis, no other axis goes with it."""
        if fact["eq"] != 1 or "axes_include" not in when:
            raise ValueError(f"{self.op}: {fact}")
        yield dict(base, kind="param_value", allowed=when["axes_include"], when=when)

    def _index_range(self, base, fact, when):
        """`index: [0..rank(in[0])-n]`, rank by rank."""
        port, less = re.fullmatch(r"\[0\.\.rank\((.*)\)-(\d+)\]", fact["index"]).groups()
        rest = dict(when)
        lowest = rest.pop("rank_min", {}).get(port, int(less))
        fields = {k: v for k, v in self._fields(base["port"], dict(fact, index=[])).items()
                  if k != "index"}
        for rank in range(max(lowest, int(less)), _MAX_RANK + 1):
            yield dict(base, **fields, index=list(range(rank - int(less) + 1)),
                       when=dict(rest, rank={port: [rank]}))

    def _min_arch(self, base, fact, when):
        """A lower bound on the arch: what is bound is refused on the archs below it."""
        if "BLOCKWISE_EXPANSION" in when.get("encoding", ()):
            yield dict(base, kind="encodings", denied=["BLOCKWISE_EXPANSION"],
                       arch=_below(fact["arch"]))
        elif when.get("bits") == [16]:
            rest = {k: v for k, v in when.items() if k != "bits"}
            yield dict(base, kind="dtypes", denied=["SFIXED_POINT_16", "UFIXED_POINT_16"],
                       arch=_below(fact["arch"]), when=rest)
        else:
            raise ValueError(f"{self.op}: a lower bound on the arch of an unknown kind: {fact}")

    def _quant_axis(self, base, fact, when):
        if "dim" in fact:
            yield dict(base, kind="quant_axis", axis=fact["dim"], when=when)
        else:
            axis = port_tools.channel_axis(self.facts, self.op, base["port"])
            if axis is None:
                raise ValueError(f"{self.op}: no channel axis for {base['port']}")
            yield dict(base, kind="quant_axis", axis=axis, when=when)


def _below(arch):
    """The supported archs below one, as a range."""
    return {"v73": "v68..v69", "v79": "v68..v75"}[arch]
