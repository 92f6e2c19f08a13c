"""Ten small models for each backend, with known verdicts (tests/fixtures/backends/*.yaml).

A case is one op: `inputs` and `outputs` are [dtype, dims], with "static" for constants.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "fixtures" / "backends"
CLI = os.environ["QUANTGATE_CLI"]
BACKENDS = ("htp", "lpai", "cpu", "dsp", "gpu", "hta")
ARRAY = "UINT_32"


def param(value):
    if isinstance(value, bool):
        return {"flag": value}
    if isinstance(value, int):
        return {"uint": value}
    if isinstance(value, float):
        return {"real": value}
    rows = value if isinstance(value[0], list) else [value]
    dims = [len(rows), len(rows[0])] if rows is value else [len(value)]
    return {"tensor": {"dtype": ARRAY, "dims": dims, "ints": [v for row in rows for v in row]}}


def tensor(name, spec):
    dtype, dims, *static = spec
    result = {"name": name, "dtype": dtype, "dims": dims}
    if static:
        result["isStatic"] = True
    if "FIXED_POINT" in dtype:
        bias = dtype == "SFIXED_POINT_32"
        # Zero points that suit weights and biases: 0 where the type is signed.
        middle = 0 if dtype.startswith("S") or bias else 128
        result["encoding"] = {"perTensor": {"scale": 0.0004 if bias else 0.02,
                                            "zeroPoint": middle}}
    return result


def model(case):
    names = {side: [f"{side}{i}" for i in range(len(case[side]))] for side in ("inputs", "outputs")}
    tensors = [tensor(name, spec) for side, of in names.items()
               for name, spec in zip(of, case[side])]
    node = {"name": case["name"], "op": case["op"], "inputs": names["inputs"],
            "outputs": names["outputs"]}
    if "params" in case:
        node["params"] = {name: param(value) for name, value in case["params"].items()}
    given = [n for n, spec in zip(names["inputs"], case["inputs"]) if len(spec) == 2]
    return {"name": case["name"], "dialect": "qnn", "inputs": given, "outputs": names["outputs"],
            "tensors": tensors, "nodes": [node]}


class BackendsTest(unittest.TestCase):

    def check(self, backend):
        with open(CASES / f"{backend}.yaml", encoding="utf-8") as file:
            cases = yaml.safe_load(file)["cases"]
        self.assertGreaterEqual(len(cases), 10)
        self.assertEqual(len({case["name"] for case in cases}), len(cases))
        for case in cases:
            with self.subTest(backend=backend, case=case["name"]):
                with tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / "m.json"
                    path.write_text(json.dumps(model(case)), encoding="utf-8")
                    flags = ["--sdk", case["sdk"]] if "sdk" in case else []
                    run = subprocess.run(
                        [CLI, "check", str(path), "--backend", backend, "--format", "json", *flags],
                        capture_output=True, text=True, timeout=60)
                self.assertIn(run.returncode, (0, 1), run.stderr)
                report = json.loads(run.stdout)
                found = {f["code"] for f in report["findings"]
                         if f["consequence"] == report["verdict"]}
                self.assertEqual((report["verdict"], sorted(found)),
                                 (case["verdict"], sorted(case["codes"])),
                                 [f["message"] for f in report["findings"]])


for name in BACKENDS:
    setattr(BackendsTest, f"test_{name}", lambda self, backend=name: self.check(backend))


if __name__ == "__main__":
    unittest.main()
