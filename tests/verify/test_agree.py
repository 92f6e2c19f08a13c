"""The agreement tool: configurations repeat with a seed, differ from each other, are what they
say; and verdicts are counted on the right side."""

import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "quantgate" / "python")]

from tools.dev.differential import __main__ as command  # noqa: E402
from tools.dev.differential import configuration, database, edges, generate, minimise, mutations, propose, summary, verdicts  # noqa: E402
from tools.dev.differential.bases import bases_of, realisations  # noqa: E402

from tools.dev.differential.database import opdefs_json  # noqa: E402

SOURCES = """
sources:
  - {id: book, kind: documents, title: a book, sdk: "2.25", backends: [htp, other]}
"""
TARGETS = """
backends:
  htp: {tuple_rows: true, sdks: ["2.25"]}
  other: {tuple_rows: true, sdks: ["2.25"]}
"""
OP = """
op: Mix
inputs: [activation, {role: weight, channel_axis: -1}, {role: bias, optional: true}]
outputs: [activation]
params: {axis: I32, pads: {dtype: UI32, rank: 2}, eps: F32}
rows:
  documented:
    INT8.1: U8 S8 S32 U8
    FP16.1: F16 F16 - F16|F32
documented:
  out0 fixed: {fixed_encoding: {scale: "1/256", offset: -3}, groups: INT8}
examples:
  - {inputs: [[1, 4, 8], [8, 2], [2]], outputs: [[1, 4, 2]], static: [1, 2], params: {axis: 1, pads: [[0, 1], [2, 3]], eps: 0.5}}
"""


def opdefs(folder, **by_backend):
    """A database with the op Mix."""
    for name, text in {"sources": SOURCES, "targets": TARGETS}.items():
        (pathlib.Path(folder) / f"{name}.yaml").write_text(text)
    for backend, text in (by_backend or {"htp": OP}).items():
        (pathlib.Path(folder) / backend).mkdir()
        (pathlib.Path(folder) / backend / "Mix.yaml").write_text(text)
    return pathlib.Path(folder) / "htp"


def ops():
    with tempfile.TemporaryDirectory() as folder:
        return database.load(opdefs(folder))


def script(folder, name, body):
    path = pathlib.Path(folder) / name
    path.write_text("#!" + sys.executable + "\n" + textwrap.dedent(body))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class Examples(unittest.TestCase):
    def test_those_of_another_backend_serve_where_there_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            own = opdefs(folder, htp=OP[: OP.index("examples:")], other=OP)
            self.assertEqual(database.load(own), [])
            self.assertEqual(database.load(own, own.parent / "other")[0].examples, ops()[0].examples)


