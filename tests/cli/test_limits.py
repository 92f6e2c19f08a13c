"""Too much, too deep, cut off, ended: one clear line, nothing half-written, nothing left behind.

What bytes can do to a reader is in test_hostile.py; here it is what the world around does.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import Callable

from cli_case import CLI, ENVIRONMENT, ROOT, CliCase, bad, good
from test_hostile import SANITIZED, field, onnx_model, onnx_node, onnx_tensor, onnx_value



def with_external_scale(location: str) -> bytes:
    """x -> QuantizeLinear -> DequantizeLinear -> Relu with a scale that lies in another file."""
    entries = b"".join(field(13, field(1, key) + field(2, value))
                       for key, value in (("location", location), ("length", "4")))
    pairs = [("QuantizeLinear", "x", "q"), ("DequantizeLinear", "q", "d")]
    return onnx_model(
        field(5, onnx_tensor("s", [], 1, field(14, 1) + entries)),
        field(5, onnx_tensor("z", [], 2, field(9, b"\x80"))),
        *(field(1, onnx_node(op, [a, "s", "z"], [b])) for op, a, b in pairs),
        field(1, onnx_node("Relu", ["d"], ["y"])),
        field(11, onnx_value("x", [1, 8])), field(12, onnx_value("y", [1, 8])))


class ExternalData(CliCase):
    """Files that a model names are read in its folder only."""

    def setUp(self) -> None:
        super().setUp()
        for name in ("model", "elsewhere"):
            (self.folder / name).mkdir()
        (self.folder / "elsewhere" / "s").write_bytes(b"\0\0\0\x3f")

    def scale(self, location: str, *arguments: str, model: str = "model/m.onnx") -> float | str:
        """The scale that was read, or the note that says why there is none."""
        path = self.folder / model
        if not path.is_symlink():
            path.write_bytes(with_external_scale(location))
        result = self.run_cli("convert", str(path), "-o", "-", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        read = json.loads(result.stdout)
        scale = next(t for t in read["tensors"] if t["name"] == "s")
        return scale["realValues"][0] if "realValues" in scale else read["notes"][0]

    def link(self, name: str, to: str) -> None:
        (self.folder / name).symlink_to(to)

    def test_in_the_folder(self) -> None:
        (self.folder / "model" / "data").write_bytes(b"\0\0\x80\x3f")
        self.link("model/link", "data")
        self.assertEqual((self.scale("data"), self.scale("link")), (1, 1))

    def test_a_link_out_of_it(self) -> None:
        self.link("model/link", "../elsewhere/s")
        self.link("model/folder", "../elsewhere")
        for location in ("link", "folder/s"):
            self.assertIn("leads out of the model's directory", str(self.scale(location)))
            self.assertEqual(self.scale(location, "--external-data", "elsewhere"), 0.5)

    def test_a_path_out_of_it(self) -> None:
        for location in ("../elsewhere/s", str(self.folder / "elsewhere" / "s")):
            model = self.path("model/m.onnx", with_external_scale(location))
            self.unusable("check", model, says="is outside the model's directory")
            self.unusable("fix", model, "-o", "fixed.onnx", says="is outside the model's directory")
            self.assertEqual(self.scale(location, "--external-data", "elsewhere"), 0.5)
            self.assertIn("leads out", str(self.scale(location, "--external-data", "model")))

    def test_a_model_that_is_a_link(self) -> None:
        """As in a cache that keeps files by their hashes and links to them by their names."""
        (self.folder / "elsewhere" / "m").write_bytes(with_external_scale("s"))
        self.link("model/m.onnx", "../elsewhere/m")
        self.link("model/s", "../elsewhere/s")
        self.assertEqual(self.scale(""), 0.5)

    def test_no_such_folder(self) -> None:
        self.unusable("check", self.path("m.json", good()), "--external-data", "none",
                      says="is no folder")


class Sizes(CliCase):
    def test_files(self) -> None:
        for name in ("m.json", "m.onnx", "m.binpb", "e.encodings"):
            path = self.folder / name
            path.write_bytes({"json": b'{"nodes": [', "encodings": b'{"version": "1"'}.get(
                path.suffix[1:], b"\x08\x08"))
            os.truncate(path, 5 << 30)
            arguments = [str(path)] if name[0] == "m" else [
                self.path("good.json", good()), "--encodings", str(path)]
            self.unusable("check", *arguments, says="larger than 4 GiB")
            path.unlink()

    def test_names(self) -> None:
        longest = "n" * (64 << 10)
        for text, says in ((longest, ""), (longest + "n", "has 65537 bytes; 65536 are the most")):
            for what in ("tensor", "node", "op"):
                model = good()
                if what == "tensor":
                    model["tensors"][0]["name"] = text
                    model["nodes"][0]["inputs"][0] = text
                else:
                    model["nodes"][0]["name" if what == "node" else "op"] = text
                path = self.path("m.json", model)
                if says:
                    self.unusable("check", path, says=says)
                else:
                    self.assertLess(self.run_cli("check", path).returncode, 2)
            node = field(1, onnx_node("Relu", [text], ["y"]))
            path = self.path("m.onnx", onnx_model(node, field(11, onnx_value(text, [1]))))
            if says:
                self.unusable("check", path, says=says)
            else:
                self.assertLess(self.run_cli("check", path).returncode, 2)

    def test_ranks(self) -> None:
        for rank, says in ((64, ""), (65, "65 dimensions; 64 are the most")):
            model = good()
            model["tensors"][0]["dims"] = [1] * rank
            files = [self.path("m.json", model), self.path("m.onnx", onnx_model(
                field(1, onnx_node("Relu", ["x"], ["y"])), field(11, onnx_value("x", [1] * rank))))]
            for path in files:
                if says:
                    self.unusable("check", path, says=says)
                else:
                    self.assertLess(self.run_cli("check", path).returncode, 2)


class Growth(CliCase):
    """Four times the input takes at most about four times the processor time."""

    FEW, FACTOR = 5_000, 4

    def seconds(self, path: str) -> float:
        best = 1e9
        for _ in range(3):
            with subprocess.Popen([CLI, "check", path, "--format", "json"], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            self.assertIn(child.returncode, (0, 1, 2))
            best = min(best, usage.ru_utime + usage.ru_stime)
        return best

    def linear(self, make: Callable[[int], str | bytes], ending: str) -> None:
        few = self.seconds(self.path("few" + ending, make(self.FEW)))
        many = self.seconds(self.path("many" + ending, make(self.FEW * self.FACTOR)))
        # Twice as much as linear, and what the clock can't tell: squares would be four times.
        self.assertLess(many, few * self.FACTOR * 2 + 0.1)

    @staticmethod
    def model(nodes: list[dict], tensors: list[str], **more: object) -> str:
        encoding = {"perTensor": {"scale": 0.02, "zeroPoint": 128}}
        return json.dumps({"nodes": nodes, "tensors": [
            {"name": name, "dtype": "UFIXED_POINT_8", "dims": [1, 8], "encoding": encoding}
            for name in tensors], **more})

    def test_a_chain(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Relu", "inputs": [f"t{i}"], "outputs": [f"t{i + 1}"]} for i in range(n)],
            [f"t{i}" for i in range(n + 1)]), ".json")

    def test_a_chain_backwards(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Relu", "inputs": [f"t{i}"], "outputs": [f"t{i + 1}"]}
             for i in reversed(range(n))], [f"t{i}" for i in range(n + 1)]), ".json")

    def test_one_tensor_read_by_all(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Relu", "inputs": ["t0"], "outputs": [f"t{i + 1}"]} for i in range(n)],
            [f"t{i}" for i in range(n + 1)]), ".json")

    def test_all_tensors_read_by_one(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Concat", "inputs": [f"t{i}" for i in range(n)], "outputs": ["y"]}],
            [*(f"t{i}" for i in range(n)), "y"]), ".json")

    def test_a_ring(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Relu", "inputs": [f"t{i}"], "outputs": [f"t{(i + 1) % n}"]} for i in range(n)],
            [f"t{i}" for i in range(n)]), ".json")

    def test_unknown_ops(self) -> None:
        self.linear(lambda n: self.model([{"op": f"Cnv2d{i}"} for i in range(n)], []), ".json")

    def test_params(self) -> None:
        self.linear(lambda n: self.model(
            [{"op": "Relu", "inputs": ["x"], "params": {f"p{i}": {"int": 1} for i in range(n)}}],
            ["x"]), ".json")

    def test_elementwise_onnx_of_one_name(self) -> None:
        """Reshapes of shapes of reshapes: what is computed of constants while reading."""
        self.linear(lambda n: onnx_model(
            *(field(1, onnx_node("Shape", [f"t{i}"], [f"s{i}"]))
              + field(1, onnx_node("Reshape", [f"t{i}", f"s{i}"], [f"t{i + 1}"])) for i in range(n)),
            field(11, onnx_value("t0", [1, 8]))), ".onnx")

    def test_quantized_onnx(self) -> None:
        constants = (field(5, onnx_tensor("s", [], 1, field(9, b"\0\0\0\x3f")))
                     + field(5, onnx_tensor("z", [], 2, field(9, b"\x80"))))
        self.linear(lambda n: onnx_model(
            constants,
            *(field(1, onnx_node("QuantizeLinear", [f"t{i}", "s", "z"], [f"q{i}"]))
              + field(1, onnx_node("DequantizeLinear", [f"q{i}", "s", "z"], [f"d{i}"]))
              + field(1, onnx_node("Relu", [f"d{i}"], [f"t{i + 1}"])) for i in range(n)),
            field(11, onnx_value("t0", [1, 8]))), ".onnx")


class Ended(CliCase):
    """By a signal, with an output begun."""

    VERBS = {"check": ["check", "-", "-o", "out.json", "--format", "json"],
             "convert": ["convert", "-", "-o", "out.json"]}

    def begun(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        """Waits for standard input, its temporary file is there."""
        child = subprocess.Popen([CLI, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, cwd=self.folder, env=ENVIRONMENT)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        deadline = time.monotonic() + 30
        while not any(p.name.startswith("out.json.") for p in self.folder.iterdir()):
            self.assertLess(time.monotonic(), deadline, "no temporary file")
            time.sleep(0.01)
        return child

    def test_leaves_nothing(self) -> None:
        self.path("out.json", "old")
        for arguments in self.VERBS.values():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                child = self.begun(arguments)
                child.send_signal(number)
                out, err = child.communicate(timeout=30)
                self.assertEqual((child.returncode, out, err), (-number, b"", b""))
                self.assertEqual([p.name for p in self.folder.iterdir()], ["out.json"])
                self.assertEqual((self.folder / "out.json").read_text(), "old")

    def test_by_its_time_limit(self) -> None:
        for arguments in self.VERBS.values():
            child = self.begun([*arguments, "--time-limit", "1"])
            out, err = child.communicate(timeout=30) if child.wait(30) else (b"", b"")
            self.assertEqual((child.returncode, out, err),
                             (2, b"", b"error: the time of --time-limit is up\n"))
            self.assertEqual(list(self.folder.iterdir()), [])
        self.unusable("check", self.path("m.json", good()), "--time-limit", "-1", says="range")
        self.assertEqual(self.run_cli("check", "m.json", "--time-limit", "60").returncode, 0)

    def test_what_is_ignored_stays_ignored(self) -> None:
        child = subprocess.Popen(
            [CLI, *self.VERBS["convert"]], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self.folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while not any(self.folder.iterdir()):
            time.sleep(0.01)
        child.send_signal(signal.SIGHUP)
        _, err = child.communicate(json.dumps(good()).encode(), timeout=30)
        self.assertEqual((child.returncode, err), (0, b""))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["out.json"])


class Threads(CliCase):
    def test_any_number_of_them_prints_the_same(self) -> None:
        models = [str(p) for p in sorted([*ROOT.glob("docs/examples/*.onnx"),
                                          *ROOT.glob("docs/examples/*.json")])]
        self.assertGreater(len(models), 10)
        for form in ("json", "text", "sarif"):
            printed = {self.run_cli("check", *models, "--format", form, "--jobs", str(jobs)).stdout
                       for jobs in (1, 2, 3, 16)}
            self.assertEqual(len(printed), 1, form)
            self.assertGreater(len(printed.pop()), 1000)


class CutOff(CliCase):
    """The disk, the pipe or the input ends."""

    def test_an_input_that_becomes_shorter(self) -> None:
        line = json.dumps(good()) + "\n"
        path = self.folder / "many.jsonl"
        path.write_text(line * 4000)
        with subprocess.Popen([CLI, "check", str(path), "--format", "json"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=ENVIRONMENT) as child:
            assert child.stdout
            child.stdout.read(1)  # it waits for us now, the file mapped
            os.truncate(path, 10_000)
            _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 2)
        self.assertRegex(err.decode(), r"\Aerror: a file became shorter[^\n]*\n\Z")

    def test_a_file_that_may_not_grow(self) -> None:
        self.path("m.json", bad())
        def few_bytes() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for arguments in (["check", "m.json", "--format", "json", "-o", "out"],
                          ["convert", "m.json", "-o", "out"],
                          ["check", "m.json", "--write-baseline", "out"],
                          ["matrix", "--format", "html", "-o", "out"]):
            result = subprocess.run([CLI, *arguments], cwd=self.folder, env=ENVIRONMENT, timeout=60,
                                    capture_output=True, text=True, preexec_fn=few_bytes)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertRegex(result.stderr, r"\Aerror: \S*out: File too large\n\Z")
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.json"])

    def test_closed_descriptors(self) -> None:
        model = self.path("m.json", good())
        def run(closed: tuple[int, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
            def close() -> None:
                for fd in closed:
                    os.close(fd)
            return subprocess.run([CLI, *arguments], cwd=self.folder, env=ENVIRONMENT, timeout=60,
                                  stdout=None if 1 in closed else subprocess.PIPE,
                                  stderr=None if 2 in closed else subprocess.PIPE,
                                  text=True, preexec_fn=close)
        result = run((1,), "check", model)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "error: standard output: Bad file descriptor\n"))
        result = run((0,), "check", "-")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"\Aerror: [^\n]+\n\Z")
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            out = self.folder / "out.json"
            result = run(closed, "check", model, "--format", "json", "-o", str(out))
            self.assertEqual(result.returncode, 0, closed)
            self.assertEqual(json.loads(out.read_text())["verdict"], "accepted")
            out.unlink()

    def test_verbs_into_a_closed_pipe(self) -> None:
        model = self.path("m.json", good())
        for arguments in (["check", model], ["convert", model, "-o", "-"], ["query", "Conv2d"],
                          ["matrix"], ["diff", "--from", "2.25", "--to", "2.51"], ["targets"],
                          ["explain", "QG301"], ["--help"], ["man"]):
            reader, writer = os.pipe()
            os.close(reader)
            result = subprocess.run([CLI, *arguments], stdout=writer, stderr=subprocess.PIPE,
                                    timeout=60, env=ENVIRONMENT)
            os.close(writer)
            self.assertEqual((result.returncode, result.stderr), (0, b""), arguments)

    def test_verbs_onto_a_full_disk(self) -> None:
        if not Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        model = self.path("m.json", good())
        for arguments in (["check", model], ["convert", model, "-o", "-"], ["query", "Conv2d"],
                          ["matrix"], ["diff", "--from", "2.25", "--to", "2.51"], ["targets"],
                          ["explain", "QG301"], ["--help"]):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([CLI, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        timeout=60, env=ENVIRONMENT)
            self.assertEqual((result.returncode, result.stderr),
                             (2, b"error: standard output: No space left on device\n"), arguments)


if SANITIZED:
    del Growth  # a sanitizer's time is not ours

if __name__ == "__main__":
    unittest.main()
