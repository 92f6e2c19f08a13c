"""What the HTP library computes wrong or refuses without a documented reason, just inside and just outside.

Each case was put to libQnnHtp 2.51 (`verify --execute`); what it said is the second column.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
U8, S8, U16, F32 = "UFIXED_POINT_8", "SFIXED_POINT_8", "UFIXED_POINT_16", "FLOAT_32"
Tensor = dict[str, Any]


def tensor(dims: list[int], scale: float = 0.02, zero_point: int = 0, dtype: str = U8, **more: Any) -> Tensor:
    zero = {"zeroPoint": zero_point} if zero_point else {}  # one of 0 is not written, as in many files
    encoding = {} if dtype == F32 else {"encoding": {"perTensor": {"scale": scale, **zero}}}
    return {"dtype": dtype, "dims": dims, **encoding, **more}


def integers(values: list[int], dims: list[int]) -> dict[str, Any]:
    return {"tensor": {"dtype": "UINT_32", "dims": dims, "ints": values}}


class Laws(unittest.TestCase):
    def said(self, op: str, inputs: list[Tensor], output: Tensor, params: dict[str, Any]) -> tuple[str, list[str]]:
        """The verdict, and what decided it: the last part of the names of constraints."""
        names = [f"x{i}" for i in range(len(inputs))]
        model = {"name": "t", "dialect": "qnn", "inputs": [n for n, t in zip(names, inputs) if "isStatic" not in t],
                 "outputs": ["y"], "tensors": [{"name": n, **t} for n, t in zip([*names, "y"], [*inputs, output])],
                 "nodes": [{"name": "n", "op": op, "inputs": names, "outputs": ["y"], "params": params}]}  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            path.write_text(json.dumps(model))
            run = subprocess.run([CLI, "check", str(path), "--sdk", "2.51", "--arch", "v73", "--format", "json",
                                  "--isolated"], capture_output=True, text=True, check=False)  # fmt: skip
        report = json.loads(run.stdout)
        return report["verdict"], run.stdout

    def holds(self, want: str, constraint: str, *model: Any) -> None:
        verdict, text = self.said(*model)
        if want == "right":
            self.assertNotIn(verdict, ("rejected", "wrong_values", "prepare_fails"), model)
            self.assertNotIn(constraint, text, model)
        else:
            self.assertEqual(verdict, want, model)
            self.assertIn(constraint, text, model)

    def test_cumulative_sum_in_blocks_of_eight(self) -> None:
        def case(want: str, dims: list[int], axis: int, scale: float, dtype: str = U8, **flags: bool) -> None:
            params = {"axis": {"uint": axis}, **{k: {"flag": v} for k, v in flags.items()}}
            self.holds(want, "in[0]/blocks", "CumulativeSum", [tensor(dims, 0.004, 0, dtype)],
                       tensor(dims, scale, 0, dtype), params)  # fmt: skip

        case("wrong_values", [1, 9, 8], 1, 0.064)
        case("right", [1, 8, 8], 1, 0.064)
        case("right", [1, 9, 8], 1, 0.004)
        case("right", [1, 8, 9], 2, 0.064)
        case("right", [9, 2, 2, 4], 0, 0.064)
        case("wrong_values", [1, 2, 9, 4], 2, 0.064)
        case("right", [1, 9, 8], 1, 0.064, U16)
        case("right", [1, 9, 8], 1, 0.064, reverse=True)
        case("right", [1, 9, 8], 1, 0.064, exclusive=True)

    def test_cumulative_sum_of_equal_scales(self) -> None:
        """Sums beyond the range are cut: right where all have one sign, a risk where they have not."""
        dims, params = [1, 8, 16], {"axis": {"uint": 2}}
        self.holds("right", "out[0]/factor", "CumulativeSum", [tensor(dims)], tensor(dims), params)
        self.holds("advice", "out[0]/factor", "CumulativeSum", [tensor(dims, 0.02, 128)], tensor(dims, 0.02, 128), params)

    def test_average_of_windows_beyond_the_edge(self) -> None:
        def case(want: str, op: str, size: list[int], out: list[int], mode: int, counts: bool = False, dtype: str = U8,
                 filter_size: int = 2, pad: int = 0) -> None:  # fmt: skip
            k = len(size)
            params = {"filter_size": integers([filter_size] * k, [k]), "stride": integers([2] * k, [k]),
                      "pad_amount": integers([0, pad] * k, [k, 2]), "rounding_mode": {"uint": mode},
                      "count_pad_for_edges": {"flag": counts}}  # fmt: skip
            self.holds(want, "in[0]/overhang", op, [tensor([1, *size, 8], 0.02, 100, dtype)],
                       tensor([1, *out, 8], 0.02, 100, dtype), params)  # fmt: skip

        for dtype in (U8, S8, U16, F32):
            case("wrong_values", "PoolAvg2d", [15, 16], [8, 8], 1, dtype=dtype)
            case("wrong_values", "PoolAvg2d", [16, 15], [8, 8], 1, dtype=dtype)
            case("right", "PoolAvg2d", [16, 16], [8, 8], 1, dtype=dtype)
        case("right", "PoolAvg2d", [15, 15], [7, 7], 0)
        case("right", "PoolAvg2d", [14, 14], [7, 7], 1, filter_size=3, pad=1)
        case("wrong_values", "PoolAvg3d", [8, 8, 9], [4, 4, 5], 1, True)
        case("right", "PoolAvg3d", [8, 8, 9], [4, 4, 5], 1)
        case("right", "PoolAvg3d", [8, 8, 8], [4, 4, 4], 1, True)

    def test_slopes_that_can_reach_128(self) -> None:
        def case(want: str, slope: float, out: float = 0.02, zero_point: int = 0, dtype: str = U8, many: int = 8,
                 constraint: str = "in[1]/reach") -> None:  # fmt: skip
            middle = 128 if dtype == U8 else 0
            dims = [1, 4, 4, 8]
            slopes = tensor([many], slope, zero_point, dtype, isStatic=True, values=[zero_point + 1] * many)
            self.holds(want, constraint, "Prelu", [tensor(dims, 0.02, middle, dtype), slopes],
                       tensor(dims, out, middle, dtype), {})  # fmt: skip

        case("wrong_values", 0.505)
        case("right", 0.5)
        case("right", 0.6, out=0.03)
        case("right", 0.6, many=1)
        case("right", 0.9, zero_point=128)
        case("wrong_values", 1.02, zero_point=128)
        case("right", 0.6, dtype=S8)
        case("wrong_values", 1.02, dtype=S8)
        dims = [1, 4, 4, 8]
        self.holds("right", "in[1]/reach", "Prelu", [tensor(dims, 0.0001, 30000, U16),
                   tensor([8], 0.6, isStatic=True, values=[1] * 8)], tensor(dims, 0.0001, 30000, U16), {})  # fmt: skip
        case("wrong_values", 0.5, out=0.01, constraint="out[0]/unit")
        case("right", 0.51, out=0.01, constraint="out[0]/unit")

    def test_values_of_modes(self) -> None:
        image, grid = tensor([1, 8, 8, 4]), tensor([1, 5, 5, 2], 0.0078, 128)
        cases: list[tuple[str, list[Tensor], Tensor, str, int]] = [
            ("GridSample", [image, grid], tensor([1, 5, 5, 4]), "mode", 1),
            ("GridSample", [image, grid], tensor([1, 5, 5, 4]), "padding_mode", 2),
            ("Resize", [image], tensor([1, 16, 16, 4]), "transformation_mode", 3),
            ("ScatterNd", [image, {"dtype": "INT_32", "dims": [2, 4], "isStatic": True, "values": [0] * 8},
                           tensor([2])], image, "reduction", 2),
        ]  # fmt: skip
        for op, inputs, output, param, last in cases:
            for value, want in ((last, "right"), (last + 1, "rejected")):
                self.holds(want, f"{param}/at-most-{last}", op, inputs, output, {param: {"uint": value}})


if __name__ == "__main__":
    unittest.main()
