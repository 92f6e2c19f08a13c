"""Dtype rows: the documented ones, what measurement refuted, and what it added."""
import re

from . import ports as port_tools
from .facts import PROBED

DOCS = "docs-2.25"
GROUPS = ("FP16", "INT16", "INT8", "OTHERS")
FIRST = ("2.47", "v73")
NEWEST = ("2.51", "v73")
OLDEST_ARCH = ("2.51", "v68")
OPERATION_OPS = ("ElementWiseBinary", "ElementWiseNeuron", "ElementWiseUnary")


def operation_name(tag):
    """The enumerator of a template's tag: SquareRoot -> SQRT, GreaterEqual -> GREATER_EQUAL."""
    return {"SquareRoot": "SQRT"}.get(tag) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tag).upper()


def alignment(names, template):
    """Declared port of each tensor of a template, inputs then outputs."""
    result = []
    for side, tensors in (("in", template["inputs"]), ("out", template["outputs"])):
        for index in range(len(tensors)):
            exact = f"{side}[{index}]"
            if exact in names:
                result.append(exact)
                continue
            variadic = [n for n in names if n.startswith(side + "[") and n.endswith("..m]")]
            result.append(variadic[0])
    return result


def project(names, dtypes, aligned):
    """A row of declared ports as the row of a template; None where a port must be absent."""
    row = dict(zip(names, dtypes))
    return tuple(row[name] for name in aligned)


def takes(names, dtypes, aligned, row):
    """Whether a variant of declared ports takes a template's row."""
    return all(have == want or isinstance(have, tuple) and want in have
               for have, want in zip(project(names, dtypes, aligned), row))


