"""Data, not code: no C++ file of core decides by the name of an op.

Prose may name ops (the explanation of a rule, a comment); a string literal that is an op's name,
of the database or of a mapped dialect, may not stand in core. Readers of ONNX files know the
operators of ONNX itself: their output shapes, and how a constant is written; readers of TFLite files
know the numbers that stand for operators there. They know no backend.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.shared import opdefs_json  # noqa: E402


def names():
    database = opdefs_json.load()
    found = {op["name"] for backend in database["backends"] for op in backend["ops"]}
    for name, document in database["documents"].items():
        if name.startswith("resolve/"):
            found |= set(document["ops"])
    return found


class NoOpNamesTest(unittest.TestCase):

    def test_no_literal_of_core_is_the_name_of_an_op(self):
        known = names()
        self.assertGreater(len(known), 200)
        self.assertIn("Conv2d", known)
        files = sorted(p for p in (ROOT / "core").rglob("*.cc")
                       if p.parent not in (ROOT / "core/readers/onnx", ROOT / "core/readers/tflite"))
        self.assertGreater(len(files), 100)
        found = []
        for path in files:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found += [f"{path.relative_to(ROOT)}:{number}: \"{word}\""
                          for word in re.findall(r'"([A-Za-z0-9_.:]+)"', line) if word in known]
        self.assertEqual(found, [])

    def test_rules_are_raised_by_name(self):
        """Codes of rules stand in one list, and once more in the table of kinds."""
        allowed = {"core/base/rules.def", "core/database/kinds.cc"}
        found = [f"{path.relative_to(ROOT)}:{number}"
                 for folder in ("core", "tools", "bindings")
                 for path in sorted((ROOT / folder).rglob("*.*"))
                 if path.suffix in (".cc", ".h", ".def")
                 and str(path.relative_to(ROOT)) not in allowed
                 for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
                 if re.search(r'"QG\d{3}"', line.split("//")[0])]
        self.assertEqual(found, [])
        rules = re.findall(r'(?m)^RULE\(k(\w+), "(QG\d{3})", "([a-z0-9-]+)"\)$',
                           (ROOT / "core/base/rules.def").read_text(encoding="utf-8"))
        self.assertGreater(len(rules), 80)
        self.assertEqual([code for _, code, _ in rules], sorted({code for _, code, _ in rules}))
        for name, _, slug in rules:
            self.assertEqual(name, "".join(word.capitalize() for word in slug.split("-")))


if __name__ == "__main__":
    unittest.main()
