"""`quantgate check`: flags, formats, exit statuses, several models, output files."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import unittest
from pathlib import Path

from cli_case import CLI, ROOT, CliCase, bad, good


class Verdicts(CliCase):
    def test_a_good_model_fits(self) -> None:
        result = self.run_cli("check", self.path("m.json", good()), "--arch", "v73")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.endswith("fits: the node is accepted\n"), result.stdout)

    def test_a_bad_model_fails_and_says_why(self) -> None:
        result = self.run_cli("check", self.path("m.json", bad()), "--arch", "v73")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        for part in ("error[QG301] asymmetric-encoding:", "in[1] \"w\"", "zero_point 3",
                     "htp/Conv2d/in[1]/", "quantgate explain QG301",
                     "failed: 1 of 1 node would be rejected\n"):
            self.assertIn(part, result.stdout)

    def test_the_json_names_rule_constraint_and_place(self) -> None:
        report = self.report(self.path("m.json", bad()), "--arch", "v73", status=1)
        self.assertEqual(report["verdict"], "rejected")
        self.assertTrue(report["failed"])
        self.assertEqual(report["nodes"], [
            {"name": "n0", "op": "Conv2d", "resolved": ["Conv2d"], "verdict": "rejected"}])
        codes = {(f["code"], f["node"], f["port"], f["tensor"], f["level"])
                 for f in report["findings"]}
        self.assertIn(("QG301", "n0", "in[1]", "w", "error"), codes)

    def test_a_model_that_cannot_be_checked_at_all_fails(self) -> None:
        model = good()
        model["nodes"][0]["op"] = "NoSuchOp"
        path = self.path("m.json", model)
        result = self.run_cli("check", path, "--sdk", "2.30")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stdout.endswith("failed: no node could be checked\n"), result.stdout)
        self.assertTrue(self.report(path, "--sdk", "2.30", status=1)["failed"])
        self.report(path, "--sdk", "2.30", "--mode", "warn", status=0)
        # What is known of a part is no word about the rest.
        model["nodes"] += good()["nodes"]
        model["nodes"][1]["name"] = "known"
        model["nodes"][0]["outputs"] = []
        result = self.run_cli("check", self.path("part.json", model), "--sdk", "2.30")
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.endswith("partly checked: 1 of 2 nodes is unchecked\n"), result.stdout)

    def test_a_folder_is_the_models_in_it(self) -> None:
        folder = self.folder / "zoo"
        (folder / "b" / "deep").mkdir(parents=True)
        (folder / "a.json").write_text(json.dumps(good()))
        (folder / "b" / "deep" / "bad.json").write_text(json.dumps(bad()))
        (folder / "b" / "notes.json").write_text('{"nodes of": "something else"}')
        (folder / "b" / "readme.txt").write_text("no model")
        (folder / "c.onnx").write_bytes(b"\x08\x07broken")
        # The word that tells a model lies across the end of the first part that is read.
        model = json.dumps({**good(), "name": "PAD"})
        (folder / "b" / "far.json").write_text(model.replace("PAD", "x" * (65535 - model.index('"nodes"') + len("PAD"))))
        result = self.run_cli("check", folder, "--arch", "v73", "--format", "json")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([line["model"] for line in lines],
                         [str(folder / "a.json"), str(folder / "b/deep/bad.json"), str(folder / "b/far.json"),
                          str(folder / "c.onnx")])
        self.assertEqual([line.get("verdict") for line in lines], ["accepted", "rejected", "accepted", None])
        self.assertEqual(result.returncode, 2)
        (self.folder / "empty").mkdir()
        result = self.run_cli("check", self.folder / "empty")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"^error: .*/empty: holds no model \(.*\)\n$")

    def test_warn_reports_and_passes(self) -> None:
        path = self.path("m.json", bad())
        report = self.report(path, "--arch", "v73", "--mode", "warn", status=0)
        self.assertEqual((report["mode"], report["verdict"], report["failed"]),
                         ("warn", "rejected", False))
        self.assertNotIn("error", {f["level"] for f in report["findings"]})

    def test_fail_on_moves_the_line(self) -> None:
        model = good()  # a Reshape on the route `direct` copies the integers unscaled
        model["tensors"] = [
            {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, 4, 4, 8],
             "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}},
            {"name": "y", "dtype": "UFIXED_POINT_8", "dims": [1, 128],
             "encoding": {"perTensor": {"scale": 0.05, "zeroPoint": 128}}}]
        model["nodes"] = [{"name": "r", "op": "Reshape", "inputs": ["x"], "outputs": ["y"]}]
        path = self.path("m.json", model)
        self.assertEqual(self.report(path, status=1)["verdict"], "wrong_values")
        self.report(path, "--fail-on", "rejected", status=0)
        self.report(path, "--fail-on", "prepare_fails", status=0)
        self.report(path, "--fail-on", "altered", status=1)

    def test_fail_on_unchecked(self) -> None:
        model = good()
        del model["tensors"][0]["dtype"]
        # A node that could be checked stands next to it.
        model["tensors"] += [dict(tensor, name=f"{tensor['name']}2") for tensor in good()["tensors"]]
        model["nodes"] += [dict(node, name="n1", inputs=[f"{name}2" for name in node["inputs"]],
                                outputs=[f"{name}2" for name in node["outputs"]]) for node in good()["nodes"]]
        path = self.path("m.json", model)
        report = self.report(path, status=0)
        self.assertEqual([node["verdict"] for node in report["nodes"]], ["unchecked", "accepted"])
        self.assertNotEqual(report["nodes"][0]["reason"], "")
        self.report(path, "--fail-on", "unchecked", status=1)

    def test_an_unknown_op_is_found(self) -> None:
        model = good()
        model["nodes"][0]["op"] = "Conv2"
        report = self.report(self.path("m.json", model), "--fail-on", "unchecked", status=1)
        self.assertIn("Conv2d", json.dumps(report["findings"]))


class Target(CliCase):
    def target(self, *flags: str) -> dict:
        return self.report(self.path("m.json", good()), *flags)

    def test_v73_is_assumed_and_said(self) -> None:
        report = self.target()
        self.assertEqual(report["target"]["arch"], "v73")
        self.assertNotIn("soc", report["target"])
        self.assertIn("v73", " ".join(report["notes"]))

    def test_soc_in_any_case_or_by_id(self) -> None:
        for soc in ("SM8550", "sm8550", "43"):
            self.assertEqual(self.target("--soc", soc)["target"],
                             {"backend": "htp", "sdk": self.target()["target"]["sdk"],
                              "arch": "v73", "soc": "SM8550"})

    def test_soc_wins_over_arch(self) -> None:
        report = self.target("--soc", "SM8550", "--arch", "v68")
        self.assertEqual(report["target"]["arch"], "v73")
        self.assertIn("advice", {f["consequence"] for f in report["findings"]})

    def test_sdk_versions_compare_as_numbers(self) -> None:
        self.assertEqual(self.target("--sdk", "2.25")["knowledge"]["sdk"], "2.25")
        self.assertEqual(self.target("--sdk", "2.25.0.240728")["target"]["sdk"], "2.25")
        newest = self.target()["target"]["sdk"]
        report = self.target("--sdk", "2.99")
        self.assertEqual(report["knowledge"]["sdk"], newest)
        self.assertNotEqual(report["notes"], [])
        self.unusable("check", self.path("m.json", good()), "--sdk", "2.7", says="2.7")

    def test_unknown_names_get_the_nearest(self) -> None:
        path = self.path("m.json", good())
        self.unusable("check", path, "--soc", "SM8551", says="SM8550")
        self.unusable("check", path, "--arch", "v74", says="v73")
        self.unusable("check", path, "--backend", "htpp", says="htp")
        self.unusable("check", path, "--sdk", "newest", says="newest")

    def test_route(self) -> None:
        self.assertEqual(self.target()["route"], "direct")
        self.assertEqual(self.target("--route", "onnxruntime")["route"], "onnxruntime")
        onnx = ROOT / "docs" / "examples" / "planted.onnx"
        result = self.run_cli("check", str(onnx), "--format", "json")
        self.assertEqual(json.loads(result.stdout)["route"], "onnxruntime")

    def test_a_release_on_the_route(self) -> None:
        """ExecuTorch has cumsum since 0.7, which comes with the SDK of 0.6."""
        tensors = [{"name": name, "dtype": "FLOAT_32", "dims": [1, 8]} for name in "xy"]
        path = self.path("m.json", {"dialect": "aten", "tensors": tensors, "nodes": [
            {"name": "n", "op": "aten.cumsum.default", "inputs": ["x"], "outputs": ["y"], "params": {"dim": {"int": 1}}}]})

        def said(route: str, sdk: str = "2.28") -> str:
            report = json.loads(self.run_cli("check", path, "--sdk", sdk, "--route", route, "--mode", "warn", "--format",
                                             "json").stdout)
            self.assertEqual(report["route"], route)
            return "".join(f["consequence"] for f in report["findings"] if f["code"] == "QG103")

        self.assertEqual([said("executorch" + release) for release in ("", "@0.6.0", "@0.7", "@1.9", "@0.1")],
                         ["advice", "prepare_fails", "", "", "prepare_fails"])
        self.assertEqual(said("executorch@0.6", "2.51"), "prepare_fails")

    def test_a_route_of_ones_own(self) -> None:
        """A route is a file: an overlay brings one, and nothing else has to know its name."""
        routes = self.folder / "overlay" / "routes"
        routes.mkdir(parents=True)
        (routes / "factory.yaml").write_text("""route: factory
