"""`quantgate check --as-run`, `--all-socs` and `--suggest`."""

from __future__ import annotations

import json
import re
import unittest

from cli_case import ROOT, CliCase, bad, good

EXAMPLES = ROOT / "docs" / "examples"
PLANTED = str(EXAMPLES / "planted.onnx")


class AsRun(CliCase):
    def as_run(self, *arguments: str) -> dict:
        return self.report(*arguments, "--as-run", "--mode", "warn")["asRun"]

    def test_nothing_of_it_without_the_flag(self) -> None:
        self.assertNotIn("asRun", self.report(PLANTED, "--mode", "warn"))

    def test_each_change_is_told_with_both_sides(self) -> None:
        run = self.as_run(PLANTED, "--soc", "SM8550")
        changes = {(c["node"], c["kind"]): c for c in run["changes"]}
        tanh = changes["tanh_16bit_scale_not_the_fixed_one", "encoding"]
        self.assertIn("scale 0.0001,", tanh["written"])
        self.assertIn("scale 3.051758e-05", tanh["runs"])
        reshape = changes["reshape_in_and_out_scale_differ", "float"]
        self.assertEqual((reshape["written"], reshape["runs"]), ("UFIXED_POINT_8", "FLOAT_16"))
        half = changes["add_half_quantized", "float"]
        self.assertEqual((half["written"], half["runs"]), ("UFIXED_POINT_8", "FLOAT_16"))

    def test_every_node_has_a_place_and_counts_agree(self) -> None:
        run = self.as_run(PLANTED, "--soc", "SM8550")
        report = self.report(PLANTED, "--soc", "SM8550", "--mode", "warn")
        self.assertEqual([n["node"] for n in run["nodes"]], [n["name"] for n in report["nodes"]])
        for placement, count in run["placements"].items():
            self.assertEqual(sum(n["placement"] == placement for n in run["nodes"]), count)
        by_name = {n["node"]: n["placement"] for n in run["nodes"]}
        self.assertEqual(by_name["det_is_no_op_of_the_npu"], "cpu")
        self.assertEqual(by_name["add_half_quantized"], "npu_float")
        self.assertEqual(by_name["tanh_16bit_scale_not_the_fixed_one"], "npu_quantized")
        for verdict, node in zip(report["nodes"], run["nodes"]):
            if verdict["verdict"] == "rejected":
                self.assertEqual(node["placement"], "cpu", node)

    def test_pieces_hold_the_nodes_they_say(self) -> None:
        run = self.as_run(str(EXAMPLES / "bert_8a8w.onnx"), "--soc", "SM8550")
        sizes = [0] * len(run["partitions"])
        for node in run["nodes"]:
            if "partition" in node:
                self.assertIn(node["placement"], ("npu_quantized", "npu_float", "npu_integer"))
                sizes[node["partition"]] += 1
        self.assertEqual(sizes, [partition["nodes"] for partition in run["partitions"]])

    def test_a_refused_conv_ends_the_session(self) -> None:
        session = self.as_run(PLANTED, "--soc", "SM8550")["session"]
        self.assertFalse(session["made"])
        self.assertIn("conv_weight_asymmetric_in_2_of_16_channels", session["nodes"])
        self.assertNotIn("conv_weight_per_channel_on_input_axis", session["nodes"])
        fine = self.as_run(str(EXAMPLES / "resnet18_16a8w.onnx"), "--soc", "SM8550")
        self.assertEqual(fine["session"], {"made": True})
        self.assertEqual(len(fine["partitions"]), 1)

    def test_the_direct_route_has_no_fallback(self) -> None:
        run = self.as_run(self.path("m.json", bad()))
        self.assertEqual(run["nodes"][0]["placement"], "refused")
        self.assertEqual(run["partitions"], [])

    def test_the_text_tells_differences_before_places(self) -> None:
        result = self.run_cli("check", PLANTED, "--soc", "SM8550", "--as-run", "--mode", "warn")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess(result.stdout.index("other encoding than written"),
                        result.stdout.index("NPU, quantized"))
        self.assertIn("nothing runs", result.stdout)
        result = self.run_cli("check", self.path("m.json", good()), "--as-run")
        self.assertTrue(result.stdout.endswith("as run: runs as written\n"), result.stdout)

    def test_the_exit_status_stays_that_of_the_mode(self) -> None:
        self.report(PLANTED, "--as-run", status=1)
        self.report(self.path("m.json", good()), "--as-run", status=0)


