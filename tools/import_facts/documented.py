"""Translates the documented constraints of an op into those of the YAML schema."""
from . import ports as port_tools

DOCS = "docs-2.25"
_NOT_FIELDS = {"src", "config", "port", "kind", "when", "stated_on", "source_offset", "dim_name"}


class Documented:
    """The constraints of one op; `facts_in` documented ones became `constraints`."""

    def __init__(self, facts, op, names):
        self.facts = facts
        self.op = op
        self.names = names
        self.constraints = []
        self.facts_in = 0
        for fact in facts.documented.get(op, {}).get("constraints", ()):
            self.facts_in += 1
            for translated in self._translate(fact):
                self._add(translated, fact)

    def facts_out(self):
        """Documented constraints that some output stands for."""
        return len({index for c in self.constraints for index in c["facts"]})

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

    def _port(self, name):
        return name.replace("..M]", "..m]")

    def _translate(self, fact):
        kind = fact["kind"]
        base = {"port": self._port(fact["port"])}
        when = self._when(fact.get("when", {}))
        if fact["port"] not in self.names and "stated_on" in fact:
            # A param has no encoding: the condition is about the port the sentence stands at.
            for key in ("encoding", "dtype", "bits"):
                if key in when:
                    when[f"{key}_of"] = {self._port(fact["stated_on"]): when.pop(key)}
        if kind == "min_arch":
            yield from self._min_arch(base, fact, when)
            return
        if kind == "quant_axis":
            yield from self._quant_axis(base, fact, when)
            return
        if kind in ("param_ignored", "updatable_quant"):
            text = {"param_ignored": "its value has no effect",
                    "updatable_quant": "its encoding may be updated after preparation"}[kind]
            result = dict(base, kind="note", topic=kind.replace("_", "-"), text=text)
        elif kind == "same_encoding" and base["port"] not in self.names:
            result = dict(base, kind="note", topic="encoding-of-param",
                          text=f"the value is read with the encoding of {fact['as']}")
        elif kind == "any_of":
            result = dict(base, kind=kind, of=[
                [self._inner(base["port"], inner) for inner in branch] for branch in fact["of"]])
        else:
            result = dict(base, **self._fields(base["port"], fact))
        if when:
            result["when"] = when
        yield result

    def _inner(self, port, fact):
        port = self._port(fact.get("port", port))
        return {"port": port, **self._fields(port, fact)}

    def _fields(self, port, fact):
        """Kind and fields, names of elements and dims turned into numbers."""
        result = {"kind": fact["kind"]}
        for key, value in fact.items():
            if key in _NOT_FIELDS:
                continue
            if fact["kind"] == "param_value":
                if key == "index":
                    value = [port_tools.element_index(self.facts, self.op, port, n) for n in value]
                if key == "default" and isinstance(fact["eq"], str):
                    continue  # The default is a formula, which `eq` says.
                if isinstance(value, bool) and key != "default":
                    value = int(value)
            if key == "dim":
                value = [port_tools.dim_index(self.facts, self.op, port, n) for n in value] \
                    if isinstance(value, list) \
                    else port_tools.dim_index(self.facts, self.op, port, value)
            result[key] = value
        return result

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
            else:
                result[key] = value
        return result

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
