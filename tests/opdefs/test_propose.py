"""opdefc propose: each kind of edit becomes a small diff, which applies and compiles; what can't is
refused with its place."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.shared import opdefs_json  # noqa: E402

OPDEFC = os.environ.get("QUANTGATE_OPDEFC", str(opdefs_json.opdefc()))


class ProposeCase(unittest.TestCase):
    """In a clone of the database."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "opdefs", self.folder / "opdefs")
        self.run_in("git", "init", "-q")

    def run_in(self, *command):
        return subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def propose(self, *edits):
        (self.folder / "edits.json").write_text(edits[0] if isinstance(edits[0], str) else json.dumps(edits, indent=1))
        return self.run_in(OPDEFC, "propose", "edits.json")

    def accept(self, *edits):
        """The diff, after it was applied; one line changes, or a few."""
        result = self.propose(*edits)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        (self.folder / "accept.diff").write_text(result.stdout)
        applied = self.run_in("git", "apply", "accept.diff")
        self.assertEqual((applied.returncode, applied.stderr), (0, ""), result.stdout)
        self.assertEqual(self.run_in(OPDEFC, "fmt", "--check", "opdefs").stdout, "")
        return result.stdout

    def op(self, name, backend="htp"):
        return next(op for op in opdefs_json.ops(backend, self.folder / "opdefs") if op["name"] == name)

    def changed(self, diff):
        return [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


class Accepted(ProposeCase):
    def test_a_row_and_a_constraint(self):
        diff = self.accept(
            {"backend": "htp", "op": "Softmax", "why": "seen on 2.51",
             "add_row": {"section": "measured 2.51..", "group": "INT16", "row": "SFIXED_POINT_16 U16", "verdict": "undocumented"}},
            {"backend": "htp", "op": "Softmax",
             "add_constraint": {"section": "measured 2.51..", "port": "in[0]", "name": "rank-s16",
                                "body": {"rank": "..4", "when": {"dtype": "S16"}}}})  # fmt: skip
        self.assertIn("# htp/Softmax.yaml: seen on 2.51\n--- a/opdefs/htp/Softmax.yaml\n+++ b/opdefs/htp/Softmax.yaml\n", diff)
        self.assertLessEqual(len(self.changed(diff)), 6)
        op = self.op("Softmax")
        row = next(v for v in op["variants"] if v["id"] == "INT16.m3")
        self.assertEqual((row["dtypes"], row["since"], row["consequence"], row["sources"]),
                         (["SFIXED_POINT_16", "UFIXED_POINT_16"], "2.51", "undocumented", ["measured-2.51"]))
        constraint = next(c for c in op["constraints"] if c["id"] == "in[0]/rank-s16")
        self.assertEqual((constraint["max"], constraint["when"]), (4, {"dtype": ["SFIXED_POINT_16"]}))

    def test_removed_is_what_stands_in_the_op_what_it_names_and_what_a_profile_brings(self):
        before = {c["id"]: c for c in self.op("Softmax")["constraints"]}
        brought = next(i for i, c in before.items() if c.get("profile"))
        gone = ["out[0]/fixed-encoding", "out[0]/rank", brought]
        self.assertLessEqual(set(gone), set(before))
        named = "out[0]/factor-8"
        self.assertIn(named, {c["id"] for c in self.op("Batchnorm")["constraints"]})
        self.accept({"backend": "htp", "op": "Batchnorm", "remove": named})
        self.assertNotIn(named, {c["id"] for c in self.op("Batchnorm")["constraints"]})
        diff = self.accept(*({"backend": "htp", "op": "Softmax", "remove": i} for i in gone), {"backend": "htp", "op": "Softmax", "remove": "#HTP.1"})
        self.assertIn("+except:", diff)
        op = self.op("Softmax")
        self.assertEqual(set(before) - {c["id"] for c in op["constraints"]}, set(gone))
        self.assertNotIn("HTP.1", [v["id"] for v in op["variants"]])

    def test_what_ends_keeps_what_it_says(self):
        before = {c["id"]: c for c in self.op("Softmax")["constraints"]}
        brought = next(i for i, c in before.items() if c.get("profile"))
        for name in ("out[0]/fixed-encoding", brought):
            self.accept({"backend": "htp", "op": "Softmax", "until": {"id": name, "sdk": "2.51"}})
        after = {c["id"]: c for c in self.op("Softmax")["constraints"]}
        self.assertEqual(set(after), set(before))
        for name in ("out[0]/fixed-encoding", brought):
            self.assertEqual(after[name]["until"], "2.51")
            for key in ("kind", "consequence", "text", "when", "since"):
                self.assertEqual(after[name].get(key), before[name].get(key), (name, key))

    def test_a_new_version_is_a_source_and_a_number(self):
        diff = self.accept(
            {"source": {"id": "measured-2.99", "kind": "measured", "title": "a library", "sdk": "2.99", "backends": ["htp"]}},
            {"backend": "htp", "sdk": "2.99"})  # fmt: skip
        self.assertLessEqual(len(self.changed(diff)), 10)
        database = opdefs_json.load(self.folder / "opdefs")
        self.assertEqual(next(b for b in database["backends"] if b["name"] == "htp")["sdks"][-1], "2.99")
        self.assertIn("measured-2.99", self.op("Softmax")["variants"][0]["sources"])

    def test_comments_stay(self):
        path = self.folder / "opdefs" / "htp" / "Softmax.yaml"
        lines = path.read_text().splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if line.startswith("use:"))
        path.write_text("".join(lines[:at] + ["# what it shares\n"] + lines[at:]) + "# the end\n")
        diff = self.accept({"backend": "htp", "op": "Softmax", "remove": "out[0]/fixed-encoding"})
        self.assertNotIn("-#", diff)
        self.assertIn("# what it shares\nuse:", path.read_text())

    def test_the_same_is_no_diff(self):
        first = self.accept({"backend": "htp", "op": "Relu", "add_constraint": {"section": "measured", "port": "in0", "name": "x", "body": {"rank": "..7"}}})
        self.assertEqual(self.accept({"backend": "htp", "op": "Relu", "remove": "in0/x"}).count("\n"), first.count("\n"))
        self.assertEqual(self.run_in("diff", "-r", ROOT / "opdefs", "opdefs").stdout, "")


