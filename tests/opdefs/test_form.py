"""The form of opdefs/: short enough to be read, and nothing said twice."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPDEFS = ROOT / "opdefs"
OPDEFC = os.environ["QUANTGATE_OPDEFC"]
MOST_COLUMNS = 120
MOST_LINES = {"htp": 3500}
MOST_LINES_OF_OP = {"htp/Conv2d.yaml": 69, "htp/MatMul.yaml": 89}
# What every constraint may say of itself; the rest is its kind and the fields of the kind.
COMMON = {"when", "groups", "arch", "breach", "measured", "note", "topic", "sources", "untested", "each"}


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def is_section(key):
    return re.fullmatch(r"(documented|measured)( \S+)?", key) is not None


def kind_and_fields(name, body, kinds):
    """(kind, its value, the keys that any constraint may have) of `NAME: body`."""
    named = name.replace("-", "_")
    if not isinstance(body, dict):
        return (body, None, {}) if named not in kinds and body in kinds else (named, body, {})
    common = {key: value for key, value in body.items() if key in COMMON}
    if "note" in body and named not in kinds and not set(body) & kinds:
        return "note", body["note"], common
    own = {key: value for key, value in body.items() if key not in COMMON}
    if len(own) == 1 and (kind := next(iter(own))) in kinds and (named not in kinds or isinstance(own[kind], dict)):
        return kind, own[kind], common
    return named, own, common


def bodies(document, kinds):
    """(what a constraint says, where) of every constraint of an op file or of the profiles, except
    those with neither a condition nor more than one field beside kind and breach. The evidence and
    the SDKs that its section names are part of what it says."""
    def of_section(section, place, case=None):
        for key, body in section.items():
            name = key.rsplit(" ", 1)[-1]
            kind, value, common = kind_and_fields(name, body, kinds)
            fields = value if isinstance(value, dict) else {} if value is None else {"": value}
            breach = {"breach", "measured"}
            others = len(fields) + len(set(common) - breach - {"when"})
            if case or "when" in common or others > 1:
                yield json.dumps([place, case, kind, value, common], sort_keys=True), f"{place} {key}"

    for key, part in document.items():
        if is_section(key):
            yield from of_section(part, key)
    for case in document.get("cases", []):
        for key, part in case.items():
            if is_section(key):
                yield from of_section(part, key, case["when"])


class FormTest(unittest.TestCase):

    def test_lines_are_short(self):
        long = [f"{path.relative_to(OPDEFS)}:{number}" for path in sorted(OPDEFS.rglob("*.yaml"))
                for number, line in enumerate(lines(path), 1) if len(line) > MOST_COLUMNS]
        self.assertEqual(long, [])

    def test_files_are_short(self):
        for folder, most in MOST_LINES.items():
            files = sorted((OPDEFS / folder).glob("*.yaml"))
            self.assertGreater(len(files), 100)
            self.assertLessEqual(sum(len(lines(path)) for path in files), most, folder)
        for name, most in MOST_LINES_OF_OP.items():
            self.assertLessEqual(len(lines(OPDEFS / name)), most, name)

    def test_nothing_is_written_twice(self):
        schema = json.loads(subprocess.run([OPDEFC, "schema"], capture_output=True, text=True, check=True,
                                           timeout=60).stdout)
        kinds = set(schema["definitions"]["kind"]["enum"])
        self.assertIn("same_shape", kinds)
        seen = {}
        for path in sorted((OPDEFS / "htp").glob("*.yaml")):
            for body, place in bodies(load(path), kinds):
                seen.setdefault(body, []).append(f"{path.name} {place}")
        self.assertGreater(len(seen), 500)
        twice = [f"{places}: {body}" for body, places in seen.items() if len(places) > 1]
        self.assertEqual(twice, [], "move the constraint to profiles.yaml")

    def test_the_count_sees_duplicates(self):
        document = {"documented": {"in0 rank": {"max": 4, "when": {"dtype": "U8"}},
                                   "in1 rank-2": {"rank": {"max": 4}, "when": {"dtype": "U8"}},
                                   "in2 rank": "..4", "in3 rank": "..4"},
                    "measured": {"in0 rank-3": {"rank": {"max": 4}, "when": {"dtype": "U8"}}},
                    "cases": [{"when": {"param": {"axis": 1}}, "documented": {"in0 rank-4": {"rank": "..4"}}}]}
        found = [body for body, _ in bodies(document, {"rank"})]
        self.assertEqual(len(found), 4)
        self.assertEqual(found[0], found[1])
        self.assertEqual(len(set(found)), 3)

    def test_the_layout_is_that_of_opdefc_fmt(self):
        result = subprocess.run([OPDEFC, "fmt", "--check", OPDEFS], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    sys.exit(unittest.main())
