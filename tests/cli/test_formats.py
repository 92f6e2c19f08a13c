"""Files of other tools: encodings files, QNN net.json, recipes; conversions lose nothing."""

from __future__ import annotations

import copy
import json
import unittest
from typing import Any

from cli_case import ROOT, CliCase, bad, good

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

    def test_convert_names_the_formats_that_it_writes(self) -> None:
        model, _ = self.files()
        for name in ("out.onnx", "out.pt2"):
            run = self.run_cli("convert", model, "-o", name)
            self.assertEqual(run.returncode, 2)
            self.assertIn("writes no ." + name.split(".")[1] + " files; name the output .json", run.stderr)
            self.assertFalse((self.folder / name).exists())

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
        # What the backend took is accepted; weights off their centre are an advice. The mask takes
        # the range of the scores: one step of their sum is all that the scores can hold.
        self.assertEqual({f["consequence"] for f in report["findings"] if f["rule"] != "mask-range"}, {"advice"})
        self.assertEqual({f["consequence"] for f in report["findings"] if f["rule"] == "mask-range"}, {"altered"})
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

    def test_sparse_tensors(self) -> None:
        net = json.loads((CORPUS / "qnn_net" / "every_field.json").read_text())
        net["graph"]["tensors"]["x"]["dataFormat"] = 1
        out = self.folder / "out.json"
        self.run_cli("convert", self.path("net.json", net), "-o", str(out))
        sparse = [t["name"] for t in json.loads(out.read_text())["tensors"] if "sparse" in t]
        self.assertEqual(sparse, ["x"])

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

    def test_what_is_passed_over_has_64_levels_at_most(self) -> None:
        net = json.loads((CORPUS / "qnn_net" / "every_field.json").read_text())
        for levels, refused in ((64, False), (65, True)):
            net["model.bin"] = json.loads("[" * levels + "1" + "]" * levels)
            path = self.path("net.json", net)
            if refused:
                self.unusable("check", path, says="nested too deep")
            else:
                self.assertLess(self.run_cli("check", path).returncode, 2)


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


