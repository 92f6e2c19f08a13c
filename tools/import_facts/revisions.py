"""The revision history: what changed between the versions that have pages of their own.

A new op, a new datatype and a higher rank become ranges; everything else is a note of the op,
from that version on.
"""
import copy

from .constraints import entry

_FLOATS = ("FLOAT_16", "FLOAT_32")
_LISTED = ("2.13", "2.25")  # Their pages already say what came with them.


def version(text):
    return tuple(int(n) for n in text.split(".")[:2])


def name(sdk):
    return ".".join(sdk.split(".")[:2])


class Revisions:
    """The entries about one backend."""

    def __init__(self, facts, backend, ops):
        self.entries = [r for r in facts.revisions["revisions"]
                        if r["backend"].lower() == backend]
        self.ops = ops
        self.between = [r for r in self.entries if "2.13" != name(r["sdk"]) and
                        version(r["sdk"]) < (2, 25) and version(r["sdk"]) > (2, 13)]
        self.used = set()

    def sdks(self):
        """Versions between 2.13 and 2.25 that the history knows something of."""
        return sorted({name(r["sdk"]) for r in self.between}, key=version)

    @staticmethod
    def source(sdk):
        return f"revision-{sdk}"

    def _of(self, op, change):
        return [r for r in self.between if r["change"] == change and op in r["ops"]]

    def added(self, op):
        """The version an op came with, or None."""
        for r in self._of(op, "op_added"):
            self.used.add((id(r), op))
            return name(r["sdk"])
        return None

    def extend_rows(self, op, names, rows):
        """Rows of 2.13 with the datatypes that came later, one row per version."""
        result = []
        for row in rows:
            current = row
            taken = [row]
            for r in sorted(self._of(op, "dtype_added"), key=lambda r: version(r["sdk"])):
                lists = self._extended(op, names, current, r)
                if lists is None:
                    continue
                sdk = name(r["sdk"])
                if current.get("since") == sdk:
                    current["dtypes"] = lists
                    continue
                newer = dict(current, id=f"{row['id']}-{sdk}", dtypes=lists, since=sdk,
                             sources=[s for s in row["sources"]] + [self.source(sdk)])
                current["until"] = sdk
                current = newer
                taken.append(newer)
            result += taken
        return result

    def _extended(self, op, names, row, r):
        if r.get("operations"):
            return None  # Of one operation only: said by its note.
        float_row = row["group"].endswith("FP16")
        wanted = [d for d in r["dtypes"] if (d in _FLOATS) == float_row]
        if not wanted or "ports" not in r:
            return None
        lists = [list(d) if isinstance(d, (list, tuple)) else [d] if d else None
                 for d in row["dtypes"]]
        changed = False
        for port in r["ports"]:
            at = names.index(port) if port in names else 0
            if lists[at] is None:
                continue
            more = [d for d in wanted if d not in lists[at]]
            lists[at] += more
            changed |= bool(more)
        self.used.add((id(r), op))
        if not changed:
            return None
        return [d[0] if d and len(d) == 1 else d for d in lists]

    def raise_ranks(self, op, constraints):
        """Limits of 2.13 that a later version raised."""
        result = []
        for c in constraints:
            result.append(c)
            for r in sorted(self._of(op, "rank_raised"), key=lambda r: version(r["sdk"])):
                if c["kind"] != "rank" or "when" in c or r.get("operations"):
                    continue
                if not isinstance(c.get("max"), int) or c["max"] >= r["max_rank"]:
                    continue
                sdk = name(r["sdk"])
                newer = dict(copy.deepcopy(c), max=r["max_rank"], since=sdk,
                             sources=[self.source(sdk)])
                c["until"] = sdk
                result.append(newer)
                c = newer
                self.used.add((id(r), op))
        return result

    def notes(self, op):
        """What no range says, in words."""
        result = []
        for r in self.entries:
            sdk = name(r["sdk"])
            if op not in r["ops"] or sdk in _LISTED or version(sdk) < (2, 13) \
                    or (id(r), op) in self.used:
                continue
            self.used.add((id(r), op))
            body = {"port": "all", "kind": "note", "topic": "revision", "text": _text(r),
                    "since": sdk, "slug": f"revision-{sdk}"}
            result.append(entry(body, consequence="advice", sources=[self.source(sdk)]))
        return result

    def counts(self):
        """(entries, whose version has a page, used by an op, about ops that are not here)."""
        listed = used = elsewhere = 0
        for r in self.entries:
            if name(r["sdk"]) in _LISTED or version(r["sdk"]) < (2, 13):
                listed += 1
            elif any(op in self.ops for op in r["ops"]):
                used += all((id(r), op) in self.used for op in r["ops"] if op in self.ops)
            else:
                elsewhere += 1
        return len(self.entries), listed, used, elsewhere


def _text(r):
    words = [r["change"].replace("_", " ")]
    for key in ("operations", "dtypes", "encodings", "configs", "ports"):
        if key in r:
            words.append(f"{key}: {', '.join(r[key])}")
    for key in ("bits", "max_rank", "min_rank", "min_arch", "ranks"):
        if key in r:
            words.append(f"{key.replace('_', ' ')}: {r[key]}")
    if "rows" in r:
        words.append("rows: " + ", ".join(" -> ".join(row) for row in r["rows"]))
    if "detail" in r:
        words.append(r["detail"])
    return "; ".join(words)
