#!/usr/bin/env python3
"""`quantgate fix`: what it fixes, what it leaves alone, and that a file comes out whole or not."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import unittest
from pathlib import Path

from cli_case import CLI, ROOT, CliCase, good

PLANTED = ROOT / "docs" / "examples" / "planted.onnx"
FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7


# ---- protobuf on the wire ---------------------------------------------------------------------
def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message: bytes) -> list[tuple[int, int | bytes]]:
    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    at, found = 0, []
    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            found.append((tag >> 3, number()))
        elif tag & 7 == 2:
            size = number()
            found.append((tag >> 3, message[at:at + size]))
            at += size
        else:
            size = {1: 8, 5: 4}[tag & 7]
            found.append((tag >> 3, message[at:at + size]))
            at += size
    return found


def one(message: bytes, number: int):
    return next((v for n, v in fields(message) if n == number), None)


def every(message: bytes, number: int) -> list:
    return [v for n, v in fields(message) if n == number]


# ---- ONNX -------------------------------------------------------------------------------------
UNKNOWN = field(3000, b"kept \x00\xff") + varint(3001 << 3 | 5) + b"\x01\x02\x03\x04"


def tensor(name: str, kind: int, dims: list[int], raw: bytes, extra: bytes = b"") -> bytes:
    return (b"".join(field(1, d) for d in dims) + field(2, kind) + extra + field(8, name)
            + field(9, raw))


def external(name: str, kind: int, dims: list[int], location: str, size: int) -> bytes:
    entries = [("location", location), ("offset", "0"), ("length", str(size))]
    return (b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name)
            + b"".join(field(13, field(1, k) + field(2, v)) for k, v in entries) + field(14, 1))


def node(op: str, inputs: list[str], outputs: list[str], name: str, extra: bytes = b"") -> bytes:
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
            + field(3, name) + field(4, op) + extra)


def value_info(name: str, dims: list[int]) -> bytes:
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))


def f32(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


# With zero point 10 it reaches 1, as a Softmax does: nothing is cut.
SOFTMAX_SCALE = 1 / 245


def conv(weight: bytes, scale: list[float], zero: list[int], kind: int, axis: int | None = 0,
         softmax_zero: int = 0, weight_message: bytes | None = None) -> bytes:
    """x -> Q/DQ -> Conv(weight [2, 3, 1, 1]) -> Q/DQ -> Softmax -> Q/DQ, with unknown fields."""
    pair = lambda real, name: [  # noqa: E731
        node("QuantizeLinear", [real, f"{name}_s", f"{name}_z"], [f"{name}_q"], f"{name}_Q", UNKNOWN),
        node("DequantizeLinear", [f"{name}_q", f"{name}_s", f"{name}_z"], [f"{name}_dq"],
             f"{name}_DQ")]
    axis_attribute = b"" if axis is None else field(
        5, field(1, "axis") + field(3, axis) + field(20, 2))
    nodes = [*pair("x", "a"),
             node("DequantizeLinear", ["w", "w_s", "w_z"], ["w_dq"], "w_DQ", axis_attribute + UNKNOWN),
             node("Conv", ["a_dq", "w_dq"], ["c"], "conv"), *pair("c", "b"),
             node("Softmax", ["b_dq"], ["s"], "softmax",
                  field(5, field(1, "axis") + field(3, -1) + field(20, 2))), *pair("s", "y")]
    scalars = {"a": (0.02, 128), "b": (0.05, 128), "y": (SOFTMAX_SCALE, softmax_zero)}
    constants = [weight_message or tensor("w", kind, [2, 3, 1, 1], weight, UNKNOWN),
                 tensor("w_s", FLOAT, [len(scale)], f32(*scale), UNKNOWN),
                 tensor("w_z", kind, [len(zero)], bytes(z & 0xFF for z in zero))]
    for name, (s, z) in scalars.items():
        constants += [tensor(f"{name}_s", FLOAT, [], f32(s)), tensor(f"{name}_z", UINT8, [], bytes([z]))]
    graph = (b"".join(field(1, n) for n in nodes) + field(2, "g") + UNKNOWN
             + b"".join(field(5, c) for c in constants)
             + field(11, value_info("x", [1, 3, 4, 4])) + field(12, value_info("y_dq", [1, 2, 4, 4])))
    return field(1, 10) + UNKNOWN + field(7, graph) + field(8, field(1, "") + field(2, 21)) + UNKNOWN


WEIGHT = bytes([0, 10, 127, 128, 200, 250])


def asymmetric() -> bytes:
    """u8 per-channel weights around 127: refused; one more is symmetric, and they all fit."""
    return conv(WEIGHT, [0.01, 0.02], [127, 127], UINT8, softmax_zero=10)


class Onnx(CliCase):
    def fix(self, model: bytes, *arguments: str, status: int = 0) -> tuple[bytes, dict]:
        path, out = self.path("m.onnx", model), self.folder / "fixed.onnx"
        result = self.run_cli("fix", path, "-o", str(out), "--format", "json", *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return out.read_bytes(), json.loads(result.stdout)

    def constants(self, model: bytes) -> dict[str, bytes]:
        return {one(c, 8).decode(): c for c in every(one(model, 7), 5)}

    def test_weights_shift_exactly_and_the_result_checks_clean(self) -> None:
        fixed, reported = self.fix(asymmetric())
        constants = self.constants(fixed)
        kind, zero = one(constants["w"], 2), one(constants["w_z"], 9)
        shift = {UINT8: 1, INT8: -127}[kind]
        self.assertEqual(set(zero), {128} if kind == UINT8 else {0})
        self.assertEqual(one(constants["w"], 9), bytes((v + shift) & 0xFF for v in WEIGHT))
        self.assertEqual(one(constants["w_s"], 9), f32(0.01, 0.02))
        self.assertEqual(one(constants["y_z"], 9), b"\0")
        # What is left: behind a Conv the provider puts Transposes around a Softmax over the columns.
        self.assertEqual(reported["after"]["verdict"], "altered")
        report = self.report(str(self.folder / "fixed.onnx"))
        self.assertEqual([f["code"] for f in report["findings"]], ["QG616"])

    def test_unknown_fields_and_the_rest_stay_byte_for_byte(self) -> None:
        model = asymmetric()
        fixed, _ = self.fix(model)
        # What the edits are about is left out on both sides; all else must be the same, in order.
        changed = {"w", "w_z", "y_z"}

        def rest(message: bytes) -> list:
            graph = [(n, v) for n, v in fields(one(message, 7))
                     if n != 5 or one(v, 8).decode() not in changed]
            return [(n, v) for n, v in fields(message) if n != 7] + graph

        self.assertEqual(rest(model), rest(fixed))
        self.assertEqual(every(self.constants(fixed)["w"], 3000), [b"kept \x00\xff"])
        self.assertEqual(fixed.count(b"kept \x00\xff"), model.count(b"kept \x00\xff"))

    def test_a_fixed_model_stays_as_it_is(self) -> None:
        fixed, reported = self.fix(asymmetric())
        again, told_again = self.fix(fixed)
        self.assertGreater(len(reported["edits"]), 0)
        self.assertEqual(told_again["edits"], [])
        self.assertEqual(again, fixed)

    def test_planted_mistakes(self) -> None:
        fixed, reported = self.fix(PLANTED.read_bytes(), status=1)
        self.assertEqual(self.fix(fixed, status=1)[1]["edits"], [])
        fixed = {f["node"] for f in reported["mended"]}
        for name in ("depth_to_space_in_and_out_scale_differ", "softmax_8bit_zero_point_not_0",
                     "tanh_16bit_scale_not_the_fixed_one", "reshape_in_and_out_scale_differ",
                     "conv_bias_scale_is_not_input_times_weight"):
            self.assertIn(name, fixed)
        left = {f["node"]: f["why"] for f in reported["left"]}
        self.assertIn("values", left["conv_weight_asymmetric_in_2_of_16_channels"])
        # What it reads in float may lie beyond the encoding that others read it with.
        self.assertIn("how far what reaches it goes is not known", left["add_half_quantized"])
        for name in ("det_is_no_op_of_the_npu", "add_of_rank_6", "mul_with_output_scale_0"):
            self.assertIn("no safe edit", left[name])
        self.assertIn("conv_weight_asymmetric_in_2_of_16_channels",
                      {f["node"] for f in self.fix(PLANTED.read_bytes(), "--round", status=1)[1]["mended"]})

    def test_the_verdict_is_that_of_the_written_file(self) -> None:
        fixed, reported = self.fix(PLANTED.read_bytes(), status=1)
        report = self.report(str(self.folder / "fixed.onnx"), status=1)
        self.assertEqual({k: reported["after"][k] for k in report["summary"]}, report["summary"])

    def test_values_that_do_not_fit_are_left(self) -> None:
        model = conv(bytes([255, 0, 1, 2, 3, 4]), [0.01, 0.02], [100, 127], UINT8)
        fixed, reported = self.fix(model, status=1)
        # The type is fixed, whose values stay equal; the zero point is not.
        self.assertEqual(one(self.constants(fixed)["w_s"], 9), f32(0.01, 0.02))
        self.assertEqual(one(self.constants(fixed)["w_z"], 9), bytes([100 - 128 & 0xFF, 0xFF]))
        why = {f["code"]: f["why"] for f in reported["left"]}
        self.assertIn("don't fit", why["QG301"])
        fixed, reported = self.fix(model, "--round")
        scales = struct.unpack("<2f", one(self.constants(fixed)["w_s"], 9))
        self.assertGreater(scales[0], 0.01)
        # Half a step, no more.
        zero = 128 if one(self.constants(fixed)["w"], 2) == UINT8 else 0
        stored = one(self.constants(fixed)["w"], 9)
        for i, old in enumerate([255, 0, 1, 2, 3, 4]):
            channel = i // 3
            new = stored[i] if zero else stored[i] - 256 * (stored[i] > 127)
            real = (old - [100, 127][channel]) * [0.01, 0.02][channel]
            self.assertLessEqual(abs((new - zero) * scales[channel] - real), scales[channel] * 0.501)

    def test_lost_axis(self) -> None:
        fixed, reported = self.fix(conv(WEIGHT, [0.01, 0.02], [0, 0], INT8, axis=None))
        self.assertEqual([e["path"] for e in reported["edits"]], ["tensors/w/encoding"])
        dq = next(n for n in every(one(fixed, 7), 1) if one(n, 3) == b"w_DQ")
        self.assertEqual([one(a, 3) for a in every(dq, 5)], [0])
        self.assertEqual(one(self.constants(fixed)["w"], 9), WEIGHT)

    def test_external_data_stays_where_it_is(self) -> None:
        (self.folder / "w.bin").write_bytes(WEIGHT)
        weight = external("w", INT8, [2, 3, 1, 1], "w.bin", 6)
        model = conv(b"", [0.01, 0.02], [0, 0], INT8, softmax_zero=10, weight_message=weight)
        fixed, reported = self.fix(model)
        self.assertEqual(self.constants(fixed)["w"], weight)
        self.assertEqual([e["path"] for e in reported["edits"]], ["tensors/y_q/encoding"])
        (self.folder / "other").mkdir()
        self.unusable("fix", str(self.folder / "m.onnx"), "-o", "other/m.onnx",
                      says="data of the model stays in 'w.bin'")
        self.assertEqual(list((self.folder / "other").iterdir()), [])

    def test_external_weights_that_change_come_into_the_file(self) -> None:
        (self.folder / "w.bin").write_bytes(WEIGHT)
        weight = external("w", UINT8, [2, 3, 1, 1], "w.bin", 6)
        fixed, _ = self.fix(conv(b"", [0.01, 0.02], [127, 127], UINT8, weight_message=weight))
        self.assertEqual((self.folder / "w.bin").read_bytes(), WEIGHT)
        written = self.constants(fixed)["w"]
        self.assertIsNone(one(written, 14))
        self.assertEqual(len(one(written, 9)), 6)

    def test_nothing_is_written_without_output_or_from_broken_input(self) -> None:
        path = self.path("m.onnx", asymmetric())
        result = self.run_cli("fix", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nothing is written", result.stdout)
        self.unusable("fix", self.path("cut.onnx", asymmetric()[:-40]), "-o", "out.onnx",
                      says="cut.onnx:")
        self.unusable("fix", "missing.onnx", "-o", "out.onnx", says="missing.onnx")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["cut.onnx", "m.onnx"])

    def test_the_input_is_no_output(self) -> None:
        path = self.path("m.onnx", asymmetric())
        self.unusable("fix", path, "-o", path, says="is an input too")
        self.assertEqual((self.folder / "m.onnx").read_bytes(), asymmetric())

    def test_standard_output_holds_the_model_alone(self) -> None:
        fixed, _ = self.fix(asymmetric())
        import subprocess

        from cli_case import CLI
        result = subprocess.run([CLI, "fix", "-", "-o", "-"], input=asymmetric(),
                                capture_output=True, check=False)
        self.assertEqual(result.stdout, fixed)
        self.assertIn(b"fixed", result.stderr)

    def test_diff(self) -> None:
        path = self.path("m.onnx", asymmetric())
        text = self.run_cli("fix", path, "--diff").stdout
        self.assertIn('@@ tensor "y_q"', text)
        self.assertIn("-  UFIXED_POINT_8, scale 0.004081632, zero_point 10", text)
        self.assertIn("+  UFIXED_POINT_8, scale 0.004081632, zero_point 0", text)
        self.assertRegex(text, r'@@ tensor "w"  6 stored integers change, real values by at most 0')
        self.assertIn("\x1b[", self.run_cli("fix", path, "--diff", "--color", "always").stdout)
        self.assertNotIn("\x1b[", text)


def removed_relu(second: tuple[float, int] = (0.03, 0)) -> bytes:
    """x -> Q/DQ -> Reshape -> Q/DQ, whose zero point 0 is a Relu that the exporter left out."""
    encodings = {"x": (0.05, 120), "r": second}
    nodes, constants = [], [tensor("shape", INT64, [2], struct.pack("<2q", 4, 4))]
    for real, (scale, zero) in encodings.items():
        nodes += [node("QuantizeLinear", [real, f"{real}_s", f"{real}_z"], [f"{real}_q"], f"{real}_Q"),
                  node("DequantizeLinear", [f"{real}_q", f"{real}_s", f"{real}_z"], [f"{real}_dq"], f"{real}_DQ")]
        constants += [tensor(f"{real}_s", FLOAT, [], f32(scale)), tensor(f"{real}_z", UINT8, [], bytes([zero]))]
    nodes.insert(2, node("Reshape", ["x_dq", "shape"], ["r"], "reshape"))
    graph = (b"".join(field(1, n) for n in nodes) + field(2, "g") + b"".join(field(5, c) for c in constants)
             + field(11, value_info("x", [2, 8])) + field(12, value_info("r_dq", [4, 4])))
    return field(1, 10) + field(7, graph) + field(8, field(1, "") + field(2, 21))


class RemovedRelu(CliCase):
    """An encoding that cuts what reaches it may be all that is left of a Relu or Clip."""

    def fix(self, model: bytes, *arguments: str) -> dict:
        result = self.run_cli("fix", self.path("m.onnx", model), "-o", "out.onnx", "--format", "json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_its_encoding_stays_and_a_conversion_is_written_out(self) -> None:
        reported = self.fix(removed_relu())
        self.assertEqual([e["op"] for e in reported["edits"]], ["insert"])
        self.assertEqual(reported["edits"][0]["value"]["encoding"], {"perTensor": {"scale": 0.05, "zeroPoint": 120}})
        self.assertEqual([f["code"] for f in reported["mended"]], ["QG602"])
        graph = one((self.folder / "out.onnx").read_bytes(), 7)
        constants = {one(c, 8).decode(): c for c in every(graph, 5)}
        self.assertEqual(one(constants["r_s"], 9), f32(0.03))
        self.assertEqual(one(constants["r_z"], 9), b"\0")
        ops = [one(n, 4).decode() for n in every(graph, 1)]
        self.assertEqual(ops, ["QuantizeLinear", "DequantizeLinear", "Reshape", *["QuantizeLinear", "DequantizeLinear"] * 2])

    def test_the_report_does_not_call_it_safe(self) -> None:
        fixes = [f for finding in self.report(self.path("m.onnx", removed_relu()))["findings"]
                 for f in finding["fixes"] if f["edits"]]
        self.assertEqual([f["safe"] for f in fixes], [False])
        # With a range that holds all that is moved, it is, and fix does it.
        wide = removed_relu((0.06, 120))
        fixes = [f for finding in self.report(self.path("w.onnx", wide))["findings"]
                 for f in finding["fixes"] if f["edits"]]
        self.assertEqual([f["safe"] for f in fixes], [True])
        self.assertEqual([e["path"] for e in self.fix(wide)["edits"]], ["tensors/r_q/encoding"])

    def test_without_room_for_a_conversion_it_is_left_with_the_reason(self) -> None:
        def quantized(name: str, scale: float, zero: int, dims: list[int]) -> dict:
            return {"name": name, "dtype": "UFIXED_POINT_8", "dims": dims,
                    "encoding": {"perTensor": {"scale": scale, "zeroPoint": zero}}}
        model = {"name": "m", "dialect": "qnn", "inputs": ["x"], "outputs": ["y"],
                 "tensors": [quantized("x", 0.05, 120, [1, 2, 8]), quantized("y", 0.03, 0, [1, 4, 4])],
                 "nodes": [{"name": "n", "op": "Reshape", "inputs": ["x"], "outputs": ["y"]}]}
        path = self.path("m.json", model)
        result = self.run_cli("fix", path, "-o", "out.json", "--format", "json")
        reported = json.loads(result.stdout)
        self.assertEqual(reported["edits"], [])
        self.assertEqual([f["code"] for f in reported["left"]], ["QG401"])
        self.assertIn("its encoding cuts at 0, and what reaches it goes to -6", reported["left"][0]["why"])
        self.assertIn("removed Relu or Clip", reported["left"][0]["why"])
        self.assertEqual(json.loads((self.folder / "out.json").read_text()), model)

    def test_what_the_report_calls_safe_is_what_fix_does(self) -> None:
        told_safe = 0
        for path in sorted((ROOT / "docs" / "examples").glob("*.onnx")):
            report = json.loads(self.run_cli("check", str(path), "--format", "json").stdout)
            reported = json.loads(self.run_cli("fix", str(path), "--format", "json").stdout)
            edited = {e["path"].split("/")[1] for e in reported["edits"] if e["op"] == "set"}
            left = {(f["code"], f["node"], f["port"]) for f in reported["left"]}
            for finding in report["findings"]:
                for fix in finding["fixes"]:
                    with self.subTest(path.name, finding=finding["message"]):
                        told_safe += fix["safe"]
                        if fix["safe"]:
                            self.assertNotIn((finding["code"], finding["node"], finding["port"]), left)
                        elif fix["edits"] and finding["port"].startswith("out["):
                            self.assertNotIn(finding["tensor"], edited)
        self.assertGreater(told_safe, 1)


class ModelJson(CliCase):
    def test_ties_are_fixed_and_unknown_fields_stay(self) -> None:
        model = json.loads((ROOT / "docs" / "examples" / "planted_qnn.json").read_text())
        path = self.path("m.json", model)
        result = self.run_cli("fix", path, "-o", "out.json", "--format", "json")
        self.assertEqual(result.returncode, 1, result.stderr)
        written = json.loads((self.folder / "out.json").read_text())
        tensors = {t["name"]: t for t in written["tensors"]}
        self.assertEqual(tensors["reshaped"]["encoding"]["perTensor"], {"scale": 0.02, "zeroPoint": 128})
        changed = {"reshaped"}
        for old in model["tensors"]:
            if old["name"] not in changed:
                self.assertEqual(tensors[old["name"]], old)
        self.assertEqual(written["nodes"], model["nodes"])
        # The encoding of the Softmax ends at 0.957: another zero point would let more through.
        why = {f["tensor"]: f["why"] for f in json.loads(result.stdout)["left"]}
        self.assertIn("its encoding cuts at 0.957, and what reaches it goes to 1", why["probabilities"])

    def test_negative_axis_and_values(self) -> None:
        model = good()
        model["tensors"][1]["encoding"]["perChannel"]["axis"] = -1
        path = self.path("m.json", model)
        result = self.run_cli("fix", path, "-o", "out.json")
        self.assertEqual(result.returncode, 0, result.stdout)
        written = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(written["tensors"][1]["encoding"]["perChannel"]["axis"], 3)

    def test_what_is_not_written(self) -> None:
        model = good() | {"dialect": "onnx"}
        self.unusable("fix", self.path("m.json", model), "-o", "out.json",
                      says="only ONNX and TFLite models, Model JSON of QNN graphs and encodings files")
        self.assertFalse((self.folder / "out.json").exists())


class Encodings(CliCase):
    """A float model with its encodings beside it: x -> Softmax -> y."""

    def setUp(self) -> None:
        super().setUp()
        graph = (field(1, node("Softmax", ["x"], ["y"], "softmax",
                               field(5, field(1, "axis") + field(3, -1) + field(20, 2))))
                 + field(2, "g") + field(11, value_info("x", [1, 8, 16]))
                 + field(12, value_info("y", [1, 8, 16])))
        self.model = self.path("m.onnx", field(1, 10) + field(7, graph)
                               + field(8, field(1, "") + field(2, 21)))

    def fix(self, encodings: dict) -> dict:
        path = self.path("m.encodings", encodings)
        result = self.run_cli("fix", self.model, "--encodings", path, "-o", "out.encodings")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.report(self.model, "--encodings", "out.encodings")
        return json.loads((self.folder / "out.encodings").read_text())

    def test_version_1_0_0(self) -> None:
        def entry(name: str, scale: float, offset: int) -> dict:
            return {"name": name, "bw": 8, "dtype": "INT", "enc_type": "PER_TENSOR", "is_sym": False,
                    "offset": [offset], "scale": [scale], "of the recipe": 7}
        encodings = {"version": "1.0.0", "param_encodings": [], "note": "kept", "activation_encodings":
                     [entry("x", 0.02, -128), entry("y", 0.0041, -10)]}
        written = self.fix(encodings)
        expected = json.loads(json.dumps(encodings))
        expected["activation_encodings"][1]["offset"] = [0]
        self.assertEqual(written, expected)

    def test_version_0_6_1(self) -> None:
        def entry(scale: float, offset: int) -> list:
            return [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": scale * offset,
                     "max": scale * (255 + offset), "offset": offset, "scale": scale}]
        encodings = {"version": "0.6.1", "param_encodings": {}, "activation_encodings":
                     {"x": entry(0.02, -128), "y": entry(0.0041, -10)}}
        written = self.fix(encodings)
        y = written["activation_encodings"]["y"][0]
        self.assertEqual((y["offset"], y["min"]), (0, 0))
        self.assertAlmostEqual(y["max"], 255 * 0.0041, 6)
        self.assertEqual(written["activation_encodings"]["x"], encodings["activation_encodings"]["x"])


# How many steps the results of a whole file are off, where LiteRT runs it: of argv[2] in real numbers.
STEPS_OFF = """
import sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
run = Interpreter(sys.argv[1], experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
run.allocate_tensors()
reals = []
for given in sorted(run.get_input_details(), key=lambda detail: detail["name"]):
    stored = np.random.default_rng(1).integers(-128, 127, given["shape"]).astype(np.int8)
    run.set_tensor(given["index"], stored)
    scale, zero = given["quantization"]
    reals.append((stored.astype(float) - zero) * scale)
run.invoke()
made = run.get_output_details()[0]
scale, zero = made["quantization"]
should = np.clip(np.round(eval(sys.argv[2]) / scale + zero), -128, 127)
print(np.abs(run.get_tensor(made["index"]).astype(float) - should).max())
"""


class TfliteFiles(CliCase):
    """Encodings of a .tflite are changed where they stand."""

    def model(self) -> str:
        def tensor(name: str, dims: list[int], scale: float, zero: int) -> dict:
            return {"name": name, "dtype": "SFIXED_POINT_8", "dims": dims,
                    "encoding": {"perTensor": {"scale": scale, "zeroPoint": zero}}}

        shape = {"dtype": "INT_32", "dims": [2], "ints": [1, 32]}
        model = {"name": "m", "dialect": "tflite",
                 "tensors": [tensor("x", [1, 4, 4, 2], 0.05, -3), tensor("r", [1, 32], 0.06, 2), tensor("s", [1, 32], 0.004, -127),
                             tensor("y", [1, 32], 0.004, -120),
                             {"name": "shape", "dtype": "INT_32", "dims": [2], "isStatic": True, "values": [1, 32]}],
                 "nodes": [{"op": "RESHAPE", "inputs": ["x", "shape"], "outputs": ["r"], "params": {"new_shape": {"tensor": shape}}},
                           {"op": "SOFTMAX", "inputs": ["r"], "outputs": ["s"], "params": {"beta": {"real": 1.0}}},
                           {"op": "RELU", "inputs": ["s"], "outputs": ["y"]}]}
        path = str(self.folder / "m.tflite")
        self.assertEqual(self.run_cli("convert", self.path("m.json", model), "-o", path).returncode, 0)
        return path

    def test_what_moves_values_gets_one_encoding(self) -> None:
        path, out = self.model(), str(self.folder / "fixed.tflite")
        self.assertEqual(self.run_cli("check", path, "--backend", "tflite").returncode, 1)
        result = self.run_cli("fix", path, "--backend", "tflite", "-o", out)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertIn('give "r" the encoding of "x"', result.stdout)
        self.assertIn('quantize "s" with scale 0.00390625, zero_point -128', result.stdout)
        self.assertEqual(self.run_cli("check", out, "--backend", "tflite").returncode, 0)
        before, after = Path(path).read_bytes(), Path(out).read_bytes()
        self.assertEqual(len(before), len(after))
        # Two scales and two zero points, and nothing else.
        self.assertLessEqual(sum(a != b for a, b in zip(before, after)), 2 * (4 + 8))
        again = json.loads(self.run_cli("convert", out, "-o", "-").stdout)
        encodings = {tensor["name"]: tensor.get("encoding", {}).get("perTensor") for tensor in again["tensors"]}
        self.assertEqual(encodings["r"], {"scale": 0.05, "zeroPoint": -3})
        self.assertEqual(encodings["s"], {"scale": 0.00390625, "zeroPoint": -128})

    def test_a_model_without_findings_comes_out_identical(self) -> None:
        path, out = self.model(), self.folder / "fixed.tflite"
        self.run_cli("fix", path, "--backend", "tflite", "-o", str(out))
        self.run_cli("fix", str(out), "--backend", "tflite", "-o", str(self.folder / "again.tflite"))
        self.assertEqual(out.read_bytes(), (self.folder / "again.tflite").read_bytes())

    def test_what_is_left_says_why(self) -> None:
        """A maximum of unequal encodings: its values would move."""
        result = self.run_cli("fix", str(ROOT / "docs/examples/keywords.tflite"), "--backend", "tflite", "--format", "json")
        report = json.loads(result.stdout)
        self.assertEqual([left["why"] for left in report["left"]], ["its values would move by up to 0.01, half a step"])

    def two_maxima(self) -> str:
        """Of inputs of the model, which stay as they are, in another encoding than the results."""
        def tensor(name: str, scale: float, zero: int) -> dict:
            return {"name": name, "dtype": "SFIXED_POINT_8", "dims": [1, 8],
                    "encoding": {"perTensor": {"scale": scale, "zeroPoint": zero}}}

        model = {"name": "m", "dialect": "tflite",
                 "tensors": [tensor("a", 0.05, -3), tensor("b", 0.03, 7), tensor("c", 0.05, -3), tensor("d", 0.05, -3)],
                 "nodes": [{"op": "MAXIMUM", "inputs": ["a", "b"], "outputs": ["c"]},
                           {"op": "MINIMUM", "inputs": ["c", "b"], "outputs": ["d"]}]}
        path = str(self.folder / "maxima.tflite")
        self.assertEqual(self.run_cli("convert", self.path("maxima.json", model), "-o", path).returncode, 0)
        return path

    def test_a_tensor_that_others_read_is_converted_once(self) -> None:
        path, out = self.two_maxima(), str(self.folder / "fixed.tflite")
        self.assertEqual(self.run_cli("check", path, "--backend", "tflite").returncode, 1)
        result = self.run_cli("fix", path, "--backend", "tflite", "-o", out)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertIn('convert "b" to', result.stdout)
        self.assertEqual(self.run_cli("check", out, "--backend", "tflite").returncode, 0)
        after = json.loads(self.run_cli("convert", out, "-o", "-").stdout)
        self.assertEqual([node["op"] for node in after["nodes"]], ["QUANTIZE", "MAXIMUM", "MINIMUM"])
        quantize, maximum, minimum = after["nodes"]
        self.assertEqual(quantize["inputs"], ["b"])
        self.assertEqual([maximum["inputs"], minimum["inputs"]], [["a", quantize["outputs"][0]], ["c", quantize["outputs"][0]]])
        encodings = {tensor["name"]: tensor["encoding"]["perTensor"] for tensor in after["tensors"]}
        self.assertEqual(encodings[quantize["outputs"][0]], encodings["a"])
        self.assertEqual(encodings["b"], {"scale": 0.03, "zeroPoint": 7})
        # The file stands whole behind what is new, but for one number of each operator.
        before, behind = Path(path).read_bytes(), Path(out).read_bytes()[-len(Path(path).read_bytes()):]
        self.assertLessEqual(sum(a != b for a, b in zip(before, behind)), 2)

    def reshaped(self) -> str:
        """Into an encoding that cuts what reaches it: it stays, as the cut may be meant."""
        def tensor(name: str, dims: list[int], scale: float, zero: int) -> dict:
            return {"name": name, "dtype": "SFIXED_POINT_8", "dims": dims,
                    "encoding": {"perTensor": {"scale": scale, "zeroPoint": zero}}}

        shape = {"tensor": {"dtype": "INT_32", "dims": [2], "ints": [1, 32]}}
        model = {"name": "m", "dialect": "tflite",
                 "tensors": [tensor("x", [1, 4, 4, 2], 0.05, -3), tensor("y", [1, 32], 0.03, 7),
                             {"name": "shape", "dtype": "INT_32", "dims": [2], "isStatic": True, "values": [1, 32]}],
                 "nodes": [{"op": "RESHAPE", "inputs": ["x", "shape"], "outputs": ["y"], "params": {"new_shape": shape}}]}
        path = str(self.folder / "reshaped.tflite")
        self.assertEqual(self.run_cli("convert", self.path("reshaped.json", model), "-o", path).returncode, 0)
        return path

    def test_a_result_is_converted_behind_the_operator(self) -> None:
        path, out = self.reshaped(), str(self.folder / "fixed.tflite")
        result = self.run_cli("fix", path, "--backend", "tflite", "-o", out)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        after = json.loads(self.run_cli("convert", out, "-o", "-").stdout)
        self.assertEqual([node["op"] for node in after["nodes"]], ["RESHAPE", "QUANTIZE"])
        self.assertEqual(after["nodes"][1]["outputs"], ["y"])
        encodings = {tensor["name"]: tensor.get("encoding", {}).get("perTensor") for tensor in after["tensors"]}
        self.assertEqual(encodings["y"], {"scale": 0.03, "zeroPoint": 7})
        self.assertEqual(encodings[after["nodes"][1]["inputs"][0]], encodings["x"])

    def test_interpreters_agree_before_and_after(self) -> None:
        """LiteRT copies stored integers before, and computes the right numbers after."""
        python = os.environ.get("QUANTGATE_LITERT_PYTHON") or str(Path(CLI).resolve().parents[1] / "litert/bin/python")
        if not Path(python).exists():
            self.skipTest("no ai-edge-litert: tools/dev/qgdev record litert installs it")
        path, out = self.model(), str(self.folder / "fixed.tflite")
        self.run_cli("fix", path, "--backend", "tflite", "-o", out)
        values = {}
        for name in (path, out):
            result = self.run_cli("verify", name, "--backend-lib", "litert", "--python", python, "--execute", "--format", "json")
            report = json.loads(result.stdout)
            self.assertEqual(report["summary"]["agrees"], 3, report["nodes"])
            values[name] = {node["name"]: node.get("values", {}).get("result") for node in report["nodes"]}
        self.assertEqual(values[path]["RESHAPE_0"], "wrong")
        self.assertEqual(set(values[out].values()), {"right"})
        for path, wanted in ((self.two_maxima(), "np.minimum(np.maximum(reals[0], reals[1]), reals[1])"),
                             (self.reshaped(), "reals[0].reshape(1, 32)")):
            off = []
            for file in (path, out):
                self.run_cli("fix", path, "--backend", "tflite", "-o", out)
                done = subprocess.run([python, "-c", STEPS_OFF, file, wanted], capture_output=True, text=True, check=True)
                off.append(float(done.stdout))
            self.assertGreater(off[0], 20)
            self.assertLessEqual(off[1], 1)


if __name__ == "__main__":
    unittest.main()
