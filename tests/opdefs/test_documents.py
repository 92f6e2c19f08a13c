"""JSON Schemas of mappings, routes, rules, recipes and op sets, and their errors as opdefc says them."""
import os
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPDEFC = os.environ["QUANTGATE_OPDEFC"]
FOLDERS = [ROOT / "opdefs", ROOT / "tests" / "fixtures" / "opdefs" / "documents"]


class Loader(yaml.SafeLoader):
    """Numbers as YAML 1.2 writes them: 4e-05 is one."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?\d+(\.\d+)?e-?\d+$"), list("-0123456789"))


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)


def run(*args):
    return subprocess.run([OPDEFC, *map(str, args)], capture_output=True, text=True, timeout=60)


def documents(folder):
    """{name: path}: "rules/mask-range"."""
    paths = [folder / "op_sets.yaml", folder / "renamed_ids.yaml", *(p for kind in ("recipes", "resolve", "routes", "rules")
                                        for p in sorted((folder / kind).glob("*.yaml")))]
    return {str(path.relative_to(folder).with_suffix("")): path for path in paths}


def validator(name):
    made = run("schema", name)
    assert made.returncode == 0, made.stderr
    schema = json.loads(made.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def broken(value):
    """Copies of a document, each with one map's first key misspelt."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for other in broken(inner):
                yield {**value, key: other}
        if value:
            key = next(iter(value))
            yield {f"{key}_": value[key], **{k: v for k, v in value.items() if k != key}}
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            for other in broken(inner):
                yield [*value[:i], other, *value[i + 1:]]


class Documents(unittest.TestCase):
    def test_schemas_take_every_document_of_the_database(self):
        for folder in FOLDERS:
            found = documents(folder)
            self.assertGreater(len(found), 6)
            for name, path in found.items():
                error = jsonschema.exceptions.best_match(validator(name).iter_errors(load(path)))
                self.assertIsNone(error, f"{path}: {error and error.message}")

    def test_what_a_schema_refuses_the_compiler_refuses_too(self):
        refused = 0
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "opdefs"
            shutil.copytree(FOLDERS[1], folder)
            for name, path in documents(folder).items():
                text = path.read_text()
                checker = validator(name)
                for changed in broken(load(path)):
                    path.write_text(yaml.safe_dump(changed, sort_keys=False))
                    result = run("check", folder)
                    if not checker.is_valid(changed):
                        refused += 1
                        self.assertEqual(result.returncode, 2, f"{name}: {changed}")
                        self.assertRegex(result.stderr, rf"^error: {path}:\d+:\d+: ")
                path.write_text(text)
        self.assertGreater(refused, 40)

    def test_an_overlay_is_refused_with_the_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "op_sets.yaml"
            path.write_text("sets:\n  joins: {what: joins, opps: [Concat]}\n")
            result = run("check", folder, "--over", ROOT / "opdefs")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"error: {path}:2:10: a set has no `ops`", result.stderr)
            self.assertIn(f"error: {path}:2:24: unknown key \"opps\" of a set (did you mean ops?)", result.stderr)

    def test_unknown_documents(self):
        for name in ("rules/mask-rang", "htp/Conv2d", "op_set"):
            result = run("schema", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"unknown schema \"{name}\"", result.stderr)
        self.assertIn("did you mean rules/mask-range", run("schema", "rules/mask-rang").stderr)
        self.assertEqual(run("schema", "op_sets", "--wrong").returncode, 2)


if __name__ == "__main__":
    unittest.main()
