"""The stand-in for the vendor's module answers as its client needs it (no PyTorch here)."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from enum import IntEnum
from pathlib import Path

import quantgate as qg
from quantgate._backend_op_info import DatatypeInfo

CHIPS = {"SM8350": 30, "SM8550": 43, "SM8650": 57, "SM8750": 69}
# Ops whose outputs ExecuTorch shares with the input: contract of the client.
SHARED = {"Reshape", "Transpose", "Tile", "DepthToSpace", "SpaceToDepth", "ChannelShuffle", "Pack",
          "UnPack", "Split", "TopK"}


def python(code: str, **environment: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                         env={**os.environ, **environment})
    if run.returncode:
        raise AssertionError(run.stderr)
    return run.stdout.strip()


class Contract(unittest.TestCase):
    def test_every_answer_has_the_shape_that_the_client_reads(self) -> None:
        for number in CHIPS.values():
            info = qg.BackendOpInfo(qg.HTP, number)
            ops = info.get_all_supported_ops()
            self.assertIn("Conv2d", ops)
            self.assertIs(ops, info.get_all_supported_ops())
            for op in ops:
                variants = info.get_op_info(op)
                self.assertIsInstance(variants, list)
                for variant in variants:
                    self.assertTrue(variant.get_input_info(), op)
                    self.assertTrue(variant.get_output_info(), op)
                    for port in variant.get_input_info():
                        self._check_port(op, port, output=False)
                    for port in variant.get_output_info():
                        self._check_port(op, port, output=True)

    def _check_port(self, op: str, port: DatatypeInfo, *, output: bool) -> None:
        self.assertIsInstance(port.get_datatype(), int)
        seen: set[int] = set()
        for rule in port.get_quant_constraint_info():
            encodings = rule.get_encoding_types()
            self.assertFalse(seen & set(encodings), f"{op}: a client takes the first")
            seen |= set(encodings)
            self.assertLessEqual(seen, {0, 1, 2, 3, 5})
            self.assertIsNone(rule.get_axis())
            self.assertIn(rule.is_symmetric(), (True, None), "False on an output means True")
            self.assertIn(rule.is_math_invariant(), (True, None))
            if not output:
                self.assertIsNone(rule.is_math_invariant(), "inputs have specs of their own")
            if rule.is_math_invariant():
                self.assertIn(op, SHARED)
            self.assertEqual(rule.get_scale() is None, rule.get_offset() is None)

    def test_weights_with_channels_must_be_symmetric(self) -> None:
        # UFIXED_POINT_8 data, SFIXED_POINT_8 weight, AXIS_SCALE_OFFSET
        for variant in qg.BackendOpInfo(qg.HTP, 43).get_op_info("Conv2d"):
            inputs = variant.get_input_info()
            if [port.get_datatype() for port in inputs[:2]] == [0x0408, 0x0308]:
                rules = inputs[1].get_quant_constraint_info()
                self.assertTrue(any(rule.is_symmetric() and 1 in rule.get_encoding_types()
                                    for rule in rules))
                self.assertFalse(any(rule.is_symmetric() and 0 in rule.get_encoding_types()
                                     for rule in rules), "per-tensor may have an offset")
                return
        self.fail("the row is missing")

    def test_reshape_shares_its_encoding(self) -> None:
        rules = [rule for variant in qg.BackendOpInfo(qg.HTP, 43).get_op_info("Reshape")
                 if variant.get_input_info()[0].get_datatype() == 0x0408
                 for rule in variant.get_output_info()[0].get_quant_constraint_info()]
        self.assertTrue(any(rule.is_math_invariant() for rule in rules))

    def test_a_variadic_op_has_one_entry_for_all(self) -> None:
        for variant in qg.BackendOpInfo(qg.HTP, 43).get_op_info("Concat"):
            self.assertEqual(len(variant.get_input_info()), 1)
            self.assertTrue(variant.get_input_info()[0].is_applicable_from_current_dtype_onward())

    def test_unknown_chips_and_ops_raise_nothing(self) -> None:
        with self.assertLogs("quantgate", "WARNING"):
            info = qg.BackendOpInfo(qg.HTP, 999999)
        self.assertEqual(info.target.arch, "v68")
        self.assertEqual(info.get_op_info("NoSuchOp"), [])
        for backend in (qg.LPAI, qg.GPU, qg.DSP, qg.CPU, qg.HTA):
            self.assertTrue(qg.BackendOpInfo(backend, 43).get_all_supported_ops())

    def test_enumerations_are_numbers(self) -> None:
        class Chip(IntEnum):
            SM8550 = 43

        self.assertEqual(qg.BackendOpInfo(qg.HTP, Chip.SM8550).target.soc, "SM8550")

    def test_rules_are_the_same_on_all_chips(self) -> None:
        """The client keeps those of the first chip it asks about."""
        def rules(number: int) -> dict:
            found: dict = {}
            info = qg.BackendOpInfo(qg.HTP, number)
            for op in info.get_all_supported_ops():
                for variant in info.get_op_info(op):
                    key = (op, *(port.get_datatype() for port in
                                 (*variant.get_input_info(), *variant.get_output_info())))
                    found[key] = variant
            return found

        newest = rules(CHIPS["SM8750"])
        for key, variant in rules(CHIPS["SM8350"]).items():
            if key in newest:
                self.assertEqual(variant, newest[key], key)


class Installed(unittest.TestCase):
    def test_print_sdk_root_is_fit_for_the_client(self) -> None:
        run = subprocess.run([sys.executable, "-m", "quantgate.executorch", "--print-sdk-root"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        root = Path(run.stdout.strip())
        self.assertTrue((root / "lib" / "python").is_dir())
        said = python("import os, sys\n"
                      "sys.path.insert(0, os.path.join(os.environ['QNN_SDK_ROOT'], 'lib/python'))\n"
                      "from qti.aisw.converters.common import backend_opinfo as b\n"
                      "print(b.BackendOpInfo(b.HTP, 43).target.soc, b.UNDEFINED)",
                      QNN_SDK_ROOT=str(root))
        self.assertEqual(said, "SM8550 None")

    def test_nothing_of_it_is_there_before_install(self) -> None:
        said = python("import sys, quantgate, quantgate.executorch, importlib.util as u\n"
                      "print(u.find_spec('qti'), any('sdk' in p for p in sys.path))")
        self.assertEqual(said, "None False")

    def test_install_replaces_one_module_of_a_real_sdk(self) -> None:
        code = ("import os, sys, tempfile\n"
                "root = tempfile.mkdtemp()\n"
                "common = os.path.join(root, 'qti', 'aisw', 'converters', 'common')\n"
                "os.makedirs(common)\n"
                "for name in ('backend_opinfo', 'other'):\n"
                "    open(os.path.join(common, name + '.py'), 'w').write('REAL = True\\n')\n"
                "sys.path.insert(0, root)\n"
                "import quantgate.executorch as e\n"
                "assert e.install() is e.install()\n"
                "from qti.aisw.converters.common import backend_opinfo, other\n"
                "print(hasattr(backend_opinfo, 'REAL'), other.REAL)")
        self.assertEqual(python(code), "False True")

    def test_install_survives_a_broken_sdk(self) -> None:
        code = ("import os, sys, tempfile\n"
                "root = tempfile.mkdtemp()\n"
                "os.makedirs(os.path.join(root, 'qti'))\n"
                "open(os.path.join(root, 'qti', '__init__.py'), 'w').write('1 / 0\\n')\n"
                "sys.path.insert(0, root)\n"
                "import quantgate.executorch as e\n"
                "e.install()\n"
                "from qti.aisw.converters.common import backend_opinfo as b\n"
                "print(b.BackendOpInfo(b.HTP, 57).target.soc)")
        self.assertEqual(python(code), "SM8650")


if __name__ == "__main__":
    unittest.main()
