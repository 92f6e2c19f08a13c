"""The data of the rules between nodes names only what there is: ops, params, sets, rules, archs."""
import os
import pathlib
import json
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import opdefs_json  # noqa: E402

CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
# Keys of a rule's file whose values are names of sets.
OF_SETS = ("needs", "moves", "borders", "conversions", "converters", "joins", "relus", "hosts", "softmaxes",
           "adds", "scatters", "transposes", "reshapes", "products", "convolutions", "norms", "ops")


class RulesDataTest(unittest.TestCase):
    sets = opdefs_json.document("op_sets")["sets"]
    backends = {b["name"]: b for b in opdefs_json.load()["backends"]}
    rules = {name.removeprefix("rules/"): rule for name, rule in opdefs_json.load()["documents"].items()
             if name.startswith("rules/") and name != "rules/judged"}

    def test_members_of_sets_are_ops_with_such_params(self):
        self.assertLessEqual(len(self.sets), 64)
        # The names of a param's values, on htp where it has the op.
        ops = {op["name"]: {p["name"]: set(p.get("values", {})) for p in op.get("params", [])}
               for backend in sorted(self.backends, key="htp".__eq__) for op in self.backends[backend]["ops"]}
        for name, entry in self.sets.items():
            self.assertTrue(entry["what"], name)
            for member in entry["ops"]:
                op = member if isinstance(member, str) else member["op"]
                self.assertIn(op, ops, name)
                if isinstance(member, dict):
                    self.assertLessEqual(set(member["values"]), ops[op].get(member["param"], set()), name)

    def test_files_are_of_rules_and_name_sets_and_targets(self):
        listed = json.loads(subprocess.run([CLI, "explain", "--all", "--format", "json"], check=True,
                                           capture_output=True, timeout=60).stdout)
        slugs = {r["slug"] for r in listed["rules"]}
        self.assertGreater(len(self.rules), 10)
        for slug, rule in self.rules.items():
            self.assertIn(slug, slugs)
            self.assertTrue(rule["basis"] and rule["evidence"], slug)
            self.assertLessEqual(set(rule["backends"]), set(self.backends), slug)
            self.assertLessEqual(set(rule.get("told_by", [])), slugs, slug)
            parts = [rule, *rule.get("patterns", [])]
            named = {s for part in parts for key in OF_SETS for s in part.get(key, [])}
            self.assertLessEqual(named, set(self.sets), slug)
            archs = {a for part in parts for key in ("archs", "not_archs") for a in part.get(key, [])}
            self.assertLessEqual(archs, set(self.backends["htp"]["archs"]), slug)


if __name__ == "__main__":
    unittest.main()