source: our own compiler
operators:
  - {operators: [Conv], reason: our compiler has no Conv}
""")
        model = str(ROOT / "docs/examples/mobilenetv2_8a8w.onnx")
        unknown = self.run_cli("check", model, "--route", "factory")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("--route: unknown value 'factory'", unknown.stderr)
        report = json.loads(self.run_cli("check", model, "--opdefs", str(routes.parent), "--route", "factory", "--format",
                                         "json").stdout)
        self.assertEqual(report["route"], "factory")
        refused = [f["node"] for f in report["findings"] if "our compiler has no Conv" in f["message"]]
        self.assertEqual(len(refused), sum(node["op"] == "Conv" for node in report["nodes"]))
        self.assertGreater(len(refused), 20)


class Arguments(CliCase):
    def test_unusable(self) -> None:
        path = self.path("m.json", good())
        for arguments, says in (
                ((), "no verb"),
                (("chekc",), "did you mean check?"),
                (("check",), "MODEL"),
                (("check", path, "--socc", "x"), "did you mean --soc"),
                (("check", path, "--mode", "stric"), "did you mean strict?"),
                (("check", path, "--fail-on", "reject"), "did you mean rejected?"),
                (("check", path, "--fail-on", "accepted"), "accepted"),
                (("check", path, "--format", "jsn"), "did you mean json?"),
                (("check", path, "--route", "onnx"), "did you mean onnxruntime?"),
                (("check", path, "--route", "executorch@one"), '"one" is no release: executorch@VERSION, as in executorch@1.5'),
                (("check", path, "--route", "onnxruntime@1.20"), "route onnxruntime has no releases"),
                (("check", path, "--color", "maybe"), "auto, always, never"),
                (("check", path, "--input-format", "onxx"), "did you mean onnx?"),
                (("check", path, "--sdk"), "--sdk"),
                (("check", "-", "-"), "once"),
                (("--frobnicate",), "--frobnicate"),
                (("check", path, "-q"), "-q")):
            with self.subTest(arguments=arguments):
                self.unusable(*arguments, says=says)

    def test_errors_stay_one_line_whatever_the_name(self) -> None:
        self.unusable("check", self.path("a\nb\x1b[2J.json"), says="b\\x1b[2J.json")
        self.unusable("che\nck\x07", says="unknown verb")

    def test_help_has_examples(self) -> None:
        result = self.run_cli("check", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("Usage: quantgate check", "--fail-on", "--route", "Examples:",
                     "Exit status: 0"):
            self.assertIn(part, result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)


class Input(CliCase):
    def test_files_that_cannot_be_read(self) -> None:
        for name, content, says in (
                ("missing.onnx", None, "missing.onnx: "),
                ("empty.onnx", b"", "empty.onnx"),
                ("empty.json", b"", "empty.json"),
                ("random.onnx", bytes(range(256)) * 40, "random.onnx"),
                ("truncated.json", b'{"tensors": [', "truncated.json:"),
                ("array.json", b"[1, 2]", "array.json:"),
                ("key.json", b'{"tensorz": []}', ("key.json:", "tensorz")),
                ("dtype.json", b'{"tensors": [{"name": "x", "dtype": "INT9"}]}',
                 ("dtype.json:", "INT9")),
                ("dangling.json", b'{"nodes": [{"op": "Relu", "inputs": ["nowhere"]}]}',
                 ("dangling.json:", "nowhere")),
                ("twice.json", b'{"tensors": [{"name": "x"}, {"name": "x"}]}',
                 ("twice.json:", "x")),
                ("deep.json", b'{"nodes":' + b"[" * 200000, "deep.json")):
            with self.subTest(name=name):
                self.unusable("check", self.path(name, content), says=says)

    def test_truncated_onnx(self) -> None:
        whole = (ROOT / "docs" / "examples" / "planted.onnx").read_bytes()
        for size in (1, 2, 10, 100, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size):
                self.unusable("check", self.path("cut.onnx", whole[:size]), says="cut.onnx")

    def test_a_folder(self) -> None:
        self.unusable("check", str(self.folder), says="holds no model")

    def test_a_huge_sparse_file(self) -> None:
        path = self.path("huge.onnx", b"")
        os.truncate(path, 1 << 40)
        self.unusable("check", path, says="huge.onnx")

    def test_standard_input(self) -> None:
        report = self.report("-", "--arch", "v73", stdin=json.dumps(bad()).encode(), status=1)
        self.assertEqual(report["model"], "-")
        self.report("-", "--input-format", "model", stdin=json.dumps(good()).encode())
        onnx = (ROOT / "docs" / "examples" / "planted.onnx").read_bytes()
        self.assertEqual(
            self.report("-", "--mode", "warn", stdin=onnx)["summary"],
            self.report(self.path("p.onnx", onnx), "--mode", "warn")["summary"])
        self.unusable("check", "-", stdin=b"", says="-")


class SeveralModels(CliCase):
    def lines(self, *arguments: str, status: int) -> list[dict]:
        result = self.run_cli("check", *arguments, "--format", "json")
        self.assertEqual(result.returncode, status, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_a_line_each_in_order_and_the_worst_status(self) -> None:
        a, b = self.path("a.json", good()), self.path("b.json", bad())
        self.assertEqual([r["model"] for r in self.lines(b, a, b, status=1)], [b, a, b])
        self.assertEqual([r["failed"] for r in self.lines(a, a, status=0)], [False, False])

    def test_an_unreadable_one_stops_nothing(self) -> None:
        a, b = self.path("a.json", good()), self.path("b.json", b'{"x"')
        lines = self.lines(b, a, status=2)
        self.assertEqual(list(lines[0]), ["schemaVersion", "model", "error"])
        self.assertEqual(lines[0]["model"], b)
        self.assertEqual(list(lines[0]["error"]), ["place", "message"])
        self.assertEqual(lines[1]["verdict"], "accepted")

    def test_jsonl(self) -> None:
        text = "\n".join([json.dumps(good()), json.dumps(bad()), "{broken", json.dumps(good())])
        path = self.path("m.jsonl", text)
        lines = self.lines(path, status=2)
        self.assertEqual([r["model"] for r in lines], [f"{path}:{i}" for i in (1, 2, 3, 4)])
        self.assertEqual([r.get("failed") for r in lines], [False, True, None, False])
        one = self.path("one.jsonl", json.dumps(good()) + "\n")
        self.assertEqual(len(self.lines(one, status=0)), 1)

    def test_text_ends_with_the_sum(self) -> None:
        a, b = self.path("a.json", good()), self.path("b.json", bad())
        result = self.run_cli("check", a, b, self.path("gone.json"))
        self.assertEqual(result.returncode, 2)
        self.assertTrue(
            result.stdout.endswith("\n3 models: 1 failed, 1 passed, 1 unreadable\n"))


class VariadicPorts(CliCase):
    def test_alternatives_speak_of_one_tensor(self) -> None:
        """A scale below 0 with zero point 0 beside one above 0 with another: the HTP library of QNN
        2.51 prepares that, and fails when scale and zero point are wrong in the same input."""
        for zero_points, fails in (((0, 5), []), ((5, 0), ["in[0]"])):
            model = {"tensors": [
                {"name": name, "dtype": "UFIXED_POINT_8", "dims": [rows, 8],
                 "encoding": {"perTensor": {"scale": scale, "zeroPoint": zero_point}}}
                for name, rows, scale, zero_point in (
                    ("a", 1, -0.1, zero_points[0]), ("b", 1, 0.1, zero_points[1]), ("y", 2, 0.1, 0))],
                "nodes": [{"op": "Concat", "inputs": ["a", "b"], "outputs": ["y"],
                           "params": {"axis": {"uint": 0}}}]}
            report = self.report(self.path("m.json", model), status=1 if fails else 0)
            self.assertEqual([f["port"] for f in report["findings"]
                              if f["constraint"] == "htp/Concat/in[0..m]/prepared-offset"], fails)


class OutputFile(CliCase):
    def test_appears_whole(self) -> None:
        out = self.folder / "report.json"
        result = self.run_cli("check", self.path("m.json", bad()), "--format", "json", "-o",
                              str(out))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (1, "", ""))
        self.assertEqual(json.loads(out.read_text())["verdict"], "rejected")
        self.assertEqual(stat.S_IMODE(out.stat().st_mode) & 0o444, 0o444)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.json", "report.json"])

    def test_a_failed_run_leaves_the_old_one(self) -> None:
        out = self.path("report.json", "old")
        self.unusable("check", self.path("gone.onnx"), "-o", out)
        self.assertEqual(Path(out).read_text(), "old")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["report.json"])

    def test_keeps_links_and_permissions(self) -> None:
        real = self.path("real.json", "old")
        os.chmod(real, 0o640)
        os.symlink(real, self.folder / "link.json")
        self.run_cli("check", self.path("m.json", good()), "-o", str(self.folder / "link.json"))
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertIn("fits", Path(real).read_text())
        self.assertEqual(stat.S_IMODE(os.stat(real).st_mode), 0o640)

    def test_unusable(self) -> None:
        path = self.path("m.json", good())
        self.unusable("check", path, "-o", str(self.folder / "no" / "dir.json"), says="dir.json")
        self.unusable("check", path, "-o", str(self.folder), says="irectory")
        self.unusable("check", path, "-o", path, says="input")
        self.assertEqual(json.loads(Path(path).read_text()), good())

    def test_devices(self) -> None:
        self.assertEqual(
            self.run_cli("check", self.path("m.json", good()), "-o", "/dev/null").returncode, 0)
        if Path("/dev/full").exists():
            self.unusable("check", self.path("m.json", good()), "-o", "/dev/full", says="space")


class Terminal(CliCase):
    def test_colours(self) -> None:
        path = self.path("m.json", bad())
        for flags, environment, coloured in (
                ((), {}, False),
                (("--color", "always"), {}, True),
                (("--color", "never"), {"CLICOLOR_FORCE": "1"}, False),
                ((), {"CLICOLOR_FORCE": "1"}, True),
                ((), {"CLICOLOR_FORCE": "0"}, False),
                ((), {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
                (("--color", "always"), {"NO_COLOR": "1"}, True)):
            with self.subTest(flags=flags, environment=environment):
                result = self.run_cli("check", path, *flags, **environment)
                self.assertEqual("\x1b[" in result.stdout, coloured)
        self.assertNotIn("\x1b", self.run_cli("check", path, "--format", "json",
                                              CLICOLOR_FORCE="1").stdout)

    def on_terminal(self, **environment: str) -> bytes:
        leader, follower = pty.openpty()
        subprocess.run([CLI, "check", self.path("m.json", bad())], stdout=follower,
                       env={"TERM": "xterm", **environment}, timeout=60)
        os.close(follower)
        text = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            text += chunk
        os.close(leader)
        return text

    def test_colours_on_a_terminal(self) -> None:
        self.assertIn(b"\x1b[", self.on_terminal())
        self.assertNotIn(b"\x1b[", self.on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", self.on_terminal(TERM="dumb"))

    def test_a_closed_pipe_is_quiet(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([CLI, "check", self.path("m.json", good())], stdout=writer,
                                stderr=subprocess.PIPE, timeout=60)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_a_full_disk_is_an_error(self) -> None:
        if not Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([CLI, "check", self.path("m.json", good())], stdout=full,
                                    stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"standard output", result.stderr)

    def test_verbose_lists_nodes(self) -> None:
        path = self.path("m.json", good())
        # The path stands in the first line, and its folder's random name may hold anything.
        self.assertNotIn("n0", self.run_cli("check", path).stdout.replace(path, ""))
        self.assertIn("n0", self.run_cli("check", path, "--verbose").stdout.replace(path, ""))


if __name__ == "__main__":
    unittest.main()