class AllSocs(CliCase):
    def survey(self, *arguments: str, status: int = 0) -> dict:
        result = self.run_cli("check", *arguments, "--all-socs", "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (status, ""))
        return json.loads(result.stdout)

    def test_every_chip_stands_once(self) -> None:
        survey = self.survey(self.path("m.json", good()))
        listed = sorted(name for arch in survey["archs"] for name in arch["socs"])
        targets = json.loads(self.run_cli("targets", "--format", "json").stdout)
        self.assertEqual(listed, sorted(soc["name"] for soc in targets["socs"]))

    def test_each_arch_has_the_verdicts_of_its_own_check(self) -> None:
        for model in (PLANTED, str(EXAMPLES / "bert_16a8w.onnx"), str(ROOT / "docs/examples/planted_qnn.json")):
            survey = self.survey(model, "--mode", "warn")
            for arch in survey["archs"]:
                if not arch["arch"]:
                    continue
                report = self.report(model, "--soc", arch["socs"][0], "--mode", "warn", "--as-run")
                self.assertEqual(arch["summary"], report["summary"], (model, arch["arch"]))
                self.assertEqual(arch["partitions"], len(report["asRun"]["partitions"]))
                self.assertEqual(arch["cpuNodes"], report["asRun"]["placements"]["cpu"])

    def test_fits_falls_back_fails(self) -> None:
        def fit(model, arch):
            return next(a["fit"] for a in self.survey(model, "--mode", "warn")["archs"] if a["arch"] == arch)

        self.assertEqual(fit(str(EXAMPLES / "resnet18_16a8w.onnx"), "v73"), "fits")
        self.assertEqual(fit(str(EXAMPLES / "bert_8a8w.onnx"), "v73"), "falls_back")
        self.assertEqual(fit(PLANTED, "v73"), "fails")
        self.assertEqual(fit(self.path("m.json", bad()), "v73"), "fails")

    def test_exit_status(self) -> None:
        self.survey(self.path("m.json", good()), status=0)
        self.survey(self.path("m.json", bad()), status=1)
        self.survey(self.path("m.json", bad()), "--mode", "warn", status=0)

    def test_text(self) -> None:
        result = self.run_cli("check", self.path("m.json", good()), "--all-socs")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"  v73 +fits ")
        self.assertRegex(result.stdout, r"\d+ of \d+ chips fit, 0 fall back to the CPU, 0 fail; [0-9.]+ ms\n\Z")

    def test_bad_arguments(self) -> None:
        path = self.path("m.json", good())
        for flag in (["--soc", "SM8550"], ["--arch", "v73"], ["--as-run"], ["--suggest"]):
            self.unusable("check", path, "--all-socs", *flag, says=("--all-socs", flag[0]))
        self.unusable("check", path, "--all-socs", "--backend", "gpu", says="no chips")
        self.unusable("check", path, "--all-socs", "--sdk", "1.0", says="1.0")
        self.unusable("check", self.path("none.json"), "--all-socs", says="none.json")


def good_params() -> dict:
    return good()["nodes"][0]["params"]


