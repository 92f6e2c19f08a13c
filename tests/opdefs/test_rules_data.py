"""The data of the rules between nodes names only what there is: ops, params, sets, rules, archs."""
import os
import pathlib
import json
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
# Keys of a rule's file whose values are names of sets.
OF_SETS = ("needs", "moves", "borders", "conversions", "converters", "joins", "relus", "hosts", "softmaxes",
           "adds", "scatters", "transposes", "reshapes", "products", "convolutions", "norms", "ops")


def load(name):
    return yaml.safe_load((ROOT / "opdefs" / name).read_text(encoding="utf-8"))


class RulesDataTest(unittest.TestCase):
    sets = load("op_sets.yaml")["sets"]
    targets = load("targets.yaml")
    files = [p for p in sorted((ROOT / "opdefs" / "rules").glob("*.yaml")) if p.stem != "judged"]

    def test_members_of_sets_are_ops_with_such_params(self):
        self.assertLessEqual(len(self.sets), 64)
        for name, entry in self.sets.items():
            self.assertTrue(entry["what"], name)
            for member in entry["ops"]:
                op = member if isinstance(member, str) else member["op"]
                files = list((ROOT / "opdefs").glob(f"*/{op}.yaml"))
                self.assertTrue(files, f"{name}: {op}")
                if isinstance(member, dict):
                    params = load(f"htp/{op}.yaml")["params"]
                    values = next(p for p in params if p["name"] == member["param"])["values"]
                    self.assertLessEqual(set(member["values"]), set(values), name)

    def test_files_are_of_rules_and_name_sets_and_targets(self):
        listed = json.loads(subprocess.run([CLI, "explain", "--all", "--format", "json"], check=True,
                                           capture_output=True, timeout=60).stdout)
        slugs = {r["slug"] for r in listed["rules"]}
        self.assertGreater(len(self.files), 10)
        for path in self.files:
            rule = load(f"rules/{path.name}")
            self.assertIn(path.stem, slugs)
            self.assertTrue(rule["basis"] and rule["evidence"], path.name)
            self.assertLessEqual(set(rule["backends"]), set(self.targets["backends"]), path.name)
            self.assertLessEqual(set(rule.get("told_by", [])), slugs, path.name)
            parts = [rule, *rule.get("patterns", [])]
            named = {s for part in parts for key in OF_SETS for s in part.get(key, [])}
            self.assertLessEqual(named, set(self.sets), path.name)
            archs = {a for part in parts for key in ("archs", "not_archs") for a in part.get(key, [])}
            self.assertLessEqual(archs, set(self.targets["backends"]["htp"]["archs"]), path.name)


if __name__ == "__main__":
    unittest.main()
