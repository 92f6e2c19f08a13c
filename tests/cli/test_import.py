"""quantgate import on pages written here, in the structure of an SDK's documentation."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "backends"))
from test_backends import model  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ["QUANTGATE_CLI"]
OPDEFC = os.environ["QUANTGATE_OPDEFC"]


def run(*args):
    return subprocess.run([CLI, *map(str, args)], capture_output=True, text=True, timeout=60)


def table(rows):
    head = "".join(f"<th class='head'><p>{cell}</p></th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
                   for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def said(*sentences):
    return "<ul>" + "".join(f"<li><p>{s}</p></li>" for s in sentences) + "</ul>"


def page(backend, ops):
    text = f"<html><body><h1>{backend} Backend Op Definition Supplement<a>\u00b6</a></h1>"
    for name, (rows, constraints) in ops.items():
        text += f"<section><h2>{name}<a>\u00b6</a></h2><h3>Datatypes<a>\u00b6</a></h3>"
        text += table(rows) + f"<h3>Constraints<a>\u00b6</a></h3>{table(constraints)}</section>"
    return text + "</body></html>"


Q = "QNN_DATATYPE_"
RELU = page("LPAI", {"Relu": (
    [["Configuration", "in[0]", "out[0]"],
     ["All", f"{Q}SFIXED_POINT_8, {Q}UFIXED_POINT_8, {Q}UFIXED_POINT_16",
      f"{Q}SFIXED_POINT_8, {Q}UFIXED_POINT_8, {Q}UFIXED_POINT_16"],
     ["All", f"{Q}SFIXED_POINT_16", f"{Q}SFIXED_POINT_16"]],
    [["Configuration", "in[0]", "out[0]"],
     ["All", said("Shape: Rank &lt;= 3", "Works best on Sundays."), said("Same rank as in[0]")]]),
    "Spinner": ([["Configuration", "in[0]"], ["All", f"{Q}INT_8"]], [["Configuration", "in[0]"]])})


class ImportTest(unittest.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.docs = self.folder / "sdk" / "2.39.0.1" / "docs" / "QNN" / "OpDef"
        self.docs.mkdir(parents=True)
        self.out = self.folder / "out"

    def write(self, text, name="LpaiOpDefSupplement.html"):
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.docs / name, mode) as file:
            file.write(text)

    def verdict(self, dtype, dims, sdk):
        case = {"name": "n", "op": "Relu", "inputs": [[dtype, dims]], "outputs": [[dtype, dims]]}
        path = self.folder / "m.json"
        path.write_text(json.dumps(model(case)), encoding="utf-8")
        result = run("check", path, "--backend", "lpai", "--sdk", sdk, "--opdefs", self.out,
                     "--format", "json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        return report["knowledge"]["sdk"], report["verdict"]

    def test_pages_become_rows_and_constraints_of_their_version(self):
        self.write(RELU)
        result = run("import", "--sdk-docs", self.folder / "sdk" / "2.39.0.1", "-o", self.out)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("lpai 2.39: 2 ops, 2 rows (1 known), 3 sentences (2 mapped, 1 unmapped)",
                      result.stdout)
        self.assertIn("lpai/Relu in[0] [All]: Works best on Sundays.", result.stdout)
        self.assertIn("left out  Spinner", result.stdout)
        image = [1, 4, 4, 8]
        # The new row and the tighter rank hold from 2.39 on, and only from there.
        self.assertEqual(self.verdict("SFIXED_POINT_16", [4, 4, 8], "2.39"), ("2.39", "accepted"))
        self.assertEqual(self.verdict("SFIXED_POINT_16", [4, 4, 8], "2.38"), ("2.25", "rejected"))
        self.assertEqual(self.verdict("UFIXED_POINT_8", image, "2.39"), ("2.39", "rejected"))
        self.assertEqual(self.verdict("UFIXED_POINT_8", image, "2.25"), ("2.25", "accepted"))

    def test_the_same_can_be_proposed_as_edits_of_the_database(self):
        self.write(RELU)
        run("import", "--sdk-docs", self.folder / "sdk" / "2.39.0.1", "-o", self.out)
        shutil.copytree(ROOT / "opdefs", self.folder / "opdefs")
        for command in ([OPDEFC, "propose", "out/edits.json", "-o", "accept.diff"], ["git", "apply", "accept.diff"]):
            result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
        self.assertEqual([name.name for name in (self.folder / "opdefs" / "lpai").iterdir()
                          if name.read_text() != (ROOT / "opdefs" / "lpai" / name.name).read_text()], ["Relu.yaml"])
        page = (self.folder / "opdefs" / "lpai" / "Relu.yaml").read_text()
        self.assertIn("documented 2.39..:", page)
        self.assertIn("docs-2.39", (self.folder / "opdefs" / "sources.yaml").read_text())

    def test_without_output_it_only_reports(self):
        self.write(RELU)
        result = run("import", "--sdk-docs", self.docs)
        self.assertEqual(result.returncode, 0)
        self.assertIn("unmapped:", result.stdout)
        self.assertFalse(self.out.exists())

    def test_foreign_and_hostile_pages_are_errors(self):
        deep = "<div>" * 100_000
        for text in ("", "plain text", "<html><h1>Something else</h1></html>", b"\xff\xfe\0\0<",
                     "<h1>LPAI Backend Op Definition Supplement</h1>", deep, RELU.replace(
                         "<h1>LPAI", "<h1>Martian"), "<!DOCTYPE x [<!ENTITY a \"b\">]>&a;"):
            self.write(text)
            result = run("import", "--sdk-docs", self.docs, "-o", self.out)
            self.assertEqual(result.returncode, 2, text[:60])
            self.assertRegex(result.stderr, r"\Aerror: .*LpaiOpDefSupplement\.html: .*\n\Z")
            self.assertFalse(self.out.exists())

    def test_names_and_cells_of_a_page_can_not_break_the_yaml(self):
        self.write(RELU.replace("<h2>Relu", "<h2>../../Relu").replace(
            "<td>All</td>", "<td>A\": {x</td>"))
        run("import", "--sdk-docs", self.docs, "-o", self.out)
        self.assertFalse((self.folder / "Relu.yaml").exists())
        self.write(RELU.replace("<td>All</td>", "<td>A\": {x</td>"))
        result = run("import", "--sdk-docs", self.docs, "-o", self.out)
        self.assertIn(result.returncode, (0, 2))

    def test_wrong_folders(self):
        for args in (["--sdk-docs", self.folder / "none"], ["--sdk-docs", self.docs],
                     ["--sdk-docs", self.docs, "--sdk", "new"]):
            self.assertEqual(run("import", *args).returncode, 2)
        self.write(RELU)
        self.out.mkdir()
        self.assertEqual(run("import", "--sdk-docs", self.docs, "-o", self.out).returncode, 2)

    def test_the_parser_of_pages_is_loaded_by_import_alone(self):
        needed = subprocess.run(["ldd", CLI], capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so", needed)
        self.assertNotRegex(needed, "libxml2|libicu")

    def test_a_tool_without_its_other_half_says_so(self):
        alone = self.folder / "bin" / "quantgate"
        alone.parent.mkdir()
        shutil.copy(CLI, alone)
        result = subprocess.run([alone, "import", "--sdk-docs", self.docs], capture_output=True,
                                text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"\Aerror: import: .*/quantgate-import is missing.*\n\Z")
        # Beside it will do.
        helper = pathlib.Path(CLI).resolve().parents[1] / "libexec/quantgate/quantgate-import"
        shutil.copy(helper, alone.parent)
        self.write(RELU)
        result = subprocess.run([alone, "import", "--sdk-docs", self.docs], capture_output=True,
                                text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_other_half_is_not_for_people(self):
        helper = pathlib.Path(CLI).resolve().parents[1] / "libexec/quantgate/quantgate-import"
        result = subprocess.run([helper], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("quantgate import --help", result.stderr)


if __name__ == "__main__":
    unittest.main()