class Suggestions(CliCase):
    def test_the_order_is_encoding_row_arch_sdk(self) -> None:
        report = self.report(PLANTED, "--arch", "v69", "--mode", "warn", "--suggest")
        by_node = {f["node"]: [fix["summary"] for fix in f["fixes"]] for f in report["findings"]
                   if f["consequence"] == "rejected" and f["fixes"]}
        gemm = by_node["gemm_16bit_weight_needs_v73"]
        self.assertRegex(gemm[0], r"^make in\[1\] [US]FIXED_POINT_8 \(u?int8\) \(row ")
        self.assertTrue(gemm[-1].startswith("target v73 ("), gemm)

    def test_a_suggestion_runs(self) -> None:
        path = self.path("m.json", bad())
        finding = next(f for f in self.report(path, "--suggest", status=1)["findings"]
                       if f["consequence"] == "rejected")
        self.assertTrue(finding["fixes"])
        self.assertIn("edits", finding["fixes"][0])

    @staticmethod
    def tensor(name: str, dtype: str, dims: list[int], **encoding: dict) -> dict:
        return {"name": name, "dtype": dtype, "dims": dims, "isStatic": name == "w",
                "encoding": encoding or {"perTensor": {"scale": 0.02, "zeroPoint": 128}}}

    @staticmethod
    def channels(axis: int, zero_points: list[int], scales: int = 4) -> dict:
        return {"axis": axis, "scales": [0.02] * scales, "zeroPoints": zero_points}

    def ways(self, op: str, *tensors: dict, params: dict | None = None, flags: tuple[str, ...] = ()) -> list[dict]:
        """The fixes of the finding that has the most. The last tensor is the output."""
        *inputs, output = (t["name"] for t in tensors)
        model = {"dialect": "qnn", "tensors": list(tensors),
                 "nodes": [{"name": "n", "op": op, "inputs": inputs, "outputs": [output], "params": params or {}}]}
        report = self.report(self.path("m.json", model), "--suggest", *flags, status=1)
        return max((f["fixes"] for f in report["findings"]), key=len)

    def conv(self, weight: dict, *flags: str) -> list[dict]:
        return self.ways("Conv2d", self.tensor("x", "UFIXED_POINT_8", [1, 8, 8, 2]), weight,
                         self.tensor("y", "UFIXED_POINT_8", [1, 8, 8, 4]), params=good_params(), flags=flags)

    def weight(self, dtype: str = "SFIXED_POINT_8", **encoding: dict) -> dict:
        return self.tensor("w", dtype, [1, 1, 2, 4], **encoding)

    def test_a_symmetric_encoding(self) -> None:
        (way,) = self.conv(self.weight(perChannel=self.channels(3, [1, 2, 3, 4])))
        self.assertEqual('quantize "w" symmetric: zero_point 0 in every channel', way["summary"])
        self.assertEqual([{"op": "set", "path": "tensors/w/encoding/perChannel/zeroPoints", "value": [0]}], way["edits"])

    def test_the_axis_of_the_output_channels(self) -> None:
        on_axis = "quantize in[1] per-channel on the axis of the output channels"
        for axis, entries in ((2, 2), (1, 1)):
            ways = self.conv(self.weight(perChannel=self.channels(axis, [0] * entries, entries)))
            self.assertEqual(on_axis, ways[-1]["summary"])
            self.assertEqual([], ways[-1]["edits"])
        ways = self.conv(self.weight(perChannel=self.channels(2, [5, 7], 2)))
        self.assertEqual("quantize in[1] symmetric per-channel on the axis of the output channels", ways[-1]["summary"])

    def test_one_encoding_for_the_tensor(self) -> None:
        ways = self.ways("Relu", self.tensor("x", "UFIXED_POINT_8", [1, 8, 8, 4], perChannel=self.channels(3, [128] * 4)),
                         self.tensor("y", "UFIXED_POINT_8", [1, 8, 8, 4]))
        self.assertEqual("quantize in[0] per-tensor", ways[-1]["summary"])

    def test_rows_nearest_first_and_three_at_most(self) -> None:
        ways = self.conv(self.weight("SFIXED_POINT_16", perTensor={"scale": 0.01, "zeroPoint": 0}), "--arch", "v68")
        rows = [way["summary"] for way in ways if way["summary"].startswith("make ")]
        self.assertEqual(["make in[1] UFIXED_POINT_8 (row INT8.1)", "make in[1] SFIXED_POINT_8 (row INT8.3)",
                          "make in[0] SFIXED_POINT_8, in[1] UFIXED_POINT_8 and out[0] SFIXED_POINT_8 (row INT8.5)"], rows)
        self.assertEqual([{"op": "set", "path": "tensors/w/dtype", "value": "SFIXED_POINT_8"}], ways[1]["edits"])

    def test_no_row_of_another_kind_of_number(self) -> None:
        ways = self.ways("Relu", {"name": "x", "dtype": "FLOAT_32", "dims": [1, 8]}, self.tensor("y", "UFIXED_POINT_8", [1, 8]))
        self.assertEqual([way["summary"] for way in ways], ["make out[0] FLOAT_32 (row FP16.2)"])

    def test_chips_and_sdks(self) -> None:
        wide = self.weight("SFIXED_POINT_16", perTensor={"scale": 0.01, "zeroPoint": 0})
        x, y = (self.tensor(name, "UFIXED_POINT_16", [1, 8, 8, channels], perTensor={"scale": 0.01, "zeroPoint": 32768})
                for name, channels in (("x", 2), ("y", 4)))
        ways = [way["summary"] for way in self.ways("Conv2d", x, wide, y, params=good_params(), flags=("--arch", "v69"))]
        chips = [way for way in ways if way.startswith("target ")]
        self.assertEqual(1, len(chips), ways)
        self.assertRegex(chips[0], r"^target v73 \([^ ,]+, [^ ,]+, [^ ,]+, …\)$")
        for chip in re.findall(r"([^ ,(]+), ", chips[0]):
            report = self.report(self.path("good.json", good()), "--soc", chip, status=0)
            self.assertEqual("v73", report["target"]["arch"], chip)
        self.assertFalse([way for way in ways if way.startswith("use SDK")], ways)


if __name__ == "__main__":
    unittest.main()
