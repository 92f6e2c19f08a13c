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

    def laid(self, name, text):
        """The text as fmt lays it out: the same meaning, and at rest."""
        path = self.write(name, text)
        before = load(path)
        self.assertEqual(run("fmt", "--check", path).returncode, 1)
        self.assertEqual(path.read_text(encoding="utf-8"), text)
        result = run("fmt", path)
        self.assertEqual((result.returncode, result.stdout), (0, f"{path}\n"), result.stderr)
        self.assertEqual(load(path), before)
        self.assertEqual(run("fmt", "--check", path).returncode, 0)
        self.assertEqual(run("fmt", path).stdout, "")
        return path.read_text(encoding="utf-8")

    def test_layout_of_an_op(self):
        self.assertEqual(self.laid("Odd.yaml", """\
# Above the file.
op:   "Odd"   # behind
outputs:
- activation
- activation
# of the inputs
inputs: [ activation,
   {role: weight}]   # of the list
cases:
- use: {in1: [symmetric]}
  when: {param: {axis: 1}}   # where
documented:
    'in0, in1 rank': {max: 4, note: 'it''s "quoted": [x]'}
    # above a line
    in0 dtypes: {denied: [F32], when: {dtype_of: {in1: [U8, S8, U16, S16]}}, breach: prepare_fails, note: "a # is no comment"}
rows:
  documented: {A.1: U8 U8 U8 U8}
# at the end
"""), """\
# Above the file.
op: Odd  # behind
# of the inputs
inputs: [activation, {role: weight}]  # of the list
outputs: [activation, activation]
rows: {documented: {A.1: U8 U8 U8 U8}}
documented:
  in0, in1 rank: {max: 4, note: "it's \\"quoted\\": [x]"}
  # above a line
  in0 dtypes: {denied: [F32], when: {dtype_of: {in1: [U8, S8, U16, S16]}}, breach: prepare_fails,
    note: "a # is no comment"}
cases:
  - {use: {in1: [symmetric]}, when: {param: {axis: 1}}}  # where
# at the end
""")

    def test_one_activation_is_left_out(self):
        body = "rows: {documented: {A.1: U8 U8}}\n"
        path = self.write("Op.yaml", "op: Op\ninputs: [activation]\noutputs: [activation]\n" + body)
        self.assertEqual(run("fmt", path).returncode, 0)
        self.assertEqual(path.read_text(), "op: Op\n" + body)
        for kept in ("inputs: [condition]\n", "outputs: [activation, activation]\n", "inputs: []\n",
                     "extends: true\ninputs: [activation]\n"):
            path = self.write("Op.yaml", "op: Op\n" + kept + body)
            self.assertEqual((run("fmt", "--check", path).returncode, path.read_text()), (0, "op: Op\n" + kept + body))

    def test_layout_of_rows_and_profiles(self):
        def rows(*lengths):
            return "rows:\n" + "".join(
                f"  documented 2.{25 + i}..: {{{', '.join(f'A.{n}: {row}' for n, row in enumerate(length))}}}\n"
                for i, length in enumerate(lengths))
        wide = "U8|S8 " * 12 + "U8"
        self.assertEqual(self.laid("Op.yaml", "op: Op\n" + rows(["U8 U8"], ["U8 U8"] * 12, [wide] * 2)), f"""\
op: Op
rows:
  documented 2.25..: {{A.0: U8 U8}}
  documented 2.26..: {{A.0: U8 U8, A.1: U8 U8, A.2: U8 U8, A.3: U8 U8, A.4: U8 U8, A.5: U8 U8, A.6: U8 U8, A.7: U8 U8,
    A.8: U8 U8, A.9: U8 U8, A.10: U8 U8, A.11: U8 U8}}
  documented 2.27..:
    A.0: {wide}
    A.1: {wide}
""")
        self.assertEqual(self.laid("profiles.yaml", """\
profiles: {a: [one], b: {in0: [one], out0: [a]}}
documented: {one: {valid_scale: finite}}
"""), """\
profiles:
  a: [one]
  b: {in0: [one], out0: [a]}
documented:
  one: {valid_scale: finite}
""")

    def test_long_texts_are_broken_at_blanks(self):
        words = " ".join(["word"] * 40)
        for name in ("entries.yaml", "rules/a.yaml"):
            text = self.laid(name, f'a: 1\nb: {{what: "{words}: x", number: "2.25", version: 3}}  # {"long " * 20}end\n')
            self.assertLessEqual(max(map(len, text.splitlines())), 120)
            self.assertEqual(text.count("# " + "long " * 20 + "end"), 1)
            self.assertRegex(text, r'number: "2\.25",\s+version: 3')

    def test_authors_keep_their_lines(self):
        text = "a:   {b: 1}\n\n# comment\nc:\n    - [1,2]\n"
        for folder in ("routes", "rules", "recipes", "resolve"):
            path = self.write(f"{folder}/a.yaml", text)
            self.assertEqual(run("fmt", path).stdout, "")
            self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_values_keep_their_types(self):
        self.assertEqual(self.laid("v.yaml", "numbers: [0x10, 1.5, -3,  '7', 1e-3, '1e5', 2.49.40, '2.49', true, 'true', ~, '~', '', 'no']\n"),
                         'numbers: [0x10, 1.5, -3, "7", 1e-3, "1e5", 2.49.40, "2.49", true, "true", ~, "~", "", "no"]\n')

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
    NAMES = ("op", "precisions", "profiles", "sources", "targets", "waivers")

    @classmethod
    def setUpClass(cls):
        cls.texts = {name: run("schema", name).stdout for name in cls.NAMES}
        cls.validators = {name: jsonschema.Draft7Validator(json.loads(text)) for name, text in cls.texts.items()}

    def test_the_kept_schemas_are_up_to_date(self):
        kept = {path.name: path.read_text(encoding="utf-8") for path in (OPDEFS / "schema").glob("*.json")}
        made = {f"{name}.schema.json": text for name, text in self.texts.items()}
        self.assertEqual(kept, made, "opdefc schema -o opdefs/schema")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("schema", "-o", folder).returncode, 0)
            self.assertEqual({p.name: p.read_text(encoding="utf-8") for p in pathlib.Path(folder).iterdir()}, made)

    def test_unknown_schemas_are_named(self):
        result = run("schema", "ops")
        self.assertEqual(result.returncode, 2)
        self.assertIn("op, profiles, sources", result.stderr)
        self.assertEqual(run("schema", "-o").returncode, 2)
        self.assertEqual(run("schema", "-o", "/nowhere/at/all").returncode, 2)

    def test_every_file_fits(self):
        for validator in self.validators.values():
            jsonschema.Draft7Validator.check_schema(validator.schema)
        folders = [OPDEFS, *sorted((ROOT / "tests" / "fixtures" / "opdefs").iterdir())]
        count = 0
        for folder in folders:
            for path in sorted(folder.rglob("*.yaml")):
                name = path.stem if path.stem in self.NAMES else "op"
                if path.parent.name in ("recipes", "resolve", "routes", "rules") or path.stem in ("op_sets", "renamed_ids"):
                    continue
                error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(load(path)))
                self.assertIsNone(error, f"{path}: {error and error.message}")
                count += 1
        self.assertGreater(count, 500)

    def broken(self, name, good, change):
        document = json.loads(json.dumps(good))
        change(document)
        return not self.validators[name].is_valid(document)

    def test_mistakes_in_ops_do_not_fit(self):
        good = load(OPDEFS / "htp" / "Conv2d.yaml")
        self.assertTrue(self.validators["op"].is_valid(good))
        lines = good["measured"]
        rows = good["rows"]["documented 2.25.."]
        for change in (
                lambda op: op.pop("op"),
                lambda op: op.update(inputs="activation"),
                lambda op: op.update(colour="red"),
                lambda op: op.update({"documentd 2.25..": {}}),
                lambda op: op["rows"].update(measurd={}),
                lambda op: op["rows"]["documented 2.25.."].update({"FP16.1": "F61 F16 F16 F16"}),
                lambda op: op["rows"]["documented 2.25.."].update({"FP16.1": {"row": "F16 F16 F16 F16", "archs": "v73"}}),
                lambda op: op["measured"].update({"in0 rank": {"maxx": 4}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rnak": 4}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rank": 4, "symmetric": None}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rank": 4, "brech": "rejected"}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rank": 4, "breach": "bad"}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rank": 4, "when": {"dtyp": "U8"}}}),
                lambda op: op["measured"].update({"in0 rank-4": {"rank": 4, "when": {"dtype": "U9"}}}),
                lambda op: op["measured"].update({"in0 same-encoding": {"as": "in[0]"}}),
                lambda op: op["measured"].update({"in0 bias-scale": {"as": ["in0"]}}),
                lambda op: op["measured"].update({"in0 dim": 4}),
                lambda op: op["measured"].update({"rank": "..4"}),
                lambda op: op["measured"].update({"in0 any-of": [[{"rank": 4}]]}),
                lambda op: op["measured"].update({"in0 any-of": [[{"rank": 4}], [{"rank": 4, "arch": "v73"}]]}),
                lambda op: op["use"].update(in0="rank-4"),
                lambda op: op.update(cases=[{"use": {"in0": ["rank-4"]}}]),
                lambda op: op["params"].update(stride={"required": True})):
            with self.subTest(change=change.__code__.co_consts, line=change.__code__.co_firstlineno):
                self.assertTrue(self.broken("op", good, change))
        self.assertTrue(lines and rows)

    def test_forms_of_a_constraint_fit(self):
        good = {"op": "Op", "inputs": [], "outputs": [], "documented": {
            "in0 rank": "..5", "in0 rank-2": {"rank": 5}, "in1 same-shape": "in0", "in0 symmetric": None,
            "in0 given": "encoding_defined", "in0 dtypes": {"denied": "F32", "breach": "prepare_fails"},
            "in0 dim": {"dim": "all", "eq": "dim(in1,0)", "arch": "v73+"}, "axis note": {"note": "text", "topic": "t"},
            "in0 any-of": [[{"rank": 4}], [{"port": "in1", "symmetric": None}]],
            "in0 static": {"level": "tensor", "when": {"dtype": ["U8"]}}, "all finite": {"valid_scale": "finite"}}}
        error = jsonschema.exceptions.best_match(self.validators["op"].iter_errors(good))
        self.assertIsNone(error, error and error.message)

    def test_mistakes_in_other_files_do_not_fit(self):
        for name, path, change in (
                ("profiles", "htp/profiles.yaml", lambda d: d.update(profils={})),
                ("profiles", "htp/profiles.yaml", lambda d: d["profiles"].update(a="b")),
                ("profiles", "htp/profiles.yaml", lambda d: d["measured"].update({"rank-4": {"rnak": 4}})),
                ("sources", "sources.yaml", lambda d: d["sources"][0].update(kind="measure")),
                ("sources", "sources.yaml", lambda d: d["sources"][0].pop("sdk")),
                ("targets", "targets.yaml", lambda d: d["socs"][0].update(archs="v73")),
                ("targets", "targets.yaml", lambda d: d["backends"]["htp"].pop("sdks")),
                ("precisions", "precisions.yaml", lambda d: d["precisions"][0].update(data=["U9"]))):
            with self.subTest(name=name, line=change.__code__.co_firstlineno):
                self.assertTrue(self.broken(name, load(OPDEFS / path), change))
        waiver = {"waivers": [{"rule": "rank", "reason": "seen", "op": "Relu"}]}
        self.assertTrue(self.validators["waivers"].is_valid(waiver))
        self.assertTrue(self.broken("waivers", waiver, lambda d: d["waivers"][0].pop("reason")))
        self.assertTrue(self.broken("waivers", waiver, lambda d: d["waivers"][0].update(ops="Relu")))


