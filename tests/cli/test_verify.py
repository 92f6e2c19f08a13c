"""quantgate verify, against a backend library with chosen behaviours (tests/fake_backend)."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema
from cli_case import CLI, ROOT, CliCase, bad, good

FAKE = os.environ.get("QUANTGATE_FAKE_BACKEND", "")
SCHEMA = json.loads((ROOT / "docs/schemas/verify.schema.json").read_text())
GRAPH_SCHEMA = json.loads((ROOT / "docs/schemas/verify_graph_library.schema.json").read_text())
# The library's behaviours are names of ops; this makes them known to quantgate.
OVERLAY = """op: {op}
inputs: [activation]
outputs: [activation]
rows: {{documented: {{INT8.1: U8 U8}}}}
"""


@functools.cache
def find_package() -> dict[str, str]:
    """Of the programs of tools/quantgate/python/oracles, a Python that has what it asks."""
    found = {}
    for name, package, folders in (("vela", "ethosu.vela", ["vela/5.2"]), ("litert", "ai_edge_litert", ["litert", "vela/5.2"])):
        build = Path(CLI).resolve().parents[1]
        for python in [os.environ.get(f"QUANTGATE_{name.upper()}_PYTHON", ""), *(f"{build}/{one}/bin/python" for one in folders)]:
            if python and Path(python).exists() and subprocess.run([python, "-c", f"import {package}"], capture_output=True,
                                                                   check=False).returncode == 0:
                found[name] = python
                break
    return found


BEHAVIOURS = ("Accept", "Refuse", "Crash", "Exit", "Hang", "AddFails", "FinalizeCrashes")


def chain(*ops: str) -> dict:
    encoding = {"perTensor": {"scale": 0.5, "zeroPoint": 128}}
    tensors = [{"name": f"t{i}", "dtype": "UFIXED_POINT_8", "dims": [1, 4], "encoding": encoding}
               for i in range(len(ops) + 1)]
    return {"name": "m", "tensors": tensors,
            "nodes": [{"name": f"n{i}", "op": op, "inputs": [f"t{i}"], "outputs": [f"t{i + 1}"]}
                      for i, op in enumerate(ops)]}


class WholeModels(CliCase):
    """What --graph hands on; what it does with it is tested in tests/python/test_graph.py."""

    def python(self) -> str:
        program = self.folder / "python"
        program.write_text("#!/bin/sh\nif [ \"$1\" = -c ]; then exit 0; fi\nprintf '%s\\n' \"$@\"\nexit 1\n")
        program.chmod(0o755)
        return str(program)

    def test_arguments_are_handed_on(self) -> None:
        result = self.run_cli("verify", "m.onnx", "--graph", "--soc", "SM8550", "--sdk", "2.51", "--inputs", "x.npz",
                              "--reduce", "-o", "small.onnx", "--timeout", "9", "-v", "--python", self.python())
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.split(), ["-m", "quantgate", "graph", "--backend=htp", "--soc=SM8550", "--sdk=2.51",
                                                 "--inputs=x.npz", "--format=text", "--output=small.onnx", "--seed=1",
                                                 "--timeout=9", "--reduce", "--verbose", "--", "m.onnx"])
        result = self.run_cli("verify", "m.onnx", "--graph", "--python", self.python())
        self.assertNotIn("--timeout", result.stdout)

    def test_what_does_not_go_together(self) -> None:
        self.path("m.json", good())
        for arguments, says in ((("m.json",), "without it --graph asks"), (("m.json", "--reduce", "--backend-lib", "x"), "needs --graph"),
                                (("m.onnx", "--graph", "--execute"), "--execute: is not for --graph"),
                                (("a.onnx", "b.onnx", "--graph"), "one ONNX file"), (("-", "--graph"), "one ONNX file"),
                                (("m.onnx", "--graph", "--python", "/no/python"), "--python names another"),
                                (("m.onnx", "--graph", "--python", "/bin/false"), "quantgate[provider]")):
            with self.subTest(arguments=arguments):
                self.unusable("verify", *arguments, says=(says,))


def reference_python() -> str:
    """This Python where it has what the float reference needs."""
    return sys.executable if importlib.util.find_spec("numpy") else ""


class WholeGraphs(CliCase):
    """--graph with a library: the ops of a model as one graph."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "overlay" / "htp").mkdir(parents=True)
        for op in (*BEHAVIOURS, "FinalizeFails", "PairFails"):
            (self.folder / "overlay" / "htp" / f"{op}.yaml").write_text(OVERLAY.format(op=op))

    def graph(self, model: dict, *arguments: str, status: int = 0) -> dict:
        result = self.run_cli("verify", self.path("m.json", model), "--graph", "--backend-lib", FAKE, "--arch", "v73", "--sdk", "2.51",
                              "--opdefs", str(self.folder / "overlay"), "--format", "json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout[:2000])
        report = json.loads(result.stdout)
        jsonschema.Draft202012Validator(GRAPH_SCHEMA).validate(report)
        return report

    def smallest(self) -> dict:
        return json.loads((self.folder / "small.json").read_text())

    def test_what_works_and_what_is_predicted(self) -> None:
        report = self.graph(chain("Accept", "Accept", "Accept"))
        self.assertEqual({stage: said["outcome"] for stage, said in report["graph"].items()},
                         {"validate": "accepted", "prepare": "ok", "execute": "ok"})
        self.assertEqual((report["ops"], report["agreement"], report["asPredicted"]), (3, "agrees", True))
        # No reference computes these ops.
        self.assertEqual((report["values"]["notEvaluated"], report["values"]["apart"]), (3, 0))
        path = self.folder / "overlay" / "htp" / "FinalizeFails.yaml"
        path.write_text(path.read_text() + "measured:\n  in0 rank: {rank: ..1, breach: prepare_fails}\n")
        report = self.graph(chain("Accept", "FinalizeFails", "Accept"))
        self.assertEqual(report["quantgate"], {"verdict": "prepare_fails", "constraints": ["htp/FinalizeFails/in[0]/rank"]})
        self.assertEqual((report["values"], report["asPredicted"]), (None, True))

    def test_each_failure_is_the_graphs(self) -> None:
        for op, stage, said in (("Refuse", "validate", {"outcome": "rejected", "code": 0xC26, "message": "Rank 2 of t1 is too high"}),
                                ("AddFails", "prepare", {"outcome": "fails", "step": "add node", "code": 0x1771}),
                                ("FinalizeFails", "prepare", {"outcome": "fails", "step": "finalize", "code": 0x3EA}),
                                ("FinalizeCrashes", "prepare", {"outcome": "crash SIGSEGV"})):
            with self.subTest(op=op):
                report = self.graph(chain("Accept", op, "Accept"), status=1)
                self.assertEqual(report["graph"][stage], said)
                self.assertEqual((report["agreement"], report["reduced"]), ("false_acceptance", None))

    def test_the_smallest_part_that_still_fails(self) -> None:
        output = str(self.folder / "small.json")
        report = self.graph(chain(*["Accept"] * 5, "FinalizeFails", *["Accept"] * 4), "--reduce", "-o", output, status=1)
        self.assertEqual(report["reduced"], {"file": output, "of": 10, "ops": ["FinalizeFails"], "findings": []})
        self.assertEqual([node["name"] for node in self.smallest()["nodes"]], ["n5"])
        self.assertEqual({tuple(map(int, tensor["dims"])) for tensor in self.smallest()["tensors"]}, {(1, 1)})
        # What needs two ops keeps two, and what is written fails again.
        report = self.graph(chain("Accept", "PairFails", *["Accept"] * 5, "PairFails", "Accept"), "--reduce", "-o", output, status=1)
        self.assertEqual(report["reduced"]["ops"], ["PairFails", "PairFails"])
        again = self.graph(self.smallest(), status=1)
        self.assertEqual(again["graph"], report["graph"])
        # Another failure on the way is not this one.
        report = self.graph(chain("FinalizeFails", "Refuse", "FinalizeFails"), "--reduce", "-o", output, status=1)
        self.assertEqual(report["reduced"]["ops"], ["Refuse"])

    def test_nothing_to_reduce(self) -> None:
        output = self.folder / "small.json"
        self.assertEqual(self.graph(chain("Accept", "Accept"), "--reduce", "-o", str(output))["reduced"], None)
        self.assertFalse(output.exists())

    @unittest.skipUnless(reference_python(), "no NumPy for the float reference")
    def test_values_within_the_graph(self) -> None:
        """The library copies its input whatever the op is: right for a Reshape, wrong for a Relu."""
        model = chain("Reshape", "Relu", "Reshape")
        for tensor in model["tensors"]:
            tensor["dims"] = [1, 64]
        output = str(self.folder / "small.json")
        report = self.graph(model, "--python", reference_python(), "--reduce", "-o", output, status=1)
        values = report["values"]
        self.assertEqual((values["right"], values["wrong"], [op["op"] for op in values["wrongOps"]]), (2, 1, ["Relu"]))
        self.assertGreater(values["wrongOps"][0]["share"], 0.3)
        self.assertEqual((report["agreement"], report["reduced"]["ops"]), ("false_acceptance", ["Relu"]))

    def test_text(self) -> None:
        result = self.run_cli("verify", self.path("m.json", chain("Accept", "FinalizeFails")), "--graph", "--backend-lib", FAKE, "--arch",
                              "v73", "--opdefs", str(self.folder / "overlay"), "--reduce", "-o", str(self.folder / "small.json"))
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        for words in ("2 ops as one graph of", "prepare fails at finalize with 0x3ea", "1 of 2 ops still fail", "not as predicted"):
            self.assertIn(words, " ".join(result.stdout.split()))

    def test_what_does_not_go_together(self) -> None:
        model, two = self.path("m.json", chain("Accept")), self.path("two.jsonl", 2 * (json.dumps(chain("Accept")) + "\n"))
        common = ("--graph", "--backend-lib", FAKE, "--arch", "v73")
        for arguments, says in (((model, "--execute"), "--execute: is not for"), ((model, model), "takes one model"), ((two,), "two.jsonl: holds several"),
                                ((model, "--reduce"), "needs -o"), ((self.path("none.json", {"name": "m"}),), "holds no op"),
                                ((self.path("bad.json", "{"),), "bad.json"),
                                ((model, "-o", model), "m.json")):
            with self.subTest(arguments=arguments):
                self.unusable("verify", *common, *arguments, says=says)


# Answers line by line what a program of tools/quantgate/python/oracles would: the about line, then ANSWERS in turn.
PROGRAM = """#!/usr/bin/env python3
import base64, json, sys
answers = iter({answers!r})
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("about"):
        print(json.dumps({about!r}))
        continue
    assert base64.b64decode(asked["model"])[4:8] == b"TFL3" and asked["arch"] == "u55", asked["arch"]
    print(json.dumps(next(answers)))
"""
ABOUT = {"backend": "ethosu", "version": "5.2.0", "what": "a test"}
OK, LEFT = {"outcome": "ok"}, {"outcome": "fails", "step": "place", "message": "leaves the operator to the CPU"}


def relus(*types: str) -> dict:
    """Operators of TFLite, one after the other."""
    encoding = {"perTensor": {"scale": 0.5, "zeroPoint": 0}}
    tensors = [{"name": f"t{i}", "dtype": dtype, "dims": [1, 4], **({"encoding": encoding} if "FIXED" in dtype else {})}
               for i, dtype in enumerate((*types, types[-1]))]
    return {"name": "m", "dialect": "tflite", "tensors": tensors,
            "nodes": [{"op": "RELU", "inputs": [f"t{i}"], "outputs": [f"t{i + 1}"]} for i in range(len(types))]}


class Programs(CliCase):
    """Compilers and interpreters behind a Python program."""

    def python(self, *answers: dict, about: dict | None = None) -> str:
        program = self.folder / "python"
        program.write_text(PROGRAM.format(answers=list(answers), about=about or ABOUT))
        program.chmod(0o755)
        return str(program)

    def test_each_outcome_is_compared(self) -> None:
        crash = {"outcome": "crash", "signal": 11, "step": "compile"}
        python = self.python({"validate": OK, "prepare": OK}, {"validate": LEFT}, {"validate": OK, "prepare": crash},
                             {"validate": OK, "prepare": {"outcome": "hang"}}, {"not_queried": "too large"})
        path = self.path("m.json", relus(*["SFIXED_POINT_8"] * 5))
        result = self.run_cli("verify", path, "--backend-lib", "vela", "--python", python, "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        report = json.loads(result.stdout)
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        self.assertEqual(report["target"], {"backend": "ethosu", "sdk": "5.2", "arch": "u55"})
        self.assertEqual(report["library"], {"name": "vela", "buildId": "5.2.0"})
        said = {n["name"]: (n["agreement"], {stage: n["library"][stage]["outcome"] for stage in ("validate", "prepare")
                                             if stage in n["library"]}) for n in report["nodes"]}
        self.assertEqual(said, {
            "RELU_0": ("agrees", {"validate": "accepted", "prepare": "ok"}),
            "RELU_1": ("false_acceptance", {"validate": "rejected"}),
            "RELU_2": ("false_acceptance", {"validate": "accepted", "prepare": "crash SIGSEGV"}),
            "RELU_3": ("false_acceptance", {"validate": "accepted", "prepare": "hang"}),
            "RELU_4": ("not_queried", {})})

    def test_a_rejection_agrees_with_the_cpu_and_not_with_the_npu(self) -> None:
        path = self.path("m.json", relus("FLOAT_32"))
        for answer, status, words in (({"validate": LEFT}, 0, "agrees: on 1 of 1 nodes"),
                                      ({"validate": OK, "prepare": OK}, 1, "false rejection: node")):
            with self.subTest(answer=answer):
                result = self.run_cli("verify", path, "--backend-lib", "vela", "--python", self.python(answer))
                self.assertEqual((result.returncode, result.stderr), (status, ""))
                self.assertIn(words, result.stdout)
                self.assertIn("vela 5.2.0, asked to validate, prepare; a test", result.stdout)

    def test_values_that_the_program_compared(self) -> None:
        wrong = {"result": "wrong", "steps": 85.0, "fraction": 0.3, "share": 0.5}
        python = self.python({"validate": OK, "prepare": OK, "execute": OK, "values": wrong})
        result = self.run_cli("verify", self.path("m.json", relus("SFIXED_POINT_8")), "--backend-lib", "vela", "--python",
                              python, "--execute", "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        node = json.loads(result.stdout)["nodes"][0]
        self.assertEqual((node["agreement"], node["values"]["result"], node["values"]["steps"]), ("false_acceptance", "wrong", 85.0))

    def test_what_makes_it_unusable(self) -> None:
        path = self.path("m.json", relus("SFIXED_POINT_8", "SFIXED_POINT_8"))
        self.unusable("verify", path, "--backend-lib", "vela", "--python", self.python(), "--backend", "htp",
                      says=("vela is asked about the backend ethosu, not htp",))
        self.unusable("verify", path, "--backend-lib", "vela", "--python", self.python({"validate": OK, "prepare": OK}),
                      says=("StopIteration",))
        self.unusable("verify", path, "--backend-lib", "vela", "--python", self.python({"nothing": 1}, {}),
                      says=("the program answers",))
        self.unusable("verify", path, "--backend-lib", "vela", "--python", "/no/python", says=("No such file",))
        self.unusable("verify", path, "--backend-lib", "nosuch", says=("nosuch",))


@unittest.skipUnless(find_package(), "no ethos-u-vela or ai-edge-litert: tools/dev/qgdev record vela, record litert install them")
class RealPrograms(CliCase):
    """The packages themselves, where they are installed."""

    def real(self, name: str, *arguments: str) -> dict:
        python = find_package().get(name)
        if python is None:
            self.skipTest(f"no Python with the package of {name}")
        result = self.run_cli("verify", str(ROOT / "docs/examples/keywords.tflite"), "--backend-lib", name, "--python", python,
                              "--format", "json", *arguments)
        self.assertEqual(result.stderr, "")
        report = json.loads(result.stdout)
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        return report

    def test_vela(self) -> None:
        report = self.real("vela", "--arch", "u55")
        self.assertEqual(report["summary"]["agrees"], report["summary"]["nodes"], report["nodes"][:2])
        left = {n["name"] for n in report["nodes"] if n["library"]["validate"]["outcome"] == "rejected"}
        self.assertEqual(left, {"DEPTHWISE_CONV_2D_3", "MAXIMUM_5"})

    def test_litert(self) -> None:
        report = self.real("litert", "--execute")
        self.assertEqual(report["summary"]["agrees"], report["summary"]["nodes"], report["nodes"][:2])
        values = {n["name"]: n["values"]["result"] for n in report["nodes"]}
        self.assertEqual({name for name, found in values.items() if found == "wrong"}, {"MAXIMUM_5"})


class Verify(CliCase):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "overlay" / "htp").mkdir(parents=True)
        for op in BEHAVIOURS:
            (self.folder / "overlay" / "htp" / f"{op}.yaml").write_text(OVERLAY.format(op=op))

    def verify(self, model: str, *arguments: str, status: int = 0) -> dict:
        result = self.run_cli("verify", model, "--backend-lib", FAKE, "--arch", "v73", "--opdefs",
                              str(self.folder / "overlay"), "--format", "json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout[:2000])
        report = json.loads(result.stdout)
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        return report

    def test_counts_each_kind_and_puts_disagreements_first(self) -> None:
        model = chain("Accept", "Refuse", "Crash", "Exit", "Hang", "NoSuchOp")
        rejected = good()["tensors"]
        model["tensors"] += [t for t in bad()["tensors"]]
        model["nodes"] += bad()["nodes"]
        self.assertEqual(len(rejected), 3)
        report = self.verify(self.path("m.json", model), "--timeout", "1", status=1)
        self.assertEqual(report["summary"], {"nodes": 7, "agrees": 1, "false_rejection": 2,
                                             "false_acceptance": 4, "unknown": 0, "not_queried": 0})
        said = [(n["op"], n["agreement"], n["library"]["validate"]["outcome"])
                for n in report["nodes"]]
        self.assertEqual(said, [
            ("NoSuchOp", "false_rejection", "accepted"), ("Conv2d", "false_rejection", "accepted"), ("Refuse", "false_acceptance", "rejected"),
            ("Crash", "false_acceptance", "crash SIGFPE"),
            ("Exit", "false_acceptance", "crash exit 7"), ("Hang", "false_acceptance", "hang"),
            ("Accept", "agrees", "accepted")])
        self.assertIn("htp/Conv2d/in[1]/symmetric", " ".join(report["nodes"][1]["quantgate"]["constraints"]))
        self.assertEqual(report["nodes"][2]["library"]["validate"]["message"], "Rank 2 of t1 is too high")
        self.assertEqual(report["library"]["buildId"], "fake-1")

    def test_text_names_both_sides(self) -> None:
        result = self.run_cli("verify", self.path("m.json", bad()), "--backend-lib", FAKE, "--arch",
                              "v73", "-v")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        for part in ('false rejection: node "n0" (Conv2d)', "quantgate rejected:", "library   accepted",
                     "false acceptance      0", "unknown               0", "disagrees: on 1 of 1 nodes"):
            self.assertIn(part, result.stdout)

    def test_preparation_counts_only_where_it_was_asked_for(self) -> None:
        path = self.path("m.json", chain("AddFails", "FinalizeCrashes"))
        self.assertEqual(self.verify(path)["summary"]["agrees"], 2)
        report = self.verify(path, "--prepare", status=1)
        self.assertEqual(report["summary"]["false_acceptance"], 2)
        add, finalize = (n["library"]["prepare"] for n in report["nodes"])
        self.assertEqual((add["outcome"], add["step"], add["code"]), ("fails", "add node", 0x1771))
        self.assertEqual(finalize["outcome"], "crash SIGSEGV")

    def test_onnx_models_are_asked_as_the_backend_gets_them(self) -> None:
        result = self.run_cli("verify", str(ROOT / "docs" / "examples" / "mobilenetv2_8a8w.onnx"),
                              "--backend-lib", FAKE, "--arch", "v73", "--format", "json")
        report = json.loads(result.stdout)
        self.assertEqual(report["route"], "onnxruntime")
        self.assertIn("Conv2d", {n["op"] for n in report["nodes"]})
        self.assertEqual(report["summary"]["unknown"], 0)

    def test_lines_and_unreadable_models_stay_in_order(self) -> None:
        lines = "\n".join([json.dumps(good()), "{", json.dumps(bad())]) + "\n"
        result = self.run_cli("verify", self.path("m.jsonl", lines), "--backend-lib", FAKE,
                              "--arch", "v73", "--format", "json", "--jobs", "2")
        self.assertEqual(result.returncode, 2)
        reports = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([r["model"].rsplit(":")[-1] for r in reports], ["1", "2", "3"])
        self.assertEqual(["error" in r for r in reports], [False, True, False])
        self.assertEqual(result.stderr.count("error:"), 1)

    def test_known_disagreements_pass_and_those_gone_fail(self) -> None:
        model = self.path("m.json", chain("Refuse"))
        entry = {"op": "Refuse", "agreement": "false_acceptance", "reason": "that is its job"}
        known = self.path("known.json", {"differences": [entry]})
        report = self.verify(model, "--known", known)
        self.assertEqual(report["nodes"][0]["known"], "that is its job")
        known = self.path("known.json", {"differences": [entry, entry | {"op": "Accept"}]})
        result = self.run_cli("verify", model, "--backend-lib", FAKE, "--arch", "v73", "--opdefs",
                              str(self.folder / "overlay"), "--known", known)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no longer differs, take it out: false_acceptance of Accept", result.stderr)

    def test_values_without_a_reference_are_said_to_be_unjudged(self) -> None:
        report = self.verify(self.path("m.json", chain("Accept")), "--execute", "--python", "/nonexistent/python")
        values = report["nodes"][0]["values"]
        self.assertEqual(values["evaluated"], False)
        self.assertIn("/nonexistent/python", values["reason"])
        self.assertEqual(report["summary"]["agrees"], 1)

    def test_sdk_of_the_library_is_not_overruled_in_silence(self) -> None:
        report = self.verify(self.path("m.json", chain("Accept")), "--sdk", "2.47")
        self.assertEqual(report["target"]["sdk"], "2.47")

    def test_unusable_libraries_and_arguments(self) -> None:
        model = self.path("m.json", good())
        text = self.path("text.so", "no library")
        known = self.path("known.json", "{}")
        for arguments, says in (
                (["--backend-lib", "/nonexistent/libQnnHtp.so"], "No such file or directory"),
                (["--backend-lib", str(self.folder)], "holds no libQnnHtp.so"),
                (["--backend-lib", text], "text.so"),
                (["--backend-lib", "/dev/null"], "is no file or folder"),
                (["--backend-lib", FAKE, "--arch", "v68"], "no device for v68"),
                (["--backend-lib", FAKE, "--inputs", model], "--inputs: needs --execute"),
                (["--backend-lib", FAKE, "--execute", "--inputs", text, "--arch", "v73"], "text.so"),
                (["--backend-lib", FAKE, "--known", known], "expected an object with a list"),
                (["--backend-lib", FAKE, "--route", "dirct"], "did you mean"),
                (["--backend-lib", FAKE, "--timeout", "0"], "--timeout"),
                ([], "--backend-lib")):
            with self.subTest(arguments=arguments):
                self.unusable("verify", model, *arguments, says=says)
        for content in ('{"differences": [{}]}', '{"differences": [3]}', '{"differences": {}}', "[" * 99999,
                        '{"differences": [{"op": "X", "agreement": "agrees", "reason": "r"}]}',
                        '{"differences": [{"agreement": "false_rejection", "reason": "r"}]}',
                        '{"differences": [{"op": 1, "agreement": "false_rejection", "reason": "r"}]}',
                        '{"differences": [{"op": "X", "agreement": "false_rejection", "reason": "r", "z": ""}]}'):
            with self.subTest(known=content[:80]):
                self.unusable("verify", model, "--backend-lib", FAKE, "--arch", "v73", "--known",
                              self.path("known.json", content), says="known.json")

    def test_hostile_models_are_an_answer_or_an_error(self) -> None:
        for content in ("", "{", '{"nodes": [{"op": "Accept", "inputs": ["x"]}]}', "[1]", "\x08\x01" * 50,
                        '{"tensors": [{"name": "x", "dtype": "UFIXED_POINT_8", "dims": [9223372036854775807, 99]}],'
                        ' "nodes": [{"op": "Accept", "inputs": ["x"], "outputs": ["x"]}]}',
                        '{"tensors": [{"name": "x", "unknownRank": true}],'
                        ' "nodes": [{"op": "\\u001b[31m", "inputs": ["x"], "outputs": []}]}'):
            with self.subTest(content=content[:60]):
                path = self.path("m.json", content)
                for more in ((), ("--prepare",), ("--execute",)):
                    result = self.run_cli("verify", path, "--backend-lib", FAKE, "--arch", "v73", *more)
                    self.assertIn(result.returncode, (0, 1, 2), result)
                    self.assertNotIn("\x1b", result.stdout)
                    self.assertLessEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
