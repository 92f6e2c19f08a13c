"""HTP below 2.25: the 2.13 pages, which list datatypes port by port, and what the revision
history says of the versions between. Fixed-point ops and float ops had a page each; their rows
are groups of their own."""
import copy
import json

from .constraints import entry
from .documented import Documented
from .supplement import Supplement, source

FIRST, NEXT = "2.13", "2.25"
PAGES = {"HTP": "htp", "HTP_FP16": "htp_fp16"}


class Older:
    """The 2.13 pages of HTP beside the 2.25 ones."""

    def __init__(self, facts, revisions):
        self.facts = facts
        self.revisions = revisions
        self.pages = {}
        for group, page in PAGES.items():
            self.pages[group] = Supplement(facts, page, sdks=(FIRST,))
            # Ports are those of the newest definition; no port of 2.13 is missing there.
            self.pages[group].declare(facts.master)

    def merge(self, op, names, documented, variants, constraints):
        """Adds what 2.13 says of an op. `documented` gives the 2.25 constraints as they were
        read, in the order in which `constraints` has them first. Returns the counts of 2.13 per
        page and the op's range keys."""
        counts = {}
        rows = []
        older = {}
        for group, supplement in self.pages.items():
            if op not in supplement.pages[0].documented:
                continue
            page = supplement.pages[0]
            found, row_counts, stored = supplement.rows([page], op, names)
            for number, variant in enumerate(found, 1):
                rows.append(dict(variant, id=f"{group}.{number}", group=group, until=NEXT))
            read = Documented(page, op, names)
            for constraint in read.constraints:
                key = json.dumps(constraint["body"], sort_keys=True)
                older.setdefault(key, (constraint["body"], set()))[1].add(group)
            for note in stored:
                older.setdefault(json.dumps(note, sort_keys=True), (
                    {k: v for k, v in note.items() if k in ("port", "kind", "topic", "text")},
                    set()))[1].add(group)
            counts[group] = {
                "rows in": len(page.documented[op]["rows"]), "rows out": row_counts[FIRST],
                "constraints in": read.facts_in, "constraints out": read.facts_out()}
        whole = not older and not rows
        added = []
        for fact, constraint in zip(documented, constraints):
            key = json.dumps(fact["body"], sort_keys=True)
            if key in older:
                added += self._both(fact, constraint, older.pop(key)[1], set(counts))
            elif not whole:
                constraint.setdefault("since", NEXT)
        first = self.revisions.added(op)
        for variant in variants:
            if "since" not in variant:
                variant["since"] = first if whole and first else NEXT
                if whole and first:
                    variant.setdefault("undocumented_until", NEXT)
                    variant["sources"] = _with(variant["sources"], self.revisions.source(first))
        if whole:
            for constraint in constraints[:len(documented)]:
                constraint.setdefault("since", NEXT)
            return counts, rows, added, {"since": first or NEXT}
        for body, groups in older.values():
            added.append(self._entry(body, groups, set(counts)))
        rows = self.revisions.extend_rows(op, names, rows)
        added = self.revisions.raise_ranks(op, added)
        return counts, rows, added, {}

    def _both(self, fact, constraint, groups, pages):
        """A constraint that both versions have: of the groups of both, which are apart by
        version; where one version has it for all its rows and the other doesn't, two entries."""
        constraint["sources"].insert(0, source(FIRST))
        if "All" not in fact["groups"]:
            constraint["groups"] = sorted(groups) + constraint["groups"]
            return []
        if groups == pages:
            return []
        constraint["sources"].pop(0)
        constraint["since"] = NEXT
        return [self._entry(fact["body"], groups, pages)]

    @staticmethod
    def _entry(body, groups, pages):
        result = entry(copy.deepcopy(body), consequence="advice" if body["kind"] == "note"
                       else "rejected", sources=[source(FIRST)])
        if groups != pages:
            result["groups"] = sorted(groups)
        result["until"] = NEXT
        return result


def _with(sources, name):
    docs = [s for s in sources if s.startswith("docs-")]
    return docs + [name] + [s for s in sources if not s.startswith("docs-")]