class Params(CliCase):
    def test_what_the_provider_writes_beside_the_documented_params(self) -> None:
        """The library takes reuse_sparse_indices of a dense Conv2d where it is false."""
        for value, verdict in ((False, "accepted"), (True, "rejected")):
            model = good()
            model["nodes"][0]["params"]["reuse_sparse_indices"] = {"flag": value}
            report = self.report(self.path("m.json", model), "--sdk", "2.51", "--arch", "v73",
                                 status=int(value))
            self.assertEqual(report["verdict"], verdict)

    def test_sparse_tensors(self) -> None:
        """reuse_sparse_indices is for sparse tensors of the same places; the ops for these take no
        dense ones, others no sparse ones."""
        model = good()
        params = model["nodes"][0]["params"]
        params["reuse_sparse_indices"] = {"flag": True}
        params["pad_amount"]["tensor"]["ints"] = [1, 1, 1, 1]
        x, y = (next(t for t in model["tensors"] if t["name"] == name) for name in ("x", "y"))
        x["sparse"] = y["sparse"] = 7
        path = self.path("m.json", model)
        self.assertEqual(self.report(path, "--arch", "v73", status=1)["verdict"], "rejected")
        y["dims"][1:3] = x["dims"][1:3]
        path = self.path("m.json", model)
        self.assertEqual(self.report(path, "--arch", "v73", status=0)["verdict"], "accepted")
        relu = {"tensors": [x, {**x, "name": "z", "sparse": 7}], "nodes": [{"name": "n", "op": "Relu", "inputs": ["x"], "outputs": ["z"]}]}
        report = self.report(self.path("relu.json", relu), "--arch", "v73", status=1)
        self.assertEqual([f["message"] for f in report["findings"] if f["code"] == "QG501"],
                         ["in[0] of Relu must be a dense tensor", "out[0] of Relu must be a dense tensor"])

        values = {"name": "v", "dtype": "UFIXED_POINT_8", "dims": [5], "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}}
        for sparse, verdict in ((5, "accepted"), (None, "rejected")):
            tensor = {**values, "name": "s", "dims": [2, 8, 8, 4]}
            if sparse:
                tensor["sparse"] = sparse
            model = {"tensors": [tensor, values],
                     "nodes": [{"name": "n", "op": "GetSparseValues", "inputs": ["s"],
                                "outputs": ["v"]}]}
            report = self.report(self.path("s.json", model), "--arch", "v73",
                                 status=int(verdict != "accepted"))
            self.assertEqual(report["verdict"], verdict)
        self.assertEqual([f["message"] for f in report["findings"] if f["code"] == "QG501"],
                         ["in[0] of GetSparseValues must be a sparse tensor"])

    def test_conv3d_is_as_conv2d(self) -> None:
        params = {"stride": {"tensor": {"dtype": "UINT_32", "dims": [3], "ints": [1, 1, 1]}},
                  "pad_amount": {"tensor": {"dtype": "UINT_32", "dims": [3, 2], "ints": [0] * 6}}}
        for value, verdict in ((False, "accepted"), (True, "rejected")):
            model = good()
            for tensor, dims in zip(model["tensors"],
                                    ([1, 8, 8, 8, 4], [3, 3, 3, 4, 16], [1, 6, 6, 6, 16])):
                tensor["dims"] = dims
            model["tensors"][1]["encoding"] = {"perTensor": {"scale": 0.01}}
            model["nodes"][0].update(
                op="Conv3d", params={**params, "reuse_sparse_indicies": {"flag": value}})
            report = self.report(self.path("m.json", model), "--sdk", "2.51", "--arch", "v73",
                                 status=int(value))
            self.assertEqual(report["verdict"], verdict)


class MllmRecipe(CliCase):
    LAYERS = {"layers": [{"name": "layers.0.q_proj", "in": 2048, "out": 2048},
                         {"name": "layers.0.down_proj", "in": 6144, "out": 2048, "kernel": [1, 1]},
                         {"name": "lm_head", "in": 2048, "out": 4096}]}
    SPEC = {"method": "LPBQ", "sym": True, "precision": "w4a16", "block_size": 32}

    def recipe(self, linear: Any = None, **sections: Any) -> str:
        """A file as mllm's examples have it."""
        linear = linear or {"fallback": self.SPEC,
                            ".*down_proj": {**self.SPEC, "block_size": 64}}
        kv = {"method": "per-tensor", "sym": True, "precision": "w8a8"}
        return self.path("recipe.json", json.dumps({
            "target_machine": {"htp_arch": "V75", "htp_chipset": "SM8650",
                               "htp_vtcm_capability_in_mb": 8},
            "graph_on_qnn": ["model"], "op_on_qnn": ["lm_head"], "split_graph": 1,
            "quant_recipe": {"llm_recipe": True, "layers": 28, "builtin_llm_pass": {
                "model": "qwen3", "lm_head": {"fallback": self.SPEC}, "linear": linear,
                "kv_cache": {"key": kv, "value": kv}, **sections}}}, indent=4))

    def check(self, recipe: str, layers: Any = None, *flags: str, status: int = 0) -> dict:
        model = layers if isinstance(layers, str) else self.path("m.json", layers or self.LAYERS)
        return self.report(model, "--encodings", recipe, *(flags or ("--soc", "SM8750")),
                           status=status)

    def test_groups_of_32_and_64(self) -> None:
        report = self.check(self.recipe())
        self.assertEqual((report["verdict"], report["route"], report["findings"]),
                         ("accepted", "direct", []))
        self.assertEqual([n["resolved"] for n in report["nodes"]], [["Conv2d"]] * 3)
        self.assertTrue(any("3 of 3 linear layers" in note for note in report["notes"]))
        self.assertIn("recipe: written for SM8650, V75", report["notes"])
        # Documented from v79 on only.
        self.assertEqual(self.check(self.recipe(), None, "--arch", "v73")["verdict"], "undocumented")

    def test_what_is_built(self) -> None:
        out = str(self.folder / "out.json")
        run = self.run_cli("convert", self.path("m.json", self.LAYERS), "--encodings",
                           self.recipe(), "-o", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        model = json.loads((self.folder / "out.json").read_text())
        tensors = {t["name"]: t for t in model["tensors"]}
        weights = {}
        for node in model["nodes"]:
            x, w = (tensors[name] for name in node["inputs"])
            self.assertEqual((x["dtype"], x["dims"][-1]), ("UFIXED_POINT_16", w["dims"][2]))
            weights[node["name"]] = w
        self.assertEqual(set(tensors), {f"{node['name']}.{port}" for node in model["nodes"]
                                        for port in ("input", "weight", "output")})
        # HWIO, 4 bits, factors of 4 bits along the input channels.
        self.assertEqual(weights["layers.0.down_proj"]["dims"], [1, 1, 6144, 2048])
        lpbq = weights["layers.0.down_proj"]["encoding"]["lpbq"]
        self.assertEqual((lpbq["axis"], lpbq["bitwidth"], lpbq["blockScaleBitwidth"]), (3, 4, 4))
        self.assertEqual([w["encoding"]["lpbq"]["numBlocks"] for w in weights.values()],
                         [64, 96, 64])
        self.assertEqual(self.report(out, "--soc", "SM8750")["findings"], [])

    def test_layers_of_a_model(self) -> None:
        llama = str(DATA / "aimet" / "llama_block.json")
        spec = {**self.SPEC, "block_size": 16}
        report = self.check(self.recipe({"fallback": spec}), llama)
        built = [n for n in report["nodes"] if n["verdict"] == "accepted"]
        self.assertEqual(len(built), 7)  # q, k, v, o, gate, up, down
        self.assertEqual({n["reason"] for n in report["nodes"] if n["verdict"] == "unchecked"},
                         {"no linear layer: the recipe says nothing of it"})
        # The weights of a quantized model stand behind their DequantizeLinear.
        bert = self.check(self.recipe({"fallback": spec}), str(EXAMPLES / "bert_8a8w.onnx"))
        self.assertGreater(sum(n["resolved"] == ["Conv2d"] for n in bert["nodes"]), 0)
        # A linear layer of mllm's own kind.
        float_fc = {"tensors": [
            {"name": "x", "dtype": "FLOAT_32", "dims": [1, 64]},
            {"name": "w", "dtype": "FLOAT_32", "dims": [32, 64], "isStatic": True},
            {"name": "y", "dtype": "FLOAT_32", "dims": [1, 32]}],
            "nodes": [{"name": "fc", "op": "FullyConnected", "inputs": ["x", "w"],
                       "outputs": ["y"]}]}
        fc = self.check(self.recipe({"fallback": self.SPEC}), float_fc)
        self.assertEqual(fc["nodes"][0]["resolved"], ["FullyConnected"])
        fc = self.check(self.recipe({"fallback": {**self.SPEC, "block_size": 16}}), float_fc,
                        status=1)
        self.assertEqual([f["allowed"] for f in fc["findings"] if f["code"] == "QG713"],
                         ["32 or 64"])

    def test_what_does_not_fit(self) -> None:
        spec = self.SPEC
        for linear, code, says in (
                ({"fallback": {**spec, "precision": "w4a8"}}, "QG712", '"w4a8" is not known'),
                ({"fallback": {**spec, "method": "LPBK"}}, "QG712", "did you mean LPBQ"),
                ({"fallback": {**spec, "sym": False}}, "QG712", "sym is false"),
                ({"fallback": {k: v for k, v in spec.items() if k != "method"}}, "QG712",
                 "method is missing"),
                ({"fallback": {**spec, "block_size": 48}}, "QG713", "do not divide"),
                ({"fallback": {**spec, "block_size": 128}}, "QG713", "no layer kind"),
                ({"fallback": {k: v for k, v in spec.items() if k != "block_size"}}, "QG713",
                 "block_size is missing"),
                ({".*_proj": spec}, "QG711", "no fallback")):
            with self.subTest(says):
                report = self.check(self.recipe(linear), status=1)
                found = [f for f in report["findings"] if f["code"] == code]
                self.assertIn(says, found[0]["message"])
                self.assertTrue(all(f["fixes"] for f in found))
                refused = {n["name"] for n in report["nodes"] if n["verdict"] == "rejected"}
                self.assertEqual(refused, {f["node"] for f in found})

    def test_patterns_that_nothing_uses(self) -> None:
        for pattern, says in (("layers.0.q_prj", "did you mean layers.0.q_proj?"),
                              ("q_proj", "fits the name of no linear layer"),
                              ("[", "is no regular expression"),
                              ("(a|aa)*" * 90, "is no regular expression"),
                              ("(a?){9999}", "is no regular expression"),
                              ("(a)\\2222222222", "is no regular expression")):
            with self.subTest(says):
                report = self.check(self.recipe({"fallback": self.SPEC, pattern: self.SPEC}))
                (finding,) = report["findings"]
                self.assertEqual((finding["code"], finding["consequence"]), ("QG710", "altered"))
                self.assertIn(says, finding["message"])
                self.assertRegex(finding["message"], r"recipe\.json:\d+: linear ")
        unread = self.check(self.recipe(lm_head={"fallback": {**self.SPEC, "block_size": 64}}))
        self.assertIn("lm_head is not read", unread["findings"][0]["message"])

    def test_a_pattern_takes_no_time(self) -> None:
        layers = {"layers": [{"name": "a" * 500, "in": 32, "out": 32}]}
        recipe = self.recipe({"fallback": self.SPEC, "(a*)*(a*)*(a*)*b": self.SPEC,
                              "(a+)+$b": self.SPEC})
        report = self.check(recipe, layers)
        self.assertEqual([f["code"] for f in report["findings"]], ["QG710", "QG710"])

    def test_a_layer_without_a_shape(self) -> None:
        report = self.check(self.recipe({"fallback": self.SPEC}),
                            {"layers": [{"name": "a", "in": 64}]}, status=1)
        self.assertEqual([(f["code"], f["consequence"]) for f in report["findings"]],
                         [("QG714", "unchecked")])

    def test_unknown_fields_are_named(self) -> None:
        report = self.check(self.recipe({"fallback": {**self.SPEC, "zeros": 1}}, embed={}))
        for name in ("linear.fallback.zeros", "builtin_llm_pass.embed"):
            self.assertTrue(any(name in note for note in report["notes"]), report["notes"])

    def test_unusable_recipes_are_one_line(self) -> None:
        model = self.path("m.json", self.LAYERS)
        for config, says in (({"quant_recipe": {}}, "there is no quant_recipe.builtin_llm_pass"),
                             ({"quant_recipe": {"builtin_llm_pass": {}}}, "holds no pattern"),
                             ({"quant_recipe": []}, "must be an object"),
                             ({"quant_recipe": {"builtin_llm_pass": {"linear": {
                                 "method": "LPBQ"}}}}, "linear.method: must be an object"),
                             ({"quant_recipe": {"builtin_llm_pass": {"linear": {
                                 "fallback": {"block_size": 0}}}}}, "block_size"),
                             ({"quant_recipe": {"builtin_llm_pass": {"linear": {
                                 "fallback": {"method": 1}}}}}, "fallback.method"),
                             ('{"quant_recipe": {"llm_recipe": 1', "r.json:1:"),
                             ('{"quant_recipe": {"a": 1, "a": 2}}', "given twice")):
            with self.subTest(says):
                self.unusable("check", model, "--encodings", self.path("r.json", config),
                              says=says)

    def test_unusable_lists_are_one_line(self) -> None:
        for layers, says in (({"layers": []}, "there is no layer"),
                             ({"layers": [{"in": 1}]}, "layers[0]: a layer needs a name"),
                             ({"layers": [{"name": "a", "in": 0}]}, "layers[0].in"),
                             ({"layers": [{"name": "a", "inn": 1}]}, 'did you mean'),
                             ({"layers": [{"name": "a"}, {"name": "a"}]}, "a second layer"),
                             ({"layers": [{"name": "a", "kernel": [1]}]}, "a kernel has two sizes"),
                             ({"layers": 1}, "must be an array")):
            with self.subTest(says):
                self.unusable("check", self.path("l.json", layers), says=says)

    def test_a_file_of_the_other_kind_is_said_to_be_one(self) -> None:
        self.unusable("check", self.recipe(), says="no model but an mllm recipe")
        self.unusable("check", self.path("e.json", ENCODINGS), says="no model but an encodings file")


if __name__ == "__main__":
    unittest.main()
