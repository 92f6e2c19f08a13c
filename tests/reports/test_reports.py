"""The format of reported failures, and that the score tells good answers from bad ones."""

from __future__ import annotations

import copy
import json
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import collection
import compact
import run
import scoring
from collection import Draw, Mistake
from scoring import Answer

LINK = "https://github.com/pytorch/executorch/issues/"
KNOWN = frozenset({"QG201", "QG301", "QG501"})
LOG = {
    "id": "a-log", "link": LINK + "1", "title": "A title", "kind": "log", "topic": "logs", "fault": "model",
    "log": ["[ERROR] Rank 6."],
    "expect": {"says": "Rank 6 is one too many.", "node": "n", "rules": ["QG501"],
               "reason": ["rank 6", "at most 5"], "action": "reshape"},
}
MODEL = {
    "id": "a-model", "link": LINK + "2", "title": "A title", "kind": "model", "topic": "rules",
    "fault": "quantizer", "target": {"soc": "SM8550", "route": "direct"}, "command": "check",
    "model": {"dialect": "qnn",
              "tensors": {"x": "u8[1,4] 0.1/3", "y": "u8[1,4] 0.1/3"},
              "nodes": {"relu": {"op": "Relu", "in": ["x"], "out": ["y"]}}},
    "expect": {"says": "It is too much.", "at": "relu", "rules": ["QG501", "new"], "reason": "rank",
               "least": "altered"},
    "works": {"model": {"tensors": {"x": "u8[1,2] 0.1/3"}}},
}


def changed(case: dict, path: str, value: object) -> dict:
    """The case with the value at a/b/c replaced, or without it for None."""
    case = copy.deepcopy(case)
    *parents, last = path.split("/")
    place = case
    for parent in parents:
        place = place[parent]
    if value is None:
        place.pop(last)
    else:
        place[last] = value
    return case


def explained(**fields: object) -> Answer:
    finding = {"line": 1, "node": "n", "means": "it has rank 6, at most 5", "causes": ["reshape it"],
               "rules": ["QG501"], "message": "[ERROR] Rank 6.", **fields}
    return Answer(0, "", {"findings": [finding]})


def found(**fields: object) -> Answer:
    finding = {"code": "QG501", "consequence": "rejected", "node": "relu", "message": "rank 6", "found": "",
               "allowed": "rank 1 to 5", **fields}
    return Answer(1, "", {"findings": [finding], "target": {"arch": "v73"}, "notes": []})


