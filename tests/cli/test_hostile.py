"""Whatever the input is: exit status 0, 1 or 2, at most one `error:` line a model, soon.

No signal, no report of a sanitizer, no time-out, no output that isn't a report. Inputs are made
from the examples and fixtures by cuts and flips whose seed is fixed, and by hand where a format
has a known trap. QUANTGATE_HOSTILE=N makes N times as many of them; the default takes seconds.
QUANTGATE_HOSTILE_KEEP=DIR keeps the input that fails.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Callable, Iterable, Iterator

from cli_case import CLI, ROOT, CliCase, good

OPDEFC = os.environ.get("QUANTGATE_OPDEFC", "")
EFFORT = max(1, int(os.environ.get("QUANTGATE_HOSTILE", "1")))
KEEP = os.environ.get("QUANTGATE_HOSTILE_KEEP", "")
SECONDS = 10  # for one input, on a sanitizer's build too
BATCH = 25  # inputs of one process
# Inputs below are smaller than 1 MB; a process takes about 20 MB without any.
MAX_RESIDENT_KB = 300_000

# What a sanitizer ends with, apart from the tool's own exit statuses.
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    "LSAN_OPTIONS": "exitcode=99",
    "TSAN_OPTIONS": "exitcode=99",
}
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", **SANITIZERS}
SANITIZED = b"__asan_init" in Path(CLI).read_bytes() if Path(CLI).is_file() else False

Mutant = tuple[str, bytes]  # how it was made, and what came out


def cuts(data: bytes, count: int, seed: str) -> Iterator[Mutant]:
    chance = random.Random(seed)
    for _ in range(count):
        end = chance.randrange(len(data))
        yield f"cut at {end}", data[:end]


def flips(data: bytes, count: int, seed: str) -> Iterator[Mutant]:
    """Some bytes changed in each; more of them where most bytes are weights."""
    chance = random.Random(seed)
    for index in range(count):
        mutant = bytearray(data)
        for _ in range(1 + len(data) // 20_000 + chance.randrange(3)):
            place = chance.randrange(len(mutant))
            mutant[place] = chance.choice([mutant[place] ^ (1 << chance.randrange(8)), 0, 0x7F,
                                           0x80, 0xFF, chance.randrange(256)])
        yield f"flip {index} of seed {seed!r}", bytes(mutant)


def noise(count: int, seed: str) -> Iterator[Mutant]:
    chance = random.Random(seed)
    for index in range(count):
        yield f"noise {index} of seed {seed!r}", chance.randbytes(chance.randrange(1, 4000))


# Raw JSON, also what json.dumps can't write.
HOSTILE_VALUES = [
    "null", "true", "-1", "0", "1e308", "1e999", "-1e999", "1.5", "2147483648", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551616", "1" + "0" * 400, '"NaN"', '"Infinity"', '"-Infinity"', "NaN", '""',
    '"\\ud800"', '"\\u0000"', '"9223372036854775807"', '"' + "x" * 5000 + '"', "[]", "{}",
    "[[]]", "[null]", "[9223372036854775807, 9223372036854775807]", "[-1, -1]",
    "[65536, 65536, 65536, 65536]", "[0]", '["NaN"]', "[1e-46]", "[-0.0]",
    "[" * 200 + "]" * 200, '{"a": {"b": {}}}', "[" + "1, " * 70 + "1]",
]


def with_hostile_values(model: dict) -> Iterator[Mutant]:
    """Each value of the model in turn, lists and objects too, replaced by each hostile one."""
    marker = "@hostile@"

    def places(node: object, path: tuple = ()) -> Iterator[tuple]:
        children = node.items() if isinstance(node, dict) else (
            enumerate(node) if isinstance(node, list) else ())
        for key, child in children:
            yield (*path, key)
            yield from places(child, (*path, key))

    for path in places(model):
        copy = json.loads(json.dumps(model))
        parent = copy
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = marker
        text = json.dumps(copy)
        for value in HOSTILE_VALUES:
            yield (f"{'.'.join(map(str, path))} = {value[:40]}",
                   text.replace(f'"{marker}"', value).encode())


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


# Fields of onnx.proto: the numbers below are those of its messages.
def onnx_tensor(name: str, dims: Iterable[int], dtype: int = 1, rest: bytes = b"") -> bytes:
    return b"".join(field(1, d) for d in dims) + field(2, dtype) + field(8, name) + rest


def onnx_node(op: str, inputs: list[str], outputs: list[str], attributes: bytes = b"") -> bytes:
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
            + field(4, op) + attributes)


def onnx_value(name: str, dims: Iterable[int], dtype: int = 1) -> bytes:
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def onnx_model(*graph: bytes) -> bytes:
    return field(1, 8) + field(8, field(2, "") + field(8, 17)) + field(7, b"".join(graph))


def onnx_traps() -> Iterator[Mutant]:
    graph_in, graph_out = field(11, onnx_value("x", [1, 8])), field(12, onnx_value("y", [1, 8]))
    relu = field(1, onnx_node("Relu", ["x"], ["y"]))
    huge = [1 << 40, 1 << 40, 1 << 40]
    for name, dims in {"huge": huge, "most": [(1 << 63) - 1] * 2, "negative": [-5, 3],
                       "zero": [0, 1 << 62], "long": [2] * 5000}.items():
        yield f"initializer dims {name}", onnx_model(
            field(5, onnx_tensor("w", dims)), field(1, onnx_node("Add", ["x", "w"], ["y"])),
            graph_in, graph_out)
        yield f"input dims {name}", onnx_model(
            field(11, onnx_value("x", dims)), relu, graph_out)
        raw = field(9, b"".join((d & (1 << 64) - 1).to_bytes(8, "little") for d in dims))
        shape = field(5, onnx_tensor("s", [len(dims)], 7, raw))
        for op in ("Reshape", "Expand", "ConstantOfShape", "Tile", "Resize", "Slice", "Pad"):
            inputs = ["s"] if op == "ConstantOfShape" else ["x", "s"]
            yield f"{op} to {name}", onnx_model(
                shape, field(1, onnx_node(op, inputs, ["y"])), graph_in)
        ints = b"".join(field(8, d) for d in dims)
        for op, attribute in {"Conv": "kernel_shape", "MaxPool": "strides", "Transpose": "perm",
                              "Squeeze": "axes", "ConvTranspose": "output_padding"}.items():
            yield f"{op} {attribute} {name}", onnx_model(
                field(1, onnx_node(op, ["x", "w"], ["y"],
                                   field(5, field(1, attribute) + ints + field(20, 7)))),
                field(5, onnx_tensor("w", [8, 8, 1, 1])), field(11, onnx_value("x", [1, 8, 4, 4])))
    for number in (-1, 1 << 62, -(1 << 63)):
        for op, attribute in {"Concat": "axis", "Split": "num_outputs", "Gather": "axis",
                              "Flatten": "axis", "Conv": "group", "DepthToSpace": "blocksize",
                              "DequantizeLinear": "axis", "Softmax": "axis", "Cast": "to"}.items():
            yield f"{op} {attribute} {number}", onnx_model(
                field(1, onnx_node(op, ["x", "s"], ["y"],
                                   field(5, field(1, attribute) + field(3, number) + field(20, 2)))),
                field(5, onnx_tensor("s", [], 1, field(9, b"\0\0\x80\x3f"))), graph_in, graph_out)
    for scale in (b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\0\0", b"\1\0\0\0", b"\0\0\x80\xbf", b""):
        raw = field(9, scale)
        yield f"scale {scale.hex()}", onnx_model(
            field(5, onnx_tensor("s", [], 1, raw)), field(5, onnx_tensor("z", [], 2, field(9, b"\x80"))),
            field(1, onnx_node("QuantizeLinear", ["x", "s", "z"], ["q"])),
            field(1, onnx_node("DequantizeLinear", ["q", "s", "z"], ["d"])),
            field(1, onnx_node("Relu", ["d"], ["r"])),
            field(1, onnx_node("QuantizeLinear", ["r", "s", "z"], ["rq"])),
            field(1, onnx_node("DequantizeLinear", ["rq", "s", "z"], ["y"])), graph_in, graph_out)
    for location, offset, length in (
            ("/etc/passwd", 0, 4), ("../../../../etc/passwd", 0, 4), (".", 0, 4), ("", 0, 4),
            ("none", 1 << 62, 1 << 62), ("weights", -1, -1), ("weights", (1 << 64) - 1, 8),
            ("weights\0", 0, 1), ("/dev/zero", 0, 1 << 40), ("fifo", 0, 4)):
        external = field(14, 1) + b"".join(
            field(13, field(1, key) + field(2, str(value)))
            for key, value in (("location", location), ("offset", offset), ("length", length)))
        for dtype in (1, 7):
            yield f"external data in {location!r} at {offset}", onnx_model(
                field(5, onnx_tensor("s", [1], dtype, external)),
                field(1, onnx_node("DequantizeLinear", ["x", "s"], ["y"])),
                field(1, onnx_node("Reshape", ["x", "s"], ["v"])), graph_in, graph_out)
    nested = relu
    for depth in range(2000):
        nested = field(1, onnx_node("If", ["x"], ["y"],
                                    field(5, field(1, "then_branch") + field(6, nested)
                                          + field(20, 5))))
        if depth in (50, 99, 100, 1999):
            yield f"subgraphs {depth} deep", onnx_model(nested, graph_in, graph_out)
    deep_type = field(1, field(1, 1))
    for _ in range(2000):
        deep_type = field(4, field(1, deep_type))
    yield "type 2000 deep", onnx_model(field(11, field(1, "x") + field(2, deep_type)), relu)
    yield "a node that eats itself", onnx_model(field(1, onnx_node("Relu", ["y"], ["y"])))
    yield "two nodes in a ring", onnx_model(field(1, onnx_node("Relu", ["a"], ["b"])),
                                            field(1, onnx_node("Relu", ["b"], ["a"])))
    yield "groups without an end", field(1, 8) + b"\x0b" * 5000
    yield "a length past the end", field(1, 8) + b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
    yield "a varint without an end", field(1, 8) + b"\x3a" + b"\xff" * 40
    yield "no graph", field(1, 8)
    yield "names that are no text", onnx_model(
        field(1, onnx_node("Re\xfflu", ["x"], ["y"])),
        field(1, field(1, b"\xff\xfe\0") + field(2, b"\x80") + field(4, b"\xc3\x28")))
    many = b"".join(field(1, onnx_node("Relu", [f"t{i}"], [f"t{i + 1}"])) for i in range(5000))
    yield "a chain of 5000 nodes", onnx_model(many, field(11, onnx_value("t0", [1, 8])))
    yield "a node of 20000 inputs", onnx_model(
        field(1, onnx_node("Concat", ["x"] * 20000, ["y"])), graph_in)
    yield "one output of 3000 nodes", onnx_model(relu * 3000, graph_in)


def json_traps() -> Iterator[Mutant]:
    for depth in (100, 1000, 100_000):
        yield f"lists {depth} deep", b"[" * depth
        yield f"objects {depth} deep", b'{"a":' * depth
        yield f"tensors of lists {depth} deep", b'{"tensors":' + b"[" * depth + b"]" * depth + b"}"
    yield "spaces", b" " * 100_000
    yield "zeros", b"\0" * 1000
    yield "a mark of UTF-8", b"\xef\xbb\xbf{}"
    yield "UTF-16", json.dumps(good()).encode("utf-16")
    yield "a string without an end", b'{"name": "' + b"a" * 10_000
    yield "bytes that are no text", b'{"name": "\xff\xfe", "nodes": [{"op": "\x80"}]}'
    yield "an object", b"{}"
    yield "a number", b"1e999"
    yield "the same key often", b"{" + b'"nodes": [], ' * 5000 + b'"nodes": []}'
    for dims in ("[4294967296, 4294967296, 4294967296]", "[9223372036854775807, 2]",
                 "[" + "1, " * 10_000 + "1]", "[-2]", "[0, 0]"):
        model = json.dumps(good()).replace("[1, 8, 8, 32]", dims).replace("[3, 3, 32, 16]", dims)
        yield f"dims {dims[:40]}", model.encode()
    for scales in ('["NaN"]', '["Infinity"]', "[0]", "[-1]", "[1e-45]", "[3.5e38]", "[]",
                   "[" + "0.01, " * 50_000 + "0.01]"):
        yield (f"scales {scales[:20]}",
               json.dumps(good()).replace('"scales": [0.01]', f'"scales": {scales}').encode())
    yield "20000 ports", json.dumps(
        {"nodes": [{"op": "Concat", "inputs": ["x"] * 20_000, "outputs": ["y"] * 20_000}],
         "tensors": [{"name": "x"}, {"name": "y"}]}).encode()
    yield "2000 unknown ops", json.dumps(
        {"nodes": [{"op": f"Op{i}"} for i in range(2000)]}).encode()
    yield "graph of QNN", b'{"graph": {"nodes": {}}}'
    yield "zip", b"PK\x03\x04" + b"\0" * 100


# Text in the place of an op's file, and of targets.yaml and sources.yaml.
HOSTILE_YAML = {
    "nothing": b"",
    "lists": b"[" * 5000,
    "maps": b"{a: " * 5000,
    "blocks": b"".join(b" " * i + b"a:\n" for i in range(500)),
    "dashes": b"- " * 5000,
    "aliases": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n",
    "ring": b"&a [*a]\n",
    "tab": b"a:\n\t- b\n",
    "zeros": b"\0" * 100,
    "no text": b"op: \xff\xfe\x80\n",
    "number": b"1e999\n",
    "quote": b"op: \"abc\n",
    "documents": b"---\na: 1\n---\nb: 2\n",
    "keys": b"op: A\n" * 3000,
    "tag": b"op: !!binary abc\n",
    "merge": b"<<: {op: A}\n",
    "line": b"op: " + b"x" * 200_000 + b"\n",
    "utf16": "op: Conv2d\n".encode("utf-16"),
    "comment": b"#" * 100_000,
    "directive": b"%YAML 9.9\n---\nop: A\n",
    "block scalar": b"op: |\n" + b" x\n" * 10_000,
    "colons": b": " * 3000,
    "question": b"? " * 3000,
    "escape": b'op: "\\\x8f"\n',
    "escaped line": b'op: "a\\\x01"\n',
}


class Hostile(CliCase):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "weights").write_bytes(b"\0" * 16)
        os.mkfifo(self.folder / "fifo")

    def process(self, command: list[str], seconds: float, stdin: bytes | None = None
                ) -> tuple[str, subprocess.CompletedProcess[bytes] | None]:
        """What is wrong with the run, "" for nothing, and the run if it ended."""
        try:
            ran = subprocess.run(command, input=stdin, capture_output=True, timeout=seconds,
                                 cwd=self.folder, env=ENVIRONMENT,
                                 stdin=subprocess.DEVNULL if stdin is None else None)
        except subprocess.TimeoutExpired:
            return f"takes longer than {seconds} s", None
        if ran.returncode not in (0, 1, 2):
            return f"exit status {ran.returncode}: {ran.stderr[:6000].decode(errors='replace')}", ran
        try:
            ran.stdout.decode(), ran.stderr.decode()
        except UnicodeDecodeError as error:
            return f"prints no UTF-8: {error}", ran
        errors = ran.stderr.decode().splitlines()
        if not all(line.startswith("error: ") for line in errors):
            return f"stderr: {ran.stderr[:3000].decode()}", ran
        if (ran.returncode == 2) != bool(errors):
            return f"exit status {ran.returncode} with {len(errors)} errors", ran
        return "", ran

    def one(self, *arguments: str, stdin: bytes | None = None) -> str:
        """The run of one input: at most one line of errors."""
        wrong, ran = self.process([CLI, *arguments], SECONDS, stdin)
        if not wrong and len(ran.stderr.splitlines()) > 1:
            wrong = f"stderr: {ran.stderr[:3000].decode()}"
        return wrong

    def batch(self, files: list[str]) -> bool:
        if len(files) == 1:
            files = files * 2  # one alone has another form: indented, and no report of an error
        wrong, ran = self.process([CLI, "check", *files, "--format", "json"], SECONDS * 3)
        if wrong:
            return False
        reports = [json.loads(line) for line in ran.stdout.splitlines()]
        return ([r["model"] for r in reports] == files
                and len(ran.stderr.splitlines()) == sum("error" in r for r in reports))

    def survives(self, mutants: Iterable[Mutant], ending: str) -> None:
        """Many in a process, and alone those of a process that went wrong."""
        batch: list[tuple[str, str]] = []

        def flush() -> None:
            if batch and not self.batch([name for _, name in batch]):
                self.blame(batch)
            for _, name in batch:
                (self.folder / name).unlink()
            batch.clear()

        for index, (how, data) in enumerate(mutants):
            name = f"m{index}{ending}"
            (self.folder / name).write_bytes(data)
            batch.append((how, name))
            if len(batch) == BATCH:
                flush()
        flush()

    def blame(self, batch: list[tuple[str, str]]) -> None:
        for how, name in batch:
            wrong = self.one("check", name)
            if not wrong and not self.batch([name, name]):
                wrong = "reports and errors of several models don't agree"
            if wrong:
                if KEEP:
                    shutil.copy(self.folder / name, KEEP)
                self.fail(f"{how} ({name}): {wrong}")
        self.fail(f"only together: {batch}")

    def mutants_of(self, path: Path) -> Iterator[Mutant]:
        data = path.read_bytes()
        seed = str(path.relative_to(ROOT))
        large = len(data) > 50_000
        yield from cuts(data, min(50, EFFORT * (1 if large else 2)), seed)
        yield from flips(data, min(200, EFFORT * (2 if large else 4)), seed)

    def test_cut_and_flipped_models(self) -> None:
        sources = sorted([*ROOT.glob("docs/examples/*.onnx"), *ROOT.glob("docs/examples/*.json"),
                          *ROOT.glob("docs/examples/*.tflite"),
                          *ROOT.glob("tests/fixtures/rules/*/*.onnx"),
                          *ROOT.glob("tests/fixtures/rules/*/*.json")])
        self.assertGreater(len(sources), 50)
        for ending in (".onnx", ".tflite", ".json"):
            self.survives((mutant for path in sources if path.suffix == ending
                           for mutant in self.mutants_of(path)), ending)

    def test_models_as_protobuf(self) -> None:
        converted = self.folder / "conv.binpb"
        (self.folder / "conv.json").write_text(json.dumps(good()))
        result = self.run_cli("convert", "conv.json", "-o", str(converted))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        data = converted.read_bytes()
        self.survives([*cuts(data, 20 * EFFORT, "binpb"), *flips(data, 40 * EFFORT, "binpb")],
                      ".binpb")

    def test_noise(self) -> None:
        for ending in (".onnx", ".tflite", ".json", ".binpb"):
            self.survives(noise(10 * EFFORT, ending), ending)
        for how, data in noise(2 * EFFORT, "stdin"):
            self.assertEqual(self.one("check", "-", stdin=data), "", how)

    def test_every_value_of_a_model(self) -> None:
        self.survives(with_hostile_values(good()), ".json")

    def test_every_value_of_a_qnn_net(self) -> None:
        net = ROOT / "tests" / "fuzz" / "corpus" / "qnn_net" / "every_field.json"
        mutants = list(with_hostile_values(json.loads(net.read_text())))
        self.survives(random.Random("net").sample(mutants, min(len(mutants), 1500 * EFFORT)),
                      ".json")
        self.survives([*cuts(net.read_bytes(), 50 * EFFORT, "net"),
                       *flips(net.read_bytes(), 50 * EFFORT, "net")], ".json")

    def test_encodings_files(self) -> None:
        model = self.path("annotated.json", {"dialect": "onnx", "opset": 17, "tensors": [
            {"name": "x", "dtype": "FLOAT_32", "dims": [1, 4]},
            {"name": "w", "dtype": "FLOAT_32", "dims": [4, 4], "isStatic": True},
            {"name": "k", "dtype": "FLOAT_32", "dims": [4, 4, 3, 3], "isStatic": True},
            {"name": "y", "dtype": "FLOAT_32", "dims": [1, 4]}],
            "nodes": [{"op": "Gemm", "inputs": ["x", "w"], "outputs": ["y"]},
                      {"op": "Conv", "inputs": ["y", "k"]}]})
        for path in sorted((ROOT / "tests" / "fuzz" / "corpus" / "encodings").iterdir()):
            data, seed = path.read_bytes(), path.name
            try:
                mutants = list(with_hostile_values(json.loads(data)))
            except ValueError:  # what broke once need not be JSON
                mutants = []
            chosen = random.Random(seed).sample(mutants, min(len(mutants), 40 * EFFORT))
            for how, mutant in [*chosen, *cuts(data, 10 * EFFORT, seed),
                                *flips(data, 20 * EFFORT, seed)]:
                wrong = self.one("check", model, "--encodings", self.path("e.encodings", mutant))
                self.assertEqual(wrong, "", f"{seed}: {how}")

    def test_traps_of_json(self) -> None:
        self.survives(json_traps(), ".json")
        for how, data in json_traps():
            wrong, _ = self.process([CLI, "check", self.path("trap.jsonl", data)], SECONDS)
            self.assertEqual(wrong, "", how)

    def test_traps_of_onnx(self) -> None:
        self.survives(onnx_traps(), ".onnx")

    def test_files_that_are_none(self) -> None:
        self.path("empty.onnx", b"")
        self.path("empty.json", b"")
        (self.folder / "folder.onnx").mkdir()
        (self.folder / "ring.onnx").symlink_to("ring.onnx")
        for verb in ("check", "convert"):
            for path in ("empty.onnx", "empty.json", "folder.onnx", "ring.onnx", "/dev/null",
                         "/dev/zero", ".", "", "none.onnx", "x" * 5000, "-"):
                arguments = ["-o", "out.json"] if verb == "convert" else []
                wrong = self.one(verb, path, *arguments)
                self.assertEqual(wrong, "", f"{verb} {path[:20]!r}")
        self.assertEqual(self.one("check", "-", stdin=b""), "")

    def test_overlays(self) -> None:
        model = self.path("m.json", good())
        for where in ("htp/Conv2d.yaml", "targets.yaml", "sources.yaml", "resolve/onnx.yaml"):
            for how, data in HOSTILE_YAML.items():
                self.overlay(model, where, data, f"{where}: {how}")
        op = (ROOT / "opdefs/htp/Conv2d.yaml").read_bytes()
        for how, data in [*cuts(op, 3 * EFFORT, "yaml"), *flips(op, 8 * EFFORT, "yaml")]:
            self.overlay(model, "htp/Conv2d.yaml", data, how)

    def overlay(self, model: str, where: str, data: bytes, how: str) -> None:
        folder = self.folder / "overlay"
        (folder / where).parent.mkdir(parents=True)
        (folder / where).write_bytes(data)
        wrong, _ = self.process([CLI, "check", model, "--opdefs", str(folder)], SECONDS)
        self.assertEqual(wrong, "", how)
        shutil.rmtree(folder)

    def test_overlays_that_are_no_files(self) -> None:
        model = self.path("m.json", good())
        makers: dict[str, Callable[[Path], object]] = {
            "fifo": os.mkfifo, "folder": Path.mkdir,
            "zero": lambda path: path.symlink_to("/dev/zero"),
            "ring": lambda path: path.symlink_to(path.name),
            "none": lambda path: path.symlink_to("nowhere.yaml")}
        for name, make in makers.items():
            folder = self.folder / f"overlay_{name}"
            (folder / "htp").mkdir(parents=True)
            make(folder / "htp" / "Conv2d.yaml")
            wrong, _ = self.process([CLI, "check", model, "--opdefs", str(folder)], SECONDS)
            self.assertEqual(wrong, "", name)

    @unittest.skipUnless(OPDEFC, "needs opdefc")
    def test_opdefc(self) -> None:
        small = ROOT / "tests/fixtures/opdefs/small"
        files = sorted(path.relative_to(small) for path in small.rglob("*.yaml"))
        for file in files:
            data = (small / file).read_bytes()
            mutants = [*HOSTILE_YAML.items()] if EFFORT > 1 or file == files[0] else []
            mutants += [*cuts(data, 2 * EFFORT, str(file)), *flips(data, 3 * EFFORT, str(file))]
            for how, mutant in mutants:
                folder = self.folder / "opdefs"
                shutil.copytree(small, folder)
                (folder / file).write_bytes(mutant)
                wrong, _ = self.process([OPDEFC, "check", str(folder)], SECONDS)
                self.assertEqual(wrong, "", f"{file}: {how}")
                shutil.rmtree(folder)

    @classmethod
    def tearDownClass(cls) -> None:
        resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if not SANITIZED:
            assert resident < MAX_RESIDENT_KB, f"a run held {resident} KB"


if __name__ == "__main__":
    unittest.main()
