"""opdefc as a command: layout, schema, warnings, order of files."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPDEFS = ROOT / "opdefs"
OPDEFC = os.environ["QUANTGATE_OPDEFC"]


def run(*args):
    return subprocess.run([OPDEFC, *map(str, args)], capture_output=True, text=True, timeout=120)


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"),
                     Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Folder(unittest.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class FormatTest(Folder):

    def test_the_database_is_laid_out(self):
        result = run("fmt", "--check", OPDEFS)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_layout_keeps_meaning_and_comments_and_is_stable(self):
        path = self.write("Odd.yaml", """\
# Above the file.
op:   "Odd"   # behind
variants:
# above a row
- id: 'A.1'
  dtypes: [ UFIXED_POINT_8,
     ~ ]   # of the list
  since: "2.25"
  note: "a # is no comment"
  text: 'it''s "quoted": [x]'
numbers: [0x10, 1.5, -3, "7", 1e-3]
# at the end
""")
        before = load(path)
        self.assertEqual(run("fmt", "--check", path).returncode, 1)
        self.assertEqual(load(path), before)
        result = run("fmt", path)
        self.assertEqual((result.returncode, result.stdout), (0, f"{path}\n"))
        text = path.read_text(encoding="utf-8")
        self.assertEqual(load(path), before)
        self.assertEqual(text, """\
# Above the file.
op: Odd  # behind
variants:
  # above a row
  - {id: A.1, dtypes: [UFIXED_POINT_8, ~], since: "2.25", note: "a # is no comment", \
text: "it's \\"quoted\\": [x]"}  # of the list
numbers: [0x10, 1.5, -3, "7", 1e-3]
# at the end
""")
        self.assertEqual(run("fmt", "--check", path).returncode, 0)
        self.assertEqual(run("fmt", path).stdout, "")

    def test_what_it_can_not_lay_out_stays(self):
        for text in ("op: [", "- a\n- b\n", "op: |\n  # no comment\n", "op: &a 1\n", "\0\n", ""):
            path = self.write("Bad.yaml", text)
            result = run("fmt", path)
            self.assertEqual(result.returncode, 2, text)
            self.assertRegex(result.stderr, r"error: .*Bad\.yaml")
            self.assertEqual(path.read_text(encoding="utf-8"), text)
        self.assertEqual(run("fmt", self.folder / "none.yaml").returncode, 2)
        self.assertEqual(run("fmt").returncode, 2)


class SchemaTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        text = run("schema").stdout
        cls.text = text
        cls.schema = json.loads(text)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def test_the_kept_schema_is_up_to_date(self):
        kept = OPDEFS / "schema" / "op.schema.json"
        self.assertEqual(kept.read_text(encoding="utf-8"), self.text,
                         "opdefc schema -o opdefs/schema/op.schema.json")

    def test_every_op_fits(self):
        jsonschema.Draft7Validator.check_schema(self.schema)
        files = [p for p in sorted(OPDEFS.glob("*/*.yaml"))
                 if p.parent.name not in ("recipes", "resolve", "routes", "rules")]
        self.assertGreater(len(files), 500)
        for path in files:
            error = jsonschema.exceptions.best_match(self.validator.iter_errors(load(path)))
            self.assertIsNone(error, f"{path.parent.name}/{path.name}: {error and error.message}")

    def test_mistakes_do_not_fit(self):
        good = load(OPDEFS / "htp" / "Conv2d.yaml")
        self.assertTrue(self.validator.is_valid(good))

        def broken(change):
            op = json.loads(json.dumps(good))
            change(op)
            return not self.validator.is_valid(op)
        self.assertTrue(broken(lambda op: op.pop("op")))
        self.assertTrue(broken(lambda op: op.update(colour="red")))
        self.assertTrue(broken(lambda op: op["variants"][0].update(dtypes=["INT_9"])))
        self.assertTrue(broken(lambda op: op["constraints"][0].update(kind="symetric")))
        self.assertTrue(broken(lambda op: op["constraints"][0].update(axis_of="in[0]")))
        self.assertTrue(broken(lambda op: op["constraints"][0].update(when={"dtyp": 1})))
        self.assertTrue(broken(lambda op: op["constraints"][0].update(consequence="bad")))
        self.assertTrue(broken(lambda op: op["constraints"][0].pop("sources")))


class CheckTest(Folder):

    def test_the_database_has_nothing_without_effect(self):
        result = run("check", OPDEFS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_overlays_are_checked_over_a_base(self):
        self.write("htp/Twice.yaml", """\
op: Twice
backend: htp
sources: [docs-2.25]
inputs:
  - {port: "in[0]"}
outputs:
  - {port: "out[0]"}
variants:
  - {id: A.1, group: A, dtypes: [[INT_8, INT_16], INT_8], since: "2.25", sources: [docs-2.25]}
  - {id: A.2, group: A, dtypes: [INT_16, INT_8], since: "2.25", sources: [docs-2.25]}
""")
        alone = run("check", self.folder)
        self.assertEqual(alone.returncode, 2)
        result = run("check", self.folder, "--over", OPDEFS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r'^warning: .*Twice\.yaml:10:5: variant "A\.2" is never '
                                        r'chosen: "A\.1" above')
        self.assertIn("htp: 129 ops", result.stdout)

    def test_mistakes_have_a_place_and_a_hint(self):
        self.write("htp/Lost.yaml", """\
op: Lost
backend: htp
sources: [docs-2.26]
inputs:
  - {port: "in[0]"}
  - {port: "in[1]"}
outputs:
  - {port: "out[0]"}
variants:
  - {id: A.1, group: A, dtypes: [INT_8, ~, INT_8], sources: [docs-2.25]}
""")
        result = run("check", self.folder, "--over", OPDEFS)
        self.assertEqual(result.returncode, 2)
        lines = result.stderr.splitlines()
        self.assertRegex(lines[0], r'Lost\.yaml:3:11: .*"docs-2\.26".*did you mean docs-2\.25')
        self.assertRegex(lines[1], r'Lost\.yaml:10:3: no variant takes the required port "in\[1\]"')


class OrderTest(Folder):

    def test_the_order_of_the_files_is_no_matter(self):
        images = []
        for number, backwards in enumerate((False, True)):
            copy = self.folder / f"copy{number}"
            for path in sorted(OPDEFS.rglob("*.yaml"), reverse=backwards):
                target = copy / path.relative_to(OPDEFS)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            out = self.folder / f"{number}.image"
            self.assertEqual(run("compile", copy, "-o", out).returncode, 0)
            images.append(out.read_bytes())
        self.assertEqual(images[0], images[1])


if __name__ == "__main__":
    sys.exit(unittest.main())
