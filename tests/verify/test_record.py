"""quantgate verify --record, and what opdefc propose makes of it: measurements of a made-up device
(tests/fake_backend), whose behaviours are names of ops."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "cli")]

from cli_case import CliCase  # noqa: E402

from tools.dev.shared import opdefs_json  # noqa: E402

FAKE = os.environ.get("QUANTGATE_FAKE_BACKEND", "")
OPDEFC = os.environ.get("QUANTGATE_OPDEFC", str(opdefs_json.opdefc()))
SCHEMA = json.loads((ROOT / "docs/schemas/record.schema.json").read_text())
# The second row of Accept begins late, the fourth stands in a range of ids; the constraint of Refuse begins late.
OPS = {
    "Accept": """op: Accept
inputs: [activation, {role: indices, optional: true}]
outputs: [activation]
# what was looked at
rows:
  documented: {INT8.1: U8 - U8, INT32.1: U8 I32 U8}
  measured 2.51..: {INT8.m1: S8 - S8, INT16.m1-2: S16 - U16|S16}
""",
    "Refuse": """op: Refuse
inputs: [activation]
outputs: [activation]
rows:
  documented: {INT8.1-2: [U8 U8, U16 U16]}
measured 2.51..:
  in0 rank: {rank: ..1, when: {dtype: U8}}
""",
    "FinalizeFails": """op: FinalizeFails
inputs: [activation]
outputs: [activation]
rows: {documented: {INT8.1: U8 U8}}
measured:
  in0 rank: {rank: ..1, breach: prepare_fails}