class Configurations(unittest.TestCase):
    def test_base_is_the_variant_on_the_example(self):
        first = next(iter(generate.configurations(ops(), 1, 1)))
        model = first.model("m")
        tensors = {t["name"]: t for t in model["tensors"]}
        self.assertEqual(tensors["x0"]["encoding"], {"perTensor": {"scale": 0.02, "zeroPoint": 128}})
        self.assertEqual(tensors["x1"]["dtype"], "SFIXED_POINT_8")
        self.assertTrue(tensors["x1"]["isStatic"])
        self.assertEqual(tensors["y0"]["encoding"], {"perTensor": {"scale": 1 / 256, "zeroPoint": 3}})
        self.assertEqual(
            model["nodes"][0]["params"],
            {"axis": {"int": 1}, "pads": {"tensor": {"dtype": "UINT_32", "dims": [2, 2], "ints": [0, 1, 2, 3]}},
             "eps": {"real": 0.5}},
        )  # fmt: skip
        self.assertEqual(first.dtypes(), "U8 S8 S32 -> U8")

    def test_an_absent_port_of_a_row_is_left_out(self):
        made = [c for c in generate.configurations(ops(), 3, 1) if c.variant == "FP16.1"]
        self.assertEqual(made[0].model("m")["nodes"][0]["inputs"], ["x0", "x1"])

    def test_channel_weights_follow_the_declared_axis(self):
        made = [c for c in generate.configurations(ops(), 3, 1) if c.mutations == ["per-channel weights"]]
        self.assertEqual(made[0].inputs[1].encoding["perChannel"]["axis"], 1)
        self.assertEqual(made[0].inputs[2].encoding["perTensor"]["scale"], 0.0)

    def test_a_seed_repeats_and_no_configuration_does(self):
        keys = [c.key() for c in generate.configurations(ops(), 3000, 7)]
        self.assertEqual(len(keys), 3000)
        self.assertEqual(len(set(keys)), 3000)
        self.assertEqual(keys, [c.key() for c in generate.configurations(ops(), 3000, 7)])
        self.assertNotEqual(keys, [c.key() for c in generate.configurations(ops(), 3000, 8)])

    def test_every_mutation_applies_and_leaves_its_base_alone(self):
        bases = list(generate.configurations(ops(), 3, 1))
        before = [c.key() for c in bases]
        labels = {label.split()[0] for c in generate.configurations(ops(), 3000, 1) for label in c.mutations}
        self.assertEqual(
            labels, {"dtype", "rank", "encoding", "zero", "scale", "static", "in[0]", "in[1]", "in[2]", "dim", "shape", "param", "per-channel"}
        )  # fmt: skip
        self.assertEqual(before, [c.key() for c in bases])
        self.assertGreaterEqual(len(mutations.WEIGHTED), 15)

    def test_small_products_of_datatypes_are_complete(self):
        op = ops()[0]
        op.examples[0].inputs[1:] = [None, None]  # one input, one output
        made = list(generate.configurations([op], 400, 1, 18 * 18))
        pairs = {tuple(p.dtype for _, p in c.ports()) for c in made if len(c.mutations) < 2}
        self.assertEqual(len(pairs), 18 * 18)

    @mock.patch.object(generate, "DTYPES", ["UFIXED_POINT_8", "SFIXED_POINT_8", "INT_32"])
    def test_ports_of_one_datatype_are_crossed_together_where_the_product_is_large(self):
        made = [c for c in generate.configurations(ops(), 60, 1, 27) if any("crossed" in m for m in c.mutations)]
        self.assertTrue(all(c.inputs[0].dtype == c.outputs[0].dtype for c in made))
        self.assertGreaterEqual(len(made), 20)
        self.assertFalse(any("crossed" in m for c in generate.configurations(ops(), 60, 1, 26) for m in c.mutations))

    def test_models_hold_only_json(self):
        for made in generate.configurations(ops(), 2000, 3):
            json.loads(json.dumps(made.model("m"), allow_nan=False))


