"""What the zoo's figures rest on: hold-out, recordings, comparison, the list of known differences."""

from __future__ import annotations

import importlib.util
import json
import struct
import sys
import tempfile
import unittest
import unittest.mock
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools" / "dev" / "zoo"))

import aimet  # noqa: E402
import columns  # noqa: E402
import compare  # noqa: E402
import draws  # noqa: E402
import figures  # noqa: E402
import forms  # noqa: E402
import known  # noqa: E402
import locating  # noqa: E402
import names  # noqa: E402
import onnx_nodes  # noqa: E402
import places  # noqa: E402
import products  # noqa: E402
import recordings  # noqa: E402
import repeats  # noqa: E402
import variants  # noqa: E402
import vectors  # noqa: E402
import wire  # noqa: E402

LIMIT = 5_000_000


class HoldOut(unittest.TestCase):
    NAMES = [f"net_{i}" for i in range(40)]

    def state(self, folder: str) -> draws.Draws:
        path = Path(folder) / "draws.json"
        if not path.exists():
            path.write_text(json.dumps({"reserves": [{"salt": "0", "after": 0, "of_first": 40, "count": 20}],
                                        "draws": [{"salt": "1", "reserves": 1, "count": 8, "result": None}]}))
        return draws.Draws(path, self.NAMES)

    def test_what_is_held_out_is_not_looked_at(self):
        state = draws.Draws()
        self.assertGreaterEqual(len(state.drawn[-1]), 12)
        self.assertGreaterEqual(len(state.names), 50)
        self.assertFalse(set(state.held_out()) & set(state.development()))

    def test_recordings_lie_where_they_belong(self):
        state = draws.Draws()
        for part, names in (("development", state.development()), ("held_out", state.held_out())):
            for path in recordings.FOLDERS[part].glob(f"*{recordings.ENDING}"):
                for text in recordings.read(path):
                    export = places.exported(text)
                    self.assertIn(export.name, names, path)
                    self.assertEqual(recordings.bundle_of(text, part == "held_out"), path)

    def test_new_names_leave_the_reserve_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            before = self.state(folder)
            after = draws.Draws(Path(folder) / "draws.json", [*self.NAMES, "new"])
            self.assertEqual(before.reserve, after.reserve)
            self.assertIn("new", after.development())

    def test_a_reserve_of_new_names_leaves_earlier_draws_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            before = self.state(folder)
            path = Path(folder) / "draws.json"
            data = json.loads(path.read_text())
            data["draws"][0]["result"] = {"counts": {}}
            data["reserves"].append({"salt": "0", "after": 40, "of_first": 60, "count": 20})
            path.write_text(json.dumps(data))
            new = [f"new_{i}" for i in range(20)]
            after = draws.Draws(path, [*self.NAMES, *new])
            self.assertEqual(after.reserve, [*before.reserve, *draws.in_order("0", new)])
            self.assertEqual(after.drawn, before.drawn)
            after.draw(rest=True)
            self.assertEqual(set(after.drawn[1]), set(after.reserve) - set(after.drawn[0]))
            self.assertEqual(draws.Draws(path, after.names).drawn, after.drawn)

    def test_a_draw_is_scored_once_and_joins_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            state = self.state(folder)
            first = state.held_out()
            with self.assertRaises(ValueError):
                state.draw()
            state.record({"counts": {}})
            with self.assertRaises(ValueError):
                state.record({"counts": {}})
            self.assertLessEqual(set(first), set(state.development()))
            second = state.draw()
            self.assertFalse(set(first) & set(second))
            self.assertEqual(self.state(folder).held_out(), second)

    def test_an_empty_reserve_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            state = self.state(folder)
            state.record({"counts": {}})
            state.draw()
            state.record({"counts": {}})
            with self.assertRaises(ValueError):
                state.draw()
            with self.assertRaises(ValueError):
                state.draw(count=5)
            self.assertEqual(len(state.draw(count=3)), 3)
            state.record({"counts": {}})
            self.assertEqual(len(state.draw(rest=True)), 1)
            state.record({"counts": {}})
            with self.assertRaises(ValueError):
                state.draw(rest=True)