""",
}


def tensor(name: str, dtype: str = "UFIXED_POINT_8", dims: tuple[int, ...] = (1, 4), **more: object) -> dict:
    encoding = {"encoding": {"perTensor": {"scale": 0.5, "zeroPoint": 0}}} if "FIXED" in dtype else {}
    return {"name": name, "dtype": dtype, "dims": list(dims), **encoding, **more}


def model(*nodes: tuple[str, list[dict], list[dict]]) -> dict:
    """(op, inputs, outputs): each with tensors of its own."""
    made: dict = {"name": "secret_model", "tensors": [], "nodes": []}
    for i, (op, inputs, outputs) in enumerate(nodes):
        ports = [[{**t, "name": f"secret_{i}_{t['name']}"} for t in side] for side in (inputs, outputs)]
        made["tensors"] += ports[0] + ports[1]
        made["nodes"].append({"name": f"secret_node_{i}", "op": op, "inputs": [t["name"] for t in ports[0]],
                              "outputs": [t["name"] for t in ports[1]]})
    return made


def unary(op: str, dtype: str = "UFIXED_POINT_8", dims: tuple[int, ...] = (1, 4)) -> tuple[str, list[dict], list[dict]]:
    return op, [tensor("x", dtype, dims)], [tensor("y", dtype, dims)]


class RecordCase(CliCase):
    def setUp(self) -> None:
        super().setUp()
        overlay = self.folder / "overlay" / "htp"
        overlay.mkdir(parents=True)
        for op, text in OPS.items():
            (overlay / f"{op}.yaml").write_text(text)

    def verify(self, content: dict, *arguments: str, sdk: str = "2.50") -> subprocess.CompletedProcess[str]:
        return self.run_cli("verify", self.path("secret_model.json", content), "--backend-lib", FAKE, "--arch", "v73", "--sdk", sdk,
                            "--opdefs", str(self.folder / "overlay"), "--record", str(self.folder / "record.json"), *arguments)

    def record(self, content: dict, *arguments: str, sdk: str = "2.50") -> dict:
        result = self.verify(content, *arguments, sdk=sdk)
        self.assertIn(result.returncode, (0, 1), result)
        self.assertEqual(result.stderr, "")
        record = json.loads((self.folder / "record.json").read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
        return record


class Recorded(RecordCase):
    def test_each_op_once_with_what_was_said(self) -> None:
        record = self.record(model(unary("Accept"), unary("Refuse"), unary("Accept"), unary("FinalizeFails")), "--prepare")
        self.assertEqual(record["target"], {"backend": "htp", "sdk": "2.50", "arch": "v73"})
        self.assertEqual((record["library"]["buildId"], record["queried"]), ("fake-1", ["validate", "prepare"]))
        said = [(op["op"]["nodes"][0]["op"], op["count"], {k: v["outcome"] for k, v in op["library"].items()}) for op in record["ops"]]
        self.assertEqual(said, [("Accept", 2, {"validate": "accepted", "prepare": "ok"}), ("Refuse", 1, {"validate": "rejected"}),
                                ("FinalizeFails", 1, {"validate": "accepted", "prepare": "fails"})])
        self.assertEqual(record["ops"][2]["library"]["prepare"], {"outcome": "fails", "step": "finalize", "code": 0x3EA})

    def test_no_name_of_the_model_and_no_weight(self) -> None:
        """The library names tensors in its messages: it gets none to name."""
        weight = tensor("w", "SFIXED_POINT_8", (3,), isStatic=True, values=[71, 72, 73])
        table = tensor("t", "INT_32", (65,), isStatic=True, values=list(range(7100, 7165)))
        axes = tensor("a", "INT_32", (2,), isStatic=True, values=[1, 3])
        real = tensor("f", "FLOAT_32", (2,), isStatic=True, realValues=[0.7171, 0.7272])
        self.record(model(*(("Describe", [tensor("x"), one], [tensor("y")]) for one in (weight, table, axes, real)), unary("Refuse")))
        text = (self.folder / "record.json").read_text()
        self.assertNotIn("secret", text)
        self.assertIn("Rank 2 of in0 is too high", text)
        ops = [op["op"] for op in json.loads(text)["ops"]]
        self.assertEqual([[t["name"] for t in op["tensors"] if "values" in t or "realValues" in t] for op in ops[:4]], [[], [], ["in1"], []])
        self.assertEqual([int(value) for value in ops[2]["tensors"][1]["values"]], [1, 3])
        self.assertEqual([t["name"] for t in ops[0]["tensors"]], ["in0", "in1", "out0"])

    def test_what_it_can_not_write(self) -> None:
        content = self.path("m.json", model(unary("Accept")))
        common = ("verify", content, "--backend-lib", FAKE, "--arch", "v73", "--record")
        self.unusable(*common, "-", says="not standard output")
        self.unusable(*common, str(self.folder / "nowhere" / "record.json"), says="nowhere")
        self.unusable(*common, content, says="m.json")
        self.unusable("verify", content, "--graph", "--record", "r.json", says="--record: is not for --graph")
        broken = self.path("broken.json", "{")
        self.unusable("verify", broken, "--backend-lib", FAKE, "--arch", "v73", "--record", str(self.folder / "r.json"), says="broken.json")
        self.assertFalse((self.folder / "r.json").exists())


class Proposed(RecordCase):
    """In a copy of the database that knows the made-up ops."""

    def setUp(self) -> None:
        super().setUp()
        shutil.copytree(ROOT / "opdefs", self.folder / "opdefs")
        for op, text in OPS.items():
            (self.folder / "opdefs" / "htp" / f"{op}.yaml").write_text(text)
        self.run_in(OPDEFC, "fmt", *(f"opdefs/htp/{op}.yaml" for op in OPS))
        self.run_in("git", "init", "-q")

    def run_in(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)

    def propose(self) -> tuple[list[str], str]:
        """What it says, and the diff."""
        result = self.run_in(OPDEFC, "propose", "record.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines(keepends=True)
        head = [line for line in lines if line.startswith("# ") and ".yaml: " not in line[:60]]
        return [line[2:].rstrip() for line in head], "".join(line for line in lines if line not in head)

    def accept(self) -> tuple[list[str], str]:
        said, diff = self.propose()
        (self.folder / "accept.diff").write_text(diff)
        applied = self.run_in("git", "apply", "accept.diff")
        self.assertEqual((applied.returncode, applied.stderr), (0, ""), diff)
        self.assertEqual(self.run_in(OPDEFC, "fmt", "--check", "opdefs").stdout, "")
        self.assertEqual(self.run_in(OPDEFC, "check", "opdefs").returncode, 0)
        again, more = self.propose()
        self.assertNotIn("+++", more, "what was accepted is proposed again")
        self.assertEqual(len([line for line in again if "contradiction" in line]), len([line for line in said if "contradiction" in line]))
        return said, diff

    def op(self, name: str) -> dict:
        return next(op for op in opdefs_json.ops("htp", self.folder / "opdefs") if op["name"] == name)

    def row(self, op: str, identifier: str) -> dict:
        return next(v for v in self.op(op)["variants"] if v["id"] == identifier)

    def test_what_agrees_is_a_source_and_no_row(self) -> None:
        self.record(model(unary("Accept"), unary("FinalizeFails"), unary("Accept")), "--prepare")
        said, diff = self.accept()
        self.assertEqual(said, ["2 of 2 configurations as the database says"])
        self.assertEqual([line for line in diff.splitlines() if line.startswith("+++")], ["+++ b/opdefs/sources.yaml"])
        database = opdefs_json.load(self.folder / "opdefs")
        source = next(s for s in database["sources"] if s["id"].startswith("reported-"))
        self.assertEqual((source["id"], source["sdk"], source.get("backends", [])), ("reported-2.50-v73", "2.50", []))
        self.assertIn("fake-1, v73: validate, prepare; measured by others", source["title"])
        self.assertIn("reported-2.50-v73", self.row("Accept", "INT8.1")["sources"])
        self.assertNotIn("reported-2.50-v73", self.row("Accept", "INT8.m1")["sources"])
        constraint = next(c for c in self.op("FinalizeFails")["constraints"] if c["id"] == "in[0]/rank")
        self.assertIn("reported-2.50-v73", constraint["sources"])

    def test_a_range_that_began_too_late(self) -> None:
        """A row and a constraint that the next SDK has; the library of this one says the same."""
        self.record(model(unary("Accept", "SFIXED_POINT_8"), unary("Refuse")))
        said, diff = self.accept()
        self.assertEqual(said, ["0 of 2 configurations as the database says"])
        self.assertIn(" # what was looked at\n", diff)
        row = self.row("Accept", "INT8.m1")
        self.assertEqual((row["since"], row["dtypes"][0]), ("2.50", "SFIXED_POINT_8"))
        self.assertIn("reported-2.50-v73", row["sources"])
        self.assertEqual(len(self.op("Accept")["variants"]), 5)
        constraint = next(c for c in self.op("Refuse")["constraints"] if c["id"] == "in[0]/rank")
        self.assertEqual(constraint["since"], "2.50")

    def test_a_range_that_ended_too_early(self) -> None:
        path = self.folder / "opdefs" / "htp" / "Accept.yaml"
        for folder in ("overlay", "opdefs"):
            path = self.folder / folder / "htp" / "Accept.yaml"
            path.write_text(path.read_text().replace("measured 2.51..", "measured 2.49..2.50"))
        self.record(model(unary("Accept", "SFIXED_POINT_8")))
        self.accept()
        self.assertEqual((self.row("Accept", "INT8.m1")["since"], self.row("Accept", "INT8.m1")["until"]), ("2.49", "2.51"))
        self.record(model(unary("Accept", "SFIXED_POINT_8")), sdk="2.51")
        self.accept()
        self.assertEqual(self.row("Accept", "INT8.m1").get("until"), None)

    def test_a_row_is_of_the_arch_that_was_asked(self) -> None:
        self.record(model(unary("Accept", "UFIXED_POINT_16")))
        _, diff = self.accept()
        row = next(v for v in self.op("Accept")["variants"] if v["dtypes"][0] == "UFIXED_POINT_16")
        self.assertEqual((row["since"], row["until"], row["arch"], row["consequence"], row["sources"]),
                         ("2.50", "2.51", ["v73"], "undocumented", ["reported-2.50-v73"]))
        self.assertIn("nobody looked at the numbers", diff)

    def test_a_row_that_computed_right_is_accepted(self) -> None:
        record = self.record(model(unary("Accept", "UFIXED_POINT_16")), sdk="2.51")
        record["ops"][0]["values"] = {"evaluated": True, "result": "right", "steps": 0.5, "fraction": 0.0, "share": 0.0}
        (self.folder / "record.json").write_text(json.dumps(record))
        self.accept()
        row = next(v for v in self.op("Accept")["variants"] if v["dtypes"][0] == "UFIXED_POINT_16")
        self.assertEqual((row["since"], row.get("until"), row.get("consequence", "accepted")), ("2.51", None, "accepted"))

    def test_a_newer_sdk_gets_its_number(self) -> None:
        self.record(model(unary("Accept", "UFIXED_POINT_16")), sdk="2.77")
        self.accept()
        database = opdefs_json.load(self.folder / "opdefs")
        self.assertEqual(next(b for b in database["backends"] if b["name"] == "htp")["sdks"][-1], "2.77")

    def test_contradictions_are_listed(self) -> None:
        self.record(model(unary("Refuse", "UFIXED_POINT_16"), unary("NoSuchOp"), unary("FinalizeFails", dims=(4,)),
                          unary("Accept", "SFIXED_POINT_16")), "--prepare")
        before = {path: path.read_text() for path in (self.folder / "opdefs").rglob("*.yaml")}
        said, _ = self.propose()
        text = "\n".join(said)
        self.assertIn("0 of 4 configurations", text)
        self.assertIn("Refuse, validate rejected: contradiction: the database says accepted: ops[0]: "
                      "Rank 2 of in0 is too high", text)
        self.assertIn("NoSuchOp, prepare ok: unknown to the database", text)
        self.assertIn("FinalizeFails, prepare fails: contradiction: the database says accepted", text)
        # One of several rows in one entry can't begin earlier than the others.
        self.assertIn("not expressed: ", text)
        self.assertIn("INT16.m1-2", text)
        self.assertEqual(before, {path: path.read_text() for path in before})

    def test_between_two_known_versions_no_row_is_made(self) -> None:
        """It would hide what both neighbours say."""
        self.record(model(unary("Accept", "UFIXED_POINT_16"), unary("Accept")), sdk="2.31")
        said, diff = self.accept()
        self.assertIn("an edit needs 2.31 among the `sdks` of htp", "\n".join(said))
        self.assertEqual([line for line in diff.splitlines() if line.startswith("+++")], ["+++ b/opdefs/sources.yaml"])

    def test_bad_records_are_a_line(self) -> None:
        good = self.record(model(unary("Accept")))

        def changed(**more: object) -> str:
            return json.dumps({**good, **more})

        op = good["ops"][0]
        bad = ((json.dumps(good)[:-3], "is no JSON"), (changed(ops=3), "ops: expected a list"), (changed(queried=[]), "names no stage"),
               (changed(queried=["look"]), "queried: a stage is"), (changed(schemaVersion="1"), 'schemaVersion: expected "2"'),
               (json.dumps({k: v for k, v in good.items() if k != "target"}), "`target` is missing"),
               (changed(target={"backend": "htp"}), "target: `sdk` is missing"), (changed(target={"backend": "htb", "sdk": "2.50"}), "did you mean"),
               (changed(target={"backend": "htp", "sdk": "2.50", "model": "m"}), 'target: unknown key "model"'),
               (changed(ops=[{**op, "count": 0}]), "ops[0]: `count`"), (changed(ops=[{**op, "op": {"nodes": [3]}}]), "ops[0].op: "),
               (changed(ops=[{**op, "op": {"tensors": [], "nodes": []}}]), "ops[0].op: must be a Model of one node"),
               (changed(ops=[{**op, "library": {"validate": {"outcome": "ok"}}}]), "ops[0].library.validate: unknown outcome"),
               (changed(ops=[{**op, "library": {}}]), "ops[0].library: `validate` is missing"),
               (changed(ops=[{**op, "values": {"evaluated": True}}]), "ops[0].values: "), ('{"kind": "quantgate record", "a": ' + "[" * 9999, "nested too deeply"))
        for text, reason in bad:
            with self.subTest(reason=reason):
                (self.folder / "record.json").write_text(text)
                result = self.run_in(OPDEFC, "propose", "record.json", "-o", "out.diff")
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
                self.assertTrue(result.stderr.startswith("error: record.json: "), result.stderr)
                self.assertIn(reason, result.stderr)
                self.assertFalse((self.folder / "out.diff").exists())


if __name__ == "__main__":
    unittest.main()
