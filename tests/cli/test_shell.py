"""Logs, examples of rules, completion, the manual page, several models at once, --watch."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import yaml
from cli_case import CLI, ROOT, CliCase, bad, good

EXECUTORCH = """[QNN Partitioner Op Support]: aten.convolution.default | True
[ERROR] [Qnn ExecuTorch]:  <E> in[0] has incorrect Datatype 0x232.
[ERROR] [Qnn ExecuTorch]:  <E> in[1] has incorrect Value 68, expected >= 73.
[ERROR]QnnDsp <E> validateNativeOps aten_linear_default_23:qti.aisw:FullyConnected op validator (quantized and FP16) failed 3110 and 3110
[ERROR]QnnDsp <E> QnnBackend_validateOpConfig failed 3110
[ERROR]QnnDsp <E> Failed to validate op aten_linear_default_23 with error 0xc26
[WARNING][Qnn ExecuTorch] Qnn Backend op validation failed with error: 3110
[QNN Partitioner Op Support]: aten.linear.default | False
"""
ONNXRUNTIME = """[V:onnxruntime:test] graph_prepare.cc:205:ERROR:could not create op: q::flat_from_vtcm
[V:onnxruntime:test] QnnDsp <E> "/MatMul" generated: could not create op
[V:onnxruntime:test] QnnDsp <E> Failed to finalize graph (id: 1) with err 1002
[E:onnxruntime:, qnn_model.cc:181 FinalizeGraphs] Failed to finalize QNN graph.
[onnxruntime] Pad node `/down/Pad` is not supported: base_op_builder.cc:162 ProcessOutputs Failed to add node.
Node 'Conv' OpType:Conv with domain:com.ms.internal.nhwc was inserted using the NHWC format as requested by QNNExecutionProvider
QNN.addNode() failed for node `Cast_7` of type `Cast` with error code 6007
QNN graph execute error. Error code: 6031
"""


class Logs(CliCase):
    def explain(self, log: str) -> list[dict]:
        result = self.run_cli("explain", self.path("x.log", log), "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["findings"]

    def test_executorch(self) -> None:
        findings = self.explain(EXECUTORCH)
        node = findings[0]
        self.assertEqual((node["node"], node["op"]), ("aten_linear_default_23", "FullyConnected"))
        self.assertEqual(node["causes"], [
            "in[0] has datatype FLOAT_32, which no row takes together with the others",
            "needs Hexagon v73 or newer, the target is v68"])
        self.assertEqual(node["rules"][0], "QG201")
        self.assertIn("QG316", node["rules"])
        self.assertIn("aten.linear.default stays outside of the QNN delegate",
                      [f["means"] for f in findings])

    def test_onnx_runtime(self) -> None:
        findings = {f["node"]: f for f in self.explain(ONNXRUNTIME) if f["node"]}
        self.assertEqual(set(findings), {"/MatMul", "/down/Pad", "Conv", "Cast_7"})
        self.assertEqual(findings["/down/Pad"]["op"], "Pad")
        self.assertIn("graph preparation", findings["/MatMul"]["means"])
        self.assertIn("6007", findings["Cast_7"]["means"])
        self.assertIn("QG103", findings["Conv"]["rules"])

    def test_a_value_that_is_no_arch_is_no_arch(self) -> None:
        (finding,) = self.explain("<E> in[2] has incorrect Value 3, expected >= 4.")
        self.assertEqual(finding["rules"][0], "QG504")

    def test_the_same_again_is_counted(self) -> None:
        (finding,) = self.explain("Failed to finalize QNN graph\n" * 3)
        self.assertEqual((finding["line"], finding["count"]), (1, 3))

    def test_text(self) -> None:
        text = self.run_cli("explain", self.path("x.log", EXECUTORCH)).stdout
        self.assertIn('node "aten_linear_default_23" (FullyConnected)\n', text)
        self.assertRegex(text, r"\n  rule     QG201 dtype-row: ")
        none = self.run_cli("explain", self.path("y.log", "all is well\n")).stdout
        self.assertIn("no message", none)

    def test_stdin(self) -> None:
        result = self.run_cli("explain", "-", "--format", "json", stdin=EXECUTORCH.encode())
        self.assertEqual(len(json.loads(result.stdout)["findings"]), 4)

    def test_hostile_logs(self) -> None:
        for log in (b"\xff\xfe\x00" * 9999, b"Failed to validate op \x1b[31mx\r with error 0x1\n",
                    b"has incorrect Value " * 100_000, b"{" * 100_000, b"x[" * 300_000):
            result = subprocess.run([CLI, "explain", "-"], input=log, capture_output=True,
                                    timeout=20)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn(b"\x1b", result.stdout)
        self.unusable("explain", "-", says="empty")

    def test_the_table_names_known_rules_and_its_patterns_find_themselves(self) -> None:
        table = yaml.safe_load((ROOT / "tools/quantgate/data/log_messages.yaml").read_text())
        listed = self.run_cli("explain", "--all", "--format", "json").stdout
        codes = {rule["code"] for rule in json.loads(listed)["rules"]}
        filler = {"number": "70", "expected": "73", "index": "1", "code": "0x408"}
        lines = []
        for entry in table["messages"]:
            self.assertLessEqual(set(entry["rules"]), codes, entry)
            self.assertIn(entry["role"], ("cause", "verdict", "note"))
            holes = set(re.findall(r"{(\w+)}", entry["means"])) - {"dtype"}
            self.assertLessEqual(holes, set(re.findall(r"{(\w+)}", entry["pattern"])), entry)
            line = re.sub(r"{(\w+)}", lambda m: filler.get(m[1], "Q" + m[1]), entry["pattern"])
            lines.append(line)
            self.assertGreaterEqual(len(self.explain(line + "\n")), 1, line)


class Examples(CliCase):
    def test_every_rule_with_json_fixtures_has_an_example(self) -> None:
        rules = json.loads(self.run_cli("explain", "--all", "--format", "json").stdout)["rules"]
        for rule in rules:
            folder = ROOT / "tests" / "fixtures" / "rules" / rule["slug"]
            if not (folder / "bad.json").exists() or not (folder / "ok.json").exists():
                continue
            args = folder / "bad.args"
            flags = args.read_text() if args.exists() else ""
            if "--encodings" in flags:
                continue
            with self.subTest(rule=rule["slug"]):
                self.assertEqual([e["kind"] for e in rule["examples"]], ["bad", "good"])
                self.assertEqual(rule["examples"][0]["model"],
                                 json.loads((folder / "bad.json").read_text()))
                text = self.run_cli("explain", rule["code"]).stdout
                self.assertRegex(text, r"\nExample\n +bad +good\n")
                if "--opdefs" not in flags:
                    self.assertIn(" says:\n", text)


class VerbCase(CliCase):
    def verbs(self) -> list[str]:
        listed = self.run_cli("--help").stdout.split("Examples")[0]
        return re.findall(r"(?m)^  ([a-z]\w+) ", listed)


class Completion(VerbCase):
    def script(self, shell: str) -> str:
        result = self.run_cli("completion", shell)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.path("completion." + shell, result.stdout)

    def bash(self, *words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        result = subprocess.run(
            ["bash", "--norc", "-c", f"source '{self.script('bash')}'\ncompopt() {{ :; }}\n"
             f"COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _quantgate\n"
             'printf "%s\\n" "${COMPREPLY[@]}"'],
            capture_output=True, text=True, timeout=30, cwd=self.folder)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash(self) -> None:
        self.assertIn("check", self.bash("quantgate", "ch"))
        self.assertEqual(self.bash("quantgate", "check", "--form"), ["--format"])
        self.assertEqual(self.bash("quantgate", "check", "--format", "s"), ["sarif"])
        self.assertEqual(self.bash("quantgate", "check", "--soc", "SM8550"), ["SM8550"])
        self.assertIn("QG301", self.bash("quantgate", "explain", "QG30"))
        self.assertIn("Conv2d", self.bash("quantgate", "query", "Conv"))
        self.path("model.onnx", "")
        self.assertEqual(self.bash("quantgate", "check", "mod"), ["model.onnx"])

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh here")
    def test_zsh(self) -> None:
        result = subprocess.run(["zsh", "-f", "-n", self.script("zsh")], capture_output=True,
                                text=True, timeout=30)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipIf(shutil.which("fish") is None, "no fish here")
    def test_fish(self) -> None:
        script = self.script("fish")
        result = subprocess.run(
            ["fish", "--no-config", "-c",
             f"source {script}; complete -C 'quantgate check --format s'"],
            capture_output=True, text=True, timeout=30, env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(result.stderr, "")
        self.assertIn("sarif", result.stdout)

    def test_every_verb_and_flag_is_there(self) -> None:
        text = self.run_cli("completion", "fish").stdout
        for verb in self.verbs():
            self.assertIn(f"-a {verb} -d", text)
            for flag in re.findall(r"(?m)^  (?:-\w, )?--([a-z-]+)",
                                   self.run_cli(verb, "--help").stdout):
                self.assertRegex(text, rf"seen_subcommand_from {verb}' .*-l {flag}\b")

    def test_unknown_shells_are_refused(self) -> None:
        self.unusable("completion", "tcsh", says="bash, zsh, fish")


class Man(VerbCase):
    def test_the_page_tells_every_verb(self) -> None:
        page = self.run_cli("man").stdout
        for verb in self.verbs():
            self.assertIn(f".SS {verb}\n", page)
        self.assertNotRegex(page, r"(?m)^[.'](?!\\\"|TH|SH|SS|TP|PP|B |nf|fi)")

    @unittest.skipIf(shutil.which("man") is None or shutil.which("groff") is None,
                     "no man and groff here")
    def test_groff_has_no_complaints(self) -> None:
        page = self.run_cli("man").stdout
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page,
                                capture_output=True, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Several(CliCase):
    def test_the_order_is_that_of_the_arguments(self) -> None:
        paths = [self.path(f"m{i}.json", bad() if i % 3 == 0 else good()) for i in range(40)]
        paths[7:7] = [self.path("broken.json", "{")]
        outputs = set()
        for jobs in ("1", "2", "8"):
            result = self.run_cli("check", *paths, "--format", "json", "-j", jobs)
            self.assertEqual(result.returncode, 2)
            outputs.add(result.stdout)
            models = [json.loads(line)["model"] for line in result.stdout.splitlines()]
            self.assertEqual(models, paths)
        self.assertEqual(len(outputs), 1)


class Watch(CliCase):
    def test_a_change_is_checked_again(self) -> None:
        path = self.path("m.json", good())
        process = subprocess.Popen([CLI, "check", path, "--watch"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            def until(words: str) -> None:
                for line in process.stdout:
                    if line.startswith(words):
                        return
                self.fail("ended")
            until("fits")
            time.sleep(0.3)
            self.path("m.json", bad())
            until("failed")
            time.sleep(0.3)
            self.path("m.json", good())
            until("fits")
            self.assertIsNone(process.poll())
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=10)
            process.stdout.close()

    def test_standard_input_can_not_be_watched(self) -> None:
        self.unusable("check", "-", "--watch", says="--watch")


class Action(CliCase):
    def test_the_script_annotates_writes_sarif_and_fails(self) -> None:
        self.path("a.json", bad())
        self.path("b.json", good())
        environment = {**os.environ, "MODELS": "*.json", "SOC": "SM8550", "SARIF": "out.sarif",
                       "QUANTGATE": CLI, "GITHUB_OUTPUT": str(self.folder / "output"),
                       "GITHUB_STEP_SUMMARY": str(self.folder / "summary")}
        result = subprocess.run([ROOT / "tools" / "github_action.sh"], cwd=self.folder,
                                env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("::error file=a.json,line=", result.stdout)
        self.assertEqual((self.folder / "output").read_text(), "exit-status=1\n")
        self.assertIn("QG301", (self.folder / "summary").read_text())
        sarif = json.loads((self.folder / "out.sarif").read_text())
        self.assertEqual(len(sarif["runs"][0]["results"]), 1)

    def test_definitions_are_yaml_with_what_they_need(self) -> None:
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        (step,) = action["runs"]["steps"]
        used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(step["env"])))
        self.assertEqual(used, set(action["inputs"]))
        self.assertNotIn("${{", step["run"])
        (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
        self.assertLessEqual({"id", "name", "entry", "language", "files"}, set(hook))


if __name__ == "__main__":
    unittest.main()