class Refused(ProposeCase):
    def test_bad_input_is_a_line_with_its_place(self):
        softmax = '"backend": "htp", "op": "Softmax"'
        for text, place, says in (
            ("", "", "must be a list"), ("[]", "1:1", "must be a list"), ("[{", "", ""), ('{"op": 1}', "1:1", "must be a list"),
            (f"[{{{softmax}}}]", "1:2", "one of add_row"),
            (f'[{{{softmax}, "remov": "in[0]/rank"}}]', "1:38", 'unknown key "remov" of an edit (did you mean remove?)'),
            (f'[{{{softmax}, "remove": "in[0]/rang"}}]', "1:48", 'unknown constraint "in[0]/rang" (did you mean in[0]/rank?)'),
            (f'[{{{softmax}, "remove": "#INT8.2"}}]', "1:48", '"INT8.2" is one of "INT8.1-4"'),
            ('[{"backend": "htb", "op": "Softmax", "remove": "in[0]/rank"}]', "1:14", 'unknown backend "htb" (did you mean hta or htp?)'),
            ('[{"backend": "htp", "op": "Sofmax", "remove": "in[0]/rank"}]', "1:27", 'unknown op "Sofmax" (did you mean Softmax?)'),
            ('[{"remove": "in[0]/rank"}]', "1:2", "`backend` or `op` is missing"),
            (f'[{{{softmax}, "add_row": {{"section": "measured", "row": "U8 U8"}}}}]', "", "an `id`, or a `group`"),
            (f'[{{{softmax}, "add_row": {{"section": "measured", "id": "INT8.1", "row": "U8 U8"}}}}]', "", 'there is a row "INT8.1" already'),
            (f'[{{{softmax}, "remove": "in[0]/rank", "until": {{"id": "x", "sdk": "2.51"}}}}]', "", "an edit says one thing"),
            ('[{"source": {"id": "docs-2.25"}}]', "1:20", 'there is a source "docs-2.25" already'),
            ('[{"backend": "htp", "sdk": "2.51"}]', "", "has the SDK 2.51 already"), ('[{"backend": "htp", "sdk": "new"}]', "", ""),
        ):  # fmt: skip
            result = self.propose(text)
            self.assertEqual((result.returncode, result.stdout), (2, ""), (text, result.stderr))
            self.assertRegex(result.stderr, r"\Aerror: edits\.json:(\d+:\d+:)? .*\n\Z", text)
            self.assertTrue(result.stderr.startswith(f"error: edits.json:{place}"), (text, result.stderr))
            self.assertIn(says, result.stderr)

    def test_what_does_not_compile_is_not_proposed(self):
        softmax = {"backend": "htp", "op": "Softmax"}
        for edit, says in (
            ({"add_row": {"section": "measured", "group": "INT8", "row": "U8"}}, "a row has 2 columns"),
            ({"add_row": {"section": "measured 2.53..", "group": "INT8", "row": "U8 U4"}}, 'unknown SDK "2.53"'),
            ({"add_constraint": {"section": "measured", "port": "in7", "body": {"rank": 4}}}, 'unknown port'),
            ({"add_constraint": {"section": "measured", "port": "in0", "body": {"rang": 4}}}, "did you mean rank"),
        ):  # fmt: skip
            result = self.propose(softmax | edit)
            self.assertEqual((result.returncode, result.stdout), (2, ""), edit)
            self.assertRegex(result.stderr, r"\Aerror: edits\.json: edited, opdefs/htp/Softmax\.yaml:\d+:\d+: ")
            self.assertIn(says, result.stderr)

    def test_files(self):
        self.assertEqual(self.run_in(OPDEFC, "propose", "none.json").returncode, 2)
        self.assertEqual(self.run_in(OPDEFC, "propose").returncode, 2)
        self.assertEqual(self.run_in(OPDEFC, "propose", "a", "b").returncode, 2)
        (self.folder / "edits.json").write_text('[{"backend": "htp", "sdk": "2.99"}]')
        self.assertEqual(self.run_in(OPDEFC, "propose", "edits.json", "--opdefs", "none").returncode, 2)
        self.assertEqual(self.run_in(OPDEFC, "propose", "edits.json", "-o", "none/accept.diff").returncode, 2)


if __name__ == "__main__":
    unittest.main()
