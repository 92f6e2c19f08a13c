#!/usr/bin/env python3
"""The comparison finds each kind of difference, and its log parser reads what it should."""

from __future__ import annotations

import unittest

import ask_provider
import compare


def recording(refused=(), prepare_fails=(), not_judged=(), in_float=()):
    return {"model": "m.onnx", "units": ["a", "q"],
            "answers": {"v73": {"session": "ok", "refused": list(refused), "float": list(in_float),
                                "prepare_fails": list(prepare_fails),
                                "not_judged": list(not_judged)}}}


def nodes(verdict, into=""):
    q = {"name": "q", "verdict": "accepted"} | ({"into": into} if into else {})
    return {"a": {"name": "a", "verdict": verdict}, "q": q}


class Compare(unittest.TestCase):
    def differences(self, answers, report):
        return compare.compare(answers, "v73", report)

    def test_agreement_counts_units(self):
        self.assertEqual(self.differences(recording(), nodes("altered")), (2, set()))
        self.assertEqual(self.differences(recording(refused=["a"]), nodes("rejected")), (2, set()))
        self.assertEqual(self.differences(recording(prepare_fails=["a"]), nodes("prepare_fails")),
                         (2, set()))

    def test_each_kind_of_difference(self):
        for answers, verdict, kind in ((recording(), "rejected", "refused-but-fine"),
                                       (recording(), "prepare_fails", "refused-but-fine"),
                                       (recording(refused=["a"]), "wrong_values", "fine-but-refused"),
                                       (recording(prepare_fails=["a"]), "accepted", "fine-but-refused"),
                                       (recording(refused=["a"]), "unchecked", "unknown"),
                                       (recording(in_float=["a"]), "accepted", "float-unsaid")):
            self.assertEqual(self.differences(answers, nodes(verdict))[1], {(kind, "a")})
        self.assertEqual(self.differences(recording(in_float=["a"]), nodes("altered"))[1], set())

    def test_what_nobody_judged_is_no_evidence(self):
        self.assertEqual(self.differences(recording(not_judged=["a"]), nodes("rejected")), (1, set()))

    def test_an_absorbed_node_has_the_verdict_of_its_host(self):
        self.assertEqual(self.differences(recording(refused=["a", "q"]), nodes("rejected", "a")),
                         (2, set()))
        self.assertEqual(self.differences(recording(refused=["q"]), nodes("accepted", "a"))[1],
                         {("fine-but-refused", "q")})
        # Taken as a unit of its own: says nothing about the host.
        self.assertEqual(self.differences(recording(refused=["a"]), nodes("rejected", "a")), (1, set()))

    def test_a_node_missing_in_the_report_stops_the_run(self):
        with self.assertRaises(SystemExit):
            self.differences(recording(), {"a": {"name": "a", "verdict": "accepted"}})


class ParseUnits(unittest.TestCase):
    def test_a_unit_goes_by_its_op_and_the_last_pass_decides(self):
        def block(word, size, op, members):
            lines = [f"[V] LogNodeSupport] Validation {word} for {size} nodes in OrtNodeUnit ({op}) :"]
            return lines + [f"\tOperator type: {o} Node name: {n} Node index: 1" for o, n in members]

        conv = [("DequantizeLinear", "x_dq"), ("Conv", "my conv"), ("QuantizeLinear", "y_q")]
        passed, failed = block("PASSED", 3, "Conv", conv), block("FAILED", 3, "Conv", conv)
        once = block("PASSED", 1, "QuantizeLinear", [("QuantizeLinear", "in_q")])
        self.assertEqual(ask_provider.parse_units("\n".join(failed + once + passed))["my conv"]["verdict"], "taken")
        self.assertEqual(ask_provider.parse_units("\n".join(passed + ["noise"] + failed + once)), {
            "my conv": {"op": "Conv", "size": 3, "verdict": "refused"},
            "in_q": {"op": "QuantizeLinear", "verdict": "taken", "size": 1}})

    def test_session_states(self):
        self.assertEqual(ask_provider.session_state(""), "ok")
        self.assertEqual(ask_provider.session_state("Failed to finalize QNN graph."), "finalize_fails")
        self.assertEqual(ask_provider.session_state("Node 'n' is invalid"), "invalid")


if __name__ == "__main__":
    unittest.main()