class Verdicts(unittest.TestCase):
    def kind(self, library, quantgate):
        made = configuration.Configuration("Mix", "v", "0", [], [], {})
        return verdicts.Verdict(made, library=library, quantgate=quantgate).kind()

    def test_only_rejected_means_rejected(self):
        for word in ("accepted", "wrong_values", "prepare_fails", "altered", "undocumented", "advice"):
            self.assertEqual(self.kind("accepted", word), "agrees")
            self.assertEqual(self.kind("rejected", word), "false acceptance")
        self.assertEqual(self.kind("rejected", "rejected"), "agrees")
        self.assertEqual(self.kind("accepted", "rejected"), "false rejection")
        self.assertEqual(self.kind("accepted", "unchecked"), "unknown")
        self.assertEqual(self.kind("crash SIGFPE", "accepted"), "library crash SIGFPE")

    def test_end_to_end_with_stand_ins(self):
        with tempfile.TemporaryDirectory() as folder:
            database_folder = pathlib.Path(folder) / "opdefs"
            database_folder.mkdir()
            # Refuses floats; crashes on the third model.
            oracle = script(folder, "oracle", """
                import json, sys
                for n, line in enumerate(open(sys.argv[-1]), 1):
                    answer = {"model": f"{sys.argv[-1]}:{n}", "node": "n", "validate": "accepted"}
                    if "FLOAT" in line:
                        answer.update(validate="rejected", code="0xc26", message="bad type 0x232 of in[0]")
                    if n == 3:
                        answer["validate"] = "crash SIGFPE"
                    print(json.dumps(answer))
                """)  # fmt: skip
            # Rejects everything without a per-channel weight, citing one constraint.
            checker = script(folder, "checker", """
                import json, sys
                for n, line in enumerate(open(sys.argv[-1]), 1):
                    bad = "perChannel" not in line
                    finding = {"code": "QG301", "rule": "r", "constraint": "htp/Mix/in[1]/symmetric", "consequence": "rejected"}
                    print(json.dumps({"model": f"{sys.argv[-1]}:{n}", "nodes": [{"verdict": "rejected" if bad else "accepted"}],
                                      "findings": [finding] if bad else []}))
                sys.exit(1)
                """)  # fmt: skip
            out = pathlib.Path(folder) / "out"
            arguments = ["agree", "--oracle", oracle, "--quantgate", checker, "--backend-lib", "x", "--opdefs", str(opdefs(database_folder)),
                         "--sdk", "2.51", "--count", "200", "-o", str(out)]  # fmt: skip
            old, sys.argv = sys.argv, arguments
            try:
                self.assertEqual(command.main(), 0)
                sys.argv = [*arguments, "--max-false-rejections", "0.2"]
                self.assertEqual(command.main(), 1)
            finally:
                sys.argv = old
            page = (out / "2.51-v73.md").read_text()
            self.assertIn("| htp/Mix/in[1]/symmetric | ", page)
            self.assertIn("crash SIGFPE", page)
            records = [json.loads(line) for line in (out / "2.51-v73.jsonl").read_text().splitlines()]
            for record in records:
                if record["kind"] == "false rejection":
                    self.assertNotIn("FLOAT", json.dumps(record["model"]))
                elif record["kind"] == "false acceptance":
                    self.assertIn("FLOAT", json.dumps(record["model"]))
            self.assertEqual({r["kind"] for r in records}, {"false rejection", "false acceptance", "library crash SIGFPE"})

    def test_the_smallest_case_stands_for_its_class(self):
        made = list(generate.configurations(ops(), 300, 2))
        asked = [verdicts.Verdict(c, "accepted", "", "rejected", ["htp/Mix/x"], n) for n, c in enumerate(made, 1)]
        self.assertEqual(summary.smallest(asked).configuration.mutations, [])
        self.assertEqual(sum(len(members) for _, members in summary.classes(asked, "false rejection")), 300)


