"""Backends known from the documents alone: one page per SDK version, lists per port."""
import copy
import json
import re

from . import ports as port_tools
from .constraints import entry, finish
from .documented import Documented
from .facts import PROBED

# Versions with pages of these backends, oldest first.
SDKS = ("2.13", "2.25")
BACKENDS = ("lpai", "cpu", "dsp", "gpu", "hta")
_NOT_TAKEN = ("default_only", "port_unsupported")


def source(sdk):
    return f"docs-{sdk}"


class Page:
    """The page of one backend in one SDK version, in the shape the other modules read."""

    def __init__(self, facts, backend, sdk, master):
        self.sdk = sdk
        self.documented = facts.page(backend, sdk)["ops"]
        self.master = master
        self.types = facts.types
        self.templates = facts.templates


class Supplement:
    """All pages of one backend."""

    def __init__(self, facts, backend, sdks=SDKS):
        self.backend = backend
        self.sdks = [sdk for sdk in sdks if facts.page(backend, sdk) is not None]
        documented = [facts.page(backend, sdk)["ops"] for sdk in self.sdks]
        self.ops = sorted(set().union(*documented))
        self.master = {op: _declared(op, facts, self.sdks, documented) for op in self.ops}
        self.pages = [Page(facts, backend, sdk, self.master) for sdk in self.sdks]

    def declare(self, master):
        """Takes the ports and params of another definition of the ops."""
        self.master = master
        for page in self.pages:
            page.master = master

    def target(self):
        return {"tuple_rows": False, "sdks": list(self.sdks)}

    def build(self, op, notes):
        """The document of one op and, per SDK version, counts of what went in and came out."""
        pages = [page for page in self.pages if op in page.documented]
        names = port_tools.port_names(pages[-1], op)
        found = {page.sdk: Documented(page, op, names) for page in pages}
        rows, row_counts, stored = self.rows(pages, op, names)
        constraints = self._constraints(found) + stored + notes
        roles = {}
        for documented in found.values():
            roles.update(documented.roles)
        items = [("op", op), ("backend", self.backend),
                 ("sources", [source(page.sdk) for page in pages])]
        items += self._range({page.sdk for page in pages}).items()
        for side in ("inputs", "outputs"):
            listed = port_tools.ports(pages[-1], op, side)
            for port in listed:
                port["role"] = roles.get(port["port"], port["role"])
            items.append((side, listed))
        params = port_tools.params(pages[-1], op)
        if params:
            items.append(("params", params))
        items.append(("variants", rows))
        finished = finish(constraints, names, [p["name"] for p in params])
        if finished:
            items.append(("constraints", finished))
        counts = {page.sdk: {
            "rows in": len(page.documented[op]["rows"]), "rows out": row_counts[page.sdk],
            "constraints in": found[page.sdk].facts_in,
            "constraints out": found[page.sdk].facts_out()} for page in pages}
        return items, counts

    def _range(self, sdks):
        """The range keys of what only the pages of these versions say."""
        result = {}
        if self.sdks[0] not in sdks:
            result["since"] = min(sdks, key=self.sdks.index)
        last = max(sdks, key=self.sdks.index)
        if last != self.sdks[-1]:
            result["until"] = self.sdks[self.sdks.index(last) + 1]
        return result

    # -- rows -----------------------------------------------------------------------------

    def rows(self, pages, op, names):
        merged = {}
        stored = {}
        counts = {}
        for page in reversed(pages):  # The newest page numbers its rows first.
            counts[page.sdk] = 0
            for row in page.documented[op]["rows"]:
                key = (row["config"], self._dtypes(page, op, names, row))
                merged.setdefault(key, set()).add(page.sdk)
                counts[page.sdk] += 1
                for param, dtypes in row["dtypes"].items():
                    if self._stored_otherwise(op, param, dtypes):
                        stored.setdefault((param, tuple(dtypes)), {}).setdefault(
                            page.sdk, set()).add(row["config"])
        variants = []
        numbers = {}
        for (group, dtypes), sdks in merged.items():
            numbers[group] = numbers.get(group, 0) + 1
            variant = {"id": f"{group}.{numbers[group]}", "group": group,
                       "dtypes": [_flat(d) for d in dtypes]}
            variant.update(self._range(sdks))
            variant["sources"] = [source(sdk) for sdk in self.sdks if sdk in sdks]
            variants.append(variant)
        noted = []
        for (param, dtypes), groups in stored.items():
            text = f"stored as {', '.join(dtypes)}"
            noted += self._ranged({"port": param, "kind": "note", "topic": "datatype-of-param",
                                   "text": text}, groups)
        return variants, counts, noted

    def _dtypes(self, page, op, names, row):
        """The lists of a row by declared port; a page may name one tensor of a variadic port."""
        documented = Documented(page, op, names)
        listed = {}
        for port, dtypes in row["dtypes"].items():
            if port in documented.params:
                continue
            port = documented.port(port)
            port = port if port in names else names[0]
            listed.setdefault(port, []).extend(d for d in dtypes if d not in listed.get(port, ()))
        return tuple(tuple(listed[name]) if name in listed else self._unlisted(page, op, name)
                     for name in names)

    def _unlisted(self, page, op, name):
        """A port the row doesn't list: the datatypes of the op's definition; else any, where
        the port is required or a constraint speaks of it."""
        for side in ("inputs", "outputs"):
            for port in self.master[op][side]:
                if port["name"] != name:
                    continue
                if "backend" not in port["dtypes"]:
                    return tuple(port["dtypes"])
                meant = any(c["port"] == name and c["kind"] not in _NOT_TAKEN
                            for c in page.documented[op]["constraints"])
                return PROBED if port["required"] or meant else None
        raise KeyError(name)

    def _stored_otherwise(self, op, param, dtypes):
        """Whether a row says more of a param's type than the declaration does."""
        return any(p["name"] == param and p["dtypes"] != dtypes
                   for p in self.master[op]["params"])

    # -- constraints ------------------------------------------------------------------------

    def _constraints(self, found):
        bodies = {}
        for sdk in reversed(self.sdks):
            for constraint in found[sdk].constraints if sdk in found else ():
                key = json.dumps(constraint["body"], sort_keys=True)
                body, groups = bodies.setdefault(key, (constraint["body"], {}))
                groups.setdefault(sdk, set()).update(constraint["groups"])
        return [result for body, groups in bodies.values()
                for result in self._ranged(body, groups)]

    def _ranged(self, body, groups):
        """A constraint once per range: groups that the same versions name go together."""
        by_sdks = {}
        for group in sorted(set().union(*groups.values())):
            sdks = frozenset(sdk for sdk, named in groups.items() if group in named)
            by_sdks.setdefault(sdks, set()).add(group)
        return [entry({**body, **self._range(sdks)}, groups=named,
                      consequence="advice" if body["kind"] == "note" else "rejected",
                      sources=[source(sdk) for sdk in self.sdks if sdk in sdks])
                for sdks, named in by_sdks.items()]