class Recorded(unittest.TestCase):
    def test_names_come_back_as_they_were(self):
        tensor = b"\x0a\x05a/b.c\x12\x0ba/b.c_scale\x1a\x1da/b.c_DequantizeLinear_Output"
        other = b"\x0a\x07x_scale\xf5\x03ab" + bytes(range(256)) * 2 + b"\xf5"
        node = b"\x12\x05conv1\x1a\x0anode_conv1\x0a\x05conv1\x0a\x0bconv1_scale"
        for data in (b"", node, node + tensor, tensor, tensor + other, other + tensor * 3, bytes((130,)) + b"n" * 130):
            self.assertEqual(names.restored(names.shortened(data)), data)
        self.assertLess(len(names.shortened(tensor)), len(tensor))

    def test_a_model_comes_back_as_it_was(self):
        node, tensor = b"\x0a\x08\x0a\x01x\x12\x03a.b", b"\x2a\x0d\x08\x02\x42\x09a.b_scale"
        numbers = b"\x2a\x0b\x15\1\2\3\0\x10\x80\x80\x01\x10\5"  # four bytes, and numbers of three and one
        graph = node + tensor + numbers + b"\x12\x01m\x62\x00" + node * 30
        model = b"\x08\x0a\x42\x02\x10\x15" + b"\x3a" + bytes((len(graph) & 127 | 128, len(graph) >> 7)) + graph
        self.assertEqual(names.unpacked(names.packed(model)), model)
        # What stands behind the graph comes before it then.
        self.assertEqual(names.unpacked(names.packed(model[:2] + model[6:] + model[2:6])), model)

    def test_a_form_is_written_as_its_difference_from_another(self):
        def constant(name: bytes, kind: int, numbers: bytes) -> bytes:
            tensor = b"\x10" + bytes((kind, 0x42, len(name))) + name + b"\x4a" + bytes((len(numbers),)) + numbers
            return b"\x2a" + bytes((len(tensor),)) + tensor

        def model(activation: float, biases: list[int], bias: float) -> bytes:
            graph = (constant(b"a_scale", 1, struct.pack("<f", activation)) + constant(b"w_scale", 1, b"\0\0\0\x3f")
                     + constant(b"b", 6, struct.pack("<3i", *biases)) + constant(b"b_scale", 1, struct.pack("<f", bias))
                     + constant(b"shape", 7, struct.pack("<q", 5)))
            return b"\x08\x0a\x3a" + bytes((len(graph) & 127 | 128, len(graph) >> 7)) + graph

        files = {"16a8w.onnx": model(0.001, [25700, -514, 90], 0.0005), "labels.json": b"{}",
                 "8a8w.onnx": model(0.257, [100, -3, 1], 0.0005 * 257)}
        packed = forms.packed(files)
        self.assertEqual(forms.unpacked(packed), files)
        self.assertEqual((packed["16a8w.onnx"], packed["labels.json"]), (files["16a8w.onnx"], b"{}"))
        self.assertIn(struct.pack("<3i", 0, -1, 1), packed["8a8w.onnx"])
        alone = {"8a8w.onnx": files["8a8w.onnx"]}
        self.assertEqual(forms.packed(alone), alone)

    def test_parts_that_the_base_has_are_left_out(self):
        def node(name: bytes, domain: bytes = b"") -> bytes:
            return wire.field(1, wire.field(2, name) + wire.field(4, b"QuantizeLinear") + domain)

        def model(*parts: bytes) -> bytes:
            return b"\x08\x0a" + wire.field(7, b"".join(parts)) + wire.field(8, b"\x10\x15")

        shape, other = wire.field(13, b"\x0a\x01x"), wire.field(13, b"\x0a\x01y")
        base = model(node(b"a", repeats.DOMAIN), node(b"b"), b"\x50\x96\x01", shape, node(b"c"))
        same = model(node(b"a"), node(b"b"), b"\x50\x96\x01", shape)
        self.assertEqual(repeats.left_out(same, base), model(wire.field(repeats.RUN, b"\x00\x04")))
        for parts in ((node(b"a"), node(b"b"), other, node(b"b"), shape), (other,), (), (node(b"a", repeats.DOMAIN),)):
            data = model(*parts)
            self.assertEqual(repeats.put_back(repeats.left_out(data, base), base), data)

    def test_scales_of_biases_that_are_products_are_left_out(self):
        def dequantize(of: bytes) -> bytes:
            return wire.field(1, b"".join((wire.field(1, of), wire.field(1, of + b"_scale"), wire.field(2, of + b"_d"),
                                           wire.field(4, b"DequantizeLinear"))))

        def model(bias: bytes) -> tuple[bytes, dict[bytes, tuple[int, int]]]:
            numbers = {b"x_scale": struct.pack("<f", 0.1), b"w_scale": struct.pack("<3f", 0.3, 0.7, 0.9), b"b_scale": bias}
            graph = b"".join((*map(dequantize, (b"x", b"w", b"b")),
                              wire.field(1, b"".join(wire.field(1, name) for name in (b"x_d", b"w_d", b"b_d"))),
                              *(wire.field(20, value) for value in numbers.values())))
            data = wire.field(7, graph)
            return data, {name: (data.index(value), len(value) // 4) for name, value in numbers.items()}

        tenth, *scales = struct.unpack("<4f", struct.pack("<4f", 0.1, 0.3, 0.7, 0.9))
        exact = struct.pack("<3f", *(tenth * scale for scale in scales))
        for bias, left in ((exact, bytes(12)), (exact[:8] + b"\1\2\3\4", exact[:8] + b"\1\2\3\4")):
            data, at = model(bias)
            out = bytearray(data)
            products.left_out(out, data, at)
            self.assertEqual(out[at[b"b_scale"][0]:][:12], left)
            products.put_back(out, at)
            self.assertEqual(bytes(out), data)
        with self.assertRaises(ValueError):
            products.left_out(bytearray(model(bytes(12))[0]), *model(bytes(12)))

    def test_few_numbers_are_written_once(self):
        def constant(kind: int, tag: int, numbers: bytes) -> bytes:
            tensor = b"\x10" + bytes((kind, tag << 3 | 2)) + bytes((len(numbers),)) + numbers + b"\x42\x01c"
            return b"\x2a" + bytes((len(tensor),)) + tensor

        ints, floats = [7, -5, 7, 100] * 3, [0.5, -0.25, 0.5, 0.0] * 5
        several = (constant(6, 9, struct.pack("<12i", *ints)) + constant(1, 4, struct.pack("<20f", *floats))
                   + constant(2, 9, bytes(range(10)) * 3) + constant(4, 9, struct.pack("<12H", *[9, 65535] * 6)))
        kept = (constant(6, 9, struct.pack("<3i", 1, 1, 1)) + constant(1, 9, struct.pack("<10f", *range(10)))
                + constant(1, 9, struct.pack("<10f", *[float("nan")] * 10)) + constant(7, 9, struct.pack("<9q", *[5] * 9)))
        for constants, changed in ((several, True), (kept, False), (several + kept, True)):
            graph = b"\x0a\x02\x0a\x00" + constants + b"\x12\x01m"
            model = b"\x08\x0a\x3a" + bytes((len(graph) & 127 | 128, len(graph) >> 7)) + graph + b"\x42\x00"
            self.assertEqual(vectors.unpacked(vectors.packed(model)), model)
            self.assertEqual(vectors.packed(model) != model, changed)
        scales = [struct.unpack("<I", struct.pack("<f", 2 ** (k / 4) / 127))[0] + miss
                  for k, miss in ((-9, 0), (-8, 1), (3, -1))]
        graph = (constant(1, 9, struct.pack("<24I", *scales * 8))
                 + constant(6, 9, struct.pack("<24i", *[-1000, 2 + round(-1000 + 3000 * 7 / 23), 2000] * 8)))
        model = b"\x3a" + bytes((len(graph) & 127 | 128, len(graph) >> 7)) + graph
        self.assertEqual(vectors.unpacked(vectors.packed(model)), model)
        self.assertEqual(vectors.packed(model).count(vectors.TAGS[1]), 2)
        graph = constant(6, 9, struct.pack("<30i", *[7, -5] * 15))
        self.assertLess(len(vectors.packed(b"\x3a" + bytes((len(graph) & 127 | 128, len(graph) >> 7)) + graph)), 60)

    def test_numbers_stand_apart_in_columns_and_come_back_in_their_order(self):
        def model(seed: int) -> bytes:
            def constant(kind: int, tag: int, numbers: bytes) -> bytes:
                return wire.field(5, b"\x08\x02\x10" + bytes((kind,)) + wire.field(tag, numbers) + b"\x42\x01c")

            biases = struct.pack("<12i", *[7, -5, seed, 100] * 3)
            parts = (constant(1, 9, struct.pack("<f", seed / 7)), constant(1, 4, struct.pack("<2f", 0.5, seed)),
                     constant(2, 5, bytes((seed,))), constant(6, 9, biases), constant(1, 9, struct.pack("<20f", *[0.5, 3.0] * 10)))
            return vectors.packed(wire.field(7, wire.field(1, b"\x22\x01N") + b"".join(parts) + wire.field(13, b"\x0a\x01y")))

        numbers: columns.Columns = defaultdict(bytearray)
        models = [model(seed) for seed in (3, 9)]
        apart = [columns.split(data, numbers) for data in models]
        self.assertEqual({name: len(data) for name, data in numbers.items()},
                         {"1.9": 8, "1.4": 16, "2.5": 2, "6.101": 32, "6.elements": 24, "1.100": 16, "1.elements": 40})
        self.assertEqual(numbers["2.5"], bytes((3, 9)))
        joiner = columns.Joiner({name: bytes(data) for name, data in numbers.items()})
        self.assertEqual([joiner.joined(data) for data in apart], models)

    def test_a_bundle_holds_what_was_written(self):
        exports = {"b-dynamo": {"8a8w.onnx": b"\x3a\x03\x12\x01m", "labels.json": b"{}"}, "a-dynamo": {"labels.json": b'{"8a8w": 1}'}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "models" / f"net{recordings.ENDING}"
            self.assertEqual(recordings.read(path), {})
            recordings.write(path, exports)
            self.assertEqual(recordings.read(path), exports)
            found = list(recordings.recordings(["a", "b"], path.parent))
            self.assertEqual([str(r.export) for r in found], ["a-dynamo", "b-dynamo"])
            self.assertEqual((found[0].labels(), found[1].models()), ({"8a8w": 1}, {"8a8w": b"\x3a\x03\x12\x01m"}))

    def test_no_more_than_5_megabytes(self):
        self.assertLessEqual(sum(p.stat().st_size for p in places.RECORDED.rglob("*") if p.is_file()), LIMIT)

    def test_at_least_50_architectures(self):
        names = {r.export.name for r in recordings.recordings(draws.Draws().names, recordings.FOLDERS["development"])}
        self.assertGreaterEqual(len(names), 50)

    def test_labels_fit_their_models(self):
        found = list(recordings.recordings(draws.Draws().names, recordings.FOLDERS["development"]))[::10]
        for recording in found:
            labels = recording.labels()
            for form, model in recording.models().items():
                nodes = onnx_nodes.nodes(model)
                self.assertGreater(len(nodes), 5)
                for arch, label in labels[form].items():
                    self.assertIn(arch, places.ARCHS)
                    if label["units"] is not None:
                        self.assertEqual(len(label["units"]), len(nodes), recording)


NODES = [("q", "QuantizeLinear"), ("conv", "Conv"), ("erf", "Erf"), ("odd", "Einsum"), ("shape", "Shape")]


def report(verdicts: dict[str, str], made: bool = True, partitions: int = 1, cpu: int = 0, findings=()) -> dict:
    nodes = [{"name": name, "op": op, "verdict": verdicts.get(name, "accepted")} for name, op in NODES]
    nodes[0]["into"] = "conv"
    return {"nodes": nodes, "findings": list(findings),
            "asRun": {"session": {"made": made, "reason": "why"}, "partitions": [{}] * partitions,
                      "placements": {"cpu": cpu, "refused": 0}}}


def label(**more) -> dict:
    return {"state": "ok", "code": "", "strict": "ok", "graphs": 1, "units": "aaaa.", "numbers": None,
            "first": None, "alone": None} | more


class Comparison(unittest.TestCase):
    def found(self, function, *arguments) -> tuple[Counter, list[tuple[str, str]]]:
        noted: list[tuple[str, str]] = []
        counts = function(*arguments, lambda kind, node, why: noted.append((kind, node)))
        return counts, noted

    def test_nodes(self):
        verdicts = {"conv": "rejected", "erf": "accepted", "odd": "unchecked"}
        counts, noted = self.found(compare.compare_nodes, NODES, report(verdicts), label(units="aara."))
        self.assertEqual(noted, [("false-refusal", "conv"), ("missed-refusal", "erf"), ("unknown", "odd")])
        self.assertEqual((counts["accepted"], counts["refused"]), (2, 1))

    def test_all_right(self):
        _, noted = self.found(compare.compare_nodes, NODES, report({"erf": "rejected"}), label(units="aara."))
        self.assertEqual(noted, [])
        self.assertEqual(self.found(compare.compare_session, report({}), label())[1], [])

    def test_preparation_that_fails_is_right_where_the_session_dies(self):
        verdicts = {"conv": "prepare_fails"}
        dies = label(state="finalize_fails", strict="finalize_fails", graphs=None)
        self.assertEqual(self.found(compare.compare_nodes, NODES, report(verdicts), dies)[1], [])
        self.assertEqual(self.found(compare.compare_nodes, NODES, report(verdicts), label())[1], [("false-refusal", "conv")])

    def test_sessions(self):
        dies = label(state="crash", strict="crash", graphs=None)
        self.assertEqual(self.found(compare.compare_session, report({}), dies)[1], [("whole", ""), ("missed-failure", "")])
        self.assertEqual(self.found(compare.compare_session, report({}, made=False), dies)[1], [])
        self.assertEqual(self.found(compare.compare_session, report({}, made=False), label())[1],
                         [("whole", ""), ("false-failure", "")])
        self.assertEqual(self.found(compare.compare_session, report({}, partitions=3), label())[1], [("graphs", "")])
        self.assertEqual(self.found(compare.compare_session, report({}, cpu=1), label(strict="on_cpu"))[1], [])

    def test_numbers(self):
        numbers = {"y": {"off": 0.2, "noise": 0.01, "float": 0.2, "cpu_float": 0.1}}
        wrong = label(numbers=numbers, first="conv")
        self.assertEqual(self.found(compare.compare_numbers, report({}), wrong, {})[1], [("missed-numbers", "conv")])
        telling = {"node": "q", "rule": "fixed-encoding", "consequence": "wrong_values"}  # part of conv
        self.assertEqual(self.found(compare.compare_numbers, report({}, findings=[telling]), wrong, {})[1], [])
        # What is dropped is seen at the op that reads it.
        dropped = {"node": "add", "rule": "built-otherwise", "consequence": "wrong_values"}
        other = dropped | {"rule": "different-encoding"}
        for finding, missed in ((dropped, []), (other, [("missed-numbers", "conv")])):
            said = report({}, findings=[finding])
            self.assertEqual(self.found(compare.compare_numbers, said, wrong, {"conv": {"add"}})[1], missed)
        quiet = label(numbers={"y": {"off": 0.2, "noise": 0.1, "float": 0.2, "cpu_float": 0.1}})
        counts, noted = self.found(compare.compare_numbers, report({}), quiet, {})
        self.assertEqual((counts["run"], counts["off"], noted), (1, 0, []))

    def test_ops_alone(self):
        alone = label(alone={"run": 3, "off": {"erf": {"off": 0.5, "steps": 100.0}}, "fail": {}})
        counts, noted = self.found(compare.compare_numbers, report({}), alone, {})
        self.assertEqual((counts["alone_run"], counts["alone_off"], noted), (3, 1, [("missed-op", "erf")]))

    def test_figures(self):
        counts = Counter({"refused": 10, "missed-refusal": 1, "accepted": 90, "false-refusal": 9})
        rows = {f.what: (f.part, f.of) for f in figures.figures(counts)}
        self.assertEqual(rows["refused nodes found"], (9, 10))
        self.assertEqual(rows["accepted nodes called refused"], (9, 90))
        self.assertIn("90.00 %", "\n".join(figures.lines(counts)))
        self.assertIn("not asked", "\n".join(figures.table({"all": counts, "none": Counter()})))


@unittest.skipUnless(all(map(importlib.util.find_spec, ("numpy", "onnx", "onnxruntime"))), "onnxruntime isn't installed")
class Origin(unittest.TestCase):
    """x + c, of which the last column is sliced, on an NPU that gets one column or the slice wrong."""

    def found(self, added: float, sliced: float, hidden: bool = False) -> str:
        import measures
        import numpy as np
        import onnx
        import origin
        import reference
        from onnx import helper, numpy_helper

        nodes, constants = [], {"scale": np.float32(0.01), "zero": np.uint8(0), "c": np.full((1, 4), 0.5, np.float32),
                                "from": np.array([3]), "to": np.array([4]), "axis": np.array([1])}

        def rounded(name: str) -> str:
            nodes.append(helper.make_node("QuantizeLinear", [name, "scale", "zero"], [f"{name}_q"]))
            nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", "scale", "zero"], [f"{name}_d"]))
            return f"{name}_d"

        nodes.append(helper.make_node("Relu", ["x"], ["r"], name="relu"))
        nodes.append(helper.make_node("Add", [rounded("r"), "c"], ["sum"], name="add"))
        nodes.append(helper.make_node("Slice", [rounded("sum"), "from", "to", "axis"], ["part"], name="slice"))
        rounded("part")
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, (6, 4))],
                                  [helper.make_tensor_value_info("part_d", 1, None)],
                                  [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
        given = {"x": np.linspace(0, 1, 24, dtype=np.float32).reshape(6, 4)}
        order = measures.makers(model)
        want = reference.run(measures.with_outputs(model, order), given)
        npu = {name: value.copy() for name, value in want.items()}
        npu["sum_d"][:, 3] += added
        npu["part_d"] += added + sliced

        def ask(names: list[str]) -> dict[str, np.ndarray]:
            return {name: want[name] if hidden and len(names) > 1 else npu[name] for name in names}

        search = origin.Origin(model, given, order, want, ask,
                               lambda name, value: measures.off(value, want[name]) > 0.1)
        return search.maker(search.of("part_d"))

    def test_an_op_that_passes_an_error_on_is_innocent(self):
        self.assertEqual(self.found(0.3, 0.0), "add")

    def test_an_op_that_makes_it_is_not(self):
        self.assertEqual(self.found(0.0, 0.3), "slice")
        self.assertEqual(self.found(0.02, 0.5), "slice")

    def test_an_error_that_an_output_hides_is_of_the_op_before(self):
        self.assertEqual(self.found(0.3, 0.0, hidden=True), "add")


class Locating(unittest.TestCase):
    def test_what_was_asked_again_is_written_once(self):
        old = {"8a8w": {"v73": {"first": "slice"}, "v68": {"first": "conv"}}}
        recording = recordings.Recording(places.Export("net", "dynamo"), {"labels.json": json.dumps(old).encode()})
        answers = {"8a8w v73": {"first": "add"}, "8a8w v68": {"first": "conv"}, "8a8w v79": {"state": "timeout"}}
        added: list[dict] = []
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "net-dynamo.json").write_text(json.dumps(answers))
            with unittest.mock.patch.object(locating, "ANSWERS", Path(folder)), \
                    unittest.mock.patch.object(recordings, "add", lambda exports, held_out: added.append(exports)):
                lines = locating.write([recording])
        self.assertEqual(lines, ["net-dynamo 8a8w v73: slice -> add"])
        self.assertEqual(json.loads(added[0]["net-dynamo"]["labels.json"])["8a8w"]["v73"], {"first": "add"})


class Aimet(unittest.TestCase):
    def test_the_draw_is_what_the_hash_says(self):
        state, drawn = draws.Draws(), aimet.load()["architectures"]
        self.assertEqual(drawn, aimet.drawn(state))
        self.assertLessEqual(set(drawn), set(state.development()))
        self.assertEqual(Counter(name.split("_")[0] for name in drawn), aimet.COUNTS)

    def test_its_recordings_lie_apart(self):
        names = aimet.load()["architectures"]
        for path in recordings.FOLDERS["aimet"].glob(f"*{recordings.ENDING}"):
            for text in recordings.read(path):
                self.assertTrue(places.exported(text).by_aimet)
                self.assertIn(places.exported(text).name, names)
                self.assertEqual(recordings.bundle_of(text, False), path)


class Variants(unittest.TestCase):
    def test_by_default_the_ends_of_the_graph_stay_on_the_cpu(self):
        nodes = [("q", "QuantizeLinear"), ("conv", "Conv"), ("dq", "DequantizeLinear")]
        answer = {"state": "ok", "code": "", "graphs": 1, "units": "rrr"}
        for title, units in (("default", ".r."), ("2.50", "rrr")):
            self.assertEqual(variants._label(answer, "rrr", nodes, variants.VARIANTS[title])["units"], units)

    def test_marks_are_kept_as_what_changes(self):
        answer = {"state": "ok", "code": "", "graphs": 1, "units": "ara."}
        short = variants.shortened(answer, "aaa.")
        self.assertEqual(short, {"state": "ok", "code": "", "graphs": 1, "changed": {"1": "r"}})
        self.assertEqual(variants._units(short, "aaa."), "ara.")
        for recorded in (None, "aaaaa"):
            self.assertEqual(variants._units(variants.shortened(answer, recorded), recorded), "ara.")

    def test_what_was_scored_was_asked_in_full(self):
        known = variants.load()
        for title, counts in known["scored"].items():
            self.assertEqual(counts["cases"], variants.COUNT)
            self.assertEqual(sum(title in answers for answers in known["answers"].values()), variants.COUNT)


class Known(unittest.TestCase):
    ONE = ("missed-refusal", "net-dynamo", "8a8w", "v73", "erf")
    TWO = ("missed-failure", "net-dynamo", "16a8w", "v68", "")

    def test_the_list_only_shrinks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "known.json"
            path.write_text(known.text({self.ONE, self.TWO}))
            self.assertEqual(known.load(path), {self.ONE, self.TWO})
            new = ("missed-refusal", "other-dynamo", "8a8w", "v73", "erf")
            self.assertEqual(known.shrink({self.ONE, new}, path), 1)
            self.assertEqual(known.load(path), {self.ONE})


if __name__ == "__main__":
    unittest.main()
