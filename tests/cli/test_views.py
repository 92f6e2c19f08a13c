"""query, matrix, diff, targets: their JSON against its schema, and against what opdefc prints."""

from __future__ import annotations

import functools
import json
import sys
import unittest
from html.parser import HTMLParser

import jsonschema

from cli_case import ROOT, CliCase

sys.path.insert(0, str(ROOT))
from tools.dev.shared import opdefs_json  # noqa: E402

SCHEMAS = ROOT / "docs" / "schemas"
BACKENDS = ("cpu", "dsp", "gpu", "hta", "htp", "lpai")


@functools.cache
def ops_of(backend: str) -> dict[str, dict]:
    """The database's ops, as opdefc prints them."""
    return {op["name"]: op for op in opdefs_json.ops(backend)}


class Links(HTMLParser):
    """All that a page would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {k}={v}" for k, v in attrs if k in ("src", "href", "action")]


class ViewCase(CliCase):
    def json_of(self, schema: str, *arguments: str) -> dict:
        result = self.run_cli(*arguments, "--format", "json")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)
        document = json.loads(result.stdout)
        rules = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(rules)
        jsonschema.Draft202012Validator(rules).validate(document)
        return document

    def text_of(self, *arguments: str) -> str:
        result = self.run_cli(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)
        self.assertNotIn("\x1b", result.stdout)
        return result.stdout

    def page_of(self, *arguments: str) -> str:
        file = self.folder / "page.html"
        result = self.run_cli(*arguments, "--format", "html", "-o", str(file))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        page = file.read_text(encoding="utf-8")
        links = Links()
        links.feed(page)
        self.assertEqual(links.found, [])
        for elsewhere in ("http:", "https:", "@import", "url("):
            self.assertNotIn(elsewhere, page)
        self.assertIn("light-dark(", page)
        return page


class Schemas(unittest.TestCase):
    def test_a_schema_refuses_what_is_not_in_it(self) -> None:
        """They are closed: an unknown field would be an error, so new fields are noticed."""
        for path in sorted(SCHEMAS.glob("*.schema.json")):
            rules = json.loads(path.read_text(encoding="utf-8"))
            kinds = [rules] if "properties" in rules else [
                rules["$defs"][kind["$ref"].rsplit("/", 1)[1]] for kind in rules["oneOf"]]
            for kind in kinds:
                self.assertFalse(kind["additionalProperties"], path.name)
            self.assertIn("description", rules)


class Query(ViewCase):
    def test_lpai_conv2d_in_one_command(self) -> None:
        text = self.text_of("query", "Conv2d", "--backend", "lpai")
        self.assertIn("Conv2d  lpai · SDK 2.25\n", text)
        self.assertIn("8a8w (documented)", text)
        self.assertIn("16a8w (undocumented)", text)

    def test_every_op_of_every_backend_fits_the_schema(self) -> None:
        """By one call a backend: --every-sdk has the same ops, variants and constraints."""
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                document = self.json_of("query_every_sdk", "query", "--backend", backend,
                                        "--every-sdk")
                wanted = ops_of(backend)
                self.assertEqual([op["op"] for op in document["ops"]], sorted(wanted))
                counts = [(len(op["variants"]), len(op["constraints"])) for op in document["ops"]]
                self.assertEqual(counts, [(len(op["variants"]), len(op["constraints"]))
                                          for _, op in sorted(wanted.items())])

    def test_json_of_a_target_is_what_its_range_holds(self) -> None:
        for arch, sdk in (("v68", "2.25"), ("v73", "2.51")):
            document = self.json_of("query", "query", "Conv2d", "--arch", arch, "--sdk", sdk)
            everything = self.json_of("query_every_sdk", "query", "Conv2d", "--every-sdk")
            known = {v["id"]: v for v in everything["ops"][0]["variants"]}
            ids = {v["id"] for v in document["variants"]}
            self.assertLessEqual(ids, set(known))
            gated = {i for i, v in known.items() if v["archs"] == "v73+"}
            self.assertEqual(gated & ids, gated if arch == "v73" else set())

    def test_ops_in_short(self) -> None:
        document = self.json_of("query_ops", "query", "--backend", "gpu")
        conv = next(op for op in document["ops"] if op["op"] == "Conv2d")
        self.assertEqual({p["precision"] for p in conv["precisions"]}, {"fp16", "fp32"})
        text = self.text_of("query", "--backend", "gpu")
        self.assertEqual(text.count("\n"), len(document["ops"]) + 3)

    def test_page(self) -> None:
        page = self.page_of("query", "Conv2d", "--arch", "v73")
        document = self.json_of("query", "query", "Conv2d", "--arch", "v73")
        self.assertEqual(page.count("<tr data-find"),
                         len(document["variants"]) + len(document["constraints"]))

    def test_unusable(self) -> None:
        self.unusable("query", "Conv2", says="did you mean Conv2d")
        self.unusable("query", "conv2d", "--backend", "lpay", says="did you mean lpai")
        self.unusable("query", "Conv2d", "--every-sdk", says="--format json")
        self.unusable("query", "--format", "html", says="quantgate matrix")
        self.unusable("query", "Conv2d", "--format", "htm", says="did you mean html")
        self.unusable("query", "Conv2x", "--every-sdk", "--format", "json", says="Conv2d")


class Matrix(ViewCase):
    def test_fits_its_schema_whatever_the_columns(self) -> None:
        for by in ("arch", "sdk", "backend", "soc"):
            with self.subTest(by=by):
                matrix = self.json_of("matrix", "matrix", "--by", by)
                self.assertEqual(matrix["by"], by)
                width = len(matrix["columns"])
                ids = [p["id"] for p in matrix["precisions"]]
                for row in matrix["rows"]:
                    self.assertEqual(len(row["cells"]), width)
                    for cell in filter(None, row["cells"]):
                        order = [ids.index(t["precision"]) for t in cell["supported"]]
                        self.assertEqual(order, sorted(set(order)))
                        self.assertEqual(bool(cell["supported"]), cell["best"] != "")

    def test_every_op_of_a_target_is_a_row(self) -> None:
        matrix = self.json_of("matrix", "matrix", "--by", "backend")
        for c, column in enumerate(matrix["columns"]):
            there = {row["op"] for row in matrix["rows"] if row["cells"][c] is not None}
            ops = self.json_of("query_ops", "query", "--backend", column["name"])["ops"]
            self.assertEqual(there, {op["op"] for op in ops}, column["name"])

    def test_rows_named_have_the_dtypes_of_the_precision(self) -> None:
        """Against the database, for every cell of htp in a precision that dtypes alone decide."""
        precisions = opdefs_json.document("precisions")
        long = {"U": "UFIXED_POINT_", "S": "SFIXED_POINT_", "F": "FLOAT_", "I": "INT_", "UI": "UINT_", "B": "BOOL_"}

        def name(short: str) -> str:  # U8: UFIXED_POINT_8
            return long[short.rstrip("0123456789")] + short.lstrip("BFISU")

        classes = {p["id"]: dict(p, data=[*map(name, p["data"])], weight=[*map(name, p["weight"])])
                   for p in precisions["precisions"]}
        roles = precisions["roles"]
        matrix = self.json_of("matrix", "matrix")
        compared = 0
        for row in matrix["rows"]:
            op = ops_of("htp")[row["op"]]
            ports = op["inputs"] + op["outputs"]
            variants = {v["id"]: v for v in op.get("variants", ())}
            for cell in filter(None, row["cells"]):
                for supported in cell["supported"]:
                    wanted = classes[supported["precision"]]
                    for row_id in supported["rows"]:
                        dtypes = variants[row_id.split("#")[1]]["dtypes"]
                        given = [(p, d if isinstance(d, list) else [d])
                                 for p, d in zip(ports, dtypes) if d and not p.get("optional")]
                        self.assertTrue(any(p["role"] in roles["data"] and
                                            set(d) & set(wanted["data"]) for p, d in given), row_id)
                        for p, d in given:
                            if p["role"] in roles["weight"]:
                                self.assertTrue(set(d) & set(wanted["weight"]), row_id)
                        compared += 1
        self.assertGreater(compared, 1000)

    def test_which_chips_can_run_16a16w_matmul(self) -> None:
        matrix = self.json_of("matrix", "matrix", "MatMul", "--by", "soc", "--precision", "16a16w")
        can = {soc["name"] for column, cell in zip(matrix["columns"], matrix["rows"][0]["cells"])
               if cell["supported"] for soc in column["socs"]}
        self.assertIn("SM8550", can)   # v73
        self.assertNotIn("SM8350", can)  # v68
        text = self.text_of("matrix", "MatMul", "--by", "soc", "--precision", "16a16w")
        line = next(l for l in text.splitlines() if l.strip().startswith("v73"))
        self.assertIn("yes", line)
        self.assertIn("SM8550", text)
        # Every chip is somewhere.
        everyone = {soc["name"] for c in matrix["columns"] for soc in c["socs"]}
        everyone |= {soc["name"] for soc in matrix["unsupportedSocs"]}
        targets = self.json_of("targets", "targets")
        self.assertEqual(everyone, {soc["name"] for soc in targets["socs"]})

    def test_what_a_check_says(self) -> None:
        """The precisions of Conv2d on v68 and v73 are those that check accepts."""
        matrix = self.json_of("matrix", "matrix", "Conv2d", "--sdk", "2.25")
        by_arch = {column["name"]: {t["precision"] for t in cell["supported"]} for column, cell in
                   zip(matrix["columns"], matrix["rows"][0]["cells"])}
        self.assertNotIn("16a16w", by_arch["v68"])
        self.assertIn("16a16w", by_arch["v73"])
        # The documents have LPBQ from v79 on, ExecuTorch's rules from v69 on.
        lpbq = {column["name"]: t["verdict"] for column, cell in zip(matrix["columns"], matrix["rows"][0]["cells"])
                for t in cell["supported"] if t["precision"] == "LPBQ"}
        self.assertNotIn("v68", lpbq)
        self.assertEqual(lpbq["v73"], "undocumented")
        self.assertEqual(lpbq["v79"], "accepted")
        self.assertLessEqual({"16a8w", "8a8w"}, by_arch["v68"])
        # They name the encodings of 4-bit weights, but no width.
        self.assertEqual({t["verdict"] for cell in matrix["rows"][0]["cells"]
                          for t in cell["supported"] if t["precision"] == "4w"}, {"undocumented"})

    def test_precision_leaves_ops_that_take_it(self) -> None:
        matrix = self.json_of("matrix", "matrix", "--precision", "LPBQ")
        self.assertNotEqual(matrix["rows"], [])
        for row in matrix["rows"]:
            self.assertTrue(any(cell and cell["supported"] for cell in row["cells"]))
            for cell in filter(None, row["cells"]):
                self.assertLessEqual({t["precision"] for t in cell["supported"]}, {"LPBQ"})
        self.assertIn("no op takes LPBQ", self.text_of(
            "matrix", "--precision", "LPBQ", "--by", "sdk", "--backend", "gpu"))

    def test_text_of_all_ops(self) -> None:
        text = self.text_of("matrix")
        matrix = self.json_of("matrix", "matrix")
        self.assertTrue(text.startswith(f"{len(matrix['rows'])} ops  htp"), text[:80])
        for row in matrix["rows"]:
            self.assertRegex(text, rf"(?m)^  {row['op']} ")
        self.assertLessEqual(max(map(len, text.splitlines())), 110)

    def test_a_made_up_backend(self) -> None:
        """Another folder of YAML is another backend, without a line of code."""
        opdefs = str(ROOT / "tests" / "fixtures" / "opdefs" / "toy")
        matrix = self.json_of("matrix", "matrix", "--backend", "toy", "--by", "sdk",
                              "--opdefs", opdefs)
        self.assertEqual(sorted(p.stem for p in (
            ROOT / "tests" / "fixtures" / "opdefs" / "toy" / "toy").glob("*.yaml")),
            sorted({row["op"] for row in matrix["rows"]}))

    def test_unusable(self) -> None:
        self.unusable("matrix", "Conv2", says="did you mean Conv2d")
        self.unusable("matrix", "--by", "chip", says="known: arch, sdk, backend, soc")
        self.unusable("matrix", "--by", "socs", says="did you mean soc")
        self.unusable("matrix", "--precision", "8a8", says="did you mean 8a8w")
        self.unusable("matrix", "--backend", "htpp", says="did you mean htp")
        self.unusable("matrix", "--backend", "lpai", says="has no archs")
        self.unusable("matrix", "--arch", "v73", says="--arch")
        self.unusable("matrix", "--by", "sdk", "--sdk", "2.51", says="--sdk")
        self.unusable("matrix", "--by", "sdk", "--arch", "v37", says="v73")
        self.unusable("matrix", "--format", "markdown", says="text, json, html")
        self.unusable("matrix", "-o", str(self.folder / "no" / "such.html"), "--format", "html",
                      says="such.html")


class PrecisionRules(ViewCase):
    """How an op gets its precisions, on a backend made for it: two archs, ops of one point each."""

    U8, S8, U16, S32, F32, I32 = ("U8", "S8", "U16", "S32", "F32", "I32")

    def setUp(self) -> None:
        super().setUp()
        self.opdefs = self.folder / "opdefs"
        (self.opdefs / "mini").mkdir(parents=True)
        self.write("sources.yaml", {"sources": [
            {"id": "book", "kind": "documents", "title": "a book", "sdk": "1.0", "backends": ["mini"]},
            {"id": "bench", "kind": "measured", "title": "a bench", "sdk": "2.0", "backends": ["mini"]}]})
        self.tuples(True)

    def tuples(self, tuples: bool) -> None:
        self.write("targets.yaml", {"backends": {"mini": {
            "archs": ["a1", "a2"], "default_arch": "a1", "tuple_rows": tuples,
            "sdks": ["1.0", "2.0"]}}})

    def write(self, name: str, content: dict) -> None:
        (self.opdefs / name).write_text(json.dumps(content))  # JSON is YAML

    def op(self, rows: list[list], constraints: dict | None = None, section: str = "documented",
           roles: tuple[str, ...] = ("activation", "weight"), outputs: int = 1, **row: object) -> None:
        """`rows`: a dtype or alternatives a port; `constraints`: {"PORT NAME": body}."""
        cells = [" ".join("|".join(c) if isinstance(c, list) else c for c in columns) for columns in rows]
        self.write("mini/Op.yaml", {
            "op": "Op", "sources": ["book"], "inputs": list(roles), "outputs": ["activation"] * outputs,
            "rows": {section: {f"All.{i}": {"row": text, **row} for i, text in enumerate(cells)}},
            "documented": constraints or {}})

    def supported(self, arch: str = "a1", sdk: str = "2.0") -> dict[str, str]:
        matrix = self.json_of("matrix", "matrix", "--backend", "mini", "--sdk", sdk,
                              "--opdefs", str(self.opdefs))
        cell = matrix["rows"][0]["cells"][[c["name"] for c in matrix["columns"]].index(arch)]
        return {t["precision"]: t["verdict"] for t in cell["supported"]}

    def test_dtypes_of_data_and_weights(self) -> None:
        self.op([[self.U8, self.S8, self.U8]])
        self.assertEqual(self.supported(), {"8a8w": "accepted"})
        self.op([[self.U16, self.S8, self.U16]])
        self.assertEqual(self.supported(), {"16a8w": "accepted"})
        self.op([[self.U16, self.U8, self.U8]])
        self.assertEqual(self.supported(), {"8a8w": "accepted"})  # by its outputs alone
        self.op([[self.U16, self.U16, self.U16], [self.U8, self.S8, self.U8]])
        self.assertEqual(self.supported(), {"16a16w": "accepted", "8a8w": "accepted"})

    def test_ops_without_weights_have_no_mixed_precisions(self) -> None:
        self.op([[self.U16, self.U16, self.U16]], roles=("activation", "activation"))
        self.assertEqual(self.supported(), {"16a16w": "accepted"})
        matrix = self.json_of("matrix", "matrix", "--backend", "mini", "--opdefs", str(self.opdefs))
        self.assertEqual(matrix["rows"][0]["cells"][0]["best"], "16a")

    def test_indices_and_counts_go_with_every_precision(self) -> None:
        self.op([[self.U8, self.I32, self.U8]], roles=("activation", "indices"))
        self.assertEqual(self.supported(), {"8a8w": "accepted"})
        self.op([[self.U8, self.I32]], roles=("activation",))
        self.assertEqual(self.supported(), {"8a8w": "accepted"})
        self.op([[self.I32, self.I32]], roles=("activation",))
        self.assertEqual(self.supported(), {"int": "accepted"})

    def test_what_changes_the_type_is_judged_by_its_output(self) -> None:
        self.op([[self.F32, self.U8]], roles=("activation",))
        self.assertEqual(self.supported(), {"8a8w": "accepted"})

    def test_ranges(self) -> None:
        self.op([[self.U8, self.S8, self.U8]], section="documented 2.0..", arch="a2+")
        self.assertEqual((self.supported("a1"), self.supported("a2")), ({}, {"8a8w": "accepted"}))
        self.assertEqual(self.supported("a2", "1.0"), {})
        self.op([[self.U8, self.S8, self.U8]], undocumented_until="2.0")
        self.assertEqual(self.supported(sdk="1.0"), {"8a8w": "undocumented"})
        self.assertEqual(self.supported(sdk="2.0"), {"8a8w": "accepted"})

    def test_lists_per_port(self) -> None:
        self.tuples(False)
        self.op([[[self.U8, self.U16], [self.U8, self.S8], [self.U8, self.U16]]])
        self.assertEqual(self.supported(), {"16a8w": "undocumented", "8a8w": "accepted"})
        self.op([[self.U8, [self.U8, self.S8], self.U8]])
        self.assertEqual(self.supported(), {"8a8w": "accepted"})

    def test_special_encodings_must_be_named(self) -> None:
        rows = [[self.U8, self.S8, self.U8]]
        self.op(rows, {"in1 symmetric": None})
        self.assertEqual(self.supported(), {"8a8w": "accepted"})
        self.op(rows, {"in1 symmetric": {"when": {"encoding": "lpbq"}}})
        self.assertEqual(self.supported(), {"8a8w": "accepted", "LPBQ": "accepted"})
        self.op(rows, {"in1 symmetric": {"when": {"encoding": "bw_per_channel"}}})
        self.assertEqual(self.supported(), {"8a8w": "accepted", "4w": "undocumented"})
        width = {"when": {"encoding": "bw_per_channel"}}
        self.op(rows, {"in1 bit-width": {**width, "allowed": [2, 4]}})
        self.assertEqual(self.supported(), {"8a8w": "accepted", "4w": "accepted"})
        self.op(rows, {"in1 bit-width": {**width, "allowed": 2}})
        self.assertEqual(self.supported(), {"8a8w": "accepted"})

    def test_constraints_that_surely_apply_refuse(self) -> None:
        rows = [[self.U16, self.S8, self.U16]]
        denied = {"denied": self.S8}
        for refuses, name, body in (
                (True, "in1 dtypes", denied),
                (True, "in1 dtypes", {**denied, "when": {"dtype_of": {"in0": self.U16}}}),
                (True, "in1 dtypes", {**denied, "when": {"bits_of": {"in0": 16}}}),
                (True, "in1 encodings", {"allowed": "block"}),
                (True, "in1 peer-dtype", {"peer": "in0", "bits": 8}),
                (True, "all dtypes", {"allowed": self.U8}),
                (True, "in0 min-arch", "a2"),
                (True, "in1 dtypes", {**denied, "breach": "wrong_values"}),
                (False, "in1 dtypes", {**denied, "breach": "advice"}),
                (False, "in1 dtypes", {**denied, "arch": "a2+"}),
                (False, "in1 dtypes", {**denied, "when": {"rank": {"in0": 4}}}),
                (False, "in1 dtypes", {**denied, "when": {"dtype_of": {"in0": self.U8}}}),
                (False, "in1 encodings", {"denied": "per_tensor"}),
                (False, "in1 signed", None)):
            with self.subTest(name=name, body=body):
                self.op(rows, {name: body})
                self.assertEqual(self.supported(), {} if refuses else {"16a8w": "accepted"})
        self.op(rows)
        op = json.loads((self.opdefs / "mini" / "Op.yaml").read_text())
        self.write("mini/Op.yaml", {**op, "documented ..2.0": {"in1 dtypes": denied}})
        self.assertEqual((self.supported(sdk="1.0"), self.supported(sdk="2.0")), ({}, {"16a8w": "accepted"}))
        self.op(rows, {"in1 dtypes": {**denied, "measured": "undocumented"}})
        self.assertEqual((self.supported(sdk="1.0"), self.supported(sdk="2.0")),
                         ({}, {"16a8w": "undocumented"}))

    def test_measured_from_the_version_that_was_asked(self) -> None:
        self.op([[self.U8, self.S8, self.U8]], sources=["book", "bench"])
        matrix = self.json_of("matrix", "matrix", "--backend", "mini", "--by", "sdk",
                              "--opdefs", str(self.opdefs))
        self.assertEqual([c["supported"][0]["measured"] for c in matrix["rows"][0]["cells"]],
                         [False, True])

    def test_bad_precisions_are_told_with_their_place(self) -> None:
        self.op([[self.U8, self.S8, self.U8]])
        good = {"roles": {"data": ["activation"], "weight": ["weight"]}, "plain": [self.I32],
                "precisions": [{"id": "x", "mark": "X", "title": "t", "data": [self.U8],
                                "weight": [self.S8]}]}
        arguments = ("matrix", "--backend", "mini", "--opdefs", str(self.opdefs))
        self.write("precisions.yaml", good)
        self.assertIn("x", self.text_of(*arguments))
        first = good["precisions"][0]
        for bad, says in (
                ({**good, "plan": []}, "did you mean plain"),
                ({**good, "plain": ["I33"]}, "did you mean I32"),
                ({**good, "precisions": [first, first]}, "duplicate precision"),
                ({**good, "precisions": [{**first, "mark": "xy"}]}, "one letter"),
                ({**good, "precisions": [{**first, "encodings": ["blok"]}]}, "did you mean block"),
                ({**good, "precisions": [{**first, "bits": 99}]}, "bits"),
                ({**good, "precisions": 3}, "must be a list"),
                ({"precisions": []}, "has no")):
            with self.subTest(says=says):
                self.write("precisions.yaml", bad)
                result = self.run_cli(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, r"precisions\.yaml:\d+:\d+: ")
                self.assertIn(says, result.stderr)


class Diff(ViewCase):
    def test_fits_its_schema_whatever_the_sides(self) -> None:
        for sides in (("2.25", "2.51"), ("2.51", "2.25"), ("v68", "v73"), ("htp", "lpai"),
                      ("SM8350", "SM8750")):
            with self.subTest(sides=sides):
                diff = self.json_of("diff", "diff", "--from", sides[0], "--to", sides[1])
                self.assertNotEqual(diff["ops"], [])
        diff = self.json_of("diff", "diff", "--from", "2.13", "--to", "2.25", "--backend", "gpu")
        self.assertEqual(diff["summary"]["opsAdded"],
                         sum(op["what"] == "added" for op in diff["ops"]))
        self.assertGreater(diff["summary"]["opsAdded"], 0)

    def test_rows_and_constraints_are_those_of_the_ranges(self) -> None:
        """Of gpu and cpu, counted from the YAML: entries that start or end between the two."""
        key = lambda sdk: [int(n) for n in sdk.split(".")]
        inside = lambda entry, sdk: key(entry.get("since", "0.0")) <= key(sdk) < key(
            entry.get("until", "999.0"))
        for backend in ("gpu", "cpu"):
            diff = self.json_of("diff", "diff", "--from", "2.13", "--to", "2.25",
                                "--backend", backend)
            named = {(c["id"], c["what"]) for op in diff["ops"] for c in op["changes"]}
            wanted, moved = set(), 0
            for name, op in sorted(ops_of(backend).items()):
                if not (inside(op, "2.13") and inside(op, "2.25")):
                    continue
                for mark, section in (("#", "variants"), ("/", "constraints")):
                    for entry in op.get(section, ()):
                        was, now = inside(entry, "2.13"), inside(entry, "2.25")
                        if was != now and entry.get("kind") != "note":
                            wanted.add((f"{backend}/{name}{mark}{entry['id']}",
                                        "added" if now else "removed"))
            self.assertLessEqual(named, wanted | {n for n in named if n[1] == "changed"})
            # What isn't named was replaced by an entry that says the same.
            missing = {i for i, _ in wanted - named}
            everything = {}
            for op in self.json_of("query_every_sdk", "query", "--backend", backend,
                                   "--every-sdk")["ops"]:
                for entry in op["variants"] + op["constraints"]:
                    text = entry.get("text", json.dumps(entry.get("dtypes")))
                    everything[entry["id"]] = (op["op"], entry.get("port"), text)
            meanings = [everything[i] for i in missing]
            self.assertTrue(all(meanings.count(m) >= 2 for m in meanings), missing)

    def test_backwards_is_the_reverse(self) -> None:
        there = self.json_of("diff", "diff", "--from", "2.25", "--to", "2.51")["summary"]
        back = self.json_of("diff", "diff", "--from", "2.51", "--to", "2.25")["summary"]
        for a, b in (("opsAdded", "opsRemoved"), ("precisionsGained", "precisionsLost"),
                     ("rowsAdded", "rowsRemoved"), ("constraintsTightened", "constraintsLoosened")):
            self.assertEqual((there[a], there[b]), (back[b], back[a]))

    def test_nothing_differs_from_itself(self) -> None:
        for side in ("2.51", "v73", "htp", "SM8550"):
            diff = self.json_of("diff", "diff", "--from", side, "--to", side)
            self.assertEqual(diff["ops"], [])
            self.assertIn("no difference is known", self.text_of("diff", "--from", side, "--to", side))

    def test_gates_by_arch(self) -> None:
        text = self.text_of("diff", "Conv2d", "--from", "v69", "--to", "v73", "--sdk", "2.51")
        self.assertIn("htp · SDK 2.51 · v69 → v73\n", text)
        self.assertIn("16a16w", text)
        self.assertIn("INT16.5", text)

    def test_reads_like_release_notes(self) -> None:
        text = self.text_of("diff", "--from", "2.25", "--to", "2.51")
        self.assertTrue(text.startswith("htp · every arch · SDK 2.25 → 2.51\n"), text[:200])
        self.assertIn("by measuring:", text)
        full = self.text_of("diff", "--from", "2.25", "--to", "2.51", "--verbose")
        self.assertGreater(full.count("\n"), text.count("\n"))
        markdown = self.run_cli("diff", "--from", "2.25", "--to", "2.51", "--format", "markdown").stdout
        self.assertTrue(markdown.startswith("# htp · every arch · SDK 2.25 → 2.51\n\n"))
        for line in markdown.splitlines():
            self.assertRegex(line, r"\A($|# |## |- |> |[0-9A-Z])")

    def test_page(self) -> None:
        page = self.page_of("diff", "--from", "2.25", "--to", "2.51")
        diff = self.json_of("diff", "diff", "--from", "2.25", "--to", "2.51")
        self.assertEqual(page.count("<details data-find"), len(diff["ops"]))

    def test_unusable(self) -> None:
        self.unusable("diff", says="--from")
        self.unusable("diff", "--from", "2.25", says="--to")
        self.unusable("diff", "--from", "2.25", "--to", "v73", says="one kind")
        self.unusable("diff", "--from", "v68", "--to", "v37", says="did you mean v73")
        self.unusable("diff", "--from", "htp", "--to", "lpay", says="did you mean lpai")
        self.unusable("diff", "--from", "SM8350", "--to", "SM8555", says="SM8550")
        self.unusable("diff", "--from", "1.0", "--to", "2.51", says="older than the oldest")
        self.unusable("diff", "--from", "2.x", "--to", "2.51", says="2.x")
        self.unusable("diff", "Conv2", "--from", "2.25", "--to", "2.51", says="did you mean Conv2d")
        self.unusable("diff", "--from", "v68", "--to", "v73", "--arch", "v69", says="--arch")
        self.unusable("diff", "--from", "", "--to", "", says="--from")


class Targets(ViewCase):
    def test_json_and_page(self) -> None:
        targets = self.json_of("targets", "targets")
        page = self.page_of("targets")
        self.assertEqual(page.count("<tr data-find"), len(targets["socs"]))
        self.unusable("targets", "--format", "yaml", says="text, json, html")


if __name__ == "__main__":
    unittest.main()
