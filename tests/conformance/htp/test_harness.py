#!/usr/bin/env python3
"""The comparison finds each kind of difference, and the recording survives the round trip."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import compare
import store


def model(op: str, name: str = "") -> dict:
    return {"name": name, "tensors": [{"name": "x", "dtype": "UINT_8", "dims": [1]}], "nodes": [{"op": op, "inputs": ["x"]}]}


def said(verdict: str, *findings: tuple[str, str]) -> dict:
    return {"verdict": verdict, "findings": [list(f) for f in findings]}


class Validation(unittest.TestCase):
    def test_each_agreement(self) -> None:
        for answer, verdict, expected in (
            ("accepted", "accepted", compare.AGREES), ("accepted", "wrong_values", compare.AGREES),
            ("accepted", "rejected", compare.FALSE_REJECTION), ("rejected", "rejected", compare.AGREES),
            ("rejected", "prepare_fails", compare.FALSE_ACCEPTANCE), ("rejected", "unchecked", compare.UNKNOWN),
            ("crash SIGFPE", "accepted", compare.FALSE_ACCEPTANCE), ("crash SIGFPE", "rejected", compare.AGREES),
            ("not queried", "accepted", compare.NOT_ASKED),
        ):  # fmt: skip
            self.assertEqual(compare.of_validation(answer, verdict), expected, (answer, verdict))

    def test_values(self) -> None:
        wrong = said("rejected", ("wrong_values", "c"), ("rejected", "d"))
        self.assertEqual(compare.of_values("wrong", wrong), compare.AGREES)
        self.assertEqual(compare.of_values("right", wrong), compare.FALSE_ALARM)
        self.assertEqual(compare.of_values("wrong", said("rejected", ("rejected", "d"))), compare.MISSED)
        self.assertEqual(compare.of_values("between", wrong), compare.NOT_ASKED)


class Recorded(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.enterContext(mock.patch.object(store, "FOLDER", Path(folder.name)))
        self.enterContext(mock.patch.object(compare, "KNOWN", Path(folder.name) / "known.json"))
        self.recording = store.Recording("validation", [model("A"), model("B"), model("C")],
                                         {"2.51 v73": {"build": "b", "answers": store.pack("arF")}})  # fmt: skip

    def test_survives_the_round_trip(self) -> None:
        self.recording.save()
        again = store.Recording.load("validation")
        self.assertEqual(again.configurations, self.recording.configurations)
        self.assertEqual(again.validation("2.51 v73"), ["accepted", "rejected", "crash SIGFPE"])

    def test_answers_of_other_configurations_are_refused(self) -> None:
        self.recording.save()
        index = store.FOLDER / "validation.json"
        index.write_text(index.read_text().replace('"sha256": "', '"sha256": "0'))
        with self.assertRaises(SystemExit):
            store.Recording.load("validation")

    def test_a_name_does_not_change_the_digest(self) -> None:
        self.assertEqual(store.digest(model("A", "x")), store.digest(model("A", "y")))
        self.assertNotEqual(store.digest(model("A")), store.digest(model("B")))

    def test_new_and_gone_differences_are_problems_until_updated(self) -> None:
        verdicts = [said("rejected", ("rejected", "htp/A/c")), said("rejected"), said("accepted")]
        result = compare.validation(self.recording, "2.51 v73", verdicts)
        self.assertEqual([d.agreement for d in result.differences], [compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE])
        self.assertEqual(len(compare.problems(result.differences, [])), 2)
        compare.update_known(result.differences, [])
        known = compare.load_known()
        self.assertEqual({e["reason"] for e in known}, {compare.UNEXPLAINED})
        self.assertEqual(compare.problems(result.differences, known), [])
        self.assertIn("1 listed differences are gone", compare.problems(result.differences[:1], known)[0])

    def test_an_update_keeps_reasons(self) -> None:
        verdicts = [said("rejected", ("rejected", "htp/A/c")), said("rejected"), said("rejected")]
        differences = compare.validation(self.recording, "2.51 v73", verdicts).differences
        compare.update_known(differences, [])
        entries = compare.load_known()
        entries[0]["reason"] = "because"
        compare.update_known(differences, entries)
        self.assertEqual([e["reason"] for e in compare.load_known()], ["because"])
        compare.update_known([], compare.load_known())
        self.assertEqual(json.loads(compare.KNOWN.read_text()), {"differences": []})


if __name__ == "__main__":
    unittest.main()