class Format(unittest.TestCase):
    def refused(self, case: dict, says: str) -> None:
        with self.assertRaisesRegex((Mistake, compact.Mistake), says):
            collection.check_case(case)

    def test_good_cases(self) -> None:
        collection.check_case(LOG)
        collection.check_case(MODEL)

    def test_mistakes_are_named(self) -> None:
        for case, path, value, says in (
                (LOG, "log", ["a"] * 4, "at most 3"),
                (LOG, "log", [], "no list of lines"),
                (LOG, "kind", "film", "kind is none of"),
                (LOG, "topic", "rules", "goes with"),
                (LOG, "fault", "moon", "fault is none of"),
                (LOG, "link", "https://example.org/1", "no thread"),
                (LOG, "id", "A b", "id is not"),
                (LOG, "hold_out", True, "unknown hold_out"),
                (LOG, "title", None, "missing: title"),
                (LOG, "expect/says", "", "no sentence"),
                (LOG, "expect/least", "altered", "unknown least"),
                (LOG, "expect/reason", ["("], "expect.reason"),
                (LOG, "expect/reason", [], "no list of regular"),
                (LOG, "expect/rules", ["QG5"], "no rule's code"),
                (MODEL, "expect/at", "sigmoid", "no node sigmoid"),
                (MODEL, "expect/least", "bad", "least is none of"),
                (MODEL, "expect/arch", "v73", "go with `at: target`"),
                (MODEL, "target/chip", "x", "unknown chip"),
                (MODEL, "target/soc", 639, "quote numbers"),
                (MODEL, "command", "check --encodings", "encodings come with"),
                (MODEL, "works", {}, "works is empty"),
                (MODEL, "contradicted", {"measured": "It is right."}, "contradicted.libraries"),
                (MODEL, "contradicted", {"libraries": "2.51", "measured": ""}, "contradicted.measured"),
                (LOG, "contradicted", {"libraries": "2.51", "measured": "a"}, "unknown contradicted"),
                (MODEL, "works/model", {"tensors": {"x": None}}, "no tensor x"),
                (MODEL, "model/tensors/x", "u9[1]", "unknown dtype"),
                (MODEL, "model/tensors/x", "u8[1]", "has a scale"),
                (MODEL, "model/tensors/x", "f32[1] 0.1", "has no scale"),
                (MODEL, "model/tensors/z", "f32[1]", "no node has: z"),
                (MODEL, "model/dialect", "tf", "unknown dialect")):
            with self.subTest(path=path, value=value):
                self.refused(changed(case, path, value), says)

    def test_file_and_case_are_named(self) -> None:
        text = json.dumps({"cases": [changed(LOG, "kind", "film")]})
        with self.assertRaisesRegex(Mistake, r"\Aa\.yaml: a-log: kind"):
            collection.load_text(text, "a.yaml")

    def test_no_key_twice(self) -> None:
        with self.assertRaisesRegex(collection.Mistake, "a.yaml: title is there twice"):
            collection.load_text("cases:\n  - title: one\n    title: two\n", "a.yaml")

    def test_works_is_a_patch(self) -> None:
        self.assertEqual(collection.merge({"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"b": None, "c": [2]}}),
                         {"a": {"c": [2]}, "d": 2})
        case = collection.case_of(MODEL)
        self.assertEqual(case.works.model["tensors"][0]["dims"], [1, 2])
        self.assertEqual(case.model["tensors"][0]["dims"], [1, 4])

    def test_collection_is_as_large_as_promised(self) -> None:
        cases = collection.load()
        self.assertGreaterEqual(len(cases), 120)
        self.assertGreaterEqual(sum(case.kind == "log" for case in cases), 40)
        self.assertGreaterEqual(len({case.project for case in cases}), 8)


class Expansion(unittest.TestCase):
    def test_qnn(self) -> None:
        model = compact.expand({
            "dialect": "qnn",
            "tensors": {"x": "u8[1,?] 0.5/3", "w": "const s8[2,4] 0.1@0", "y": "f16[1,4]"},
            "nodes": {"n": {"op": "O", "in": ["x", "w"], "out": ["y"], "params": {"a": [[0, 1]], "b": -1}}}})
        x, w, y = model["tensors"]
        self.assertEqual(x, {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, -1],
                             "encoding": {"perTensor": {"scale": 0.5, "zeroPoint": 3}}})
        self.assertEqual(w["encoding"], {"perChannel": {"axis": 0, "scales": [0.1], "zeroPoints": [0]}})
        self.assertTrue(w["isStatic"])
        self.assertEqual(y, {"name": "y", "dtype": "FLOAT_16", "dims": [1, 4]})
        self.assertEqual(model["nodes"][0]["params"], {
            "a": {"tensor": {"dtype": "UINT_32", "dims": [1, 2], "ints": [0, 1]}}, "b": {"int": -1}})

    def test_onnx_quantizes_around_each_node(self) -> None:
        model = compact.expand({
            "dialect": "onnx",
            "tensors": {"x": "u8[1,4] 0.5/3", "w": {"is": "const s8[4,4] 0.1", "values": [1, 2]},
                        "y": "u8[1,4] 0.5/3"},
            "nodes": {"n": {"op": "MatMul", "in": ["x", "w"], "out": ["y"]}}})
        self.assertEqual([(node["name"], node["inputs"][0], node["outputs"][0]) for node in model["nodes"]],
                         [("x_q", "x", "x__q"), ("x_dq", "x__q", "x__dq"), ("w_dq", "w__q", "w"),
                          ("n", "x__dq", "y__f"), ("y_q", "y__f", "y__q"), ("y_dq", "y__q", "y")])
        weight = next(tensor for tensor in model["tensors"] if tensor["name"] == "w__q")
        self.assertEqual(weight["values"], [1, 2] * 8)


class Logs(unittest.TestCase):
    def status(self, answer: Answer, path: str = "", value: object = None) -> str:
        case = collection.case_of(changed(LOG, path, value) if path else LOG)
        return scoring.score(case, answer, KNOWN).status

    def test_understood(self) -> None:
        self.assertEqual(self.status(explained()), "reported")

    def test_each_part_counts(self) -> None:
        for answer in (explained(node="m"), explained(means="rank 6"), explained(causes=[]),
                       explained(rules=[]), explained(rules=["QG501", "QG201"])):
            self.assertEqual(self.status(answer), "partly", answer)
        self.assertEqual(self.status(Answer(0, "", {"findings": []})), "missed")
        self.assertEqual(self.status(explained(node="m", means="who knows")), "missed")

    def test_the_line_itself_is_no_explanation(self) -> None:
        self.assertEqual(self.status(explained(means="", node="", message="rank 6, at most 5")), "missed")

    def test_rules(self) -> None:
        for rules, named, status in ((["QG501", "none"], [], "reported"), ([], [], "reported"),
                                     ([], ["QG501"], "partly"), (["new"], [], "reported"),
                                     (["QG501", "new"], ["QG999"], "reported"),
                                     (["QG501", "new"], ["QG201"], "partly"),
                                     (None, ["QG201"], "reported")):
            with self.subTest(rules=rules, named=named):
                self.assertEqual(self.status(explained(rules=named), "expect/rules", rules), status)


class Models(unittest.TestCase):
    def status(self, answer: Answer) -> str:
        return scoring.score(collection.case_of(MODEL), answer, KNOWN).status

    def test_reported(self) -> None:
        self.assertEqual(self.status(found()), "reported")
        self.assertEqual(self.status(found(code="QG999")), "reported")
        self.assertEqual(self.status(found(consequence="altered")), "reported")

    def test_the_right_node_for_the_right_reason(self) -> None:
        for answer, status in ((found(code="QG201"), "partly"), (found(message="no", allowed="1"), "partly"),
                               (found(node="other"), "partly"), (found(consequence="advice"), "partly"),
                               (found(node="other", code="QG201"), "missed"),
                               (found(code="QG201", consequence="advice"), "missed"),
                               (Answer(2, "error: no", None), "missed")):
            self.assertEqual(self.status(answer), status, answer)

    def test_without_rules_the_reason_tells(self) -> None:
        case = collection.case_of(changed(MODEL, "expect/rules", None))
        for answer, status in ((found(code="QG201"), "reported"), (found(message="no", allowed="1"), "partly"),
                               (found(node="other", code="QG201"), "partly"),
                               (found(code="QG201", consequence="advice"), "partly")):
            self.assertEqual(scoring.score(case, answer, KNOWN).status, status, answer)

    def test_target(self) -> None:
        case = changed(MODEL, "expect", {"says": "It is v66.", "at": "target", "reason": "v66", "arch": "v73",
                                         "exit": [1]})
        case = collection.case_of(case)
        self.assertEqual(scoring.score(case, found(node="", message="v66"), KNOWN).status, "reported")
        self.assertEqual(scoring.score(case, found(message="v66"), KNOWN).status, "partly")
        self.assertEqual(scoring.score(case, Answer(2, "error: v66", None), KNOWN).status, "partly")
        self.assertEqual(scoring.score(case, Answer(2, "error: what?", None), KNOWN).status, "missed")

    def test_working_variants(self) -> None:
        self.assertEqual(scoring.called_wrong(found(consequence="altered")), "")
        self.assertIn("QG501", scoring.called_wrong(found(consequence="wrong_values")))
        self.assertIn("exit status 2", scoring.called_wrong(Answer(2, "error: no", None)))


class HoldingOut(unittest.TestCase):
    def draws(self, score: dict | None = None) -> dict[int, Draw]:
        return {1: Draw(1, 1, KNOWN, score), 2: Draw(2, 2, KNOWN, None)}

    def test_a_quarter_is_drawn_by_its_link(self) -> None:
        cases = [collection.case_of(changed(LOG, "link", f"{LINK}{i}")) for i in range(1000)]
        held = [collection.held_out(case, self.draws()) for case in cases]
        self.assertTrue(200 < sum(held) < 300, sum(held))
        self.assertFalse(any(collection.held_out(case, self.draws({"date": "", "counts": {}})) for case in cases))

    def test_all_of_a_fresh_draw(self) -> None:
        cases = [collection.case_of(changed(changed(LOG, "draw", 2), "link", f"{LINK}{i}")) for i in range(20)]
        for score, held in ((None, True), ({"date": "", "counts": {}}, False)):
            draws = {2: Draw(2, 2, KNOWN, score, "all")}
            self.assertEqual({collection.held_out(case, draws) for case in cases}, {held})

    def test_part_of_a_draw(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "draws.yaml"
            for line, part in (("", "quarter"), (", part: quarter", "quarter"), (", part: all", "all")):
                file.write_text(f"draws:\n- {{draw: 1, salt: 1, known_rules: [QG201]{line}}}\n", encoding="utf-8")
                self.assertEqual(collection.load_draws(file)[1].part, part)
            file.write_text("draws:\n- {draw: 1, salt: 1, known_rules: [QG201], part: half}\n", encoding="utf-8")
            with self.assertRaisesRegex(Mistake, "part is none of: quarter, all"):
                collection.load_draws(file)

    def test_known_draws_only(self) -> None:
        with self.assertRaisesRegex(Mistake, "no draw 3"):
            collection.held_out(collection.case_of(changed(LOG, "draw", 3)), self.draws())

    def test_draws_of_the_collection(self) -> None:
        draws = collection.load_draws()
        self.assertIn("QG901", draws[1].known_rules)
        self.assertNotIn("QG107", draws[1].known_rules)
        self.assertEqual((draws[1].part, draws[2].part), ("quarter", "all"))
        self.assertEqual(draws[2].known_rules - draws[1].known_rules,
                         {"QG207", "QG320", "QG321", "QG620", "QG621", "QG622"})
        self.assertEqual((draws[3].part, draws[3].known_rules), ("all", draws[2].known_rules))
        for case in collection.load():
            held = collection.held_out(case, draws)
            if draws[case.draw].part == "all":
                self.assertEqual(held, draws[case.draw].score is None, case.id)


    def test_scored_once(self) -> None:
        case = collection.case_of(LOG)
        result = run.Result(case, scoring.Outcome("reported"), None)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "draws.yaml"
            file.write_text("# Why.\ndraws:\n- {draw: 1, salt: 1, part: all, known_rules: [QG101-103, QG201]}\n",
                            encoding="utf-8")
            with mock.patch.object(collection, "DRAWS", file), redirect_stdout(StringIO()) as out, \
                    mock.patch.object(run, "run_all", return_value=[result]) as runs:
                self.assertEqual(run.score_held_out([case], collection.load_draws(file)), 0)
                draws = collection.load_draws(file)
                self.assertEqual(draws[1].score["counts"]["log_reported"], 1)
                self.assertEqual(draws[1].known_rules, {"QG101", "QG102", "QG103", "QG201"})
                self.assertEqual(draws[1].part, "all")
                self.assertTrue(file.read_text(encoding="utf-8").startswith("# Why.\n"))
                self.assertNotIn(case.id, out.getvalue())
                with redirect_stderr(StringIO()) as err:
                    self.assertEqual(run.score_held_out([], draws), 1)
                self.assertIn("scored already", err.getvalue())
                runs.assert_called_once()


class Record(unittest.TestCase):
    def result(self, status: str, wrong: str | None = "") -> run.Result:
        return run.Result(collection.case_of(MODEL), scoring.Outcome(status, "why"), wrong)

    def test_only_for_the_better(self) -> None:
        reported, partly = (run.record_of([self.result(status)]) for status in ("reported", "partly"))
        self.assertEqual(run.changes([self.result("reported")], reported), ([], []))
        worse, other = run.changes([self.result("partly")], reported)
        self.assertEqual((worse, other), (["a-model: was reported, now partly: why"], []))
        worse, other = run.changes([self.result("reported")], partly)
        self.assertEqual((worse, other), ([], ["a-model: was partly, now reported"]))
        worse, other = run.changes([self.result("reported", "QG501")], reported)
        self.assertEqual((len(worse), len(other)), (1, 0))
        wrong = run.record_of([self.result("reported", "QG501")])
        self.assertEqual(run.changes([self.result("reported")], wrong)[0], [])
        self.assertEqual(len(run.changes([self.result("reported")], wrong)[1]), 1)

    def test_nothing_unlisted_nothing_left_over(self) -> None:
        empty = run.record_of([])
        self.assertEqual([len(part) for part in run.changes([self.result("missed")], empty)], [0, 1])
        self.assertEqual([len(part) for part in run.changes([], run.record_of([self.result("missed")]))], [0, 1])

    def test_counts(self) -> None:
        log = run.Result(collection.case_of(LOG), scoring.Outcome("missed", "unknown"), None)
        results = [self.result("reported"), self.result("partly", "QG501"), log]
        self.assertEqual(list(run.counts(results).values()), [2, 1, 1, 0, 0, 2, 1, 1, 0, 0, 1])
        self.assertIn("| all | 2 | 1 | 1 | 0 | 0 | 2 | 1 | 1 | 0 | 0 | 1 |", run.table(results, "topic"))

    def test_contradicted_cases_count_apart(self) -> None:
        case = collection.case_of({**MODEL, "contradicted": {"libraries": "libQnnHtp 2.51", "measured": "It is right."}})
        self.assertIsNone(case.works.contradicted)
        results = [self.result("reported"), run.Result(case, scoring.Outcome("missed", "no"), "")]
        self.assertEqual(list(run.counts(results).values()), [1, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0])
        record = run.record_of(results[1:])
        self.assertEqual(record["contradicted"], {"a-model": "missed"})
        self.assertEqual(run.changes(results[1:], record), ([], []))
        # One that is listed among the reported ones can't be moved over in silence.
        moved = run.changes(results[1:], run.record_of([self.result("missed")]))
        self.assertEqual([len(part) for part in moved], [0, 1])
        self.assertIn("libQnnHtp 2.51 | It is right. | missed |", run.page_part(results, [], {}))


if __name__ == "__main__":
    unittest.main()
