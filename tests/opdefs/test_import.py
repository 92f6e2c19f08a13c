"""The database loses no documented row and no documented constraint of any backend.

Reads opdefs/*/*.yaml and the folder of facts named by the environment variable
QUANTGATE_FACTS; without it the comparisons are skipped and say so.
"""
import collections
import os
import pathlib
import re
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.import_facts import __main__ as importer  # noqa: E402
from tools.import_facts.facts import Facts  # noqa: E402

FACTS = os.environ.get("QUANTGATE_FACTS")
HTP = ROOT / "opdefs" / "htp"
# A documented kind that the schema writes otherwise.
WRITTEN_AS = {"min_arch": {"encodings", "dtypes"}, "param_ignored": {"note"},
              "updatable_quant": {"note"}, "same_encoding": {"same_encoding", "note"}}


def load(text):
    """The C loader where it is built in: some hundred files are read."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def port_of(name):
    return name.replace("..M]", "..m]")


class DatabaseTest(unittest.TestCase):
    """What holds of the files whether the facts are at hand or not."""

    @classmethod
    def setUpClass(cls):
        cls.ops = {p.stem: load(p.read_text(encoding="utf-8"))
                   for p in sorted(HTP.glob("*.yaml"))}
        cls.sources = {s["id"] for s in load(
            (ROOT / "opdefs" / "sources.yaml").read_text(encoding="utf-8"))["sources"]}

    def test_there_are_ops(self):
        self.assertGreaterEqual(len(self.ops), 121)

    def test_ids_are_unique_and_sources_declared(self):
        for name, op in self.ops.items():
            for section in ("variants", "constraints"):
                ids = [entry["id"] for entry in op.get(section, ())]
                self.assertEqual(len(ids), len(set(ids)), f"{name}: {section}")
                for entry in op.get(section, ()):
                    self.assertTrue(entry["sources"], f"{name}: {entry['id']}")
                    self.assertLessEqual(set(entry["sources"]), self.sources, name)

    def test_a_variant_names_every_port(self):
        for name, op in self.ops.items():
            ports = len(op["inputs"]) + len(op["outputs"])
            for variant in op.get("variants", ()):
                self.assertEqual(len(variant["dtypes"]), ports, f"{name}#{variant['id']}")

    def test_a_constraint_names_a_port_or_param(self):
        for name, op in self.ops.items():
            known = {p["port"] for p in op["inputs"] + op["outputs"]} | {"all"}
            known |= {p["name"] for p in op.get("params", ())}
            known |= {"in[0]"}  # One tensor of in[0..m].
            for constraint in op.get("constraints", ()):
                self.assertIn(constraint["port"], known, f"{name}: {constraint['id']}")


@unittest.skipUnless(FACTS, "QUANTGATE_FACTS names no folder of facts: nothing to compare with")
class NothingLostTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.facts = Facts(FACTS)
        cls.ops = {p.stem: load(p.read_text(encoding="utf-8"))
                   for p in sorted(HTP.glob("*.yaml"))}

    def test_every_op_has_a_file(self):
        self.assertEqual(sorted(self.ops), self.facts.op_names())

    def test_every_documented_row_is_a_variant(self):
        compared = 0
        for name, op in self.facts.documented.items():
            ports = [p["port"] for p in self.ops[name]["inputs"] + self.ops[name]["outputs"]]
            found = {(v["group"], port, d if isinstance(d, str) else "any", v["id"])
                     for v in self.ops[name]["variants"] if "docs-2.25" in v["sources"]
                     for port, d in zip(ports, v["dtypes"])}
            by_variant = collections.defaultdict(set)
            for group, port, dtype, variant in found:
                by_variant[group, variant].add((port, dtype))
            for row in op["rows"]:
                wanted = {(port_of(p), d[0]) for p, d in row["dtypes"].items() if port_of(p) in ports}
                self.assertTrue(
                    any(g == row["config"] and wanted <= have for (g, _), have in by_variant.items()),
                    f"{name}: {row}")
                compared += 1
        self.assertEqual(compared, 1086)

    def test_every_documented_constraint_is_there(self):
        compared = 0
        for name, op in self.facts.documented.items():
            have = [c for c in self.ops[name].get("constraints", ()) if "docs-2.25" in c["sources"]]
            for fact in op["constraints"]:
                self.assertTrue(self._said(have, fact), f"{name}: {fact}")
                compared += 1
        self.assertEqual(compared, 1216)

    def _said(self, have, fact):
        """By one constraint, or by several of which each has some of the fact's encodings (what
        was measured ends some of them earlier)."""
        if any(self._says(c, fact) for c in have):
            return True
        wanted = set(fact.get("when", {}).get("encoding", ()))
        parts = [set(c.get("when", {}).get("encoding", ())) for c in have
                 if self._says(c, fact, but="encoding")]
        return bool(wanted) and wanted == set().union(*(p for p in parts if p < wanted))

    def _says(self, constraint, fact, but=None):
        kinds = WRITTEN_AS.get(fact["kind"], {fact["kind"]})
        if constraint["kind"] not in kinds or constraint["port"] != port_of(fact["port"]):
            return False
        groups = constraint.get("groups")
        if groups is not None and fact["config"] not in groups:
            return False
        for key in ("min", "max", "as", "allowed", "denied", "bits", "peer", "level", "offset",
                    "scale"):
            if key in fact and fact["kind"] != "param_value" and fact["kind"] not in WRITTEN_AS \
                    and constraint.get(key) != fact[key]:
                return False
        when = fact.get("when", {})
        mine = constraint.get("when", {})
        for key in ("dtype", "encoding", "param", "param_not", "dtype_of"):
            if key in when and key != but and fact["kind"] != "min_arch" and when[key] not in (
                    mine.get(key), *mine.get(f"{key}_of", {}).values()):
                return False
        return True

class DocumentedBackendsTest(unittest.TestCase):
    """Backends known from the documents alone, every SDK version of them, and HTP below 2.25."""

    # (page, SDK): ops, rows, constraints, roles on the pages.
    PAGES = {
        ("htp", "2.13"): (112, 112, 336, 0), ("htp_fp16", "2.13"): (93, 93, 231, 0),
        ("lpai", "2.25"): (46, 46, 112, 0), ("cpu", "2.25"): (145, 245, 99, 0),
        ("dsp", "2.25"): (100, 100, 231, 29), ("gpu", "2.25"): (95, 95, 199, 0),
        ("hta", "2.25"): (25, 25, 54, 0), ("cpu", "2.13"): (132, 229, 66, 0),
        ("dsp", "2.13"): (94, 94, 183, 28), ("gpu", "2.13"): (89, 89, 119, 0),
        ("hta", "2.13"): (24, 24, 44, 0)}
    # Kinds that are written as another one, or as words.
    WRITTEN_AS = {
        "param_ignored": {"note"}, "scale_ratio": {"dim"}, "equal_elements": {"param_value"},
        "param_count": {"param_value"}, "pad_axes": {"param_value"},
        "same_encoding": {"same_encoding", "note"}, "storage_dtype": {"storage_dtype", "note"},
        "broadcast": {"broadcast", "note"}, "rank": {"rank", "note"}, "dim": {"dim", "note"},
        "dtypes": {"dtypes", "storage_dtype"}, "role": {"note"}, "updatable_quant": {"note"}}
    # Pages whose rows are a group of another backend's file.
    GROUPS = {"htp": "HTP", "htp_fp16": "HTP_FP16"}

    @classmethod
    def setUpClass(cls):
        cls.ops = {p.parent.name + "/" + p.stem: load(p.read_text(encoding="utf-8"))
                   for backend in {cls.folder(b) for b, _ in cls.PAGES}
                   for p in sorted((ROOT / "opdefs" / backend).glob("*.yaml"))}

    @staticmethod
    def folder(page):
        return page.removesuffix("_fp16")

    @staticmethod
    def valid(entry, sdk):
        key = [int(n) for n in sdk.split(".")]
        since = [int(n) for n in entry.get("since", "0.0").split(".")]
        until = [int(n) for n in entry.get("until", "9999.0").split(".")]
        return since <= key < until

    def in_sdk(self, op, section, sdk):
        return [e for e in op.get(section, ())
                if self.valid(e, sdk) and f"docs-{sdk}" in e["sources"]]

    def test_ids_and_sources(self):
        for name, op in self.ops.items():
            if name.startswith("htp/"):
                continue  # Measured too: DatabaseTest.
            for section in ("variants", "constraints"):
                ids = [e["id"] for e in op.get(section, ())]
                self.assertEqual(len(ids), len(set(ids)), name)
                for entry in op.get(section, ()):
                    if entry.get("topic") == "revision":
                        self.assertEqual(entry["sources"], [f"revision-{entry['since']}"], name)
                        continue
                    if name.startswith("cpu/") and "measured-2.47" in entry["sources"]:
                        # From then on its library decides, what documents say is kept beside.
                        self.assertTrue(entry.get("since") == "2.47" or "measured" in entry, name)
                        self.assertLessEqual(set(entry["sources"]), {"docs-2.13", "docs-2.25", "measured-2.47"}, name)
                        continue
                    said = {s for _, s in self.PAGES if self.valid(entry, s)
                            and (name.split("/")[0], s) in self.PAGES}
                    self.assertEqual(set(entry["sources"]), {f"docs-{s}" for s in said}, name)

    def test_counts_of_ops(self):
        for (backend, sdk), (ops, *_) in self.PAGES.items():
            group = self.GROUPS.get(backend)
            there = [n for n, op in self.ops.items()
                     if n.startswith(self.folder(backend) + "/") and self.valid(op, sdk)
                     and (group is None or any(v["group"] == group for v in op.get("variants", ())))]
            self.assertEqual(len(there), ops, (backend, sdk))

    @unittest.skipUnless(FACTS, "QUANTGATE_FACTS names no folder of facts: nothing to compare with")
    def test_nothing_is_lost(self):
        facts = Facts(FACTS)
        for (backend, sdk), (ops, rows, constraints, roles) in self.PAGES.items():
            page = facts.page(backend, sdk)["ops"]
            compared = collections.Counter()
            for name, documented in page.items():
                op = self.ops[f"{self.folder(backend)}/{name}"]
                group = self.GROUPS.get(backend)
                where = f"{backend}/{name} {sdk}"
                compared["ops"] += 1
                for row in documented["rows"]:
                    row = dict(row, config=group or row["config"])
                    self.assertTrue(any(self.takes(op, v, row) for v in
                                        self.in_sdk(op, "variants", sdk)), f"{where}: {row}")
                    compared["rows"] += 1
                for fact in documented["constraints"]:
                    fact = dict(fact, config=group or fact["config"])
                    self.assertTrue(self.said(op, fact, self.in_sdk(op, "constraints", sdk)),
                                    f"{where}: {fact}")
                    compared["roles" if fact["kind"] == "role" else "constraints"] += 1
            counted = (compared["ops"], compared["rows"],
                       compared["constraints"] + compared["roles"], compared["roles"])
            self.assertEqual(counted, (ops, rows, constraints, roles), (backend, sdk))

    @staticmethod
    def declared(op, port):
        """The declared port that stands for a documented one, None for a param."""
        ports = [p["port"] for p in op["inputs"] + op["outputs"]]
        if port_of(port) in ports:
            return port_of(port)
        found = re.match(r"(in|out)\[", port)
        return found and next((p for p in ports if p.startswith(found[0]) and ".." in p), None)

    def takes(self, op, variant, row):
        ports = [p["port"] for p in op["inputs"] + op["outputs"]]
        lists = dict(zip(ports, variant["dtypes"]))
        if variant["group"] != row["config"]:
            return False
        for port, dtypes in row["dtypes"].items():
            declared = self.declared(op, port)
            have = lists[declared] if declared else dtypes
            if not set(dtypes) <= set(have if isinstance(have, list) else [have]):
                return False
        return True

    def said(self, op, fact, constraints):
        if fact["kind"] == "role" and any(
                p["port"] == fact["port"] and p["role"] == fact["name"]
                for p in op["inputs"] + op["outputs"]):
            return True
        kinds = self.WRITTEN_AS.get(fact["kind"], {fact["kind"]})
        port = fact["port"] if fact["port"] == "in[0]" else \
            self.declared(op, fact["port"]) or fact["port"]
        if fact["kind"] == "pad_axes":
            port = "pad_amount"
        for c in constraints:
            if c["kind"] in kinds and c["port"] == port \
                    and fact["config"] in c.get("groups", [fact["config"]]) \
                    and (c["kind"] != fact["kind"] or self.same_limits(c, fact)):
                return True
        return False

    @staticmethod
    def same_limits(c, fact):
        for key in ("min", "max", "max_exclusive", "min_exclusive", "denied", "level",
                    "squeezable_to"):
            if key in fact and "values" not in fact and c.get(key) != fact[key]:
                return False
        return set(c.get("when", {}).get("param", {})) >= set(
            fact.get("when", {}).get("param", {}))


@unittest.skipUnless(FACTS, "QUANTGATE_FACTS names no folder of facts: nothing to compare with")
class ImporterTest(unittest.TestCase):

    def test_the_importer_writes_the_files_of_the_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            importer.main([FACTS, "-o", folder])
            for path in sorted(pathlib.Path(folder).rglob("*.yaml")):
                kept = ROOT / "opdefs" / path.relative_to(folder)
                self.assertEqual(path.read_text(encoding="utf-8"),
                                 kept.read_text(encoding="utf-8"), str(kept))


if __name__ == "__main__":
    unittest.main()