class Rows:
    """The variants of one op, with what each came from."""

    def __init__(self, facts, op):
        self.facts = facts
        self.op = op
        self.names = port_tools.port_names(facts, op)
        self.keys = [key for key in facts.keys_of(op) if facts.rows[NEWEST].get(key)]
        self.aligned = {key: alignment(self.names, facts.template(key)) for key in self.keys}
        self.variants = []
        self.documented_rows = 0
        self._documented()
        self._added()

    # -- documented --------------------------------------------------------------------

    def _documented(self):
        counts = dict.fromkeys(GROUPS, 0)
        seen = {}
        for row in self.facts.documented.get(self.op, {}).get("rows", ()):
            self.documented_rows += 1
            listed = {k.replace("..M]", "..m]"): v[0] for k, v in row["dtypes"].items()}
            dtypes = tuple(listed.get(name, self._unlisted(name)) for name in self.names)
            group = row["config"]
            if (group, dtypes) in seen:  # Rows that differ in the type of a param only.
                seen[group, dtypes]["rows"] += 1
                continue
            counts[group] += 1
            variant = {"id": f"{group}.{counts[group]}", "group": group, "dtypes": dtypes,
                       "rows": 1, "sources": [DOCS]}
            self._judge(variant)
            seen[group, dtypes] = variant
            self.variants.append(variant)

    def _unlisted(self, name):
        """A port no row of the document lists: a required one may have any datatype."""
        for side in ("inputs", "outputs"):
            for entry in self.facts.master[self.op][side]:
                if entry["name"].replace("..M]", "..m]") == name:
                    return PROBED if entry["required"] else None
        raise KeyError(name)

    def _judge(self, variant):
        """Gives a documented row the range measurement leaves it."""
        if not self.keys:
            return
        # The form with most ports decides: one that leaves ports out can be another row's.
        where = set()
        for key in sorted(self.keys, key=lambda k: -len(self.aligned[k])):
            if where and len(self.aligned[key]) < most:
                break
            most = len(self.aligned[key])
            where |= self.facts.accepted(
                key, project(self.names, variant["dtypes"], self.aligned[key]))
        if not where:
            if self._refutable(variant):
                variant["until"] = FIRST[0]
                variant["sources"] += ["measured-2.47", "measured-2.51"]
            return
        for sdk in ("2.47", "2.51"):
            if (sdk, "v73") in where:
                variant["sources"].append(f"measured-{sdk}")
        if OLDEST_ARCH not in where:
            variant["arch"] = "v73+"

    def _refutable(self, variant):
        """Measured rows are answers for per-tensor encodings of the probed datatypes."""
        if any(not isinstance(d, str) or d not in PROBED for d in variant["dtypes"] if d):
            return False
        types = dict(zip(self.names, variant["dtypes"]))
        for constraint in self.facts.documented[self.op]["constraints"]:
            if (constraint["kind"] == "encodings"
                    and constraint["config"] in ("All", variant["group"])
                    and "SCALE_OFFSET" not in constraint.get("allowed", ["SCALE_OFFSET"])
                    and types.get(constraint["port"]) in constraint["when"].get("dtype", ())):
                return False
        return True

    # -- measured beyond the documents ----------------------------------------------------

    def _added(self):
        counts = dict.fromkeys(GROUPS, 0)
        self._mixed(counts)
        self._unlooked(counts)
        # Templates with every port first: their rows also cover those without the optional ones.
        for key in sorted(self.keys, key=lambda k: -len(self.aligned[k])):
            rows = self.facts.rows[NEWEST][key]
            for row in rows:
                dtypes = self._spread(key, row)
                executed = self._executed(key, row)
                if dtypes is None or self._covered(key, row, executed):
                    continue
                group = self._group(dtypes)
                counts[group] += 1
                where = self.facts.accepted(key, row)
                variant = {"id": f"{group}.m{counts[group]}", "group": group, "dtypes": dtypes,
                           "rows": 0, "sources": []}
                if FIRST in where:
                    variant["sources"].append("measured-2.47")
                else:
                    variant["since"] = self.facts.begins.get(self.op, NEWEST[0])
                    if variant["since"] != NEWEST[0]:
                        variant["sources"].append(f"measured-{variant['since']}")
                variant["sources"].append("measured-2.51")
                if OLDEST_ARCH not in where:
                    variant["arch"] = "v73+"
                if executed is None:
                    variant["consequence"] = "undocumented"
                elif FIRST in where or executed != variant["since"]:
                    variant["undocumented_until"] = executed
                self.variants.append(variant)

    def _mixed(self, counts):
        """Variadic inputs of different datatypes: only what was executed right. The first input
        has the output's datatype (a constraint of `special.py`)."""
        for (key, row), right in sorted(self.facts.executed_rows.items()):
            if key not in self.keys or self._spread(key, row) is not None:
                continue
            listed = {}
            for name, dtype in zip(self.aligned[key], row):
                listed.setdefault(name, set()).add(dtype)
            dtypes = tuple(
                tuple(sorted(listed[n], key=PROBED.index)) if len(listed[n]) > 1
                else next(iter(listed[n])) for n in self.names)
            group = self._group(tuple(d if isinstance(d, str) else d[0] for d in dtypes))
            counts[group] += 1
            self.variants.append({
                "id": f"{group}.m{counts[group]}", "group": group, "dtypes": dtypes, "rows": 0,
                "undocumented_until": min(right),
                "sources": ["measured-2.47", "measured-2.51"]})

    def _unlooked(self, counts):
        """Ops whose validation looks at the first of the variadic inputs only."""
        for key in self.keys:
            taken = {}
            for row in self.facts.rows[NEWEST][key]:
                if self._spread(key, row) is None and row[0] == row[-1]:
                    taken.setdefault(row[-1], {row[0]}).update(row[:-1])
            for dtype, inputs in taken.items():
                variant = {"group": self._group((dtype, dtype)), "rows": 0,
                           "dtypes": (tuple(sorted(inputs, key=PROBED.index)), dtype),
                           "consequence": "undocumented",
                           "sources": ["measured-2.47", "measured-2.51"]}
                counts[variant["group"]] += 1
                variant["id"] = f"{variant['group']}.m{counts[variant['group']]}"
                self.variants.append(variant)

    def _spread(self, key, row):
        """A template's row over the declared ports; None for variadic ports of mixed types."""
        found = {}
        for name, dtype in zip(self.aligned[key], row):
            if found.setdefault(name, dtype) != dtype:
                return None
        return tuple(found.get(name) for name in self.names)

    def _covered(self, key, row, executed):
        """Whether a variant says as much of a row: one that was never executed does not speak
        for the same row without an optional port that was."""
        return any("until" not in v and not (executed and "consequence" in v)
                   and takes(self.names, v["dtypes"], self.aligned[key], row)
                   and not any(isinstance(d, tuple) for d in v["dtypes"])
                   for v in self.variants)

    def _group(self, dtypes):
        """The group of the documented row that is most alike, else the class of the datatypes."""
        best = None
        for variant in self.variants:
            if variant["rows"]:
                alike = sum(a == b for a, b in zip(variant["dtypes"], dtypes))
                if best is None or alike > best[0]:
                    best = (alike, variant["group"])
        wide = " ".join(d for d in dtypes if d)
        if "FIXED_POINT_16" in wide:
            return "INT16"
        if "FIXED_POINT_8" in wide:
            return "INT8"
        if "FLOAT" in wide:
            return "FP16"
        return best[1] if best and best[0] else "OTHERS"

    def _executed(self, key, row):
        """The first SDK whose numbers for this very row were right, or None."""
        known = self.facts.executed_rows.get((key, tuple(row)))
        if known:
            return min(known)
        for entry in self.facts.measured["entries"]:
            ports = entry["when"].get("ports")
            name = entry["op"] + ("/" + entry["variant"] if "variant" in entry else "")
            if (name == key and ports and entry["consequence"] == "harmless"
                    and row[0] in entry["when"]["activation"] and tuple(ports) == tuple(row)):
                return "2.47" if any("2.47" in a for a in entry.get("also", ())) else "2.51"
        where = self.facts.right.get(key, {}).get(row[0])
        if where is None:
            return None
        # The plain case of a datatype is a documented row wherever there is one.
        for variant in self.variants:
            if variant["rows"] and variant["dtypes"][0] == row[0]:
                return None
        if sum(r[0] == row[0] for r in self.facts.rows[NEWEST][key]) > 1:
            return None  # Nobody knows which of them was the plain case.
        return "2.47" if any(w.startswith("2.47") for w in where) else "2.51"

    def entries(self):
        """The YAML entries."""
        result = []
        order = {g: i for i, g in enumerate(GROUPS)}
        for variant in sorted(self.variants, key=lambda v: (order[v["group"]], not v["rows"])):
            entry = {"id": variant["id"], "group": variant["group"],
                     "dtypes": [list(d) if isinstance(d, tuple) else d for d in variant["dtypes"]]}
            for key in ("since", "until", "undocumented_until", "arch", "consequence", "sources"):
                if key in variant:
                    entry[key] = variant[key]
            result.append(entry)
        return result
