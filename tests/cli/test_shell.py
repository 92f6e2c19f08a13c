"""Logs, examples of rules, completion, the manual page, several models at once, --watch."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import threading
import time
import unittest

import yaml
from cli_case import CLI, ROOT, CliCase, bad, good

OPDEFC = os.environ.get("QUANTGATE_OPDEFC", str(ROOT / "build" / "tools" / "opdefc" / "opdefc"))
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
        (node,) = findings
        self.assertEqual((node["node"], node["op"]), ("aten_linear_default_23", "FullyConnected"))
        self.assertEqual(node["causes"], [
            "in[0] has datatype FLOAT_32 (0x232), which is not supported together with the others",
            "these datatypes or encodings need Hexagon v73 or newer, and the target is v68"])
        self.assertEqual(node["rules"], ["QG201"])
        self.assertNotIn("does not say why", node["means"])
        self.assertIn("quantize", node["do"])
        self.assertEqual(node["effects"], ["ExecuTorch leaves aten.linear.default on the CPU, "
                                           "outside of the delegate"])

    def test_onnx_runtime(self) -> None:
        findings = {f["node"]: f for f in self.explain(ONNXRUNTIME) if f["node"]}
        self.assertEqual(set(findings), {"/MatMul", "/down/Pad", "Conv", "Cast_7"})
        self.assertEqual(findings["/down/Pad"]["op"], "Pad")
        self.assertIn("graph preparation", findings["/MatMul"]["means"])
        self.assertIn("1002", findings["/MatMul"]["effects"][0])
        self.assertIn("6007 = QNN_GRAPH_ERROR_UNCONNECTED_NODE (an op was added before", findings["Cast_7"]["means"])
        self.assertEqual(findings["Conv"]["rules"], ["QG103"])
        for finding in findings.values():
            self.assertTrue(finding["do"])

    def test_unknown_lines_are_called_unknown(self) -> None:
        log = self.path("x.log", "fine\n[ERROR] strange 1\n[ERROR] strange 2\n")
        answer = json.loads(self.run_cli("explain", log, "--format", "json").stdout)
        self.assertEqual(answer["findings"], [])
        self.assertEqual(answer["unknown"], {"lines": 2, "first": [
            {"line": 2, "count": 2, "message": "[ERROR] strange 1"}]})
        text = self.run_cli("explain", log).stdout
        self.assertIn("2 lines look like the message of a failure and are unknown", text)

    def test_what_a_check_says_of_a_node_comes_first(self) -> None:
        model = bad()
        model["nodes"][0]["name"] = "conv"
        log = self.path("x.log", "The SocModel doesn't support FP16\n"
                        "Failed to validate op conv with error 0xc26\n")
        args = ("explain", log, "--model", self.path("m.json", model), "--soc", "SM8550")
        findings = json.loads(self.run_cli(*args, "--format", "json").stdout)["findings"]
        self.assertEqual([f["line"] for f in findings], [2, 1])
        text = self.run_cli(*args).stdout
        self.assertLess(text.index('  model    node "conv": rejected'), text.index("  means "))

    def test_a_hundred_megabytes_in_bounded_memory(self) -> None:
        """Through a pipe: the peak is far below the size of the log."""
        program = f"""
import os, resource, subprocess
run = subprocess.Popen([{CLI!r}, "explain", "-", "--format", "json"], stdin=subprocess.PIPE,
                       stdout=subprocess.DEVNULL)
