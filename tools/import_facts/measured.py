"""Constraints that measurement shows, whatever the documents say, for any op.

Findings that are about single ops stand in `special.py`, those of weights in `weights.py`.
"""
from . import ports as port_tools
from .variants import OPERATION_OPS, operation_name

FIXED = ("UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "SFIXED_POINT_16")
WORST = ("rejected", "prepare_fails", "wrong_values")
SOURCES = {"2.47": ["measured-2.47", "measured-2.51"], "2.49": ["measured-2.49", "measured-2.51"],
           "2.51": ["measured-2.51"]}
# Templates of an op that only differ in optional ports, or in a param.
VARIANT_PARAMS = {"nearest": {"interpolation_mode": ["NEAREST"]},
                  "linear": {"interpolation_mode": ["LINEAR"]}}
# Outputs that hold raw truth values: their encoding is not read.
TRUTH_OUTPUTS = {
    "ElementWiseAnd", "ElementWiseOr", "ElementWiseXor", "ElementWiseNot", "ElementWiseEqual",
    "ElementWiseNotEqual", "ElementWiseGreater", "ElementWiseGreaterEqual", "ElementWiseLess",
    "ElementWiseLessEqual", "OneHot"}
SPARSE = {"CreateSparse", "GetSparseIndices", "GetSparseValues", "SparseToDense"}
TRUTH_OPERATIONS = {
    "ElementWiseBinary": ["AND", "EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL",
                          "NOT_EQUAL", "OR", "XOR"],
    "ElementWiseUnary": ["NOT"]}


def finding(port, kind, consequence, *, since="2.47", until=None, arch=None, when=None, note=None,
            slug=None, **fields):
    """A constraint that was measured; `fields` are those of its kind."""
    result = {"port": port, "kind": kind, **fields}
    if when:
        result["when"] = when
    result["since"] = since
    if until:
        result["until"] = until
    if arch:
        result["arch"] = arch
    result["consequence"] = consequence
    result["sources"] = SOURCES[since]
    if note:
        result["note"] = note
    if slug:
        result["slug"] = slug
    return result


def operation_of(entry):
    """(the enumerator of `operation`, or None) of an entry or a `Op/Tag` name."""
    if "operation" in entry:
        return operation_name(entry["operation"])
    op, _, tag = entry["op"].partition("/")
    return operation_name(tag) if tag and op in OPERATION_OPS else None


def entries_of(facts, op, kind):
    for entry in facts.measured["entries"]:
        if entry["op"].split("/")[0] == op and entry["kind"] == kind:
            yield entry


def merge_operations(op, names, found):
    """`found`: (operation, constraint) pairs; equal ones of several operations become one."""
    merged = []
    for operation, constraint in found:
        for known, operations in merged:
            if known == constraint and (operation is None) == (operations is None):
                if operation is not None and operation not in operations:
                    operations.append(operation)
                break
        else:
            merged.append((constraint, None if operation is None else [operation]))
    result = []
    for constraint, operations in merged:
        constraint = dict(constraint)
        if operations is not None and set(operations) != set(names):
            when = dict(constraint.get("when", {}))
            when["param"] = {"operation": [n for n in names if n in operations]}
            constraint["when"] = when
        result.append(constraint)
    return result


class Measured:
    """What holds of one op."""

    def __init__(self, facts, op, rows):
        self.facts = facts
        self.op = op
        self.rows = rows
        self.operations = [
            name for name in port_tools.enum_values(facts, op, "operation")
            if any(operation_name(key.partition("/")[2]) == name for key in rows.keys)]

    def fixed_dtypes(self, port):
        index = self.rows.names.index(port)
        result = []
        for variant in self.rows.variants:
            dtypes = variant["dtypes"][index]
            for dtype in dtypes if isinstance(dtypes, tuple) else (dtypes,):
                if dtype and "FIXED" in dtype and dtype not in result:
                    result.append(dtype)
        return result

    def fixed_ports(self):
        return [p for p in self.rows.names if self.fixed_dtypes(p)]

    def _narrow(self, port, dtypes):
        """A condition on the datatype, unless every measured one of the port is meant."""
        every = [d for d in FIXED if d in self.fixed_dtypes(self._declared(port))]
        if set(dtypes) >= set(every):
            return None
        return {"dtype": [d for d in FIXED if d in dtypes]}

    # -- same encoding ------------------------------------------------------------------

    def same_encoding(self):
        """(constraints, consequence of another scale by port) from outputs and inputs that
        were given another scale or offset."""
        tested = {}
        for entry in entries_of(self.facts, self.op, "same_encoding"):
            when = entry["when"]
            if "param" in when or self.op in ("Softmax", "ScatterNd", "Cast", "Reshape"):
                continue  # special.py
            operation = operation_of(entry)
            if operation == "HARD_SIGMOID":
                continue
            variant = VARIANT_PARAMS.get(entry.get("variant"))
            sdk = "2.47" if any("2.47" in a for a in entry.get("also", ())) else "2.51"
            for breach in entry["breach"]:
                what = self._what(breach)
                if what is None:
                    continue
                for dtype in when["activation"]:
                    cell = tested.setdefault(
                        (operation, repr(variant), entry["port"], entry["as"]),
                        {"variant": variant, "cells": {}, "since": "2.51"})
                    if sdk == "2.47":
                        cell["since"] = "2.47"
                    cell["cells"].setdefault(dtype, {}).setdefault(what, set()).add(
                        entry["consequence"])
        for entry in entries_of(self.facts, self.op, "symmetric"):
            # 16-bit signed outputs with another offset than the centred one of in[0].
            key = (operation_of(entry), repr(None), entry["port"], "in[0]")
            if (entry["port"] == "out[0]" and entry["consequence"] != "harmless"
                    and key in tested):
                for dtype in entry["when"]["activation"]:
                    tested[key]["cells"].setdefault(dtype, {})["offset"] = {entry["consequence"]}
        found = []
        for (operation, _, port, other), cell in tested.items():
            groups = {}
            for dtype, results in cell["cells"].items():
                outcome = self._outcome(results)
                groups.setdefault(outcome, []).append(dtype)
            if ("wrong_values", "wrong_values") in groups and ("wrong_values", None) in groups:
                groups["wrong_values", "wrong_values"] += groups.pop(("wrong_values", None))
            if ("wrong_values", "rejected") in groups and ("wrong_values", None) in groups:
                groups["wrong_values", "rejected"] += groups.pop(("wrong_values", None))
            for aspect, consequence, dtypes in self._aspects(groups):
                when = dict(cell["variant"] and {"param": cell["variant"]} or {})
                when.update(self._narrow(port, dtypes) or {})
                fields = {"as": other}
                if aspect:
                    fields["aspect"] = aspect
                slug = f"same-{aspect}" if aspect else None
                found.append((operation, finding(
                    self._declared(port), "same_encoding", consequence, since=cell["since"],
                    when=when, slug=slug, **fields)))
        return merge_operations(self.op, self.operations, found)

    def _declared(self, port):
        return port if port in self.rows.names else next(
            n for n in self.rows.names if n.startswith(port.split("[")[0]) and ".." in n)

    @staticmethod
    def _what(breach):
        if breach.startswith("out_scale") or breach.startswith("in1_scale"):
            return None
        if "and offset moved" in breach:
            return "both"
        if "offset" in breach:
            return "offset"
        return "scale"

    @staticmethod
    def _outcome(results):
        def worst(what):
            for consequence in WORST:
                if consequence in results.get(what, ()):
                    return consequence
            return "harmless" if what in results else None

        scale, offset, both = worst("scale"), worst("offset"), worst("both")
        if offset is None and both is not None:
            offset = both
        if scale == "harmless":
            scale = None
        if offset == "harmless":
            offset = None
        return scale, offset

    @staticmethod
    def _aspects(groups):
        """(aspect or None for both, consequence, datatypes)"""
        collected = {}
        for (scale, offset), dtypes in groups.items():
            if scale and scale == offset:
                collected.setdefault((None, scale), []).extend(dtypes)
                continue
            if scale:
                collected.setdefault(("scale", scale), []).extend(dtypes)
            if offset:
                collected.setdefault(("offset", offset), []).extend(dtypes)
        for (aspect, consequence), dtypes in collected.items():
            yield aspect, consequence, dtypes

    # -- encodings ----------------------------------------------------------------------

    def per_channel_activations(self):
        """Per-channel encodings of activations; weights and their biases: weights.py."""
        found = []
        for entry in entries_of(self.facts, self.op, "encodings"):
            if "dtype_of" in entry["when"] or not entry["breach"][0].startswith("AXIS_SCALE") \
                    or entry["consequence"] == "harmless":
                continue
            found.append((operation_of(entry), finding(
                self._declared(entry["port"]), "encodings", entry["consequence"], since="2.51",
                denied=["AXIS_SCALE_OFFSET"])))
        for entry in self.facts.per_channel:
            op, _, tag = entry["key"].partition("/")
            if op != self.op:
                continue
            port = self._declared(entry["port"])
            role = port_tools.role(op, port)
            if role in ("weight", "bias", "gamma", "beta"):
                continue
            operation = operation_name(tag) if op in OPERATION_OPS else None
            found.append((operation, finding(
                port, "encodings", entry["consequence"], since="2.51",
                denied=["AXIS_SCALE_OFFSET"])))
        unique = []
        for pair in found:
            # The folder of facts comes first.
            if not any(o == pair[0] and c["port"] == pair[1]["port"] for o, c in unique):
                unique.append(pair)
        return merge_operations(self.op, self.operations, unique)

    def prepared_encodings(self, covered):
        """Encodings of inputs with which preparation fails; ports of which that is `covered` for
        per-channel ones. Ops with weights take them anywhere, those on sparse tensors were not
        prepared alone."""
        ports = self.fixed_ports()
        if self.op in SPARSE or any(port_tools.role(self.op, p) == "weight" for p in ports):
            return []
        return [finding(port, "encodings", "prepare_fails", slug="encodings-prepared",
                        denied=["AXIS_SCALE_OFFSET"] * (port not in covered)
                        + ["BW_AXIS_SCALE_OFFSET", "BLOCK", "BLOCKWISE_EXPANSION"])
                for port in ports if port.startswith("in[")]

    def valid_scale(self):
        """Preparation refuses negative scales of data with an offset; what it takes was never
        judged."""
        if not self.fixed_ports():
            return []
        data = [port for port in self.fixed_ports()
                if port_tools.role(self.op, port) not in ("gamma", "beta", "alpha", "condition")]
        return [finding(port, "any_of", "prepare_fails", slug="negative-scale",
                        of=[[{"port": port, "kind": "valid_scale", "aspect": "nonnegative"}],
                            [{"port": port, "kind": "fixed_encoding", "offset": 0}]])
                for port in data] + [
            finding(port, "valid_scale", "prepare_fails", aspect="finite", slug="finite-scale-prepared")
            for port in self.fixed_ports()
            if port_tools.role(self.op, port) not in ("gamma", "beta", "alpha")] + [
            finding(port, "bit_width", "prepare_fails", denied=[3, 5, 6, 7], slug="bits-prepared-s8",
                    when={"dtype": ["SFIXED_POINT_8"], "encoding": ["BW_SCALE_OFFSET"]})
            for port in self.fixed_ports() if port.startswith("in[")] + [
            finding("all", "valid_scale", "undocumented", since="2.51", aspect="nonnegative",
                    slug="negative-scale-unjudged", note="prepared with the offset 0, never judged"),
            finding("all", "valid_scale", "wrong_values", since="2.51", aspect="nonzero",
                    slug="zero-scale"),
        ]

    def encoding_defined(self):
        """A missing encoding is read as scale 1, offset 0; some ops refuse it, and some move
        the integers whatever they mean."""
        tested = {}  # variant of a param -> port -> dtype -> consequences
        for entry in entries_of(self.facts, self.op, "encoding_defined"):
            if "dtype_of" in entry["when"] or entry["port"] == "all":
                continue
            variant = entry.get("variant")
            ports = tested.setdefault(variant if variant in VARIANT_PARAMS else None, {})
            for dtype in entry["when"]["activation"]:
                if dtype in FIXED:
                    ports.setdefault(self._declared(entry["port"]), {}).setdefault(
                        dtype, set()).add(entry["consequence"])
        result = []
        for variant, ports in (tested or {None: {}}).items():
            when = {"param": VARIANT_PARAMS[variant]} if variant else {}
            result += self._encoding_defined(ports, when)
        return result

    def _encoding_defined(self, tested, given):
        result = []
        plain = True
        for port in self.fixed_ports():
            if port == "out[0]" and (self.op in TRUTH_OUTPUTS or self.op in TRUTH_OPERATIONS):
                plain = False
                if self.op in TRUTH_OPERATIONS:
                    result.append(finding(
                        port, "encoding_defined", "wrong_values", since="2.51",
                        when={"param_not": {"operation": TRUTH_OPERATIONS[self.op]}}))
                continue
            by_consequence = {}
            for dtype, consequences in tested.get(port, {}).items():
                worst = next((c for c in WORST if c in consequences), "harmless")
                by_consequence.setdefault(worst, []).append(dtype)
            if not by_consequence:
                by_consequence = {"wrong_values": list(FIXED)}
            if set(by_consequence) != {"wrong_values"}:
                plain = False
            for consequence, dtypes in by_consequence.items():
                if consequence == "harmless":
                    continue
                when = dict(given)
                note = None
                if len(by_consequence) > 1:
                    when["dtype"] = [d for d in FIXED if d in dtypes]
                if consequence == "rejected":
                    other = "in[0]" if port.startswith("out") else "out[0]"
                    when["encoding_of"] = {self._declared(other): ["SCALE_OFFSET",
                                                                   "BW_SCALE_OFFSET"]}
                    note = "refused where the other side's offset is not 0, else read as " \
                           "scale 1, offset 0"
                result.append(finding(port, "encoding_defined", consequence, since="2.51",
                                      when=when, note=note))
        if plain and result:
            return [finding("all", "encoding_defined", "wrong_values", since="2.51", when=given)]
        return result

    # -- ranks ---------------------------------------------------------------------------

    def ranks(self, documented):
        """Ranks of in[0] that op validation takes and those that then fail; `documented`: the
        documented constraints, which get what was measured of them."""
        taken = {}   # operation -> dtype -> (min, max)
        for entry in self.facts.measured["validator_ranks"]:
            if entry["op"].split("/")[0] != self.op:
                continue
            low, _, high = entry["accepted_ranks"].partition("..")
            for dtype in entry["when"]["activation"]:
                taken.setdefault(operation_of(entry), {})[dtype] = (int(low), int(high or low))
        failing = []
        for entry in self.facts.measured["ranks"]:
            if entry["op"].split("/")[0] != self.op:
                continue
            good = entry["ranks"].get("right", []) + entry["ranks"].get("runs", [])
            for consequence in ("prepare_fails", "wrong_values"):
                bad = entry["ranks"].get(consequence)
                if not bad or not good:
                    continue
                limits = {"max": min(bad) - 1} if min(bad) > max(good) else {"min": max(bad) + 1}
                failing.append((operation_of(entry), consequence, limits,
                                entry["when"]["activation"]))
        port = self.rows.names[0]
        found = []
        for operation, by_dtype in taken.items():
            agrees = self._mark_documented(documented, operation, by_dtype)
            if agrees:
                continue
            groups = {}
            for dtype, limits in by_dtype.items():
                groups.setdefault(limits, []).append(dtype)
            for (low, high), dtypes in groups.items():
                fields = {}
                if low > 1:
                    fields["min"] = low
                if high < 7:  # Ranks up to 7 were tried.
                    fields["max"] = high
                if not fields:
                    continue
                when = None if len(groups) == 1 else {"dtype": dtypes}
                found.append((operation, finding(port, "rank", "rejected", when=when,
                                                 slug="rank-measured", **fields)))
        for operation, consequence, limits, dtypes in failing:
            slug = "rank-prepared" if consequence == "prepare_fails" else "rank-computed"
            every = set(taken.get(operation, {})) & {"UFIXED_POINT_8", "UFIXED_POINT_16", "FLOAT_16"}
            when = None if set(dtypes) >= every else {"dtype": dtypes}
            found.append((operation, finding(port, "rank", consequence, since="2.51", when=when,
                                             slug=slug, **limits)))
        return merge_operations(self.op, self.operations, found)

    def _mark_documented(self, documented, operation, by_dtype):
        """Gives documented rank limits what was measured; True when they say the same."""
        groups_of = {}
        for variant in self.rows.variants:
            dtype = variant["dtypes"][0]
            groups_of.setdefault(dtype, set()).add(variant["group"])
        agrees = True
        for dtype, (low, high) in by_dtype.items():
            for group in groups_of.get(dtype, ()):
                lows, highs = [1], [7]
                for constraint in documented:
                    if not self._speaks(constraint, group, operation, self.rows.names[0]):
                        continue
                    lows.append(constraint["body"].get("min", 1))
                    highs.append(constraint["body"].get("max", 7))
                if max(lows) != low or min(highs) != high:
                    agrees = False
                for constraint in documented:
                    body = constraint["body"]
                    if body["kind"] != "rank" or not self._speaks(constraint, group, operation,
                                                                 body["port"]):
                        continue
                    if body["port"] != self.rows.names[0] and not self._follows(body):
                        continue
                    relaxed = high > body.get("max", 7) or low < body.get("min", 1)
                    constraint.setdefault("ranks", set()).add("relaxed" if relaxed else "held")
        return agrees

    @staticmethod
    def _follows(body):
        """Whether the port's rank is in[0]'s in the shapes that were tried."""
        return body["port"] in ("out[0]", "in[1]")

    @staticmethod
    def _speaks(constraint, group, operation, port):
        body = constraint["body"]
        if body["kind"] != "rank" or body["port"] != port or "sparse" in body:
            return False
        if "All" not in constraint["groups"] and group not in constraint["groups"]:
            return False
        when = body.get("when", {})
        if set(when) - {"param", "param_not"}:
            return False
        if operation is not None:
            if operation not in when.get("param", {}).get("operation", [operation]):
                return False
            if operation in when.get("param_not", {}).get("operation", ()):
                return False
        return True

    # -- plain cases that fail --------------------------------------------------------------

    def plain_cases(self):
        found = []
        for entry in entries_of(self.facts, self.op, "baseline"):
            if entry["port"] != "all" or entry["consequence"] != "prepare_fails":
                continue
            if set(entry["when"]["activation"]) & set(FIXED) or "nogamma" in entry.get("variant", "") \
                    and self.op == "LayerNorm":
                continue  # special.py
            operation = operation_of(entry)
            # The first data input; that of a selection comes after its condition.
            port = "in[1]" if port_tools.role(self.op, "in[0]") == "condition" else "in[0]"
            for dtype in entry["when"]["activation"]:
                if dtype == "FLOAT_16":
                    found.append((operation, finding(
                        port, "dtypes", "prepare_fails", since="2.51", denied=["FLOAT_16"],
                        slug="float-prepared")))
                elif dtype == "FLOAT_32":
                    found.append((operation, finding(
                        port, "dtypes", "advice", since="2.51", arch="v69+", denied=["FLOAT_32"],
                        slug="float32-prepared",
                        note="fails in preparation unless the graph's float16 precision option is set")))
                    # On v68 that option does not help: asked through onnxruntime-qnn 2.7.0.
                    found.append((operation, finding(
                        port, "dtypes", "prepare_fails", since="2.51", arch="v68",
                        denied=["FLOAT_32"], slug="float32-prepared-v68",
                        note="fails in preparation, with the graph's float16 precision option too")))
        unique = []
        for pair in found:
            if pair not in unique:
                unique.append(pair)
        return merge_operations(self.op, self.operations, unique)
