"""The database says what that of 0.1.0 said, entry by entry, but for what is listed with a reason.

`fixed_point.jsonl.xz` holds the entries of 0.1.0 (effective.py says what an entry is) with the ids
that its constraints had; `fixed_point_differences.json` what differs, by reason. The record goes with
the first intended change of content.
"""
import json
import lzma
import os
import pathlib
import subprocess
import tempfile
import unittest

import effective

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OPDEFC = os.environ.get("QUANTGATE_OPDEFC", str(ROOT / "build" / "tools" / "opdefc" / "opdefc"))
MOST_SHOWN = 10


def compiled():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "opdefs.json"
        subprocess.run([OPDEFC, "compile", str(ROOT / "opdefs"), "-o", str(out), "--format", "json"], check=True)
        return json.loads(out.read_text())


def recorded():
    """{entry: its ids} of 0.1.0."""
    with lzma.open(HERE / "fixed_point.jsonl.xz", "rt") as lines:
        return {entry: ids for entry, ids in (json.loads(line) for line in lines)}


def name_of(entry):
    """`htp/Conv3d in[0] encodings S16`: what an entry is about."""
    what, *rest = json.loads(entry)
    if what == "row":
        return f"{rest[0]}/{rest[1]} row {rest[2]['id']}"
    if what != "constraint":
        return f"{what} {rest[0] if isinstance(rest[0], str) else rest[0].get('id', rest[0].get('name'))}"
    backend, op, body = rest
    own = [name for one in body["when"] if one["key"] == "dtype" and "port" not in one for name in one["names"]]
    return " ".join([f"{backend}/{op} {body['port']} {body['kind']}", *own])


class FixedPoint(unittest.TestCase):
    def test_every_entry_of_0_1_0_is_there_and_no_other(self):
        was = recorded()
        now = set(effective.entries(compiled()))
        listed = json.loads((HERE / "fixed_point_differences.json").read_text())
        allowed = {name for names in listed.values() for name in names}
        gone = {name_of(entry) for entry in was.keys() - now}
        new = {name_of(entry) for entry in now - was.keys()}
        self.assertEqual(sorted(gone - allowed)[:MOST_SHOWN], [], "gone without a reason")
        self.assertEqual(sorted(new - allowed)[:MOST_SHOWN], [], "new without a reason")
        self.assertEqual(sorted(allowed - gone - new), [], "listed, and the same as in 0.1.0")


if __name__ == "__main__":
    unittest.main()
