"""Files of other tools: encodings files, QNN net.json, recipes; conversions lose nothing."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import unittest
from typing import Any

from cli_case import CLI, ROOT, CliCase, bad, good

DATA = ROOT / "tests" / "data"
EXAMPLES = ROOT / "docs" / "examples"
RULES = ROOT / "tests" / "fixtures" / "rules"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"

# A float matrix product, and encodings for all of it.
MODEL = {"dialect": "onnx", "opset": 17, "tensors": [
    {"name": "x", "dtype": "FLOAT_32", "dims": [1, 4]},
    {"name": "w", "dtype": "FLOAT_32", "dims": [4, 8], "isStatic": True},
    {"name": "y", "dtype": "FLOAT_32", "dims": [1, 8]}],
    "nodes": [{"name": "fc", "op": "MatMul", "inputs": ["x", "w"], "outputs": ["y"]}]}
ENCODINGS = {"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint8", "y_scale": 0.1, "y_zero_point": 128},
    {"name": "w", "output_dtype": "int8", "y_scale": [0.1] * 8, "axis": 1},
    {"name": "y", "output_dtype": "uint8", "y_scale": 0.2}]}


class Encodings(CliCase):
    def files(self, encodings: Any = None) -> tuple[str, str]:
        return (self.path("m.json", copy.deepcopy(MODEL)),
                self.path("m.encodings", encodings if encodings is not None else ENCODINGS))

    def test_an_annotated_model_is_checked_as_quantized(self) -> None:
        model, encodings = self.files()
        report = self.report(model, "--encodings", encodings)
        self.assertEqual(report["route"], "qairt")
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["nodes"][0]["resolved"], ["FullyConnected"])
        self.assertTrue(any("3 of 3 entries used" in note for note in report["notes"]))

    def test_convert_writes_the_annotated_model(self) -> None:
        model, encodings = self.files()
        out = str(self.folder / "out.json")
        self.assertEqual(self.run_cli("convert", model, "--encodings", encodings, "-o",
                                      out).returncode, 0)
        tensors = {t["name"]: t for t in json.loads((self.folder / "out.json").read_text())["tensors"]}
        self.assertEqual(tensors["w"]["dtype"], "SFIXED_POINT_8")
        self.assertEqual(tensors["w"]["encoding"]["perChannel"]["axis"], 1)
        self.assertEqual(self.report(out, "--route", "qairt")["findings"], [])

    def test_files_of_aimet_onnx(self) -> None:
        """All entries fit; what AIMET left without a quantizer is said, and nothing else of 7xx."""
        for version, entries in (("0.6.1", 45), ("1.0.0", 45), ("2.0.0", 64)):
            with self.subTest(version):
                folder = DATA / "aimet"
                report = self.report(str(folder / "llama_block.json"), "--encodings",
                                     str(folder / f"llama_block_{version}.encodings"),
                                     "--soc", "SM8550")
                self.assertTrue(report["notes"][0].endswith(
                    f"(version {version}): {entries} of {entries} entries used"), report["notes"])
                codes = {f["code"] for f in report["findings"] if f["code"].startswith("QG7")}
                self.assertEqual(codes, {"QG702"})

    def test_unknown_fields_are_named_in_a_note(self) -> None:
        file = copy.deepcopy(ENCODINGS)
        file["encodings"][0]["colour"] = "red"
        model, encodings = self.files(file)
        notes = self.report(model, "--encodings", encodings)["notes"]
        self.assertTrue(any('"colour"' in note for note in notes), notes)

    def test_broken_files_are_one_line(self) -> None:
        model = self.path("m.json", copy.deepcopy(MODEL))
        text = json.dumps(ENCODINGS, indent=1)
        for name, content, says in (
                ("empty", b"", "the file is empty"), ("cut", text[:150].encode(), "not closed"),
                ("list", b"[]", "must be an object"), ("model", json.dumps(MODEL).encode(),
                                                       "not an encodings file"),
                ("zeros", b"\0" * 100, "must be an object"),
                ("utf8", text.replace("y_scale", "y_sc\xff").encode("latin-1"), "not UTF-8"),
                ("text", text.replace("0.1,", '"much",').encode(), '"much" is not a number')):
            with self.subTest(name):
                self.unusable("check", model, "--encodings", self.path(name + ".encodings", content),
                              says=(name + ".encodings", says))
        self.unusable("check", model, "--encodings", str(self.folder / "none"),
                      says="there is no such file")
        self.unusable("check", "-", "--encodings", "-", says="once only")

    def test_from_a_pipe(self) -> None:
        model, _ = self.files()
        report = self.report(model, "--encodings", "-", stdin=json.dumps(ENCODINGS).encode())
        self.assertEqual(report["findings"], [])


class QnnNet(CliCase):
    def test_dump_of_onnx_runtime(self) -> None:
        report = self.report(str(DATA / "qnn_net" / "ort_llama_block_16a8w.json"), "--soc", "SM8550")
        self.assertEqual(report["route"], "direct")
        self.assertEqual(report["summary"]["nodes"], 78)
        # What the backend took is accepted; weights off their centre are an advice.
        self.assertEqual({f["consequence"] for f in report["findings"]}, {"advice"})
        self.assertEqual(report["summary"]["unchecked"], 0)

    def test_encodings_a_dump_does_not_hold_are_said(self) -> None:
        report = self.report(str(DATA / "qnn_net" / "ort_resnet18_per_channel.json"))
        self.assertTrue(any("42 tensors have an encoding that is not in the file" in n
                            for n in report["notes"]))
        unchecked = [n for n in report["nodes"] if n["verdict"] == "unchecked"]
        self.assertEqual(len(unchecked), 21)
        self.assertTrue(all("does not hold the encoding of" in n["reason"] for n in unchecked))

    def test_net_of_a_converter(self) -> None:
        path = str(CORPUS / "qnn_net" / "every_field.json")
        out = str(self.folder / "out.json")
        self.assertEqual(self.run_cli("convert", path, "-o", out).returncode, 0)
        model = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(model["inputs"], ["x"])
        self.assertEqual(model["outputs"], ["y"])
        tensors = {t["name"]: t for t in model["tensors"]}
        self.assertEqual(tensors["x"]["encoding"]["perTensor"], {"scale": 0.02, "zeroPoint": 128})
        # The unsigned grid's centre of a signed type is 0.
        self.assertEqual(tensors["w"]["encoding"]["perChannel"],
                         {"axis": 3, "scales": [0.1] * 4})
        self.assertEqual(tensors["w4"]["encoding"]["perChannel"]["bitwidth"], 4)
        self.assertEqual(tensors["l"]["encoding"]["lpbq"]["blockScales"], [1, 2, 3, 4, 5, 6, 7, 8])
        conv = model["nodes"][0]
        self.assertEqual(conv["inputs"], ["x", "w", "b", ""])
        self.assertEqual(conv["params"]["group"], {"uint": 1})
        self.assertEqual(conv["params"]["flag"], {"flag": True})
        self.assertEqual(conv["params"]["pad_amount"]["tensor"]["dims"], [2, 2])
        self.assertEqual(model["nodes"][2]["uncheckedReason"], 'it is of the op package "mine"')
        self.assertTrue(any('"extra"' in note for note in model["notes"]))

    def test_broken_files_are_one_line(self) -> None:
        net = json.loads((CORPUS / "qnn_net" / "every_field.json").read_text())

        def changed(*path: str, to: Any) -> dict:
            mutant = copy.deepcopy(net)
            place = mutant
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = to
            return mutant

        graph = ("graph",)
        for mutant, says in (
                (changed("graph", to=[]), "graph: must be an object, not an array"),
                (changed(*graph, "tensors", "x", "data_type", to=7), "no QNN datatype"),
                (changed(*graph, "tensors", "x", "dims", to=[-5]), "-5 is outside"),
                (changed(*graph, "nodes", "conv", "type", to=""), 'a node needs a "type"'),
                (changed(*graph, "nodes", "conv", "input_names", to=["xx"]), "did you mean x"),
                (changed(*graph, "nodes", "conv", "output_names", to=["y2"]), "y2"),
                (changed(*graph, "nodes", "conv", "scalar_params", to={"a": {"x": 1}}),
                 "no QNN datatype")):
            with self.subTest(says):
                self.unusable("check", self.path("net.json", mutant), says=("net.json:", says))
        text = json.dumps(net)
        self.unusable("check", self.path("net.json", text[:len(text) // 2]), says="net.json:")


class Convert(CliCase):
    """Whatever the input: JSON -> .binpb -> JSON is the same text."""

    def inputs(self) -> list[str]:
        found = [*sorted(EXAMPLES.glob("*.onnx")), *sorted(EXAMPLES.glob("*.json")),
                 *sorted((DATA / "qnn_net").glob("*.json")),
                 CORPUS / "qnn_net" / "every_field.json"]
        self.assertGreater(len(found), 10)
        return [str(f) for f in found]

    def test_round_trips_lose_nothing(self) -> None:
        for source in self.inputs():
            with self.subTest(source):
                paths = [str(self.folder / name) for name in ("a.json", "b.binpb", "c.json")]
                for here, there in zip([source, *paths], paths):
                    run = self.run_cli("convert", here, "-o", there)
                    self.assertEqual(run.returncode, 0, run.stderr)
                first, last = (open(p).read() for p in (paths[0], paths[2]))
                self.assertEqual(first, last)

    def test_what_is_converted_is_judged_the_same(self) -> None:
        for source in self.inputs():
            with self.subTest(source):
                out = str(self.folder / "out.binpb")
                self.assertEqual(self.run_cli("convert", source, "-o", out).returncode, 0)
                reports = [json.loads(self.run_cli("check", path, "--format", "json").stdout)
                           for path in (source, out)]
                for report in reports:
                    del report["model"]
                self.assertEqual(*reports)


class SaveNode(CliCase):
    def findings(self, report: dict, node: str) -> list[tuple]:
        return [(f["code"], f.get("port"), f["consequence"], f.get("found"))
                for f in report["findings"] if f["node"] == node]

    def test_the_case_has_the_same_findings(self) -> None:
        source = str(EXAMPLES / "planted.onnx")
        whole = json.loads(self.run_cli("check", source, "--format", "json").stdout)
        nodes = sorted({f["node"] for f in whole["findings"] if f["node"]})
        self.assertGreater(len(nodes), 5)
        for node in nodes:
            with self.subTest(node):
                out = str(self.folder / "case.json")
                run = self.run_cli("check", source, "--save-node", node, "-o", out)
                self.assertEqual(run.returncode, 1, run.stderr)
                case = json.loads((self.folder / "case.json").read_text())
                self.assertLess(len(case["nodes"]), 12)
                part = json.loads(self.run_cli("check", out, "--format", "json").stdout)
                self.assertEqual(self.findings(part, node), self.findings(whole, node))

    def test_with_encodings(self) -> None:
        model = self.path("m.json", copy.deepcopy(MODEL))
        encodings = self.path("m.encodings", {**ENCODINGS, "encodings": ENCODINGS["encodings"][:2]})
        run = self.run_cli("check", model, "--encodings", encodings, "--save-node", "fc")
        self.assertEqual(run.returncode, 0, run.stderr)
        case = json.loads(run.stdout)
        self.assertTrue(any("--route qairt" in note for note in case["notes"]))

    def test_binary_and_mistakes(self) -> None:
        model = self.path("m.json", bad())
        out = str(self.folder / "case.binpb")
        self.assertEqual(self.run_cli("check", model, "--save-node", "n0", "-o", out).returncode, 1)
        self.assertEqual(self.report(out, status=1)["nodes"][0]["name"], "n0")
        self.unusable("check", model, "--save-node", "n1", says="did you mean n0?")
        self.unusable("check", model, self.path("g.json", good()), "--save-node", "n0",
                      says="takes one model")


class MllmRecipe(CliCase):
    LAYERS = {"layers": [{"name": "layers.0.q_proj", "in": 2048, "out": 2048},
                         {"name": "layers.0.down_proj", "weight": [1, 1, 6144, 2048]},
                         {"name": "lm_head", "weight": [2048, 4096]}]}

    def recipe(self, block: Any = 32, **spec: Any) -> dict:
        base = {"method": "LPBQ", "sym": True, "precision": "w4a16", "block_size": block, **spec}
        return {"quant_recipe": {"llm_recipe": True, "builtin_llm_pass": {
            "model": "qwen3", "linear": {"fallback": base, ".*down_proj": {**base, "block_size": 64}},
            "lm_head": {"fallback": base}}}}

    def run_recipe(self, config: Any, layers: Any = None) -> subprocess.CompletedProcess[str]:
        self.out = str(self.folder / "model.json")
        return subprocess.run(
            [sys.executable, str(ROOT / "tools" / "mllm_recipe.py"), self.path("cfg.json", config),
             layers if isinstance(layers, str) else self.path("layers.json", layers or self.LAYERS),
             "-o", self.out, "--cli", CLI], capture_output=True, text=True, timeout=60)

    def test_groups_of_32_and_64(self) -> None:
        run = self.run_recipe(self.recipe())
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        model = json.loads((self.folder / "model.json").read_text())
        weights = {t["name"]: t for t in model["tensors"] if t.get("isStatic")}
        self.assertEqual(weights["layers.0.q_proj.weight"]["dims"], [1, 1, 2048, 2048])
        self.assertEqual({n: t["encoding"]["lpbq"]["numBlocks"] for n, t in weights.items()},
                         {"layers.0.q_proj.weight": 64, "layers.0.down_proj.weight": 96,
                          "lm_head.weight": 64})
        self.assertEqual(self.report(self.out, "--soc", "SM8750")["verdict"], "accepted")
        # Documented from v79 on only.
        self.assertEqual(self.report(self.out, "--arch", "v73")["verdict"], "undocumented")

    def test_layers_of_a_model(self) -> None:
        for name in ("resnet18_16a8w.onnx", "bert_8a8w.onnx"):
            run = self.run_recipe(self.recipe(block=32), str(EXAMPLES / name))
            self.assertIn(run.returncode, (0, 1), run.stderr)
            self.assertGreater(len(json.loads((self.folder / "model.json").read_text())["nodes"])
                               + len(run.stderr.splitlines()), 0)

    def test_what_mllm_would_not_build(self) -> None:
        for spec, says in ((dict(precision="w4a8"), "leaves the weight without a specification"),
                           (dict(method="AWQ"), "method 'AWQ' is not known"),
                           (dict(sym=False), "sym is not true"),
                           (dict(block_size=48), "does not divide 2048 input channels"),
                           (dict(block_size=16), "no layer kind for groups of 16"),
                           (dict(block_size=0), "block_size 0 is no size")):
            with self.subTest(says):
                run = self.run_recipe(self.recipe(**{"block": 32, **spec}) if "block_size" not in spec
                                      else self.recipe(block=spec["block_size"]))
                self.assertEqual(run.returncode, 1)
                self.assertIn(says, run.stderr.splitlines()[0])

    def test_unusable_files_are_one_line(self) -> None:
        for config, layers, says in (({}, None, 'there is no "quant_recipe"'),
                                     ("{", None, "cfg.json:1:2"),
                                     (self.recipe(), {"layers": []}, "no linear layer"),
                                     (self.recipe(), {"layers": [{"in": 1}]}, "layers[0]"),
                                     (self.recipe(), {"layers": [{"name": "a", "weight": [1, 2, 3]}]},
                                      "neither [in, out]")):
            with self.subTest(says):
                run = self.run_recipe(config, layers)
                self.assertEqual(run.returncode, 2)
                self.assertRegex(run.stderr, r"\Aerror: [^\n]+\n\Z")
                self.assertIn(says, run.stderr)


if __name__ == "__main__":
    unittest.main()
