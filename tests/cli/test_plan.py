"""quantgate plan: its JSON against its schema, its text and page, and what it refuses."""

from __future__ import annotations

import json
import unittest

from cli_case import good
from test_views import ViewCase


def floats(*names: str) -> dict:
    """A chain of convolutions in float."""
    conv = good()
    weight = {**conv["tensors"][1], "dims": [1, 1, 32, 32]}
    model: dict = {"name": "m", "tensors": [{"name": "x", "dims": [1, 8, 8, 32]}], "nodes": []}
    last = "x"
    for name in names:
        model["tensors"] += [{**weight, "name": f"{name}_w"}, {"name": name, "dims": [1, 8, 8, 32]}]
        model["nodes"].append({**conv["nodes"][0], "name": f"{name}_node", "inputs": [last, f"{name}_w"],
                               "outputs": [name]})
        last = name
    for tensor in model["tensors"]:
        tensor.pop("encoding", None)
        tensor["dtype"] = "FLOAT_32"
    return model


class Plans(ViewCase):
    def plan(self, model: dict, *arguments: str) -> dict:
        return self.json_of("plan", "plan", self.path("m.json", model), "--soc", "SM8550", *arguments)

    def test_as_wished(self) -> None:
        plan = self.plan(floats("a", "b"), "--precision", "16a8w")
        self.assertEqual([node["fit"] for node in plan["nodes"]], ["as_wished"] * 2)
        self.assertEqual(plan["nodes"][0]["ops"][0]["precision"], "16a8w")
        tensors = {tensor["name"]: tensor for tensor in plan["tensors"]}
        self.assertEqual(tensors["a"]["dtype"], "UFIXED_POINT_16")
        self.assertEqual((tensors["a_w"]["dtype"], tensors["a_w"]["encoding"], tensors["a_w"]["axis"]),
                         ("SFIXED_POINT_8", "perChannel", 3))
        self.assertEqual(plan["converts"], [])

    def test_forms_of_weights(self) -> None:
        for form, dtype, encoding, bits in (("per-tensor", "SFIXED_POINT_8", "perTensor", None),
                                            ("int4", "SFIXED_POINT_8", "perChannel", 4),
                                            ("lpbq:16", "SFIXED_POINT_8", "lpbq", 4)):
            with self.subTest(form=form):
                plan = self.plan(floats("a"), "--precision", "16a8w", "--weights", form)
                weight = next(t for t in plan["tensors"] if t["role"] == "weight")
                self.assertEqual((weight["dtype"], weight["encoding"], weight.get("bits")),
                                 (dtype, encoding, bits))
                self.assertEqual(plan["nodes"][0]["fit"], "as_wished")

    def test_overrides(self) -> None:
        plan = self.plan(floats("a", "b", "c"), "--precision", "8a8w", "--override", "b*=16a8w")
        self.assertEqual([node["wished"] for node in plan["nodes"]], ["8a8w", "16a8w", "8a8w"])
        self.assertEqual([(c["tensor"], c["node"]) for c in plan["converts"]],
                         [("a", "b_node"), ("b", "c_node")])
        self.assertEqual(plan["summary"]["converts"], 2)

    def test_what_cannot_be_had_has_a_reason(self) -> None:
        model = self.path("m.json", floats("a"))
        text = self.text_of("plan", model, "--precision", "16a16w", "--arch", "v68")
        self.assertIn("Conv2d as 16a8w instead of 16a16w", text)
        self.assertIn("1 in the nearest precision", text)
        self.assertRegex(text, r"QG\d{3} htp/Conv2d")

    def test_page(self) -> None:
        page = self.page_of("plan", self.path("m.json", floats("a", "<b>")), "--precision", "8a8w")
        self.assertIn("p-8a8w", page)
        self.assertIn("&lt;b&gt;_node", page)

    def test_unusable(self) -> None:
        model = self.path("m.json", floats("a", "b"))
        quantized = self.path("q.json", good())
        for says, *arguments in (
                ("--precision is missing", model),
                ('no precision "8a9w"', model, "--precision", "8a9w"),
                ("no form of weights", model, "--precision", "8a8w", "--weights", "int5"),
                ("is not NODE=PRECISION", model, "--precision", "8a8w", "--override", "a_node"),
                ("did you mean a_node", model, "--precision", "8a8w", "--override", "a_nod=fp16"),
                ("a name like", model, "--precision", "8a8w", "--override", "q*=fp16"),
                ("contradict each other", model, "--precision", "8a8w", "--override", "a*=fp16",
                 "--override", "*=16a8w"),
                ("quantized already", quantized, "--precision", "8a8w"),
                ("no-such-file", "no-such-file.onnx", "--precision", "8a8w"),
                ("SM8550", model, "--precision", "8a8w", "--soc", "SM855"),
                ("--minimize", model, "--precision", "8a8w", "--minimize", "time")):
            with self.subTest(says=says):
                self.unusable("plan", *arguments, says=says)

    def test_equal_in_every_run(self) -> None:
        model = self.path("m.json", floats("a", "b"))
        runs = {self.run_cli("plan", model, "--precision", "8a8w", "--format", "json").stdout
                for _ in range(3)}
        self.assertEqual(len(runs), 1)
        json.loads(runs.pop())


if __name__ == "__main__":
    unittest.main()
