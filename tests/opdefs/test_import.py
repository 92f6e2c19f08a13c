"""The HTP database loses no documented row and no documented constraint.

Reads opdefs/htp/*.yaml and the folder of facts named by the environment variable
QUANTGATE_FACTS; without it the comparisons are skipped and say so.
"""
import collections
import os
import pathlib
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


def port_of(name):
    return name.replace("..M]", "..m]")


class DatabaseTest(unittest.TestCase):
    """What holds of the files whether the facts are at hand or not."""

    @classmethod
    def setUpClass(cls):
        cls.ops = {p.stem: yaml.safe_load(p.read_text(encoding="utf-8"))
                   for p in sorted(HTP.glob("*.yaml"))}
        cls.sources = {s["id"] for s in yaml.safe_load(
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
        cls.ops = {p.stem: yaml.safe_load(p.read_text(encoding="utf-8"))
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
                self.assertTrue(any(self._says(c, fact) for c in have), f"{name}: {fact}")
                compared += 1
        self.assertEqual(compared, 1216)

    def _says(self, constraint, fact):
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
            if key in when and fact["kind"] != "min_arch" and when[key] not in (
                    mine.get(key), *mine.get(f"{key}_of", {}).values()):
                return False
        return True

    def test_the_importer_writes_the_files_of_the_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            importer.main([FACTS, "-o", folder])
            for path in sorted(pathlib.Path(folder).rglob("*.yaml")):
                kept = ROOT / "opdefs" / path.relative_to(folder)
                self.assertEqual(path.read_text(encoding="utf-8"),
                                 kept.read_text(encoding="utf-8"), str(kept))


if __name__ == "__main__":
    unittest.main()