class CheckTest(Folder):

    def test_the_database_has_nothing_without_effect(self):
        result = run("check", OPDEFS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_overlays_are_checked_over_a_base(self):
        self.write("htp/Twice.yaml", """\
op: Twice
sources: [docs-2.25]
inputs: [activation]
outputs: [activation]
rows:
  documented 2.25..: {A.1: I8|I16 I8, A.2: I16 I8}
""")
        alone = run("check", self.folder)
        self.assertEqual(alone.returncode, 2)
        result = run("check", self.folder, "--over", OPDEFS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r'^warning: .*Twice\.yaml:6:44: row "A\.2" is never chosen: "A\.1" above')
        self.assertIn("htp: 150 ops", result.stdout)

    def test_mistakes_have_a_place_and_a_hint(self):
        for text, place in (
                ("op: Lost\nsources: [docs-2.26]\ninputs: [activation]\noutputs: [activation]\n",
                 r'Lost\.yaml:2:11: .*"docs-2\.26".*did you mean docs-2\.25'),
                ("op: Lost\ninputs: [activation, activation]\noutputs: [activation]\nrows: {documented: {A.1: U8 - U8}}\n",
                 r'Lost\.yaml:4:1: no row accepts the required port "in\[1\]"'),
                ("op: Lost\ninputs: [activation]\noutputs: [activation]\nuse: {op: [elementwise-unari]}\n",
                 r'Lost\.yaml:4:12: unknown profile .*did you mean elementwise-unary'),
                ("op: Lost\ninputs: [activation]\noutputs: [activation]\nuse: {op: [elementwise-unary]}\n"
                 "except: {in0: [rank-1]}\n", r'Lost\.yaml:5:16: excludes nothing')):
            self.write("htp/Lost.yaml", text)
            result = run("check", self.folder, "--over", OPDEFS)
            self.assertEqual(result.returncode, 2, text)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertRegex(result.stderr, place)


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