def _flat(dtypes):
    if dtypes is None or len(dtypes) > 1:
        return dtypes
    return dtypes[0]


def _declared(op, facts, sdks, documented):
    """Ports and params of an op: the newest definition, what older ones have beside it, and
    ports that only a page names."""
    result = {"inputs": [], "outputs": [], "params": []}
    for sdk in reversed(sdks):
        master = facts.master_of(sdk).get(op)
        if master is None:
            continue
        for section, known in result.items():
            older = bool(known)
            for item in master[section]:
                for single in _single(item):
                    if all(k["name"] != single["name"] for k in known):
                        known.append(dict(single, required=single["required"] and not older))
    for page in documented:
        facts_of_op = page.get(op, {"rows": (), "constraints": ()})
        named = {p for row in facts_of_op["rows"] for p in row["dtypes"]}
        named |= {c["port"] for c in facts_of_op["constraints"]}
        for port in sorted(named, key=lambda p: [int(n) for n in re.findall(r"\d+", p)]):
            _declare(result, port)
    return result


def _single(item):
    """`in[1..4]` is four ports."""
    item = copy.deepcopy(item)
    item["name"] = item["name"].replace("..M]", "..m]")
    found = re.fullmatch(r"(in|out)\[(\d+)\.\.(\d+)\]", item["name"])
    if not found:
        return [item]
    return [dict(item, name=f"{found[1]}[{i}]") for i in range(int(found[2]), int(found[3]) + 1)]


def _declare(declared, port):
    found = re.fullmatch(r"(in|out)\[(\d+)(\.\.[mM])?\]", port)
    if not found:
        return
    known = declared["inputs" if found[1] == "in" else "outputs"]
    if len(known) <= int(found[2]) and not any("..m]" in k["name"] for k in known):
        known.append({"name": port.replace("..M]", "..m]"), "required": False,
                      "dtypes": ["backend"]})