class Smallest(unittest.TestCase):
    MODEL = {
        "tensors": [
            {"name": "x0", "dtype": "UFIXED_POINT_8", "dims": [1, 8, 6], "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 3}}},
            {"name": "x1", "dtype": "SFIXED_POINT_8", "dims": [8], "isStatic": True,
             "encoding": {"perChannel": {"axis": 0, "scales": [0.1] * 8, "zeroPoints": [0]}}},
            {"name": "y0", "dtype": "UFIXED_POINT_8", "dims": [1, 8, 6]},
        ],
        "nodes": [{"name": "n", "op": "Mix", "inputs": ["x0", "x1"], "outputs": ["y0"], "params": {"axis": {"int": 1}, "eps": {"real": 1.0}}}],
    }  # fmt: skip

    def test_what_matters_stays_and_the_rest_goes(self):
        def same(models):  # a zero point and the param are what matters
            return ["axis" in m["nodes"][0]["params"] and m["tensors"][0].get("encoding", {}).get("perTensor", {}).get("zeroPoint") == 3 for m in models]

        least = minimise.minimise(self.MODEL, same)
        self.assertEqual(least["nodes"][0], {"name": "n", "op": "Mix", "inputs": ["x0"], "outputs": ["y0"], "params": {"axis": {"int": 1}}})
        self.assertEqual([t["name"] for t in least["tensors"]], ["x0", "y0"])
        self.assertEqual(least["tensors"][0]["encoding"], {"perTensor": {"scale": 0.02, "zeroPoint": 3}})
        self.assertLessEqual(sum(least["tensors"][0]["dims"]), 3)

    def test_nothing_smaller_leaves_it_as_it_is(self):
        self.assertEqual(minimise.minimise(self.MODEL, lambda models: [False] * len(models)), self.MODEL)


class Proposals(unittest.TestCase):
    def test_what_refuses_only_what_is_accepted_is_to_be_relaxed(self):
        made = configuration.Configuration("Mix", "v", "0", [], [], {})

        def said(library, *constraints):
            return verdicts.Verdict(made, library=library, quantgate="rejected", constraints=list(constraints))

        asked = [said("accepted", "htp/Mix/in[1]/static")] * 3 + [said("accepted", "htp/Mix/in[0]/rank"), said("rejected", "htp/Mix/in[0]/rank"),
                 said("accepted", "htp/Mix/a", "htp/Mix/b"), said("accepted", "QG201 no-variant")]  # fmt: skip
        self.assertEqual(propose.relaxations(asked, 1), [propose.Relaxation("Mix", "in[1]/static", 3, 0)])
        self.assertEqual(propose.relaxations(asked, 4), [])
        (edit,) = propose.relaxation_edits(propose.relaxations(asked, 1), "2.51")
        self.assertEqual((edit["op"], edit["until"]), ("Mix", {"id": "in[1]/static", "sdk": "2.51"}))

    def test_rows_that_the_database_lacks_are_added(self):
        made = next(iter(generate.configurations(ops(), 1, 1)))
        asked = [verdicts.Verdict(made, "accepted", "", "rejected", ["QG201 dtypes"]), verdicts.Verdict(made, "accepted", "", "rejected", ["htp/x"])]
        found = propose.rows(asked, ops())
        self.assertEqual(found, [propose.NewRow("Mix", "INT8", ("UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32", "UFIXED_POINT_8"))])
        (edit,) = propose.row_edits(found, "2.51")
        self.assertEqual(edit["add_row"], {"section": "measured 2.51..", "group": "INT8", "verdict": "undocumented",
                                           "row": "UFIXED_POINT_8 SFIXED_POINT_8 SFIXED_POINT_32 UFIXED_POINT_8"})  # fmt: skip

    def test_what_is_proposed_is_a_diff_that_applies_and_compiles(self):
        """All of what a library of a new version says, through opdefc propose and git apply."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "opdefs"
            folder.mkdir()
            opdefs(folder)
            asked = []
            for line, made in enumerate(generate.configurations(ops(), 1000, 5), 1):
                bad = not (made.inputs[:1] and made.inputs[0] and len(made.inputs[0].dims) == 3)
                asked.append(verdicts.Verdict(made, "rejected" if bad else "accepted", "incorrect rank" if bad else "", "accepted", line=line))
            other = next(iter(generate.configurations(ops(), 1, 1))).copy()
            other.outputs[0].dtype = "INT_32"
            asked.append(verdicts.Verdict(other, "accepted", "", "rejected", ["QG201 dtypes"]))
            asked += [verdicts.Verdict(other, "accepted", "", "rejected", ["htp/Mix/out[0]/fixed"])] * 9
            found = propose.edits(asked, ops(), "htp", "2.52", 5, opdefs_json.load(folder))
            (folder.parent / "edits.json").write_text(json.dumps(found))
            for command_line in (["git", "init", "-q"], [str(opdefs_json.opdefc()), "propose", "edits.json", "-o", "accept.diff"],
                                 ["git", "apply", "accept.diff"]):  # fmt: skip
                done = subprocess.run(command_line, cwd=folder.parent, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command_line)
            after = opdefs_json.load(folder)
            self.assertEqual([(s["id"], s.get("partial")) for s in after["sources"] if s["sdk"] == "2.52"], [("measured-2.52", True)])
            (op,) = opdefs_json.ops("htp", folder)
            constraints = {c["id"]: c for c in op["constraints"]}
            self.assertEqual((constraints["in[0]/rank"]["min"], constraints["in[0]/rank"]["max"], constraints["in[0]/rank"]["since"]), (3, 3, "2.52"))
            self.assertEqual(constraints["out[0]/fixed"]["until"], "2.52")
            self.assertEqual([(v["id"], v["consequence"], v["since"]) for v in op["variants"] if "since" in v], [("INT8.m1", "undocumented", "2.52")])

    def proposals(self, rules, quantgate="accepted"):
        """Proposals for a library that refuses whatever breaks one of `rules` (message, holds)."""
        asked = []
        for line, made in enumerate(generate.configurations(ops(), 3000, 5), 1):
            said = [message for message, holds in rules if not holds(made)]
            verdict = verdicts.Verdict(made, "rejected" if said else "accepted", said[0] if said else "", quantgate, line=line)
            asked.append(verdict)
        return [p.candidate.text for p in propose.propose(asked, 5)]

    def test_a_rank_limit_and_a_required_param_are_found(self):
        found = self.proposals(
            [
                ("Input[0] has incorrect Rank", lambda c: c.inputs[:1] and c.inputs[0] and len(c.inputs[0].dims) == 3),
                ("Wrong number of Parameters", lambda c: "axis" in c.params),
            ]
        )
        self.assertIn({"port": "in[0]", "kind": "rank", "min": 3, "max": 3}, found)
        self.assertIn({"port": "axis", "kind": "param_required"}, found)

    def test_a_relation_between_dims_is_found(self):
        def channels_fit(c):
            weight = c.inputs[1] if len(c.inputs) > 1 else None
            return weight is None or not c.outputs[0].dims or weight.dims[-1:] == c.outputs[0].dims[-1:]

        found = self.proposals([("Incorrect output dimension", channels_fit)])
        self.assertIn({"port": "out[0]", "kind": "dim", "dim": -1, "eq": "dim(in[1],-1)"}, found)

    def test_a_message_about_something_else_is_no_evidence(self):
        found = self.proposals([("Datatype not supported", lambda c: all(len(p.dims) <= 3 for _, p in c.ports()))])
        self.assertEqual(found, [])

    def test_what_quantgate_rejects_already_needs_no_proposal(self):
        rule = ("Incorrect Rank", lambda c: all(len(p.dims) <= 3 for _, p in c.ports()))
        self.assertNotEqual(self.proposals([rule]), [])
        self.assertEqual(self.proposals([rule], quantgate="rejected"), [])


class Edges(unittest.TestCase):
    def points(self, **constraint):
        """What the first base that meets the constraint becomes, with what is at its port."""
        bases = bases_of(ops()[0])
        _, base = next(realisations(constraint, bases, 1))
        return [dict(made.ports()).get(constraint["port"]) or made for _, made in edges.points(constraint, base)]

    def test_offsets_stand_on_both_sides_of_a_limit(self):
        found = self.points(port="in[0]", kind="offset_range", max=128, when={"dtype": ["UFIXED_POINT_8"]})
        self.assertEqual([-p.encoding["perTensor"]["zeroPoint"] for p in found], [127, 128, 129])

    def test_scales_do(self):
        found = [p.encoding["perTensor"]["scale"] for p in self.points(port="out[0]", kind="scale_range", min=2, **{"as": ["in[0]"]})]
        self.assertTrue(min(found) < 2 * 0.02 < max(found))

    def test_every_listed_width_is_there(self):
        found = self.points(port="in[1]", kind="bit_width", denied=[3], when={"encoding": ["BW_AXIS_SCALE_OFFSET"]})
        self.assertLessEqual({2, 3, 4}, {p.encoding["perChannel"]["bitwidth"] for p in found})

    def test_params_and_ranks(self):
        self.assertLessEqual({1, 2, 3}, {c.params["axis"]["int"] for c in self.points(port="axis", kind="param_value", max=2) if "axis" in c.params})
        self.assertLessEqual({3, 4}, {len(p.dims) for p in self.points(port="in[0]", kind="rank", max=3)})

    def test_each_way_to_meet_the_conditions_is_gone(self):
        k = {"port": "in[0]", "kind": "symmetric", "when": {"dtype": ["UFIXED_POINT_8", "FLOAT_16"], "param": {"axis": [1, 2]}}}
        met = [(base.inputs[0].dtype, base.params["axis"]["int"]) for _, base in realisations(k, bases_of(ops()[0]), 1)]
        self.assertEqual(met, [("UFIXED_POINT_8", 1), ("FLOAT_16", 1), ("UFIXED_POINT_8", 2)])

    def test_each_datatype_of_a_row_has_a_base(self):
        self.assertEqual({c.outputs[0].dtype for c in bases_of(ops()[0])}, {"UFIXED_POINT_8", "FLOAT_16", "FLOAT_32"})


if __name__ == "__main__":
    unittest.main()