line = b"[VERBOSE] QnnDsp <V> tensor id 17 registered, dims 1x128x56x56, datatype 0x408\\n"
for _ in range(100):
    run.stdin.write(line * (1_000_000 // len(line)))
run.stdin.close()
assert run.wait() == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
        peak = subprocess.run(["python3", "-c", program], capture_output=True, check=True,
                              timeout=60).stdout
        self.assertLess(int(peak), 60_000)

    def test_logs_of_powershell(self) -> None:
        log = "QNN graph execute error. Error code: 6031\r\n".encode("utf-16")
        result = subprocess.run([CLI, "explain", "-", "--format", "json"], input=log,
                                capture_output=True, timeout=20)
        (finding,) = json.loads(result.stdout)["findings"]
        self.assertIn("6031 = QNN_GRAPH_ERROR_ABORTED (the execution was aborted", finding["means"])

    def test_a_line_without_an_end(self) -> None:
        log = b"x" * 3_000_000 + b"\nThe SocModel doesn't support FP16\n" + b"y" * 2_000_000
        result = subprocess.run([CLI, "explain", "-", "--format", "json"], input=log,
                                capture_output=True, timeout=20)
        (finding,) = json.loads(result.stdout)["findings"]
        self.assertEqual(finding["line"], 2)

    def test_nodes_of_the_model_that_a_log_is_about(self) -> None:
        """By the names of ONNX Runtime's dumps and identifiers that tools make of names."""
        model = bad()
        model["nodes"][0]["name"] = "/stem/conv1/Conv"
        model["tensors"][2]["name"] = "conv_QuantizeLinear_Output"
        model["nodes"][0]["outputs"] = ["conv_QuantizeLinear_Output"]
        path = self.path("m.json", model)
        names = {"/stem/conv1/Conv": True, "/stem/conv1/Conv_token_3": True,
                 "stem_conv1_Conv": True, "conv_QuantizeLinear_OutputReshape": True,
                 "/stem/conv1/Conv2": False, "/stem/conv10/Conv": False, "conv": False}
        log = self.path("x.log", "".join(f"Failed to validate op {name} with error 0xc26\n"
                                         for name in names))
        result = self.run_cli("explain", log, "--model", path, "--soc", "SM8550",
                              "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = {f["node"]: f.get("meant", []) for f in json.loads(result.stdout)["findings"]}
        for name, known in names.items():
            with self.subTest(name):
                self.assertEqual([(m["node"], m["verdict"]) for m in found[name]],
                                 [("/stem/conv1/Conv", "rejected")] if known else [])
        self.assertTrue(found["stem_conv1_Conv"][0]["says"].startswith("QG301 asymmetric-encoding"))
        text = self.run_cli("explain", log, "--model", path).stdout
        self.assertIn('model    node "/stem/conv1/Conv": rejected', text)
        self.assertIn("no node or tensor of it goes by that name", text)
        self.unusable("explain", log, "--model", self.path("b.json", "{"), says="b.json:1")
        self.unusable("explain", "-", "--model", "-", says="read once")

    def test_messages_of_ones_own(self) -> None:
        """They come before those of quantgate and may use its phrases."""
        log = self.path("x.log", "[loader] no tiles for op conv\nThe SocModel doesn't support FP16\n")
        mine = self.path("mine.yaml", 'about tiles:\n  - pattern: "no tiles for op {node}"\n    role: verdict\n'
                         '    means: "the planner has no tiles"\n    do: "$to cpu"\n'
                         '  - {pattern: "SocModel", role: note, rule: QG106, means: "mine", do: "mine"}\n')
        self.assertEqual(len(json.loads(self.run_cli("explain", log, "--format", "json").stdout)["findings"]), 1)
        result = self.run_cli("explain", log, "--messages", mine, "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        tiles, soc = json.loads(result.stdout)["findings"]
        self.assertEqual((tiles["node"], tiles["means"]), ("conv", "the planner has no tiles"))
        self.assertTrue(tiles["do"].startswith("replace or rewrite the op"))
        self.assertEqual((soc["means"], soc["rules"]), ("mine", ["QG106"]))

    def test_messages_that_are_none(self) -> None:
        log = self.path("x.log", "a\n")
        entry = 'about it:\n  - {pattern: "a b", means: "m", do: "d"%s}\n'
        for text, says in (("[", "bad.yaml: not YAML"), ("a: 1\n", "bad.yaml: unknown key 'a'"), ("", "bad.yaml: empty"),
                           (entry % ", rule: QG999", "bad.yaml:2: unknown rule QG999"),
                           (entry % ", rle: QG101", "bad.yaml:2: unknown key 'rle' (did you mean role or rule?)"),
                           (entry % ', alone: "{x}"', "bad.yaml:2:"), (entry % ", role: cuase", "bad.yaml:2: unknown role"),
                           ("about it: " + "[" * 5000, "bad.yaml: not YAML"), ("# x\n" * (1 << 19), "larger than 1 MiB"),
                           ('about it:\n  - {pattern: "{x}", means: "m", do: "d"}\n', "bad.yaml:2:")):
            with self.subTest(text[:40]):
                self.unusable("explain", log, "--messages", self.path("bad.yaml", text), says=says)
        self.unusable("explain", log, "--messages", "none.yaml", says="none.yaml: No such file")
        self.unusable("explain", "-", "--messages", "-", says="read once")

    def test_names_of_real_dumps_are_nodes_of_their_models(self) -> None:
        for dump, model in (("ort_resnet18_per_channel", "resnet18_8a8w_per_channel"),
                            ("ort_llama_block_16a8w", "llama_block_16a8w")):
            graph = json.loads((ROOT / "tests/data/qnn_net" / f"{dump}.json").read_text())["graph"]
            log = self.path("x.log", "".join(f"Failed to validate op {name} with error 0xc26\n"
                                             for name in graph["nodes"]))
            result = self.run_cli("explain", log, "--model",
                                  str(ROOT / "docs" / "examples" / f"{model}.onnx"),
                                  "--format", "json")
            self.assertEqual(result.returncode, 0, result.stderr)
            lost = [f["node"] for f in json.loads(result.stdout)["findings"] if not f.get("meant")]
            # The provider's own: layouts that it turned.
            self.assertEqual([n for n in lost if not n.startswith("Transpose_token_")], [])

    def test_a_value_that_is_no_arch_is_no_arch(self) -> None:
        (finding,) = self.explain("<E> in[2] has incorrect Value 3, expected >= 4.")
        self.assertEqual(finding["rules"], ["QG504"])

    def test_the_same_again_is_counted(self) -> None:
        (finding,) = self.explain("The SocModel doesn't support FP16\n" * 3)
        self.assertEqual((finding["line"], finding["count"]), (1, 3))

    def test_text(self) -> None:
        text = self.run_cli("explain", self.path("x.log", EXECUTORCH)).stdout
        self.assertIn('node "aten_linear_default_23" (FullyConnected)\n', text)
        self.assertRegex(text, r"\n  rule     QG201 dtype-row: ")
        none = self.run_cli("explain", self.path("y.log", "all is well\n")).stdout
        self.assertIn("no message", none)

    def test_stdin(self) -> None:
        result = self.run_cli("explain", "-", "--format", "json", stdin=EXECUTORCH.encode())
        self.assertEqual(len(json.loads(result.stdout)["findings"]), 1)

    def test_hostile_logs(self) -> None:
        for log in (b"\xff\xfe\x00" * 9999, b"Failed to validate op \x1b[31mx\r with error 0x1\n",
                    b"has incorrect Value " * 100_000, b"{" * 100_000, b"x[" * 300_000):
            result = subprocess.run([CLI, "explain", "-"], input=log, capture_output=True,
                                    timeout=20)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn(b"\x1b", result.stdout)
        self.unusable("explain", "-", says="empty")

    def test_lines_of_a_session_that_works(self) -> None:
        """What the provider and the library print, verbosely, when all is well."""
        log = """
[V:onnxruntime:Default, qnn_backend_manager.cc:519 QnnLogging]  <V> HTP Prepare backend not loaded
[V:onnxruntime:Default, qnn_backend_manager.cc:519 QnnLogging]  <E> unexpected GraphHtpSettings option 66
[V:onnxruntime:Default, qnn_backend_manager.cc:519 QnnLogging]  <V> Query preemption type is not supported
[V:onnxruntime:Default, qnn_backend_manager.cc:519 QnnLogging]  graph_prepare.cc:2399:WARNING:0 output-block-count mismatches
 name=w id=0 version=1 type=QNN_TENSOR_TYPE_STATIC quantizationEncoding=Unknown quantization encoding encoding not supported.
[INFO] [Qnn ExecuTorch]: create QNN Logger with log_level 2
ggml-hex: Hexagon Arch version v73
[V:onnxruntime:Default, qnn_backend_manager.cc:519 QnnLogging]  <W> Cost Based unsupported on soc SM8350
INFO: Created TensorFlow Lite delegate for QNN, version 2.49.0
$ qnn-onnx-converter --input_network model.onnx --preserve_io layout --quantization_overrides model.encodings
[Pass]: qnn-model-lib-generator success!
adb push libhexagon_nn_skel_v66.so testsig-0x1a2b.so /data/local/tmp/
"""
        self.assertEqual(self.explain(log), [])

    def test_every_pattern_finds_itself(self) -> None:
        """Each with its holes filled: some entry must be about the line, if not always this one."""
        for path in sorted((ROOT / "tools/quantgate/data/log_messages").glob("*.yaml")):
            # Who speaks, and what words are about, is said of lines that look like failures only.
            lines = [("ERROR " if entry.get("role") in ("stage", "topic", "hint") or key == "in failures" else "")
                     + self.example(pattern, entry.get("when", {}))
                     for about, entries in yaml.safe_load(path.read_text()).items()
                     for entry in (entries if about.startswith("about ") else [])
                     if entry.get("role") not in ("quiet", "subject")
                     for key in ("pattern", "patterns", "in failures")
                     for pattern in ([entry[key]] if key == "pattern" and key in entry else entry.get(key, []))]
            if not lines:
                continue
            # Far from each other, each is a finding or counted as one more line of it.
            known = sum(f["count"] for f in self.explain(("\n" * 60).join(lines)))
            if known != len(lines):
                self.assertEqual([line for line in lines if not self.explain(line)], [], path.name)
            self.assertEqual(known, len(lines), path.name)

    @staticmethod
    def example(pattern: str, when: dict) -> str:
        fill = {"int": "70", "code": "1002", "word": "Qword", "rest": "at last", "": "some text"}

        def filled(match: re.Match) -> str:
            name, kind = match[1], match[2] or ""
            condition = when.get(name)
            if isinstance(condition, list):
                first = condition[0]
                return str(first) if isinstance(first, int) else f"{first}8550"
            return fill[kind]

        return re.sub(r"{(\w+):?(\w+)?}", filled, pattern)


class Examples(CliCase):
    def test_every_rule_has_an_example(self) -> None:
        rules = json.loads(self.run_cli("explain", "--all", "--format", "json").stdout)["rules"]
        for rule in rules:
            folder = ROOT / "tests" / "fixtures" / "rules" / rule["slug"]
            if rule["slug"] == "malformed-model":  # a reader refuses such a file before
                continue
            args = folder / "bad.args"
            flags = args.read_text() if args.exists() else ""
            with self.subTest(rule=rule["slug"]):
                self.assertEqual([e["kind"] for e in rule["examples"]], ["bad", "good"])
                self.assertEqual(rule["examples"][0]["model"],
                                 json.loads((folder / "bad.json").read_text()))
                self.assertEqual("encodings" in rule["examples"][0], "--encodings" in flags)
                text = self.run_cli("explain", rule["code"]).stdout
                self.assertRegex(text, r"\nExample\n +bad +good\n  .*\S")
                if "--opdefs" not in flags:
                    self.assertIn(" says:\n", text)


class DatabaseFlag(CliCase):
    """A compiled database instead of the built-in one."""

    def compiled(self) -> str:
        path = self.folder / "db.qgdb"
        subprocess.run([OPDEFC, "compile", ROOT / "tests" / "fixtures" / "opdefs" / "small", "-o", path],
                       check=True)
        return str(path)

    def test_every_verb_reads_it(self) -> None:
        database = self.compiled()
        for verb in ("targets", "query", "matrix", "diff", "check", "verify", "fix"):
            self.assertIn("--database FILE", self.run_cli(verb, "--help").stdout, verb)
        listed = json.loads(self.run_cli("targets", "--database", database, "--format", "json").stdout)
        built_in = json.loads(self.run_cli("targets", "--format", "json").stdout)
        self.assertNotEqual(listed["backends"], built_in["backends"])
        backend = listed["backends"][0]["name"]
        queried = self.run_cli("query", "--backend", backend, "--database", database)
        self.assertEqual(queried.returncode, 0, queried.stderr)
        checked = self.run_cli("check", self.path("m.json", good()), "--database", database)
        self.assertIn("htp", checked.stdout + checked.stderr)

    def test_what_is_no_database(self) -> None:
        model = self.path("m.json", good())
        for path, why in ((model, "not a database compiled by opdefc"),
                          (str(self.folder), "is no regular file"),
                          (str(self.folder / "none"), "No such file or directory")):
            result = self.run_cli("check", model, "--database", path)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(result.stderr, f"error: {path}: {why}\n")


class Pt2(CliCase):
    """A .pt2 file is read by the Python next to the program."""

    # As much of a zip archive as is looked at: its beginning and the record at its end.
    content = b"PK\3\4 a zip archive PK\5\6" + bytes(18)

    def check(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        program, python = self.folder / "quantgate", self.folder / "python"
        if not program.exists():
            shutil.copy(CLI, program)
        python.write_text("#!/bin/sh\n" + script)
        python.chmod(0o755)
        (self.folder / "m.pt2").write_bytes(self.content)
        return subprocess.run([program, *(arguments or ("check", "m.pt2"))], cwd=self.folder, text=True,
                              capture_output=True, timeout=60)

    def test_its_model_is_checked(self) -> None:
        model = self.path("m.json", bad())
        script = f'[ "$1" = -c ] && exit 0\n[ "$*" = "-m quantgate model -- m.pt2" ] && cat {model}\n'
        result = self.check(script)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("QG301", result.stdout)
        self.assertTrue(result.stdout.startswith("m.pt2  htp"), result.stdout)
        (self.folder / "quantgate.yaml").unlink(missing_ok=True)
        converted = self.check(script, "convert", "m.pt2", "-o", "out.json")
        self.assertEqual(converted.returncode, 0, converted.stderr)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["nodes"][0]["op"], "Conv2d")

    def test_what_is_wrong_is_one_line(self) -> None:
        for script, why in (('[ "$1" = -c ] && exit 0\necho "no exported program"\nexit 2\n',
                             "no exported program"),
                            ('[ "$1" = -c ] && exit 0\nkill -9 $$\n', "failed to read it"),
                            ('[ -n "$2" ] && exit 1\nexit 0\n', "doesn't have: install it there"),
                            ('[ "$1" = -c ] && exit 0\necho "{"\n', "m.pt2:2:1: ")):
            with self.subTest(why=why):
                result = self.check(script)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(why, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertTrue(result.stderr.startswith("error: m.pt2"), result.stderr)

    def test_a_cut_file_starts_no_python(self) -> None:
        for content in (self.content[:-22], self.content[:10], b"PK\3\4" + bytes(70_000)):
            with self.subTest(size=len(content)):
                self.content = content
                result = self.check("touch started\n")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(result.stderr, "error: m.pt2: is no .pt2 file, or was cut: the zip archive has no end\n")
                self.assertFalse((self.folder / "started").exists())


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

    # What is typed before Tab, and what then stands on the line.
    TYPED = (("quantgate chec", "check"), ("quantgate check --format sar", "check --format sarif"),
             ("quantgate check --soc SM8550 --fail-o", "check --soc SM8550 --fail-on"),
             ("quantgate explain asymmetric-en", "explain asymmetric-encoding"),
             ("quantgate query Conv2", "query Conv2d"),
             ("quantgate check mod", "check model.onnx"))

    def at_the_prompt(self, shell: list[str], *setup: str) -> None:
        """Types into a real terminal, presses Tab, then Return; the command tells its arguments."""
        self.path("model.onnx", "")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.environ.update(TERM="dumb", HOME=str(self.folder), PS1="$ ", LC_ALL="C.UTF-8")
            os.environ.pop("PROMPT_COMMAND", None)
            os.execvp(shell[0], shell)

        def until(mark: bytes) -> bytes:
            seen, end = b"", time.monotonic() + 30
            while mark not in seen:
                if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                    self.fail(f"{shell[0]}: waited for {mark!r}, saw {seen!r}")
                seen += os.read(terminal, 65536)
            return seen

        try:
            for line in (*setup, "echo set''up"):
                os.write(terminal, line.encode() + b"\n")
            until(b"setup\r\n")
            for typed, wanted in self.TYPED:
                # Shells take one key after the other. The answer's mark is put together, so that
                # the echo of its definition is no answer.
                os.write(terminal, typed.encode() + b"\t\n")
                found = re.search(rb"GOT<<(.*?)>>!", until(b">>!"), re.DOTALL)
                self.assertEqual(found[1].decode().split(), wanted.split(), typed)
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)

    def test_bash_at_the_prompt(self) -> None:
        self.at_the_prompt(["bash", "--norc", "-i"], f"source {self.script('bash')}",
                           "quantgate() { echo \"GOT<<$*>>\"'!'; }")

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh here")
    def test_zsh_at_the_prompt(self) -> None:
        self.at_the_prompt(["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D",
                           f"source {self.script('zsh')}",
                           "quantgate() { echo \"GOT<<$*>>\"'!'; }")

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh here")
    def test_zsh_from_its_functions(self) -> None:
        """The script as a file of fpath, where compinit finds it."""
        (self.folder / "functions").mkdir()
        self.path("functions/_quantgate", self.run_cli("completion", "zsh").stdout)
        self.at_the_prompt(["zsh", "-f", "-i"], f"fpath=({self.folder}/functions $fpath)",
                           "autoload -U compinit; compinit -u -D",
                           "quantgate() { echo \"GOT<<$*>>\"'!'; }")

    @unittest.skipIf(shutil.which("fish") is None, "no fish here")
    def test_fish_at_the_prompt(self) -> None:
        self.at_the_prompt(["fish", "--no-config", "-i"], f"source {self.script('fish')}",
                           "function quantgate; echo \"GOT<<$argv>>\"'!'; end")

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


class Progress(CliCase):
    """Two models, and a pipe that gives more after 1.6 s; stderr, and stdout where asked, are a
    terminal."""

    def slow(self, stdout: bool = False, *, broken: bool = False) -> tuple[str, str]:
        models = str(self.folder / "models.jsonl")
        os.mkfifo(models)
        screen, terminal = pty.openpty()
        first = [self.path(name, good()) for name in ("a.json", "b.json")]
        process = subprocess.Popen([CLI, "check", *first, models], stderr=terminal,
                                   stdout=terminal if stdout else subprocess.PIPE)
        os.close(terminal)
        seen: list[bytes] = []

        def watch() -> None:
            try:
                while part := os.read(screen, 1 << 16):
                    seen.append(part)
            except OSError:  # how Linux tells that the other end is closed
                pass

        watcher = threading.Thread(target=watch)
        watcher.start()
        line = json.dumps(good()).encode() + b"\n"
        with open(models, "wb") as file:
            end = time.monotonic() + 30
            while b"checked" not in b"".join(seen) and time.monotonic() < end:
                time.sleep(0.05)
            file.write(line * 200)
            file.write(b"{\n" if broken else line)
        out = process.stdout.read() if process.stdout else b""
        self.assertEqual(process.wait(timeout=60), 2 if broken else 0)
        if process.stdout:
            process.stdout.close()
        watcher.join()
        os.close(screen)
        return out.decode(), b"".join(seen).decode()

    def test_a_line_counts_after_the_first_second_and_is_wiped(self) -> None:
        out, screen = self.slow()
        self.assertEqual(out.count("fits:"), 203)
        shown = screen.split("\r\x1b[K")
        self.assertEqual((shown[0], shown[-1]), ("", ""))
        self.assertGreater(len(shown), 2)
        for words in shown[1:-1]:
            self.assertRegex(words, r"^\d+ models? checked, [1-9]\d* s$")
        self.assertEqual(shown[1], "2 models checked, 1 s")

    def test_errors_have_a_line_of_their_own(self) -> None:
        _, screen = self.slow(broken=True)
        self.assertRegex(screen, r"\r\x1b\[Kerror: \S*models.jsonl:201")

    def test_reports_are_not_mixed_with_it(self) -> None:
        _, screen = self.slow(stdout=True)
        self.assertIn("models checked", screen)
        without = re.sub(r"\r\x1b\[K(\d+ models? checked, \d+ s|)", "", screen)
        self.assertNotIn("checked", without)
        heads = [line for line in without.splitlines() if "models.jsonl:" in line]
        self.assertEqual(len(heads), 201)
        for number, head in enumerate(heads, 1):
            self.assertRegex(head, rf"^\x1b\[1m\S*models.jsonl:{number}\x1b\[0m ")

    def test_nothing_where_there_is_no_terminal(self) -> None:
        models = str(self.folder / "models.jsonl")
        os.mkfifo(models)
        process = subprocess.Popen([CLI, "check", models], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        with open(models, "wb") as file:
            time.sleep(1.3)
            file.write(json.dumps(good()).encode())
        self.assertEqual(process.communicate(timeout=60)[1], b"")


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
